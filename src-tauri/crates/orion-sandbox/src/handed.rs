//! The line between the library and the helper's input: a pair of sockets, so that the helper can hand a socket back (C2).
//!
//! Deliberately not here: the words on it (`wire`), and whatever is done with that socket (`network`).

use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::process::Stdio;

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use tokio::io::Interest;
use tokio::net::UnixStream;

/// Both ends: the library's, and the helper's as its standard input.
pub(crate) fn line() -> io::Result<(UnixStream, Stdio)> {
    let (own, of_helper) = std::os::unix::net::UnixStream::pair()?;
    own.set_nonblocking(true)?;
    Ok((UnixStream::from_std(own)?, OwnedFd::from(of_helper).into()))
}

/// The socket that the helper hands over. None where it ended without one.
pub(crate) async fn handed(line: &UnixStream) -> Option<OwnedFd> {
    line.async_io(Interest::READABLE, || take(line)).await.ok().flatten()
}

fn take(line: &UnixStream) -> io::Result<Option<OwnedFd>> {
    let mut byte = [0; 1];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    recvmsg(line, &mut [IoSliceMut::new(&mut byte)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let sockets = control.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(sockets) => Some(sockets),
        _ => None,
    });
    Ok(sockets.flatten().next())
}
