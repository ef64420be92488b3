//! Finds the place to which a link leads for other programs.
//!
//! The project's handle follows no link out of the folder. Git, an editor or a shell does, so for them a link such as
//! `../project/notes.md` leads back into the project, and so does an absolute one. Here only the texts of links are
//! read: nothing outside of the project is looked at, and no rule is asked. Deliberately not here: what a tool may read
//! or write by a link (`Project::find`, `Project::locate`).

use std::path::{Component, Path, PathBuf};

use super::letter_case::names_below;
use super::locate::LINKS;
use super::{Kind, Project, ProjectPath};

impl Project {
    /// The place in the project to which a link leads, also where nothing is yet. None when it is elsewhere, or nowhere.
    /// `link` goes through no other link.
    pub(crate) fn leads_to(&self, link: &ProjectPath) -> Option<ProjectPath> {
        let (mut at, mut ahead) = (self.root().to_path_buf(), backwards(link.as_path()));
        let mut links = 0;
        while let Some(name) = ahead.pop() {
            if name == Path::new("..") {
                at.pop();
                continue;
            }
            // The name of the root takes the place of everything before.
            at.push(name);
            let Some(inside) = names_below(self.root(), &at) else { continue };
            let inside = ProjectPath::from_relative(&inside)?;
            let is_link = self.metadata(&inside).is_ok_and(|it| Kind::of(it.file_type()) == Kind::Link);
            if is_link {
                links += 1;
                if links > LINKS {
                    return None;
                }
                ahead.extend(backwards(&self.dir().read_link_contents(inside.in_handle()).ok()?));
                at.pop();
            }
        }
        ProjectPath::from_relative(&names_below(self.root(), &at)?)
    }
}

/// The names of a path, the first one last.
fn backwards(path: &Path) -> Vec<PathBuf> {
    let names = path.components().filter(|component| *component != Component::CurDir);
    let mut names: Vec<PathBuf> = names.map(|component| PathBuf::from(component.as_os_str())).collect();
    names.reverse();
    names
}
