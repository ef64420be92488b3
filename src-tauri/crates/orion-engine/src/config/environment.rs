//! The environment of the process as a value, so that tests can run with environments of their own.

use std::collections::BTreeMap;
use std::fmt;

use secrecy::SecretString;

/// Environment variables. An empty one counts as not set.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// The variables of this process. Those that are not UTF-8 are left out: none of Orion's can be.
    #[must_use]
    pub fn of_process() -> Self {
        std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect()
    }

    /// The values of variables whose names say that they are secret, such as `GITHUB_TOKEN`, where they look like it: twelve characters at
    /// least, letters and digits; and what looks like it in variables with headers.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = SecretString> {
        const NAMES: [&str; 6] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"];
        let named = |name: &str| {
            name.split('_').any(|word| {
                NAMES.iter().any(|secret| word.trim_end_matches('S').eq_ignore_ascii_case(secret))
            })
        };
        let looks = |value: &str| {
            value.len() >= 12
                && value.bytes().all(|byte| byte.is_ascii_graphic())
                && value.bytes().any(|byte| byte.is_ascii_digit())
                && value.bytes().any(|byte| byte.is_ascii_alphabetic())
        };
        // Headers, such as those of `OTEL_EXPORTER_OTLP_HEADERS`, hold keys as words of their values.
        let parts = move |name: &str, value: &str| -> Vec<String> {
            match name.ends_with("_HEADERS") {
                true => {
                    let decoded = url::form_urlencoded::parse(value.as_bytes());
                    let decoded: String =
                        decoded.flat_map(|(name, value)| [name, " ".into(), value, " ".into()]).collect();
                    let parts = [value, &decoded].map(|text| text.split([',', '=', ' ']));
                    parts.into_iter().flatten().map(str::to_owned).collect()
                }
                false if named(name) => vec![value.to_owned()],
                false => Vec::new(),
            }
        };
        let values = self.0.iter().flat_map(move |(name, value)| parts(name, value));
        values.filter(move |value| looks(value)).map(SecretString::from)
    }

    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        Self(variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

/// Names alone: values may be keys.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
