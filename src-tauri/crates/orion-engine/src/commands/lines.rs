//! The output of a command as lines of text, for a model and for people.
//!
//! Escape sequences go, and of a line that was drawn over with `\r` the last drawing stays. Deliberately not here: the bytes on the disk
//! ([`super::kept`]), and showing output while it comes ([`super::live`]).

use vte::{Parser, Perform};

use super::kept::Kept;

/// The output of a command as text.
#[derive(Debug, Default)]
pub(crate) struct Text {
    start: Vec<String>,
    /// Bytes after the beginning that are not kept.
    left_out: u64,
    /// The number of the first line of the end. It may be a part of the line that the beginning breaks off in.
    first_of_end: u64,
    end: Vec<String>,
}

/// A line of an output, with its number from 1.
pub(crate) type Line<'a> = (u64, &'a str);

impl Text {
    pub(crate) fn of(kept: &Kept) -> Self {
        let first_of_end = line_ends(&kept.start) + kept.lines_left_out + 1;
        Self { start: lines(&kept.start), left_out: kept.left_out, first_of_end, end: lines(&kept.end) }
    }

    /// The number of lines of the whole output.
    pub(crate) fn count(&self) -> u64 {
        match self.end.len() as u64 {
            0 => self.start.len() as u64,
            lines => self.first_of_end + lines - 1,
        }
    }

    /// Every kept line with its number.
    pub(crate) fn lines(&self) -> impl DoubleEndedIterator<Item = Line<'_>> + Clone {
        self.lines_of_start().chain(self.lines_of_end())
    }

    fn lines_of_start(&self) -> impl DoubleEndedIterator<Item = Line<'_>> + Clone {
        numbered(&self.start, 1)
    }

    fn lines_of_end(&self) -> impl DoubleEndedIterator<Item = Line<'_>> + Clone {
        numbered(&self.end, self.first_of_end)
    }

    /// The beginning and the end as one text each, with the bytes between them.
    pub(crate) fn parts(&self) -> (String, u64, String) {
        (self.start.join("\n"), self.left_out, self.end.join("\n"))
    }

    /// As much of the output as fits in `limit` bytes: all of it, or a quarter from the beginning and the rest from the end. `reads_on` names the call that
    /// reads lines from a number on.
    pub(crate) fn within(&self, limit: usize, reads_on: impl Fn(u64) -> String) -> String {
        let written =
            |lines: &[Line<'_>]| lines.iter().map(|(_, line)| format!("{line}\n")).collect::<String>();
        if self.left_out == 0 && self.lines().map(|(_, line)| line.len() + 1).sum::<usize>() <= limit {
            return written(&self.lines().collect::<Vec<_>>());
        }
        // The sentence in the middle is shorter than this, with numbers of any size and a call of 64 bytes.
        let room = limit.saturating_sub(256);
        let head = taken(self.lines_of_start(), room / 4);
        let used: usize = head.iter().map(|(_, line)| line.len() + 1).sum();
        let first = head.last().map_or(1, |(number, _)| number + 1);
        let mut tail = match self.left_out {
            0 => taken(self.lines_of_start().rev().take_while(|(number, _)| *number >= first), room - used),
            _ => taken(self.lines_of_end().rev(), room - used),
        };
        tail.reverse();
        let begin = tail.first().map_or(self.count() + 1, |(number, _)| *number);
        let mut text = written(&head);
        text.push_str(&if begin > first {
            format!(
                "[Lines {first} to {} of {} are left out here. {}]\n",
                begin - 1,
                self.count(),
                reads_on(first)
            )
        } else {
            format!("[{} bytes are left out here. They are not kept.]\n", self.left_out)
        });
        // Of a last line that is longer than all the room the end is shown.
        if tail.is_empty()
            && let Some((_, line)) = self.lines().next_back()
        {
            let from = line.ceil_char_boundary(line.len().saturating_sub(room - used));
            text.push_str(&format!("…{}\n", &line[from..]));
        }
        text + &written(&tail)
    }
}

fn numbered(lines: &[String], first: u64) -> impl DoubleEndedIterator<Item = Line<'_>> + Clone {
    lines.iter().enumerate().map(move |(at, line)| (first + at as u64, line.as_str()))
}

fn line_ends(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

fn taken<'a>(lines: impl Iterator<Item = Line<'a>>, room: usize) -> Vec<Line<'a>> {
    let mut left = room;
    lines
        .take_while(|(_, line)| {
            let fits = line.len() < left;
            left = left.saturating_sub(line.len() + 1);
            fits
        })
        .collect()
}

/// The lines of these bytes, as a terminal would leave them.
fn lines(bytes: &[u8]) -> Vec<String> {
    let mut drawn = Drawn::default();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        // No escape sequence goes on after the end of its line: one that is not closed hides no more than that.
        Parser::new().advance(&mut drawn, line.strip_suffix(b"\n").unwrap_or(line));
        if line.ends_with(b"\n") {
            drawn.execute(b'\n');
        }
    }
    if !drawn.line.is_empty() {
        drawn.lines.push(drawn.line);
    }
    drawn.lines
}

