//! What calls have shown of the models at their endpoints (X2), kept in a file of the data folder, so that the next process knows it too.
//!
//! Nothing depends on it: a file that is missing or broken is an empty one. Deliberately not here: what follows from it (`engine/numbers`).

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use orion_core::model::{FinalTools, ModelRequest, ResultsAs, Shape};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::paths;

/// The largest file that is read: 1 MiB. A model has 700 bytes where everything is known of it.
const MAX_BYTES: u64 = 1_048_576;

/// The most models that are kept. Beyond it all are forgotten, since each can be learned again.
const MAX_MODELS: usize = 1_000;

/// What is known of one model at one address.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Facts {
    /// The window that the endpoint says is in force, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<u32>,
    /// The longest prompt that it has shown to take, in tokens, where that is less than its window should have room for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub takes: Option<u32>,
    /// The smallest limit of an answer that the endpoint refused, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused_limit: Option<u32>,
    /// What becomes of the tools where none may be called (P12): what the server is known for, or has refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_tools: Option<FinalTools>,
    /// Shapes of a request that it took once: they are not suspected again.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub taken: BTreeSet<Shape>,
    /// The largest limit of an answer that it took, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken_limit: Option<u32>,
    /// The kind of server, as it names itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<Server>,
    /// Its own rendering of some messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printed: Option<Printed>,
    /// The person was told that its tools do not reach the model.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub told_of_tools: bool,
    /// Shapes that it refused: the same request with something else in their place was taken.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub refused: BTreeSet<Shape>,
}

/// The messages of a turn as a model's chat template prints them, by the server's own rendering of seven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Printed {
    /// The first form of results that is printed whole and in order. None where none is.
    pub form: Option<ResultsAs>,
    /// The tools are described to the model.
    pub tools: bool,
    /// A thought beside a call is printed.
    pub thoughts: bool,
    /// The prompt ends inside a thought, which the answer then goes on with.
    pub ends_in_thought: bool,
}

/// A kind of model server that a person runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Server {
    LlamaCpp,
    Ollama,
    Vllm,
    Sglang,
    LmStudio,
}

impl Server {
    /// The command that runs a model with a window of so many tokens. None for a name that no shell should be given.
    #[must_use]
    pub fn with_window(self, model: &str, tokens: u32) -> Option<String> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | ':' | '@');
        let model = Some(model).filter(|model| {
            model.starts_with(|c: char| c.is_ascii_alphanumeric()) && model.chars().all(plain)
        })?;
        Some(match self {
            Self::LlamaCpp => format!("llama-server --ctx-size {tokens}"),
            Self::Ollama => format!("OLLAMA_CONTEXT_LENGTH={tokens} ollama serve"),
            Self::Vllm => format!("vllm serve {model} --max-model-len {tokens}"),
            // docs.sglang.io, Server Arguments.
            Self::Sglang => {
                format!("python -m sglang.launch_server --model-path {model} --context-length {tokens}")
            }
            Self::LmStudio => format!("lms load {model} --context-length {tokens}"),
        })
    }
}

/// A question about a model that is asked once in a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asked {
    /// The window in force.
    Window,
    /// The rendering of messages.
    Rendering,
}

/// A count of fewer prompt tokens is not taken for what a server can read: the smallest window in use is as large, and a count without the cached
/// tokens may be smaller.
const LEAST_TAKEN: u32 = 2_048;

impl Facts {
    /// The window in force, by what the endpoint says and what it has shown.
    #[must_use]
    pub fn in_force(&self) -> Option<u32> {
        match (self.window, self.takes) {
            (Some(window), Some(takes)) => Some(window.min(takes)),
            (window, takes) => window.or(takes),
        }
    }

    /// The endpoint says this window, or none. If it said another one before, it was set up anew, and what it took then counts no more.
    pub fn says_window(&mut self, window: Option<u32>) {
        self.takes = self.takes.filter(|_| self.window == window);
        self.window = window;
    }

    /// It took no more than so many tokens of a longer prompt.
    pub fn took(&mut self, tokens: u32) {
        if tokens >= LEAST_TAKEN {
            self.takes = Some(self.takes.map_or(tokens, |takes| takes.min(tokens)));
        }
    }

    /// True once: the person is to be told now that the tools do not reach the model.
    pub fn tells_of_tools(&mut self) -> bool {
        let tells = !self.told_of_tools && self.printed.is_some_and(|printed| !printed.tools);
        self.told_of_tools |= tells;
        tells
    }

