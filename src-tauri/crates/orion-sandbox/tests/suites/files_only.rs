//! Commands without a box, where Landlock holds their files (C2, C3): what gets out is a table, and `docs/sandbox.md` has the same.
//!
//! Deliberately not here: the level as it is measured (`levels`), and the ends of such commands (`ends`).

use std::fs;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};

use orion_protocol::{CommandEnd, SandboxLevel};
use orion_sandbox::{Layout, Limits, Order, Place, Program, Sandbox, Trial};
use tokio_util::sync::CancellationToken;

use crate::common::{self, Tried, as_each_user, helper};
use crate::escapes::{SECRET, SHELL, listed, put, python, script};

/// The reasons for which attempts succeed, and the names of those that do.
const GAPS: &[(&str, &[&str])] = &[
    (
        "Rights are only ever added from a folder downwards, so what `.orionignore` closes in the project is open.",
        &[
            "read a closed file",
            "copy a closed file",
            "link a closed file",
            "move a closed file",
            "remove a closed file",
            "write a closed file",
            "move the folder of a closed file",
            "list a closed folder",
            "read in a closed folder",
            "write in a closed folder",
            "move a closed folder",
        ],
    ),
    (
        "For the same reason nothing in the project is read-only. What changed of these is named when the command has ended.",
        &[
            "move the folder of a read-only file",
            "write a read-only file below a folder",
            "write in the repository",
            "write in the repository by another path",
            "a hook",
            "move the repository",
            "remove in the repository",
            "link into the repository",
            "another common folder of the repository",
            "the mode of a file of the repository",
            "the time of a file of the repository",
            "Orion's settings of the project",
            "instructions for models",
            "other instructions for models",
            "move instructions for models",
        ],
    ),
    (
        "Landlock closes what is in files and folders, and not that they are there, how large they are, or that somebody uses them.",
        &[
            "memory and disks as devices",
            "whether there is a file in the real home",
            "watch a folder of the real home",
        ],
    ),
    (
        "Nor does it keep an owner from changing the mode, the times and the marks of a file.",
        &[
            "the mode of a file in the real home",
            "the times of a file in the real home",
            "a mark on a file in the real home",
        ],
    ),
    (
        "Without a namespace of its own a command sees the names and the lines of other programs. What else they have is closed.",
        &["a process outside", "the line of a process outside"],
    ),
];

/// Attempts on a file that only a box has: to remove what is not there succeeds.
const OF_BOXES: [&str; 2] = ["write the helper", "remove the helper"];

/// Attempts that say nothing of a box, where the files and processes outside are not there.
const MORE: &[(&str, &str)] = &[
    ("whether there is a file in the real home", "[ -e REAL/.ssh/id ]"),
    ("the mode of a file in the real home", "chmod 640 REAL/.ssh/id"),
    ("the times of a file in the real home", "touch -d 2001-01-01 REAL/.ssh/id"),
    (
        "open memory or a disk",
        "(exec 3</dev/mem) || (exec 3</dev/kmsg) || (exec 3</dev/vda) || (exec 3</dev/sda)",
    ),
    ("write the program that rules the command", "echo x >> HELPER"),
    ("remove the program that rules the command", "rm -f HELPER"),
    ("write a file in the real home", "echo x >> REAL/.ssh/id"),
    ("empty a file in the real home", "truncate -s 0 REAL/.ssh/id"),
    ("remove a file in the real home", "rm -f REAL/.ssh/id"),
    ("make a file in the real home", "echo x > REAL/.ssh/x"),
    ("link a file of the real home", "ln REAL/.ssh/id linked"),
    ("move a file of the real home", "mv REAL/.ssh/id moved"),
    ("move a file into the real home", "echo x > x; mv x REAL/.ssh/x"),
    ("write in everybody's /tmp", "echo x > /tmp/orion-written"),
    ("write in everybody's shared memory", "echo x > /dev/shm/orion-written"),
    ("the folder of another command's temporary files", "ls /tmp | grep -q ."),
    ("terminals of this person", "ls /dev/pts | grep -q ."),
    ("the line of a process outside", "grep -q . /proc/PID/cmdline"),
    ("the environment of a process outside", "grep -q . /proc/PID/environ"),
    ("the memory of a process outside", "grep -q . /proc/PID/maps"),
    ("the files of a process outside", "readlink /proc/PID/fd/0"),
    ("the root of a process outside", "ls /proc/PID/root"),
    ("the folder of a process outside", "ls /proc/PID/cwd"),
    ("signal everybody", "kill -0 -- -1"),
    (
        "signal the program that rules the command by a thread of it",
        "kill -0 $(ls /proc/$PPID/task | tail -n 1)",
    ),
    ("the scheduling of a process outside", "renice 19 -p PID || chrt -i -p 0 PID || taskset -p 1 PID"),
    ("limits of a process outside", "prlimit --pid PID --core=0:0"),
];

