//! The system's own dialogs, which the driver of a page cannot reach: keys are sent through the X server, as a
//! person's would be.

use anyhow::{Context, Result};
use x11rb::CURRENT_TIME;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    AtomEnum, ConfigureWindowAux, ConnectionExt as _, InputFocus, KEY_PRESS_EVENT, KEY_RELEASE_EVENT,
    Keycode, MapState, Window,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

/// Keys that are no characters (X11 `keysymdef.h`); those of ASCII characters are the characters themselves.
pub(crate) const ENTER: u32 = 0xff0d;
pub(crate) const ESCAPE: u32 = 0xff1b;
pub(crate) const CONTROL: u32 = 0xffe3;
const SHIFT: u32 = 0xffe1;

/// A dialog on a display, with the keyboard at it.
#[derive(Debug)]
pub(crate) struct Dialog {
    server: RustConnection,
    root: Window,
    window: Window,
    keyboard: Keyboard,
}

impl Dialog {
    /// The dialog of this title, once it is seen.
    ///
    /// # Errors
    /// There is no such display.
    pub(crate) fn find(display: &str, title: &str) -> Result<Option<Self>> {
        let (server, screen) = x11rb::connect(Some(display))?;
        let root = server.setup().roots.get(screen).context("the screen")?.root;
        let windows = server.query_tree(root)?.reply()?.children;
        for window in windows {
            if is_seen(&server, window) && has_title(&server, window, title) {
                // Nobody manages windows on this display. Keys go nowhere once this one is gone, least of all to a button behind it.
                server.set_input_focus(InputFocus::NONE, window, CURRENT_TIME)?.check()?;
                let keyboard = Keyboard::of(&server)?;
                return Ok(Some(Self { server, root, window, keyboard }));
            }
        }
        Ok(None)
    }

    /// Types an ASCII text.
    ///
    /// # Errors
    /// The keyboard has no such character, or the display is gone.
    pub(crate) fn write(&self, text: &str) -> Result<()> {
        text.chars().try_for_each(|character| self.press(character.into()))
    }

    /// Whether it is closed. The keyboard is then where the pointer is, as on a display that nobody has touched.
    ///
    /// # Errors
    /// The display is gone.
    pub(crate) fn is_closed(&self) -> Result<bool> {
        let closed = !is_seen(&self.server, self.window);
        if closed {
            let anywhere = u32::from(InputFocus::POINTER_ROOT);
            self.server.set_input_focus(InputFocus::POINTER_ROOT, anywhere, CURRENT_TIME)?.check()?;
        }
        Ok(closed)
    }

    /// Presses the key for a character or one of the keys above.
    ///
    /// # Errors
    /// The keyboard has no such character, or the display is gone.
    pub(crate) fn press(&self, character: u32) -> Result<()> {
        let (key, shifted) = self.keyboard.key(character)?;
        let shift = if shifted { Some(self.keyboard.key(SHIFT)?.0) } else { None };
        let down = shift.into_iter().chain([key]).map(|key| (KEY_PRESS_EVENT, key));
        let up = [key].into_iter().chain(shift).map(|key| (KEY_RELEASE_EVENT, key));
        for (kind, key) in down.chain(up) {
            self.server.xtest_fake_input(kind, key, CURRENT_TIME, self.root, 0, 0, 0)?.check()?;
        }
        Ok(())
    }
}

/// The titles of the windows that are seen on a display.
///
/// # Errors
/// There is no such display.
pub(crate) fn titles(display: &str) -> Result<Vec<String>> {
    let (server, root) = on(display)?;
    Ok(titled(&server, root)?.into_iter().map(|(_, title)| title).collect())
}

/// Gives the keyboard to the window of this title, or to none.
///
/// # Errors
/// There is no such display or window.
pub(crate) fn focus(display: &str, title: Option<&str>) -> Result<()> {
    let (server, root) = on(display)?;
    let window = match title {
        Some(title) => named(&server, root, title)?,
        None => root,
    };
    server.set_input_focus(InputFocus::NONE, window, CURRENT_TIME)?.check()?;
    Ok(())
}

