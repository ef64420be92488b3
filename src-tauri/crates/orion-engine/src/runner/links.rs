//! A path that leads through a link is judged by the place that it leads to as well, so that no link gets around a rule (A1).

use orion_core::permission::{Rules, Ruling};
use orion_core::tool::ToolSpec;
use orion_files::workspace::{Located, Project};
use orion_protocol::{Code, ErrorInfo, Permission};
use serde_json::{Map, Value};

/// Why a call may not go where the links of its paths lead. Looks at the disk.
pub(super) fn refusal(
    rules: &Rules,
    tool: &ToolSpec,
    arguments: &Map<String, Value>,
    project: &Project,
) -> Option<ErrorInfo> {
    let root = project.root().to_string_lossy();
    let mut real = arguments.clone();
    let mut led = None;
    for name in tool.path_arguments() {
        let Some(named) = arguments.get(name).and_then(Value::as_str) else { continue };
        let Ok(path) = project.path(named) else { continue };
        let place = match project.locate(&path) {
            Ok(Located::There(node)) => node.path,
            Ok(Located::Missing(place)) => place,
            Err(_) => continue,
        };
        if place != path {
            led = Some((named, place.to_string()));
            real.insert(name.to_owned(), place.to_string().into());
        }
    }
    let (named, place) = led?;
    let (asked_for, there) = (rules.judge(tool, arguments, &root), rules.judge(tool, &real, &root));
    // What a person was asked about under one name was not asked about under the other.
    let (what, action) = match (there, asked_for.permission()) {
        (Ruling::Deny(_), _) => ("which the rules do not allow", "Go on without it, or ask the user."),
        (Ruling::Ask(_), Permission::Allow) => ("which is asked about", "Name that path instead."),
        _ => return None,
    };
    Some(ErrorInfo::new(Code::ToolDenied, format!("{named} leads to {place}, {what}."), action))
}
