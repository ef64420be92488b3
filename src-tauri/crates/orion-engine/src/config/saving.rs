//! Changes the user's `config.toml` the way a person would. Comments and order stay, and the file is whole at any
//! moment.
//!
//! All functions here block on the disk for a moment: call them off the runtime's threads. A file that is not valid
//! TOML is never overwritten.

use std::collections::BTreeMap;
use std::path::Path;

use orion_core::permission::Pattern;
use orion_protocol::setting::SettingValue;
use orion_protocol::{
    Code, EndpointChange, ErrorInfo, ModelSizes, Permission, SettingsChange, ToolRule, ToolSettings,
};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, Value, value};

use super::definition::{OutputTokens, RunsPerTurn, WindowTokens};
use super::encryption::check_encrypted;
use super::file::{self, Found};
use super::value::{BaseUrl, CallPattern, FinishWord, KeyVariable, Within};
use super::{COMMAND_LINE, DEMO};
use crate::paths;

/// Writes the settings that are not null.
pub fn save_settings(config_file: &Path, change: &SettingsChange) -> Result<(), ErrorInfo> {
    let said = SettingsChange::ALL.iter().filter_map(|setting| Some((setting, setting.get(change)?)));
    let mut checked = Vec::new();
    for (setting, value) in said {
        let name = || format!("setting {}", setting.path().join("."));
        let value = setting.checked(value).ok_or_else(|| must_be(&name(), &setting.expected()))?;
        checked.push((setting, value));
    }
    edit(config_file, |document| {
        if let Some(name) = &change.default_endpoint {
            check_known(document, name)?;
        }
        for (setting, said) in checked {
            let item = match said {
                SettingValue::Switch(on) => value(on),
                SettingValue::Number(number) => value(i64::from(number)),
                SettingValue::Amount(amount) => value(amount.dollars()),
                SettingValue::Text(text) => value(text),
            };
            match setting.table {
                Some(name) => set(table(document, name)?, setting.key, item),
                None => set(document, setting.key, item),
            }
        }
        Ok(())
    })
}

fn check_known(document: &Table, name: &str) -> Result<(), ErrorInfo> {
    let endpoints = document.get("endpoints").and_then(Item::as_table_like);
    if name == DEMO || endpoints.is_some_and(|table| table.contains_key(name)) {
        return Ok(());
    }
    Err(ErrorInfo::new(
        Code::NoEndpoint,
        format!("There is no endpoint named {name}."),
        "Choose one that is set up, or connect it first.",
    ))
}

/// Where the key of an endpoint is that is saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyPlace {
    /// There is none, or it is in an environment variable.
    Nowhere,
    Keychain,
    /// In the memory of a process, for as long as that runs.
    Memory,
}

/// Adds or replaces an endpoint. `key` says where its key is now; the key in the change is not looked at.
pub fn save_endpoint(config_file: &Path, change: &EndpointChange, key: KeyPlace) -> Result<(), ErrorInfo> {
    let name = change.name.trim();
    check_name(name)?;
    let base_url = base_url(change)?;
    let key_variable = match change.key_variable.as_deref().map(str::trim).filter(|name| !name.is_empty()) {
        Some(name) => {
            Some(KeyVariable::new(name).ok_or_else(|| must_be("key variable", KeyVariable::EXPECTED))?)
        }
        None => None,
    };
    let model = change.model.trim();
    if model.is_empty() {
        return Err(must_be("model", "the name of a model"));
    }
    if let Some(url) = base_url.url() {
        check_encrypted(&url, change.allow_http)?;
    }
    let sizes = ModelSizes { window: change.window, max_output_tokens: change.max_output_tokens };
    check_sizes(&sizes)?;
    if change.models.len() > MODELS {
        return Err(must_be("list of models with sizes of their own", &format!("at most {MODELS} long")));
    }
    for (model, own) in &change.models {
        if model.trim().is_empty() || model.chars().count() > MODEL_CHARS {
            return Err(must_be(
                "model",
                &format!("the name of a model, of at most {MODEL_CHARS} characters"),
            ));
        }
        check_sizes(own)?;
    }
    edit(config_file, |document| {
        let endpoint = table(table(document, "endpoints")?, name)?;
        let confirmed = key_variable.as_ref().is_some_and(|variable| confirms(endpoint, variable, &base_url));
        if key_variable.as_ref().is_some_and(|variable| !confirmed && !variable.is_called_a_key()) {
            return Err(ErrorInfo::new(
                Code::ConfigInvalid,
                "The key variable is not called a key: its name ends neither in _KEY nor in _TOKEN.",
                "Name another one. To confirm this one, write the address, key_variable and key_variable_confirmed = true into the \
                 endpoint's table in config.toml.",
            ));
        }
        if !confirmed {
            endpoint.remove("key_variable_confirmed");
        }
        set(endpoint, "base_url", value(base_url.as_str()));
        set(endpoint, "model", value(model));
        match &key_variable {
            Some(variable) => set(endpoint, "key_variable", value(variable.as_str())),
            None => _ = endpoint.remove("key_variable"),
        }
        set_sizes(endpoint, &sizes);
        set_models(endpoint, &change.models)?;
        let switches = [
            ("keychain", key == KeyPlace::Keychain),
            ("key_not_kept", key == KeyPlace::Memory),
            ("allow_http", change.allow_http),
        ];
        for (key, on) in switches {
            match on {
                true => set(endpoint, key, value(true)),
                false => _ = endpoint.remove(key),
            }
        }
        if change.make_default {
            set(document, "default_endpoint", value(name));
        }
        Ok(())
    })
}

