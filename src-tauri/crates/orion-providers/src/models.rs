//! Reads the list of `GET {base}/models`, in the shapes that servers give it.

use orion_protocol::ModelInfo;
use serde::Deserialize;

use crate::lenient::{Count, List, Maybe, Text};

/// The largest list that is read: 8 MiB. OpenRouter's, the longest known, has 1 MiB.
pub(crate) const BODY_LIMIT: usize = 8 << 20;
/// The longest name of a model, in bytes. A longer one is ignored.
const NAME_LIMIT: usize = 256;

/// The models in a body. None when it is not a list of models.
pub(crate) fn read(body: &str) -> Option<Vec<ModelInfo>> {
    let body = body.trim_start_matches('\u{feff}').trim();
    let entries = if body.starts_with('[') {
        // Together gives a bare list.
        serde_json::from_str::<List<Entry>>(body).ok()?
    } else {
        let Maybe(Some(Listing { data, models })) = serde_json::from_str(body).ok()? else { return None };
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
        let id = self.id.some().or(self.name.some()).filter(|id| id.len() <= NAME_LIMIT)?;
        let context_length =
            [self.context_length, self.context_window, self.max_model_len, self.max_context_length]
                .into_iter()
                .find_map(|count| count.0)
                .or_else(|| self.meta.0.and_then(|meta| meta.n_ctx.0.or(meta.n_ctx_train.0)));
        Some(ModelInfo {
            id,
            owned_by: self.owned_by.some().filter(|name| name.len() <= NAME_LIMIT),
            context_length,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(id: &str, owned_by: Option<&str>, context_length: Option<u32>) -> ModelInfo {
        ModelInfo { id: id.into(), owned_by: owned_by.map(Into::into), context_length }
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
    fn what_is_no_list_of_models_is_none() {
        for body in ["", "<html>", "{}", "1", "null", r#"{"status":"ok"}"#, r#"{"data":"#] {
            assert_eq!((body, read(body)), (body, None));
        }
    }
}
