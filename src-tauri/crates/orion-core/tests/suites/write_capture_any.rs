//! Content of a write session however it is cut and continued, compared with a reading that sees whole messages (W3, W4).

use crate::thorough::cases;
use orion_core::write::{Capture, EndLine, MessageEnd};
use orion_protocol::Seam;
use proptest::prelude::*;

use MessageEnd::{Complete, Open};

use crate::write_capture::{check_counts, strict};

pub(crate) const WINDOW: usize = 16 * 1024;

#[derive(Default)]
struct Reference {
    text: String,
    seams: Vec<Seam>,
}

fn blank(line: &str) -> bool {
    line.chars().all(|c| " \t\r".contains(c))
}

/// Where the last line of the text that is not blank begins, if it is the end line.
fn end_line(text: &str, end: &str) -> Option<usize> {
    let mut at = text.len() + 1;
    text.split('\n')
        .rev()
        .find_map(|line| {
            at -= line.len() + 1;
            (!blank(line)).then_some((at, line))
        })
        .filter(|(_, line)| *line == end || line.strip_suffix('\r') == Some(end))
        .map(|(at, _)| at)
}

impl Reference {
    fn message(&mut self, message: &str, end: &str) -> MessageEnd {
        let before = self.text.len();
        let dropped = if before == 0 { 0 } else { repeated(&self.text, message, end) };
        if before > 0 {
            let line = self.text.matches('\n').count() as u32 + 1;
            self.seams.push(Seam { offset: before as u64, line, dropped: dropped as u64 });
        }
        self.text.push_str(&message[dropped..]);
        let own = (dropped == 0 && end_line(message, end) == Some(0)).then_some(before);
        // A line that was there before the message is not its.
        let joined = end_line(&self.text, end).filter(|at| at + end.len() > before);
        let at = joined.or(own);
        if let Some(at) = at {
            self.text.truncate(at);
        }
        let length = self.text.len() as u64;
        self.seams.retain(|seam| seam.offset < length || (seam.offset == length && seam.dropped > 0));
        if at.is_some() { Complete } else { Open }
    }
}

fn repeated(text: &str, message: &str, end: &str) -> usize {
    let opener = message.split_inclusive('\n').next().filter(|line| {
        let ticks = line.chars().take_while(|&c| c == '`').count();
        line.ends_with('\n')
            && line.len() <= 64
            && (line.starts_with("~~~") || ticks >= 3 && !line[ticks..].contains('`'))
    });
    let leads = [0, opener.map_or(0, str::len)];
    let look_back = &text.as_bytes()[text.len().saturating_sub(64 * 1024)..];
    let occurrences = |part: &str| look_back.windows(part.len()).filter(|at| *at == part.as_bytes()).count();
    let window = &message[..message.floor_char_boundary(WINDOW)];
    if window.len() < message.len() {
        for lead in leads {
            let (part, whole) = (&window[lead..], &message[lead..]);
            let recent = (0..look_back.len()).find(|&at| look_back[at..].starts_with(part.as_bytes()));
            let start = match recent {
                Some(at) if occurrences(part) == 1 => text.len() - look_back.len() + at,
                None if text.starts_with(part) => 0,
                _ => continue,
            };
            if periodic(part) || start + part.len() == text.len() {
                continue;
            }
            if whole.starts_with(&text[start..]) {
                return lead + text.len() - start;
            }
            if start == 0 && text.starts_with(whole) && end_line(message, end).is_none() {
                return message.len();
            }
            break;
        }
    } else if end_line(message, end).is_none() {
        let again = |lead: &usize| message.len() - lead >= 1024 && text.starts_with(&message[*lead..]);
        if leads.iter().any(again) {
            return message.len();
        }
    }
    let cut = &text[text.rfind('\n').map_or(0, |at| at + 1)..];
    let counts = |part: &str| {
        let begins_a_line = text.len() == part.len() || text[..text.len() - part.len()].ends_with('\n');
        let begun_again = begins_a_line
            && !blank(part.split('\n').next().unwrap())
            && part.ends_with(cut)
            && cut.split_whitespace().collect::<String>().chars().count() >= 3;
        let distinctive = part.chars().count() >= 24 && !periodic(part) && occurrences(part) == 1;
        (begun_again, distinctive)
    };
    let best = |lead: usize| {
        let whole = &window[lead..];
        let parts = || (1..=whole.len()).filter(|&to| whole.is_char_boundary(to)).map(|to| &whole[..to]);
        let parts = || parts().filter(|part| text.ends_with(part));
        let long = parts().filter(|part| counts(part).1).max_by_key(|part| part.len());
        let again = || parts().find(|part| counts(part).0);
        let again = || again().filter(|part| !periodic(part) && occurrences(&part.repeat(2)) == 0);
        long.or_else(again).map_or(0, |part| lead + part.len())
    };
    best(leads[0]).max(best(leads[1]))
}

