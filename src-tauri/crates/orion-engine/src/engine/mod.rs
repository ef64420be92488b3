//! The engine as its users see it: operations, queries and updates.
//!
//! The window, the command line and the tests all use [`Engine::submit`], [`Engine::query`] and [`Engine::updates`].
//! [`Engine::run_turn`] is a shortcut for callers who read one turn to its end. Deliberately not here: how a turn runs
//! (`driver`).
//!
//! The large futures are boxed: the compiler makes a copy of an `async fn` for each place that awaits it, which made the
//! program larger by a megabyte.

mod approvals;
mod attaching;
mod attachments;
mod belonging;
mod branches;
mod changes;
mod checks;
mod command_files;
mod command_home;
mod command_output;
mod compaction;
mod compare;
mod composing;
mod connecting;
mod context;
mod copies;
mod dropped;
mod export;
mod figures;
mod find;
mod following;
mod fork;
mod forwarding;
mod handle;
mod http_messages;
mod imported;
mod indexing;
mod limits;
mod neighbours;
mod numbers;
mod options;
mod other_version;
mod own;
mod pausing;
mod preview;
mod probing;
mod projects;
mod queries;
mod questions;
mod queue;
mod raw;
mod removal;
mod replay;
mod replies;
mod resuming;
mod rewind;
mod room;
mod running;
mod sample;
mod search;
mod sent;
mod sessions;
mod settings;
mod setup;
mod space;
mod spoken;
mod stats;
mod talk;
mod title;
mod trace;
mod turn_checks;
mod turns;
mod viewing;
mod watching;
mod writes;

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use futures_util::future::BoxFuture;
use orion_core::quoting;
use orion_files::workspace::Private;
use orion_protocol::{Answer, Code, DroppedFiles, ErrorInfo, Op, Outcome, Query, SessionId, Update};
use orion_store::{QueueChange, SetAside, Store};
use tokio::sync::{Mutex, broadcast};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use export::Export;
pub use following::{Following, Place, Updates};
pub use handle::TurnHandle;
pub use limits::message;
pub use options::EngineOptions;
pub use orion_store::Readers;
pub use stats::StatsOf;
pub use trace::{ToldTrace, TraceSink};

use room::Room;

use crate::commands::Commands;
use crate::config::Config;
use crate::learned::Learned;
use crate::tools::{Fixed, ToolSource, built_in, command_tools};
use checks::Checking;
use copies::Copies;
use dropped::DroppedPaths;
use indexing::Indexes;
use other_version::Versions;
use preview::Shown;
use projects::Folders;
use running::Turns;
use watching::Watches;

/// Updates that wait for a listener. A listener that falls further behind misses the oldest, and hears that it did
/// ([`Update::Lagged`]); no turn ever waits for it.
const UPDATES: usize = 4_096;

/// How long a disk may take to save what was learned of models: 2 s, as a write may while its turn stops.
const SAVING: Duration = Duration::from_secs(2);

/// Orion without a user interface. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Engine {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    options: EngineOptions,
    config: RwLock<Config>,
    store: Store,
    sources: Vec<Arc<dyn ToolSource>>,
    updates: broadcast::Sender<Update>,
    turns: Turns,
    folders: Folders,
    watches: Watches,
    indexes: Indexes,
    copies: Copies,
    commands: Commands,
    checking: Checking,
    dropped: DroppedPaths,
    shown: Shown,
    versions: Versions,
    /// Where Orion keeps its own settings and data: closed to tools.
    private: Private,
    learned: Learned,
    /// The mistakes that only an endpoint shows, as the settings said them last.
    said_of_thinking: RwLock<Vec<ErrorInfo>>,
    /// This process goes on with the queues of its sessions (A9).
    goes_on: AtomicBool,
    room: Room,
    /// One undo at a time.
    undoing: Mutex<()>,
    /// One removal of what deletions left at a time.
    removing: Mutex<()>,
    /// The index of words is filled once at a time.
    filling: Mutex<()>,
    /// What a deletion left is tried again in the background.
    removes_later: AtomicBool,
    sink: OnceLock<Arc<dyn TraceSink>>,
    tasks: TaskTracker,
    closing: CancellationToken,
}

