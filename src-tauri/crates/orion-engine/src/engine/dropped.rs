//! Files that a person dropped on the window, or pasted, where the web view does not hand them to the page (0058).
//!
//! The system tells the shell where they are. The page is told their names, and attaches them to a message by number: it still names no path. A file that was
//! taken is forgotten, and so are all once a message is on its way: what is written to them later is not the page's to read.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use orion_protocol::{Code, DraftOf, DroppedFile, DroppedFiles, ErrorInfo, Outcome, Update};

use super::attachments::{MOST, named};
use super::{Engine, blocking};

/// Files that can still be attached: those of several drops, each of as many as a message has.
const KEPT: usize = 10 * MOST;

/// Bytes that are read of a file: more than any that is taken in has, so that the reason for refusing it is the usual one.
const READ: u64 = 8 * 1024 * 1024;

/// The places of the files that were dropped last, by their numbers.
#[derive(Debug, Default)]
pub(super) struct DroppedPaths(Mutex<Numbered>);

#[derive(Debug, Default)]
struct Numbered {
    last: u32,
    /// The drafts that are gone.
    gone: u32,
    files: VecDeque<(u32, PathBuf)>,
}

/// A file that is being taken.
struct Given {
    number: u32,
    path: PathBuf,
    /// The drafts that were gone then.
    gone: u32,
}

impl DroppedPaths {
    fn keep(&self, path: PathBuf) -> u32 {
        let mut numbered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        numbered.last = numbered.last.wrapping_add(1);
        let number = numbered.last;
        numbered.files.push_back((number, path));
        if numbered.files.len() > KEPT {
            numbered.files.pop_front();
        }
        number
    }

    /// The file of this number, which is forgotten. Two who ask for it do not both get it.
    fn take(&self, number: u32) -> Option<Given> {
        let mut numbered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = numbered.files.iter().position(|(known, _)| *known == number)?;
        let gone = numbered.gone;
        numbered.files.remove(at).map(|(number, path)| Given { number, path, gone })
    }

    /// Puts back a file that could not be taken in, unless its draft is gone. It is the newest one then.
    fn put_back(&self, given: Given) {
        let mut numbered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if numbered.gone == given.gone {
            numbered.files.push_back((given.number, given.path));
        }
    }

    /// Forgets all files: the draft that they were given for is gone.
    pub(super) fn forget(&self) {
        let mut numbered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        numbered.gone = numbered.gone.wrapping_add(1);
        numbered.files.clear();
    }
}

impl Engine {
    /// The files that a person pasted or dropped, as they may be told to the page. Of more files than any message has, the rest is left out.
    pub async fn dropped(&self, mut paths: Vec<PathBuf>) -> DroppedFiles {
        paths.truncate(KEPT);
        let looked =
            blocking(move || Ok(paths.into_iter().map(|path| (path.is_dir(), path)).collect::<Vec<_>>()));
        let (mut files, mut folders) = (Vec::new(), Vec::new());
        // Looking fails only while the program ends.
        for (is_folder, path) in looked.await.unwrap_or_default() {
            let name = name_of(&path);
            if is_folder {
                folders.push(name);
            } else {
                files.push(DroppedFile { number: self.shared.dropped.keep(path), name });
            }
        }
        DroppedFiles { files, folders }
    }

    /// Tells the page what was dropped on the window.
    pub async fn drop_on_window(&self, paths: Vec<PathBuf>) {
        let dropped = self.dropped(paths).await;
        self.tell(Update::Dropped { dropped });
    }

    pub(super) async fn attach_dropped(&self, of: DraftOf, number: u32) -> Result<Outcome, ErrorInfo> {
        let given = self.shared.dropped.take(number).ok_or_else(|| {
            ErrorInfo::new(Code::Usage, "This file was not given to the window.", "Add it again.")
        })?;
        let (name, from) = (name_of(&given.path), given.path.clone());
        let data = blocking(move || {
            let content = read(&from).map_err(|error| unreadable(&name_of(&from), &error))?;
            Ok(STANDARD.encode(content))
        });
        let taken = match data.await {
            Ok(data) => self.attach_file(of, name, data).await,
            Err(error) => Err(error),
        };
        if taken.is_err() {
            self.shared.dropped.put_back(given);
        }
        taken
    }
}

fn name_of(path: &Path) -> String {
    named(&path.file_name().unwrap_or_default().to_string_lossy())
}

/// The beginning of a file. Pipes and devices, which may never end, are none.
fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    if !path.metadata()?.is_file() {
        return Err(std::io::Error::other("it is not a regular file"));
    }
    let mut content = Vec::new();
    File::open(path)?.take(READ).read_to_end(&mut content)?;
    Ok(content)
}

fn unreadable(name: &str, error: &std::io::Error) -> ErrorInfo {
    let message = format!("“{name}” cannot be read.");
    ErrorInfo::new(Code::FileUnreadable, message, "Check its permissions, then add it again.")
        .with_detail(error.to_string())
}
