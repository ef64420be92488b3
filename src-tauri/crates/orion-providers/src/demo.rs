//! placeholder
use std::time::Duration;
use futures_util::future::BoxFuture;
use futures_util::stream::{BoxStream, StreamExt};
use orion_core::model::{ModelRequest, Profile};
use orion_engine::endpoint::{ModelEndpoint, ModelEvent};
use orion_protocol::{ErrorInfo, ModelInfo};
#[derive(Debug)]
pub(crate) struct Demo { name: String, #[allow(unused)] pace: Duration }
impl Demo { pub(crate) fn new(name: String, pace: Duration) -> Self { Self { name, pace } } }
impl ModelEndpoint for Demo {
    fn name(&self) -> &str { &self.name }
    fn model(&self) -> &str { "demo" }
    fn profile(&self) -> Profile { Profile::default() }
    fn stream(&self, _: ModelRequest) -> BoxStream<'static, ModelEvent> { futures_util::stream::empty().boxed() }
    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelInfo>, ErrorInfo>> { Box::pin(async { Ok(vec![]) }) }
}
