//! Where a key may go, and what may be taken for one.

use orion_engine::config::{Config, Environment, save_endpoint};
use orion_protocol::{Code, EndpointChange, ErrorInfo, KeyInput, KeySource, Op, Query, Reply};
use support::{Folder, Script};

use crate::config::said;
use crate::driver_desk::Desk;
use crate::driver_facade::state;

fn change(base_url: &str) -> EndpointChange {
    EndpointChange {
        name: "mine".into(),
        base_url: base_url.into(),
        model: "small".into(),
        api_key: None,
        key_variable: None,
        allow_http: false,
        make_default: false,
    }
}

fn with_variable(name: &str) -> EndpointChange {
    EndpointChange { key_variable: Some(name.into()), ..change("https://host.example/v1") }
}

async fn save(desk: &Desk, change: EndpointChange) -> Result<Reply, ErrorInfo> {
    desk.engine.submit(Op::SaveEndpoint { change }).await
}

#[tokio::test]
async fn a_key_that_was_given_for_one_address_goes_to_no_other() {
    let (first, second) = (Script::new().models(["small"]).start(), Script::new().models(["small"]).start());
    let desk = Desk::with(&Script::new().start()).await;
    let key = || Some(KeyInput("sk-for-the-first-alone".into()));
    save(&desk, EndpointChange { api_key: key(), ..change(&first.base_url()) }).await.unwrap();
    let source = async || {
        let endpoints = state(&desk.engine).await.settings.endpoints;
        endpoints.into_iter().find(|endpoint| endpoint.name == "mine").unwrap().key
    };
    let ask = async || desk.engine.query(Query::Models { endpoint: "mine".into() }).await.map(drop);

    // Another model at the same address keeps it.
    save(&desk, EndpointChange { model: "large".into(), ..change(&first.base_url()) }).await.unwrap();
    assert_eq!((source().await, ask().await), (KeySource::Memory, Ok(())));
    assert_eq!(first.listings()[0].header("authorization"), Some("Bearer sk-for-the-first-alone"));

    save(&desk, change(&second.base_url())).await.unwrap();
    assert_eq!((source().await, ask().await), (KeySource::None, Ok(())));
    assert_eq!(second.listings()[0].header("authorization"), None);

    // Nor does it come back with the address.
    save(&desk, change(&first.base_url())).await.unwrap();
    assert_eq!(source().await, KeySource::None);
    save(&desk, EndpointChange { api_key: key(), ..change(&second.base_url()) }).await.unwrap();
    assert_eq!(source().await, KeySource::Memory);
    first.finish();
    second.finish();
}

#[test]
fn a_variable_that_is_not_called_a_key_is_saved_only_when_the_file_confirms_it() {
    let folder = Folder::empty();
    let file = folder.path().join("config.toml");
    for name in ["HOME", "PATH", "KEY_OF_THE_HOUSE", "AWS_SECRET"] {
        let error = save_endpoint(&file, &with_variable(name), false).unwrap_err();
        assert_eq!((error.code, file.exists()), (Code::ConfigInvalid, false), "{name}");
    }
    for name in ["WORK_KEY", "HF_TOKEN"] {
        assert_eq!(save_endpoint(&file, &with_variable(name), false), Ok(()), "{name}");
    }
    folder.write(
        "config.toml",
        "[endpoints.mine]\nbase_url = 'https://host.example/v1'\nmodel = 'm'\nkey_variable_confirmed = true\n",
    );
    assert_eq!(save_endpoint(&file, &with_variable("HOUSE"), false), Ok(()));
    let endpoint = &Config::load(&file, &Environment::default()).without_project().endpoints["mine"];
    assert_eq!(endpoint.key_variable.as_ref().map(|variable| variable.as_str()), Some("HOUSE"));
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

#[test]
fn an_address_on_another_computer_without_encryption_is_saved_only_when_it_is_confirmed() {
    let folder = Folder::empty();
    let file = folder.path().join("config.toml");
    let clear = change("http://192.168.0.2:8000/v1");
    assert_eq!(save_endpoint(&file, &clear, false).unwrap_err().code, Code::Unencrypted);
    assert!(!file.exists());
    save_endpoint(&file, &EndpointChange { allow_http: true, ..clear }, false).unwrap();
    assert!(Config::load(&file, &Environment::default()).without_project().endpoints["mine"].allow_http);
    save_endpoint(&file, &change("http://localhost:8000/v1"), false).unwrap();
    assert!(!Config::load(&file, &Environment::default()).without_project().endpoints["mine"].allow_http);
}
