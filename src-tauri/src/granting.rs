//! The things that the page is given only for a press of the person that the shell has seen (0109): what grants something for longer than the turn, and what
//! reaches beyond Orion. Text of models and files that ever ran in the page could not have them.
//!
//! Deliberately not here: which operations these are (their table), and how a press is seen (`presses`).

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use orion_engine::Engine;
use orion_protocol::{Answer, AppState, Code, ErrorInfo, KeySource, Op, Query};

use crate::recent::Recent;

/// A variable of the environment, and the server that its value goes to.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pair {
    base_url: String,
    variable: String,
}

/// The presses of the person, and what was granted by the last one.
#[derive(Debug, Default)]
pub(crate) struct Granting {
    presses: Recent,
    /// The pair that the person had tried: saving it then is part of the same press, and a server can be slow.
    tried: Mutex<Option<Pair>>,
}

impl Granting {
    /// The person presses something, or opens a menu that the system draws.
    #[cfg(target_os = "linux")]
    pub(crate) fn pressed(&self, counts_for: std::time::Duration) {
        self.presses.begins(Instant::now() + counts_for);
    }

    /// The person lets go what they pressed.
    #[cfg(target_os = "linux")]
    pub(crate) fn let_go(&self) {
        self.presses.lasts(Instant::now() + crate::recent::SOON);
    }

    /// Admits an operation, if it needs no press or there was one.
    ///
    /// # Errors
    /// `usage` where the person pressed nothing.
    pub(crate) async fn admit_op(&self, engine: &Engine, op: &Op) -> Result<(), ErrorInfo> {
        if !op.declared().pressed {
            return Ok(());
        }
        let pair = match op {
            Op::SaveEndpoint { change } => pair(&change.base_url, change.key_variable.as_deref()),
            _ => None,
        };
        if pair.is_some() && *self.tried() == pair {
            return Ok(());
        }
        self.admit(engine, |state| is_kept(state, op), pair).await
    }

    /// Admits a query, if it needs no press or there was one.
    ///
    /// # Errors
    /// `usage` where the person pressed nothing.
    pub(crate) async fn admit_query(&self, engine: &Engine, query: &Query) -> Result<(), ErrorInfo> {
        if !query.declared().pressed {
            return Ok(());
        }
        let Query::Probe { base_url, key_variable, .. } = query else { return Ok(()) };
        let asked = pair(base_url, key_variable.as_deref());
        self.admit(engine, |state| keeps(state, asked.as_ref()), asked.clone()).await
    }

    async fn admit(
        &self,
        engine: &Engine,
        is_kept: impl FnOnce(&AppState) -> bool,
        pair: Option<Pair>,
    ) -> Result<(), ErrorInfo> {
        // Only here does the shell see the presses of a window.
        if !cfg!(target_os = "linux") {
            return Ok(());
        }
        if let Answer::State { state } = engine.query(Query::State).await?
            && is_kept(&state)
        {
            return Ok(());
        }
        if !self.presses.takes(Instant::now()) {
            return Err(unpressed());
        }
        *self.tried() = pair;
        Ok(())
    }

    fn tried(&self) -> std::sync::MutexGuard<'_, Option<Pair>> {
        self.tried.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn pair(base_url: &str, variable: Option<&str>) -> Option<Pair> {
    let base_url = base_url.trim().trim_end_matches('/').to_owned();
    variable.map(|variable| Pair { base_url, variable: variable.to_owned() })
}

/// Nothing is granted that the person has not granted before.
fn is_kept(state: &AppState, op: &Op) -> bool {
    match op {
        Op::SaveTool { tool } => {
            let kept = state.settings.tools.iter().find(|kept| kept.tool == tool.tool);
            let (permission, rules) = kept.map_or((None, &[][..]), |kept| (kept.permission, &kept.rules[..]));
            (permission, rules) == (tool.permission, &tool.rules[..])
        }
        Op::SaveEndpoint { change } => {
            keeps(state, pair(&change.base_url, change.key_variable.as_deref()).as_ref())
        }
        _ => false,
    }
}

/// An endpoint of the settings sends this variable to this server.
fn keeps(state: &AppState, asked: Option<&Pair>) -> bool {
    let kept = state
        .settings
        .endpoints
        .iter()
        .filter_map(|kept| pair(kept.base_url.as_deref().unwrap_or_default(), variable_of(&kept.key)));
    asked.is_some_and(|asked| kept.into_iter().any(|kept| kept == *asked))
}

fn variable_of(key: &KeySource) -> Option<&str> {
    match key {
        KeySource::Environment(name) | KeySource::Unset(name) => Some(name),
        KeySource::None | KeySource::Keychain | KeySource::Memory | KeySource::Lost => None,
    }
}

fn unpressed() -> ErrorInfo {
    ErrorInfo::new(
        Code::Usage,
        "The window did not see that you pressed anything for this.",
        "Press the button itself, with the mouse or the keyboard.",
    )
}
