//! Which routes answer a message once more.

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
