//! Says where a person set whether a model is to think, and it cannot be told.
//!
//! It is a mistake of the settings that only the endpoint shows: by its provider, by what its server says of itself, or by what it refused. Deliberately
//! not here: which endpoint has which field (`orion-providers`).

use orion_protocol::{Code, ErrorInfo, KeySource};

use crate::config::{InForce, SetThinking};
use crate::endpoint::{Connector, Unswitched};
use crate::learned::Learned;
use crate::paths::Paths;

/// The mistakes, by what is known now.
#[must_use]
pub fn problems(in_force: &InForce, connector: &dyn Connector, learned: &Learned) -> Vec<ErrorInfo> {
    let unsent = in_force.thinking.iter().filter_map(|set| {
        let config = in_force.endpoints.get(&set.endpoint)?;
        let mut endpoint = config.endpoint(&set.endpoint, KeySource::None);
        endpoint.model.clone_from(&set.model);
        let why = connector.thinking(&endpoint, &learned.of(config.base_url.as_str(), &set.model)).err()?;
        Some(problem(set, why))
    });
    unsent.collect()
}

/// The same where no engine is open. Blocks on the disk for a moment, and only where something is set.
#[must_use]
pub fn problems_without_engine(
    in_force: &InForce,
    connector: &dyn Connector,
    paths: &Paths,
) -> Vec<ErrorInfo> {
    if in_force.thinking.is_empty() {
        return Vec::new();
    }
    problems(in_force, connector, &Learned::open(paths.learned_file()))
}

fn problem(SetThinking { endpoint, at, .. }: &SetThinking, why: Unswitched) -> ErrorInfo {
    let (what, action) = match why {
        Unswitched::Unsupported => (
            "is not sent: Orion knows no way to tell the models of this endpoint to think or not",
            "Remove the line. Some providers take reasoning_effort = \"none\" instead.".to_owned(),
        ),
        Unswitched::Unnamed => (
            "is not sent yet: the server has not said what it is",
            format!(
                "It is asked while it answers for the first time, and counts from the next turn on. To ask it now, run orion models check {endpoint}, \
                 or open the model in the settings."
            ),
        ),
        Unswitched::Refused => (
            "is not sent: the endpoint refused to be told",
            "Remove the line. If the server was set up anew since, let Orion forget in the settings what it has learned of the model.".to_owned(),
        ),
    };
    ErrorInfo::new(Code::ConfigInvalid, format!("{at} {what}."), action)
}
