//! Saving settings: a person's file stays theirs, and is whole at any moment.

use std::path::PathBuf;

use orion_engine::config::{
    Config, Environment, KeyPlace, remove_endpoint, save_endpoint, save_settings, save_tool,
};
use orion_protocol::{
    Code, EndpointChange, KeyInput, Mode, ModelSizes, Permission, SettingsChange, ToolRule, ToolSettings,
    TurnLimits,
};
use support::Folder;

fn text(folder: &Folder) -> String {
    String::from_utf8(folder.read("config.toml")).unwrap()
}

fn file(folder: &Folder) -> PathBuf {
    folder.path().join("config.toml")
}

fn deepseek() -> EndpointChange {
    EndpointChange {
        name: "deepseek".to_owned(),
        base_url: "https://api.deepseek.com/v1".to_owned(),
        model: "deepseek-chat".to_owned(),
        api_key: Some(KeyInput("sk-secret-0001".to_owned())),
        key_variable: None,
        make_default: true,
        allow_http: false,
        window: None,
        max_output_tokens: None,
        models: std::collections::BTreeMap::new(),
    }
}

#[test]
fn a_changed_setting_keeps_comments_order_and_everything_else() {
    let folder = Folder::with([(
        "config.toml",
        "# Mine.\nmode = \"act\" # careful\n\n# Budgets\n[limits]\nmax_tools = 2   # two\n\n[tools.read_file]\npermission = \"ask\"\n",
    )]);
    let change = SettingsChange {
        mode: Some(Mode::Plan),
        limits: TurnLimits {
            max_cycles: Some(5),
            max_tools: Some(3),
            max_duplicates: None,
            ..TurnLimits::default()
        },
        ..SettingsChange::default()
    };
    save_settings(&file(&folder), &change).unwrap();
    assert_eq!(
        text(&folder),
        "# Mine.\nmode = \"plan\" # careful\n\n# Budgets\n[limits]\nmax_tools = 3   # two\nmax_cycles = 5\n\n[tools.read_file]\n\
         permission = \"ask\"\n"
    );
}

#[test]
fn what_is_null_in_a_change_stays() {
    let folder = Folder::with([("config.toml", "mode = 'plan'\n")]);
    save_settings(&file(&folder), &SettingsChange::default()).unwrap();
    assert_eq!(text(&folder), "mode = 'plan'\n");
}

#[test]
fn a_saved_endpoint_is_read_back_and_its_key_is_in_no_file() {
    let folder = Folder::empty();
    save_endpoint(&file(&folder), &deepseek(), KeyPlace::Keychain).unwrap();
    assert_eq!(
        text(&folder),
        "default_endpoint = \"deepseek\"\n\n[endpoints.deepseek]\nbase_url = \"https://api.deepseek.com/v1\"\nmodel = \
         \"deepseek-chat\"\nkeychain = true\n"
    );
    let settings = Config::load(&file(&folder), &Environment::default()).without_project();
    assert_eq!(settings.problems, []);
    assert_eq!(settings.values.default_endpoint.as_deref(), Some("deepseek"));
    assert!(settings.endpoints["deepseek"].keychain);
}

#[test]
fn an_endpoint_is_replaced_in_its_place_and_removed_with_the_choice_of_it() {
    let folder =
        Folder::with([("config.toml", "[endpoints.a]\nbase_url = 'http://a/v1'\nmodel = 'm'\n# b\n")]);
    save_endpoint(&file(&folder), &deepseek(), KeyPlace::Keychain).unwrap();
    let change = EndpointChange {
        key_variable: Some("DEEPSEEK_API_KEY".to_owned()),
        make_default: false,
        ..deepseek()
    };
    save_endpoint(&file(&folder), &change, KeyPlace::Nowhere).unwrap();
    assert_eq!(
        text(&folder),
        "default_endpoint = \"deepseek\"\n[endpoints.a]\nbase_url = 'http://a/v1'\nmodel = 'm'\n\n[endpoints.deepseek]\nbase_url = \
         \"https://api.deepseek.com/v1\"\nmodel = \"deepseek-chat\"\nkey_variable = \"DEEPSEEK_API_KEY\"\n# b\n"
    );
    remove_endpoint(&file(&folder), "deepseek").unwrap();
    assert_eq!(text(&folder), "[endpoints.a]\nbase_url = 'http://a/v1'\nmodel = 'm'\n# b\n");
}

