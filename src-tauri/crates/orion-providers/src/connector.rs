//! Makes endpoints from settings, and looks for model servers on this computer.
//!
//! Connecting alone sends nothing. A client is built with the first endpoint of its kind.

use std::sync::Arc;

use futures_util::future::{BoxFuture, join_all};
use hyper_util::client::proxy::matcher::Matcher;
use orion_core::model::{ModelRequest, Profile, ThinkingSwitch};
use orion_engine::config::is_this_computer;
use orion_engine::endpoint::{Connector, ModelEndpoint, Patience, Seen, Unswitched};
use orion_engine::learned::OfModel;
use orion_protocol::{Endpoint, EndpointPreset, ErrorInfo};
use reqwest::Url;
use secrecy::SecretString;

use crate::call::{HttpEndpoint, Line};
use crate::client::Clients;
use crate::demo::Demo;
use crate::pace::Paces;
use crate::presets::presets;
use crate::quirks::Quirks;
use crate::request;
use crate::target::Target;
use crate::thinking;
use crate::tuning::{Tuning, Waits};

/// All endpoints of a process, which share its connections.
#[derive(Debug, Default)]
pub struct Providers {
    clients: Clients,
    tuning: Tuning,
    paces: Arc<Paces>,
}

impl Providers {
    #[must_use]
    pub fn new(tuning: Tuning) -> Self {
        Self { tuning, ..Self::default() }
    }

    fn line(&self, base_url: &str, key: Option<SecretString>, allow_http: bool) -> Result<Line, ErrorInfo> {
        let mut target = Target::new(base_url, key, allow_http)?;
        target.host.proxy = self.proxy(target.base()).and_then(|proxy| {
            let port = proxy.port().map(|port| format!(":{port}")).unwrap_or_default();
            Some(format!("{}{port}", proxy.host_str()?))
        });
        let client = match target.is_local_http() {
            true => self.clients.local(&self.tuning)?,
            false => self.clients.remote(&self.tuning)?,
        };
        let waits = self.tuning.waits(target.host.near);
        Ok(Line { client, target, tuning: self.tuning, waits, paces: Arc::clone(&self.paces) })
    }

    /// The presets among these whose server lists models now, each with one of its models.
    pub async fn answering(&self, presets: Vec<EndpointPreset>) -> Vec<EndpointPreset> {
        let asked = presets.into_iter().map(|preset| async move {
            // `localhost` may mean an IPv6 address first, where nothing listens: ask, and later call, the usual one.
            let base_url = preset.base_url.replacen("//localhost", "//127.0.0.1", 1);
            let line = self.line(&base_url, None, false).ok()?;
            let models = tokio::time::timeout(self.tuning.discover, line.models()).await.ok()?.ok()?;
            // Models that only make vectors are listed too, and often first.
            let chat = models.iter().find(|model| !model.id.contains("embed"));
            let model = chat.or(models.first()).map(|model| model.id.clone());
            Some(EndpointPreset { base_url, model, ..preset })
        });
        join_all(asked).await.into_iter().flatten().collect()
    }
}

impl Connector for Providers {
    fn connect(
        &self,
        endpoint: &Endpoint,
        key: Option<SecretString>,
        patience: Patience,
        learned: OfModel,
    ) -> Result<Arc<dyn ModelEndpoint>, ErrorInfo> {
        let Some(base_url) = &endpoint.base_url else {
            return Ok(Arc::new(Demo::new(endpoint.name.clone(), self.tuning.demo_pace)));
        };
        let mut line = self.line(base_url, key, endpoint.allow_http)?;
        line.waits = match patience.silence {
            Some(silence) => Waits::all(silence),
            None if line.target.host.near => Waits {
                first: line.waits.first.or(patience.turn),
                heard: line.waits.heard.or(patience.turn),
                ..line.waits
            },
            None => line.waits,
        };
        line.tuning.retry_for = line.tuning.retry_for.or(patience.retry);
        let host = line.target.base().host_str().unwrap_or_default();
        let mut quirks = Quirks::of(host, &endpoint.model);
        quirks.profile.accepted_finish_reasons.clone_from(&endpoint.accepted_finish_reasons);
        let (name, model) = (endpoint.name.clone(), endpoint.model.clone());
        let asks_window = endpoint.window.is_none() && quirks.lists_windows;
        let (line, results_as) = (Arc::new(line), endpoint.results_as);
        Ok(Arc::new(HttpEndpoint { name, model, quirks, line, learned, results_as, asks_window }))
    }

    fn thinking(&self, endpoint: &Endpoint, learned: &OfModel) -> Result<ThinkingSwitch, Unswitched> {
        let target =
            endpoint.base_url.as_ref().map(|base_url| Target::new(base_url, None, endpoint.allow_http));
        // An address that cannot be called is told of when it is.
        let Some(Ok(target)) = target else { return Err(Unswitched::Unsupported) };
        let quirks = Quirks::of(target.base().host_str().unwrap_or_default(), &endpoint.model);
        thinking::switch(&target, &quirks, learned)
    }

    fn body(&self, request: &ModelRequest, profile: &Profile) -> Option<Vec<u8>> {
        profile.wire.map(|wire| request::body(request, profile, wire))
    }

    fn presets(&self) -> Vec<EndpointPreset> {
        presets()
    }

    fn look(&self, endpoint: &Endpoint, key: Option<SecretString>) -> BoxFuture<'_, Result<Seen, ErrorInfo>> {
        let Some(base_url) = &endpoint.base_url else {
            return Box::pin(std::future::ready(Ok(Seen { models: 1, at_s: None })));
        };
        let line = self.line(base_url, key, endpoint.allow_http);
        Box::pin(async move { line?.look().await })
    }

    fn proxy(&self, base_url: &Url) -> Option<Url> {
        // As the client for it is built: one for this computer uses none.
        if is_this_computer(base_url) && base_url.scheme() == "http" {
            return None;
        }
        let found = Matcher::from_system().intercept(&base_url.as_str().parse().ok()?)?;
        Url::parse(&found.uri().to_string()).ok()
    }

    fn discover(&self) -> BoxFuture<'_, Vec<EndpointPreset>> {
        Box::pin(self.answering(presets().into_iter().filter(|preset| preset.local).collect()))
    }
}
