//! The JSON Schema of a tool's arguments, kept small, since every model call sends it.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// The schema of a struct of arguments: an object with `properties`, without what a model has no use for. Beside it the names of those that are
/// paths, which the struct marks with the format `path`.
pub(super) fn of<T: JsonSchema>() -> (Value, Vec<String>) {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    let mut paths = Vec::new();
    if let Some(object) = schema.as_object_mut() {
        object.remove("title");
        object.remove("description");
        if let Some(Value::Object(properties)) = object.get_mut("properties") {
            properties.values_mut().for_each(lean);
            for (name, property) in properties {
                if let Some(object) = property.as_object_mut()
                    && object.get("format").is_some_and(|format| format == "path")
                {
                    object.remove("format");
                    paths.push(name.clone());
                }
            }
        }
    }
    (schema, paths)
}

/// Drops the width of integers: the bounds say more.
fn lean(property: &mut Value) {
    if let Some(object) = property.as_object_mut()
        && object.get("format").and_then(Value::as_str).is_some_and(|format| format.starts_with("uint"))
    {
        object.remove("format");
    }
}
