//! A collector that others made takes what Orion sends. `cargo xtask test` installs it.

use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};

use support::{Collector, Does, binary};

use super::{Desk, ran, read};

struct Rotel {
    child: Child,
    output: BufReader<ChildStdout>,
    base: String,
}

impl Rotel {
    /// Started on free ports, and ready.
    fn start() -> Self {
        loop {
            let free = [0, 1].map(|_| TcpListener::bind("127.0.0.1:0").unwrap());
            let [http, grpc] = free.map(|listener| listener.local_addr().unwrap().to_string());
            let mut child = Command::new(program())
                .env_clear()
                .args([
                    "start",
                    "--exporter",
                    "blackhole",
                    "--debug-log",
                    "traces",
                    "--debug-log-verbosity",
                    "detailed",
                ])
                .args(["--otlp-http-endpoint", &http, "--otlp-grpc-endpoint", &grpc])
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let output = BufReader::new(child.stdout.take().unwrap());
            // Where another program took a port in between, this one ends, and the next try has others.
            while child.try_wait().unwrap().is_none() {
                if TcpStream::connect(&http).is_ok() {
                    return Self { child, output, base: format!("http://{http}") };
                }
                std::thread::yield_now();
            }
        }
    }

    /// Reads what it prints up to a line with this text.
    fn until(&mut self, text: &str) -> String {
        let mut printed = String::new();
        while !printed.contains(text) {
            assert!(self.output.read_line(&mut printed).unwrap() > 0, "no {text} in {printed}");
        }
        printed
    }
}

impl Drop for Rotel {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn program() -> PathBuf {
    let orion = binary("orion");
    let found =
        orion.ancestors().map(|folder| folder.join("rotel/rotel/rotel-agent")).find(|path| path.is_file());
    found.expect("the collector rotel is missing below target/: run `cargo xtask test`, which installs it")
}

#[test]
fn a_real_collector_takes_a_trace_in_both_forms() {
    let mut rotel = Rotel::start();
    let (desk, own) = (Desk::new(), Collector::start(Does::Takes));
    let request = read(&desk, &own, &[]);
    for protocol in ["http/protobuf", "http/json"] {
        let mut command = desk.orion(&["trace", &request, "--otlp", &rotel.base]);
        let sent = ran(command.env("OTEL_EXPORTER_OTLP_PROTOCOL", protocol));
        assert_eq!(sent.code, Some(0), "{}", sent.stderr);
        let printed = rotel.until("gen_ai.tool.name");
        assert!(printed.contains(&request.replace('-', "")), "{printed}");
        assert!(printed.contains("invoke_agent orion") && printed.contains("chat scripted"), "{printed}");
    }
}
