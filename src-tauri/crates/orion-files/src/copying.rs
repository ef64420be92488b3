//! Copies a project, to work in the copy and not in the project.
//!
//! Only what is open to tools is copied: what `.orionignore` closes stays where it is, and so does what `.gitignore` hides, which is mostly
//! what a build made. Everything is read through the project's handle, and no link is followed or copied. On Linux the system shares the
//! blocks of a file between both, where the disk can (`copy_file_range(2)`). Deliberately not here: where the copy is, and when it goes.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io;
use std::path::Path;

use orion_protocol::{Code, CopySize, ErrorInfo};

use crate::workspace::{Budget, Entry, Halt, Kind, Project, ProjectPath, View, Walk};

/// What a copy would have.
///
/// # Errors
/// `project_unreadable` where the budget ends before the project does.
pub fn size(project: &Project, budget: Budget) -> Result<CopySize, ErrorInfo> {
    let mut size = CopySize::default();
    each(project, budget, |entry, _| {
        match entry.kind {
            Kind::File => match project.open_found(&entry.path) {
                Ok((_, metadata)) => add(&mut size, metadata.len()),
                Err(_) => size.left_out += 1,
            },
            Kind::Link | Kind::Special => size.left_out += 1,
            Kind::Folder => {}
        }
        Ok(())
    })?;
    Ok(size)
}

/// Copies a project into a folder that is there and empty. What it has copied when it fails stays there.
///
/// # Errors
/// `usage` when there are more bytes than `most`; `write_failed`; those of [`size`].
pub fn copy(project: &Project, to: &Path, most: u64, budget: Budget) -> Result<CopySize, ErrorInfo> {
    let mut size = CopySize::default();
    each(project, budget, |entry, budget| {
        let target = to.join(entry.path.as_path());
        match entry.kind {
            Kind::Folder => new_folder(&target).map_err(|error| unwritable(&target, &error))?,
            Kind::File => match project.open_found(&entry.path) {
                Ok((file, metadata)) => {
                    add(&mut size, metadata.len());
                    if size.bytes > most {
                        return Err(too_large(most));
                    }
                    let mut file = file.into_std();
                    let copied = copy_file(&mut file, metadata.len(), &target);
                    copied.map_err(|error| unwritable(&target, &error))?;
                    if let Some(halt) = budget.spent() {
                        return Err(halted(project, halt));
                    }
                }
                Err(_) => size.left_out += 1,
            },
            Kind::Link | Kind::Special => size.left_out += 1,
        }
        Ok(())
    })?;
    Ok(size)
}

fn each(
    project: &Project,
    budget: Budget,
    mut what: impl FnMut(&Entry, &Budget) -> Result<(), ErrorInfo>,
) -> Result<(), ErrorInfo> {
    let view = View { recursive: true, include_ignored: false };
    let mut walk = Walk::new(project, &ProjectPath::root(), view, budget.clone());
    for entry in &mut walk {
        what(&entry, &budget)?;
    }
    match walk.left_out().halt {
        Some(halt) => Err(halted(project, halt)),
        None => Ok(()),
    }
}

fn add(size: &mut CopySize, bytes: u64) {
    size.files += 1;
    size.bytes = size.bytes.saturating_add(bytes);
}

/// For its owner alone.
fn new_folder(folder: &Path) -> io::Result<()> {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix gives a folder its mode here"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// As many bytes as were counted: a file may grow meanwhile. On Unix what can be run stays so.
fn copy_file(file: &mut fs::File, bytes: u64, target: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        options.mode(0o600 | file.metadata()?.permissions().mode() & 0o100);
    }
    let mut target = options.open(target)?;
    io::copy(&mut io::Read::take(file, bytes), &mut target)?;
    Ok(())
}

fn too_large(most: u64) -> ErrorInfo {
    let message = format!("The project has more than the {most} bytes that may be copied.");
    ErrorInfo::new(Code::Usage, message, "Allow more, or compare without a copy.")
}

fn halted(project: &Project, halt: Halt) -> ErrorInfo {
    let why = match halt {
        Halt::Entries => "it has too many files",
        Halt::Time => "that took too long",
        Halt::Cancelled => "Orion is closing",
    };
    let message = format!("The project {} was not copied: {why}.", project.root().display());
    ErrorInfo::new(Code::ProjectUnreadable, message, "Compare without a copy.")
}

fn unwritable(target: &Path, error: &io::Error) -> ErrorInfo {
    let message = format!("{} cannot be written.", target.display());
    ErrorInfo::new(Code::WriteFailed, message, "Free some space, or compare without a copy.")
        .with_detail(error.to_string())
}
