//! The handle of the project's folder. All reading goes through it.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use cap_fs_ext::{DirExt, OpenOptionsSyncExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use orion_protocol::{Code, ErrorInfo};

use super::entry::{Kind, mode};
use super::ignores::Ignores;
use super::letter_case::looks;
use super::links::{Links, Searched};
use super::places::Places;
use super::private::{Marks, Private, Trail};
use super::refusal::{closed, escaped, fault, looks_like, private, unreachable, wrong_kind};
use super::{ProjectPath, Rules, Verdict, identity, nofollow};

/// An open project: its root with every link resolved, and the handle that everything is read through.
#[derive(Clone)]
pub struct Project {
    root: Arc<Path>,
    dir: Arc<Dir>,
    ignores: Arc<Ignores>,
    links: Arc<Links>,
    private: Arc<Marks>,
    places: Arc<Places>,
}

/// What a path leads to, after its links.
#[derive(Debug)]
pub struct Node {
    /// Where it really is.
    pub path: ProjectPath,
    pub kind: Kind,
    pub metadata: Metadata,
}

impl Node {
    /// When it was last changed; none where the system does not tell.
    #[must_use]
    pub fn modified(&self) -> Option<SystemTime> {
        self.metadata.modified().ok().map(cap_std::time::SystemTime::into_std)
    }

    /// Permission bits such as 0o644; none where the system has none.
    #[must_use]
    pub fn mode(&self) -> Option<u32> {
        mode(&self.metadata)
    }
}

impl Project {
    /// Opens a folder. The private folders are not part of the project, even if they are inside it. Nothing in the
    /// folder is run or changed.
    ///
    /// # Errors
    /// `project_unreadable` when it is missing, no folder, may not be read, or is private or in a private folder.
    pub fn open(path: &Path, private: &Private) -> Result<Self, ErrorInfo> {
        let unreadable = |cause: io::Error| unreadable(path, &cause);
        let root = Self::root_of(path)?;
        let dir = Dir::open_ambient_dir(&root, ambient_authority()).map_err(unreadable)?;
        dir.entries().map_err(unreadable)?;
        let marks = Marks::of(private);
        if marks.hold(&root) {
            return Err(ErrorInfo::new(
                Code::ProjectUnreadable,
                format!(
                    "The folder {} is one in which Orion keeps its own settings or data.",
                    path.display()
                ),
                "Open another folder.",
            ));
        }
        let dir = Arc::new(dir);
        let ignores = Ignores::of(&dir);
        Ok(Self {
            root: root.into(),
            dir,
            ignores,
            links: Arc::default(),
            private: Arc::new(marks),
            places: Arc::default(),
        })
    }

    /// What the root of a project at this path is: absolute, with every link resolved, and on Windows without `\\?\` wherever the
    /// path means the same without it. Nothing is opened.
    ///
    /// # Errors
    /// `project_unreadable` when it is missing or no folder.
    pub fn root_of(path: &Path) -> Result<PathBuf, ErrorInfo> {
        let root = dunce::canonicalize(path).map_err(|cause| unreadable(path, &cause))?;
        if root.is_dir() {
            return Ok(root);
        }
        Err(unreadable(path, &io::Error::new(io::ErrorKind::NotADirectory, "it is not a folder")))
    }

    /// The same folder for a new tool call: what was found out about hard links and private files is forgotten.
    #[must_use]
    pub fn anew(&self) -> Self {
        Self { links: Arc::default(), private: Arc::new(self.private.anew()), ..self.clone() }
    }

    /// What a person should know about the ignore files that were met so far.
    #[must_use]
    pub fn notices(&self) -> Vec<String> {
        self.ignores.notices()
    }

    /// The places in large files that were read.
    #[must_use]
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// Absolute, with every link resolved.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What the folder is on its disk, for as long as it is there, whatever it is called (A1). Another folder at the same path is told from it
    /// by its number and by the time at which it was made, where the disk keeps one.
    ///
    /// # Errors
    /// Those of the operating system.
    pub fn identity(&self) -> io::Result<String> {
        identity::lasting(&self.dir)
    }

    /// Whether the project's file system takes `A` and `a` for the same name, as far as its names tell: the first with a letter is looked
    /// for with its letters the other way round. Without such a name, as the system usually has it.
    #[must_use]
    pub fn ignores_case(&self) -> bool {
        identity::ignores_case(&self.dir)
    }

    pub(crate) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Opens what Orion reads for its own use, such as its settings: no link leads out of the folder, and a pipe is not
    /// waited for.
    ///
    /// # Errors
    /// Those of the operating system, and a refusal where a link leads outside.
    pub fn open_own(&self, path: &Path) -> io::Result<std::fs::File> {
        Ok(self.dir.open_with(path, OpenOptions::new().read(true).nonblock(true))?.into_std())
    }

