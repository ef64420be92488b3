//! The field by which a model is told to think or not, by what is known of its endpoint.
//!
//! A hosted service has a rule in [`crate::quirks`]. A server of the person is known by its own name, and until it has said that by the port on which Orion's
//! presets expect one. A server that is neither is sent nothing: what one takes another refuses or, worse, ignores. Deliberately not here: writing
//! the field ([`crate::request`]), and saying that it is not sent (`orion_engine::thinking`).

use orion_core::model::{Shape, ThinkingSwitch};
use orion_engine::endpoint::Unswitched;
use orion_engine::learned::{OfModel, Server};

use crate::presets::on_port;
use crate::quirks::Quirks;
use crate::target::Target;

/// The field of this endpoint.
///
/// # Errors
/// The reason why there is none.
pub(crate) fn switch(
    target: &Target,
    quirks: &Quirks,
    learned: &OfModel,
) -> Result<ThinkingSwitch, Unswitched> {
    if learned.facts().refused.contains(&Shape::Thinking) {
        return Err(Unswitched::Refused);
    }
    if let Some(field) = quirks.wire.thinking {
        return Ok(field);
    }
    let server = match (learned.server(), target.port().filter(|_| target.host.near).and_then(on_port)) {
        (Some(named), _) => Some(named),
        (None, Some(known)) => known.server,
        (None, None) if target.host.near => return Err(Unswitched::Unnamed),
        (None, None) => None,
    };
    server.and_then(of_server).ok_or(Unswitched::Unsupported)
}

fn of_server(server: Server) -> Option<ThinkingSwitch> {
    match server {
        // llama.cpp, tools/server/README.md: `chat_template_kwargs`. docs.vllm.ai, Reasoning Outputs; qwen.readthedocs.io, SGLang, "Thinking &
        // Non-Thinking Modes": `enable_thinking` in it.
        Server::LlamaCpp | Server::Vllm | Server::Sglang => Some(ThinkingSwitch::TemplateArgument),
        // ollama/ollama, openai/openai.go, `FromChatRequest`: `none`, or an effort; `think` is not read there (ollama/ollama#14820).
        Server::Ollama => Some(ThinkingSwitch::Effort),
        // Its OpenAI interface documents none (lmstudio.ai/docs, OpenAI compatibility).
        Server::LmStudio => None,
    }
}

#[cfg(test)]
mod tests {
    use orion_engine::learned::Learned;

    use super::*;

    fn of(base_url: &str, learned: &OfModel) -> Result<ThinkingSwitch, Unswitched> {
        let target = Target::new(base_url, None, true).unwrap();
        let quirks = Quirks::of(target.base().host_str().unwrap(), "m");
        switch(&target, &quirks, learned)
    }

    #[test]
    fn a_hosted_service_has_the_field_of_the_table_or_none() {
        let nothing = OfModel::default();
        assert_eq!(of("https://api.deepseek.com/v1", &nothing), Ok(ThinkingSwitch::Type));
        assert_eq!(of("https://openrouter.ai/api/v1", &nothing), Ok(ThinkingSwitch::Reasoning));
        for other in
            ["https://api.openai.com/v1", "https://api.mistral.ai/v1", "https://models.example:8080/v1"]
        {
            assert_eq!((other, of(other, &nothing)), (other, Err(Unswitched::Unsupported)));
        }
    }

    #[test]
    fn a_server_that_has_not_named_itself_is_the_one_that_is_expected_on_its_port() {
        let nothing = OfModel::default();
        let kwargs = Ok(ThinkingSwitch::TemplateArgument);
        for (address, field) in [
            ("http://localhost:8080/v1", kwargs),
            ("http://127.0.0.1:8000/v1", kwargs),
            ("http://192.168.1.2:30000/v1", kwargs),
            ("http://localhost:11434/v1", Ok(ThinkingSwitch::Effort)),
            ("http://localhost:1234/v1", Err(Unswitched::Unsupported)),
            ("http://localhost:5001/v1", Err(Unswitched::Unsupported)),
            ("http://localhost:9/v1", Err(Unswitched::Unnamed)),
            ("http://localhost/v1", Err(Unswitched::Unnamed)),
        ] {
            assert_eq!((address, of(address, &nothing)), (address, field));
        }
    }

    #[test]
    fn a_servers_own_name_counts_before_its_port_and_for_all_its_models() {
        let known = Learned::default();
        let address = "http://localhost:8080/v1";
        known.of(address, "other").note(|facts| facts.server = Some(Server::Ollama));
        assert_eq!(of(address, &known.of(address, "m")), Ok(ThinkingSwitch::Effort));
        known.of(address, "m").note(|facts| facts.server = Some(Server::LmStudio));
        assert_eq!(of(address, &known.of(address, "m")), Err(Unswitched::Unsupported));
    }

    #[test]
    fn a_field_that_was_refused_is_none_any_more() {
        let known = OfModel::default();
        known.note(|facts| facts.refused_shape(Shape::Thinking, None));
        assert_eq!(of("https://api.deepseek.com/v1", &known), Err(Unswitched::Refused));
    }
}
