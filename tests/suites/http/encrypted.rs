//! A server with TLS of its own (H1).

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use reqwest::{Certificate, Client};
use support::{Folder, Script};

use super::{Bed, command};

#[tokio::test]
async fn a_server_with_a_certificate_is_reached_with_it_alone_and_may_listen_beyond_this_computer() {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let files = Folder::with([("cert.pem", cert.pem()), ("key.pem", signing_key.serialize_pem())]);
    let path = |name: &str| files.path().join(name).display().to_string();
    let (certificate, key) = (path("cert.pem"), path("key.pem"));
    let flags = ["--tls-cert", &certificate, "--tls-key", &key];
    let model = Script::new().start();
    let mut bed = Bed::with(&model, &flags);
    let port = bed.address.rsplit_once(':').unwrap().1.to_owned();
    assert!(bed.address.starts_with("https://127.0.0.1:"), "{}", bed.address);
    // Without the certificate, and without TLS, nobody is answered.
    bed.address = format!("https://localhost:{port}");
    assert!(bed.ask(reqwest::Method::GET, "/api/v1/projects").send().await.is_err());
    assert!(bed.client.get(format!("http://localhost:{port}/api/v1/projects")).send().await.is_err());
    let root = Certificate::from_pem(cert.pem().as_bytes()).unwrap();
    bed.client = Client::builder().no_proxy().tls_certs_only([root]).build().unwrap();
    assert_eq!(bed.get("/api/v1/projects").await["projects"].as_array().map(Vec::len), Some(1));
    let folder = bed.project.path().display().to_string();
    let beyond = [&flags[..], &["--listen", "0.0.0.0:0", "--project", &folder]].concat();
    let mut server = command(&bed.home, &beyond).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("Listening on https://0.0.0.0:"), "{line}");
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn a_certificate_without_its_key_or_one_that_is_none_is_refused_with_the_flag() {
    let home = Folder::with([("none.pem", "no certificate")]);
    let none = home.path().join("none.pem").display().to_string();
    for (flags, said) in
        [(&["--tls-cert", &none][..], "--tls-key"), (&["--tls-cert", &none, "--tls-key", &none], "--tls-")]
    {
        let output = command(&home, flags).output().unwrap();
        assert!(!output.status.success());
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains(said), "{stderr}");
    }
}
