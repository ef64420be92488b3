//! Chooses the model: the endpoint of the flags, that of the settings, one whose key is in the environment, a server on
//! this computer, or else the demo model.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use orion_engine::config::{BaseUrl, COMMAND_LINE, DEMO, EndpointConfig, Environment, KeyVariable};
use orion_engine::endpoint::{Connector, ModelEndpoint, Patience};
use orion_engine::learned::OfModel;
use orion_protocol::{
    Answer, Code, Endpoint, ErrorInfo, KeySource, ModelTuning, Query, RequestId, TurnEvent,
};

use crate::args::EndpointArgs;
use crate::startup::Startup;
use crate::terminal::remark;

/// The choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chosen {
    pub(crate) name: String,
    /// Set when the endpoint is for this run only and in no settings file. Its model may still be empty.
    pub(crate) endpoint: Option<EndpointConfig>,
}

impl Chosen {
    fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), endpoint: None }
    }
}

/// Chooses an endpoint, and says which one it chose if nobody named it.
pub(crate) async fn choose(startup: &Startup, args: &EndpointArgs) -> Result<Chosen, ErrorInfo> {
    if args.demo {
        return Ok(Chosen::named(DEMO));
    }
    if let Some(base_url) = &args.base_url {
        let key_variable = named_variable(&startup.environment, args)?;
        let endpoint = EndpointConfig {
            key_variable,
            // A person who names it here has confirmed it.
            key_variable_confirmed: true,
            allow_http: args.allow_http,
            ..EndpointConfig::at(base_url.clone(), "")
        };
        return Ok(Chosen { name: COMMAND_LINE.to_owned(), endpoint: Some(endpoint) });
    }
    if let Some(name) = startup.config.without_project().values.default_endpoint {
        return Ok(Chosen::named(name));
    }
    if let Some(known) = in_environment(startup, args.allow_http).into_iter().next() {
        remark(&format!("Using {}, since {} is set.", known.label, known.because));
        return known.chosen();
    }
    if let Some(known) = on_this_computer(startup).await.into_iter().next() {
        remark(&format!("Using {}, {}.", known.label, known.because));
        return known.chosen();
    }
    remark("No model is connected, so the built-in demo model answers. It is scripted.");
    remark("Connect one with --base-url, or set DEEPSEEK_API_KEY, OPENAI_API_KEY or OPENROUTER_API_KEY.");
    Ok(Chosen::named(DEMO))
}

fn named_variable(environment: &Environment, args: &EndpointArgs) -> Result<Option<KeyVariable>, ErrorInfo> {
    match &args.api_key_env {
        Some(variable) if environment.get(variable.as_str()).is_none() => Err(ErrorInfo::new(
            Code::Authentication,
            format!("The environment variable {variable} is not set."),
            "Set it to the endpoint's key, or leave --api-key-env out.",
        )),
        variable => Ok(variable.clone()),
    }
}

/// The endpoint of this name, if it is available without being given again: one of the settings, one whose key is in
/// the environment, or a server on this computer. Never another one, since the content of a turn is only for the
/// endpoint with which it began.
pub(crate) async fn named(
    startup: &Startup,
    args: &EndpointArgs,
    name: &str,
) -> Result<Option<Chosen>, ErrorInfo> {
    if name == DEMO || startup.config.without_project().endpoints.contains_key(name) {
        return Ok(Some(Chosen::named(name)));
    }
    let local = startup.providers.presets().iter().any(|preset| preset.name == name && preset.local);
    let known =
        if local { on_this_computer(startup).await } else { in_environment(startup, args.allow_http) };
    known.into_iter().find(|known| known.name == name).map(Known::chosen).transpose()
}

/// What a turn began with; empty where it does not say.
#[derive(Debug, Default)]
pub(crate) struct BeganWith {
    pub(crate) endpoint: String,
    pub(crate) model: String,
}

/// # Errors
/// `turn_unknown`.
pub(crate) async fn began_with(
    data_dir: Option<&PathBuf>,
    request_id: RequestId,
) -> Result<BeganWith, ErrorInfo> {
    let engine = Startup::new(data_dir)?.engine(None).await?;
    let answer = engine.query(Query::Events { request_id, after_seq: 0 }).await;
    engine.close().await?;
    let Answer::Events { envelopes } = answer? else { return Ok(BeganWith::default()) };
    let started = envelopes.into_iter().find_map(|envelope| match envelope.event {
        TurnEvent::TurnStarted { endpoint, model, .. } => Some(BeganWith { endpoint, model }),
        _ => None,
    });
    Ok(started.unwrap_or_default())
}

/// An endpoint that is in no settings file, and why it is available.
struct Known {
    name: String,
    label: String,
    /// Or what is wrong with its variables.
    endpoint: Result<EndpointConfig, ErrorInfo>,
    because: &'static str,
}

