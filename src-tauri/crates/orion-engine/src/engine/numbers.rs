//! The numbers of its model that a turn computes with (X2): from the settings, else from what was learned, else from Orion's table.

use orion_core::context::{Gauge, Room};
use orion_core::model::ModelNumbers;
use orion_protocol::{ModelSizes, WindowSource};

use super::Engine;
use crate::config::{EndpointConfig, InForce};
use crate::known_models::known;
use crate::learned::{Facts, OfModel};

/// The window of a model of which nothing is known, in tokens (X2).
const WINDOW: u32 = 32_768;

impl Engine {
    /// The numbers of a model at an endpoint. They are pinned by the turn that begins with them (T8).
    pub(super) fn numbers(
        &self,
        in_force: &InForce,
        endpoint: &str,
        model: &str,
        chosen: Option<u32>,
    ) -> ModelNumbers {
        let Some(config) = in_force.endpoints.get(endpoint) else { return assumed() };
        let learned = self.shared.learned.of(config.base_url.as_str(), model).facts();
        let sizes = sizes(in_force, config, model, chosen);
        ModelNumbers { prices: in_force.prices(endpoint, model), ..of(config, model, sizes, learned) }
    }

    /// True once: the person is told with this turn that the tools do not reach the model.
    pub(super) fn tells_of_tools(&self, in_force: &InForce, endpoint: &str, model: &str) -> bool {
        let mut tells = false;
        self.learned(in_force, endpoint, model).note(|facts| tells = facts.tells_of_tools());
        tells
    }

    /// What is known of the model of a turn, and will be.
    pub(super) fn learned(&self, in_force: &InForce, endpoint: &str, model: &str) -> OfModel {
        let at = in_force.endpoints.get(endpoint).map(|config| config.base_url.as_str());
        at.map_or_else(OfModel::default, |at| self.shared.learned.of(at, model))
    }
}

/// One result may fill a third of the room, so that a few fit beside each other whatever the window is. At the window that is assumed this is the
/// default of `result_bytes`.
const SHARE_OF_A_RESULT: u64 = 3;

/// The least that a result may have: what `result_bytes` can be set to.
const LEAST_OF_A_RESULT: u64 = 1_024;

/// Bytes of a tool's result (R3): as set, but no more than its share of the room, at 4 bytes a token.
pub(super) fn result_bytes(in_force: &InForce, numbers: &ModelNumbers) -> usize {
    let set = u64::from(in_force.values.result_bytes());
    let share = Room::of(numbers, None)
        .map_or(u64::MAX, |room| Gauge::default().bytes(room.total()) / SHARE_OF_A_RESULT);
    usize::try_from(set.min(share.max(LEAST_OF_A_RESULT))).unwrap_or(usize::MAX)
}

/// Whether a model takes images: as the person says, else as Orion's table does. One of which nothing is known takes none.
pub(super) fn takes_images(in_force: &InForce, endpoint: &str, model: &str) -> bool {
    let Some(config) = in_force.endpoints.get(endpoint) else { return false };
    let set = config.takes_images(model);
    set.unwrap_or_else(|| known(&config.base_url, model).is_some_and(|known| known.takes_images))
}

/// What a person set for a model: for this turn, in the environment, for the model, or for all of its endpoint.
pub(super) fn sizes(
    in_force: &InForce,
    config: &EndpointConfig,
    model: &str,
    chosen: Option<u32>,
) -> ModelSizes {
    let set = config.sizes(model);
    ModelSizes { window: chosen.or(in_force.window).or(set.window), ..set }
}

fn of(config: &EndpointConfig, model: &str, set: ModelSizes, learned: Facts) -> ModelNumbers {
    let known = known(&config.base_url, model);
    let most = set.max_output_tokens;
    let set = set.window.map(|window| (window, WindowSource::Setting));
    let said = learned.in_force().map(|window| (window, WindowSource::Endpoint));
    let listed = known.map(|known| (known.window, WindowSource::Table));
    let (window, source) = set.or(said).or(listed).unwrap_or((WINDOW, WindowSource::Assumed));
    ModelNumbers {
        window: Some(window),
        window_source: Some(source),
        max_output_tokens: most.or(known.map(|known| known.max_output_tokens)),
        prices: None,
    }
}

