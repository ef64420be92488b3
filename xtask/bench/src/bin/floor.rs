//! The floor: what any program must at least spend that asks a model over the same HTTP library, streams its answer
//! to standard output, runs the tools that it asks for, and writes the file that it sends. It checks nothing and
//! stores nothing.
//!
//! `floor BASE_URL FOLDER MESSAGE`

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use futures_util::StreamExt;
use reqwest::Client;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Event {
    #[serde(default)]
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Delta,
}

#[derive(Default, Deserialize)]
struct Delta {
    content: Option<String>,
    #[serde(default)]
    tool_calls: Vec<Fragment>,
}

#[derive(Deserialize)]
struct Fragment {
    id: Option<String>,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: Option<String>,
    #[serde(default)]
    arguments: String,
}

#[derive(Default)]
struct Call {
    id: String,
    name: String,
    arguments: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [base_url, folder, message] = &arguments[..] else { bail!("usage: floor BASE_URL FOLDER MESSAGE") };
    let client = Client::new();
    let mut messages = vec![json!({ "role": "user", "content": message })];
    while let Some(call) = ask(&client, base_url, &messages, None).await? {
        let result = run(&call, Path::new(folder))?;
        let function = json!({ "name": call.name, "arguments": call.arguments });
        let made = json!({ "id": call.id, "type": "function", "function": function });
        messages.push(json!({ "role": "assistant", "content": null, "tool_calls": [made] }));
        messages.push(json!({ "role": "tool", "tool_call_id": call.id, "content": result }));
        if call.name == "write_plan_begin" {
            let mut content = String::new();
            ask(&client, base_url, &messages, Some(&mut content)).await?;
            let text = content.strip_suffix("DONE\n").context("the end of the content")?;
            fs::write(Path::new(folder).join(call.argument("target_file")?), text)?;
            messages.push(json!({ "role": "assistant", "content": "DONE" }));
            messages.push(json!({ "role": "user", "content": "It is written." }));
        }
    }
    Ok(())
}

/// Streams one answer to standard output, or where it is kept; the call it made, if any.
async fn ask(
    client: &Client,
    base_url: &str,
    messages: &[Value],
    mut kept: Option<&mut String>,
) -> Result<Option<Call>> {
    let body = json!({ "model": "scripted", "stream": true, "messages": messages, "tools": tools() });
    let response =
        client.post(format!("{base_url}/chat/completions")).json(&body).send().await?.error_for_status()?;
    let mut stream = response.bytes_stream();
    let mut output = std::io::stdout().lock();
    let mut pending = Vec::new();
    let mut call = None;
    while let Some(piece) = stream.next().await {
        pending.extend_from_slice(&piece?);
        let mut read = 0;
        while let Some(end) = pending[read..].iter().position(|byte| *byte == b'\n') {
            let line = &pending[read..read + end];
            read += end + 1;
            let Some(data) = line.strip_prefix(b"data: ").filter(|data| *data != b"[DONE]") else { continue };
            let event: Event = serde_json::from_slice(data)?;
            for Choice { delta } in event.choices {
                match (delta.content, &mut kept) {
                    (Some(text), Some(kept)) => kept.push_str(&text),
                    (Some(text), None) => {
                        output.write_all(text.as_bytes())?;
                        output.flush()?;
                    }
                    (None, _) => {}
                }
                for fragment in delta.tool_calls {
                    let call = call.get_or_insert_with(Call::default);
                    call.id += fragment.id.as_deref().unwrap_or_default();
                    call.name += fragment.function.name.as_deref().unwrap_or_default();
                    call.arguments += &fragment.function.arguments;
                }
            }
        }
        pending.drain(..read);
    }
    Ok(call)
}

impl Call {
    fn argument(&self, name: &str) -> Result<String> {
        let arguments: Value = serde_json::from_str(&self.arguments)?;
        Ok(arguments[name].as_str().with_context(|| format!("an argument {name}"))?.to_owned())
    }
}

fn run(call: &Call, folder: &Path) -> Result<String> {
    let path = || Ok::<_, anyhow::Error>(folder.join(call.argument("path")?));
    match call.name.as_str() {
        "list_files" => {
            let mut names = Vec::new();
            for entry in fs::read_dir(path()?)? {
                names.push(entry?.file_name().to_string_lossy().into_owned());
            }
            names.sort();
            Ok(names.join("\n"))
        }
        "read_file" => Ok(fs::read_to_string(path()?)?),
        "write_plan_begin" => Ok("Send the content now, then a line DONE.".to_owned()),
        other => bail!("there is no tool {other}"),
    }
}

fn tools() -> Value {
    let tool = |name: &str, argument: &str, description: &str| {
        let parameters = json!({ "type": "object", "properties": { argument: { "type": "string" } } });
        json!({ "type": "function", "function": { "name": name, "description": description, "parameters": parameters } })
    };
    json!([
        tool("list_files", "path", "Lists a folder."),
        tool("read_file", "path", "Reads a file."),
        tool("write_plan_begin", "target_file", "Writes a file."),
    ])
}
