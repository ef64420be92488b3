//! A collector of traces: a real HTTP server that keeps what it gets. Not here: what the bodies say.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

/// What it does with a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    Takes,
    /// Answers with this status, and quotes the headers.
    Refuses(u16),
    /// Reads it, and never answers.
    Hangs,
}

#[derive(Debug)]
pub struct Collector {
    address: SocketAddr,
    got: Receiver<Got>,
}

/// A request that came in.
#[derive(Debug)]
pub struct Got {
    pub path: String,
    /// In lower case, a line each.
    pub head: String,
    pub body: Vec<u8>,
}

impl Collector {
    #[must_use]
    pub fn start(does: Does) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, got) = mpsc::channel();
        // It ends with the process of the test.
        thread::spawn(move || {
            for stream in listener.incoming() {
                let sender = sender.clone();
                thread::spawn(move || serve(stream.unwrap(), does, &sender));
            }
        });
        Self { address, got }
    }

    /// Its base address.
    #[must_use]
    pub fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What came in since it was last asked. An Orion that has ended sends nothing more.
    #[must_use]
    pub fn got(&self) -> Vec<Got> {
        self.got.try_iter().collect()
    }
}

fn serve(stream: TcpStream, does: Does, sender: &Sender<Got>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if !matches!(reader.read_line(&mut head), Ok(1..)) {
                return;
            }
        }
        let path = head.split(' ').nth(1).unwrap().to_owned();
        let lower = head.to_lowercase();
        let length = lower.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        let mut body = vec![0; length.parse().unwrap()];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        if sender.send(Got { path, head: lower, body }).is_err() {
            return;
        }
        let (status, said) = match does {
            Does::Takes => (200, String::new()),
            Does::Refuses(status) => (status, head),
            // Until the other side gives up.
            Does::Hangs => return drop(reader.read(&mut [0])),
        };
        let answer = format!("HTTP/1.1 {status} So\r\ncontent-length: {}\r\n\r\n{said}", said.len());
        if stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}
