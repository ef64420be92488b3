//! The real window under a test: its own display, home, data and configuration, driven as a person would.
//!
//! Waiting is asking again until a deadline, which is how WebDriver works; nothing sleeps and hopes. When a test fails
//! with a window open, a screenshot and the end of the log are kept in `target/e2e-failures`, and the test says where.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Value, json};

use crate::binaries::{alone, binary};
use crate::dialog::{self, Dialog};
use crate::display::{Display, Driver};
use crate::folder::Folder;
use crate::grab;
use crate::mouse;
use crate::neighbour;
use crate::wait::within;
use crate::webdriver::{Element, Session, WebDriverError};

/// How often a condition is looked at.
const LOOK: Duration = Duration::from_millis(25);

/// How often a key is pressed in a dialog that is still there: as a person would who sees that nothing came of it.
const PRESS_AGAIN: Duration = Duration::from_millis(300);

/// A person's desktop: a display and a home that outlive the window, so that it can be opened again.
#[derive(Debug)]
pub struct Desktop {
    home: Folder,
    display: Display,
    environment: Vec<(String, String)>,
    /// The window's program.
    program: PathBuf,
}

impl Desktop {
    /// An empty home and a light theme.
    #[must_use]
    pub fn start() -> Self {
        let home = Folder::empty();
        let display = Display::start();
        let inside = |folder: &str| home.path().join(folder).display().to_string();
        fs::create_dir(inside("run")).expect("a folder for sockets");
        let environment = [
            ("PATH", std::env::var("PATH").unwrap_or_default()),
            ("LANG", "C.UTF-8".to_owned()),
            ("DISPLAY", display.name.clone()),
            ("GDK_BACKEND", "x11".to_owned()),
            ("GTK_THEME", "Adwaita".to_owned()),
            ("HOME", home.path().display().to_string()),
            ("XDG_RUNTIME_DIR", inside("run")),
            ("XDG_CONFIG_HOME", inside(".config")),
            ("XDG_DATA_HOME", inside(".local/share")),
            ("XDG_CACHE_HOME", inside(".cache")),
            ("ORION_DATA_DIR", inside("data")),
            ("ORION_CONFIG_DIR", inside("config")),
            // No bus: no keychain, no portal and no accessibility service of the machine takes part.
            ("DBUS_SESSION_BUS_ADDRESS", "disabled:".to_owned()),
            ("NO_AT_BRIDGE", "1".to_owned()),
            ("TAURI_WEBVIEW_AUTOMATION", "true".to_owned()),
        ];
        let environment = environment.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { home, display, environment, program: binary("orion-desktop") }
    }

    /// Sets an environment variable for the windows opened from now on.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.environment.retain(|(known, _)| known != name);
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// A dark theme for the windows opened from now on.
    #[must_use]
    pub fn dark(self) -> Self {
        self.with("GTK_THEME", "Adwaita:dark")
    }

    /// The test changes journals, so that they do not replay at its end.
    pub fn changes_journals(&self) {
        self.home.changes_journals();
    }

    /// The folder of sessions and logs.
    #[must_use]
    pub fn data_dir(&self) -> PathBuf {
        self.home.path().join("data")
    }

    /// The folder of config.toml.
    #[must_use]
    pub fn config_dir(&self) -> PathBuf {
        self.home.path().join("config")
    }

    /// The display's name, such as `:99`.
    #[must_use]
    pub fn display(&self) -> &str {
        &self.display.name
    }

    /// The titles of the windows on the display.
    #[must_use]
    pub fn titles(&self) -> Vec<String> {
        dialog::titles(&self.display.name).expect("the display is there")
    }

    /// Gives the keyboard to the window of this title, or to none.
    pub fn focus(&self, title: Option<&str>) {
        dialog::focus(&self.display.name, title).expect("the window is there");
    }

    /// The upper left corner of the window of this title, in pixels.
    #[must_use]
    pub fn place(&self, title: &str) -> (i16, i16) {
        dialog::place(&self.display.name, title).expect("the window is there")
    }

    /// Moves the window of this title.
    pub fn move_to(&self, title: &str, corner: (i32, i32)) {
        dialog::move_to(&self.display.name, title, corner).expect("the window is there");
    }

    /// Copies an image in another program.
    pub fn copy_image(&self, png: &[u8]) {
        neighbour::copy(&self.display.name, vec![("image/png", png.to_vec())]).expect("the display takes it");
    }

    /// Copies files and folders in a file manager.
    pub fn copy_files(&self, paths: &[PathBuf]) {
        neighbour::copy(&self.display.name, neighbour::files(paths)).expect("the display takes them");
    }