/// Presses keys together, in order, and lets them go, with the keyboard at the window of this title: as a person does, and unlike the
/// driver of a page, whose keys reach the page alone and no command of the system such as *paste*.
///
/// # Errors
/// There is no such display, window or key.
pub(crate) fn press_together(display: &str, title: &str, characters: &[u32]) -> Result<()> {
    focus(display, Some(title))?;
    let (server, root) = on(display)?;
    let keyboard = Keyboard::of(&server)?;
    let keys: Vec<Keycode> =
        characters.iter().map(|&character| Ok(keyboard.key(character)?.0)).collect::<Result<_>>()?;
    let down = keys.iter().map(|&key| (KEY_PRESS_EVENT, key));
    let up = keys.iter().rev().map(|&key| (KEY_RELEASE_EVENT, key));
    for (kind, key) in down.chain(up) {
        server.xtest_fake_input(kind, key, CURRENT_TIME, root, 0, 0, 0)?.check()?;
    }
    Ok(())
}

/// The upper left corner of the window of this title, in pixels of the display.
///
/// # Errors
/// There is no such display or window.
pub(crate) fn place(display: &str, title: &str) -> Result<(i16, i16)> {
    let (server, root) = on(display)?;
    let area = server.get_geometry(named(&server, root, title)?)?.reply()?;
    Ok((area.x, area.y))
}

/// Moves the window of this title there, as a person would by its title bar.
///
/// # Errors
/// There is no such display or window.
pub(crate) fn move_to(display: &str, title: &str, (x, y): (i32, i32)) -> Result<()> {
    let (server, root) = on(display)?;
    let window = named(&server, root, title)?;
    server.configure_window(window, &ConfigureWindowAux::new().x(x).y(y))?.check()?;
    Ok(())
}

/// The window of this title that is seen.
///
/// # Errors
/// There is no such window.
pub(crate) fn named(server: &RustConnection, root: Window, title: &str) -> Result<Window> {
    let found = titled(server, root)?.into_iter().find(|(_, found)| found == title);
    Ok(found.with_context(|| format!("the window {title}"))?.0)
}

/// The windows that are seen, with their titles.
fn titled(server: &RustConnection, root: Window) -> Result<Vec<(Window, String)>> {
    let name = server.intern_atom(false, b"_NET_WM_NAME")?.reply()?.atom;
    let mut titles = Vec::new();
    for window in server.query_tree(root)?.reply()?.children {
        if is_seen(server, window) {
            let title = server.get_property(false, window, name, AtomEnum::ANY, 0, 1_024)?.reply()?;
            titles.push((window, String::from_utf8_lossy(&title.value).into_owned()));
        }
    }
    Ok(titles)
}

fn on(display: &str) -> Result<(RustConnection, Window)> {
    let (server, screen) = x11rb::connect(Some(display))?;
    let root = server.setup().roots.get(screen).context("the screen")?.root;
    Ok((server, root))
}

/// A window that went meanwhile has none.
fn has_title(server: &RustConnection, window: Window, title: &str) -> bool {
    let asked = server.get_property(false, window, AtomEnum::WM_NAME, AtomEnum::ANY, 0, 64).ok();
    asked.and_then(|asked| asked.reply().ok()).is_some_and(|name| name.value == title.as_bytes())
}

/// A window that is gone is not seen either.
fn is_seen(server: &RustConnection, window: Window) -> bool {
    let asked = server.get_window_attributes(window).ok().and_then(|asked| asked.reply().ok());
    asked.is_some_and(|window| window.map_state == MapState::VIEWABLE)
}

/// Which key gives which character.
#[derive(Debug)]
struct Keyboard {
    first: Keycode,
    /// Of each key, from the first one on: what it gives alone, with Shift, and in other ways.
    characters: Vec<Vec<u32>>,
}

impl Keyboard {
    fn of(server: &RustConnection) -> Result<Self> {
        let (first, last) = (server.setup().min_keycode, server.setup().max_keycode);
        let mapping = server.get_keyboard_mapping(first, last - first + 1)?.reply()?;
        let of_a_key = usize::from(mapping.keysyms_per_keycode);
        Ok(Self { first, characters: mapping.keysyms.chunks(of_a_key).map(<[u32]>::to_vec).collect() })
    }

    /// The key for a character, and whether it takes Shift.
    fn key(&self, character: u32) -> Result<(Keycode, bool)> {
        let find = |way: usize| self.characters.iter().position(|key| key.get(way) == Some(&character));
        let (at, shifted) =
            find(0).map(|at| (at, false)).or_else(|| Some((find(1)?, true))).with_context(|| {
                format!(
                    "the keyboard has no {}",
                    char::from_u32(character).unwrap_or_default().escape_default()
                )
            })?;
        Ok((self.first + Keycode::try_from(at)?, shifted))
    }
}
