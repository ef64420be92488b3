//! The settings of the person: files and variables.

use orion_protocol::{Finding, Subject, TroubleKind};

use super::Examined;
use crate::thinking::problems_without_engine;

const ACTION: &str = "Correct it, or take it out. Settings in the window, and orion tools in a terminal, say what is expected there.";

pub(super) fn look(of: &Examined<'_>) -> Vec<Finding> {
    let (in_force, file) = (of.config.without_project(), of.paths.config_file());
    let unsent = problems_without_engine(&in_force, of.connector, of.paths);
    let problems: Vec<_> = in_force.problems.into_iter().chain(unsent).collect();
    if problems.is_empty() {
        return vec![Finding::fine(Subject::Settings, "read without a fault")];
    }
    let found = problems.iter().map(|problem| {
        let says = format!("a fault {}", at(&problem.message, &file.display().to_string()));
        Finding::troubled(Subject::Settings, says, TroubleKind::SettingsWrong, ACTION)
    });
    found.collect()
}

/// The place of a fault, without the names of keys and tables, which may be a person's own: `FILE:3:1: …`, or a variable of Orion's.
fn at(message: &str, file: &str) -> String {
    let variable = message.split(' ').find(|word| {
        word.starts_with("ORION_") && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
    });
    let line = message.strip_prefix(file).and_then(|rest| rest.split(':').nth(1)?.parse::<u32>().ok());
    match (variable, line) {
        (Some(variable), _) => format!("in the variable {variable}"),
        (None, Some(line)) => format!("in config.toml, line {line}"),
        (None, None) if message.contains(file) => "in config.toml".to_owned(),
        (None, None) => "in a file beside config.toml".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_told_by_its_place_alone() {
        for (message, place) in [
            ("/home/ann/config.toml:3:1: `endpoints.ann` must be a table.", "in config.toml, line 3"),
            ("The settings file /home/ann/config.toml cannot be read.", "in config.toml"),
            (
                "The environment variable ORION_MAX_CYCLES must be a number; it is ignored.",
                "in the variable ORION_MAX_CYCLES",
            ),
            ("/home/ann/prices.toml:1:1: `x` is none.", "in a file beside config.toml"),
        ] {
            assert_eq!(at(message, "/home/ann/config.toml"), place);
        }
    }
}
