//! Granted hosts (C2, C4): what goes through the proxy of a box, and attempts to reach anything else by it. None may succeed.
//!
//! The hosts are servers of the test itself on this computer, found by names that the test answers for; 127.0.0.1 counts as public here, and no other
//! address does that is not. Deliberately not here: attempts without a proxy (`escapes`), and whole builds (`fetching`).

use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use orion_protocol::{CommandEnd, CommandNetwork, HostUse};
use orion_sandbox::{Host, Internet, Order, Ran};

use crate::common::Tried;

/// A server that answers each request with its name and keeps what it was sent.
pub(crate) struct Server {
    pub(crate) port: u16,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// One at this address that answers each request with this text, and then closes.
    pub(crate) fn at(address: &str, answer: &'static str) -> Self {
        Self::answering(address, move |_| {
            let length = answer.len();
            format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{answer}")
                .into_bytes()
        })
    }

    /// One whose answers follow from the heads of requests.
    pub(crate) fn answering(address: &str, answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((address, 0)).unwrap();
        let (port, heard) = (listener.local_addr().unwrap().port(), Arc::new(Mutex::new(Vec::new())));
        let (answer, hears) = (Arc::new(answer), heard.clone());
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let (answer, hears) = (answer.clone(), hears.clone());
                thread::spawn(move || {
                    let head = head(&mut stream);
                    let at = hears.lock().map(|mut heard| {
                        heard.push(head.clone());
                        heard.len() - 1
                    });
                    let _ = stream.write_all(&answer(&head));
                    let _ = stream.shutdown(std::net::Shutdown::Write);
                    // Whatever follows the head belongs to what was heard, too.
                    let mut rest = Vec::new();
                    let _ = stream.read_to_end(&mut rest);
                    hears.lock().unwrap()[at.unwrap()].push_str(&String::from_utf8_lossy(&rest));
                });
            }
        });
        Self { port, heard }
    }

    /// All that came, a text for each connection.
    pub(crate) fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}

/// The head of a request, or as much as came.
fn head(stream: &mut TcpStream) -> String {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read == 1) {
        head.push(byte[0]);
    }
    String::from_utf8_lossy(&head).into_owned()
}

const HERE: [u8; 4] = [127, 0, 0, 1];

/// A network in which each name ending in `.test` is at 127.0.0.1, but for these, whatever port they are asked for on.
pub(crate) fn internet(others: &'static [(&'static str, [u8; 4])]) -> Internet {
    Internet {
        names: Arc::new(move |name, port| {
            let other = others.iter().find(|(other, _)| *other == name).map(|(_, address)| *address);
            let address = other.or(name.ends_with(".test").then_some(HERE));
            address.map(|address| SocketAddr::from((address, port))).into_iter().collect()
        }),
        public: vec![IpAddr::from(HERE)],
        proxy: None,
        most: (2 << 30, 64 << 20),
    }
}

pub(crate) fn granted(order: Order, hosts: &[&str]) -> Order {
    Order { hosts: hosts.iter().map(|host| Host::parse(host).unwrap()).collect(), ..order }
}

/// Runs a line that may reach these hosts.
async fn ran(tried: &Tried, line: &str, hosts: &[&str]) -> (Ran, String) {
    tried.run(tried.in_box(), granted(tried.order(line), hosts)).await
}

fn used(host: &str, connections: u32, failed: Option<&str>) -> HostUse {
    HostUse {
        host: host.to_owned(),
        connections,
        bytes_in: 0,
        bytes_out: 0,
        failed: failed.map(str::to_owned),
    }
}

/// The hosts without their bytes.
fn hosts(network: &CommandNetwork) -> Vec<HostUse> {
    network.hosts.iter().map(|host| HostUse { bytes_in: 0, bytes_out: 0, ..host.clone() }).collect()
}

