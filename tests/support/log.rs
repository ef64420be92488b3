//! What happened at a scripted model: requests, what became of the answers, and everything that was wrong.

use std::time::Instant;

use crate::http::Request;

/// What became of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Still being sent, held or hanging.
    Open,
    /// Sent whole, as scripted.
    Sent,
    /// Broken off because the script said so.
    Cut,
    /// The client dropped the connection before the end.
    Dropped,
    /// The request was a fault: it got status 400 instead of an answer.
    Refused,
}

/// A request for a chat completion and its answer.
#[derive(Debug, Clone)]
pub struct Exchange {
    pub request: Request,
    pub fate: Fate,
    /// When the latest piece of the body was handed to the socket.
    pub written_at: Option<Instant>,
    /// When its fate was known.
    pub over_at: Option<Instant>,
}

#[derive(Debug, Default)]
pub(crate) struct Log {
    /// Chat completions, in the order they came.
    pub(crate) exchanges: Vec<Exchange>,
    /// Requests for the list of models.
    pub(crate) listings: Vec<Request>,
    /// Requests for anything else.
    pub(crate) pages: Vec<Request>,
    pub(crate) posts: Vec<Request>,
    pub(crate) faults: Vec<String>,
}

impl Log {
    /// Notes a chat completion and gives it its number, from 1.
    pub(crate) fn begin(&mut self, request: Request) -> usize {
        self.exchanges.push(Exchange { request, fate: Fate::Open, written_at: None, over_at: None });
        self.exchanges.len()
    }

    /// A piece is about to be handed to the socket: noted first, so that nobody can have read it before.
    pub(crate) fn writes(&mut self, number: usize) {
        self.exchanges[number - 1].written_at = Some(Instant::now());
    }

    pub(crate) fn over(&mut self, number: usize, fate: Fate) {
        let exchange = &mut self.exchanges[number - 1];
        exchange.fate = fate;
        exchange.over_at = Some(Instant::now());
    }
}
