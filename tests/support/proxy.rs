//! A proxy of the system that knows one host: through it what a command is granted to reach is on this computer.
//!
//! Deliberately not here: the proxy of a box, which is Orion's own.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

/// The host that it knows, asked for by a tunnel to its port 80.
pub const PROXIED: &str = "registry.test";

/// The answer of that host to each request.
pub const PROXIED_SAYS: &str = "the packages";

/// Starts one, and has its address as variables name it. It ends with its process.
#[must_use]
pub fn system_proxy() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            if head(&stream).starts_with(&format!("CONNECT {PROXIED}:80 HTTP/1.1\n")) {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
                if head(&stream).starts_with("GET ") {
                    let answer = format!("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{PROXIED_SAYS}");
                    let _ = stream.write_all(answer.as_bytes());
                }
            }
        }
    });
    at
}

/// The lines of a head, to its empty one.
fn head(stream: &TcpStream) -> String {
    let lines = BufReader::new(stream).lines().map_while(Result::ok);
    lines.take_while(|line| !line.is_empty()).map(|line| line + "\n").collect()
}
