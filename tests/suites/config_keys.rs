//! Keys: where they are looked for, where they are kept, and that they stay hidden.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use keyring_core::api::CredentialStoreApi;
use keyring_core::{Entry, Error, mock};
use orion_engine::config::{BaseUrl, EndpointConfig, Environment, KeyVariable};
use orion_engine::secrets::{KeyStore, Keychain, Redactor};
use orion_protocol::{Code, ErrorInfo, KeySource};
use secrecy::{ExposeSecret, SecretString};

const KEY: &str = "sk-0123456789abcdef";

fn address() -> BaseUrl {
    BaseUrl::new("https://host/v1").unwrap()
}

fn endpoint(variable: Option<&str>, keychain: bool) -> EndpointConfig {
    EndpointConfig {
        key_variable: variable.map(|name| KeyVariable::new(name).unwrap()),
        keychain,
        ..EndpointConfig::at(address(), "m")
    }
}

fn with_keychain(variables: &[(&str, &str)]) -> KeyStore {
    let keychain = Keychain::with(|| Ok(mock::Store::new()?));
    KeyStore::new(variables.iter().copied().collect::<Environment>(), keychain, Redactor::default())
}

fn without_keychain() -> KeyStore {
    KeyStore::new(Environment::default(), Keychain::with(|| Err(Error::NoDefaultStore)), Redactor::default())
}

async fn key(keys: &KeyStore, name: &str, endpoint: &EndpointConfig) -> Option<String> {
    keys.key(name, endpoint).await.unwrap().map(|key| key.expose_secret().to_owned())
}

#[tokio::test]
async fn a_key_is_looked_for_in_the_environment_then_the_keychain() {
    let keys = with_keychain(&[("WORK_KEY", "from-the-environment")]);
    assert_eq!(keys.keep("work", &address(), KEY.into()).await, Ok(KeySource::Keychain));
    let both = endpoint(Some("WORK_KEY"), true);
    assert_eq!(keys.source("work", &both), KeySource::Environment("WORK_KEY".to_owned()));
    assert_eq!(key(&keys, "work", &both).await.as_deref(), Some("from-the-environment"));
    let unset = endpoint(Some("OTHER_KEY"), true);
    assert_eq!(keys.source("work", &unset), KeySource::Keychain);
    assert_eq!(key(&keys, "work", &unset).await.as_deref(), Some(KEY));
    let none = endpoint(None, false);
    assert_eq!((keys.source("work", &none), key(&keys, "work", &none).await), (KeySource::None, None));
}

#[tokio::test]
async fn keys_of_two_endpoints_are_kept_apart_and_a_forgotten_one_is_gone() {
    let keys = with_keychain(&[]);
    let there = endpoint(None, true);
    keys.keep("a", &address(), "key-of-endpoint-a".into()).await.unwrap();
    keys.keep("b", &address(), "key-of-endpoint-b".into()).await.unwrap();
    keys.forget("a", true).await.unwrap();
    assert_eq!(key(&keys, "a", &there).await, None);
    assert_eq!(key(&keys, "b", &there).await.as_deref(), Some("key-of-endpoint-b"));
}

#[tokio::test]
async fn without_a_keychain_a_key_lasts_as_long_as_the_process() {
    let keys = without_keychain();
    assert!(!keys.has_keychain().await);
    assert_eq!(keys.keep("work", &address(), KEY.into()).await, Ok(KeySource::Memory));
    let plain = endpoint(None, false);
    assert_eq!(
        (keys.source("work", &plain), key(&keys, "work", &plain).await.as_deref()),
        (KeySource::Memory, Some(KEY))
    );
    keys.forget("work", false).await.unwrap();
    assert_eq!(key(&keys, "work", &plain).await, None);
}

#[tokio::test]
async fn a_key_that_is_gone_is_said_before_it_is_needed() {
    let before = without_keychain();
    let lost = EndpointConfig { key_not_kept: true, ..endpoint(None, false) };
    before.keep("work", &address(), KEY.into()).await.unwrap();
    assert_eq!(before.source("work", &lost), KeySource::Memory);
    // Another process, which never had it.
    assert_eq!(without_keychain().source("work", &lost), KeySource::Lost);
    let unset = endpoint(Some("WORK_KEY"), false);
    assert_eq!(without_keychain().source("work", &unset), KeySource::Unset("WORK_KEY".to_owned()));
    assert_eq!(without_keychain().source("work", &endpoint(None, false)), KeySource::None);
}

