//! What a call may do (A1): the rules of the project and of the person, and the approvals that a person keeps.
//!
//! Each layer is a list, in which the last rule that matches wins. Between layers the strictest wins: deny over ask over allow. A kept
//! approval lifts an `ask` that nobody configured, and nothing else; so does the choice that commands of this turn run without asking. A call that
//! runs commands is judged command by command (`commands`).
//! Deliberately not here: the mode, which decides what is offered ([`crate::tool::ToolSet::offered_in`]), files that always ask before a write
//! (`orion-files`), and asking.

mod commands;
mod exact;
mod pattern;
mod programs;
mod subcommands;
mod tables;

use std::collections::BTreeMap;

use orion_protocol::{ApprovalId, AskedBy, Permission};
use serde::{Deserialize, Serialize};

pub use commands::{RUN_COMMAND, as_asked, command_of, commands_of, prefixes, words_of_rule};
pub use exact::exact_line;
pub use pattern::{BadPattern, Pattern};
pub use programs::{Never, least_words};

use crate::tool::{Arguments, Subject, ToolKind, ToolSpec};

/// The rules of one turn. Its setup pins them (T8).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rules {
    /// The project's file system takes `A` and `a` for the same name.
    pub ignores_case: bool,
    /// What is configured, by the tool's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, ToolRules>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<Kept>,
    /// The person lets commands run in the sandbox without asking, in this turn alone (C1). It lifts what a kept approval for all of them
    /// would lift.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub commands_unasked: bool,
}

/// What is configured for one tool, the rule that counts most last.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ToolRules {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub user: Vec<Rule>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub project: Vec<Rule>,
}

/// What calls of a tool may do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// None for every call of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<Pattern>,
    pub permission: Permission,
}

/// An approval that a person keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Kept {
    pub approval_id: ApprovalId,
    pub tool: String,
    pub pattern: Pattern,
}

/// What a call may do, and by whose word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ruling {
    Allow,
    /// An approval that a person keeps allows it.
    Kept(ApprovalId),
    Ask(AskedBy),
    /// Denied by the rules of this layer.
    Deny(AskedBy),
}

impl Ruling {
    fn of(permission: Permission, by: AskedBy) -> Self {
        match permission {
            Permission::Allow => Self::Allow,
            Permission::Ask => Self::Ask(by),
            Permission::Deny => Self::Deny(by),
        }
    }

    /// The stricter of two. Of two that ask, the one that no kept approval lifts.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        if other.strictness() > self.strictness() { other } else { self }
    }

    fn strictness(self) -> u8 {
        match self {
            Self::Allow => 0,
            Self::Kept(_) => 1,
            Self::Ask(AskedBy::Default) => 2,
            Self::Ask(_) => 3,
            Self::Deny(_) => 4,
        }
    }

    #[must_use]
    pub fn permission(self) -> Permission {
        match self {
            Self::Allow | Self::Kept(_) => Permission::Allow,
            Self::Ask(_) => Permission::Ask,
            Self::Deny(_) => Permission::Deny,
        }
    }
}

impl Rules {
    /// Judges a call. A call that names several paths may do what is allowed for each of them.
    #[must_use]
    pub fn judge(&self, tool: &ToolSpec, arguments: &Arguments) -> Ruling {
        let rulings = arguments.subjects().iter().map(|subject| self.rule_on(tool, subject));
        rulings.reduce(Ruling::and).unwrap_or(Ruling::of(tool.permission, AskedBy::Default))
    }

    /// The rule that an approval of this call would be kept as. None where keeping it would lift nothing.
    #[must_use]
    pub fn would_keep(&self, tool: &ToolSpec, arguments: &Arguments) -> Option<Pattern> {
        let [subject] = arguments.subjects() else { return None };
        if self.rule_on(tool, subject) != Ruling::Ask(AskedBy::Default) {
            return None;
        }
        match tool.kind {
            // C1: a person lets every command run, or none.
            ToolKind::RunsCommands => Some(Pattern::everything()),
            ToolKind::Reads | ToolKind::Mutates | ToolKind::OpensWrite => Pattern::naming(subject),
        }
    }

    fn rule_on(&self, tool: &ToolSpec, subject: &Subject) -> Ruling {
        let configured = self.tools.get(&tool.name);
        let says = |rules: fn(&ToolRules) -> &[Rule], by| {
            let last = configured.and_then(|all| {
                rules(all).iter().rfind(|rule| {
                    rule.pattern.as_ref().is_none_or(|pattern| pattern.matches(subject, self.ignores_case))
                })
            });
            last.map(|rule| Ruling::of(rule.permission, by))
        };
        let user = says(|all| &all.user, AskedBy::User);
        let project = says(|all| &all.project, AskedBy::Project);
        let ruling = user.unwrap_or(Ruling::of(tool.permission, AskedBy::Default));
        match project.map_or(ruling, |project| ruling.and(project)) {
            Ruling::Ask(AskedBy::Default) => {
                let unasked = self.runs_unasked(tool, subject).then_some(Ruling::Allow);
                self.kept(tool, subject).or(unasked).unwrap_or(Ruling::Ask(AskedBy::Default))
            }
            ruling => ruling,
        }
    }

    /// C1: the choice for this turn covers what a kept approval for every command covers, and no other tool.
    fn runs_unasked(&self, tool: &ToolSpec, subject: &Subject) -> bool {
        self.commands_unasked
            && tool.kind == ToolKind::RunsCommands
            && Pattern::everything().matches(subject, self.ignores_case)
    }

    fn kept(&self, tool: &ToolSpec, subject: &Subject) -> Option<Ruling> {
        let holds = |kept: &&Kept| kept.tool == tool.name && kept.pattern.matches(subject, self.ignores_case);
        self.kept.iter().rfind(holds).map(|kept| Ruling::Kept(kept.approval_id))
    }
}
