//! What a turn runs with, as flags.

use clap::{Args, ValueEnum};
use orion_protocol::{Mode, Route, TurnOptions};

use crate::limit_flags::LimitFlags;
use crate::model_flags::ModelFlags;

#[derive(Debug, Args)]
pub(crate) struct TurnFlags {
    #[command(flatten)]
    pub(crate) model: ModelFlags,
    /// Which loop drives the turn
    #[arg(long, value_enum)]
    route: Option<RouteArg>,
    /// plan offers only read-only tools, act all of them
    #[arg(long, value_enum)]
    mode: Option<ModeArg>,
    #[command(flatten)]
    limits: LimitFlags,
}

impl TurnFlags {
    /// The options of a turn on this endpoint.
    pub(crate) fn options(&self, endpoint: String) -> TurnOptions {
        TurnOptions {
            mode: self.mode.map(Mode::from),
            route: self.route.map(Route::from),
            endpoint: Some(endpoint),
            model: self.model.model.clone(),
            window: self.model.window,
            limits: self.limits.0,
            ..TurnOptions::default()
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum RouteArg {
    TwoStage,
    Unified,
}

impl From<RouteArg> for Route {
    fn from(route: RouteArg) -> Self {
        match route {
            RouteArg::TwoStage => Self::TwoStage,
            RouteArg::Unified => Self::Unified,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ModeArg {
    Plan,
    Act,
}

impl From<ModeArg> for Mode {
    fn from(mode: ModeArg) -> Self {
        match mode {
            ModeArg::Plan => Self::Plan,
            ModeArg::Act => Self::Act,
        }
    }
}
