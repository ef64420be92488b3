//! Prompts that the person keeps in files: `/NAME WORDS` sends one.

use orion_protocol::{Answer, ErrorInfo, Prompt, Query};

use super::Chat;
use crate::outcomes::unexpected;
use crate::terminal::{one_line, remark, say};

/// Lists them, and says which files are none.
pub(super) async fn list(chat: &Chat) -> Result<(), ErrorInfo> {
    let (prompts, problems) = all(chat).await?;
    for Prompt { name, description, takes_arguments } in &prompts {
        let command = if *takes_arguments { format!("/{name} WORDS") } else { format!("/{name}") };
        say(&format!("{command:<40} {}", one_line(description, 100)));
    }
    for problem in problems {
        remark(&one_line(&problem, 200));
    }
    if prompts.is_empty() {
        remark("You have no prompts yet. A file prompts/NAME.md beside config.toml becomes /NAME.");
    }
    Ok(())
}

/// The text of a prompt; none where there is none of this name.
pub(super) async fn text(chat: &Chat, name: &str, arguments: &str) -> Result<Option<String>, ErrorInfo> {
    if !all(chat).await?.0.iter().any(|prompt| prompt.name == name) {
        return Ok(None);
    }
    let query = Query::Prompt { name: name.to_owned(), arguments: arguments.to_owned() };
    match chat.engine.query(query).await? {
        Answer::Prompt { text } => Ok(Some(text)),
        other => Err(unexpected(&other)),
    }
}

async fn all(chat: &Chat) -> Result<(Vec<Prompt>, Vec<String>), ErrorInfo> {
    match chat.engine.query(Query::Prompts).await? {
        Answer::Prompts { prompts, problems } => Ok((prompts, problems)),
        other => Err(unexpected(&other)),
    }
}
