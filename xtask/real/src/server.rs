//! llama.cpp's server with a model, on a free port of this computer, for as long as the value lives.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// A large model takes minutes to load from a slow disk.
const LOADING: Duration = Duration::from_secs(300);
/// How long the server may be silent before it is asked again whether it is ready.
const SILENCE: Duration = Duration::from_millis(100);
/// For one look at the server's health.
const LOOK: Duration = Duration::from_secs(5);
/// Lines of the server's log that an error shows.
const SHOWN: usize = 12;

const HOW: &str = "docs/testing.md, “A real model”, says how to get it";

/// What a person has to provide.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    server: PathBuf,
    model: PathBuf,
    /// A template for the chat, where the model's own knows no tools.
    template: Option<PathBuf>,
}

impl Parts {
    /// Looks into `ORION_LLAMA_SERVER` or `PATH`, `ORION_GGUF` and `ORION_CHAT_TEMPLATE`.
    pub(crate) fn find(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self> {
        let file = |name: &str| match variable(name).map(PathBuf::from) {
            Some(path) if path.is_file() => Ok(Some(path)),
            Some(path) => bail!("{name} is {}, and there is no such file; {HOW}", path.display()),
            None => Ok(None),
        };
        let server = match file("ORION_LLAMA_SERVER")? {
            Some(server) => server,
            None => on_path(variable("PATH")).with_context(|| {
                format!("llama-server is missing: put it on PATH or set ORION_LLAMA_SERVER to it; {HOW}")
            })?,
        };
        let model = file("ORION_GGUF")?
            .with_context(|| format!("the model is missing: set ORION_GGUF to a GGUF file; {HOW}"))?;
        Ok(Self { server, model, template: file("ORION_CHAT_TEMPLATE")? })
    }

    /// The file's name without its ending.
    pub(crate) fn model_name(&self) -> String {
        self.model.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Starts the server and returns once it is healthy.
    pub(crate) fn start(&self) -> Result<Server> {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port is free")?;
        let address = free.local_addr().context("the free port has no address")?;
        drop(free);
        let mut command = Command::new(&self.server);
        command.args(["--host", "127.0.0.1", "--port", &address.port().to_string()]);
        // The context is the model's own, and one conversation has all of it.
        command.args(["--ctx-size", "0", "--parallel", "1", "--jinja", "--alias", &self.model_name()]);
        command.arg("--model").arg(&self.model);
        if let Some(template) = &self.template {
            command.arg("--chat-template-file").arg(template);
        }
        let program = self.server.display();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("{program} did not start"))?;
        let log = child.stderr.take().map(lines).context("the server has no log")?;
        let server = Server { child, address, version: version(&self.server) };
        server.wait(&log)?;
        // Read on, so that the server never waits for its log to be read.
        std::thread::spawn(move || log.iter().for_each(drop));
        Ok(server)
    }
}

fn on_path(path: Option<OsString>) -> Option<PathBuf> {
    let name = format!("llama-server{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path?).map(|folder| folder.join(&name)).find(|program| program.is_file())
}

/// What the program says of itself, such as `version: 11434 (unknown)`.
fn version(program: &Path) -> String {
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).output();
    let said = output.map(|output| [output.stderr, output.stdout].concat()).unwrap_or_default();
    let said = String::from_utf8_lossy(&said).into_owned();
    let line = said.lines().find(|line| line.contains("version")).unwrap_or("version unknown");
    format!("llama-server, {line}")
}

/// The lines of a log, until it ends.
fn lines(log: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(log).split(b'\n').map_while(Result::ok) {
            if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                return;
            }
        }
    });
    receiver
}

/// A running server; dropping it kills the process.
pub(crate) struct Server {
    child: Child,
    address: SocketAddr,
    version: String,
}

impl Server {
    pub(crate) fn address(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub(crate) fn version(&self) -> &str {
        &self.version
    }

    /// Until the server is healthy. Each line of its log, and each silence, is the occasion to ask.
    fn wait(&self, log: &Receiver<String>) -> Result<()> {
        let began = Instant::now();
        let mut last: Vec<String> = Vec::new();
        while began.elapsed() < LOADING {
            match log.recv_timeout(SILENCE) {
                Ok(line) => {
                    last.push(line);
                    last.drain(..last.len().saturating_sub(SHOWN));
                }
                Err(RecvTimeoutError::Timeout) if is_healthy(self.address) => return Ok(()),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => bail!("llama-server ended:\n{}", last.join("\n")),
            }
        }
        bail!("llama-server was not ready within {} s:\n{}", LOADING.as_secs(), last.join("\n"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Whether `/health` answers 200; while a model loads it is 503.
fn is_healthy(address: SocketAddr) -> bool {
    let ask = || -> std::io::Result<String> {
        let mut stream = TcpStream::connect_timeout(&address, LOOK)?;
        stream.set_read_timeout(Some(LOOK))?;
        stream.write_all(b"GET /health HTTP/1.0\r\nhost: 127.0.0.1\r\n\r\n")?;
        let mut status = String::new();
        BufReader::new(stream).read_line(&mut status)?;
        Ok(status)
    };
    ask().is_ok_and(|status| status.split(' ').nth(1) == Some("200"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named_with_the_place_that_says_how_to_get_it() {
        let here = std::env::current_exe().unwrap();
        let find = |set: &[(&str, &Path)]| {
            Parts::find(|name| set.iter().find(|(set, _)| *set == name).map(|(_, path)| path.into()))
        };
        let refusal = |set: &[(&str, &Path)]| find(set).unwrap_err().to_string();
        let how = "docs/testing.md, “A real model”, says how to get it";
        assert_eq!(
            refusal(&[("ORION_GGUF", &here), ("PATH", Path::new("/nowhere"))]),
            format!("llama-server is missing: put it on PATH or set ORION_LLAMA_SERVER to it; {how}")
        );
        assert_eq!(
            refusal(&[("ORION_LLAMA_SERVER", &here)]),
            format!("the model is missing: set ORION_GGUF to a GGUF file; {how}")
        );
        assert_eq!(
            refusal(&[("ORION_LLAMA_SERVER", &here), ("ORION_GGUF", Path::new("/nowhere"))]),
            format!("ORION_GGUF is /nowhere, and there is no such file; {how}")
        );
        let parts = Parts { server: here.clone(), model: here.clone(), template: None };
        assert_eq!(find(&[("ORION_LLAMA_SERVER", &here), ("ORION_GGUF", &here)]).unwrap(), parts);
    }

    #[test]
    fn a_server_is_healthy_only_once_it_answers_200() {
        for (status, healthy) in [("200 OK", true), ("503 Service Unavailable", false)] {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            let address = listener.local_addr().unwrap();
            let server = std::thread::spawn(move || {
                let (mut stream, _) = listener.accept().unwrap();
                let mut asked = String::new();
                BufReader::new(&stream).read_line(&mut asked).unwrap();
                stream.write_all(format!("HTTP/1.1 {status}\r\n\r\n").as_bytes()).unwrap();
                asked
            });
            assert_eq!(is_healthy(address), healthy);
            assert_eq!(server.join().unwrap(), "GET /health HTTP/1.0\r\n");
            assert!(!is_healthy(address), "nobody listens any more");
        }
    }
}
