//! The OpenAPI 3.1 document of the routes.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

/// One route, as it is described.
#[derive(Debug)]
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) about: &'static str,
    pub(crate) told: Told,
    /// The statuses of its own errors; those of the doors and of the end come on top.
    pub(crate) errors: &'static [u16],
    /// Its body, where it takes one.
    pub(crate) body: &'static [Body],
}

/// The body that a route takes.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) schema: fn() -> Schema,
    /// As JSON.
    pub(crate) example: &'static str,
}

/// The kind of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    Json,
    /// The same of what was made.
    Created,
    /// Server-sent events, or the report where the caller asks for JSON.
    Stream,
}

/// The parameters of a route, in the query of its address and in a header: the path, the name, its place, and whether it has to be there.
const PARAMETERS: [(&str, &str, &str, bool); 7] = [
    ("/api/v1/models", "endpoint", "query", true),
    ("/api/v1/search", "text", "query", true),
    ("/api/v1/search", "after", "query", false),
    ("/api/v1/sessions", "project", "query", false),
    ("/api/v1/sessions/{session}", "before", "query", false),
    ("/api/v1/turns/{turn}/change", "path", "query", true),
    ("/api/v1/turns/{turn}/events", "Last-Event-ID", "header", false),
];

/// The statuses that every route may answer with.
const EVERYWHERE: [u16; 7] = [401, 403, 408, 422, 429, 500, 503];

pub(crate) fn described(routes: &[Route]) -> Value {
    let mut paths = Map::new();
    for route in routes {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method] = operation(route);
    }
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Orion", "version": env!("CARGO_PKG_VERSION") },
        "security": [{ "token": [] }],
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": { "Problem": {
                "type": "object",
                "required": ["status", "code", "message", "retry"],
                "properties": {
                    "status": { "type": "integer" },
                    "code": { "type": "string" },
                    "message": { "type": "string" },
                    "action": { "type": ["string", "null"] },
                    "retry": { "type": "boolean" },
                    "field": { "type": ["string", "null"] },
                    "requestId": { "type": ["string", "null"] },
                },
            } },
        },
        "paths": paths,
    })
}

fn operation(route: &Route) -> Value {
    let names = route.path.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    let more = PARAMETERS.iter().filter(|(path, ..)| route.method == "get" && *path == route.path);
    let parameters: Vec<Value> = names
        .map(|(name, _)| (name, "path", true))
        .chain(more.map(|(_, name, place, required)| (*name, *place, *required)))
        .map(|(name, place, required)| {
            json!({ "name": name, "in": place, "required": required, "schema": { "type": "string" } })
        })
        .collect();
    let mut responses = Map::new();
    let json = json!({ "schema": { "type": "object" } });
    let done = match route.told {
        Told::Json | Told::Created => json!({ "application/json": json }),
        Told::Stream => json!({ "text/event-stream": {}, "application/json": json }),
    };
    let ok = json!({ "description": route.about, "content": done });
    if route.told == Told::Stream {
        responses.insert("202".to_owned(), ok.clone());
        responses.insert("204".to_owned(), json!({ "description": "All of it was told already" }));
    }
    responses.insert(if route.told == Told::Created { "201" } else { "200" }.to_owned(), ok);
    for status in route.errors.iter().chain(&EVERYWHERE) {
        let problem =
            json!({ "application/problem+json": { "schema": { "$ref": "#/components/schemas/Problem" } } });
        responses.insert(status.to_string(), json!({ "description": "An error", "content": problem }));
    }
    let mut operation = json!({ "summary": route.about, "parameters": parameters, "responses": responses });
    for Body { schema, example } in route.body {
        let example: Value = serde_json::from_str(example).unwrap_or_default();
        let content = json!({ "application/json": { "schema": schema(), "example": example } });
        operation["requestBody"] = json!({ "required": true, "content": content });
    }
    operation
}

/// The schema of a type, as it is read, with all that it refers to.
pub(crate) fn schema<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<T>()
}