#[tokio::test]
async fn a_key_that_should_be_in_a_missing_keychain_is_an_error_that_says_what_to_do() {
    let error = without_keychain().key("work", &endpoint(None, true)).await.unwrap_err();
    assert_eq!(error.code, Code::KeychainUnavailable);
    assert_eq!(error.message, "The system's keychain cannot be used.");
    assert_eq!(
        error.action.as_deref(),
        Some("Put the key into an environment variable and name it in the endpoint's settings.")
    );
}

fn at(address: &str, keychain: bool) -> EndpointConfig {
    EndpointConfig { base_url: BaseUrl::new(address).unwrap(), ..endpoint(None, keychain) }
}

fn given_for(origin: &str, now: &str) -> ErrorInfo {
    ErrorInfo::new(
        Code::Authentication,
        format!("The key of work was given for {origin}, so it is not sent to {now}."),
        "Enter the key again in the settings of this endpoint, or correct its base_url in config.toml.",
    )
}

#[tokio::test]
async fn a_kept_key_goes_only_to_the_server_that_it_was_given_for() {
    for (keys, keychain) in [(with_keychain(&[]), true), (without_keychain(), false)] {
        let source = if keychain { KeySource::Keychain } else { KeySource::Memory };
        assert_eq!(keys.keep("work", &address(), KEY.into()).await, Ok(source));
        for same in ["https://host/v1", "https://HOST:443/v2/", "https://host"] {
            assert_eq!(key(&keys, "work", &at(same, keychain)).await.as_deref(), Some(KEY), "{same}");
        }
        for (other, origin) in [
            ("https://host:8443/v1", "https://host:8443"),
            ("http://host/v1", "http://host"),
            ("https://host.example/v1", "https://host.example"),
        ] {
            let error = keys.key("work", &at(other, keychain)).await.unwrap_err();
            assert_eq!(error, given_for("https://host", origin));
        }
        // Given again, it goes to the new one and to the old one no more.
        keys.keep("work", &BaseUrl::new("https://new/v1").unwrap(), KEY.into()).await.unwrap();
        assert_eq!(key(&keys, "work", &at("https://new/v1", keychain)).await.as_deref(), Some(KEY));
        let error = keys.key("work", &at("https://host/v1", keychain)).await.unwrap_err();
        assert_eq!(error, given_for("https://new", "https://host"));
    }
}

/// A keychain whose entries a test can make and see. It lasts as long as the process.
static SEEN: LazyLock<Arc<mock::Store>> = LazyLock::new(|| mock::Store::new().unwrap());

#[tokio::test]
async fn a_key_in_the_keychain_without_a_server_is_bound_to_one_at_its_first_use() {
    let keychain = Keychain::with(|| Ok(SEEN.clone()));
    let keys = KeyStore::new(Environment::default(), keychain, Redactor::default());
    let entry = SEEN.build("orion", "work", None).unwrap();
    entry.set_password(KEY).unwrap();
    assert_eq!(key(&keys, "work", &at("https://host/v1", true)).await.as_deref(), Some(KEY));
    assert_eq!(entry.get_password().unwrap(), format!("https://host {KEY}"));
    let error = keys.key("work", &at("https://other/v1", true)).await.unwrap_err();
    assert_eq!(error, given_for("https://host", "https://other"));

    // What is no key is bound to nothing.
    for slip in ["two words", "sk-1\n", "https://host sk-1 and more", ""] {
        entry.set_password(slip).unwrap();
        let error = keys.key("work", &at("https://host/v1", true)).await.unwrap_err();
        assert_eq!((error.code, entry.get_password().unwrap().as_str()), (Code::Authentication, slip));
    }
    keys.forget("work", true).await.unwrap();
    assert!(matches!(entry.get_password(), Err(Error::NoEntry)));
}

#[tokio::test]
async fn the_keychain_is_not_opened_for_an_endpoint_without_a_key_in_it() {
    let keys = KeyStore::new(
        Environment::default(),
        Keychain::with(|| panic!("the keychain was opened")),
        Redactor::default(),
    );
    let plain = endpoint(Some("UNSET"), false);
    let unset = KeySource::Unset("UNSET".to_owned());
    assert_eq!((keys.source("work", &plain), key(&keys, "work", &plain).await), (unset, None));
}

