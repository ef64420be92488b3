//! A project's settings file is a stranger's: it can make a turn smaller or stricter, and nothing else.

use std::time::Duration;

use orion_core::permission::{Rule, Rules, ToolRules};
use orion_engine::config::{Config, Environment, InForce};
use orion_files::workspace::{Private, Project};
use orion_protocol::{Mode, Permission, Policy, Route, TurnLimits, TurnOptions};
use support::Folder;

use crate::config::said;

/// What is in force in a project with this file, for a user with that one.
fn in_project(project: &str, user: &str, variables: &[(&str, &str)]) -> InForce {
    open(&Folder::with([(".orion/config.toml", project)]), user, variables)
}

fn open(project: &Folder, user: &str, variables: &[(&str, &str)]) -> InForce {
    let home = Folder::with([("config.toml", user)]);
    let config =
        Config::load(&home.path().join("config.toml"), &variables.iter().copied().collect::<Environment>());
    let root = project.path();
    let mut settings = config.for_project(&Project::open(&root, &Private::none()).unwrap());
    for problem in &mut settings.problems {
        problem.message = problem.message.replace(&format!("{}/", root.display()), "");
        problem.action =
            problem.action.take().map(|action| action.replace(&format!("{}/", home.path().display()), "~/"));
    }
    settings
}

fn limits(max_cycles: u32, max_tools: u32, max_duplicates: u32) -> TurnLimits {
    TurnLimits {
        max_cycles: Some(max_cycles),
        max_tools: Some(max_tools),
        max_duplicates: Some(max_duplicates),
        ..Policy::two_stage().limits()
    }
}

fn pair(message: &str, action: &str) -> (String, String) {
    (message.to_owned(), action.to_owned())
}

#[test]
fn a_project_can_lower_and_tighten() {
    let settings = in_project(
        "mode = 'plan'\nresult_bytes = 2048\ninstructions_bytes = 100\n[limits]\nmax_cycles = 2\n[tools.write]\npermission = \
         'ask'\ntimeout_ms = 500\n",
        "[limits]\nmax_cycles = 6\nmax_tools = 4\n",
        &[],
    );
    assert_eq!(settings.problems, []);
    assert_eq!(
        (settings.values.mode(), settings.values.result_bytes(), settings.values.instructions_bytes()),
        (Mode::Plan, 2_048, 100)
    );
    assert_eq!(
        settings.policy(&TurnOptions::default(), false),
        Ok(Policy::of(Route::TwoStage, limits(2, 4, 3)))
    );
    assert_eq!(settings.permission("write", Permission::Allow), Permission::Ask);
    assert_eq!(settings.permission("read", Permission::Allow), Permission::Allow);
    assert_eq!(settings.timeout("write", Duration::from_secs(9)), Duration::from_millis(500));
}

#[test]
fn a_project_cannot_raise_a_number_and_is_told_so() {
    let settings = in_project(
        "result_bytes = 1048576\n[limits]\nmax_cycles = 24\nmax_tools = 32\nmax_duplicates = 24\n[tools.read]\ntimeout_ms = 600000\n",
        "[limits]\nmax_cycles = 5\n",
        &[],
    );
    assert_eq!(
        settings.policy(&TurnOptions::default(), false),
        Ok(Policy::of(Route::TwoStage, limits(5, 1, 3)))
    );
    assert_eq!(settings.values.result_bytes(), 32_768);
    assert_eq!(settings.timeout("read", Duration::from_secs(1)), Duration::from_secs(1));
    let raise = "Raise it in ~/config.toml if you trust this project.";
    let refused = |place: &str, key: &str, asked: u32, allowed: u32| {
        let message = format!(
            ".orion/config.toml:{place}: `{key}` asks for {asked}, and you allow {allowed}: a project can only lower it."
        );
        pair(&message, raise)
    };
    assert_eq!(
        said(&settings),
        [
            refused("1:1", "result_bytes", 1_048_576, 32_768),
            refused("3:1", "limits.max_cycles", 24, 5),
            refused("4:1", "limits.max_tools", 32, 1),
            refused("5:1", "limits.max_duplicates", 24, 3),
        ]
    );
}

