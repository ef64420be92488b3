//! The engine's operations and questions, as the window uses them.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;

use futures_util::future::join_all;
use orion_engine::Engine;
use orion_protocol::{
    Answer, AppState, Bounds, Code, EndpointChange, FolderFound, KeyInput, KeySource, Mode, ModelNumbers, Op,
    Outcome, Policy, ProjectId, ProjectSettings, Query, Route, RouteLimits, Session, SessionPlace,
    SettingsChange, Suggestion, ToolCaps, TurnLimits, TurnOptions, Update, WatchState,
};
use orion_providers::Providers;
use serde_json::json;
use support::{Folder, Gate, Script, within};

use crate::driver_desk::{Desk, new_session, options, tuning, turns_of};

pub(crate) async fn state(engine: &Engine) -> orion_protocol::AppState {
    let Answer::State { state } = engine.query(Query::State).await.unwrap() else { panic!() };
    state
}

#[tokio::test]
async fn reopening_shows_all_earlier_sessions() {
    let model = Script::new().turn(|t| t.text("Alpha.").end("stop")).start();
    let desk = Desk::with(&model).await;
    let told = desk.turn("What is in a.txt?").await;
    let before = state(&desk.engine).await;
    desk.engine.close().await.unwrap();
    let closed =
        desk.engine.submit(Op::NewSession { project_id: desk.project.project_id }).await.unwrap_err();
    assert_eq!(closed.code, Code::Storage);

    let options = options(&desk.data.path(), &model.base_url(), Arc::new(Providers::new(tuning())));
    let engine = Engine::open(options).await.unwrap();
    let after = state(&engine).await;
    assert_eq!(after, before);
    assert_eq!(after.sessions[0].title, "What is in a.txt?");
    let turns = turns_of(&engine, desk.session.session_id).await;
    assert_eq!(turns[0].envelopes.last(), told.envelopes.last());
    model.finish();
}

/// What there is of a project's sessions after a place, page by page.
async fn pages(engine: &Engine, project_id: ProjectId, mut after: Option<SessionPlace>) -> Vec<Vec<Session>> {
    let mut pages = Vec::new();
    loop {
        let Answer::Sessions { sessions, more } =
            engine.query(Query::Sessions { project_id, after }).await.unwrap()
        else {
            panic!()
        };
        after = sessions.last().map(Session::place);
        pages.push(sessions);
        if !more {
            return pages;
        }
    }
}

#[tokio::test]
async fn every_earlier_session_is_reached_however_many_there_are() {
    let desk = Desk::at("http://127.0.0.1:9/v1", Folder::empty()).await;
    let elsewhere = Folder::empty();
    let path = Some(elsewhere.path().display().to_string());
    let Outcome::Project { project: other } = desk.engine.submit(Op::OpenProject { path }).await.unwrap()
    else {
        panic!()
    };
    let of_other = new_session(&desk.engine, &other).await;
    // Many at one moment: they are told apart by their ids.
    let made = join_all((0..450).map(|_| new_session(&desk.engine, &desk.project))).await;
    let ids =
        |sessions: &[Session]| sessions.iter().map(|session| session.session_id).collect::<HashSet<_>>();

    let AppState { sessions: told, older, .. } = state(&desk.engine).await;
    assert_eq!(told.len(), 200);
    assert!(told.is_sorted_by_key(|session| (Reverse(session.updated_at_ms), session.session_id)));
    let left = [made, vec![desk.session.clone(), of_other.clone()]].concat();
    let left: Vec<&Session> =
        left.iter().filter(|session| !ids(&told).contains(&session.session_id)).collect();
    assert_eq!(left.len(), 252);
    let of_left: HashSet<ProjectId> = left.iter().map(|session| session.project_id).collect();
    assert_eq!(HashSet::from_iter(older), of_left);

    // From what the state tells on, and from the beginning.
    let project_id = desk.project.project_id;
    let after = told.last().map(Session::place);
    let further =
        [pages(&desk.engine, project_id, after).await, pages(&desk.engine, other.project_id, after).await];
    assert_eq!(ids(&further.concat().concat()), left.iter().map(|session| session.session_id).collect());
    let own = told.into_iter().filter(|session| session.project_id == project_id);
    let whole = pages(&desk.engine, project_id, None).await;
    assert_eq!(whole.iter().map(Vec::len).collect::<Vec<_>>(), [200, 200, 51]);
    assert_eq!(whole.concat(), own.chain(further[0].concat()).collect::<Vec<_>>());
    assert_eq!(pages(&desk.engine, other.project_id, None).await, [[of_other]]);
}