fn assumed() -> ModelNumbers {
    ModelNumbers {
        window: Some(WINDOW),
        window_source: Some(WindowSource::Assumed),
        ..ModelNumbers::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Environment};

    // R3, X2
    #[test]
    fn a_result_is_no_more_than_a_third_of_the_room() {
        let bytes = |window, set: &str| {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("config.toml");
            std::fs::write(&file, set).unwrap();
            let in_force = Config::load(&file, &Environment::default()).without_project();
            result_bytes(&in_force, &ModelNumbers { window, ..ModelNumbers::default() })
        };
        assert_eq!(bytes(Some(32_768), ""), 32_768);
        assert_eq!(bytes(Some(4_096), ""), 4_096);
        assert_eq!(bytes(Some(4_096), "result_bytes = 2000"), 2_000);
        assert_eq!(bytes(Some(1_000_000), ""), 32_768);
        assert_eq!(bytes(Some(512), ""), 1_024);
        assert_eq!(bytes(None, "result_bytes = 1000000"), 1_000_000);
    }

    /// Window, where it comes from, and the limit of an answer.
    fn numbers(learned: Facts, lines: &str, address: &str, model: &str) -> (u32, WindowSource, Option<u32>) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.toml");
        let text = format!("[endpoints.e]\nbase_url = '{address}'\nmodel = '{model}'\n{lines}");
        std::fs::write(&file, text).unwrap();
        let in_force = Config::load(&file, &Environment::default()).without_project();
        assert_eq!(in_force.problems, []);
        let config = &in_force.endpoints["e"];
        let numbers = of(config, model, sizes(&in_force, config, model, None), learned);
        (numbers.window.unwrap(), numbers.window_source.unwrap(), numbers.max_output_tokens)
    }

    // X2
    #[test]
    fn a_setting_counts_first_then_the_endpoints_word_then_the_table() {
        const OPENAI: &str = "https://api.openai.com/v1";
        const HERE: &str = "http://127.0.0.1:8080/v1";
        let nothing = Facts::default;
        let said = || Facts { window: Some(4_096), ..Facts::default() };
        assert_eq!(numbers(said(), "", OPENAI, "gpt-4"), (4_096, WindowSource::Endpoint, Some(8_192)));
        assert_eq!(numbers(said(), "window = 2048", HERE, "m"), (2_048, WindowSource::Setting, None));
        assert_eq!(numbers(nothing(), "", HERE, "gpt-4"), (32_768, WindowSource::Assumed, None));
        assert_eq!(numbers(nothing(), "", OPENAI, "gpt-4"), (8_192, WindowSource::Table, Some(8_192)));
        let set = "window = 100000\nmax_output_tokens = 1000";
        assert_eq!(numbers(nothing(), set, OPENAI, "gpt-4"), (100_000, WindowSource::Setting, Some(1_000)));
        assert_eq!(numbers(nothing(), set, HERE, "m"), (100_000, WindowSource::Setting, Some(1_000)));
        assert_eq!(
            numbers(nothing(), "window = 100000", OPENAI, "gpt-4"),
            (100_000, WindowSource::Setting, Some(8_192))
        );
    }

    // X2
    #[test]
    fn the_window_of_a_turn_counts_before_the_environments_the_models_and_the_endpoints() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.toml");
        let lines =
            "base_url = 'http://127.0.0.1:8080/v1'\nmodel = 'm'\nwindow = 4096\nmax_output_tokens = 100\n";
        let own = "[endpoints.e.models.'qwen3:8b']\nwindow = 8192\n[endpoints.e.models.small]\nmax_output_tokens = 50\n";
        std::fs::write(&file, format!("[endpoints.e]\n{lines}{own}")).unwrap();
        let set = |variables: &[(&str, &str)], model, chosen| {
            let config = Config::load(&file, &variables.iter().copied().collect());
            let in_force = config.without_project();
            assert_eq!(in_force.problems, []);
            let ModelSizes { window, max_output_tokens } =
                sizes(&in_force, &in_force.endpoints["e"], model, chosen);
            (window, max_output_tokens)
        };
        assert_eq!(set(&[], "m", None), (Some(4_096), Some(100)));
        assert_eq!(set(&[], "qwen3:8b", None), (Some(8_192), Some(100)));
        assert_eq!(set(&[], "small", None), (Some(4_096), Some(50)));
        let variable = [("ORION_WINDOW", "2048")];
        assert_eq!(set(&variable, "qwen3:8b", None), (Some(2_048), Some(100)));
        assert_eq!(set(&variable, "qwen3:8b", Some(1_024)), (Some(1_024), Some(100)));
    }
}
