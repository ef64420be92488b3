//! Who sends a trace: the attributes of the program.

use opentelemetry::KeyValue;
use opentelemetry_sdk::Resource;
use orion_engine::config::Environment;

use crate::environment::pairs;
use crate::text::{BYTES, bounded};

/// The name of the service, where nobody gives it another one, and of the agent.
pub(crate) const NAME: &str = "orion";

/// By `OTEL_RESOURCE_ATTRIBUTES`, over which `OTEL_SERVICE_NAME` goes. What cannot be read in the former is left out, as the specification of
/// OpenTelemetry says.
pub(crate) fn resource(environment: &Environment) -> Resource {
    let given = environment.get("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default();
    let given = pairs(given).flatten().map(|(name, value)| KeyValue::new(name, bounded(&value, BYTES)));
    let name =
        environment.get("OTEL_SERVICE_NAME").map(|name| KeyValue::new("service.name", bounded(name, BYTES)));
    Resource::builder_empty()
        .with_attributes([
            KeyValue::new("service.name", NAME),
            KeyValue::new("service.version", env!("CARGO_PKG_VERSION")),
            KeyValue::new("telemetry.sdk.name", "opentelemetry"),
            KeyValue::new("telemetry.sdk.language", "rust"),
        ])
        .with_attributes(given)
        .with_attributes(name)
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(variables: &[(&str, &str)], name: &'static str) -> Option<String> {
        let environment: Environment = variables.iter().copied().collect();
        resource(&environment).get(&name.into()).map(|value| value.to_string())
    }

    #[test]
    fn the_service_is_orion_until_somebody_names_it() {
        let attributes = ("OTEL_RESOURCE_ATTRIBUTES", "team=a%20b,service.name=desk,broken,=x");
        assert_eq!(said(&[], "service.name").as_deref(), Some("orion"));
        assert_eq!(said(&[attributes], "service.name").as_deref(), Some("desk"));
        assert_eq!(said(&[attributes], "team").as_deref(), Some("a b"));
        assert_eq!(
            said(&[attributes, ("OTEL_SERVICE_NAME", "mine")], "service.name").as_deref(),
            Some("mine")
        );
    }
}
