//! The project's folder, as far as a model may see it.
//!
//! Every path that a model names goes through the directory handle of [`Project`]: the operating system resolves it
//! beneath that handle, so `..`, absolute paths and links at any position cannot leave the folder, whatever happens on
//! disk in the meantime. [`Rules`] say what `.gitignore` hides and `.orionignore` closes, [`Walk`] lists in bounded time.
//! Deliberately not here: writing (`writing`), watching (`watcher`), and what the tools make of the files (`orion-engine`).

mod entry;
mod ignores;
mod inside;
mod links;
mod locate;
mod path;
mod private;
mod project;
mod refusal;
mod rules;
mod walk;
mod windows_names;

pub use entry::Kind;
pub(crate) use entry::mode;
pub(crate) use links::names;
pub use locate::Located;
pub use path::ProjectPath;
pub use private::Private;
pub use project::{Node, Project};
pub(crate) use refusal::{fault, wrong_kind};
pub use rules::{Rules, Verdict};
pub use walk::{Budget, Entry, Halt, LeftOut, View, Walk};
