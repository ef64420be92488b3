//! Another program on the display, from which a person copies and drags: X11 selections (ICCCM 2) and drags (XDND 5).

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ClientMessageEvent, ConnectionExt as _, CreateWindowAux, EventMask, PropMode,
    SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, SelectionRequestEvent, Window, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;
use x11rb::{COPY_DEPTH_FROM_PARENT, COPY_FROM_PARENT, CURRENT_TIME, NONE};

use crate::dialog;

/// The version of XDND that is spoken here.
const VERSION: u32 = 5;

/// A form of a thing, such as `image/png`, and the thing in it.
pub(crate) type Form = (&'static str, Vec<u8>);

/// A program that gives one thing, in up to three forms, to whoever asks.
struct Neighbour {
    server: RustConnection,
    root: Window,
    own: Window,
    forms: Vec<(Atom, Vec<u8>)>,
}

/// Files as a file manager gives them: where they are, and their paths as a text.
pub(crate) fn files(paths: &[PathBuf]) -> Vec<Form> {
    let uris: String = paths.iter().map(|path| format!("file://{}\r\n", path.display())).collect();
    let lines: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    vec![("text/uri-list", uris.into_bytes()), ("UTF8_STRING", lines.join("\n").into_bytes())]
}

/// Copies something in another program. It can be pasted until something else is copied or the display is gone.
///
/// # Errors
/// There is no such display.
pub(crate) fn copy(display: &str, forms: Vec<Form>) -> Result<()> {
    let program = Neighbour::start(display, forms)?;
    program.own("CLIPBOARD")?;
    std::thread::spawn(move || -> Result<()> {
        loop {
            if let Event::SelectionRequest(asked) = program.server.wait_for_event()? {
                program.give(&asked)?;
            }
        }
    });
    Ok(())
}

/// Drags files from another program over the middle of the window of this title and lets them go there. Gives back whether the
/// window took them.
///
/// # Errors
/// There is no such display or window, or the window never takes what is over it.
pub(crate) fn drop_files(display: &str, title: &str, paths: &[PathBuf]) -> Result<bool> {
    let program = Neighbour::start(display, files(paths))?;
    program.own("XdndSelection")?;
    let window = dialog::named(&program.server, program.root, title)?;
    let area = program.server.get_geometry(window)?.reply()?;
    let (x, y) =
        (i32::from(area.x) + i32::from(area.width) / 2, i32::from(area.y) + i32::from(area.height) / 2);

    let mut forms = program.forms.iter().map(|(form, _)| *form).chain(std::iter::repeat(NONE));
    let [first, second, third] = std::array::from_fn(|_| forms.next().unwrap_or(NONE));
    program.tell(window, "XdndEnter", [VERSION << 24, first, second, third])?;
    let copies = program.atom("XdndActionCopy")?;
    let hover = || {
        let at = (x.cast_unsigned() << 16) | y.cast_unsigned();
        program.tell(window, "XdndPosition", [NONE, at, CURRENT_TIME, copies])
    };
    hover()?;
    let (status, finished) = (program.atom("XdndStatus")?, program.atom("XdndFinished")?);
    loop {
        match program.server.wait_for_event()? {
            Event::SelectionRequest(asked) => {
                program.give(&asked)?;
            }
            Event::ClientMessage(told) if told.type_ == status => {
                if told.data.as_data32()[1] & 1 == 1 {
                    program.tell(window, "XdndDrop", [NONE, CURRENT_TIME, NONE, NONE])?;
                } else {
                    // It first asks what it is that comes over it.
                    hover()?;
                }
            }
            Event::ClientMessage(told) if told.type_ == finished => {
                return Ok(told.data.as_data32()[1] & 1 == 1);
            }
            _ => {}
        }
    }
}

impl Neighbour {
    fn start(display: &str, forms: Vec<Form>) -> Result<Self> {
        let (server, screen) = x11rb::connect(Some(display))?;
        let root = server.setup().roots.get(screen).context("the screen")?.root;
        let own = server.generate_id()?;
        // Seen by nobody: a window that is never mapped can own things and be told things.
        server.create_window(
            COPY_DEPTH_FROM_PARENT,
            own,
            root,
            0,
            0,
            1,
            1,
            0,
            WindowClass::INPUT_OUTPUT,
            COPY_FROM_PARENT,
            &CreateWindowAux::new(),
        )?;
        let atom =
            |name: &str| -> Result<Atom> { Ok(server.intern_atom(false, name.as_bytes())?.reply()?.atom) };
        let forms = forms.into_iter().map(|(name, content)| Ok((atom(name)?, content)));
        let forms = forms.collect::<Result<Vec<_>>>()?;
        Ok(Self { server, root, own, forms })
    }

    fn atom(&self, name: &str) -> Result<Atom> {
        Ok(self.server.intern_atom(false, name.as_bytes())?.reply()?.atom)
    }

    fn own(&self, selection: &str) -> Result<()> {
        let selection = self.atom(selection)?;
        self.server.set_selection_owner(self.own, selection, CURRENT_TIME)?.check()?;
        if self.server.get_selection_owner(selection)?.reply()?.owner != self.own {
            bail!("another program keeps the selection");
        }
        Ok(())
    }

    /// Gives the thing, or the list of its forms. Any other form is declined.
    fn give(&self, asked: &SelectionRequestEvent) -> Result<()> {
        let property = if asked.property == NONE { asked.target } else { asked.property };
        let list_of_forms = self.atom("TARGETS")?;
        let wanted = self.forms.iter().find(|(form, _)| *form == asked.target);
        let given = if asked.target == list_of_forms {
            let forms = self.forms.iter().map(|(form, _)| *form);
            let list: Vec<Atom> = std::iter::once(list_of_forms).chain(forms).collect();
            self.server.change_property32(
                PropMode::REPLACE,
                asked.requestor,
                property,
                AtomEnum::ATOM,
                &list,
            )?;
            property
        } else if let Some((form, content)) = wanted {
            self.server.change_property8(PropMode::REPLACE, asked.requestor, property, *form, content)?;
            property
        } else {
            NONE
        };
        let answer = SelectionNotifyEvent {
            response_type: SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time: asked.time,
            requestor: asked.requestor,
            selection: asked.selection,
            target: asked.target,
            property: given,
        };
        self.server.send_event(false, asked.requestor, EventMask::NO_EVENT, answer)?.check()?;
        Ok(())
    }

    /// A message of XDND, which begins with the window that it comes from.
    fn tell(&self, window: Window, message: &str, [a, b, c, d]: [u32; 4]) -> Result<()> {
        let message = ClientMessageEvent::new(32, window, self.atom(message)?, [self.own, a, b, c, d]);
        self.server.send_event(false, window, EventMask::NO_EVENT, message)?.check()?;
        Ok(())
    }
}
