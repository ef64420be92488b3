//! Finding model servers and keys, and trying an endpoint before it is saved: its address with the key that it would have.

use orion_protocol::{
    Code, DoctorReport, Endpoint, EndpointPreset, ErrorInfo, KeyInput, KeySource, ModelInfo,
};
use secrecy::SecretString;

use super::Engine;
use crate::config::{BaseUrl, EndpointConfig, KeyVariable};
use crate::doctor::{self, Examined};
use crate::endpoint::Patience;
use crate::learned::OfModel;

/// Where the key comes from, the first that there is.
pub(super) struct Given {
    pub(super) api_key: Option<KeyInput>,
    pub(super) key_variable: Option<String>,
    /// The endpoint that is changed: its key is tried, where it was given for the same server.
    pub(super) endpoint: Option<String>,
}

impl Engine {
    /// The models that a person can begin with: servers that answer on this computer, then providers whose key is in the environment. No key leaves it.
    pub(super) async fn discover(&self) -> Vec<EndpointPreset> {
        let options = &self.shared.options;
        let has_key = |preset: &EndpointPreset| {
            preset.key_variable.as_deref().is_some_and(|name| options.environment.get(name).is_some())
        };
        let mut found = options.connector.discover().await;
        found.extend(options.connector.presets().into_iter().filter(has_key));
        found
    }

    /// The models of an endpoint that need not be saved yet.
    ///
    /// # Errors
    /// `usage` for what is no address, and those of the endpoint.
    pub(super) async fn probe(
        &self,
        base_url: &str,
        given: Given,
        allow_http: bool,
    ) -> Result<Vec<ModelInfo>, ErrorInfo> {
        let base_url = BaseUrl::new(base_url.trim()).ok_or_else(|| {
            ErrorInfo::new(
                Code::Usage,
                "This is not the address of a model endpoint.",
                "Write it as https://host/v1, without a user name or password.",
            )
        })?;
        let key = self.key_to_try(&base_url, given).await?;
        let tried = EndpointConfig { allow_http, ..EndpointConfig::at(base_url, "") };
        let endpoint: Endpoint = tried.endpoint("probe", KeySource::Memory);
        let connector = &self.shared.options.connector;
        let models =
            connector.connect(&endpoint, key, Patience::default(), OfModel::default())?.models().await;
        models.map_err(|error| self.redacted(error))
    }

    /// The report of this computer, without the window.
    pub(super) async fn examined(&self) -> DoctorReport {
        let options = &self.shared.options;
        let config = self.config();
        doctor::examine(Examined {
            paths: &options.paths,
            environment: &options.environment,
            config: &config,
            keys: &options.keys,
            connector: &*options.connector,
        })
        .await
    }

    async fn key_to_try(&self, base_url: &BaseUrl, given: Given) -> Result<Option<SecretString>, ErrorInfo> {
        let keys = &self.shared.options.keys;
        let Given { api_key, key_variable, endpoint } = given;
        if let Some(key) = api_key.filter(|key| !key.0.is_empty()) {
            let key = SecretString::from(key.0);
            keys.redactor().hide(&key);
            return Ok(Some(key));
        }
        let known =
            endpoint.and_then(|name| Some((self.config().without_project().endpoints.remove(&name)?, name)));
        let same_server = known.filter(|(known, _)| known.base_url.origin() == base_url.origin());
        let variable = key_variable.and_then(|name| KeyVariable::new(name.trim()));
        match (same_server, variable) {
            (Some((known, name)), None) => {
                keys.key(&name, &EndpointConfig { key_variable: None, ..known }).await
            }
            // What would be refused to be saved is not tried either.
            (_, Some(variable)) if variable.is_called_a_key() => {
                let tried = EndpointConfig {
                    key_variable: Some(variable),
                    ..EndpointConfig::at(base_url.clone(), "")
                };
                keys.key("", &tried).await
            }
            (Some((known, name)), Some(variable)) if known.key_variable.as_ref() == Some(&variable) => {
                keys.key(&name, &known).await
            }
            _ => Ok(None),
        }
    }
}
