//! However a command ends, nothing of it is left within three seconds (C5, A4).

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use orion_protocol::CommandEnd;
use orion_sandbox::{Layout, Limits, Order, Place, Program, Sandbox, Trial};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tokio_util::sync::CancellationToken;

use crate::common::{self, NOBODY, Tried, helper, part, with_argument};

/// The bound of C5 on this computer, which may be busy.
const WITHIN: Duration = Duration::from_secs(3);

/// Processes that are hard to end: in the background, in a session of their own, deaf to SIGTERM, and halted. `MARK` is among the arguments of each.
const STUBBORN: &str = "
sleep MARK & setsid sleep MARK & (setsid setsid sleep MARK &) & (trap '' TERM; exec sleep MARK) &
python3 -c 'import os, signal, sys
if os.fork(): sys.exit()
os.setsid()
if os.fork(): sys.exit()
signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.pause()' MARK &
sleep MARK & kill -STOP $!
echo ready; wait; sleep MARK";

/// A time to sleep that no other test has, and no program.
fn mark(number: usize) -> String {
    format!("98765.{}{number:04}", std::process::id())
}

/// Each of these so many times, as `test` has time for, or so many times in `soak`; then they come to 200 ends.
fn each<T: Copy>(all: &[(T, usize, usize)]) -> Vec<T> {
    let times = |(what, usual, whole): &(T, usize, usize)| {
        std::iter::repeat_n(*what, orion_thorough::cases(*usual, *whole))
    };
    all.iter().flat_map(times).collect()
}

/// Waits for the end of each process with this mark, at most as long as it may take.
fn nothing_is_left(mark: &str, since: Instant, how: &str) {
    while let Some(pid) = with_argument(mark).into_iter().find_map(|pid| Pid::from_raw(pid.cast_signed())) {
        // Otherwise it has ended in the meantime.
        if let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) {
            let left = Timespec::try_from(WITHIN.saturating_sub(since.elapsed())).unwrap();
            let ended = poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&left)).unwrap();
            assert_eq!(ended, 1, "{} processes are left {how}", with_argument(mark).len());
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum How {
    Stopped,
    Dropped,
    TimedOut,
    BwrapKilled,
}

/// Runs the stubborn line, ends it in this way as soon as it is ready, and has what was told of its end.
async fn ended(tried: &Tried, place: Place, how: How, mark: &str) -> Option<CommandEnd> {
    let time = Duration::from_millis(if matches!(how, How::TimedOut) { 3_000 } else { 60_000 });
    let line = STUBBORN.replace("MARK", mark);
    let order = Order { limits: Limits { time, ..tried.order("").limits }, ..tried.order(&line) };
    let (stop, ready) = (CancellationToken::new(), CancellationToken::new());
    let output = |_: &[u8]| ready.cancel();
    // One of a run before this one may be about to end.
    let before = boxes(tried);
    let run = tried.sandbox.run(place, order, output, stop.clone());
    tokio::pin!(run);
    tokio::select! {
        ran = &mut run => panic!("it ended by itself: {ran:?}"),
        () = ready.cancelled() => {}
    }
    assert!(!with_argument(mark).is_empty());
    match how {
        How::Dropped => return None,
        How::Stopped => stop.cancel(),
        How::TimedOut => {}
        How::BwrapKilled => {
            let of_this_box = boxes(tried).into_iter().find(|pid| !before.contains(pid)).unwrap();
            assert!(Command::new("kill").args(["-9", &of_this_box.to_string()]).status().unwrap().success());
        }
    }
    Some(run.await.ended)
}

/// The processes of boxes that are outside of them: the children of this one.
fn boxes(tried: &Tried) -> Vec<u32> {
    let project = tried.project().to_str().unwrap();
    with_argument(project).into_iter().filter(|pid| is_child(*pid)).collect()
}

fn is_child(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let parent = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok());
    parent == Some(std::process::id())
}

