//! The log: made at its first line, capped, and without secrets.

use orion_engine::config::Environment;
use orion_engine::logging::{self, MAX_FILE_BYTES, OLD_FILES};
use orion_engine::secrets::Redactor;
use secrecy::SecretString;
use support::Folder;
use tracing::subscriber::with_default;

/// Runs `act` with a log in the folder, and gives what `ORION_LOG` was found to be.
fn logged(folder: &Folder, level: Option<&str>, redactor: Redactor, act: impl FnOnce()) -> Option<String> {
    let environment = level.map(|level| ("ORION_LOG", level)).into_iter().collect::<Environment>();
    let (subscriber, problem) = logging::subscriber(&folder.path().join("logs"), &environment, redactor);
    with_default(subscriber, act);
    problem.map(|problem| problem.message)
}

/// The lines of the log, each without its time.
fn lines(folder: &Folder) -> Vec<String> {
    let text = String::from_utf8(folder.read("logs/orion.log")).unwrap();
    text.lines().map(|line| line.split_once(' ').unwrap().1.trim_start().to_owned()).collect()
}

#[test]
fn a_log_without_lines_makes_no_file() {
    let folder = Folder::empty();
    assert_eq!(
        logged(&folder, None, Redactor::default(), || tracing::debug!(target: "orion_engine", "quiet")),
        None
    );
    assert!(!folder.path().join("logs").exists());
}

#[test]
fn from_info_up_is_logged_and_of_other_crates_only_warnings() {
    let folder = Folder::empty();
    let problem = logged(&folder, None, Redactor::default(), || {
        tracing::info!(target: "orion_engine::turn", request_id = 7, "A turn began.");
        tracing::debug!(target: "orion_engine::turn", "detail");
        tracing::info!(target: "hyper", "headers");
        tracing::warn!(target: "sqlx", "slow");
    });
    assert_eq!(problem, None);
    assert_eq!(lines(&folder), ["INFO orion_engine::turn: A turn began. request_id=7", "WARN sqlx: slow"]);
}

#[test]
fn other_crates_stay_quiet_even_at_trace() {
    let folder = Folder::empty();
    logged(&folder, Some("trace"), Redactor::default(), || {
        tracing::trace!(target: "orion_engine", "step");
        tracing::trace!(target: "hyper", "authorization: Bearer x");
    });
    assert_eq!(lines(&folder), ["TRACE orion_engine: step"]);
}

#[test]
fn a_filter_that_cannot_be_read_is_reported_and_info_is_logged() {
    let folder = Folder::empty();
    let problem = logged(
        &folder,
        Some("orion=loud=very"),
        Redactor::default(),
        || tracing::info!(target: "orion", "here"),
    );
    assert_eq!(
        problem.as_deref(),
        Some("The environment variable ORION_LOG is not a log filter; it is ignored.")
    );
    assert_eq!(lines(&folder), ["INFO orion: here"]);
}

#[test]
fn of_a_panic_the_log_has_the_place_and_nothing_that_it_quotes() {
    let folder = Folder::empty();
    let line = line!() + 4;
    logged(&folder, None, Redactor::default(), || {
        logging::panics();
        let file = "wörd of a secret file".to_owned();
        std::panic::catch_unwind(|| file[..2].len()).unwrap_err();
        drop(std::panic::take_hook());
    });
    let thread = std::thread::current().name().unwrap().to_owned();
    let place =
        format!("ERROR orion_engine::logging: panic file=\"{}\" line={line} thread=\"{thread}\"", file!());
    assert_eq!(lines(&folder), [place]);
}

#[test]
fn a_known_key_never_reaches_the_log() {
    let folder = Folder::empty();
    let redactor = Redactor::default();
    redactor.hide(&SecretString::from("sk-0123456789abcdef"));
    logged(&folder, None, redactor, || {
        tracing::error!(target: "orion", detail = "wrong key sk-0123456789abcdef", "The endpoint refused sk-0123456789abcdef.");
    });
    assert_eq!(
        lines(&folder),
        ["ERROR orion: The endpoint refused [redacted]. detail=\"wrong key [redacted]\""]
    );
}

#[cfg(unix)]
#[test]
fn the_log_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::empty();
    logged(&folder, None, Redactor::default(), || tracing::info!(target: "orion", "here"));
    let mode = |name: &str| std::fs::metadata(folder.path().join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("logs"), mode("logs/orion.log")), (0o700, 0o600));
}

#[test]
fn the_log_is_set_aside_when_it_is_full_and_the_oldest_goes() {
    let folder = Folder::empty();
    let line = "x".repeat(65_536);
    let full = MAX_FILE_BYTES as usize / line.len() + 1;
    let written = full * (OLD_FILES as usize + 3);
    logged(&folder, None, Redactor::default(), || {
        for number in 0..written {
            tracing::info!(target: "orion", number, "{line}");
        }
    });
    let mut sizes: Vec<_> = std::fs::read_dir(folder.path().join("logs"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            (entry.file_name().into_string().unwrap(), entry.metadata().unwrap().len() <= MAX_FILE_BYTES)
        })
        .collect();
    sizes.sort();
    let expected = ["orion.log", "orion.log.1", "orion.log.2", "orion.log.3", "orion.log.4"];
    assert_eq!(sizes, expected.map(|name| (name.to_owned(), true)));
    let last = lines(&folder).pop().unwrap();
    assert!(last.ends_with(&format!("number={}", written - 1)), "the newest line is in the newest file");
}
