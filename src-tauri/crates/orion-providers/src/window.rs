//! Asks an endpoint which window is in force (X2): once for each model in a process, while its first answer streams, without holding up the turn.
//! The answer counts from the next turn on. An endpoint that reports no window works too.
//!
//! An unknown server is identified by its answer. Deliberately not here: what follows from the number (`orion-engine`).

use std::time::Duration;

use memchr::memmem;
use orion_core::tool::ToolSet;
use orion_engine::learned::{Asked, Server};
use orion_engine::received::Received;
use reqwest::Url;
use reqwest::header::HeaderMap;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::body;
use crate::call::{HttpEndpoint, is_llama_cpp, start_of_body};
use crate::error::Refused;
use crate::lenient::{self, Count, List, Maybe, Text};
use crate::models;
use crate::probe::Renderer;

/// How long the answer may take: 10 s. Nobody waits for it; a server that is busy with the turn has the time.
const PATIENCE: Duration = Duration::from_secs(10);

/// Windows that are believed, in tokens: those that a person can set.
const BELIEVED: std::ops::RangeInclusive<u32> = 1_024..=10_000_000;

/// Where the number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Question {
    /// llama.cpp: `GET /props`, what one slot has.
    Props,
    /// Ollama: `GET /api/ps`, the models that are loaded.
    Running,
    /// vLLM and others: `GET {base}/models`.
    Models,
}

impl Question {
    /// The server that has this question.
    fn renderer(self) -> Renderer {
        match self {
            Self::Props => Renderer::LlamaCpp,
            Self::Running => Renderer::Ollama,
            Self::Models => Renderer::Vllm,
        }
    }

    /// By what the server says of itself: the field `Server` of its answer, or the fingerprint in the first event.
    fn of(headers: &HeaderMap, first: &[u8]) -> Self {
        if is_llama_cpp(headers) {
            Self::Props
        } else if fingerprint(first).as_deref() == Some("fp_ollama") {
            Self::Running
        } else {
            Self::Models
        }
    }
}

/// `system_fingerprint` of the first event, if it came whole.
fn fingerprint(first: &[u8]) -> Option<String> {
    let start = memmem::find(first, b"{")?;
    let line = first.get(start..)?.split(|byte| *byte == b'\n').next()?;
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Event {
        system_fingerprint: Text,
    }
    serde_json::from_slice::<Event>(line).ok()?.system_fingerprint.some()
}

impl HttpEndpoint {
    /// Asks, where nobody has asked yet: for the window, unless somebody has set it, and how messages with these tools are rendered, unless it is a hosted
    /// service.
    pub(crate) fn ask(&self, headers: &HeaderMap, first: &[u8], tools: &ToolSet) {
        let question = Question::of(headers, first);
        let near = self.line.target.host.near && !tools.is_empty();
        let asks_window = self.asks_window && self.learned.ask(Asked::Window);
        let renderer = Some(question.renderer()).filter(|_| near && self.learned.ask(Asked::Rendering));
        if !asks_window && renderer.is_none() {
            return;
        }
        let (endpoint, tools) = (self.clone(), tools.clone());
        tokio::spawn(async move {
            if asks_window {
                let said = tokio::time::timeout(PATIENCE, endpoint.window(question)).await;
                // A server that cannot be reached says nothing, also not that it has no number.
                if let Ok(Some(said)) = said {
                    let said = said.filter(|window| BELIEVED.contains(window));
                    endpoint.learned.note(|facts| facts.says_window(said));
                }
            }
            if let Some(renderer) = renderer {
                endpoint.probe(renderer, &tools).await;
            }
        });
    }

    /// Asks it all now, as a person wants to know it.
    pub(crate) async fn ask_now(&self, tools: &ToolSet) {
        // What came until then is noted.
        let _ = tokio::time::timeout(PATIENCE, self.ask_all(tools)).await;
    }

    async fn ask_all(&self, tools: &ToolSet) {
        let mut server = None;
        for renderer in [Renderer::LlamaCpp, Renderer::Ollama, Renderer::Vllm] {
            if server.is_none() && self.line.target.host.near {
                server = self.named(renderer).await;
            }
        }
        if server.is_some() {
            self.learned.note(|facts| facts.server = server);
        }
        let named = server.and_then(Renderer::of);
        if self.asks_window {
            let question = match named {
                Some(Renderer::LlamaCpp) => Question::Props,
                Some(Renderer::Ollama) => Question::Running,
                Some(Renderer::Vllm) | None => Question::Models,
            };
            if let Ok(Some(said)) = tokio::time::timeout(PATIENCE, self.window(question)).await {
                let said = said.filter(|window| BELIEVED.contains(window));
                self.learned.note(|facts| facts.says_window(said));
            }
        }
        if let Some(renderer) = named {
            self.probe(renderer, tools).await;
        }
    }

    /// What the endpoint says. None where it cannot be reached.
    async fn window(&self, question: Question) -> Option<Option<u32>> {
        let target = &self.line.target;
        let url = match question {
            Question::Props => target.beside(&["props"]),
            Question::Running => target.beside(&["api", "ps"]),
            Question::Models => target.models(),
        };
        let body = match self.said(url).await {
            Ok(body) => body,
            Err(refused) => return refused.has_answer.then_some(None),
        };
        Some(match question {
            Question::Props => match props(&body) {
                None => self.routed_window().await,
                window => window,
            },
            Question::Running => running(&body, &self.model),
            Question::Models if models::read(&body).is_some_and(|list| models::is_lm_studio(&list)) => {
                self.window_in_memory().await
            }
            Question::Models => listed(&body, &self.model, !target.host.local),
        })
    }