#[tokio::test]
async fn a_granted_host_is_reached_by_a_tunnel_and_by_plain_http_and_its_bytes_are_counted() {
    let (server, tried) = (Server::at("127.0.0.1", "hello\n"), Tried::in_network(internet(&[])).await);
    let host = format!("registry.test:{}", server.port);
    for how in ["", "--proxytunnel"] {
        let line = format!("curl -sS {how} -d 12345 http://Registry.TEST.:{}/a?b", server.port);
        let (ran, output) = ran(&tried, &line, &["other.test", &host]).await;
        assert_eq!((ran.ended, output.as_str()), (CommandEnd::Exited { code: 0 }, "hello\n"), "{how}");
        let HostUse { bytes_in, bytes_out, .. } = ran.network.hosts[0];
        let heard = server.heard().pop().unwrap();
        assert!(heard.starts_with("POST /a?b HTTP/1.1\r\n"), "{heard}");
        assert!(heard.contains("\r\nHost: ") && heard.ends_with("\r\n\r\n12345"), "{heard}");
        assert_eq!(bytes_out, heard.len() as u64);
        assert_eq!(
            bytes_in,
            "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nhello\n".len() as u64
        );
        assert_eq!(hosts(&ran.network), [used(&host, 1, None)]);
        assert_eq!((ran.network.refused, ran.network.cut, ran.ports), (Vec::new(), false, Vec::new()));
    }
}

// By its code 77 curl says that it has no certificates to check a server with, and by 35 that the server speaks no TLS.
#[tokio::test]
async fn a_program_in_the_box_has_the_certificates_of_the_system() {
    let tried = Tried::in_network(internet(&[])).await;
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let host = format!("registry.test:{}", listener.local_addr().unwrap().port());
    // Nobody waits for its end, which is that of the other side.
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"no TLS\r\n\r\n").unwrap();
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let (_, output) = ran(&tried, &format!("curl -s https://{host}/; echo $?"), &[&host]).await;
    assert_eq!(output, "35\n");
}

#[tokio::test]
async fn python_finds_the_proxy_by_itself() {
    let (server, tried) = (Server::at("127.0.0.1", "hello"), Tried::in_network(internet(&[])).await);
    let host = format!("registry.test:{}", server.port);
    let line = format!(
        "python3 -c 'import urllib.request as r; print(r.urlopen(\"http://{host}/\").read().decode())'"
    );
    let (ran, output) = ran(&tried, &line, &[&host]).await;
    assert_eq!((ran.ended, output.as_str()), (CommandEnd::Exited { code: 0 }, "hello\n"));
    assert_eq!(hosts(&ran.network), [used(&host, 1, None)]);
}

// C2: without a grant nothing is reached, and it is known what was asked for.
#[tokio::test]
async fn hosts_that_nobody_granted_are_refused_and_named() {
    let (server, tried) = (Server::at("127.0.0.1", "no"), Tried::in_network(internet(&[])).await);
    let port = server.port;
    let line = format!(
        "curl -sS -o /dev/null https://index.test/config.json
curl -sS http://Index.test./
curl -sS -w '%{{http_code}}' http://registry.test:{port}/
curl -sS http://127.0.0.1.test:80/
for n in {{1..40}}; do curl -s -o /dev/null http://h$n.many.test/; done; exit 0"
    );
    let (ran, output) = ran(&tried, &line, &[]).await;
    assert!(output.contains("CONNECT tunnel failed, response 403"), "{output}");
    assert!(
        output.contains("registry.test is not among the hosts that this command may reach.\n403"),
        "{output}"
    );
    let refused = &ran.network.refused;
    assert_eq!(refused.len(), CommandNetwork::REFUSED);
    for host in ["index.test", "127.0.0.1.test", &format!("registry.test:{port}"), "h1.many.test"] {
        assert!(refused.iter().any(|other| other == host), "{host}: {refused:?}");
    }
    assert_eq!((hosts(&ran.network), server.heard()), (Vec::new(), Vec::new()));
}

