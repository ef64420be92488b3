//! Aligned columns for a terminal.

use crate::terminal::one_line;

/// Characters of one cell at most: a model's name may be of any length.
const WIDEST: usize = 48;

/// Whether a column holds words or numbers, which end at the right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    Words,
    Numbers,
}

/// Lines of columns, each as wide as its widest cell, with two spaces between them.
pub(crate) fn table(columns: &[(&str, Column)], rows: &[Vec<String>]) -> String {
    let head: Vec<String> = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
    let lines: Vec<Vec<String>> = std::iter::once(&head)
        .chain(rows)
        .map(|cells| cells.iter().map(|cell| one_line(cell, WIDEST)).collect())
        .collect();
    let width = |at: usize| {
        lines.iter().filter_map(|cells| cells.get(at)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let mut text = String::new();
    for cells in &lines {
        let mut line = String::new();
        for ((cell, width), (_, column)) in cells.iter().zip(&widths).zip(columns) {
            let space = " ".repeat(width.saturating_sub(cell.chars().count()));
            if !line.is_empty() {
                line.push_str("  ");
            }
            match column {
                Column::Words => line.extend([cell.as_str(), &space]),
                Column::Numbers => line.extend([space.as_str(), cell]),
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_begin_and_numbers_end_in_one_line() {
        let columns = [("model", Column::Words), ("turns", Column::Numbers), ("note", Column::Words)];
        let rows = [
            vec!["é".into(), "1".into(), "a".into()],
            vec!["long name".into(), "1,000,000".into(), String::new()],
        ];
        let expected = "\
model          turns  note
é                  1  a
long name  1,000,000
";
        assert_eq!(table(&columns, &rows), expected);
    }
}