#[test]
fn a_project_cannot_set_what_only_its_user_may() {
    let settings = in_project(
        "two_stage_enabled = false\ndefault_endpoint = 'evil'\nidle_timeout_s = 3600\napi_key = 'sk-12345678'\n\
         [endpoints.evil]\nbase_url = 'http://evil.example/v1'\nmodel = 'm'\n",
        "default_endpoint = 'demo'",
        &[],
    );
    assert!(settings.values.two_stage_enabled() && settings.endpoints.is_empty());
    assert_eq!(settings.values.default_endpoint.as_deref(), Some("demo"));
    assert_eq!(settings.values.idle_timeout_s, None);
    let refused = |place: &str, key: &str| {
        pair(
            &format!(".orion/config.toml:{place}: `{key}` is refused: a project's file cannot set this."),
            "Remove it here; you can set it in ~/config.toml.",
        )
    };
    let said = said(&settings);
    assert_eq!(said.len(), 5);
    assert!(said.contains(&refused("1:1", "two_stage_enabled")), "{said:?}");
    assert!(said.contains(&refused("2:1", "default_endpoint")));
    assert!(said.contains(&refused("3:1", "idle_timeout_s")));
    assert!(
        said.contains(&refused("5:12", "endpoints")) || said.contains(&refused("5:2", "endpoints")),
        "{said:?}"
    );
    assert_eq!(
        said.iter().filter(|(message, _)| message.contains("a key never belongs in a settings file")).count(),
        1
    );
}

#[test]
fn a_project_cannot_loosen_a_permission_or_a_mode() {
    let settings = in_project("mode = 'act'\n[tools.write]\npermission = 'allow'\n", "mode = 'plan'", &[]);
    assert_eq!(settings.values.mode(), Mode::Plan);
    assert_eq!(settings.permission("write", Permission::Ask), Permission::Deny);
    let correct = "Correct the value, or remove the line.";
    assert_eq!(
        said(&settings),
        [
            pair(".orion/config.toml:1:1: `mode` must be `plan`.", correct),
            pair(".orion/config.toml:3:1: `tools.write.permission` must be `ask` or `deny`.", correct),
        ]
    );
}

#[test]
fn of_two_permissions_the_stricter_holds() {
    use Permission::{Allow, Ask, Deny};
    let cases = [
        ("allow", "ask", Ask),
        ("allow", "deny", Deny),
        ("ask", "ask", Ask),
        ("ask", "deny", Deny),
        ("deny", "ask", Deny),
        ("deny", "deny", Deny),
    ];
    for (user, project, expected) in cases {
        let table = |permission: &str| format!("[tools.t]\npermission = '{permission}'\n");
        let settings = in_project(&table(project), &table(user), &[]);
        assert_eq!(
            (settings.permission("t", Allow), said(&settings)),
            (expected, vec![]),
            "{user} and {project}"
        );
    }
}

#[test]
fn a_rule_of_a_project_can_only_tighten_and_one_that_allows_changes_nothing() {
    // A1
    let settings = in_project(
        "[[tools.read.rules]]\nmatch = 'a/**'\npermission = 'allow'\n[[tools.read.rules]]\nmatch = 'b/**'\npermission = 'deny'\n",
        "[tools.read]\npermission = 'ask'\nrules = [{ match = 'c/**', permission = 'allow' }]\n",
        &[],
    );
    let cannot = ".orion/config.toml:3:1: `tools.read.rules[1].permission` changes nothing: a project's file cannot allow.";
    let remove = "Remove the rule here; you can allow it in ~/config.toml.";
    assert_eq!(said(&settings), [pair(cannot, remove)]);
    let rule = |text: &str, permission| Rule {
        pattern: (!text.is_empty()).then(|| text.to_owned().try_into().unwrap()),
        permission,
    };
    let read = ToolRules {
        user: vec![rule("", Permission::Ask), rule("c/**", Permission::Allow)],
        project: vec![rule("b/**", Permission::Deny)],
    };
    let tools = [("read".to_owned(), read)].into();
    assert_eq!(settings.rules(true), Rules { ignores_case: true, tools, ..Rules::default() });
}

#[test]
fn a_tool_of_which_some_calls_are_not_denied_is_still_on_offer() {
    use Permission::{Allow, Ask, Deny};
    let rules = |list: &str| format!("[tools.t]\npermission = 'deny'\nrules = [{list}]\n");
    let (ask, allow, deny) = (
        "{ match = 'a', permission = 'ask' }",
        "{ match = 'b', permission = 'allow' }",
        "{ match = 'c', permission = 'deny' }",
    );
    for (user, project, expected) in [
        (rules(deny), String::new(), Deny),
        (rules(&[allow, deny].join(", ")), String::new(), Allow),
        (rules(&[allow, ask].join(", ")), String::new(), Ask),
        (String::new(), rules(ask), Ask),
        (rules(allow), rules(deny), Deny),
    ] {
        assert_eq!(in_project(&project, &user, &[]).permission("t", Allow), expected, "{user}{project}");
    }
}

#[test]
fn a_project_can_only_lower_how_often_a_tool_runs() {
    // T4
    for (user, project, expected) in
        [("3", "9", Some(3)), ("9", "3", Some(3)), ("", "3", Some(3)), ("3", "", Some(3)), ("", "", None)]
    {
        let table = |runs: &str| match runs {
            "" => String::new(),
            runs => format!("[tools.t]\nmax_per_turn = {runs}\n"),
        };
        let settings = in_project(&table(project), &table(user), &[]);
        assert_eq!((settings.max_per_turn("t"), said(&settings)), (expected, vec![]), "{user} and {project}");
    }
}