/// Raw requests to the proxy, each a connection. None may be answered with 200 or reach a server. PORT is one on which a server of the test listens at
/// 127.0.0.1, 127.0.0.2 and ::1; `registry.test:PORT` and `registry.test` are granted, and `second.test:PORT`.
const ATTEMPTS: &[&str] = &[
    // Other hosts and ports.
    "CONNECT other.test:PORT HTTP/1.1\r\n\r\n",
    "CONNECT registry.test:22 HTTP/1.1\r\n\r\n",
    "CONNECT a.registry.test:PORT HTTP/1.1\r\n\r\n",
    "CONNECT test:PORT HTTP/1.1\r\n\r\n",
    "CONNECT registry.test.evil.test:PORT HTTP/1.1\r\n\r\n",
    "GET http://other.test:PORT/ HTTP/1.1\r\nHost: other.test:PORT\r\n\r\n",
    "GET http://registry.test:8081/ HTTP/1.1\r\n\r\n",
    // Addresses and this computer.
    "CONNECT 127.0.0.1:PORT HTTP/1.1\r\n\r\n",
    "CONNECT 127.1:PORT HTTP/1.1\r\n\r\n",
    "CONNECT 0x7f000001:PORT HTTP/1.1\r\n\r\n",
    "CONNECT 2130706433:PORT HTTP/1.1\r\n\r\n",
    "CONNECT 0177.0.0.1:PORT HTTP/1.1\r\n\r\n",
    "CONNECT [::1]:PORT HTTP/1.1\r\n\r\n",
    "CONNECT [::ffff:127.0.0.1]:PORT HTTP/1.1\r\n\r\n",
    "CONNECT ::1:PORT HTTP/1.1\r\n\r\n",
    "CONNECT localhost:PORT HTTP/1.1\r\n\r\n",
    "CONNECT localhost.:PORT HTTP/1.1\r\n\r\n",
    "GET http://127.0.0.1:PORT/ HTTP/1.1\r\n\r\n",
    "GET http://[::1]:PORT/ HTTP/1.1\r\n\r\n",
    "GET http://0:PORT/ HTTP/1.1\r\n\r\n",
    // A granted name that leads into the person's own network.
    "CONNECT private.test:PORT HTTP/1.1\r\n\r\n",
    "CONNECT cloud.test:80 HTTP/1.1\r\n\r\n",
    "GET http://private.test:PORT/ HTTP/1.1\r\n\r\n",
    "CONNECT nowhere.example:PORT HTTP/1.1\r\n\r\n",
    // Odd authorities.
    "CONNECT registry.test HTTP/1.1\r\n\r\n",
    "CONNECT registry.test: HTTP/1.1\r\n\r\n",
    "CONNECT registry.test:0 HTTP/1.1\r\n\r\n",
    "CONNECT registry.test:+PORT HTTP/1.1\r\n\r\n",
    "CONNECT registry.test:PORT:PORT HTTP/1.1\r\n\r\n",
    "CONNECT registry.test:PORT@other.test:PORT HTTP/1.1\r\n\r\n",
    "CONNECT other.test@registry.test:PORT HTTP/1.1\r\n\r\n",
    "CONNECT registry.test\0.other.test:PORT HTTP/1.1\r\n\r\n",
    "CONNECT registry.test :PORT HTTP/1.1\r\n\r\n",
    "CONNECT registry.test\t:PORT HTTP/1.1\r\n\r\n",
    "CONNECT  registry.test:PORT HTTP/1.1\r\n\r\n",
    "CONNECT registry.test..:PORT HTTP/1.1\r\n\r\n",
    "CONNECT registry。test:PORT HTTP/1.1\r\n\r\n",
    "CONNECT registry.test%00:PORT HTTP/1.1\r\n\r\n",
    "CONNECT http://registry.test:PORT/ HTTP/1.1\r\n\r\n",
    "CONNECT registry.test:PORT/ HTTP/1.1\r\n\r\n",
    "GET http://other.test@registry.test:PORT/ HTTP/1.1\r\n\r\n",
    "GET http://registry.test:PORT@other.test:PORT/ HTTP/1.1\r\n\r\n",
    "GET http://registry.test:PORT\\@other.test:PORT/ HTTP/1.1\r\n\r\n",
    "GET http:///registry.test:PORT/ HTTP/1.1\r\n\r\n",
    "GET http:registry.test:PORT/ HTTP/1.1\r\n\r\n",
    "GET https://registry.test:PORT/ HTTP/1.1\r\n\r\n",
    "GET ftp://registry.test:PORT/ HTTP/1.1\r\n\r\n",
    "GET file:///etc/passwd HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: registry.test:PORT\r\n\r\n",
    "GET * HTTP/1.1\r\nHost: registry.test:PORT\r\n\r\n",
    "GET http://registry.test:PORT/#a HTTP/1.1\r\n\r\n",
    "TRACE http://registry.test:PORT/ HTTP/1.1\r\nMax-Forwards: 0\r\n\r\n",
    // A header with another host, or two.
    "GET http://registry.test:PORT/ HTTP/1.1\r\nHost: other.test\r\n\r\n",
    "GET http://registry.test:PORT/ HTTP/1.1\r\nHost: second.test:PORT\r\n\r\n",
    "GET http://registry.test:PORT/ HTTP/1.1\r\nHost: registry.test:PORT\r\nHost: other.test\r\n\r\n",
    "GET http://registry.test:PORT/ HTTP/1.1\r\nHost: registry.test:PORT\r\nhOST: registry.test:PORT\r\n\r\n",
    "GET http://registry.test:PORT/ HTTP/1.1\r\nHost : other.test\r\n\r\n",
    "GET http://registry.test:PORT/ HTTP/1.1\r\nA: b\r\n Host: other.test\r\n\r\n",
    // A body with two ends.
    "POST http://registry.test:PORT/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST http://registry.test:PORT/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST http://registry.test:PORT/ HTTP/1.1\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    "POST http://registry.test:PORT/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "POST http://registry.test:PORT/ HTTP/1.1\r\nContent-Length: 1, 2\r\n\r\nab",
    "POST http://registry.test:PORT/ HTTP/1.1\r\nContent-Length: +1\r\n\r\na",
    "POST http://registry.test:PORT/ HTTP/1.1\r\nContent-Length: -1\r\n\r\na",
    "POST http://registry.test:PORT/ HTTP/1.1\r\nContent-Length: 0x1\r\n\r\na",
    // No request, or none that ends.
    "GET http://registry.test:PORT/ HTTP/1.1\n\n",
    "GET http://registry.test:PORT/\r\n\r\n",
    "GET http://registry.test:PORT/ HTTP/3.0\r\n\r\n",
    "\x16\x03\x01\x02\x00\x01\x00\x01\r\n\r\n",
    "\x05\x01\x00\r\n\r\n",
    "\r\n\r\n",
    "LONG",
];

