//! A small client of the W3C WebDriver protocol: as much of it as driving one window takes.
//!
//! Deliberately not here: starting a driver or a window, and waiting for things to be seen, which is in `desktop`.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

/// How long one command may take: far more than any takes, and less than a test's deadline.
const COMMAND: Duration = Duration::from_secs(30);

/// How long a session may take to start: a cold webview on a loaded machine.
const START: Duration = Duration::from_secs(60);

/// The key under which an element's reference travels (WebDriver, section 12.1).
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// What a command came to when it did not work: the protocol's error code and what the driver said, or no answer at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebDriverError {
    pub code: String,
    pub message: String,
}

impl std::fmt::Display for WebDriverError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

/// An element of the page; stale once the page replaced it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element(String);

/// Keys that are no characters (WebDriver, section 17.4.2).
pub mod keys {
    pub const ENTER: char = '\u{E007}';
    pub const ESCAPE: char = '\u{E00C}';
    pub const TAB: char = '\u{E004}';
    pub const CONTROL: char = '\u{E009}';
    pub const SHIFT: char = '\u{E008}';
    pub const ALT: char = '\u{E00A}';
}

/// A window under control of a driver.
#[derive(Debug, Clone)]
pub struct Session {
    http: reqwest::Client,
    address: String,
}

impl Session {
    /// Starts a program through the driver that listens on this port.
    pub async fn start(port: u16, program: &str, arguments: &[String]) -> Result<Self, WebDriverError> {
        let http = reqwest::Client::builder().no_proxy().build().map_err(|error| no_answer(&error))?;
        let driver = Self { http, address: format!("http://127.0.0.1:{port}") };
        let options = json!({ "binary": program, "args": arguments });
        let capabilities = json!({ "alwaysMatch": { "webkitgtk:browserOptions": options } });
        let started =
            driver.send(Method::POST, "session", json!({ "capabilities": capabilities }), START).await?;
        let id = started["sessionId"].as_str().unwrap_or_default();
        Ok(Self { address: format!("{}/session/{id}", driver.address), ..driver })
    }

    /// The elements that a CSS selector finds, in the order of the page.
    pub async fn find_all(&self, css: &str) -> Result<Vec<Element>, WebDriverError> {
        let found = self.post("elements", json!({ "using": "css selector", "value": css })).await?;
        let elements = found.as_array().map_or(&[][..], Vec::as_slice);
        Ok(elements
            .iter()
            .filter_map(|element| Some(Element(element[ELEMENT].as_str()?.to_owned())))
            .collect())
    }

    /// Clicks in the middle of an element, after scrolling it into view, as a mouse would: what lies over it gets the click.
    pub async fn click(&self, element: &Element) -> Result<(), WebDriverError> {
        self.post(&format!("element/{}/click", element.0), json!({})).await.map(drop)
    }

    /// Presses the right button of the mouse in the middle of an element that is in view.
    pub async fn right_click(&self, element: &Element) -> Result<(), WebDriverError> {
        let mouse = json!({
            "type": "pointer",
            "id": "mouse",
            "actions": [
                { "type": "pointerMove", "duration": 0, "origin": { ELEMENT: element.0 }, "x": 0, "y": 0 },
                { "type": "pointerDown", "button": 2 },
                { "type": "pointerUp", "button": 2 },
            ],
        });
        self.post("actions", json!({ "actions": [mouse] })).await.map(drop)
    }

    /// Types into an element, behind what is there.
    pub async fn type_into(&self, element: &Element, text: &str) -> Result<(), WebDriverError> {
        self.post(&format!("element/{}/value", element.0), json!({ "text": text })).await.map(drop)
    }

    /// Empties a field.
    pub async fn clear(&self, element: &Element) -> Result<(), WebDriverError> {
        self.post(&format!("element/{}/clear", element.0), json!({})).await.map(drop)
    }

    /// The text of an element as it is seen.
    pub async fn text(&self, element: &Element) -> Result<String, WebDriverError> {
        let text =
            self.send(Method::GET, &format!("element/{}/text", element.0), Value::Null, COMMAND).await?;
        Ok(text.as_str().unwrap_or_default().to_owned())
    }

    /// Presses these keys together, in order, and lets them go, wherever the focus is.
    pub async fn press(&self, chord: &[char]) -> Result<(), WebDriverError> {
        let down = chord.iter().map(|key| json!({ "type": "keyDown", "value": key }));
        let up = chord.iter().rev().map(|key| json!({ "type": "keyUp", "value": key }));
        let actions: Vec<Value> = down.chain(up).collect();
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": actions });
        self.post("actions", json!({ "actions": [keyboard] })).await.map(drop)
    }

    /// Runs the body of a function in the page and gives what it returns, awaited.
    pub async fn execute(&self, body: &str, arguments: Value) -> Result<Value, WebDriverError> {
        self.post("execute/sync", json!({ "script": body, "args": arguments })).await
    }

    pub async fn resize(&self, width: u32, height: u32) -> Result<(), WebDriverError> {
        self.post("window/rect", json!({ "width": width, "height": height })).await.map(drop)
    }

    pub async fn reload(&self) -> Result<(), WebDriverError> {
        self.post("refresh", json!({})).await.map(drop)
    }

    /// Ends the session and with it the program.
    pub async fn delete(&self) -> Result<(), WebDriverError> {
        self.send(Method::DELETE, "", Value::Null, COMMAND).await.map(drop)
    }

    async fn post(&self, path: &str, body: Value) -> Result<Value, WebDriverError> {
        self.send(Method::POST, path, body, COMMAND).await
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Value,
        limit: Duration,
    ) -> Result<Value, WebDriverError> {
        let url = format!("{}/{path}", self.address);
        let mut request = self.http.request(method, url.trim_end_matches('/')).timeout(limit);
        if !body.is_null() {
            request = request.json(&body);
        }
        let response = request.send().await.map_err(|error| no_answer(&error))?;
        let failed = !response.status().is_success();
        let mut answer: Value = response.json().await.map_err(|error| no_answer(&error))?;
        let value = answer["value"].take();
        if failed {
            let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
            return Err(WebDriverError { code: text("error"), message: text("message") });
        }
        Ok(value)
    }
}

fn no_answer(error: &reqwest::Error) -> WebDriverError {
    WebDriverError { code: "no answer".to_owned(), message: format!("{error:?}") }
}
