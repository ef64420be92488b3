//! A summary before a cut (X4) whose model is faster than the disk: its whole response is there before anything of the session is read.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt};
use orion_core::model::{ModelDelta, ModelRequest, Profile};
use orion_engine::endpoint::{ModelEndpoint, ModelEvent};
use orion_engine::received::Received;
use orion_engine::{Engine, EngineOptions, Readers};
use orion_protocol::{ErrorInfo, ModelInfo, NoticeCode, StopReason, TurnEvent, TurnOptions};
use support::Folder;

use crate::driver_desk::{Desk, Own, options};

/// A model that answers in a word and repeats itself where it is to sum up. After that it is silent, or its response ends without a reason.
#[derive(Debug, Clone, Copy)]
struct Fast {
    ends: bool,
}

impl ModelEndpoint for Fast {
    fn name(&self) -> &'static str {
        "fast"
    }

    fn model(&self) -> &'static str {
        "fast"
    }

    fn profile(&self) -> Profile {
        Profile::default()
    }

    fn stream(&self, request: ModelRequest, _: Profile, _: Received) -> BoxStream<'static, ModelEvent> {
        let text = |text: &str| ModelEvent::Deltas(vec![ModelDelta::Text { text: text.into() }]);
        let end = ModelEvent::Deltas(vec![ModelDelta::Finish { reason: "stop".into() }]);
        if !request.forbids_tools {
            return stream::iter([text("So."), end, ModelEvent::Ended]).boxed();
        }
        let lines = stream::iter(vec![text("the same line\n"); 400]);
        match self.ends {
            true => lines.chain(stream::iter([ModelEvent::Ended])).boxed(),
            false => lines.chain(stream::pending()).boxed(),
        }
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelInfo>, ErrorInfo>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

/// The session is cut instead, in a command as well as in a window: neither waits for what it holds up itself.
async fn is_cut_instead(ends: bool, readers: Readers) {
    let data = Folder::empty();
    data.write("config/config.toml", "compact_at_cuts = true\n");
    let options =
        options(&data.path(), "http://127.0.0.1:9/v1", Arc::new(Own(move || Arc::new(Fast { ends }))));
    let engine = Engine::open(EngineOptions { readers, ..options }).await.unwrap();
    let desk = Desk::of(engine, Folder::empty(), data).await;
    let small = TurnOptions { window: Some(8_192), ..TurnOptions::default() };
    for number in 0..40 {
        let question = format!("Question {number}. {}", "Why? ".repeat(400));
        let told = desk.read(desk.ask_with(&question, small.clone()).await).await;
        let notices = told.envelopes.iter().filter_map(|envelope| match &envelope.event {
            TurnEvent::Notice { code, .. } => Some(*code),
            _ => None,
        });
        let notices: Vec<NoticeCode> = notices.collect();
        assert_eq!((told.report.answer.as_str(), told.report.stop_reason), ("So.", StopReason::Answered));
        if !notices.is_empty() {
            assert_eq!(notices, [NoticeCode::SummingUp, NoticeCode::NotCompacted]);
            return;
        }
    }
    panic!("the room is never full");
}

#[tokio::test]
async fn a_summary_is_cut_off_while_the_session_is_read() {
    for readers in [Readers::Writer, Readers::Several] {
        is_cut_instead(false, readers).await;
    }
}

#[tokio::test]
async fn the_end_of_a_summary_that_was_cut_off_does_not_end_the_next_call() {
    for readers in [Readers::Writer, Readers::Several] {
        is_cut_instead(true, readers).await;
    }
}
