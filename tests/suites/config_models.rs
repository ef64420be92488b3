//! Saving what holds for a model, taking settings back, and what is kept of both.

use std::path::PathBuf;

use orion_engine::config::{
    Config, Environment, KeyPlace, forget_finish_reason, reset_settings, save_endpoint, save_model,
};
use orion_protocol::{
    Code, EndpointChange, KeySource, ModelChange, ModelSettings, ModelTuning, Prices, ReasoningEffort,
    ResultsAs, Temperature, Thinking, Usd,
};
use support::Folder;

const ENDPOINT: &str = "[endpoints.e]\nbase_url = \"https://h.example/v1\" # mine\nmodel = \"m\"\n";

fn file(folder: &Folder) -> PathBuf {
    folder.path().join("config.toml")
}

fn text(folder: &Folder, name: &str) -> String {
    String::from_utf8(folder.read(name)).unwrap()
}

fn change(model: Option<&str>, settings: ModelSettings) -> ModelChange {
    ModelChange { endpoint: "e".to_owned(), model: model.map(str::to_owned), settings }
}

fn all() -> ModelSettings {
    let usd = |dollars| Usd::new(dollars).unwrap();
    ModelSettings {
        window: Some(8_192),
        max_output_tokens: Some(1_000),
        temperature: Temperature::new(0.3),
        reasoning_effort: Some(ReasoningEffort::Xhigh),
        thinking: Some(Thinking::Off),
        takes_images: Some(true),
        results_as: Some(ResultsAs::Tool),
        favourite: true,
        prices: Some(Prices {
            prompt: usd(0.14),
            completion: usd(0.28),
            cached: None,
            reasoning: Some(usd(1.0)),
        }),
    }
}

/// What the window is shown of the endpoint.
fn shown(folder: &Folder) -> orion_protocol::Endpoint {
    let in_force = Config::load(&file(folder), &Environment::default()).without_project();
    assert_eq!(in_force.problems, []);
    in_force.endpoint("e", &in_force.endpoints["e"], KeySource::None)
}

#[test]
fn everything_that_can_be_set_for_a_model_is_saved_read_back_and_taken_out_again() {
    let folder = Folder::with([("config.toml", ENDPOINT)]);
    save_model(&file(&folder), &change(Some("a.b \"c\""), all())).unwrap();
    assert_eq!(shown(&folder).models["a.b \"c\""], all());
    assert_eq!(
        text(&folder, "config.toml"),
        format!(
            "{ENDPOINT}\n[endpoints.e.models.'a.b \"c\"']\nwindow = 8192\nmax_output_tokens = 1000\ntemperature = 0.3\n\
             reasoning_effort = \"xhigh\"\nthinking = \"off\"\ntakes_images = true\nresults_as = \"tool\"\nfavourite = true\n"
        )
    );
    assert_eq!(
        text(&folder, "prices.toml"),
        "[e.'a.b \"c\"']\nprompt = 0.14\ncompletion = 0.28\nreasoning = 1.0\n"
    );
    save_model(&file(&folder), &change(Some("a.b \"c\""), ModelSettings::default())).unwrap();
    assert_eq!(
        (text(&folder, "config.toml").as_str(), text(&folder, "prices.toml").as_str()),
        (ENDPOINT, "")
    );
    assert!(shown(&folder).models.is_empty());
}

#[test]
fn what_is_set_for_one_model_counts_before_what_is_set_for_all_of_them() {
    let folder = Folder::with([("config.toml", ENDPOINT)]);
    let warm = ModelSettings {
        temperature: Temperature::new(1.5),
        thinking: Some(Thinking::Off),
        ..ModelSettings::default()
    };
    let on = Some(Thinking::On);
    let thinks = ModelSettings {
        reasoning_effort: Some(ReasoningEffort::Low),
        thinking: on,
        ..ModelSettings::default()
    };
    save_model(&file(&folder), &change(None, ModelSettings { window: Some(4_096), ..warm })).unwrap();
    save_model(&file(&folder), &change(Some("m"), thinks)).unwrap();
    let in_force = Config::load(&file(&folder), &Environment::default()).without_project();
    let both = ModelTuning {
        temperature: warm.temperature,
        reasoning_effort: thinks.reasoning_effort,
        thinking: on,
    };
    let of_all = ModelTuning { reasoning_effort: None, thinking: warm.thinking, ..both };
    assert_eq!(in_force.tuning("e", "m"), both);
    assert_eq!(in_force.tuning("e", "other"), of_all);
    assert_eq!(in_force.tuning("nobody", "m"), ModelTuning::default());
    assert_eq!((shown(&folder).window, shown(&folder).tuning), (Some(4_096), of_all));
}

