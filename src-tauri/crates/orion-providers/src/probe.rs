//! The server's own rendering of seven messages (R1): it shows which form of results a model's chat template prints where it belongs.
//!
//! Only a server that is not a hosted service, and that has named itself in an answer to a GET, is asked, once for each model in a process, while nobody waits.
//! It computes nothing with the messages. Anything odd means that nothing is known. Deliberately not here: what follows from it (the profile,
//! in [`crate::call`]).

use std::time::Duration;

use orion_core::model::{CallMade, Message, Profile, Reasoning, ResultsAs};
use orion_core::tool::ToolSet;
use orion_engine::learned::{Printed, Server};
use orion_engine::received::Received;
use reqwest::Url;
use reqwest::header::CONTENT_TYPE;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::body;
use crate::call::{HttpEndpoint, is_llama_cpp, start_of_body};
use crate::messages::messages;
use crate::models::{self, BODY_LIMIT};
use crate::request::tools;

/// How long all questions of a probe may take together: 10 s. A rendering takes a few milliseconds; a server that is busy with the turn has the time.
const PATIENCE: Duration = Duration::from_secs(10);

/// The most bytes of one answer: 256 KiB, many times what seven short messages and all tools are.
const RENDERING_LIMIT: usize = 256 << 10;

/// A word for each of the seven messages, in their order. Nothing else that is sent has them.
const MARKS: [&str; 7] =
    ["qzsystem0vk", "qzasks1vk", "qzsays2vk", "qzresult3vk", "qzanswers4vk", "qzasks5vk", "qzword6vk"];

/// The word of the thought beside the first call.
const THOUGHT: &str = "qzthinks7vk";

/// Messages up to the first result.
const SHORTER: usize = 4;

/// The forms, in the order in which they are tried: the first that is printed whole and in order is taken.
const FORMS: [ResultsAs; 3] = [ResultsAs::Tool, ResultsAs::User, ResultsAs::System];

/// A server that renders messages without computing anything with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Renderer {
    /// llama.cpp: `POST /apply-template`.
    LlamaCpp,
    /// Ollama: its chat route, with `_debug_render_only`.
    Ollama,
    /// vLLM: `POST /tokenize`.
    Vllm,
}

impl Renderer {
    pub(crate) fn of(server: Server) -> Option<Self> {
        match server {
            Server::LlamaCpp => Some(Self::LlamaCpp),
            Server::Ollama => Some(Self::Ollama),
            Server::Vllm => Some(Self::Vllm),
            Server::Sglang | Server::LmStudio => None,
        }
    }
}

impl HttpEndpoint {
    /// Finds out which form is printed, and notes it.
    pub(crate) async fn probe(&self, renderer: Renderer, tools: &ToolSet) {
        let probed = tokio::time::timeout(PATIENCE, async {
            let server = self.named(renderer).await?;
            self.learned.note(|facts| facts.server = Some(server));
            if Renderer::of(server) != Some(renderer) {
                return None;
            }
            self.printed(renderer, tools).await
        });
        if let Ok(Some(printed)) = probed.await {
            self.learned.note(|facts| facts.printed = Some(printed));
        }
    }

    /// The server as it names itself where one that renders in this way does.
    pub(crate) async fn named(&self, renderer: Renderer) -> Option<Server> {
        let target = &self.line.target;
        let url = match renderer {
            Renderer::LlamaCpp => target.beside(&["props"]),
            Renderer::Ollama => target.beside(&[]),
            Renderer::Vllm => target.models(),
        };
        let asked = self.line.send(self.line.client.get(url), &Received::default()).await;
        let response = asked.ok()?;
        if renderer == Renderer::LlamaCpp {
            return is_llama_cpp(response.headers()).then_some(Server::LlamaCpp);
        }
        let body = start_of_body(body::pieces(response), BODY_LIMIT).await;
        match renderer {
            Renderer::Ollama => (body.trim() == "Ollama is running").then_some(Server::Ollama),
            _ => models::owner(&models::read(&body)?, &self.model),
        }
    }

