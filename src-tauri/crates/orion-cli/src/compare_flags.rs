//! Which routes answer a message once more, and where they work.

use clap::Args;
use orion_protocol::Route;

use crate::turn_flags::RouteArg;

#[derive(Debug, Args)]
pub(crate) struct RouteFlags {
    /// The routes to compare, separated by commas
    #[arg(long, value_enum, value_delimiter = ',', default_values = ["two-stage", "unified"])]
    route: Vec<RouteArg>,
}

impl RouteFlags {
    /// Each once, in the order in which they were named.
    pub(crate) fn routes(&self) -> Vec<Route> {
        let mut routes: Vec<Route> = Vec::new();
        for route in self.route.iter().copied().map(Route::from) {
            if !routes.contains(&route) {
                routes.push(route);
            }
        }
        routes
    }
}

/// Where the turns work.
#[derive(Debug, Args)]
pub(crate) struct CopyFlags {
    /// Work with all tools, in a copy of the project for each route; its size is said first, and what ignore files hide is left out
    #[arg(long)]
    pub(crate) copy_project: bool,
    /// The most megabytes of a copy
    #[arg(long, value_name = "MB", default_value_t = 1_000, requires = "copy_project")]
    copy_limit: u32,
    /// Leave the copies where they are
    #[arg(long, requires = "copy_project")]
    pub(crate) keep_copies: bool,
    /// Write files of the copies without asking, but for those that can run code later and content with faults
    #[arg(long, requires = "copy_project")]
    pub(crate) approve_writes: bool,
}

impl CopyFlags {
    /// In bytes; none where no copy is wanted.
    pub(crate) fn at_most(&self) -> Option<u64> {
        self.copy_project.then(|| u64::from(self.copy_limit) * 1_000_000)
    }
}
