//! The table of figures, on the screen and in docs/performance.md.

use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::measures::median;
use crate::subject::Subject;

/// What a figure must not exceed, or must reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Goal {
    AtMost(f64),
    #[cfg_attr(
        not(target_os = "linux"),
        expect(
            dead_code,
            reason = "only a figure of the window has it, and the window is measured on Linux"
        )
    )]
    AtLeast(f64),
    TimesFloor(f64),
    /// The figure without the burden, and the most that counts as the same.
    SameAs(f64, f64),
}

/// One thing measured.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) what: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) goal: Goal,
    pub(crate) floor: Option<f64>,
    pub(crate) orion: f64,
}

impl Row {
    /// Measures the two programs alternately, so that a change in the machine's speed affects both, and keeps the
    /// medians.
    pub(crate) fn medians(self, times: usize, measure: impl Fn(Subject) -> Result<f64>) -> Result<Self> {
        let (mut floor, mut orion) = (Vec::new(), Vec::new());
        for _ in 0..times {
            floor.push(measure(Subject::Floor).with_context(|| self.what)?);
            orion.push(measure(Subject::Orion).with_context(|| self.what)?);
        }
        Ok(Self { floor: Some(median(floor)), orion: median(orion), ..self })
    }

    pub(crate) fn is_met(&self) -> bool {
        match self.goal {
            Goal::AtMost(most) | Goal::SameAs(_, most) => self.orion <= most,
            Goal::AtLeast(least) => self.orion >= least,
            Goal::TimesFloor(times) => self.floor.is_some_and(|floor| self.orion <= times * floor),
        }
    }

    fn cells(&self) -> [String; 6] {
        // A ratio may have a bound near 1.
        let digits = if self.unit == "×" { 2 } else { 1 };
        let figure = |figure: f64| format!("{figure:.digits$} {}", self.unit);
        let goal = match self.goal {
            Goal::AtMost(most) => format!("≤ {most} {}", self.unit),
            Goal::AtLeast(least) => format!("≥ {least} {}", self.unit),
            Goal::TimesFloor(times) => format!("≤ {times}× floor"),
            Goal::SameAs(same, _) => format!("same as {}", figure(same)),
        };
        let floor = self.floor.map_or_else(String::new, figure);
        let ratio = self.floor.map_or_else(String::new, |floor| format!("{:.1}×", self.orion / floor));
        let met = if self.is_met() { "yes" } else { "no" };
        [self.what.to_owned(), goal, floor, figure(self.orion), ratio, met.to_owned()]
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [what, goal, floor, orion, _, met] = self.cells();
        write!(f, "{what}: {orion} (goal {goal}, floor {floor}), met: {met}")
    }
}

/// The table as Markdown, with what machine it comes from and how busy that was with other things, in percent of its cores.
pub(crate) fn render(rows: &[Row], elsewhere: f64) -> String {
    let head = ["", "goal", "floor", "orion", "ratio", "met"].map(str::to_owned);
    let lines: Vec<[String; 6]> = std::iter::once(head).chain(rows.iter().map(Row::cells)).collect();
    let width = |column: usize| lines.iter().map(|cells| cells[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 6] = std::array::from_fn(width);
    let line = |cells: &[String; 6]| {
        let padded = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        format!("| {} |\n", padded.collect::<Vec<_>>().join(" | "))
    };
    let rule = format!("|{}|\n", widths.map(|width| "-".repeat(width + 2)).join("|"));
    let mut table = format!(
        "Measured on {}. Other programs took up to {elsewhere:.0} % of its cores just before and after.\n\n",
        machine()
    );
    for (number, cells) in lines.iter().enumerate() {
        table += &line(cells);
        if number == 0 {
            table += &rule;
        }
    }
    table
}

/// Puts the table into docs/performance.md, in place of the one between `<!-- PLACE -->` and `<!-- /PLACE -->`.
pub(crate) fn insert(place: &str, table: &str) -> Result<()> {
    let (begin, end) = (format!("<!-- {place} -->"), format!("<!-- /{place} -->"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/performance.md");
    let text = fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let (before, rest) =
        text.split_once(&begin).with_context(|| format!("{} has no {begin}", path.display()))?;
    let (_, after) = rest.split_once(&end).with_context(|| format!("{} has no {end}", path.display()))?;
    fs::write(&path, format!("{before}{begin}\n{table}{end}{after}"))?;
    Ok(())
}

fn machine() -> String {
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpus.lines().find_map(|line| Some(line.strip_prefix("model name")?.split_once(": ")?.1));
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    format!("{cores} cores ({}), {}", model.unwrap_or("unnamed"), std::env::consts::OS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(goal: Goal, floor: Option<f64>, orion: f64) -> Row {
        Row { what: "CPU", unit: "ms", goal, floor, orion }
    }

    #[test]
    fn a_goal_is_met_up_to_its_figure() {
        let met = [
            row(Goal::AtMost(2.0), None, 2.0),
            row(Goal::AtMost(2.0), None, 2.1),
            row(Goal::TimesFloor(2.0), Some(3.0), 6.0),
            row(Goal::TimesFloor(2.0), Some(3.0), 6.1),
            row(Goal::SameAs(3.0, 4.0), None, 4.0),
            row(Goal::SameAs(3.0, 4.0), None, 4.1),
            row(Goal::AtMost(2.0), None, f64::NAN),
        ];
        assert_eq!(met.map(|row| row.is_met()), [true, false, true, false, true, false, false]);
    }

    #[test]
    fn the_median_is_the_one_in_the_middle() {
        assert_eq!(median(vec![9.0, 1.0, 2.0]), 2.0);
    }

    #[test]
    fn a_row_shows_goal_floor_figure_and_ratio() {
        let cells = row(Goal::TimesFloor(2.0), Some(2.0), 5.0).cells();
        assert_eq!(cells, ["CPU", "≤ 2× floor", "2.0 ms", "5.0 ms", "2.5×", "no"]);
        let cells = Row { unit: "×", ..row(Goal::AtMost(1.05), None, 1.064) }.cells();
        assert_eq!(cells, ["CPU", "≤ 1.05 ×", "", "1.06 ×", "", "no"]);
    }
}
