//! Puts the content of images into a request, on its way to the provider. The journal, and the machine, name them by digest alone (T8).

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use orion_core::model::{ModelRequest, Profile};
use orion_core::prompt::NO_IMAGES;
use orion_protocol::Sha256;
use orion_store::Store;

use super::aside::aside;
use crate::endpoint::{ModelEndpoint, ModelEvent};
use crate::received::Received;

/// The events of a model call, whose request has images or not.
pub(super) fn stream(
    endpoint: &Arc<dyn ModelEndpoint>,
    store: &Store,
    request: ModelRequest,
    profile: Profile,
    received: Received,
) -> BoxStream<'static, ModelEvent> {
    if request.messages.iter().all(|message| message.images().is_empty()) {
        return endpoint.stream(request, profile, received);
    }
    let (endpoint, store) = (endpoint.clone(), store.clone());
    stream::once(async move {
        let request = aside(async move { with_images(&store, request).await }).await;
        endpoint.stream(request, profile, received)
    })
    .flatten()
    .boxed()
}

/// Each image is read once, however often it is in the request. One that is gone (the session that had it was deleted) is left out, and
/// the model is told.
async fn with_images(store: &Store, mut request: ModelRequest) -> ModelRequest {
    let mut read: HashMap<Sha256, Arc<str>> = HashMap::new();
    for message in &mut request.messages {
        for image in message.images_mut() {
            if !read.contains_key(&image.sha256)
                && let Ok(data) = store.text(image.sha256).await
            {
                read.insert(image.sha256, data.into());
            }
            image.data = read.get(&image.sha256).cloned();
        }
        if message.images().iter().any(|image| image.data.is_none()) {
            message.without_images(NO_IMAGES);
        }
    }
    request
}
