//! The log: one file in the data folder, rotated by size, without secrets.
//!
//! Each line is one `write` to a file opened for appending, and the first line creates the file. So the log costs
//! nothing at the start, nothing has to be flushed at exit, and a crash loses no line. Only Orion's own modules log
//! more than warnings, since other crates may log headers and bodies. A line carries the ids of its turn (T1), so that
//! it can be deleted with the session. Deliberately not here: the trace of a turn, which is made from its journal (J2).

mod erase;

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use orion_protocol::{Code, ErrorInfo};
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::filter::{LevelFilter, Targets, filter_fn};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::config::Environment;
use crate::paths::make_private_folder;
use crate::secrets::Redactor;

pub use erase::erase;

/// The file that is written to.
const NAME: &str = "orion.log";
/// Bytes after which a new file is begun: 2 MiB, which any editor opens at once.
pub const MAX_FILE_BYTES: u64 = 2_097_152;
/// Files that are kept beside the one being written, `orion.log.1` the newest: 10 MiB of log at most.
pub const OLD_FILES: u32 = 4;

/// Sends this process's `tracing` events to the log, from the level in `ORION_LOG` up (`info` when it is not set).
/// Returns what is wrong with `ORION_LOG`, if anything.
pub fn start(log_dir: &Path, environment: &Environment, redactor: Redactor) -> Result<(), ErrorInfo> {
    let (subscriber, problem) = subscriber(log_dir, environment, redactor);
    // A second start in one process (tests of the whole engine) leaves the first log in place.
    _ = subscriber.try_init();
    problem.map_or(Ok(()), Err)
}

/// Logs where each panic happened. A desktop shows no standard error. The message is left out: that of a slice that
/// went wrong, for one, quotes the text, which may be a file's.
pub fn panics() {
    let standard = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let thread = std::thread::current();
        let (file, line) = panic.location().map_or(("", 0), |place| (place.file(), place.line()));
        tracing::error!(file, line, thread = thread.name(), "panic");
        standard(panic);
    }));
}

/// What [`start`] installs.
pub fn subscriber(
    log_dir: &Path,
    environment: &Environment,
    redactor: Redactor,
) -> (impl Subscriber + Send + Sync + 'static, Option<ErrorInfo>) {
    let asked = environment.get("ORION_LOG").unwrap_or("info");
    let (levels, problem) = match asked.parse::<Targets>() {
        Ok(levels) => (levels, None),
        Err(_) => (Targets::new().with_default(LevelFilter::INFO), Some(not_a_filter())),
    };
    let own_or_warning =
        |metadata: &Metadata<'_>| metadata.target().starts_with("orion") || *metadata.level() <= Level::WARN;
    let log = Log { file: RotatingFile::new(log_dir.join(NAME), MAX_FILE_BYTES, OLD_FILES), redactor };
    let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(log);
    // These filters apply to everything and not to this layer alone: a layer's own would be asked each time a turn's
    // span is entered, which is for each piece of its stream.
    let subscriber = tracing_subscriber::registry().with(lines).with(levels).with(filter_fn(own_or_warning));
    (subscriber, problem)
}

fn not_a_filter() -> ErrorInfo {
    ErrorInfo::new(
        Code::ConfigInvalid,
        "The environment variable ORION_LOG is not a log filter; it is ignored.",
        "Set it to error, warn, info, debug or trace, or to a list such as info,orion_engine=debug.",
    )
}

struct Log {
    file: RotatingFile,
    redactor: Redactor,
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = &'a Log;

    fn make_writer(&'a self) -> Self::Writer {
        self
    }
}

/// The formatter hands over one event at a time, whole.
impl Write for &Log {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        self.file.append(self.redactor.redact(&text).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file that is appended to line by line and set aside when it is full. Several processes may share it.
struct RotatingFile {
    path: PathBuf,
    max_bytes: u64,
    old_files: u32,
    open: Mutex<Option<File>>,
}

impl RotatingFile {
    fn new(path: PathBuf, max_bytes: u64, old_files: u32) -> Self {
        Self { path, max_bytes, old_files, open: Mutex::default() }
    }

    fn append(&self, line: &[u8]) -> io::Result<()> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let mut file = match open.take() {
            Some(file) => file,
            None => self.begin()?,
        };
        let size = file.metadata()?.len();
        if size > 0 && size + line.len() as u64 > self.max_bytes {
            // Another process may have set the file aside already: look at the name, not at the handle.
            if fs::metadata(&self.path).is_ok_and(|now| now.len() >= size) {
                self.set_aside()?;
            }
            file = self.begin()?;
        }
        file.write_all(line)?;
        *open = Some(file);
        Ok(())
    }

    fn begin(&self) -> io::Result<File> {
        if let Some(folder) = self.path.parent() {
            make_private_folder(folder)?;
        }
        let mut options = OpenOptions::new();
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.append(true).create(true).open(&self.path)
    }

    fn set_aside(&self) -> io::Result<()> {
        for number in (1..self.old_files).rev() {
            let older = self.numbered(number + 1);
            match fs::rename(self.numbered(number), older) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        fs::rename(&self.path, self.numbered(1))
    }

    fn numbered(&self, number: u32) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{number}"));
        PathBuf::from(name)
    }
}

impl fmt::Debug for RotatingFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RotatingFile").field(&self.path).finish()
    }
}