#[tokio::test]
async fn projects_and_sessions_are_made_renamed_and_taken_out() {
    let desk = Desk::at("http://127.0.0.1:9/v1", Folder::empty()).await;
    let mut updates = desk.engine.updates();
    let session = new_session(&desk.engine, &desk.project).await;
    let op = Op::RenameSession { session_id: session.session_id, title: "  Pears\nand plums ".into() };
    let Outcome::Session { session: renamed } = desk.engine.submit(op).await.unwrap() else { panic!() };
    assert_eq!(renamed.title, "Pears and plums");
    assert_eq!(
        desk.engine.submit(Op::DeleteSession { session_id: session.session_id }).await,
        Ok(Outcome::Deleted { remains: None })
    );
    let project_id = desk.project.project_id;
    assert_eq!(
        desk.engine.submit(Op::ForgetProject { project_id }).await,
        Ok(Outcome::Deleted { remains: None })
    );
    let told: Vec<Update> = std::iter::from_fn(|| updates.try_recv().ok()).collect();
    assert_eq!(
        told,
        [
            Update::Session { session: session.clone() },
            Update::Session { session: renamed },
            Update::SessionDeleted { session_id: session.session_id },
            Update::ProjectForgotten { project_id },
        ]
    );
    let left = state(&desk.engine).await;
    assert_eq!((left.projects, left.sessions), (vec![], vec![]));
    assert!(desk.folder.path().is_dir(), "its files stay");
}

#[tokio::test]
async fn a_project_whose_folder_is_gone_is_listed_as_such() {
    let desk = Desk::at("http://127.0.0.1:9/v1", Folder::empty()).await;
    // The answer does not wait for the folder: what is seen of it comes after. The look that the first answer asks for may be the one that
    // sees it.
    let mut updates = desk.engine.updates();
    assert!(state(&desk.engine).await.projects[0].available);
    std::fs::remove_dir_all(desk.folder.path()).unwrap();
    let gone = async {
        loop {
            state(&desk.engine).await;
            if let Ok(Update::Project { project }) = updates.recv().await {
                return project;
            }
        }
    };
    let gone = within("the project to be told of as gone", gone).await;
    assert_eq!((gone.project_id, gone.available), (desk.project.project_id, false));
    assert!(!state(&desk.engine).await.projects[0].available);
    let started = desk.engine.run_turn(desk.session.session_id, "Hello?".into(), Default::default()).await;
    assert_eq!(started.unwrap_err().code, Code::ProjectUnreadable);
}

#[tokio::test]
async fn settings_are_saved_told_and_in_force() {
    let desk = Desk::at("http://127.0.0.1:9/v1", Folder::empty()).await;
    let mut updates = desk.engine.updates();
    let change = SettingsChange {
        two_stage_enabled: Some(false),
        mode: Some(Mode::Plan),
        ..SettingsChange::default()
    };
    assert_eq!(desk.engine.submit(Op::SaveSettings { change }).await, Ok(Outcome::Done));
    let Update::Settings { settings } = within("the settings", updates.recv()).await.unwrap() else {
        panic!()
    };
    assert_eq!((settings.two_stage_enabled, settings.mode), (false, Mode::Plan));
    assert_eq!(settings.limits, TurnLimits::default(), "nobody set any; the defaults are the route's");
    assert_eq!(state(&desk.engine).await.settings, *settings);
    assert!(std::fs::read_to_string(&settings.config_file).unwrap().contains("two_stage_enabled = false"));
}

/// T4: the window lays what was set over the defaults of the route that a turn asks for. A default of one route among the
/// settings would be taken for a number that was set, and give the other route wrong bounds.
#[tokio::test]
async fn the_limits_of_the_settings_give_each_route_the_bounds_of_its_turns() {
    let some = TurnLimits { max_cycles: Some(5), ..TurnLimits::default() };
    for limits in [TurnLimits::default(), some] {
        let model =
            Script::new().turn(|t| t.text("A.").end("stop")).turn(|t| t.text("B.").end("stop")).start();
        let desk = Desk::with(&model).await;
        let change = SettingsChange { limits, ..SettingsChange::default() };
        assert_eq!(desk.engine.submit(Op::SaveSettings { change }).await, Ok(Outcome::Done));
        let set = state(&desk.engine).await.settings.limits;
        assert_eq!(set, limits);
        for route in [Route::TwoStage, Route::Unified] {
            let options = TurnOptions { route: Some(route), ..TurnOptions::default() };
            let told = desk.read(desk.ask_with("Hello?", options).await).await;
            let caps = ToolCaps { commands: Some(u32::MAX), ..ToolCaps::default() };
            let policy = Policy::of(route, set.over(Policy::offering(true, route).limits()));
            assert_eq!(told.report.bounds, Bounds::within(&policy, &ModelNumbers::default(), caps));
        }
        model.finish();
    }
}

