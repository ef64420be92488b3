//! What models cost, as the person wrote it down: `prices.toml`, beside `config.toml`.
//!
//! There is no table of prices in Orion, since they change too often and differ between accounts. A price that nobody wrote down is not known, and is
//! never taken for 0.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use orion_core::model::Prices;
use orion_protocol::{ErrorInfo, Usd};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::editing::must_be;
use super::file::{self, Found};
use super::reading::Document;

/// The name of the file.
pub(super) const FILE: &str = "prices.toml";

/// Prices by endpoint and model, both as the settings name them.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct PriceList(BTreeMap<String, BTreeMap<String, Price>>);

/// What a million tokens cost.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Price {
    /// Of the prompt.
    prompt: Dollars,
    /// Of the answer.
    completion: Dollars,
    /// Of the prompt, where the provider had them in its cache; as the others when it is not set.
    #[serde(default)]
    cached: Option<Dollars>,
    /// Of reasoning; as those of the answer when it is not set.
    #[serde(default)]
    reasoning: Option<Dollars>,
}

/// US dollars for a million tokens, from 0 to 100,000: a hundred times the highest price known.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Dollars(Usd);

const MOST: Usd = Usd::of_billionths(100_000_000_000_000);
const EXPECTED: &str = "a number of US dollars from 0 to 100000";

impl<'de> Deserialize<'de> for Dollars {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let dollars = Usd::new(f64::deserialize(deserializer)?).filter(|dollars| *dollars <= MOST);
        dollars.map(Self).ok_or_else(|| D::Error::custom(EXPECTED))
    }
}

impl JsonSchema for Dollars {
    fn schema_name() -> Cow<'static, str> {
        "Dollars".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "title": EXPECTED, "minimum": 0, "maximum": MOST.dollars() })
    }
}

/// Whether these prices can be kept.
///
/// # Errors
/// `config_invalid` for one out of its range.
pub(super) fn check(prices: &Prices) -> Result<(), ErrorInfo> {
    let all = [Some(prices.prompt), Some(prices.completion), prices.cached, prices.reasoning];
    match all.into_iter().flatten().all(|price| price <= MOST) {
        true => Ok(()),
        false => Err(must_be("price", EXPECTED)),
    }
}

impl PriceList {
    /// The list beside this settings file, without its mistakes, and the mistakes.
    pub(super) fn beside(config_file: &Path) -> (Self, Vec<ErrorInfo>) {
        let file = config_file.with_file_name(FILE);
        match file::read_user(&file) {
            Found::Nothing => Default::default(),
            Found::Unreadable(problem) => (Self::default(), vec![problem]),
            Found::Text(text) => match Document::parse(&file, &text) {
                Ok(mut document) => document.read::<Self>(None),
                Err(problem) => (Self::default(), vec![problem]),
            },
        }
    }

    /// The models of an endpoint that have a price.
    pub(super) fn models(&self, endpoint: &str) -> impl Iterator<Item = &str> {
        self.0.get(endpoint).into_iter().flat_map(|models| models.keys().map(String::as_str))
    }

    /// What this model costs at this endpoint; none where nobody wrote it down.
    pub(super) fn of(&self, endpoint: &str, model: &str) -> Option<Prices> {
        let price = self.0.get(endpoint)?.get(model)?;
        Some(Prices {
            prompt: price.prompt.0,
            completion: price.completion.0,
            cached: price.cached.map(|dollars| dollars.0),
            reasoning: price.reasoning.map(|dollars| dollars.0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (PriceList, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), text).unwrap();
        let (list, problems) = PriceList::beside(&folder.path().join("config.toml"));
        let place = format!("{}:", folder.path().join(FILE).display());
        (list, problems.into_iter().map(|problem| problem.message.replace(&place, "")).collect())
    }

    #[test]
    fn prices_are_by_endpoint_and_model() {
        let (list, problems) = read(
            "[deepseek.deepseek-v4-flash]\nprompt = 0.14\ncompletion = 0.28\ncached = 0.0028\n\
             [here.\"m:7b\"]\nprompt = 0\ncompletion = 0\nreasoning = 1\n",
        );
        assert_eq!(problems, [""; 0]);
        let usd = |dollars| Usd::new(dollars).unwrap();
        let (prompt, completion) = (usd(0.14), usd(0.28));
        let flash = Prices { prompt, completion, cached: Some(usd(0.0028)), reasoning: None };
        let free =
            Prices { prompt: Usd::ZERO, completion: Usd::ZERO, cached: None, reasoning: Some(usd(1.0)) };
        assert_eq!(list.of("deepseek", "deepseek-v4-flash"), Some(flash));
        assert_eq!(list.of("here", "m:7b"), Some(free));
        assert_eq!((list.of("here", "m"), list.of("other", "m:7b")), (None, None));
    }

    #[test]
    fn no_file_says_no_prices() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(PriceList::beside(&folder.path().join("config.toml")), (PriceList::default(), vec![]));
    }

    #[test]
    fn a_mistake_is_said_with_its_place_and_leaves_the_other_models() {
        for (lines, message) in [
            ("prompt = -1\ncompletion = 1", format!("5:1: `e.bad.prompt` must be {EXPECTED}.")),
            ("prompt = nan\ncompletion = 1", format!("5:1: `e.bad.prompt` must be {EXPECTED}.")),
            ("prompt = inf\ncompletion = 1", format!("5:1: `e.bad.prompt` must be {EXPECTED}.")),
            ("prompt = '1'\ncompletion = 1", format!("5:1: `e.bad.prompt` must be {EXPECTED}.")),
            ("prompt = 1", "4:4: `e.bad` must be a table that has `completion`.".to_owned()),
        ] {
            let (list, problems) = read(&format!("[e.good]\nprompt = 1\ncompletion = 1\n[e.bad]\n{lines}\n"));
            assert_eq!(problems, [message], "{lines}");
            assert!(list.of("e", "bad").is_none() && list.of("e", "good").is_some(), "{lines}");
        }
        let (list, problems) = read("[e.m]\nprompt = 1\ncompletion = 2\ncache = 1\n");
        assert_eq!(problems, ["4:1: `e.m.cache` is not a setting."]);
        assert_eq!(list.of("e", "m").and_then(|prices| prices.cached), None);
        let (list, problems) = read("not toml");
        assert_eq!((list, problems.len()), (PriceList::default(), 1));
    }
}
