//! The presses of a person in the window, as the shell sees them: nothing that runs in the page can make one up (0109).
//!
//! Deliberately not here: what a press is good for (`granting`).

use std::time::Duration;

use gtk::gdk::keys::Key;
use gtk::gdk::keys::constants::{Down, KP_Enter, Left, Return, Right, Tab, Up, space};
use gtk::gdk::{Event, EventType};
use gtk::glib::object::ObjectExt as _;
use gtk::glib::{Propagation, Value};
use gtk::prelude::WidgetExt;
use tauri::{AppHandle, Manager, WebviewWindow};

use crate::granting::Granting;
use crate::recent::SOON;

/// The time that a person has to choose in a menu which the system draws: its presses reach no page, and nothing tells when it closes. A minute.
const CHOOSING: Duration = Duration::from_secs(60);

/// Learns from now on of the presses in a window: of the mouse, of a finger, of a key that presses or chooses what has the focus, and of the menus that the
/// system draws for the page.
pub(crate) fn listen(window: &WebviewWindow) -> tauri::Result<()> {
    let app = window.app_handle().clone();
    window.with_webview(move |webview| {
        let webview = webview.inner();
        let keys = app.clone();
        webview.connect_key_press_event(move |_, pressed| {
            if presses(pressed.keyval()) {
                begins(&keys);
            }
            Propagation::Proceed
        });
        let fingers = app.clone();
        webview.connect_touch_event(move |_, touched| {
            if is_end_of_touch(touched) {
                begins(&fingers);
            }
            Propagation::Proceed
        });
        // A field is left, and saves what is in it, when the button goes down; a button of the page is pressed when it is let go.
        let buttons = app.clone();
        webview.connect_button_press_event(move |_, _| {
            begins(&buttons);
            Propagation::Proceed
        });
        let released = app.clone();
        webview.connect_button_release_event(move |_, _| {
            released.state::<Granting>().let_go();
            Propagation::Proceed
        });
        webview.connect_local("show-option-menu", false, move |_| {
            app.state::<Granting>().pressed(CHOOSING);
            // The system draws it.
            Some(Value::from(false))
        });
    })
}

fn begins(app: &AppHandle) {
    app.state::<Granting>().pressed(SOON);
}

/// True of the keys that press a button, follow a link, choose among several, or leave a field that saves what was typed.
fn presses(key: Key) -> bool {
    [Return, KP_Enter, space, Tab, Up, Down, Left, Right].contains(&key)
}

fn is_end_of_touch(event: &Event) -> bool {
    event.event_type() == EventType::TouchEnd
}

#[cfg(test)]
mod tests {
    use gtk::gdk::keys::constants::{BackSpace, a};

    use super::*;

    #[test]
    fn what_is_typed_is_no_press() {
        assert!(presses(Return) && presses(space) && presses(Up));
        assert!(!presses(a) && !presses(BackSpace));
    }
}
