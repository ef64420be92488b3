//! Exact lines: what a person keeps of commands where a sandbox holds files alone (C3).
//!
//! Such a rule is for one call, as its signature has it: the same line, in the same folder, for as many seconds. It lifts nothing in a full sandbox, and
//! a rule of words lifts nothing here. Deliberately not here: rules of words (`commands`), and for how long a rule is kept (`turn`).

use orion_protocol::{ApprovalId, CommandAsked, Permission, RuleFor};
use serde_json::{Map, Value};

use super::commands::commands_of;
use super::programs::least_words;
use super::{Kept, Pattern, Rules};
use crate::command_line::changes_folder;
use crate::tool::{Arguments, Subject, ToolSpec};

impl Rules {
    /// The rule that an approval of this very call would be kept as. None where that would lift nothing, and for a line of which nothing is ever kept.
    #[must_use]
    pub fn would_keep_line(
        &self,
        tool: &ToolSpec,
        arguments: &Arguments,
        asked: &CommandAsked,
    ) -> Option<Pattern> {
        let may_be_kept = self.no_rule_asks(tool, arguments)
            && names_its_folder(arguments, asked)
            && is_kept_as_it_is(arguments, asked);
        may_be_kept.then(|| exact(arguments)).flatten()
    }

    /// The approval by which this very call runs unasked.
    #[must_use]
    pub fn kept_line(
        &self,
        tool: &ToolSpec,
        arguments: &Arguments,
        asked: &CommandAsked,
    ) -> Option<ApprovalId> {
        let now = self.would_keep_line(tool, arguments, asked)?;
        let holds = |kept: &&Kept| kept.tool == tool.name && kept.pattern == now;
        self.kept.iter().rfind(holds).map(|kept| kept.approval_id)
    }

    /// True where no configured rule asks about it or denies it. What is kept or chosen for a full sandbox is left out of account.
    fn no_rule_asks(&self, tool: &ToolSpec, arguments: &Arguments) -> bool {
        let configured = Self { kept: Vec::new(), commands_unasked: true, ..self.clone() };
        configured.judge_commands(tool, arguments, None).permission() == Permission::Allow
    }
}

/// The line of such a rule. Its folder where that is not the project's own, and its seconds where the call named them, follow in brackets: the last ones are
/// never the line's, since after a line that ends in one they always follow. None for a rule of words.
#[must_use]
pub fn exact_line(pattern: &str) -> Option<String> {
    let call: Map<String, Value> = serde_json::from_str(&named(pattern)?).ok()?;
    let line = match (call.get("command"), call.get("argv")) {
        (Some(Value::String(line)), None) => line.clone(),
        (None, Some(Value::Array(words))) => {
            let words: Option<Vec<String>> =
                words.iter().map(|word| word.as_str().map(str::to_owned)).collect();
            crate::command_line::Line::text(&[words?])?
        }
        _ => return None,
    };
    let mut also = Vec::new();
    let folder = call.get("cwd").and_then(Value::as_str).unwrap_or(".");
    if folder != "." || line.ends_with(')') {
        also.push(format!("in {}", Value::from(folder)));
    }
    if let Some(seconds) = call.get("timeout_s") {
        also.push(format!("for {seconds} s"));
    }
    if also.is_empty() { Some(line) } else { Some(format!("{line} ({})", also.join(", "))) }
}

fn exact(arguments: &Arguments) -> Option<Pattern> {
    Pattern::naming(&Subject::of_all(&arguments.signed()))
}

/// True where the call names the very folder that the question shows. A link names another one, and can lead elsewhere by the next call.
fn names_its_folder(arguments: &Arguments, asked: &CommandAsked) -> bool {
    let signed = arguments.signed();
    signed.get("cwd").map_or(Some("."), Value::as_str) == Some(asked.folder.as_str())
}

/// The text that a pattern made by [`Pattern::naming`] names: each character that means something stands alone in brackets, or twice.
fn named(pattern: &str) -> Option<String> {
    let (mut named, mut rest) = (String::new(), pattern.chars());
    while let Some(letter) = rest.next() {
        named.push(match letter {
            '[' => rest.next().filter(|_| rest.next() == Some(']'))?,
            '\\' => rest.next().filter(|next| *next == '\\')?,
            letter => letter,
        });
    }
    Some(named)
}

/// C1: of each simple command a rule may be kept, of one at least, and they are those that were asked about.
fn is_kept_as_it_is(arguments: &Arguments, asked: &CommandAsked) -> bool {
    let Ok(line) = commands_of(arguments) else { return false };
    let is_kept = |words: &Vec<String>, rule: &RuleFor| match rule {
        // What is known today counts, too: a table may have grown since it was asked about.
        RuleFor::Prefix { .. } => least_words(words).is_ok(),
        RuleFor::NotNeeded => changes_folder(words),
        RuleFor::Never { .. } => false,
    };
    line.commands.len() == asked.runs.len()
        && line
            .commands
            .iter()
            .zip(&asked.runs)
            .all(|(words, of)| *words == of.words && is_kept(words, &of.rule))
        && asked.runs.iter().any(|of| matches!(of.rule, RuleFor::Prefix { .. }))
}