    /// Takes over what another process has learned between two states of its own, and leaves the rest as it is.
    fn learn(&mut self, before: &Self, after: &Self) {
        fn changed<T: PartialEq + Clone>(own: &mut T, before: &T, after: &T) {
            if before != after {
                own.clone_from(after);
            }
        }
        fn grown<T: Ord + Copy>(own: &mut BTreeSet<T>, before: &BTreeSet<T>, after: &BTreeSet<T>) {
            own.extend(after.difference(before));
            own.retain(|item| after.contains(item) || !before.contains(item));
        }
        changed(&mut self.window, &before.window, &after.window);
        changed(&mut self.takes, &before.takes, &after.takes);
        changed(&mut self.final_tools, &before.final_tools, &after.final_tools);
        self.refused_limit = [self.refused_limit, after.refused_limit].into_iter().flatten().min();
        self.taken_limit = self.taken_limit.max(after.taken_limit);
        changed(&mut self.server, &before.server, &after.server);
        changed(&mut self.printed, &before.printed, &after.printed);
        changed(&mut self.told_of_tools, &before.told_of_tools, &after.told_of_tools);
        grown(&mut self.taken, &before.taken, &after.taken);
        grown(&mut self.refused, &before.refused, &after.refused);
    }

    /// It took a request with these shapes.
    pub fn took_shapes(&mut self, shapes: impl IntoIterator<Item = Shape>, limit: Option<u32>) {
        self.taken.extend(shapes.into_iter().filter(|shape| *shape != Shape::Limit));
        self.taken_limit = self.taken_limit.max(limit);
    }

    /// It took a request with something else in the place of this shape, and refused it before. `limit`: that of the answer in the refused one.
    pub fn refused_shape(&mut self, shape: Shape, limit: Option<u32>) {
        match (shape, limit) {
            (Shape::Limit, Some(limit)) => self.refused(limit),
            (Shape::Limit, None) => {}
            _ => _ = self.refused.insert(shape),
        }
        // It wants the one or the other, whatever it said before.
        match shape {
            Shape::NoReasoning => _ = self.refused.remove(&Shape::Reasoning),
            Shape::Reasoning => _ = self.refused.remove(&Shape::NoReasoning),
            _ => {}
        }
        if shape == Shape::ForbiddenTools {
            self.final_tools = Some(FinalTools::Withheld);
        }
    }

    /// It took a request with this shape before; of a limit, one at least as large.
    #[must_use]
    pub fn has_taken(&self, shape: Shape, request: &ModelRequest) -> bool {
        match shape {
            Shape::Limit => request.max_output_tokens <= self.taken_limit,
            _ => self.taken.contains(&shape),
        }
    }

    /// It would refuse this shape of a request.
    #[must_use]
    pub fn has_refused(&self, shape: Shape, request: &ModelRequest) -> bool {
        match shape {
            Shape::Limit => request.max_output_tokens.is_some_and(|limit| self.refuses(limit)),
            _ => self.refused.contains(&shape),
        }
    }

    /// Whether the endpoint would refuse this limit of an answer.
    #[must_use]
    pub fn refuses(&self, limit: u32) -> bool {
        self.refused_limit.is_some_and(|refused| limit >= refused)
    }

    /// The endpoint refused this limit.
    pub fn refused(&mut self, limit: u32) {
        self.refused_limit = Some(self.refused_limit.map_or(limit, |refused| refused.min(limit)));
    }
}

/// Models by name, at their addresses.
type Models = BTreeMap<String, BTreeMap<String, Facts>>;

/// Models by address and name, each with what was known of it before.
type Unsaved = BTreeMap<(String, String), Option<Facts>>;

/// What a process has learned. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Learned(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// None in tests, and where nothing is kept.
    file: Option<PathBuf>,
    known: Mutex<Known>,
    /// Held while the file is read and written.
    saving: Mutex<()>,
}

#[derive(Debug, Default)]
struct Known {
    models: Models,
    /// The questions that were asked in this process, of models at their addresses.
    asked: BTreeSet<(String, String, Asked)>,
    /// The models whose facts are not in the file yet, by address and name, with what was known before. None where they were forgotten.
    unsaved: Unsaved,
}

impl Learned {
    /// What the file holds. Blocks on the disk for a moment.
    #[must_use]
    pub fn open(file: PathBuf) -> Self {
        let known = Known { models: read(&file), ..Known::default() };
        Self(Arc::new(Shared { file: Some(file), known: Mutex::new(known), saving: Mutex::default() }))
    }

