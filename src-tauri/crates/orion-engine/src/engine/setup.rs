//! Prepares a turn: its project with the settings there, its endpoint, its tools. Not here: the history, which is read
//! in the transaction that begins the turn.

use std::path::Path;
use std::sync::Arc;

use orion_core::context::Gauge;
use orion_core::model::Profile;
use orion_core::prompt::{self, SystemPrompt};
use orion_core::turn::{BegunIn, Flags, TurnSetup};
use orion_files::workspace;
use orion_protocol::{
    Code, ErrorInfo, Project, RequestId, SessionId, TurnChoices, TurnIds, TurnLimits, TurnOptions,
};
use orion_store::InProject;

use super::numbers::takes_images;
use super::{Engine, blocking, limits};
use crate::config::InForce;
use crate::endpoint::ModelEndpoint;
use crate::instructions::{self, instructions};
use crate::runner::ToolRunner;

/// The project of a turn, with what is in force in it.
pub(super) struct ProjectContext {
    /// Or why the folder cannot be opened.
    pub(super) folder: Result<workspace::Project, ErrorInfo>,
    pub(super) in_force: InForce,
    /// What the folder is on its disk (A1). None where that cannot be told.
    pub(super) identity: Option<String>,
    /// The tools that its sources have now.
    pub(super) tools: Arc<ToolRunner>,
    ignores_case: bool,
    pub(super) instructions: String,
    /// The person's own.
    own: String,
}

/// A turn before it begins.
pub(super) struct Next {
    /// Without the history, the count of tokens and the parent: those are read in the transaction that begins it.
    pub(super) setup: TurnSetup,
    pub(super) context: ProjectContext,
    pub(super) endpoint: Arc<dyn ModelEndpoint>,
}

impl Engine {
    /// A turn of this session as it would begin now, still without what the session gives it.
    pub(super) async fn next(
        &self,
        session_id: SessionId,
        text: String,
        options: &TurnOptions,
        at_ms: i64,
    ) -> Result<Next, ErrorInfo> {
        let InProject { created_at_ms, project, .. } =
            self.shared.store.session_in_project(session_id).await?;
        let (project_id, project_name) = (project.project_id, project.name.clone());
        let context = self.context(project).await?;
        let folder = context.folder.clone()?;
        let mode = options.mode.unwrap_or(context.in_force.values.mode());
        let tools = context.in_force.tools(context.tools.tools()).offered_in(mode);
        let policy = context.in_force.policy(options, tools.run_commands())?;
        limits::window(options.window)?;
        let (endpoint, model) = self.connect(&context.in_force, options, &policy).await?;
        let mut rules = context.in_force.rules(context.ignores_case);
        rules.kept = self.kept_approvals(project_id, session_id, context.identity.as_deref()).await?;
        rules.commands_unasked = options.allow_commands;
        let checks = self.checks_of_turn(project_id, &context, options).await?;
        let ids = TurnIds { request_id: RequestId(orion_store::new_id()), session_id, project_id };
        let name = folder.root().file_name().and_then(|name| name.to_str()).unwrap_or("/");
        let profile = Profile {
            untold_tools: self.tells_of_tools(&context.in_force, endpoint.name(), &model),
            takes_images: takes_images(&context.in_force, endpoint.name(), &model),
            ..endpoint.profile()
        };
        let setup = TurnSetup {
            ids,
            parent: None,
            at_ms,
            policy,
            choices: TurnChoices::of(options),
            chosen: Some(options.limits).filter(|limits| *limits != TurnLimits::default()),
            mode,
            tuning: profile.tuned(context.in_force.tuning(endpoint.name(), &model)),
            profile,
            numbers: self.numbers(&context.in_force, endpoint.name(), &model, options.window),
            gauge: Gauge::default(),
            has_earlier: false,
            changes: String::new(),
            begins_anew: false,
            forgets: false,
            edits: limits::edits(&options.edits)?,
            makes_room: options.make_room,
            flags: Flags::of_this_version(),
            withheld: Vec::new(),
            begins_paused: false,
            endpoint: endpoint.name().to_owned(),
            model,
            project_root: folder.root().to_string_lossy().into_owned(),
            nonce: nonce()?,
            tools: tools.clone(),
            system: prompt::system(SystemPrompt {
                project: name,
                mode,
                route: policy.route,
                platform: platform(),
                // P12: a date that changed overnight would change the first bytes of every request.
                date: &date(created_at_ms),
                opener: tools.write_opener().map(|tool| tool.name.as_str()),
                instructions: &context.instructions,
                own: &context.own,
            }),
            history: Vec::new(),
            text,
            attached: Vec::new(),
            begun_in: Some(BegunIn { channel: self.shared.options.channel, project_name }),
            compacts: None,
            checks,
            repairs: context.in_force.values.repair(),
            rewound: None,
            rules,
        };
        Ok(Next { setup, context, endpoint })
    }

    /// The folder of a project with its settings, its instructions and its tools.
    pub(super) async fn context(&self, project: Project) -> Result<ProjectContext, ErrorInfo> {
        let context = self.read_context(project).await?;
        Ok(match &context.folder {
            Ok(folder) => ProjectContext {
                tools: Arc::new(ToolRunner::of(&self.shared.sources, folder).await),
                ..context
            },
            Err(_) => context,
        })
    }

    /// The same without its tools: all that is read from files, in one step off the runtime's threads.
    pub(super) async fn read_context(&self, project: Project) -> Result<ProjectContext, ErrorInfo> {
        let (config, private) = (self.config(), self.shared.private.clone());
        let own = self.own_files(Some(project.project_id));
        blocking(move || {
            let folder = workspace::Project::open(Path::new(&project.path), &private);
            let (in_force, instructions) = match &folder {
                Ok(folder) => {
                    let in_force = config.for_project(folder);
                    let most = usize::try_from(in_force.values.instructions_bytes()).unwrap_or(usize::MAX);
                    let instructions = instructions(folder, most, instructions::TIME);
                    (in_force, instructions)
                }
                Err(_) => (config.without_project(), String::new()),
            };
            let opened = folder.as_ref().ok();
            Ok(ProjectContext {
                identity: opened.and_then(|folder| folder.identity().ok()),
                ignores_case: opened.is_some_and(workspace::Project::ignores_case),
                in_force,
                tools: Arc::new(ToolRunner::with_tools([])),
                instructions,
                own: own.read().text(),
                folder,
            })
        })
        .await
    }

    /// The context of a project whose folder cannot be used.
    pub(super) fn without_folder(&self, why: ErrorInfo) -> ProjectContext {
        ProjectContext {
            folder: Err(why),
            in_force: self.config().without_project(),
            identity: None,
            tools: Arc::new(ToolRunner::with_tools([])),
            ignores_case: false,
            instructions: String::new(),
            own: String::new(),
        }
    }
}

/// 64 random bits in hexadecimal (R1).
fn nonce() -> Result<String, ErrorInfo> {
    let bits = getrandom::u64().map_err(|error| {
        ErrorInfo::new(Code::Internal, "The system provides no random numbers.", "Start Orion again.")
            .with_detail(error.to_string())
    })?;
    Ok(format!("{bits:016x}"))
}

fn platform() -> &'static str {
    match std::env::consts::OS {
        "linux" => "Linux",
        "macos" => "macOS",
        "windows" => "Windows",
        other => other,
    }
}

/// The day in UTC, such as `2026-01-04`.
fn date(at_ms: i64) -> String {
    jiff::Timestamp::from_millisecond(at_ms).unwrap_or_default().strftime("%Y-%m-%d").to_string()
}
