//! The way in which a model is spoken to, and the reasons: settings, what was learned, and what the server says when it is asked.

use orion_core::model::ModelNumbers;
use orion_protocol::{ErrorInfo, Spoken, WindowInForce, WindowSource};

use super::Engine;
use crate::config::DEMO;
use crate::learned::{OfModel, Server};
use crate::runner::ToolRunner;

/// A smaller window has room for a few results alone, in tokens.
const SMALL: u32 = 16_384;

/// The window that is suggested, in tokens: the one that Orion assumes where nothing is known.
const SUGGESTED: u32 = 32_768;

/// The command that enlarges a small window that the server has said.
fn enlarging(server: Option<Server>, numbers: &ModelNumbers, model: &str) -> Option<String> {
    let said = numbers.window_source == Some(WindowSource::Endpoint);
    let small = numbers.window.is_some_and(|window| window < SMALL);
    server.filter(|_| said && small)?.with_window(model, SUGGESTED)
}

impl Engine {
    /// Says how a model of an endpoint is spoken to. `asks`: the server is asked first what it can say of the model.
    ///
    /// # Errors
    /// `no_endpoint`, and those of the key and the address.
    pub async fn spoken(&self, name: &str, model: Option<String>, asks: bool) -> Result<Spoken, ErrorInfo> {
        let in_force = self.config().without_project();
        let endpoint = self.endpoint(&in_force, name, model, None).await?;
        let model = endpoint.model().to_owned();
        if asks {
            endpoint.find_out(in_force.tools(ToolRunner::default().tools())).await;
            self.keep_learned().await;
            self.tell_of_thinking().await;
        }
        let learned = match name {
            DEMO => OfModel::default(),
            name => self.learned(&in_force, name, &model),
        };
        let (facts, profile) = (learned.facts(), endpoint.profile());
        let numbers = self.numbers(&in_force, name, &model, None);
        Ok(Spoken {
            endpoint: name.to_owned(),
            model: model.clone(),
            results_as: profile.results_as,
            results_source: endpoint.form_source(),
            returns_reasoning: profile.sends_reasoning(),
            window: WindowInForce {
                tokens: numbers.window.unwrap_or_default(),
                source: numbers.window_source.unwrap_or(WindowSource::Assumed),
            },
            enlarges: enlarging(facts.server, &numbers, endpoint.model()),
            describes_tools: facts.printed.map(|printed| printed.tools),
            ends_in_thought: facts.printed.map(|printed| printed.ends_in_thought),
            refused: facts.refused.into_iter().collect(),
            refused_limit: facts.refused_limit,
        })
    }

    /// Forgets what was learned of a model of an endpoint, so that it is learned anew.
    ///
    /// # Errors
    /// `no_endpoint`.
    pub(super) async fn forget_learned(&self, name: &str, model: &str) -> Result<(), ErrorInfo> {
        let in_force = self.config().without_project();
        let config = in_force.endpoints.get(name).ok_or_else(|| super::connecting::no_endpoint(name))?;
        self.shared.learned.forget_model(config.base_url.as_str(), model);
        self.keep_learned().await;
        self.tell_of_thinking().await;
        Ok(())
    }
}
