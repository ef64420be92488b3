//! The operations and queries, each declared once: what it touches, what it changes, and who may ask for it.
//!
//! To add one, give it a row here: without a row nothing compiles. What is refused in an imported session, to the webview, or over
//! HTTP follows from the row. Deliberately not here: doing it (`orion-engine`), and which projects somebody may reach.

use crate::{
    ChangesOf, Channel, CommandAsked, DraftOf, FiguresOf, Op, PendingOf, ProjectId, Query, QueuedId, Reply,
    RequestId, SandboxLevel, SessionId, SettingsChange, TurnOptions,
};

/// The thing that an operation changes, or that a query reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touched {
    /// Facts that belong to nobody: the version, which tools there are.
    Nothing,
    Session(SessionId),
    Turn(RequestId),
    Project(ProjectId),
    /// A message that waits in a queue (A9).
    Message(QueuedId),
    /// All that is kept of projects and sessions together.
    Everything,
    Settings,
    Keys,
    /// The person's files outside of a project.
    Files,
    /// Other programs of this computer, and other computers.
    Computer,
}

/// The most that an operation does to the thing that it touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// Nothing that a person would see.
    Nothing,
    /// The way in which it is kept: its name, its place, whether it is there at all. An imported session takes that too.
    Arranges,
    /// The conversation itself, or files by it. An imported session is read-only.
    Continues,
}

/// Those who may ask for something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Askers {
    /// The window alone: only its shell can do it.
    Window,
    /// The person at this computer, in the window or on the command line: it enters a key, names a file or a program of the computer, or
    /// loosens what holds for turns.
    Local,
    /// Everybody who is let in, over HTTP too.
    Everyone,
}

impl Askers {
    #[must_use]
    pub const fn has(self, channel: Channel) -> bool {
        match channel {
            Channel::Window => true,
            Channel::CommandLine => matches!(self, Self::Local | Self::Everyone),
            Channel::Http => matches!(self, Self::Everyone),
        }
    }
}

/// Something of the computer that an operation names, or leaves to a person to pick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Named<'a> {
    #[default]
    Nothing,
    /// A folder to open as a project.
    Folder(Option<&'a str>),
    /// A file to read or to write.
    File(Option<&'a str>),
    /// A program to start.
    Program,
    /// A part of a window's shell: its clipboard, or the way to other programs.
    Shell,
}

/// The declaration of an operation or a query, with the ids of this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Declared<'a> {
    pub touches: Touched,
    pub change: Change,
    pub askers: Askers,
    pub names: Named<'a>,
    /// It grants something that outlives the turn, or reaches beyond Orion: in a window it needs a press of the person that the shell has seen.
    pub pressed: bool,
    /// The process that has the turn does it, wherever it is asked for (A7).
    pub by_owner: bool,
}

impl<'a> Declared<'a> {
    const fn of(touches: Touched, change: Change, askers: Askers) -> Self {
        Self { touches, change, askers, names: Named::Nothing, pressed: false, by_owner: false }
    }

    const fn naming(self, names: Named<'a>) -> Self {
        Self { names, ..self }
    }

    const fn by_owner(self) -> Self {
        Self { by_owner: true, ..self }
    }

    const fn pressed(self, pressed: bool) -> Self {
        Self { pressed, ..self }
    }

    /// Asked for like this it grants something, so that it is for the person at this computer.
    fn granting(self, grants: bool) -> Self {
        let askers = if grants { self.askers.min(Askers::Local) } else { self.askers };
        Self { askers, ..self }
    }
}

/// The part of a row that holds whatever the ids are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// As in the source.
    pub name: &'static str,
    pub change: Change,
    pub askers: Askers,
}

macro_rules! declared {
    ($Asked:ident {
        $( $name:ident { $($field:ident),* } => $touches:expr, $change:ident, $askers:ident $(, $($more:ident($($value:expr)?)).+)? ; )*
    }) => {
        impl $Asked {
            /// Every one, in the order of the table.
            pub const ROWS: &'static [Row] = &[
                $( Row { name: stringify!($name), change: Change::$change, askers: Askers::$askers }, )*
            ];

            /// Its declaration.
            #[must_use]
            pub fn declared(&self) -> Declared<'_> {
                match self {
                    $( Self::$name { $($field,)* .. } => {
                        Declared::of($touches, Change::$change, Askers::$askers) $( $(.$more($($value)?))+ )?
                    } )*
                }
            }
        }
    };
}

