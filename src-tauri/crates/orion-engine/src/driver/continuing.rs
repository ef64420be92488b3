//! Begins the context of a turn with the same bytes as that of the turn before it, so that the provider's cache still applies (X1, P12).

use orion_core::prompt;
use orion_core::turn::TurnSetup;
use orion_store::StoreError;

use super::history::unreadable_item;
use super::texts::json;

/// The setup of a turn that compacts the conversation (X4): all that its session was given stays as it was, and nothing is said that has
/// changed since, so that the turns that follow it are given what they would be given without it. Beside it the system text in force.
pub(super) fn compacting(setup: TurnSetup, given: Vec<String>) -> Result<(TurnSetup, String), StoreError> {
    let mut given = given.into_iter();
    let (Some(system), Some(tools)) = (given.next(), given.next()) else {
        let system = setup.system.clone();
        return Ok((setup, system));
    };
    let in_force = given.next().unwrap_or_else(|| system.clone());
    let tools = serde_json::from_str(&tools).map_err(unreadable_item)?;
    Ok((TurnSetup { system, tools, ..setup }, in_force))
}

/// The setup of a turn whose session was given these texts before: the system text, the tools, and the system text that was in force, where
/// that was another one; `model` answered the turn before.
///
/// A system text that changed is said once, before the message. Where the tools changed, the first bytes change in any case, and the system
/// text with them.
pub(super) fn continuing(
    setup: TurnSetup,
    given: Vec<String>,
    model: Option<String>,
) -> Result<TurnSetup, StoreError> {
    let mut given = given.into_iter();
    let (Some(system), Some(tools)) = (given.next(), given.next()) else { return Ok(setup) };
    if tools != json(&setup.tools)? {
        return Ok(TurnSetup { begins_anew: true, ..setup });
    }
    let in_force = given.next().unwrap_or_else(|| system.clone());
    let mut changes = Vec::new();
    if model.is_some_and(|model| model != setup.model) {
        changes.push(prompt::another_model(&setup.model));
    }
    if in_force != setup.system {
        changes.push(prompt::changes(&setup.system));
    }
    Ok(TurnSetup { system, changes: changes.join("\n\n"), ..setup })
}
