//! The tables of endpoints and their models in the user's `config.toml`.

use std::collections::BTreeMap;

use orion_protocol::{
    Endpoint, KeySource, ModelSettings, ModelSizes, ModelTuning, ReasoningEffort, ResultsAs, Temperature,
    Thinking,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::value::{BaseUrl, FinishWord, KeyVariable, Within};

/// Tokens of a window: from 1,024, below which no turn has room, to ten times the largest in use.
pub type WindowTokens = Within<1_024, 10_000_000>;

/// Tokens that an answer may have.
pub type OutputTokens = Within<1, 10_000_000>;

/// A model endpoint. There is no place for a key in it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct EndpointConfig {
    /// Where the endpoint is, up to and without `/chat/completions`.
    pub base_url: BaseUrl,
    /// The model that turns use.
    pub model: String,
    /// The environment variable that holds the key.
    #[serde(default)]
    pub key_variable: Option<KeyVariable>,
    /// The variable holds a key although its name ends neither in `_KEY` nor in `_TOKEN`.
    #[serde(default)]
    pub key_variable_confirmed: bool,
    /// The key is in the system's keychain. Orion sets this when it saves a key there.
    #[serde(default)]
    pub keychain: bool,
    /// A key was given, and there was no keychain to keep it in: it has to be given again at each start. Orion sets this.
    #[serde(default)]
    pub key_not_kept: bool,
    /// Finish reasons, unknown to Orion, that are taken for a whole answer of this endpoint. At most 32.
    #[serde(default)]
    #[schemars(length(max = 32))]
    pub accepted_finish_reasons: Vec<FinishWord>,
    /// Messages may go to another computer over plain HTTP, where they can be read on their way.
    #[serde(default)]
    pub allow_http: bool,
    /// Tokens of the window of its models, which prompt and answer share. Without it Orion takes what the endpoint says, or a table.
    #[serde(default)]
    pub window: Option<WindowTokens>,
    /// The most tokens that its models can answer with.
    #[serde(default)]
    pub max_output_tokens: Option<OutputTokens>,
    /// How freely its models choose their words. It is sent only where it is set.
    #[serde(default)]
    pub temperature: Option<Temperature>,
    /// How much its models think before they answer. It is sent only where it is set.
    #[serde(default)]
    pub reasoning_effort: Option<ReasoningEffort>,
    /// Its models think before they answer, or do not. It counts before the effort, and is sent only where it is set.
    #[serde(default)]
    pub thinking: Option<Thinking>,
    /// Its models take images. Without it Orion takes what its table of models says, and sends none to others.
    #[serde(default)]
    pub takes_images: Option<bool>,
    /// The form in which results go to its models. Without it Orion takes what it has learned of the server, or a table.
    #[serde(default)]
    pub results_as: Option<ResultsAs>,
    /// Its models that have settings of their own, by their names.
    #[serde(default)]
    pub models: BTreeMap<String, ModelConfig>,
}

/// A place in the user's file that says whether a model is to think. Only the endpoint can tell if that can be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetThinking {
    pub endpoint: String,
    pub model: String,
    /// The key with its place, as the mistakes of a file are told.
    pub at: String,
}

/// The settings of one model of an endpoint. They count before those of the endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct ModelConfig {
    /// Tokens of the model's window, which prompt and answer share.
    pub window: Option<WindowTokens>,
    /// The most tokens that the model can answer with.
    pub max_output_tokens: Option<OutputTokens>,
    /// How freely it chooses its words. It is sent only where it is set.
    pub temperature: Option<Temperature>,
    /// How much it thinks before it answers. It is sent only where it is set.
    pub reasoning_effort: Option<ReasoningEffort>,
    /// It thinks before it answers, or does not. It counts before the effort, and is sent only where it is set.
    pub thinking: Option<Thinking>,
    /// It takes images. Without it Orion takes what its table of models says, and sends none to others.
    pub takes_images: Option<bool>,
    /// The form in which results go to it. Without it Orion takes what it has learned of the server, or a table.
    pub results_as: Option<ResultsAs>,
    /// Lists of models begin with it.
    pub favourite: bool,
}

impl EndpointConfig {
    /// An endpoint of which nothing but this is said.
    #[must_use]
    pub fn at(base_url: BaseUrl, model: impl Into<String>) -> Self {
        Self {
            base_url,
            model: model.into(),
            key_variable: None,
            key_variable_confirmed: false,
            keychain: false,
            key_not_kept: false,
            accepted_finish_reasons: Vec::new(),
            allow_http: false,
            window: None,
            max_output_tokens: None,
            temperature: None,
            reasoning_effort: None,
            thinking: None,
            takes_images: None,
            results_as: None,
            models: BTreeMap::new(),
        }
    }

    /// What is set for one of its models: for that model alone, or else for all of them.
    #[must_use]
    pub fn sizes(&self, model: &str) -> ModelSizes {
        let own = self.models.get(model).copied().unwrap_or_default();
        ModelSizes {
            window: own.window.or(self.window).map(Within::get),
            max_output_tokens: own.max_output_tokens.or(self.max_output_tokens).map(Within::get),
        }
    }

    /// How one of its models is asked to answer: as that model is, or else as all of them are.
    #[must_use]
    pub fn tuning(&self, model: &str) -> ModelTuning {
        let own = self.models.get(model).copied().unwrap_or_default();
        let ModelConfig { temperature, reasoning_effort, thinking, .. } = own;
        ModelTuning { temperature, reasoning_effort, thinking }.over(self.of_all())
    }

    /// Whether one of its models takes images, where that was said.
    #[must_use]
    pub fn takes_images(&self, model: &str) -> Option<bool> {
        self.models.get(model).and_then(|own| own.takes_images).or(self.takes_images)
    }

    /// The form in which results go to one of its models, where that was said (R1).
    #[must_use]
    pub fn results_as(&self, model: &str) -> Option<ResultsAs> {
        self.models.get(model).and_then(|own| own.results_as).or(self.results_as)
    }

    fn of_all(&self) -> ModelTuning {
        let Self { temperature, reasoning_effort, thinking, .. } = *self;
        ModelTuning { temperature, reasoning_effort, thinking }
    }

    /// [`EndpointConfig::accepted_finish_reasons`], as a model call is given them.
    #[must_use]
    pub fn accepted(&self) -> Vec<String> {
        self.accepted_finish_reasons.iter().map(ToString::to_string).collect()
    }

    /// The endpoint as it is shown and connected.
    #[must_use]
    pub fn endpoint(&self, name: &str, key: KeySource) -> Endpoint {
        Endpoint {
            name: name.to_owned(),
            base_url: Some(self.base_url.to_string()),
            model: self.model.clone(),
            key,
            accepted_finish_reasons: self.accepted(),
            allow_http: self.allow_http,
            window: self.window.map(Within::get),
            max_output_tokens: self.max_output_tokens.map(Within::get),
            models: self.models.iter().map(|(model, own)| (model.clone(), own.settings())).collect(),
            tuning: self.of_all(),
            takes_images: self.takes_images,
            results_as: self.results_as,
        }
    }
}

impl ModelConfig {
    fn settings(self) -> ModelSettings {
        ModelSettings {
            window: self.window.map(Within::get),
            max_output_tokens: self.max_output_tokens.map(Within::get),
            temperature: self.temperature,
            reasoning_effort: self.reasoning_effort,
            thinking: self.thinking,
            takes_images: self.takes_images,
            results_as: self.results_as,
            favourite: self.favourite,
            prices: None,
        }
    }
}
