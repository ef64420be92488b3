//! The user's layers: what is read, what wins, and what a fault is said to be.

use std::time::Duration;

use orion_engine::config::{
    BaseUrl, Config, EndpointConfig, Environment, InForce, KeyVariable, project_schema, user_schema,
};
use orion_engine::paths::Paths;
use orion_protocol::{Code, Mode, Permission, Policy, Route, TurnLimits, TurnOptions};
use support::Folder;

/// Settings with this file and these variables, without a project.
fn settings(text: &str, variables: &[(&str, &str)]) -> InForce {
    let folder = Folder::with([("config.toml", text)]);
    let environment = variables.iter().copied().collect::<Environment>();
    let mut settings = Config::load(&folder.path().join("config.toml"), &environment).without_project();
    let place = format!("{}/", folder.path().display());
    for problem in &mut settings.problems {
        problem.message = problem.message.replace(&place, "");
    }
    settings
}

/// The messages and actions of what is wrong in a file. Every one has the same code and none is retryable.
fn problems(text: &str) -> Vec<(String, String)> {
    said(&settings(text, &[]))
}

pub(super) fn said(settings: &InForce) -> Vec<(String, String)> {
    settings
        .problems
        .iter()
        .map(|problem| {
            assert_eq!((problem.code, problem.retryable), (Code::ConfigInvalid, false));
            (problem.message.clone(), problem.action.clone().unwrap())
        })
        .collect()
}

fn pair(message: &str, action: &str) -> (String, String) {
    (message.to_owned(), action.to_owned())
}

fn limits(max_cycles: u32, max_tools: u32, max_duplicates: u32) -> TurnLimits {
    TurnLimits {
        max_cycles: Some(max_cycles),
        max_tools: Some(max_tools),
        max_duplicates: Some(max_duplicates),
        ..Policy::two_stage().limits()
    }
}

#[test]
fn without_a_file_the_defaults_of_the_protocol_are_in_force() {
    let folder = Folder::empty();
    let settings =
        Config::load(&folder.path().join("config.toml"), &Environment::default()).without_project();
    assert_eq!(settings.problems, []);
    assert!(settings.values.two_stage_enabled());
    assert_eq!(settings.values.mode(), Mode::Act);
    assert_eq!(settings.values.default_endpoint, None);
    assert!(settings.endpoints.is_empty());
    assert_eq!((settings.values.result_bytes(), settings.values.instructions_bytes()), (32_768, 8_192));
    assert_eq!(settings.values.idle_timeout_s, None);
    assert_eq!((settings.values.write_session_idle_ms(), settings.values.strict_end_line()), (2_000, false)); // W3, W4
    assert_eq!(settings.policy(&TurnOptions::default(), false), Ok(Policy::two_stage())); // P3
    assert_eq!(settings.policy(&TurnOptions::default(), true), Ok(Policy::offering(true, Route::TwoStage)));
    assert_eq!(settings.permission("read_file", Permission::Allow), Permission::Allow);
    assert_eq!(settings.timeout("read_file", Duration::from_secs(7)), Duration::from_secs(7));
}

