//! Where a key may go, and what may be taken for one.

use std::fs;
use std::sync::Arc;

use orion_engine::config::{Config, Environment, KeyPlace, save_endpoint};
use orion_engine::secrets::{KeyStore, Keychain, Redactor};
use orion_engine::{Engine, EngineOptions};
use orion_protocol::{
    Code, EndpointChange, ErrorInfo, KeyInput, KeySource, Op, Outcome, Query, SettingsChange, StopReason,
    TurnOptions,
};
use orion_providers::Providers;
use support::{Folder, Script, ScriptedModel};

use crate::config::said;
use crate::driver_desk::{Desk, options, tuning};
use crate::driver_facade::state;

fn change(base_url: &str) -> EndpointChange {
    EndpointChange {
        name: "mine".into(),
        base_url: base_url.into(),
        model: "small".into(),
        api_key: None,
        key_variable: None,
        allow_http: false,
        window: None,
        max_output_tokens: None,
        models: std::collections::BTreeMap::new(),
        make_default: false,
    }
}

fn with_variable(name: &str) -> EndpointChange {
    EndpointChange { key_variable: Some(name.into()), ..change("https://host.example/v1") }
}

async fn save(desk: &Desk, change: EndpointChange) -> Result<Outcome, ErrorInfo> {
    desk.engine.submit(Op::SaveEndpoint { change }).await
}

#[tokio::test]
async fn a_key_that_was_given_for_one_server_goes_to_no_other() {
    let (first, second) = (Script::new().models(["small"]).start(), Script::new().models(["small"]).start());
    let desk = Desk::with(&Script::new().start()).await;
    let key = || Some(KeyInput("sk-for-the-first-alone".into()));
    save(&desk, EndpointChange { api_key: key(), ..change(&first.base_url()) }).await.unwrap();
    let source = async || {
        let endpoints = state(&desk.engine).await.settings.endpoints;
        endpoints.into_iter().find(|endpoint| endpoint.name == "mine").unwrap().key
    };
    let ask = async || desk.engine.query(Query::Models { endpoint: "mine".into() }).await.map(drop);

    // Another model or path at the same server keeps it.
    let same = format!("{}/", first.base_url());
    save(&desk, EndpointChange { model: "large".into(), ..change(&same) }).await.unwrap();
    assert_eq!((source().await, ask().await), (KeySource::Memory, Ok(())));
    assert_eq!(first.listings()[0].header("authorization"), Some("Bearer sk-for-the-first-alone"));

    save(&desk, change(&second.base_url())).await.unwrap();
    assert_eq!((source().await, ask().await), (KeySource::None, Ok(())));
    assert_eq!(second.listings()[0].header("authorization"), None);

    // Nor does it come back with the server.
    save(&desk, change(&first.base_url())).await.unwrap();
    assert_eq!(source().await, KeySource::None);
    save(&desk, EndpointChange { api_key: key(), ..change(&second.base_url()) }).await.unwrap();
    assert_eq!(source().await, KeySource::Memory);
    first.finish();
    second.finish();
}