#[test]
fn endpoints_written_inline_stay_readable() {
    let folder =
        Folder::with([("config.toml", "endpoints = { a = { base_url = 'http://a/v1', model = 'm' } }\n")]);
    save_endpoint(&file(&folder), &deepseek(), KeyPlace::Nowhere).unwrap();
    let settings = Config::load(&file(&folder), &Environment::default()).without_project();
    assert_eq!(settings.problems, []);
    assert_eq!(settings.endpoints.keys().collect::<Vec<_>>(), ["a", "deepseek"]);
}

// X2
#[test]
fn models_with_sizes_of_their_own_are_saved_each_in_its_table_and_the_others_are_taken_out() {
    let folder = Folder::with([(
        "config.toml",
        "[endpoints.deepseek]\nbase_url = 'https://api.deepseek.com/v1'\nmodel = 'deepseek-chat'\n\n[endpoints.deepseek.models.old]\nwindow = 1024\n\n\
         [endpoints.deepseek.models.'qwen3:8b']\nwindow = 2048 # small\n",
    )]);
    let sizes = |window, max_output_tokens| ModelSizes { window, max_output_tokens };
    let models = [
        ("qwen3:8b".to_owned(), sizes(Some(8_192), None)),
        ("a.b \"c\"".to_owned(), sizes(None, Some(100))),
        ("none".to_owned(), sizes(None, None)),
    ];
    let change = EndpointChange { models: models.clone().into(), make_default: false, ..deepseek() };
    save_endpoint(&file(&folder), &change, KeyPlace::Nowhere).unwrap();
    assert_eq!(
        text(&folder),
        "[endpoints.deepseek]\nbase_url = \"https://api.deepseek.com/v1\"\nmodel = \"deepseek-chat\"\n\n\
         [endpoints.deepseek.models.'qwen3:8b']\nwindow = 8192 # small\n\n[endpoints.deepseek.models.'a.b \"c\"']\nmax_output_tokens = 100\n"
    );
    let settings = Config::load(&file(&folder), &Environment::default()).without_project();
    assert_eq!(settings.problems, []);
    let endpoint = &settings.endpoints["deepseek"];
    for (model, own) in models {
        assert_eq!((&model, endpoint.sizes(&model)), (&model, own));
    }
    save_endpoint(&file(&folder), &EndpointChange { make_default: false, ..deepseek() }, KeyPlace::Nowhere)
        .unwrap();
    assert!(!text(&folder).contains("models"), "{}", text(&folder));
}

#[test]
fn a_change_that_cannot_be_read_back_is_refused_and_nothing_is_written() {
    let folder = Folder::with([("config.toml", "mode = 'plan'\n")]);
    let bad = [
        EndpointChange { base_url: "file:///etc/passwd".to_owned(), ..deepseek() },
        EndpointChange { base_url: "https://me:pw@host/v1".to_owned(), ..deepseek() },
        EndpointChange { name: "demo".to_owned(), ..deepseek() },
        EndpointChange { name: "a\n[tools]".to_owned(), ..deepseek() },
        EndpointChange { name: " ".to_owned(), ..deepseek() },
        EndpointChange { model: String::new(), ..deepseek() },
        EndpointChange { key_variable: Some("sk-123456".to_owned()), ..deepseek() },
        EndpointChange {
            models: [("m".to_owned(), ModelSizes { window: Some(1_023), max_output_tokens: None })].into(),
            ..deepseek()
        },
        EndpointChange { models: [(" ".to_owned(), ModelSizes::default())].into(), ..deepseek() },
    ];
    for change in bad {
        assert_eq!(
            save_endpoint(&file(&folder), &change, KeyPlace::Nowhere).unwrap_err().code,
            Code::ConfigInvalid,
            "{change:?}"
        );
    }
    let limits = TurnLimits { max_cycles: Some(25), ..TurnLimits::default() };
    let change = SettingsChange { limits, ..SettingsChange::default() };
    assert_eq!(
        save_settings(&file(&folder), &change).unwrap_err().message,
        "The setting limits.max_cycles must be a whole number from 0 to 24."
    );
    let change = SettingsChange { default_endpoint: Some("nobody".to_owned()), ..SettingsChange::default() };
    assert_eq!(save_settings(&file(&folder), &change).unwrap_err().code, Code::NoEndpoint);
    assert_eq!(text(&folder), "mode = 'plan'\n");
}