    async fn printed(&self, renderer: Renderer, tools: &ToolSet) -> Option<Printed> {
        let mut printed = Printed { form: None, tools: false, thoughts: false, ends_in_thought: false };
        let mut rendered_any = false;
        for form in FORMS {
            let asked = seven(tools, form);
            let Some(whole) = self.rendered(renderer, &asked, form, tools).await else { continue };
            rendered_any = true;
            printed.tools |= describes(&whole, tools);
            if !is_whole(&whole) {
                continue;
            }
            let (shorter, longer) = one_and_two_calls(&asked);
            let shorter = self.rendered(renderer, shorter, form, tools).await;
            let longer = self.rendered(renderer, &longer, form, tools).await;
            if shorter.zip(longer).is_some_and(|(shorter, longer)| begins_with(&longer, &shorter)) {
                printed.form = Some(form);
                printed.ends_in_thought = ends_in_thought(&whole);
                break;
            }
        }
        if let Some(form) = printed.form {
            let mut asked = seven(tools, form);
            if let Some(Message::Assistant { reasoning, .. }) = asked.get_mut(2) {
                *reasoning = Some(Reasoning::from(THOUGHT));
            }
            let thought = self.rendered(renderer, &asked, form, tools).await;
            printed.thoughts = thought.is_some_and(|text| text.contains(THOUGHT) && is_whole(&text));
        }
        rendered_any.then_some(printed)
    }

    /// The server's rendering of these messages. None where it refuses them, or says nothing that is one.
    async fn rendered(
        &self,
        renderer: Renderer,
        asked: &[Message],
        form: ResultsAs,
        offered: &ToolSet,
    ) -> Option<String> {
        let target = &self.line.target;
        let profile = Profile { results_as: form, keeps_reasoning: true, ..self.quirks.profile.clone() };
        let said = messages(asked, &profile, self.quirks.wire);
        let (model, tools) = (&self.model, tools(offered));
        let (url, body): (Url, Value) = match renderer {
            Renderer::LlamaCpp => (
                target.beside(&["apply-template"]),
                json!({ "model": model, "messages": said, "tools": tools }),
            ),
            Renderer::Ollama => (
                target.chat(),
                json!({ "model": model, "messages": said, "tools": tools, "stream": false,
                    "max_tokens": 1, "_debug_render_only": true }),
            ),
            Renderer::Vllm => (
                target.beside(&["tokenize"]),
                json!({ "model": model, "messages": said, "tools": tools, "return_token_strs": true }),
            ),
        };
        let request =
            self.line.client.post(url).header(CONTENT_TYPE, "application/json").body(body.to_string());
        let response = self.line.send(request, &Received::default()).await.ok()?;
        let body = start_of_body(body::pieces(response), RENDERING_LIMIT).await;
        read(renderer, &body)
    }
}

fn read(renderer: Renderer, body: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Prompt {
        prompt: String,
    }
    #[derive(Deserialize)]
    struct Debugged {
        _debug_info: Template,
    }
    #[derive(Deserialize)]
    struct Template {
        rendered_template: String,
    }
    #[derive(Deserialize)]
    struct Tokens {
        token_strs: Vec<String>,
    }
    match renderer {
        Renderer::LlamaCpp => serde_json::from_str(body).ok().map(|Prompt { prompt }| prompt),
        Renderer::Ollama => {
            serde_json::from_str(body).ok().map(|debugged: Debugged| debugged._debug_info.rendered_template)
        }
        Renderer::Vllm => serde_json::from_str(body).ok().map(|Tokens { token_strs }| token_strs.concat()),
    }
}

/// Seven messages as a turn sends them, with a word in each.
fn seven(tools: &ToolSet, form: ResultsAs) -> [Message; 7] {
    let name = tools.names().next().unwrap_or("read_file");
    let [system, asks, says, result, answers, asks_again, word] = MARKS;
    let native = form == ResultsAs::Tool;
    let id = "call00001";
    let call = || CallMade {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: r#"{"path":"a.txt"}"#.to_owned(),
        extra: None,
    };
    let said = |text: &str, calls: bool| Message::Assistant {
        text: format!("I say {text}."),
        reasoning: None,
        tool_calls: Vec::from_iter((native && calls).then(call)),
    };
    let text = result.to_owned();
    let found = match native {
        true => Message::Tool { call_id: id.to_owned(), name: name.to_owned(), text, images: Vec::new() },
        false => Message::System { text },
    };
    [
        Message::System { text: system.to_owned() },
        Message::user(asks),
        said(says, true),
        found,
        said(answers, false),
        Message::user(asks_again),
        Message::System { text: word.to_owned() },
    ]
}

/// The first turn of these messages up to its first result, and the same with a further call. A later turn may begin in another way: templates leave the
/// thoughts of earlier turns out.
fn one_and_two_calls(asked: &[Message; 7]) -> (&[Message], Vec<Message>) {
    const OTHER: &str = "call00002";
    let shorter = &asked[..SHORTER];
    let mut longer = [shorter, &shorter[SHORTER - 2..]].concat();
    for message in &mut longer[SHORTER..] {
        match message {
            Message::Assistant { tool_calls, .. } => {
                tool_calls.iter_mut().for_each(|call| OTHER.clone_into(&mut call.id));
            }
            Message::Tool { call_id, .. } => OTHER.clone_into(call_id),
            Message::System { .. } | Message::User { .. } => {}
        }
    }
    (shorter, longer)
}

