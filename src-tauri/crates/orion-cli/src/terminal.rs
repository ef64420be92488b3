//! Writes to standard output and standard error, and formats remarks and errors.
//!
//! Deliberately not here: making text safe to print (`printed`).

use std::io::{self, IsTerminal, Write};

use anstyle::{AnsiColor, Style};
use orion_protocol::{Code, ErrorInfo};

use crate::printed::{Printed, visible};

const FAINT: Style = Style::new().dimmed();
/// Where the command line takes a key from.
const KEYS: &str = "On the command line a key comes from an environment variable: name yours with --base-url URL --api-key-env NAME, or set \
                    DEEPSEEK_API_KEY, OPENAI_API_KEY or OPENROUTER_API_KEY.";
/// What the argument parser begins with.
const ERROR: &str = "error:";
const WRONG: Style = AnsiColor::Red.on_default();

/// Such as `1 model call` and `2 model calls`.
pub(crate) fn count(number: u32, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Such as `212 B`, `4.2 KB` and `1.3 MB`, as the window has them.
pub(crate) fn size(bytes: u64) -> String {
    let mut value = bytes as f64;
    let mut units = ["KB", "MB", "GB"].into_iter();
    let mut unit = "B";
    while value >= 999.5 {
        let Some(next) = units.next() else { break };
        (value, unit) = (value / 1_000.0, next);
    }
    let places = usize::from(unit != "B" && value < 9.95);
    format!("{value:.places$} {unit}")
}

/// The text on one line of at most `width` characters.
pub(crate) fn one_line(text: &str, width: usize) -> String {
    // The carriage return of a line end would let what follows stand over what came before.
    let line = visible(text).replace("\r\n", " ").replace(['\n', '\t'], " ");
    match line.char_indices().nth(width) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Whether standard output shows colours, and the person wants them (`NO_COLOR`).
pub(crate) fn is_coloured() -> bool {
    !matches!(anstream::AutoStream::choice(&io::stdout()), anstream::ColorChoice::Never)
}

/// A terminal that knows no more than lines of text: no cursor that can be moved, no colours.
pub(crate) fn is_dumb() -> bool {
    std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb")
}

/// Whether a line on standard error can be rewritten. A console of Windows can, and sets no `TERM`.
pub(crate) fn rewrites() -> bool {
    let console = cfg!(windows) && std::env::var_os("TERM").is_none();
    io::stderr().is_terminal() && (console || !is_dumb())
}

/// The columns of the terminal now; 0 where nobody knows.
pub(crate) fn columns() -> usize {
    // `size` starts the program `tput` where the terminal does not say it.
    #[cfg(unix)]
    let columns = crossterm::terminal::window_size().map(|size| size.columns);
    #[cfg(not(unix))]
    let columns = crossterm::terminal::size().map(|(columns, _)| columns);
    columns.map_or(0, usize::from)
}

/// A short line of progress on standard error. A closed standard error is no reason to stop.
pub(crate) fn remark(text: &str) {
    _ = writeln!(anstream::stderr(), "{FAINT}{}{FAINT:#}", one_line(text, 200));
}

/// A line on standard error that is not shortened.
pub(crate) fn notice(text: &str) {
    _ = writeln!(anstream::stderr(), "{FAINT}{}{FAINT:#}", visible(text));
}

/// A line on standard error that a person has to read.
pub(crate) fn say(text: &str) {
    _ = writeln!(anstream::stderr(), "{}", visible(text));
}

/// A question on standard error, with the cursor right after it.
pub(crate) fn ask(text: &str) {
    let mut stderr = anstream::stderr().lock();
    _ = write!(stderr, "{}", visible(text));
    _ = stderr.flush();
}

/// What the argument parser says is wrong, with names of files and other arguments in it.
pub(crate) fn usage(said: &str) {
    let said = visible(said);
    let mut stderr = anstream::stderr().lock();
    _ = match said.strip_prefix(ERROR) {
        Some(rest) => write!(stderr, "{WRONG}{ERROR}{WRONG:#}{rest}"),
        None => write!(stderr, "{said}"),
    };
}

/// An error on standard error: what happened, what can be done, what the other side said.
pub(crate) fn error(error: &ErrorInfo) {
    let mut stderr = anstream::stderr().lock();
    _ = writeln!(stderr, "{WRONG}orion:{WRONG:#} {}", visible(&error.message));
    if let Some(action) = &error.action {
        _ = writeln!(stderr, "{}", visible(action));
    }
    match error.code {
        Code::Authentication => _ = writeln!(stderr, "{KEYS}"),
        Code::SessionUnknown => _ = writeln!(stderr, "orion sessions lists the sessions of a project."),
        Code::TurnUnknown => {
            _ = writeln!(stderr, "The id of a turn is in the last line that orion run prints.")
        }
        _ => {}
    }
    if let Some(detail) = &error.detail {
        _ = writeln!(stderr, "{FAINT}{}{FAINT:#}", one_line(detail, 500));
    }
}

/// A piece of a display, by where it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    Out(Printed),
    /// Faint where colours are shown.
    Remark(String),
    /// As [`Piece::Remark`], and not shortened.
    Line(String),
    /// The line at the cursor, in the place of what it was. Only for a terminal.
    Rewritten(String),
    /// As [`Piece::Rewritten`], and the last time.
    Settled(String),
    /// The line at the cursor goes. Only for a terminal.
    Cleared,
}

/// The width of a line that is rewritten, in columns, where the terminal has as many: what fits the usual 80.
const REWRITTEN: usize = 79;

/// What a pipe takes without waiting once it says that it takes something, in bytes (POSIX: `PIPE_BUF`, 4,096 on Linux).
const PIPE_BUF: usize = 4_096;

/// Writes a piece of a display. A reader that does not keep up holds up nothing else in the process: not the journal (J1), not a
/// stop (A4).
pub(crate) async fn put(piece: Piece) -> io::Result<()> {
    let length = match &piece {
        Piece::Out(text) => text.len(),
        Piece::Remark(text) | Piece::Line(text) | Piece::Rewritten(text) | Piece::Settled(text) => text.len(),
        Piece::Cleared => 0,
    };
    if length <= PIPE_BUF && is_ready(&piece) {
        return put_now(&piece);
    }
    let written = tokio::task::spawn_blocking(move || put_now(&piece)).await;
    written.unwrap_or_else(|panicked| Err(io::Error::other(panicked)))
}

fn put_now(piece: &Piece) -> io::Result<()> {
    match piece {
        Piece::Out(text) => out(text),
        Piece::Remark(text) => {
            remark(text);
            Ok(())
        }
        Piece::Line(text) => {
            notice(text);
            Ok(())
        }
        Piece::Rewritten(text) => {
            rewrite(text, "");
            Ok(())
        }
        Piece::Settled(text) => {
            rewrite(text, "\n");
            Ok(())
        }
        Piece::Cleared => {
            rewrite("", "\r");
            Ok(())
        }
    }
}

/// Writes over the line at the cursor. Spaces go over what was longer, since a terminal without colours is sent no escape sequence.
fn rewrite(text: &str, end: &str) {
    let width = rewritten(columns());
    let line = one_line(text, width.saturating_sub(1));
    let mut stderr = anstream::stderr().lock();
    _ = write!(stderr, "\r{FAINT}{line:<width$}{FAINT:#}{end}").and_then(|()| stderr.flush());
}

/// The width of a line that is rewritten on a terminal of so many columns; 0 where nobody knows. The last column stays free.
fn rewritten(columns: usize) -> usize {
    match columns {
        0 => REWRITTEN,
        columns => (columns - 1).min(REWRITTEN),
    }
}

#[cfg(unix)]
fn is_ready(piece: &Piece) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let (stdout, stderr) = (io::stdout(), io::stderr());
    let mut fds = [match piece {
        Piece::Out(_) => PollFd::new(&stdout, PollFlags::OUT),
        Piece::Remark(_) | Piece::Line(_) | Piece::Rewritten(_) | Piece::Settled(_) | Piece::Cleared => {
            PollFd::new(&stderr, PollFlags::OUT)
        }
    }];
    poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_ok_and(|ready| ready > 0)
}