/// Lines as they are drawn.
#[derive(Debug, Default)]
struct Drawn {
    lines: Vec<String>,
    line: String,
    /// The next character is drawn over the line.
    returned: bool,
}

impl Perform for Drawn {
    fn print(&mut self, letter: char) {
        if std::mem::take(&mut self.returned) {
            self.line.clear();
        }
        self.line.push(letter);
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\n' => {
                self.returned = false;
                self.lines.push(std::mem::take(&mut self.line));
            }
            b'\r' => self.returned = true,
            b'\t' => self.print('\t'),
            0x08 => {
                self.line.pop();
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(bytes: &[u8]) -> Kept {
        Kept { start: bytes.to_vec(), ..Kept::default() }
    }

    fn read(bytes: &[u8]) -> Vec<String> {
        Text::of(&whole(bytes)).lines().map(|(_, line)| line.to_owned()).collect()
    }

    #[test]
    fn a_line_that_is_drawn_over_stays_as_it_was_drawn_last() {
        assert_eq!(read(b" 1 %\r 50 %\r100 %\nnext\r\n\r\nlast"), ["100 %", "next", "", "last"]);
        assert_eq!(read(b"ab\x08c\n"), ["ac"]);
    }

    #[test]
    fn escape_sequences_go_and_tabs_stay() {
        assert_eq!(read(b"\x1b[31mred\x1b[0m\tx\x1b]0;title\x07y\x1b[2K"), ["red\txy"]);
        assert_eq!(read(b"a\x00b\x07c\xff"), ["abc\u{fffd}"]);
    }

    #[test]
    fn an_escape_sequence_that_is_not_closed_hides_the_rest_of_its_line_alone() {
        assert_eq!(read(b"a\x1b]0;title\nb\x1bPx\nc"), ["a", "b", "c"]);
    }

    #[test]
    fn lines_after_a_gap_have_the_numbers_that_they_had() {
        let of = |start: &[u8], lines_left_out, end: &[u8]| {
            let kept = Kept { start: start.to_vec(), left_out: 10, end: end.to_vec(), lines_left_out };
            let text = Text::of(&kept);
            let all: Vec<_> = text.lines().map(|(number, line)| (number, line.to_owned())).collect();
            (text.count(), all)
        };
        let line = |number, line: &str| (number, line.to_owned());
        let broken = of(b"1\n2\n3a", 3, b"6b\n7\n");
        assert_eq!(broken, (7, vec![line(1, "1"), line(2, "2"), line(3, "3a"), line(6, "6b"), line(7, "7")]));
        let whole = of(b"1\n2\n", 3, b"6b\n7");
        assert_eq!(whole, (7, vec![line(1, "1"), line(2, "2"), line(6, "6b"), line(7, "7")]));
        let one = of(b"1a", 0, b"1b\n2");
        assert_eq!(one, (2, vec![line(1, "1a"), line(1, "1b"), line(2, "2")]));
    }

    #[test]
    fn of_a_line_that_was_drawn_over_for_long_no_line_is_told_as_left_out() {
        let kept = Kept {
            start: b"a\n1 %\r2 %".to_vec(),
            left_out: 10,
            end: b"9 %\rdone\n".to_vec(),
            lines_left_out: 0,
        };
        let text = Text::of(&kept).within(2_000, |_| String::new());
        assert_eq!(text, "a\n2 %\n[10 bytes are left out here. They are not kept.]\ndone\n");
    }

    // C4, R3
    #[test]
    fn a_long_output_is_a_quarter_head_and_the_rest_tail_and_says_how_to_read_on() {
        let bytes: Vec<u8> = (1..=5_000).flat_map(|line| format!("line {line}\n").into_bytes()).collect();
        let text = Text::of(&whole(&bytes)).within(2_000, |from| format!("Read from {from}."));
        assert!(text.len() <= 2_000, "{}", text.len());
        assert!(text.starts_with("line 1\n") && text.ends_with("line 5000\n"), "{text}");
        let head = text.split("[Lines ").next().unwrap();
        let next = head.lines().count() + 1;
        assert!((300..=450).contains(&head.len()), "{}", head.len());
        assert!(
            text.contains(&format!("[Lines {next} to ")) && text.contains(&format!("Read from {next}.]")),
            "{text}"
        );
        assert_eq!(Text::of(&whole(b"a\nb\n")).within(2_000, |_| String::new()), "a\nb\n");
    }

    #[test]
    fn of_one_endless_line_the_end_is_shown() {
        let mut bytes = vec![b'x'; 100_000];
        bytes.extend(b"the end");
        let text = Text::of(&whole(&bytes)).within(2_000, |_| "R.".to_owned());
        assert!(text.len() <= 2_000 && text.ends_with("xthe end\n"), "{text}");
    }
}
