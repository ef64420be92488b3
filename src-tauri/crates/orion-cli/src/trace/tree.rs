//! A trace as bars in a terminal: a line for each step, by time. Time in which the turn waits for a person is folded to a fixed width.

use orion_protocol::{CallPartKind, SpanStatus, TraceKind, TraceSpan};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{depths, named};
use crate::terminal::one_line;

/// Columns, where nobody knows how many there are.
pub(super) const WIDTH: usize = 100;

/// Columns of what stands before the bars: the step, and how long it took.
const LABEL: usize = 38;
const TIME: usize = 9;

/// The fewest columns of the bars.
const BARS: usize = 20;

/// The share of the bars that a wait for a person takes at most: a tenth.
const FOLDED: i64 = 10;

const LEGEND: &str = "· connecting  ░ to the first token  ▒ reasoning  █ text, tools  ▓ a call  - pause  ~ waits for you  ◆ a moment";

pub(super) fn tree(spans: &[TraceSpan], width: usize) -> String {
    let Some(turn) = spans.first() else { return String::new() };
    let scale = Scale::of(spans, turn, width.saturating_sub(LABEL + TIME + 3).max(BARS));
    let depths = depths(spans);
    let mut lines = String::new();
    for span in spans {
        let depth = depths.get(&span.span_id).copied().unwrap_or(0).min(8);
        let status = match span.status {
            SpanStatus::Ok | SpanStatus::Running => "",
            SpanStatus::Refused => " (refused)",
            SpanStatus::Failed => " (failed)",
            SpanStatus::Stopped => " (stopped)",
        };
        let label = format!("{}{}{status}", "  ".repeat(depth), one_line(&named(span), usize::MAX));
        let time = if span.end_ms == Some(span.start_ms) { String::new() } else { took(span, scale.now_ms) };
        lines.push_str(&format!("{} {time:>TIME$}  {}\n", fitted(&label), scale.bar(span).trim_end()));
    }
    lines.push_str(&format!("\n{LEGEND}\n"));
    lines
}

/// A label in exactly its columns.
fn fitted(label: &str) -> String {
    let mut fitted = String::new();
    let mut columns = 0;
    let is_cut = label.width() > LABEL;
    for c in label.chars() {
        let wide = c.width().unwrap_or(0);
        if columns + wide > LABEL - usize::from(is_cut) {
            break;
        }
        fitted.push(c);
        columns += wide;
    }
    if is_cut {
        fitted.push('…');
        columns += 1;
    }
    fitted.push_str(&" ".repeat(LABEL.saturating_sub(columns)));
    fitted
}

fn took(span: &TraceSpan, now_ms: i64) -> String {
    let ms = span.end_ms.unwrap_or(now_ms).saturating_sub(span.start_ms).max(0);
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{:.1} s", ms as f64 / 1e3),
        _ => format!("{} m {:02} s", ms / 60_000, ms / 1_000 % 60),
    }
}

/// Where a time stands among the columns.
struct Scale {
    start_ms: i64,
    /// When the last thing happened that is known.
    now_ms: i64,
    /// When the turn waited for a person, in order and apart from each other, and how much of each is shown.
    waits: Vec<(i64, i64, i64)>,
    /// The length of what is shown, at least 1.
    length: i64,
    columns: usize,
}

impl Scale {
    fn of(spans: &[TraceSpan], turn: &TraceSpan, columns: usize) -> Self {
        let times = spans.iter().flat_map(|span| [Some(span.start_ms), span.end_ms]).flatten();
        let (start_ms, now_ms) = (turn.start_ms, times.max().unwrap_or(turn.start_ms));
        let mut waits: Vec<(i64, i64, i64)> = Vec::new();
        for span in spans.iter().filter(|span| span.waits()) {
            let end_ms = span.end_ms.unwrap_or(now_ms);
            let from = waits.last().map_or(span.start_ms, |(_, end, _)| span.start_ms.max(*end));
            if end_ms > from {
                waits.push((from, end_ms, 0));
            }
        }
        let waited: i64 = waits.iter().map(|(from, to, _)| to - from).sum();
        let at_most = ((now_ms - start_ms - waited) / FOLDED).max(1);
        for (from, to, shown) in &mut waits {
            *shown = (*to - *from).min(at_most);
        }
        let folded: i64 = waits.iter().map(|(from, to, shown)| to - from - shown).sum();
        let length = (now_ms - start_ms - folded).max(1);
        Self { start_ms, now_ms, waits, length, columns }
    }

    /// The first column from this time on; the number of columns for the end.
    fn column(&self, at_ms: i64) -> usize {
        let at_ms = at_ms.clamp(self.start_ms, self.now_ms);
        let folded: i64 = self
            .waits
            .iter()
            .map(|(from, to, shown)| {
                (at_ms.min(*to) - from).max(0) - ((at_ms.min(*to) - from).max(0)).min(*shown)
            })
            .sum();
        let share =
            i128::from(at_ms - self.start_ms - folded) * self.columns as i128 / i128::from(self.length);
        usize::try_from(share).unwrap_or(0).min(self.columns)
    }

    fn bar(&self, span: &TraceSpan) -> String {
        let mut cells = vec![' '; self.columns];
        let end_ms = span.end_ms.unwrap_or(self.now_ms);
        if span.end_ms == Some(span.start_ms) {
            let at = self.column(span.start_ms).min(self.columns - 1);
            if let Some(cell) = cells.get_mut(at) {
                *cell = '◆';
            }
            return cells.into_iter().collect();
        }
        let filled = match span.kind {
            TraceKind::Turn | TraceKind::OrchestrationPhase => '─',
            _ if span.waits() => '~',
            _ => '█',
        };
        self.fill(&mut cells, span.start_ms, end_ms, filled);
        for part in &span.parts {
            let filled = match part.kind {
                CallPartKind::Connecting => '·',
                CallPartKind::FirstToken => '░',
                CallPartKind::Reasoning => '▒',
                CallPartKind::Text => '█',
                CallPartKind::Arguments => '▓',
                CallPartKind::Backoff => '-',
            };
            self.fill(&mut cells, part.start_ms, part.end_ms.unwrap_or(end_ms), filled);
        }
        cells.into_iter().collect()
    }

    /// Something is seen of everything, however short.
    fn fill(&self, cells: &mut [char], from_ms: i64, to_ms: i64, filled: char) {
        let from = self.column(from_ms).min(self.columns - 1);
        let to = self.column(to_ms).max(from + 1);
        cells.get_mut(from..to).unwrap_or_default().fill(filled);
    }
}
