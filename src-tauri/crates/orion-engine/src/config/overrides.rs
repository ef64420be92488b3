//! The environment's layer: variables that stand above the files for one run.

use orion_protocol::{Code, ErrorInfo, Mode, SettingsChange, TurnLimits};

use super::definition::{IdleMilliseconds, LimitsConfig};
use super::environment::Environment;
use super::value::Within;

/// What the environment sets.
#[derive(Debug, Clone, Default)]
pub(super) struct FromEnvironment {
    pub(super) change: SettingsChange,
    pub(super) write_session_idle_ms: Option<u32>,
}

/// Reads the environment. A value that cannot be read is reported and left out.
pub(super) fn read(environment: &Environment) -> (FromEnvironment, Vec<ErrorInfo>) {
    let mut reader = Reader { environment, problems: Vec::new() };
    let limits = LimitsConfig {
        max_cycles: reader.number("ORION_MAX_PHASE_CYCLES_PER_TURN"),
        max_tools: reader.number("ORION_TWO_STAGE_MAX_TOOLS"),
        max_duplicates: reader.number("ORION_MAX_DUPLICATE_ATTEMPTS_PER_TURN"),
    };
    let change = SettingsChange {
        two_stage_enabled: reader.read("ORION_TWO_STAGE_ENABLED", "true or false", switch),
        mode: reader.read("ORION_MODE", "plan or act", mode),
        default_endpoint: environment.get("ORION_ENDPOINT").map(str::to_owned),
        limits: TurnLimits::from(limits),
    };
    let idle: Option<IdleMilliseconds> = reader.number("ORION_WRITE_SESSION_IDLE_MS");
    (FromEnvironment { change, write_session_idle_ms: idle.map(Within::get) }, reader.problems)
}

struct Reader<'a> {
    environment: &'a Environment,
    problems: Vec<ErrorInfo>,
}

impl Reader<'_> {
    fn read<T>(&mut self, name: &str, expected: &str, parse: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let parsed = parse(self.environment.get(name)?.trim());
        if parsed.is_none() {
            let message = format!("The environment variable {name} must be {expected}; it is ignored.");
            self.problems.push(ErrorInfo::new(
                Code::ConfigInvalid,
                message,
                format!("Set {name} to {expected}, or unset it."),
            ));
        }
        parsed
    }

    fn number<const MIN: u32, const MAX: u32>(&mut self, name: &str) -> Option<Within<MIN, MAX>> {
        let expected = Within::<MIN, MAX>::expected();
        self.read(name, &expected, |text| text.parse().ok().and_then(Within::new))
    }
}

fn switch(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "true" | "on" | "yes" => Some(true),
        "0" | "false" | "off" | "no" => Some(false),
        _ => None,
    }
}

fn mode(text: &str) -> Option<Mode> {
    match text.to_ascii_lowercase().as_str() {
        "plan" => Some(Mode::Plan),
        "act" => Some(Mode::Act),
        _ => None,
    }
}
