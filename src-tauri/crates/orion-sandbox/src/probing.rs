//! Measuring the sandbox (C3): what waits outside for the attempts of the helper, and a box in which it makes them, or what holds it without one.
//!
//! Deliberately not here: the attempts (`probe` of the helper).

use std::ffi::OsString;
use std::fs;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::process::Command;
use tokio_util::sync::CancellationToken;

use crate::files_only;
use crate::level::Missing;
use crate::mends;
use crate::mounts::{Host, plan};
use crate::places::Layout;
use crate::run::{Said, Times, follow};
use crate::wire::{Escape, OUTSIDE, ProbeTask, Report, Task, started};

/// The longest that a measure may take. It takes a tenth of a second on a computer that is idle.
const TIME: Duration = Duration::from_secs(10);
/// The content of a file that nothing may read or change.
const SECRET: &str = "secret";
/// The output of a measure is empty.
const OUTPUT: u64 = 4096;

/// The files of a measure. Dropped, they are removed, also where the measure did not come to its end.
#[derive(Debug)]
struct Bait {
    folder: PathBuf,
    in_home: Option<PathBuf>,
}

/// The bait outside, and its listeners.
#[derive(Debug)]
struct Outside {
    _bait: Bait,
    task: ProbeTask,
    layout: Layout,
    _listeners: (TcpListener, UnixListener, UnixListener),
}

/// Measures in a box of this `bwrap`. Empty where the sandbox is full.
pub(crate) async fn measure(bwrap: &Path, host: &Host, kept: &Path) -> Vec<Missing> {
    let outside = match Outside::set_up(host, kept) {
        Ok(outside) => outside,
        Err(error) => return vec![Missing::of(format!("The sandbox could not be measured: {error}."))],
    };
    let plan = match plan(&outside.layout, host) {
        Ok(plan) => plan,
        Err(missing) => return missing,
    };
    let mut helper = Command::new(bwrap);
    helper.args(&plan.arguments);
    let task = Task::Probe(outside.task.clone());
    match follow(helper, &task, Times::in_box(TIME), OUTPUT, |_| {}, None, CancellationToken::new()).await {
        Ok(said) => judge(&said, outside.was_written()),
        Err(error) => mends::without_box(&error.to_string()),
    }
}

/// Measures what holds a command without a box: the gaps that remain, or, where its files are not held, what gets out.
pub(crate) async fn without_box(host: &Host, kept: &Path) -> Result<Vec<Missing>, Vec<Missing>> {
    let failed = |error: io::Error| vec![Missing::of(format!("The sandbox could not be measured: {error}."))];
    let mut outside = Outside::set_up(host, kept).map_err(failed)?;
    let plan = files_only::plan(&outside.layout, host, &unique().map_err(failed)?)?;
    let mut grants = plan.grants;
    // It starts itself, to see whether that ends.
    grants.readable.extend(fs::canonicalize(&host.helper).map(OsString::from));
    outside.task.grants = Some(grants);
    // That the repository is written is known.
    outside.task.written.retain(|path| !Path::new(path).starts_with(&plan.project));
    let mut helper = Command::new(&host.helper);
    helper.arg(OUTSIDE);
    let task = Task::Probe(outside.task.clone());
    let times = Times::outside(TIME);
    let said = follow(helper, &task, times, OUTPUT, |_| {}, None, CancellationToken::new()).await;
    let missing = judge(&said.map_err(failed)?, outside.was_written());
    let signal = mends::escaped(&[Escape::Signal]);
    let (gaps, others): (Vec<_>, Vec<_>) = missing.into_iter().partition(|it| signal.contains(it));
    if others.is_empty() { Ok(gaps) } else { Err(others) }
}

fn judge(said: &Said, was_written: bool) -> Vec<Missing> {
    let probed = said.reports.iter().find_map(|report| match report {
        Report::Probed { escapes } => Some(escapes.clone()),
        _ => None,
    });
    let why = said.reports.iter().find_map(|report| match report {
        Report::NotStarted { why } => Some(why.as_str()),
        _ => None,
    });
    match (probed, why) {
        (Some(mut escapes), _) => {
            if was_written {
                escapes.push(Escape::Write);
            }
            if !said.output_ended {
                escapes.push(Escape::Detached);
            }
            mends::escaped(&escapes)
        }
        (None, Some(why)) => mends::without_box(why),
        (None, None) => mends::without_box(&said.complaint),
    }
}

impl Outside {
    fn set_up(host: &Host, kept: &Path) -> io::Result<Self> {
        let name = unique()?;
        // Beside what is kept: it can be written, and is Orion's own.
        // A short name: the path of a socket has 107 bytes (unix(7)).
        let folder = kept.parent().unwrap_or(Path::new("/")).join(format!("sandbox-{}", &name[..8]));
        fs::create_dir_all(&folder)?;
        let folder = fs::canonicalize(&folder)?;
        let mut bait = Bait { folder: folder.clone(), in_home: None };
        fs::create_dir_all(folder.join("project/.git"))?;
        fs::create_dir_all(folder.join("home"))?;
        let (project, home) = (folder.join("project"), folder.join("home"));
        let canary = folder.join("canary");
        fs::write(&canary, SECRET)?;
        // A home may be missing, or be of another user.
        let canary_in_home = host.home.join(format!(".orion-canary-{name}"));
        bait.in_home = fs::write(&canary_in_home, SECRET).is_ok().then_some(canary_in_home);
        let tcp = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let abstract_socket = format!("orion-sandbox-{name}");
        let by_name = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&abstract_socket)?)?;
        let path_socket = folder.join("s");
        let by_path = UnixListener::bind(&path_socket)?;
        let process = std::process::id();
        let process_started = started(&fs::read_to_string("/proc/self/stat")?).unwrap_or_default();
        let written = [
            folder.join("written"),
            project.join(".git/config"),
            "/usr/orion-canary".into(),
            "/orion-canary".into(),
        ];
        let task = ProbeTask {
            canaries: bait.in_home.iter().chain([&canary]).map(|path| path.clone().into()).collect(),
            written: written.map(Into::into).into(),
            writable: project.join("written").into(),
            port: tcp.local_addr()?.port(),
            abstract_socket,
            path_socket: path_socket.into(),
            process,
            process_started,
            grants: None,
        };
        let layout = Layout { project, home, ..Layout::default() };
        Ok(Self { _bait: bait, task, layout, _listeners: (tcp, by_name, by_path) })
    }
}

impl Outside {
    /// Something was made where nothing may be, or changed. It does not stay.
    fn was_written(&self) -> bool {
        let is_whole = |path: &OsString| fs::read(path).is_ok_and(|content| content == SECRET.as_bytes());
        let is_changed = !self.task.canaries.iter().all(is_whole);
        let made: Vec<&OsString> =
            self.task.written.iter().filter(|path| fs::symlink_metadata(path).is_ok()).collect();
        for path in &made {
            let _ = fs::remove_file(path);
        }
        is_changed || !made.is_empty()
    }
}

impl Drop for Bait {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
        if let Some(canary) = &self.in_home {
            let _ = fs::remove_file(canary);
        }
    }
}

/// A name that nothing else has.
pub(crate) fn unique() -> io::Result<String> {
    Ok(fs::read_to_string("/proc/sys/kernel/random/uuid")?.trim().to_owned())
}