declared! { Op {
    OpenProject { path } => Touched::Files, Arranges, Local, naming(Named::Folder(path.as_deref()));
    // Only the person says where it is: a path of the page counts for nothing.
    LocateProject { project_id } => Touched::Project(*project_id), Arranges, Local, naming(Named::Folder(None));
    OpenSample {} => Touched::Files, Arranges, Local;
    ForgetProject { project_id } => Touched::Project(*project_id), Arranges, Local;
    NewSession { project_id } => Touched::Project(*project_id), Arranges, Everyone;
    RenameSession { session_id } => Touched::Session(*session_id), Arranges, Everyone;
    DeleteSession { session_id } => Touched::Session(*session_id), Arranges, Everyone;
    SaveDraft { of } => drafted(of), Arranges, Local;
    AttachFile { of } => drafted(of), Arranges, Everyone;
    AttachDropped { of } => drafted(of), Arranges, Window;
    Paste {} => Touched::Computer, Arranges, Window, naming(Named::Shell);
    RemoveAttachment { of } => drafted(of), Arranges, Everyone;
    PinSession { session_id } => Touched::Session(*session_id), Arranges, Everyone;
    ArchiveSession { session_id } => Touched::Session(*session_id), Arranges, Everyone;
    StartTurn { session_id, options } => Touched::Session(*session_id), Continues, Everyone, granting(grants(options));
    QueueMessage { session_id, options } => Touched::Session(*session_id), Continues, Everyone, granting(grants(options));
    Steer { request_id } => Touched::Turn(*request_id), Continues, Everyone, by_owner();
    EditQueued { queued_id } => Touched::Message(*queued_id), Arranges, Everyone;
    MoveQueued { queued_id } => Touched::Message(*queued_id), Arranges, Everyone;
    RemoveQueued { queued_id } => Touched::Message(*queued_id), Arranges, Everyone;
    SendQueued { queued_id } => Touched::Message(*queued_id), Arranges, Everyone;
    ReleaseQueue { session_id } => Touched::Session(*session_id), Continues, Everyone;
    TakeQueue { session_id } => Touched::Session(*session_id), Continues, Everyone;
    Fork { request_id } => Touched::Turn(*request_id), Continues, Everyone;
    Compare { request_id } => Touched::Turn(*request_id), Continues, Local;
    RemoveCopy { session_id } => Touched::Session(*session_id), Arranges, Local;
    SwitchBranch { request_id } => Touched::Turn(*request_id), Continues, Everyone;
    EditContext { session_id } => Touched::Session(*session_id), Continues, Everyone;
    Compact { session_id, options } => Touched::Session(*session_id), Continues, Everyone, granting(grants(options));
    UndoCompaction { request_id } => Touched::Turn(*request_id), Continues, Everyone;
    EditEntry { request_id } => Touched::Turn(*request_id), Continues, Everyone;
    StopTurn { request_id } => Touched::Turn(*request_id), Continues, Everyone, by_owner();
    PauseTurn { request_id } => Touched::Turn(*request_id), Continues, Everyone, by_owner();
    RetryNow { request_id } => Touched::Turn(*request_id), Continues, Everyone, by_owner();
    Reply { request_id, reply } => Touched::Turn(*request_id), Continues, Everyone, granting(reply.grants()).pressed(reply.grants()).by_owner();
    RevokeApproval {} => Touched::Everything, Arranges, Local;
    ReviseWrite { request_id } => Touched::Turn(*request_id), Continues, Everyone, by_owner();
    UndoWrite { request_id } => Touched::Turn(*request_id), Continues, Everyone;
    RemoveNew { request_id } => Touched::Turn(*request_id), Continues, Everyone;
    UndoChanges { of } => changed(of), Continues, Everyone;
    Rewind { request_id } => Touched::Turn(*request_id), Continues, Everyone;
    UndoRewind { request_id } => Touched::Turn(*request_id), Continues, Everyone;
    ResumeTurn { request_id } => Touched::Turn(*request_id), Continues, Everyone;
    Export { path } => Touched::Files, Arranges, Local, naming(Named::File(path.as_deref()));
    Import { path } => Touched::Files, Arranges, Local, naming(Named::File(path.as_deref()));
    OpenExternal {} => Touched::Computer, Arranges, Window, naming(Named::Shell).pressed(true);
    SaveEndpoint { change } => Touched::Keys, Arranges, Local, pressed(change.key_variable.is_some());
    AcceptFinishReason {} => Touched::Settings, Arranges, Local;
    RemoveEndpoint {} => Touched::Keys, Arranges, Local;
    SaveSettings { change } => Touched::Settings, Arranges, Local, naming(started(change.editor.as_deref())).pressed(gives(change));
    ResetSettings {} => Touched::Settings, Arranges, Local;
    SaveModel {} => Touched::Settings, Arranges, Local;
    ForgetLearned {} => Touched::Settings, Arranges, Local;
    ForgetFinishReason {} => Touched::Settings, Arranges, Local;
    SaveInstructions {} => Touched::Settings, Arranges, Local;
    SaveTool {} => Touched::Settings, Arranges, Local, pressed(true);
    SaveCheck { project_id } => Touched::Project(*project_id), Arranges, Local, pressed(true);
    RemoveCheck { project_id } => Touched::Project(*project_id), Arranges, Local;
    RunChecks { project_id } => Touched::Project(*project_id), Arranges, Local;
    StopChecks { project_id } => Touched::Project(*project_id), Arranges, Local;
    OfferedChecks { project_id } => Touched::Project(*project_id), Arranges, Local;
    ClearCommandHome { project_id } => Touched::Project(*project_id), Arranges, Local;
} }