/// Models of an endpoint that have sizes of their own: more than a person writes by hand.
const MODELS: usize = 200;

/// The longest name of a model, in characters: the longest in use have 120.
const MODEL_CHARS: usize = 200;

fn check_sizes(sizes: &ModelSizes) -> Result<(), ErrorInfo> {
    in_range(WindowTokens::new, "window", sizes.window)?;
    in_range(OutputTokens::new, "limit of an answer", sizes.max_output_tokens)
}

fn set_sizes(table: &mut dyn TableLike, sizes: &ModelSizes) {
    for (key, tokens) in [("window", sizes.window), ("max_output_tokens", sizes.max_output_tokens)] {
        match tokens {
            Some(tokens) => set(table, key, value(i64::from(tokens))),
            None => _ = table.remove(key),
        }
    }
}

/// The tables of the models that have sizes of their own, and no others.
fn set_models(endpoint: &mut dyn TableLike, models: &BTreeMap<String, ModelSizes>) -> Result<(), ErrorInfo> {
    let models: BTreeMap<&str, &ModelSizes> = models
        .iter()
        .filter(|(_, own)| **own != ModelSizes::default())
        .map(|(name, own)| (name.trim(), own))
        .collect();
    if models.is_empty() {
        endpoint.remove("models");
        return Ok(());
    }
    let tables = table(endpoint, "models")?;
    let before: Vec<String> = tables.iter().map(|(name, _)| name.to_owned()).collect();
    for name in before.iter().filter(|name| !models.contains_key(name.as_str())) {
        tables.remove(name);
    }
    for (name, own) in models {
        set_sizes(table(tables, name)?, own);
    }
    Ok(())
}

/// Whether the table confirms this variable for the server of this address. For another variable or server it says nothing.
fn confirms(endpoint: &dyn TableLike, variable: &KeyVariable, address: &BaseUrl) -> bool {
    let text = |key| endpoint.get(key).and_then(Item::as_str);
    let before = text("base_url").and_then(BaseUrl::new);
    endpoint.get("key_variable_confirmed").and_then(Item::as_bool) == Some(true)
        && text("key_variable") == Some(variable.as_str())
        && before.is_some_and(|before| before.origin() == address.origin())
}

/// The address of a changed endpoint.
///
/// # Errors
/// `config_invalid` for what is no address of an endpoint.
pub fn base_url(change: &EndpointChange) -> Result<BaseUrl, ErrorInfo> {
    BaseUrl::new(change.base_url.trim()).ok_or_else(|| must_be("base URL", BaseUrl::EXPECTED))
}

/// Takes a finish reason of an endpoint for that of a whole answer from now on (P10).
pub fn accept_finish_reason(config_file: &Path, endpoint: &str, reason: &str) -> Result<(), ErrorInfo> {
    /// No endpoint is known to have more than one reason of its own.
    const MOST: usize = 32;
    let reason =
        FinishWord::new(reason.trim()).ok_or_else(|| must_be("finish reason", FinishWord::EXPECTED))?;
    edit(config_file, |document| {
        let known = document.get_mut("endpoints").and_then(Item::as_table_like_mut);
        let Some(table) = known.and_then(|known| known.get_mut(endpoint)?.as_table_like_mut()) else {
            let message = format!("There is no endpoint named {endpoint} in the settings.");
            return Err(ErrorInfo::new(Code::NoEndpoint, message, "Connect it in the settings first."));
        };
        if !table.get("accepted_finish_reasons").is_some_and(Item::is_array) {
            table.insert("accepted_finish_reasons", value(Array::new()));
        }
        let Some(accepted) = table.get_mut("accepted_finish_reasons").and_then(Item::as_array_mut) else {
            return Ok(());
        };
        let same =
            |known: &Value| known.as_str().is_some_and(|known| known.eq_ignore_ascii_case(reason.as_str()));
        if !accepted.iter().any(same) {
            if accepted.len() >= MOST {
                return Err(must_be("list of accepted finish reasons", "at most 32 long"));
            }
            accepted.push(reason.as_str());
        }
        Ok(())
    })
}

