//! Turns over HTTP as programs use them: the built server, real sockets, and nothing of the environment.

mod browser;
mod clients;
mod cut;
mod doors;
mod encrypted;
mod ending;
mod fuzzed;
mod hostile;
mod killed;
mod load;
mod together;
mod transcripts;
mod turns;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::Value;
use support::{Folder, ScriptedModel, binary, within};

/// A server with a home and a project of its own.
struct Bed {
    home: Folder,
    project: Folder,
    server: Child,
    address: String,
    token: String,
    client: Client,
}

impl Drop for Bed {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn command(home: &Folder, arguments: &[&str]) -> Command {
    let mut command = Command::new(binary("orion-serve"));
    let folder = home.path();
    command
        .env_clear()
        .env("HOME", &folder)
        .env("ORION_CONFIG_DIR", folder.join("config"))
        .env("ORION_DATA_DIR", folder.join("data"))
        .env("ORION_RESULTS_AS", "system")
        .env("HTTPS_PROXY", "http://127.0.0.1:1")
        .args(arguments);
    command.envs(std::env::var_os("SystemRoot").map(|folder| ("SystemRoot", folder)));
    command
}

fn printed(home: &Folder, arguments: &[&str]) -> String {
    let output = command(home, arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

impl Bed {
    fn new(model: &ScriptedModel) -> Self {
        Self::with(model, &[])
    }

    fn with(model: &ScriptedModel, arguments: &[&str]) -> Self {
        let settings = format!(
            "default_endpoint = 'scripted'\n[endpoints.scripted]\nbase_url = '{}'\nmodel = 'scripted'\n",
            model.base_url()
        );
        let home = Folder::with([("config/config.toml", settings.as_str())]);
        let project = Folder::with([("notes.txt", "The answer is 42.\n"), ("b.txt", "beta\n")]);
        Self::at(home, project, arguments)
    }

    fn at(home: Folder, project: Folder, arguments: &[&str]) -> Self {
        let token = printed(&home, &["--print-token"]);
        let (server, address) = started(&home, &project, arguments);
        let client = Client::builder().no_proxy().build().unwrap();
        Self { home, project, server, address, token, client }
    }

    /// Another server on the same folders, once the first one has ended.
    fn again(&mut self) {
        let (server, address) = started(&self.home, &self.project, &[]);
        (self.server, self.address) = (server, address);
    }

    fn ask(&self, method: Method, path: &str) -> RequestBuilder {
        let token = format!("Bearer {}", self.token);
        self.client.request(method, format!("{}{path}", self.address)).header("authorization", token)
    }

    async fn post(&self, path: &str, body: &Value) -> Response {
        within("an answer", self.ask(Method::POST, path).json(body).send()).await.unwrap()
    }

    async fn get(&self, path: &str) -> Value {
        let response = within("an answer", self.ask(Method::GET, path).send()).await.unwrap();
        assert!(response.status().is_success(), "{path}: {}", response.status());
        response.json().await.unwrap()
    }

    /// The stream of a message.
    async fn stream(&self, path: &str, body: &Value) -> Events {
        Events::of(self.post(path, body).await)
    }
}

fn started(home: &Folder, project: &Folder, arguments: &[&str]) -> (Child, String) {
    let folder = project.path().display().to_string();
    let mut command = command(home, &["--listen", "127.0.0.1:0", "--project", &folder]);
    let mut server = command.args(arguments).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim_end().strip_prefix("Listening on ").unwrap_or_else(|| panic!("{line:?}"));
    (server, address.to_owned())
}

/// The events of a stream: the id of each, and its data.
struct Events {
    response: Response,
    read: Vec<u8>,
}

impl Events {
    fn of(response: Response) -> Self {
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { response, read: Vec::new() }
    }

    /// The next event; nothing once the stream has ended.
    async fn next(&mut self) -> Option<(Option<String>, Value)> {
        loop {
            if let Some(end) = self.read.windows(2).position(|pair| pair == b"\n\n") {
                let event: Vec<u8> = self.read.drain(..end + 2).collect();
                let event = String::from_utf8(event).unwrap();
                let field = |name: &str| {
                    event
                        .lines()
                        .find_map(|line| line.strip_prefix(name))
                        .map(|value| value.trim().to_owned())
                };
                let (id, data) = (field("id:"), field("data:"));
                let Some(data) = data else { continue };
                return Some((id, serde_json::from_str(&data).unwrap()));
            }
            let piece = within("a piece of the stream", self.response.chunk()).await.unwrap()?;
            self.read.extend_from_slice(&piece);
        }
    }

    async fn all(mut self) -> Vec<(Option<String>, Value)> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }

    /// Up to the first event of this type.
    async fn until(&mut self, kind: &str) -> Value {
        loop {
            let (_, event) = self.next().await.unwrap_or_else(|| panic!("no {kind} came"));
            if event["event"]["type"] == kind {
                return event;
            }
        }
    }
}

/// The text that a client of the designs shows.
fn text(events: &[(Option<String>, Value)]) -> String {
    events.iter().filter_map(|(_, event)| event["chunk"].as_str()).collect()
}

/// The `seq` of each durable event.
fn seqs(events: &[(Option<String>, Value)]) -> Vec<u64> {
    let durable = events.iter().filter(|(id, _)| id.as_ref().is_some_and(|id| !id.contains('.')));
    durable.map(|(_, event)| event["seq"].as_u64().unwrap()).collect()
}
