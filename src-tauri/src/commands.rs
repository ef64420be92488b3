//! The four commands of the webview. They decide nothing: they parse, wait until the engine is open, and pass on.

use orion_protocol::{Answer, Code, ErrorInfo, Op, Outcome, Query, RequestId, Update};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
#[cfg(target_os = "linux")]
use tauri::Manager;
use tauri::ipc::Channel;
use tauri::{State, WebviewWindow};

use crate::external;
use crate::facts::Examiner;
use crate::gate::admit;
use crate::picker::{Pick, pick};
use crate::shell::Shell;
use crate::window;

/// Where a webview that was reloaded or fell behind continues: after this durable event of this turn (T6).
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
struct After {
    request_id: RequestId,
    seq: u32,
}

#[tauri::command]
pub(crate) async fn submit(
    shell: State<'_, Shell>,
    window: WebviewWindow,
    op: Value,
) -> Result<Outcome, ErrorInfo> {
    let op = match parse(op)? {
        Op::OpenProject { path: None } => match pick(&window, Pick::Folder).await? {
            Some(path) => Op::OpenProject { path: Some(path) },
            None => return Ok(Outcome::Cancelled),
        },
        Op::Import { path: None } => match pick(&window, Pick::Exported).await? {
            Some(path) => Op::Import { path: Some(path) },
            None => return Ok(Outcome::Cancelled),
        },
        Op::Export { of, path: None, format, files, .. } => {
            let name = shell.engine().await?.name_of_export(of.clone(), format).await?;
            match pick(&window, Pick::NewFile(name)).await? {
                Some(path) => Op::Export { of, path: Some(path), format, files, replaces: true },
                None => return Ok(Outcome::Cancelled),
            }
        }
        #[cfg(target_os = "linux")]
        Op::Paste => return window.state::<crate::pasted::Pasting>().take(&shell).await,
        Op::OpenExternal { what } => {
            external::open(&shell.engine().await?, what).await?;
            return Ok(Outcome::Done);
        }
        op => admit(&shell.engine().await?, op).await?,
    };
    shell.engine().await?.submit(op).await
}

#[tauri::command]
pub(crate) async fn query(
    shell: State<'_, Shell>,
    examiner: State<'_, Examiner>,
    query: Value,
) -> Result<Answer, ErrorInfo> {
    match (parse(query)?, shell.engine().await) {
        // Where the engine did not open, a person needs it most.
        (Query::Doctor, engine) => Ok(Answer::Doctor { report: examiner.report(engine).await? }),
        (query, engine) => engine?.query(query).await,
    }
}

/// Sends every update from now on over `channel`, which replaces the channel of an earlier subscription. With `after`,
/// the events of that turn after that `seq` come first.
#[tauri::command]
pub(crate) async fn subscribe(
    shell: State<'_, Shell>,
    channel: Channel<Vec<Update>>,
    after: Option<Value>,
) -> Result<(), ErrorInfo> {
    let after: Option<After> = after.map(parse).transpose()?;
    let engine = shell.engine().await?;
    // The receiver is made first and what was missed is read afterwards, so an event in between comes twice rather than
    // never.
    let updates = engine.updates();
    let missed = match after {
        Some(After { request_id, seq }) => engine.query(Query::Events { request_id, after_seq: seq }).await?,
        None => Answer::Events { envelopes: Vec::new() },
    };
    let mut first: Vec<Update> =
        shell.take_problems().into_iter().map(|error| Update::Problem { error }).collect();
    if let Answer::Events { envelopes } = missed {
        first.extend(envelopes.into_iter().map(|envelope| Update::Event { envelope }));
    }
    shell.bridge(first, updates, channel);
    Ok(())
}

/// Shows everything in the window this much larger.
///
/// # Errors
/// `usage` for a factor at which nothing could be read, or the way back could not be found.
#[tauri::command]
pub(crate) fn zoom(window: WebviewWindow, factor: f64) -> Result<(), ErrorInfo> {
    if !window::ZOOMS.contains(&factor) {
        return Err(ErrorInfo::new(
            Code::Usage,
            "The window can be shown from half to twice its usual size.",
            "Choose a size in between.",
        ));
    }
    window.set_zoom(factor).map_err(|error| {
        ErrorInfo::new(Code::Internal, "The size of the window's content could not be changed.", "Try again.")
            .with_detail(error.to_string())
    })
}

/// A value from the webview as one of the wire's types. The parser's message is not passed on: it may quote a key.
fn parse<T: DeserializeOwned>(value: Value) -> Result<T, ErrorInfo> {
    serde_json::from_value(value).map_err(|_| {
        ErrorInfo::new(
            Code::Usage,
            "The window asked for something this version of Orion does not know.",
            "Restart Orion.",
        )
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_malformed_request_is_a_typed_error_that_quotes_nothing_of_it() {
        let error = parse::<Op>(
            json!({ "type": "save_endpoint", "change": { "apiKey": ["sk-secret"], "name": "sk-secret" } }),
        )
        .unwrap_err();
        assert_eq!(
            error,
            ErrorInfo::new(
                Code::Usage,
                "The window asked for something this version of Orion does not know.",
                "Restart Orion."
            )
        );
    }

    #[test]
    fn a_well_formed_request_is_read_as_it_is() {
        let op: Op = parse(json!({ "type": "open_project", "path": null })).unwrap();
        assert_eq!(op, Op::OpenProject { path: None });
    }
}
