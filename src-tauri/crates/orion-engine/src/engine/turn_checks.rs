//! The checks of a turn: those that it begins with, and running one of them (V1).
//!
//! Deliberately not here: when one runs (the machine), and checks that a person runs for their own sake (`engine/checks`).

use futures_util::FutureExt;
use orion_core::turn::{TurnCheck, check_id};
use orion_files::workspace::Project;
use orion_protocol::{
    CheckRun, CheckSkipped, CheckStatus, CommandRun, ErrorInfo, ProjectId, TurnIds, TurnOptions,
};
use orion_store::CheckPlace;
use tokio_util::sync::CancellationToken;

use super::Engine;
use super::setup::ProjectContext;
use crate::checks::{self, Accepted, Checks, Given};
use crate::commands::place;
use crate::driver::{CheckToRun, Clock, RunCheck};
use crate::tools::Line;

impl Engine {
    /// The checks of all projects, as they run here.
    pub(super) fn runs_checks(&self) -> Checks {
        Checks::new(self.shared.commands.clone(), self.shared.store.clone())
    }

    /// The checks that run by themselves after a turn of this project, in the person's order. None where they are off for it.
    ///
    /// # Errors
    /// The database cannot be read.
    pub(super) async fn checks_of_turn(
        &self,
        project_id: ProjectId,
        context: &ProjectContext,
        options: &TurnOptions,
    ) -> Result<Vec<TurnCheck>, ErrorInfo> {
        let on = options.checks.unwrap_or(context.in_force.values.checks());
        let Some(folder) = context.identity.clone().filter(|_| on) else { return Ok(Vec::new()) };
        let all = self.runs_checks().of_project(&CheckPlace { project_id, folder }).await?;
        let turn_check = |Accepted { check, script_sha256, last }: Accepted| {
            // One that cannot be run any more is not run.
            let line = checks::line(&check.command).ok()?;
            Some(TurnCheck { check, line, script_sha256, last })
        };
        Ok(all.into_iter().filter(|it| it.check.on).filter_map(turn_check).collect())
    }

    /// Runs the checks of a turn in its project.
    pub(super) fn check_runner(&self, ids: TurnIds, context: &ProjectContext) -> RunCheck {
        let of_turn = OfTurn {
            engine: self.clone(),
            ids,
            project: context.folder.clone().ok(),
            folder: context.identity.clone(),
            env: context.in_force.command_env(),
            read: context.in_force.values.commands.read.clone().unwrap_or_default(),
        };
        Box::new(move |check, line, stop| of_turn.clone().run(check, line, stop).boxed())
    }
}

/// The turn whose checks run.
#[derive(Clone)]
struct OfTurn {
    engine: Engine,
    ids: TurnIds,
    /// The project; none where its folder cannot be opened.
    project: Option<Project>,
    folder: Option<String>,
    env: Vec<String>,
    read: Vec<String>,
}

impl OfTurn {
    /// Runs a check, or lets it pass as the model ran it. Its end is its last result from then on.
    async fn run(self, check: CheckToRun, line: Line, stop: CancellationToken) -> CheckRun {
        let CheckToRun { of, attempt, passed } = check;
        let Some(project) = self.project.clone() else { return skipped(&of, CheckSkipped::NotStarted) };
        // Those that a person asked for come first: two at once would see each other's files.
        tokio::select! {
            () = self.engine.shared.checking.free(self.ids.project_id) => {}
            () = stop.cancelled() => return skipped(&of, CheckSkipped::Stopped),
        }
        if !self.is_accepted(&of).await {
            return skipped(&of, CheckSkipped::NoLongerAccepted);
        }
        // D3: files may change from here on.
        self.engine.watch(self.ids.project_id, &project);
        let run = match passed {
            Some(command) => as_it_ran(&project, &of, command).await,
            None => self.run_in_box(&of, attempt, &project, line, &stop).await,
        };
        if let Some(folder) = self.folder {
            let of = CheckPlace { project_id: self.ids.project_id, folder };
            self.engine.runs_checks().ran(&of, &run, Clock::start().now_ms()).await;
        }
        run
    }

    /// The check is still there and switched on, with the script that it had when the turn began: a turn can wait for days.
    async fn is_accepted(&self, of: &TurnCheck) -> bool {
        let Some(folder) = self.folder.clone() else { return false };
        let place = CheckPlace { project_id: self.ids.project_id, folder };
        let is_it = |it: &Accepted| {
            it.check.name == of.check.name && it.check.on && it.script_sha256 == of.script_sha256
        };
        match self.engine.runs_checks().of_project(&place).await {
            Ok(checks) => checks.iter().any(is_it),
            Err(error) => {
                tracing::warn!(%error, "the checks of the project could not be read");
                false
            }
        }
    }

    async fn run_in_box(
        &self,
        of: &TurnCheck,
        attempt: u32,
        project: &Project,
        line: Line,
        stop: &CancellationToken,
    ) -> CheckRun {
        let Self { engine, ids, .. } = self;
        let id = check_id(&of.check.name, attempt);
        let (check, script_sha256, last) = (of.check.clone(), of.script_sha256, of.last);
        let outputs = &engine.shared.commands.outputs;
        let given = Given {
            env: self.env.clone(),
            read: self.read.clone(),
            asked: false,
            kept_at: place(outputs, ids.session_id, ids.request_id, &id),
        };
        let show = Box::new(move |text: &str| line.show(text));
        let accepted = Accepted { check, script_sha256, last };
        let mut checked = engine.runs_checks().run(&accepted, project, given, show, stop).await;
        let kept = engine.shared.store.keep_command_files(ids.request_id, &id, checked.contents).await;
        if let (Err(error), Some(command)) = (kept, &mut checked.run.command) {
            tracing::warn!(%error, "the files that a check changed could not be stored");
            for file in command.changed.iter_mut().filter(|file| file.kept.is_none()) {
                file.kept = Some("its contents could not be stored".to_owned());
            }
        }
        checked.run
    }
}

/// A check whose line the model has run passes as that run, if its script is the accepted one.
async fn as_it_ran(project: &Project, of: &TurnCheck, command: CommandRun) -> CheckRun {
    match checks::script(project, &of.check.command).await {
        Ok(script) if script.sha256 == of.script_sha256 => {
            let command = Some(Box::new(command));
            CheckRun {
                status: CheckStatus::Passed,
                skipped: None,
                command,
                ..skipped(of, CheckSkipped::ScriptChanged)
            }
        }
        Ok(_) | Err(_) => skipped(of, CheckSkipped::ScriptChanged),
    }
}

fn skipped(of: &TurnCheck, why: CheckSkipped) -> CheckRun {
    CheckRun {
        name: of.check.name.clone(),
        status: CheckStatus::Skipped,
        skipped: Some(why),
        script_sha256: of.script_sha256,
        excerpt: String::new(),
        command: None,
    }
}
