//! A project with its home and a sandbox, and what a command in it came to.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use orion_protocol::{CommandEnd, SandboxLevel};
use orion_sandbox::{Internet, Layout, Limits, Order, Place, Program, Ran, Sandbox, Trial};
use tokio_util::sync::CancellationToken;

/// The helper, as it was built beside this test; for a part of a test that is another user's, a copy that this user can read.
pub(crate) fn helper() -> PathBuf {
    std::env::var_os(HELPER).map_or_else(|| env!("CARGO_BIN_EXE_orion-sandbox").into(), PathBuf::from)
}

/// The variables of a part of a test in a process of its own: the helper, and a folder for it.
const HELPER: &str = "ORION_TRIED_HELPER";
const FOLDER: &str = "ORION_TRIED_FOLDER";

/// The folder of this process, if it does a part of a test of another process.
pub(crate) fn own_folder() -> Option<PathBuf> {
    std::env::var_os(FOLDER).map(PathBuf::from)
}

/// A part of a test, as a process of its own, for this user or another. Its home is `home` in the folder.
pub(crate) fn part(test: &str, folder: &Path, user: Option<u32>) -> Command {
    let (program, helper) = (folder.join("suites"), folder.join("orion-sandbox"));
    // A program that still runs cannot be written.
    if !program.exists() {
        fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
        fs::copy(env!("CARGO_BIN_EXE_orion-sandbox"), &helper).unwrap();
    }
    let own = folder.join("own-of-part");
    for made in [own.join("home"), own.clone(), folder.to_path_buf()] {
        fs::create_dir_all(&made).unwrap();
        fs::set_permissions(&made, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut part = match user {
        None => Command::new(&program),
        Some(user) => {
            for made in [own.join("home"), own.clone()] {
                std::os::unix::fs::chown(made, Some(user), Some(user)).unwrap();
            }
            let mut part = Command::new("setpriv");
            part.args([format!("--reuid={user}"), format!("--regid={user}")])
                .args(["--clear-groups", "--"])
                .arg(&program);
            part
        }
    };
    part.args(["--exact", test, "--nocapture"])
        .env(HELPER, helper)
        .env(FOLDER, &own)
        .env("HOME", own.join("home"));
    part.env("A_SECRET", "a-secret-of-this-person");
    part
}

/// Debian's `nobody`.
pub(crate) const NOBODY: u32 = 65_534;

/// Runs a part of a test as this user and, where this is root, as an ordinary one as well.
pub(crate) fn as_each_user(test: &str) {
    let users = if rustix::process::geteuid().is_root() { vec![None, Some(NOBODY)] } else { vec![None] };
    // At the same time: each waits for its boxes most of the time.
    let parts = users.into_iter().map(|user| {
        let folder = tempfile::tempdir().unwrap();
        let mut part = part(test, folder.path(), user);
        (user, part.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap(), folder)
    });
    for (user, part, _folder) in parts.collect::<Vec<_>>() {
        let output = part.wait_with_output().unwrap();
        let said =
            [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
        assert!(output.status.success() && said.contains("1 passed"), "as {user:?}: {said}");
    }
}

/// A project, Orion's own home for it, and a sandbox that was measured. It fails where the sandbox is not full: nothing here is skipped.
#[derive(Debug)]
pub(crate) struct Tried {
    _folder: tempfile::TempDir,
    pub(crate) sandbox: Sandbox,
    pub(crate) layout: Layout,
}

impl Tried {
    pub(crate) async fn new() -> Self {
        let tried = Self::unmeasured();
        let found = tried.sandbox.level().await;
        assert_eq!(found.level, SandboxLevel::Full, "these tests need a full sandbox: {:?}", found.missing);
        tried
    }

    pub(crate) fn unmeasured() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = fs::canonicalize(folder.path()).unwrap();
        for name in ["project", "home", "data"] {
            fs::create_dir(at.join(name)).unwrap();
            fs::set_permissions(at.join(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
        let layout = Layout { project: at.join("project"), home: at.join("home"), ..Layout::default() };
        Self { sandbox: Sandbox::new(helper(), at.join("data/sandbox.json")), layout, _folder: folder }
    }

    /// The same, where no `bwrap` is found.
    pub(crate) async fn without_bwrap() -> Self {
        let mut tried = Self::unmeasured();
        let data = tried.layout.home.with_file_name("data");
        let trial = Trial { folders: Some(vec![data.clone()]), ..Trial::default() };
        tried.sandbox = Sandbox::tried(helper(), data.join("sandbox.json"), trial);
        let found = tried.sandbox.level().await;
        assert_eq!(found.level, SandboxLevel::FilesOnly, "these tests need Landlock: {:?}", found.missing);
        tried
    }

    pub(crate) fn for_files(&self) -> Place {
        Place::FilesOnly(self.layout.clone())
    }

    /// One whose granted hosts are in another network than this computer's.
    pub(crate) async fn in_network(internet: Internet) -> Self {
        let mut tried = Self::unmeasured();
        let kept = tried.layout.home.with_file_name("data").join("sandbox.json");
        let trial = Trial { internet: Some(internet), ..Trial::default() };
        tried.sandbox = Sandbox::tried(helper(), kept, trial);
        let found = tried.sandbox.level().await;
        assert_eq!(found.level, SandboxLevel::Full, "these tests need a full sandbox: {:?}", found.missing);
        tried
    }

    pub(crate) fn project(&self) -> &Path {
        &self.layout.project
    }

    pub(crate) fn order(&self, line: &str) -> Order {
        Order {
            program: Program::Line(line.to_owned()),
            cwd: PathBuf::from("."),
            env: Vec::new(),
            limits: Limits { free_bytes: 0, ..Limits::default() },
            hosts: Vec::new(),
        }
    }

    pub(crate) fn in_box(&self) -> Place {
        Place::Box(self.layout.clone())
    }

    pub(crate) fn outside(&self) -> Place {
        Place::Outside { project: self.layout.project.clone() }
    }

    /// Runs an order to its end, and has its output.
    pub(crate) async fn run(&self, place: Place, order: Order) -> (Ran, String) {
        let mut output = Vec::new();
        let ran = self
            .sandbox
            .run(place, order, |piece| output.extend_from_slice(piece), CancellationToken::new())
            .await;
        (ran, String::from_utf8_lossy(&output).into_owned())
    }

    /// Runs a line in a box; it must end with 0.
    pub(crate) async fn says(&self, line: &str) -> String {
        let (ran, output) = self.run(self.in_box(), self.order(line)).await;
        assert_eq!(ran.ended, CommandEnd::Exited { code: 0 }, "{line}: {output}{:?}", ran.why);
        output
    }
}

/// Numbers of processes on this computer that have this text in their arguments.
pub(crate) fn with_argument(text: &str) -> Vec<u32> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let has = |pid: &u32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.windows(text.len()).any(|part| part == text.as_bytes())
    };
    pids.filter(has).collect()
}