    /// A path as a model wrote it.
    ///
    /// # Errors
    /// `path_outside` when it leaves the project.
    pub fn path(&self, text: &str) -> Result<ProjectPath, ErrorInfo> {
        ProjectPath::parse(text, &self.root)
    }

    /// Follows a path through its links and says what is there. Both the path and what it leads to must be open to
    /// tools, so that no link gets around `.orionignore`.
    ///
    /// # Errors
    /// `path_outside`, `path_ignored`, `path_not_found` or `file_unreadable`.
    pub fn find(&self, path: &ProjectPath) -> Result<Node, ErrorInfo> {
        self.reach(path).map_err(|error| {
            match (error.code == Code::PathNotFound).then(|| self.lookalike(path)).flatten() {
                Some(there) => looks_like(path, &there),
                None => error,
            }
        })
    }

    /// The same without a look at what else is there.
    pub(super) fn reach(&self, path: &ProjectPath) -> Result<Node, ErrorInfo> {
        self.refuse_closed(path, path)?;
        let fault = |cause: io::Error| fault(path, &cause);
        let real = self.dir.canonicalize(path.in_handle()).map_err(fault)?;
        let real = ProjectPath::from_relative(&real).ok_or_else(|| escaped(path))?;
        if real != *path {
            self.refuse_closed(&real, path)?;
        }
        let metadata = self.dir.symlink_metadata(real.in_handle()).map_err(fault)?;
        // On Windows only an open file tells this, so it is checked again when the file is opened.
        if cfg!(unix) && self.private.is_private_file(&metadata) {
            return Err(private(path));
        }
        Ok(Node { kind: Kind::of(metadata.file_type()), path: real, metadata })
    }

    /// The entry under a name that looks like the first one of the path that is missing: with another space, composed otherwise, or in other letter
    /// case. Of a large folder the first entries are looked at.
    fn lookalike(&self, path: &ProjectPath) -> Option<ProjectPath> {
        const LOOKED: usize = 10_000;
        let missing = path.chain().find(|step| self.metadata(step).is_err())?;
        let (folder, wanted) = (missing.parent()?, looks(missing.as_path().file_name()?));
        let entries = self.open_folder(&folder).ok()?.entries().ok()?;
        let mut names = entries.flatten().take(LOOKED).map(|entry| entry.file_name());
        let there = folder.join(names.find(|name| looks(name) == wanted)?);
        self.is_shown(&there, self.open_folder(&there).is_ok()).then_some(there)
    }

    /// Opens a file for reading. A pipe, device or socket is refused without waiting for it.
    ///
    /// # Errors
    /// Those of [`Project::find`], and `path_wrong_kind` when it is not a file.
    pub fn open_file(&self, path: &ProjectPath) -> Result<(File, Node), ErrorInfo> {
        let node = self.find(path)?;
        match node.kind {
            Kind::File => {
                // What is opened is in the folders that were judged, whatever the path leads to by now.
                let folder = self.judged(&node.path, path)?;
                let gone = || io::Error::from(io::ErrorKind::NotFound);
                let (folder, name) =
                    folder.zip(node.path.as_path().file_name()).ok_or_else(|| fault(path, &gone()))?;
                let (file, metadata) =
                    nofollow::file_in(&folder, Path::new(name)).map_err(|cause| fault(path, &cause))?;
                if self.private.is_private_file(&metadata) {
                    return Err(private(path));
                }
                if self.has_closed_name(&metadata) {
                    return Err(closed(path, "is another name of a file that is closed to tools"));
                }
                Ok((file, Node { metadata, ..node }))
            }
            Kind::Folder => Err(wrong_kind(path, "is a folder", "Use list_files to see what is in it.")),
            Kind::Link | Kind::Special => {
                Err(wrong_kind(path, "is a device, pipe or socket", "Only files and folders can be read."))
            }
        }
    }

    /// Opens an entry that a walk came across. This never blocks, and it is an error if the entry has become
    /// something else meanwhile.
    ///
    /// # Errors
    /// Those of the operating system.
    pub fn open_found(&self, path: &ProjectPath) -> io::Result<(File, Metadata)> {
        let closed = || Err(io::ErrorKind::PermissionDenied.into());
        if cfg!(unix) && self.private.is_private_file(&self.metadata(path)?) {
            return closed();
        }
        let (file, metadata) = nofollow::file(&self.dir, path.in_handle())?;
        match self.private.is_private_file(&metadata) || self.has_closed_name(&metadata) {
            true => closed(),
            false => Ok((file, metadata)),
        }
    }

    /// Opens a folder to list it; no component of the path is a link.
    pub(crate) fn open_folder(&self, path: &ProjectPath) -> io::Result<Dir> {
        if path.is_root() { self.dir.try_clone() } else { nofollow::folder(&self.dir, path.as_path()) }
    }

