//! The difference that a write would make, and what a person makes of it: all of it, some of its hunks, another text, nothing (W6).

use anstyle::{AnsiColor, Style};
use orion_protocol::{
    Answer, AskedBy, ErrorInfo, Op, Query, RemovalKind, Reply, RequestId, WriteProposal, WriteRevision,
};

use super::Chat;
use super::answer::{Decision, To, answers, because, reply_of};
use super::editor::in_editor;
use super::menu::{Picked, choice, pick};
use crate::held::remarks;
use crate::printed::{Printed, with_line_ends};
use crate::terminal::{count, out, remark, say, size};

/// Lines of a difference that are shown before the person asks for all of it.
const LINES: usize = 400;

const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();
const HUNK: Style = AnsiColor::Cyan.on_default();

/// The write that a person reviews.
#[derive(Debug, Clone, Copy)]
pub(super) struct Review<'a> {
    pub(super) write: u32,
    pub(super) path: &'a str,
    /// The tool that opened the session.
    pub(super) name: &'a str,
    pub(super) by: AskedBy,
    pub(super) keeps: Option<&'a str>,
    pub(super) proposal: &'a WriteProposal,
}

pub(super) async fn write(chat: &mut Chat, to: To, of: Review<'_>) -> Result<Decision, ErrorInfo> {
    let To { request_id, digest } = to;
    let Review { write, path, name, by, keeps, proposal } = of;
    let difference = chat.engine.unified(request_id, Some(write)).await?;
    show(&difference, LINES)?;
    say(&format!(
        "{}: {} added, {} removed, {}, {}",
        path,
        count_of(proposal.added, "line"),
        proposal.removed,
        count(proposal.hunks, "hunk"),
        size(proposal.bytes)
    ));
    because(by).into_iter().for_each(say);
    for said in remarks(proposal, usize::MAX) {
        say(&said);
    }
    let faulty = !proposal.faults.is_empty();
    let once = if faulty { "write it, although places in it are wrong or in doubt" } else { "write it" };
    let mut choices = answers(once, name, keeps);
    if proposal.hunks > 1 {
        choices.push(choice("h", "write only these hunks, by their numbers: h 1,3"));
    }
    if !proposal.removals.is_empty() {
        choices.push(choice("t", "take out what is suggested, and look again"));
    }
    choices.push(choice("e", "edit the file in your editor, and look again"));
    choices.push(choice("v", "view all of the difference"));
    let approve = |hunks| to.give(Reply::Write { hunks, despite_faults: faulty });
    let revise = |revision| Op::ReviseWrite { request_id, digest, revision };
    loop {
        return Ok(match pick(chat, &choices).await? {
            Picked::Stop => to.stop(),
            Picked::Leave => Decision::Leave,
            Picked::Choice("o", _) => approve(None),
            Picked::Choice("h", numbers) => match hunks(&numbers, proposal.hunks) {
                Some(hunks) => approve(Some(hunks)),
                None => {
                    remark(&format!("Name hunks from 1 to {}, with commas between: h 1,2", proposal.hunks));
                    continue;
                }
            },
            Picked::Choice("t", _) => {
                let removals: Vec<RemovalKind> =
                    proposal.removals.iter().map(|removal| removal.kind).collect();
                Decision::Give(revise(WriteRevision::Remove { removals }))
            }
            Picked::Choice("e", _) => match text(chat, request_id, of).await? {
                Some(text) => Decision::Give(revise(WriteRevision::Text { text })),
                None => continue,
            },
            Picked::Choice("v", _) => {
                show(&difference, usize::MAX)?;
                continue;
            }
            Picked::Choice(key, rest) => match reply_of(chat, key, rest).await? {
                Some(reply) => to.give(reply),
                None => continue,
            },
        });
    }
}

/// The file as the person leaves it in their editor.
async fn text(chat: &Chat, request_id: RequestId, of: Review<'_>) -> Result<Option<String>, ErrorInfo> {
    let Review { write, path, .. } = of;
    let text = match chat.engine.query(Query::WriteText { request_id, write, hunks: None }).await {
        Ok(Answer::WriteText { text }) => text,
        Ok(other) => return Err(crate::outcomes::unexpected(&other)),
        Err(error) => {
            crate::terminal::error(&error);
            return Ok(None);
        }
    };
    let ending = std::path::Path::new(path).extension().and_then(|ending| ending.to_str());
    let ending = ending.map_or_else(String::new, |ending| format!(".{ending}"));
    Ok(in_editor(chat, &text, &ending).await)
}

fn hunks(numbers: &str, most: u32) -> Option<Vec<u32>> {
    let numbers: Option<Vec<u32>> =
        numbers.split([',', ' ']).filter(|part| !part.is_empty()).map(|part| part.parse().ok()).collect();
    numbers.filter(|numbers| !numbers.is_empty() && numbers.iter().all(|number| (1..=most).contains(number)))
}

/// Prints a unified difference, its hunks numbered. Every character of it can be seen.
pub(super) fn show(difference: &str, most: usize) -> Result<(), ErrorInfo> {
    let coloured = crate::terminal::is_coloured();
    let difference = with_line_ends(difference);
    let mut text = Printed::default();
    let mut hunk = 0;
    for line in difference.lines().take(most) {
        let (line, style) = match line.as_bytes().first() {
            Some(b'@') => {
                hunk += 1;
                (format!("hunk {hunk} {line}"), HUNK)
            }
            Some(b'+') => (line.to_owned(), ADDED),
            Some(b'-') => (line.to_owned(), REMOVED),
            _ => (line.to_owned(), Style::new()),
        };
        let style = if coloured { style } else { Style::new() };
        text.push(&Printed::styled_record(&line, style).line());
    }
    let lines = difference.lines().count();
    if lines > most {
        let rest = format!("… {} more lines; v shows all of them", lines - most);
        text.push(&Printed::record(&rest).line());
    }
    out(&text).map_err(crate::output::unwritable)
}

fn count_of(number: u64, noun: &str) -> String {
    count(u32::try_from(number).unwrap_or(u32::MAX), noun)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_are_numbers_that_are_there() {
        assert_eq!(hunks("1,3", 3), Some(vec![1, 3]));
        assert_eq!(hunks(" 2 3 ", 3), Some(vec![2, 3]));
        for none in ["", ",", "0", "4", "1,x"] {
            assert_eq!(hunks(none, 3), None, "{none}");
        }
    }
}
