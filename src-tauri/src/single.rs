//! One window for each data folder: a second start has the first one shown, with the folder that it was given, and ends.
//!
//! The first window holds a lock, which the system releases however it ends. A second start leaves a request beside it, and waits until it is
//! taken: the first window may be closing, and then the second one becomes the first.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use orion_protocol::{Code, DesktopAction, ErrorInfo};
use serde::{Deserialize, Serialize};

/// How often the first window looks for a request: often enough that a person sees no delay.
const LOOK: Duration = Duration::from_millis(200);

/// How long a second start waits for the first window: that may be busy with its start, which takes seconds on a slow disk.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often it looks meanwhile.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// A request is a path. No system takes a longer one than 32 KiB, which JSON may double.
const LARGEST: u64 = 64 * 1024;

/// What a second start asks of the first window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Request {
    /// The folder to open, absolute.
    pub(crate) project: Option<PathBuf>,
    /// What to do then.
    #[serde(default)]
    pub(crate) act: Option<DesktopAction>,
}

/// That this process has the window of its data folder, for as long as it lives.
#[derive(Debug)]
pub(crate) struct Single {
    data_dir: PathBuf,
    /// Held for its lock alone.
    _lock: File,
}

impl Single {
    /// None where another process has the window: it has taken the request then.
    ///
    /// # Errors
    /// The data folder cannot be used, or the other window does not answer.
    pub(crate) fn become_or_ask(data_dir: &Path, request: &Request) -> Result<Option<Self>, ErrorInfo> {
        Self::within(PATIENCE, data_dir, request).map_err(|error| {
            let message = format!("Orion is open already, and its window does not answer ({error}).");
            ErrorInfo::new(
                Code::Storage,
                message,
                "Close that window, or end its process. Then start Orion again.",
            )
        })
    }

    fn within(patience: Duration, data_dir: &Path, request: &Request) -> std::io::Result<Option<Self>> {
        let lock = private(&data_dir.join("window.lock"))?;
        let deadline = Instant::now() + patience;
        let mut asked = false;
        loop {
            match lock.try_lock() {
                Ok(()) => {
                    // A request that nobody took is this process's own, or of one that has given up.
                    remove(&place(data_dir))?;
                    return Ok(Some(Self { data_dir: data_dir.to_owned(), _lock: lock }));
                }
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(error),
            }
            if !std::mem::replace(&mut asked, true) {
                leave(data_dir, request)?;
            } else if !place(data_dir).try_exists()? {
                return Ok(None);
            }
            if Instant::now() >= deadline {
                remove(&place(data_dir))?;
                return Err(ErrorKind::TimedOut.into());
            }
            std::thread::sleep(LOOK_AGAIN);
        }
    }

    /// Waits for the next request of a second start.
    pub(crate) async fn asked(&self) -> Request {
        let mut look = tokio::time::interval(LOOK);
        loop {
            look.tick().await;
            match take(&self.data_dir) {
                Ok(Some(request)) => return request,
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "the request of a second start cannot be read"),
            }
        }
    }
}

fn place(data_dir: &Path) -> PathBuf {
    data_dir.join("window.show")
}

/// Leaves a request, whole at once.
fn leave(data_dir: &Path, request: &Request) -> std::io::Result<()> {
    let new = data_dir.join(format!("window.show.{}", std::process::id()));
    remove(&new)?;
    let mut file = private(&new)?;
    file.write_all(&serde_json::to_vec(request)?)?;
    drop(file);
    std::fs::rename(&new, place(data_dir))
}

/// Takes a request, if there is one. What cannot be read is taken away too.
fn take(data_dir: &Path) -> std::io::Result<Option<Request>> {
    let place = place(data_dir);
    // Opening a pipe could wait for ever.
    match place.symlink_metadata() {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return remove(&place).and(Ok(None)),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let mut text = Vec::new();
    File::open(&place)?.take(LARGEST).read_to_end(&mut text)?;
    remove(&place)?;
    Ok(Some(serde_json::from_slice(&text)?))
}

fn remove(place: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(place) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Opens a file for its owner alone, made when it is missing.
fn private(path: &Path) -> std::io::Result<File> {
    match path.symlink_metadata() {
        // A link would have another file opened, and a pipe could wait for ever.
        Ok(metadata) if !metadata.is_file() => return Err(ErrorKind::AlreadyExists.into()),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(folder: &str) -> Request {
        Request { project: Some(PathBuf::from(folder)), act: Some(DesktopAction::NewChat) }
    }

    fn start(data_dir: &Path, request: &Request) -> std::io::Result<Option<Single>> {
        Single::within(PATIENCE, data_dir, request)
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_second_start_is_heard_by_the_first_and_the_next_one_is_the_first_again() {
        let folder = tempfile::tempdir().unwrap();
        let data_dir = folder.path().to_owned();
        let first = start(&data_dir, &Request { project: None, act: None }).unwrap().unwrap();
        for project in ["/foxes", "/hares"] {
            let of_second = data_dir.clone();
            let second = tokio::task::spawn_blocking(move || start(&of_second, &request(project)));
            assert_eq!(first.asked().await, request(project));
            assert!(second.await.unwrap().unwrap().is_none());
        }
        drop(first);
        assert!(start(&data_dir, &request("/foxes")).unwrap().is_some());
        let names: Vec<_> = std::fs::read_dir(&data_dir).unwrap().map(|it| it.unwrap().file_name()).collect();
        assert_eq!(names, ["window.lock"], "no request is left");
    }

    #[test]
    fn a_window_that_closes_without_a_look_leaves_its_place_to_the_second_start() {
        let folder = tempfile::tempdir().unwrap();
        let first = start(folder.path(), &request("/foxes")).unwrap().unwrap();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| start(folder.path(), &request("/hares")).unwrap());
            while !place(folder.path()).exists() {
                std::thread::yield_now();
            }
            drop(first);
            assert!(second.join().unwrap().is_some());
        });
    }

    #[test]
    fn a_window_that_does_not_answer_is_no_window_that_was_shown() {
        let folder = tempfile::tempdir().unwrap();
        let _first = start(folder.path(), &request("/foxes")).unwrap().unwrap();
        let refused = Single::within(Duration::ZERO, folder.path(), &request("/hares")).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::TimedOut);
        assert!(!place(folder.path()).exists());
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn what_is_no_request_is_taken_away() {
        let folder = tempfile::tempdir().unwrap();
        for hostile in ["", "[]", r#"{"project":5}"#, r#"{"project":null,"act":"quit"}"#] {
            std::fs::write(place(folder.path()), hostile).unwrap();
            assert!(take(folder.path()).is_err());
            assert!(take(folder.path()).unwrap().is_none(), "once");
        }
        std::os::unix::fs::symlink("/etc/passwd", place(folder.path())).unwrap();
        assert!(take(folder.path()).unwrap().is_none());
        assert!(!place(folder.path()).is_symlink());
    }
}
