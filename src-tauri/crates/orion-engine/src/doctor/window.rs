//! The window as its own process finds it: WebKit, the display, and what paints.

use orion_protocol::{Finding, Subject, TroubleKind};
use serde::{Deserialize, Serialize};

/// The facts that the process with the window knows. The command line asks it for them: `orion-desktop --facts` prints them as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WindowFacts {
    /// The version of the web view.
    pub webview: Option<String>,
    pub display: Display,
    pub painter: Painter,
}

/// The kind of display that windows open on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Display {
    X11,
    Wayland,
    /// The system's own.
    System,
    None,
}

/// The painter of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Painter {
    /// A graphics processor, as far as there is one to render with.
    Processor,
    /// There is none: the processor paints to memory.
    Memory,
}

/// The reason for which the program with the window said nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unstarted {
    /// It is not beside this program.
    Absent,
    /// The system's loader misses a library; its name, where it was told.
    LibraryMissing(Option<String>),
    /// It started and gave no facts.
    Silent,
}

/// The findings about the window.
#[must_use]
pub fn window(facts: Result<WindowFacts, Unstarted>) -> Vec<Finding> {
    let facts = match facts {
        Ok(facts) => facts,
        Err(why) => return vec![unstarted(&why)],
    };
    let name = if cfg!(target_os = "linux") {
        "WebKitGTK"
    } else if cfg!(windows) {
        "WebView2"
    } else {
        "WebKit"
    };
    let version =
        facts.webview.as_deref().filter(|version| is_version(version)).unwrap_or("of an unknown version");
    let painted = match facts.painter {
        Painter::Processor => "painted by the graphics processor",
        Painter::Memory => "painted in memory, since no graphics processor renders",
    };
    let display = match facts.display {
        Display::X11 => Finding::fine(Subject::Display, format!("X11, {painted}")),
        Display::Wayland => Finding::fine(Subject::Display, format!("Wayland, {painted}")),
        Display::System => Finding::fine(Subject::Display, painted),
        Display::None => Finding::troubled(
            Subject::Display,
            "none",
            TroubleKind::NoDisplay,
            "Use orion chat in this terminal, or start the window from a desktop (DISPLAY or WAYLAND_DISPLAY is set there).",
        ),
    };
    vec![Finding::fine(Subject::Window, format!("{name} {version}")), display]
}

fn unstarted(why: &Unstarted) -> Finding {
    match why {
        Unstarted::Absent => Finding::fine(Subject::Window, "not installed beside orion"),
        Unstarted::LibraryMissing(library) => {
            let library = library.as_deref().filter(|name| is_library(name)).unwrap_or("a library");
            Finding::troubled(
                Subject::Window,
                format!("{library} is missing, so the window does not start"),
                TroubleKind::LibraryMissing,
                "Install WebKitGTK 4.1: sudo apt install libwebkit2gtk-4.1-0 (Debian, Ubuntu), sudo dnf install webkit2gtk4.1 (Fedora), sudo \
                 pacman -S webkit2gtk-4.1 (Arch). orion chat works without it.",
            )
        }
        Unstarted::Silent => Finding::troubled(
            Subject::Window,
            "does not start",
            TroubleKind::WindowSilent,
            "Start orion-desktop in a terminal and read what it says. orion chat works without it.",
        ),
    }
}

/// Digits and points: nothing else of what a program says is passed on.
fn is_version(text: &str) -> bool {
    !text.is_empty() && text.len() <= 40 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

fn is_library(name: &str) -> bool {
    name.len() <= 80 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn troubles(facts: Result<WindowFacts, Unstarted>) -> Vec<TroubleKind> {
        window(facts).into_iter().filter_map(|finding| finding.trouble).map(|trouble| trouble.kind).collect()
    }

    #[test]
    fn what_keeps_the_window_from_opening_is_named() {
        let facts =
            |display| WindowFacts { webview: Some("2.50.1".into()), display, painter: Painter::Memory };
        assert_eq!(troubles(Ok(facts(Display::Wayland))), []);
        assert_eq!(troubles(Ok(facts(Display::None))), [TroubleKind::NoDisplay]);
        assert_eq!(troubles(Err(Unstarted::Absent)), []);
        assert_eq!(troubles(Err(Unstarted::Silent)), [TroubleKind::WindowSilent]);
        let missing = Unstarted::LibraryMissing(Some("libwebkit2gtk-4.1.so.0".into()));
        assert_eq!(
            window(Err(missing.clone()))[0].says,
            "libwebkit2gtk-4.1.so.0 is missing, so the window does not start"
        );
        assert_eq!(troubles(Err(missing)), [TroubleKind::LibraryMissing]);
    }

    #[test]
    fn what_a_program_says_is_passed_on_only_where_it_is_a_version_or_a_library() {
        let hostile = WindowFacts {
            webview: Some("\u{1b}[2J/home/ann".into()),
            display: Display::X11,
            painter: Painter::Processor,
        };
        assert!(window(Ok(hostile))[0].says.ends_with("of an unknown version"));
        let hostile = Unstarted::LibraryMissing(Some("/home/ann/lib.so".into()));
        assert!(window(Err(hostile))[0].says.starts_with("a library"));
    }
}
