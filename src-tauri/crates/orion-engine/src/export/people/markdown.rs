//! The conversation as Markdown. Results and differences are fenced; the fence is longer than any in them.

use super::{Block, Talk, visible};

pub(crate) fn markdown(talk: &Talk) -> String {
    let mut text = format!("# {}\n\nProject: {}\n", line(&talk.title), line(&talk.project));
    for turn in &talk.turns {
        for (block, name) in turn.named() {
            text.push('\n');
            text.push_str(&self::block(block, name));
        }
    }
    text
}

fn block(block: &Block, name: Option<&str>) -> String {
    let head = name.map_or_else(String::new, |name| format!("## {}\n\n", line(name)));
    match block {
        Block::You(said) => format!("{head}{}\n", quoted(said)),
        Block::Answer(said) => format!("{head}{}\n", visible(said).trim_end()),
        Block::Reasoning(said) => boxed("Reasoning", &fenced("", said)),
        Block::Call { name, arguments, outcome, result } => {
            let mut inside = fenced("json", arguments);
            if !result.is_empty() {
                inside.push('\n');
                inside.push_str(&fenced("", result));
            }
            boxed(&format!("{name}: {outcome}"), &inside)
        }
        Block::Write { path, outcome, difference } => {
            boxed(&format!("{path}: {outcome}"), &fenced("diff", difference))
        }
        Block::Notice(said) => format!("*{}*\n", line(said)),
    }
}

/// Folded until it is opened, where the reader knows HTML in Markdown.
fn boxed(title: &str, inside: &str) -> String {
    // Inside of these tags there is no Markdown.
    let title = visible(title).replace(['\n', '\r', '\t'], " ");
    format!("<details>\n<summary>{}</summary>\n\n{inside}\n</details>\n", super::html::escaped(&title))
}

fn fenced(language: &str, text: &str) -> String {
    let text = visible(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}\n")
}

/// What the person wrote is text and no Markdown.
fn quoted(text: &str) -> String {
    fenced("", text).trim_end().to_owned()
}

/// On one line, and nothing of it is Markdown.
fn line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '\n' | '\r' | '\t' => line.push(' '),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '!' | '~' => line.extend(['\\', c]),
            c => line.push(c),
        }
    }
    line
}