#[tokio::test]
async fn an_address_that_was_edited_in_the_file_is_not_sent_the_key() {
    let (first, second) = (Script::new().start(), Script::new().models(["small"]).start());
    let desk = Desk::with(&Script::new().start()).await;
    let api_key = Some(KeyInput("sk-for-the-first-alone".into()));
    save(&desk, EndpointChange { api_key, ..change(&first.base_url()) }).await.unwrap();
    let file = desk.data.path().join("config/config.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace(&first.base_url(), &second.base_url())).unwrap();
    // Whatever is saved next reads the file anew.
    desk.engine.submit(Op::SaveSettings { change: SettingsChange::default() }).await.unwrap();

    let ask = async || desk.engine.query(Query::Models { endpoint: "mine".into() }).await.map(drop);
    let origin = |url: &str| url.trim_end_matches("/v1").to_owned();
    let error = ErrorInfo::new(
        Code::Authentication,
        format!(
            "The key of mine was given for {}, so it is not sent to {}.",
            origin(&first.base_url()),
            origin(&second.base_url())
        ),
        "Enter the key again in the settings of this endpoint, or correct its base_url in config.toml.",
    );
    assert_eq!(ask().await, Err(error));
    assert!(second.listings().is_empty());

    let api_key = Some(KeyInput("sk-for-the-second".into()));
    save(&desk, EndpointChange { api_key, ..change(&second.base_url()) }).await.unwrap();
    assert_eq!(ask().await, Ok(()));
    assert_eq!(second.listings()[0].header("authorization"), Some("Bearer sk-for-the-second"));
    first.finish();
    second.finish();
}

#[test]
fn a_variable_that_is_not_called_a_key_is_saved_only_when_the_file_confirms_it() {
    let folder = Folder::empty();
    let file = folder.path().join("config.toml");
    for name in ["HOME", "PATH", "KEY_OF_THE_HOUSE", "AWS_SECRET"] {
        let error = save_endpoint(&file, &with_variable(name), KeyPlace::Nowhere).unwrap_err();
        assert_eq!((error.code, file.exists()), (Code::ConfigInvalid, false), "{name}");
    }
    for name in ["WORK_KEY", "HF_TOKEN"] {
        assert_eq!(save_endpoint(&file, &with_variable(name), KeyPlace::Nowhere), Ok(()), "{name}");
    }
    let confirmed = "[endpoints.mine]\nbase_url = 'https://host.example/v1'\nmodel = 'm'\nkey_variable = 'HOUSE'\n\
                     key_variable_confirmed = true\n";
    folder.write("config.toml", confirmed);
    assert_eq!(save_endpoint(&file, &with_variable("HOUSE"), KeyPlace::Nowhere), Ok(()));
    let endpoint =
        || Config::load(&file, &Environment::default()).without_project().endpoints["mine"].clone();
    let variable = endpoint().key_variable.map(|variable| variable.to_string());
    assert_eq!((variable.as_deref(), endpoint().key_variable_confirmed), (Some("HOUSE"), true));

    // It was confirmed for this server, and no other variable was.
    let elsewhere =
        |name: &str| EndpointChange { key_variable: Some(name.into()), ..change("https://other.example/v1") };
    for change in [with_variable("HOME"), elsewhere("HOUSE")] {
        assert_eq!(save_endpoint(&file, &change, KeyPlace::Nowhere).unwrap_err().code, Code::ConfigInvalid);
    }
    // Nor does a confirmation stay behind for whatever comes next.
    for change in [with_variable("WORK_KEY"), elsewhere("WORK_KEY"), change("https://host.example/v1")] {
        folder.write("config.toml", confirmed);
        assert_eq!(save_endpoint(&file, &change, KeyPlace::Nowhere), Ok(()));
        assert!(!endpoint().key_variable_confirmed);
    }
}

#[test]
fn a_variable_in_the_file_that_is_not_called_a_key_is_left_out_unless_it_is_confirmed() {
    let text = "[endpoints.mine]\nbase_url = 'https://host.example/v1'\nmodel = 'm'\nkey_variable = 'HOME'\n";
    let read = |text: &str| {
        let folder = Folder::with([("config.toml", text)]);
        let file = folder.path().join("config.toml");
        let mut settings = Config::load(&file, &Environment::default()).without_project();
        for problem in &mut settings.problems {
            problem.message = problem.message.replace(&format!("{}/", folder.path().display()), "");
        }
        (settings.endpoints["mine"].key_variable.clone(), said(&settings))
    };
    assert_eq!(
        read(text),
        (
            None,
            vec![(
                "config.toml:4:1: `endpoints.mine.key_variable` names HOME, which is not called a key."
                    .to_owned(),
                "Name a variable that ends in _KEY or _TOKEN. If this one does hold the endpoint's key, say \
                 key_variable_confirmed = true beside it."
                    .to_owned()
            )]
        )
    );
    let (variable, problems) = read(&format!("{text}key_variable_confirmed = true\n"));
    assert_eq!((variable.map(|name| name.to_string()), problems), (Some("HOME".to_owned()), vec![]));
}

#[tokio::test]
async fn a_probe_sends_no_variable_that_is_not_called_a_key_unless_the_file_confirms_it_for_this_server() {
    let (mine, other) = (Script::new().models(["small"]).start(), Script::new().models(["small"]).start());
    let data = Folder::empty();
    data.write(
        "config/config.toml",
        format!(
            "[endpoints.mine]\nbase_url = '{}'\nmodel = 'm'\nkey_variable = 'HOUSE'\nkey_variable_confirmed = true\n",
            mine.base_url()
        ),
    );
    let environment: Environment =
        [("HOME", "/home/me"), ("HOUSE", "of-the-house"), ("WORK_KEY", "of-work")].into_iter().collect();
    let no_keychain = Keychain::with(|| Err(keyring_core::Error::NoDefaultStore));
    let options = EngineOptions {
        keys: KeyStore::new(environment.clone(), no_keychain, Redactor::default()),
        environment,
        ..options(&data.path(), &mine.base_url(), Arc::new(Providers::new(tuning())))
    };
    let engine = Engine::open(options).await.unwrap();
    let sent = async |server: &ScriptedModel, variable: &str, endpoint: Option<&str>| {
        let probe = Query::Probe {
            base_url: server.base_url(),
            api_key: None,
            key_variable: Some(variable.into()),
            endpoint: endpoint.map(str::to_owned),
            allow_http: false,
        };
        engine.query(probe).await.unwrap();
        server.listings().last().unwrap().header("authorization").map(str::to_owned)
    };
    for server in [&mine, &other] {
        for variable in ["HOME", "PATH", "HOUSE"] {
            assert_eq!(sent(server, variable, None).await, None, "{variable}");
        }
        assert_eq!(sent(server, "HOME", Some("mine")).await, None);
        assert_eq!(sent(server, " WORK_KEY ", None).await.as_deref(), Some("Bearer of-work"));
    }
    assert_eq!(sent(&other, "HOUSE", Some("mine")).await, None);
    assert_eq!(sent(&mine, "HOUSE", Some("mine")).await.as_deref(), Some("Bearer of-the-house"));
    mine.finish();
    other.finish();
}

// P10
#[tokio::test]
async fn a_finish_reason_that_a_person_accepts_is_saved_and_means_a_whole_answer_from_then_on() {
    let words = ["out_of_words", "Out_Of_Words", "OTHER"];
    let model =
        words.iter().fold(Script::new(), |script, word| script.turn(|t| t.text("So.").end(word))).start();
    let desk = Desk::with(&Script::new().start()).await;
    save(&desk, change(&model.base_url())).await.unwrap();
    let ask = async || {
        let options = TurnOptions { endpoint: Some("mine".into()), ..TurnOptions::default() };
        let turn = desk.ask_with("Well?", options).await;
        desk.read(turn).await.report.stop_reason
    };
    let accept = async |endpoint: &str, reason: &str| {
        let op = Op::AcceptFinishReason { endpoint: endpoint.into(), reason: reason.into() };
        desk.engine.submit(op).await.map_err(|error| error.code)
    };
    assert_eq!(ask().await, StopReason::Unknown);
    assert_eq!(accept("mine", " out_of_words\n").await, Ok(Outcome::Done));
    assert_eq!(accept("mine", "OUT_OF_WORDS").await, Ok(Outcome::Done));
    assert_eq!(ask().await, StopReason::Answered);
    assert_eq!(ask().await, StopReason::Unknown);

    let file = desk.data.path().join("config/config.toml");
    let saved = fs::read_to_string(&file).unwrap();
    assert!(saved.contains("accepted_finish_reasons = [\"out_of_words\"]\n"), "once: {saved}");
    // What another change of the endpoint does not take away.
    save(&desk, EndpointChange { model: "large".into(), ..change(&model.base_url()) }).await.unwrap();
    let endpoint = Config::load(&file, &Environment::default()).without_project().endpoints["mine"].clone();
    assert_eq!(endpoint.accepted(), ["out_of_words"]);

    let saved = fs::read_to_string(&file).unwrap();
    assert_eq!(accept("mine", "two words").await, Err(Code::ConfigInvalid));
    assert_eq!(accept("mine", &"x".repeat(65)).await, Err(Code::ConfigInvalid));
    assert_eq!(accept("nobody", "done").await, Err(Code::NoEndpoint));
    for number in 1..32 {
        assert_eq!(accept("mine", &format!("done_{number}")).await, Ok(Outcome::Done));
    }
    assert_eq!(accept("mine", "done_32").await, Err(Code::ConfigInvalid), "at most 32");
    assert_ne!(fs::read_to_string(&file).unwrap(), saved);
    model.finish();
}

#[test]
fn an_address_on_another_computer_without_encryption_is_saved_only_when_it_is_confirmed() {
    let folder = Folder::empty();
    let file = folder.path().join("config.toml");
    let clear = change("http://192.168.0.2:8000/v1");
    assert_eq!(save_endpoint(&file, &clear, KeyPlace::Nowhere).unwrap_err().code, Code::Unencrypted);
    assert!(!file.exists());
    save_endpoint(&file, &EndpointChange { allow_http: true, ..clear }, KeyPlace::Nowhere).unwrap();
    assert!(Config::load(&file, &Environment::default()).without_project().endpoints["mine"].allow_http);
    save_endpoint(&file, &change("http://localhost:8000/v1"), KeyPlace::Nowhere).unwrap();
    assert!(!Config::load(&file, &Environment::default()).without_project().endpoints["mine"].allow_http);
}

// X2
#[tokio::test]
async fn the_window_of_a_model_is_kept_with_its_endpoint_and_left_to_orion_again() {
    let desk = Desk::with(&Script::new().start()).await;
    let set = |window, max_output_tokens| EndpointChange {
        window,
        max_output_tokens,
        ..change("https://host.example/v1")
    };
    let numbers = async || {
        let endpoints = state(&desk.engine).await.settings.endpoints;
        let mine = endpoints.into_iter().find(|endpoint| endpoint.name == "mine").unwrap();
        (mine.window, mine.max_output_tokens)
    };
    save(&desk, set(Some(8_192), Some(2_048))).await.unwrap();
    assert_eq!(numbers().await, (Some(8_192), Some(2_048)));
    let file = desk.data.path().join("config/config.toml");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("window = 8192\nmax_output_tokens = 2048\n"), "{text}");
    for (wrong, expected) in [
        (set(Some(1_023), None), "The window must be a whole number from 1024 to 10000000."),
        (set(None, Some(0)), "The limit of an answer must be a whole number from 1 to 10000000."),
    ] {
        assert_eq!(save(&desk, wrong).await.unwrap_err().message, expected);
    }
    assert_eq!(numbers().await, (Some(8_192), Some(2_048)), "nothing was saved");
    save(&desk, set(None, None)).await.unwrap();
    assert_eq!(numbers().await, (None, None));
}
