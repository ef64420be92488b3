//! Saves what a person sets for a model: in `config.toml` how it is asked, and in `prices.toml` beside it what it costs.

use std::path::Path;

use orion_protocol::{Code, ErrorInfo, ModelChange, ModelSettings, ModelSizes, Prices, ReasoningEffort, Usd};
use toml_edit::{Item, TableLike, value};

use super::editing::{edit, must_be, set, table};
use super::prices;
use super::sizes::{MODELS, check_model, check_sizes, remove_empty, set_sizes};

/// Puts the settings of a model, or of all models of an endpoint, in the place of those that the files have.
///
/// # Errors
/// `no_endpoint` for an endpoint that the file does not have, `config_invalid` for a value out of its range.
pub fn save_model(config_file: &Path, change: &ModelChange) -> Result<(), ErrorInfo> {
    let ModelChange { endpoint, model, settings } = change;
    let model = model.as_deref().map(str::trim);
    let sizes = ModelSizes { window: settings.window, max_output_tokens: settings.max_output_tokens };
    check_sizes(&sizes)?;
    match model {
        Some(model) => check_model(model)?,
        None if settings.favourite || settings.prices.is_some() => {
            return Err(must_be("model of a favourite or a price", "a single one"));
        }
        None => {}
    }
    if let Some(prices) = &settings.prices {
        prices::check(prices)?;
    }
    edit(config_file, |document| {
        let known = document.get_mut("endpoints").and_then(Item::as_table_like_mut);
        let Some(table) = known.and_then(|known| known.get_mut(endpoint)?.as_table_like_mut()) else {
            let message = format!("There is no endpoint named {endpoint} in the settings.");
            return Err(ErrorInfo::new(Code::NoEndpoint, message, "Connect it in the settings first."));
        };
        match model {
            Some(model) => set_model(table, model, settings),
            None => {
                set_all(table, settings);
                Ok(())
            }
        }
    })?;
    let Some(model) = model else { return Ok(()) };
    let file = config_file.with_file_name(prices::FILE);
    if settings.prices.is_none() && !file.exists() {
        return Ok(());
    }
    edit(&file, |document| {
        let models = table(document, endpoint)?;
        match &settings.prices {
            Some(prices) => set_prices(table(models, model)?, prices),
            None => _ = models.remove(model),
        }
        remove_empty(document, endpoint);
        Ok(())
    })
}

fn set_model(endpoint: &mut dyn TableLike, model: &str, settings: &ModelSettings) -> Result<(), ErrorInfo> {
    let models = table(endpoint, "models")?;
    if !models.contains_key(model) && models.len() >= MODELS {
        return Err(must_be("list of models with settings of their own", &format!("at most {MODELS} long")));
    }
    let own = table(models, model)?;
    set_all(own, settings);
    match settings.favourite {
        true => set(own, "favourite", value(true)),
        false => _ = own.remove("favourite"),
    }
    remove_empty(models, model);
    remove_empty(endpoint, "models");
    Ok(())
}

/// What can be set for all models and for one.
fn set_all(table: &mut dyn TableLike, settings: &ModelSettings) {
    let ModelSettings { window, max_output_tokens, temperature, reasoning_effort, .. } = *settings;
    let ModelSettings { thinking, takes_images, results_as, .. } = *settings;
    set_sizes(table, &ModelSizes { window, max_output_tokens });
    let temperature = temperature.map(|temperature| value(temperature.number()));
    let effort = reasoning_effort.map(|effort| value(word_of(effort)));
    let thinking = thinking.map(|thinking| value(thinking.name()));
    let images = takes_images.map(value);
    let results = results_as.map(|form| value(form.name()));
    for (key, item) in [
        ("temperature", temperature),
        ("reasoning_effort", effort),
        ("thinking", thinking),
        ("takes_images", images),
        ("results_as", results),
    ] {
        match item {
            Some(item) => set(table, key, item),
            None => _ = table.remove(key),
        }
    }
}

fn set_prices(table: &mut dyn TableLike, prices: &Prices) {
    let Prices { prompt, completion, cached, reasoning } = *prices;
    let prices: [(&str, Option<Usd>); 4] = [
        ("prompt", Some(prompt)),
        ("completion", Some(completion)),
        ("cached", cached),
        ("reasoning", reasoning),
    ];
    for (key, price) in prices {
        match price {
            Some(price) => set(table, key, value(price.dollars())),
            None => _ = table.remove(key),
        }
    }
}

fn word_of(effort: ReasoningEffort) -> &'static str {
    match effort {
        ReasoningEffort::None => "none",
        ReasoningEffort::Minimal => "minimal",
        ReasoningEffort::Low => "low",
        ReasoningEffort::Medium => "medium",
        ReasoningEffort::High => "high",
        ReasoningEffort::Xhigh => "xhigh",
        ReasoningEffort::Max => "max",
    }
}
