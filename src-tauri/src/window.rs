//! The one window: its size and place from last time, and its security limits.
//!
//! Deliberately not here: anything shown in it, which is the webview's.

use std::io::{ErrorKind, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tauri::utils::config::Color;
use tauri::webview::NewWindowResponse;
use tauri::{
    App, LogicalPosition, LogicalSize, Monitor, Theme, Url, WebviewWindow, WebviewWindowBuilder, Window,
};

/// The label of the window in tauri.conf.json.
pub(crate) const LABEL: &str = "main";

/// The largest size that is believed. No display is larger, so a size beyond this in the file is an error.
const LARGEST: f64 = 16_384.0;

/// How much larger than usual the window's content may be shown.
pub(crate) const ZOOMS: RangeInclusive<f64> = 0.5..=2.0;

/// Pixels of the top edge that must be on a screen, so that a person can take hold of the window there.
const HOLD: f64 = 80.0;

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
    /// Its upper left corner, where the desktop tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Option<Position>,
}

/// Logical pixels, from the corner of all screens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Position {
    x: f64,
    y: f64,
}

/// A screen in logical pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Screen {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

impl Screen {
    fn of(monitor: &Monitor) -> Self {
        let area = monitor.work_area();
        let scale = monitor.scale_factor();
        let corner: LogicalPosition<f64> = area.position.to_logical(scale);
        let size: LogicalSize<f64> = area.size.to_logical(scale);
        Self { x: corner.x, y: corner.y, width: size.width, height: size.height }
    }

    /// Whether a person could take hold of the top edge of a window here.
    fn holds(&self, Position { x, y }: Position, width: f64) -> bool {
        let (left, right) = (x.max(self.x), (x + width).min(self.x + self.width));
        right - left >= HOLD && (self.y..=self.y + self.height - HOLD).contains(&y)
    }
}

/// The shape on the screens that there are now: a place on a screen that is gone is forgotten, and no window is larger than the largest one.
fn on(screens: &[Screen], shape: Shape) -> Shape {
    let Some(largest) =
        screens.iter().copied().reduce(|a, b| if b.width * b.height > a.width * a.height { b } else { a })
    else {
        return shape;
    };
    let place = shape.place.filter(|place| screens.iter().any(|screen| screen.holds(*place, shape.width)));
    Shape { width: shape.width.min(largest.width), height: shape.height.min(largest.height), place, ..shape }
}

