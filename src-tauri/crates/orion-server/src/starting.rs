//! From the arguments to a server that listens, and to its end.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use orion_engine::config::Environment;
use orion_engine::paths::Paths;
use orion_engine::secrets::{KeyStore, Keychain, Redactor};
use orion_engine::{Engine, EngineOptions, Readers, logging};
use orion_protocol::{Channel, Code, ErrorInfo, Op, Outcome, Project};
use orion_providers::Providers;
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use crate::arguments::Arguments;
use crate::closing;
use crate::doors::Doors;
use crate::given::Room;
use crate::listening::Listener;
use crate::routes::routes;
use crate::server::{STREAMS, Server, TURNS};
use crate::tls::acceptor;
use crate::tokens::{Access, Tokens};
use crate::watched::Watched;

/// The variables of the designs, and Orion's own, which win.
const VARIABLES: [(&str, &str); 6] = [
    ("TWO_STAGE_ENABLED", "ORION_TWO_STAGE_ENABLED"),
    ("TWO_STAGE_MAX_TOOLS", "ORION_TWO_STAGE_MAX_TOOLS"),
    ("MAX_TOOLS_PER_TOOL_PHASE", "ORION_TWO_STAGE_MAX_TOOLS"),
    ("MAX_PHASE_CYCLES_PER_TURN", "ORION_MAX_PHASE_CYCLES_PER_TURN"),
    ("MAX_DUPLICATE_ATTEMPTS_PER_TURN", "ORION_MAX_DUPLICATE_ATTEMPTS_PER_TURN"),
    ("WRITE_SESSION_IDLE_MS", "ORION_WRITE_SESSION_IDLE_MS"),
];

fn environment() -> Environment {
    let own = Environment::of_process();
    let given =
        VARIABLES.iter().rev().filter_map(|(name, orions)| Some((*orions, own.get(name)?.to_owned())));
    let given: Vec<(String, String)> = given.map(|(name, value)| (name.to_owned(), value)).collect();
    let all = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(_, value)| !value.is_empty());
    given.into_iter().chain(all).collect()
}

/// Serves until the system or a person asks for the end.
///
/// # Errors
/// The reason for which it does not start.
pub(crate) async fn serve(arguments: Arguments) -> Result<(), ErrorInfo> {
    let environment = environment();
    let paths = Paths::find(&environment, arguments.data_dir.as_deref())?;
    let data_dir = paths.data_dir.clone();
    if arguments.print_token {
        private_folder(&data_dir).map_err(|error| unusable(&data_dir, &error))?;
        let access = if arguments.reading { Access::Reads } else { Access::Full };
        return say(Tokens::of(&data_dir)?.token(access));
    }
    let tls = match (&arguments.tls_cert, &arguments.tls_key) {
        (Some(certificates), Some(key)) => Some(acceptor(certificates, key)?),
        _ => None,
    };
    if !arguments.listen.ip().is_loopback() && tls.is_none() && !arguments.behind_proxy {
        return Err(ErrorInfo::new(
            Code::Usage,
            format!("{} can be reached from other computers, and nothing here encrypts.", arguments.listen),
            "Give --tls-cert and --tls-key, or put a proxy with TLS in front of it and give --behind-proxy.",
        ));
    }
    let folders = folders(&arguments.project)?;
    let redactor = Redactor::default();
    if let Err(problem) = logging::start(&paths.log_dir(), &environment, redactor.clone()) {
        tracing::warn!(%problem, "there is no log");
    }
    let options = EngineOptions {
        channel: Channel::Http,
        paths,
        environment: environment.clone(),
        endpoint: None,
        connector: Arc::new(Providers::default()),
        keys: KeyStore::new(environment, Keychain::of_system(), redactor),
        readers: Readers::Several,
    };
    let engine = Engine::open(options).await?;
    let served = listen((arguments, tls), engine.clone(), folders, &data_dir).await;
    match tokio::time::timeout(closing::ENGINE, engine.close()).await {
        Ok(closed) => served.and(closed),
        Err(_) => served,
    }
}

async fn listen(
    (arguments, tls): (Arguments, Option<TlsAcceptor>),
    engine: Engine,
    folders: Vec<PathBuf>,
    data_dir: &Path,
) -> Result<(), ErrorInfo> {
    let tokens = Tokens::of(data_dir)?;
    let mut projects: Vec<Project> = Vec::new();
    for folder in folders {
        let path = Some(folder.display().to_string());
        if let Outcome::Project { project } = engine.submit(Op::OpenProject { path }).await? {
            projects.push(project);
        }
    }
    let listener = match arguments.socket {
        #[cfg(unix)]
        Some(path) => Listener::socket(path)?,
        #[cfg(not(unix))]
        Some(_) => return Err(ErrorInfo::new(Code::Usage, "There are no sockets here.", "Use --listen.")),
        None => Listener::at(arguments.listen, tls).await?,
    };
    let named = (arguments.allow_host, arguments.allow_origin);
    let closing = CancellationToken::new();
    let server = Arc::new(Server {
        doors: Doors::new(tokens, listener.address(), named, arguments.read_only),
        projects,
        bodies: Room::default(),
        watched: Arc::new(Watched::default()),
        streams: Arc::new(Semaphore::new(STREAMS)),
        reading_streams: Arc::new(Semaphore::new(STREAMS)),
        closing: closing.clone(),
        engine,
    });
    server.engine.bound_turns(TURNS);
    if !arguments.read_only {
        // A9: messages that wait are sent by this process, as by a window.
        server.engine.go_on_with_queues();
    }
    server.engine.watch_neighbours().await;
    say(&format!("Listening on {}", listener.shown()))?;
    let (at_end, engine) = (closing.clone(), server.engine.clone());
    tokio::spawn(async move {
        closing::asked_for().await;
        // H8
        engine.leave_queues();
        at_end.cancel();
    });
    let connections = listener.serve(routes(server), closing).await;
    // Whoever does not read the end of a stream holds up nothing.
    let _ = tokio::time::timeout(closing::CONNECTIONS, connections.wait()).await;
    Ok(())
}

/// The folders that are served: those that were named, or the one it was started in.
fn folders(named: &[PathBuf]) -> Result<Vec<PathBuf>, ErrorInfo> {
    if !named.is_empty() {
        return Ok(named.to_vec());
    }
    let here = std::env::current_dir().map_err(|error| unusable(Path::new("."), &error))?;
    let is_here = |home: PathBuf| {
        let whole = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        whole(&home) == whole(&here)
    };
    if here.parent().is_none() || std::env::home_dir().is_some_and(is_here) {
        return Err(ErrorInfo::new(
            Code::Usage,
            format!("{} is not served unless it is named.", here.display()),
            "Start it in the folder of a project, or name one: --project DIR.",
        ));
    }
    Ok(vec![here])
}

/// Makes a folder for its owner alone; one that is there already keeps its mode.
fn private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

fn unusable(path: &Path, error: &std::io::Error) -> ErrorInfo {
    ErrorInfo::new(Code::Storage, format!("{} cannot be used.", path.display()), "Check the folder.")
        .with_detail(error.to_string())
}

fn say(line: &str) -> Result<(), ErrorInfo> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|error| {
        ErrorInfo::new(Code::Usage, "Standard output cannot be written to.", "Check where it goes.")
            .with_detail(error.to_string())
    })
}
