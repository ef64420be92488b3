//! The report of this computer, for `orion doctor` and *About this computer*: what Orion needs, and what is wrong with it.
//!
//! Each part that is looked at is a file here, and gives findings. None of them needs an open engine, so a report can be made where the
//! data folder cannot be opened. Nothing is changed but the note of a
//! full sandbox, and nothing goes out but a request for the models of each endpoint. A finding names no
//! key, no user, no folder and no private address: it is made of our own words alone, of numbers, and of names that everybody knows.

mod clock;
mod data;
mod endpoints;
mod keychain;
mod places;
mod proxies;
mod sandbox;
mod settings;
mod system;
mod window;

use orion_protocol::DoctorReport;

use crate::config::{Config, Environment};
use crate::endpoint::Connector;
use crate::paths::Paths;
use crate::secrets::KeyStore;

pub use window::{Display, Painter, Unstarted, WindowFacts, window};

/// The commit that the program was built from. `cargo xtask package` says it to the compiler.
const COMMIT: Option<&str> = option_env!("ORION_COMMIT");

/// Everything that a report is made of.
#[derive(Debug, Clone, Copy)]
pub struct Examined<'a> {
    pub paths: &'a Paths,
    pub environment: &'a Environment,
    pub config: &'a Config,
    pub keys: &'a KeyStore,
    pub connector: &'a dyn Connector,
}

/// Looks at everything but the window, of which its own process knows ([`window`]). Takes as long as the slowest server or disk, and at most 20 s.
pub async fn examine(of: Examined<'_>) -> DoctorReport {
    let (system, keychain, (data, newest_ms), sandbox, network) = tokio::join!(
        system::look(),
        keychain::look(of.keys),
        data::look(of.paths),
        sandbox::look(of.paths),
        endpoints::look(&of),
    );
    let (endpoints, times) = network;
    let mut report = DoctorReport {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: COMMIT.map(str::to_owned),
        findings: Vec::new(),
    };
    report.add(system);
    report.add(keychain);
    report.add(settings::look(&of));
    report.add(data);
    report.add(sandbox);
    report.add([clock::look(&times, newest_ms)]);
    report.add(proxies::look(&of).await);
    report.add(endpoints);
    report
}