#[test]
fn every_key_of_the_file_is_in_force() {
    let settings = settings(
        r#"
        two_stage_enabled = false
        mode = "plan"
        default_endpoint = "work"
        result_bytes = 4096
        idle_timeout_s = 30
        retry_s = 5
        instructions_bytes = 0
        write_session_idle_ms = 500
        strict_end_line = true

        [limits]
        max_cycles = 5
        max_tools = 2
        max_duplicates = 4

        [endpoints.work]
        base_url = "https://api.deepseek.com/v1"
        model = "deepseek-chat"
        key_variable = "WORK_KEY"
        keychain = true

        [tools.read_file]
        permission = "ask"
        timeout_ms = 1500
        "#,
        &[],
    );
    assert_eq!(settings.problems, []);
    assert!(!settings.values.two_stage_enabled());
    assert_eq!(settings.values.mode(), Mode::Plan);
    assert_eq!(settings.values.default_endpoint.as_deref(), Some("work"));
    assert_eq!((settings.values.result_bytes(), settings.values.instructions_bytes()), (4_096, 0));
    assert_eq!((settings.values.idle_timeout_s, settings.values.retry_s()), (Some(30), 5));
    assert_eq!((settings.values.write_session_idle_ms(), settings.values.strict_end_line()), (500, true));
    assert_eq!(
        settings.policy(&TurnOptions::default(), false),
        Ok(Policy::of(Route::Unified, limits(5, 2, 4)))
    );
    let work = EndpointConfig {
        key_variable: KeyVariable::new("WORK_KEY"),
        keychain: true,
        ..EndpointConfig::at(BaseUrl::new("https://api.deepseek.com/v1").unwrap(), "deepseek-chat")
    };
    assert_eq!(settings.endpoints.into_iter().collect::<Vec<_>>(), [("work".to_owned(), work)]);
}

#[test]
fn the_tools_table_sets_permission_and_timeout_of_its_tool_alone() {
    let settings = settings("[tools.read_file]\npermission = 'ask'\ntimeout_ms = 1500\n", &[]);
    let second = Duration::from_secs(1);
    assert_eq!(settings.permission("read_file", Permission::Allow), Permission::Ask);
    assert_eq!(settings.permission("list_files", Permission::Allow), Permission::Allow);
    assert_eq!(settings.timeout("read_file", second), Duration::from_millis(1_500));
    assert_eq!(settings.timeout("list_files", second), second);
}

#[test]
fn the_environment_wins_over_the_file_and_a_turns_options_over_both() {
    let file = "mode = 'plan'\ndefault_endpoint = 'demo'\ntwo_stage_enabled = false\nwrite_session_idle_ms = 500\n[limits]\nmax_cycles = 5\nmax_tools = 5\n";
    let settings = settings(
        file,
        &[
            ("ORION_TWO_STAGE_ENABLED", "1"),
            ("ORION_MAX_PHASE_CYCLES_PER_TURN", "7"),
            ("ORION_TWO_STAGE_MAX_TOOLS", "6"),
            ("ORION_MAX_DUPLICATE_ATTEMPTS_PER_TURN", "8"),
            ("ORION_MODE", "act"),
            ("ORION_ENDPOINT", "elsewhere"),
            ("ORION_WRITE_SESSION_IDLE_MS", "750"),
        ],
    );
    assert_eq!(settings.problems, []);
    assert_eq!(
        (settings.values.mode(), settings.values.default_endpoint.as_deref()),
        (Mode::Act, Some("elsewhere"))
    );
    assert_eq!(settings.values.write_session_idle_ms(), 750);
    assert_eq!(
        settings.policy(&TurnOptions::default(), false),
        Ok(Policy::of(Route::TwoStage, limits(7, 6, 8)))
    );
    let options = TurnOptions {
        route: Some(Route::Unified),
        limits: TurnLimits { max_cycles: Some(1), ..TurnLimits::default() },
        ..TurnOptions::default()
    };
    assert_eq!(settings.policy(&options, false), Ok(Policy::of(Route::Unified, limits(1, 6, 8))));
}

#[test]
fn an_empty_variable_counts_as_not_set() {
    let settings = settings("mode = 'plan'", &[("ORION_MODE", ""), ("ORION_TWO_STAGE_ENABLED", "")]);
    assert_eq!(
        (settings.values.mode(), settings.values.two_stage_enabled(), said(&settings)),
        (Mode::Plan, true, vec![])
    );
}