/// Opens the window. Its web storage stays in the data folder.
pub(crate) fn open(app: &App, data_dir: &Path) -> tauri::Result<WebviewWindow> {
    let mut config =
        app.config().app.windows.iter().find(|window| window.label == LABEL).cloned().unwrap_or_default();
    if let Some(shape) =
        remembered(data_dir, config.min_width.unwrap_or(1.0), config.min_height.unwrap_or(1.0))
    {
        let screens: Vec<Screen> =
            app.available_monitors().unwrap_or_default().iter().map(Screen::of).collect();
        let shape = on(&screens, shape);
        config.width = shape.width;
        config.height = shape.height;
        config.maximized = shape.maximized;
        if let Some(Position { x, y }) = shape.place {
            (config.x, config.y, config.center) = (Some(x), Some(y), false);
        }
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
    if let Err(error) = shown {
        tracing::warn!(%error, "the window could not be brought to the front");
    }
}

/// Saves the window's size and place for the next start. If that fails, the window opens with its first size again.
pub(crate) fn remember(window: &Window, data_dir: &Path) {
    if let Err(error) = keep_shape(window, data_dir) {
        tracing::warn!(%error, "the window's size and place were not kept");
    }
}

fn keep_shape(window: &Window, data_dir: &Path) -> anyhow::Result<()> {
    let maximized = window.is_maximized()?;
    let scale = window.scale_factor()?;
    let size: LogicalSize<f64> = window.inner_size()?.to_logical(scale);
    // Some desktops tell nobody where a window is.
    let place = window.outer_position().ok().map(|corner| corner.to_logical::<f64>(scale));
    let file = shape_file(data_dir);
    let before: Option<Shape> = std::fs::read(&file).ok().and_then(|json| serde_json::from_slice(&json).ok());
    let shape = match (maximized, before) {
        // The size and the place to come back to are those before it was maximized.
        (true, Some(before)) => Shape { maximized, ..before },
        _ => Shape {
            width: size.width,
            height: size.height,
            maximized,
            place: place.map(|LogicalPosition { x, y }| Position { x, y }),
        },
    };
    write_private(&file, &serde_json::to_vec(&shape)?)
}

/// Writes a file for its owner alone. An existing one is replaced: others may be able to read it, or it is a link.
fn write_private(file: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if let Err(error) = std::fs::remove_file(file)
        && error.kind() != ErrorKind::NotFound
    {
        return Err(error.into());
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
    let somewhere =
        shape.place.is_none_or(|Position { x, y }| x.abs() <= 4.0 * LARGEST && y.abs() <= 4.0 * LARGEST);
    (fits && somewhere).then_some(shape)
}

/// True only for the app's own pages, so nothing that a model or a file says can lead the window elsewhere. The system asks for
/// frames too: the one that draws diagrams is written into the page, whose policy holds in it, and has no other address (0049).
fn is_own(url: &Url, dev_url: Option<&Url>) -> bool {
    let embedded = match url.scheme() {
        "tauri" => url.host_str() == Some("localhost"),
        "about" => url.as_str() == "about:srcdoc",
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
        assert!(own("about:srcdoc"));
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
        let shape = Shape {
            width: 900.0,
            height: 700.0,
            maximized: false,
            place: Some(Position { x: -40.0, y: 30.0 }),
        };
        std::fs::write(shape_file(folder.path()), serde_json::to_vec(&shape).unwrap()).unwrap();
        assert_eq!(read(), Some(shape));
        for nonsense in [
            "",
            "[]",
            r#"{"width":1e9,"height":700,"maximized":false}"#,
            r#"{"width":900,"height":-1,"maximized":false}"#,
            r#"{"width":null,"height":700,"maximized":false}"#,
            r#"{"width":900,"height":700,"maximized":false,"place":{"x":1e300,"y":0}}"#,
        ] {
            std::fs::write(shape_file(folder.path()), nonsense).unwrap();
            assert_eq!(read(), None, "{nonsense}");
        }
        // An Orion that did not keep the place.
        std::fs::write(shape_file(folder.path()), r#"{"width":900,"height":700,"maximized":true}"#).unwrap();
        assert_eq!(read(), Some(Shape { maximized: true, place: None, ..shape }));
    }

    #[test]
    fn a_window_on_a_screen_that_is_gone_opens_where_it_can_be_seen() {
        let left = Screen { x: 0.0, y: 0.0, width: 1_280.0, height: 800.0 };
        let right = Screen { x: 1_280.0, y: -200.0, width: 1_920.0, height: 1_080.0 };
        let at =
            |x, y| Shape { width: 1_400.0, height: 900.0, maximized: true, place: Some(Position { x, y }) };
        let placed = |screens: &[Screen], x, y| on(screens, at(x, y)).place.is_some();
        assert_eq!(on(&[left, right], at(1_500.0, -100.0)), at(1_500.0, -100.0));
        let alone = on(&[left], at(1_500.0, -100.0));
        assert_eq!(alone, Shape { width: 1_280.0, height: 800.0, maximized: true, place: None });
        // Its top edge can be taken hold of, or cannot.
        assert_eq!([placed(&[left], -1_300.0, 10.0), placed(&[left], -1_350.0, 10.0)], [true, false]);
        assert_eq!(
            [placed(&[left], 10.0, 700.0), placed(&[left], 10.0, 790.0), placed(&[left], 10.0, -5.0)],
            [true, false, false]
        );
        // Nobody tells which screens there are.
        assert_eq!(on(&[], at(9_000.0, 9_000.0)), at(9_000.0, 9_000.0));
    }
}
