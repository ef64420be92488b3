//! The way to Orion's proxy: a socket that listens on the loopback of the box, handed to Orion before the command starts (C2).
//!
//! The box has a network of its own, and a socket belongs to the network in which it was made, whoever has it. So Orion accepts what connects in here,
//! and nothing in here has a socket that leads out. Deliberately not here: the proxy (`network` of the library).

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::AsFd;

use orion_sandbox::wire::PROXY_PORT;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

/// Opens the socket and hands it over. The helper's input is a socket as well, and whoever is at its other end takes it.
pub(crate) fn hand_over() -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, PROXY_PORT))?;
    let sockets = [listener.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&sockets));
    // A socket goes with a byte at least.
    sendmsg(io::stdin(), &[IoSlice::new(b"\n")], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}
