//! The endpoints that are set up or have a key in the environment, and the model servers on this computer.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use orion_protocol::{Code, Endpoint, EndpointPreset, ErrorInfo, Finding, KeySource, Subject, TroubleKind};
use url::Url;

use super::Examined;
use super::places::place;
use crate::config::{BaseUrl, EndpointConfig, KeyVariable, is_this_computer};
use crate::endpoint::Seen;

/// A keychain that is locked asks the person, for whom nobody waits here.
const KEYCHAIN: Duration = Duration::from_secs(5);

/// For a list of models.
const PATIENCE: Duration = Duration::from_secs(10);

/// The findings, and the seconds by which each server that said its time is ahead.
pub(super) async fn look(of: &Examined<'_>) -> (Vec<Finding>, Vec<i64>) {
    let presets = of.connector.presets();
    let known = known(of, &presets);
    let asked =
        known.iter().zip(1..).map(|((name, config), number)| asked(of, &presets, number, name, config));
    let (asked, servers) = tokio::join!(join_all(asked), of.connector.discover());
    let times = asked.iter().filter_map(|(_, ahead)| *ahead).collect();
    let mut found: Vec<Finding> = asked.into_iter().map(|(finding, _)| finding).collect();
    let labels: Vec<&str> = servers.iter().map(|preset| preset.label.as_str()).collect();
    found.push(match (labels.is_empty(), known.is_empty()) {
        (false, _) => Finding::fine(Subject::Servers, labels.join(", ")),
        (true, false) => Finding::fine(Subject::Servers, "none on the usual ports"),
        (true, true) => Finding::troubled(
            Subject::Servers,
            "no model is connected, and none answers on the usual ports",
            TroubleKind::NoModel,
            "Connect one in the settings or with --base-url, set DEEPSEEK_API_KEY, or start Ollama, LM Studio or llama.cpp. Until then the demo \
             model answers.",
        ),
    });
    (found, times)
}

/// The addresses of these endpoints.
pub(super) fn bases(of: &Examined<'_>) -> impl Iterator<Item = Url> {
    let known = known(of, &of.connector.presets());
    known.into_iter().filter_map(|(_, config)| Url::parse(&config.base_url.to_string()).ok())
}

/// Those of the settings, and those whose key is in the environment, with their names.
fn known(of: &Examined<'_>, presets: &[EndpointPreset]) -> Vec<(String, EndpointConfig)> {
    let mut known: Vec<(String, EndpointConfig)> =
        of.config.without_project().endpoints.into_iter().collect();
    for preset in presets {
        let variable = preset.key_variable.as_deref().filter(|name| of.environment.get(name).is_some());
        let (Some(variable), Some(base_url)) =
            (variable.and_then(KeyVariable::new), BaseUrl::new(&preset.base_url))
        else {
            continue;
        };
        if known.iter().any(|(_, config)| config.base_url.origin() == base_url.origin()) {
            continue;
        }
        let config = EndpointConfig { key_variable: Some(variable), ..EndpointConfig::at(base_url, "") };
        known.push((preset.name.clone(), config));
    }
    known
}

