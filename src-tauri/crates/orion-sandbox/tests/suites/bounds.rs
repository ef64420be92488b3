//! The bounds of a command (C4): processes, memory, and the disk. Time and output are in `running`.

use std::path::PathBuf;

use orion_protocol::CommandEnd;
use orion_sandbox::{Layout, Limits, Order, Place, Program, Sandbox};
use tokio_util::sync::CancellationToken;

use crate::common::{self, Tried, as_each_user, helper};

const MIB: u64 = 1 << 20;

#[test]
fn a_bomb_of_processes_is_ended_as_root_and_as_another_user() {
    as_each_user("bounds::a_bomb_of_this_user");
}

/// The part of the test above that one user does.
#[tokio::test]
async fn a_bomb_of_this_user() {
    let Some(folder) = common::own_folder() else { return };
    let (project, home) = (folder.join("project"), folder.join("orion"));
    std::fs::create_dir_all(&project).unwrap();
    std::fs::create_dir_all(&home).unwrap();
    let sandbox = Sandbox::new(helper(), folder.join("sandbox.json"));
    let order = Order {
        // As many as a bomb makes in a moment, and no more: a defect of the helper must not take the computer along.
        program: Program::Line("for n in {1..4000}; do sleep 60 & done; wait".to_owned()),
        cwd: PathBuf::from("."),
        env: Vec::new(),
        limits: Limits { free_bytes: 0, ..Limits::default() },
        hosts: Vec::new(),
    };
    let place = Place::Box(Layout { project, home, ..Layout::default() });
    let ran = sandbox.run(place, order, |_| {}, CancellationToken::new()).await;
    assert_eq!(ran.ended, CommandEnd::Processes, "{ran:?}");
}

