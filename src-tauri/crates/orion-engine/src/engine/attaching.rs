//! Files and folders that come with a message: what it names with `@`, and what was attached to it.
//!
//! They are read by the tools that a model would read them with, through the same handle and within the same bounds, before the turn
//! begins. A name that is no file of the project stays text. One that is there and cannot be read is a box that says why, as a failed call
//! is (R2); a person is told before they send it (`Query::Mentions`).

use std::io::Read;

use orion_core::mention::{Mention, mentions};
use orion_core::tool::Arguments;
use orion_core::turn::{Attached, TurnSetup};
use orion_files::text::{Content, SAMPLE, sniff};
use orion_files::workspace::{Kind, Project};
use orion_protocol::{
    AttachmentContent, CallId, Code, ErrorInfo, NamedFile, Permission, ProjectId, RequestId, StoredCall,
    ToolStatus, TurnEvent, TurnOptions,
};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::setup::ProjectContext;
use super::{Engine, blocking, numbers};
use crate::runner::Call;
use crate::tools::{Context, LIST_FILES, Limits, Line, OfCommands, READ_FILE};

/// Files and folders of one message at most.
const MOST: usize = 20;
/// All of them together have so many times the bytes that one may have (R3): with that a message can fill the room, and no more.
const TOGETHER: usize = 3;
/// The least that one is given of what is left.
const LEAST: usize = 1_024;
/// Lines that `read_file` gives at most.
const LINES: u64 = 5_000;

/// Something of the project that is to come with a message.
struct Named {
    mention: Mention,
    /// It was attached by name, so it has to be there.
    is_asked: bool,
}

impl Engine {
    /// What comes with the message of a turn that begins.
    ///
    /// # Errors
    /// `usage` for too many of them; for one that was attached by name, why it cannot be read.
    pub(super) async fn attached(
        &self,
        setup: &TurnSetup,
        context: &ProjectContext,
        options: &TurnOptions,
    ) -> Result<Vec<Attached>, ErrorInfo> {
        let mut named = asked(&options.attach)?;
        if options.mentions {
            let in_text = mentions(&setup.text).into_iter().map(|mention| Named { mention, is_asked: false });
            named.extend(in_text);
        }
        let one = numbers::result_bytes(&context.in_force, &setup.numbers);
        let room = one.saturating_mul(TOGETHER);
        let mut attached = self.attachments_of(setup, &options.attachments, one, room).await?;
        if named.is_empty() {
            return Ok(attached);
        }
        let project = context.folder.clone()?;
        let folder = project.clone();
        let found = blocking(move || {
            let mut found = Vec::new();
            for Named { mention, is_asked } in named {
                let at = look(&folder, &mention);
                match at {
                    Err(error) if is_asked => return Err(error),
                    Err(error) if error.code == Code::PathNotFound => {}
                    at => found.push((mention, is_asked, at.ok().flatten())),
                }
            }
            Ok(found)
        })
        .await?;
        if found.len() > MOST {
            let message =
                format!("A message can bring {MOST} files and folders, and this one names {}.", found.len());
            return Err(ErrorInfo::new(Code::Usage, message, "Name a folder, or fewer of them."));
        }
        let texts = attached.iter().filter(|it| matches!(it.content, Some(AttachmentContent::Text { .. })));
        let mut left = room.saturating_sub(texts.map(|it| it.outcome.body.len()).sum());
        for (mention, is_asked, folder) in found {
            let limits = Limits { body_bytes: one.min(left).max(LEAST), ..Limits::default() };
            let tool_context = Context {
                project: project.clone(),
                strict_end_line: false,
                offered: setup.tools.clone(),
                rules: setup.rules.clone(),
                limits,
                cancel: CancellationToken::new(),
                person: Line::default(),
                call: None,
                commands: OfCommands::default(),
                store: None,
            };
            let (tool, given) = call(&mention, folder.is_some());
            let arguments = Arguments::parse(setup.tools.get(tool), &given, &setup.project_root);
            let call =
                Call { tool_call_id: CallId(String::new()), name: tool.to_owned(), arguments, command: None };
            let outcome = context.tools.run(call, tool_context).await;
            if let (true, Some(error)) = (is_asked, &outcome.error) {
                return Err(error.clone());
            }
            left = left.saturating_sub(outcome.body.len());
            let is_folder = folder.is_some();
            let path = folder.map_or(mention.path, |folder| format!("{folder}/"));
            attached.push(Attached {
                tool: tool.to_owned(),
                arguments: given,
                path,
                is_folder,
                lines: mention.lines,
                content: None,
                uncut: None,
                outcome,
            });
        }
        Ok(attached)
    }