const ATTEMPTING: &str = r#"
import json, socket
for request in json.load(open('attempts.json')):
    s = socket.create_connection(('127.0.0.1', 3128))
    s.settimeout(20)
    said = b''
    try:
        s.sendall(request.encode('latin-1', 'replace') if request.isascii() else request.encode())
        s.shutdown(socket.SHUT_WR)
        while piece := s.recv(4096): said += piece
    except OSError: pass
    if not said.startswith((b'HTTP/1.1 4', b'HTTP/1.1 502')): print(repr(request), said)
print('tried')
"#;

#[tokio::test]
async fn no_request_gets_to_what_was_not_granted() {
    let server = Server::at("127.0.0.1", "reached");
    let private = TcpListener::bind(("127.0.0.2", server.port)).unwrap();
    let six = TcpListener::bind(("::1", server.port)).unwrap();
    for listener in [&private, &six] {
        listener.set_nonblocking(true).unwrap();
    }
    let others = &[("private.test", [127, 0, 0, 2]), ("cloud.test", [127, 0, 0, 3])];
    let tried = Tried::in_network(internet(others)).await;
    let port = server.port.to_string();
    let attempts: Vec<String> = ATTEMPTS
        .iter()
        .map(|attempt| match *attempt {
            "LONG" => {
                format!("GET http://registry.test:{port}/ HTTP/1.1\r\nA: {}\r\n\r\n", "a".repeat(17_000))
            }
            attempt => attempt.replace("PORT", &port),
        })
        .collect();
    std::fs::write(tried.project().join("attempts.json"), serde_json::to_vec(&attempts).unwrap()).unwrap();
    std::fs::write(tried.project().join("attempt.py"), ATTEMPTING).unwrap();
    let names = ["registry.test", "private.test", "second.test"].map(|name| format!("{name}:{port}"));
    let hosts: Vec<&str> = names.iter().map(String::as_str).chain(["registry.test", "cloud.test"]).collect();
    let (ran, output) = ran(&tried, "python3 attempt.py", &hosts).await;
    assert_eq!((ran.ended, output.as_str()), (CommandEnd::Exited { code: 0 }, "tried\n"));
    assert_eq!(server.heard(), Vec::<String>::new());
    assert!(private.accept().is_err() && six.accept().is_err(), "a private address was reached");
    let not_public = Some("leads to an address that is not of the public internet");
    let found = self::hosts(&ran.network);
    assert_eq!(found, [used("cloud.test", 0, not_public), used(&names[1], 0, not_public)]);
}

