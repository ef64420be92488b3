//! `orion check`: the checks of a project, run because the person asks for it, and what its files propose (V1).
//!
//! Deliberately not here: accepting one ([`crate::check_accept`]), the checks of a turn, which `orion run` shows, and the words for a check
//! ([`crate::check_words`]).

use orion_engine::Engine;
use orion_protocol::{ErrorInfo, Op, ProjectChecks, ProjectId};

use crate::check_accept::accept;
use crate::check_flags::CheckArgs;
use crate::check_runs::{checks, ran, told};
use crate::check_words::{accepted_line, proposed_text};
use crate::exit::Exit;
use crate::output::show;
use crate::place::project;
use crate::startup::Startup;
use crate::terminal::{remark, say};

pub(crate) async fn check(args: &CheckArgs) -> Result<Exit, ErrorInfo> {
    let engine = Startup::new(args.data_dir.as_ref())?.engine(None).await?;
    let done = act(&engine, args).await;
    engine.close().await?;
    done
}

async fn act(engine: &Engine, args: &CheckArgs) -> Result<Exit, ErrorInfo> {
    let project_id = project(engine, args.folder()).await?;
    if args.list {
        let checks = checks(engine, project_id).await?;
        if checks.checks.is_empty() {
            remark("This project has no checks. orion check --propose shows what its files propose.");
        }
        return show(args.json, &checks.checks, accepted_line);
    }
    if args.propose {
        let checks = checks(engine, project_id).await?;
        return proposed(args, &checks);
    }
    if let Some(name) = &args.accept {
        return accept(engine, args, project_id, name).await;
    }
    if let Some(name) = &args.remove {
        engine.submit(Op::RemoveCheck { project_id, name: name.clone() }).await?;
        remark("Removed.");
        return Ok(Exit::Answered);
    }
    run(engine, args, project_id).await
}

fn proposed(args: &CheckArgs, checks: &ProjectChecks) -> Result<Exit, ErrorInfo> {
    match checks.proposed.is_empty() {
        true if args.json => {}
        true => remark("The files of this project propose nothing more."),
        false => remark("Accept one: orion check --accept NAME"),
    }
    show(args.json, &checks.proposed, proposed_text)
}

async fn run(engine: &Engine, args: &CheckArgs, project_id: ProjectId) -> Result<Exit, ErrorInfo> {
    let ProjectChecks { checks, proposed, .. } = checks(engine, project_id).await?;
    let is_known = |name: &String| checks.iter().any(|known| known.check.name == *name);
    let is_proposed = |name: &&String| proposed.iter().any(|it| it.check.name == **name);
    if let Some(name) = args.names.iter().filter(|name| !is_known(name)).find(is_proposed) {
        // V1: what a file proposes runs only when the person has accepted it.
        say(&format!(
            "{name} is only proposed. Look at it: orion check --propose. Accept it: orion check --accept {name}"
        ));
        return Ok(Exit::WaitsForPerson);
    }
    let runs = ran(engine, Op::RunChecks { project_id, names: args.names.clone() }).await?;
    if runs.is_empty() {
        remark(
            "No check is set and on, so nothing ran. orion check --propose shows what the project's files propose.",
        );
    }
    told(args, &runs)
}