declared! { Query {
    State {} => Touched::Everything, Nothing, Local;
    Session { session_id } => Touched::Session(*session_id), Nothing, Everyone;
    Ancestors { request_id } => Touched::Turn(*request_id), Nothing, Everyone;
    Sessions { project_id } => Touched::Project(*project_id), Nothing, Everyone;
    Search {} => Touched::Everything, Nothing, Local;
    Find { session_id } => Touched::Session(*session_id), Nothing, Everyone;
    Queue { session_id } => Touched::Session(*session_id), Nothing, Everyone;
    Events { request_id } => Touched::Turn(*request_id), Nothing, Everyone;
    Aftermath {} => Touched::Everything, Nothing, Local;
    Context { session_id } => Touched::Session(*session_id), Nothing, Everyone;
    CopySize { request_id } => Touched::Turn(*request_id), Nothing, Everyone;
    Trace { request_id } => Touched::Turn(*request_id), Nothing, Everyone;
    Figures { of } => figured(of), Nothing, Everyone, granting(*of == FiguresOf::Everything);
    Replay { request_id } => Touched::Turn(*request_id), Nothing, Everyone;
    Sent { request_id } => Touched::Turn(*request_id), Nothing, Everyone;
    SentBody { request_id } => Touched::Turn(*request_id), Nothing, Everyone;
    CommandOutput { request_id } => Touched::Turn(*request_id), Nothing, Everyone;
    RawResponse { request_id } => Touched::Turn(*request_id), Nothing, Everyone;
    ToolCall { request_id } => Touched::Turn(*request_id), Nothing, Everyone;
    Entry { request_id } => Touched::Turn(*request_id), Nothing, Everyone;
    Write { request_id } => Touched::Turn(*request_id), Nothing, Everyone;
    Changes { of } => changed(of), Nothing, Everyone;
    Change { of } => changed(of), Nothing, Everyone;
    ChangeRows { of } => changed(of), Nothing, Everyone;
    Rewind { request_id } => Touched::Turn(*request_id), Nothing, Everyone;
    LastRewind { session_id } => Touched::Session(*session_id), Nothing, Everyone;
    WriteRows { request_id } => Touched::Turn(*request_id), Nothing, Everyone;
    RowRest { request_id } => Touched::Turn(*request_id), Nothing, Everyone;
    WriteText { request_id } => Touched::Turn(*request_id), Nothing, Everyone;
    Files { project_id } => Touched::Project(*project_id), Nothing, Everyone;
    FindFiles { project_id } => Touched::Project(*project_id), Nothing, Everyone;
    Mentions { project_id } => Touched::Project(*project_id), Nothing, Everyone;
    FileLines { project_id } => Touched::Project(*project_id), Nothing, Everyone;
    Picture { project_id } => Touched::Project(*project_id), Nothing, Everyone;
    Paths { project_id } => Touched::Project(*project_id), Nothing, Everyone;
    Suggestions { project_id } => Touched::Project(*project_id), Nothing, Everyone;
    Approvals {} => Touched::Everything, Nothing, Local;
    Space {} => Touched::Everything, Nothing, Local;
    CommandHome { project_id } => Touched::Project(*project_id), Nothing, Everyone;
    Checks { project_id } => Touched::Project(*project_id), Nothing, Everyone;
    CheckScript { project_id } => Touched::Project(*project_id), Nothing, Everyone;
    ProjectSettings { project_id } => Touched::Project(*project_id), Nothing, Everyone;
    Tools { project_id } => project(project_id.as_ref()), Nothing, Everyone;
    Instructions { project_id } => project(project_id.as_ref()), Nothing, Local;
    Models {} => Touched::Computer, Nothing, Everyone;
    Spoken {} => Touched::Computer, Nothing, Local;
    Probe { key_variable } => Touched::Keys, Nothing, Local, pressed(key_variable.is_some());
    Draft { of } => drafted(of), Nothing, Local;
    AttachmentPicture {} => Touched::Everything, Nothing, Local;
    Messages { project_id } => Touched::Project(*project_id), Nothing, Everyone;
    Prompts {} => Touched::Files, Nothing, Local;
    Prompt {} => Touched::Files, Nothing, Local;
    Discover {} => Touched::Computer, Nothing, Local;
    Doctor {} => Touched::Computer, Nothing, Local;
} }

