//! Which calls already ran in a turn, and which of them may run again (D2, D3, D4).

use std::collections::HashMap;

use orion_protocol::{CallId, Signature};

use crate::tool::Seen;

/// Changes that are kept apart while a call runs; beyond them everything counts as changed.
const MOST_CHANGES: usize = 1_000;

/// The calls of a turn by their canonical signature.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ledger {
    entries: HashMap<Signature, Entry>,
}

#[derive(Debug, Clone)]
struct Entry {
    call: CallId,
    dependence: Dependence,
}

/// What the latest run of a signature depends on.
#[derive(Debug, Clone)]
enum Dependence {
    /// It is queued in the tool phase and has not begun.
    Waiting,
    /// It runs. Changes in the meantime are kept, to compare them with what it will have seen.
    Running { changed: Vec<Seen> },
    /// It has ended. A change of what it saw makes it stale.
    On(Vec<Seen>),
    /// Something it saw has changed since: the signature may run once more (D3).
    Stale,
    /// A person rejected it: it does not run in this turn, whatever changes (A6).
    Rejected,
}

impl Ledger {
    /// Enters a call that is about to run. When the signature already ran and nothing it saw has changed since, the call
    /// is refused and the one that holds its answer returned (D2).
    pub(crate) fn enter(&mut self, signature: &Signature, call: &CallId) -> Result<(), CallId> {
        match self.entries.get(signature) {
            Some(entry) if !matches!(entry.dependence, Dependence::Stale) => Err(entry.call.clone()),
            _ => {
                let entry = Entry { call: call.clone(), dependence: Dependence::Waiting };
                self.entries.insert(signature.clone(), entry);
                Ok(())
            }
        }
    }

    /// A call begins. From now on a change may come too late for it to see.
    pub(crate) fn begun(&mut self, signature: &Signature) {
        if let Some(entry) = self.entries.get_mut(signature) {
            entry.dependence = Dependence::Running { changed: Vec::new() };
        }
    }

    /// Notes what a call saw, once it is done. What it changed itself does not make it fresh.
    pub(crate) fn done(&mut self, signature: &Signature, seen: Vec<Seen>, own: &[Seen]) {
        let Some(entry) = self.entries.get_mut(signature) else { return };
        let stale = match &entry.dependence {
            Dependence::Running { changed } => {
                let is_own = |change: &Seen| own.iter().any(|own| own.is_touched_by(change));
                changed.iter().filter(|change| !is_own(change)).any(|change| touches(&seen, change))
            }
            Dependence::Waiting | Dependence::On(_) | Dependence::Stale | Dependence::Rejected => false,
        };
        entry.dependence = if stale { Dependence::Stale } else { Dependence::On(seen) };
    }

    /// Notes that the box of an earlier call answered this one, as if it had run (X6). From now on that box is the answer.
    pub(crate) fn answered(&mut self, signature: &Signature, by: &CallId, seen: Vec<Seen>) {
        self.done(signature, seen, &[]);
        if let Some(entry) = self.entries.get_mut(signature) {
            entry.call = by.clone();
        }
    }

    /// A person rejected a call (A6).
    pub(crate) fn rejected(&mut self, call: &CallId) {
        for entry in self.entries.values_mut().filter(|entry| entry.call == *call) {
            entry.dependence = Dependence::Rejected;
        }
    }

    /// Whether a call with this signature would be refused (D2).
    pub(crate) fn refuses(&self, signature: &Signature) -> bool {
        self.entries.get(signature).is_some_and(|entry| !matches!(entry.dependence, Dependence::Stale))
    }

    /// Removes a call that was refused before it ran, so that it may be made again.
    pub(crate) fn forget(&mut self, call: &CallId) {
        self.entries.retain(|_, entry| entry.call != *call);
    }

    /// The box of a call left the conversation: the call may be made again, once (D3).
    pub(crate) fn cut(&mut self, call: &CallId) {
        let of_call =
            |entry: &&mut Entry| entry.call == *call && !matches!(entry.dependence, Dependence::Rejected);
        for entry in self.entries.values_mut().filter(of_call) {
            entry.dependence = Dependence::Stale;
        }
    }

    /// Whether these changes may matter to a call of the turn: to one that runs, or to what one saw (D3).
    pub(crate) fn minds(&self, changes: &[Seen]) -> bool {
        self.entries.values().any(|entry| match &entry.dependence {
            Dependence::Running { .. } => true,
            Dependence::On(seen) => touched(seen, changes),
            Dependence::Waiting | Dependence::Stale | Dependence::Rejected => false,
        })
    }

    /// Notes changes of the project (D3).
    pub(crate) fn change(&mut self, changes: &[Seen]) {
        self.change_where(changes, |_| true);
    }

    /// Notes what a call changed. By that alone it may not run again.
    pub(crate) fn changed_by(&mut self, call: &CallId, changes: &[Seen]) {
        self.change_where(changes, |entry| entry.call != *call);
    }

    fn change_where(&mut self, changes: &[Seen], counts: impl Fn(&Entry) -> bool) {
        if changes.is_empty() {
            return;
        }
        for entry in self.entries.values_mut().filter(|entry| counts(entry)) {
            match &mut entry.dependence {
                Dependence::Running { changed } if changed.len() + changes.len() > MOST_CHANGES => {
                    *changed = vec![Seen::Tree(String::new())];
                }
                Dependence::Running { changed } => changed.extend_from_slice(changes),
                Dependence::On(seen) => {
                    if touched(seen, changes) {
                        entry.dependence = Dependence::Stale;
                    }
                }
                Dependence::Waiting | Dependence::Stale | Dependence::Rejected => {}
            }
        }
    }
}

fn touched(seen: &[Seen], changes: &[Seen]) -> bool {
    changes.iter().any(|change| touches(seen, change))
}

fn touches(seen: &[Seen], change: &Seen) -> bool {
    seen.iter().any(|seen| seen.is_touched_by(change))
}

impl Seen {
    /// Whether a change there may alter what was seen here. A changed path alters itself, the listing of its folder, and,
    /// when it is a folder that moved or went, all below it.
    #[must_use]
    pub fn is_touched_by(&self, change: &Seen) -> bool {
        let changed = match change {
            Seen::Path(path) | Seen::Tree(path) => path.as_str(),
        };
        match self {
            Seen::Path(path) => is_within(path, changed) || parent(changed) == path,
            Seen::Tree(path) => is_within(path, changed) || is_within(changed, path),
        }
    }
}

fn is_within(path: &str, folder: &str) -> bool {
    match path.strip_prefix(folder) {
        Some(rest) => folder.is_empty() || rest.is_empty() || rest.starts_with('/'),
        None => false,
    }
}

/// The folder whose listing a path is in; the root counts as its own.
fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}