/// All words are there, once and in order.
fn is_whole(rendered: &str) -> bool {
    let places: Vec<_> = MARKS.iter().map(|mark| rendered.find(mark)).collect();
    places.iter().all(Option::is_some)
        && places.is_sorted()
        && MARKS.iter().all(|mark| rendered.matches(mark).count() == 1)
}

/// The longer rendering begins with the shorter one, up to the end of its last result.
fn begins_with(longer: &str, shorter: &str) -> bool {
    let mark = MARKS[SHORTER - 1];
    let end = shorter.find(mark).map(|place| place + mark.len());
    end.and_then(|end| shorter.get(..end)).is_some_and(|shorter| longer.starts_with(shorter))
}

/// The tools are described: one that the messages do not call is named.
fn describes(rendered: &str, tools: &ToolSet) -> bool {
    tools.names().skip(1).any(|name| rendered.contains(name)) || tools.len() < 2
}

/// The prompt ends in a thought that the model is to go on with: after the last word stands a tag of thinking that nothing closes.
fn ends_in_thought(rendered: &str) -> bool {
    let last = MARKS[MARKS.len() - 1];
    let Some(place) = rendered.find(last) else { return false };
    let tail = rendered.get(place + last.len()..).unwrap_or_default().to_ascii_lowercase();
    let Some(thinks) = tail.rfind("think") else { return false };
    let before = tail.get(..thinks).unwrap_or_default();
    let tag = before.rfind(['<', '[']).and_then(|opens| before.get(opens..)).unwrap_or("/");
    !tag.contains('/') && !tag.contains("end")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A template that prints each message after its role.
    fn plain(marks: &[&str]) -> String {
        marks.iter().map(|mark| format!("<|x|>{mark}\n")).collect()
    }

    #[test]
    fn a_rendering_is_whole_where_every_word_stands_once_and_in_its_place() {
        let mut moved = MARKS;
        moved.swap(3, 1);
        assert!(is_whole(&plain(&MARKS)));
        for wrong in [plain(&MARKS[..6]), plain(&moved), plain(&MARKS) + MARKS[3], String::new()] {
            assert!(!is_whole(&wrong), "{wrong}");
        }
    }

    #[test]
    fn the_longer_rendering_goes_on_where_the_last_result_of_the_shorter_ends() {
        let (shorter, longer) = (plain(&MARKS[..SHORTER]), plain(&MARKS));
        assert!(begins_with(&longer, &shorter));
        assert!(
            begins_with(&longer, &(shorter.clone() + "<|assistant|>")),
            "what asks for an answer is not compared"
        );
        assert!(!begins_with(&format!("<|tools|>{longer}"), &shorter));
        assert!(!begins_with(&longer, "nothing of it"));
    }

    #[test]
    fn a_prompt_that_ends_in_a_thought_is_seen_whatever_its_tag() {
        let ends = |tail: &str| ends_in_thought(&(plain(&MARKS) + tail));
        for open in ["<|assistant|>\n<think>\n", "[THINK]", "<|START_THINKING|>", "<seed:think>"] {
            assert!(ends(open), "{open}");
        }
        for closed in
            ["", "<|assistant|>", "<think>\n\n</think>\n\n", "<|START_THINKING|><|END_THINKING|>", "I think"]
        {
            assert!(!ends(closed), "{closed}");
        }
    }

    #[test]
    fn each_server_says_its_rendering_in_its_own_way() {
        let of = |renderer, body| read(renderer, body);
        assert_eq!(of(Renderer::LlamaCpp, r#"{"prompt":"a"}"#).as_deref(), Some("a"));
        assert_eq!(
            of(Renderer::Ollama, r#"{"_debug_info":{"rendered_template":"a"}}"#).as_deref(),
            Some("a")
        );
        assert_eq!(of(Renderer::Vllm, r#"{"token_strs":["qz","a"]}"#).as_deref(), Some("qza"));
        for renderer in [Renderer::LlamaCpp, Renderer::Ollama, Renderer::Vllm] {
            for odd in ["", "{}", "[]", r#"{"prompt":1,"_debug_info":null,"token_strs":[1]}"#] {
                assert_eq!(of(renderer, odd), None, "{odd}");
            }
        }
    }
}
