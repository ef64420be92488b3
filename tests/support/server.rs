//! Serves a script over real HTTP/1.1 and keeps the test honest about it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use crate::check;
use crate::http::{self, Request};
use crate::log::{Exchange, Fate, Log};
use crate::plan::{Framing, Step, steps};
use crate::script::{Drip, Ending, Script, Turn};
use crate::wait::{BACKGROUND, within};

/// A model that follows its script. Dropping it ends it, and fails the test on whatever was not as scripted.
#[derive(Debug)]
pub struct ScriptedModel {
    address: std::net::SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
    judged: bool,
}

#[derive(Debug)]
struct Shared {
    script: Mutex<Script>,
    log: watch::Sender<Log>,
}

impl Shared {
    fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fault(&self, fault: String) {
        self.log.send_modify(|log| log.faults.push(fault));
    }
}

impl ScriptedModel {
    pub(crate) fn start(script: Script) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port on 127.0.0.1");
        let address = listener.local_addr().expect("the address of a bound listener");
        listener.set_nonblocking(true).expect("a listener that does not block");
        let shared = Arc::new(Shared { script: Mutex::new(script), log: watch::Sender::new(Log::default()) });
        let task = BACKGROUND.spawn(accept(listener, Arc::clone(&shared)));
        Self { address, shared, task, judged: false }
    }

    /// Such as `http://127.0.0.1:40123/v1`.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The chat completions asked for so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.shared.log.borrow().exchanges.iter().map(|exchange| exchange.request.clone()).collect()
    }

    /// How often the list of models was asked for.
    #[must_use]
    pub fn listings(&self) -> Vec<Request> {
        self.shared.log.borrow().listings.clone()
    }

    /// The requests beside the chat that were answered ([`Script::post`]).
    #[must_use]
    pub fn posts(&self) -> Vec<Request> {
        self.shared.log.borrow().posts.clone()
    }

    /// What else was asked for since the first chat completion.
    #[must_use]
    pub fn pages(&self) -> Vec<Request> {
        self.shared.log.borrow().pages.clone()
    }

    /// Waits until something else was asked for, since the first chat completion.
    pub async fn page(&self) -> Request {
        let mut log = self.shared.log.subscribe();
        let log = within("a request of a page", log.wait_for(|log| !log.pages.is_empty())).await;
        log.expect("the log lives as long as the model").pages[0].clone()
    }

    /// The chat completions and what became of them so far.
    #[must_use]
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.shared.log.borrow().exchanges.clone()
    }

    /// Waits for the chat completion with this number, from 1.
    pub async fn request(&self, number: usize) -> Request {
        self.exchange(&format!("request {number} to the model"), number, |_| true).await.request
    }

    /// Waits until the client has dropped the answer with this number, from 1, before its end. An answer that was
    /// written whole cannot be dropped: hold it with a gate or let it hang.
    pub async fn dropped(&self, number: usize) -> Exchange {
        let dropped = |exchange: &Exchange| exchange.fate == Fate::Dropped;
        self.exchange(&format!("the client to drop answer {number}"), number, dropped).await
    }

    /// Waits until the answer with this number, from 1, is over in whatever way.
    pub async fn over(&self, number: usize) -> Exchange {
        let over = |exchange: &Exchange| exchange.fate != Fate::Open;
        self.exchange(&format!("the end of answer {number}"), number, over).await
    }

    async fn exchange(&self, what: &str, number: usize, met: impl Fn(&Exchange) -> bool) -> Exchange {
        assert!(number > 0, "requests are counted from 1");
        let mut log = self.shared.log.subscribe();
        let arrival = log.wait_for(|log| log.exchanges.get(number - 1).is_some_and(&met));
        let log = within(what, arrival).await.expect("the log lives as long as the model");
        log.exchanges[number - 1].clone()
    }

    /// Ends the model and fails the test, saying why, unless everything went as scripted.
    pub fn finish(mut self) {
        self.judge();
    }

    fn judge(&mut self) {
        if std::mem::replace(&mut self.judged, true) {
            return;
        }
        self.task.abort();
        let mut faults = self.shared.log.borrow().faults.clone();
        let left = self.shared.script().turns.len();
        if left > 0 {
            let asked = self.shared.log.borrow().exchanges.len();
            faults.push(format!("{left} scripted answers nobody asked for, after {asked} requests"));
        }
        if faults.is_empty() {
            return;
        }
        let verdict =
            format!("the scripted model did not see what its script says:\n- {}", faults.join("\n- "));
        if thread::panicking() {
            eprintln!("{verdict}");
        } else {
            panic!("{verdict}");
        }
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        self.judge();
    }
}