/// The settings in force in the desk's project, as the window asks for them.
async fn in_project(desk: &Desk) -> ProjectSettings {
    let query = Query::ProjectSettings { project_id: desk.project.project_id };
    let Answer::ProjectSettings { settings } = desk.engine.query(query).await.unwrap() else { panic!() };
    settings
}

/// T4, P3: the composer shows these numbers before a turn starts, so they must be the turn's.
#[tokio::test]
async fn the_settings_of_a_project_give_each_route_the_bounds_and_the_mode_of_its_turns() {
    let model = Script::new().turn(|t| t.text("A.").end("stop")).turn(|t| t.text("B.").end("stop")).start();
    let lower = "mode = 'plan'\n[limits]\nmax_cycles = 2\nmax_tools = 6\n";
    let desk = Desk::at(&model.base_url(), Folder::with([(".orion/config.toml", lower)])).await;
    let limits =
        TurnLimits { max_cycles: Some(5), max_tools: Some(8), max_duplicates: None, ..TurnLimits::default() };
    let change = SettingsChange { limits, ..SettingsChange::default() };
    assert_eq!(desk.engine.submit(Op::SaveSettings { change }).await, Ok(Outcome::Done));

    let settings = in_project(&desk).await;
    let both = TurnLimits {
        max_cycles: Some(2),
        max_tools: Some(6),
        max_duplicates: Some(3),
        ..Policy::two_stage().limits()
    };
    let shown = ProjectSettings {
        project_id: desk.project.project_id,
        two_stage_enabled: true,
        mode: Mode::Plan,
        limits: RouteLimits { two_stage: both, plan: both, unified: both },
        asked: settings.asked.clone(),
        tools: vec![],
        problems: vec![],
    };
    assert_eq!(settings, shown);
    for route in [Route::TwoStage, Route::Unified] {
        let options = TurnOptions { route: Some(route), ..TurnOptions::default() };
        let told = desk.read(desk.ask_with("Hello?", options).await).await;
        let report = told.report;
        assert_eq!(
            (report.mode, report.bounds),
            (shown.mode, Bounds::of(&Policy::of(route, both), &ModelNumbers::default()))
        );
    }
    model.finish();
}

#[tokio::test]
async fn without_a_file_of_its_own_a_project_goes_by_the_defaults_of_each_route() {
    let desk = Desk::at("http://127.0.0.1:9/v1", Folder::empty()).await;
    let limits = |route, commands| Policy::offering(commands, route).limits();
    let limits = RouteLimits {
        two_stage: limits(Route::TwoStage, true),
        plan: limits(Route::TwoStage, false),
        unified: limits(Route::Unified, true),
    };
    assert_eq!(in_project(&desk).await.limits, limits);
    assert_eq!((limits.two_stage.max_cycles, limits.plan.max_cycles), (Some(8), Some(3)));
}

/// P3: the steps of a turn are by what its model is offered.
#[tokio::test]
async fn a_turn_has_8_steps_where_its_model_is_offered_commands_and_3_where_it_is_not() {
    let model = Script::new()
        .turn(|t| t.text("A.").end("stop"))
        .turn(|t| t.text("B.").end("stop"))
        .turn(|t| t.text("C.").end("stop"))
        .start();
    let denied = "[tools.run_command]\npermission = 'deny'\n";
    for (file, mode, steps) in [("", Mode::Act, 8), ("", Mode::Plan, 3), (denied, Mode::Act, 3)] {
        let desk = Desk::at(&model.base_url(), Folder::with([(".orion/config.toml", file)])).await;
        let options = TurnOptions { mode: Some(mode), ..TurnOptions::default() };
        let told = desk.read(desk.ask_with("Hello?", options).await).await;
        let most = Policy { max_cycles: steps, ..Policy::two_stage() };
        let bounds = told.report.bounds;
        assert_eq!(
            (bounds.tool_runs, bounds.model_calls),
            (steps, Bounds::of(&most, &ModelNumbers::default()).model_calls)
        );
    }
    model.finish();
}

