//! Lists: tools and models.

use orion_engine::config::DEMO;
use orion_engine::runner::ToolRunner;
use orion_protocol::{Code, ErrorInfo, ModelInfo, Permission, ToolInfo};

use crate::args::{ListModelsArgs, ToolsArgs};
use crate::endpoint;
use crate::exit::Exit;
use crate::output::show;
use crate::startup::Startup;
use crate::terminal::{count, one_line};

pub(crate) fn tools(args: &ToolsArgs) -> Result<Exit, ErrorInfo> {
    let startup = Startup::new(None)?;
    let in_force = startup.in_project(&args.project)?;
    let tools: Vec<_> = in_force.tools(ToolRunner::default().tools()).iter().map(ToolInfo::from).collect();
    show(args.json, &tools, |tool| {
        let permission = match tool.permission {
            Permission::Allow => "allow",
            Permission::Ask => "ask",
            Permission::Deny => "deny",
        };
        let kind = if tool.read_only { "reads" } else { "writes" };
        format!("{:<14} {permission:<6} {kind:<7} {}", tool.name, one_line(&tool.description, 80))
    })
}

pub(crate) async fn models(args: &ListModelsArgs) -> Result<Exit, ErrorInfo> {
    let startup = Startup::new(None)?;
    let chosen = endpoint::choose(&startup, &args.endpoint).await?;
    let in_force = startup.config.without_project();
    let models = match chosen.endpoint.as_ref().or_else(|| in_force.endpoints.get(&chosen.name)) {
        Some(config) => endpoint::connect(&startup, &chosen.name, config).await?.models().await,
        None if chosen.name == DEMO => endpoint::demo(&startup)?.models().await,
        None => Err(ErrorInfo::new(
            Code::NoEndpoint,
            format!("There is no endpoint named {}.", chosen.name),
            "Choose one that is set up, or give --base-url.",
        )),
    };
    let models = models.map_err(|error| startup.keys.redactor().redact_error(error))?;
    show(args.json, &models, line)
}

/// The name of a model, and what its server says of it.
fn line(model: &ModelInfo) -> String {
    let facts = [
        model.loaded.map(|loaded| if loaded { "loaded" } else { "not loaded" }.to_owned()),
        model.context_length.map(|tokens| count(tokens, "token")),
        model.tools.map(|tools| if tools { "tools" } else { "no tools" }.to_owned()),
        model.vision.filter(|vision| *vision).map(|_| "images".to_owned()),
    ];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    match facts.as_slice() {
        [] => one_line(&model.id, 200),
        facts => format!("{:<40} {}", one_line(&model.id, 200), facts.join(", ")),
    }
}
