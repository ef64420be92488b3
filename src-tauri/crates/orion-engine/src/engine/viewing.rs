//! Files of a project that a person looks at: which there are, what is in them, and where they are on disk.

use std::path::PathBuf;

use orion_files::workspace::Kind;
use orion_protocol::{Code, ErrorInfo, FileView, PictureView, ProjectId};

use super::{Engine, blocking};
use crate::{picture, viewer};

/// The most paths that are looked up at once (`Query::Paths`).
const PATHS: usize = 200;

impl Engine {
    pub(super) async fn file_lines(
        &self,
        project_id: ProjectId,
        path: String,
        from: u64,
        count: u32,
    ) -> Result<FileView, ErrorInfo> {
        let folder = self.folder(project_id).await?;
        blocking(move || viewer::lines(&folder, &path, from, count)).await
    }

    pub(super) async fn picture(
        &self,
        project_id: ProjectId,
        path: String,
    ) -> Result<PictureView, ErrorInfo> {
        let folder = self.folder(project_id).await?;
        blocking(move || picture::read(&folder, &path)).await
    }

    pub(super) async fn paths(
        &self,
        project_id: ProjectId,
        paths: Vec<String>,
    ) -> Result<Vec<Option<String>>, ErrorInfo> {
        let folder = self.folder(project_id).await?;
        let file = move |path: String| {
            let node = folder.find(&folder.path(&path).ok()?).ok()?;
            (node.kind == Kind::File).then(|| node.path.to_string())
        };
        blocking(move || Ok(paths.into_iter().take(PATHS).map(file).collect())).await
    }

    /// Where a file or folder of a project is on disk, for another program. It is inside of the project and open to tools.
    ///
    /// # Errors
    /// `path_outside`, `path_ignored`, `path_not_found` and those of opening the project.
    pub async fn path_on_disk(&self, project_id: ProjectId, path: String) -> Result<PathBuf, ErrorInfo> {
        let folder = self.folder(project_id).await?;
        blocking(move || Ok(folder.root().join(folder.find(&folder.path(&path)?)?.path.as_path()))).await
    }

    /// The person's editor, with its arguments; none where neither a setting nor the environment names one.
    #[must_use]
    pub fn editor(&self) -> Option<String> {
        let environment = &self.shared.options.environment;
        let named = ["VISUAL", "EDITOR"].into_iter().find_map(|name| environment.get(name));
        self.config().without_project().values.editor.or_else(|| named.map(str::to_owned))
    }
}

pub(super) fn no_desktop() -> ErrorInfo {
    ErrorInfo::new(
        Code::Usage,
        "Only Orion's window opens other programs.",
        "Open the address or the file yourself.",
    )
}
