//! The calls of a turn under test that may run, and those that may not be refused (D2, D3), counted apart from the machine.

use std::collections::HashSet;

use orion_protocol::Signature;

#[derive(Clone, Default)]
pub(super) struct Freshness {
    /// Calls that ran since the last change of the project: they may not run.
    ran: HashSet<Signature>,
    /// Calls that ended, and have seen something of the project.
    ended: HashSet<Signature>,
    /// Those that ended before everything changed: they are not refused.
    fresh: HashSet<Signature>,
}

impl Freshness {
    /// A call begins, or a box answers it. False where it ran before.
    pub(super) fn runs(&mut self, signature: &Signature) -> bool {
        self.ran.insert(signature.clone())
    }

    /// A call is accepted, or takes the place of another one.
    pub(super) fn accepted(&mut self, signature: &Signature) {
        self.ended.remove(signature);
        self.fresh.remove(signature);
    }

    /// It ended, and what it has seen can change.
    pub(super) fn ended(&mut self, signatures: Vec<Signature>) {
        self.ended.extend(signatures);
    }

    /// A call is refused since an earlier one holds the answer, or will: that one has ended, or is about to run.
    pub(super) fn refused(&self, signature: &Signature, has_ended: bool) {
        assert!(!(has_ended && self.fresh.contains(signature)), "D3: {signature} may run once more");
    }

    /// Everything changed, by the call of these signatures or by no call.
    pub(super) fn changed(&mut self, own: &[Signature]) {
        self.ran.retain(|signature| own.contains(signature));
        let (kept, stale) = self.ended.drain().partition(|signature| own.contains(signature));
        self.ended = kept;
        let stale: HashSet<Signature> = stale;
        self.fresh.extend(stale);
    }

    /// Something changed, or left the context.
    pub(super) fn may_have_changed(&mut self) {
        self.ran.clear();
    }

    /// It has no answer any more.
    pub(super) fn forgets(&mut self, signature: &Signature) {
        self.ran.remove(signature);
    }
}
