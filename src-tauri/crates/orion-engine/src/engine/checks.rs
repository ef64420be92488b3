//! Checks outside of a turn: listing, accepting, removing and running them, because a person asks for it (V1).
//!
//! Deliberately not here: reading scripts and running one (`checks`), and the checks of a turn (`driver`).

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use orion_files::workspace::Project as Folder;
use orion_protocol::{
    AcceptedCheck, Check, CheckBounds, CheckCommand, CheckRun, CheckScript, Code, ErrorInfo, Outcome,
    ProjectChecks, ProjectId, SandboxLevel, ScriptPart, Sha256, Update,
};
use orion_store::{CheckPlace, StoredCheck};
use tokio_util::sync::CancellationToken;

use super::Engine;
use crate::checks::{Accepted, Given, proposed, script, validate};
use crate::commands::outputs;
use crate::config::InForce;
use crate::driver::Clock;

/// The checks that run because a person asked for it: one at a time in a project.
#[derive(Debug, Default)]
pub(super) struct Checking(Mutex<HashMap<ProjectId, Now>>);

#[derive(Debug)]
struct Now {
    /// The check that runs.
    name: String,
    cancel: CancellationToken,
    /// Cancelled once the round is over.
    over: CancellationToken,
}

impl Checking {
    fn with<T>(&self, act: impl FnOnce(&mut HashMap<ProjectId, Now>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn running(&self, project_id: ProjectId) -> Option<String> {
        self.with(|all| all.get(&project_id).map(|now| now.name.clone()))
    }

    /// Waits until no check of a project runs because a person asked for it.
    pub(super) async fn free(&self, project_id: ProjectId) {
        while let Some(over) = self.with(|all| all.get(&project_id).map(|now| now.over.clone())) {
            over.cancelled().await;
        }
    }

    fn end(&self, project_id: ProjectId) {
        if let Some(now) = self.with(|all| all.remove(&project_id)) {
            now.over.cancel();
        }
    }

    pub(super) fn stop(&self, project_id: ProjectId) {
        self.with(|all| {
            if let Some(now) = all.get(&project_id) {
                now.cancel.cancel();
            }
        });
    }
}

/// The checks that run in one project. Dropping it ends them.
struct Round<'e> {
    engine: &'e Engine,
    project_id: ProjectId,
    cancel: CancellationToken,
}

impl Drop for Round<'_> {
    fn drop(&mut self) {
        let Self { engine, project_id, cancel } = self;
        cancel.cancel();
        engine.shared.checking.end(*project_id);
        engine.tell(Update::Checks { project_id: *project_id });
    }
}

/// A project whose checks are asked about.
struct Place {
    folder: Folder,
    of: CheckPlace,
    in_force: InForce,
}

impl Engine {
    /// The checks of a project, and what its files propose. Nothing is run, and no sandbox is measured.
    pub(super) async fn checks(&self, project_id: ProjectId) -> Result<ProjectChecks, ErrorInfo> {
        let Place { folder, of, in_force } = self.place_of_checks(project_id).await?;
        let running = self.shared.checking.running(project_id);
        let mut checks = Vec::new();
        for stored in self.shared.store.checks(&of).await? {
            let now = script(&folder, &stored.check.command).await.unwrap_or_else(unread);
            let changed = (now.sha256 != stored.script.sha256).then_some(now);
            checks.push(AcceptedCheck {
                running: running.as_ref() == Some(&stored.check.name),
                check: stored.check,
                script: stored.script,
                changed,
                last: stored.last,
                last_at_ms: stored.last_at_ms,
            });
        }
        let is_new = |check: &Check| {
            checks.iter().all(|it| it.check.command != check.command && it.check.name != check.name)
        };
        let proposed = proposed(&folder).await.into_iter().filter(|it| is_new(&it.check)).collect();
        let offered = self.shared.store.checks_offered(&of).await?;
        let by_themselves = in_force.values.checks();
        Ok(ProjectChecks { checks, proposed, offered, by_themselves, bounds: CheckBounds::ALL })
    }

    pub(super) async fn check_script(
        &self,
        project_id: ProjectId,
        command: &CheckCommand,
    ) -> Result<CheckScript, ErrorInfo> {
        let folder = self.place_of_checks(project_id).await?.folder;
        script(&folder, command).await
    }

