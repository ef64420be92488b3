//! A chat template, rendered as model servers render it.

use std::path::Path;

use anyhow::{Context, Result};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Kwargs, Serde, Value};
use minijinja::{Environment, Error, ErrorKind, context};
use serde_json::Value as Json;

/// A template that was read.
#[derive(Debug)]
pub(crate) struct Template {
    environment: Environment<'static>,
}

impl Template {
    /// # Errors
    /// The file cannot be read, or is no template that this engine knows.
    pub(crate) fn read(file: &Path) -> Result<Self> {
        let source = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let mut environment = Environment::new();
        environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
        environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        environment.add_filter("tojson", to_json);
        environment.add_function("raise_exception", |told: String| -> Result<Value, Error> {
            Err(Error::new(ErrorKind::InvalidOperation, told))
        });
        environment.add_function("strftime_now", |_: String| "2026-01-01");
        // Marks for training, which print nothing.
        let source = ["generation", "endgeneration"].iter().fold(source, |source, mark| {
            let dash = ["", "-"];
            dash.iter().flat_map(|left| dash.iter().map(move |right| (left, right))).fold(
                source,
                |source, (left, right)| {
                    source.replace(
                        &format!("{{%{left} {mark} {right}%}}"),
                        &format!("{{%{left} if true {right}%}}{{%{left} endif {right}%}}"),
                    )
                },
            )
        });
        environment.add_template_owned("chat", source)?;
        Ok(Self { environment })
    }

    /// The prompt of a request with these messages and tools.
    ///
    /// # Errors
    /// The template refuses them.
    pub(crate) fn render(&self, request: &Json) -> Result<String, Error> {
        // Arguments of calls are objects to most templates, and text to some.
        let objects = with_objects(request.clone());
        self.render_as(&objects).or_else(|_| self.render_as(request))
    }

    fn render_as(&self, request: &Json) -> Result<String, Error> {
        let tools =
            request.get("tools").filter(|tools| tools.as_array().is_some_and(|tools| !tools.is_empty()));
        self.environment.get_template("chat")?.render(context! {
            messages => Value::from(Serde(&request["messages"])),
            tools => tools.map_or(Value::from(()), |tools| Value::from(Serde(tools))),
            add_generation_prompt => true,
            bos_token => "",
            eos_token => "",
        })
    }
}

fn with_objects(mut request: Json) -> Json {
    let messages = request.get_mut("messages").and_then(Json::as_array_mut).into_iter().flatten();
    for message in messages {
        for call in message.get_mut("tool_calls").and_then(Json::as_array_mut).into_iter().flatten() {
            let arguments = &mut call["function"]["arguments"];
            let parsed = arguments.as_str().and_then(|text| serde_json::from_str(text).ok());
            if let Some(object) = parsed {
                *arguments = object;
            }
        }
    }
    request
}

/// JSON as Python writes it, and not as a web page needs it.
fn to_json(value: &Value, options: Kwargs) -> Result<Value, Error> {
    let indent: Option<usize> = options.get("indent")?;
    let _: Option<bool> = options.get("ensure_ascii")?;
    let _: Option<bool> = options.get("sort_keys")?;
    let _: Option<Value> = options.get("separators")?;
    options.assert_all_used()?;
    let text = match indent {
        Some(_) => serde_json::to_string_pretty(value),
        None => serde_json::to_string(value),
    };
    text.map(Value::from_safe_string)
        .map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))
}
