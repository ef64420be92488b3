//! Sends traces to a collector. Whatever it does, the sending ends in time.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use futures_util::future::BoxFuture;
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceResponse;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SpanExporter as _;
use orion_engine::config::Environment;
use orion_engine::{ToldTrace, TraceSink};
use orion_protocol::ErrorInfo;
use prost::Message as _;
use reqwest::Client;
use url::{Host, Url};

use crate::environment::Telemetry;
use crate::errors::SendError;
use crate::resource::resource;
use crate::spans::spans;

/// Spans in a request, at most: the specification's default for a batch.
const BATCH: usize = 512;

/// The most bytes of an answer that are read. One that says what was not taken has some hundred.
const ANSWER_BYTES: usize = 64 << 10;

/// How long a collector may take to be reached.
const CONNECT: Duration = Duration::from_secs(5);

/// Sends traces to one collector.
#[derive(Debug)]
pub struct Otlp {
    telemetry: Telemetry,
    resource: Resource,
    client: Client,
}

/// What was sent of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sent {
    pub spans: usize,
    /// Spans that have not ended yet.
    pub running: usize,
}

impl Otlp {
    /// Sends to the collector that the environment names; none where it names none, or says that nothing is to be sent.
    ///
    /// # Errors
    /// `config_invalid` for variables that cannot be kept, `connection` where secure connections cannot be set up.
    pub fn of(environment: &Environment) -> Result<Option<Self>, ErrorInfo> {
        Telemetry::of(environment)?.map(|telemetry| Self::new(telemetry, environment)).transpose()
    }

    /// Sends to the collector at this base address, as the environment says. `allow_http`: the person confirmed plain HTTP to another
    /// computer.
    ///
    /// # Errors
    /// `usage` for what is no address, and while the environment says that nothing is to be sent; as [`Otlp::of`].
    pub fn to(base: &str, environment: &Environment, allow_http: bool) -> Result<Self, ErrorInfo> {
        Self::new(Telemetry::to(base, environment, allow_http)?, environment)
    }

    fn new(telemetry: Telemetry, environment: &Environment) -> Result<Self, ErrorInfo> {
        let client = client(&telemetry).map_err(|_| SendError::Unreachable.error())?;
        Ok(Self { resource: resource(environment), client, telemetry })
    }

    /// Sends the spans of a trace that have ended.
    ///
    /// # Errors
    /// `connection`, `authentication`, `bad_request` as the collector answers; `config_invalid` for variables that cannot be kept.
    pub async fn export(&self, trace: &ToldTrace) -> Result<Sent, ErrorInfo> {
        let spans = spans(trace, self.telemetry.with_content);
        let sent = Sent { spans: spans.len(), running: trace.spans.len() - spans.len() };
        let wire = Wire { client: self.client.clone(), error: Arc::default() };
        let error = wire.error.clone();
        let mut exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(wire)
            .with_endpoint(self.telemetry.endpoint.as_str())
            .with_protocol(self.telemetry.protocol)
            .with_timeout(self.telemetry.timeout)
            .build()
            .map_err(|_| SendError::Unsent.error())?;
        exporter.set_resource(&self.resource);
        let sending = async {
            for batch in spans.chunks(BATCH) {
                let exported = exporter.export(batch.to_vec()).await;
                let error = error.lock().unwrap_or_else(PoisonError::into_inner).take();
                match (exported, error) {
                    (Ok(()), None) => {}
                    (_, Some(error)) => return Err(error),
                    (Err(_), None) => return Err(SendError::Unsent),
                }
            }
            Ok(sent)
        };
        let ended = tokio::time::timeout(self.telemetry.timeout, sending).await;
        ended.unwrap_or(Err(SendError::Slow)).map_err(SendError::error)
    }
}

impl TraceSink for Otlp {
    fn send(&self, trace: ToldTrace) -> BoxFuture<'_, Result<(), ErrorInfo>> {
        Box::pin(async move { self.export(&trace).await.map(drop) })
    }
}

fn client(telemetry: &Telemetry) -> reqwest::Result<Client> {
    let builder = Client::builder()
        // Another host must get neither the headers nor the trace.
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .connect_timeout(CONNECT)
        .timeout(telemetry.timeout)
        .user_agent(concat!("orion/", env!("CARGO_PKG_VERSION")));
    // Plain HTTP on this computer needs neither certificates nor proxies, and reading the system's would take longest.
    match is_local(&telemetry.endpoint) {
        true => builder.no_proxy().tls_certs_only([]).build(),
        false => builder.build(),
    }
}

fn is_local(url: &Url) -> bool {
    let here = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => IpAddr::V4(address).is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::V6(address).is_loopback(),
        None => false,
    };
    here && url.scheme() == "http"
}

/// The way to the collector. The exporter says of a request that it failed, and this remembers why.
#[derive(Debug)]
struct Wire {
    client: Client,
    error: Arc<Mutex<Option<SendError>>>,
}

#[async_trait]
impl HttpClient for Wire {
    async fn send_bytes(
        &self,
        request: opentelemetry_http::Request<Bytes>,
    ) -> Result<opentelemetry_http::Response<Bytes>, HttpError> {
        let (answered, error) = match self.ask(request).await {
            Ok(response) => (Ok(response.0), response.1),
            Err(error) => {
                let slow = error.downcast_ref::<reqwest::Error>().is_some_and(reqwest::Error::is_timeout);
                (Err(error), Some(if slow { SendError::Slow } else { SendError::Unreachable }))
            }
        };
        *self.error.lock().unwrap_or_else(PoisonError::into_inner) = error;
        answered
    }
}

impl Wire {
    async fn ask(
        &self,
        request: opentelemetry_http::Request<Bytes>,
    ) -> Result<(opentelemetry_http::Response<Bytes>, Option<SendError>), HttpError> {
        let mut response = self.client.execute(request.try_into()?).await?;
        let (status, headers) = (response.status(), std::mem::take(response.headers_mut()));
        let mut body = BytesMut::new();
        while let Some(piece) = response.chunk().await? {
            let room = ANSWER_BYTES.saturating_sub(body.len());
            body.extend_from_slice(&piece[..piece.len().min(room)]);
            if body.len() >= ANSWER_BYTES {
                break;
            }
        }
        let error = match status.is_success() {
            true => partly(&headers, &body),
            false => Some(SendError::Refused(status.as_u16())),
        };
        let mut answer = opentelemetry_http::Response::builder().status(status).body(body.freeze())?;
        *answer.headers_mut() = headers;
        Ok((answer, error))
    }
}

/// A collector that takes only a part of the spans says so in an answer that is a success. One that cannot be read says nothing.
fn partly(headers: &reqwest::header::HeaderMap, body: &[u8]) -> Option<SendError> {
    let kind =
        headers.get(reqwest::header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let answer: ExportTraceServiceResponse = match kind.starts_with("application/json") {
        true => serde_json::from_slice(body).ok()?,
        false => ExportTraceServiceResponse::decode(body).ok()?,
    };
    let rejected = u64::try_from(answer.partial_success?.rejected_spans).ok()?;
    (rejected > 0).then_some(SendError::Partly(rejected))
}
