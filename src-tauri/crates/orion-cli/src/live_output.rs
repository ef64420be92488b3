//! The output of a command while it runs, as lines of a terminal.
//!
//! Only whole lines are given out, each as it would look at its end: what stands before a carriage return is drawn over. Deliberately not here:
//! making a line safe to print (`printed`), and where lines go (`display`).

use orion_protocol::CallId;

use crate::terminal::size;

/// Bytes of a line that is held back. A longer one is given out in pieces of this size.
const LINE: usize = 4_096;

/// The output of the command that runs.
#[derive(Debug, Default)]
pub(crate) struct LiveOutput {
    call: Option<CallId>,
    /// Bytes of output so far, with those that were not shown.
    at: u64,
    /// The line that has no end yet.
    line: String,
}

impl LiveOutput {
    /// The lines that this piece completes. A part of the output that is missing is a line that says so (E1).
    pub(crate) fn push(&mut self, call: &CallId, offset: u64, text: &str) -> Vec<String> {
        let mut lines = Vec::new();
        if self.call.as_ref() != Some(call) {
            lines.extend(self.end());
            self.call = Some(call.clone());
        }
        if offset > self.at {
            lines.extend(self.rest());
            lines.push(format!("… {} of output is not shown", size(offset - self.at)));
        }
        self.at = offset + text.len() as u64;
        for piece in text.split_inclusive('\n') {
            match piece.strip_suffix('\n') {
                Some(piece) => {
                    self.line.push_str(piece);
                    lines.push(drawn(&std::mem::take(&mut self.line)).to_owned());
                }
                None => self.line.push_str(piece),
            }
        }
        self.draw_over();
        if self.line.len() > LINE {
            lines.extend(self.rest());
        }
        lines
    }

    /// The line that has no end yet, as it looks now. None where there is none.
    pub(crate) fn unended(&self) -> Option<&str> {
        Some(drawn(&self.line)).filter(|line| !line.is_empty())
    }

    /// The last line, where it has no end. What comes next is the output of another command.
    pub(crate) fn end(&mut self) -> Option<String> {
        let rest = self.rest();
        *self = Self::default();
        rest
    }

    fn rest(&mut self) -> Option<String> {
        let rest = self.unended().map(str::to_owned);
        self.line.clear();
        rest
    }

    /// Forgets what is drawn over, so that a line which counts up takes no memory.
    fn draw_over(&mut self) {
        let begins = self.line.trim_end_matches('\r').rfind('\r').map_or(0, |at| at + 1);
        self.line.drain(..begins);
    }
}

/// A line as it looks after its last carriage return.
fn drawn(line: &str) -> &str {
    line.trim_end_matches('\r').rsplit('\r').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str) -> CallId {
        CallId(id.to_owned())
    }

    #[test]
    fn lines_are_given_out_whole_and_as_they_look_at_their_end() {
        let mut live = LiveOutput::default();
        assert_eq!(live.push(&call("a"), 0, "one\r\ntw"), ["one"]);
        assert_eq!(live.unended(), Some("tw"));
        assert_eq!(live.push(&call("a"), 7, "o\n\n10%\r"), ["two", ""]);
        assert_eq!(live.unended(), Some("10%"));
        assert_eq!(live.push(&call("a"), 14, "20%\r90%"), Vec::<String>::new());
        assert_eq!(live.unended(), Some("90%"));
        assert_eq!(live.end().as_deref(), Some("90%"));
        assert_eq!(live.unended(), None);
        assert_eq!(live.end(), None);
    }

    // E1
    #[test]
    fn what_is_missing_is_said_and_another_command_begins_anew() {
        let mut live = LiveOutput::default();
        assert_eq!(live.push(&call("a"), 0, "be"), Vec::<String>::new());
        assert_eq!(live.push(&call("a"), 10, "end\nre"), ["be", "… 8 B of output is not shown", "end"]);
        assert_eq!(live.push(&call("b"), 0, "new\n"), ["re", "new"]);
    }

    #[test]
    fn a_line_without_an_end_is_not_held_for_ever() {
        let mut live = LiveOutput::default();
        let long = "x".repeat(LINE + 1);
        assert_eq!(live.push(&call("a"), 0, &long), [long]);
        for at in 0..10_000 {
            live.push(&call("a"), 4_097 + at * 4, "10%\r");
        }
        assert!(live.line.len() < 10);
    }
}