    /// The metadata of an entry itself, a link included.
    ///
    /// # Errors
    /// Those of the operating system.
    pub fn metadata(&self, path: &ProjectPath) -> io::Result<Metadata> {
        self.dir.symlink_metadata(path.in_handle())
    }

    /// Where a link points, when that is inside the project and open to tools.
    #[must_use]
    pub fn link_target(&self, path: &ProjectPath) -> Option<ProjectPath> {
        self.reach(path).ok().map(|node| node.path)
    }

    /// Whether a file is closed to tools under another of its names.
    fn has_closed_name(&self, metadata: &Metadata) -> bool {
        self.links.close(metadata, &Searched { root: &self.dir, ignores: &self.ignores })
    }

    /// The rules in force for the entries of a folder.
    pub(crate) fn rules_in(&self, folder: &ProjectPath) -> Rules {
        let root = Rules::of_root(&self.ignores, &self.dir);
        folder.chain().fold(root, |rules, path| match self.open_folder(&path) {
            Ok(dir) => self.rules_for(&rules, &dir, &path),
            Err(_) => rules,
        })
    }

    /// The rules for the entries of a folder, by those in force in the folder above.
    pub(super) fn rules_for(&self, above: &Rules, dir: &Dir, folder: &ProjectPath) -> Rules {
        above.in_folder(&self.ignores, dir, folder)
    }

    /// Whether a walk shows an entry: nothing on the way to it is hidden, closed or private.
    pub(crate) fn is_shown(&self, path: &ProjectPath, is_folder: bool) -> bool {
        let mut rules = Rules::of_root(&self.ignores, &self.dir);
        for step in path.chain() {
            let is_folder = is_folder || step != *path;
            if rules.verdict(&step, is_folder) != Verdict::Open {
                return false;
            }
            if is_folder {
                let Ok(dir) = self.open_folder(&step) else { return false };
                if self.is_private(&dir) {
                    return false;
                }
                rules = self.rules_for(&rules, &dir, &step);
            }
        }
        true
    }

    pub(super) fn is_private(&self, dir: &Dir) -> bool {
        self.private.is_private(dir)
    }

    /// Whether an entry of a folder is a private folder, or one in it.
    pub(super) fn leads_to_private(&self, path: &ProjectPath) -> bool {
        !self.private.is_empty() && self.open_folder(path).is_ok_and(|dir| self.is_private(&dir))
    }

    /// Begins to follow a path from the root, for a caller who goes step by step.
    pub(crate) fn trail(&self) -> Trail<'_> {
        self.private.trail(&self.dir)
    }

    /// `.orionignore` and `.git` close what they name and everything below it.
    pub(super) fn refuse_closed(&self, path: &ProjectPath, shown: &ProjectPath) -> Result<(), ErrorInfo> {
        self.judged(path, shown).map(drop)
    }

    /// The folder that a path is in, by the handles that its rules were read from. None where a folder on the way is missing, or a link.
    fn judged(&self, path: &ProjectPath, shown: &ProjectPath) -> Result<Option<Dir>, ErrorInfo> {
        let mut rules = Rules::of_root(&self.ignores, &self.dir);
        let mut trail = self.trail();
        let (mut here, mut above) = (self.dir.try_clone().ok(), None);
        for step in path.chain() {
            let name = step.as_path().file_name();
            let below = here.as_ref().zip(name).and_then(|(here, name)| here.open_dir_nofollow(name).ok());
            // A path as a model wrote it may lead through links. Where they lead is judged by itself.
            let by_links = || self.dir.open_dir_nofollow(step.as_path()).ok();
            let is_way = below.is_some();
            let folder = below.or_else(by_links);
            if step.as_path().file_name().is_some_and(|name| trail.step(name, folder.as_ref())) {
                return Err(private(shown));
            }
            // What is on the way is a folder, or will be one.
            match rules.verdict(&step, folder.is_some() || step != *path) {
                Verdict::Open | Verdict::GitIgnored => {}
                Verdict::OrionIgnored if rules.is_unreachable() => return Err(unreachable(shown)),
                Verdict::OrionIgnored => return Err(closed(shown, "is closed by .orionignore")),
                Verdict::GitFolder => {
                    return Err(closed(shown, "is in a .git folder, which is closed to tools"));
                }
            }
            if let Some(dir) = &folder {
                rules = self.rules_for(&rules, dir, &step);
            }
            above = std::mem::replace(&mut here, folder.filter(|_| is_way));
        }
        Ok(above)
    }
}

fn unreadable(path: &Path, cause: &io::Error) -> ErrorInfo {
    ErrorInfo::new(
        Code::ProjectUnreadable,
        format!("The folder {} could not be opened.", path.display()),
        "Check that it exists and that you may read it, or open another folder.",
    )
    .with_detail(cause.to_string())
}

impl fmt::Debug for Project {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Project").field("root", &self.root).finish_non_exhaustive()
    }
}
