use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::*;
use crate::{ApprovalId, CallId, KeptFor, SettingsChange};

const DIGEST: &str = "0000000000000000000000000000000000000000000000000000000000000000";

fn names(rows: &[Row], askers: Askers) -> Vec<&'static str> {
    rows.iter().filter(|row| row.askers == askers).map(|row| row.name).collect()
}

#[test]
fn the_shell_and_the_person_at_the_computer_alone_ask_for_what_grants_enters_or_loosens_something() {
    assert_eq!(names(Op::ROWS, Askers::Window), ["AttachDropped", "Paste", "OpenExternal"]);
    assert_eq!(
        names(Op::ROWS, Askers::Local),
        [
            "OpenProject",
            "LocateProject",
            "OpenSample",
            "ForgetProject",
            "SaveDraft",
            "Compare",
            "RemoveCopy",
            "RevokeApproval",
            "Export",
            "Import",
            "SaveEndpoint",
            "AcceptFinishReason",
            "RemoveEndpoint",
            "SaveSettings",
            "ResetSettings",
            "SaveModel",
            "ForgetLearned",
            "ForgetFinishReason",
            "SaveInstructions",
            "SaveTool",
            "SaveCheck",
            "RemoveCheck",
            "RunChecks",
            "StopChecks",
            "OfferedChecks",
            "ClearCommandHome",
        ]
    );
    assert_eq!(
        names(Query::ROWS, Askers::Local),
        [
            "State",
            "Search",
            "Aftermath",
            "Approvals",
            "Space",
            "Instructions",
            "Spoken",
            "Probe",
            "Draft",
            "AttachmentPicture",
            "Prompts",
            "Prompt",
            "Discover",
            "Doctor",
        ]
    );
}

#[test]
fn what_everybody_may_ask_for_touches_one_project_and_nothing_of_the_person() {
    let request_id = RequestId(Uuid::nil());
    let reply = Op::Reply { request_id, digest: DIGEST.parse().unwrap(), reply: Reply::NO };
    assert_eq!(
        reply.declared(),
        Declared {
            touches: Touched::Turn(request_id),
            change: Change::Continues,
            askers: Askers::Everyone,
            names: Named::Nothing,
            pressed: false,
            by_owner: true,
        }
    );
    let approval = Op::RevokeApproval { approval_id: ApprovalId(Uuid::nil()) };
    assert_eq!(approval.declared().touches, Touched::Everything);
    assert_eq!(
        [Channel::Window, Channel::CommandLine, Channel::Http]
            .map(|channel| approval.declared().askers.has(channel)),
        [true, true, false]
    );
}

#[test]
fn a_reply_or_a_turn_that_grants_something_is_for_the_person_at_the_computer() {
    let request_id = RequestId(Uuid::nil());
    let asked = |reply| Op::Reply { request_id, digest: DIGEST.parse().unwrap(), reply }.declared().askers;
    let pressed = |reply| Op::Reply { request_id, digest: DIGEST.parse().unwrap(), reply }.declared().pressed;
    // Window tests and screen readers press in the page, so a plain yes needs no press that the shell has seen.
    assert_eq!((pressed(Reply::YES), pressed(Reply::AllowOutside)), (false, true));
    assert_eq!(asked(Reply::YES), Askers::Everyone);
    assert_eq!(asked(Reply::Allow { keep: Some(KeptFor::Session) }), Askers::Local);
    assert_eq!(asked(Reply::AllowWords { keep: KeptFor::Session, words: vec![1] }), Askers::Local);
    assert_eq!(asked(Reply::AllowOutside), Askers::Local);
    let start = |allow_commands| {
        let options = TurnOptions { allow_commands, ..TurnOptions::default() };
        Op::StartTurn { session_id: SessionId(Uuid::nil()), text: String::new(), options }.declared().askers
    };
    assert_eq!([start(false), start(true)], [Askers::Everyone, Askers::Local]);
}

fn command(level: &str, hosts: &[&str]) -> PendingOf {
    let command = json!({ "line": "curl x", "folder": ".", "seconds": 60, "level": level, "hosts": hosts });
    let mut asked = serde_json::to_value(PendingOf::Call {
        tool_call_id: CallId("call-1".to_owned()),
        name: "run_command".to_owned(),
        summary: "{}".to_owned(),
        by: crate::AskedBy::Default,
        keeps: None,
        command: None,
    })
    .unwrap();
    asked["command"] = command;
    serde_json::from_value(asked).unwrap()
}

#[test]
fn a_yes_to_hosts_or_to_a_run_that_nothing_holds_grants_something_and_a_no_never_does() {
    let granted = |reply: &Reply| {
        [
            command("full", &[]),
            command("files_only", &[]),
            command("none", &[]),
            command("full", &["a.example"]),
        ]
        .map(|asked| reply.grants_for(&asked))
    };
    assert_eq!(granted(&Reply::YES), [false, false, true, true]);
    assert_eq!(granted(&Reply::NO), [false; 4]);
    assert_eq!(granted(&Reply::AllowEdited { arguments: Map::<String, Value>::new() }), [true; 4]);
    assert_eq!(granted(&Reply::AllowOutside), [true; 4]);
}

#[test]
fn what_an_operation_names_of_the_computer_is_declared() {
    let open = Op::OpenProject { path: Some("/srv".to_owned()) };
    assert_eq!(open.declared().names, Named::Folder(Some("/srv")));
    assert_eq!(Op::Import { path: None }.declared().names, Named::File(None));
    let editor = SettingsChange { editor: Some("vi".to_owned()), ..SettingsChange::default() };
    assert_eq!(Op::SaveSettings { change: editor }.declared().names, Named::Program);
    assert_eq!(Op::SaveSettings { change: SettingsChange::default() }.declared().names, Named::Nothing);
    assert_eq!(Op::Paste.declared().names, Named::Shell);
}
