//! What a person set of how a model answers, and what they tell every model, over turns (T8, X1).

use orion_protocol::{
    Answer, Code, ErrorInfo, Instructions, ModelChange, ModelSettings, ModelTuning, Op, Outcome, ProjectId,
    Query, ReasoningEffort, SentRequest, Temperature, Thinking, TurnEvent, TurnOptions, Update,
};
use serde_json::{Value, json};
use support::{Folder, Script, Turn, within};

use crate::driver_desk::{Desk, Told};

async fn turn(desk: &Desk, text: &str) -> Told {
    let options = TurnOptions { endpoint: Some("e".to_owned()), ..TurnOptions::default() };
    desk.read(desk.ask_with(text, options).await).await
}

fn begun(told: &Told) -> Option<ModelTuning> {
    let TurnEvent::TurnStarted { tuning, .. } = &told.envelopes[0].event else { panic!() };
    *tuning
}

// T8
#[tokio::test]
async fn what_is_set_for_a_model_goes_with_each_of_its_calls_and_is_part_of_the_turn() {
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "a.txt"})).end("tool_calls"))
        .turn(|t| t.text("A.").end("stop"))
        .turn(|t| t.text("B.").end("stop"))
        .start();
    let desk = Desk::with_endpoint(&model.base_url(), Folder::with([("a.txt", "alpha\n")])).await;
    let tuning = ModelTuning {
        temperature: Temperature::new(0.3),
        reasoning_effort: Some(ReasoningEffort::High),
        thinking: None,
    };
    let settings = |tuning: ModelTuning| ModelSettings {
        temperature: tuning.temperature,
        reasoning_effort: tuning.reasoning_effort,
        ..ModelSettings::default()
    };
    let save = |tuning| Op::SaveModel {
        change: ModelChange {
            endpoint: "e".to_owned(),
            model: Some("m".to_owned()),
            settings: settings(tuning),
        },
    };
    assert_eq!(desk.engine.submit(save(tuning)).await, Ok(Outcome::Done));
    let first = turn(&desk, "Hello?").await;
    assert_eq!(desk.engine.submit(save(ModelTuning::default())).await, Ok(Outcome::Done));
    let second = turn(&desk, "And now?").await;

    assert_eq!((begun(&first), begun(&second)), (Some(tuning), None));
    let sent: Vec<[Value; 2]> = model
        .requests()
        .iter()
        .map(|request| ["temperature", "reasoning_effort"].map(|key| request.body[key].clone()))
        .collect();
    let set = [json!(0.3), json!("high")];
    assert_eq!(sent, [set.clone(), set, [Value::Null, Value::Null]]);

    // The request of the first turn is still shown as it was sent.
    let request_id = first.envelopes[0].request_id;
    let query = Query::Sent { request_id, call: 2, from: 0 };
    let Answer::Sent { request: SentRequest { tuning: shown, .. } } = desk.engine.query(query).await.unwrap()
    else {
        panic!()
    };
    assert_eq!(shown, tuning);
    let Answer::SentBody { body } = desk.engine.query(Query::SentBody { request_id, call: 2 }).await.unwrap()
    else {
        panic!()
    };
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), model.requests()[1].body);
    model.finish();
}

/// A server that says what it is where it is asked, and not in an answer.
fn llama_cpp(script: Script) -> Script {
    let props = r#"{"default_generation_settings":{"n_ctx":16384}}"#;
    script
        .page("/props", move |page| page.header("server", "llama.cpp").body(props))
        .post("/apply-template", |_| Turn::default().status(404).body("no"))
}

async fn save_thinking(desk: &Desk, model: Option<&str>, thinking: Thinking) {
    let settings = ModelSettings { thinking: Some(thinking), ..ModelSettings::default() };
    let change = ModelChange { endpoint: "e".to_owned(), model: model.map(str::to_owned), settings };
    assert_eq!(desk.engine.submit(Op::SaveModel { change }).await, Ok(Outcome::Done));
}

/// The problems that the settings tell, without the file that they begin with.
async fn problems(desk: &Desk) -> Vec<(Code, String)> {
    let settings = crate::driver_facade::state(&desk.engine).await.settings;
    let told = |problem: ErrorInfo| {
        let message = problem.message.strip_prefix(&settings.config_file).unwrap().to_owned();
        assert!(problem.action.is_some());
        (problem.code, message)
    };
    settings.problems.iter().cloned().map(told).collect()
}

#[tokio::test]
async fn what_is_set_of_thinking_is_a_mistake_until_the_server_has_said_what_it_is() {
    let model = Script::new().turn(|t| t.text("A.").end("stop")).turn(|t| t.text("B.").end("stop"));
    let model = llama_cpp(model).start();
    let desk = Desk::with_endpoint(&model.base_url(), Folder::empty()).await;
    save_thinking(&desk, Some("m"), Thinking::Off).await;
    let unnamed =
        ":6:1: `endpoints.e.models.m.thinking` is not sent yet: the server has not said what it is."
            .to_owned();
    assert_eq!(problems(&desk).await, [(Code::ConfigInvalid, unnamed)]);
    let mut updates = desk.engine.updates();
    let first = turn(&desk, "Hello?").await;
    let asked = Query::Spoken { endpoint: "e".to_owned(), model: None, asks: true };
    assert!(desk.engine.query(asked).await.is_ok());
    let gone = async {
        loop {
            match updates.recv().await.unwrap() {
                Update::Settings { settings } if settings.problems.is_empty() => return,
                _ => {}
            }
        }
    };
    within("the mistake to be gone", gone).await;
    let second = turn(&desk, "And now?").await;
    let off = ModelTuning { thinking: Some(Thinking::Off), ..ModelTuning::default() };
    assert_eq!((begun(&first), begun(&second)), (None, Some(off)));
    let requests = model.requests();
    let turns = requests.iter().filter(|request| request.body["stream"] == json!(true));
    let sent: Vec<Value> = turns.map(|request| request.body["chat_template_kwargs"].clone()).collect();
    assert_eq!(sent, [Value::Null, json!({ "enable_thinking": false })]);
    model.finish();
}

