//! Finds the place of a file that does not exist yet.

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path};

use orion_protocol::{Code, ErrorInfo};

use super::refusal::{escaped, fault, wrong_kind};
use super::{Kind, Node, Project, ProjectPath};

/// Links that are followed before a path is taken for a loop (Linux: `MAXSYMLINKS`).
pub(crate) const LINKS: usize = 40;

/// What a path leads to, or where it would lead.
#[derive(Debug)]
pub enum Located {
    There(Node),
    /// Nothing is there. The path has no links: a link that leads nowhere is replaced by the place that it names.
    Missing(ProjectPath),
}

impl Project {
    /// Follows a path through its links to what is there, or to the place where nothing is yet.
    ///
    /// # Errors
    /// `path_outside`, `path_ignored`, `path_wrong_kind` when a file is on the way, or `file_unreadable`.
    pub fn locate(&self, path: &ProjectPath) -> Result<Located, ErrorInfo> {
        match self.reach(path) {
            Ok(node) => Ok(Located::There(node)),
            Err(error) if error.code == Code::PathNotFound => self.missing(path).map(Located::Missing),
            Err(error) => Err(error),
        }
    }

    fn missing(&self, path: &ProjectPath) -> Result<ProjectPath, ErrorInfo> {
        let mut real = ProjectPath::root();
        let mut ahead = names(path.as_path(), path)?;
        let mut links = 0;
        while let Some(name) = ahead.pop() {
            if name == ".." {
                real = real.parent().ok_or_else(|| escaped(path))?;
                continue;
            }
            let next = real.join(&name);
            match self.metadata(&next).map(|metadata| Kind::of(metadata.file_type())) {
                Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
                    return self.place(path, next, ahead);
                }
                Err(cause) => return Err(fault(path, &cause)),
                Ok(Kind::Folder) => real = next,
                Ok(Kind::Link) => {
                    links += 1;
                    if links > LINKS {
                        return Err(fault(path, &io::Error::other("too many links")));
                    }
                    let to = self.dir().read_link_contents(next.in_handle());
                    ahead.extend(names(&to.map_err(|cause| fault(path, &cause))?, path)?);
                }
                Ok(Kind::File | Kind::Special) => {
                    return Err(wrong_kind(
                        path,
                        &format!("goes through `{next}`, which is not a folder"),
                        "Give a path that goes through folders only.",
                    ));
                }
            }
        }
        // It was created while it was looked for.
        Err(fault(path, &io::Error::from(io::ErrorKind::NotFound)))
    }

    /// `first` is not there, so nothing of what follows is.
    fn place(
        &self,
        path: &ProjectPath,
        first: ProjectPath,
        mut ahead: Vec<OsString>,
    ) -> Result<ProjectPath, ErrorInfo> {
        let mut real = first;
        while let Some(name) = ahead.pop() {
            if name == ".." {
                return Err(fault(path, &io::Error::from(io::ErrorKind::NotFound)));
            }
            real = real.join(name);
        }
        self.refuse_closed(&real, path)?;
        Ok(real)
    }
}

/// The components of a path, the first one last. A link to an absolute path leads out of the handle.
fn names(path: &Path, shown: &ProjectPath) -> Result<Vec<OsString>, ErrorInfo> {
    let mut names = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => names.push(name.to_os_string()),
            Component::ParentDir => names.push(OsString::from("..")),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return Err(escaped(shown)),
        }
    }
    names.reverse();
    Ok(names)
}
