//! Rules for commands in words: what a question offers to keep, how it is typed, and the reply (A1, C1).
//!
//! Deliberately not here: the rest of the question about a command (`command_words`), and which rules there are (`permissions`).

use orion_core::command_line::Line;
use orion_protocol::{CommandAsked, KeptFor, Reply, RuleFor, SimpleCommand};

use crate::terminal::one_line;

/// Characters of a name, and of a reason.
const SENTENCE: usize = 200;

/// Bytes of a rule: as many as a line has. All of it is shown before it is kept.
const RULE: usize = 8 * 1024;

/// The words of a rule that is proposed for each simple command: its subcommand, where it needs one, or else all of it; 0 where none is kept. None where
/// no rule can be kept at all.
pub(crate) fn proposed(command: &CommandAsked) -> Option<Vec<u32>> {
    let least = |command: &SimpleCommand| match command.rule {
        RuleFor::Prefix { least } if least > 1 => least,
        RuleFor::Prefix { .. } => u32::try_from(command.words.len()).unwrap_or(u32::MAX),
        RuleFor::NotNeeded | RuleFor::Never { .. } => 0,
    };
    let counts: Vec<u32> = command.runs.iter().map(least).collect();
    counts.iter().any(|count| *count > 0).then_some(counts)
}

/// The lines that say of what no rule can be kept, and why.
pub(crate) fn never(command: &CommandAsked) -> Vec<String> {
    if let Some(why) = &command.unread {
        return vec![format!("  No rule can be kept: the line {}.", one_line(why, SENTENCE))];
    }
    let reason = |SimpleCommand { words, rule }: &SimpleCommand| match rule {
        RuleFor::Never { why } => {
            let name = words.first().map(String::as_str).unwrap_or_default();
            Some(format!("  No rule is kept: {} {}.", one_line(name, SENTENCE), one_line(why, SENTENCE)))
        }
        RuleFor::NotNeeded | RuleFor::Prefix { .. } => None,
    };
    command.runs.iter().filter_map(reason).collect()
}

/// The rule that so many first words of each command make, as it is kept.
pub(crate) fn rule(command: &CommandAsked, counts: &[u32]) -> String {
    let prefixes = command.runs.iter().zip(counts).filter_map(|(command, count)| {
        let words = command.words.get(..usize::try_from(*count).ok()?)?;
        let text = Line::text(&[words.to_vec()]).filter(|text| !text.is_empty())?;
        Some(format!("{} …", one_line(&text, RULE)))
    });
    prefixes.collect::<Vec<_>>().join("; ")
}

/// The numbers that a person typed, one for each simple command; the rule that is proposed where they typed none.
pub(crate) fn typed(command: &CommandAsked, text: &str) -> Option<Vec<u32>> {
    let proposed = proposed(command)?;
    if text.trim().is_empty() {
        return Some(proposed);
    }
    let numbers: Option<Vec<u32>> =
        text.split([',', ' ']).filter(|part| !part.is_empty()).map(|part| part.parse().ok()).collect();
    numbers.filter(|numbers| numbers.len() == proposed.len())
}

/// The reply that keeps it.
pub(crate) fn reply(keep: KeptFor, words: Vec<u32>) -> Reply {
    Reply::AllowWords { keep, words }
}

#[cfg(test)]
mod tests {
    use orion_protocol::{CommandAsked, RuleFor, SandboxLevel, SimpleCommand};

    use super::{never, proposed, rule, typed};

    fn asked(runs: &[(&str, RuleFor)], unread: Option<&str>) -> CommandAsked {
        let simple = |(line, rule): &(&str, RuleFor)| SimpleCommand {
            words: line.split(' ').map(str::to_owned).collect(),
            rule: rule.clone(),
        };
        CommandAsked {
            line: String::new(),
            runs: runs.iter().map(simple).collect(),
            unread: unread.map(str::to_owned),
            folder: ".".to_owned(),
            reason: None,
            seconds: 60,
            level: SandboxLevel::Full,
            gaps: Vec::new(),
            reads: Vec::new(),
            needs_outside: false,
            asks_since: None,
            hosts: Vec::new(),
            offered_hosts: Vec::new(),
        }
    }

    // A1, C1
    #[test]
    fn the_rule_is_shown_before_it_is_kept_and_has_as_many_words_as_it_needs() {
        let wrapper = RuleFor::Never { why: "runs what stands after it".to_owned() };
        let command = asked(
            &[
                ("cd src", RuleFor::NotNeeded),
                ("cargo test -p x", RuleFor::Prefix { least: 2 }),
                ("xargs rm", wrapper.clone()),
            ],
            None,
        );
        assert_eq!(never(&command), ["  No rule is kept: xargs runs what stands after it."]);
        assert_eq!(proposed(&command), Some(vec![0, 2, 0]));
        assert_eq!(proposed(&asked(&[("rm -rf x", RuleFor::Prefix { least: 1 })], None)), Some(vec![3]));
        assert_eq!(rule(&command, &[0, 2, 0]), "cargo test …");
        assert_eq!(rule(&command, &[0, 3, 0]), "cargo test -p …");
        let quoted = SimpleCommand {
            words: ["grep", "a b", "c"].map(str::to_owned).to_vec(),
            rule: RuleFor::Prefix { least: 1 },
        };
        assert_eq!(rule(&CommandAsked { runs: vec![quoted], ..asked(&[], None) }, &[2]), "grep 'a b' …");
        for (text, counts) in [
            ("", Some(vec![0, 2, 0])),
            (" 0,4,0 ", Some(vec![0, 4, 0])),
            ("0 3 0", Some(vec![0, 3, 0])),
            ("4", None),
            ("a,b,c", None),
        ] {
            assert_eq!(typed(&command, text), counts, "{text:?}");
        }
        assert_eq!(proposed(&asked(&[("xargs rm", wrapper)], None)), None);
        let unread = asked(&[], Some("sets a variable"));
        assert_eq!(never(&unread), ["  No rule can be kept: the line sets a variable."]);
        assert_eq!((proposed(&unread), typed(&unread, "")), (None, None));
    }
}
