//! Carrying a rewind out, and undoing it, file by file. The store knows of each step before the disk changes, so the same code goes on after a
//! crash (A10).

use orion_files::workspace::Project;
use orion_files::writing::{Attempt, Outcome, Performed, Recovered, permit};
use orion_protocol::{Code, ErrorInfo};
use orion_store::{FileStage, RewindStage, RewoundFile, Store, StoredRewind};

use super::plan::changed;
use crate::blocking::blocking;

/// A rewind in its project.
#[derive(Debug, Clone)]
pub(crate) struct Rewinding {
    pub(crate) store: Store,
    /// Or why the folder cannot be opened: then every file stays as it is.
    pub(crate) folder: Result<Project, ErrorInfo>,
}

/// How a file ended.
pub(crate) enum Ended {
    Done,
    /// It is as it was found.
    Kept(ErrorInfo),
    /// The disk does not tell. The next start looks again.
    Unknown(ErrorInfo),
}

/// Which way the files go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Back,
    Again,
}

impl Way {
    /// While the file is on its way to the disk, after it, and when it was not changed.
    fn stages(self) -> (FileStage, FileStage, FileStage) {
        match self {
            Self::Back => (FileStage::Changing, FileStage::Changed, FileStage::Kept),
            Self::Again => (FileStage::Returning, FileStage::Returned, FileStage::Changed),
        }
    }

    fn ends(self) -> RewindStage {
        match self {
            Self::Back => RewindStage::Done,
            Self::Again => RewindStage::Undone,
        }
    }
}

impl Rewinding {
    /// Does what is left to do of a rewind, or of undoing one.
    ///
    /// # Errors
    /// The store refused, or the disk does not tell what became of a file: the next start goes on.
    pub(crate) async fn carry_out(&self, rewind: StoredRewind) -> Result<StoredRewind, ErrorInfo> {
        let way = match rewind.stage {
            RewindStage::Going => Way::Back,
            RewindStage::Undoing => Way::Again,
            RewindStage::Done | RewindStage::Undone => return Ok(rewind),
        };
        let (moving, ..) = way.stages();
        let mut unknown = None;
        for file in &rewind.files {
            let left = match (way, file.stage) {
                (_, stage) if stage == moving => true,
                // One that was not given back says so, and is not tried twice.
                (Way::Again, FileStage::Changed) => file.error.is_none(),
                (Way::Back, FileStage::Planned) => true,
                _ => false,
            };
            if left && let Err(error) = self.one(rewind.rewind_id, way, file).await? {
                unknown = Some(error);
            }
        }
        match unknown {
            Some(error) => Err(error),
            None => Ok(self.store.end_rewind(rewind.rewind_id, way.ends()).await?),
        }
    }

    async fn one(
        &self,
        rewind_id: i64,
        way: Way,
        file: &RewoundFile,
    ) -> Result<Result<(), ErrorInfo>, ErrorInfo> {
        let (moving, done, kept) = way.stages();
        let (base, new, mode) = match way {
            Way::Back => (file.from, file.to, file.to_mode),
            Way::Again => (file.to, file.from, file.from_mode),
        };
        if base == new {
            // It is there already.
            return Ok(Ok(self.store.move_rewound_file(rewind_id, file.number, done, None).await?));
        }
        let begun = file.stage == moving;
        if !begun {
            self.store.move_rewound_file(rewind_id, file.number, moving, None).await?;
        }
        let bytes = match new {
            Some(sha256) => Some(self.store.body(sha256).await?),
            None => None,
        };
        let temp = format!(".orion-rewind-{rewind_id}-{}.tmp", file.number);
        let (folder, path) = (self.folder.clone(), file.path.clone());
        let ended = blocking(move || {
            let project = folder?;
            let attempt = Attempt { path: project.path(&path)?, temp, base, new };
            Ok(attempted(&project, &attempt, bytes.as_deref(), mode, begun))
        });
        match ended.await {
            Ok(Ended::Done) => self.store.move_rewound_file(rewind_id, file.number, done, None).await?,
            Ok(Ended::Kept(error)) | Err(error) => {
                self.store.move_rewound_file(rewind_id, file.number, kept, Some(&error)).await?;
            }
            Ok(Ended::Unknown(error)) => return Ok(Err(error)),
        }
        Ok(Ok(()))
    }
}

/// Changes a file, and gives it these permissions where they are known. One whose change had begun is looked at first.
pub(crate) fn attempted(
    project: &Project,
    attempt: &Attempt,
    bytes: Option<&[u8]>,
    mode: Option<u32>,
    begun: bool,
) -> Ended {
    let ended = replaced(project, attempt, bytes, begun);
    // The content counts: permissions that cannot be given stay as they are.
    if let (Ended::Done, Some(mode), Some(_)) = (&ended, mode, bytes)
        && let Err(error) = permit(project, &attempt.path, mode)
    {
        tracing::warn!(%error, "the permissions of a file that was put back stay as they are");
    }
    ended
}

fn replaced(project: &Project, attempt: &Attempt, bytes: Option<&[u8]>, begun: bool) -> Ended {
    let path = attempt.path.to_string();
    // `.orionignore` may have closed it since, and a link may be in its way.
    if let Err(error) = orion_files::writing::present(project, &attempt.path)
        && !begun
    {
        return Ended::Kept(error);
    }
    if begun {
        match attempt.recover(project) {
            Ok(Recovered::Written) => return Ended::Done,
            Ok(Recovered::NotWritten) => {}
            Ok(Recovered::Changed { kept: Some(kept) }) => {
                return Ended::Kept(put_aside(&path, &kept.to_string()));
            }
            Ok(Recovered::Changed { kept: None }) => return Ended::Kept(changed(&path)),
            Err(error) => return Ended::Unknown(error),
        }
    }
    let Performed { outcome, temp_left, kept } = attempt.perform(project, bytes);
    // What is left of it is taken away; where that fails, the next start tries again.
    if temp_left && let Err(error) = attempt.recover(project) {
        return Ended::Unknown(error);
    }
    match outcome {
        _ if let Some(kept) = kept => Ended::Kept(put_aside(&path, &kept.to_string())),
        Outcome::Written => Ended::Done,
        Outcome::Changed => Ended::Kept(changed(&path)),
        Outcome::Failed(error) => Ended::Kept(error),
        Outcome::Unknown(error) => Ended::Unknown(error),
    }
}

fn put_aside(path: &str, kept: &str) -> ErrorInfo {
    ErrorInfo::new(
        Code::FileChanged,
        format!("{path} changed at the last instant, and that change could not be put back in its place."),
        format!("It is in {kept}. Compare the two."),
    )
}