#[test]
fn a_variable_that_cannot_be_read_is_named_and_ignored() {
    let settings = settings(
        "",
        &[
            ("ORION_TWO_STAGE_ENABLED", "perhaps"),
            ("ORION_TWO_STAGE_MAX_TOOLS", "0"),
            ("ORION_MODE", "build"),
        ],
    );
    assert_eq!(settings.policy(&TurnOptions::default(), false), Ok(Policy::two_stage()));
    let number = "a whole number from 1 to 32";
    assert_eq!(
        said(&settings),
        [
            pair(
                "The environment variable ORION_TWO_STAGE_ENABLED must be true or false; it is ignored.",
                "Set ORION_TWO_STAGE_ENABLED to true or false, or unset it.",
            ),
            pair(
                "The environment variable ORION_MODE must be plan or act; it is ignored.",
                "Set ORION_MODE to plan or act, or unset it.",
            ),
            pair(
                &format!(
                    "The environment variable ORION_TWO_STAGE_MAX_TOOLS must be {number}; it is ignored."
                ),
                &format!("Set ORION_TWO_STAGE_MAX_TOOLS to {number}, or unset it."),
            ),
        ]
    );
}

#[test]
fn an_explicit_request_for_a_route_that_is_off_is_refused() {
    let off = settings("two_stage_enabled = false", &[]);
    let asked = TurnOptions { route: Some(Route::TwoStage), ..TurnOptions::default() };
    assert_eq!(off.policy(&asked, false).unwrap_err().code, Code::RouteDisabled); // P2
    assert_eq!(off.policy(&TurnOptions::default(), false).unwrap().route, Route::Unified);
}

#[test]
fn an_unknown_key_is_named_with_its_place_and_the_nearest_known_one() {
    let correct = "Remove it, or see docs/configuration.md for the keys there are.";
    assert_eq!(
        problems("mode = 'plan'\n\n[limits]\n  max_cycle = 5\ncolour = 1\n[tools.read_file]\ntimeout = 5\n"),
        [
            pair("config.toml:5:1: `limits.colour` is not a setting.", correct),
            pair("config.toml:4:3: `limits.max_cycle` is not a setting.", "Did you mean `max_cycles`?"),
            pair(
                "config.toml:7:1: `tools.read_file.timeout` is not a setting.",
                "Did you mean `timeout_ms`?"
            ),
        ]
    );
}

#[test]
fn a_wrong_value_is_named_with_its_place_and_what_it_must_be() {
    let correct = "Correct the value, or remove the line.";
    let cases = [
        ("limits.max_cycles = 25", "1:8: `limits.max_cycles` must be a whole number from 0 to 24."),
        ("limits.max_tools = -1", "1:8: `limits.max_tools` must be a whole number from 1 to 32."),
        ("\nresult_bytes = '4 KB'", "2:1: `result_bytes` must be a whole number from 1024 to 1048576."),
        ("two_stage_enabled = 'yes'", "1:1: `two_stage_enabled` must be true or false."),
        ("mode = 'build'", "1:1: `mode` must be `act` or `plan`."),
        ("limits = 3", "1:1: `limits` must be a table."),
        ("default_endpoint = 3", "1:1: `default_endpoint` must be text in quotes."),
        (
            "[tools.read_file]\npermission = 'never'",
            "2:1: `tools.read_file.permission` must be `allow` or `ask` or `deny`.",
        ),
        ("[endpoints.a]\nmodel = 'm'", "1:12: `endpoints.a` must be a table that has `base_url`."),
        ("[endpoints.a]\n", "1:12: `endpoints.a` must be a table that has `base_url` and `model`."),
        (
            "[endpoints.a]\nmodel = 'm'\nbase_url = 'ftp://host'",
            "3:1: `endpoints.a.base_url` must be an http or https address without a user name or password, such as \
             https://api.deepseek.com/v1.",
        ),
    ];
    for (text, message) in cases {
        let expected = pair(&format!("config.toml:{message}"), correct);
        assert_eq!(problems(text), [expected], "{text}");
    }
}