    /// Keeps a check as its person accepts it. A line or script that is new runs once where a full sandbox holds it and it has no result, so it is known what
    /// was red before. Other changes of a check leave its script, and the results that it has, as they are.
    ///
    /// # Errors
    /// `usage` with field and reason, `approval_stale` where the script is not the one that was seen.
    pub(super) async fn save_check(
        &self,
        project_id: ProjectId,
        check: Check,
        was: Option<String>,
        seen: Sha256,
    ) -> Result<Outcome, ErrorInfo> {
        validate(&check)?;
        let place = self.place_of_checks(project_id).await?;
        let kept = self.kept_check(&place.of, was.as_deref()).await?;
        let is_as_it_was =
            |kept: &StoredCheck| kept.check.command == check.command && kept.script.sha256 == seen;
        if let Some(kept) = kept.filter(is_as_it_was) {
            self.shared.store.save_check(place.of, was, check, kept.script).await?;
            self.tell(Update::Checks { project_id });
            return Ok(Outcome::Checked { runs: Vec::new() });
        }
        let now = script(&place.folder, &check.command).await?;
        if now.sha256 != seen {
            return Err(stale());
        }
        // A3: the person has not seen what is cut.
        if !now.is_whole() {
            return Err(too_long());
        }
        let name = check.name.clone();
        self.shared.store.save_check(place.of.clone(), was, check, now).await?;
        self.tell(Update::Checks { project_id });
        Ok(Outcome::Checked { runs: self.first_run(&place, &name).await })
    }

    /// Runs a check that was just accepted, where it has no result. It is kept already: what hinders the run is no error of keeping it.
    async fn first_run(&self, place: &Place, name: &str) -> Vec<CheckRun> {
        let run = async {
            let kept = self.kept_check(&place.of, Some(name)).await?;
            let Some(kept) = kept.filter(|kept| kept.last.is_none()) else { return Ok(Vec::new()) };
            if self.runs_checks().level(&place.folder).await? != SandboxLevel::Full {
                return Ok(Vec::new());
            }
            let round = self.begin_checks(place.of.project_id, name, "a check waits for its end").await?;
            Ok::<_, ErrorInfo>(self.check_each(place, vec![kept.into()], &round).await)
        };
        run.await.unwrap_or_else(|error| {
            // A turn that is at work changes what it would see, and other checks may run. Then it has no result yet.
            tracing::info!(%error, "a check that was accepted has not run");
            Vec::new()
        })
    }

    /// The check of this name that is kept.
    async fn kept_check(
        &self,
        of: &CheckPlace,
        name: Option<&str>,
    ) -> Result<Option<StoredCheck>, ErrorInfo> {
        let all = self.shared.store.checks(of).await?;
        Ok(all.into_iter().find(|kept| Some(kept.check.name.as_str()) == name))
    }

    pub(super) async fn remove_check(
        &self,
        project_id: ProjectId,
        name: String,
    ) -> Result<Outcome, ErrorInfo> {
        let place = self.place_of_checks(project_id).await?;
        self.shared.store.remove_check(place.of, name).await?;
        self.tell(Update::Checks { project_id });
        Ok(Outcome::Done)
    }

    /// Runs checks because a person asks for it: these, or all that are on.
    ///
    /// # Errors
    /// `usage` for a name that no check has, `turn_active` while a turn or other checks of the project run.
    pub(super) async fn run_checks(
        &self,
        project_id: ProjectId,
        names: Vec<String>,
    ) -> Result<Outcome, ErrorInfo> {
        let place = self.place_of_checks(project_id).await?;
        let all = self.runs_checks().of_project(&place.of).await?;
        if let Some(name) = names.iter().find(|name| all.iter().all(|it| it.check.name != **name)) {
            return Err(orion_store::StoreError::CheckUnknown(name.clone()).into());
        }
        let wanted =
            |it: &Accepted| if names.is_empty() { it.check.on } else { names.contains(&it.check.name) };
        let checks: Vec<Accepted> = all.into_iter().filter(wanted).collect();
        let Some(first) = checks.first() else { return Ok(Outcome::Checked { runs: Vec::new() }) };
        let why = "a check would see what it has half changed";
        let round = self.begin_checks(project_id, &first.check.name, why).await?;
        Ok(Outcome::Checked { runs: self.check_each(&place, checks, &round).await })
    }

    pub(super) fn stop_checks(&self, project_id: ProjectId) -> Outcome {
        self.shared.checking.stop(project_id);
        Outcome::Done
    }

    pub(super) async fn offered_checks(&self, project_id: ProjectId) -> Result<Outcome, ErrorInfo> {
        let place = self.place_of_checks(project_id).await?;
        self.shared.store.offer_checks(place.of).await?;
        self.tell(Update::Checks { project_id });
        Ok(Outcome::Done)
    }