#[tokio::test]
async fn what_is_wrong_in_a_projects_file_is_told_when_it_is_opened_and_when_a_turn_begins() {
    let model = Script::new().turn(|t| t.text("A.").end("stop")).start();
    let folder = Folder::with([(".orion/config.toml", "[limits]\nmax_cycles = 24\n")]);
    let desk = Desk::at(&model.base_url(), folder).await;
    desk.data.write("config/config.toml", "mode = 'fast'\n");
    let change = SettingsChange { two_stage_enabled: Some(true), ..SettingsChange::default() };
    assert_eq!(desk.engine.submit(Op::SaveSettings { change }).await, Ok(Outcome::Done));
    let opened = in_project(&desk).await;
    let [problem] = opened.problems.as_slice() else { panic!("{:?}", opened.problems) };
    assert_eq!(problem.code, Code::ConfigInvalid);
    assert!(problem.message.contains("`limits.max_cycles` asks for 24, and you allow 8"), "{problem:?}");

    desk.folder.write(".orion/config.toml", "[limits]\nmax_cycles = 1\n");
    let mut updates = desk.engine.updates();
    desk.turn("Hello?").await;
    let Update::ProjectSettings { settings } = within("the settings", updates.recv()).await.unwrap() else {
        panic!()
    };
    assert_eq!(settings, in_project(&desk).await);
    assert_eq!((settings.limits.two_stage.max_cycles, settings.problems), (Some(1), vec![]));
    model.finish();
}

#[tokio::test]
async fn an_endpoint_is_saved_without_its_key_and_taken_out_again() {
    let model = Script::new().models(["small", "large"]).start();
    let desk = Desk::with(&model).await;
    let change = EndpointChange {
        name: "mine".into(),
        base_url: model.base_url(),
        model: "small".into(),
        api_key: Some(KeyInput("sk-a-key-that-nobody-may-see".into())),
        key_variable: None,
        allow_http: false,
        window: None,
        max_output_tokens: None,
        models: std::collections::BTreeMap::new(),
        make_default: false,
    };
    assert_eq!(desk.engine.submit(Op::SaveEndpoint { change }).await, Ok(Outcome::Done));
    let settings = state(&desk.engine).await.settings;
    let mine = settings.endpoints.iter().find(|endpoint| endpoint.name == "mine").unwrap();
    // There is no keychain here: the key lasts as long as the window.
    assert_eq!((mine.key.clone(), settings.keychain), (KeySource::Memory, false));
    let file = std::fs::read_to_string(&settings.config_file).unwrap();
    assert!(file.contains("mine") && !file.contains("sk-a-key"), "{file}");
    let Answer::Models { models } =
        desk.engine.query(Query::Models { endpoint: "mine".into() }).await.unwrap()
    else {
        panic!()
    };
    assert_eq!(models.iter().map(|m| m.id.as_str()).collect::<Vec<_>>(), ["small", "large"]);
    assert_eq!(
        model.listings()[0].header("authorization"),
        Some("Bearer sk-a-key-that-nobody-may-see"),
        "the key goes to its endpoint"
    );
    let probe = Query::Probe {
        base_url: model.base_url(),
        api_key: None,
        key_variable: None,
        endpoint: None,
        allow_http: false,
    };
    assert!(matches!(desk.engine.query(probe).await, Ok(Answer::Models { models }) if models.len() == 2));
    // The key that is kept is tried at its own server alone.
    let with_its_key = |base_url: String| Query::Probe {
        base_url,
        api_key: None,
        key_variable: None,
        endpoint: Some("mine".into()),
        allow_http: false,
    };
    desk.engine.query(with_its_key(model.base_url())).await.unwrap();
    let key = |at: usize| model.listings()[at].header("authorization").map(str::to_owned);
    assert_eq!((key(1), key(2).as_deref()), (None, Some("Bearer sk-a-key-that-nobody-may-see")));
    let elsewhere = Script::new().models(["other"]).start();
    desk.engine.query(with_its_key(elsewhere.base_url())).await.unwrap();
    assert_eq!(elsewhere.listings()[0].header("authorization"), None);
    elsewhere.finish();
    assert_eq!(desk.engine.submit(Op::RemoveEndpoint { name: "mine".into() }).await, Ok(Outcome::Done));
    let gone = desk.engine.submit(Op::RemoveEndpoint { name: "mine".into() }).await.unwrap_err();
    assert_eq!(gone.code, Code::NoEndpoint);
    let settings = state(&desk.engine).await.settings;
    let names: Vec<_> = settings.endpoints.iter().map(|endpoint| endpoint.name.as_str()).collect();
    assert_eq!(names, ["scripted", "demo"]);
    model.finish();
}

