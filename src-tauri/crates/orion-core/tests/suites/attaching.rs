//! The attachments of a message (R1): what the model is given of them, and what that means for its calls (D2, X6, A1).

use orion_core::model::{Message, Profile};
use orion_core::permission::Rules;
use orion_core::prompt;
use orion_core::tool::ToolOutcome;
use orion_core::turn::{Attached, TurnSetup, Uncut};
use orion_protocol::{
    AttachedFile, Attachment, AttachmentContent, Mode, PictureKind, Policy, ToolStatus, TurnEvent, TurnLimits,
};
use serde_json::json;

use crate::common::{Played, call, failed, found, read_from, setup};
use crate::reuse::box_of;

/// A file that was read for the message.
fn of(path: &str, outcome: ToolOutcome) -> Attached {
    Attached {
        tool: "read".to_owned(),
        arguments: json!({ "path": path }).as_object().cloned().unwrap(),
        path: path.to_owned(),
        is_folder: false,
        lines: None,
        content: None,
        uncut: None,
        outcome,
    }
}

fn with(attached: Vec<Attached>) -> TurnSetup {
    TurnSetup { attached, ..setup(Policy::two_stage()) }
}

fn told(played: &Played) -> Vec<&AttachedFile> {
    let files = played.events().filter_map(|event| match event {
        TurnEvent::Attached { files } => Some(files),
        _ => None,
    });
    files.flatten().collect()
}

fn statuses(played: &Played) -> Vec<(&str, ToolStatus)> {
    told(played).iter().map(|file| (file.tool_call_id.0.as_str(), file.status)).collect()
}

/// What follows the message in the first request.
fn after_the_message(played: &Played) -> Vec<&Message> {
    let messages = &played.requests[0].messages;
    messages.iter().skip_while(|it| **it != Message::user("What is in a?")).skip(1).collect()
}

