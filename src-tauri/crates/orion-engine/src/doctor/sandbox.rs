//! The sandbox of commands, measured (C3): the person asks, so it may take its moment.
//!
//! Deliberately not here: what a project adds to it, which the question about a command says.

use std::path::PathBuf;

use orion_protocol::{Finding, SandboxLevel, Subject, TroubleKind};
use orion_sandbox::{Found, Missing, Sandbox};

use crate::paths::Paths;

/// The words for a gap that may name a folder or a user.
const OTHERWISE: &str = "The sandbox cannot be set up; the question about a command says why.";

/// Measures it. Nothing stays on the disk where there is no data folder yet.
pub(super) async fn look(paths: &Paths) -> [Finding; 1] {
    let program = std::env::current_exe().unwrap_or_default();
    let aside = if paths.data_dir.is_dir() { None } else { tempfile::tempdir().ok() };
    let folder: PathBuf = aside.as_ref().map_or(paths.data_dir.clone(), |aside| aside.path().to_owned());
    let found = Sandbox::new(Sandbox::beside(&program), folder.join("sandbox.json")).level().await;
    [finding(&found)]
}

fn finding(found: &Found) -> Finding {
    if found.level == SandboxLevel::Full {
        return Finding::fine(Subject::Sandbox, "full: every attempt to get out of it failed");
    }
    let gaps: Vec<&str> = found.missing.iter().map(in_words).collect();
    let holds = match found.level {
        SandboxLevel::FilesOnly => "files only: a command has no network and only the project's files",
        SandboxLevel::Full | SandboxLevel::None => "none: nothing holds a command",
    };
    let says = format!("{holds}, so each is asked about. {}", gaps.join(" "));
    let mends: Vec<&str> =
        found.missing.iter().flat_map(|missing| missing.mend.iter().map(String::as_str)).collect();
    let action = match mends.as_slice() {
        [] => "Allow commands one by one, or not at all.".to_owned(),
        mends => format!("Run these commands, in their order: {}", mends.join("; ")),
    };
    Finding::troubled(Subject::Sandbox, says.trim_end(), TroubleKind::NoSandbox, action)
}

/// A gap in our own words: what another program said, and a path that is not the system's, are left out.
fn in_words(missing: &Missing) -> &str {
    let of_system =
        |word: &str| !word.contains('/') || ["/usr/", "/bin/"].iter().any(|folder| word.starts_with(folder));
    let is_ours = !missing.what.contains(": ") && missing.what.split_whitespace().all(of_system);
    if is_ours { &missing.what } else { OTHERWISE }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn none(what: &str, mend: &[&str]) -> Found {
        let mend = mend.iter().map(ToString::to_string).collect();
        Found { level: SandboxLevel::None, missing: vec![Missing { what: what.to_owned(), mend }] }
    }

    // C3
    #[test]
    fn the_level_is_said_with_what_is_missing_and_the_commands_that_mend_it() {
        let full = Found { level: SandboxLevel::Full, missing: Vec::new() };
        assert_eq!(finding(&full).trouble, None);
        let finding = finding(&none("There is no bwrap.", &["sudo a", "sudo b"]));
        assert_eq!(finding.says, "none: nothing holds a command, so each is asked about. There is no bwrap.");
        let trouble = finding.trouble.unwrap();
        assert_eq!(trouble.action, "Run these commands, in their order: sudo a; sudo b");
        assert_eq!(trouble.kind, TroubleKind::NoSandbox);
        let files_only = Found { level: SandboxLevel::FilesOnly, ..none("There is no bwrap.", &[]) };
        assert_eq!(
            super::finding(&files_only).says,
            "files only: a command has no network and only the project's files, so each is asked about. There is no bwrap."
        );
    }

    #[test]
    fn no_folder_of_the_person_and_no_word_of_another_program_is_in_a_report() {
        for what in [
            "The program /home/me/my bin/orion-sandbox cannot be used.",
            "The sandbox could not be set up: me@host",
        ] {
            let finding = finding(&none(what, &[]));
            assert!(finding.says.ends_with(OTHERWISE), "{}", finding.says);
        }
        let of_system = "/usr/bin/bwrap is too old.";
        assert!(finding(&none(of_system, &[])).says.ends_with(of_system));
    }
}