#[test]
fn one_wrong_key_leaves_the_others_in_force() {
    let settings =
        settings("mode = 'plan'\nresult_bytes = 'many'\n[limits]\nmax_cycles = 99\nmax_tools = 4\n", &[]);
    assert_eq!(settings.problems.len(), 2);
    assert_eq!((settings.values.mode(), settings.values.result_bytes()), (Mode::Plan, 32_768));
    assert_eq!(
        settings.policy(&TurnOptions::default(), false),
        Ok(Policy::of(Route::TwoStage, limits(3, 4, 3)))
    );
}

#[test]
fn a_fault_in_a_tools_table_denies_that_tool() {
    for text in [
        "[tools.write]\npermission = 'denied'",
        "[tools.write]\npermision = 'deny'",
        "[tools.write]\npermission = 'allow'\ntimeout_ms = 'long'",
        "[tools]\nwrite = 'deny'",
    ] {
        let settings = settings(text, &[]);
        assert_eq!(settings.problems.len(), 1, "{text}");
        assert_eq!(settings.permission("write", Permission::Allow), Permission::Deny, "{text}");
    }
}

#[test]
fn text_that_is_not_toml_is_named_with_line_and_column_and_nothing_of_it_holds() {
    let settings = settings("mode = 'plan'\nlimits = {\nmax_cycles = = 1", &[]);
    assert_eq!(settings.values.mode(), Mode::Act);
    let (message, _) = &said(&settings)[0];
    assert!(
        message.starts_with("config.toml:3:14: this is not valid TOML, so the file is ignored: "),
        "{message}"
    );
}

#[test]
fn a_key_in_the_file_is_refused_and_never_repeated() {
    let secret = "sk-0123456789abcdef";
    for text in [
        "api_key = 'SECRET'",
        "[endpoints.a]\nbase_url = 'https://a/v1'\nmodel = 'm'\napi_key = 'SECRET'",
        "[endpoints.a]\nbase_url = 'https://a/v1'\nmodel = 'm'\napiKey = 'SECRET'",
        "[endpoints.a]\nbase_url = 'https://a/v1'\nmodel = 'm'\naccess-token = 'SECRET'",
        "[endpoints.a]\nbase_url = 'https://a/v1'\nmodel = 'm'\nkey_variable = 'SECRET'",
        "[endpoints.a]\nbase_url = 'https://me:SECRET@a/v1'\nmodel = 'm'",
        "[endpoints]\na = 'SECRET'",
        "mode = 'SECRET'",
        "[limits]\nmax_cycles = 'SECRET'",
        "api_key = SECRET",
        "api_key 'SECRET'",
        "key = \"SECRET",
    ] {
        let settings = settings(&text.replace("SECRET", secret), &[]);
        assert_eq!(settings.problems.len(), 1, "{text}");
        assert!(!format!("{settings:?}").contains(secret), "{text}: {settings:?}");
    }
    assert_eq!(
        problems("[endpoints.a]\nbase_url = 'https://a/v1'\nmodel = 'm'\napi_key = 'sk-1'"),
        [pair(
            "config.toml:4:1: `endpoints.a.api_key` is refused: a key never belongs in a settings file.",
            "Set key_variable to the name of an environment variable that holds the key, or save the key in the window, which \
             puts it into the system's keychain.",
        )]
    );
}

#[test]
fn an_endpoint_cannot_take_a_name_that_is_taken_and_a_default_must_exist() {
    assert_eq!(
        problems("[endpoints.command-line]\nbase_url = 'http://localhost:1/v1'\nmodel = 'm'"),
        [pair(
            "config.toml:1:12: `endpoints.command-line` has the name that is reserved for an endpoint of the command line.",
            "Give this endpoint another name."
        )]
    );
    assert_eq!(
        problems(
            "default_endpoint = 'work'\n[endpoints.demo]\nbase_url = 'http://localhost:1/v1'\nmodel = 'm'"
        ),
        [
            pair(
                "config.toml:2:12: `endpoints.demo` has the name of the built-in demo model.",
                "Give this endpoint another name."
            ),
            pair(
                "config.toml:1:1: `default_endpoint` names `work`, which is not an endpoint of this file.",
                "Add a table [endpoints.work], or name another endpoint."
            ),
        ]
    );
}

