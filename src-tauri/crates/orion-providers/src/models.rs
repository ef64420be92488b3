//! Reads the list of `GET {base}/models`, in the shapes that servers give it.

use orion_engine::learned::Server;
use orion_protocol::ModelInfo;
use serde::Deserialize;
use serde_json::Value;

use crate::lenient::{self, Count, List, Maybe, Text};

/// The largest list that is read: 8 MiB. OpenRouter's, the longest known, has 1 MiB.
pub(crate) const BODY_LIMIT: usize = 8 << 20;
/// The longest name of a model, in bytes. A longer one is ignored.
const NAME_LIMIT: usize = 256;

/// The models in a body. None when it is not a list of models.
pub(crate) fn read(body: &str) -> Option<Vec<ModelInfo>> {
    let body = body.trim_start_matches('\u{feff}').trim();
    let entries = if body.starts_with('[') {
        // Together gives a bare list.
        lenient::read::<List<Entry>>(body).ok()?
    } else {
        let Maybe(Some(Listing { data, models })) = lenient::read(body).ok()? else { return None };
        data.or(models)?
    };
    Some(entries.0.into_iter().filter_map(Entry::info).collect())
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Listing {
    data: Option<List<Entry>>,
    models: Option<List<Entry>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Entry {
    id: Text,
    name: Text,
    owned_by: Text,
    /// OpenRouter, Together.
    context_length: Count,
    /// Groq.
    context_window: Count,
    /// vLLM.
    max_model_len: Count,
    /// LM Studio.
    max_context_length: Count,
    /// llama.cpp.
    meta: Maybe<Meta>,
    /// LM Studio's own list: the name, and each copy of it in memory.
    key: Text,
    loaded_instances: Option<List<Instance>>,
    /// LM Studio's earlier list.
    state: Text,
    loaded_context_length: Count,
    /// llama.cpp's router.
    status: Maybe<Status>,
    /// Mistral and LM Studio: an object. llama.cpp and LM Studio's earlier list: names.
    capabilities: Value,
    /// OpenRouter.
    supported_parameters: Value,
    architecture: Maybe<Architecture>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Instance {
    config: Maybe<InstanceConfig>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct InstanceConfig {
    context_length: Count,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Status {
    value: Text,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Architecture {
    input_modalities: Value,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Meta {
    /// What is in force.
    n_ctx: Count,
    /// What the model could have.
    n_ctx_train: Count,
}

impl Entry {
    fn info(self) -> Option<ModelInfo> {
        let (loaded, tools, vision) = (self.loaded(), self.tools(), self.vision());
        let in_memory = self.in_memory();
        let id =
            self.id.some().or(self.key.some()).or(self.name.some()).filter(|id| id.len() <= NAME_LIMIT)?;
        let context_length = in_memory.or_else(|| {
            [self.context_length, self.context_window, self.max_model_len, self.max_context_length]
                .into_iter()
                .find_map(|count| count.0)
                .or_else(|| self.meta.0.and_then(|meta| meta.n_ctx.0.or(meta.n_ctx_train.0)))
        });
        Some(ModelInfo {
            id,
            owned_by: self.owned_by.some().filter(|name| name.len() <= NAME_LIMIT),
            context_length,
            loaded,
            tools,
            vision,
        })
    }

    /// The window that is in force, of a model in memory.
    fn in_memory(&self) -> Option<u32> {
        let instances = self.loaded_instances.iter().flat_map(|list| &list.0);
        let smallest = instances.filter_map(|instance| instance.config.0.as_ref()?.context_length.0).min();
        smallest.or(self.loaded_context_length.0)
    }

    fn loaded(&self) -> Option<bool> {
        let word = |text: &Text| match text.0.as_str() {
            "loaded" => Some(true),
            "not-loaded" | "unloaded" | "loading" => Some(false),
            _ => None,
        };
        let instances = self.loaded_instances.as_ref().map(|list| !list.0.is_empty());
        instances.or(word(&self.state)).or(self.status.0.as_ref().and_then(|status| word(&status.value)))
    }

    fn tools(&self) -> Option<bool> {
        let flag = ["trained_for_tool_use", "function_calling"]
            .iter()
            .find_map(|key| self.capabilities.get(key)?.as_bool());
        let parameters =
            self.supported_parameters.as_array().map(|_| has(&self.supported_parameters, "tools"));
        flag.or(parameters).or(has(&self.capabilities, "tool_use").then_some(true))
    }

    fn vision(&self) -> Option<bool> {
        let flag = self.capabilities.get("vision").and_then(Value::as_bool);
        let inputs =
            self.architecture.0.as_ref().map(|of| &of.input_modalities).filter(|inputs| inputs.is_array());
        flag.or(inputs.map(|inputs| has(inputs, "image")))
            .or(has(&self.capabilities, "multimodal").then_some(true))
    }
}

/// The list of names has this one.
fn has(list: &Value, name: &str) -> bool {
    list.as_array().is_some_and(|list| list.iter().any(|item| item.as_str() == Some(name)))
}

/// LM Studio, by the owner that it gives to each model.
pub(crate) fn is_lm_studio(models: &[ModelInfo]) -> bool {
    models.iter().any(|model| model.owned_by.as_deref() == Some("organization_owner"))
}

/// The server that lists this model, by the owner that it gives to it.
pub(crate) fn owner(models: &[ModelInfo], model: &str) -> Option<Server> {
    match models.iter().find(|listed| listed.id == model)?.owned_by.as_deref()? {
        // vllm/entrypoints/openai, `ModelCard`.
        "vllm" => Some(Server::Vllm),
        // sglang/srt/entrypoints/openai/protocol.py, `ModelCard`.
        "sglang" => Some(Server::Sglang),
        _ => is_lm_studio(models).then_some(Server::LmStudio),
    }
}

/// Adds a server's own list to the shared one, by the names of the models.
pub(crate) fn complete(models: &mut [ModelInfo], own: Vec<ModelInfo>) {
    for model in models {
        if let Some(own) = own.iter().find(|own| own.id == model.id) {
            model.context_length = own.context_length.or(model.context_length);
            model.loaded = own.loaded.or(model.loaded);
            model.tools = own.tools.or(model.tools);
            model.vision = own.vision.or(model.vision);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(id: &str, owned_by: Option<&str>, context_length: Option<u32>) -> ModelInfo {
        ModelInfo {
            id: id.into(),
            owned_by: owned_by.map(Into::into),
            context_length,
            loaded: None,
            tools: None,
            vision: None,
        }
    }

    #[test]
    fn lists_of_all_shapes_are_read() {
        let openai = r#"{"object":"list","data":[{"id":"a","owned_by":"o","context_length":8},{"id":""},{"id":"b","meta":{"n_ctx_train":4}},{"id":"c","meta":{"n_ctx":2,"n_ctx_train":4}},null]}"#;
        let infos = vec![info("a", Some("o"), Some(8)), info("b", None, Some(4)), info("c", None, Some(2))];
        assert_eq!(read(openai), Some(infos));
        assert_eq!(read(r#" [{"id":"a"}]"#), Some(vec![info("a", None, None)]));
        assert_eq!(read(r#"{"models":[{"name":"a"}]}"#), Some(vec![info("a", None, None)]));
        assert_eq!(read(r#"{"data":null,"models":[]}"#), Some(vec![]));
    }

    #[test]
    fn what_a_model_can_do_is_read_in_the_words_of_each_server() {
        let said = |body: &str| {
            let ModelInfo { context_length, loaded, tools, vision, .. } = read(body).unwrap().remove(0);
            (context_length, loaded, tools, vision)
        };
        let (yes, no) = (Some(true), Some(false));
        let lm_studio = r#"{"models":[{"type":"llm","key":"m","max_context_length":131072,"loaded_instances":[{"id":"m","config":{"context_length":4096}}],
            "capabilities":{"vision":false,"trained_for_tool_use":true}}]}"#;
        assert_eq!(said(lm_studio), (Some(4_096), yes, yes, no));
        let earlier = r#"{"data":[{"id":"m","type":"vlm","state":"not-loaded","max_context_length":8192,"capabilities":["tool_use"]}]}"#;
        assert_eq!(said(earlier), (Some(8_192), no, yes, None));
        let router =
            r#"{"data":[{"id":"m","status":{"value":"loaded"},"capabilities":["completion","multimodal"]}]}"#;
        assert_eq!(said(router), (None, yes, None, yes));
        let open_router = r#"{"data":[{"id":"m","context_length":9,"supported_parameters":["tools"],"architecture":{"input_modalities":["text"]}}]}"#;
        assert_eq!(said(open_router), (Some(9), None, yes, no));
        let mistral = r#"{"data":[{"id":"m","capabilities":{"function_calling":false,"vision":true}}]}"#;
        assert_eq!(said(mistral), (None, None, no, yes));
    }

    #[test]
    fn what_is_no_list_of_models_is_none() {
        for body in ["", "<html>", "{}", "1", "null", r#"{"status":"ok"}"#, r#"{"data":"#] {
            assert_eq!((body, read(body)), (body, None));
        }
    }
}
