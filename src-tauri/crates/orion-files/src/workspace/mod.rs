//! The project's folder, as far as a model may see it.
//!
//! Every path from a model goes through the directory handle of [`Project`]. The operating system resolves it beneath
//! that handle, so `..`, absolute paths and links cannot leave the folder, whatever happens on disk in the meantime.
//! [`Rules`] apply `.gitignore`, which hides files, and `.orionignore`, which closes them. [`Walk`] lists files in
//! bounded time. Deliberately not here: writing (`writing`), watching (`watcher`), and the tools (`orion-engine`).

mod budget;
mod entry;
mod identity;
mod ignores;
mod inside;
mod leading;
mod letter_case;
mod links;
mod locate;
mod nofollow;
mod path;
mod patterns;
mod places;
mod private;
mod project;
mod refusal;
mod rules;
mod stamp;
mod walk;
mod windows_names;
mod worktree;

pub use budget::{Budget, Halt};
pub use entry::Kind;
pub(crate) use entry::{mode, open_regular};
pub(crate) use letter_case::{folded, is_spelling, names_below};
pub(crate) use links::names;
pub(crate) use locate::LINKS;
pub use locate::Located;
pub use path::ProjectPath;
pub use places::{Place, Places};
pub use private::Private;
pub use project::{Node, Project};
pub(crate) use refusal::{fault, wrong_kind};
pub use rules::{Rules, Verdict};
pub(crate) use stamp::{Moved, Stamp};
pub use walk::{Entry, LeftOut, View, Walk};
