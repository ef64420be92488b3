//! The settings as the window shows and changes them.

use std::path::PathBuf;
use std::sync::PoisonError;

use orion_protocol::{
    Code, Endpoint, EndpointChange, ErrorInfo, KeySource, Reply, Settings, SettingsChange, Update,
};
use secrecy::SecretString;

use super::{Engine, blocking, turns};
use crate::config;

impl Engine {
    /// What is in force without a project. Opens the keychain to say whether there is one.
    pub(super) async fn settings(&self) -> Settings {
        let in_force = self.config().without_project();
        let options = &self.shared.options;
        let mut endpoints: Vec<Endpoint> = in_force
            .endpoints
            .iter()
            .map(|(name, endpoint)| Endpoint {
                name: name.clone(),
                base_url: Some(endpoint.base_url.to_string()),
                model: endpoint.model.clone(),
                key: options.keys.source(name, endpoint),
            })
            .collect();
        endpoints.push(turns::demo());
        Settings {
            two_stage_enabled: in_force.two_stage_enabled,
            mode: in_force.mode,
            limits: in_force.set_limits(),
            endpoints,
            default_endpoint: in_force.default_endpoint,
            presets: options.connector.presets(),
            config_file: options.paths.config_file().display().to_string(),
            data_dir: options.paths.data_dir.display().to_string(),
            keychain: options.keys.has_keychain().await,
            problems: in_force.problems,
        }
    }

    pub(super) async fn save_settings(&self, change: SettingsChange) -> Result<Reply, ErrorInfo> {
        let file = self.config_file();
        blocking(move || config::save_settings(&file, &change)).await?;
        self.reload().await
    }

    /// The key goes to the keychain before the endpoint is written down, so that the file never promises a key that is
    /// nowhere.
    pub(super) async fn save_endpoint(&self, mut change: EndpointChange) -> Result<Reply, ErrorInfo> {
        let keys = &self.shared.options.keys;
        let in_keychain = match change.api_key.take().filter(|key| !key.0.is_empty()) {
            Some(key) => {
                keys.keep(change.name.trim(), SecretString::from(key.0)).await? == KeySource::Keychain
            }
            None => {
                self.config().without_project().endpoints.get(change.name.trim()).is_some_and(|e| e.keychain)
            }
        };
        let file = self.config_file();
        blocking(move || config::save_endpoint(&file, &change, in_keychain)).await?;
        self.reload().await
    }

    pub(super) async fn remove_endpoint(&self, name: String) -> Result<Reply, ErrorInfo> {
        let known = self.config().without_project();
        let Some(endpoint) = known.endpoints.get(&name) else {
            let message = format!("There is no endpoint named {name}.");
            return Err(ErrorInfo::new(Code::NoEndpoint, message, "Choose one that is set up."));
        };
        let in_keychain = endpoint.keychain;
        let (file, gone) = (self.config_file(), name.clone());
        blocking(move || config::remove_endpoint(&file, &gone)).await?;
        self.shared.options.keys.forget(&name, in_keychain).await?;
        self.reload().await
    }

    async fn reload(&self) -> Result<Reply, ErrorInfo> {
        let engine = self.clone();
        let config = blocking(move || Ok(engine.shared.options.load())).await?;
        *self.shared.config.write().unwrap_or_else(PoisonError::into_inner) = config;
        self.tell(Update::Settings { settings: self.settings().await });
        Ok(Reply::Done)
    }

    fn config_file(&self) -> PathBuf {
        self.shared.options.paths.config_file()
    }
}
