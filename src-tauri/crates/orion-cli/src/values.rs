//! Values of arguments: how they are read, and the errors for texts that are no valid value.

use orion_engine::config::{BaseUrl, KeyVariable};

pub(crate) fn key_variable(text: &str) -> Result<KeyVariable, &'static str> {
    KeyVariable::new(text)
        .ok_or("expected the name of an environment variable in capitals, such as DEEPSEEK_API_KEY")
}

pub(crate) fn base_url(text: &str) -> Result<BaseUrl, &'static str> {
    BaseUrl::new(text).ok_or("expected an http or https address without a user name or password")
}
