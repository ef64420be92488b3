//! Undoing what a command changed of one file (C6, W7).
//!
//! The store knows of it before the disk changes, so that a clean-up after a crash finds out how far it came. Deliberately not here: which changes are
//! undone (`engine::changes`), how a file is replaced (`rewinds`, `orion_files::writing`), and what is found of a command's changes (`changed`).

use orion_files::workspace::Project;
use orion_files::writing::Attempt;
use orion_protocol::{Code, ErrorInfo};
use orion_store::{CommandFile, CommandFileStage, Store};

use crate::blocking::blocking;
use crate::rewinds::{Ended, attempted, cannot};

/// The undoing of changes in one project.
#[derive(Debug, Clone)]
pub(crate) struct Undoing {
    pub(crate) store: Store,
    pub(crate) folder: Project,
}

impl Undoing {
    /// Puts a file back as it was before the command, as long as it is as the command left it.
    ///
    /// # Errors
    /// `undo_stale`, and what the disk says.
    pub(crate) async fn put_back(&self, file: CommandFile) -> Result<(), ErrorInfo> {
        if let Some(why) = &file.why {
            return Err(cannot(&file.path, why));
        }
        if !self.store.begin_undoing_command_file(file.request_id, file.number).await? {
            return Err(changed_since(&file.path));
        }
        self.carry_on(file, false).await
    }

    /// Completes an undoing whose process died.
    ///
    /// # Errors
    /// Those of [`Undoing::put_back`].
    pub(crate) async fn complete(&self, file: CommandFile) -> Result<(), ErrorInfo> {
        self.carry_on(file, true).await
    }

    async fn carry_on(&self, file: CommandFile, begun: bool) -> Result<(), ErrorInfo> {
        let CommandFile { request_id, number, path, before, after, mode, .. } = file;
        let bytes = match before {
            Some(before) => Some(self.store.body(before).await?),
            None => None,
        };
        let temp = format!(".orion-{}-c{number}.tmp", request_id.0.simple());
        let (folder, of) = (self.folder.clone(), path.clone());
        let ended = blocking(move || {
            let attempt = Attempt { path: folder.path(&of)?, temp, base: after, new: before };
            Ok(attempted(&folder, &attempt, bytes.as_deref(), mode, begun))
        });
        let (stage, undone) = match ended.await {
            Ok(Ended::Done) => (Some(CommandFileStage::Undone), Ok(())),
            Ok(Ended::Kept(error)) if error.code == Code::UndoStale => {
                (Some(CommandFileStage::Changed), Err(changed_since(&path)))
            }
            Ok(Ended::Kept(error)) | Err(error) => (Some(CommandFileStage::Changed), Err(error)),
            // The next start finds out.
            Ok(Ended::Unknown(error)) => (None, Err(error)),
        };
        if let Some(stage) = stage {
            self.store.end_undoing_command_file(request_id, number, stage).await?;
        }
        undone
    }
}

fn changed_since(path: &str) -> ErrorInfo {
    ErrorInfo::new(
        Code::UndoStale,
        format!("{path} is no longer as the command left it, so it stays as it is."),
        "Change it by hand, or ask the model to.",
    )
}
