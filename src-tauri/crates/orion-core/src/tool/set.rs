//! The tools of one turn: which there are, what each may do, and which of them a mode offers.
//!
//! A set never changes once its turn has begun: the setup holds it, and the journal names it by digest (T8). Not here: running a tool
//! (the ToolRunner), and what the settings allow (the engine), which comes in through [`ToolSet::permitted`].

use std::sync::Arc;

use orion_protocol::{Mode, Permission};
use serde::{Deserialize, Serialize};

use super::{ToolKind, ToolSpec};

/// Tools, in the order in which a model is told about them. Clones share them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ToolSet(Arc<[ToolSpec]>);

impl ToolSet {
    #[must_use]
    pub fn empty() -> Self {
        Self(Arc::new([]))
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

    /// Whether a call of this name may run a second time without harm (A5). True for a name that is not in the set:
    /// the ToolRunner refuses the call, and nothing runs.
    #[must_use]
    pub fn may_run_twice(&self, name: &str) -> bool {
        self.get(name).is_none_or(|tool| tool.kind.only_reads())
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|tool| tool.name.as_str())
    }

    pub fn iter(&self) -> std::slice::Iter<'_, ToolSpec> {
        self.0.iter()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

impl FromIterator<ToolSpec> for ToolSet {
    fn from_iter<I: IntoIterator<Item = ToolSpec>>(tools: I) -> Self {
        Self(tools.into_iter().collect())
    }
}

impl<'a> IntoIterator for &'a ToolSet {
    type Item = &'a ToolSpec;
    type IntoIter = std::slice::Iter<'a, ToolSpec>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(name: &str, kind: ToolKind, permission: Permission) -> ToolSpec {
        let (name, description) = (name.to_owned(), String::new());
        ToolSpec { name, description, parameters: json!({}), kind, permission }
    }

    fn tools() -> ToolSet {
        ToolSet::from_iter([
            tool("read", ToolKind::Reads, Permission::Allow),
            tool("open", ToolKind::OpensWrite, Permission::Ask),
            tool("change", ToolKind::Mutates, Permission::Ask),
            tool("secret", ToolKind::Reads, Permission::Deny),
        ])
    }

    fn names(tools: &ToolSet) -> Vec<&str> {
        tools.names().collect()
    }

    #[test]
    fn plan_mode_offers_what_only_reads_and_no_mode_offers_what_is_denied() {
        // A1
        assert_eq!(names(&tools().offered_in(Mode::Plan)), ["read"]);
        assert_eq!(names(&tools().offered_in(Mode::Act)), ["read", "open", "change"]);
    }

    #[test]
    fn permissions_are_decided_tool_by_tool_and_the_rest_of_a_tool_stays() {
        let permitted = tools().permitted(|tool| match tool.name.as_str() {
            "read" => Permission::Ask,
            _ => Permission::Deny,
        });
        assert_eq!(permitted.get("read"), Some(&tool("read", ToolKind::Reads, Permission::Ask)));
        assert_eq!(names(&permitted.offered_in(Mode::Act)), ["read"]);
        assert_eq!((permitted.len(), permitted.is_empty()), (4, false));
        assert_eq!((ToolSet::empty().len(), ToolSet::empty().is_empty()), (0, true));
    }

    #[test]
    fn what_opens_a_write_and_what_may_run_twice_is_said_by_the_kind() {
        let tools = tools();
        assert_eq!(tools.write_opener().map(|tool| tool.name.as_str()), Some("open"));
        assert_eq!(tools.offered_in(Mode::Plan).write_opener(), None);
        let twice = |name| tools.may_run_twice(name);
        assert_eq!([twice("read"), twice("open"), twice("change")], [true, false, false]);
    }

    #[test]
    fn a_name_that_is_not_in_the_set_is_for_the_tool_runner_to_refuse() {
        let tools = tools();
        assert_eq!(tools.get("rm"), None);
        assert_eq!(
            (tools.permission("rm"), tools.permission("secret")),
            (Permission::Allow, Permission::Deny)
        );
        assert!(tools.may_run_twice("rm"));
    }

    #[test]
    fn a_set_is_recorded_as_the_list_of_its_tools() {
        // T8: journals name this text by its digest.
        let tools = ToolSet::from_iter([tool("read", ToolKind::Reads, Permission::Allow)]);
        let recorded = json!([
            { "name": "read", "description": "", "parameters": {}, "kind": "reads", "permission": "allow" }
        ]);
        assert_eq!(serde_json::to_value(&tools).unwrap(), recorded);
        assert_eq!(serde_json::from_value::<ToolSet>(recorded).unwrap(), tools);
    }
}
