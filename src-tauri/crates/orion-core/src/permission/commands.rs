//! The judging of calls that run commands: each simple command of a line is judged by rules of words (C1).
//!
//! A rule is a prefix of words. A line that is not understood matches none, and where a rule might hold that cannot be checked, a person is asked.
//! Deliberately not here: reading lines (`command_line`), and the level of the sandbox, without which no kept rule holds (`turn`).

use orion_protocol::{ApprovalId, AskedBy, CommandAsked, Permission, RuleFor, SimpleCommand};
use serde_json::Value;

use super::programs::{least_words, may_fall_back_to, may_run_another};
use super::{Kept, Pattern, Rule, Rules, Ruling, ToolRules};
use crate::command_line::{self, Line, Unread, Words, changes_folder, is_of_shell};
use crate::tool::{Arguments, ToolSpec};

/// The tool that runs commands, as settings name it.
pub const RUN_COMMAND: &str = "run_command";

/// The simple commands that a call runs.
///
/// # Errors
/// The reason for which they are not understood.
pub fn commands_of(arguments: &Arguments) -> Result<Line, Unread> {
    let mut ruled = arguments.ruled();
    match (ruled.next(), ruled.next()) {
        (Some(Value::String(line)), None) => command_line::read(line),
        (Some(Value::Array(words)), None) => {
            let words: Option<Words> = words.iter().map(|word| word.as_str().map(str::to_owned)).collect();
            command_of(words.ok_or(Unread::Name)?)
        }
        _ => Err(Unread::Size),
    }
}

/// A program with its arguments, without a shell, as a line of one simple command.
///
/// # Errors
/// No line is read as it, so it could not be shown as one, or kept.
pub fn command_of(words: Words) -> Result<Line, Unread> {
    let commands = vec![words];
    Line::text(&commands).map(|_| Line { commands }).ok_or(Unread::Name)
}

/// The simple commands of a line as a person is asked about them. `by_shell` says that a shell runs it, which has some programs itself, and
/// `never` has what is known of a program by where it is found: the end of a sentence that begins with its name, where no rule is kept for it.
#[must_use]
pub fn as_asked(line: &Line, by_shell: bool, never: impl Fn(&str) -> Option<String>) -> Vec<SimpleCommand> {
    let rule = |words: &Words| {
        let name = words.first().map(String::as_str).unwrap_or_default();
        if changes_folder(words) {
            return RuleFor::NotNeeded;
        }
        match least_words(words) {
            Err(why) => RuleFor::Never { why: why.to_string() },
            Ok(least) => match (!by_shell || !is_of_shell(name)).then(|| never(name)).flatten() {
                Some(why) => RuleFor::Never { why },
                None => RuleFor::Prefix { least: u32::try_from(least).unwrap_or(u32::MAX) },
            },
        }
    };
    line.commands.iter().map(|words| SimpleCommand { words: words.clone(), rule: rule(words) }).collect()
}

/// The rule that is kept as so many first words of each simple command; none of those with 0. None where it would be no rule.
#[must_use]
pub fn prefixes(asked: &[SimpleCommand], counts: &[u32]) -> Option<Pattern> {
    if counts.len() != asked.len() {
        return None;
    }
    let mut prefixes: Vec<Words> = Vec::new();
    for (command, &count) in asked.iter().zip(counts) {
        let most = u32::try_from(command.words.len()).ok()?;
        match &command.rule {
            _ if count == 0 => continue,
            RuleFor::Prefix { least } if (*least..=most).contains(&count) => {}
            RuleFor::Prefix { .. } | RuleFor::NotNeeded | RuleFor::Never { .. } => return None,
        }
        let prefix: Words = command.words.iter().take(usize::try_from(count).ok()?).cloned().collect();
        if !prefixes.contains(&prefix) {
            prefixes.push(prefix);
        }
    }
    Pattern::try_from(Line::text(&prefixes)?).ok()
}

/// The words of the rule of a settings file: one simple command.
#[must_use]
pub fn words_of_rule(text: &str) -> Option<Words> {
    let Line { commands } = command_line::read(text).ok()?;
    <[Words; 1]>::try_from(commands).ok().map(|[words]| words)
}

impl Rules {
    /// Judges a call that runs commands. `asked` is how it would run, where that is known.
    #[must_use]
    pub fn judge_commands(
        &self,
        tool: &ToolSpec,
        arguments: &Arguments,
        asked: Option<&CommandAsked>,
    ) -> Ruling {
        let none = ToolRules::default();
        let configured = self.tools.get(&tool.name).unwrap_or(&none);
        let layers = |says: &dyn Fn(&[Rule], AskedBy) -> Option<Ruling>| {
            let ruling = says(&configured.user, AskedBy::User)
                .unwrap_or(Ruling::of(tool.permission, AskedBy::Default));
            says(&configured.project, AskedBy::Project).map_or(ruling, |project| ruling.and(project))
        };
        let Ok(Line { commands }) = commands_of(arguments) else {
            return self.lifted(tool, layers(&on_unread), None);
        };
        let moves_alone = commands.iter().all(|words| changes_folder(words));
        let rulings = commands.iter().enumerate().map(|(at, words)| {
            let is_exempt = changes_folder(words) && !moves_alone;
            let ruling = layers(&|rules, by| on_words(rules, by, words, is_exempt));
            let of_asked = asked.and_then(|asked| asked.runs.get(at)).filter(|asked| asked.words == *words);
            match ruling {
                Ruling::Ask(AskedBy::Default) if is_exempt => Ruling::Allow,
                ruling => self.lifted(tool, ruling, of_asked),
            }
        });
        rulings.reduce(Ruling::and).unwrap_or(Ruling::Ask(AskedBy::Default))
    }

