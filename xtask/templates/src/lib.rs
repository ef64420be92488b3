//! `chat_template`: a chat template, rendered as model servers render it. A library, which `orion-leaks` uses too.

pub mod python;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{Environment, Error, ErrorKind};
use serde_json::{Value as Json, json};

/// The templates of a folder, by name.
///
/// # Errors
/// The folder cannot be read, or has none.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .with_context(|| folder.display().to_string())?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|kind| kind == "jinja"))
        .collect();
    files.sort();
    anyhow::ensure!(
        !files.is_empty(),
        "{} has no templates: delete it, and it is fetched again",
        folder.display()
    );
    Ok(files)
}

/// The name of a template's file without its ending.
#[must_use]
pub fn name(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// A template that was read.
#[derive(Debug)]
pub struct Template {
    environment: Environment<'static>,
}

impl Template {
    /// # Errors
    /// The file cannot be read, or is no template that this engine knows.
    pub fn read(file: &Path) -> Result<Self> {
        let source = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let mut environment = Environment::new();
        environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
        environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        environment.set_formatter(python::format);
        environment.add_filter("string", python::text);
        environment.add_filter("tojson", python::to_json);
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
    pub fn render(&self, request: &Json) -> Result<String, Error> {
        // Arguments of calls are objects to most templates, and text to some.
        let objects = with_objects(request.clone());
        self.render_as(&objects).or_else(|_| self.render_as(request))
    }

    fn render_as(&self, request: &Json) -> Result<String, Error> {
        let tools =
            request.get("tools").filter(|tools| tools.as_array().is_some_and(|tools| !tools.is_empty()));
        self.print(&json!({
            "messages": request["messages"],
            "tools": tools,
            "add_generation_prompt": true,
            "bos_token": "",
            "eos_token": "",
        }))
    }

    /// The text with these variables.
    ///
    /// # Errors
    /// The template refuses them.
    pub fn print(&self, variables: &Json) -> Result<String, Error> {
        self.environment.get_template("chat")?.render(Value::from(Serde(variables)))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_prints_values_as_python_does() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.jinja");
        std::fs::write(&file, "{{ a }} {{ a|string }} {{ a|tojson }}{% generation %}!{% endgeneration %}")
            .unwrap();
        let printed = Template::read(&file).unwrap().print(&json!({ "a": [true, "b"] })).unwrap();
        assert_eq!(printed, r#"[True, 'b'] [True, 'b'] [true, "b"]!"#);
    }
}