#[tokio::test]
async fn nothing_is_left_of_a_box_after_a_stop_a_timeout_a_dropped_future_or_the_death_of_bwrap() {
    let tried = Tried::new().await;
    let ways = [
        ((How::Stopped, Some(CommandEnd::Stopped)), 1, 20),
        ((How::TimedOut, Some(CommandEnd::TimedOut)), 1, 15),
        ((How::Dropped, None), 1, 20),
        ((How::BwrapKilled, Some(CommandEnd::Unknown)), 5, 40),
    ];
    for (number, (how, end)) in each(&ways).into_iter().enumerate() {
        let mark = mark(number);
        assert_eq!(ended(&tried, tried.in_box(), how, &mark).await, end, "{how:?}");
        nothing_is_left(&mark, Instant::now(), &format!("{how:?}"));
    }
}

#[tokio::test]
async fn nothing_is_left_of_a_command_outside_after_a_stop_a_timeout_or_a_dropped_future() {
    let tried = Tried::unmeasured();
    let ways = [
        ((How::Stopped, Some(CommandEnd::Stopped)), 1, 15),
        ((How::TimedOut, Some(CommandEnd::TimedOut)), 1, 10),
        ((How::Dropped, None), 1, 15),
    ];
    for (number, (how, end)) in each(&ways).into_iter().enumerate() {
        let mark = mark(1000 + number);
        assert_eq!(ended(&tried, tried.outside(), how, &mark).await, end, "{how:?}");
        nothing_is_left(&mark, Instant::now(), &format!("{how:?}"));
    }
}

#[tokio::test]
async fn nothing_is_left_of_a_command_whose_files_alone_are_held() {
    let tried = Tried::without_bwrap().await;
    let ways = [
        ((How::Stopped, Some(CommandEnd::Stopped)), 6, 20),
        ((How::TimedOut, Some(CommandEnd::TimedOut)), 2, 10),
        ((How::Dropped, None), 6, 20),
    ];
    for (number, (how, end)) in each(&ways).into_iter().enumerate() {
        let mark = mark(5000 + number);
        assert_eq!(ended(&tried, tried.for_files(), how, &mark).await, end, "{how:?}");
        nothing_is_left(&mark, Instant::now(), &format!("{how:?}"));
    }
}

#[tokio::test]
async fn what_a_command_leaves_running_ends_with_it_and_is_named_and_delays_nothing() {
    let (boxed, without) = (Tried::new().await, Tried::without_bwrap().await);
    let places = [(&boxed, boxed.in_box()), (&boxed, boxed.outside()), (&without, without.for_files())];
    for (number, at) in each(&[(0, 1, 5), (1, 1, 5), (2, 1, 5)]).into_iter().enumerate() {
        let (tried, place) = places[at].clone();
        let mark = mark(2000 + number);
        let line = format!("(setsid sleep {mark} &) ; setsid sleep {mark} & echo started");
        let (ran, output) = tried.run(place, tried.order(&line)).await;
        assert_eq!((ran.ended, output.as_str()), (CommandEnd::Exited { code: 0 }, "started\n"));
        assert_eq!(ran.left_running, ["sleep", "sleep"]);
        assert!(ran.duration < Duration::from_secs(20), "{:?}", ran.duration);
        assert_eq!(with_argument(&mark), Vec::<u32>::new());
    }
}

#[test]
fn what_cannot_be_ended_outside_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mark = mark(4000);
    let is_root = rustix::process::geteuid().is_root();
    let mut part = part("ends::a_process_of_another_user", folder.path(), is_root.then_some(NOBODY));
    if is_root {
        // With it, an ordinary user starts a process that belongs to root.
        let as_root = folder.path().join("own-of-part").join(AS_ROOT);
        fs::copy("/usr/bin/setpriv", &as_root).unwrap();
        fs::set_permissions(&as_root, fs::Permissions::from_mode(0o4755)).unwrap();
    }
    let output = part.env("ORION_TRIED_MARK", &mark).output().unwrap();
    let left = with_argument(&mark);
    for pid in &left {
        assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
    }
    let said =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
    assert_eq!(left.len(), usize::from(is_root));
}

const AS_ROOT: &str = "as-root";

