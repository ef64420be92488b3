//! The commands of a chat: lines that begin with a `/`.

use orion_engine::TurnHandle;
use orion_protocol::setting::SettingValue;
use orion_protocol::{
    Answer, ErrorInfo, Mode, Query, Route, RouteLimits, Session, SessionId, SettingsChange, TurnLimits,
    TurnOptions,
};

use super::{Chat, back, numbered, prompts, queue, review, turn, usage};
use crate::outcomes::unexpected;
use crate::room;
use crate::terminal::{one_line, remark, say};

/// A command, and what Tab and `/help` say of it.
pub(super) struct Command {
    pub(super) name: &'static str,
    /// What can follow it.
    arguments: &'static str,
    pub(super) about: &'static str,
}

const fn command(name: &'static str, arguments: &'static str, about: &'static str) -> Command {
    Command { name, arguments, about }
}

pub(super) const COMMANDS: [Command; 21] = [
    command("help", "", "list the commands"),
    command("new", "", "begin a new session"),
    command("model", "[NAME]", "choose the model of the next turns, or list those of the endpoint"),
    command("mode", "[plan|act]", "plan offers only read-only tools, act all of them"),
    command("route", "[two-stage|unified]", "which loop drives the next turns"),
    command("limits", "[STEPS | NAME VALUE | default]", "how far a turn may go"),
    command("pause", "[on|off]", "pause after each step, to look at the results first"),
    command("continue", "", "go on with a fresh budget; so does Ctrl-E"),
    command("retry", "", "send the last message again in its place"),
    command("steer", "TEXT", "while a turn runs: give it this message; without /steer it is queued"),
    command("queue", "[send | remove NUMBER]", "list the messages that wait, send them, or remove one"),
    command("prompts", "", "list your own prompts; /NAME WORDS sends one"),
    command("compact", "", "sum the conversation up to make room"),
    command("context", "", "what the next message would send"),
    command("diff", "", "what this session has written"),
    command("undo", "", "undo what the last turn has written"),
    command("rewind", "[NUMBER | undo]", "go back to an earlier message"),
    command("branches", "[NUMBER]", "list the branches of this session, or go to one"),
    command("sessions", "", "list the sessions of this project"),
    command("resume", "[NUMBER]", "resume the turn that was interrupted, or go to a session of /sessions"),
    command("quit", "", "leave; so does Ctrl-D"),
];

/// Sessions that are listed.
const SESSIONS: u32 = 20;

/// What a line came to.
pub(super) enum Done {
    /// The next line, please.
    Next,
    /// The person leaves, perhaps with a turn that waits.
    Leave(Option<TurnHandle>),
}

impl From<Option<TurnHandle>> for Done {
    fn from(waiting: Option<TurnHandle>) -> Self {
        waiting.map_or(Self::Next, |waiting| Self::Leave(Some(waiting)))
    }
}

