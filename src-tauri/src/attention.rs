//! Tells a person who looks at something else that a turn waits for them, is done or has failed.
//!
//! The window's title says so until they look, and the desktop tells it once. Of a conversation nothing but its title leaves the window: a
//! notification can be seen on a locked screen.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use notify_rust::Notification;
use orion_engine::Engine;
use orion_protocol::{Notifications, Pending, RequestId, TurnEvent, Update};
use tauri::{AppHandle, Manager};
use tokio::sync::broadcast::error::RecvError;

use crate::shell::Shell;
use crate::window;

/// The window's title while there is nothing to tell.
const NAME: &str = "Orion";

/// Characters of a session's title in a notification: more are cut by every desktop.
const TITLE: usize = 80;

/// What a person is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum News {
    Waits,
    Done,
    Failed,
}

impl News {
    fn words(self) -> &'static str {
        match self {
            Self::Waits => "Waits for you",
            Self::Done => "Done",
            Self::Failed => "Failed",
        }
    }

    fn is_wanted(self, notifications: Notifications) -> bool {
        match notifications {
            Notifications::All => true,
            Notifications::Waiting => self == Self::Waits,
            Notifications::Off => false,
        }
    }
}

/// What an event means to a person who does not look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Matter {
    News(News),
    /// What it waited for has been answered.
    Answered,
    Nothing,
}

/// What the title of the window tells.
#[derive(Debug, Default)]
pub(crate) struct Attention(Mutex<Told>);

#[derive(Debug, Default)]
struct Told {
    /// The questions that are open.
    open: BTreeMap<RequestId, Pending>,
    /// Turns that wait, with the titles of their sessions.
    waiting: BTreeMap<RequestId, String>,
    /// The last turn that ended while the person looked elsewhere.
    ended: Option<(News, String)>,
}

impl Told {
    /// What an event means for the person, by the question that is open before and after it.
    fn matter(&mut self, request_id: RequestId, event: &TurnEvent) -> Matter {
        let before = self.open.remove(&request_id);
        let waited = before.is_some();
        let after = Pending::after(before, event);
        let waits = after.is_some();
        self.open.extend(after.map(|open| (request_id, open)));
        match event {
            TurnEvent::Completed { .. } => Matter::News(News::Done),
            TurnEvent::Failed { .. } => Matter::News(News::Failed),
            // They stopped it themselves.
            TurnEvent::Stopped { .. } => Matter::Answered,
            event if event.asks() => Matter::News(News::Waits),
            _ if waited && !waits => Matter::Answered,
            _ => Matter::Nothing,
        }
    }

    /// Takes in what has happened. Returns what the desktop is to tell.
    fn take(&mut self, request_id: RequestId, matter: Matter, title: &str, is_seen: bool) -> Option<News> {
        let waited = self.waiting.remove(&request_id).is_some();
        let Matter::News(news) = matter else { return None };
        match news {
            News::Waits => {
                self.waiting.insert(request_id, title.to_owned());
            }
            News::Done | News::Failed if !is_seen => self.ended = Some((news, title.to_owned())),
            News::Done | News::Failed => {}
        }
        // One question that takes the place of another is told once.
        let is_told = is_seen || (waited && news == News::Waits);
        (!is_told).then_some(news)
    }

    fn title(&self) -> String {
        let waits = self.waiting.values().next_back().map(|title| (News::Waits, title));
        let ended = self.ended.as_ref().map(|(news, title)| (*news, title));
        match waits.or(ended) {
            Some((news, title)) if title.is_empty() => format!("{} – {NAME}", news.words()),
            Some((news, title)) => format!("{}: {} – {NAME}", news.words(), short(title)),
            None => NAME.to_owned(),
        }
    }
}