#[tokio::test]
async fn what_is_set_of_thinking_for_a_provider_that_has_no_field_for_it_is_a_mistake() {
    let desk = Desk::with_endpoint("https://api.openai.com/v1", Folder::empty()).await;
    save_thinking(&desk, None, Thinking::On).await;
    let unsupported = ": `endpoints.e.thinking` is not sent: Orion knows no way to tell the models of this endpoint to think or not.";
    let told = problems(&desk).await;
    let [(Code::ConfigInvalid, message)] = told.as_slice() else { panic!("{told:?}") };
    assert!(message.ends_with(unsupported), "{message}");
    // One that has a field makes none of it.
    desk.save_endpoint("https://api.deepseek.com/v1").await;
    assert_eq!(problems(&desk).await, []);
}

async fn instructions(desk: &Desk, project_id: Option<ProjectId>) -> Instructions {
    let Answer::Instructions { instructions } =
        desk.engine.query(Query::Instructions { project_id }).await.unwrap()
    else {
        panic!()
    };
    instructions
}

// X1
#[tokio::test]
async fn a_persons_own_instructions_follow_those_of_the_project_and_a_change_is_said_with_the_next_message() {
    let model = Script::new()
        .turn(|t| t.text("A.").end("stop"))
        .turn(|t| t.text("B.").end("stop"))
        .turn(|t| t.text("C.").end("stop"))
        .start();
    let desk = Desk::with_endpoint(&model.base_url(), Folder::with([("AGENTS.md", "Use tabs.\n")])).await;
    let project_id = desk.project.project_id;
    let save = |project_id, text: &str| Op::SaveInstructions { project_id, text: text.to_owned() };
    assert_eq!(desk.engine.submit(save(None, "Answer in Welsh.")).await, Ok(Outcome::Done));
    turn(&desk, "One?").await;
    assert_eq!(desk.engine.submit(save(Some(project_id), "Name the file first.")).await, Ok(Outcome::Done));
    turn(&desk, "Two?").await;
    turn(&desk, "Three?").await;

    let said: Vec<Vec<String>> = model
        .requests()
        .iter()
        .map(|request| {
            let messages = request.messages();
            messages
                .iter()
                .map(|message| message["content"].as_str().unwrap_or_default().to_owned())
                .collect()
        })
        .collect();
    let own =
        "Use tabs.\n\nThe person's own instructions, which count before the project's:\nAnswer in Welsh.\n";
    assert!(said[0][0].ends_with(own), "{}", said[0][0]);
    // The beginning stays, for the provider's cache; what changed is said once, before the message.
    assert_eq!((&said[1][0], &said[2][0]), (&said[0][0], &said[0][0]));
    let now = own.replace("Welsh.\n", "Welsh.\n\nName the file first.\n");
    let news = |messages: &[String]| messages.iter().filter(|text| text.ends_with(&now)).count();
    assert_eq!((news(&said[0]), news(&said[1]), news(&said[2])), (0, 1, 1));
    assert!(said[1][said[1].len() - 2].starts_with("From here on, this holds"));

    let shown = instructions(&desk, Some(project_id)).await;
    assert_eq!((shown.agents.as_str(), shown.agents_bytes), ("Use tabs.", 8_192));
    assert_eq!(
        (shown.everywhere.as_str(), shown.here.as_str()),
        ("Answer in Welsh.", "Name the file first.")
    );
    // Nothing is in the folder, and what is for a project goes with it.
    assert_eq!(std::fs::read_dir(desk.folder.path()).unwrap().count(), 1);
    let file = desk.data.path().join(format!("data/instructions/{project_id}.md"));
    assert!(file.exists());
    assert!(desk.engine.submit(Op::ForgetProject { project_id }).await.is_ok());
    assert!(!file.exists());
    assert_eq!(instructions(&desk, None).await.everywhere, "Answer in Welsh.");
    model.finish();
}

#[tokio::test]
async fn instructions_are_kept_for_projects_that_orion_knows_and_within_their_size() {
    let model = Script::new().start();
    let desk = Desk::with_endpoint(&model.base_url(), Folder::empty()).await;
    let unknown = Some(ProjectId(uuid::Uuid::nil()));
    let save = |project_id, text| Op::SaveInstructions { project_id, text };
    assert!(desk.engine.submit(save(unknown, "x".to_owned())).await.is_err());
    let most = instructions(&desk, None).await.own_bytes as usize;
    assert!(desk.engine.submit(save(None, "x".repeat(most + 1))).await.is_err());
    assert_eq!(desk.engine.submit(save(None, "x".repeat(most))).await, Ok(Outcome::Done));
    assert_eq!(instructions(&desk, None).await.everywhere.len(), most);
    model.finish();
}