    /// Pastes into the window of this title, wherever the cursor is.
    pub fn paste(&self, title: &str) {
        dialog::press_together(&self.display.name, title, &[dialog::CONTROL, 'v'.into()])
            .expect("the window is there");
    }

    /// Drags files and folders from another program to the middle of the window of this title, and lets them go. Whether it took them.
    pub async fn drop_files(&self, title: &str, paths: &[PathBuf]) -> bool {
        let (display, title, paths) = (self.display.name.clone(), title.to_owned(), paths.to_owned());
        let dropped = tokio::task::spawn_blocking(move || neighbour::drop_files(&display, &title, &paths));
        within("the window to take what is dropped on it", dropped)
            .await
            .expect("a drop")
            .expect("the display takes it")
    }

    /// The window's program without those that are built beside it: no sandbox can be set up.
    #[must_use]
    pub fn alone(mut self) -> Self {
        self.program = alone(&self.program, &self.home.path());
        self
    }

    /// One of Orion's programs on this desktop, with the same home, data and settings.
    #[must_use]
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(binary(program));
        command.env_clear().envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Opens Orion's window, with a project or without.
    pub async fn open(&self, project: Option<&Path>) -> Window {
        let arguments =
            project.into_iter().flat_map(|path| ["--project".to_owned(), path.display().to_string()]);
        self.open_with(&arguments.collect::<Vec<_>>()).await
    }

    /// Opens Orion's window with these arguments.
    pub async fn open_with(&self, arguments: &[String]) -> Window {
        let driver = Driver::start(&self.environment).await;
        let program = self.program.display().to_string();
        let session = Session::start(driver.port, &program, arguments).await;
        let session = session.unwrap_or_else(|fault| {
            panic!("the window did not open: {fault}\n{}", log_tail(&self.data_dir()))
        });
        let id = driver.program().expect("the driver's child is the window's process");
        Window { session, id, driver, display: self.display.name.clone(), data_dir: self.data_dir() }
    }
}

/// Orion's window. Parts of it are named by their `data-testid`.
#[derive(Debug)]
pub struct Window {
    pub session: Session,
    id: Pid,
    driver: Driver,
    display: String,
    data_dir: PathBuf,
}

impl Window {
    /// Waits until this part is there and has a size.
    pub async fn see(&self, part: &str) -> Element {
        let shown = "return [...document.querySelectorAll(arguments[0])].findIndex((e) => e.getClientRects().length > 0)";
        let css = test_id(part);
        self.until(&format!("{part} to be seen"), async || {
            let at = self.session.execute(shown, json!([css])).await?.as_i64().unwrap_or(-1);
            let found = self.session.find_all(&css).await?;
            Ok(usize::try_from(at).ok().and_then(|at| found.into_iter().nth(at)))
        })
        .await
    }

    /// Waits until no such part is there any more.
    pub async fn gone(&self, part: &str) {
        let css = test_id(part);
        self.until(&format!("{part} to be gone"), async || {
            Ok(self.session.find_all(&css).await?.is_empty().then_some(()))
        })
        .await;
    }

    /// Waits until some part of this name has a text in it, and gives the whole text.
    pub async fn reads(&self, part: &str, text: &str) -> String {
        self.until(&format!("{part} to read {text:?}"), async || {
            Ok(self.texts(part).await?.into_iter().find(|found| found.contains(text)))
        })
        .await
    }

    /// Waits until this part is there and can be pressed: what approves is drawn disabled at first.
    pub async fn takes_presses(&self, part: &str) {
        let takes = "const e = [...document.querySelectorAll(arguments[0])].find((e) => e.getClientRects().length > 0);
                     return e !== undefined && !e.disabled";
        let css = test_id(part);
        self.until(&format!("{part} to take a press"), async || {
            Ok((self.session.execute(takes, json!([css])).await? == json!(true)).then_some(()))
        })
        .await;
    }

    /// Clicks this part once it is there and takes clicks.
    pub async fn click(&self, part: &str) {
        self.takes_presses(part).await;
        self.until(&format!("{part} to take a click"), async || {
            let element = self.see(part).await;
            self.session.click(&element).await.map(Some)
        })
        .await;
    }

    /// Presses the mouse in the corner of the page, where nothing is, and waits until the page has heard of it.
    pub async fn press_anywhere(&self) {
        let listens = "window.heard = new Promise((heard) => addEventListener('pointerup', () => heard(true), { once: true }))";
        self.script(listens, json!([])).await;
        mouse::press(&self.display, (2, 2)).expect("the display has a mouse");
        within("the page to hear of a press", self.script("return await window.heard", json!([]))).await;
    }

