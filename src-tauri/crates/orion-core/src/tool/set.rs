//! The tools of one turn: which there are, what each may do, and which of them a mode offers.
//!
//! A set never changes once its turn has begun: the setup holds it, and the journal names it by digest (T8). Not here: running a tool
//! (the ToolRunner), and what the settings allow (`InForce::tools` of the engine), which comes in through [`ToolSet::permitted`].

use std::sync::{Arc, OnceLock};

use orion_protocol::{Mode, Permission, ToolCaps};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{ToolKind, ToolSpec};

/// Tools, in the order in which a model is told about them. Clones share them.
#[derive(Debug, Clone)]
pub struct ToolSet(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    tools: Box<[ToolSpec]>,
    /// Counted once: each request asks for it several times.
    bytes: OnceLock<u64>,
}

impl ToolSet {
    #[must_use]
    pub fn empty() -> Self {
        Self::from_iter([])
    }

    /// The same tools, each with the permission that `decide` gives it.
    #[must_use]
    pub fn permitted(&self, decide: impl Fn(&ToolSpec) -> Permission) -> Self {
        self.iter().map(|tool| ToolSpec { permission: decide(tool), ..tool.clone() }).collect()
    }

    /// The tools that a turn in this mode offers its model (A1): in plan mode those that only read, and never one that is denied.
    #[must_use]
    pub fn offered_in(&self, mode: Mode) -> Self {
        let offered = |tool: &&ToolSpec| {
            tool.permission != Permission::Deny && (mode == Mode::Act || tool.kind.only_reads())
        };
        self.iter().filter(offered).cloned().collect()
    }

    #[must_use]
    pub fn get(&self, name: &str) -> Option<&ToolSpec> {
        self.iter().find(|tool| tool.name == name)
    }

    /// The tool that opens write sessions (W1).
    #[must_use]
    pub fn write_opener(&self) -> Option<&ToolSpec> {
        self.iter().find(|tool| tool.kind == ToolKind::OpensWrite)
    }

    /// What a call of this name may do. A name that is not in the set is allowed here, since the ToolRunner refuses
    /// its call.
    #[must_use]
    pub fn permission(&self, name: &str) -> Permission {
        self.get(name).map_or(Permission::Allow, |tool| tool.permission)
    }

    /// The same tools, each with how often it may run in a turn.
    #[must_use]
    pub fn capped(&self, cap: impl Fn(&ToolSpec) -> Option<u32>) -> Self {
        self.iter().map(|tool| ToolSpec { max_per_turn: cap(tool), ..tool.clone() }).collect()
    }

    /// The most that they may run in a turn, as far as they are limited one by one (T4).
    #[must_use]
    pub fn caps(&self) -> ToolCaps {
        let all: Option<Vec<u32>> = self.iter().map(|tool| tool.max_per_turn).collect();
        ToolCaps {
            runs: all.map(|caps| caps.into_iter().fold(0, u32::saturating_add)),
            writes: self.write_opener().and_then(|tool| tool.max_per_turn),
            reuses: None,
            commands: self.command_runs(),
            ..ToolCaps::default()
        }
    }

    /// True where one of them runs commands.
    #[must_use]
    pub fn run_commands(&self) -> bool {
        self.command_runs().is_some()
    }

    /// The most commands that they may run in a turn, as far as they are limited one by one; none where none of them runs commands.
    fn command_runs(&self) -> Option<u32> {
        let runs = self.iter().filter(|tool| tool.kind == ToolKind::RunsCommands);
        runs.map(|tool| tool.max_per_turn.unwrap_or(u32::MAX)).reduce(u32::saturating_add)
    }

    /// Whether a call of this name may run a second time without harm (A5). True for a name that is not in the set:
    /// the ToolRunner refuses the call, and nothing runs.
    #[must_use]
    pub fn may_run_twice(&self, name: &str) -> bool {
        self.get(name).is_none_or(|tool| tool.kind.only_reads())
    }

    /// Bytes of all that a model is told of them.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let told =
            |tool: &ToolSpec| tool.name.len() + tool.description.len() + tool.parameters.to_string().len();
        *self.0.bytes.get_or_init(|| self.iter().map(|tool| told(tool) as u64).sum())
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|tool| tool.name.as_str())
    }

    pub fn iter(&self) -> std::slice::Iter<'_, ToolSpec> {
        self.0.tools.iter()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.tools.is_empty()
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.0.tools.len()
    }
}

impl FromIterator<ToolSpec> for ToolSet {
    fn from_iter<I: IntoIterator<Item = ToolSpec>>(tools: I) -> Self {
        Self(Arc::new(Shared { tools: tools.into_iter().collect(), bytes: OnceLock::new() }))
    }
}

impl PartialEq for ToolSet {
    fn eq(&self, other: &Self) -> bool {
        self.0.tools == other.0.tools
    }
}

/// A list of its tools.
impl Serialize for ToolSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.tools.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ToolSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from_iter)
    }
}

impl<'a> IntoIterator for &'a ToolSet {
    type Item = &'a ToolSpec;
    type IntoIter = std::slice::Iter<'a, ToolSpec>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
