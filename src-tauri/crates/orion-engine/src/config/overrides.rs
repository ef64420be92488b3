//! The layer of the environment: variables that override the files for one run.

use orion_protocol::{Code, ErrorInfo, ResultsAs, SettingsChange};

use super::endpoints::WindowTokens;
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
            None => problems.push(must_be(name, &setting.expected())),
        }
    }
    (layer, problems)
}

/// The variable that sets the window of every model, in tokens (X2). It is for one run, so no file has it.
const WINDOW: &str = "ORION_WINDOW";

/// The window that the environment sets.
pub(super) fn window(environment: &Environment) -> Result<Option<WindowTokens>, ErrorInfo> {
    let Some(text) = environment.get(WINDOW) else { return Ok(None) };
    let window = text.trim().parse().ok().and_then(WindowTokens::new);
    window.map(Some).ok_or_else(|| must_be(WINDOW, &WindowTokens::expected()))
}

/// The variable that sets the form of results for every model (R1). It is for one run, so no file has it.
const RESULTS_AS: &str = "ORION_RESULTS_AS";

/// The form of results that the environment sets.
pub(super) fn results_as(environment: &Environment) -> Result<Option<ResultsAs>, ErrorInfo> {
    let Some(text) = environment.get(RESULTS_AS) else { return Ok(None) };
    let form = ResultsAs::ALL.into_iter().find(|form| form.name() == text.trim());
    let names = ResultsAs::ALL.map(ResultsAs::name).join(", ");
    form.map(Some).ok_or_else(|| must_be(RESULTS_AS, &format!("one of {names}")))
}

/// The value is not shown: it may be a key that went into the wrong variable.
fn must_be(name: &str, expected: &str) -> ErrorInfo {
    ErrorInfo::new(
        Code::ConfigInvalid,
        format!("The environment variable {name} must be {expected}; it is ignored."),
        format!("Set {name} to {expected}, or unset it."),
    )
}
