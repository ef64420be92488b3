//! The system's own dialogs, which no driver of a page reaches: keys that the X server takes for a person's.

use anyhow::{Context, Result};
use x11rb::CURRENT_TIME;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    AtomEnum, ConnectionExt as _, InputFocus, KEY_PRESS_EVENT, KEY_RELEASE_EVENT, Keycode, MapState, Window,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

/// Keys that are no characters (X11 `keysymdef.h`); those of ASCII characters are the characters themselves.
const ENTER: u32 = 0xff0d;
const SHIFT: u32 = 0xffe1;

/// A dialog on a display, with the keyboard at it.
#[derive(Debug)]
pub(crate) struct Dialog {
    server: RustConnection,
    root: Window,
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
            let name =
                server.get_property(false, window, AtomEnum::WM_NAME, AtomEnum::ANY, 0, 64)?.reply()?;
            if name.value == title.as_bytes()
                && server.get_window_attributes(window)?.reply()?.map_state == MapState::VIEWABLE
            {
                // Nobody manages windows on this display.
                server.set_input_focus(InputFocus::PARENT, window, CURRENT_TIME)?.check()?;
                return Ok(Some(Self { server, root }));
            }
        }
        Ok(None)
    }

    /// Types an ASCII text and presses Enter.
    ///
    /// # Errors
    /// The keyboard has no such character, or the display is gone.
    pub(crate) fn answer(&self, text: &str) -> Result<()> {
        let keyboard = Keyboard::of(&self.server)?;
        let shift = keyboard.key(SHIFT)?.0;
        for character in text.chars().map(u32::from).chain([ENTER]) {
            let (key, shifted) = keyboard.key(character)?;
            if shifted {
                self.send(KEY_PRESS_EVENT, shift)?;
            }
            self.send(KEY_PRESS_EVENT, key)?;
            self.send(KEY_RELEASE_EVENT, key)?;
            if shifted {
                self.send(KEY_RELEASE_EVENT, shift)?;
            }
        }
        Ok(())
    }

    fn send(&self, kind: u8, key: Keycode) -> Result<()> {
        Ok(self.server.xtest_fake_input(kind, key, CURRENT_TIME, self.root, 0, 0, 0)?.check()?)
    }
}

/// Which key gives which character.
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
