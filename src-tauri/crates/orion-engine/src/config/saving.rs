//! Changes the user's `config.toml` the way a person would. Comments and order stay, and the file is whole at any
//! moment.
//!
//! All functions here block on the disk for a moment: call them off the runtime's threads. A file that is not valid
//! TOML is never overwritten.

use std::path::Path;

use orion_core::permission::Pattern;
use orion_protocol::setting::SettingValue;
use orion_protocol::{
    Code, EndpointChange, ErrorInfo, Permission, Setting, SettingsChange, ToolRule, ToolSettings,
};
use toml_edit::{Array, InlineTable, Item, Table, TableLike, Value, value};

use super::definition::{RunsPerTurn, ToolMilliseconds};
use super::editing::{edit, in_range, must_be, set, table};
use super::encryption::check_encrypted;
use super::given::check_names;
use super::sizes::{check_models, check_sizes, set_models, set_sizes, sizes_of};
use super::value::{BaseUrl, CallPattern, FinishWord, KeyVariable};
use super::{COMMAND_LINE, DEMO};

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
        if let Some(names) = &change.commands.env {
            check_names(document, names)?;
        }
        for (setting, said) in checked {
            let item = match said {
                SettingValue::Switch(on) => value(on),
                SettingValue::Number(number) => value(i64::from(number)),
                SettingValue::Amount(amount) => value(amount.dollars()),
                SettingValue::Text(text) => value(text),
                SettingValue::List(texts) => value(Array::from_iter(texts)),
            };
            match setting.table {
                Some(name) => set(table(document, name)?, setting.key, item),
                None => set(document, setting.key, item),
            }
        }
        Ok(())
    })
}

/// Takes settings out of the file, each named as the file names it, such as `limits.max_cycles`. One that is not there stays so.
pub fn reset_settings(config_file: &Path, keys: &[String]) -> Result<(), ErrorInfo> {
    let known = |key: &String| SettingsChange::ALL.iter().find(|setting| setting.path().join(".") == *key);
    let settings: Option<Vec<&Setting>> = keys.iter().map(known).collect();
    let settings = settings.ok_or_else(|| must_be("name", "that of a setting, such as limits.max_cycles"))?;
    edit(config_file, |document| {
        for setting in settings {
            let table = match setting.table {
                Some(name) => document.get_mut(name).and_then(Item::as_table_like_mut),
                None => Some(&mut *document as &mut dyn TableLike),
            };
            if let Some(table) = table {
                table.remove(setting.key);
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
    let sizes = sizes_of(change);
    check_sizes(&sizes)?;
    check_models(&change.models)?;
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

/// Counts a finish reason of an endpoint as that of a whole answer no more (P10).
pub fn forget_finish_reason(config_file: &Path, endpoint: &str, reason: &str) -> Result<(), ErrorInfo> {
    edit(config_file, |document| {
        let known = document.get_mut("endpoints").and_then(Item::as_table_like_mut);
        let table = known.and_then(|known| known.get_mut(endpoint)?.as_table_like_mut());
        let Some(table) = table else { return Ok(()) };
        if let Some(accepted) = table.get_mut("accepted_finish_reasons").and_then(Item::as_array_mut) {
            accepted.retain(|known| known.as_str() != Some(reason));
            if accepted.is_empty() {
                table.remove("accepted_finish_reasons");
            }
        }
        Ok(())
    })
}

/// Writes what a tool may do, in the place of what the file says of that; other keys of its table stay.
pub fn save_tool(config_file: &Path, tool: &ToolSettings) -> Result<(), ErrorInfo> {
    let ToolSettings { tool: name, permission, timeout_ms, max_per_turn, rules } = tool;
    if name.is_empty() || name.len() > 64 || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return Err(must_be("name of a tool", "1 to 64 letters, digits or underscores"));
    }
    in_range(ToolMilliseconds::new, "number of milliseconds of a call", *timeout_ms)?;
    in_range(RunsPerTurn::new, "number of runs in a turn", *max_per_turn)?;
    if rules.len() > TOOL_RULES {
        return Err(must_be("list of rules", &format!("at most {TOOL_RULES} long")));
    }
    let mut written = Array::new();
    for ToolRule { pattern, permission } in rules {
        if Pattern::try_from(pattern.clone()).is_err() {
            return Err(must_be("pattern", CallPattern::EXPECTED));
        }
        let fits = Pattern::try_from(pattern.clone()).is_ok_and(|pattern| CallPattern::fits(name, &pattern));
        if !fits {
            return Err(must_be("pattern", CallPattern::EXPECTED_WORDS));
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
        for (key, number) in [("timeout_ms", timeout_ms), ("max_per_turn", max_per_turn)] {
            match number {
                Some(number) => set(table, key, value(i64::from(*number))),
                None => _ = table.remove(key),
            }
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
