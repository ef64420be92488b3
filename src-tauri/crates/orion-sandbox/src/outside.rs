//! A command on systems without a sandbox: a group of processes on macOS, a job object on Windows, and everything in it ends with it (C5).
//!
//! Deliberately not here: bounds on memory and processes, which only the helper keeps, on Linux.

use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use orion_protocol::{CommandEnd, CommandNetwork};
use process_wrap::tokio::{ChildWrapper, CommandWrap};
use tokio::io::AsyncReadExt;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::environment::environment;
use crate::places::{Order, Program, Ran, real, within};

/// Bytes of output that are read at once.
const PIECE: usize = 64 * 1024;

/// The time for which output is waited for when everything has ended.
const DRAINED: Duration = Duration::from_millis(300);

/// The group, which ends when this is dropped.
struct Group(Box<dyn ChildWrapper>);

impl Drop for Group {
    fn drop(&mut self) {
        let _ = self.0.start_kill();
    }
}

pub(crate) async fn run(
    project: &Path,
    order: &Order,
    mut output: impl FnMut(&[u8]) + Send,
    stop: CancellationToken,
) -> Ran {
    let began = Instant::now();
    let mut ran = Ran {
        ended: CommandEnd::Unknown,
        why: None,
        duration: Duration::ZERO,
        bytes: 0,
        left_running: Vec::new(),
        remaining: Vec::new(),
        ports: Vec::new(),
        network: CommandNetwork::default(),
    };
    let started = std::io::pipe().and_then(|(reader, writer)| Ok((start(project, order, writer)?, reader)));
    let (mut group, reader) = match started {
        Ok((child, reader)) => (Group(child), reader),
        Err(error) => return Ran::not_started(format!("The command cannot be started: {error}")),
    };
    let mut reader = match pipe(reader) {
        Ok(reader) => Some(reader),
        Err(error) => return Ran::not_started(format!("The command cannot be read: {error}")),
    };
    let mut piece = vec![0; PIECE];
    let limit = sleep(order.limits.time);
    let drained = sleep(Duration::ZERO);
    tokio::pin!(limit, drained);
    let mut ended = None;
    while ended.is_none() || reader.is_some() {
        let read = async {
            match &mut reader {
                Some(reader) => reader.read(&mut piece).await.unwrap_or(0),
                None => std::future::pending().await,
            }
        };
        let end = tokio::select! {
            read = read => {
                if read == 0 {
                    reader = None;
                    continue;
                }
                let left = usize::try_from(order.limits.output_bytes.saturating_sub(ran.bytes)).unwrap_or(read);
                output(&piece[..left.min(read)]);
                ran.bytes += read as u64;
                if ran.bytes <= order.limits.output_bytes {
                    continue;
                }
                CommandEnd::Flood
            }
            status = group.0.wait(), if ended.is_none() => {
                status.map_or(CommandEnd::Unknown, end)
            }
            () = stop.cancelled(), if ended.is_none() => CommandEnd::Stopped,
            () = &mut limit, if ended.is_none() => CommandEnd::TimedOut,
            () = &mut drained, if ended.is_some() => break,
        };
        if ended.is_none() {
            // Also those that the command left running.
            let _ = group.0.start_kill();
            ended = Some(end);
            drained.as_mut().reset(tokio::time::Instant::now() + DRAINED);
        } else {
            break;
        }
    }
    ran.ended = ended.unwrap_or(CommandEnd::Unknown);
    ran.duration = began.elapsed();
    ran
}

fn start(project: &Path, order: &Order, writer: io::PipeWriter) -> io::Result<Box<dyn ChildWrapper>> {
    let (program, arguments): (&str, Vec<&str>) = match &order.program {
        Program::Line(_) if cfg!(windows) => ("cmd", vec!["/D", "/S", "/C"]),
        Program::Line(line) => ("/bin/bash", vec!["--noprofile", "--norc", "-c", line]),
        Program::Argv(words) => match words.split_first() {
            Some((program, arguments)) => (program, arguments.iter().map(String::as_str).collect()),
            None => return Err(io::Error::other("there is no program to run")),
        },
    };
    let cwd = real(project).and_then(|project| within(&project, &order.cwd)).map_err(io::Error::other)?;
    // That path begins with `\\?\` on Windows, and `cmd` starts in no such folder.
    let cwd = if cfg!(windows) { project.join(&order.cwd) } else { cwd };
    let home = std::env::home_dir().unwrap_or_default();
    let own = environment(std::env::vars_os(), &order.env, &home, &|_| true);
    let errors = writer.try_clone()?;
    let mut command = CommandWrap::with_new(program, |command| {
        command.args(arguments).env_clear().envs(own).current_dir(cwd);
        // By `/S`, `cmd` takes away the first quote and the last, and leaves the line as it is: it knows no other escapes.
        #[cfg(windows)]
        if let Program::Line(line) = &order.program {
            command.raw_arg(format!("\"{line}\""));
        }
        command.stdin(Stdio::null()).stdout(writer).stderr(errors);
    });
    #[cfg(unix)]
    command.wrap(process_wrap::tokio::ProcessGroup::leader());
    #[cfg(windows)]
    command.wrap(process_wrap::tokio::JobObject);
    command.spawn()
}

#[cfg(unix)]
fn pipe(reader: io::PipeReader) -> io::Result<impl tokio::io::AsyncRead + Unpin> {
    tokio::net::unix::pipe::Receiver::from_owned_fd(reader.into())
}

/// Read by a thread of the runtime's own: an anonymous pipe cannot be waited for there.
#[cfg(windows)]
fn pipe(reader: io::PipeReader) -> io::Result<impl tokio::io::AsyncRead + Unpin> {
    let handle: std::os::windows::io::OwnedHandle = reader.into();
    Ok(tokio::fs::File::from_std(handle.into()))
}

fn end(status: std::process::ExitStatus) -> CommandEnd {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return CommandEnd::Signalled { signal };
    }
    status.code().map_or(CommandEnd::Unknown, |code| CommandEnd::Exited { code })
}
