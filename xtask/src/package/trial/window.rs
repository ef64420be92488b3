//! The installed window, opened and driven by WebKit's driver of the system that it is installed in. `curl` talks to the driver.

use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::root::{As, Root};
use crate::step::{ask, command, say};

/// How long the page, or an answer, may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(250);

/// Opens the window on a folder, asks a question, waits for the answer, and keeps a picture of it.
pub(super) fn ask_in_window(root: &Root, folder: &str, question: &str, picture: &Path) -> Result<()> {
    let port =
        TcpListener::bind(("127.0.0.1", 0)).and_then(|it| it.local_addr()).context("no port is free")?.port();
    // Not in the place of the shell, which is the first process of its system: a display does not tell that one that it is there.
    let driver = format!("xvfb-run --auto-servernum WebKitWebDriver --port={port} --host=127.0.0.1; exit");
    say("opening the installed window, and asking the demo model in it");
    let _driver = root.start(As::Person, &driver)?;
    let asked = Driven { address: format!("http://127.0.0.1:{port}") };
    let began = format!(
        r#"{{"capabilities":{{"alwaysMatch":{{"webkitgtk:browserOptions":{{"binary":"/usr/bin/orion-desktop","args":["--project","{folder}"]}}}}}}}}"#
    );
    let began = until("the window", || asked.post("/session", &began))?;
    let session = format!("/session/{}", field(&began, "sessionId").context("the driver names no session")?);
    let composer = r#"{"using":"css selector","value":"[data-testid='composer']"}"#;
    let composer = until("the composer", || {
        let found = asked.post(&format!("{session}/element"), composer)?;
        field(&found, "element-6066-11e4-a52e-4f735466cecf")
    })?;
    // U+E007 is Enter.
    asked
        .post(&format!("{session}/element/{composer}/value"), &format!(r#"{{"text":"{question}\uE007"}}"#))
        .context("the composer takes no keys")?;
    let state = r#"{"script":"return [...document.querySelectorAll(\"[data-testid='state']\")].map((it) => it.innerText).join()","args":[]}"#;
    until("the answer", || {
        let state = asked.post(&format!("{session}/execute/sync"), state)?;
        state.contains("Answered").then_some(())
    })?;
    let shown = asked.get(&format!("{session}/screenshot")).context("the window gave no picture")?;
    keep(&field(&shown, "value").context("the window gave no picture")?, picture)?;
    // The driver ends the window as a person who closes it.
    asked.delete(&session);
    Ok(())
}

struct Driven {
    address: String,
}

impl Driven {
    fn post(&self, path: &str, body: &str) -> Option<String> {
        self.curl(&["--header", "Content-Type: application/json", "--data", body], path)
    }

    fn get(&self, path: &str) -> Option<String> {
        self.curl(&[], path)
    }

    fn delete(&self, path: &str) {
        let _ = self.curl(&["--request", "DELETE"], path);
    }

    fn curl(&self, arguments: &[&str], path: &str) -> Option<String> {
        let mut curl = command("curl", &["--silent", "--fail", "--noproxy", "*", "--max-time", "60"]);
        ask(curl.args(arguments).arg(format!("{}{path}", self.address)))
    }
}

/// The text of a field in an answer of the driver: an id, or a picture as base64. Neither has a character that JSON escapes.
fn field(answer: &str, name: &str) -> Option<String> {
    let (_, rest) = answer.split_once(&format!("\"{name}\":\""))?;
    Some(rest.split_once('"')?.0.replace("\\/", "/"))
}

fn keep(base64: &str, picture: &Path) -> Result<()> {
    let encoded = picture.with_extension("base64");
    std::fs::write(&encoded, base64).context("the picture cannot be written")?;
    let decode = r#"base64 --decode "$1" > "$2" && rm "$1""#;
    let decoded = command("sh", &["-c", decode, "sh"]).arg(&encoded).arg(picture).status();
    if !decoded.is_ok_and(|status| status.success()) {
        bail!("the picture cannot be decoded");
    }
    say(&format!("the picture is {}", picture.display()));
    Ok(())
}

fn until<T>(what: &str, look: impl Fn() -> Option<T>) -> Result<T> {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return Ok(found);
        }
        if began.elapsed() > PATIENCE {
            bail!("waited {} s for {what}", PATIENCE.as_secs());
        }
        std::thread::sleep(LOOK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_of_an_answer_is_its_text() {
        let answer = r#"{"value":{"sessionId":"a-1","capabilities":{}}}"#;
        assert_eq!(field(answer, "sessionId").as_deref(), Some("a-1"));
        assert_eq!(field(r#"{"value":"iVBO\/w=="}"#, "value").as_deref(), Some("iVBO/w=="));
        assert_eq!(field(answer, "other"), None);
    }
}
