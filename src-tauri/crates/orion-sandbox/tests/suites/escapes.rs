//! Attempts to get out of a box, as root and as an ordinary user. None may succeed (C2).
//!
//! Many attempts share a box. An attempt is a few lines of shell or Python that end with 0 if they got out; what can only be seen outside is looked at
//! afterwards. Deliberately not here: attempts on the bounds of a command (`bounds`), and on its end (`ends`).

use std::fs;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};

use orion_protocol::{CommandEnd, SandboxLevel};
use orion_sandbox::{Layout, Limits, Order, Place, Program, Sandbox};
use tokio_util::sync::CancellationToken;

use crate::common::{self, as_each_user, helper};

/// In files that no command may read.
pub(crate) const SECRET: &str = "a-secret-of-this-person";

/// Attempts in the shell, by name.
pub(crate) const SHELL: &[(&str, &str)] = &[
    ("read the real home", "grep -rqs SECRET REAL"),
    ("read the real home by the root of a process", "grep -qs SECRET /proc/self/root/REAL/.ssh/id"),
    ("read the real home by the root of the first process", "ls /proc/FIRST/root/REAL/.ssh"),
    (
        "list another home",
        "ls -A /home /root 2>/dev/null | grep -v : | grep -v '^$' | grep -qv \"$(basename REAL)\"",
    ),
    ("read Orion's files", "cat DATA/orion.db"),
    ("read a closed file", "cat ../a/.env"),
    ("copy a closed file", "cp ../a/.env copied && grep -q SECRET copied"),
    ("link a closed file", "ln ../a/.env linked && grep -q SECRET linked"),
    ("move a closed file", "mv ../a/.env moved"),
    ("remove a closed file", "rm -f ../a/.env"),
    ("write a closed file", "echo x >> ../a/.env"),
    ("move the folder of a closed file", "mv ../a ../b"),
    ("list a closed folder", "ls ../closed/* | grep -q ."),
    ("read in a closed folder", "cat ../closed/key"),
    ("write in a closed folder", "echo x > ../closed/x"),
    ("move a closed folder", "mv ../closed ../open"),
    ("the environment of the first process", "cat /proc/FIRST/environ | grep -q ."),
    ("the memory of the first process", "cat /proc/FIRST/maps | grep -q ."),
    ("the files of the first process", "readlink /proc/FIRST/fd/0"),
    ("the report pipe of the first process", "echo '{}' > /proc/FIRST/fd/2"),
    ("the program of the first process", "readlink /proc/FIRST/exe"),
    ("limits of the first process", "prlimit --pid FIRST --nofile=3:3"),
    ("a process outside", "grep -lqs suites /proc/[0-9]*/comm"),
    ("signal a process outside", "[ PID -gt 1000 ] && kill -0 PID"),
    ("the data of the bus", "ls /run/dbus /run/user /run/systemd 2>/dev/null | grep -q ."),
    ("what is in /run", "ls /run | grep -qv '^orion-sandbox$'"),
    ("what is in /var", "ls /var | grep -q ."),
    ("what is in /sys", "ls /sys | grep -q ."),
    ("write in /usr", "echo x > /usr/written"),
    ("write in /etc", "echo x > /etc/written"),
    ("write in the root", "echo x > /written"),
    ("make a folder in the root", "mkdir /written"),
    ("write in /dev", "echo x > /dev/written"),
    ("write in /run", "echo x > /run/written"),
    ("write the helper", "echo x >> /run/orion-sandbox"),
    ("remove the helper", "rm -f /run/orion-sandbox"),
    ("the pattern of core files", "exec 3<>/proc/sys/kernel/core_pattern"),
    ("settings of the kernel", "exec 3>/proc/sys/vm/drop_caches"),
    ("limits on namespaces", "exec 3<>/proc/sys/user/max_user_namespaces"),
    ("the trigger of the kernel", "exec 3>/proc/sysrq-trigger"),
    ("groups of users", "echo deny > /proc/self/setgroups && echo 0 0 1 > /proc/self/uid_map"),
    (
        "memory and disks as devices",
        "ls /dev/mem /dev/kmsg /dev/sda /dev/vda /dev/nvme0n1 /dev/kvm /dev/vsock 2>/dev/null | grep -q .",
    ),
    ("private keys of root", "cat /etc/ssl/private/* /etc/pki/tls/private/* | grep -q ."),
    ("move the folder of a read-only file", "mv ../sub ../other"),
    ("write a read-only file below a folder", "echo x >> ../sub/.vscode/tasks.json"),
    ("move the folder that the project is in", "mv REAL/work REAL/w"),
    ("idle scheduling of the first process", "chrt -i -p 0 FIRST"),
    ("priority of the first process", "renice 19 -p FIRST"),
    ("processors of the first process", "taskset -p 1 FIRST"),
    ("passwords", "grep -q . /etc/shadow /etc/gshadow /etc/sudoers"),
    ("keys of this computer", "cat /etc/ssh/ssh_host_* | grep -q ."),
    ("write in the repository", "echo x >> ../.git/config"),
    ("write in the repository by another path", "echo x >> /proc/self/root/PROJECT/.git/config"),
    ("a hook", "echo x > ../.git/hooks/pre-commit"),
    ("move the repository", "mv ../.git ../g"),
    ("remove in the repository", "rm -f ../.git/HEAD"),
    ("link into the repository", "ln ../.git/config config && echo x >> config"),
    ("another common folder of the repository", "echo PROJECT/scratch > ../.git/commondir"),
    ("the mode of a file of the repository", "chmod 777 ../.git/config"),
    ("the time of a file of the repository", "touch ../.git/config"),
    ("mount over the repository", "mount --bind . ../.git"),
    ("mount the repository anew", "mount -o remount,rw,bind ../.git"),
    ("unmount the repository", "umount ../.git || umount -l ../.git"),
    ("Orion's settings of the project", "echo x >> ../.orion/settings.toml"),
    ("instructions for models", "echo x >> ../AGENTS.md"),
    ("other instructions for models", "echo x > other && mv -f other ../AGENTS.md"),
    ("move instructions for models", "mv ../AGENTS.md ../OLD.md"),
    ("move the project", "mv PROJECT PROJECT.old"),
    ("set-uid by chmod", "cp /bin/true u; chmod 4755 u"),
    ("set-gid by chmod", "cp /bin/true g; chmod g+s g"),
    ("set-uid by install", "install -m 6755 /bin/true i && [ -u i -o -g i ]"),
    ("set-gid of a folder", "mkdir -p s; chmod 2777 s"),
    ("a device", "mknod null c 1 3 || mknod disk b 8 0"),
    (
        "capabilities of a file",
        "cp /bin/true k; setcap cap_net_raw+ep k || setfattr -n security.capability -v 0x01 k",
    ),
    ("another user namespace", "unshare --user --map-root-user true"),
    ("another mount namespace", "unshare --mount true"),
    ("another network namespace", "unshare --net true"),
    ("the namespaces of the first process", "nsenter --target FIRST --all true"),
    ("another root", "chroot / true"),
    ("log of the kernel", "dmesg | grep -q ."),
    ("rights by sudo or su", "sudo -n true || su -c true </dev/null"),
    ("a name in the network", "getent ahosts example.com"),
    ("ping", "ping -c1 -W1 1.1.1.1"),
    ("a terminal", ": < /dev/tty"),
];

