//! Two turns of one session with the command line, and the renderings of all that was sent in them.

use std::process::Command;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use support::{Script, ScriptedModel, Turn, binary};

/// Renders the messages and tools of a request, as a server does. A refusal is in the server's words.
pub(crate) type Renderer = Arc<dyn Fn(&Value) -> Result<String, String> + Send + Sync>;

/// What became of the requests.
pub(crate) struct Judged {
    /// The form of results that Orion chose.
    pub(crate) form: String,
    /// The first thing that is lost, moved or refused.
    pub(crate) wrong: Option<String>,
    /// The part of the rendering of a request with which the next one of its turn begins: the least.
    pub(crate) share: f64,
}

/// A word of each message, in their order. The files that are read have the third and the fifth.
const WORDS: [&str; 7] = ["zqask1", "zqsays1", "zqfile1", "zqsays2", "zqfile2", "zqanswer1", "zqask2"];

/// The words that each request has: those of the first so many messages.
const IN_REQUEST: [usize; 4] = [1, 3, 5, 7];

/// # Errors
/// The first request is not rendered at all, or the turns do not run.
pub(crate) fn judge(render: Renderer) -> Result<Judged> {
    let project = tempfile::tempdir()?;
    std::fs::write(project.path().join("a.txt"), format!("{}\n", WORDS[2]))?;
    std::fs::write(project.path().join("b.txt"), format!("{}\n", WORDS[4]))?;
    let home = tempfile::tempdir()?;
    let model = server(render.clone());
    let url = model.base_url();
    let orion = |arguments: &[&str]| -> Result<Vec<u8>> {
        let mut command = Command::new(binary("orion"));
        command.env_clear().current_dir(project.path()).args(arguments).args([
            "--base-url",
            &url,
            "--model",
            "m",
        ]);
        command.env("HOME", home.path()).env("ORION_CONFIG_DIR", home.path().join("config"));
        command.env("ORION_DATA_DIR", home.path().join("data"));
        let output = command.output()?;
        if !output.status.success() {
            bail!("orion {}: {}", arguments[0], String::from_utf8_lossy(&output.stderr));
        }
        Ok(output.stdout)
    };
    let known: Value = serde_json::from_slice(&orion(&["models", "check", "--json"])?)?;
    let form = known["resultsAs"].as_str().unwrap_or_default().to_owned();
    orion(&["run", WORDS[0]])?;
    orion(&["run", "--continue", WORDS[6]])?;
    let sent: Vec<Value> = model.requests().into_iter().map(|request| request.body).collect();
    let rendered: Vec<_> = sent.iter().map(|request| render(request)).collect();
    if let Some(Err(refusal)) = rendered.first() {
        bail!("{refusal}");
    }
    if rendered.len() != IN_REQUEST.len() {
        bail!("{} requests were sent", rendered.len());
    }
    let wrong = rendered.iter().zip(IN_REQUEST).enumerate().find_map(|(at, (rendered, words))| {
        let fault = match rendered {
            Ok(rendered) => fault(rendered, &WORDS[..words])?,
            Err(refusal) => format!("refused: {}", refusal.lines().next().unwrap_or_default()),
        };
        Some(format!("request {}: {fault}", at + 1))
    });
    let texts: Vec<&str> = rendered.iter().map(|rendered| rendered.as_deref().unwrap_or_default()).collect();
    let of_a_turn = texts.get(..3).context("three requests")?;
    let share = of_a_turn.windows(2).map(|pair| share(pair[0], pair[1])).fold(1.0, f64::min);
    Ok(Judged { form, wrong, share })
}

/// A server that names itself and renders as llama.cpp does, and whose model reads both files.
fn server(render: Renderer) -> ScriptedModel {
    let call = |text: &'static str, path: &'static str| {
        move |turn: Turn| turn.text(text).call("read_file", json!({ "path": path })).end("tool_calls")
    };
    let props = json!({ "default_generation_settings": { "n_ctx": 32_768 } }).to_string();
    Script::new()
        .turn(call(WORDS[1], "a.txt"))
        .turn(call(WORDS[3], "b.txt"))
        .turn(|turn| turn.text(WORDS[5]).end("stop"))
        .turn(|turn| turn.text("Yes.").end("stop"))
        .page("/props", |page| page.header("server", "llama.cpp").body(props))
        .post("/apply-template", move |request| match render(&request.body) {
            Ok(prompt) => Turn::default().body(json!({ "prompt": prompt }).to_string()),
            Err(refusal) => {
                let error = json!({ "error": { "code": 500, "message": refusal, "type": "server_error" } });
                Turn::default().status(500).body(error.to_string())
            }
        })
        .start()
}

/// What is lost or moved in a rendering that should have these words in this order.
fn fault(rendered: &str, words: &[&str]) -> Option<String> {
    let mut after = 0;
    for word in words {
        match rendered.find(word) {
            None => return Some(format!("{word} is lost")),
            Some(place) if place < after => return Some(format!("{word} is moved")),
            Some(place) => after = place,
        }
    }
    None
}

/// The part of a rendering with which a later one begins.
fn share(before: &str, after: &str) -> f64 {
    let same = before.bytes().zip(after.bytes()).take_while(|(before, after)| before == after).count();
    same as f64 / before.len().max(1) as f64
}
