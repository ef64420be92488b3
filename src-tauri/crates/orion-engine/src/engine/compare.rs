//! Comparing the routes on one message: a session for each, with the context that the message had (T9). Deliberately not here: sending it,
//! which is a turn like any other.

use orion_core::turn::TurnSetup;
use orion_protocol::{
    Code, ComparedSide, Comparison, ErrorInfo, Mode, Reply, RequestId, Route, TurnOptions, Update,
};

use super::Engine;
use crate::driver::{self, Clock};

impl Engine {
    /// # Errors
    /// Those of a fork; `route_disabled`, and whatever else a turn by one of these routes could not begin for. No session is made then.
    pub(super) async fn compare(&self, request_id: RequestId, routes: &[Route]) -> Result<Reply, ErrorInfo> {
        let twice = routes.iter().enumerate().any(|(at, route)| routes[..at].contains(route));
        if routes.is_empty() || twice {
            return Err(ErrorInfo::new(Code::Usage, "No two routes were named.", "Name each route once."));
        }
        if let Some(turn) = self.shared.turns.get(request_id) {
            turn.flush().await;
        }
        let store = &self.shared.store;
        let mut forks = Vec::new();
        for &route in routes {
            let mark = route_name(route).to_owned();
            let (fork, setup) = driver::fork_before(store, request_id, mark, Clock::start().now_ms()).await?;
            forks.push((fork, route, setup));
        }
        let (_, project) = store.session_in_project(store.turn_ids(request_id).await?.session_id).await?;
        let context = self.context(project).await?;
        context.folder?;
        for (_, route, setup) in &forks {
            context.in_force.policy(&options(setup, *route))?;
        }
        let (mut sides, mut text) = (Vec::new(), String::new());
        for (fork, route, setup) in forks {
            let session = store.fork(fork).await?;
            self.tell(Update::Session { session: session.clone() });
            sides.push(ComparedSide { route, session, options: options(&setup, route) });
            text = setup.text;
        }
        Ok(Reply::Compared { comparison: Comparison { request_id, text, sides } })
    }
}

/// A1: both turns work in the person's folder, so no tool that changes anything is offered.
fn options(setup: &TurnSetup, route: Route) -> TurnOptions {
    TurnOptions {
        mode: Some(Mode::Plan),
        route: Some(route),
        endpoint: Some(setup.endpoint.clone()),
        model: Some(setup.model.clone()),
        limits: setup.chosen.unwrap_or_default(),
        ..TurnOptions::default()
    }
}

fn route_name(route: Route) -> &'static str {
    match route {
        Route::TwoStage => "two_stage",
        Route::Unified => "unified",
    }
}
