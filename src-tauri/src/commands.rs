//! The four commands of the webview. They decide nothing: they parse, wait until the engine is open, and pass on.

use orion_protocol::{Answer, Code, ErrorInfo, Named, Op, Outcome, Query, RequestId, Update};
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
use crate::granting::Granting;
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
    granting: State<'_, Granting>,
    window: WebviewWindow,
    op: Value,
) -> Result<Outcome, ErrorInfo> {
    let op: Op = parse(op)?;
    granting.admit_op(&shell.engine().await?, &op).await?;
    let picks = match op.declared().names {
        Named::Shell => return by_shell(&shell, &window, op).await,
        Named::Folder(None) => Pick::Folder,
        Named::File(None) => match &op {
            Op::Export { of, format, .. } => {
                Pick::NewFile(shell.engine().await?.name_of_export(of.clone(), *format).await?)
            }
            _ => Pick::Exported,
        },
        _ => return shell.engine().await?.submit(admit(&shell.engine().await?, op).await?).await,
    };
    match pick(&window, picks).await? {
        Some(path) => shell.engine().await?.submit(at(op, path)).await,
        None => Ok(Outcome::Cancelled),
    }
}

/// The operation at the place that the person has picked.
fn at(op: Op, picked: String) -> Op {
    let path = Some(picked);
    match op {
        Op::OpenProject { .. } => Op::OpenProject { path },
        Op::LocateProject { project_id, .. } => Op::LocateProject { project_id, path },
        Op::Import { .. } => Op::Import { path },
        Op::Export { of, format, files, .. } => Op::Export { of, path, format, files, replaces: true },
        op => op,
    }
}

/// Does the things that the engine cannot: it has no window.
async fn by_shell(shell: &Shell, window: &WebviewWindow, op: Op) -> Result<Outcome, ErrorInfo> {
    match op {
        #[cfg(target_os = "linux")]
        Op::Paste => window.state::<crate::pasted::Pasting>().take(shell).await,
        Op::OpenExternal { what } => {
            external::open(&shell.engine().await?, what).await?;
            Ok(Outcome::Done)
        }
        op => shell.engine().await?.submit(op).await,
    }
}

#[tauri::command]
pub(crate) async fn query(
    shell: State<'_, Shell>,
    granting: State<'_, Granting>,
    examiner: State<'_, Examiner>,
    query: Value,
) -> Result<Answer, ErrorInfo> {
    match (parse(query)?, shell.engine().await) {
        // Where the engine did not open, a person needs it most.
        (Query::Doctor, engine) => Ok(Answer::Doctor { report: examiner.report(engine).await? }),
        (query, engine) => {
            let engine = engine?;
            granting.admit_query(&engine, &query).await?;
            engine.query(query).await
        }
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
    let updates = engine.updates_after(after.map(|After { request_id, seq }| (request_id, seq))).await?;
    let problems = shell.take_problems().into_iter().map(|error| Update::Problem { error });
    shell.bridge(updates.led_by(problems), channel);
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