    /// llama.cpp's router has several models, and says the window of the one that it is asked for.
    async fn routed_window(&self) -> Option<u32> {
        let mut url = self.line.target.beside(&["props"]);
        url.query_pairs_mut().append_pair("model", &self.model);
        props(&self.said(url).await.ok()?)
    }

    /// LM Studio's own list has the window that a model in memory runs with.
    async fn window_in_memory(&self) -> Option<u32> {
        self.learned.note(|facts| facts.server = Some(Server::LmStudio));
        let own = self.line.own_list().await;
        own.into_iter().find(|model| model.id == self.model && model.loaded == Some(true))?.context_length
    }

    /// The body of an answer.
    async fn said(&self, url: Url) -> Result<String, Refused> {
        let response = self.line.send(self.line.client.get(url), &Received::default()).await?;
        Ok(start_of_body(body::pieces(response), models::BODY_LIMIT).await)
    }
}

fn read<T: DeserializeOwned>(body: &str) -> Option<T> {
    lenient::read(body.trim_start_matches('\u{feff}')).ok()
}

/// llama.cpp.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Settings {
    n_ctx: Count,
}

fn props(body: &str) -> Option<u32> {
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Props {
        default_generation_settings: Maybe<Settings>,
    }
    read::<Props>(body)?.default_generation_settings.0?.n_ctx.0
}

fn running(body: &str, model: &str) -> Option<u32> {
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Running {
        models: List<Loaded>,
    }
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Loaded {
        name: Text,
        model: Text,
        context_length: Count,
    }
    // Ollama takes a name without a tag for the one with the tag `latest`.
    let tagged = if model.contains(':') { model.to_owned() } else { format!("{model}:latest") };
    let is_it = |loaded: &Loaded| {
        [&loaded.name.0, &loaded.model.0].iter().any(|name| **name == model || **name == tagged)
    };
    read::<Running>(body)?.models.0.into_iter().find(is_it)?.context_length.0
}

/// `max_model_len` is what is in force. What a hosted service lists under other names is what it serves; a server on this computer lists there what
/// the model could have.
fn listed(body: &str, model: &str, hosted: bool) -> Option<u32> {
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Listing {
        data: List<Entry>,
    }
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Entry {
        id: Text,
        /// vLLM.
        max_model_len: Count,
        /// OpenRouter, Together.
        context_length: Count,
        /// Groq.
        context_window: Count,
        /// llama.cpp behind a server of another name.
        meta: Maybe<Settings>,
    }
    let entry = read::<Listing>(body)?.data.0.into_iter().find(|entry| entry.id.0 == model)?;
    let served = [entry.context_length.0, entry.context_window.0].into_iter().flatten().next();
    let in_force = entry.max_model_len.0.or(entry.meta.0.and_then(|meta| meta.n_ctx.0));
    in_force.or(served.filter(|_| hosted))
}

#[cfg(test)]
mod tests {
    use reqwest::header::SERVER;

    use super::*;

    #[test]
    fn each_server_says_its_window_in_its_own_way() {
        assert_eq!(
            props(r#"{"default_generation_settings":{"n_ctx":4096,"params":{}},"total_slots":1}"#),
            Some(4_096)
        );
        let loaded = r#"{"models":[{"name":"other:latest","context_length":1},{"name":"m:latest","model":"m:latest","context_length":4096}]}"#;
        assert_eq!(
            ["m", "m:latest", "m:7b"].map(|model| running(loaded, model)),
            [Some(4_096), Some(4_096), None]
        );
        let list = r#"{"data":[{"id":"a","max_model_len":8192},{"id":"b","context_length":131072},{"id":"c","context_window":16384},{"id":"e","meta":{"n_ctx":4096,"n_ctx_train":8192}}]}"#;
        assert_eq!(
            ["a", "b", "c", "d"].map(|model| listed(list, model, true)),
            [Some(8_192), Some(131_072), Some(16_384), None]
        );
        assert_eq!(
            ["a", "b", "c", "e"].map(|model| listed(list, model, false)),
            [Some(8_192), None, None, Some(4_096)]
        );
    }

    #[test]
    fn what_is_not_as_expected_says_nothing() {
        for body in
            ["", "<html>", "[]", "{}", "null", r#"{"data":1,"models":"x","default_generation_settings":[]}"#]
        {
            assert_eq!(
                (props(body), running(body, "m"), listed(body, "m", true)),
                (None, None, None),
                "{body}"
            );
        }
        for number in ["-1", "1e99", "\"x\"", "null", "99999999999999999999"] {
            let body = format!(r#"{{"default_generation_settings":{{"n_ctx":{number}}}}}"#);
            assert_eq!(props(&body), None, "{number}");
        }
    }

    #[test]
    fn a_server_is_told_by_what_it_says_of_itself() {
        let headers = |server: &'static str| HeaderMap::from_iter([(SERVER, server.parse().unwrap())]);
        let ollama = b"data: {\"id\":\"chatcmpl-1\",\"system_fingerprint\":\"fp_ollama\",\"choices\":[]}\n\n";
        assert_eq!(Question::of(&headers("llama.cpp"), b""), Question::Props);
        assert_eq!(Question::of(&HeaderMap::new(), ollama), Question::Running);
        assert_eq!(Question::of(&headers("uvicorn"), b"data: {\"choices\":[]}\n\n"), Question::Models);
        // Words of an answer are no fingerprint, and half an event has none.
        let text = b"data: {\"choices\":[{\"delta\":{\"content\":\"system_fingerprint fp_ollama\"}}]}\n\n";
        assert_eq!(Question::of(&HeaderMap::new(), text), Question::Models);
        assert_eq!(Question::of(&HeaderMap::new(), &ollama[..60]), Question::Models);
    }
}
