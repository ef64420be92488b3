//! What the database has, read by another process's means: nothing of Orion's takes part.

use std::path::Path;

use serde_json::Value;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, SqliteConnection};

/// Everything that is checked after a kill.
#[derive(Debug)]
pub(super) struct Records {
    /// What SQLite finds wrong with its file.
    pub(super) faults: Vec<String>,
    /// In the order in which they began.
    pub(super) turns: Vec<Turn>,
    /// The messages that wait in queues.
    pub(super) queued: Vec<String>,
}

#[derive(Debug)]
pub(super) struct Turn {
    pub(super) request: String,
    pub(super) session: String,
    pub(super) state: String,
    /// The turn that it follows.
    pub(super) parent: Option<String>,
    /// Its envelopes, chunks among them.
    pub(super) events: Vec<Value>,
    /// What its conversation has of it, as JSON.
    pub(super) said: Vec<String>,
    /// The names of the calls that have an outcome.
    pub(super) outcomes: Vec<String>,
}

/// What a turn waits for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Waits {
    pub(super) digest: String,
    pub(super) what: What,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum What {
    Call,
    /// A call that may have run before its process died, of a tool that takes no path.
    CallAgain,
    /// A command, which did not run before.
    Command,
    Write,
    Questions,
    /// With so many results.
    Pause(usize),
}

pub(super) fn kind(event: &Value) -> &str {
    event["event"]["type"].as_str().unwrap_or_default()
}

pub(super) fn is_durable(event: &Value) -> bool {
    !matches!(kind(event), "text_chunk" | "reasoning_chunk" | "tool_output" | "write_progress")
}

/// The answer of a person that an event says: to what, and whether it was a yes.
pub(super) fn answer(event: &Value) -> Option<(String, bool)> {
    let it = &event["event"];
    let yes = match it["given"]["type"].as_str() {
        Some("allowed" | "resumed") => true,
        Some("answered") => it["given"]["answer"]["type"] == "answered",
        _ => false,
    };
    (kind(event) == "answered").then(|| Some((it["digest"].as_str()?.to_owned(), yes)))?
}

impl Turn {
    pub(super) fn is_over(&self) -> bool {
        self.state == "over"
    }

    pub(super) fn durable(&self) -> impl Iterator<Item = &Value> {
        self.events.iter().filter(|event| is_durable(event))
    }

    /// A write session of it is open.
    fn writes(&self) -> bool {
        self.of_kind("write_started").count() > self.of_kind("write_done").count()
    }

    /// What its model was told and said, by its events: the texts of its responses, the person's messages, and the heads of its results.
    pub(super) fn told(&self) -> Vec<String> {
        let (mut told, mut text) = (Vec::new(), String::new());
        for event in &self.events {
            let it = &event["event"];
            let field = |name: &str| it[name].as_str().unwrap_or_default();
            if kind(event) == "text_chunk" {
                text.push_str(field("text"));
                continue;
            }
            if is_durable(event) && !text.is_empty() {
                told.push(std::mem::take(&mut text));
            }
            match kind(event) {
                "turn_started" | "steered" => told.push(field("text").to_owned()),
                // A9: no call was left for them, so they are in the queue.
                "queued" => {
                    let steered = self.of_kind("steered").map(|event| &event["event"]["text"]);
                    let last: Vec<_> =
                        steered.rev().take(it["messages"].as_u64().unwrap_or(0) as usize).collect();
                    told.retain(|said| !last.iter().any(|text| *text == said));
                }
                "tool_result" if it["status"] != "cancelled" => {
                    told.push(format!("Result of call {}: ", field("toolCallId")));
                }
                "write_done" if it["status"] != "discarded" => {
                    told.push(format!("Result of the write session for {} ", field("path")));
                }
                _ => {}
            }
        }
        told.extend(Some(text).filter(|text| !text.is_empty()));
        told
    }

    pub(super) fn of_kind<'a>(&'a self, wanted: &'a str) -> impl DoubleEndedIterator<Item = &'a Value> {
        self.events.iter().filter(move |event| kind(event) == wanted)
    }