#[cfg(not(unix))]
fn is_ready(_piece: &Piece) -> bool {
    false
}

/// Writes all of it to standard output, now.
pub(crate) fn out(text: &Printed) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_str().as_bytes())?;
    stdout.flush()
}

#[cfg(test)]
mod tests {
    use super::{one_line, rewritten, size};

    #[test]
    fn a_text_on_one_line_cannot_go_back_to_its_beginning() {
        assert_eq!(one_line("rm -rf ~\r\nfine\rand\tso\non\r", 80), "rm -rf ~ fine␍and so on␍");
        assert_eq!(one_line("one\r\ntwo", 4), "one …");
    }

    #[test]
    fn a_line_is_rewritten_in_full_where_nobody_knows_the_columns() {
        assert_eq!([0, 1, 40, 200].map(rewritten), [79, 0, 39, 79]);
    }

    #[test]
    fn sizes_have_one_place_below_ten() {
        let sizes =
            [0, 212, 999, 1_000, 4_249, 9_960, 999_499, 999_500, 1_300_000, 231_000_000, 7_000_000_000_000];
        let expected = [
            "0 B", "212 B", "999 B", "1.0 KB", "4.2 KB", "10 KB", "999 KB", "1.0 MB", "1.3 MB", "231 MB",
            "7000 GB",
        ];
        assert_eq!(sizes.map(size), expected);
    }
}