/// Such attempts in Python.
fn more_python() -> Vec<(&'static str, String)> {
    let own = |name, code: &str| (name, code.to_owned());
    vec![
        own("a mark on a file in the real home", "os.setxattr('REAL/.ssh/id', b'user.x', b'x')"),
        own("any socket at all", "socket.socket(socket.AF_UNIX)"),
        own("any socket of the internet", "socket.socket(socket.AF_INET6)"),
        own("a pair of sockets that could be turned", "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)"),
        own("a pair of raw sockets", "socket.socketpair(socket.AF_UNIX, socket.SOCK_RAW)"),
        own("turn a pair of sockets", "a, b = socket.socketpair(); a.connect('SOCKET')"),
        own("a segment of memory", &format!("got({}, 0x4f52, 4096, 0o1600)", libc::SYS_shmget)),
        own("a queue of messages", &format!("got({}, b'orion', 0o100 | 2, 0o600, 0)", libc::SYS_mq_open)),
        own("trace a process outside", &format!("got({}, 0x4206, PID, 0, 0)", libc::SYS_ptrace)),
        own(
            "read the memory of a process outside",
            &format!("got({}, PID, 0, 0, 0, 0, 0)", libc::SYS_process_vm_readv),
        ),
        own("compare with a process outside", &format!("got({}, os.getpid(), PID, 2, 0, 0)", libc::SYS_kcmp)),
        own(
            "signal by a file",
            &format!("got({}, os.pidfd_open(PID), 0, 0, 0)", libc::SYS_pidfd_send_signal),
        ),
        own("have a file signal a process outside", "import fcntl; r, w = os.pipe(); fcntl.fcntl(r, 8, PID)"),
        own(
            "have a socket signal a process outside",
            "import fcntl, struct; a, b = socket.socketpair(); fcntl.ioctl(a, 0x8901, struct.pack('i', PID))",
        ),
        own(
            "watch a folder of the real home",
            "n = libc.inotify_init(); sys.exit(0 if libc.inotify_add_watch(n, b'REAL/.ssh', 0x100) >= 0 else 1)",
        ),
    ]
}

#[test]
fn attempts_on_a_command_without_a_box_get_out_only_where_the_table_says_so() {
    as_each_user("files_only::attempts_of_this_user");
}

