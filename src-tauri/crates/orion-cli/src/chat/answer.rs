//! Answers to what a turn asks, as a person gives them at a terminal (A1, A6).

use orion_engine::Host;
use orion_protocol::{AskedBy, CommandAsked, ErrorInfo, KeptFor, Op, Reply, RequestId, SandboxLevel, Sha256};

use super::Chat;
use super::menu::{Choice, choice};
use super::prompt::{For, Typed};
use crate::command_words::UNASKED;
use crate::kept_words;
use crate::terminal::one_line;

/// The reason that a person is told for the question, beside the thing itself (A1).
pub(super) fn because(by: AskedBy) -> Option<&'static str> {
    match by {
        AskedBy::Default => None,
        AskedBy::User => Some("Your settings ask about this."),
        AskedBy::Project => Some("This project's settings ask about this."),
        AskedBy::Always => Some("Orion always asks about this."),
        AskedBy::Leaked => {
            Some("The model has written this call as text. It may have been meant for you to read.")
        }
    }
}

/// What follows from what the person said.
#[derive(Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "made once, and given at once")]
pub(super) enum Decision {
    Give(Op),
    /// To be asked again: what was shown has changed, or the answer was none.
    Again,
    Leave,
}

/// The question that a decision is about.
#[derive(Debug, Clone, Copy)]
pub(super) struct To {
    pub(super) request_id: RequestId,
    pub(super) digest: Sha256,
}

impl To {
    pub(super) fn give(self, reply: Reply) -> Decision {
        let Self { request_id, digest } = self;
        Decision::Give(Op::Reply { request_id, digest, reply })
    }

    pub(super) fn stop(self) -> Decision {
        Decision::Give(Op::StopTurn { request_id: self.request_id })
    }
}

/// The six answers to a question about a call or a write, and what they are worth (A1, A6). `keeps`: the rule that an approval would be kept
/// as, for the tool of this name.
pub(super) fn answers(once: &str, name: &str, keeps: Option<&str>) -> Vec<Choice> {
    let mut choices = vec![choice("o", once)];
    if let Some(pattern) = keeps {
        choices.push(choice("s", format!("this session: allow {name} {pattern} from now on")));
        choices.push(choice("p", format!("always in this project: allow {name} {pattern} from now on")));
    }
    choices.extend(rejections());
    choices
}

/// The answers to a question about a command (C1, C3). `keeps`: an approval can be kept, and then lets every command run in the sandbox,
/// or this exact line where that holds files alone.
pub(super) fn answers_to_command(command: &CommandAsked, keeps: bool) -> Vec<Choice> {
    let mut choices = match command.level {
        SandboxLevel::Full => {
            let inside = choice("o", "run it once, in the sandbox");
            let outside = choice("u", "run it once, outside the sandbox: it can do all that you can do");
            let mut ways = if command.needs_outside { vec![outside, inside] } else { vec![inside, outside] };
            if !hosts_of(command).is_empty() {
                let hosts = one_line(&hosts_of(command).join(" "), 1_000);
                ways.push(choice(
                    HOSTS,
                    format!("run it once, and let it reach {hosts}; or others: {HOSTS} HOST…"),
                ));
            }
            ways
        }
        SandboxLevel::FilesOnly => vec![
            choice("o", "run it once, with the project's files alone and no network"),
            choice("u", "run it once, outside the sandbox: it can do all that you can do"),
        ],
        SandboxLevel::None => vec![choice("o", "run it once, although nothing holds it")],
    };
    if keeps && command.level == SandboxLevel::FilesOnly {
        choices.push(choice("s", "this session: run this exact line from now on, without asking"));
    } else if keeps {
        if let Some(counts) = kept_words::proposed(command) {
            let rule = kept_words::rule(command, &counts);
            choices.push(choice(
                "ks",
                format!("this session: run what begins with {rule} without asking; ks N,N for more words"),
            ));
            choices.push(choice("kp", "always in this project: the same; kp N,N for more words"));
        }
        choices.push(choice("s", format!("this session: {UNASKED} from now on")));
        choices.push(choice("p", format!("always in this project: {UNASKED} from now on")));
    }
    choices.extend(rejections());
    choices
}

/// The key of the answer that grants hosts.
pub(super) const HOSTS: &str = "h";

/// The hosts that a command asks for, or those that it likely needs.
fn hosts_of(command: &CommandAsked) -> &[String] {
    if command.hosts.is_empty() { &command.offered_hosts } else { &command.hosts }
}