    /// What a message names, for the person who writes it.
    pub(super) async fn mentions(
        &self,
        project_id: ProjectId,
        text: String,
    ) -> Result<Vec<NamedFile>, ErrorInfo> {
        let found = mentions(&text);
        if found.is_empty() {
            return Ok(Vec::new());
        }
        let folder = self.folder(project_id).await?;
        blocking(move || {
            Ok(found.into_iter().take(MOST + 1).map(|mention| named(&folder, mention)).collect())
        })
        .await
    }

    /// A file that came with a message, as a call. None where no file of the turn has this box.
    pub(super) async fn attached_call(
        &self,
        request_id: RequestId,
        call_id: &CallId,
    ) -> Result<Option<StoredCall>, ErrorInfo> {
        let events = self.shared.store.turn_beginning(request_id).await?;
        let files = events.into_iter().filter_map(|envelope| match envelope.event {
            TurnEvent::Attached { files } => Some(files),
            _ => None,
        });
        let Some(file) = files.flatten().find(|file| file.tool_call_id == *call_id) else { return Ok(None) };
        let text = match (file.status, file.content) {
            // Shown as a picture (`Query::AttachmentPicture`).
            (ToolStatus::Ok, Some(AttachmentContent::Image { .. })) => String::new(),
            (ToolStatus::Ok, _) => self.shared.store.text(file.sha256).await?,
            _ => String::new(),
        };
        let name = match file.content {
            Some(_) => "attachment",
            None if file.is_folder => LIST_FILES,
            None => READ_FILE,
        };
        Ok(Some(StoredCall {
            tool_call_id: file.tool_call_id,
            name: name.to_owned(),
            arguments: json!({ "path": file.path }),
            permission: Permission::Allow,
            result: Some(text),
        }))
    }
}

/// What was attached by name, as after an `@`.
fn asked(attach: &[String]) -> Result<Vec<Named>, ErrorInfo> {
    attach
        .iter()
        .map(|text| {
            let written = format!("@{text}");
            let mention = match mentions(&written).pop() {
                // The name may have spaces, which in a text would end it.
                Some(mention) if mention.is_quoted || !text.contains(char::is_whitespace) => mention,
                _ => Mention { path: text.clone(), lines: None, is_quoted: true },
            };
            match mention.path.is_empty() {
                true => Err(ErrorInfo::new(
                    Code::Usage,
                    "An attached file has no name.",
                    "Name a file of the project.",
                )),
                false => Ok(Named { mention, is_asked: true }),
            }
        })
        .collect()
}

/// What is there: the path of a folder, or a file.
fn look(project: &Project, mention: &Mention) -> Result<Option<String>, ErrorInfo> {
    let node = project.find(&project.path(&mention.path)?)?;
    Ok((node.kind == Kind::Folder).then(|| node.path.to_string()))
}

/// The call that gives a model the same.
fn call(mention: &Mention, is_folder: bool) -> (&'static str, Map<String, Value>) {
    let mut arguments = Map::from_iter([("path".to_owned(), json!(mention.path))]);
    if is_folder {
        return (LIST_FILES, arguments);
    }
    if let Some((first, last)) = mention.lines {
        arguments.insert("start_line".to_owned(), json!(first));
        arguments.insert("max_lines".to_owned(), json!((last - first).saturating_add(1).min(LINES)));
    }
    (READ_FILE, arguments)
}

fn named(project: &Project, Mention { path, lines, .. }: Mention) -> NamedFile {
    let found = project.path(&path).and_then(|at| {
        let node = project.find(&at)?;
        if node.kind == Kind::Folder {
            return Ok((node.path.to_string(), true, None));
        }
        let (file, node) = project.open_file(&at)?;
        let mut sample = Vec::new();
        let read = file.take(SAMPLE as u64).read_to_end(&mut sample);
        let unreadable =
            |_| ErrorInfo::new(Code::FileUnreadable, format!("`{path}` could not be read."), "Try again.");
        read.map_err(unreadable)?;
        match sniff(&sample, sample.len() < SAMPLE) {
            Content::Binary(_) if !sample.is_empty() => {
                Err(ErrorInfo::new(Code::FileBinary, format!("`{path}` is not text."), "Name a text file."))
            }
            _ => Ok((at.to_string(), false, Some(node.metadata.len()))),
        }
    });
    match found {
        Ok((path, directory, bytes)) => NamedFile { path, lines, directory, bytes, error: None },
        Err(error) => NamedFile { path, lines, directory: false, bytes: None, error: Some(error) },
    }
}