// The address that was checked is the one that is connected to.
#[tokio::test]
async fn a_name_that_leads_elsewhere_a_moment_later_gains_nothing() {
    let server = Server::at("127.0.0.1", "public\n");
    let private = TcpListener::bind(("127.0.0.2", server.port)).unwrap();
    private.set_nonblocking(true).unwrap();
    let asked = Arc::new(AtomicUsize::new(0));
    let counts = asked.clone();
    let names = move |_: &str, port: u16| {
        let others = [[127, 0, 0, 2], [127, 0, 0, 3], [127, 0, 0, 4]].map(|it| SocketAddr::from((it, port)));
        match counts.fetch_add(1, Ordering::SeqCst) {
            0 => vec![SocketAddr::from((HERE, port))],
            1 => [others[0], SocketAddr::from((HERE, port)), others[1]].into(),
            _ => others.into(),
        }
    };
    let tried = Tried::in_network(Internet { names: Arc::new(names), ..internet(&[]) }).await;
    let host = format!("rebinding.test:{}", server.port);
    let (ran, output) =
        ran(&tried, &format!("for n in 1 2 3; do curl -s http://{host}/; done"), &[&host]).await;
    assert_eq!(
        output,
        format!("public\npublic\nrebinding.test leads to an address that is not of the public internet.\n")
    );
    assert_eq!(asked.load(Ordering::SeqCst), 3, "a name is looked up once for each connection");
    assert!(private.accept().is_err(), "a private address was reached");
    assert_eq!(ran.network.hosts[0].connections, 2);
}

// Requests in the body or after the end of another one.
#[tokio::test]
async fn a_request_that_hides_in_another_is_passed_on_as_its_body_or_not_at_all() {
    let (server, tried) = (Server::at("127.0.0.1", "once"), Tried::in_network(internet(&[])).await);
    let host = format!("registry.test:{}", server.port);
    let hidden =
        format!("GET http://second.test:{0}/hidden HTTP/1.1\r\nHost: second.test:{0}\r\n\r\n", server.port);
    let length = hidden.len();
    let requests = [
        format!("GET http://{host}/ HTTP/1.1\r\nConnection: Content-Length, X-A\r\nX-A: b\r\n\r\n{hidden}"),
        format!(
            "POST http://{host}/ HTTP/1.1\r\nConnection: Content-Length\r\nContent-Length: {length}\r\n\r\n{hidden}{hidden}"
        ),
    ];
    std::fs::write(tried.project().join("attempts.json"), serde_json::to_vec(&requests).unwrap()).unwrap();
    std::fs::write(tried.project().join("attempt.py"), ATTEMPTING).unwrap();
    let (_, output) = ran(&tried, "python3 attempt.py | grep -o once", &[&host, "second.test"]).await;
    assert_eq!(output, "once\nonce\n");
    let whole =
        |head: &str, body: &str| format!("{head} / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{body}");
    let heard = server.heard();
    assert_eq!(
        heard,
        [whole("GET", "\r\n"), whole("POST", &format!("Content-Length: {length}\r\n\r\n{hidden}"))]
    );
}

// C4
#[tokio::test]
async fn bytes_and_connections_are_bounded() {
    let most = (1 << 20, 1 << 10);
    let tried = Tried::in_network(Internet { most, ..internet(&[]) }).await;
    let server = Server::answering("127.0.0.1", |_| {
        [b"HTTP/1.1 200 OK\r\n\r\n".as_slice(), &vec![b'x'; 2 << 20]].concat()
    });
    let host = format!("registry.test:{}", server.port);
    for (line, way) in [
        (format!("curl -s http://{host}/ | wc -c; curl -s http://{host}/"), "received"),
        (
            format!(
                "head -c 5000 /dev/zero | curl -s -m 20 --data-binary @- http://{host}/ | wc -c; curl -s http://{host}/"
            ),
            "sent",
        ),
    ] {
        let (ran, output) = ran(&tried, &line, &[&host]).await;
        let (bytes, said) = output.split_once('\n').unwrap();
        assert!(bytes.parse::<u64>().unwrap() <= most.0, "{way}: {bytes}");
        assert_eq!(said, "This command has received or sent the most bytes that a command may.\n", "{way}");
        let used = &ran.network.hosts[0];
        assert!(ran.network.cut && used.bytes_in <= most.0 && used.bytes_out <= most.1, "{way}: {used:?}");
    }
    // 65 connections: the last one waits until another ends.
    let many = "import socket
all = [socket.create_connection(('127.0.0.1', 3128)) for n in range(65)]
for s in all: s.sendall(b'GET / HTTP/1.1\\r\\n')
all[64].settimeout(0.3); all[64].sendall(b'\\r\\n')
try: print('served', all[64].recv(9))
except TimeoutError: print('waits')
all[0].sendall(b'\\r\\n'); all[64].settimeout(20); print(all[0].recv(12).decode(), all[64].recv(12).decode())";
    std::fs::write(tried.project().join("many.py"), many).unwrap();
    let (_, output) = ran(&tried, "python3 many.py", &[]).await;
    assert_eq!(output, "waits\nHTTP/1.1 400 HTTP/1.1 400\n");
}

