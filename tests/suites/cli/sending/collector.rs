//! A collector of traces: a real HTTP server that keeps what it gets.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;

/// What it does with a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    Takes,
    /// Answers with this status, and quotes the headers.
    Refuses(u16),
    /// Reads it, and never answers.
    Hangs,
}

#[derive(Debug)]
pub(super) struct Collector {
    address: SocketAddr,
    got: Receiver<Got>,
}

/// A request that came in.
#[derive(Debug)]
pub(super) struct Got {
    pub(super) path: String,
    /// In lower case, a line each.
    pub(super) head: String,
    pub(super) body: Vec<u8>,
}

impl Collector {
    pub(super) fn start(does: Does) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, got) = mpsc::channel();
        // It ends with the process of the test.
        thread::spawn(move || {
            for stream in listener.incoming() {
                let sender = sender.clone();
                thread::spawn(move || serve(stream.unwrap(), does, &sender));
            }
        });
        Self { address, got }
    }

    /// Its base address.
    pub(super) fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What came in so far. An Orion that has ended sends nothing more.
    pub(super) fn got(&self) -> Vec<Got> {
        self.got.try_iter().collect()
    }

    /// The spans that came in so far.
    pub(super) fn spans(&self) -> Vec<Span> {
        self.got().iter().flat_map(|got| spans(&got.trace())).collect()
    }
}

fn serve(stream: TcpStream, does: Does, sender: &Sender<Got>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if !matches!(reader.read_line(&mut head), Ok(1..)) {
                return;
            }
        }
        let path = head.split(' ').nth(1).unwrap().to_owned();
        let lower = head.to_lowercase();
        let length = lower.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        let mut body = vec![0; length.parse().unwrap()];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        if sender.send(Got { path, head: lower, body }).is_err() {
            return;
        }
        let (status, said) = match does {
            Does::Takes => (200, String::new()),
            Does::Refuses(status) => (status, head),
            // Until the other side gives up.
            Does::Hangs => return drop(reader.read(&mut [0])),
        };
        let answer = format!("HTTP/1.1 {status} So\r\ncontent-length: {}\r\n\r\n{said}", said.len());
        if stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

impl Got {
    pub(super) fn trace(&self) -> ExportTraceServiceRequest {
        match self.head.contains("content-type: application/json") {
            true => serde_json::from_slice(&self.body).unwrap(),
            false => ExportTraceServiceRequest::decode(self.body.as_slice()).unwrap(),
        }
    }
}

pub(super) fn spans(request: &ExportTraceServiceRequest) -> Vec<Span> {
    let scopes = request.resource_spans.iter().flat_map(|resource| &resource.scope_spans);
    scopes.flat_map(|scope| scope.spans.clone()).collect()
}

/// An attribute as text; of a list the first one.
pub(super) fn said(attributes: &[KeyValue], name: &str) -> Option<String> {
    let found = attributes.iter().find(|attribute| attribute.key == name)?;
    Some(match found.value.clone()?.value? {
        Value::StringValue(text) => text,
        Value::BoolValue(is) => is.to_string(),
        Value::IntValue(number) => number.to_string(),
        Value::DoubleValue(number) => number.to_string(),
        Value::ArrayValue(list) => match list.values.first()?.value.clone()? {
            Value::StringValue(text) => text,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    })
}
