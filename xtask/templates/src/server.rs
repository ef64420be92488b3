//! A real llama.cpp server with one chat template, which renders requests by it.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

/// How long a server may take to load a small model: 30 s.
const START: Duration = Duration::from_secs(30);

/// A running server. It ends with this value.
#[derive(Debug)]
pub(crate) struct Llama {
    child: Child,
    address: String,
}

impl Llama {
    /// Starts it with the model of ORION_GGUF; a small one will do.
    ///
    /// # Errors
    /// It does not start, or refuses the template.
    pub(crate) fn start(program: &Path, template: &Path) -> Result<Self> {
        let model = std::env::var_os("ORION_GGUF").context("ORION_GGUF names no model")?;
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let mut command = Command::new(program);
        command.arg("--model").arg(model).args(["--host", "127.0.0.1", "--port", &port.to_string()]);
        command.args(["--ctx-size", "2048", "--jinja", "--chat-template-file"]).arg(template);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let mut llama = Self { child, address: format!("http://127.0.0.1:{port}") };
        let since = Instant::now();
        while !llama.answers() {
            if llama.child.try_wait()?.is_some() || since.elapsed() > START {
                bail!("the server does not start with this template");
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(llama)
    }

    fn answers(&self) -> bool {
        ask(&format!("{}/health", self.address), None).is_ok_and(|(status, _)| status == 200)
    }

    /// The prompt of a request, or the server's words of refusal.
    pub(crate) fn render(&self, request: &Value) -> Result<String, String> {
        let body = json!({ "messages": request["messages"], "tools": request["tools"] });
        let url = format!("{}/apply-template", self.address);
        let (status, answer) = ask(&url, Some(body.to_string())).map_err(|error| error.to_string())?;
        let answer: Value = serde_json::from_str(&answer).unwrap_or_default();
        match answer["prompt"].as_str() {
            Some(prompt) => Ok(prompt.to_owned()),
            None => {
                Err(format!("status {status}: {}", answer["error"]["message"].as_str().unwrap_or_default()))
            }
        }
    }
}

/// Status and body of an answer. In a thread of its own, since it is asked for from within other requests.
fn ask(url: &str, body: Option<String>) -> Result<(u16, String)> {
    let url = url.to_owned();
    let asked = std::thread::spawn(move || -> Result<(u16, String)> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let client = reqwest::Client::builder().no_proxy().build()?;
            let request = match body {
                Some(body) => client.post(url).header("content-type", "application/json").body(body),
                None => client.get(url),
            };
            let response = request.send().await?;
            Ok((response.status().as_u16(), response.text().await?))
        })
    });
    asked.join().map_err(|_| anyhow::anyhow!("the thread that asks the server panicked"))?
}

impl Drop for Llama {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