/// Does what a line asks for.
///
/// # Errors
/// Each command's own.
pub(super) async fn obey(chat: &mut Chat, name: &str, arguments: &str) -> Result<Done, ErrorInfo> {
    match name {
        "help" => help(),
        "quit" | "exit" => return Ok(Done::Leave(None)),
        "new" => {
            chat.go_to(None);
            remark("Your next message begins a new session.");
        }
        "model" => model(chat, arguments).await?,
        "mode" => mode(chat, arguments).await?,
        "route" => route(chat, arguments).await?,
        "limits" => limits(chat, arguments).await?,
        "pause" => pause(chat, arguments)?,
        "continue" => return chat.go_on().await.map(Done::from),
        "retry" => return back::retry(chat).await.map(Done::from),
        "steer" => remark("No turn is running: just send the message."),
        "queue" => return queue::obey(chat, arguments).await.map(Done::from),
        "prompts" => prompts::list(chat).await?,
        "compact" => {
            let turn = chat.engine.run_compaction(chat.begun()?, chat.options.clone()).await?;
            return Ok(turn::show(chat, turn).await.into());
        }
        "context" => {
            let query = Query::Context { session_id: chat.begun()?, options: chat.options.clone() };
            match chat.engine.query(query).await? {
                Answer::Context { view } => say(room::table(&view).trim_end()),
                other => return Err(unexpected(&other)),
            }
        }
        "diff" => review::show(&chat.engine.unified_of_session(chat.begun()?).await?, usize::MAX)?,
        "undo" => back::undo(chat).await?,
        "rewind" => back::rewind(chat, arguments).await?,
        "branches" => back::branches(chat, arguments).await?,
        "sessions" => {
            for (number, session) in (1..).zip(sessions(chat).await?) {
                let here = if Some(session.session_id) == chat.session { " (this one)" } else { "" };
                let title = if session.title.is_empty() { "no message yet" } else { &session.title };
                say(&format!("{number:>3}. {}{here}", one_line(title, 70)));
            }
            remark("/resume NUMBER goes to one of them.");
        }
        "resume" if arguments.is_empty() => return back::resume(chat).await.map(Done::from),
        "resume" => {
            let sessions = sessions(chat).await?;
            let by_id = arguments.parse().ok().map(|id: SessionId| id);
            let session = by_id.or_else(|| Some(numbered(&sessions, arguments)?.session_id));
            let session =
                session.ok_or_else(|| usage("There is no such session.", "/sessions lists them."))?;
            chat.engine.folder_of(session).await?;
            chat.go_to(Some(session));
            return back::greet(chat).await.map(Done::from);
        }
        other => match prompts::text(chat, other, arguments).await? {
            Some(text) => return chat.send_with(text, chat.options.clone()).await.map(Done::from),
            None => remark(&format!(
                "There is no command /{other}; /help lists them. A message may begin with / after a space."
            )),
        },
    }
    Ok(Done::Next)
}

fn help() {
    for Command { name, arguments, about } in &COMMANDS {
        let command = format!("/{name} {arguments}");
        say(&format!("{command:<40} {about}"));
    }
    remark("Tab completes commands, and after @ the files of the project. Ctrl-C stops a turn.");
}

async fn sessions(chat: &Chat) -> Result<Vec<Session>, ErrorInfo> {
    let query = Query::Sessions { project_id: chat.project_id, after: None };
    match chat.engine.query(query).await? {
        Answer::Sessions { mut sessions, .. } => {
            sessions.truncate(SESSIONS as usize);
            Ok(sessions)
        }
        other => Err(unexpected(&other)),
    }
}

async fn model(chat: &mut Chat, name: &str) -> Result<(), ErrorInfo> {
    if !name.is_empty() {
        chat.options.model = Some(name.to_owned());
        remark(&format!("The next turns ask {name}."));
        return Ok(());
    }
    let endpoint = chat.options.endpoint.clone().unwrap_or_default();
    // Another computer may take its time.
    chat.quiet.iter().for_each(|quiet| quiet.signals(true));
    let models = tokio::select! {
        models = chat.engine.query(Query::Models { endpoint }) => Some(models),
        () = chat.pressed.next() => None,
    };
    chat.ctrl_c_stops(None);
    let Some(models) = models else { return Ok(()) };
    match models? {
        Answer::Models { models } => {
            for model in models {
                let chosen = if Some(&model.id) == chat.options.model.as_ref() { " (chosen)" } else { "" };
                say(&format!("{}{chosen}", one_line(&model.id, 100)));
            }
            Ok(())
        }
        other => Err(unexpected(&other)),
    }
}

/// What is in force in the project, where this chat has chosen nothing.
async fn in_force(chat: &Chat) -> Result<(Mode, bool, RouteLimits), ErrorInfo> {
    match chat.engine.query(Query::ProjectSettings { project_id: chat.project_id }).await? {
        Answer::ProjectSettings { settings } => {
            Ok((settings.mode, settings.two_stage_enabled, settings.limits))
        }
        other => Err(unexpected(&other)),
    }
}