/// The hosts that a person grants with [`HOSTS`]: those that were typed after it, or those that were offered. Fails with the sentence about one that is none.
pub(super) fn granted(command: &CommandAsked, typed: &str) -> Result<Vec<String>, String> {
    if typed.trim().is_empty() {
        return Ok(hosts_of(command).to_vec());
    }
    let names = typed.split([' ', ',']).filter(|name| !name.is_empty());
    let parsed = names.map(|name| match Host::parse(name) {
        Ok(host) => Ok(host.to_string()),
        Err(why) => Err(format!("{} {why}.", one_line(name, 200))),
    });
    parsed.collect()
}

fn rejections() -> [Choice; 3] {
    [
        choice("n", "reject"),
        choice("w", "reject and say why: w REASON"),
        choice("x", "reject and stop the turn"),
    ]
}

/// The reply that a key of [`answers`] or of [`answers_to_command`] stands for, but for the first of them. None where the person still owes a reason.
pub(super) async fn reply_of(chat: &mut Chat, key: &str, rest: String) -> Result<Option<Reply>, ErrorInfo> {
    let allow = |keep| Reply::Allow { keep };
    let reject =
        |reason: String, stop| Reply::Reject { reason: Some(reason).filter(|it| !it.is_empty()), stop };
    Ok(Some(match key {
        "u" => Reply::AllowOutside,
        "s" => allow(Some(KeptFor::Session)),
        "p" => allow(Some(KeptFor::Project)),
        "n" => reject(String::new(), false),
        "x" => reject(rest, true),
        "w" if rest.is_empty() => match chat.lines.next(For::Answer, "why> ", "").await? {
            Typed::Line(reason) if !reason.trim().is_empty() => reject(reason.trim().to_owned(), false),
            _ => return Ok(None),
        },
        "w" => reject(rest, false),
        _ => allow(None),
    }))
}

#[cfg(test)]
mod tests {
    use orion_protocol::{RuleFor, SimpleCommand};

    use super::*;

    // C1, C3
    #[test]
    fn a_command_is_let_out_of_a_sandbox_only_where_there_is_one_and_kept_only_where_that_is_offered() {
        let asked = |level, needs_outside| CommandAsked {
            line: "git commit".to_owned(),
            folder: ".".to_owned(),
            reason: None,
            seconds: 60,
            level,
            gaps: Vec::new(),
            reads: Vec::new(),
            hosts: Vec::new(),
            offered_hosts: Vec::new(),
            needs_outside,
            asks_since: None,
            runs: Vec::new(),
            unread: None,
        };
        let with_hosts = |offered: &[&str]| CommandAsked {
            offered_hosts: offered.iter().map(|host| (*host).to_owned()).collect(),
            ..asked(SandboxLevel::Full, false)
        };
        let keys = |command, keeps| -> String {
            answers_to_command(&command, keeps).iter().map(|choice| choice.key()).collect()
        };
        assert_eq!(keys(asked(SandboxLevel::Full, false), true), "ouspnwx");
        assert_eq!(keys(asked(SandboxLevel::Full, true), false), "uonwx");
        assert_eq!(keys(asked(SandboxLevel::FilesOnly, false), false), "ounwx");
        assert_eq!(keys(asked(SandboxLevel::FilesOnly, false), true), "ousnwx");
        assert_eq!(keys(asked(SandboxLevel::None, false), false), "onwx");
        let words = vec!["git".to_owned(), "commit".to_owned()];
        let runs = vec![SimpleCommand { words, rule: RuleFor::Prefix { least: 2 } }];
        let of_words = CommandAsked { runs, ..asked(SandboxLevel::Full, false) };
        assert_eq!(keys(of_words, true), "oukskpspnwx");
        let offering = with_hosts(&["a.test", "b.test"]);
        assert_eq!(keys(offering.clone(), true), "ouhspnwx");
        assert_eq!(granted(&offering, " "), Ok(vec!["a.test".to_owned(), "b.test".to_owned()]));
        assert_eq!(
            granted(&offering, "C.test, d.test:8080"),
            Ok(vec!["c.test".to_owned(), "d.test:8080".to_owned()])
        );
        assert_eq!(granted(&offering, "a.test *").unwrap_err(), "* stands for many hosts; name each one.");
    }
}