impl Engine {
    /// Opens the data folder and reads the settings. Nothing is sent over the network.
    ///
    /// # Errors
    /// A data folder that cannot be used. A fault in the settings is no error: it is in `Settings::problems`.
    pub async fn open(options: EngineOptions) -> Result<Self, ErrorInfo> {
        let commands = Commands::new(&options.paths);
        let mut tools = built_in();
        tools.extend(command_tools(commands.clone()));
        Box::pin(Self::opened(options, vec![Arc::new(Fixed(tools))], commands)).await
    }

    /// Like [`Engine::open`], with the tools of these sources alone. Each turn asks them for the tools that it has.
    ///
    /// # Errors
    /// Those of [`Engine::open`].
    pub async fn with_sources(
        options: EngineOptions,
        sources: Vec<Arc<dyn ToolSource>>,
    ) -> Result<Self, ErrorInfo> {
        let commands = Commands::new(&options.paths);
        Box::pin(Self::opened(options, sources, commands)).await
    }

    async fn opened(
        options: EngineOptions,
        sources: Vec<Arc<dyn ToolSource>>,
        commands: Commands,
    ) -> Result<Self, ErrorInfo> {
        let store = Store::open_for(&options.paths.data_dir, options.readers).await?;
        let private = options.paths.private();
        let learned = Learned::open(options.paths.learned_file());
        let shared = Shared {
            config: RwLock::new(options.load()),
            options,
            store,
            sources,
            updates: broadcast::channel(UPDATES).0,
            turns: Turns::default(),
            folders: Folders::default(),
            watches: Watches::default(),
            indexes: Indexes::default(),
            shown: Shown::default(),
            versions: Versions::default(),
            private,
            learned,
            said_of_thinking: RwLock::default(),
            goes_on: AtomicBool::new(false),
            room: Room::default(),
            copies: Copies::default(),
            commands,
            checking: Checking::default(),
            dropped: DroppedPaths::default(),
            undoing: Mutex::default(),
            removing: Mutex::default(),
            filling: Mutex::default(),
            removes_later: AtomicBool::default(),
            sink: OnceLock::new(),
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
        };
        let engine = Self { shared: Arc::new(shared) };
        engine.clean_up().await;
        Ok(engine)
    }

    /// That the database from before could not be used, where this start has set it aside.
    #[must_use]
    pub fn set_aside(&self) -> Option<ErrorInfo> {
        Some(match self.shared.store.set_aside()? {
            SetAside::Damaged(aside) => ErrorInfo::new(
                Code::Storage,
                format!(
                    "Orion's database was damaged and could not be read. It is now in {}, as it was, and Orion has begun a new one.",
                    aside.display()
                ),
                "To get the sessions back, close Orion and put a backup in its place as orion.db.",
            ),
            SetAside::Older(aside) => ErrorInfo::new(
                Code::StorageVersion,
                format!(
                    "The database here is of an Orion before 0.2. It is now in {}, as it was, and Orion has begun a new one.",
                    aside.display()
                ),
                format!(
                    "That Orion still reads it: orion sessions --data-dir {0} lists what is in it, and orion export SESSION --data-dir {0} \
                     --output FILE.md writes one.",
                    quoting::shown(aside.as_os_str().as_encoded_bytes())
                ),
            ),
        })
    }

