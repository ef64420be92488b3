//! The sandbox on Linux: `bwrap` is found and measured, or else what holds a command without it, and the helper is started in a box or outside of one.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use orion_protocol::SandboxLevel;
use tokio::process::Command;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::Sandbox;
use crate::bwrap::{self, Bwrap};
use crate::environment::{environment, named_toolchains, proxied, seen_path, without_proxies};
use crate::files_only;
use crate::kept::{self, For, Kept};
use crate::level::{Found, Missing};
use crate::mends;
use crate::mounts::{Host, plan};
use crate::network::Proxy;
use crate::places::{Layout, Order, Place, Program, Ran, real, within};
use crate::probing;
use crate::run::{Times, follow};
use crate::wire::{OUTSIDE, RunTask, Task};

/// The file that has another content after each start of the computer (random(4)).
const BOOT: &str = "/proc/sys/kernel/random/boot_id";

/// The time for which a sandbox that is not full counts as measured: long enough for one question, short enough for a person who mends it.
const MENDED: Duration = Duration::from_secs(10);

/// The variable with the folder for temporary files, which programs go by.
const TEMPORARY: &str = "TMPDIR";

/// The shell of a line, with none of the files that it would read (bash(1)).
const SHELL: &str = "/bin/bash";
const SHELL_ARGUMENTS: [&str; 3] = ["--noprofile", "--norc", "-c"];

/// A measure of this process, and what it was made for.
#[derive(Debug, Clone)]
pub(super) struct Measured {
    pub(super) found: Found,
    here: Here,
    bwrap: Option<PathBuf>,
    disables_userns: bool,
    at: Instant,
}

/// The programs and the system as they are now, or the reasons for which there can be no box.
type Here = Result<(Bwrap, For), Vec<Missing>>;

impl Sandbox {
    pub(super) fn host(&self, disables_userns: bool) -> Host {
        Host {
            home: home(),
            helper: self.inner.helper.clone(),
            is_root: rustix::process::geteuid().is_root(),
            disables_userns,
            left_out: self.inner.trial.left_out,
            landlock: self.inner.trial.landlock,
        }
    }

    pub(super) async fn measured(&self) -> Measured {
        // Whoever comes in the meantime waits for the same measure.
        let mut measured = self.inner.measured.lock().await;
        // A few looks at files: a program may have been replaced since it was measured.
        let here = self.here();
        match &*measured {
            Some(known)
                if known.here == here
                    && (known.found.level == SandboxLevel::Full || known.at.elapsed() < MENDED) =>
            {
                known.clone()
            }
            _ => measured.insert(self.measure(here).await).clone(),
        }
    }

    fn here(&self) -> Here {
        let trial = &self.inner.trial;
        let folders = trial.folders.clone().unwrap_or_else(|| bwrap::FOLDERS.map(PathBuf::from).into());
        let bwrap = bwrap::find(&folders, trial.owner).map_err(mends::without_bwrap)?;
        let boot = trial.boot.clone().unwrap_or_else(|| BOOT.into());
        match For::now(&bwrap, &self.inner.helper, &boot) {
            Ok(now) => Ok((bwrap, now)),
            Err(error) => {
                let helper = self.inner.helper.display();
                Err(vec![Missing::of(format!(
                    "The program {helper}, which rules the sandbox, cannot be used: {error}."
                ))])
            }
        }
    }

    async fn measure(&self, here: Here) -> Measured {
        let (bwrap, now) = match &here {
            Ok(here) => here.clone(),
            Err(missing) => return self.without_box(here.clone(), missing.clone()).await,
        };
        let full = |here: Here, disables_userns| Measured {
            found: Found { level: SandboxLevel::Full, missing: Vec::new() },
            here,
            bwrap: Some(bwrap.program.clone()),
            disables_userns,
            at: Instant::now(),
        };
        if let Some(kept) = kept::read(&self.inner.kept, &now) {
            return full(here, kept.disables_userns);
        }
        let disables_userns = bwrap::knows(&bwrap.program, "--disable-userns").await;
        let missing = self.probe(&bwrap, disables_userns).await;
        if !missing.is_empty() {
            return self.without_box(here, missing).await;
        }
        // Without the file it is measured again, which costs a moment.
        let _ = kept::write(&self.inner.kept, &Kept { is_for: now, disables_userns });
        full(here, disables_userns)
    }

    /// Measures what holds a command where there can be no box for these reasons. It is not kept: a person may mend them at any moment.
    async fn without_box(&self, here: Here, mut missing: Vec<Missing>) -> Measured {
        let measured = probing::without_box(&self.host(true), &self.inner.kept).await;
        let found = match measured {
            Ok(gaps) => {
                missing.extend(gaps);
                Found::files_only(missing)
            }
            Err(reasons) => {
                // The switches of the kernel are named once.
                missing.extend(
                    reasons.into_iter().filter(|reason| !missing.contains(reason)).collect::<Vec<_>>(),
                );
                Found::none(missing)
            }
        };
        Measured { found, here, bwrap: None, disables_userns: false, at: Instant::now() }
    }

    pub(super) fn found_for(&self, found: Found, layout: &Layout) -> Found {
        let planned = match found.level {
            SandboxLevel::Full => plan(layout, &self.host(true)).map(|_| Vec::new()),
            SandboxLevel::FilesOnly => {
                files_only::plan(layout, &self.host(true), "").map(|_| files_only::gaps(layout))
            }
            SandboxLevel::None => Ok(Vec::new()),
        };
        let Found { level, mut missing } = found;
        match planned {
            Ok(gaps) => {
                missing.extend(gaps);
                Found { level, missing }
            }
            Err(reasons) => {
                missing.extend(reasons);
                Found::none(missing)
            }
        }
    }

