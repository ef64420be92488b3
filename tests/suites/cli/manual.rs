//! What packages bring beside the program: the pages of the manual, and what a shell completes.

use std::collections::BTreeSet;
use std::fs;

use support::Folder;

use super::{Desk, ran};

#[test]
fn every_command_has_a_page_of_the_manual_with_its_flags() {
    let (desk, pages) = (Desk::new(), Folder::empty());
    let made = ran(&mut desk.orion(&["manual", pages.path().to_str().unwrap()]));
    assert_eq!((made.code, made.stderr.as_str()), (Some(0), ""));

    let help = ran(&mut desk.orion(&["--help"])).stdout;
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let commands = commands.lines().take_while(|line| !line.is_empty());
    // A command begins behind two spaces, and what does not fit behind it is further in.
    let commands = commands.filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')));
    let commands: BTreeSet<&str> = commands.filter_map(|line| line.split(' ').next()).collect();
    assert!(commands.contains("run") && commands.contains("completions"), "{help}");
    for command in commands.iter().filter(|command| **command != "help") {
        let page = fs::read_to_string(pages.path().join(format!("orion-{command}.1"))).unwrap();
        // Arguments are described to the parser late: a page without them would look whole.
        assert!(page.contains(&format!("orion\\-{command} \\- ")) && page.contains("\\-\\-help"), "{page}");
    }
    let run = fs::read_to_string(pages.path().join("orion-run.1")).unwrap();
    for flag in ["\\-\\-demo", "\\-\\-approve\\-writes", "Exit codes: 0 answered"] {
        assert!(run.contains(flag), "{flag}: {run}");
    }
    assert!(pages.path().join("orion-sessions-delete.1").is_file());
    assert!(!pages.path().join("orion-manual.1").exists(), "it is for who makes packages");

    let nowhere = pages.path().join("nowhere");
    let refused = ran(&mut desk.orion(&["manual", nowhere.to_str().unwrap()]));
    assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    assert!(refused.stderr.contains("Name a folder that is there"), "{}", refused.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn a_shell_completes_commands_and_their_flags() {
    use std::process::Command;

    let desk = Desk::new();
    let script = ran(&mut desk.orion(&["completions", "bash"])).stdout;
    let completes = |words: &[&str]| {
        let asks = "eval \"$1\"; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); \
                    _orion orion \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD - 1]}\"; echo \"${COMPREPLY[*]}\"";
        let mut bash = Command::new("bash");
        let output = bash.args(["--norc", "-c", asks, "bash", &script]).args(words).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    assert_eq!(completes(&["orion", "tr"]), "trace");
    assert_eq!(completes(&["orion", "run", "--dem"]), "--demo");
    assert_eq!(completes(&["orion", "sessions", "arch"]), "archive");
    assert_eq!(completes(&["orion", "manu"]), "", "what help does not list");
    for shell in ["zsh", "fish", "powershell", "elvish"] {
        let script = ran(&mut desk.orion(&["completions", shell]));
        assert!(script.code == Some(0) && script.stdout.contains("approve-writes"), "{shell}");
    }
}
