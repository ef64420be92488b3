//! A message that was never sent (X1, X3).

use orion_core::context::Item;
use orion_core::model::{Message, ModelNumbers};
use orion_core::turn::{Flag, Flags, ModelInput, TurnSetup};
use orion_protocol::{Code, ErrorInfo, Policy};

use crate::common::{Played, found, setup, text};
use crate::context_turns::{Session, cuts, read};

// X1, X3: it was never sent, so the session is as it was before it.
#[test]
fn a_message_that_fits_nowhere_cuts_nothing_and_is_not_in_the_next_request() {
    for compacts_at_cuts in [false, true] {
        let policy = Policy { compacts_at_cuts, ..Policy::two_stage() };
        let mut session = Session::of_window(4_000);
        let mut played = session.turn(policy, "One");
        played.says(read("a")).tool(found(&"alpha beta ".repeat(360)));
        played.says([text("Done.")]).ends();
        session.end(&played);
        let before = session.items.clone();
        let start = |text: String, changes: &str, flags: Flags| {
            let numbers = ModelNumbers { window: Some(4_000), ..ModelNumbers::default() };
            Played::start(TurnSetup {
                numbers,
                history: before.clone(),
                text,
                changes: changes.to_owned(),
                makes_room: !changes.is_empty(),
                flags,
                ..setup(policy)
            })
        };
        let long = "word ".repeat(3_000);
        let played = start(long.clone(), "", Flags::of_this_version());
        assert_eq!((cuts(&played), played.requests.len()), (vec![], 0));
        session.end(&played);
        assert_eq!(session.items, before);
        // What has changed is told with the next message, and *Make room* does no more than a message does.
        let played = start(long.clone(), "The mode is act now.", Flags::of_this_version());
        assert_eq!((cuts(&played), played.requests.len()), (vec![], 0));
        session.end(&played);
        let added = session.items.get(before.len()..).unwrap();
        assert_eq!(
            added.iter().map(|item| item.message.clone()).collect::<Vec<_>>(),
            [Message::System { text: "The mode is act now.".to_owned() }]
        );
        if compacts_at_cuts {
            continue;
        }
        // What just fits is sent, and stays.
        let mut played = start("word ".repeat(2_000), "", Flags::of_this_version());
        assert_eq!((cuts(&played).len(), played.requests.len()), (1, 1));
        played.model(ModelInput::Failed { error: ErrorInfo::new(Code::BadRequest, "No.", "") });
        assert!(played.turn.conversation().begins(true).any(Item::is_the_persons));
        // T8: a turn without the flag cuts.
        assert_eq!(cuts(&start(long, "", Flags::of_this_version().without(Flag::CountAnswers))).len(), 1);
    }
}
