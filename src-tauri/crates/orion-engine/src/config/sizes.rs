//! The sizes of an endpoint's models in the settings file, as the form of an endpoint writes them. What else is set for a model stays.

use std::collections::BTreeMap;

use orion_protocol::{EndpointChange, ErrorInfo, ModelSizes};
use toml_edit::{Item, TableLike, value};

use super::editing::{in_range, must_be, set, table};
use super::endpoints::{OutputTokens, WindowTokens};

/// Models of an endpoint that have settings of their own: more than a person writes by hand.
pub(super) const MODELS: usize = 200;

/// The longest name of a model, in characters: the longest in use have 120.
const MODEL_CHARS: usize = 200;

pub(super) fn sizes_of(change: &EndpointChange) -> ModelSizes {
    ModelSizes { window: change.window, max_output_tokens: change.max_output_tokens }
}

pub(super) fn check_models(models: &BTreeMap<String, ModelSizes>) -> Result<(), ErrorInfo> {
    if models.len() > MODELS {
        return Err(must_be("list of models with sizes of their own", &format!("at most {MODELS} long")));
    }
    for (model, own) in models {
        check_model(model)?;
        check_sizes(own)?;
    }
    Ok(())
}

pub(super) fn check_model(model: &str) -> Result<(), ErrorInfo> {
    if model.trim().is_empty() || model.chars().count() > MODEL_CHARS {
        return Err(must_be("model", &format!("the name of a model, of at most {MODEL_CHARS} characters")));
    }
    Ok(())
}

pub(super) fn check_sizes(sizes: &ModelSizes) -> Result<(), ErrorInfo> {
    in_range(WindowTokens::new, "window", sizes.window)?;
    in_range(OutputTokens::new, "limit of an answer", sizes.max_output_tokens)
}

pub(super) fn set_sizes(table: &mut dyn TableLike, sizes: &ModelSizes) {
    for (key, tokens) in [("window", sizes.window), ("max_output_tokens", sizes.max_output_tokens)] {
        match tokens {
            Some(tokens) => set(table, key, value(i64::from(tokens))),
            None => _ = table.remove(key),
        }
    }
}

/// The sizes of these models, and of no others.
pub(super) fn set_models(
    endpoint: &mut dyn TableLike,
    models: &BTreeMap<String, ModelSizes>,
) -> Result<(), ErrorInfo> {
    let models: BTreeMap<&str, &ModelSizes> = models
        .iter()
        .filter(|(_, own)| **own != ModelSizes::default())
        .map(|(name, own)| (name.trim(), own))
        .collect();
    if models.is_empty() && !endpoint.contains_key("models") {
        return Ok(());
    }
    let tables = table(endpoint, "models")?;
    let before: Vec<String> = tables.iter().map(|(name, _)| name.to_owned()).collect();
    for name in before.iter().filter(|name| !models.contains_key(name.as_str())) {
        if let Some(own) = tables.get_mut(name).and_then(Item::as_table_like_mut) {
            set_sizes(own, &ModelSizes::default());
        }
        remove_empty(tables, name);
    }
    for (name, own) in models {
        set_sizes(table(tables, name)?, own);
    }
    remove_empty(endpoint, "models");
    Ok(())
}

/// Takes out a table in which nothing is left.
pub(super) fn remove_empty(parent: &mut dyn TableLike, name: &str) {
    if parent.get(name).and_then(Item::as_table_like).is_some_and(|table| table.is_empty()) {
        parent.remove(name);
    }
}