const fn drafted(of: &DraftOf) -> Touched {
    match of {
        DraftOf::Session { session_id } => Touched::Session(*session_id),
        DraftOf::Project { project_id } => Touched::Project(*project_id),
    }
}

const fn changed(of: &ChangesOf) -> Touched {
    match of {
        ChangesOf::Session { session_id } => Touched::Session(*session_id),
        ChangesOf::Turn { request_id } | ChangesOf::Command { request_id, .. } => Touched::Turn(*request_id),
    }
}

const fn figured(of: &FiguresOf) -> Touched {
    match of {
        FiguresOf::Everything => Touched::Everything,
        FiguresOf::Project { project_id } => Touched::Project(*project_id),
        FiguresOf::Session { session_id } => Touched::Session(*session_id),
    }
}

const fn project(project_id: Option<&ProjectId>) -> Touched {
    match project_id {
        Some(project_id) => Touched::Project(*project_id),
        None => Touched::Nothing,
    }
}

const fn started(program: Option<&str>) -> Named<'_> {
    match program {
        Some(_) => Named::Program,
        None => Named::Nothing,
    }
}

/// It gives commands something of the person's (C2).
const fn gives(change: &SettingsChange) -> bool {
    change.commands.env.is_some() || change.commands.read.is_some()
}

/// Commands of the turn are not asked about (C1).
const fn grants(options: &TurnOptions) -> bool {
    options.allow_commands
}

impl Reply {
    /// A reply that grants more than the one thing which is asked about: it keeps an approval, or has a command leave the sandbox.
    #[must_use]
    pub const fn grants(&self) -> bool {
        match self {
            Self::Allow { keep } => keep.is_some(),
            Self::AllowWords { .. } | Self::AllowOutside => true,
            Self::AllowEdited { .. }
            | Self::Write { .. }
            | Self::Reject { .. }
            | Self::Choose { .. }
            | Self::Answer { .. }
            | Self::Resume { .. } => false,
        }
    }

    /// A reply that grants something if this is what is asked about: hosts that a command may reach, a run that nothing holds, or, with
    /// arguments of the person's own, either of them.
    #[must_use]
    pub fn grants_for(&self, asked: &PendingOf) -> bool {
        let PendingOf::Call { command: Some(command), .. } = asked else { return self.grants() };
        let CommandAsked { level, hosts, .. } = &**command;
        match self {
            Self::Allow { .. } => self.grants() || *level == SandboxLevel::None || !hosts.is_empty(),
            Self::AllowEdited { .. } => true,
            _ => self.grants(),
        }
    }
}

#[cfg(test)]
mod tests;
