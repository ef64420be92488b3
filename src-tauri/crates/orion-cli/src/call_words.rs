//! Calls in words: a line for each that has ended, such as `Listed . · 3 entries · 4 ms`, as the window folds its steps.
//!
//! Deliberately not here: commands (`command_words`), and the arguments as JSON, which `--verbose` prints (`display`).

use orion_protocol::{CallId, ErrorInfo, ToolStatus};
use serde_json::Value;

use crate::terminal::one_line;

/// Characters of the argument that matters.
const ARGUMENT: usize = 120;

/// The calls that have begun and have no result yet.
#[derive(Debug, Default)]
pub(crate) struct Begun(Vec<(CallId, String)>);

impl Begun {
    pub(crate) fn push(&mut self, call: &CallId, name: &str, arguments: &Value) {
        self.0.push((call.clone(), did(name, arguments)));
    }

    /// Takes the words of a call. None where its beginning was not seen.
    pub(crate) fn take(&mut self, call: &CallId) -> Option<String> {
        let at = self.0.iter().position(|(begun, _)| begun == call)?;
        Some(self.0.swap_remove(at).1)
    }
}

/// The work of a call in words, such as `Read src/main.rs`.
pub(crate) fn did(name: &str, arguments: &Value) -> String {
    let text = |key: &str| arguments.get(key).and_then(Value::as_str).map(|text| one_line(text, ARGUMENT));
    let folder = text("path").filter(|path| !path.is_empty() && path != ".");
    match name {
        "list_files" => format!("Listed {}", folder.as_deref().unwrap_or(".")),
        "read_file" => format!("Read {}", text("path").unwrap_or_default()),
        "read_output" => "Read more of the output".to_owned(),
        "file_info" => format!("Looked at {}", text("path").unwrap_or_default()),
        "search_files" => {
            let place = folder.map(|path| format!(" in {path}")).unwrap_or_default();
            format!("Searched for {}{place}", text("pattern").or(text("query")).unwrap_or_default())
        }
        "write_plan_begin" => format!("Asked to write {}", text("target_file").unwrap_or_default()),
        "ask_user" => "Asked you".to_owned(),
        _ => format!("Ran {}", one_line(name, ARGUMENT)),
    }
}

/// The line about a call that has ended. Where it went as it should, the state is not said.
pub(crate) fn ended(
    did: &str,
    status: ToolStatus,
    summary: &str,
    error: Option<&ErrorInfo>,
    ms: u64,
) -> String {
    let outcome = one_line(error.map_or(summary, |error| &error.message), 2 * ARGUMENT);
    let parts = [did, word_of(status), &outcome].into_iter().filter(|part| !part.is_empty());
    format!("{} · {ms} ms", parts.collect::<Vec<_>>().join(" · "))
}

/// Empty for what needs no word.
fn word_of(status: ToolStatus) -> &'static str {
    match status {
        ToolStatus::Ok => "",
        ToolStatus::Failed => "failed",
        ToolStatus::Denied => "denied",
        ToolStatus::TimedOut => "timed out",
        ToolStatus::Cancelled => "cancelled",
        ToolStatus::Duplicate => "refused",
        ToolStatus::Malformed => "not run",
        ToolStatus::Reused => "unchanged",
    }
}

#[cfg(test)]
mod tests {
    use orion_protocol::Code;
    use serde_json::json;

    use super::*;

    #[test]
    fn each_tool_is_told_in_the_past_with_the_argument_that_matters() {
        let said = [
            ("list_files", json!({"path": "."})),
            ("list_files", json!({"path": "src", "recursive": true})),
            ("read_file", json!({"path": "src/main.rs", "start_line": 1})),
            ("search_files", json!({"pattern": "den", "path": "docs"})),
            ("search_files", json!({"pattern": "den", "path": "."})),
            ("write_plan_begin", json!({"target_file": "a.md", "intent": "x"})),
            ("weather", json!({"path": "a"})),
        ]
        .map(|(name, arguments)| did(name, &arguments));
        assert_eq!(
            said,
            [
                "Listed .",
                "Listed src",
                "Read src/main.rs",
                "Searched for den in docs",
                "Searched for den",
                "Asked to write a.md",
                "Ran weather",
            ]
        );
    }

    #[test]
    fn the_state_is_said_where_it_is_not_the_usual_one_alone() {
        let error = ErrorInfo::new(Code::PathNotFound, "There is no `a`.", "Check the name.");
        assert_eq!(ended("Listed .", ToolStatus::Ok, "3 entries", None, 4), "Listed . · 3 entries · 4 ms");
        assert_eq!(
            ended("Read a", ToolStatus::Failed, "", Some(&error), 0),
            "Read a · failed · There is no `a`. · 0 ms"
        );
    }
}
