//! The layer of the environment: variables that override the files for one run.

use orion_protocol::{Code, ErrorInfo, Setting, SettingsChange};

use super::environment::Environment;

/// Reads the environment. A value that cannot be read is reported and left out.
pub(super) fn read(environment: &Environment) -> (SettingsChange, Vec<ErrorInfo>) {
    let mut layer = SettingsChange::default();
    let mut problems = Vec::new();
    for setting in SettingsChange::ALL {
        let Some((name, text)) = setting.facts.variable.and_then(|name| Some((name, environment.get(name)?)))
        else {
            continue;
        };
        match setting.parse(text.trim()) {
            Some(value) => setting.set(&mut layer, Some(&value)),
            None => problems.push(unreadable(name, setting)),
        }
    }
    (layer, problems)
}

/// The value is not shown: it may be a key that went into the wrong variable.
fn unreadable(name: &str, setting: &Setting) -> ErrorInfo {
    let expected = setting.expected();
    ErrorInfo::new(
        Code::ConfigInvalid,
        format!("The environment variable {name} must be {expected}; it is ignored."),
        format!("Set {name} to {expected}, or unset it."),
    )
}
