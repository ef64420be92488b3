//! The one window: its size from last time, and its security limits.
//!
//! Deliberately not here: anything shown in it, which is the webview's.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tauri::utils::config::Color;
use tauri::webview::NewWindowResponse;
use tauri::{App, LogicalSize, Theme, Url, WebviewWindow, WebviewWindowBuilder, Window};

/// The label of the window in tauri.conf.json.
pub(crate) const LABEL: &str = "main";

/// The largest size that is believed. No display is larger, so a size beyond this in the file is an error.
const LARGEST: f64 = 16_384.0;

/// The page's own background in either theme (`--paper` in ui/src/styles/tokens.css), so that the first frame does not flash.
const LIGHT: Color = Color(255, 255, 255, 255);
const DARK: Color = Color(21, 23, 28, 255);

/// How the window was when it was last closed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Shape {
    width: f64,
    height: f64,
    maximized: bool,
}

/// Opens the window. Its web storage stays in the data folder.
pub(crate) fn open(app: &App, data_dir: &Path) -> tauri::Result<WebviewWindow> {
    let mut config =
        app.config().app.windows.iter().find(|window| window.label == LABEL).cloned().unwrap_or_default();
    if let Some(shape) =
        remembered(data_dir, config.min_width.unwrap_or(1.0), config.min_height.unwrap_or(1.0))
    {
        config.width = shape.width;
        config.height = shape.height;
        config.maximized = shape.maximized;
    }
    let dev_url = app.config().build.dev_url.clone();
    let window = WebviewWindowBuilder::from_config(app, &config)?
        .data_directory(data_dir.join("webview"))
        .on_navigation(move |url| is_own(url, dev_url.as_ref()))
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .build()?;
    let background = if window.theme()? == Theme::Dark { DARK } else { LIGHT };
    window.set_background_color(Some(background))?;
    Ok(window)
}

/// Brings the window to the front. Where the desktop does not let it, it is marked there.
pub(crate) fn show(window: &WebviewWindow) {
    let shown = window.unminimize().and_then(|()| window.show()).and_then(|()| window.set_focus());
    if let Err(fault) = shown {
        tracing::warn!(%fault, "the window could not be brought to the front");
    }
}

/// Saves the window's size for the next start. If that fails, the window opens with its first size again.
pub(crate) fn remember(window: &Window, data_dir: &Path) {
    if let Err(fault) = keep_shape(window, data_dir) {
        tracing::warn!(%fault, "the window's size was not kept");
    }
}

fn keep_shape(window: &Window, data_dir: &Path) -> anyhow::Result<()> {
    let maximized = window.is_maximized()?;
    let size: LogicalSize<f64> = window.inner_size()?.to_logical(window.scale_factor()?);
    let file = shape_file(data_dir);
    let before: Option<Shape> = std::fs::read(&file).ok().and_then(|json| serde_json::from_slice(&json).ok());
    let shape = match (maximized, before) {
        // The size to come back to is the one before it was maximized.
        (true, Some(before)) => Shape { maximized, ..before },
        _ => Shape { width: size.width, height: size.height, maximized },
    };
    write_private(&file, &serde_json::to_vec(&shape)?)
}

/// Writes a file for its owner alone. An existing one is replaced: others may be able to read it, or it is a link.
fn write_private(file: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if let Err(fault) = std::fs::remove_file(file)
        && fault.kind() != ErrorKind::NotFound
    {
        return Err(fault.into());
    }
    let mut options = std::fs::OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.write(true).create_new(true).open(file)?.write_all(bytes)?;
    Ok(())
}

fn shape_file(data_dir: &Path) -> PathBuf {
    data_dir.join("window.json")
}

/// The size from last time. None when there is no file, or it makes no sense.
fn remembered(data_dir: &Path, min_width: f64, min_height: f64) -> Option<Shape> {
    let shape: Shape = serde_json::from_slice(&std::fs::read(shape_file(data_dir)).ok()?).ok()?;
    let fits = (min_width..=LARGEST).contains(&shape.width) && (min_height..=LARGEST).contains(&shape.height);
    fits.then_some(shape)
}

/// True only for the app's own pages, so nothing that a model or a file says can lead the window elsewhere.
fn is_own(url: &Url, dev_url: Option<&Url>) -> bool {
    let embedded = match url.scheme() {
        "tauri" => url.host_str() == Some("localhost"),
        // Windows has no custom schemes and uses this name for them.
        "http" | "https" => cfg!(windows) && url.host_str() == Some("tauri.localhost"),
        _ => false,
    };
    embedded || (cfg!(debug_assertions) && dev_url.is_some_and(|dev| dev.origin() == url.origin()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(url: &str) -> bool {
        is_own(&Url::parse(url).unwrap(), None)
    }

    #[test]
    fn only_the_apps_own_pages_may_be_shown() {
        assert!(own("tauri://localhost/"));
        assert!(own("tauri://localhost/index.html#a"));
        for foreign in [
            "https://example.com/",
            "http://localhost/",
            "http://127.0.0.1:5173/",
            "tauri://elsewhere/",
            "file:///etc/passwd",
            "data:text/html,hello",
            "javascript:alert(1)",
            "about:blank",
        ] {
            assert!(!own(foreign), "{foreign}");
        }
    }

    #[test]
    fn a_development_server_is_allowed_by_its_exact_origin() {
        let dev = Url::parse("http://127.0.0.1:5173").unwrap();
        assert!(is_own(&Url::parse("http://127.0.0.1:5173/index.html").unwrap(), Some(&dev)));
        assert!(!is_own(&Url::parse("http://127.0.0.1:5174/").unwrap(), Some(&dev)));
    }

    #[cfg(unix)]
    #[test]
    fn the_file_of_the_size_is_for_its_owner_alone_also_when_an_older_one_was_not() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let file = shape_file(folder.path());
        let mode = || std::fs::metadata(&file).unwrap().permissions().mode() & 0o777;
        std::fs::write(&file, "{}").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        write_private(&file, b"[]").unwrap();
        assert_eq!((mode(), std::fs::read(&file).unwrap()), (0o600, b"[]".to_vec()));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn the_size_comes_back_and_nonsense_in_its_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let read = || remembered(folder.path(), 640.0, 480.0);
        assert_eq!(read(), None);
        let shape = Shape { width: 900.0, height: 700.0, maximized: false };
        std::fs::write(shape_file(folder.path()), serde_json::to_vec(&shape).unwrap()).unwrap();
        assert_eq!(read(), Some(shape));
        for nonsense in [
            "",
            "[]",
            r#"{"width":1e9,"height":700,"maximized":false}"#,
            r#"{"width":900,"height":-1,"maximized":false}"#,
            r#"{"width":null,"height":700,"maximized":false}"#,
        ] {
            std::fs::write(shape_file(folder.path()), nonsense).unwrap();
            assert_eq!(read(), None, "{nonsense}");
        }
    }
}
