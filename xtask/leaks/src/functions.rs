//! Functions and calls of them: those of the Berkeley Function Calling Leaderboard, whose answers are values that a model should give.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use orion_core::tool::{ToolKind, ToolSpec};
use serde_json::{Map, Value, json};

use crate::choice;

/// A call that fits its function.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) tool: ToolSpec,
    pub(crate) arguments: Map<String, Value>,
}

/// All calls, in an order that has no kind of them together.
///
/// # Errors
/// The folder is not the leaderboard's, or has too few functions.
pub(crate) fn read(folder: &Path) -> Result<Vec<Call>> {
    let mut files: Vec<_> = std::fs::read_dir(folder.join("possible_answer"))
        .with_context(|| format!("{}: delete it, and it is fetched again", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.file_name()))
        .collect();
    files.sort();
    let (mut calls, mut seen, mut unfit) = (Vec::new(), HashSet::new(), 0);
    for file in files {
        let answers = lines(&folder.join("possible_answer").join(&file))?;
        let answers: BTreeMap<&str, &Value> =
            answers.iter().filter_map(|line| Some((line["id"].as_str()?, &line["ground_truth"]))).collect();
        for question in lines(&folder.join(&file))? {
            let truths = question["id"].as_str().and_then(|id| answers.get(id)?.as_array());
            // The answers of several turns are code, and objects of others.
            for truth in truths.into_iter().flatten().filter_map(Value::as_object) {
                match truth
                    .iter()
                    .next()
                    .and_then(|(name, options)| call(&question["function"], name, options))
                {
                    Some(call) if seen.insert(format!("{} {:?}", call.tool.name, call.arguments)) => {
                        calls.push(call)
                    }
                    Some(_) => {}
                    None => unfit += 1,
                }
            }
        }
    }
    let functions: HashSet<&str> = calls.iter().map(|call| &*call.tool.name).collect();
    eprintln!(
        "functions: {} with {} calls, {unfit} answers left out that do not fit theirs",
        functions.len(),
        calls.len()
    );
    ensure!(
        functions.len() >= FUNCTIONS,
        "{} functions are too few: {FUNCTIONS} are wanted",
        functions.len()
    );
    let mut order: Vec<(usize, Call)> =
        calls.into_iter().enumerate().map(|(at, call)| (choice::number([at, 0]), call)).collect();
    order.sort_by_key(|(number, _)| *number);
    Ok(order.into_iter().map(|(_, call)| call).collect())
}

/// The fewest functions that are worth measuring with.
const FUNCTIONS: usize = 400;

fn lines(file: &Path) -> Result<Vec<Value>> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    text.lines().map(|line| serde_json::from_str(line).with_context(|| file.display().to_string())).collect()
}

/// The call of an answer. None where it does not fit the function, or the function is not there.
fn call(functions: &Value, name: &str, options: &Value) -> Option<Call> {
    let function = functions.as_array()?.iter().find(|function| function["name"] == name)?;
    let mut parameters = schema(&function["parameters"])?;
    parameters["type"] = json!("object");
    parameters["additionalProperties"] = json!(false);
    let arguments: Map<String, Value> = options
        .as_object()?
        .iter()
        .filter_map(|(key, options)| Some((key.clone(), first(options.as_array()?)?)))
        .collect();
    let fits = jsonschema::draft7::is_valid(&parameters, &Value::Object(arguments.clone()));
    // Most providers take no dots in names. A fifth of the names keep theirs.
    let keeps = name.bytes().map(usize::from).sum::<usize>() % 5 == 0;
    let name = if keeps { name.to_owned() } else { name.replace('.', "_") };
    fits.then(|| Call { tool: ToolSpec::new(name, "", parameters, ToolKind::Reads), arguments })
}

/// A schema of the leaderboard as JSON Schema, without descriptions. None where it has a type that is none.
fn schema(given: &Value) -> Option<Value> {
    let mut made = Map::new();
    let kind = match given["type"].as_str().unwrap_or_default() {
        "dict" | "object" | "HashMap" => Some("object"),
        "float" | "double" | "number" => Some("number"),
        "integer" | "long" => Some("integer"),
        "string" | "String" | "char" => Some("string"),
        "boolean" | "Boolean" => Some("boolean"),
        "array" | "tuple" | "Array" | "ArrayList" => Some("array"),
        "any" | "" => None,
        _ => return None,
    };
    if let Some(kind) = kind {
        made.insert("type".to_owned(), json!(kind));
    }
    if let Some(allowed) = given.get("enum") {
        made.insert("enum".to_owned(), allowed.clone());
    }
    let properties = given.get("properties").and_then(Value::as_object);
    if kind == Some("object") || properties.is_some() {
        let properties: Option<Map<String, Value>> = properties
            .into_iter()
            .flatten()
            .map(|(name, inner)| Some((name.clone(), schema(inner)?)))
            .collect();
        let properties = properties?;
        let required = given["required"].as_array().into_iter().flatten();
        let required: Vec<&Value> =
            required.filter(|name| name.as_str().is_some_and(|name| properties.contains_key(name))).collect();
        made.insert("required".to_owned(), json!(required));
        made.insert("properties".to_owned(), Value::Object(properties));
    }
    if let Some(items) = given.get("items") {
        made.insert("items".to_owned(), schema(items)?);
    }
    Some(Value::Object(made))
}

/// The first value that is right. An empty text says that the argument may be left out.
fn first(options: &[Value]) -> Option<Value> {
    options.iter().find(|option| **option != "").map(plain)
}

/// A value in which each key of an object has a list of right values.
fn plain(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let plain = |inner: &Value| {
                inner.as_array().map_or_else(|| Some(inner.clone()), |options| first(options))
            };
            object.iter().filter_map(|(key, inner)| Some((key.clone(), plain(inner)?))).collect()
        }
        Value::Array(items) => {
            items.iter().map(|item| if item.is_object() { plain(item) } else { item.clone() }).collect()
        }
        other => other.clone(),
    }
}