/// Attempts in Python. `got` ends with 0 if a system call succeeded.
pub(crate) fn python() -> Vec<(&'static str, String)> {
    let call = |name, number: i64, arguments: &str| (name, format!("got({number}, {arguments})"));
    let own = |name, code: &str| (name, code.to_owned());
    let mut all = vec![
        own("a listener of this computer", "socket.create_connection(('127.0.0.1', PORT), 2)"),
        own("a listener of this computer by IPv6", "socket.create_connection(('::1', PORT), 2)"),
        own("the internet", "socket.create_connection(('1.1.1.1', 443), 2)"),
        own(
            "a name server",
            "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b'x', ('8.8.8.8', 53))",
        ),
        own(
            "all of this network",
            "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.setsockopt(1, 6, 1); s.sendto(b'x', ('255.255.255.255', 9))",
        ),
        own("an abstract socket", "s = socket.socket(socket.AF_UNIX); s.connect('\\0ABSTRACT')"),
        own("a socket with a path", "s = socket.socket(socket.AF_UNIX); s.connect('SOCKET')"),
        own("a raw socket", "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)"),
        call("a vsock socket", libc::SYS_socket, "40, 1, 0"),
        call("a packet socket", libc::SYS_socket, "17, 3, 0"),
        call("a bluetooth socket", libc::SYS_socket, "31, 3, 0"),
        call("a socket of the kernel's ciphers", libc::SYS_socket, "38, 5, 0"),
        call("a tipc socket", libc::SYS_socket, "30, 1, 0"),
        call("an xdp socket", libc::SYS_socket, "44, 3, 0"),
        call("a can socket", libc::SYS_socket, "29, 3, 1"),
        call("a pair of vsock sockets", libc::SYS_socketpair, "40, 1, 0, buffer"),
        call("trace the first process", libc::SYS_ptrace, "16, FIRST, 0, 0"),
        call("seize the first process", libc::SYS_ptrace, "0x4206, FIRST, 0, 0"),
        own("read the memory of the first process", "open('/proc/FIRST/mem', 'rb')"),
        own("write the memory of the first process", "open('/proc/FIRST/mem', 'wb')"),
        own(
            "a file of the first process",
            &format!("p = os.pidfd_open(FIRST); got({}, p, 0, 0)", libc::SYS_pidfd_getfd),
        ),
        own("the score of the first process", "open('/proc/FIRST/oom_score_adj', 'w').write('1000')"),
        call("unshare users", libc::SYS_unshare, "0x10000000"),
        call("unshare mounts", libc::SYS_unshare, "0x20000"),
        call("unshare control groups", libc::SYS_unshare, "0x02000000"),
        call("clone with users", libc::SYS_clone, "0x10000000 | 17, 0, 0, 0, 0"),
        call("clone with the network", libc::SYS_clone, "0x40000000 | 17, 0, 0, 0, 0"),
        own(
            "clone3 is not there",
            &format!(
                "r, e = call({}, buffer, 64); sys.exit(1 if (r, e) == (-1, errno.ENOSYS) else 0)",
                libc::SYS_clone3
            ),
        ),
        own("enter a namespace", &format!("got({}, os.open('/proc/self/ns/net', 0), 0)", libc::SYS_setns)),
        call("mount", libc::SYS_mount, "b'x', b'/tmp', b'tmpfs', 0, 0"),
        call("unmount", libc::SYS_umount2, "b'/tmp', 2"),
        call("fsopen", libc::SYS_fsopen, "b'tmpfs', 0"),
        call("open_tree", libc::SYS_open_tree, "-100, b'/', 1"),
        call("open_tree_attr", 467, "-100, b'/', 1, 0, 0"),
        call("move_mount", libc::SYS_move_mount, "-100, b'/tmp', -100, b'/dev', 0"),
        call("mount_setattr", libc::SYS_mount_setattr, "-100, b'/', 0, buffer, 32"),
        call("pivot_root", libc::SYS_pivot_root, "b'/', b'/tmp'"),
        call("chroot", libc::SYS_chroot, "b'/tmp'"),
        call("a handle of a file", libc::SYS_name_to_handle_at, "-100, b'/', buffer, buffer, 0"),
        call("add a key", libc::SYS_add_key, "b'user', b'x', b'y', 1, -4"),
        call("ask for a key", libc::SYS_request_key, "b'user', b'x', 0, -4"),
        call("the ring of keys", libc::SYS_keyctl, "0, -4, 1"),
        call("io_uring", libc::SYS_io_uring_setup, "1, buffer"),
        call("bpf", libc::SYS_bpf, "0, buffer, 72"),
        call("perf", libc::SYS_perf_event_open, "buffer, 0, -1, -1, 0"),
        call("userfaultfd", libc::SYS_userfaultfd, "1"),
        call("kexec", libc::SYS_kexec_load, "0, 0, 0, 0"),
        call("a module", libc::SYS_finit_module, "0, b'', 0"),
        call("swap", libc::SYS_swapon, "b'/tmp/x', 0"),
        call("reboot", libc::SYS_reboot, "0xfee1dead, 672274793, 0, 0"),
        call("the name of this computer", libc::SYS_sethostname, "b'x', 1"),
        call("set-uid by fchmod", libc::SYS_fchmod, "os.open('f', os.O_CREAT | os.O_RDWR), 0o4755"),
        call("set-uid by fchmodat", libc::SYS_fchmodat, "-100, b'f', 0o4755, 0"),
        call("set-uid by fchmodat2", 452, "-100, b'f', 0o4755, 0"),
        call("set-uid by openat", libc::SYS_openat, "-100, b'o', os.O_CREAT | os.O_WRONLY, 0o4755"),
        call(
            "set-gid by a file without a name",
            libc::SYS_openat,
            "-100, b'.', os.O_TMPFILE | os.O_WRONLY, 0o2755",
        ),
        call("set-uid by openat2", libc::SYS_openat2, "-100, b'o2', buffer, 24"),
        call("set-uid by mknodat", libc::SYS_mknodat, "-100, b'n', 0o104755, 0"),
        call("set-gid by mkdirat", libc::SYS_mkdirat, "-100, b'd', 0o2755"),
        call("a device by mknodat", libc::SYS_mknodat, "-100, b'c', 0o020666, 0x103"),
        call("exchange the repository", libc::SYS_renameat2, "-100, b'../.git', -100, b'.', 2"),
        own("signs for a terminal", "import pty, fcntl; a, b = pty.openpty(); fcntl.ioctl(b, 0x5412, b'x')"),
    ];
    #[cfg(target_arch = "x86_64")]
    all.extend([
        call("set-uid by chmod, as a call", libc::SYS_chmod, "b'f', 0o4755"),
        call("set-uid by open", libc::SYS_open, "b'p', os.O_CREAT | os.O_WRONLY, 0o4755"),
        call("set-uid by creat", libc::SYS_creat, "b'q', 0o4755"),
        call("set-uid by mknod", libc::SYS_mknod, "b'r', 0o104755, 0"),
        call("set-gid by mkdir", libc::SYS_mkdir, "b't', 0o2755"),
        call("x32: a vsock socket", X32 | libc::SYS_socket, "40, 1, 0"),
        call("x32: set-uid", X32 | libc::SYS_chmod, "b'f', 0o4755"),
        call("x32: another namespace", X32 | libc::SYS_unshare, "0x10000000"),
        call("x32: mount", X32 | libc::SYS_mount, "b'x', b'/tmp', b'tmpfs', 0, 0"),
        call("x32: bpf", X32 | libc::SYS_bpf, "0, buffer, 72"),
        // The 32-bit interface has other numbers: a call by it ends the process.
        own(
            "int 0x80",
            "import mmap; m = mmap.mmap(-1, 4096, prot=7); m.write(b'\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3')
f = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))
sys.exit(0 if f() > 0 else 1)",
        ),
    ]);
    all
}

