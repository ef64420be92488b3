//! The content after a round of correction (W5). The model sends blocks for what was wrong, or the whole content again.

use std::fmt::Write;
use std::sync::Arc;

use orion_protocol::{FaultKind, WriteFault, WriteOperation};

use super::blocks::{self, Block};
use super::edit;

/// What a reply made of the content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Corrected {
    /// Part of it was replaced.
    Changed(String),
    /// The whole content came again.
    Anew(String),
    /// The reply does not fit. The faults stay, and cost another round.
    Not(Arc<String>),
}

/// Corrects the content by a reply of the model.
#[must_use]
pub fn correct(
    operation: WriteOperation,
    content: Arc<String>,
    faults: &[WriteFault],
    reply: String,
) -> Corrected {
    let changed = match (blocks::parse(&reply), operation) {
        (Ok(corrections), WriteOperation::Edit) => Some(replaced(&content, faults, &corrections)),
        (Ok(corrections), _) => edit::apply(&content, &corrections).ok(),
        (Err(_), WriteOperation::Edit) => None,
        (Err(_), _) if is_content(&reply, &content) => return Corrected::Anew(reply),
        (Err(_), _) => None,
    };
    changed.map_or(Corrected::Not(content), Corrected::Changed)
}

/// Whether a reply without blocks is the whole content again. A block that is broken, or a word in place of the text, must not
/// become the file.
fn is_content(reply: &str, content: &str) -> bool {
    let lines = |text: &str| text.lines().filter(|line| !line.trim().is_empty()).count();
    let reply_lines = lines(reply);
    reply_lines > 0 && reply_lines * 2 >= lines(content) && !blocks::are_meant(reply)
}

/// The blocks without those that have a fault, and then the corrected ones. Where the content could not be told into blocks,
/// the model was asked for all of them.
fn replaced(content: &str, faults: &[WriteFault], corrections: &[Block<'_>]) -> String {
    let malformed = faults.iter().any(|fault| fault.kind == FaultKind::BlockMalformed);
    let before = if malformed { Vec::new() } else { blocks::parse(content).unwrap_or_default() };
    let mut text = String::new();
    for (at, block) in before.iter().enumerate() {
        let end = before.get(at + 1).map_or(u32::MAX, |next| next.line);
        if !faults.iter().any(|fault| (block.line..end).contains(&fault.line)) {
            put(&mut text, block);
        }
    }
    corrections.iter().for_each(|block| put(&mut text, block));
    text
}

/// Writes a block again, with longer markers than any line of it begins with.
fn put(text: &mut String, block: &Block<'_>) {
    let longest = block.search.lines().chain(block.replace.lines()).map(signs).max().unwrap_or(0);
    let width = longest.max(6) + 1;
    let [less, same, more] = ["<", "=", ">"].map(|sign| sign.repeat(width));
    let ended = |part: &str| if part.is_empty() || part.ends_with('\n') { "" } else { "\n" };
    let Block { search, replace, .. } = block;
    let _ = write!(
        text,
        "{less} SEARCH\n{search}{}{same}\n{replace}{}{more} REPLACE\n",
        ended(search),
        ended(replace)
    );
}

/// How many marker signs a line begins with.
fn signs(line: &str) -> usize {
    line.bytes().take_while(|byte| matches!(byte, b'<' | b'=' | b'>')).count()
}