    /// What it asked last, unless a person has answered that.
    pub(super) fn waits(&self) -> Option<Waits> {
        let mut waits = None;
        for event in self.durable() {
            let it = &event["event"];
            if answer(event).is_some() {
                waits = None;
            }
            if kind(event) != "asked" {
                continue;
            }
            let what = match it["of"]["type"].as_str() {
                Some("call") if it["of"]["name"] == "list_files" => What::Call,
                Some("call") if it["of"]["command"].is_object() && it["of"]["by"] == "default" => {
                    What::Command
                }
                Some("call") => What::CallAgain,
                Some("write") => What::Write,
                Some("questions") => What::Questions,
                _ => What::Pause(it["of"]["results"].as_array().map_or(0, Vec::len)),
            };
            waits = Some(Waits { digest: it["digest"].as_str().unwrap().to_owned(), what });
        }
        waits
    }
}

impl Records {
    /// None before there is a database with its schema.
    pub(super) fn of(data: &Path) -> Option<Self> {
        let file = data.join("orion.db");
        if !file.is_file() {
            return None;
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut database = SqliteConnectOptions::new().filename(file).connect().await.unwrap();
            let there = "SELECT name FROM sqlite_schema WHERE name = 'queued'";
            let records = match text(&mut database, there, None).await.is_empty() {
                true => None,
                false => Some(read(&mut database).await),
            };
            database.close().await.unwrap();
            records
        })
    }

    /// The turn that is to be gone on with: the latest that is not over. One that its session has left behind is, as long as it writes a file or
    /// waits for the person.
    pub(super) fn open(&self) -> Option<&Turn> {
        let open = |turn: &&Turn| {
            !turn.is_over() && (!self.is_left(turn) || turn.writes() || turn.waits().is_some())
        };
        self.turns.iter().rfind(open)
    }

    /// The session has gone on without the turn.
    fn is_left(&self, turn: &Turn) -> bool {
        self.turns.iter().any(|other| other.parent.as_deref() == Some(&turn.request))
    }

    /// The turns that this one follows, the nearest first.
    pub(super) fn before<'a>(&'a self, turn: &'a Turn) -> impl Iterator<Item = &'a Turn> {
        let parent = |turn: &&'a Turn| {
            let parent = turn.parent.as_deref()?;
            self.turns.iter().find(|other| other.request == parent)
        };
        std::iter::successors(parent(&turn), parent)
    }
}

async fn read(database: &mut SqliteConnection) -> Records {
    let mut faults = text(database, "SELECT * FROM pragma_integrity_check", None).await;
    faults.retain(|said| said != "ok");
    let foreign =
        "SELECT \"table\" || ' ' || coalesce(rowid, '') || ' ' || parent FROM pragma_foreign_key_check";
    faults.extend(text(database, foreign, None).await);
    let queued = text(database, "SELECT body FROM queued ORDER BY place", None).await;
    let turns = "SELECT json_array(request_id, session_id, state, parent_request_id) FROM turns ORDER BY started_at_ms, ordinal";
    let mut all = Vec::new();
    for turn in text(database, turns, None).await {
        let [request, session, state, parent]: [Option<String>; 4] = serde_json::from_str(&turn).unwrap();
        let [request, session, state] = [request, session, state].map(Option::unwrap);
        let events = "SELECT body FROM journal WHERE request_id = ? AND kind = 'event' ORDER BY n";
        let events = text(database, events, Some(&request)).await;
        let said = "SELECT CAST(body AS TEXT) FROM turn_texts JOIN blobs USING (sha256)
            WHERE request_id = ? AND kind = 'said' ORDER BY id";
        let outcomes = "SELECT name FROM outcomes WHERE request_id = ?";
        all.push(Turn {
            events: events.iter().map(|event| serde_json::from_str(event).unwrap()).collect(),
            said: text(database, said, Some(&request)).await,
            outcomes: text(database, outcomes, Some(&request)).await,
            request,
            session,
            state,
            parent,
        });
    }
    Records { faults, turns: all, queued }
}

async fn text(database: &mut SqliteConnection, sql: &'static str, bound: Option<&str>) -> Vec<String> {
    let query = sqlx::query_scalar(sql);
    let query = match bound {
        Some(bound) => query.bind(bound.to_owned()),
        None => query,
    };
    query.fetch_all(database).await.unwrap_or_else(|error| panic!("{sql}: {error}"))
}
