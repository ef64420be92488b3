//! Variables, by their names, and folders that a person gives to commands to read (C2). Neither is a project's to say.

use std::path::PathBuf;

use orion_engine::config::{Config, Environment, InForce, reset_settings, save_settings};
use orion_files::workspace::Private;
use orion_protocol::{Code, CommandSettings, SettingsChange};
use support::Folder;

fn file(home: &Folder) -> PathBuf {
    home.path().join("config.toml")
}

/// The settings in force with this file, and its mistakes: place and sentence.
fn read(text: &str) -> (InForce, Vec<String>) {
    let home = Folder::with([("config.toml", text)]);
    let in_force = Config::load(&file(&home), &Environment::default()).without_project();
    let shown = format!("{}/", home.path().display());
    let said = in_force.problems.iter().map(|problem| problem.message.replace(&shown, "")).collect();
    (in_force, said)
}

fn given(env: &[&str], read: &[&str]) -> CommandSettings {
    let list = |texts: &[&str]| Some(texts.iter().map(ToString::to_string).collect());
    CommandSettings { env: list(env), read: list(read) }
}

fn change(env: &[&str], read: &[&str]) -> SettingsChange {
    SettingsChange { commands: given(env, read), ..SettingsChange::default() }
}

#[test]
fn variables_and_folders_are_lists_of_the_users_file() {
    let text = "[commands]\nenv = ['DATABASE_URL', 'NODE_OPTIONS']\nread = ['/srv/data', '~/data']\n";
    let (in_force, said) = read(text);
    assert_eq!(said, [""; 0]);
    assert_eq!(in_force.values.commands, given(&["DATABASE_URL", "NODE_OPTIONS"], &["/srv/data", "~/data"]));
    assert_eq!(in_force.command_env(), ["DATABASE_URL", "NODE_OPTIONS"]);
    assert_eq!(read("").0.command_env(), [""; 0]);
}

#[test]
fn a_name_or_a_path_of_another_form_disables_its_list_and_is_said_with_its_place() {
    let (in_force, said) = read("[commands]\nenv = [\n  'GOOD',\n  'not a name',\n]\nread = ['data']\n");
    assert_eq!(in_force.values.commands, CommandSettings::default());
    assert_eq!(
        said,
        [
            "config.toml:4:3: `commands.env[2]` must be the name of an environment variable: letters, digits and underscores, no digit first, at \
             most 128.",
            "config.toml:6:9: `commands.read[1]` must be the whole path of a folder, such as /srv/data or ~/data.",
        ]
    );
    for (value, key) in
        [("'GOOD'", "commands.env"), ("[1]", "commands.env[1]"), ("['A', 'A']", "commands.env")]
    {
        let (in_force, said) =
            read(&format!("mode = 'plan'\n[commands]\nenv = {value}\nread = ['/srv/data']\n"));
        assert_eq!(in_force.values.commands.env, None, "{value}");
        assert!(in_force.values.mode.is_some() && in_force.values.commands.read.is_some(), "the rest counts");
        assert!(
            matches!(said.as_slice(), [one] if one.contains(":3:") && one.contains(&format!("`{key}` must be"))),
            "{said:?}"
        );
    }
    let many: Vec<String> = (0..65).map(|at| format!("'V{at}'")).collect();
    let (in_force, said) = read(&format!("[commands]\nenv = [{}]\n", many.join(", ")));
    assert_eq!((in_force.values.commands.env, said.len()), (None, 1));
    assert!(said[0].contains("a list of at most 64 texts"), "{said:?}");
}

#[test]
fn a_variable_of_the_sandbox_or_of_orion_or_with_the_key_of_an_endpoint_is_left_out_and_the_others_count() {
    let endpoint = "[endpoints.deepseek]\nbase_url = 'https://api.deepseek.com/v1'\nmodel = 'm'\nkey_variable = 'DEEPSEEK_API_KEY'\n";
    let names = "'PATH', 'A', 'HOME', 'LD_PRELOAD', 'ORION_CONFIG_DIR', 'DEEPSEEK_API_KEY', 'B'";
    let (in_force, said) = read(&format!("[commands]\nenv = [{names}]\n{endpoint}"));
    assert_eq!(in_force.command_env(), ["A", "B"]);
    assert_eq!(
        said,
        [
            "config.toml:2:8: `commands.env[1]` names PATH, which reaches every command anyway; commands are not given it.",
            "config.toml:2:21: `commands.env[3]` names HOME, which is set by the sandbox itself; commands are not given it.",
            "config.toml:2:29: `commands.env[4]` names LD_PRELOAD, which changes each program that a command runs, or runs one before it; commands \
             are not given it.",
            "config.toml:2:43: `commands.env[5]` names ORION_CONFIG_DIR, which is for Orion itself; commands are not given it.",
            "config.toml:2:63: `commands.env[6]` names DEEPSEEK_API_KEY, which holds the key of an endpoint; commands are not given it.",
        ]
    );
}

