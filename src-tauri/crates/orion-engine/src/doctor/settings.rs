//! The settings of the person: files and variables.

use orion_protocol::{Finding, Subject, TroubleKind};

use super::names::Names;
use crate::config::Config;

pub(super) fn look(config: &Config, names: &Names) -> Vec<Finding> {
    let in_force = config.without_project();
    if in_force.problems.is_empty() {
        return vec![Finding::fine(Subject::Settings, "read without a fault")];
    }
    let found = in_force.problems.iter().map(|problem| {
        let action = problem.action.as_deref().unwrap_or("Mend it, or take it out.");
        let says = names.out_of(&problem.message);
        Finding::troubled(Subject::Settings, says, TroubleKind::SettingsWrong, names.out_of(action))
    });
    found.collect()
}
