use std::sync::{Arc, Mutex};
use std::time::Duration;

use orion_protocol::{Code, ErrorInfo, Update};
use tauri::ipc::{Channel, InvokeResponseBody};
use tokio::sync::broadcast;
use tokio::time::Instant;

use super::*;

/// A webview's end of a channel: every message and when it came.
#[derive(Clone, Default)]
struct Webview(Arc<Mutex<Vec<Message>>>);

type Message = (Instant, Vec<Update>);

impl Webview {
    fn channel(&self) -> Channel<Vec<Update>> {
        let messages = Arc::clone(&self.0);
        Channel::new(move |body| {
            let InvokeResponseBody::Json(json) = body else { panic!("not JSON") };
            messages.lock().unwrap().push((Instant::now(), serde_json::from_str(&json).unwrap()));
            Ok(())
        })
    }

    fn messages(&self) -> Vec<Message> {
        self.0.lock().unwrap().clone()
    }
}

fn problem(name: &str) -> Update {
    Update::Problem { error: ErrorInfo::new(Code::Internal, name, "") }
}

#[tokio::test(start_paused = true)]
async fn the_first_update_goes_at_once_and_the_next_ones_together_12_ms_later() {
    let (engine, updates) = broadcast::channel(16);
    let webview = Webview::default();
    let start = Instant::now();
    let bridge = tokio::spawn(run(updates.into(), webview.channel()));
    engine.send(problem("one")).unwrap();
    tokio::time::advance(Duration::from_millis(1)).await;
    engine.send(problem("two")).unwrap();
    tokio::time::advance(Duration::from_millis(1)).await;
    engine.send(problem("three")).unwrap();
    drop(engine);
    bridge.await.unwrap();
    let [(first_at, first), (second_at, second)] = &webview.messages()[..] else {
        panic!("{:?}", webview.messages())
    };
    assert_eq!((first, second), (&vec![problem("one")], &vec![problem("two"), problem("three")]));
    assert_eq!(*first_at - start, Duration::from_millis(1));
    assert!(
        *second_at - *first_at >= Duration::from_millis(12)
            && *second_at - *first_at <= Duration::from_millis(14)
    );
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_wakes_late_does_not_put_off_the_batches_that_follow() {
    let (engine, updates) = broadcast::channel(64);
    let webview = Webview::default();
    let bridge = tokio::spawn(run(updates.into(), webview.channel()));
    // Half a millisecond past the whole ones that the clock knows.
    tokio::time::advance(Duration::from_micros(500)).await;
    let start = Instant::now();
    for n in 0..100 {
        // Fails only when the bridge has ended, which the last assertion tells.
        let _ = engine.send(problem(&n.to_string()));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    drop(engine);
    bridge.await.unwrap();
    let came = webview.messages().into_iter().map(|(at, _)| (at - start).as_millis());
    let late: Vec<u128> = came.zip(0..).map(|(at, batch)| at - 12 * batch).collect();
    assert!(late.len() > 30 && late.iter().all(|late| *late <= 1), "{late:?}");
}

#[tokio::test(start_paused = true)]
async fn what_a_subscription_begins_with_comes_before_everything_else() {
    let (engine, updates) = broadcast::channel(16);
    engine.send(problem("live")).unwrap();
    drop(engine);
    let webview = Webview::default();
    run(Updates::from(updates).led_by([problem("missed")]), webview.channel()).await;
    let all: Vec<Update> = webview.messages().into_iter().flat_map(|(_, message)| message).collect();
    assert_eq!(all, vec![problem("missed"), problem("live")]);
}

#[tokio::test(start_paused = true)]
async fn a_window_that_was_too_slow_is_told_so() {
    let (engine, updates) = broadcast::channel(2);
    for n in 0..5 {
        engine.send(problem(&n.to_string())).unwrap();
    }
    drop(engine);
    let webview = Webview::default();
    run(updates.into(), webview.channel()).await;
    let all: Vec<Update> = webview.messages().into_iter().flat_map(|(_, message)| message).collect();
    assert_eq!(all, vec![Update::Lagged, problem("3"), problem("4")]);
}

#[tokio::test(start_paused = true)]
async fn a_bridge_ends_when_its_webview_is_gone() {
    let (engine, updates) = broadcast::channel(16);
    let gone = Channel::new(|_| Err(tauri::Error::WebviewNotFound));
    engine.send(problem("nobody")).unwrap();
    run(updates.into(), gone).await;
    assert_eq!(engine.receiver_count(), 0);
}
