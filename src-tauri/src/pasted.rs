//! Files that a person pastes, where the web view does not hand them to the page (0058).
//!
//! The page asks for them when it is told of a paste that brings what it cannot see. It is answered once for each time that a person
//! pasted: nothing that runs there can look into the clipboard when it likes.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use orion_protocol::Reply;

/// How long after that the page may ask: far more than a busy window takes to tell it of the paste.
const SOON: Duration = Duration::from_secs(3);

/// When a person last pasted, until the page has asked.
#[derive(Debug, Default)]
pub(crate) struct Pasting(Mutex<Option<Instant>>);

impl Pasting {
    fn begins(&self, now: Instant) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
    }

    fn asks(&self, now: Instant) -> bool {
        let pressed = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        pressed.is_some_and(|pressed| now.duration_since(pressed) <= SOON)
    }

    /// The files of the clipboard, when a person has just pasted.
    ///
    /// # Errors
    /// The engine did not open.
    pub(crate) async fn take(&self, shell: &crate::shell::Shell) -> Result<Reply, orion_protocol::ErrorInfo> {
        let paths = if self.asks(Instant::now()) { clipboard().await } else { Vec::new() };
        Ok(Reply::Given { given: shell.engine().await?.given(paths).await })
    }
}

/// Learns from now on when a person may paste in a window: they pressed the keys for it, or closed the system's menu of a field, which
/// has it too.
#[cfg(target_os = "linux")]
pub(crate) fn listen(window: &tauri::WebviewWindow) -> tauri::Result<()> {
    use gtk::glib::Propagation;
    use gtk::prelude::{ObjectExt, WidgetExt};
    use tauri::Manager;

    let app = window.app_handle().clone();
    window.with_webview(move |webview| {
        let menu = app.clone();
        webview.inner().connect_local("context-menu-dismissed", false, move |_| {
            menu.state::<Pasting>().begins(Instant::now());
            None
        });
        webview.inner().connect_key_press_event(move |_, pressed| {
            if is_paste(pressed.keyval(), pressed.state()) {
                app.state::<Pasting>().begins(Instant::now());
            }
            Propagation::Proceed
        });
    })
}

/// Ctrl+V, Ctrl+Shift+V and Shift+Insert.
#[cfg(target_os = "linux")]
fn is_paste(key: gtk::gdk::keys::Key, held: gtk::gdk::ModifierType) -> bool {
    use gtk::gdk::ModifierType;
    use gtk::gdk::keys::constants::{Insert, KP_Insert, V, v};

    match key {
        key if key == v || key == V => held.contains(ModifierType::CONTROL_MASK),
        key if key == Insert || key == KP_Insert => held.contains(ModifierType::SHIFT_MASK),
        _ => false,
    }
}

#[cfg(target_os = "linux")]
async fn clipboard() -> Vec<PathBuf> {
    use gtk::glib;

    let (tell, told) = tokio::sync::oneshot::channel();
    glib::MainContext::default().invoke(move || {
        gtk::Clipboard::get(&gtk::gdk::SELECTION_CLIPBOARD).request_uris(move |_, uris| {
            let paths = uris.iter().filter_map(|uri| Some(glib::filename_from_uri(uri).ok()?.0)).collect();
            // Nobody waits any more when the window was closed meanwhile.
            let _ = tell.send(paths);
        });
    });
    told.await.unwrap_or_default()
}

/// Elsewhere the web view hands files to the page.
#[cfg(not(target_os = "linux"))]
async fn clipboard() -> Vec<PathBuf> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_answered_once_after_each_paste_and_only_soon() {
        let (pasting, now) = (Pasting::default(), Instant::now());
        assert!(!pasting.asks(now));
        pasting.begins(now);
        assert!(pasting.asks(now + SOON));
        assert!(!pasting.asks(now));
        pasting.begins(now);
        assert!(!pasting.asks(now + SOON + Duration::from_millis(1)));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_keys_for_a_paste_are_known() {
        use gtk::gdk::ModifierType as Held;
        use gtk::gdk::keys::constants as keys;
        let control = Held::CONTROL_MASK;
        assert!(is_paste(keys::v, control) && is_paste(keys::V, control | Held::SHIFT_MASK));
        assert!(is_paste(keys::Insert, Held::SHIFT_MASK));
        assert!(!is_paste(keys::v, Held::empty()) && !is_paste(keys::c, control));
        assert!(!is_paste(keys::Insert, Held::empty()));
    }
}