#[test]
fn the_form_of_an_endpoint_changes_the_sizes_of_a_model_and_leaves_the_rest() {
    let folder = Folder::with([("config.toml", ENDPOINT)]);
    save_model(&file(&folder), &change(Some("m"), all())).unwrap();
    let endpoint = EndpointChange {
        name: "e".to_owned(),
        base_url: "https://h.example/v1".to_owned(),
        model: "m".to_owned(),
        api_key: None,
        key_variable: None,
        allow_http: false,
        window: None,
        max_output_tokens: None,
        models: std::collections::BTreeMap::new(),
        make_default: false,
    };
    save_endpoint(&file(&folder), &endpoint, KeyPlace::Nowhere).unwrap();
    let left = ModelSettings { window: None, max_output_tokens: None, ..all() };
    assert_eq!(shown(&folder).models["m"], left);
}

#[test]
fn what_holds_for_no_model_is_refused_and_nothing_is_written() {
    let folder = Folder::with([("config.toml", ENDPOINT)]);
    let dear = Prices { prompt: Usd::MAX, completion: Usd::ZERO, cached: None, reasoning: None };
    let settings = ModelSettings::default();
    for (change, code) in [
        (change(None, ModelSettings { favourite: true, ..settings }), Code::ConfigInvalid),
        (change(None, ModelSettings { prices: all().prices, ..settings }), Code::ConfigInvalid),
        (change(Some("m"), ModelSettings { prices: Some(dear), ..settings }), Code::ConfigInvalid),
        (change(Some("m"), ModelSettings { window: Some(1), ..settings }), Code::ConfigInvalid),
        (change(Some(" "), all()), Code::ConfigInvalid),
        (ModelChange { endpoint: "other".to_owned(), ..change(Some("m"), all()) }, Code::NoEndpoint),
    ] {
        assert_eq!((save_model(&file(&folder), &change).unwrap_err().code, &change), (code, &change));
    }
    assert_eq!(text(&folder, "config.toml"), ENDPOINT);
    assert!(!folder.path().join("prices.toml").exists());
}

#[test]
fn a_setting_that_is_taken_back_leaves_the_file_and_nothing_else_does() {
    let before =
        "# mine\nmode = \"plan\" # careful\nretry_s = 5\n\n[limits]\nmax_cycles = 2\nmax_tools = 4\n";
    let folder = Folder::with([("config.toml", before)]);
    let keys = ["retry_s", "limits.max_cycles", "limits.max_seconds"].map(str::to_owned);
    reset_settings(&file(&folder), &keys).unwrap();
    assert_eq!(
        text(&folder, "config.toml"),
        "# mine\nmode = \"plan\" # careful\n\n[limits]\nmax_tools = 4\n"
    );
    for key in ["endpoints", "tools.read_file.permission", "max_cycles", ""] {
        let error = reset_settings(&file(&folder), &["mode".to_owned(), key.to_owned()]).unwrap_err();
        assert_eq!((error.code, key), (Code::ConfigInvalid, key));
    }
    assert!(text(&folder, "config.toml").contains("mode"), "nothing is taken out where one name is wrong");
}

// P10
#[test]
fn an_accepted_finish_reason_can_be_taken_back() {
    let folder = Folder::with([(
        "config.toml",
        format!("{ENDPOINT}accepted_finish_reasons = [\"done\", \"over\"]\n").as_str(),
    )]);
    forget_finish_reason(&file(&folder), "e", "done").unwrap();
    assert_eq!(shown(&folder).accepted_finish_reasons, ["over"]);
    forget_finish_reason(&file(&folder), "e", "over").unwrap();
    forget_finish_reason(&file(&folder), "nobody", "over").unwrap();
    assert_eq!(text(&folder, "config.toml"), ENDPOINT);
}

#[test]
fn a_wrong_temperature_or_effort_in_the_file_is_said_and_left_out() {
    for (line, expected) in [
        ("temperature = 2.5", "a number from 0 to 2"),
        ("temperature = '1'", "a number from 0 to 2"),
        (
            "reasoning_effort = 'huge'",
            "`high` or `low` or `max` or `medium` or `minimal` or `none` or `xhigh`",
        ),
        ("thinking = true", "`off` or `on`"),
    ] {
        let folder = Folder::with([("config.toml", format!("{ENDPOINT}{line}\n").as_str())]);
        let in_force = Config::load(&file(&folder), &Environment::default()).without_project();
        let [problem] = in_force.problems.as_slice() else { panic!("{line}: {:?}", in_force.problems) };
        assert!(problem.message.contains(expected), "{}", problem.message);
        assert_eq!(in_force.tuning("e", "m"), ModelTuning::default());
    }
}
