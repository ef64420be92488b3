//! The endpoints that Orion knows by name. They are offered when a person connects a model.

use orion_engine::learned::Server;
use orion_protocol::EndpointPreset;
use reqwest::Url;

pub(crate) struct Known {
    name: &'static str,
    label: &'static str,
    base_url: &'static str,
    key_variable: Option<&'static str>,
    model: Option<&'static str>,
    /// A server that Orion can tell from others by what it says of itself.
    pub(crate) server: Option<Server>,
}

/// Addresses, variables and models as the providers' own documentation gives them. A model is named only if it suits
/// everyone as a start. Servers on this computer have whatever is installed, on their default ports.
const KNOWN: &[Known] = &[
    Known {
        name: "deepseek",
        label: "DeepSeek",
        base_url: "https://api.deepseek.com/v1",
        key_variable: Some("DEEPSEEK_API_KEY"),
        model: Some("deepseek-chat"),
        server: None,
    },
    Known {
        name: "openai",
        label: "OpenAI",
        base_url: "https://api.openai.com/v1",
        key_variable: Some("OPENAI_API_KEY"),
        model: Some("gpt-4.1"),
        server: None,
    },
    Known {
        name: "openrouter",
        label: "OpenRouter",
        base_url: "https://openrouter.ai/api/v1",
        key_variable: Some("OPENROUTER_API_KEY"),
        model: Some("openrouter/auto"),
        server: None,
    },
    Known {
        name: "ollama",
        label: "Ollama",
        base_url: "http://localhost:11434/v1",
        key_variable: None,
        model: None,
        server: Some(Server::Ollama),
    },
    Known {
        name: "lm-studio",
        label: "LM Studio",
        base_url: "http://localhost:1234/v1",
        key_variable: None,
        model: None,
        server: Some(Server::LmStudio),
    },
    Known {
        name: "llama-cpp",
        label: "llama.cpp",
        base_url: "http://localhost:8080/v1",
        key_variable: None,
        model: None,
        server: Some(Server::LlamaCpp),
    },
    Known {
        name: "vllm",
        label: "vLLM",
        base_url: "http://localhost:8000/v1",
        key_variable: None,
        model: None,
        server: Some(Server::Vllm),
    },
    Known {
        name: "sglang",
        label: "SGLang",
        base_url: "http://localhost:30000/v1",
        key_variable: None,
        model: None,
        server: Some(Server::Sglang),
    },
    Known {
        name: "koboldcpp",
        label: "KoboldCpp",
        base_url: "http://localhost:5001/v1",
        key_variable: None,
        model: None,
        server: None,
    },
    Known {
        name: "jan",
        label: "Jan",
        base_url: "http://localhost:1337/v1",
        key_variable: None,
        model: None,
        server: None,
    },
];

pub(crate) fn presets() -> Vec<EndpointPreset> {
    let preset = |known: &Known| EndpointPreset {
        name: known.name.into(),
        label: known.label.into(),
        base_url: known.base_url.into(),
        key_variable: known.key_variable.map(Into::into),
        model: known.model.map(Into::into),
        local: known.key_variable.is_none(),
    };
    KNOWN.iter().map(preset).collect()
}

/// The server on this computer that listens on this port, unless its person has chosen another one.
pub(crate) fn on_port(port: u16) -> Option<&'static Known> {
    let local = KNOWN.iter().filter(|known| known.key_variable.is_none());
    local.into_iter().find(|known| port_of(known.base_url) == Some(port))
}

fn port_of(base_url: &str) -> Option<u16> {
    Url::parse(base_url).ok()?.port()
}