    /// Begins checks because a person asks for it. `why` says what a turn at work hinders.
    ///
    /// # Errors
    /// `turn_active` while a turn or other checks of the project run.
    async fn begin_checks(
        &self,
        project_id: ProjectId,
        first: &str,
        why: &str,
    ) -> Result<Round<'_>, ErrorInfo> {
        let cancel = self.shared.closing.child_token();
        let now = Now { name: first.to_owned(), cancel: cancel.clone(), over: CancellationToken::new() };
        let round = self.shared.checking.with(|all| match all.contains_key(&project_id) {
            true => Err(ErrorInfo::new(
                Code::TurnActive,
                "Checks of this project run already.",
                "Wait for their end or stop them, then try again.",
            )),
            false => {
                all.insert(project_id, now);
                Ok(Round { engine: self, project_id, cancel })
            }
        })?;
        // In this order: a turn that begins from here on waits for this round before its own checks.
        self.refuse_at_work(project_id, why).await?;
        Ok(round)
    }

    /// Runs checks in their order, and keeps and tells the end of each.
    async fn check_each(&self, place: &Place, checks: Vec<Accepted>, round: &Round<'_>) -> Vec<CheckRun> {
        let project_id = round.project_id;
        let mut runs = Vec::new();
        for accepted in checks {
            let name = accepted.check.name.clone();
            self.shared.checking.with(|all| {
                if let Some(now) = all.get_mut(&project_id) {
                    now.name.clone_from(&name);
                }
            });
            self.tell(Update::Checks { project_id });
            let kept_at =
                outputs(&self.shared.options.paths).join("checks").join(project_id.to_string()).join(&name);
            let given = Given {
                env: place.in_force.command_env(),
                read: place.in_force.values.commands.read.clone().unwrap_or_default(),
                asked: true,
                kept_at,
            };
            let engine = self.clone();
            let show = Box::new(move |text: &str| {
                engine.tell(Update::CheckOutput { project_id, name: name.clone(), text: text.to_owned() });
            });
            let mut checked =
                self.runs_checks().run(&accepted, &place.folder, given, show, &round.cancel).await;
            if let Some(command) = &mut checked.run.command {
                for file in command.changed.iter_mut().filter(|file| file.kept.is_none()) {
                    file.kept = Some("it belongs to no turn".to_owned());
                }
            }
            self.runs_checks().ran(&place.of, &checked.run, Clock::start().now_ms()).await;
            runs.push(checked.run);
        }
        runs
    }

    async fn place_of_checks(&self, project_id: ProjectId) -> Result<Place, ErrorInfo> {
        let project = self.shared.store.project(project_id).await?;
        let context = self.read_context(project).await?;
        let folder = context.folder?;
        // A folder that cannot be told from others has no checks.
        let identity = context.identity.ok_or_else(|| {
            ErrorInfo::new(
                Code::ProjectUnreadable,
                "The disk of this folder does not tell it from others, so no check can be kept for it.",
                "Move the project to another disk.",
            )
        })?;
        Ok(Place { folder, of: CheckPlace { project_id, folder: identity }, in_force: context.in_force })
    }
}

/// A script that cannot be read any more is another one.
fn unread(why: ErrorInfo) -> CheckScript {
    let part = ScriptPart { from: "command".to_owned(), text: why.message, cut: false };
    CheckScript { sha256: Sha256::from([0; 32]), parts: vec![part] }
}

fn too_long() -> ErrorInfo {
    let most = CheckScript::SHOWN >> 10;
    ErrorInfo::new(
        Code::Usage,
        format!("command: the script behind it is longer than the {most} KiB that can be shown."),
        "Name the program that the check is for, or a shorter script.",
    )
}

/// The script changed while the person looked at it (A3).
fn stale() -> ErrorInfo {
    ErrorInfo::new(
        Code::ApprovalStale,
        "The script behind this check has changed since it was shown.",
        "Look at it again, then accept it.",
    )
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn the_checks_of_a_turn_wait_for_those_that_a_person_asked_for() {
        let (checking, project_id) = (Checking::default(), ProjectId(uuid::Uuid::from_u128(1)));
        let now =
            || Now { name: "a".to_owned(), cancel: CancellationToken::new(), over: CancellationToken::new() };
        checking.free(project_id).await;
        checking.with(|all| all.insert(project_id, now()));
        let mut free = std::pin::pin!(checking.free(project_id));
        assert_eq!(free.as_mut().now_or_never(), None);
        // Another project has checks of its own.
        checking.free(ProjectId(uuid::Uuid::from_u128(2))).await;
        checking.end(project_id);
        free.await;
    }
}
