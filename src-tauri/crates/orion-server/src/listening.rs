//! Connections: where they come from, how many there are, and how long a header may take (H1, H6).

use std::net::SocketAddr;
#[cfg(unix)]
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use orion_protocol::{Code, ErrorInfo};
use tokio::io::{AsyncRead, AsyncWrite};
#[cfg(unix)]
use tokio::net::UnixListener;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::timed::Timed;

/// Connections that are open at once; further ones wait to be accepted.
const CONNECTIONS: usize = 256;

/// Bytes of a header.
const HEADER_BYTES: usize = 32 * 1024;

/// Fields of a header.
const FIELDS: usize = 100;

/// The time in which a header has to be here.
const HEADER_TIME: Duration = Duration::from_secs(10);

/// The pause after a connection could not be accepted, such as for want of file descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// The place that is listened on.
pub(crate) enum Listener {
    Tcp(TcpListener, Option<TlsAcceptor>),
    #[cfg(unix)]
    Socket(UnixListener, PathBuf),
}

impl Listener {
    /// # Errors
    /// An address that is taken, with the flag to choose another one.
    pub(crate) async fn at(address: SocketAddr, tls: Option<TlsAcceptor>) -> Result<Self, ErrorInfo> {
        TcpListener::bind(address).await.map(|listener| Self::Tcp(listener, tls)).map_err(|error| {
            let message = format!("{address} cannot be listened on.");
            let action = "Choose another port: --listen 127.0.0.1:PORT, or port 0 for a free one.";
            ErrorInfo::new(Code::Usage, message, action).with_detail(error.to_string())
        })
    }

    /// A socket that its owner alone can open.
    ///
    /// # Errors
    /// Something is at the path already, or the folder cannot be written to.
    #[cfg(unix)]
    pub(crate) fn socket(path: PathBuf) -> Result<Self, ErrorInfo> {
        let listener = private_socket(&path).map_err(|error| {
            let message = format!("{} cannot be listened on.", path.display());
            let action = "Remove what is there if no server uses it, or choose another --socket.";
            ErrorInfo::new(Code::Usage, message, action).with_detail(error.to_string())
        })?;
        Ok(Self::Socket(listener, path))
    }

    pub(crate) fn address(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(listener, _) => listener.local_addr().ok(),
            #[cfg(unix)]
            Self::Socket(..) => None,
        }
    }

    /// For a person, and for programs that start the server.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Tcp(listener, tls) => {
                let scheme = if tls.is_some() { "https" } else { "http" };
                listener.local_addr().map_or(scheme.to_owned(), |address| format!("{scheme}://{address}"))
            }
            #[cfg(unix)]
            Self::Socket(_, path) => path.display().to_string(),
        }
    }

    /// Serves until it closes; then what is under way may end.
    pub(crate) async fn serve(self, routes: Router, closing: CancellationToken) -> TaskTracker {
        let places = Arc::new(Semaphore::new(CONNECTIONS));
        let tasks = TaskTracker::new();
        loop {
            let place = tokio::select! {
                biased;
                () = closing.cancelled() => break,
                place = Arc::clone(&places).acquire_owned() => place,
            };
            let Ok(place) = place else { break };
            let served = tokio::select! {
                biased;
                () = closing.cancelled() => break,
                served = self.accept(&routes, &closing, &tasks, place) => served,
            };
            if let Err(error) = served {
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(PAUSE).await;
            }
        }
        #[cfg(unix)]
        if let Self::Socket(_, path) = &self {
            // It may be gone already.
            let _ = std::fs::remove_file(path);
        }
        tasks.close();
        tasks
    }

    async fn accept(
        &self,
        routes: &Router,
        closing: &CancellationToken,
        tasks: &TaskTracker,
        place: OwnedSemaphorePermit,
    ) -> std::io::Result<()> {
        let (routes, closing) = (routes.clone(), closing.clone());
        match self {
            Self::Tcp(listener, tls) => {
                let (stream, _) = listener.accept().await?;
                // A chunk is not to wait for the next one.
                let _ = stream.set_nodelay(true);
                match tls.clone() {
                    None => tasks.spawn(connection(Timed::new(stream), routes, closing, place)),
                    Some(tls) => tasks.spawn(encrypted(tls, stream, routes, closing, place)),
                };
            }
            #[cfg(unix)]
            Self::Socket(listener, _) => {
                let (stream, _) = listener.accept().await?;
                tasks.spawn(connection(Timed::new(stream), routes, closing, place));
            }
        }
        Ok(())
    }
}

/// Binds a socket in a folder that its owner alone can enter, and moves it to its path once nobody else can open it.
#[cfg(unix)]
fn private_socket(path: &Path) -> std::io::Result<UnixListener> {
    use std::os::unix::fs::PermissionsExt;
    if path.symlink_metadata().is_ok() {
        return Err(std::io::ErrorKind::AlreadyExists.into());
    }
    let beside = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // A short name: the path of a socket has about a hundred bytes.
    let folder = tempfile::Builder::new().prefix(".o").tempdir_in(beside)?;
    let bound = folder.path().join("s");
    let listener = UnixListener::bind(&bound)?;
    std::fs::set_permissions(&bound, std::fs::Permissions::from_mode(0o600))?;
    std::fs::rename(&bound, path)?;
    Ok(listener)
}

/// A connection with TLS, whose beginning is bounded as a header is.
async fn encrypted(
    tls: TlsAcceptor,
    stream: TcpStream,
    routes: Router,
    closing: CancellationToken,
    place: OwnedSemaphorePermit,
) {
    let accepted = tokio::select! {
        () = closing.cancelled() => return,
        accepted = timeout(HEADER_TIME, tls.accept(Timed::new(stream))) => accepted,
    };
    match accepted {
        Ok(Ok(stream)) => connection(stream, routes, closing, place).await,
        Ok(Err(error)) => tracing::debug!(%error, "a connection had no TLS"),
        Err(_) => tracing::debug!("a connection did not begin its TLS in time"),
    }
}

async fn connection<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    stream: S,
    routes: Router,
    closing: CancellationToken,
    _place: OwnedSemaphorePermit,
) {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .max_headers(FIELDS)
        .max_buf_size(HEADER_BYTES);
    let served = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(routes));
    let mut served = std::pin::pin!(served);
    let ended = tokio::select! {
        ended = served.as_mut() => ended,
        () = closing.cancelled() => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke off");
    }
}
