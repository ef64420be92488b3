//! A session bus with a desktop's notifications on it, as a desktop environment has them.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use zbus::zvariant::OwnedValue;

use crate::display::Group;

/// How long a notification may take: it goes over a bus, on a machine that does other things.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the desktop was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub program: String,
    pub summary: String,
    pub body: String,
}

/// A bus of a test's own.
#[derive(Debug)]
pub struct Bus {
    _daemon: Group,
    _service: zbus::Connection,
    told: UnboundedReceiver<Told>,
    address: String,
}

/// `org.freedesktop.Notifications` (specifications.freedesktop.org/notification).
struct Notifications(UnboundedSender<Told>);

#[zbus::interface(name = "org.freedesktop.Notifications")]
impl Notifications {
    #[expect(clippy::too_many_arguments, reason = "the specification says which there are")]
    fn notify(
        &self,
        app_name: String,
        _replaces_id: u32,
        _app_icon: String,
        summary: String,
        body: String,
        _actions: Vec<String>,
        _hints: HashMap<String, OwnedValue>,
        _expire_timeout: i32,
    ) -> u32 {
        // The test may be over.
        let _ = self.0.send(Told { program: app_name, summary, body });
        1
    }
}

impl Bus {
    /// Starts one. Panics naming the Debian package when it is missing.
    pub async fn start() -> Self {
        let mut command = Command::new("dbus-daemon");
        command.args(["--session", "--nofork", "--print-address=1"]);
        let mut daemon = Group::start(command.stdout(Stdio::piped()).stderr(Stdio::null()), "dbus");
        let mut address = String::new();
        BufReader::new(daemon.output()).read_line(&mut address).expect("the address of the bus");
        let address = address.trim().to_owned();
        let (sender, told) = unbounded_channel();
        let path = "/org/freedesktop/Notifications";
        let service = zbus::connection::Builder::address(address.as_str())
            .and_then(|builder| builder.name("org.freedesktop.Notifications"))
            .and_then(|builder| builder.serve_at(path, Notifications(sender)))
            .expect("a service");
        let service = service.build().await.expect("the bus takes the service");
        Self { _daemon: daemon, _service: service, told, address }
    }

    /// For `DBUS_SESSION_BUS_ADDRESS`.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The next notification.
    pub async fn told(&mut self) -> Told {
        let told = tokio::time::timeout(PATIENCE, self.told.recv()).await;
        told.expect("a notification in time").expect("the bus is there")
    }

    /// Nothing else has been told so far.
    pub fn told_nothing_more(&mut self) {
        assert_eq!(self.told.try_recv().ok(), None);
    }
}
