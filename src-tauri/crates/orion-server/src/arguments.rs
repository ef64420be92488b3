//! The arguments of the program.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Parser;

/// Serves turns over HTTP, to programs of this computer.
#[derive(Debug, Parser)]
#[command(name = "orion serve", version)]
pub(crate) struct Arguments {
    /// Address and port to listen on; port 0 takes a free one and prints it
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:6746")]
    pub(crate) listen: SocketAddr,
    /// Listen on this socket instead, which your user alone can open
    #[arg(long, value_name = "PATH", conflicts_with = "listen")]
    pub(crate) socket: Option<PathBuf>,
    /// A folder that turns may be about; can be given several times [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Vec<PathBuf>,
    /// A web origin that may call, such as http://localhost:5173; can be given several times
    #[arg(long, value_name = "URL")]
    pub(crate) allow_origin: Vec<String>,
    /// A further name that this server is reached by; can be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) allow_host: Vec<String>,
    /// Answer questions, and change nothing
    #[arg(long)]
    pub(crate) read_only: bool,
    /// The certificate, with its chain, to encrypt with: a PEM file
    #[arg(long, value_name = "FILE", requires = "tls_key", conflicts_with = "socket")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The key of the certificate: a PEM file
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// A proxy in front of it has TLS, so it may listen beyond this computer
    #[arg(long)]
    pub(crate) behind_proxy: bool,
    /// Print the token that callers need, and end
    #[arg(long)]
    pub(crate) print_token: bool,
    /// With --print-token: the token that reads only
    #[arg(long, requires = "print_token")]
    pub(crate) reading: bool,
    /// The folder for sessions [default: the platform's own]
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}
