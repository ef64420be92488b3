//! The data folder: its place, who can read it, the health of the database, and the room on its disk.

use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use orion_protocol::{Finding, Subject, TroubleKind};
use orion_store::{DatabaseErrorKind, Health, health};

use crate::paths::Paths;
use crate::tools::size;

/// A person waits for the report: a database that takes longer is looked at in part, and the report says so.
const PATIENCE: Duration = Duration::from_secs(10);

/// A network disk that sleeps wakes up within it.
const DISK: Duration = Duration::from_secs(5);

/// A person is told while there still is room to work, long before a write fails.
const ROOM: u64 = 1 << 30;

/// The findings, and when the newest turn began.
pub(super) async fn look(paths: &Paths) -> (Vec<Finding>, Option<i64>) {
    let folder = paths.data_dir.as_path();
    let place = if paths.is_usual() { "in the usual place" } else { "in a folder of its own" };
    let health = health(folder, PATIENCE).await;
    let newest = match health {
        Health::Sound { newest_ms, .. } => newest_ms,
        _ => None,
    };
    let mut found = vec![state(health, place)];
    let owned = folder.to_owned();
    let looked = tokio::task::spawn_blocking(move || {
        let folder = owned.as_path();
        let found = [unwritable(folder), open_to_others(folder), aside(folder), room(folder)];
        found.into_iter().flatten().collect::<Vec<_>>()
    });
    match tokio::time::timeout(DISK, looked).await {
        Ok(looked) => found.extend(looked.unwrap_or_default()),
        Err(_) => found.push(Finding::troubled(
            Subject::Disk,
            "the disk of the data folder does not answer",
            TroubleKind::DataUnreadable,
            "Check the disk, or the network that it is on.",
        )),
    }
    (found, newest)
}

fn state(health: Health, place: &str) -> Finding {
    const COPY: &str = "Copy the data folder before anything else.";
    let troubled = |says: &str, kind, action: &str| {
        Finding::troubled(Subject::Data, format!("{says}, {place}"), kind, action)
    };
    match health {
        Health::Missing => Finding::fine(Subject::Data, format!("empty, {place}")),
        Health::Sound { bytes, whole, .. } => {
            let looked = if whole { "sound" } else { "sound as far as 10 s go" };
            Finding::fine(Subject::Data, format!("{}, {looked}, {place}", size(bytes)))
        }
        Health::Damaged => troubled(
            "the database is damaged",
            TroubleKind::DataDamaged,
            &format!(
                "{COPY} If its beginning is damaged, Orion sets it aside at the next start; what sqlite3's .recover reads of it can be kept."
            ),
        ),
        Health::Older => troubled(
            "the database is of an Orion before 0.2",
            TroubleKind::DataOlder,
            "The next start sets it aside and begins a new one. That Orion reads it: orion sessions lists what is in it, orion export writes a session.",
        ),
        Health::Newer => troubled(
            "a newer Orion has changed the database",
            TroubleKind::DataNewer,
            "Install the newest Orion, or give this one another folder with --data-dir.",
        ),
        Health::Unreadable(kind) => {
            let why = match kind {
                DatabaseErrorKind::Busy => "another program holds it",
                DatabaseErrorKind::Io => "its disk fails",
                _ => "it cannot be opened",
            };
            troubled(
                &format!("the database cannot be read: {why}"),
                TroubleKind::DataUnreadable,
                "Check who owns orion.db in the data folder, its mode (0600) and its disk.",
            )
        }
    }
}

/// Found by writing: modes alone do not say it.
fn unwritable(folder: &Path) -> Option<Finding> {
    let mut place = folder;
    while !place.exists() {
        place = place.parent()?;
    }
    let error = tempfile::Builder::new().prefix(".orion-doctor-").tempfile_in(place).err()?;
    let why = match error.kind() {
        ErrorKind::PermissionDenied => "you may not write there",
        ErrorKind::ReadOnlyFilesystem => "its disk is read-only",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "its disk is full",
        ErrorKind::NotADirectory => "it is no folder",
        _ => "the system refuses",
    };
    Some(Finding::troubled(
        Subject::Data,
        format!("the data folder cannot be written: {why}"),
        TroubleKind::DataUnwritable,
        "Make it your own (chown, chmod u+w), or name another folder with --data-dir or ORION_DATA_DIR.",
    ))
}

#[cfg(unix)]
fn open_to_others(folder: &Path) -> Option<Finding> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(folder).ok()?.permissions().mode();
    (mode & 0o077 != 0).then(|| {
        Finding::troubled(
            Subject::Data,
            format!("others of this computer can look into the data folder (mode {:04o})", mode & 0o7777),
            TroubleKind::DataOpen,
            "Close it: chmod 700 on the data folder.",
        )
    })
}

#[cfg(not(unix))]
fn open_to_others(_folder: &Path) -> Option<Finding> {
    None
}

fn aside(folder: &Path) -> Option<Finding> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let is_aside = |name: &str| name.starts_with("damaged-") || name.starts_with("older-");
    let count = entries.filter(|entry| is_aside(&entry.file_name().to_string_lossy())).count();
    (count > 0).then(|| {
        Finding::troubled(
            Subject::Data,
            format!("{count} {} set aside earlier", if count == 1 { "database was" } else { "databases were" }),
            TroubleKind::DataAside,
            "Delete the folders damaged-N and older-N in the data folder when you need nothing of them. sqlite3's .recover reads what can be read of a \
             damaged one; the Orion that made an older one exports its sessions.",
        )
    })
}

fn room(folder: &Path) -> Option<Finding> {
    let mut place = folder;
    while !place.exists() {
        place = place.parent()?;
    }
    let free = fs4::available_space(place).ok()?;
    let says = format!("{} free on the disk of the data folder", size(free));
    Some(match free {
        ..ROOM => Finding::troubled(
            Subject::Disk,
            says,
            TroubleKind::DiskLow,
            "Make room: what was said is kept on that disk before it is shown. Settings › Storage shows what sessions take.",
        ),
        _ => Finding::fine(Subject::Disk, says),
    })
}