    /// Presses this part with the mouse once, as a person does: the shell of the window sees it, unlike a [`Self::click`].
    pub async fn mouse(&self, part: &str) {
        self.takes_presses(part).await;
        let place = self.place_of(part).await.expect("the page is there");
        mouse::press(&self.display, place.expect("the part is there")).expect("the display has a mouse");
    }

    /// Presses this part with the mouse until it is gone or takes no more presses; again only where it has moved meanwhile.
    pub async fn mouse_away(&self, part: &str) {
        self.takes_presses(part).await;
        let mut pressed = None;
        let mut tick = tokio::time::interval(LOOK);
        within(&format!("{part} to be pressed"), async {
            while let Some(place) = self.place_of(part).await.unwrap_or(pressed) {
                if pressed != Some(place) {
                    mouse::press(&self.display, place).expect("the display has a mouse");
                    pressed = Some(place);
                }
                tick.tick().await;
            }
        })
        .await;
    }

    /// The middle of this part in the page. None where there is none that takes presses.
    async fn place_of(&self, part: &str) -> Result<Option<(i16, i16)>, WebDriverError> {
        let place = "const e = [...document.querySelectorAll(arguments[0])].find((e) => e.getClientRects().length > 0 && !e.disabled);
                     if (!e) return null;
                     e.scrollIntoView({ block: 'center' });
                     const { x, y, width, height } = e.getClientRects()[0];
                     return [Math.round(x + width / 2), Math.round(y + height / 2)]";
        let found = self.session.execute(place, json!([test_id(part)])).await?;
        let Some([x, y]) = found.as_array().map(Vec::as_slice) else { return Ok(None) };
        let at = |it: &Value| it.as_i64().and_then(|it| i16::try_from(it).ok()).unwrap_or_default();
        Ok(Some((at(x), at(y))))
    }

    /// Puts a text into a field in place of what is there.
    pub async fn fill(&self, part: &str, text: &str) {
        let element = self.see(part).await;
        self.session.clear(&element).await.unwrap_or_else(|fault| panic!("clear {part}: {fault}"));
        self.write(part, text).await;
    }

    /// Types into a field, behind what is there.
    pub async fn write(&self, part: &str, text: &str) {
        let element = self.see(part).await;
        self.session
            .type_into(&element, text)
            .await
            .unwrap_or_else(|fault| panic!("type into {part}: {fault}"));
    }

    /// Presses keys together, wherever the focus is.
    pub async fn press(&self, chord: &[char]) {
        self.session.press(chord).await.unwrap_or_else(|fault| panic!("press {chord:?}: {fault}"));
    }

    /// Chooses a file in a field for files. A driven window shows no dialog of the web view for it: the driver chooses in its place.
    pub async fn choose(&self, part: &str, file: &Path) {
        let path = file.to_str().expect("a path of characters");
        self.until(&format!("{part} to take a file"), async || {
            let fields = self.session.find_all(&test_id(part)).await?;
            let Some(field) = fields.first() else { return Ok(None) };
            self.session.type_into(field, path).await.map(Some)
        })
        .await;
    }

    /// Types the path of a folder into the system's dialog of this title, and presses Enter.
    pub async fn pick(&self, title: &str, folder: &Path) {
        let dialog = self.dialog(title).await;
        let folder = folder.to_str().expect("a path of characters that a keyboard has");
        dialog.write(folder).expect("the dialog takes keys");
        close(&dialog, dialog::ENTER).await;
    }

    /// Presses Esc in the system's dialog of this title.
    pub async fn dismiss(&self, title: &str) {
        close(&self.dialog(title).await, dialog::ESCAPE).await;
    }

    async fn dialog(&self, title: &str) -> Dialog {
        let find = || Dialog::find(&self.display, title).expect("the display answers");
        self.until(&format!("{title} to be seen"), async || Ok(find())).await
    }