impl Known {
    fn chosen(self) -> Result<Chosen, ErrorInfo> {
        Ok(Chosen { name: self.name, endpoint: Some(self.endpoint?) })
    }
}

/// The endpoints whose key the environment has. `OPENAI_BASE_URL` moves OpenAI's elsewhere, and needs no key there.
fn in_environment(startup: &Startup, allow_http: bool) -> Vec<Known> {
    let (environment, presets) = (&startup.environment, startup.providers.presets());
    let in_order = ["DEEPSEEK_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"];
    let known = in_order.into_iter().filter_map(|variable| {
        let preset = presets.iter().find(|preset| preset.key_variable.as_deref() == Some(variable))?;
        let moved = environment.get("OPENAI_BASE_URL").filter(|_| variable == "OPENAI_API_KEY");
        let key_variable = environment.get(variable).and_then(|_| KeyVariable::new(variable));
        let because = match (&key_variable, moved) {
            (Some(_), _) => variable,
            (None, Some(_)) => "OPENAI_BASE_URL",
            (None, None) => return None,
        };
        let base_url = match moved {
            Some(address) => BaseUrl::new(address).ok_or_else(no_address),
            None => Ok(BaseUrl::new(&preset.base_url)?),
        };
        let model = preset.model.clone().filter(|_| moved.is_none()).unwrap_or_default();
        let endpoint = base_url.map(|base_url| EndpointConfig {
            key_variable,
            allow_http,
            ..EndpointConfig::at(base_url, model)
        });
        // Another server is another endpoint.
        let name = if moved.is_some() { "OPENAI_BASE_URL" } else { &preset.name }.to_owned();
        Some(Known { name, label: preset.label.clone(), endpoint, because })
    });
    known.collect()
}

/// The value is not shown, since it may contain a password.
fn no_address() -> ErrorInfo {
    ErrorInfo::new(
        Code::ConfigInvalid,
        "The environment variable OPENAI_BASE_URL must be an http or https address without a user name or password.",
        "Set it to one such as https://api.openai.com/v1, or unset it.",
    )
}

/// The model servers that answer on this computer.
async fn on_this_computer(startup: &Startup) -> Vec<Known> {
    let known = startup.providers.discover().await.into_iter().filter_map(|preset| {
        let (base_url, model) = (BaseUrl::new(&preset.base_url)?, preset.model?);
        let endpoint = Ok(EndpointConfig::at(base_url, model));
        let because = "which answers on this computer";
        Some(Known { name: preset.name, label: preset.label, endpoint, because })
    });
    known.collect()
}

/// The endpoint with a model: the one asked for, its own, or the first that the endpoint lists.
///
/// # Errors
/// `usage` when a model is named and the demo model answers; `model_unknown` when the endpoint lists none.
pub(crate) async fn with_model(
    startup: &Startup,
    mut chosen: Chosen,
    model: Option<&str>,
) -> Result<Chosen, ErrorInfo> {
    if chosen.name == DEMO && model.is_some() {
        return Err(ErrorInfo::new(
            Code::Usage,
            "The demo model is scripted, and there is no other one beside it.",
            "Leave out --model, or connect an endpoint with --base-url.",
        ));
    }
    let Some(endpoint) = &mut chosen.endpoint else { return Ok(chosen) };
    if let Some(model) = model {
        model.clone_into(&mut endpoint.model);
    }
    if endpoint.model.is_empty() {
        let models = connect(startup, &chosen.name, endpoint).await?.models().await;
        let models = models.map_err(|error| startup.keys.redactor().redact_error(error))?;
        endpoint.model = models.into_iter().next().map(|model| model.id).ok_or_else(|| {
            ErrorInfo::new(Code::ModelUnknown, "The endpoint lists no models.", "Name one with --model.")
        })?;
    }
    Ok(chosen)
}

/// The model endpoint itself, with its key.
pub(crate) async fn connect(
    startup: &Startup,
    name: &str,
    config: &EndpointConfig,
) -> Result<Arc<dyn ModelEndpoint>, ErrorInfo> {
    let key = startup.keys.key(name, config).await?;
    let endpoint = config.endpoint(name, startup.keys.source(name, config));
    startup.providers.connect(
        &endpoint,
        key,
        startup.config.without_project().patience(None),
        OfModel::default(),
    )
}

/// The built-in demo model.
pub(crate) fn demo(startup: &Startup) -> Result<Arc<dyn ModelEndpoint>, ErrorInfo> {
    let endpoint = Endpoint {
        name: DEMO.to_owned(),
        base_url: None,
        model: String::new(),
        key: KeySource::None,
        accepted_finish_reasons: Vec::new(),
        allow_http: false,
        window: None,
        max_output_tokens: None,
        tuning: ModelTuning::default(),
        models: BTreeMap::new(),
        takes_images: None,
        results_as: None,
    };
    startup.providers.connect(&endpoint, None, Patience::default(), OfModel::default())
}