#[test]
fn a_file_of_nothing_but_faults_costs_a_bounded_number_of_messages() {
    let text: String = (0..20_000).map(|n| format!("k{n} = 1\n")).collect();
    let problems = problems(&text);
    assert_eq!(problems.len(), 21);
    assert_eq!(
        problems[20],
        pair(
            "config.toml has more than 20 mistakes and is ignored.",
            "Correct the first of them, then start again."
        )
    );
}

#[test]
fn a_file_that_is_too_large_or_no_text_or_no_file_is_said_to_be_so() {
    let folder = Folder::with([("large.toml", vec![b'#'; 262_145]), ("binary.toml", vec![0xff, 0xfe])]);
    std::fs::create_dir(folder.path().join("folder.toml")).unwrap();
    let expected = [
        ("large.toml", "it is larger than 262144 bytes"),
        ("binary.toml", "it is not UTF-8 text"),
        ("folder.toml", "it is not a file"),
    ];
    for (name, reason) in expected {
        let file = folder.path().join(name);
        let settings = Config::load(&file, &Environment::default()).without_project();
        let message =
            format!("The settings file {} cannot be read and is ignored: {reason}.", file.display());
        assert_eq!(said(&settings), [pair(&message, "Put a readable text file there, or remove it.")]);
    }
}

#[test]
fn an_endpoint_for_one_run_becomes_the_default_and_stands_in_no_file() {
    let folder = Folder::with([("config.toml", "default_endpoint = 'demo'")]);
    let file = folder.path().join("config.toml");
    let endpoint = EndpointConfig::at(BaseUrl::new("http://127.0.0.1:9/v1").unwrap(), "m");
    let settings = Config::load(&file, &Environment::default())
        .with_endpoint("flags", endpoint.clone())
        .without_project();
    assert_eq!(settings.values.default_endpoint.as_deref(), Some("flags"));
    assert_eq!(settings.endpoints.get("flags"), Some(&endpoint));
    assert_eq!(folder.read("config.toml"), b"default_endpoint = 'demo'");
}

#[test]
fn the_folders_come_from_the_flag_then_the_environment() {
    let environment: Environment =
        [("ORION_CONFIG_DIR", "/c"), ("ORION_DATA_DIR", "/d")].into_iter().collect();
    let from_environment = Paths::find(&environment, None).unwrap();
    let from_flag = Paths::find(&environment, Some("/flag".as_ref())).unwrap();
    let folders = |paths: &Paths| (paths.config_dir.clone(), paths.data_dir.clone());
    assert_eq!(folders(&from_environment), ("/c".into(), "/d".into()));
    assert_eq!(folders(&from_flag), ("/c".into(), "/flag".into()));
    // Another Orion is in the folder that the flag goes over.
    let is_others = |paths: &Paths| paths.others.iter().any(|folder| folder == "/d");
    assert_eq!((is_others(&from_environment), is_others(&from_flag)), (false, true));
    assert_eq!(from_flag.config_file().to_str(), Some("/c/config.toml"));
}

/// The schemas are made from the types that are read. To write them anew, set ORION_WRITE_SCHEMAS.
#[test]
fn the_published_schemas_are_those_of_the_code() {
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    for (name, schema) in
        [("config.schema.json", user_schema()), ("project-config.schema.json", project_schema())]
    {
        let now = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        if std::env::var_os("ORION_WRITE_SCHEMAS").is_some() {
            std::fs::write(docs.join(name), &now).unwrap();
        }
        let published = std::fs::read_to_string(docs.join(name)).unwrap_or_default();
        assert!(
            published == now,
            "docs/{name} is stale: run this test once with ORION_WRITE_SCHEMAS=1 and commit the file"
        );
    }
}
