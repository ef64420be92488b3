//! The requests of a turn, rebuilt from its journal (T5, T8). They are kept nowhere else.

use orion_core::context::Item;
use orion_core::model::{Message, ModelRequest, shape};
use orion_core::turn::{Effect, Input, ModelInput, TurnSetup};
use orion_protocol::{Code, ErrorInfo, RequestId};
use orion_store::Store;

use super::replay::{Seen, run_watched};

/// A request as it went to an endpoint.
pub(crate) struct Sent {
    /// What the turn was given.
    pub(crate) setup: TurnSetup,
    pub(crate) request: ModelRequest,
    /// So many messages at its beginning are those of the request before it.
    pub(crate) same: usize,
    /// Messages of the request before it.
    pub(crate) before: usize,
    /// The message of the request before it that has another in its place now.
    pub(crate) changed: Option<Message>,
    /// The tools are not those of the request before it.
    pub(crate) tools_changed: bool,
    /// Requests that the turn has sent.
    pub(crate) calls: u32,
}

/// The request of a model call, by its number in the turn.
///
/// # Errors
/// `turn_unknown`, `usage` for a call that the turn has not made, `other_version` when this version does not say what was recorded.
pub(crate) async fn sent(store: &Store, request_id: RequestId, call: u32) -> Result<Sent, ErrorInfo> {
    let (mut calls, mut before, mut wanted, mut changes) = (0, None, None, Vec::new());
    let mut watch = |seen: Seen<'_>| match seen {
        Seen::Effect(Effect::CallModel { call: number, request }) => {
            calls += 1;
            if calls == call {
                wanted = Some((*number, request.clone()));
            } else if calls + 1 == call {
                before = Some((request.messages.clone(), request.tools.clone()));
            }
        }
        Seen::Input(Input::Model { call, event: ModelInput::Changed { shape } }) => {
            if wanted.as_ref().is_some_and(|(number, _)| number == call) {
                changes.push(*shape);
            }
        }
        Seen::Effect(_) | Seen::Input(_) => {}
    };
    let mut run = run_watched(store, request_id, &mut watch).await?;
    if run.is_newer || !run.replayed.is_same() {
        return Err(other_version());
    }
    let (_, mut request): (_, ModelRequest) = wanted.ok_or_else(|| no_such_call(call, calls))?;
    changes.into_iter().for_each(|shape| shape::change(shape, &mut request, &mut run.setup.profile));
    let (before, tools) =
        before.map_or_else(|| (given(&run.setup), None), |(before, tools)| (before, Some(tools)));
    let same = request.messages.iter().zip(&before).take_while(|(sent, before)| sent == before).count();
    let changed = before.get(same).cloned();
    let tools_changed = tools.is_some_and(|tools| !tools.names().eq(request.tools.names()));
    Ok(Sent { setup: run.setup, request, same, before: before.len(), changed, tools_changed, calls })
}

/// What the session gave a turn: the messages that its first request begins with, unless it begins anew (X1).
fn given(setup: &TurnSetup) -> Vec<Message> {
    if setup.begins_anew {
        return Vec::new();
    }
    let system = Message::System { text: setup.system.clone() };
    let history = setup.history.iter().map(|Item { message, .. }| message.clone());
    std::iter::once(system).chain(history).collect()
}

fn no_such_call(call: u32, calls: u32) -> ErrorInfo {
    let message = format!("The turn has no model call {call}: it has made {calls}.");
    ErrorInfo::new(Code::Usage, message, "Choose one of them, counted from 1.")
}

fn other_version() -> ErrorInfo {
    let message =
        "This turn was written by another version of Orion, so what was sent cannot be rebuilt here.";
    ErrorInfo::new(Code::OtherVersion, message, "Look at it with the version that wrote it.")
}