#[test]
fn what_a_tool_may_do_is_saved_in_its_table_beside_what_is_there() {
    let folder = Folder::with([(
        "config.toml",
        "[tools.read_file] # mine\npermission = \"ask\" # always\ntimeout_ms = 500\n\n[tools.other]\npermission = \"deny\"\n",
    )]);
    let rule = |pattern: &str, permission| ToolRule { pattern: pattern.to_owned(), permission };
    let tool = ToolSettings {
        tool: "read_file".to_owned(),
        permission: Some(Permission::Allow),
        timeout_ms: Some(700),
        max_per_turn: Some(3),
        rules: vec![rule("docs/**", Permission::Ask), rule("a\"b", Permission::Deny)],
    };
    save_tool(&file(&folder), &tool).unwrap();
    let saved = Config::load(&file(&folder), &Environment::default()).without_project();
    assert_eq!(saved.problems, []);
    assert_eq!(saved.of_tools[1], tool);
    assert!(
        text(&folder).contains("permission = \"allow\" # always\ntimeout_ms = 700\n"),
        "{}",
        text(&folder)
    );
    let nothing = ToolSettings {
        permission: None,
        timeout_ms: None,
        max_per_turn: None,
        rules: vec![],
        ..tool.clone()
    };
    save_tool(&file(&folder), &nothing).unwrap();
    assert_eq!(text(&folder), "[tools.read_file] # mine\n\n[tools.other]\npermission = \"deny\"\n");
    let before = text(&folder);
    for wrong in [
        ToolSettings { tool: "read file".to_owned(), ..tool.clone() },
        ToolSettings { max_per_turn: Some(0), ..tool.clone() },
        ToolSettings { rules: vec![rule("[", Permission::Deny)], ..tool.clone() },
        ToolSettings { rules: vec![rule("a", Permission::Deny); 201], ..tool },
    ] {
        assert_eq!(save_tool(&file(&folder), &wrong).unwrap_err().code, Code::ConfigInvalid);
    }
    assert_eq!(text(&folder), before);
}

#[test]
fn a_broken_file_is_never_written_over() {
    let folder = Folder::with([("config.toml", "mode = = 1\n")]);
    let change = SettingsChange { mode: Some(Mode::Plan), ..SettingsChange::default() };
    assert_eq!(save_settings(&file(&folder), &change).unwrap_err().code, Code::ConfigInvalid);
    assert_eq!(text(&folder), "mode = = 1\n");
}

#[cfg(unix)]
#[test]
fn the_file_is_for_its_owner_alone_nothing_is_left_beside_it_and_a_link_stays_a_link() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let dotfiles = Folder::with([("orion.toml", "mode = 'act'\n")]);
    let folder = Folder::empty();
    symlink(dotfiles.path().join("orion.toml"), file(&folder)).unwrap();
    let change = SettingsChange { mode: Some(Mode::Plan), ..SettingsChange::default() };
    save_settings(&file(&folder), &change).unwrap();
    assert!(file(&folder).is_symlink());
    assert_eq!(dotfiles.read("orion.toml"), b"mode = \"plan\"\n");
    let mode = std::fs::metadata(dotfiles.path().join("orion.toml")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let names = |folder: &Folder| std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!((names(&dotfiles), names(&folder)), (1, 1));
}
