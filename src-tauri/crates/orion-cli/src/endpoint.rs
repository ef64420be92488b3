//! Which model answers: the flags' endpoint, that of the settings, one whose key is in the environment, a server on this
//! computer, or else the demo model.

use std::sync::Arc;

use orion_engine::config::{BaseUrl, DEMO, EndpointConfig, Environment, KeyVariable};
use orion_engine::endpoint::{Connector, ModelEndpoint};
use orion_protocol::{Code, Endpoint, EndpointPreset, ErrorInfo, KeySource};

use crate::args::EndpointArgs;
use crate::setting::Setting;
use crate::terminal::remark;

/// The choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chosen {
    pub(crate) name: String,
    /// Set when the endpoint is for this run alone and stands in no settings file. Its model may be empty still.
    pub(crate) endpoint: Option<EndpointConfig>,
}

impl Chosen {
    fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), endpoint: None }
    }
}

/// Chooses, and says what it chose where nobody asked for it by name.
pub(crate) async fn choose(setting: &Setting, args: &EndpointArgs) -> Result<Chosen, ErrorInfo> {
    if args.demo {
        return Ok(Chosen::named(DEMO));
    }
    if let Some(base_url) = &args.base_url {
        let key_variable = named_variable(&setting.environment, args)?;
        let endpoint = EndpointConfig {
            base_url: base_url.clone(),
            model: String::new(),
            key_variable,
            keychain: false,
        };
        return Ok(Chosen { name: "command-line".to_owned(), endpoint: Some(endpoint) });
    }
    if let Some(name) = setting.config.without_project().default_endpoint {
        return Ok(Chosen::named(name));
    }
    if let Some((preset, endpoint, variable)) =
        from_environment(&setting.environment, setting.providers.presets())
    {
        remark(&format!("Using {}, since {variable} is set.", preset.label));
        return Ok(Chosen { name: preset.name, endpoint: Some(endpoint) });
    }
    for preset in setting.providers.discover().await {
        let (Some(base_url), Some(model)) = (BaseUrl::new(&preset.base_url), preset.model) else { continue };
        remark(&format!("Using {}, which answers on this computer.", preset.label));
        let endpoint = EndpointConfig { base_url, model, key_variable: None, keychain: false };
        return Ok(Chosen { name: preset.name, endpoint: Some(endpoint) });
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

/// The first of the known endpoints whose key the environment has. `OPENAI_BASE_URL` moves OpenAI's elsewhere, and needs
/// no key there.
fn from_environment(
    environment: &Environment,
    presets: Vec<EndpointPreset>,
) -> Option<(EndpointPreset, EndpointConfig, &'static str)> {
    let in_order = ["DEEPSEEK_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"];
    in_order.into_iter().find_map(|variable| {
        let preset = presets.iter().find(|preset| preset.key_variable.as_deref() == Some(variable))?;
        let moved = environment.get("OPENAI_BASE_URL").filter(|_| variable == "OPENAI_API_KEY");
        let key_variable = environment.get(variable).and_then(|_| KeyVariable::new(variable));
        let because = match (&key_variable, moved) {
            (Some(_), _) => variable,
            (None, Some(_)) => "OPENAI_BASE_URL",
            (None, None) => return None,
        };
        let base_url = BaseUrl::new(moved.unwrap_or(&preset.base_url))?;
        let model = preset.model.clone().filter(|_| moved.is_none()).unwrap_or_default();
        Some((preset.clone(), EndpointConfig { base_url, model, key_variable, keychain: false }, because))
    })
}

/// The endpoint with a model: the one asked for, its own, or the first that the endpoint lists.
pub(crate) async fn with_model(
    setting: &Setting,
    mut chosen: Chosen,
    model: Option<&str>,
) -> Result<Chosen, ErrorInfo> {
    let Some(endpoint) = &mut chosen.endpoint else { return Ok(chosen) };
    if let Some(model) = model {
        model.clone_into(&mut endpoint.model);
    }
    if endpoint.model.is_empty() {
        let models = connect(setting, &chosen.name, endpoint).await?.models().await;
        let models = models.map_err(|error| setting.keys.redactor().redact_error(error))?;
        endpoint.model = models.into_iter().next().map(|model| model.id).ok_or_else(|| {
            ErrorInfo::new(Code::ModelUnknown, "The endpoint lists no model.", "Name one with --model.")
        })?;
    }
    Ok(chosen)
}

/// The model endpoint itself, with its key.
pub(crate) async fn connect(
    setting: &Setting,
    name: &str,
    config: &EndpointConfig,
) -> Result<Arc<dyn ModelEndpoint>, ErrorInfo> {
    let key = setting.keys.key(name, config).await?;
    let endpoint = Endpoint {
        name: name.to_owned(),
        base_url: Some(config.base_url.to_string()),
        model: config.model.clone(),
        key: setting.keys.source(name, config),
    };
    setting.providers.connect(&endpoint, key, setting.config.without_project().idle_timeout)
}

/// The built-in demo model.
pub(crate) fn demo(setting: &Setting) -> Result<Arc<dyn ModelEndpoint>, ErrorInfo> {
    let endpoint =
        Endpoint { name: DEMO.to_owned(), base_url: None, model: String::new(), key: KeySource::None };
    setting.providers.connect(&endpoint, None, None)
}