/// The part of the test above that an ordinary user does.
#[tokio::test]
async fn a_process_of_another_user() {
    let Some(folder) = common::own_folder() else { return };
    let mark = std::env::var("ORION_TRIED_MARK").unwrap();
    let project = folder.join("project");
    fs::create_dir_all(&project).unwrap();
    let as_root = folder.join(AS_ROOT);
    let can_be_root = as_root.exists();
    if can_be_root {
        let tried =
            Command::new(&as_root).args(["--reuid=0", "--clear-groups", "/bin/true"]).output().unwrap();
        let why = String::from_utf8_lossy(&tried.stderr);
        assert!(
            tried.status.success(),
            "no file in {} makes anybody root, by `nosuid`: {why}",
            folder.display()
        );
    }
    let other = match can_be_root {
        true => format!("{} --reuid=0 --clear-groups /bin/sleep {mark}", as_root.display()),
        false => format!("/bin/sleep {mark}"),
    };
    let order = Order {
        program: Program::Line(format!(
            "sleep 60 & {other} & for n in {{1..500}}; do pgrep -f '^/bin/sleep {mark}' && exit; sleep 0.02; done; exit 1"
        )),
        cwd: ".".into(),
        env: Vec::new(),
        limits: Limits { free_bytes: 0, ..Limits::default() },
        hosts: Vec::new(),
    };
    let sandbox = Sandbox::new(helper(), folder.join("sandbox.json"));
    let ran = sandbox.run(Place::Outside { project }, order, |_| {}, CancellationToken::new()).await;
    assert_eq!(ran.ended, CommandEnd::Exited { code: 0 }, "{:?}", ran.why);
    let (ended, remaining) = if can_be_root { (1, vec!["sleep"]) } else { (2, Vec::new()) };
    assert_eq!(
        (ran.left_running.len(), ran.remaining),
        (ended, remaining.into_iter().map(str::to_owned).collect())
    );
}

#[tokio::test]
async fn nothing_is_left_when_the_process_that_runs_a_command_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    for (number, place) in
        each(&[("box", 5, 35), ("outside", 2, 20), ("files", 6, 20)]).into_iter().enumerate()
    {
        let mark = mark(3000 + number);
        let mut owner = part("ends::the_owner_of_a_command", folder.path(), None);
        owner.env("ORION_TRIED_MARK", &mark).env("ORION_TRIED_PLACE", place);
        let mut owner = owner.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(owner.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains("ready")), "{place}: the command did not start");
        assert!(!with_argument(&mark).is_empty());
        owner.kill().unwrap();
        let since = Instant::now();
        owner.wait().unwrap();
        nothing_is_left(&mark, since, place);
    }
}

/// The part of the test above that is killed.
#[tokio::test]
async fn the_owner_of_a_command() {
    let Some(folder) = common::own_folder() else { return };
    let mark = std::env::var("ORION_TRIED_MARK").unwrap();
    let (project, home) = (folder.join("project"), folder.join("orion"));
    fs::create_dir_all(&project).unwrap();
    fs::create_dir_all(&home).unwrap();
    let layout = Layout { project: project.clone(), home, ..Layout::default() };
    let place = match std::env::var("ORION_TRIED_PLACE").unwrap().as_str() {
        "box" => Place::Box(layout),
        "files" => Place::FilesOnly(layout),
        _ => Place::Outside { project },
    };
    let order = Order {
        program: Program::Line(STUBBORN.replace("MARK", &mark)),
        cwd: ".".into(),
        env: Vec::new(),
        limits: Limits { free_bytes: 0, ..Limits::default() },
        hosts: Vec::new(),
    };
    let folders = matches!(place, Place::FilesOnly(_)).then(Vec::new);
    let sandbox =
        Sandbox::tried(helper(), folder.join("sandbox.json"), Trial { folders, ..Trial::default() });
    let output = |piece: &[u8]| println!("{}", String::from_utf8_lossy(piece));
    let ran = sandbox.run(place, order, output, CancellationToken::new()).await;
    panic!("it ended by itself: {ran:?}");
}
