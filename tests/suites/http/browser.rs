//! Pages of other origins in a real browser (H1).
#![cfg(unix)]

use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};
use support::{Folder, Script, ScriptedModel, Turn, within};

use super::Bed;

/// The browser that the UI is tested in, for as long as this is kept.
struct Browser(Child);

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn browser(page: &str, profile: &Folder) -> Browser {
    let program = std::env::var("ORION_CHROMIUM").unwrap_or("/usr/bin/chromium-headless-shell".into());
    let browser = Command::new(program)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-port=0"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(page)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the browser that `cargo xtask test` installs");
    Browser(browser)
}

/// Calls a server in each of the ways that a page has, and tells what came of it.
const PAGE: &str = r#"<!doctype html><script type="module">
const { address, token } = JSON.parse(decodeURIComponent(location.hash.slice(1)));
const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
const body = JSON.stringify({ content: 'Hello?' });
const tried = async (path, init) => {
  try {
    const answer = await fetch(address + path, init);
    return `${answer.type} ${answer.status}`;
  } catch {
    return 'refused';
  }
};
const told = [
  await tried('/api/v1/projects', { headers }),
  await tried('/api/v1/turns', { method: 'POST', headers, body }),
  await tried('/api/v1/turns', { method: 'POST', mode: 'no-cors', body }),
  await tried('/api/v1/projects', { mode: 'no-cors' }),
];
await fetch('/v1/told', { method: 'POST', body: JSON.stringify(told) });
</script>"#;

/// A model whose server has the page too, and the end of a line on which the page tells what came of it.
fn page() -> (ScriptedModel, Receiver<Value>) {
    let (tell, told) = channel();
    let html = |turn: Turn| turn.header("content-type", "text/html").body(PAGE);
    let model = Script::new()
        .page("/v1/page", html)
        .page("/favicon.ico", |turn| turn.body(""))
        .post("/v1/told", move |request| {
            tell.send(request.body.clone()).unwrap();
            Turn::default().body("{}")
        })
        .forever(|_, _| Turn::default().text("Hello.").end("stop"))
        .start();
    (model, told)
}

/// The answers that a page of the model's origin got; the server is called by its own name.
async fn told(bed: &Bed, model: &ScriptedModel, told: Receiver<Value>) -> Value {
    let profile = Folder::empty();
    let data = json!({ "address": bed.address, "token": bed.token }).to_string();
    let data: String = data.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let _browser = browser(&format!("{}/page#{data}", model.base_url()), &profile);
    within("the page", tokio::task::spawn_blocking(move || told.recv().unwrap())).await.unwrap()
}

#[tokio::test]
async fn a_page_of_another_origin_reaches_nothing_even_with_the_token() {
    // H1
    let (model, line) = page();
    let bed = Bed::new(&model);
    // Without CORS a page may send, and reads nothing; what it sent was refused.
    let expected = json!(["refused", "refused", "opaque 0", "opaque 0"]);
    assert_eq!(told(&bed, &model, line).await, expected);
    assert_eq!(bed.get("/api/v1/sessions").await["sessions"], json!([]));
    assert_eq!(model.requests().len(), 0);
}

#[tokio::test]
async fn a_page_whose_origin_was_allowed_calls_with_the_token_alone() {
    // H1, H2
    let (model, line) = page();
    let origin = model.base_url().trim_end_matches("/v1").to_owned();
    let bed = Bed::with(&model, &["--allow-origin", &origin]);
    let told = told(&bed, &model, line).await;
    assert_eq!(told, json!(["cors 200", "cors 201", "opaque 0", "opaque 0"]));
    let sessions = bed.get("/api/v1/sessions").await["sessions"].clone();
    assert_eq!(sessions.as_array().map(Vec::len), Some(1));
}
