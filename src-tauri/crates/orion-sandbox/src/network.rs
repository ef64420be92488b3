//! A command's way to the network: a proxy that lets the granted hosts through and nothing else, and counts what they are sent (C2, C4).
//!
//! The helper opens 127.0.0.1:3128 in the box's own network namespace and hands the listening socket to Orion, so no file and no other socket leads
//! out of the box, and every connection is accepted here. Deliberately not here: reading a request (`request`), where a name leads (`onward`).

mod addresses;
mod copying;
mod head;
mod onward;
mod refusal;
mod request;

use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use orion_protocol::{CommandNetwork, HostUse};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinSet;

use crate::host::Host;
use copying::{Counted, Meter, Traffic};
use head::Head;
pub use onward::Internet;
use onward::Onward;
use refusal::Refusal;
use request::Asked;

/// Connections at one time (C4). Another one waits.
const CONNECTIONS: usize = 64;

/// The time that a program has to send the head of its request.
const HEAD: Duration = Duration::from_secs(15);

/// The time after which a connection is taken that could not be.
const AGAIN: Duration = Duration::from_millis(50);

/// The time and the bytes that a program has to take a refusal and to end.
const FAREWELL: Duration = Duration::from_secs(2);
const UNREAD: u64 = 1 << 20;

/// Bytes that a command may receive and send (C4): 2 GiB and 64 MiB.
const MOST: (u64, u64) = (2 << 30, 64 << 20);

/// The proxy of one run.
#[derive(Debug)]
pub(crate) struct Proxy {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    granted: Vec<Host>,
    onward: Onward,
    traffic: Traffic,
    seen: Mutex<Seen>,
}

/// The hosts that were asked for.
#[derive(Debug, Default)]
struct Seen {
    used: BTreeMap<usize, Use>,
    refused: BTreeSet<Host>,
}

#[derive(Debug, Default)]
struct Use {
    connections: u32,
    bytes: Counted,
    failed: Option<String>,
}

impl Proxy {
    /// One that lets these hosts through. `tried`: another network than this computer's.
    pub(crate) fn new(granted: Vec<Host>, tried: Option<Internet>) -> Self {
        let (received, sent) = tried.as_ref().map_or(MOST, |tried| tried.most);
        let (traffic, onward) = (Traffic::new(received, sent), Onward::of(tried));
        Self { shared: Arc::new(Shared { granted, onward, traffic, seen: Mutex::default() }) }
    }

    /// Serves the socket that comes, for ever. Dropping the future ends every connection.
    pub(crate) async fn serve(&self, socket: oneshot::Receiver<OwnedFd>) -> std::convert::Infallible {
        if let Ok(listener) = listener(socket).await {
            let room = Arc::new(Semaphore::new(CONNECTIONS));
            let mut connections = JoinSet::new();
            while let Ok(permit) = room.clone().acquire_owned().await {
                let Ok((client, _)) = listener.accept().await else {
                    // Orion has no room for one more file for a moment.
                    tokio::time::sleep(AGAIN).await;
                    continue;
                };
                let shared = self.shared.clone();
                connections.spawn(async move {
                    shared.serve(client).await;
                    drop(permit);
                });
                while connections.try_join_next().is_some() {}
            }
        }
        std::future::pending().await
    }

    /// The hosts that were asked for until now.
    pub(crate) fn used(&self) -> CommandNetwork {
        let seen = self.shared.seen();
        let mut hosts: Vec<HostUse> = seen
            .used
            .iter()
            .filter_map(|(granted, used)| {
                Some(HostUse {
                    host: self.shared.granted.get(*granted)?.to_string(),
                    connections: used.connections,
                    bytes_in: used.bytes.received(),
                    bytes_out: used.bytes.sent(),
                    failed: used.failed.clone(),
                })
            })
            .collect();
        hosts.sort_by(|one, other| one.host.cmp(&other.host));
        CommandNetwork {
            hosts,
            refused: seen.refused.iter().map(Host::to_string).collect(),
            offered: Vec::new(),
            cut: self.shared.traffic.is_over(),
        }
    }
}

async fn listener(socket: oneshot::Receiver<OwnedFd>) -> std::io::Result<TcpListener> {
    let socket = socket.await.map_err(std::io::Error::other)?;
    let listener = std::net::TcpListener::from(socket);
    listener.set_nonblocking(true)?;
    TcpListener::from_std(listener)
}

/// Answers with the refusal. What the program still sends is read, since a connection that ends with something unread takes its answer along (RFC 9112).
async fn refuse(client: &mut TcpStream, refusal: &Refusal) -> std::io::Result<()> {
    client.write_all(&refusal.response()).await?;
    client.shutdown().await?;
    tokio::io::copy(&mut client.take(UNREAD), &mut tokio::io::sink()).await.map(|_| ())
}

impl Shared {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One connection, which is one request.
    async fn serve(&self, mut client: TcpStream) {
        let head = tokio::time::timeout(HEAD, Head::read(&mut client)).await;
        let answered = match head {
            Ok(Ok(head)) => self.answer(&mut client, head).await,
            Ok(Err(refusal)) => Err(refusal),
            Err(_) => Err(Refusal::TIMED_OUT),
        };
        if let Err(refusal) = answered {
            // A program that does not read it has its end all the same.
            let _ = tokio::time::timeout(FAREWELL, refuse(&mut client, &refusal)).await;
        }
    }

    async fn answer(&self, client: &mut TcpStream, head: Head) -> Result<(), Refusal> {
        let asked = Asked::of(&head)?;
        let granted = self.granted(&asked)?;
        if self.traffic.is_over() {
            return Err(Refusal::OVER);
        }
        let mut server = match self.onward.connect(&asked.name, asked.port, asked.plain.is_some()).await {
            Ok(connected) => connected,
            Err(why) => {
                let refusal = Refusal::unreachable(&asked.name, &why);
                self.seen().used.entry(granted).or_default().failed = Some(why);
                return Err(refusal);
            }
        };
        let host = {
            let mut seen = self.seen();
            let used = seen.used.entry(granted).or_default();
            used.connections = used.connections.saturating_add(1);
            used.bytes.clone()
        };
        // An end that is not in order is one all the same: the program sees it as such.
        let _ = asked.pass(client, &head, &mut server, &Meter { traffic: &self.traffic, host }).await;
        Ok(())
    }

    /// The number of the granted host that is asked for; one that was not granted is noted.
    fn granted(&self, asked: &Asked) -> Result<usize, Refusal> {
        let found = self.granted.iter().position(|host| host.covers(&asked.name, asked.port));
        found.ok_or_else(|| {
            if let Ok(host) = Host::at(&asked.name, asked.port) {
                let mut seen = self.seen();
                if seen.refused.len() < CommandNetwork::REFUSED {
                    seen.refused.insert(host);
                }
            }
            Refusal::not_granted(&asked.name)
        })
    }
}
