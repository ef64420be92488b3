//! A report of this computer: the programs, the folders and the servers that Orion needs, and what is wrong with them.
//!
//! A report of a fault begins with it, so it names no key, no user, no folder and no private address. Not here: how each is found
//! (`orion-engine/src/doctor`).

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The report, in the order of [`Subject`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct DoctorReport {
    /// Such as `0.2.0`.
    pub version: String,
    /// The commit that the program was built from, with a `+` if files were changed. Null in a build that nobody packs.
    pub commit: Option<String>,
    pub findings: Vec<Finding>,
}

impl DoctorReport {
    /// The worst severity of its troubles. None when all is well.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.findings
            .iter()
            .filter_map(|finding| finding.trouble.as_ref())
            .map(|trouble| trouble.severity)
            .max()
    }

    /// Adds what another part found, each at the place of its subject.
    pub fn add(&mut self, findings: impl IntoIterator<Item = Finding>) {
        self.findings.extend(findings);
        self.findings.sort_by_key(|finding| finding.subject);
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Finding {
    pub subject: Subject,
    /// One line for a person, such as `WebKitGTK 2.50.1`.
    pub says: String,
    /// Null when it is as it should be.
    pub trouble: Option<Trouble>,
}

impl Finding {
    pub fn fine(subject: Subject, says: impl Into<String>) -> Self {
        Self { subject, says: says.into(), trouble: None }
    }

    /// Something is wrong, and `action` is a sentence that says what to do.
    pub fn troubled(
        subject: Subject,
        says: impl Into<String>,
        kind: TroubleKind,
        action: impl Into<String>,
    ) -> Self {
        let trouble = Trouble { kind, severity: kind.severity(), action: action.into() };
        Self { subject, says: says.into(), trouble: Some(trouble) }
    }
}

/// The part of the computer that a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Subject {
    /// The operating system and the processor.
    System,
    /// The program with the window, and what it draws with.
    Window,
    /// The screen, and how it is painted.
    Display,
    Keychain,
    Settings,
    /// The data folder.
    Data,
    /// The room on the disk of the data folder.
    Disk,
    Clock,
    /// The sandbox that commands run in (C3).
    Sandbox,
    Proxy,
    /// An endpoint that is set up, or whose key is in the environment.
    Endpoint,
    /// Model servers on this computer.
    Servers,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Trouble {
    pub kind: TroubleKind,
    pub severity: Severity,
    /// A sentence for a person: what to do.
    pub action: String,
}

/// The weight of a trouble for a person who wants to work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Severity {
    /// Something else does it: the terminal, a variable, another model.
    Warning,
    /// It does not work until it is mended.
    Error,
}

/// Everything that a report can find wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum TroubleKind {
    /// The program with the window does not start, since a library is missing.
    LibraryMissing,
    /// The program with the window does not start, or does not say what it found.
    WindowSilent,
    /// There is no display to open a window on.
    NoDisplay,
    /// The system has no keychain, or it does not answer.
    NoKeychain,
    /// A file or a variable with settings has a fault.
    SettingsWrong,
    /// The data folder cannot be made or written.
    DataUnwritable,
    /// Other people of this computer can read the data folder.
    DataOpen,
    DataDamaged,
    /// A newer Orion has changed the database in a way that this one does not know.
    DataNewer,
    /// An Orion of before the first version made the database: the next start sets it aside.
    DataOlder,
    /// The database cannot be read: its mode, its disk, its kind.
    DataUnreadable,
    /// A database was set aside earlier.
    DataAside,
    DiskLow,
    ClockWrong,
    /// Nothing holds a command (C3).
    NoSandbox,
    /// A proxy that is set does not answer.
    ProxySilent,
    /// The address of a proxy that is set is none.
    ProxyWrong,
    /// No endpoint is set up, and no server answers on this computer.
    NoModel,
    /// The key that an endpoint needs is not there.
    KeyMissing,
    /// The keychain does not give out the key of an endpoint.
    KeyUnreadable,
    KeyRefused,
    /// An endpoint does not answer.
    Unreachable,
    /// An endpoint is set up in a way that nothing is sent to it.
    EndpointWrong,
    /// An endpoint answers with an error.
    Refused,
}

impl TroubleKind {
    /// Every kind.
    pub const ALL: [Self; 24] = [
        Self::LibraryMissing,
        Self::WindowSilent,
        Self::NoDisplay,
        Self::NoKeychain,
        Self::SettingsWrong,
        Self::DataUnwritable,
        Self::DataOpen,
        Self::DataDamaged,
        Self::DataNewer,
        Self::DataOlder,
        Self::DataUnreadable,
        Self::DataAside,
        Self::DiskLow,
        Self::ClockWrong,
        Self::NoSandbox,
        Self::ProxySilent,
        Self::ProxyWrong,
        Self::NoModel,
        Self::KeyMissing,
        Self::KeyUnreadable,
        Self::KeyRefused,
        Self::Unreachable,
        Self::EndpointWrong,
        Self::Refused,
    ];

    /// Its weight for a person who wants to work.
    #[must_use]
    pub const fn severity(self) -> Severity {
        match self {
            Self::LibraryMissing
            | Self::WindowSilent
            | Self::DataUnwritable
            | Self::DataDamaged
            | Self::DataNewer
            | Self::DataUnreadable
            | Self::DiskLow
            | Self::KeyMissing
            | Self::KeyUnreadable
            | Self::KeyRefused
            | Self::Unreachable
            | Self::EndpointWrong
            | Self::Refused => Severity::Error,
            Self::NoDisplay
            | Self::NoKeychain
            | Self::SettingsWrong
            | Self::DataOpen
            | Self::DataAside
            | Self::DataOlder
            | Self::ClockWrong
            | Self::NoSandbox
            | Self::ProxySilent
            | Self::ProxyWrong
            | Self::NoModel => Severity::Warning,
        }
    }
}
