//! What follows from the declaration of a setting, for every setting that is declared.

use orion_engine::config::{Config, Environment, save_settings};
use orion_files::workspace::Private;
use orion_protocol::setting::{Entry, InProject, Kind, SettingValue};
use orion_protocol::{Route, Setting, SettingsChange};
use support::Folder;

/// A value that is not the default.
fn another(setting: &Setting) -> SettingValue {
    match setting.facts.kind {
        Kind::Switch => SettingValue::Switch(setting.default() != Some(SettingValue::Switch(true))),
        // Not the least: a default may be that, and a project can only lower.
        Kind::Number { min, .. } => match setting.default_on(Route::TwoStage) {
            Some(SettingValue::Number(default)) if default == min => SettingValue::Number(min + 1),
            _ => SettingValue::Number(min),
        },
        Kind::Amount { max, .. } => SettingValue::Amount(max),
        Kind::Choice(choices) => {
            let words = choices.iter().map(|choice| SettingValue::Text(choice.word.to_owned()));
            words.into_iter().find(|word| setting.default_on(Route::TwoStage).as_ref() != Some(word)).unwrap()
        }
        Kind::Text => SettingValue::Text("demo".to_owned()),
        Kind::List { of: Entry::Variable, .. } => {
            SettingValue::List(vec!["ONE".to_owned(), "TWO".to_owned()])
        }
        Kind::List { of: Entry::Folder, .. } => SettingValue::List(vec!["/srv/data".to_owned()]),
    }
}

fn spelled(value: &SettingValue) -> String {
    match value {
        SettingValue::Switch(on) => on.to_string(),
        SettingValue::Number(number) => number.to_string(),
        SettingValue::Amount(amount) => amount.dollars().to_string(),
        SettingValue::Text(text) => text.clone(),
        SettingValue::List(texts) => texts.join(","),
    }
}

fn line(setting: &Setting, value: &SettingValue) -> String {
    let value = match value {
        SettingValue::Text(text) => format!("'{text}'"),
        SettingValue::List(texts) => format!("['{}']", texts.join("', '")),
        other => spelled(other),
    };
    format!("{} = {value}\n", setting.path().join("."))
}

/// What is in force for a user with this file and in a project with that one.
fn in_force(
    setting: &Setting,
    user: &str,
    project: &str,
    variables: &[(&str, &str)],
) -> Option<SettingValue> {
    let home = Folder::with([("config.toml", user)]);
    let folder = Folder::with([(".orion/config.toml", project)]);
    let environment = variables.iter().copied().collect::<Environment>();
    let config = Config::load(&home.path().join("config.toml"), &environment);
    let in_force = config.in_folder(&folder.path(), &Private::none()).unwrap();
    assert_eq!(in_force.problems, [], "{}", setting.key);
    let limits = in_force.limits(Route::TwoStage, true, in_force.values.limits);
    setting.get(&SettingsChange { limits, ..in_force.values })
}

#[test]
fn a_setting_is_read_from_the_file_and_from_its_variable_and_is_saved() {
    for setting in SettingsChange::ALL {
        let (value, key) = (another(setting), setting.key);
        let default = setting.default_on(Route::TwoStage);
        assert_ne!(default.as_ref(), Some(&value), "{key}: the test tells nothing");
        assert_eq!(in_force(setting, "", "", &[]), default, "{key}");
        let text = line(setting, &value);
        assert_eq!(in_force(setting, &text, "", &[]).as_ref(), Some(&value), "{text}");
        if let Some(variable) = setting.facts.variable {
            let found = in_force(setting, "", "", &[(variable, &spelled(&value))]);
            assert_eq!(found.as_ref(), Some(&value), "{variable}");
        }
        let mut change = SettingsChange::default();
        setting.set(&mut change, Some(&value));
        let home = Folder::empty();
        let file = home.path().join("config.toml");
        save_settings(&file, &change).unwrap();
        let saved = Config::load(&file, &Environment::default()).without_project();
        assert_eq!((saved.set(), saved.problems), (change, vec![]), "{key}");
    }
}

#[test]
fn a_project_lowers_and_sets_what_is_declared_for_projects_and_nothing_else() {
    for setting in SettingsChange::ALL {
        let project = match (setting.facts.in_project, setting.default_on(Route::TwoStage)) {
            (InProject::Lowers, Some(SettingValue::Number(default))) => SettingValue::Number(default - 1),
            _ => another(setting),
        };
        let text = line(setting, &project);
        let home = Folder::empty();
        let folder = Folder::with([(".orion/config.toml", text.as_str())]);
        let config = Config::load(&home.path().join("config.toml"), &Environment::default());
        let in_force = config.in_folder(&folder.path(), &Private::none()).unwrap();
        let limits = in_force.limits(Route::TwoStage, true, in_force.values.limits);
        let found = setting.get(&SettingsChange { limits, ..in_force.values.clone() });
        let expected = match setting.facts.in_project {
            InProject::Refused => (setting.default_on(Route::TwoStage), 1),
            // A number whose least is its default is out of range below it.
            InProject::Lowers if setting.checked(project.clone()).is_none() => {
                (setting.default_on(Route::TwoStage), 1)
            }
            InProject::Lowers | InProject::Only(_) | InProject::Sets => (Some(project), 0),
        };
        assert_eq!((found, in_force.problems.len()), expected, "{text}");
    }
}

#[test]
fn a_number_out_of_its_range_is_nowhere_taken() {
    for setting in SettingsChange::ALL {
        let Kind::Number { max, .. } = setting.facts.kind else { continue };
        let value = SettingValue::Number(max + 1);
        let home = Folder::with([("config.toml", line(setting, &value).as_str())]);
        let file = home.path().join("config.toml");
        let variable = setting.facts.variable.map(|name| (name, spelled(&value)));
        let environment = variable.iter().cloned().collect::<Environment>();
        let config = Config::load(&file, &environment).without_project();
        let wrong = 1 + usize::from(variable.is_some());
        assert_eq!(
            (config.problems.len(), config.set()),
            (wrong, SettingsChange::default()),
            "{}",
            setting.key
        );
        let mut change = SettingsChange::default();
        setting.set(&mut change, Some(&value));
        let message = save_settings(&file, &change).unwrap_err().message;
        assert!(message.ends_with(&format!("must be {}.", setting.expected())), "{message}");
    }
}