#[tokio::test]
async fn a_key_with_a_line_end_or_nothing_in_it_is_refused_without_being_repeated() {
    let keys = with_keychain(&[("WORK_KEY", "sk-abcdefgh\nX-Other: 1")]);
    let error = keys.key("work", &endpoint(Some("WORK_KEY"), false)).await.unwrap_err();
    assert_eq!(error.code, Code::Authentication);
    assert!(!format!("{error:?}").contains("sk-abcdefgh"));
    for key in ["", " ", "schlüssel-123"] {
        assert_eq!(
            keys.keep("work", &address(), key.into()).await.unwrap_err().code,
            Code::Authentication,
            "{key:?}"
        );
    }
}

#[tokio::test]
async fn a_key_that_was_used_is_hidden_in_text_and_errors_from_then_on() {
    let keys = with_keychain(&[("WORK_KEY", KEY)]);
    let said = format!("Incorrect API key provided: {KEY}.");
    assert_eq!(keys.redactor().redact(&said), said);
    keys.key("work", &endpoint(Some("WORK_KEY"), false)).await.unwrap();
    assert_eq!(keys.redactor().redact(&said), "Incorrect API key provided: [redacted].");
    let told =
        |key: &str| ErrorInfo::new(Code::Authentication, format!("No {key}."), format!("Check {key}."));
    let error = told(KEY).with_detail(&said);
    let hidden = told("[redacted]").with_detail("Incorrect API key provided: [redacted].");
    assert_eq!(keys.redactor().redact_error(error), hidden);
    assert!(!format!("{keys:?}").contains(KEY));
}

#[test]
fn of_two_secrets_the_longer_is_hidden_whole_and_words_are_left_alone() {
    let redactor = Redactor::default();
    for secret in ["ollama", "sk-12345678", "sk-12345678-long"] {
        redactor.hide(&SecretString::from(secret));
    }
    assert_eq!(redactor.redact("ollama sk-12345678-long sk-12345678"), "ollama [redacted] [redacted]");
}

#[test]
fn a_secret_is_hidden_in_whatever_writing_it_is_echoed() {
    let redactor = Redactor::default();
    redactor.hide(&SecretString::from("sk-12/45+78~Key"));
    let echoes = [
        ("as it is: sk-12/45+78~Key.", "as it is: [redacted]."),
        ("in a URL: key=sk-12%2F45%2b78%7EKey&x=1", "in a URL: key=[redacted]&x=1"),
        ("every byte: %73%6b%2d12%2F45%2B78%7eKey", "every byte: [redacted]"),
        ("in hex: 736B2D31322f34352B37387E4b6579", "in hex: [redacted]"),
        ("in base64: c2stMTIvNDUrNzh+S2V5", "in base64: [redacted]"),
        ("for URLs: c2stMTIvNDUrNzh-S2V5", "for URLs: [redacted]"),
        ("base64 in a URL: c2stMTIvNDUrNzh%2BS2V5", "base64 in a URL: [redacted]"),
    ];
    for (text, hidden) in echoes {
        assert_eq!(redactor.redact(text), hidden);
    }
    // Behind `user:`, whatever is before it: all but the few bits that other bytes have a part in.
    for before in ["", "a", "ab", "abc", "abcd"] {
        let text = base64::Engine::encode(
            &base64::engine::general_purpose::STANDARD,
            format!("{before}sk-12/45+78~Key:x"),
        );
        let shown = redactor.redact(&text);
        let left = shown.replace("[redacted]", "").len();
        assert!(shown.contains("[redacted]") && left <= before.len() * 2 + 8, "{before}: {shown}");
    }
    for text in ["sk-12", "100% of 50%25 is %zz", "c2stMTIvNDU", "é%C3%A9"] {
        assert!(matches!(redactor.redact(text), std::borrow::Cow::Borrowed(_)), "{text}");
    }
}

/// A store like those on a session bus: it waits when it is dropped, which panics on a thread of a runtime.
#[derive(Debug)]
struct Waiting(Arc<mock::Store>);

impl CredentialStoreApi for Waiting {
    fn vendor(&self) -> String {
        self.0.vendor()
    }

    fn id(&self) -> String {
        self.0.id()
    }

    fn build(
        &self,
        service: &str,
        user: &str,
        modifiers: Option<&HashMap<&str, &str>>,
    ) -> keyring_core::Result<Entry> {
        self.0.build(service, user, modifiers)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {});
    }
}

#[tokio::test]
async fn keys_can_be_dropped_on_a_thread_of_the_runtime() {
    let keychain = Keychain::with(|| Ok(Arc::new(Waiting(mock::Store::new()?))));
    let keys = KeyStore::new(Environment::default(), keychain, Redactor::default());
    assert_eq!(keys.keep("work", &address(), KEY.into()).await, Ok(KeySource::Keychain));
    drop(keys);
}
