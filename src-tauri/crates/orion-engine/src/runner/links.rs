//! A path that leads through a link is judged by the place that it leads to as well, so that no link gets around a rule (A1).

use orion_core::permission::{Rules, Ruling};
use orion_core::tool::{Arguments, ToolSpec};
use orion_files::workspace::{Located, Project};
use orion_protocol::{Code, ErrorInfo, Permission};

/// The refusal of a call that may not go where the links of its paths lead. Looks at the disk.
pub(super) fn refusal(
    rules: &Rules,
    tool: &ToolSpec,
    arguments: &Arguments,
    project: &Project,
) -> Option<ErrorInfo> {
    if !tool.ruled.is_empty() {
        return None; // Its rules are not about its paths.
    }
    let led: Vec<(&str, String)> =
        arguments.paths().filter_map(|path| Some((path, leads(path, project)?))).collect();
    let (named, place) = led.last()?;
    let place_of = |path: &str| led.iter().find(|(named, _)| *named == path).map(|(_, place)| place.clone());
    let there = arguments.at(place_of, &project.root().to_string_lossy());
    let (asked_for, there) = (rules.judge(tool, arguments), rules.judge(tool, &there));
    // What a person was asked about under one name was not asked about under the other.
    let (what, action) = match (there, asked_for.permission()) {
        (Ruling::Deny(_), _) => ("which the rules do not allow", "Go on without it, or ask the user."),
        (Ruling::Ask(_), Permission::Allow) => ("which is asked about", "Name that path instead."),
        _ => return None,
    };
    Some(ErrorInfo::new(Code::ToolDenied, format!("{named} leads to {place}, {what}."), action))
}

/// The place that a path leads to, where that is another one.
fn leads(named: &str, project: &Project) -> Option<String> {
    let path = project.path(named).ok()?;
    let place = match project.locate(&path).ok()? {
        Located::There(node) => node.path,
        Located::Missing(place) => place,
    };
    (place != path).then(|| place.to_string())
}
