//! A table with its columns under one another.

use anstyle::Style;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use unicode_width::UnicodeWidthStr;

use super::{FAINT, HEADING};

/// Columns between two columns of a table.
const GAP: usize = 2;

/// The lines of a table that is no wider than the terminal; else its rows as they are, and so what only looks like a table.
pub(super) fn aligned(rows: &[String], columns: usize) -> Vec<Vec<(String, Style)>> {
    let as_it_is = || rows.iter().map(|row| vec![(row.clone(), Style::new())]).collect();
    let cells = cells(&rows.join("\n"));
    let Some(head) = cells.first() else { return as_it_is() };
    let width_of = |column: usize| {
        cells.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width_of).collect();
    let total = widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
    if total > columns || cells.len() + 1 != rows.len() {
        return as_it_is();
    }
    let line = |cells: &Vec<String>, style: Style| {
        let padded = cells.iter().zip(&widths).map(|(cell, width)| {
            let spaces = width.saturating_sub(cell.width());
            format!("{cell}{}", " ".repeat(spaces))
        });
        let text = padded.collect::<Vec<_>>().join(&" ".repeat(GAP));
        vec![(text.trim_end().to_owned(), style)]
    };
    let mut lines = vec![line(head, HEADING)];
    let across: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
    lines.push(line(&across, FAINT));
    lines.extend(cells.iter().skip(1).map(|row| line(row, Style::new())));
    lines
}

/// The texts of the cells, row by row; none where this is no table.
fn cells(text: &str) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Start(Tag::TableHead | Tag::TableRow) => rows.push(Vec::new()),
            Event::Start(Tag::TableCell) => {
                rows.iter_mut().last().into_iter().for_each(|row| row.push(String::new()))
            }
            Event::Text(text) | Event::Code(text) | Event::InlineHtml(text) => {
                if let Some(cell) = rows.last_mut().and_then(|row| row.last_mut()) {
                    cell.push_str(&text);
                }
            }
            Event::End(TagEnd::Table) => break,
            _ => {}
        }
    }
    rows
}