#[test]
fn each_file_is_a_box_that_follows_the_message_and_has_an_id_of_its_own() {
    // R1
    let list = Attached { tool: "list_files".to_owned(), is_folder: true, ..of("src", found("b.rs")) };
    let played = Played::start(with(vec![of("a", read_from("a", "alpha")), list]));
    let boxes: Vec<_> = after_the_message(&played)
        .into_iter()
        .map(|message| match message {
            Message::System { text } => text.lines().next().unwrap(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        boxes,
        [
            "Result of call file_1: read {\"line\":1,\"path\":\"a\"}",
            "Result of call file_2: list_files {\"path\":\"src\"}"
        ]
    );
    assert_eq!(statuses(&played), [("file_1", ToolStatus::Ok), ("file_2", ToolStatus::Ok)]);
    let of_folders: Vec<_> = told(&played).iter().map(|file| (file.path.as_str(), file.is_folder)).collect();
    assert_eq!(of_folders, [("a", false), ("src", true)]);
    assert_eq!(told(&Played::start(with(Vec::new()))), Vec::<&AttachedFile>::new());
}

#[test]
fn the_model_need_not_read_again_what_came_and_may_read_what_did_not() {
    // D2
    let reads = |outcome| {
        let mut played = Played::start(with(vec![of("a", outcome)]));
        played.says([call(0, "r", "read", "{\"path\":\"a\"}")]);
        played.running.is_some()
    };
    assert_eq!((reads(read_from("a", "alpha")), reads(failed())), (false, true));
}

#[test]
fn a_file_that_an_earlier_box_has_as_it_is_now_is_not_sent_again() {
    // X6
    let again = |outcome| {
        let history = vec![Message::user("Before").into(), box_of("a", "alpha")];
        let played = Played::start(TurnSetup { history, ..with(vec![of("a", outcome)]) });
        let [message] = after_the_message(&played)[..] else { panic!() };
        let Message::System { text } = message else { panic!() };
        (told(&played)[0].status, text.contains("Its text is in the result of call earlier_a."))
    };
    assert_eq!(again(read_from("a", "alpha")), (ToolStatus::Reused, true));
    assert_eq!(again(read_from("a", "beta")), (ToolStatus::Ok, false));
    let broken = ToolOutcome { status: ToolStatus::Failed, ..read_from("a", "alpha") };
    assert_eq!(again(broken), (ToolStatus::Failed, false));
}

#[test]
fn what_the_model_may_not_read_is_not_read_to_it() {
    // A1
    let denied = Attached { tool: "ask".to_owned(), ..of("denied", read_from("denied", "secret")) };
    let played = Played::start(with(vec![denied.clone()]));
    assert_eq!(statuses(&played), [("file_1", ToolStatus::Denied)]);
    assert!(!serde_json::to_string(&played.requests[0].messages).unwrap().contains("secret"));
    let anything = TurnSetup { rules: Rules::default(), ..with(vec![denied]) };
    assert_eq!(statuses(&Played::start(anything)), [("file_1", ToolStatus::Ok)]);
}

fn image() -> Attached {
    let content = AttachmentContent::Image { kind: PictureKind::Png, width: 2, height: 3 };
    Attached { content: Some(content), ..of("sketch.png", found("aGVsbG8=")) }
}

#[test]
fn an_image_goes_to_a_model_that_takes_images_and_any_other_is_told_that_there_was_one() {
    let sent = |takes_images| {
        let profile = Profile { takes_images, ..Profile::default() };
        let played = Played::start(TurnSetup { profile, ..with(vec![image()]) });
        let [Message::User { text, images }] = &after_the_message(&played)[..] else { panic!() };
        (images.len(), text.contains(prompt::NO_IMAGES))
    };
    assert_eq!((sent(true), sent(false)), ((1, false), (0, true)));
}

#[test]
fn what_is_not_of_the_project_is_named_in_what_fills_the_room() {
    // X2
    let filled = Played::start(with(vec![image(), of("a", read_from("a", "alpha"))])).turn.filled();
    let boxes = filled.parts.iter().flat_map(|part| &part.boxes);
    let named: Vec<_> = boxes.map(|it| (it.name.as_str(), it.arguments.clone())).collect();
    assert_eq!(
        named,
        [("attachment", json!({ "path": "sketch.png" })), ("read", json!({ "line": 1, "path": "a" }))]
    );
}

#[test]
fn what_came_is_written_so_that_the_message_can_be_sent_once_more() {
    let whole = of("my notes.md", read_from("my notes.md", "alpha"));
    assert_eq!(whole.written().as_deref(), Some("\"my notes.md\""));
    let some = Attached { lines: Some((2, 7)), ..of("a", read_from("a", "alpha")) };
    assert_eq!(some.written().as_deref(), Some("a:2-7"));
    assert_eq!(of("a", failed()).written(), None, "it could not be read");
    // What is not of the project is no name of it, but a file that was taken in.
    let sketch = image();
    let bytes = sketch.outcome.bytes;
    let sha256 = orion_core::signature::digest("aGVsbG8=");
    let file = Attachment { name: "sketch.png".to_owned(), sha256, bytes, content: sketch.content.unwrap() };
    assert_eq!((sketch.written(), sketch.attachment(), some.attachment()), (None, Some(file.clone()), None));
    let sha256 = orion_core::signature::digest("all of it");
    let cut = Attached { uncut: Some(Uncut { sha256, body: "all of it".to_owned() }), ..sketch };
    assert_eq!(cut.attachment(), Some(Attachment { sha256, ..file }));
}

#[test]
fn a_turn_that_is_to_run_like_this_one_is_asked_for_in_the_same_way() {
    let chosen = Some(TurnLimits { max_tools: Some(7), ..TurnLimits::default() });
    let files = vec![of("a", read_from("a", "alpha"))];
    let options = Played::start(TurnSetup { chosen, ..with(files) }).turn.options();
    assert_eq!((options.mode, options.model.as_deref()), (Some(Mode::Act), Some("scripted")));
    assert_eq!((options.mentions, options.limits.max_tools), (true, Some(7)));
    assert!(!Played::start(with(Vec::new())).turn.options().mentions);
}
