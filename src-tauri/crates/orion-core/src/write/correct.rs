//! What a round of correction makes of the content (W5). The model sends blocks for what was wrong, or all of it again.

use std::fmt::Write;

use orion_protocol::{WriteFault, WriteOperation};

use super::blocks::{self, Block};
use super::edit;

/// The corrected content. A reply that does not fit leaves the content as it is: its faults then stay, and cost another round.
#[must_use]
pub fn correct(operation: WriteOperation, content: &str, faults: &[WriteFault], reply: String) -> String {
    match (blocks::parse(&reply), operation) {
        (Ok(corrections), WriteOperation::Edit) => replaced(content, faults, &corrections),
        (Ok(corrections), _) => {
            edit::apply(content, &corrections).unwrap_or_else(|_unfit| content.to_owned())
        }
        (Err(_), WriteOperation::Edit) => content.to_owned(),
        // No blocks: the whole content again.
        (Err(_), _) if reply.trim().is_empty() => content.to_owned(),
        (Err(_), _) => reply,
    }
}

/// The blocks without those that have a fault, and then the corrected ones. Where the content could not be told into blocks,
/// the reply is all of them.
fn replaced(content: &str, faults: &[WriteFault], corrections: &[Block<'_>]) -> String {
    let before = blocks::parse(content).unwrap_or_default();
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

/// Writes a block down again, with more signs in its markers than any line of it begins with.
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