    /// The pattern by which a person can let every command run in the sandbox. None where that would lift nothing, or for a line that is not
    /// understood.
    #[must_use]
    pub fn would_keep_commands(
        &self,
        tool: &ToolSpec,
        arguments: &Arguments,
        asked: Option<&CommandAsked>,
    ) -> Option<Pattern> {
        let lifts = self.judge_commands(tool, arguments, asked) == Ruling::Ask(AskedBy::Default);
        (lifts && commands_of(arguments).is_ok()).then(Pattern::everything)
    }

    /// The kept approvals by which a line runs unasked, one for each of its commands.
    #[must_use]
    pub fn kept_for_commands(&self, tool: &ToolSpec, asked: &CommandAsked) -> Vec<ApprovalId> {
        let mut all: Vec<ApprovalId> =
            asked.runs.iter().filter_map(|command| self.kept_for(tool, Some(command))).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// A1: what a person kept or chose lifts a question that nobody configured.
    fn lifted(&self, tool: &ToolSpec, ruling: Ruling, command: Option<&SimpleCommand>) -> Ruling {
        if ruling != Ruling::Ask(AskedBy::Default) {
            return ruling;
        }
        let kept = self.kept_for(tool, command).map(Ruling::Kept);
        kept.or(self.commands_unasked.then_some(Ruling::Allow)).unwrap_or(ruling)
    }

    fn kept_for(&self, tool: &ToolSpec, command: Option<&SimpleCommand>) -> Option<ApprovalId> {
        let holds = |kept: &&Kept| {
            kept.tool == tool.name
                && (kept.pattern == Pattern::everything()
                    || command.is_some_and(|command| covers(&kept.pattern, command)))
        };
        self.kept.iter().rfind(holds).map(|kept| kept.approval_id)
    }
}

/// C1: one of the rule's prefixes begins the simple command, which is one that a rule is kept for.
fn covers(pattern: &Pattern, command: &SimpleCommand) -> bool {
    let RuleFor::Prefix { least } = command.rule else { return false };
    // What is known today counts, too: a table may have grown since it was asked about.
    let Ok(now) = least_words(&command.words) else { return false };
    let least = usize::try_from(least).unwrap_or(usize::MAX).max(now);
    let Ok(rule) = command_line::read(pattern.text()) else { return false };
    rule.commands.iter().any(|prefix| prefix.len() >= least && command.words.starts_with(prefix))
}

/// The word of a layer on one simple command: that of the last rule that matches. A later rule that asks or denies and cannot be checked asks.
fn on_words(rules: &[Rule], by: AskedBy, words: &Words, is_exempt: bool) -> Option<Ruling> {
    let of_rule = |rule: &Rule| rule.pattern.as_ref().map(|pattern| words_of_rule(pattern.text()));
    let matches = |rule: &Rule| match of_rule(rule) {
        None => !is_exempt,
        Some(prefix) => prefix.is_some_and(|prefix| words.starts_with(&prefix)),
    };
    let may_match = |rule: &Rule| match of_rule(rule) {
        None => false,
        Some(None) => true, // A rule that cannot be read.
        Some(Some(prefix)) => {
            may_run_another(words)
                || may_be_meant(&prefix, words)
                || prefix.first().is_some_and(|program| may_fall_back_to(program, words))
        }
    };
    let last = rules.iter().rposition(matches);
    let ruling = last.map(|at| Ruling::of(rules[at].permission, by));
    let later = &rules[last.map_or(0, |at| at + 1)..];
    with_doubt(ruling, by, later.iter().any(|rule| rule.permission != Permission::Allow && may_match(rule)))
}

/// The word of a layer on a line that is not understood: that of its last rule for every call. A later one that asks or denies cannot be checked.
fn on_unread(rules: &[Rule], by: AskedBy) -> Option<Ruling> {
    let last = rules.iter().rposition(|rule| rule.pattern.is_none());
    let ruling = last.map(|at| Ruling::of(rules[at].permission, by));
    let later = &rules[last.map_or(0, |at| at + 1)..];
    with_doubt(ruling, by, later.iter().any(|rule| rule.permission != Permission::Allow))
}

fn with_doubt(ruling: Option<Ruling>, by: AskedBy, is_doubtful: bool) -> Option<Ruling> {
    match ruling {
        _ if !is_doubtful => ruling,
        None => Some(Ruling::Ask(by)),
        Some(ruling) => Some(ruling.and(Ruling::Ask(by))),
    }
}

/// True where a command that a rule does not begin may yet be one that it means: `git -C x push` may be `git push`, `git push x --force` is
/// `git push --force`, and `make all deploy` runs `make deploy`.
fn may_be_meant(prefix: &Words, words: &Words) -> bool {
    let Some(at) = prefix.iter().zip(words).position(|(of_rule, word)| of_rule != word) else { return false };
    let (of_rule, rest) = (&prefix[at..], &words[at..]);
    let is_option = |word: &String| word.starts_with(['-', '+']);
    let differs_by_option = is_option(&rest[0]) || (is_option(&of_rule[0]) && rest.iter().any(is_option));
    at > 0 && (differs_by_option || of_rule.iter().all(|word| rest.contains(word)))
}