    /// What is known, and will be, of a model at the endpoint with this address.
    #[must_use]
    pub fn of(&self, base_url: &str, model: &str) -> OfModel {
        OfModel { learned: self.clone(), base_url: base_url.to_owned(), model: model.to_owned() }
    }

    /// Forgets what was learned at an address: the person has set up the endpoint anew, or removed it.
    pub fn forget(&self, base_url: &str) {
        let mut known = self.known();
        if let Some(models) = known.models.remove(base_url) {
            known.unsaved.extend(models.into_keys().map(|model| ((base_url.to_owned(), model), None)));
        }
        known.asked.retain(|(at, ..)| at != base_url);
    }

    /// Forgets what was learned of one model, so that it can be learned anew.
    pub fn forget_model(&self, base_url: &str, model: &str) {
        let mut known = self.known();
        let models = known.models.get_mut(base_url);
        _ = models.map(|models| models.remove(model));
        // Also where another process has learned it.
        known.unsaved.insert((base_url.to_owned(), model.to_owned()), None);
        known.asked.retain(|(at, of, _)| at != base_url || of != model);
    }

    /// Writes down what is new. Other processes write the same file, so only that changes in it. Blocks on the disk.
    ///
    /// # Errors
    /// The disk refused. What is new stays in memory.
    pub fn save(&self) -> io::Result<()> {
        let Some(file) = &self.0.file else { return Ok(()) };
        let _alone = self.0.saving.lock().unwrap_or_else(PoisonError::into_inner);
        let (unsaved, new) = {
            let mut known = self.known();
            (std::mem::take(&mut known.unsaved), known.models.clone())
        };
        if unsaved.is_empty() {
            return Ok(());
        }
        let saved = merged(read(file), &unsaved, &new);
        let written = serde_json::to_string_pretty(&saved)
            .map_err(io::Error::from)
            .and_then(|text| paths::replace_private_file(file, text.as_bytes()));
        if written.is_err() {
            let mut known = self.known();
            for (place, before) in unsaved {
                known.unsaved.insert(place, before);
            }
        }
        written
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is known of one model. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct OfModel {
    learned: Learned,
    base_url: String,
    model: String,
}

impl OfModel {
    #[must_use]
    pub fn facts(&self) -> Facts {
        let known = self.learned.known();
        known
            .models
            .get(&self.base_url)
            .and_then(|models| models.get(&self.model))
            .cloned()
            .unwrap_or_default()
    }

    /// The kind of server at the address, as it named itself for this model or for another one.
    #[must_use]
    pub fn server(&self) -> Option<Server> {
        let known = self.learned.known();
        let models = known.models.get(&self.base_url)?;
        let own = models.get(&self.model).and_then(|facts| facts.server);
        own.or_else(|| models.values().find_map(|facts| facts.server))
    }

    /// True once for each model in a process: the endpoint may be asked this now.
    #[must_use]
    pub fn ask(&self, question: Asked) -> bool {
        self.learned.known().asked.insert((self.base_url.clone(), self.model.clone(), question))
    }

    /// Notes something new. It reaches the disk with [`Learned::save`].
    pub fn note(&self, change: impl FnOnce(&mut Facts)) {
        let mut known = self.learned.known();
        if known.models.values().map(BTreeMap::len).sum::<usize>() >= MAX_MODELS {
            known.models.clear();
        }
        let facts = known.models.entry(self.base_url.clone()).or_default().entry(self.model.clone());
        let facts = facts.or_default();
        let before = facts.clone();
        change(facts);
        let place = (self.base_url.clone(), self.model.clone());
        if *facts != before {
            known.unsaved.entry(place).or_insert(Some(before));
        }
    }
}

/// Adds to the file's models what this process has learned since it saved last, and takes out what it has forgotten.
fn merged(mut models: Models, unsaved: &Unsaved, new: &Models) -> Models {
    for ((base_url, model), before) in unsaved {
        let facts = new.get(base_url).and_then(|models| models.get(model));
        let of_address = models.entry(base_url.clone()).or_default();
        match (facts, before) {
            (Some(facts), Some(before)) => of_address.entry(model.clone()).or_default().learn(before, facts),
            // What was forgotten begins anew.
            (Some(facts), None) => _ = of_address.insert(model.clone(), facts.clone()),
            (None, _) => _ = of_address.remove(model),
        }
    }
    models.retain(|_, models| !models.is_empty());
    models
}

fn read(file: &Path) -> Models {
    let small = std::fs::metadata(file).is_ok_and(|found| found.is_file() && found.len() <= MAX_BYTES);
    let text = if small { std::fs::read_to_string(file).unwrap_or_default() } else { String::new() };
    // A model of which a later version wrote what this one does not know is as good as unknown; the others stay.
    let kept: BTreeMap<String, BTreeMap<String, Value>> = serde_json::from_str(&text).unwrap_or_default();
    let read = |models: BTreeMap<String, Value>| {
        models
            .into_iter()
            .filter_map(|(model, facts)| Some((model, serde_json::from_value(facts).ok()?)))
            .collect()
    };
    kept.into_iter().map(|(at, models)| (at, read(models))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: &str = "http://127.0.0.1:9/v1";

    #[test]
    fn a_limit_that_was_refused_is_known_to_the_next_process() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("data/models.json");
        let first = Learned::open(file.clone());
        first.of(AT, "m").note(|facts| facts.refused(8_193));
        first.of(AT, "m").note(|facts| facts.refused(9_000));
        first.save().unwrap();
        let facts = Learned::open(file).of(AT, "m").facts();
        assert_eq!([8_192, 8_193, 32_768].map(|limit| facts.refuses(limit)), [false, true, true]);
        assert!(!first.of(AT, "n").facts().refuses(32_768), "each model has its own");
    }

    #[test]
    fn what_an_endpoint_took_counts_until_it_says_another_window() {
        let mut facts = Facts::default();
        facts.took(100);
        assert_eq!(facts.in_force(), None, "no window is as small");
        facts.took(4_000);
        facts.took(5_000);
        assert_eq!(facts.in_force(), Some(4_000));
        facts.says_window(None);
        assert_eq!(facts.in_force(), Some(4_000));
        facts.says_window(Some(8_192));
        assert_eq!(facts.in_force(), Some(8_192), "it was set up anew");
        facts.took(3_000);
        facts.says_window(Some(8_192));
        assert_eq!(facts.in_force(), Some(3_000), "it runs with less than it says");
    }

    #[test]
    fn two_processes_keep_what_each_has_learned() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("models.json");
        let [one, other] = [Learned::open(file.clone()), Learned::open(file.clone())];
        one.of(AT, "one").note(|facts| facts.refused(1));
        one.save().unwrap();
        other.of(AT, "other").note(|facts| facts.refused(2));
        other.save().unwrap();
        let both = Learned::open(file.clone());
        assert_eq!(
            ["one", "other"].map(|model| both.of(AT, model).facts().refused_limit),
            [Some(1), Some(2)]
        );
        both.forget(AT);
        both.save().unwrap();
        assert_eq!(std::fs::read_to_string(file).unwrap(), "{}");
    }

    #[test]
    fn two_processes_learn_of_the_same_model() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("models.json");
        let [one, other] = [Learned::open(file.clone()), Learned::open(file.clone())];
        one.of(AT, "m").note(|facts| facts.refused_shape(Shape::UsageOption, None));
        one.save().unwrap();
        other.of(AT, "m").note(|facts| facts.took_shapes([Shape::Temperature], Some(9)));
        other.save().unwrap();
        let both = Learned::open(file.clone()).of(AT, "m").facts();
        assert_eq!((both.refused, both.taken), ([Shape::UsageOption].into(), [Shape::Temperature].into()));
        // What one forgets stays forgotten, though the other knew it.
        one.forget_model(AT, "m");
        one.save().unwrap();
        other.of(AT, "m").note(|facts| facts.took_shapes([Shape::Effort], None));
        other.save().unwrap();
        let after = Learned::open(file).of(AT, "m").facts();
        assert_eq!((after.refused.len(), after.taken), (0, [Shape::Effort].into()));
    }

    #[test]
    fn what_a_later_version_has_learned_of_one_model_costs_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("models.json");
        std::fs::write(&file, format!(r#"{{"{AT}":{{"m":{{"refused":["later"]}},"n":{{"window":7000}}}}}}"#))
            .unwrap();
        let known = Learned::open(file);
        assert_eq!(["m", "n"].map(|model| known.of(AT, model).facts().window), [None, Some(7_000)]);
    }

    #[test]
    fn a_file_that_is_broken_or_too_large_is_an_empty_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("models.json");
        let long = format!(r#"{{"{AT}":{{"m":{{"refusedLimit":1}}}}}}{}"#, " ".repeat(1_048_576));
        for text in ["", "{", "[]", r#"{"a":{"b":{"refusedLimit":-1}}}"#, &long] {
            std::fs::write(&file, text).unwrap();
            assert_eq!(Learned::open(file.clone()).of(AT, "m").facts(), Facts::default(), "{text:.40}");
        }
    }
}