/// The part of the test above that one user does.
#[tokio::test]
async fn attempts_of_this_user() {
    let Some(folder) = common::own_folder() else { return };
    let real = PathBuf::from(std::env::var_os("HOME").unwrap());
    let (project, home, data) = (real.join("work/project"), folder.join("own"), folder.join("data"));
    put(real.join(".ssh/id"), SECRET);
    put(data.join("orion.db"), SECRET);
    for (file, content) in [
        (".git/config", "[core]\n"),
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".git/hooks/sample", ""),
        (".orion/settings.toml", ""),
        ("AGENTS.md", "Be kind.\n"),
        ("sub/.vscode/tasks.json", "{}"),
        ("a/.env", SECRET),
        ("closed/key", SECRET),
        ("scratch/file", ""),
    ] {
        put(project.join(file), content);
    }
    fs::create_dir_all(&home).unwrap();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let by_name = format!("orion-files-only-{}", std::process::id());
    let _by_name = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&by_name).unwrap()).unwrap();
    let by_path = folder.join("socket");
    let _by_path = UnixListener::bind(&by_path).unwrap();
    let trial = Trial { folders: Some(vec![data.clone()]), ..Trial::default() };
    let sandbox = Sandbox::tried(helper(), data.join("sandbox.json"), trial);
    let found = sandbox.level().await;
    assert_eq!(found.level, SandboxLevel::FilesOnly, "{:?}", found.missing);
    let layout = Layout {
        project: project.clone(),
        home: home.clone(),
        read_only: vec!["AGENTS.md".into(), "sub/.vscode/tasks.json".into()],
        masked: vec!["a/.env".into(), "closed".into()],
        also_readable: Vec::new(),
    };
    let shell: Vec<_> =
        SHELL.iter().chain(MORE).copied().filter(|(name, _)| !OF_BOXES.contains(name)).collect();
    let python: Vec<_> = python().into_iter().chain(more_python()).collect();
    // An attempt that succeeds changes the project: each has it as it was.
    let first = "cd PROJECT && rm -rf ./* ./.[!.]* && cp -a $PYTHONPATH/first/. . && cd scratch\n";
    let before = "cp -a . ${TMPDIR}/first\n";
    let filled = [
        ("SECRET", SECRET.to_owned()),
        ("PROJECT", project.display().to_string()),
        ("ABSTRACT", by_name),
        ("SOCKET", by_path.display().to_string()),
        ("PORT", tcp.local_addr().unwrap().port().to_string()),
        ("PID", std::process::id().to_string()),
        ("REAL", real.display().to_string()),
        ("DATA", data.display().to_string()),
        ("HELPER", helper().display().to_string()),
    ];
    let script = before.to_owned() + &script(&shell, &python, first);
    let script = filled.iter().fold(script, |script, (name, value)| script.replace(name, value));
    let order = Order {
        hosts: Vec::new(),
        program: Program::Line(script),
        cwd: project.clone(),
        env: Vec::new(),
        limits: Limits { free_bytes: 0, ..Limits::default() },
    };
    let mut output = Vec::new();
    let read = |piece: &[u8]| output.extend_from_slice(piece);
    let ran = sandbox.run(Place::FilesOnly(layout), order, read, CancellationToken::new()).await;
    let output = String::from_utf8_lossy(&output);
    let got_out: Vec<&str> = output.lines().filter_map(|line| line.strip_prefix("out: ")).collect();
    assert_eq!(ran.ended, CommandEnd::Exited { code: 0 }, "{:?} {output}", ran.why);
    let gaps: Vec<&str> = GAPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    let mut expected: Vec<&str> =
        shell.iter().map(|(name, _)| *name).chain(python.iter().map(|(name, _)| *name)).collect();
    expected.retain(|name| gaps.contains(name));
    expected.push("the end");
    assert_eq!(got_out, expected);
    // Seen from outside: no content of a file outside of the project has changed, and nothing new is there.
    let (ssh, orion) = (listed(&real.join(".ssh")), listed(&data));
    assert_eq!(ssh.len(), 1, "{ssh:?}");
    assert!(ssh[0].ends_with(SECRET) && orion.iter().any(|line| line.ends_with(SECRET)), "{ssh:?} {orion:?}");
    for outside in
        ["/usr/written", "/etc/written", "/written", "/dev/written", "/run/written", "/tmp/orion-written"]
    {
        assert!(!Path::new(outside).exists(), "{outside}");
    }
    assert!(!Path::new("/dev/shm/orion-written").exists());
    assert!(!Path::new(&format!("{}.old", project.display())).exists());
}

#[test]
fn the_documented_table_is_the_one_that_is_tested() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/sandbox.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("<!-- gaps -->\n").unwrap();
    let (table, _) = rest.split_once("<!-- /gaps -->").unwrap();
    let row = |(why, names): &(&str, &[&str])| format!("| {} | {why} |\n", names.join("; "));
    let rows: String = GAPS.iter().map(row).collect();
    assert_eq!(table, format!("| Succeeds | Why |\n|---|---|\n{rows}"));
}

// C2
#[tokio::test]
async fn a_command_has_a_folder_for_temporary_files_that_is_gone_with_it() {
    let tried = Tried::without_bwrap().await;
    let line =
        "stat -c %a $TMPDIR; mkdir -p $TMPDIR/a/b; echo x > $TMPDIR/a/b/c; chmod 0 $TMPDIR/a; echo $TMPDIR";
    let (ran, output) = tried.run(tried.for_files(), tried.order(line)).await;
    assert_eq!(ran.ended, CommandEnd::Exited { code: 0 }, "{output}{:?}", ran.why);
    let (mode, folder) = output.trim_end().split_once('\n').unwrap();
    assert_eq!(mode, "700");
    assert!(!Path::new(folder).exists(), "{folder}");
}

// C3
#[tokio::test]
async fn a_command_whose_files_alone_would_be_held_does_not_run_so_where_the_level_is_another() {
    let tried = Tried::new().await;
    let (ran, _) = tried.run(tried.for_files(), tried.order("true")).await;
    let why = "the sandbox is not the one that it was";
    assert_eq!((ran.ended, ran.why.as_deref()), (CommandEnd::NotStarted, Some(why)));
}