#[cfg(target_arch = "x86_64")]
const X32: i64 = 0x4000_0000;

/// The functions that attempts in Python share.
const PRELUDE: &str = "
import ctypes, errno, os, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(4096)
def call(number, *arguments):
    made = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *made)
    return result, ctypes.get_errno()
def got(number, *arguments):
    sys.exit(1 if call(number, *arguments)[0] == -1 else 0)
";

/// Signals that would end another first process: the attempts after them run, or there is no end of the script.
const SIGNALS: &str =
    "kill -9 FIRST; kill -STOP FIRST; kill -SEGV FIRST; kill -SEGV FIRST; kill -TERM FIRST; kill -ABRT FIRST";

/// One script with these attempts, each after `first`; it says the name of each that ended with 0. `FIRST` in it is the process that rules the command.
pub(crate) fn script(shell: &[(&str, &str)], python: &[(&str, String)], first: &str) -> String {
    let mut script = format!(
        "cd scratch\nexport PYTHONPATH=${{TMPDIR:-/tmp}}\ncat > $PYTHONPATH/attempts.py <<'END'{PRELUDE}END\n{SIGNALS}\n"
    );
    for (name, code) in shell {
        script += &format!(
            "{first}timeout 5 bash -s >/dev/null 2>&1 <<'END' && echo \"out: {name}\"\n{code}\nEND\n"
        );
    }
    for (name, code) in python {
        script += &format!(
            "{first}timeout 5 python3 - >/dev/null 2>&1 <<'END' && echo \"out: {name}\"\nfrom attempts import *\n{code}\nEND\n"
        );
    }
    format!(
        "read -r _ _ _ parent _ < /proc/$$/stat\nexec bash <(sed \"s/FIRST/$parent/g\" <<'ALL'\n{script}echo out: the end\nALL\n)"
    )
}

