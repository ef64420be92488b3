//! The exit codes of the process.

pub(crate) use orion_protocol::Exit;