#[test]
fn a_mistake_in_a_rule_denies_the_tool() {
    for (wrong, place, expected) in [
        (
            "{ match = '[', permission = 'deny' }",
            "2:12",
            "match` must be a pattern of 1 to 4,096 bytes, such as `docs/**` or `*.md`",
        ),
        ("{ match = 'a', permission = 'alow' }", "2:25", "permission` must be `allow` or `ask` or `deny`"),
        ("{ match = 'a', permision = 'deny', permission = 'deny' }", "2:25", "permision` is not a setting"),
    ] {
        let settings = in_project("", &format!("[tools.t]\nrules = [{wrong}]\n"), &[]);
        assert_eq!(settings.permission("t", Permission::Allow), Permission::Deny);
        let (message, _) = &said(&settings)[0];
        assert!(
            message.ends_with(&format!("config.toml:{place}: `tools.t.rules[1].{expected}.")),
            "{message}"
        );
    }
}

// C1
#[test]
fn a_rule_for_commands_is_words_and_a_pattern_in_its_place_denies_them() {
    let words = "[tools.run_command]\nrules = [{ match = 'cargo test', permission = 'allow' }]\n";
    for (user, project) in [(words, ""), ("", &words.replace("allow", "deny"))] {
        let settings = in_project(project, user, &[]);
        assert_eq!(said(&settings), []);
        assert_eq!(settings.permission("run_command", Permission::Ask), Permission::Ask);
    }
    for wrong in ["**", "cargo *", "**rm**", "a; b", "$X", "'a b' c"] {
        let file =
            format!("[tools.run_command]\nrules = [{{ match = \"{wrong}\", permission = 'allow' }}]\n");
        let settings = in_project("", &file, &[]);
        assert_eq!(settings.permission("run_command", Permission::Ask), Permission::Deny, "{wrong}");
        let (message, action) = &said(&settings)[0];
        let expected = "config.toml:2:12: `tools.run_command.rules[1].match` must be the first words of a command and no pattern, such as `cargo test`.";
        assert!(message.ends_with(expected), "{message}");
        assert_eq!(action, "Correct the value, or use `permission` for every command.");
    }
}

#[test]
fn the_environment_and_the_turn_win_over_a_project() {
    let variables = [("ORION_MAX_PHASE_CYCLES_PER_TURN", "9"), ("ORION_MODE", "act")];
    let settings =
        in_project("mode = 'plan'\n[limits]\nmax_cycles = 1\nmax_duplicates = 1\n", "", &variables);
    assert_eq!(settings.values.mode(), Mode::Act);
    let options = TurnOptions {
        limits: TurnLimits { max_duplicates: Some(6), ..TurnLimits::default() },
        ..TurnOptions::default()
    };
    for commands in [false, true] {
        assert_eq!(settings.policy(&options, commands), Ok(Policy::of(Route::TwoStage, limits(9, 1, 6))));
    }
}

#[cfg(unix)]
#[test]
fn a_settings_file_behind_a_link_out_of_the_project_is_not_read() {
    let outside = Folder::with([("config.toml", "mode = 'plan'")]);
    let by_file = Folder::with([(".orion/keep", "")]);
    std::os::unix::fs::symlink(outside.path().join("config.toml"), by_file.path().join(".orion/config.toml"))
        .unwrap();
    let by_folder = Folder::empty();
    std::os::unix::fs::symlink(outside.path(), by_folder.path().join(".orion")).unwrap();
    for project in [by_file, by_folder] {
        let settings = open(&project, "", &[]);
        assert_eq!((settings.values.mode(), settings.problems.len()), (Mode::Act, 1));
        let (message, _) = &said(&settings)[0];
        assert!(
            message.starts_with("The settings file .orion/config.toml cannot be read and is ignored: "),
            "{message}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_the_settings_file_is_not_waited_for() {
    let project = Folder::with([(".orion/keep", "")]);
    let pipe = project.path().join(".orion/config.toml");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let settings = open(&project, "", &[]);
    assert_eq!(
        said(&settings),
        [pair(
            "The settings file .orion/config.toml cannot be read and is ignored: it is not a file.",
            "Put a readable text file there, or remove it."
        )]
    );
}

#[test]
fn a_project_without_a_settings_file_has_the_users_settings() {
    let settings = open(&Folder::empty(), "mode = 'plan'", &[]);
    assert_eq!((settings.values.mode(), said(&settings)), (Mode::Plan, vec![]));
    let settings = open(&Folder::with([(".orion", "a file")]), "mode = 'plan'", &[]);
    assert_eq!((settings.values.mode(), said(&settings)), (Mode::Plan, vec![]));
}
