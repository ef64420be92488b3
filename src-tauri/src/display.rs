//! The display that the window opens on.
//!
//! Asked before Tauri is, which ends with a panic where there is none.

use anyhow::{Result, anyhow};
use gtk::glib;

/// The name of the desktop entry: on Wayland a desktop knows the window by the program's name, and on X11 by the same in WM_CLASS.
const NAME: &str = "orion-desktop";

/// Opens the display that the environment names.
///
/// # Errors
/// There is none, or it lets nobody in.
pub(crate) fn reach() -> Result<()> {
    glib::set_prgname(Some(NAME));
    gtk::init().map_err(|_| {
        anyhow!(
            "there is no display to open a window on (DISPLAY and WAYLAND_DISPLAY lead to none): start orion-desktop in \
             a desktop session, or use `orion chat` here"
        )
    })
}