#[test]
fn a_folder_that_is_closed_to_commands_is_left_out_with_the_reason() {
    let (in_force, said) =
        read("[commands]\nread = ['/srv/data', '/', '~', '~/.ssh', '~/.config', '/etc/ssl']\n");
    assert_eq!(in_force.values.commands.read, Some(vec!["/srv/data".to_owned()]));
    let reasons = [
        "root of the whole disk",
        "whole home",
        "~/.ssh",
        "keys and passwords are kept in ~/.config/",
        "/etc",
    ];
    assert_eq!(said.len(), reasons.len(), "{said:?}");
    for (said, reason) in said.iter().zip(reasons) {
        assert!(said.starts_with("config.toml:2:") && said.contains(reason), "{reason}: {said}");
    }
}

#[test]
fn a_project_can_give_commands_nothing() {
    let home = Folder::with([("config.toml", "[commands]\nenv = ['MINE']\n")]);
    let project =
        Folder::with([(".orion/config.toml", "[commands]\nenv = ['THEIRS']\nread = ['/srv/data']\n")]);
    let config = Config::load(&file(&home), &Environment::default());
    let in_force = config.in_folder(&project.path(), &Private::none()).unwrap();
    assert_eq!(in_force.command_env(), ["MINE"]);
    assert_eq!(in_force.values.commands.read, None);
    let said: Vec<&str> = in_force.problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(said.len(), 2, "{said:?}");
    for (said, key) in said.iter().zip(["commands.env", "commands.read"]) {
        assert!(said.contains(&format!("`{key}` is refused: a project's file cannot set this")), "{said}");
    }
}

#[test]
fn a_list_is_saved_as_a_whole_and_reset_and_a_refused_one_changes_nothing() {
    let before = "# Mine.\n[commands]\nenv = [\"OLD\"] # for tests\n";
    let home = Folder::with([("config.toml", before)]);
    let text = || String::from_utf8(home.read("config.toml")).unwrap();
    for (env, read, says) in [
        (&["A", "TERM"][..], &[][..], "TERM is set by the sandbox itself"),
        (&["9A"], &[], "must be a list of at most 64 texts"),
        (&["A"; 2], &[], "none of them twice"),
        (&[], &["data"], "must be a list of at most 32 texts"),
        (&[], &["/srv/../etc"], "the whole path of a folder"),
    ] {
        let refused = save_settings(&file(&home), &change(env, read)).unwrap_err();
        assert_eq!(refused.code, Code::ConfigInvalid);
        assert!(refused.message.contains(says), "{}", refused.message);
        assert_eq!(text(), before);
    }
    save_settings(&file(&home), &change(&["A", "B"], &["~/data"])).unwrap();
    assert_eq!(text(), "# Mine.\n[commands]\nenv = [\"A\", \"B\"] # for tests\nread = [\"~/data\"]\n");
    reset_settings(&file(&home), &["commands.env".to_owned()]).unwrap();
    assert_eq!(text(), "# Mine.\n[commands]\nread = [\"~/data\"]\n");
}

#[test]
fn a_variable_that_an_endpoint_takes_its_key_from_is_not_saved() {
    let endpoint =
        "[endpoints.mine]\nbase_url = 'https://localhost/v1'\nmodel = 'm'\nkey_variable = 'MY_KEY'\n";
    let home = Folder::with([("config.toml", endpoint)]);
    let refused = save_settings(&file(&home), &change(&["MY_KEY"], &[])).unwrap_err();
    assert_eq!(refused.message, "MY_KEY holds the key of an endpoint, so it cannot be added for commands.");
    save_settings(&file(&home), &change(&["OTHER_KEY"], &[])).unwrap();
}
