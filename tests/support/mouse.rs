//! The mouse of a display: its presses come from the X server, as a person's do. Those of the driver of a page reach the page alone.

use anyhow::{Context, Result};
use x11rb::CURRENT_TIME;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, MOTION_NOTIFY_EVENT};
use x11rb::protocol::xtest::ConnectionExt as _;

use crate::grab::largest;

/// The left button.
const LEFT: u8 = 1;

/// Moves the mouse to this place in the largest window of a display, and presses there.
///
/// # Errors
/// There is no such display, or it shows no window.
pub(crate) fn press(display: &str, (x, y): (i16, i16)) -> Result<()> {
    let (server, screen) = x11rb::connect(Some(display))?;
    let root = server.setup().roots.get(screen).context("the screen")?.root;
    let window = largest(&server, root)?;
    let (x, y) = (window.x + x, window.y + y);
    for (kind, button) in [(MOTION_NOTIFY_EVENT, 0), (BUTTON_PRESS_EVENT, LEFT), (BUTTON_RELEASE_EVENT, LEFT)]
    {
        server.xtest_fake_input(kind, button, CURRENT_TIME, root, x, y, 0)?.check()?;
    }
    Ok(())
}