    async fn probe(&self, bwrap: &Bwrap, disables_userns: bool) -> Vec<Missing> {
        probing::measure(&bwrap.program, &self.host(disables_userns), &self.inner.kept).await
    }

    pub(super) async fn run_with_helper(
        &self,
        place: Place,
        order: Order,
        output: impl FnMut(&[u8]) + Send,
        stop: CancellationToken,
    ) -> Ran {
        let began = Instant::now();
        let limits = order.limits;
        let times = match &place {
            Place::Box(_) => Times::in_box(limits.time),
            Place::FilesOnly(_) | Place::Outside { .. } => Times::outside(limits.time),
        };
        let (helper, task) = match self.prepared(place, &order).await {
            Ok(prepared) => prepared,
            Err(why) => return Ran::not_started(why),
        };
        let temporary = task.grants.as_ref().map(|grants| PathBuf::from(&grants.temporary));
        let proxy = Proxy::new(order.hosts, self.inner.trial.internet.clone());
        let (handed, socket) = oneshot::channel();
        let handed = Some(handed).filter(|_| task.proxy);
        let task = Task::Run(task);
        let said = tokio::select! {
            said = follow(helper, &task, times, limits.output_bytes, output, handed, stop) => said,
            never = proxy.serve(socket) => match never {},
        };
        match said {
            Ok(said) => {
                // The helper removes it, unless it was killed.
                let _ = temporary.map(std::fs::remove_dir_all);
                Ran { network: proxy.used(), ..said.ran(began.elapsed()) }
            }
            Err(error) => Ran::not_started(format!("The helper cannot be started: {error}")),
        }
    }

    /// The helper with its arguments, and its task.
    async fn prepared(&self, place: Place, order: &Order) -> Result<(Command, RunTask), String> {
        match place {
            Place::Box(layout) => {
                let measured = self.measured().await;
                let Some(bwrap) = measured.bwrap else { return Err(sentences(&measured.found.missing)) };
                let plan = plan(&layout, &self.host(measured.disables_userns));
                let plan = plan.map_err(|missing| sentences(&missing))?;
                let mut helper = Command::new(bwrap);
                helper.args(&plan.arguments);
                let mut environment =
                    environment(std::env::vars_os(), &order.env, &plan.home, &|folder| plan.sees(folder));
                proxied(&mut environment, !order.hosts.is_empty());
                let task = task(order, &plan.project, environment)?;
                let on_disk = vec![plan.project.into(), plan.home.into()];
                Ok((helper, RunTask { on_disk, proxy: true, expected: plan.expected, ..task }))
            }
            Place::FilesOnly(layout) => {
                let found = self.measured().await.found;
                if found.level != SandboxLevel::FilesOnly {
                    return Err("the sandbox is not the one that it was".to_owned());
                }
                let name = probing::unique().map_err(|error| error.to_string())?;
                let plan = files_only::plan(&layout, &self.host(true), &name);
                let plan = plan.map_err(|missing| sentences(&missing))?;
                let mut helper = Command::new(&self.inner.helper);
                helper.arg(OUTSIDE);
                let sees = |folder: &Path| plan.sees(folder);
                let mut environment = environment(std::env::vars_os(), &order.env, &plan.home, &sees);
                named_toolchains(&mut environment, &home(), &sees);
                seen_path(&mut environment, &sees);
                without_proxies(&mut environment);
                environment.retain(|(name, _)| name != TEMPORARY);
                environment.push((TEMPORARY.into(), plan.temporary.clone().into()));
                let task = task(order, &plan.project, environment)?;
                let on_disk = [&plan.project, &plan.home].map(Into::into).into();
                Ok((helper, RunTask { on_disk, expected: plan.expected, grants: Some(plan.grants), ..task }))
            }
            Place::Outside { project } => {
                let project = real(&project)?;
                let mut helper = Command::new(&self.inner.helper);
                helper.arg(OUTSIDE);
                let environment = environment(std::env::vars_os(), &order.env, &home(), &|_| true);
                Ok((helper, task(order, &project, environment)?))
            }
        }
    }
}

fn sentences(missing: &[Missing]) -> String {
    missing.iter().map(|missing| missing.what.as_str()).collect::<Vec<_>>().join(" ")
}

/// The person's home; the root where there is none.
fn home() -> PathBuf {
    std::env::home_dir().filter(|home| home.is_absolute()).unwrap_or_else(|| "/nonexistent".into())
}

fn task(order: &Order, project: &Path, environment: Vec<(OsString, OsString)>) -> Result<RunTask, String> {
    let cwd = within(project, &order.cwd)?;
    let (program, arguments) = match &order.program {
        Program::Line(line) => {
            (SHELL, SHELL_ARGUMENTS.iter().map(OsString::from).chain([line.into()]).collect())
        }
        Program::Argv(words) => match words.split_first() {
            Some((program, arguments)) => (program.as_str(), arguments.iter().map(OsString::from).collect()),
            None => return Err("there is no program to run".to_owned()),
        },
    };
    let limits = &order.limits;
    Ok(RunTask {
        program: program.into(),
        arguments,
        environment,
        cwd: cwd.into(),
        on_disk: vec![project.into()],
        time_ms: u64::try_from(limits.time.as_millis()).unwrap_or(u64::MAX),
        processes: limits.processes,
        memory_bytes: limits.memory_bytes,
        free_bytes: limits.free_bytes,
        proxy: false,
        expected: Vec::new(),
        grants: None,
    })
}
