//! Files that a person pastes on Linux, where the web view does not hand them to the page (0058).
//!
//! The page asks for them when it is told of a paste of what it cannot see. It is answered once for each time that a person
//! pasted: nothing that runs there can look into the clipboard when it likes.

use std::path::PathBuf;
use std::time::Instant;

use gtk::gdk::ModifierType;
use gtk::gdk::keys::Key;
use gtk::gdk::keys::constants::{Insert, KP_Insert, V, v};
use gtk::glib::{self, Propagation};
use gtk::prelude::{ObjectExt, WidgetExt};
use orion_protocol::{ErrorInfo, Outcome};
use tauri::{Manager, WebviewWindow};

use crate::dropped::paths_of;
use crate::recent::{Recent, SOON};
use crate::shell::Shell;

/// The last paste of a person, until the page has asked.
#[derive(Debug, Default)]
pub(crate) struct Pasting(Recent);

impl Pasting {
    /// The files of the clipboard, when a person has just pasted.
    ///
    /// # Errors
    /// The engine did not open.
    pub(crate) async fn take(&self, shell: &Shell) -> Result<Outcome, ErrorInfo> {
        let paths = if self.0.takes(Instant::now()) { clipboard().await } else { Vec::new() };
        Ok(Outcome::Dropped { dropped: shell.engine().await?.dropped(paths).await })
    }
}

/// Learns from now on when a person may paste in a window: they pressed the keys for it, or closed the system's menu of a field, which
/// has it too.
pub(crate) fn listen(window: &WebviewWindow) -> tauri::Result<()> {
    let app = window.app_handle().clone();
    window.with_webview(move |webview| {
        let menu = app.clone();
        webview.inner().connect_local("context-menu-dismissed", false, move |_| {
            menu.state::<Pasting>().0.begins(Instant::now() + SOON);
            None
        });
        webview.inner().connect_key_press_event(move |_, pressed| {
            if is_paste(pressed.keyval(), pressed.state()) {
                app.state::<Pasting>().0.begins(Instant::now() + SOON);
            }
            Propagation::Proceed
        });
    })
}

/// Ctrl+V, Ctrl+Shift+V and Shift+Insert.
fn is_paste(key: Key, held: ModifierType) -> bool {
    match key {
        key if key == v || key == V => held.contains(ModifierType::CONTROL_MASK),
        key if key == Insert || key == KP_Insert => held.contains(ModifierType::SHIFT_MASK),
        _ => false,
    }
}

async fn clipboard() -> Vec<PathBuf> {
    let (tell, told) = tokio::sync::oneshot::channel();
    glib::MainContext::default().invoke(move || {
        gtk::Clipboard::get(&gtk::gdk::SELECTION_CLIPBOARD).request_uris(move |_, uris| {
            // Nobody waits any more when the window was closed meanwhile.
            let _ = tell.send(paths_of(uris));
        });
    });
    told.await.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_for_a_paste_are_known() {
        let (control, shift, none) =
            (ModifierType::CONTROL_MASK, ModifierType::SHIFT_MASK, ModifierType::empty());
        assert!(is_paste(v, control) && is_paste(V, control | shift) && is_paste(Insert, shift));
        assert!(!is_paste(v, none) && !is_paste(Insert, none));
        assert!(!is_paste(gtk::gdk::keys::constants::c, control));
    }
}
