//! The HTTP clients of the process. Each is built when it is first needed, and connections are shared.
//!
//! There are two. Plain HTTP on this computer needs neither certificates nor proxies, and reading the system's would
//! take most of the time to the first request. Neither client follows redirects: another host must get neither key nor
//! prompt.

use std::fmt;
use std::sync::OnceLock;

use orion_protocol::{Code, ErrorInfo};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, ClientBuilder};

use crate::tuning::Tuning;

/// Sent as `User-Agent`.
const AGENT: &str = concat!("orion/", env!("CARGO_PKG_VERSION"));

#[derive(Debug, Default)]
pub(crate) struct Clients {
    local: OnceLock<Client>,
    remote: OnceLock<Client>,
}

impl Clients {
    /// For `http://` on this computer.
    pub(crate) fn local(&self, tuning: &Tuning) -> Result<Client, ErrorInfo> {
        built(&self.local, || common(tuning).no_proxy().tls_certs_only([]))
    }

    /// For everything else.
    pub(crate) fn remote(&self, tuning: &Tuning) -> Result<Client, ErrorInfo> {
        built(&self.remote, || common(tuning))
    }
}

fn built(place: &OnceLock<Client>, builder: impl FnOnce() -> ClientBuilder) -> Result<Client, ErrorInfo> {
    if let Some(client) = place.get() {
        return Ok(client.clone());
    }
    let client = builder().build().map_err(|error| {
        ErrorInfo::new(
            Code::Connection,
            "Secure connections cannot be set up on this computer.",
            "Check that its root certificates are installed.",
        )
        .with_detail(error.without_url().to_string())
    })?;
    Ok(place.get_or_init(|| client).clone())
}

fn common(tuning: &Tuning) -> ClientBuilder {
    Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        // The HTTP library would send a request again by itself where the server refuses its stream or takes leave. A call's tries are counted,
        // announced and bounded (T4), so they are made in `crate::call` alone.
        .retry(reqwest::retry::never())
        .connect_timeout(tuning.connect)
        .tcp_nodelay(true)
        .user_agent(AGENT)
        .dns_resolver(System)
}

/// The system's own look-up. The type of its error tells it apart from others.
struct System;

impl Resolve for System {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            // The port is set by the connector.
            let found = tokio::net::lookup_host((name.as_str(), 0)).await.map_err(NameUnknown)?;
            Ok(Box::new(found.collect::<Vec<_>>().into_iter()) as Addrs)
        })
    }
}

/// A host name has no address, or no address could be looked up.
#[derive(Debug, thiserror::Error)]
pub(crate) struct NameUnknown(#[source] std::io::Error);

impl fmt::Display for NameUnknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name could not be looked up")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use futures_util::StreamExt;
    use h2::Reason;
    use orion_core::model::{Message, ModelRequest, ModelTuning, Shape};
    use orion_core::tool::ToolSet;
    use orion_engine::endpoint::{ModelEndpoint, ModelEvent};
    use orion_engine::learned::OfModel;
    use orion_engine::received::Received;
    use tokio::net::TcpListener;

    use super::*;
    use crate::call::{HttpEndpoint, Line};
    use crate::quirks::Quirks;
    use crate::target::Target;

    /// Another act of a server of HTTP/2 in the place of an answer.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Act {
        /// The stream is refused: the standard says that such a request may be sent again.
        RefuseStream,
        /// The server takes leave, as one does that restarts.
        TakeLeave,
    }

    /// A server that does so with each request. Returns its address and the number of requests that came.
    async fn server(act: Act) -> (String, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/v1", listener.local_addr().unwrap());
        let came = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&came);
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let count = Arc::clone(&count);
                tokio::spawn(async move {
                    let mut connection = h2::server::handshake(socket).await.unwrap();
                    while let Some(Ok((_request, mut answer))) = connection.accept().await {
                        count.fetch_add(1, Ordering::SeqCst);
                        match act {
                            Act::RefuseStream => answer.send_reset(Reason::REFUSED_STREAM),
                            Act::TakeLeave => connection.abrupt_shutdown(Reason::NO_ERROR),
                        }
                    }
                });
            }
        });
        (address, came)
    }

    #[tokio::test]
    async fn each_request_on_the_wire_is_one_that_a_call_tells_of() {
        // T4
        for act in [Act::RefuseStream, Act::TakeLeave] {
            let (address, came) = server(act).await;
            let tuning = Tuning { backoff: Duration::from_millis(1), ..Tuning::default() };
            let client = common(&tuning).no_proxy().http2_prior_knowledge().build().unwrap();
            let target = Target::new(&address, None, false).unwrap();
            let learned = OfModel::default();
            learned.note(|facts| facts.took_shapes(Shape::ALL, Some(u32::MAX)));
            let endpoint = HttpEndpoint {
                name: "test".into(),
                model: "m".into(),
                quirks: Quirks::of("127.0.0.1", "m"),
                line: Arc::new(Line { client, target, tuning, waits: tuning.near, paces: Arc::default() }),
                learned,
                results_as: None,
                asks_window: false,
            };
            let request = ModelRequest {
                model: "m".into(),
                messages: vec![Message::user("Hello?")],
                tools: ToolSet::empty(),
                forbids_tools: false,
                max_output_tokens: None,
                tuning: ModelTuning::default(),
            };
            let events: Vec<_> =
                endpoint.stream(request, endpoint.profile(), Received::default()).collect().await;
            assert!(matches!(events.last(), Some(ModelEvent::Failed(_))), "{act:?}: {events:?}");
            let told = 1 + events.iter().filter(|event| matches!(event, ModelEvent::Retrying { .. })).count();
            assert_eq!((act, told, came.load(Ordering::SeqCst)), (act, tuning.attempts, tuning.attempts));
        }
    }
}
