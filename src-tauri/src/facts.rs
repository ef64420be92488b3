//! The facts about the window that its process knows: the web view, the display, and what paints. A report of this computer has it
//! (`orion_engine::doctor`).

use orion_engine::Engine;
use orion_engine::config::{Config, Environment};
use orion_engine::doctor::{Display, Examined, Painter, WindowFacts, examine, window};
use orion_engine::paths::Paths;
use orion_engine::secrets::{KeyStore, Keychain, Redactor};
use orion_protocol::{Answer, DoctorReport, ErrorInfo, Query};
use orion_providers::Providers;

/// Found on the main thread, before or after the window is there.
pub(crate) fn of_process() -> WindowFacts {
    WindowFacts { webview: tauri::webview_version().ok(), display: display(), painter: painter() }
}

#[cfg(target_os = "linux")]
fn display() -> Display {
    use gtk::prelude::*;
    // It fails where no display answers.
    if gtk::init().is_err() {
        return Display::None;
    }
    match gtk::gdk::Display::default() {
        Some(display) if display.type_().name().contains("Wayland") => Display::Wayland,
        Some(_) => Display::X11,
        None => Display::None,
    }
}

#[cfg(not(target_os = "linux"))]
fn display() -> Display {
    Display::System
}

#[cfg(target_os = "linux")]
fn painter() -> Painter {
    if crate::painting::is_to_memory() { Painter::Memory } else { Painter::Processor }
}

#[cfg(not(target_os = "linux"))]
fn painter() -> Painter {
    Painter::Processor
}

/// Everything that a report needs, also where no engine opened.
#[derive(Debug)]
pub(crate) struct Examiner {
    pub(crate) paths: Paths,
    pub(crate) environment: Environment,
    pub(crate) facts: WindowFacts,
}

impl Examiner {
    /// The report, with the keys that the engine knows when it is open.
    pub(crate) async fn report(&self, engine: Result<Engine, ErrorInfo>) -> Result<DoctorReport, ErrorInfo> {
        let mut report = match engine {
            Ok(engine) => match engine.query(Query::Doctor).await? {
                Answer::Doctor { report } => report,
                _ => self.alone().await,
            },
            Err(_) => self.alone().await,
        };
        report.add(window(Ok(self.facts.clone())));
        Ok(report)
    }

    async fn alone(&self) -> DoctorReport {
        let config = Config::of(&self.paths, &self.environment);
        let keys = KeyStore::new(self.environment.clone(), Keychain::of_system(), Redactor::default());
        examine(Examined {
            paths: &self.paths,
            environment: &self.environment,
            config: &config,
            keys: &keys,
            connector: &Providers::default(),
        })
        .await
    }
}