impl Attention {
    fn told(&self) -> MutexGuard<'_, Told> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Follows the turns until the engine closes.
pub(crate) async fn attend(app: AppHandle) {
    let Ok(engine) = app.state::<Shell>().engine().await else { return };
    let mut updates = engine.updates();
    drop(engine);
    loop {
        let envelope = match updates.recv().await {
            Ok(Update::Event { envelope }) => envelope,
            Ok(_) | Err(RecvError::Lagged(_)) => continue,
            Err(RecvError::Closed) => return,
        };
        let matter = app.state::<Attention>().told().matter(envelope.request_id, &envelope.event);
        if matter == Matter::Nothing {
            continue;
        }
        let Ok(engine) = app.state::<Shell>().engine().await else { return };
        // Without its title it is told all the same.
        let title = engine.title_of(envelope.session_id).await.unwrap_or_default();
        let is_seen =
            app.get_webview_window(window::LABEL).is_some_and(|window| window.is_focused().unwrap_or(false));
        let news = app.state::<Attention>().told().take(envelope.request_id, matter, &title, is_seen);
        show_title(&app);
        if let Some(news) = news {
            notify(&engine, news, &title);
        }
    }
}

/// The person looks at the window: what has ended needs no word any more.
pub(crate) fn seen(app: &AppHandle) {
    app.state::<Attention>().told().ended = None;
    show_title(app);
}

fn show_title(app: &AppHandle) {
    let title = app.state::<Attention>().told().title();
    if let Some(window) = app.get_webview_window(window::LABEL)
        && let Err(error) = window.set_title(&title)
    {
        tracing::warn!(%error, "the window's title was not set");
    }
}

/// On a thread of its own: a desktop may take its time, and no turn waits for that.
fn notify(engine: &Engine, news: News, title: &str) {
    if !news.is_wanted(engine.notifications()) {
        return;
    }
    let mut notification = Notification::new();
    // Desktops read a body as markup.
    let body = short(title).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    notification.appname(NAME).summary(news.words()).body(&body);
    tokio::task::spawn_blocking(move || {
        if let Err(error) = notification.show() {
            tracing::info!(%error, "the desktop shows no notifications");
        }
    });
}

fn short(title: &str) -> String {
    let mut short: String = title.chars().take(TITLE).collect();
    if short.len() < title.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use orion_protocol::{CallId, Given, PendingOf, Sha256};

    use super::*;

    fn turn(number: u128) -> RequestId {
        RequestId(uuid::Uuid::from_u128(number))
    }

    #[test]
    fn the_title_says_what_waits_before_what_has_ended_and_then_its_name_again() {
        let mut told = Told::default();
        assert_eq!(told.title(), "Orion");
        assert_eq!(told.take(turn(1), Matter::News(News::Done), "Count the foxes", false), Some(News::Done));
        assert_eq!(told.title(), "Done: Count the foxes – Orion");
        assert_eq!(told.take(turn(2), Matter::News(News::Waits), "", false), Some(News::Waits));
        assert_eq!(told.take(turn(2), Matter::News(News::Waits), "", false), None, "once");
        assert_eq!(told.title(), "Waits for you – Orion");
        assert_eq!(told.take(turn(2), Matter::Answered, "", false), None);
        assert_eq!(told.title(), "Done: Count the foxes – Orion");
        assert_eq!(told.take(turn(2), Matter::News(News::Failed), "Hares", false), Some(News::Failed));
        assert_eq!(told.title(), "Failed: Hares – Orion");
        told.ended = None;
        assert_eq!(told.title(), "Orion");
    }

    // A7
    #[test]
    fn a_turn_that_another_process_takes_over_waits_with_its_question_still() {
        let mut told = Told::default();
        let digest = Sha256::from([1; 32]);
        let of = PendingOf::Questions { tool_call_id: CallId("q".to_owned()), questions: Vec::new() };
        let asked = TurnEvent::Asked { digest, of };
        let answered = TurnEvent::Answered { digest, given: Given::YES };
        assert_eq!(told.matter(turn(1), &asked), Matter::News(News::Waits));
        assert_eq!(told.matter(turn(1), &TurnEvent::Resumed), Matter::Nothing);
        assert_eq!(told.matter(turn(2), &answered), Matter::Nothing, "nobody was asked");
        assert_eq!(told.matter(turn(1), &answered), Matter::Answered);
        assert!(told.open.is_empty());
    }

    #[test]
    fn a_person_who_looks_is_told_nothing_but_what_waits_in_the_title() {
        let mut told = Told::default();
        for news in [News::Done, News::Failed] {
            assert_eq!(told.take(turn(1), Matter::News(news), "Foxes", true), None);
            assert_eq!(told.title(), "Orion");
        }
        assert_eq!(told.take(turn(1), Matter::News(News::Waits), "Foxes", true), None);
        assert_eq!(told.title(), "Waits for you: Foxes – Orion");
    }

    #[test]
    fn the_settings_choose_what_the_desktop_tells() {
        let wanted = |notifications| {
            [News::Waits, News::Done, News::Failed].map(|news: News| news.is_wanted(notifications))
        };
        assert_eq!(wanted(Notifications::All), [true, true, true]);
        assert_eq!(wanted(Notifications::Waiting), [true, false, false]);
        assert_eq!(wanted(Notifications::Off), [false, false, false]);
    }

    #[test]
    fn a_long_title_is_cut() {
        let long = "ä".repeat(81);
        assert_eq!(short(&long), format!("{}…", "ä".repeat(80)));
        assert_eq!(short(&long[2..]), "ä".repeat(80));
    }
}