async fn mode(chat: &mut Chat, word: &str) -> Result<(), ErrorInfo> {
    chat.options.mode = match word {
        "" => chat.options.mode,
        "plan" => Some(Mode::Plan),
        "act" => Some(Mode::Act),
        _ => return Err(usage("There is no such mode.", "/mode plan or /mode act.")),
    };
    remark(match chat.options.mode.unwrap_or(in_force(chat).await?.0) {
        Mode::Plan => "Plan: the next turns have only read-only tools.",
        Mode::Act => "Act: the next turns have all tools, each by its permission.",
    });
    Ok(())
}

async fn route_of(chat: &Chat) -> Result<Route, ErrorInfo> {
    let otherwise = if in_force(chat).await?.1 { Route::TwoStage } else { Route::Unified };
    Ok(chat.options.route.unwrap_or(otherwise))
}

async fn route(chat: &mut Chat, word: &str) -> Result<(), ErrorInfo> {
    chat.options.route = match word {
        "" => chat.options.route,
        "two-stage" => Some(Route::TwoStage),
        "unified" => Some(Route::Unified),
        _ => return Err(usage("There is no such route.", "/route two-stage or /route unified.")),
    };
    remark(match route_of(chat).await? {
        Route::TwoStage => "Two-stage: few, small steps, each shown before the next.",
        Route::Unified => "Unified: the usual agent loop, with a larger budget.",
    });
    Ok(())
}

fn pause(chat: &mut Chat, word: &str) -> Result<(), ErrorInfo> {
    chat.options.pause_after_tool = match word {
        "on" => Some(true),
        "off" => Some(false),
        "" => Some(chat.options.pause_after_tool != Some(true)),
        _ => return Err(usage("Pausing is on or off.", "/pause on or /pause off.")),
    };
    remark(match chat.options.pause_after_tool {
        Some(true) => "The next turns pause after each step.",
        _ => "The next turns do not pause by themselves.",
    });
    Ok(())
}

/// Limits are named as their flags are.
async fn limits(chat: &mut Chat, words: &str) -> Result<(), ErrorInfo> {
    match words.split_whitespace().collect::<Vec<_>>().as_slice() {
        [] => {}
        ["default"] => chat.options.limits = TurnLimits::default(),
        [steps] => set(&mut chat.options, "max-cycles", steps)?,
        [name, value] => set(&mut chat.options, name, value)?,
        _ => return Err(usage("There is no such limit.", "/limits 8, or a name of /limits with its value.")),
    }
    let (mode, _, of_routes) = in_force(chat).await?;
    let in_force = match (route_of(chat).await?, chat.options.mode.unwrap_or(mode)) {
        (Route::TwoStage, Mode::Act) => of_routes.two_stage,
        (Route::TwoStage, Mode::Plan) => of_routes.plan,
        (Route::Unified, _) => of_routes.unified,
    };
    let layer = SettingsChange { limits: chat.options.limits.over(in_force), ..SettingsChange::default() };
    for setting in TurnLimits::all() {
        if let Some(flag) = setting.facts.flag {
            let value = setting.get(&layer).map_or_else(|| "none".to_owned(), |value| shown(&value));
            say(&format!("  {flag:<20} {value}"));
        }
    }
    Ok(())
}

fn set(options: &mut TurnOptions, flag: &str, value: &str) -> Result<(), ErrorInfo> {
    let mut settings = TurnLimits::all();
    let setting = settings
        .find(|setting| setting.facts.flag == Some(flag))
        .ok_or_else(|| usage("There is no such limit.", "/limits lists them."))?;
    let value = setting.parse(value).ok_or_else(|| {
        let message = format!("{flag} takes {}.", setting.expected());
        usage(&message, "/limits lists what is in force.")
    })?;
    let mut layer = SettingsChange { limits: options.limits, ..SettingsChange::default() };
    setting.set(&mut layer, Some(&value));
    options.limits = layer.limits;
    Ok(())
}

fn shown(value: &SettingValue) -> String {
    match value {
        SettingValue::Switch(on) => on.to_string(),
        SettingValue::Number(number) => number.to_string(),
        SettingValue::Amount(amount) => amount.to_string(),
        SettingValue::Text(text) => text.clone(),
        SettingValue::List(texts) => texts.join(", "),
    }
}
