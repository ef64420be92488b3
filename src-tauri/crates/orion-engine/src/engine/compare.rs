//! Comparing the routes on one message: a session for each, with the context that the message had (T9). Deliberately not here: sending it,
//! which is a turn like any other.

use orion_core::turn::{Attached, TurnSetup};
use orion_protocol::{
    Code, ComparedSide, Comparison, ErrorInfo, Mode, Outcome, RequestId, Route, TurnOptions, Update,
};
use orion_store::InProject;

use super::Engine;
use crate::driver::{self, Clock};

impl Engine {
    /// # Errors
    /// Those of a fork; `route_disabled`, and whatever else a turn by one of these routes could not begin for. No session is made then.
    pub(super) async fn compare(
        &self,
        request_id: RequestId,
        routes: &[Route],
        copy_at_most: Option<u64>,
    ) -> Result<Outcome, ErrorInfo> {
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
            let mark = mark(route).to_owned();
            let (fork, setup) = driver::fork_before(store, request_id, mark, Clock::start().now_ms()).await?;
            forks.push((fork, route, setup));
        }
        let session_id = store.turn_ids(request_id).await?.session_id;
        let InProject { project, .. } = store.session_in_project(session_id).await?;
        let context = self.read_context(project.clone()).await?;
        context.folder?;
        for (_, route, setup) in &forks {
            context.in_force.policy(&options(setup, *route, copy_at_most.is_some()), true)?;
        }
        // All copies before any session: where one fails, those that were made go with it.
        let mut places = Vec::new();
        for (_, route, _) in &forks {
            places.push(match copy_at_most {
                Some(most) => Some(self.copied(&project, route_name(*route), most).await?),
                None => None,
            });
        }
        let (mut sides, mut text) = (Vec::new(), String::new());
        for ((mut fork, route, setup), copy) in forks.into_iter().zip(places) {
            fork.project = copy.as_ref().map(|copy| copy.project.project_id);
            let session = store.fork(fork).await?;
            self.tell(Update::Session { session: session.clone() });
            let options = options(&setup, route, copy.is_some());
            let path = copy.as_ref().map(|copy| copy.project.path.clone());
            if let Some(copy) = copy {
                self.shared.copies.keep(session.session_id, copy);
            }
            sides.push(ComparedSide { route, session, copy: path, options });
            text = setup.text;
        }
        Ok(Outcome::Compared { comparison: Comparison { request_id, text, sides } })
    }
}

/// A1: where both turns work in the person's folder, no tool that changes anything is offered.
fn options(setup: &TurnSetup, route: Route, in_a_copy: bool) -> TurnOptions {
    TurnOptions {
        mode: Some(if in_a_copy { setup.mode } else { Mode::Plan }),
        route: Some(route),
        endpoint: Some(setup.endpoint.clone()),
        model: Some(setup.model.clone()),
        limits: setup.chosen.unwrap_or_default(),
        attach: setup.attached.iter().filter_map(Attached::written).collect(),
        attachments: setup.attached.iter().filter_map(Attached::attachment).collect(),
        ..TurnOptions::default()
    }
}

/// What the title of a side begins with.
fn mark(route: Route) -> &'static str {
    match route {
        Route::TwoStage => "Two-stage",
        Route::Unified => "Unified",
    }
}

fn route_name(route: Route) -> &'static str {
    match route {
        Route::TwoStage => "two_stage",
        Route::Unified => "unified",
    }
}
