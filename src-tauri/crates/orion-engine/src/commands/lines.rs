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
    /// Bytes and line ends between the two that are not kept.
    left_out: (u64, u64),
    end: Vec<String>,
}

/// A line of an output, with its number from 1.
pub(crate) type Line<'a> = (u64, &'a str);

impl Text {
    pub(crate) fn of(kept: &Kept) -> Self {
        Self {
            start: lines(&kept.start),
            left_out: (kept.left_out, kept.lines_left_out),
            end: lines(&kept.end),
        }
    }

    /// The number of lines of the whole output.
    pub(crate) fn count(&self) -> u64 {
        (self.start.len() + self.end.len()) as u64 + self.hidden()
    }

    /// Line ends that are not kept. The line at each side of the gap counts once, though a part of it is gone.
    fn hidden(&self) -> u64 {
        self.left_out.1.saturating_sub(u64::from(self.left_out.0 > 0))
    }

    /// Every kept line with its number.
    pub(crate) fn lines(&self) -> impl DoubleEndedIterator<Item = Line<'_>> + Clone {
        let after = self.start.len() as u64 + self.hidden();
        let start = self.start.iter().enumerate().map(|(at, line)| (at as u64 + 1, line.as_str()));
        let end = self.end.iter().enumerate().map(move |(at, line)| (after + at as u64 + 1, line.as_str()));
        start.chain(end)
    }

    /// The beginning and the end as one text each, with the bytes between them.
    pub(crate) fn parts(&self) -> (String, u64, String) {
        (self.start.join("\n"), self.left_out.0, self.end.join("\n"))
    }

    /// As much of the output as fits in `limit` bytes: all of it, or a quarter from the beginning and the rest from the end. `reads_on` names the call that
    /// reads lines from a number on.
    pub(crate) fn within(&self, limit: usize, reads_on: impl Fn(u64) -> String) -> String {
        let size =
            |lines: &mut dyn Iterator<Item = Line<'_>>| lines.map(|(_, line)| line.len() + 1).sum::<usize>();
        if self.left_out.0 == 0 && size(&mut self.lines()) <= limit {
            return self.lines().map(|(_, line)| format!("{line}\n")).collect();
        }
        // The sentence in the middle is shorter than this, with numbers of any size and a call of 64 bytes.
        let room = limit.saturating_sub(256);
        let head = taken(self.lines(), room / 4);
        let used: usize = head.iter().map(|(_, line)| line.len() + 1).sum();
        let first = head.last().map_or(1, |(number, _)| number + 1);
        let mut tail = taken(self.lines().rev(), room - used);
        tail.retain(|(number, _)| *number >= first);
        tail.reverse();
        let last = tail.first().map_or(self.count(), |(number, _)| number - 1);
        let mut text: String = head.iter().map(|(_, line)| format!("{line}\n")).collect();
        text.push_str(&format!(
            "[Lines {first} to {last} of {} are left out here. {}]\n",
            self.count(),
            reads_on(first)
        ));
        // A line that is longer than all the room is cut, so that the model sees something of it.
        if tail.is_empty()
            && let Some((_, line)) = self.lines().next_back()
        {
            let from = line.ceil_char_boundary(line.len().saturating_sub(room - used));
            text.push_str(&format!("…{}\n", &line[from..]));
        }
        tail.iter().for_each(|(_, line)| text.push_str(&format!("{line}\n")));
        text
    }
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
    Parser::new().advance(&mut drawn, bytes);
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
    fn lines_after_a_gap_have_the_numbers_that_they_had() {
        let kept =
            Kept { start: b"1\n2\n3a".to_vec(), left_out: 10, end: b"6b\n7\n".to_vec(), lines_left_out: 3 };
        let text = Text::of(&kept);
        let all: Vec<_> = text.lines().collect();
        assert_eq!(all, [(1, "1"), (2, "2"), (3, "3a"), (6, "6b"), (7, "7")]);
        assert_eq!(text.count(), 7);
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
