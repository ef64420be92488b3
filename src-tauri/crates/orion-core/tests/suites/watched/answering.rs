//! The promises of the questions of a turn under test, and of the answers to them (A2, A3, A6, A8, P11).

use orion_protocol::{CallId, Given, PendingOf, Sha256, Signature};

use super::Watched;
use crate::acts::commands::RUN;

impl Watched {
    pub(super) fn is_asked(&mut self, digest: Sha256, of: &PendingOf) {
        self.asked = Some(digest);
        match of {
            PendingOf::Call { name, tool_call_id, .. } | PendingOf::Write { name, tool_call_id, .. } => {
                self.asked_call = Some(tool_call_id.clone());
                self.granted = false;
                assert!(name != "ask" || !self.rejected.contains(&digest), "A6: it was rejected before");
                if let PendingOf::Call { keeps, command, .. } = of
                    && name == RUN
                {
                    let signature = self.signature_of(tool_call_id);
                    let names_path = self.commanding.names_path(tool_call_id) == Some(true);
                    let withheld = self.withholds(tool_call_id, names_path);
                    let command = command.as_deref();
                    self.commanding.asked(tool_call_id, keeps.as_deref(), command, &signature, withheld);
                }
            }
            PendingOf::Repeats { write, bytes, once_bytes, .. } => {
                assert!(self.repeats.insert(*write), "P11: a person is asked once for each file");
                assert!(once_bytes < bytes, "P11: something repeats itself");
                assert_eq!(self.live_call, None, "P11: the stream is dropped");
            }
            PendingOf::Questions { tool_call_id, .. } => {
                assert!(
                    self.running.as_ref().is_none_or(|running| running == tool_call_id),
                    "A8: nothing but the tool that asks runs while a person is asked"
                );
            }
            PendingOf::Pause { results, .. } => {
                assert_eq!(self.running, None, "A2: no tool runs in a pause");
                self.pausing.paused();
                self.is_paused = true;
                self.results = results.iter().map(|result| result.tool_call_id.clone()).collect();
            }
        }
    }

    pub(super) fn is_answered(&mut self, digest: Sha256, given: &Given) {
        if let Some(call) = self.asked_call.clone().filter(|_| self.asked == Some(digest)) {
            self.commanding.answered(&call, digest, given, &self.signature_of(&call));
        }
        match given {
            Given::Kept { .. } => self.is_granted(digest),
            Given::Allowed { edited, .. } => {
                self.is_granted(digest);
                if let Some(edited) = edited {
                    let call =
                        self.last_signature.iter_mut().find(|(id, _)| self.asked_call.as_ref() == Some(id));
                    let (id, signature) = call.expect("A3: what was asked about is a call");
                    // Both signatures ran.
                    let proposed = std::mem::replace(signature, edited.signature.clone());
                    self.proposed.push((id.clone(), proposed.clone()));
                    self.freshness.runs(&proposed);
                    self.freshness.accepted(&edited.signature);
                }
            }
            Given::Rejected { .. } => _ = self.rejected.insert(digest),
            Given::Chosen { .. } => {}
            Given::Answered { .. } => {
                assert_eq!(self.asked, Some(digest), "A8: these questions were open");
            }
            Given::Resumed { edited } => {
                assert_eq!((self.asked, self.is_paused), (Some(digest), true), "A2: it was paused");
                self.is_paused = false;
                for edited in edited {
                    assert!(self.results.contains(&edited.tool_call_id), "A2: a result of this pause");
                    let id = &edited.tool_call_id;
                    let names_path = self.commanding.names_path(id).unwrap_or(!self.unknown.contains(id));
                    self.pausing.edited(edited, names_path);
                    self.taken_out.insert(self.signature_of(&edited.tool_call_id));
                    let of_call = |(id, _): &&(CallId, Signature)| *id == edited.tool_call_id;
                    let signatures = self.last_signature.iter().chain(&self.proposed).filter(of_call);
                    for (_, signature) in signatures.filter(|_| edited.sha256.is_none()) {
                        self.freshness.forgets(signature); // D3: its call has no answer any more, edited or not.
                    }
                }
                self.results.clear();
            }
        }
    }

    fn is_granted(&mut self, digest: Sha256) {
        self.granted = true;
        if let Some((_, ready, sha256)) = &self.ready
            && *ready == digest
        {
            self.approved = Some(*sha256);
        }
    }

    /// Its own, and that of the model's call where a person changed it.
    pub(super) fn signatures_of(&self, call: &CallId) -> Vec<Signature> {
        let all = self.last_signature.iter().chain(&self.proposed);
        all.filter(|(id, _)| id == call).map(|(_, signature)| signature.clone()).collect()
    }

    pub(super) fn signature_of(&self, call: &CallId) -> Signature {
        let mut all = self.last_signature.iter();
        all.find(|(id, _)| id == call)
            .map(|(_, signature)| signature.clone())
            .expect("its tool_call came first")
    }

    /// True where a command would bring back what a person took out (X6).
    pub(super) fn withholds(&self, call: &CallId, names_path: bool) -> bool {
        let signature = self.signature_of(call);
        self.taken_out.contains(&signature) || (names_path && self.pausing.takes_paths_out())
    }
}
