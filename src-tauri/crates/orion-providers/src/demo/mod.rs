//! The demo model: built in, offline, and scripted. It says so itself.
//!
//! It shows a newcomer a turn. It says what it will do, calls the tools on the open folder, reads their results from
//! the conversation like any model, and answers from them. Asked to write, it opens a write session and sends a short file; asked to correct, it sends
//! the file without mistakes that it knows. Asked to read again and again, it repeats its call for as long as it has tools. It uses the same trait as
//! every provider, so the tour shows the real thing. It understands nothing, and does not pretend to.

mod results;
mod script;

use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt};
use orion_core::model::{ArgumentsDelta, ModelDelta, ModelRequest, Profile, ToolCallDelta};
use orion_core::tool::ToolSet;
use orion_engine::endpoint::{ModelEndpoint, ModelEvent};
use orion_engine::received::Received;
use orion_protocol::{ErrorInfo, ModelInfo};

use self::results::Asked;
use self::script::{Next, next};

/// What the interfaces show as the model's name.
const MODEL: &str = "demo (scripted)";

#[derive(Debug)]
pub(crate) struct Demo {
    name: String,
    /// Between two words.
    pace: Duration,
}

impl Demo {
    pub(crate) fn new(name: String, pace: Duration) -> Self {
        Self { name, pace }
    }
}

impl ModelEndpoint for Demo {
    fn name(&self) -> &str {
        &self.name
    }

    fn model(&self) -> &str {
        MODEL
    }

    fn profile(&self) -> Profile {
        Profile::default()
    }

    fn stream(
        &self,
        request: ModelRequest,
        _profile: Profile,
        _received: Received,
    ) -> BoxStream<'static, ModelEvent> {
        let pace = self.pace;
        let asked = Asked::of(&request.messages);
        let none = ToolSet::empty();
        let offered = if request.forbids_tools { &none } else { &request.tools };
        let events = stream::iter(events(next(&asked, offered), asked.found.len() + 1));
        events
            .then(move |event| async move {
                if !pace.is_zero() {
                    tokio::time::sleep(pace).await;
                }
                event
            })
            .boxed()
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelInfo>, ErrorInfo>> {
        let model = ModelInfo {
            id: MODEL.into(),
            owned_by: Some("Orion".into()),
            context_length: None,
            loaded: Some(true),
            tools: Some(true),
            vision: None,
        };
        Box::pin(async move { Ok(vec![model]) })
    }
}

/// A step in the pieces a provider would send it in: a word at a time, the call in three fragments.
fn events(next: Next, number: usize) -> Vec<ModelEvent> {
    let (text, call) = match next {
        Next::Call { text, name, arguments } => (text, Some((name, arguments.to_string()))),
        Next::Answer { text } => (text, None),
    };
    let mut pieces: Vec<ModelDelta> =
        text.split_inclusive(' ').map(|word| ModelDelta::Text { text: word.to_owned() }).collect();
    let reason = if call.is_some() { "tool_calls" } else { "stop" };
    if let Some((name, arguments)) = call {
        let fragment =
            |delta: ToolCallDelta| ModelDelta::ToolCall { delta: ToolCallDelta { index: Some(0), ..delta } };
        let named = ToolCallDelta {
            id: Some(format!("demo_{number}")),
            name: Some(name.into()),
            ..Default::default()
        };
        pieces.push(fragment(named));
        let middle =
            (arguments.len() / 2..=arguments.len()).find(|&at| arguments.is_char_boundary(at)).unwrap_or(0);
        for part in [&arguments[..middle], &arguments[middle..]] {
            let arguments = Some(ArgumentsDelta::Fragment(part.to_owned()));
            pieces.push(fragment(ToolCallDelta { arguments, ..Default::default() }));
        }
    }
    pieces.push(ModelDelta::Finish { reason: reason.into() });
    pieces.into_iter().map(|piece| ModelEvent::Deltas(vec![piece])).chain([ModelEvent::Ended]).collect()
}
