//! The environment of the process as a value, so that tests can run with environments of their own.

use std::collections::BTreeMap;
use std::fmt;

use secrecy::SecretString;

use super::secret_variables::secrets_in;

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

    /// The secrets in the variables ([`secrets_in`]).
    pub(crate) fn secrets(&self) -> impl Iterator<Item = SecretString> {
        self.0.iter().flat_map(|(name, value)| secrets_in(name, value)).map(SecretString::from)
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
