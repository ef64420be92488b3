//! What most tests begin with: a folder of foxes, a connected model, a message that is sent.

use std::fs;
use std::path::PathBuf;

use serde_json::json;
use support::webdriver::keys;
use support::{Desktop, Folder, ScriptedModel, Window};

/// The key of the scripted model, such as nothing else could contain by chance.
pub(crate) const KEY: &str = "sk-e2e-5b1d7c0f9a";

/// A folder with a small project in it: [`Foxes::path`].
pub(crate) struct Foxes(Folder);

impl Foxes {
    pub(crate) fn path(&self) -> PathBuf {
        self.0.path().join("foxes")
    }
}

/// A small project.
pub(crate) fn foxes() -> Foxes {
    Foxes(Folder::with([
        ("foxes/README.md", "# Foxes\n\nCounts foxes by colour.\n"),
        ("foxes/src/main.rs", "fn main() {\n    println!(\"{} foxes\", foxes::count());\n}\n"),
        ("foxes/src/lib.rs", "/// The foxes seen so far.\npub fn count() -> u32 {\n    7\n}\n"),
        ("foxes/docs/colours.md", "Red, grey and arctic.\n"),
    ]))
}

/// A desktop whose settings name this model; its key is in the environment.
pub(crate) fn desktop(model: &ScriptedModel) -> Desktop {
    let desktop = Desktop::start().with("E2E_KEY", KEY);
    fs::create_dir_all(desktop.config_dir()).unwrap();
    let base_url = model.base_url();
    let settings = format!(
        "default_endpoint = \"scripted\"\n\n[endpoints.scripted]\nbase_url = \"{base_url}\"\nmodel = \"fox-1\"\nkey_variable = \"E2E_KEY\"\nresults_as = \"system\"\n"
    );
    fs::write(desktop.config_dir().join("config.toml"), settings).unwrap();
    desktop
}

/// The look of the desktop, and of its windows with it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Theme {
    Light,
    Dark,
}

/// Looks at a window in this theme, and in the other one too where there is time for everything.
pub(crate) async fn in_themes(first: Theme, look: impl AsyncFn(fn(Desktop) -> Desktop, &'static str)) {
    let light: (fn(Desktop) -> Desktop, _) = (|desktop| desktop, "light");
    let dark: (fn(Desktop) -> Desktop, _) = (Desktop::dark, "dark");
    let themes = match first {
        Theme::Light => [light, dark],
        Theme::Dark => [dark, light],
    };
    for (theme, name) in themes.into_iter().take(orion_thorough::cases(1, 2)) {
        look(theme, name).await;
    }
}

/// Writes a message and sends it with Enter.
pub(crate) async fn ask(window: &Window, message: &str) {
    window.write("composer", message).await;
    window.press(&[keys::ENTER]).await;
}

/// Calls a command of the shell from the page: its reply, or what it was rejected with as `{ "rejected": … }`.
pub(crate) async fn invoke(
    window: &Window,
    command: &str,
    arguments: serde_json::Value,
) -> serde_json::Value {
    let call = "return window.__TAURI_INTERNALS__.invoke(arguments[0], arguments[1]).catch((rejected) => ({ rejected }))";
    window.script(call, json!([command, arguments])).await
}
