//! `orion models check`: the way in which a model is spoken to, and the reasons.

use orion_protocol::{Answer, ErrorInfo, FormSource, Query, ResultsAs, Shape, Spoken, WindowSource};

use crate::args::{CheckModelArgs, ModelsAct, ModelsArgs};
use crate::endpoint::{self, Chosen};
use crate::exit::Exit;
use crate::list;
use crate::output::{put, unwritable};
use crate::printed::Printed;
use crate::startup::Startup;
use crate::terminal::{count, one_line};

pub(crate) async fn models(args: ModelsArgs) -> Result<Exit, ErrorInfo> {
    match args.act {
        Some(ModelsAct::Check(args)) => check(args).await,
        None => list::models(&args.list).await,
    }
}

async fn check(args: CheckModelArgs) -> Result<Exit, ErrorInfo> {
    let startup = Startup::new(args.data_dir.as_ref())?;
    let chosen = match &args.name {
        Some(name) => Chosen { name: name.clone(), endpoint: None },
        None => endpoint::choose(&startup, &args.endpoint).await?,
    };
    let Chosen { name, endpoint } = endpoint::with_model(&startup, chosen, args.model.as_deref()).await?;
    let engine = startup.engine(endpoint.map(|endpoint| (name.clone(), endpoint))).await?;
    let asked = Query::Spoken { endpoint: name, model: args.model, asks: true };
    let answer = engine.query(asked).await;
    engine.close().await?;
    let Answer::Spoken { spoken } = answer? else { return Ok(Exit::Failed) };
    put(&match args.json {
        true => Printed::json_lines(&spoken).map_err(unwritable)?.line(),
        false => Printed::record(&table(&spoken)),
    })?;
    Ok(Exit::Answered)
}

/// A line for each thing that is known.
fn table(spoken: &Spoken) -> String {
    let Spoken { window, .. } = spoken;
    let mut lines = vec![
        ("Model", format!("{} of {}", one_line(&spoken.model, 200), one_line(&spoken.endpoint, 80))),
        ("Results", format!("{}: {}", form(spoken.results_as), source(spoken.results_source))),
        ("Window", format!("{}, {}", count(window.tokens, "token"), window_source(window.source))),
    ];
    lines.extend(
        spoken
            .enlarges
            .iter()
            .map(|command| ("", format!("it is small; this enlarges it: {}", one_line(command, 300)))),
    );
    lines.push(match spoken.returns_reasoning {
        true => ("Thoughts", "go back with the call that they led to".to_owned()),
        false => ("Thoughts", "do not go back".to_owned()),
    });
    match spoken.describes_tools {
        Some(true) => lines.push(("Tools", "are described to the model".to_owned())),
        Some(false) => {
            let told = "are not described to the model: its chat template leaves them out, so it can hardly call one";
            lines.push(("Tools", told.to_owned()));
        }
        None => {}
    }
    lines.extend(spoken.refused.iter().map(|refused| ("Refused", shape(*refused).to_owned())));
    lines.extend(
        spoken
            .refused_limit
            .map(|limit| ("Refused", format!("a limit of {} for an answer", count(limit, "token")))),
    );
    lines.iter().map(|(name, value)| format!("{name:<9} {value}\n")).collect()
}

fn form(form: ResultsAs) -> &'static str {
    match form {
        ResultsAs::Tool => "tool messages",
        ResultsAs::User => "messages of the user",
        ResultsAs::System => "system messages",
    }
}

fn window_source(source: WindowSource) -> &'static str {
    match source {
        WindowSource::Setting => "as you set it",
        WindowSource::Endpoint => "as the endpoint says",
        WindowSource::Table => "as the provider documents",
        WindowSource::Assumed => "which is assumed",
    }
}

fn source(source: FormSource) -> &'static str {
    match source {
        FormSource::Setting => "you set it",
        FormSource::Learned => "the endpoint refused another form",
        FormSource::Rendering => "the server prints them where they belong",
        FormSource::Table => "the provider or the family of the model is known for it",
        FormSource::Default => "nearly every model takes them",
    }
}

fn shape(shape: Shape) -> &'static str {
    match shape {
        Shape::ForbiddenTools => "tool_choice \"none\": calls are ignored where none may be made",
        Shape::NoReasoning => "a call without the reasoning before it, which now goes back",
        Shape::Reasoning => "reasoning in a message, which now stays away",
        Shape::ToolMessages => "tool messages",
        Shape::LateSystem => "system messages after the first",
        Shape::Thinking => "a word on thinking, which is not sent",
        Shape::Effort => "reasoning_effort, which is not sent",
        Shape::Temperature => "temperature, which is not sent",
        Shape::UsageOption => "stream_options, which is not sent",
        Shape::ReadingProgress => "return_progress, which is not sent",
        Shape::LimitName => "the usual name of the limit of an answer",
        Shape::Limit => "a limit of an answer",
    }
}
