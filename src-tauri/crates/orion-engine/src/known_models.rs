//! Windows and output limits of models that their providers document (X2). A model counts only at its own provider: elsewhere it may run with less.
//!
//! Deliberately not here: models that could not be looked up in their provider's own documents, and prices, which change too often.

use crate::config::BaseUrl;

/// In tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KnownModel {
    host: &'static str,
    name: &'static str,
    pub(crate) window: u32,
    pub(crate) max_output_tokens: u32,
    pub(crate) takes_images: bool,
}

const fn model(host: &'static str, name: &'static str, window: u32, max_output_tokens: u32) -> KnownModel {
    KnownModel { host, name, window, max_output_tokens, takes_images: false }
}

const fn seeing(model: KnownModel) -> KnownModel {
    KnownModel { takes_images: true, ..model }
}

/// Each with its source, as it was on 2026-11-23.
const TABLE: &[KnownModel] = &[
    // developers.openai.com/api/docs/models/gpt-4
    model("api.openai.com", "gpt-4", 8_192, 8_192),
    // platform.claude.com/docs/en/models/opus-5/overview, which lists the newer one too; for images platform.claude.com/docs/en/build-with-claude/vision
    seeing(model("api.anthropic.com", "claude-opus-5", 1_000_000, 128_000)),
    seeing(model("api.anthropic.com", "claude-opus-5-5", 1_000_000, 128_000)),
    // api-docs.deepseek.com/quick_start/pricing
    model("api.deepseek.com", "deepseek-v4-flash", 1_000_000, 384_000),
    model("api.deepseek.com", "deepseek-v4-pro", 1_000_000, 384_000),
];

/// What is known of a model at this address. A name may end in the date of a snapshot.
pub(crate) fn known(address: &BaseUrl, model: &str) -> Option<&'static KnownModel> {
    let url = address.url()?;
    let host = url.host_str()?;
    TABLE.iter().find(|known| known.host == host && is_of(known.name, model))
}

/// `gpt-4-0613` is of `gpt-4`; `gpt-4-32k` and `gpt-4-turbo` are models of their own.
fn is_of(name: &str, model: &str) -> bool {
    model.strip_prefix(name).is_some_and(|rest| {
        let date =
            |rest: &str| rest.len() >= 4 && rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        rest.is_empty() || rest.strip_prefix('-').is_some_and(date)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(address: &str, model: &str) -> Option<u32> {
        known(&BaseUrl::new(address).unwrap(), model).map(|known| known.window)
    }

    #[test]
    fn a_model_is_known_at_its_own_provider_alone() {
        const OPENAI: &str = "https://api.openai.com/v1";
        for (model, expected) in [("gpt-4", 8_192), ("gpt-4-0613", 8_192)] {
            assert_eq!((model, window(OPENAI, model)), (model, Some(expected)));
        }
        for model in ["gpt-4-32k", "gpt-4-", "gpt-4-turbo", "my-gpt-4", ""] {
            assert_eq!((model, window(OPENAI, model)), (model, None));
        }
        assert_eq!(window("https://api.anthropic.com/v1", "claude-opus-5-5"), Some(1_000_000));
        for address in ["http://127.0.0.1:8080/v1", "https://api.openai.com.example/v1"] {
            assert_eq!((address, window(address, "gpt-4")), (address, None));
        }
    }

    #[test]
    fn an_answer_fits_its_window() {
        assert!(TABLE.iter().all(|known| known.max_output_tokens <= known.window));
    }
}
