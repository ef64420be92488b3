//! Which model answers when nobody says: settings, then keys in the environment, then the demo model.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Command;
use std::sync::mpsc;

use serde_json::json;
use support::Script;

use super::{Desk, json as parsed, ran};

/// Runs a command that calls out of this computer, behind a proxy that lets nothing through, and says where it wanted to
/// first.
fn wanted(command: &mut Command) -> String {
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", proxy.local_addr().unwrap());
    let (asked, first) = mpsc::channel();
    std::thread::spawn(move || {
        for connection in proxy.incoming() {
            let mut connection = connection.unwrap();
            let mut head = [0; 512];
            let read = connection.read(&mut head).unwrap();
            connection.write_all(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n").unwrap();
            asked.send(String::from_utf8_lossy(&head[..read]).lines().next().unwrap().to_owned()).unwrap();
        }
    });
    let ran = ran(command.env("HTTPS_PROXY", address));
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    first.try_recv().unwrap_or_else(|_| panic!("it called nobody: {}", ran.stderr))
}

#[test]
fn the_first_key_in_the_environment_decides() {
    let keys = [
        ("DEEPSEEK_API_KEY", "CONNECT api.deepseek.com:443 HTTP/1.1"),
        ("OPENAI_API_KEY", "CONNECT api.openai.com:443 HTTP/1.1"),
        ("OPENROUTER_API_KEY", "CONNECT openrouter.ai:443 HTTP/1.1"),
    ];
    for first in 0..keys.len() {
        let desk = Desk::new();
        let mut command = desk.orion(&["run", "Hi"]);
        command.envs(keys[first..].iter().map(|(variable, _)| (variable, "key-of-a-test")));
        assert_eq!(wanted(&mut command), keys[first].1);
    }
}

#[test]
fn openais_variables_can_name_another_server_whose_first_model_is_asked() {
    let model = Script::new()
        .models(["first", "second"])
        .turn(|t| {
            t.expect(|ask| {
                assert_eq!(ask.body["model"], json!("first"));
                assert_eq!(ask.header("authorization"), Some("Bearer key-of-a-test"));
            })
            .text("Hi.")
            .end("stop")
        })
        .start();
    let desk = Desk::new();
    let mut command = desk.orion(&["run", "--json", "Hi"]);
    let ran = ran(command.env("OPENAI_BASE_URL", model.base_url()).env("OPENAI_API_KEY", "key-of-a-test"));
    assert_eq!((ran.code, &parsed(&ran.stdout)["model"]), (Some(0), &json!("first")), "{}", ran.stderr);
    assert_eq!(ran.stderr, "Using OpenAI, since OPENAI_API_KEY is set.\n");
    model.finish();
}

#[test]
fn an_address_in_the_environment_that_is_none_is_an_error_that_names_its_variable() {
    let desk = Desk::new();
    for wrong in ["localhost:8080", "https://me:secret@example.org/v1"] {
        let mut command = desk.orion(&["run", "Hi"]);
        let ran = ran(command.env("OPENAI_BASE_URL", wrong).env("OPENAI_API_KEY", "key-of-a-test"));
        assert_eq!(
            (ran.code, ran.stdout.as_str(), ran.stderr.as_str()),
            (
                Some(1),
                "",
                "Using OpenAI, since OPENAI_API_KEY is set.\n\
                 orion: The environment variable OPENAI_BASE_URL must be an http or https address without a user name or password.\n\
                 Set it to one such as https://api.openai.com/v1, or unset it.\n"
            ),
            "{wrong}"
        );
    }
    // One that nobody uses hinders nobody.
    let mut command = desk.orion(&["run", "--demo", "Hi"]);
    assert_eq!(ran(command.env("OPENAI_BASE_URL", "localhost:8080")).code, Some(0));
}

#[test]
fn the_settings_win_over_keys_in_the_environment_and_the_flag_over_the_settings() {
    let (settings, flag) = (
        Script::new().turn(|t| t.text("From the settings.").end("stop")).start(),
        Script::new().turn(|t| t.text("From the flag.").end("stop")).start(),
    );
    let desk = Desk::with_settings(&format!(
        "default_endpoint = 'work'\n[endpoints.work]\nbase_url = '{}'\nmodel = 'm'\n",
        settings.base_url()
    ));
    let with_key = |command: &mut Command| ran(command.env("DEEPSEEK_API_KEY", "key-of-a-test")).stdout;
    assert_eq!(with_key(&mut desk.orion(&["run", "Hi"])), "From the settings.\n");
    assert_eq!(with_key(&mut desk.run(&flag, &["Hi"])), "From the flag.\n");
    settings.finish();
    flag.finish();
}

#[test]
fn a_key_goes_only_to_the_endpoint_it_was_named_for() {
    let model = Script::new()
        .turn(|t| t.expect(|ask| assert_eq!(ask.header("authorization"), None)).text("Hi.").end("stop"))
        .turn(|t| {
            t.expect(|ask| assert_eq!(ask.header("authorization"), Some("Bearer named-for-this")))
                .text("Hi.")
                .end("stop")
        })
        .start();
    let desk = Desk::new();
    let keys = [("OPENAI_API_KEY", "for-openai-alone"), ("WORK_KEY", "named-for-this")];
    assert_eq!(ran(desk.run(&model, &["Hi"]).envs(keys)).code, Some(0));
    assert_eq!(ran(desk.run(&model, &["--api-key-env", "WORK_KEY", "Hi"]).envs(keys)).code, Some(0));
    model.finish();
}

#[test]
fn a_named_variable_that_is_not_set_is_an_error_that_names_it() {
    let model = Script::new().start();
    let ran = ran(&mut Desk::new().run(&model, &["--api-key-env", "WORK_KEY", "Hi"]));
    assert_eq!(ran.code, Some(1));
    assert_eq!(
        ran.stderr,
        "orion: The environment variable WORK_KEY is not set.\nSet it to the endpoint's key, or leave --api-key-env out.\n\
         On the command line a key comes from an environment variable: name yours with --base-url URL --api-key-env NAME, or set \
         DEEPSEEK_API_KEY, OPENAI_API_KEY or OPENROUTER_API_KEY.\n"
    );
    model.finish();
}

#[test]
fn the_demo_model_really_reads_the_folder_on_either_route() {
    let tour = |route| {
        let ran =
            ran(&mut Desk::new().orion(&["run", "--demo", "--json", "--route", route, "What is here?"]));
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let report = parsed(&ran.stdout);
        let keys = ["route", "status", "stopReason", "toolRuns", "answer"];
        keys.map(|key| report[key].clone())
    };
    let answer = "I am the demo model: scripted, offline, and I really use the tools. First I look at what is in this folder. \n\n\
                  I see 1 file and 1 folder here. I read `notes.txt` next. \n\n\
                  I read 1 line of `notes.txt`. It begins with:\n\n> The answer is 42.\n\n\
                  This was the demo model: it is scripted and runs offline, so it could not weigh your question. To get real \
                  answers, connect a model in the settings: a hosted one with its base URL and key, or a local one such as Ollama.";
    for (route, name) in [("two-stage", "two_stage"), ("unified", "unified")] {
        let came = [json!(name), json!("completed"), json!("answered"), json!(2), json!(answer)];
        assert_eq!(tour(route), came);
    }
}

#[test]
fn plain_http_to_another_computer_is_used_only_when_it_was_confirmed() {
    // Nobody is called: the name has no address (RFC 6761, 6.4).
    let address = "http://model.invalid:8000/v1";
    let told = "orion: Messages to model.invalid would travel unencrypted, so nothing was sent.\n";
    let table = format!("default_endpoint = 'lan'\n[endpoints.lan]\nbase_url = '{address}'\nmodel = 'm'\n");
    let flag = ["run", "--base-url", address, "--model", "m", "Hi"];
    let from_flag = ran(&mut Desk::new().orion(&flag));
    let from_settings = ran(&mut Desk::with_settings(&table).orion(&["run", "Hi"]));
    let from_variable =
        ran(Desk::new().orion(&["run", "--model", "m", "Hi"]).env("OPENAI_BASE_URL", address));
    for refused in [from_flag, from_settings, from_variable] {
        assert_eq!(refused.code, Some(1), "{}", refused.stderr);
        assert!(
            refused.stderr.contains(told) && refused.stderr.contains("--allow-http"),
            "{}",
            refused.stderr
        );
    }
    let confirmed = ran(&mut Desk::new().orion(&[&flag[..], &["--allow-http"]].concat()));
    let in_file = ran(&mut Desk::with_settings(&format!("{table}allow_http = true\n")).orion(&["run", "Hi"]));
    for called in [confirmed, in_file] {
        assert_eq!(called.code, Some(1));
        assert!(!called.stderr.contains("unencrypted"), "{}", called.stderr);
    }
}

#[test]
fn where_a_key_is_missing_the_flag_and_the_variables_are_named() {
    let unregistered =
        r#"{"error":{"code":403,"message":"No unregistered callers.","status":"PERMISSION_DENIED"}}"#;
    for (status, body) in [(401, "{}"), (403, unregistered)] {
        let model = Script::new().turn(|t| t.status(status).body(body)).start();
        let told = ran(&mut Desk::new().run(&model, &["Hi"]));
        assert_eq!((status, told.code), (status, Some(1)));
        for named in ["--api-key-env", "DEEPSEEK_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"] {
            assert!(told.stderr.contains(named), "{}", told.stderr);
        }
        model.finish();
    }
}
