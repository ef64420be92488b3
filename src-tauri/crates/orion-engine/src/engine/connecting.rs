//! The model endpoint of a turn, made from the settings. This sends nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use orion_protocol::{Code, Endpoint, ErrorInfo, KeySource, ModelTuning, Policy, TurnOptions};

use super::{Engine, numbers};
use crate::config::{DEMO, InForce};
use crate::endpoint::{ModelEndpoint, Patience};
use crate::learned::OfModel;

/// The name of the demo endpoint's model.
const DEMO_MODEL: &str = "demo";

impl Engine {
    /// The endpoint and the model of a turn: the turn's own choice, or the settings'.
    pub(super) async fn connect(
        &self,
        in_force: &InForce,
        options: &TurnOptions,
        policy: &Policy,
    ) -> Result<(Arc<dyn ModelEndpoint>, String), ErrorInfo> {
        let name =
            options.endpoint.as_ref().or(in_force.values.default_endpoint.as_ref()).ok_or_else(|| {
                ErrorInfo::new(
                    Code::NoEndpoint,
                    "No model is connected yet.",
                    "Connect one in the settings, or take the tour.",
                )
            })?;
        let endpoint = self.endpoint(in_force, name, options.model.clone(), policy.max_seconds).await?;
        let model = if name == DEMO {
            endpoint.model().to_owned()
        } else {
            options.model.clone().unwrap_or_else(|| endpoint.model().to_owned())
        };
        Ok((endpoint, model))
    }

    /// Makes an endpoint from the settings, for a turn of at most so many seconds. This sends nothing.
    pub(super) async fn endpoint(
        &self,
        in_force: &InForce,
        name: &str,
        model: Option<String>,
        seconds: Option<u32>,
    ) -> Result<Arc<dyn ModelEndpoint>, ErrorInfo> {
        let options = &self.shared.options;
        if name == DEMO {
            return options.connector.connect(&demo(), None, Patience::default(), OfModel::default());
        }
        let config = in_force.endpoints.get(name).ok_or_else(|| no_endpoint(name))?;
        let key = options.keys.key(name, config).await?;
        let mut endpoint = config.endpoint(name, options.keys.source(name, config));
        endpoint.model = model.unwrap_or(endpoint.model);
        endpoint.results_as = in_force.results_as.or(config.results_as(&endpoint.model));
        endpoint.window = numbers::sizes(in_force, config, &endpoint.model, None).window;
        let learned = self.learned(in_force, name, &endpoint.model);
        options.connector.connect(&endpoint, key, in_force.patience(seconds), learned)
    }
}

pub(super) fn no_endpoint(name: &str) -> ErrorInfo {
    let message = format!("There is no endpoint named {name}.");
    ErrorInfo::new(Code::NoEndpoint, message, "Choose one that is set up, or connect it first.")
}

/// The built-in endpoint.
pub(super) fn demo() -> Endpoint {
    Endpoint {
        name: DEMO.to_owned(),
        base_url: None,
        model: DEMO_MODEL.to_owned(),
        key: KeySource::None,
        accepted_finish_reasons: Vec::new(),
        allow_http: false,
        window: None,
        max_output_tokens: None,
        tuning: ModelTuning::default(),
        models: BTreeMap::new(),
        takes_images: None,
        results_as: None,
    }
}
