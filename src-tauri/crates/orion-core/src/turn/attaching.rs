//! The attachments of a message, files and folders: each is a box (R1) that follows it, made before the turn began. They are part of what the
//! turn is given, so they are recorded with it (T8), and later turns are given the same boxes (X1).
//!
//! Each is the result of the call that the model would have made to see the same. So a repeat of that call is refused in the turn (D2),
//! and answered by the box in later ones while the file has not changed (X6). A file that an earlier box still holds as it is now is not
//! sent again. An attachment that is not of the project is a box too. An image is a message in the person's role, the only one that can have images.
//! Deliberately not here: reading the files (the engine).

use orion_protocol::{AttachedFile, AttachmentContent, CallId, Signature, ToolStatus, TurnEvent};

use super::Effect;
use super::course::Course;
use super::outcomes::not_allowed;
use super::setup::Attached;
use crate::context::{About, BoxItem, Item};
use crate::image::Image;
use crate::model::Message;
use crate::permission::Ruling;
use crate::prompt;
use crate::signature::{digest, signature};

impl Course {
    /// Follows the message with what came with it.
    pub(super) fn attach(&mut self, effects: &mut Vec<Effect>) {
        let attached = self.setup.attached.clone();
        if attached.is_empty() {
            return;
        }
        let files = attached.into_iter().map(|attached| self.attach_one(attached)).collect();
        self.emit(TurnEvent::Attached { files }, effects);
    }

    fn attach_one(&mut self, attached: Attached) -> AttachedFile {
        let id = self.attached_id();
        match attached.content {
            Some(content) => self.attach_outside(id, content, attached),
            None => self.attach_read(id, attached),
        }
    }

    /// A file that is not of the project: no call can ask for it, so nothing of it is in the ledger.
    fn attach_outside(&mut self, id: CallId, content: AttachmentContent, attached: Attached) -> AttachedFile {
        let Attached { path, outcome, uncut, .. } = attached;
        let head = prompt::attachment_head(&id, &path, content, outcome.bytes);
        let sha256 = digest(&outcome.body);
        let about = About::Box(BoxItem {
            call: id.clone(),
            signature: Signature(format!("attachment {sha256}")),
            head: head.len(),
            sha256,
            source: None,
            attachment: true,
            emptied: false,
        });
        let message = match content {
            AttachmentContent::Text { .. } => {
                Message::System { text: prompt::attachment_text(&self.setup.nonce, &head, &outcome) }
            }
            AttachmentContent::Image { kind, width, height } => {
                let image = Image { sha256, kind, width, height, data: None };
                Message::User { text: head, images: vec![image] }
            }
        };
        self.conversation.push(Item::new(message, about));
        AttachedFile {
            tool_call_id: id,
            path,
            lines: None,
            is_folder: false,
            content: Some(content),
            uncut: uncut.map(|uncut| uncut.sha256),
            status: outcome.status,
            summary: outcome.summary,
            bytes: outcome.bytes,
            truncated: outcome.cut.is_some(),
            sha256,
            error: None,
        }
    }

    fn attach_read(&mut self, id: CallId, attached: Attached) -> AttachedFile {
        let Attached { tool, arguments, path, is_folder, lines, mut outcome, .. } = attached;
        let arguments = self.parsed(&tool, &arguments);
        let signature = signature(&tool, &arguments.signed(), self.setup.ids.project_id);
        // A1: what the model may not read is not read to it.
        if let Ruling::Deny(by) = self.ruling(&tool, &arguments) {
            outcome = not_allowed(by);
        }
        let held = self.conversation.held(&signature).filter(|held| {
            outcome.status == ToolStatus::Ok && outcome.source.as_deref() == Some(&held.source)
        });
        if outcome.status == ToolStatus::Ok && self.ledger.enter(&signature, &id).is_ok() {
            self.ledger.begun(&signature);
            match &held {
                Some(held) => self.ledger.answered(&signature, &held.call, outcome.seen.clone()),
                None => self.ledger.done(&signature, outcome.seen.clone(), &[]),
            }
        }
        if let Some(held) = held {
            outcome.status = ToolStatus::Reused;
            self.say(prompt::reused(&id, &tool, &arguments, &held.call), About::Word);
        } else {
            let nonce = &self.setup.nonce;
            let (text, head) = prompt::result_box(nonce, &id, &tool, &arguments, &outcome, prompt::ATTACHED);
            let about = BoxItem {
                call: id.clone(),
                signature,
                head,
                sha256: digest(&outcome.body),
                source: outcome.source.as_deref().cloned(),
                attachment: false,
                emptied: false,
            };
            self.say(text, About::Box(about));
        }
        AttachedFile {
            tool_call_id: id,
            path,
            lines,
            is_folder,
            content: None,
            uncut: None,
            status: outcome.status,
            summary: outcome.summary,
            bytes: outcome.bytes,
            truncated: outcome.cut.is_some(),
            sha256: digest(&outcome.body),
            error: outcome.error.map(|error| error.of_turn(self.setup.ids)),
        }
    }

    /// An id that no call of the session has.
    fn attached_id(&mut self) -> CallId {
        let mut number = 1;
        while self.has_call(&format!("file_{number}")) {
            number += 1;
        }
        let id = format!("file_{number}");
        self.taken.insert(id.clone());
        CallId(id)
    }
}