#[tokio::test]
async fn files_suggestions_and_tools_are_those_of_the_folder() {
    let folder = Folder::with([("README.md", "# Pears\n"), ("src/main.rs", "fn main() {}\n")]);
    let desk = Desk::at("http://127.0.0.1:9/v1", folder).await;
    let project_id = desk.project.project_id;
    let query = Query::Files { project_id, filter: "MAIN".into(), limit: 10 };
    let Answer::Files { files, truncated, .. } = desk.engine.query(query).await.unwrap() else { panic!() };
    assert_eq!(files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["src/main.rs"]);
    assert!(!truncated);
    let query = Query::Suggestions { project_id };
    let Answer::Suggestions { suggestions, found } = desk.engine.query(query).await.unwrap() else {
        panic!()
    };
    assert_eq!(found, FolderFound { files: 2, more: false, agents: None, git: false });
    assert!(suggestions.contains(&Suggestion { text: "Summarize README.md".into() }));
    let query = Query::Tools { project_id: Some(project_id) };
    let Answer::Tools { tools } = desk.engine.query(query).await.unwrap() else { panic!() };
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "ask_user",
            "file_info",
            "list_files",
            "read_file",
            "read_output",
            "run_command",
            "search_files",
            "write_plan_begin",
        ]
    );
}

#[tokio::test]
async fn a_change_on_disk_is_told_once_somebody_looked_at_the_files() {
    let desk = Desk::at("http://127.0.0.1:9/v1", Folder::empty()).await;
    let project_id = desk.project.project_id;
    let mut updates = desk.engine.updates();
    desk.engine.query(Query::Files { project_id, filter: String::new(), limit: 10 }).await.unwrap();
    within("the watch and then the change", async {
        let mut seen = 0;
        while seen < 2 {
            let Update::FilesChanged { project_id: of, .. } = updates.recv().await.unwrap() else { panic!() };
            assert_eq!(of, project_id);
            seen += 1;
            // The window then reads the project's settings anew, which may be what changed.
            desk.folder.write(".orion/config.toml", "mode = 'plan'\n");
        }
    })
    .await;
}

#[tokio::test]
async fn a_folder_that_went_and_came_back_is_watched_anew() {
    // D3
    let desk = Desk::at("http://127.0.0.1:9/v1", Folder::empty()).await;
    let (project_id, folder) = (desk.project.project_id, desk.folder.path());
    let mut updates = desk.engine.updates();
    let mut until = async |wanted: fn(&WatchState) -> bool| {
        within("the state of the watch", async {
            loop {
                match updates.recv().await.unwrap() {
                    Update::FilesChanged { watch, .. } if wanted(&watch) => break,
                    _ => {}
                }
            }
        })
        .await;
    };
    let files = || Query::Files { project_id, filter: String::new(), limit: 10 };
    desk.engine.query(files()).await.unwrap();
    until(|watch| *watch == WatchState::Watching).await;
    std::fs::remove_dir_all(&folder).unwrap();
    until(|watch| matches!(watch, WatchState::Off(_))).await;
    std::fs::create_dir(&folder).unwrap();
    desk.engine.query(files()).await.unwrap();
    until(|watch| *watch == WatchState::Watching).await;
}

// X2: the meter follows the turn that runs.
#[tokio::test]
async fn while_a_turn_runs_the_view_of_its_session_is_of_what_the_turn_has_by_then() {
    let gate = Gate::new();
    let read = json!({"path": "a.txt"});
    let model = Script::new()
        // What comes after the call is not read (P4).
        .turn(|t| t.usage(2_000, 20).call("read_file", read).end("tool_calls"))
        .turn(|t| t.text("It ").hold(&gate).text("says hello.").usage(2_100, 5).end("stop"))
        .start();
    let desk = Desk::with(&model).await;
    let filled = async || {
        let query = Query::Context { session_id: desk.session.session_id, options: TurnOptions::default() };
        let Answer::Context { view } = desk.engine.query(query).await.unwrap() else { panic!() };
        view
    };
    let before = filled().await;
    assert_eq!((before.counted, before.parts.len()), (false, 2));
    let turn = desk.ask("What is in a.txt?").await;
    gate.reached().await;
    let during = filled().await;
    let own = during.parts.last().unwrap();
    assert_eq!((own.text.as_str(), own.request_id), ("What is in a.txt?", Some(turn.request_id())));
    let boxes: Vec<&str> = own.boxes.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(boxes, ["read_file"]);
    // The first call was counted; the result came since.
    assert!(during.counted && during.tokens > 2_000, "{during:?}");
    gate.open();
    desk.read(turn).await;
    let after = filled().await;
    assert!(after.tokens >= 2_100 && after.parts.last().unwrap().count > own.count, "{after:?}");
    model.finish();
}
