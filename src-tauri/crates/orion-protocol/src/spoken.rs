//! The way in which a model is spoken to, and the reasons.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{ResultsAs, Shape, WindowInForce};

/// The source of the form of results: the first of these that says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum FormSource {
    /// The person set it.
    Setting,
    /// The endpoint refused another form.
    Learned,
    /// The server's own rendering of seven messages.
    Rendering,
    /// Orion's table of hosted services and families of models.
    Table,
    /// Nothing says it: the form that most templates print.
    Default,
}

/// The way in which requests to a model are written, with what is known of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Spoken {
    pub endpoint: String,
    pub model: String,
    pub results_as: ResultsAs,
    pub results_source: FormSource,
    /// Reasoning goes back with the message that it led to.
    pub returns_reasoning: bool,
    pub window: WindowInForce,
    /// The command that enlarges a window that is small, for the person's own server. Null where the window is not, or no command is known.
    pub enlarges: Option<String>,
    /// The tools are described to the model. Null where the server does not show its rendering.
    pub describes_tools: Option<bool>,
    /// A prompt ends inside a thought, which the answer goes on with. Null where the server does not show its rendering.
    pub ends_in_thought: Option<bool>,
    /// Shapes of a request that the endpoint refused, so that it is sent others.
    pub refused: Vec<Shape>,
    /// The smallest limit of an answer that it refused, in tokens.
    pub refused_limit: Option<u32>,
}