    /// The texts of all parts of this name as they are seen now.
    pub async fn texts(&self, part: &str) -> Result<Vec<String>, WebDriverError> {
        let texts = "return [...document.querySelectorAll(arguments[0])].map((e) => e.innerText)";
        let found = self.session.execute(texts, json!([test_id(part)])).await?;
        Ok(found
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|text| Some(text.as_str()?.to_owned()))
            .collect())
    }

    /// What the body of a function returns in the page.
    pub async fn script(&self, body: &str, arguments: Value) -> Value {
        self.session.execute(body, arguments).await.unwrap_or_else(|fault| panic!("run {body:?}: {fault}"))
    }

    /// Waits until `look` finds something. An element that went stale meanwhile, or a page that is being loaded, is looked
    /// at again; a driver that is gone is not.
    pub async fn until<T>(&self, what: &str, look: impl AsyncFn() -> Result<Option<T>, WebDriverError>) -> T {
        let mut tick = tokio::time::interval(LOOK);
        within(what, async {
            loop {
                tick.tick().await;
                match look().await {
                    Ok(Some(found)) => return found,
                    Err(fault) if fault.code == "no answer" => panic!("waiting for {what}: {fault}"),
                    Ok(None) | Err(_) => {}
                }
            }
        })
        .await
    }

    /// Sets the size of the page, in CSS pixels.
    pub async fn resize(&self, width: u32, height: u32) {
        self.session.resize(width, height).await.unwrap_or_else(|fault| panic!("resize: {fault}"));
        self.until(&format!("the window to be {width} × {height}"), async || {
            let size = self.session.execute("return [innerWidth, innerHeight]", json!([])).await?;
            Ok((size == json!([width, height])).then_some(()))
        })
        .await;
    }

    /// Saves a picture of the window as `target/e2e-screenshots/NAME.png`, once what was last changed has been painted.
    pub async fn screenshot(&self, name: &str) {
        // Two frames and 50 ms: before that the display may show the frame before the change.
        let painted = "return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))";
        self.script(painted, json!([])).await;
        let picture = grab::largest_window(&self.display).expect("a picture of the display");
        fs::write(folder("e2e-screenshots").join(format!("{name}.png")), picture).expect("a file in target");
    }

    /// The process of the window.
    #[must_use]
    pub fn process(&self) -> u32 {
        self.id.as_raw_nonzero().get().cast_unsigned()
    }

    /// Loads the page anew, as F5 does in a browser.
    pub async fn reload(&self) {
        self.session.reload().await.unwrap_or_else(|fault| panic!("reload: {fault}"));
    }

    /// Ends the program as the system does when a person logs out, and waits until it is gone.
    pub async fn quit(self) {
        self.end(Signal::TERM).await;
    }

    /// Ends the program without any warning.
    pub async fn kill(self) {
        self.end(Signal::KILL).await;
    }

    async fn end(self, signal: Signal) {
        kill_process(self.id, signal).expect("the window's process is there");
        let mut tick = tokio::time::interval(LOOK);
        within("the window's process to end", async {
            while self.driver.program() == Some(self.id) && test_kill_process(self.id).is_ok()
                || threads(self.id) > 1
            {
                tick.tick().await;
            }
        })
        .await;
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        let test = std::thread::current().name().unwrap_or("window").replace("::", "-");
        let picture = folder("e2e-failures").join(format!("{test}.png"));
        match grab::largest_window(&self.display).and_then(|png| Ok(fs::write(&picture, png)?)) {
            Ok(()) => eprintln!("the window when the test failed: {}", picture.display()),
            Err(fault) => eprintln!("no picture of the window: {fault}"),
        }
        eprintln!("{}", log_tail(&self.data_dir));
    }
}

/// Presses a key that closes a dialog until it does: it may take Enter for a name that it offers, or for nothing while it looks for one.
async fn close(dialog: &Dialog, key: u32) {
    let mut tick = tokio::time::interval(PRESS_AGAIN);
    within("the dialog to close", async {
        loop {
            tick.tick().await;
            if dialog.is_closed().expect("the display answers") {
                return;
            }
            dialog.press(key).expect("the dialog takes keys");
        }
    })
    .await;
}

fn test_id(part: &str) -> String {
    format!("[data-testid='{part}']")
}

/// The threads of a process that have not ended: while there is one, its files are open and its locks are held, even when the first
/// of them has ended (proc(5)).
fn threads(process: Pid) -> usize {
    let tasks = format!("/proc/{}/task", process.as_raw_nonzero());
    fs::read_dir(tasks).map_or(0, Iterator::count)
}

/// A folder in `target`.
fn folder(name: &str) -> PathBuf {
    let program = binary("orion-desktop");
    let target = program.parent().and_then(Path::parent).expect("programs lie in target/PROFILE");
    let folder = target.join(name);
    fs::create_dir_all(&folder).expect("a folder in target");
    folder
}

/// The last lines of every log in the data folder.
fn log_tail(data_dir: &Path) -> String {
    let logs = fs::read_dir(data_dir.join("logs")).into_iter().flatten().flatten();
    let tails = logs.map(|entry| {
        let text = fs::read_to_string(entry.path()).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        format!("{}:\n{}", entry.path().display(), lines[lines.len().saturating_sub(40)..].join("\n"))
    });
    tails.collect::<Vec<_>>().join("\n")
}
