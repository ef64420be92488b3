//! A model endpoint with all that is set for it and its models.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{KeySource, ModelSettings, ModelTuning, ResultsAs};

/// A model endpoint that is set up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Endpoint {
    /// A short name, unique among the user's endpoints; `demo` is the built-in one.
    pub name: String,
    /// Such as `https://api.deepseek.com/v1`; null for the demo model.
    pub base_url: Option<String>,
    pub model: String,
    pub key: KeySource,
    /// Finish reasons, unknown to Orion, that the person has accepted as a complete answer of this endpoint (P10).
    pub accepted_finish_reasons: Vec<String>,
    /// The person has confirmed plain HTTP, where what is sent can be read on its way.
    pub allow_http: bool,
    /// Tokens of the window of its models, where the person set them (X2).
    pub window: Option<u32>,
    /// The most tokens that its models can answer with, where the person set them.
    pub max_output_tokens: Option<u32>,
    /// What the person set for one of its models, by the model's name. It counts before what is set for all of them.
    pub models: BTreeMap<String, ModelSettings>,
    /// How its models are asked to answer, where nothing is set for one of them.
    pub tuning: ModelTuning,
    /// Whether its models take images, where the person said.
    pub takes_images: Option<bool>,
    /// The form in which results go to its models, where the person set it (R1).
    pub results_as: Option<ResultsAs>,
}