#[tokio::test]
async fn memory_of_one_process_is_refused_to_it_and_memory_of_many_ends_them() {
    let tried = Tried::new().await;
    let limits = Limits { memory_bytes: 300 * MIB, ..tried.order("").limits };
    for place in [tried.in_box(), tried.outside()] {
        let one = "python3 -c 'bytearray(400 << 20)' 2>&1 | tail -n 1";
        let (ran, output) = tried.run(place.clone(), Order { limits, ..tried.order(one) }).await;
        assert_eq!((ran.ended, output.as_str()), (CommandEnd::Exited { code: 0 }, "MemoryError\n"));
        let many = "for n in 1 2 3 4; do python3 -c 'import signal
m = bytearray(b\"x\") * (100 << 20); signal.pause()' & done; wait";
        let (ran, _) = tried.run(place, Order { limits, ..tried.order(many) }).await;
        assert_eq!(ran.ended, CommandEnd::Memory);
    }
}

/// Memory that no process has mapped, more than 300 MiB of it, and a process that stays.
const NOT_MAPPED: [(&str, &str); 5] = [
    ("box outside", "for n in range(4): os.write(os.memfd_create(\"m\"), bytes(80 << 20))"),
    // Nobody can look at the files of such a process.
    ("box outside", "libc.prctl(4, 0)\nfor n in range(4): os.write(os.memfd_create(\"m\"), bytes(80 << 20))"),
    // The first thread ends.
    (
        "box outside",
        "def fill():
    for n in range(4): os.write(os.memfd_create(\"m\"), bytes(80 << 20))
    time.sleep(60)
threading.Thread(target=fill).start(); libc.syscall(60, 0)",
    ),
    (
        "box",
        "libc.shmat.restype = ctypes.c_void_p
for n in range(4):
    at = libc.shmat(libc.shmget(0, 80 << 20, 0o1600), None, 0)
    ctypes.memset(at, 1, 80 << 20); libc.shmdt(ctypes.c_void_p(at))",
    ),
    (
        "box",
        "for n in range(2):
    for folder in (\"/tmp\", \"/dev/shm\"): open(f\"{folder}/{n}\", \"wb\").write(bytes(80 << 20))",
    ),
];

#[tokio::test]
async fn memory_that_no_process_has_mapped_counts_too() {
    let tried = Tried::new().await;
    let limits = Limits { memory_bytes: 200 * MIB, ..tried.order("").limits };
    for (places, code) in NOT_MAPPED {
        let line = format!(
            "python3 -c 'import ctypes, os, signal, threading, time\nlibc = ctypes.CDLL(None)\n{code}\nsignal.pause()'"
        );
        for place in places.split(' ') {
            let at = if place == "box" { tried.in_box() } else { tried.outside() };
            let (ran, output) = tried.run(at, Order { limits, ..tried.order(&line) }).await;
            assert_eq!(ran.ended, CommandEnd::Memory, "{place}: {code}: {output}");
        }
    }
}

#[tokio::test]
async fn memory_that_processes_share_counts_once() {
    let tried = Tried::new().await;
    // 60 MiB of each kind, mapped by four processes, for longer than it takes to look twice.
    let all = "import ctypes, mmap, os, time
libc = ctypes.CDLL(None); libc.shmat.restype = ctypes.c_void_p
size = 60 << 20; maps = []
def touch(shared):
    for at in range(0, size, 4096): shared[at] = 1
def fill(file):
    if file >= 0: os.ftruncate(file, size)
    maps.append(mmap.mmap(file, size)); touch(maps[-1])
fill(os.memfd_create(\"m\")); fill(-1)
SEGMENT
for path in PATHS: fill(os.open(path, os.O_RDWR | os.O_CREAT))
os.fork(); os.fork()
for shared in maps: touch(shared)
time.sleep(1.3)";
    let segment = "at = libc.shmat(libc.shmget(0, size, 0o1600), None, 0); ctypes.memset(at, 1, size)";
    // Once, these are 300 and 120 MiB, and a few for Python.
    for (place, segment, paths, mib) in
        [(tried.in_box(), segment, "(\"/tmp/m\", \"/dev/shm/m\")", 400), (tried.outside(), "", "()", 170)]
    {
        let limits = Limits { memory_bytes: mib * MIB, ..tried.order("").limits };
        let code = all.replace("SEGMENT", segment).replace("PATHS", paths);
        let line = format!("python3 -c '{code}'");
        let (ran, output) = tried.run(place, Order { limits, ..tried.order(&line) }).await;
        assert_eq!(ran.ended, CommandEnd::Exited { code: 0 }, "{output}");
    }
}

#[tokio::test]
async fn a_disk_that_would_be_too_full_ends_the_command() {
    let tried = Tried::new().await;
    for place in [tried.in_box(), tried.outside()] {
        let limits = Limits { free_bytes: u64::MAX, ..tried.order("").limits };
        let (ran, _) = tried.run(place, Order { limits, ..tried.order("sleep 60") }).await;
        assert_eq!(ran.ended, CommandEnd::Disk);
    }
}

#[tokio::test]
async fn the_folders_of_a_box_that_are_in_memory_have_a_size() {
    let tried = Tried::new().await;
    let output = tried.says("df --block-size=1 --output=size,target /tmp /dev/shm | tail -n 2").await;
    let sizes: Vec<&str> = output.split_whitespace().collect();
    assert_eq!(sizes, ["1073741824", "/tmp", "536870912", "/dev/shm"]);
    assert_eq!(
        tried.says("head -c 1100000000 /dev/zero > /tmp/full || echo; stat -c %s /tmp/full").await.trim(),
        { "head: error writing 'standard output': No space left on device\n\n1073741824" }
    );
}

#[tokio::test]
async fn a_command_is_nicer_than_what_a_person_works_with_and_leaves_no_core_file() {
    let tried = Tried::new().await;
    for place in [tried.in_box(), tried.outside()] {
        let (_, output) = tried.run(place, tried.order("nice; ulimit -c; ulimit -d")).await;
        let own = rustix::process::getpriority_process(None).unwrap();
        assert_eq!(output, format!("{}\n0\n4194304\n", (own + 5).min(19)));
    }
}