    /// Does what a person asks for; the answer comes once it is durable.
    ///
    /// # Errors
    /// Each operation's own; `usage` for a folder that the person has yet to pick, which is the window's part.
    pub fn submit(&self, op: Op) -> BoxFuture<'_, Result<Outcome, ErrorInfo>> {
        Box::pin(self.obey(op))
    }

    async fn obey(&self, op: Op) -> Result<Outcome, ErrorInfo> {
        self.refuse_imported(&op).await?;
        if let Some(outcome) = self.forwarded(&op).await {
            return outcome;
        }
        if let Op::StartTurn { .. }
        | Op::QueueMessage { .. }
        | Op::DeleteSession { .. }
        | Op::ForgetProject { .. } = &op
        {
            self.shared.dropped.forget();
        }
        match op {
            Op::OpenProject { path: Some(path) } => self.open_project(Path::new(&path)).await,
            Op::LocateProject { project_id, path: Some(path) } => {
                self.refuse_at_work(project_id, "it works in the folder that was known").await?;
                self.locate_project(project_id, Path::new(&path)).await
            }
            Op::OpenProject { path: None } | Op::LocateProject { path: None, .. } => {
                Err(projects::no_folder())
            }
            Op::OpenSample => self.open_sample().await,
            Op::ForgetProject { project_id } => self.forget_project(project_id).await,
            Op::NewSession { project_id } => self.new_session(project_id).await,
            Op::RenameSession { session_id, title } => self.rename_session(session_id, &title).await,
            Op::DeleteSession { session_id } => self.delete_session(session_id).await,
            Op::SaveDraft { of, text } => self.save_draft(of, text).await,
            Op::AttachFile { of, name, data } => self.attach_file(of, name, data).await,
            Op::AttachDropped { of, number } => self.attach_dropped(of, number).await,
            Op::RemoveAttachment { of, sha256 } => self.remove_attachment(of, sha256).await,
            Op::PinSession { session_id, pinned } => self.pin_session(session_id, pinned).await,
            Op::ArchiveSession { session_id, archived } => self.archive_session(session_id, archived).await,
            Op::StartTurn { session_id, text, options } => self.start_turn(session_id, text, options).await,
            Op::QueueMessage { session_id, text, options } => {
                self.queue_message(session_id, text, options).await
            }
            Op::Steer { request_id, text } => self.steer(request_id, text).await,
            Op::EditQueued { queued_id, text } => self.edit_queued(queued_id, text).await,
            Op::MoveQueued { queued_id, to } => self.change_queue(QueueChange::Move { queued_id, to }).await,
            Op::RemoveQueued { queued_id } => self.change_queue(QueueChange::Remove { queued_id }).await,
            Op::SendQueued { queued_id } => self.send_queued(queued_id).await,
            Op::ReleaseQueue { session_id } => self.release_queue(session_id).await,
            Op::TakeQueue { session_id } => self.take_queue(session_id).await,
            Op::Fork { request_id, phase } => self.fork(request_id, phase).await,
            Op::Compare { request_id, routes, copy_at_most } => {
                self.compare(request_id, &routes, copy_at_most).await
            }
            Op::RemoveCopy { session_id } => self.remove_copy(session_id).await,
            Op::SwitchBranch { request_id } => self.switch_branch(request_id).await,
            Op::EditContext { session_id, edits } => self.edit_context(session_id, &edits).await,
            Op::Compact { session_id, options } => self.compact(session_id, options).await,
            Op::UndoCompaction { request_id } => self.undo_compaction(request_id).await,
            Op::EditEntry { request_id, summary } => self.edit_entry(request_id, summary).await,
            Op::StopTurn { request_id } => self.stop_turn(request_id).await,
            Op::PauseTurn { request_id, pause } => self.pause_turn(request_id, pause).await,
            Op::RetryNow { request_id } => self.retry_now(request_id).await,
            Op::Reply { request_id, digest, reply } => self.reply(request_id, digest, reply).await,
            Op::RevokeApproval { approval_id } => self.revoke_approval(approval_id).await,
            Op::ReviseWrite { request_id, digest, revision } => {
                self.revise_write(request_id, digest, revision).await
            }
            Op::UndoWrite { request_id, write } => self.undo_write(request_id, write).await,
            Op::RemoveNew { request_id, tool_call_id, path } => {
                self.remove_new(request_id, &tool_call_id, path).await
            }
            Op::UndoChanges { of, path } => self.undo_changes(of, path).await,
            Op::Rewind { request_id, conversation, files } => {
                self.rewind(request_id, conversation, files).await
            }
            Op::UndoRewind { request_id } => self.undo_rewind(request_id).await,
            Op::ResumeTurn { request_id } => self.go_on(request_id).await,
            Op::Export { of, path, format, files, replaces } => {
                self.export_to(of, path, format, (files, replaces)).await
            }
            Op::Import { path } => self.import(path).await,
            Op::OpenExternal { .. } => Err(viewing::no_desktop()),
            // What is pasted is the shell's to know.
            Op::Paste => Ok(Outcome::Dropped { dropped: DroppedFiles::default() }),
            Op::SaveEndpoint { change } => self.save_endpoint(change).await,
            Op::AcceptFinishReason { endpoint, reason } => self.accept_finish_reason(endpoint, reason).await,
            Op::RemoveEndpoint { name } => self.remove_endpoint(name).await,
            Op::SaveSettings { change } => self.save_settings(change).await,
            Op::ResetSettings { keys } => self.reset_settings(keys).await,
            Op::SaveModel { change } => self.save_model(change).await,
            Op::ForgetLearned { endpoint, model } => {
                self.forget_learned(&endpoint, &model).await.map(|()| Outcome::Done)
            }
            Op::ForgetFinishReason { endpoint, reason } => self.forget_finish_reason(endpoint, reason).await,
            Op::SaveInstructions { project_id, text } => self.save_instructions(project_id, text).await,
            Op::SaveTool { tool } => self.save_tool(tool).await,
            Op::SaveCheck { project_id, check, was, script } => {
                self.save_check(project_id, check, was, script).await
            }
            Op::RemoveCheck { project_id, name } => self.remove_check(project_id, name).await,
            Op::RunChecks { project_id, names } => self.run_checks(project_id, names).await,
            Op::StopChecks { project_id } => Ok(self.stop_checks(project_id)),
            Op::OfferedChecks { project_id } => self.offered_checks(project_id).await,
            Op::ClearCommandHome { project_id } => self.clear_command_home(project_id).await,
        }
    }

    /// Answers a question; changes nothing that a person would see.
    pub fn query(&self, query: Query) -> BoxFuture<'_, Result<Answer, ErrorInfo>> {
        Box::pin(queries::answer(self, query))
    }

    /// The updates from now on. A receiver that falls behind by more than 4,096 of them misses some and hears how many.
    #[must_use]
    pub fn updates(&self) -> broadcast::Receiver<Update> {
        self.shared.updates.subscribe()
    }

    /// Ends everything and flushes the journal. Turns that still run are left as they are: the next start finds them
    /// interrupted (A5).
    ///
    /// # Errors
    /// The disk refused.
    pub async fn close(&self) -> Result<(), ErrorInfo> {
        self.shared.closing.cancel();
        self.shared.watches.end();
        self.shared.indexes.end();
        self.shared.copies.leave();
        self.shared.tasks.close();
        self.shared.tasks.wait().await;
        self.keep_learned().await;
        Ok(self.shared.store.close().await?)
    }

    /// Writes down what was learned of models. Nothing depends on it, so a disk that refuses is only logged.
    async fn keep_learned(&self) {
        let learned = self.shared.learned.clone();
        let saving = tokio::task::spawn_blocking(move || learned.save());
        if let Ok(Ok(Err(error))) = tokio::time::timeout(SAVING, saving).await {
            tracing::warn!(%error, "what was learned of models could not be saved");
        }
    }

    fn config(&self) -> Config {
        self.shared.config.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether somebody wants updates: a window does, a command does not.
    fn is_listened_to(&self) -> bool {
        self.shared.updates.receiver_count() > 0
    }

    /// Tells how a session is now. What was done in it holds, whether or not that can be read.
    async fn tell_of_session(&self, session_id: SessionId) {
        if !self.is_listened_to() {
            return;
        }
        match self.shared.store.session(session_id).await {
            Ok(session) => self.tell(Update::Session { session }),
            Err(error) => tracing::warn!(%error, "a session that has changed cannot be read"),
        }
    }

    fn tell(&self, update: Update) {
        // Nobody listens: nothing to do.
        let _ = self.shared.updates.send(update);
    }
}

/// Runs what blocks on the disk where blocking is allowed.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ErrorInfo> + Send + 'static,
) -> Result<T, ErrorInfo> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_panic| Err(broken()))
}

fn broken() -> ErrorInfo {
    ErrorInfo::new(
        orion_protocol::Code::Internal,
        "Orion hit an internal error.",
        "Try again. If the error comes back, report it with the log file.",
    )
}
