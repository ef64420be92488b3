//! The JSON Schema of a tool's arguments, kept small, since every model call sends it.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// The schema of a struct of arguments, in the words that every endpoint takes: each property has one type and a description, and no default of
/// null. Beside it the names of those that are paths, which the struct marks with the format `path`.
pub(super) fn of<T: JsonSchema>() -> (Value, Vec<String>) {
    let settings = SchemaSettings::draft07().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    let mut paths = Vec::new();
    if let Some(object) = schema.as_object_mut() {
        object.remove("title");
        object.remove("description");
        for (name, property) in
            object.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten()
        {
            if let Some(property) = property.as_object_mut()
                && plain(property) == Some("path".to_owned())
            {
                paths.push(name.clone());
            }
        }
    }
    (schema, paths)
}

/// Leaves one type and no default of null: an argument that is left out is no null. Returns the format, which a model has no use for.
fn plain(property: &mut Map<String, Value>) -> Option<String> {
    if let Some(Value::Array(types)) = property.get("type")
        && let Some(one) = types.iter().find(|of| *of != "null")
    {
        property.insert("type".to_owned(), one.clone());
    }
    if property.get("default") == Some(&Value::Null) {
        property.remove("default");
    }
    property.remove("format")?.as_str().map(str::to_owned)
}