/// Every file below a folder with its content or target, in order.
pub(crate) fn listed(folder: &Path) -> Vec<String> {
    let mut all = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap().flatten() {
            let metadata = entry.path().symlink_metadata().unwrap();
            let content = match metadata.is_dir() {
                true => {
                    folders.push(entry.path());
                    "a folder".to_owned()
                }
                false => String::from_utf8_lossy(&fs::read(entry.path()).unwrap_or_default()).into_owned(),
            };
            all.push(format!("{} {:o} {content}", entry.path().display(), metadata.mode()));
        }
    }
    all.sort();
    all
}

pub(crate) fn put(path: PathBuf, content: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

#[test]
fn no_attempt_to_get_out_of_a_box_succeeds_as_root_or_as_another_user() {
    as_each_user("escapes::attempts_of_this_user");
}

/// The part of the test above that one user does, in a process of its own with a home of its own.
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
    let by_name = format!("orion-escapes-{}", std::process::id());
    let _by_name = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&by_name).unwrap()).unwrap();
    let by_path = folder.join("socket");
    let _by_path = UnixListener::bind(&by_path).unwrap();
    let sandbox = Sandbox::new(helper(), data.join("sandbox.json"));
    let found = sandbox.level().await;
    assert_eq!(found.level, SandboxLevel::Full, "{:?}", found.missing);
    let layout = Layout {
        project: project.clone(),
        home: home.clone(),
        read_only: vec!["AGENTS.md".into(), "sub/.vscode/tasks.json".into()],
        masked: vec!["a/.env".into(), "closed".into()],
        also_readable: Vec::new(),
    };
    let before = listed(&project);
    let python = python();
    assert!(SHELL.len() + python.len() >= 60);
    let filled = [
        ("SECRET", SECRET.to_owned()),
        ("PROJECT", project.display().to_string()),
        ("ABSTRACT", by_name),
        ("SOCKET", by_path.display().to_string()),
        ("PORT", tcp.local_addr().unwrap().port().to_string()),
        ("PID", std::process::id().to_string()),
        ("REAL", real.display().to_string()),
        ("DATA", data.display().to_string()),
    ];
    let script =
        filled.iter().fold(script(SHELL, &python, ""), |script, (name, value)| script.replace(name, value));
    let order = Order {
        program: Program::Line(script),
        cwd: project.clone(),
        env: Vec::new(),
        limits: Limits { free_bytes: 0, ..Limits::default() },
        hosts: Vec::new(),
    };
    let mut output = Vec::new();
    let ran = sandbox
        .run(
            Place::Box(layout.clone()),
            order.clone(),
            |piece| output.extend_from_slice(piece),
            CancellationToken::new(),
        )
        .await;
    let output = String::from_utf8_lossy(&output);
    let got_out: Vec<&str> = output.lines().filter_map(|line| line.strip_prefix("out: ")).collect();
    assert_eq!(
        (ran.ended, got_out),
        (CommandEnd::Exited { code: 0 }, vec!["the end"]),
        "{:?} {output}",
        ran.why
    );
    // Seen from outside: nothing is changed but the folder of the attempts, and nothing is left.
    let scratch = project.join("scratch");
    let others = |all: Vec<String>| -> Vec<String> {
        all.into_iter().filter(|line| !line.starts_with(&format!("{}/", scratch.display()))).collect()
    };
    assert_eq!(others(listed(&project)), others(before));
    let special = |line: &String| {
        line.split(' ').nth(1).is_some_and(|mode| u32::from_str_radix(mode, 8).unwrap() & 0o6000 != 0)
    };
    let all = listed(&scratch);
    assert_eq!(all.iter().filter(|line| special(line)).collect::<Vec<_>>(), Vec::<&String>::new());
    assert_eq!(all.iter().filter(|line| line.contains(SECRET)).collect::<Vec<_>>(), Vec::<&String>::new());
    // Where the project is below the home, its folder is mounted there.
    let names: Vec<_> = fs::read_dir(&home).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["work"]);
    // A link in the place of a folder of Orion's own home leads the next box nowhere.
    fs::rename(home.join("work"), home.join("w")).unwrap();
    fs::create_dir_all(real.join(".config")).unwrap();
    std::os::unix::fs::symlink(real.join(".config"), home.join("work")).unwrap();
    assert!(!sandbox.holds(&layout).is_empty());
    let ran = sandbox.run(Place::Box(layout), order, |_| {}, CancellationToken::new()).await;
    assert_eq!(ran.ended, CommandEnd::NotStarted);
    assert_eq!(fs::read_dir(real.join(".config")).unwrap().count(), 0);
    for outside in ["/usr/written", "/etc/written", "/written", "/dev/written", "/run/written"] {
        assert!(!Path::new(outside).exists(), "{outside}");
    }
    assert_eq!(fs::metadata(helper()).unwrap().permissions().mode() & 0o6000, 0);
}
