//! The options that an engine is opened with.

use std::sync::Arc;

use orion_protocol::Channel;
use orion_store::Readers;

use crate::config::{Config, EndpointConfig, Environment};
use crate::endpoint::Connector;
use crate::paths::Paths;
use crate::secrets::KeyStore;

/// Everything that differs between a window, a command line and a test.
#[derive(Debug)]
pub struct EngineOptions {
    pub paths: Paths,
    pub environment: Environment,
    /// An endpoint for this process alone, by its name; it becomes the default one.
    pub endpoint: Option<(String, EndpointConfig)>,
    /// The channel of this process, for the reports of its turns (J5).
    pub channel: Channel,
    /// Makes the model endpoints that turns call.
    pub connector: Arc<dyn Connector>,
    pub keys: KeyStore,
    /// How many queries are answered at the same time.
    pub readers: Readers,
}

impl EngineOptions {
    /// The user's settings as they are on the disk now.
    pub(super) fn load(&self) -> Config {
        let config = Config::of(&self.paths, &self.environment);
        match &self.endpoint {
            Some((name, endpoint)) => config.with_endpoint(name, endpoint.clone()),
            None => config,
        }
    }
}
