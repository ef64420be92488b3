//! Cold builds with packages from a granted host, and again with no host at all (C2). The registry is a server of the test.
//!
//! Deliberately not here: builds whose packages are in the home already (`builds`), and attempts on the proxy (`network`).

use std::collections::BTreeMap;
use std::fs;
use std::sync::{Arc, Mutex};

use orion_protocol::CommandEnd;
use orion_sandbox::{Layout, Limits, Order, Place, Ran, toolchains};

use crate::builds::{CARGO, Files, NPM, put};
use crate::common::Tried;
use crate::network::{Server, granted, internet};

/// A registry, and a project whose packages it has.
struct Fetching {
    tried: Tried,
    place: Place,
    /// The registry's host, as it is granted.
    host: String,
    served: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
    server: Server,
}

impl Fetching {
    async fn of(files: &Files) -> Self {
        let served: Arc<Mutex<BTreeMap<String, Vec<u8>>>> = Arc::default();
        let serves = served.clone();
        let server = Server::answering("127.0.0.1", move |head| {
            let path = head.split(' ').nth(1).unwrap_or_default();
            let found = serves.lock().unwrap().get(path).cloned();
            let status = if found.is_some() { "200 OK" } else { "404 Not Found" };
            let body = found.unwrap_or_default();
            let head =
                format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            [head.as_bytes(), &body].concat()
        });
        let tried = Tried::in_network(internet(&[])).await;
        put(tried.project(), files);
        let home = std::env::home_dir().unwrap();
        let also_readable = toolchains(&std::env::var_os("PATH").unwrap(), &home);
        let place = Place::Box(Layout { also_readable, ..tried.layout.clone() });
        let host = format!("registry.test:{}", server.port);
        Self { tried, place, host, served, server }
    }

    fn serve(&self, path: &str, body: impl Into<Vec<u8>>) {
        self.served.lock().unwrap().insert(path.to_owned(), body.into());
    }

    /// A file of the project.
    fn file(&self, path: &str) -> Vec<u8> {
        fs::read(self.tried.project().join(path)).unwrap()
    }

    async fn run(&self, line: &str, hosts: &[&str]) -> (Ran, String) {
        let order = Order {
            limits: Limits { free_bytes: 0, ..Limits::default() },
            ..self.tried.order(&format!("set -e\n{line}"))
        };
        self.tried.run(self.place.clone(), granted(order, hosts)).await
    }

    /// Runs a line to its end, which must be a good one.
    async fn says(&self, line: &str, hosts: &[&str]) -> String {
        let (ran, output) = self.run(line, hosts).await;
        assert_eq!(
            ran.ended,
            CommandEnd::Exited { code: 0 },
            "{line}: {output}{:?} {:?}",
            ran.why,
            ran.network
        );
        assert_eq!(ran.network.refused, Vec::<String>::new(), "{line}");
        output
    }

    /// The build, cold: first with no host, which fails and names the registry; then with it; then from the caches, again with none.
    async fn builds(&self, build: &str, cleaning: &str) -> String {
        let (ran, output) = self.run(build, &[]).await;
        assert_ne!(ran.ended, CommandEnd::Exited { code: 0 }, "{output}");
        assert_eq!(ran.network.refused, [self.host.as_str()], "{output}");
        assert_eq!(self.server.heard().len(), 0);
        let cold = self.says(&format!("{cleaning}\n{build}"), &[&self.host]).await;
        let requests = self.server.heard().len();
        assert_ne!(requests, 0);
        assert_eq!(self.says(&format!("{cleaning}\n{build}"), &[]).await, cold);
        assert_eq!(self.server.heard().len(), requests, "the second build asked again");
        cold
    }
}

#[tokio::test]
async fn cargo_builds_with_a_crate_from_a_granted_registry_and_again_without() {
    let fetching = Fetching::of(CARGO).await;
    let package = "cd small; cargo package --quiet --offline --no-verify --allow-dirty
cp target/package/small-1.2.3.crate ..; cd ..; rm -r small
sha256sum small-1.2.3.crate | cut -d ' ' -f 1";
    let sum = fetching.says(package, &[]).await;
    let at = format!("http://{}", fetching.host);
    let entry = format!(
        r#"{{"name":"small","vers":"1.2.3","deps":[],"cksum":"{}","features":{{}},"yanked":false}}"#,
        sum.trim()
    );
    fetching.serve("/index/config.json", format!(r#"{{"dl":"{at}/crates/{{crate}}-{{version}}.crate"}}"#));
    fetching.serve("/index/sm/al/small", entry + "\n");
    fetching.serve("/crates/small-1.2.3.crate", fetching.file("small-1.2.3.crate"));
    let source = format!(
        "mkdir -p ~/.cargo; printf '[source.crates-io]\\nreplace-with = \"of-test\"\\n[source.of-test]\\nregistry = \"sparse+{at}/index/\"\\n' > ~/.cargo/config.toml"
    );
    fetching.says(&source, &[]).await;
    let said = fetching.builds("cd app; cargo run --quiet", "rm -rf app/target").await;
    assert_eq!(said, "made by a build script\n");
}

#[tokio::test]
async fn npm_installs_a_package_from_a_granted_registry_and_again_without() {
    let fetching = Fetching::of(NPM).await;
    let pack =
        "cd small; npm pack --silent --cache /tmp/npm > /dev/null; cp small-1.2.3.tgz ..; cd ..; rm -r small
node -p 'crypto.createHash(`sha512`).update(fs.readFileSync(`small-1.2.3.tgz`)).digest(`base64`)'";
    let sum = fetching.says(pack, &[]).await;
    let at = format!("http://{}", fetching.host);
    let of_package = format!(
        r#"{{"name":"small","dist-tags":{{"latest":"1.2.3"}},"versions":{{"1.2.3":{{"name":"small","version":"1.2.3","bin":{{"small":"small.js"}},
        "hasInstallScript":true,"dist":{{"tarball":"{at}/small/-/small-1.2.3.tgz","integrity":"sha512-{}"}}}}}}}}"#,
        sum.trim()
    );
    fetching.serve("/small", of_package);
    fetching.serve("/small/-/small-1.2.3.tgz", fetching.file("small-1.2.3.tgz"));
    put(
        fetching.tried.project(),
        &[("app/.npmrc", "audit=false\nfund=false\nfetch-retries=0\nprefer-offline=true\n")],
    );
    let registry = format!("echo registry={at}/ >> app/.npmrc");
    fetching.says(&registry, &[]).await;
    let build = "cd app; npm install --silent; npm test --silent | grep -E '^made|^# (pass|fail)'";
    let said = fetching.builds(build, "rm -rf app/node_modules").await;
    assert_eq!(said, "made an install script\n# pass 1\n# fail 0\n");
}
