//! A model endpoint as the engine sees it. The implementations are in `orion-providers`.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::{self, BoxStream, StreamExt};
use orion_core::model::{ModelDelta, ModelRequest, Profile, Shape, ThinkingSwitch};
use orion_core::tool::ToolSet;
use orion_protocol::{Endpoint, EndpointPreset, ErrorInfo, FormSource, ModelInfo, PromptProgress};
use secrecy::SecretString;
use url::Url;

use crate::learned::OfModel;
use crate::received::Received;

/// One step of a model call. `Ended` or `Failed` comes last, exactly once.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelEvent {
    /// The call failed before anything of its answer was shown. It is tried again when the next event is asked for, which
    /// the caller does after `delay_ms`, or sooner when the person will not wait.
    Retrying { attempt: u32, delay_ms: u64, cause: ErrorInfo },
    /// The request goes out with something else in the place of this shape, since the endpoint refuses it.
    Changed(Shape),
    /// The server has begun its answer: its headers came. An endpoint may leave this out.
    Connected,
    /// The part of the prompt that the server has read, or the time that it is likely to take. It comes before the first deltas, and is only shown.
    Reading(PromptProgress),
    /// Everything that one event of the stream held; never empty.
    Deltas(Vec<ModelDelta>),
    /// The stream ended cleanly, with or without a finish reason (P10).
    Ended,
    /// The call failed; what was streamed before stays.
    Failed(ErrorInfo),
}

/// A model that can be called.
pub trait ModelEndpoint: Debug + Send + Sync {
    /// The endpoint's name in the settings.
    fn name(&self) -> &str;
    /// The model that calls go to unless a request names another.
    fn model(&self) -> &str;
    fn profile(&self) -> Profile;
    /// Starts a call of a turn that began with this profile. Dropping the stream drops the connection (P4, A4). What comes back is added to
    /// `received` as it comes, where anything does.
    fn stream(
        &self,
        request: ModelRequest,
        profile: Profile,
        received: Received,
    ) -> BoxStream<'static, ModelEvent>;
    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelInfo>, ErrorInfo>>;
    /// The source of the form of results in the profile (R1).
    fn form_source(&self) -> FormSource {
        FormSource::Default
    }
    /// Asks the server now what it can say of the model, and notes it: its window, and how it renders messages with these tools. Where it
    /// says nothing, nothing is noted.
    fn find_out(&self, _tools: ToolSet) -> BoxFuture<'_, ()> {
        std::future::ready(()).boxed()
    }
}

/// An endpoint that cannot be reached any more. A turn is resumed with it as far as it can be: each call fails.
#[derive(Debug)]
pub(crate) struct Unreachable {
    name: String,
    model: String,
    error: ErrorInfo,
}

impl Unreachable {
    pub(crate) fn new(name: String, model: String, error: ErrorInfo) -> Self {
        Self { name, model, error }
    }
}

impl ModelEndpoint for Unreachable {
    fn name(&self) -> &str {
        &self.name
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn profile(&self) -> Profile {
        Profile::default()
    }

    fn stream(
        &self,
        _request: ModelRequest,
        _profile: Profile,
        _received: Received,
    ) -> BoxStream<'static, ModelEvent> {
        stream::once(std::future::ready(ModelEvent::Failed(self.error.clone()))).boxed()
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelInfo>, ErrorInfo>> {
        std::future::ready(Err(self.error.clone())).boxed()
    }
}

/// How long a call waits and retries. The connector decides about values that are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Patience {
    /// The longest silences of a call, up to the first piece of its answer and between two of them.
    pub silence: Option<Duration>,
    /// The time that its turn may take: the first piece from a server on this computer or in its network is waited for so long. None where nothing limits it.
    pub turn: Option<Duration>,
    /// All pauses of a call together, before it is tried again while its provider is overloaded or limits the rate.
    pub retry: Option<Duration>,
}

/// An endpoint that answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    pub models: usize,
    /// The time of the server, in seconds since the Unix epoch. None where it does not say it.
    pub at_s: Option<i64>,
}

/// The reason why a model cannot be told to think or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unswitched {
    /// Orion knows no field of its provider that says it.
    Unsupported,
    /// A server of the person that has not said yet what it is.
    Unnamed,
    /// The endpoint refused the field.
    Refused,
}

/// Makes endpoints out of settings. One value for the whole process, so that connections are shared.
pub trait Connector: Debug + Send + Sync {
    /// `learned` is what is known of the model there; its calls add to it.
    fn connect(
        &self,
        endpoint: &Endpoint,
        key: Option<SecretString>,
        patience: Patience,
        learned: OfModel,
    ) -> Result<Arc<dyn ModelEndpoint>, ErrorInfo>;
    /// The field by which the endpoint's model is told to think or not.
    ///
    /// # Errors
    /// The reason why it cannot be told.
    fn thinking(&self, _endpoint: &Endpoint, _learned: &OfModel) -> Result<ThinkingSwitch, Unswitched> {
        Err(Unswitched::Unsupported)
    }
    /// The body of a request as an endpoint with this profile is sent it. None where the profile does not say how it is written.
    fn body(&self, request: &ModelRequest, profile: &Profile) -> Option<Vec<u8>>;
    fn presets(&self) -> Vec<EndpointPreset>;
    /// The models of an endpoint and the time of its server, for a report of this computer.
    fn look(&self, endpoint: &Endpoint, key: Option<SecretString>) -> BoxFuture<'_, Result<Seen, ErrorInfo>> {
        let connected = self.connect(endpoint, key, Patience::default(), OfModel::default());
        Box::pin(async { Ok(Seen { models: connected?.models().await?.len(), at_s: None }) })
    }
    /// The proxy that requests to this address go through, if any.
    fn proxy(&self, _base_url: &Url) -> Option<Url> {
        None
    }
    /// Local servers that answer now, each with a model where it names one; takes at most 1 s.
    fn discover(&self) -> BoxFuture<'_, Vec<EndpointPreset>>;
}