fn periodic(part: &str) -> bool {
    let bytes = part.as_bytes();
    (1..=bytes.len() / 2).any(|period| bytes[period..] == bytes[..bytes.len() - period])
}

/// What content is made of: everything that looks like an end, a fence, a line end or a part of one of them.
fn atom() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "DONE",
        "\nDONE\n",
        "DO",
        "NE",
        "D",
        "DON",
        "E",
        "\n",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        " ",
        "\t",
        "```",
        "```rust\n",
        "\n```\n",
        "~~~\n",
        "é",
        "漢字",
        "🎉",
        "}",
        "}\n",
        "    ",
        "foo",
        "| yes ",
        "| yes | no |\n",
        "a line of more than twenty-four characters\n",
        "another line, of about forty characters\n",
        "0, 0, ",
        "END-7f3a",
        "END-",
        "---",
        "let x = 1;\n",
    ])
}

fn atoms(most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(atom(), 0..most).prop_map(|atoms| atoms.concat())
}

/// One message: what it repeats of the content before it, and what is new.
#[derive(Debug, Clone)]
struct Said {
    /// Where it begins again, from 0 (the end of the content) to 1 (its beginning); none when it repeats nothing.
    again: Option<f64>,
    fence: &'static str,
    new: String,
}

impl Said {
    fn after(&self, text: &str) -> String {
        let from = self
            .again
            .map_or(text.len(), |part| text.floor_char_boundary((text.len() as f64 * (1.0 - part)) as usize));
        format!("{}{}{}", self.fence, &text[from..], self.new)
    }
}

fn said() -> impl Strategy<Value = Said> {
    let again = prop_oneof![Just(None), Just(Some(1.0)), (0.0..1.0).prop_map(Some)];
    let fence = prop::sample::select(vec!["", "", "```\n", "```rust\n", "\n"]);
    (again, fence, atoms(12)).prop_map(|(again, fence, new)| Said { again, fence, new })
}

/// Cuts a message at some of these places.
fn pieces<'a>(message: &'a str, cuts: &[usize]) -> Vec<&'a str> {
    let mut places: Vec<_> =
        cuts.iter().map(|cut| message.floor_char_boundary(cut % (message.len() + 1))).collect();
    places.extend([0, message.len()]);
    places.sort_unstable();
    places.windows(2).map(|place| &message[place[0]..place[1]]).collect()
}

proptest! {
    #![proptest_config(cases(30_000))]

    #[test]
    fn any_chunking_gives_what_whole_messages_give(
        messages in prop::collection::vec(said(), 1..5),
        cuts in prop::collection::vec(any::<usize>(), 0..12),
        nonce in any::<bool>(),
    ) {
        let end = if nonce { strict() } else { EndLine::Done };
        let mut reference = Reference::default();
        let mut capture = Capture::new(end.clone());
        let mut shown = String::new();
        for message in messages {
            let message = message.after(&reference.text);
            let expected = reference.message(&message, end.as_str());
            capture.begin_message();
            for piece in pieces(&message, &cuts) {
                capture.push(piece);
                let now = &capture.text()[..capture.shown()];
                prop_assert!(now.starts_with(&shown), "{shown:?} was shown, and now it is {now:?}");
                shown = now.to_owned();
            }
            prop_assert_eq!(capture.end_message(), expected);
            prop_assert_eq!(capture.text(), &reference.text);
            prop_assert_eq!(capture.seams(), &reference.seams);
            prop_assert!(capture.text()[..capture.shown()].starts_with(&shown), "{:?} was shown", shown);
            check_counts(&capture);
        }
    }
}

