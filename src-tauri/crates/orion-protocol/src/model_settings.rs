//! What a person sets for a model: its sizes, how it answers, what it costs, and whether it is a favourite.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use ts_rs::TS;

use crate::Prices;

/// How freely a model chooses its words, from 0 to 2, in steps of a hundredth: what every provider takes. On the wire it is a number such as `0.7`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, TS)]
#[ts(export, type = "number")]
pub struct Temperature(u8);

impl Temperature {
    /// Hundredths of the largest one.
    const MOST: f64 = 200.0;

    /// What completes "must be …".
    pub const EXPECTED: &'static str = "a number from 0 to 2";

    /// The temperature nearest to this number; none out of its range.
    #[must_use]
    pub fn new(number: f64) -> Option<Self> {
        let hundredths = (number * 100.0).round();
        // What is no number is in no range.
        (0.0..=Self::MOST).contains(&hundredths).then_some(Self(hundredths as u8))
    }

    #[must_use]
    pub fn number(self) -> f64 {
        f64::from(self.0) / 100.0
    }
}

impl Serialize for Temperature {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.number())
    }
}

impl<'de> Deserialize<'de> for Temperature {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(f64::deserialize(deserializer)?).ok_or_else(|| D::Error::custom(Self::EXPECTED))
    }
}

impl JsonSchema for Temperature {
    fn schema_name() -> Cow<'static, str> {
        "Temperature".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "title": Self::EXPECTED, "minimum": 0, "maximum": 2 })
    }
}

/// How much a model is to think before it answers, in the words of the shared interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum ReasoningEffort {
    None,
    Minimal,
    Low,
    Medium,
    High,
    Xhigh,
    Max,
}

/// Thinking before an answer, of a model that can answer with and without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Thinking {
    On,
    Off,
}

impl Thinking {
    /// Its name in settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Off => "off",
        }
    }
}

/// The form in which results and other words of Orion go to a model (R1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum ResultsAs {
    /// The provider's own tool messages, each after its call.
    Tool,
    /// Boxes in messages of the user.
    User,
    /// Boxes in system messages after the conversation so far.
    System,
}

impl ResultsAs {
    pub const ALL: [Self; 3] = [Self::Tool, Self::User, Self::System];

    /// Its name in settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::User => "user",
            Self::System => "system",
        }
    }
}

/// How a model is asked to answer. What is null is not sent, so that the endpoint decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
#[ts(export)]
pub struct ModelTuning {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub temperature: Option<Temperature>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reasoning_effort: Option<ReasoningEffort>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub thinking: Option<Thinking>,
}

impl ModelTuning {
    /// Nothing is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// This, with what `below` says where this says nothing.
    #[must_use]
    pub fn over(self, below: Self) -> Self {
        Self {
            temperature: self.temperature.or(below.temperature),
            reasoning_effort: self.reasoning_effort.or(below.reasoning_effort),
            thinking: self.thinking.or(below.thinking),
        }
    }

    /// The effort that goes with what is set of thinking. One that contradicts it does not go: a model that is not to think makes no effort.
    #[must_use]
    pub fn effort(&self) -> Option<ReasoningEffort> {
        match (self.thinking, self.reasoning_effort) {
            (Some(Thinking::Off), _) | (Some(Thinking::On), Some(ReasoningEffort::None)) => None,
            (_, effort) => effort,
        }
    }
}

/// What a person set for a model, or for all models of an endpoint. What is null is not set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
#[ts(export)]
pub struct ModelSettings {
    /// Tokens of its window, which a request and its answer share (X2).
    pub window: Option<u32>,
    /// The most tokens that it can answer with.
    pub max_output_tokens: Option<u32>,
    pub temperature: Option<Temperature>,
    pub reasoning_effort: Option<ReasoningEffort>,
    /// Thinking before an answer. It counts before the effort.
    pub thinking: Option<Thinking>,
    /// It takes images. Null leaves it to Orion's table of models.
    pub takes_images: Option<bool>,
    /// The form of results. Null leaves it to what Orion knows of the endpoint and the model.
    pub results_as: Option<ResultsAs>,
    /// Lists of models begin with it. Only a single model can be one.
    pub favourite: bool,
    /// What it costs. Only a single model can have prices.
    pub prices: Option<Prices>,
}

/// Puts these settings in the place of what was set for a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ModelChange {
    pub endpoint: String,
    /// Null for all models of the endpoint.
    pub model: Option<String>,
    pub settings: ModelSettings,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temperature_is_the_number_that_was_written_and_nothing_out_of_range() {
        for (number, text) in [(0.0, "0.0"), (0.7, "0.7"), (1.0, "1.0"), (0.29, "0.29"), (2.0, "2.0")] {
            let temperature = Temperature::new(number).unwrap();
            assert_eq!(serde_json::to_string(&temperature).unwrap(), text);
            assert_eq!(serde_json::from_str::<Temperature>(text).unwrap(), temperature);
        }
        assert_eq!(serde_json::from_str::<Temperature>("1").unwrap(), Temperature::new(1.0).unwrap());
        for number in [-0.1, 2.1, f64::NAN, f64::INFINITY] {
            assert_eq!(Temperature::new(number), None, "{number}");
        }
    }

    #[test]
    fn nothing_set_is_nothing_on_the_wire() {
        assert_eq!(serde_json::to_string(&ModelTuning::default()).unwrap(), "{}");
        let high = ModelTuning { reasoning_effort: Some(ReasoningEffort::High), ..ModelTuning::default() };
        assert_eq!(serde_json::to_string(&high).unwrap(), r#"{"reasoningEffort":"high"}"#);
        let off = ModelTuning { thinking: Some(Thinking::Off), ..ModelTuning::default() };
        assert_eq!(serde_json::to_string(&off).unwrap(), r#"{"thinking":"off"}"#);
    }

    #[test]
    fn an_effort_that_contradicts_what_is_set_of_thinking_does_not_go() {
        let effort = |thinking, reasoning_effort| {
            ModelTuning { thinking, reasoning_effort, ..ModelTuning::default() }.effort()
        };
        let (high, none) = (Some(ReasoningEffort::High), Some(ReasoningEffort::None));
        let (on, off) = (Some(Thinking::On), Some(Thinking::Off));
        assert_eq!([high, none].map(|set| effort(None, set)), [high, none]);
        assert_eq!([high, none].map(|set| effort(on, set)), [high, None]);
        assert_eq!([high, none].map(|set| effort(off, set)), [None, None]);
    }
}