// The system's own proxy looks names up.
#[tokio::test]
async fn where_the_system_has_a_proxy_connections_go_through_it() {
    let proxy = Server::answering("127.0.0.1", |head| match head {
        head if head.starts_with("CONNECT refused.test:443 ") => b"HTTP/1.1 407 No\r\n\r\n".to_vec(),
        head if head.starts_with("CONNECT ") => {
            b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\ntunnel".to_vec()
        }
        _ => b"HTTP/1.1 200 OK\r\n\r\nplain".to_vec(),
    });
    let by = Some(format!("http://ada:secret@127.0.0.1:{}", proxy.port));
    let none = Arc::new(|_: &str, _: u16| panic!("the proxy looks names up"));
    let tried =
        Tried::in_network(Internet { names: none, public: Vec::new(), proxy: by, ..internet(&[]) }).await;
    let line = "curl -s http://plain.test/a; curl -s -p http://tunnel.test:443/b; curl -s -p http://refused.test:443/; curl -s http://127.0.0.1.nip.test/; exit 0";
    let (ran, output) = ran(&tried, line, &["plain.test", "tunnel.test", "refused.test"]).await;
    assert_eq!(output, "plaintunnel127.0.0.1.nip.test is not among the hosts that this command may reach.\n");
    let refused = Some("could not be reached: the proxy of this system answered 407");
    let expected =
        [used("plain.test", 1, None), used("refused.test", 0, refused), used("tunnel.test", 1, None)];
    assert_eq!(hosts(&ran.network), expected);
    let heard = proxy.heard();
    assert_eq!(heard.len(), 3);
    for head in &heard {
        assert!(head.contains("\r\nProxy-Authorization: Basic YWRhOnNlY3JldA==\r\n"), "{head}");
    }
    assert!(heard[0].starts_with("GET http://plain.test/a HTTP/1.1\r\nHost: plain.test\r\n"), "{}", heard[0]);
    assert!(
        heard[1].starts_with("CONNECT tunnel.test:443 HTTP/1.1\r\nHost: tunnel.test:443\r\n"),
        "{}",
        heard[1]
    );
    // The proof is the proxy's alone.
    assert!(!heard[1].split_once("\r\n\r\n").unwrap().1.contains("Proxy-Authorization"), "{}", heard[1]);
}

// Nothing in the box leads to the proxy's own side, and the socket is gone with the run.
#[tokio::test]
async fn the_box_has_the_listening_socket_alone_and_no_other_way() {
    let (server, tried) = (Server::at("127.0.0.1", "no"), Tried::in_network(internet(&[])).await);
    let port = server.port;
    let line = format!(
        "import os, socket, struct
def way(name, attempt):
    try: attempt()
    except OSError: return
    print('reached', name)
tcp = lambda *to: socket.create_connection(to, 2)
way('the server', lambda: tcp('127.0.0.1', {port}))
way('the internet', lambda: tcp('192.0.2.1', 443))
way('a name', lambda: socket.getaddrinfo('registry.test', 80))
def dns(kind, to):
    s = socket.socket(socket.AF_INET, kind); s.settimeout(2); s.connect((to, 53))
    query = struct.pack('>HHHHHH', 1, 256, 1, 0, 0, 0) + b'\\x08registry\\x04test\\0\\0\\1\\0\\1'
    s.send(query); s.recv(1)
for to in ['127.0.0.53', '192.0.2.1', '127.0.0.1']:
    way('a name server by UDP', lambda: dns(socket.SOCK_DGRAM, to))
    way('a name server by TCP', lambda: dns(socket.SOCK_STREAM, to))
way('raw', lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
way('packets', lambda: socket.socket(17, socket.SOCK_RAW, 0))
way('its port, bound again', lambda: socket.socket().bind(('127.0.0.1', 3128)))
way('the input of the helper', lambda: os.open('/proc/1/fd/0', os.O_RDWR))
print(sorted(os.listdir('/proc/self/fd'))[:3], [name for name in os.listdir('/run')])"
    );
    std::fs::write(tried.project().join("ways.py"), line).unwrap();
    let (ran, output) = ran(&tried, "python3 ways.py; sleep 60 & exit 0", &["registry.test"]).await;
    assert_eq!(output, "['0', '1', '2'] ['orion-sandbox']\n");
    assert_eq!(
        (ran.left_running, ran.ports),
        (vec!["sleep".to_owned()], Vec::new()),
        "the port is the box's own"
    );
    assert_eq!(server.heard(), Vec::<String>::new());
}
