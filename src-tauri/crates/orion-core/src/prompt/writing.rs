//! What Orion says to a model in a write session (W1–W5), and of what became of it.

use std::fmt::Write;

use orion_protocol::{ErrorInfo, WriteFault, WriteOperation, WriteProposal, WriteStatus};

use crate::turn::Approved;
use crate::write::Faults;

/// How much of the content so far a model is given back whole, in bytes: 192 KiB, about 48,000 tokens. Of more it gets the
/// beginning and the end.
const WHOLE: usize = 192 * 1024;

/// How much of the beginning and of the end of longer content it gets.
const PART: usize = 64 * 1024;

/// How much of the last text a model is reminded of, in bytes.
const REMINDER: usize = 400;

/// The most faults that are said at once; the next round says the rest.
const MOST_FAULTS: usize = 20;

/// How the content is to be sent (W1).
#[must_use]
pub fn send_content(path: &str, operation: WriteOperation, end: &str) -> String {
    let what = match operation {
        WriteOperation::Create => format!("the whole content of the new file {path}"),
        WriteOperation::Overwrite => format!("the whole new content of {path}"),
        WriteOperation::Append => {
            format!("what is to be added at the end of {path}, and nothing that is in it")
        }
        WriteOperation::Edit => format!(
            "the changes to {path} as one or more blocks of this form, each marker on a line of its own:\n\
             <<<<<<< SEARCH\n\
             (whole lines exactly as they are in the file; they must occur in it exactly once)\n\
             =======\n\
             (the lines to put in their place)\n\
             >>>>>>> REPLACE\n\
             Keep the search texts short but unmistakable"
        ),
    };
    format!(
        "The write session for {path} is open. Your next message is its content: send {what}. Send it as plain text: no tool \
         call, no code fence around it, nothing before or after it. If it is long, just go on; when you are cut off you will be \
         asked for the rest. End with a line that is exactly\n{end}"
    )
}

/// The text stopped in the middle (W4).
#[must_use]
pub fn go_on(content: &str, end: &str) -> String {
    match last(content) {
        None => format!(
            "Nothing of the content has arrived. Send it now, and end with a line that is exactly\n{end}"
        ),
        Some(last) => format!(
            "Your message was cut off. The content so far ends with the text between the marks:\n⟦{last}⟧\n\
             Go on exactly where it stops, without repeating anything and without any remark. End with a line that is \
             exactly\n{end}"
        ),
    }
}

/// The message ended without the end line (W4).
#[must_use]
pub fn end_or_more(content: &str, end: &str) -> String {
    match last(content) {
        None => format!(
            "Nothing of the content has arrived. Send it now, and end with a line that is exactly\n{end}"
        ),
        Some(last) => format!(
            "The content so far ends with the text between the marks:\n⟦{last}⟧\n\
             If it is complete, send only the line\n{end}\n\
             Otherwise go on exactly where it stops, without repeating anything, and end with that line."
        ),
    }
}

/// What is wrong with the content, all in one batch (W5).
#[must_use]
pub fn corrections(path: &str, operation: WriteOperation, faults: &Faults, end: &str) -> String {
    let mut text = format!("The content for {path} cannot be written as it is:\n");
    for fault in faults.list.iter().take(MOST_FAULTS) {
        let WriteFault { line, column, what, context, .. } = fault;
        let _ = writeln!(text, "- line {line}, column {column}: {what}\n  {}", context.replace('\n', "\n  "));
    }
    let more = faults.count().saturating_sub(MOST_FAULTS as u64);
    if more > 0 {
        let _ = writeln!(text, "- and {more} more");
    }
    text.push_str(match operation {
        WriteOperation::Edit => {
            "Send the blocks that are wrong again, corrected, and no others. If a block is not needed, leave it out."
        }
        _ => {
            "Send corrections as blocks, each marker on a line of its own, or send the whole content again:\n\
             <<<<<<< SEARCH\n(whole lines of the content that are wrong)\n=======\n(the lines to put in their place)\n>>>>>>> REPLACE"
        }
    });
    let _ = write!(text, "\nNothing else, and end with a line that is exactly\n{end}");
    text
}

/// Content as a model is given it back: whole, or its beginning and its end.
#[must_use]
pub fn elided(content: &str) -> String {
    if content.len() <= WHOLE {
        return content.to_owned();
    }
    let head = &content[..content.floor_char_boundary(PART)];
    let tail = &content[content.ceil_char_boundary(content.len() - PART)..];
    let left_out = content.len() - head.len() - tail.len();
    format!("{head}\n[… {left_out} bytes are left out here …]\n{tail}")
}

fn last(content: &str) -> Option<&str> {
    let start = content.ceil_char_boundary(content.len().saturating_sub(REMINDER));
    Some(&content[start..]).filter(|text| !text.is_empty())
}

/// Stands in the conversation for the messages of a session.
#[must_use]
pub fn content_sent(path: &str) -> String {
    format!("(The content for {path} was sent in a write session.)")
}

/// What became of a session.
#[derive(Debug, Clone, Copy)]
pub struct WriteOutcome<'a> {
    pub path: &'a str,
    pub operation: WriteOperation,
    pub status: WriteStatus,
    pub approved: Option<&'a Approved>,
    pub proposal: Option<&'a WriteProposal>,
    /// The user changed what was proposed.
    pub revised: bool,
    pub error: Option<&'a ErrorInfo>,
}

/// The box that a session leaves behind (R1): what was written, and what the user rejected or changed.
#[must_use]
pub fn write_box(nonce: &str, outcome: &WriteOutcome<'_>) -> String {
    let WriteOutcome { path, operation, status, approved, proposal, revised, error } = outcome;
    let operation = match operation {
        WriteOperation::Create => "create",
        WriteOperation::Overwrite => "overwrite",
        WriteOperation::Append => "append",
        WriteOperation::Edit => "edit",
    };
    let mut text = format!("Result of the write session for {path} ({operation}).\n<<<{nonce}\n");
    let _ = match (status, approved) {
        (WriteStatus::Written, Some(approved)) => {
            let _ = writeln!(text, "written: {path}, {} bytes, SHA-256 {}", approved.bytes, approved.sha256);
            if let Some(proposal) = proposal
                && approved.sha256 == proposal.sha256
            {
                let WriteProposal { lines, added, removed, .. } = proposal;
                let _ = writeln!(text, "{lines} lines; {added} added, {removed} removed");
            }
            let rejected: Vec<String> = approved.rejected_hunks.iter().map(u32::to_string).collect();
            if !rejected.is_empty() {
                let _ = writeln!(text, "The user rejected hunks {} of the difference.", rejected.join(", "));
            }
            if *revised {
                let _ = writeln!(
                    text,
                    "The user changed the content before approving it: read the file to see it."
                );
            }
            writeln!(text, "The file is as approved. Do not write it again.")
        }
        (WriteStatus::Rejected, _) => {
            writeln!(
                text,
                "not written: the user rejected it. The file is as it was. Ask what they want instead."
            )
        }
        (WriteStatus::Unknown, _) => writeln!(text, "unknown: look at {path} before you go on."),
        _ => writeln!(text, "not written: the file is as it was."),
    };
    if let Some(error) = error {
        let _ = writeln!(text, "Error: {} {}", error.message, error.action.as_deref().unwrap_or_default());
    }
    let _ = write!(text, "{nonce}>>>");
    text
}