async fn asked(
    of: &Examined<'_>,
    presets: &[EndpointPreset],
    number: usize,
    name: &str,
    config: &EndpointConfig,
) -> (Finding, Option<i64>) {
    let url = Url::parse(&config.base_url.to_string());
    let is_here = url.as_ref().is_ok_and(is_this_computer);
    let place = url.map_or_else(|_| String::new(), |url| place(&url, presets));
    let source = of.keys.source(name, config);
    let endpoint = config.endpoint(name, source.clone());
    // A person names an endpoint, often by its host: only a name that everybody knows is told.
    let shown = match presets.iter().any(|preset| preset.name == name) {
        true => name.to_owned(),
        false => format!("endpoint {number}"),
    };
    let says = |what: &str| match place.eq_ignore_ascii_case(&shown) {
        true => format!("{shown}: {}, {what}", of_key(&source)),
        false => format!("{shown}: {place}, {}, {what}", of_key(&source)),
    };
    let troubled = |what: &str, kind, action: String| {
        (Finding::troubled(Subject::Endpoint, says(what), kind, action), None)
    };
    let key = match tokio::time::timeout(KEYCHAIN, of.keys.key_as_it_is(name, config)).await {
        Ok(Ok(key)) => key,
        Ok(Err(error)) if error.code == Code::KeychainUnavailable => {
            return troubled(
                "the keychain does not give it out",
                TroubleKind::KeyUnreadable,
                UNLOCK.to_owned(),
            );
        }
        Ok(Err(_)) => {
            let action = "Give the key again, for this address: Settings › Models.";
            return troubled("the key cannot be used", TroubleKind::KeyRefused, action.to_owned());
        }
        Err(_) => {
            return troubled("the keychain waits for you", TroubleKind::KeyUnreadable, UNLOCK.to_owned());
        }
    };
    if key.is_none() && matches!(source, KeySource::Unset(_) | KeySource::Lost | KeySource::Keychain) {
        let action = match &source {
            KeySource::Unset(_) => "Set the variable that the endpoint's settings name before Orion starts, or give the key in Settings › Models."
                .to_owned(),
            _ => "Give the key again in Settings › Models.".to_owned(),
        };
        return troubled("nothing was sent", TroubleKind::KeyMissing, action);
    }
    let began = Instant::now();
    match seen(of, &endpoint, key).await {
        Ok(Seen { models, at_s }) => {
            let milliseconds = began.elapsed().as_millis();
            let models = if models == 1 { "1 model".to_owned() } else { format!("{models} models") };
            // A server here has the same clock.
            let ahead = at_s.filter(|_| !is_here).map(|at_s| at_s - jiff::Timestamp::now().as_second());
            (
                Finding::fine(Subject::Endpoint, says(&format!("answers in {milliseconds} ms, {models}"))),
                ahead,
            )
        }
        Err(error) => {
            let (what, kind, action) = wrong(&error);
            troubled(&what, kind, action)
        }
    }
}

async fn seen(
    of: &Examined<'_>,
    endpoint: &Endpoint,
    key: Option<secrecy::SecretString>,
) -> Result<Seen, ErrorInfo> {
    let looked = of.connector.look(endpoint, key);
    tokio::time::timeout(PATIENCE, looked)
        .await
        .unwrap_or_else(|_| Err(ErrorInfo::new(Code::IdleTimeout, "It does not answer.", "")))
}

const UNLOCK: &str =
    "Unlock the keychain, and give the key again in Settings › Models if it is not in there.";

fn of_key(source: &KeySource) -> &'static str {
    match source {
        KeySource::Environment(_) => "key found in the environment",
        KeySource::Keychain => "key in the keychain",
        KeySource::Memory => "key kept while Orion runs",
        KeySource::Unset(_) => "its variable for the key is not set",
        KeySource::Lost => "its key was not kept",
        KeySource::None => "no key",
    }
}

/// A code as it is on the wire.
fn word(code: Code) -> String {
    serde_json::to_value(code).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

/// The words of an error without those of the server, which may name what a report must not.
fn wrong(error: &ErrorInfo) -> (String, TroubleKind, String) {
    let (what, kind, action) = match error.code {
        Code::Authentication | Code::AccessDenied => (
            "refuses the key".to_owned(),
            TroubleKind::KeyRefused,
            "Give a key that this server takes: Settings › Models, or the endpoint's environment variable.",
        ),
        Code::Connection => (
            "cannot be reached".to_owned(),
            TroubleKind::Unreachable,
            "Check that the server runs, the base URL, the network, and the proxy.",
        ),
        Code::IdleTimeout => (
            "does not answer in time".to_owned(),
            TroubleKind::Unreachable,
            "Try again: a local server may be busy. Else check the base URL and the proxy.",
        ),
        Code::Unencrypted | Code::ConfigInvalid => (
            "is set up so that nothing is sent to it".to_owned(),
            TroubleKind::EndpointWrong,
            "Use an https:// address, or confirm plain HTTP in the endpoint's settings; a key never goes over plain HTTP to another computer.",
        ),
        code => (
            format!("answers with an error ({})", word(code)),
            TroubleKind::Refused,
            "Check the base URL: it ends before /chat/completions, and often in /v1. orion models shows what the server says.",
        ),
    };
    (what, kind, action.to_owned())
}
