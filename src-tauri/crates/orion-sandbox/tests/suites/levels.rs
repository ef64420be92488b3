//! The level of the sandbox (C3): measured, kept, and none where something is missing.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;

use orion_protocol::{CommandEnd, SandboxLevel};
use orion_sandbox::{Found, Missing, Sandbox, Trial};

use crate::common::{Tried, helper};

fn kept(tried: &Tried) -> PathBuf {
    tried.layout.home.with_file_name("data").join("sandbox.json")
}

fn of(tried: &Tried, trial: Trial) -> Sandbox {
    Sandbox::tried(helper(), kept(tried), trial)
}

#[tokio::test]
async fn a_sandbox_is_measured_once_and_kept_until_the_computer_starts_anew() {
    let tried = Tried::unmeasured();
    assert!(!kept(&tried).exists(), "it was measured before anybody asked");
    let full = Found { level: SandboxLevel::Full, missing: Vec::new() };
    assert_eq!(tried.sandbox.level().await, full);
    // Nothing but this is left of the measure.
    let names: Vec<_> = fs::read_dir(kept(&tried).parent().unwrap())
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert_eq!(names, ["sandbox.json"]);
    let first = fs::metadata(kept(&tried)).unwrap();
    // Another process has it from the file, even if it would measure something else.
    let again = of(&tried, Trial { left_out: Some("--unshare-all"), ..Trial::default() });
    assert_eq!(again.level().await, full);
    assert_eq!(fs::metadata(kept(&tried)).unwrap().ino(), first.ino());
    // Another boot.
    let boot = kept(&tried).with_file_name("boot");
    fs::write(&boot, "another").unwrap();
    let later = of(&tried, Trial { left_out: Some("--unshare-all"), boot: Some(boot), ..Trial::default() });
    assert_eq!(later.level().await.level, SandboxLevel::None);
    // What is not JSON is measured again.
    fs::write(kept(&tried), "{").unwrap();
    assert_eq!(of(&tried, Trial::default()).level().await, full);
    assert_ne!(fs::metadata(kept(&tried)).unwrap().ino(), first.ino());
}

#[tokio::test]
async fn a_box_that_lacks_a_part_is_no_sandbox_and_says_what_gets_out() {
    for (left_out, missing) in [
        // The box is then in this computer's network and sees its processes.
        ("--unshare-all", "The sandbox could not be set up"),
        ("--as-pid-1", "The sandbox could not be set up: orion-sandbox is started by Orion, in a sandbox"),
    ] {
        let tried = Tried::unmeasured();
        let found = of(&tried, Trial { left_out: Some(left_out), ..Trial::default() }).level().await;
        assert_eq!(found.level, SandboxLevel::None, "{left_out}");
        assert!(found.missing.iter().any(|it| it.what.starts_with(missing)), "{left_out}: {found:?}");
        assert!(!kept(&tried).exists());
    }
}

#[tokio::test]
async fn without_bwrap_there_is_no_sandbox_and_its_package_is_named_and_no_box_runs() {
    let tried = Tried::unmeasured();
    let empty = tempfile::tempdir().unwrap();
    let sandbox = of(&tried, Trial { folders: Some(vec![empty.path().into()]), ..Trial::default() });
    let found = sandbox.level().await;
    assert_eq!(found.level, SandboxLevel::None);
    let [Missing { what, mend }] = &found.missing[..] else { panic!("{found:?}") };
    assert_eq!(what, "The program bwrap, which sets up the sandbox, is not installed.");
    assert!(mend.iter().all(|command| command.ends_with("bubblewrap")), "{mend:?}");
    let ran = sandbox.run(tried.in_box(), tried.order("true"), |_| {}, Default::default()).await;
    assert_eq!((ran.ended, ran.why.as_ref()), (CommandEnd::NotStarted, Some(what)));
    // Outside, it still runs.
    let ran = sandbox.run(tried.outside(), tried.order("true"), |_| {}, Default::default()).await;
    assert_eq!(ran.ended, CommandEnd::Exited { code: 0 });
}

#[tokio::test]
async fn a_bwrap_that_fails_is_quoted() {
    let tried = Tried::unmeasured();
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("bwrap");
    fs::write(&program, "#!/bin/sh\necho bwrap: no permission >&2\nexit 1\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let found =
        of(&tried, Trial { folders: Some(vec![folder.path().into()]), ..Trial::default() }).level().await;
    assert_eq!(found.level, SandboxLevel::None);
    let what = &found.missing[0].what;
    // An ordinary user's own program is not used at all.
    let expected = match rustix::process::geteuid().is_root() {
        true => "The sandbox could not be set up: bwrap: no permission".to_owned(),
        false => format!("{} does not belong to root.", program.display()),
    };
    assert_eq!(*what, expected);
}

#[tokio::test]
async fn a_project_whose_box_would_not_be_full_says_so_and_does_not_run_in_one() {
    let tried = Tried::new().await;
    assert_eq!(tried.sandbox.holds(&tried.layout), []);
    std::os::unix::fs::symlink("/tmp", tried.project().join(".git")).unwrap();
    let missing = Missing { what: ".git of the project is a link.".to_owned(), mend: Vec::new() };
    assert_eq!(tried.sandbox.holds(&tried.layout), [missing]);
    let (ran, _) = tried.run(tried.in_box(), tried.order("true")).await;
    assert_eq!(
        (ran.ended, ran.why.as_deref()),
        (CommandEnd::NotStarted, Some(".git of the project is a link."))
    );
}

#[test]
fn the_helper_is_beside_the_program_also_of_a_test() {
    for (program, expected) in [
        ("/usr/bin/orion", "/usr/bin/orion-sandbox"),
        ("/target/debug/deps/suites-1", "/target/debug/orion-sandbox"),
        ("/opt/orion/lib/orion/orion-desktop", "/opt/orion/bin/orion-sandbox"),
    ] {
        assert_eq!(Sandbox::beside(program.as_ref()), PathBuf::from(expected));
    }
}