/// Writes what a tool may do, in the place of what the file says of that; other keys of its table stay.
pub fn save_tool(config_file: &Path, tool: &ToolSettings) -> Result<(), ErrorInfo> {
    let ToolSettings { tool: name, permission, max_per_turn, rules } = tool;
    if name.is_empty() || name.len() > 64 || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return Err(must_be("name of a tool", "1 to 64 letters, digits or underscores"));
    }
    in_range(RunsPerTurn::new, "number of runs in a turn", *max_per_turn)?;
    if rules.len() > TOOL_RULES {
        return Err(must_be("list of rules", &format!("at most {TOOL_RULES} long")));
    }
    let mut written = Array::new();
    for ToolRule { pattern, permission } in rules {
        if Pattern::try_from(pattern.clone()).is_err() {
            return Err(must_be("pattern", CallPattern::EXPECTED));
        }
        let mut rule = InlineTable::new();
        rule.insert("match", pattern.as_str().into());
        rule.insert("permission", word_of(*permission).into());
        written.push(rule);
    }
    edit(config_file, |document| {
        let table = table(table(document, "tools")?, name)?;
        match permission {
            Some(permission) => set(table, "permission", value(word_of(*permission))),
            None => _ = table.remove("permission"),
        }
        match max_per_turn {
            Some(runs) => set(table, "max_per_turn", value(i64::from(*runs))),
            None => _ = table.remove("max_per_turn"),
        }
        match written.is_empty() {
            true => _ = table.remove("rules"),
            false => _ = table.insert("rules", value(written)),
        }
        Ok(())
    })
}

/// Rules of one tool: more than a person writes by hand.
const TOOL_RULES: usize = 200;

fn word_of(permission: Permission) -> &'static str {
    match permission {
        Permission::Allow => "allow",
        Permission::Ask => "ask",
        Permission::Deny => "deny",
    }
}

/// Takes an endpoint out, and the choice of it as the default.
pub fn remove_endpoint(config_file: &Path, name: &str) -> Result<(), ErrorInfo> {
    edit(config_file, |document| {
        table(document, "endpoints")?.remove(name);
        if document.get("default_endpoint").and_then(Item::as_str) == Some(name) {
            document.remove("default_endpoint");
        }
        Ok(())
    })
}

/// A name fits on a button and in a TOML key: 1 to 40 letters, digits, `-`, `_`, `.` or spaces.
fn check_name(name: &str) -> Result<(), ErrorInfo> {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ');
    let taken = [DEMO, COMMAND_LINE].contains(&name);
    if taken || name.is_empty() || name.chars().count() > 40 || !name.chars().all(fits) {
        return Err(must_be(
            "name of an endpoint",
            "1 to 40 letters, digits, spaces, dots, dashes or underscores, and not `demo` or `command-line`",
        ));
    }
    Ok(())
}

fn must_be(what: &str, expected: &str) -> ErrorInfo {
    ErrorInfo::new(
        Code::ConfigInvalid,
        format!("The {what} must be {expected}."),
        "Correct it and save again.",
    )
}

/// Whether the number is in the range of its type.
fn in_range<const MIN: u32, const MAX: u32>(
    checked: fn(u32) -> Option<Within<MIN, MAX>>,
    what: &str,
    number: Option<u32>,
) -> Result<(), ErrorInfo> {
    match number {
        Some(number) if checked(number).is_none() => Err(must_be(what, &Within::<MIN, MAX>::expected())),
        _ => Ok(()),
    }
}

/// Sets a key, and keeps the comment behind its value.
fn set(table: &mut dyn TableLike, key: &str, mut item: Item) {
    match table.get_mut(key) {
        Some(old) => {
            if let (Some(old), Some(new)) = (old.as_value(), item.as_value_mut()) {
                *new.decor_mut() = old.decor().clone();
            }
            *old = item;
        }
        None => _ = table.insert(key, item),
    }
}

/// The table of this name in another, made when it is not there (an inline one in an inline one).
fn table<'t>(parent: &'t mut dyn TableLike, key: &str) -> Result<&'t mut dyn TableLike, ErrorInfo> {
    if !parent.contains_key(key) {
        let mut table = Table::new();
        // No header of its own while it only holds other tables.
        table.set_implicit(true);
        parent.insert(key, Item::Table(table));
    }
    parent.get_mut(key).and_then(Item::as_table_like_mut).ok_or_else(|| {
        let message = format!("`{key}` in your settings file is not a table, so nothing was saved.");
        ErrorInfo::new(Code::ConfigInvalid, message, "Correct it in the file, then save again.")
    })
}

fn edit(
    config_file: &Path,
    change: impl FnOnce(&mut Table) -> Result<(), ErrorInfo>,
) -> Result<(), ErrorInfo> {
    let text = match file::read_user(config_file) {
        Found::Nothing => String::new(),
        Found::Text(text) => text,
        Found::Unreadable(problem) => return Err(problem),
    };
    let mut document: DocumentMut = text.parse().map_err(|_| {
        let message = format!("{} is not valid TOML, so nothing was saved.", config_file.display());
        ErrorInfo::new(
            Code::ConfigInvalid,
            message,
            "Correct the file (the settings say which line), then save again.",
        )
    })?;
    change(document.as_table_mut())?;
    paths::replace_private_file(config_file, document.to_string().as_bytes()).map_err(|error| {
        let message = format!("{} could not be saved.", config_file.display());
        ErrorInfo::new(
            Code::ConfigInvalid,
            message,
            "Check that the folder can be written to and the disk has room.",
        )
        .with_detail(error.to_string())
    })
}
