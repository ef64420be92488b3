//! The level of the sandbox (C3): measured, kept, and none where something is missing.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use orion_protocol::{CommandEnd, SandboxLevel};
use orion_sandbox::{Found, Layout, Missing, Place, Sandbox, Trial};

use crate::common::{Tried, helper};

fn kept(tried: &Tried) -> PathBuf {
    tried.layout.home.with_file_name("data").join("sandbox.json")
}

fn of(tried: &Tried, trial: Trial) -> Sandbox {
    Sandbox::tried(helper(), kept(tried), trial)
}

// C3
#[tokio::test]
async fn a_measure_that_fails_half_way_leaves_nothing() {
    let tried = Tried::unmeasured();
    // No socket has a path as long.
    let folder = kept(&tried).with_file_name("x".repeat(120));
    fs::create_dir_all(&folder).unwrap();
    let found = Sandbox::new(helper(), folder.join("sandbox.json")).level().await;
    assert_eq!(found.level, SandboxLevel::None);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
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
    assert_eq!(later.level().await.level, SandboxLevel::FilesOnly);
    // A file that is no JSON is measured again.
    fs::write(kept(&tried), "{").unwrap();
    assert_eq!(of(&tried, Trial::default()).level().await, full);
    assert_ne!(fs::metadata(kept(&tried)).unwrap().ino(), first.ino());
}

#[tokio::test]
async fn a_box_that_lacks_a_part_is_no_full_sandbox_and_says_what_gets_out() {
    for (left_out, missing) in [
        // The box is then in this computer's network and sees its processes.
        ("--unshare-all", "The sandbox could not be set up"),
        ("--as-pid-1", "The sandbox could not be set up: orion-sandbox is started by Orion, in a sandbox"),
    ] {
        let tried = Tried::unmeasured();
        let found = of(&tried, Trial { left_out: Some(left_out), ..Trial::default() }).level().await;
        assert_eq!(found.level, SandboxLevel::FilesOnly, "{left_out}");
        assert!(found.missing.iter().any(|it| it.what.starts_with(missing)), "{left_out}: {found:?}");
        assert!(!kept(&tried).exists());
    }
}

#[tokio::test]
async fn without_bwrap_there_is_no_box_and_its_package_is_named() {
    let tried = Tried::unmeasured();
    let empty = tempfile::tempdir().unwrap();
    let sandbox = of(&tried, Trial { folders: Some(vec![empty.path().into()]), ..Trial::default() });
    let found = sandbox.level().await;
    assert_eq!(found.level, SandboxLevel::FilesOnly);
    let [Missing { what, mend }] = &found.missing[..] else { panic!("{found:?}") };
    assert_eq!(what, "The program bwrap, which sets up the sandbox, is not installed.");
    assert!(mend.iter().all(|command| command.ends_with("bubblewrap")), "{mend:?}");
    let ran = sandbox.run(tried.in_box(), tried.order("true"), |_| {}, Default::default()).await;
    assert_eq!((ran.ended, ran.why.as_ref()), (CommandEnd::NotStarted, Some(what)));
    // Outside, it still runs.
    let ran = sandbox.run(tried.outside(), tried.order("true"), |_| {}, Default::default()).await;
    assert_eq!(ran.ended, CommandEnd::Exited { code: 0 });
}

// C3
#[tokio::test]
async fn an_older_landlock_holds_less_and_one_that_lets_files_be_emptied_holds_nothing() {
    let tried = Tried::unmeasured();
    let folder = tempfile::tempdir().unwrap();
    let writes = "A command in the sandbox can write outside the project, or in .git.";
    let signals = "A command in the sandbox can end your other programs.";
    let none = "The sandbox could not be set up: this kernel has no Landlock";
    for (landlock, level, what) in [
        (0, SandboxLevel::None, vec![none]),
        (2, SandboxLevel::None, vec![writes]),
        (3, SandboxLevel::FilesOnly, vec![signals]),
        (5, SandboxLevel::FilesOnly, vec![signals]),
        (6, SandboxLevel::FilesOnly, vec![]),
    ] {
        let folders = Some(vec![folder.path().into()]);
        let trial = Trial { folders, landlock: Some(landlock), ..Trial::default() };
        let found = of(&tried, trial).level().await;
        let missing: Vec<&str> = found.missing[1..].iter().map(|missing| missing.what.as_str()).collect();
        assert_eq!(found.level, level, "{landlock}: {missing:?}");
        assert_eq!(
            missing
                .into_iter()
                .filter(|it| *it != signals || level == SandboxLevel::FilesOnly)
                .collect::<Vec<_>>(),
            what,
            "{landlock}"
        );
        assert!(!kept(&tried).exists(), "only a full sandbox is kept");
    }
}

// C3
#[tokio::test]
async fn the_level_of_a_project_without_a_box_names_what_is_closed_there() {
    let mut tried = Tried::without_bwrap().await;
    fs::create_dir(tried.project().join("closed")).unwrap();
    let found = tried.sandbox.level().await;
    let of_project = tried.sandbox.of_project(found.clone(), &tried.layout);
    assert_eq!(
        (of_project.level, of_project.missing.len()),
        (SandboxLevel::FilesOnly, found.missing.len() + 2)
    );
    tried.layout.masked = vec!["closed".into()];
    let of_project = tried.sandbox.of_project(found.clone(), &tried.layout);
    let closed = "It can read and change what .orionignore closes in the project: closed.";
    assert!(of_project.missing.iter().any(|missing| missing.what == closed), "{of_project:?}");
    // A project around the home of its commands would give it away.
    tried.layout.project = tried.layout.home.parent().unwrap().to_owned();
    assert_eq!(tried.sandbox.of_project(found, &tried.layout).level, SandboxLevel::None);
}

