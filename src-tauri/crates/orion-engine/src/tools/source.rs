//! The places that tools come from. Each is asked anew for each turn, and for a look at the room of the next one, so its tools may be others from turn
//! to turn.

use std::fmt::Debug;
use std::sync::Arc;

use futures_util::future::{BoxFuture, ready};

use super::{Tool, ask_user, file_tools};
use orion_files::workspace::Project;

/// A place that tools come from: Orion itself, or a server.
pub trait ToolSource: Debug + Send + Sync + 'static {
    /// The tools that a turn in this project has, as they are now. The turn waits for them, a few seconds at most.
    fn tools<'a>(&'a self, project: &'a Project) -> BoxFuture<'a, Vec<Arc<dyn Tool>>>;
}

/// The same tools in every turn.
#[derive(Debug)]
pub struct Fixed(pub Vec<Arc<dyn Tool>>);

impl ToolSource for Fixed {
    fn tools<'a>(&'a self, _: &'a Project) -> BoxFuture<'a, Vec<Arc<dyn Tool>>> {
        Box::pin(ready(self.0.clone()))
    }
}

/// Orion's own tools.
#[must_use]
pub fn built_in() -> Vec<Arc<dyn Tool>> {
    file_tools().into_iter().chain([ask_user()]).collect()
}