async fn accept(listener: std::net::TcpListener, shared: Arc<Shared>) {
    let listener = TcpListener::from_std(listener).expect("a listener for the runtime");
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            Ok((stream, _)) = listener.accept() => {
                connections.spawn(converse(stream, Arc::clone(&shared)));
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// The client has gone, or the script says that the connection ends here.
struct Gone;

/// The two halves of a connection, and what was read of it ahead of time.
struct Connection {
    reader: OwnedReadHalf,
    writer: OwnedWriteHalf,
    ahead: Vec<u8>,
}

impl Connection {
    async fn send(&mut self, bytes: &[u8]) -> Result<(), Gone> {
        tokio::select! {
            biased;
            () = hang_up(&mut self.reader, &mut self.ahead) => Err(Gone),
            written = self.writer.write_all(bytes) => written.map_err(|_| Gone),
        }
    }

    /// Sends a piece of a body.
    async fn send_piece(&mut self, bytes: Vec<u8>, framing: Framing) -> Result<(), Gone> {
        if framing != Framing::Chunked {
            return self.send(&bytes).await;
        }
        let size = format!("{:x}\r\n", bytes.len()).into_bytes();
        self.send(&[size, bytes, b"\r\n".to_vec()].concat()).await
    }

    /// Sends a turn by its length, in one piece.
    async fn send_whole(&mut self, turn: &Turn) -> Result<(), Gone> {
        let body = turn.rendered();
        self.send(&[head(turn, body.len()).into_bytes(), body].concat()).await
    }

    async fn until<T>(&mut self, event: impl Future<Output = T>) -> Result<T, Gone> {
        tokio::select! {
            () = hang_up(&mut self.reader, &mut self.ahead) => Err(Gone),
            value = event => Ok(value),
        }
    }
}

/// Returns when the client closes the connection.
async fn hang_up(reader: &mut OwnedReadHalf, ahead: &mut Vec<u8>) {
    while let Ok(1..) = reader.read_buf(ahead).await {}
}

async fn converse(stream: TcpStream, shared: Arc<Shared>) {
    stream.set_nodelay(true).expect("TCP_NODELAY");
    let (reader, writer) = stream.into_split();
    let mut connection = Connection { reader, writer, ahead: Vec::new() };
    loop {
        let goes_on = match http::read(&mut connection.reader, &mut connection.ahead).await {
            Ok(Some(request)) => respond(&mut connection, &shared, request).await,
            Ok(None) => Err(Gone),
            Err(fault) => {
                shared.fault(fault);
                Err(Gone)
            }
        };
        if goes_on.is_err() {
            return;
        }
    }
}

async fn respond(connection: &mut Connection, shared: &Shared, request: Request) -> Result<(), Gone> {
    match (request.method.as_str(), request.path.as_str()) {
        ("POST", path) if shared.script().posts.contains_key(path) => {
            let turn = shared.script().posts.get_mut(path).map(|answer| answer(&request));
            shared.log.send_modify(|log| log.posts.push(request));
            connection.send_whole(&turn.unwrap_or_default()).await
        }
        ("POST", "/v1/chat/completions") => {
            let mut number = 0;
            shared.log.send_modify(|log| number = log.begin(request.clone()));
            match next_turn(shared, number, &request) {
                Ok(turn) => answer(connection, shared, number, &turn).await,
                Err(fault) => {
                    shared.log.send_modify(|log| log.over(number, Fate::Refused));
                    refuse(connection, shared, fault).await
                }
            }
        }
        ("GET", "/v1/models") if shared.script().models.is_some() => {
            let models = shared.script().models.clone().unwrap_or_default();
            let data: Vec<_> =
                models.iter().map(|id| json!({ "id": id, "object": "model", "owned_by": "tests" })).collect();
            shared.log.send_modify(|log| log.listings.push(request));
            let turn = Turn::default().header("content-type", "application/json");
            let turn = turn.body(json!({ "object": "list", "data": data }).to_string());
            connection.send_whole(&turn).await
        }
        // A client may ask about a model that it calls, and need not get an answer.
        ("GET", path)
            if !shared.log.borrow().exchanges.is_empty() || shared.script().pages.contains_key(path) =>
        {
            let page = shared.script().pages.get(path).cloned();
            shared.log.send_modify(|log| log.pages.push(request));
            let page = page.unwrap_or_else(|| Turn::default().status(404).body("not here"));
            match page.ending {
                Ending::Hang => connection.until(std::future::pending()).await,
                _ => connection.send_whole(&page).await,
            }
        }
        (method, path) => {
            let fault = format!("nobody scripted {method} {path}");
            refuse(connection, shared, fault).await
        }
    }
}

/// The scripted answer to this request, or what is wrong with it.
fn next_turn(shared: &Shared, number: usize, request: &Request) -> Result<Turn, String> {
    let faults = check::faults(request);
    if !faults.is_empty() {
        return Err(format!("request {number} is wrong: {}", faults.join("; ")));
    }
    let mut script = shared.script();
    let turn = match (script.turns.pop_front(), script.forever.as_mut()) {
        (Some(turn), _) => turn,
        (None, Some(respond)) => catch_unwind(AssertUnwindSafe(|| respond(number, request)))
            .map_err(|panic| format!("request {number}: {}", message(&*panic)))?,
        (None, None) => {
            return Err(format!(
                "request {number} is one nobody scripted; its last message: {:?}",
                request.last_text()
            ));
        }
    };
    for expectation in &turn.expectations {
        catch_unwind(AssertUnwindSafe(|| expectation(request)))
            .map_err(|panic| format!("request {number} is not as expected: {}", message(&*panic)))?;
    }
    Ok(turn)
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default()
}

/// Notes a fault, and then answers in a way that no client tries again.
async fn refuse(connection: &mut Connection, shared: &Shared, fault: String) -> Result<(), Gone> {
    let body = json!({ "error": { "message": fault, "type": "invalid_request_error" } });
    shared.fault(fault);
    connection.send_whole(&Turn::default().status(400).body(body.to_string())).await
}

async fn answer(
    connection: &mut Connection,
    shared: &Shared,
    number: usize,
    turn: &Turn,
) -> Result<(), Gone> {
    let sent = stream(connection, shared, number, turn).await;
    let (fate, result) = match (sent, turn.ending) {
        (Err(Gone), _) => (Fate::Dropped, Err(Gone)),
        (Ok(()), Ending::Cut(_)) => (Fate::Cut, Err(Gone)),
        (Ok(()), Ending::Reset(_)) => {
            let stream: &TcpStream = connection.writer.as_ref();
            stream.set_zero_linger().expect("SO_LINGER");
            (Fate::Cut, Err(Gone))
        }
        (Ok(()), Ending::Clean | Ending::Hang | Ending::Drip(_)) if turn.framing == Framing::UntilClose => {
            (Fate::Sent, Err(Gone))
        }
        (Ok(()), Ending::Clean | Ending::Hang | Ending::Drip(_)) => (Fate::Sent, Ok(())),
    };
    shared.log.send_modify(|log| log.over(number, fate));
    result
}

async fn stream(
    connection: &mut Connection,
    shared: &Shared,
    number: usize,
    turn: &Turn,
) -> Result<(), Gone> {
    let limit = match turn.ending {
        Ending::Cut(bytes) | Ending::Reset(bytes) => Some(bytes),
        Ending::Clean | Ending::Hang | Ending::Drip(_) => None,
    };
    let says_nothing = turn.ending == Ending::Hang && turn.parts.is_empty() && turn.headers.is_empty();
    if !says_nothing {
        connection.send(head(turn, turn.rendered().len()).as_bytes()).await?;
    }
    for step in steps(&turn.parts, &turn.chunking, limit) {
        if matches!(step, Step::Send(_)) {
            shared.log.send_modify(|log| log.writes(number));
        }
        match step {
            Step::Send(bytes) => connection.send_piece(bytes, turn.framing).await?,
            Step::Hold(gate) => connection.until(gate.pass()).await?,
        }
    }
    match turn.ending {
        Ending::Hang => connection.until(std::future::pending()).await,
        Ending::Drip(drip) => {
            let mut number = 0;
            loop {
                number += 1;
                connection.send_piece(drip.piece(number), turn.framing).await?;
                connection.until(tokio::time::sleep(Drip::PACE)).await?;
            }
        }
        Ending::Clean if turn.framing == Framing::Chunked => connection.send(b"0\r\n\r\n").await,
        Ending::Clean | Ending::Cut(_) | Ending::Reset(_) => Ok(()),
    }
}

fn head(turn: &Turn, length: usize) -> String {
    let mut head = format!("HTTP/1.1 {} Scripted\r\n", turn.status);
    if !turn.headers.iter().any(|(name, _)| name == "content-type") {
        let kind = if turn.status == 200 { "text/event-stream; charset=utf-8" } else { "application/json" };
        head += &format!("content-type: {kind}\r\n");
    }
    for (name, value) in &turn.headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += &match turn.framing {
        Framing::Chunked => "transfer-encoding: chunked\r\n\r\n".to_owned(),
        Framing::Length => format!("content-length: {length}\r\n\r\n"),
        Framing::UntilClose => "connection: close\r\n\r\n".to_owned(),
    };
    head
}