/// A sandbox with this script in the place of `bwrap`.
fn with_script(tried: &Tried, folder: &Path, script: &str) -> Sandbox {
    let program = folder.join("bwrap");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let owner = rustix::process::geteuid().as_raw();
    of(tried, Trial { folders: Some(vec![folder.into()]), owner, ..Trial::default() })
}

#[tokio::test]
async fn a_bwrap_that_fails_is_quoted() {
    let tried = Tried::unmeasured();
    let folder = tempfile::tempdir().unwrap();
    let found = with_script(&tried, folder.path(), "echo bwrap: no permission >&2; exit 1").level().await;
    let missing = Missing {
        what: "The sandbox could not be set up: bwrap: no permission".to_owned(),
        mend: Vec::new(),
    };
    assert_eq!(found, Found { level: SandboxLevel::FilesOnly, missing: vec![missing] });
}

// C3
#[tokio::test]
async fn a_level_that_was_measured_is_measured_again_when_bwrap_or_the_helper_is_replaced() {
    let tried = Tried::unmeasured();
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("orion-sandbox");
    fs::copy(helper(), &own).unwrap();
    let program = folder.path().join("bwrap");
    let put = |path: &Path, text: &str| {
        let new = path.with_extension("new");
        fs::write(&new, text).unwrap();
        fs::set_permissions(&new, fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(new, path).unwrap();
    };
    put(&program, "#!/bin/sh\nexec /usr/bin/bwrap \"$@\"\n");
    let owner = rustix::process::geteuid().as_raw();
    let trial = Trial { folders: Some(vec![folder.path().into()]), owner, ..Trial::default() };
    let sandbox = Sandbox::tried(own.clone(), kept(&tried), trial);
    assert_eq!(sandbox.level().await.level, SandboxLevel::Full);
    put(&program, "#!/bin/sh\necho bwrap: another one >&2; exit 1\n");
    let refused = |what: &str| Found {
        level: SandboxLevel::FilesOnly,
        missing: vec![Missing { what: what.to_owned(), mend: Vec::new() }],
    };
    let why = "The sandbox could not be set up: bwrap: another one";
    assert_eq!(sandbox.level().await, refused(why));
    let ran = sandbox.run(tried.in_box(), tried.order("true"), |_| {}, Default::default()).await;
    assert_eq!((ran.ended, ran.why.as_deref()), (CommandEnd::NotStarted, Some(why)));
    // One that was mended counts at once.
    put(&program, "#!/bin/sh\n# mended\nexec /usr/bin/bwrap \"$@\"\n");
    assert_eq!(sandbox.level().await.level, SandboxLevel::Full);
    put(&own, "#!/bin/sh\nexit 1\n");
    assert_eq!(sandbox.level().await.level, SandboxLevel::None);
}

#[tokio::test]
async fn what_changes_while_a_box_is_set_up_is_not_what_the_command_gets() {
    let tried = Tried::unmeasured();
    let folder = tempfile::tempdir().unwrap();
    let secret = tried.layout.home.with_file_name("secret");
    fs::write(&secret, "secret").unwrap();
    let at = |name: &str| tried.project().join(name).display().to_string();
    let layout =
        Layout { read_only: vec!["AGENTS.md".into()], masked: vec!["closed".into()], ..tried.layout.clone() };
    for (change, path) in [
        (format!("ln -sf ../secret {}", at("AGENTS.md")), "AGENTS.md"),
        (format!("echo other > {0}.new; mv {0}.new {0}", at("AGENTS.md")), "AGENTS.md"),
        (format!("mv {0}/.git {0}/git; cp -r {0}/git {0}/.git", tried.project().display()), ".git"),
    ] {
        for old in [".git", "git", "closed"] {
            let _ = fs::remove_dir_all(at(old));
        }
        let _ = fs::remove_file(at("AGENTS.md"));
        fs::create_dir(at(".git")).unwrap();
        fs::create_dir(at("closed")).unwrap();
        fs::write(at("AGENTS.md"), "Be kind.").unwrap();
        // Another command changes it between the plan and the mounts; not when it is measured.
        let script = format!(
            "case \"$*\" in *--help*) ;; *{}*) {change} ;; esac; exec /usr/bin/bwrap \"$@\"",
            at("closed")
        );
        let sandbox = with_script(&tried, folder.path(), &script);
        assert_eq!(sandbox.level().await.level, SandboxLevel::Full);
        let mut output = Vec::new();
        let read = |piece: &[u8]| output.extend_from_slice(piece);
        let ran = sandbox
            .run(Place::Box(layout.clone()), tried.order("cat AGENTS.md"), read, Default::default())
            .await;
        let why = format!("{} changed while the sandbox was set up", at(path));
        assert_eq!((ran.ended, ran.why, output), (CommandEnd::NotStarted, Some(why), Vec::new()), "{change}");
    }
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