/// A file of so many tokens of 4 characters: lines that are each different, and between them short ones that are not, no more of
/// them in a row than a repetition of 64 characters goes beyond.
fn long_file(tokens: usize, seed: usize) -> String {
    let short = ["}\n", "\n", "    }\r\n", "---\n", "|a|a|\n"];
    let mut file = String::new();
    let mut characters = 0;
    let mut line = seed;
    while characters < tokens * 4 {
        line += 1;
        let mut text = format!("    let größe_{line} = 計算({line}, \"…\");\n");
        text.extend((0..line * 7 % 4).map(|at| short[(line + at) % short.len()]));
        characters += text.chars().count();
        file += &text;
    }
    file
}

/// How a model goes on after its output was cut.
#[derive(Debug, Clone, Copy)]
enum Resumption {
    Exactly,
    /// So many characters before the cut. Fewer than 64 could be short lines alone, which the file has many times.
    Characters(usize),
    /// From the beginning of the line that was cut. Of lines with fewer than 3 characters nothing can be told.
    Line,
    /// From the beginning of one of so many different lines before the cut.
    Lines(usize),
    FromTheTop,
}

fn resumption() -> impl Strategy<Value = Resumption> {
    prop_oneof![
        2 => Just(Resumption::Exactly),
        4 => (64usize..5000).prop_map(Resumption::Characters),
        4 => Just(Resumption::Line),
        4 => (1usize..60).prop_map(Resumption::Lines),
        1 => Just(Resumption::FromTheTop),
    ]
}

impl Resumption {
    /// Where the next message begins when the one before it was cut at `cut`.
    fn start(self, file: &str, cut: usize) -> usize {
        let before = &file[..cut];
        match self {
            Self::Exactly => cut,
            Self::Characters(count) => before.char_indices().rev().nth(count - 1).map_or(0, |(at, _)| at),
            Self::Line => {
                let start = before.rfind('\n').map_or(0, |at| at + 1);
                // `---` and `|a|` may be the beginning of a longer line of the same.
                let tells = before[start..].starts_with("    let");
                if tells { start } else { cut }
            }
            Self::Lines(count) => before.rmatch_indices("    let").nth(count).map_or(0, |(at, _)| at),
            Self::FromTheTop => 0,
        }
    }
}

fn resumptions() -> impl Strategy<Value = Vec<(Resumption, usize, bool)>> {
    prop::collection::vec((resumption(), 0usize..64, prop::bool::weighted(0.2)), 16)
}

/// Writes the file in messages of so many tokens, each cut a few characters earlier than it could be, and each after the first
/// with a fence opener or not. One session, no loss, no repeat, seams marked (W4).
fn assemble(file: &str, tokens: usize, resumptions: Vec<(Resumption, usize, bool)>) {
    let mut capture = Capture::new(EndLine::Done);
    let mut resumptions = resumptions.into_iter().cycle();
    let mut seams = Vec::new();
    let mut sent = 0;
    while sent < file.len() {
        let (resumption, fewer, fenced) = resumptions.next().unwrap();
        let start = resumption.start(file, sent);
        let fence = if fenced && start < sent { "```rust\n" } else { "" };
        // A message that begins again brings as much that is new as one that does not.
        let end = file[sent..].char_indices().nth(tokens * 4 - fewer).map_or(file.len(), |(at, _)| sent + at);
        if sent > 0 {
            let line = file[..sent].matches('\n').count() as u32 + 1;
            let dropped = fence.len() + sent - start;
            seams.push(Seam { offset: sent as u64, line, dropped: dropped as u64 });
        }
        let done = if end == file.len() { "DONE\n" } else { "" };
        let message = format!("{fence}{}{done}", &file[start..end]);
        capture.begin_message();
        let mut rest = message.as_str();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.floor_char_boundary(64));
            capture.push(piece);
            rest = after;
        }
        assert_eq!(capture.end_message(), if done.is_empty() { Open } else { Complete });
        assert!(capture.text() == &file[..end], "after {resumption:?} at {sent}");
        sent = end;
    }
    assert_eq!(capture.seams(), &seams);
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn a_file_of_40_000_tokens_that_is_cut_every_4000_is_put_together_exactly(
        seed in 0usize..1000,
        resumptions in resumptions(),
    ) {
        assemble(&long_file(40_000, seed), 4000, resumptions);
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn a_file_that_is_cut_anywhere_and_often_is_put_together_exactly(
        seed in 0usize..1000,
        tokens in 50usize..400,
        resumptions in resumptions(),
    ) {
        assemble(&long_file(1500, seed), tokens, resumptions);
    }
}
