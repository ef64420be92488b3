//! Processes a window test needs around it: a display of its own and a WebDriver, in process groups that end with the test.

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// A process and everything it started; all of it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Group(Child);

impl Group {
    /// Starts `command` at the head of a process group of its own. Panics naming the Debian package when it is missing.
    pub(crate) fn start(command: &mut Command, package: &str) -> Self {
        let program = command.get_program().to_owned();
        let child = command.process_group(0).stdin(Stdio::null()).spawn();
        Self(child.unwrap_or_else(|error| {
            panic!("start {}: {error}; it is in the package {package}", program.display())
        }))
    }

    /// What it prints, where that was piped.
    pub(crate) fn output(&mut self) -> ChildStdout {
        self.0.stdout.take().expect("the output was piped")
    }

    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = Pid::from_raw(self.0.id().cast_signed()) {
            // It may be gone already.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.0.wait();
    }
}

/// A virtual display.
#[derive(Debug)]
pub(crate) struct Display {
    _server: Group,
    /// Such as `:99`.
    pub(crate) name: String,
}

impl Display {
    pub(crate) fn start() -> Self {
        let mut command = Command::new("Xvfb");
        // With -displayfd the server finds a free number itself and writes it when it is ready.
        command.args(["-displayfd", "1", "-screen", "0", "1600x1200x24", "-nolisten", "tcp", "-noreset"]);
        let mut server = Group::start(command.stdout(Stdio::piped()).stderr(Stdio::null()), "xvfb");
        let mut number = String::new();
        BufReader::new(server.output()).read_line(&mut number).expect("the number of the display");
        let number = number.trim();
        assert!(!number.is_empty(), "Xvfb ended without a display");
        Self { name: format!(":{number}"), _server: server }
    }
}

/// WebKit's driver, which starts the program under test as its child.
#[derive(Debug)]
pub(crate) struct Driver {
    process: Group,
    pub(crate) port: u16,
}

impl Driver {
    /// Starts the driver; the program under test inherits `environment` and nothing else.
    pub(crate) async fn start(environment: &[(String, String)]) -> Self {
        let port = free_port();
        let mut command = Command::new("WebKitWebDriver");
        command.arg(format!("--port={port}")).arg("--host=127.0.0.1").env_clear();
        command.envs(environment.iter().map(|(name, value)| (name, value)));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let process = Group::start(&mut command, "webkit2gtk-driver");
        let deadline = Instant::now() + Duration::from_secs(60);
        let mut tick = tokio::time::interval(Duration::from_millis(20));
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            assert!(Instant::now() < deadline, "WebKitWebDriver does not listen on port {port}");
            tick.tick().await;
        }
        Self { process, port }
    }

    /// The process id of the program under test: the driver's child.
    pub(crate) fn program(&self) -> Option<Pid> {
        let driver = self.process.id();
        let processes = std::fs::read_dir("/proc").ok()?.flatten();
        let mut ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let child = ids.find(|id| parent(*id) == Some(driver))?;
        Pid::from_raw(child.cast_signed())
    }
}

/// The parent of a process that still runs (proc(5): the second field behind the name in brackets).
fn parent(id: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    let state = fields.next()?;
    (state != "Z").then(|| fields.next()?.parse().ok())?
}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    listener.local_addr().expect("the address of a bound listener").port()
}
