//! A process for tests to kill: it runs one turn in the data folder, project and endpoint it is given, and prints a line
//! of JSON for each envelope as it is shown.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use orion_engine::config::{BaseUrl, EndpointConfig, Environment};
use orion_engine::paths::Paths;
use orion_engine::secrets::{KeyStore, Keychain, Redactor};
use orion_engine::{Engine, EngineOptions, Readers};
use orion_protocol::{Channel, Op, Outcome, TurnOptions};
use orion_providers::{Providers, Tuning};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [data, project, base_url] = arguments.as_slice() else {
        anyhow::bail!("usage: turn-runner DATA PROJECT BASE_URL")
    };
    let base_url = BaseUrl::new(base_url).ok_or_else(|| anyhow::anyhow!("not an address: {base_url}"))?;
    let endpoint = EndpointConfig::at(base_url, "scripted");
    let environment = Environment::default();
    let data = Path::new(data);
    let engine = Engine::open(EngineOptions {
        channel: Channel::Window,
        paths: Paths { config_dir: data.join("config"), data_dir: data.join("data"), others: Vec::new() },
        environment: environment.clone(),
        endpoint: Some(("scripted".into(), endpoint)),
        connector: Arc::new(Providers::new(Tuning::default())),
        keys: KeyStore::new(environment, Keychain::of_system(), Redactor::default()),
        readers: Readers::Writer,
    })
    .await?;
    let Outcome::Project { project } = engine.submit(Op::OpenProject { path: Some(project.clone()) }).await?
    else {
        anyhow::bail!("no project")
    };
    let Outcome::Session { session } =
        engine.submit(Op::NewSession { project_id: project.project_id }).await?
    else {
        anyhow::bail!("no session")
    };
    let mut turn = engine.run_turn(session.session_id, "Talk.".into(), TurnOptions::default()).await?;
    let mut out = std::io::stdout().lock();
    while let Some(batch) = turn.next().await {
        for envelope in batch {
            serde_json::to_writer(&mut out, &envelope)?;
            writeln!(out)?;
        }
        out.flush()?;
    }
    Ok(())
}
