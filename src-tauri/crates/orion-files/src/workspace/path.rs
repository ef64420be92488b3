//! Paths inside the project: how a model may write them, and how they are shown to it.
//!
//! A name that would deceive or is no text is shown quoted, and accepted in exactly that form (`orion_core::quoting`). Nothing here touches
//! the disk.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use orion_core::quoting::{shown, unquoted};
use orion_core::signature::{PathError, project_relative};
use orion_protocol::{Code, ErrorInfo};

use super::windows_names;

/// The longest path that is looked at, in bytes (Linux: `PATH_MAX`).
const LONGEST: usize = 4_096;

/// The most names of a path: more than any project has. What is deeper is opened name by name from the root, which costs the square of the depth.
pub(super) const DEEPEST: usize = 256;

/// A path below the project's root: relative, lexically normal, never `..`. The root itself is empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ProjectPath(PathBuf);

impl ProjectPath {
    /// The project's folder itself.
    #[must_use]
    pub fn root() -> Self {
        Self::default()
    }

    /// Takes a path as a model wrote it. An absolute path inside `root` is made relative; what leaves it is refused.
    ///
    /// # Errors
    /// `path_outside` with what is wrong with it.
    pub fn parse(text: &str, root: &Path) -> Result<Self, ErrorInfo> {
        if text.len() > LONGEST {
            return Err(outside(&text[..text.floor_char_boundary(60)], "is longer than 4,096 bytes"));
        }
        let quoted =
            unquoted(text).and_then(os_string).and_then(|path| Self::from_relative(Path::new(&path)));
        let path = match quoted {
            // On Windows `\` stands between names, which it does not where the name is shown.
            Some(path) if path.to_string() == text => path,
            _ => normal(text, root)?,
        };
        if path.0.components().nth(DEEPEST).is_some() {
            return Err(outside(&text[..text.floor_char_boundary(60)], "has more than 256 names"));
        }
        if cfg!(windows) { path.on_windows(text) } else { Ok(path) }
    }

    /// This path, where each of its names is one on Windows too.
    fn on_windows(self, text: &str) -> Result<Self, ErrorInfo> {
        let fault = self.0.iter().find_map(|name| windows_names::fault(&name.to_string_lossy()));
        fault.map_or(Ok(self), |what| Err(outside(text, what)))
    }

    /// The entry `name` of this folder. `name` must come from the operating system: one component.
    #[must_use]
    pub fn join(&self, name: impl AsRef<Path>) -> Self {
        Self(self.0.join(name))
    }

    /// The folder this is in; none for the root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        self.0.parent().map(|parent| Self(parent.to_path_buf()))
    }

    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.as_os_str().is_empty()
    }

    /// Relative to the root; empty for the root.
    #[must_use]
    pub fn as_path(&self) -> &Path {
        &self.0
    }

    /// For the directory handle, which wants `.` for itself.
    #[must_use]
    pub(crate) fn in_handle(&self) -> &Path {
        if self.is_root() { Path::new(".") } else { &self.0 }
    }

    /// The folders from the root down to the one this is in, and then the path itself; the root is left out.
    pub(crate) fn chain(&self) -> impl Iterator<Item = Self> {
        let mut upward: Vec<Self> = self
            .0
            .ancestors()
            .filter(|path| !path.as_os_str().is_empty())
            .map(|path| Self(path.into()))
            .collect();
        upward.reverse();
        upward.into_iter()
    }

    /// A path that the operating system reported, relative to the root already. None when it is not below the root.
    pub(crate) fn from_relative(path: &Path) -> Option<Self> {
        use std::path::Component;
        let mut normal = PathBuf::new();
        for component in path.components() {
            match component {
                Component::Normal(name) => normal.push(name),
                Component::CurDir => {}
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        Some(Self(normal))
    }

    /// As a result's `seen` names it (D3): the root is the empty string.
    #[must_use]
    pub fn seen(&self) -> String {
        if self.is_root() { String::new() } else { self.to_string() }
    }
}

/// As people and models see it: `/` between names, `.` for the root, and quoted when that is necessary.
impl fmt::Display for ProjectPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_root() {
            return f.write_str(".");
        }
        f.write_str(&shown(&slashed(&self.0)))
    }
}

fn outside(shown: &str, what: &str) -> ErrorInfo {
    ErrorInfo::new(
        Code::PathOutside,
        format!("The path `{}` {what}.", shown.escape_debug()),
        "Give a path below the project's folder, relative to it, such as src/main.rs.",
    )
}

fn normal(text: &str, root: &Path) -> Result<ProjectPath, ErrorInfo> {
    let drive = matches!(text.as_bytes(), [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic());
    let elsewhere = drive || text.starts_with("\\\\") || (cfg!(windows) && text.starts_with("//"));
    match project_relative(text, &root.to_string_lossy()) {
        // On Windows an absolute path below the root begins with a drive too.
        Ok(relative) if cfg!(windows) || !elsewhere => Ok(ProjectPath(PathBuf::from(relative))),
        Ok(_) | Err(PathError::Outside) if elsewhere => {
            Err(outside(text, "names a drive or a network share"))
        }
        Ok(_) | Err(PathError::Outside) => Err(outside(text, "is outside the project")),
        Err(PathError::Nul) => Err(outside(text, "holds a NUL character")),
    }
}

#[cfg(unix)]
fn slashed(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt;
    path.as_os_str().as_bytes().to_vec()
}

#[cfg(not(unix))]
fn slashed(path: &Path) -> Vec<u8> {
    path.to_string_lossy().replace('\\', "/").into_bytes()
}

#[cfg(unix)]
fn os_string(bytes: Vec<u8>) -> Option<OsString> {
    use std::os::unix::ffi::OsStringExt;
    Some(OsString::from_vec(bytes))
}

#[cfg(not(unix))]
fn os_string(bytes: Vec<u8>) -> Option<OsString> {
    String::from_utf8(bytes).ok().map(OsString::from)
}
