use std::time::{Duration, Instant};

use orion_protocol::{
    Code, Envelope, ErrorInfo, Phase, ProjectId, RequestId, SessionId, TurnEvent, Update, WatchState,
};
use proptest::prelude::*;
use uuid::Uuid;

use super::*;

fn event(turn: u128, seq: u32, event: TurnEvent) -> Update {
    Update::Event {
        envelope: Envelope {
            v: orion_protocol::PROTOCOL_VERSION,
            request_id: RequestId(Uuid::from_u128(turn)),
            session_id: SessionId(Uuid::from_u128(7)),
            project_id: ProjectId(Uuid::from_u128(8)),
            seq,
            at_ms: 1_000,
            phase: Phase::ActionPhase,
            tool_batch_id: None,
            event,
        },
    }
}

fn text(offset: u64, text: &str) -> Update {
    event(1, 3, TurnEvent::TextChunk { offset, text: text.into() })
}

fn content(write: u32, offset: u64, text: &str, lines: u64) -> Update {
    let (text, bytes) = (text.to_owned(), offset + text.len() as u64);
    event(1, 3, TurnEvent::WriteProgress { write, offset, text, lines, bytes })
}

fn other(name: &str) -> Update {
    Update::Problem { error: ErrorInfo::new(Code::Internal, name, "") }
}

fn at(start: Instant, ms: u64) -> Instant {
    start + Duration::from_millis(ms)
}

#[test]
fn an_update_goes_at_once_when_nothing_was_sent_before() {
    let now = Instant::now();
    let mut batches = Batches::default();
    batches.push(text(0, "Hello"));
    assert_eq!(batches.due(now), Some(now));
    assert_eq!(batches.take(now), vec![vec![text(0, "Hello")]]);
    assert_eq!(batches.due(now), None);
}

#[test]
fn updates_within_the_pace_wait_for_the_next_batch_and_go_together() {
    let start = Instant::now();
    let mut batches = Batches::default();
    batches.push(text(0, "Hel"));
    batches.take(start);
    batches.push(text(3, "lo "));
    batches.push(other("aside"));
    assert_eq!(batches.due(at(start, 1)), Some(at(start, 12)));
    assert_eq!(batches.take(at(start, 11)), Vec::<Vec<Update>>::new());
    batches.push(text(6, "world"));
    assert_eq!(batches.take(at(start, 12)), vec![vec![text(3, "lo "), other("aside"), text(6, "world")]]);
}

#[test]
fn adjacent_pieces_of_one_text_become_one() {
    let now = Instant::now();
    let mut batches = Batches::default();
    batches.push(text(0, "a \"quoted\" "));
    batches.push(text(11, "né\n"));
    batches.push(text(15, "end"));
    assert_eq!(batches.waiting_bytes, json_bytes(&text(0, "a \"quoted\" né\nend")));
    assert_eq!(batches.take(now), vec![vec![text(0, "a \"quoted\" né\nend")]]);
    assert_eq!(batches.waiting_bytes, 0);
}

#[test]
fn adjacent_pieces_of_one_file_become_one_that_says_how_far_it_is() {
    let now = Instant::now();
    let mut batches = Batches::default();
    batches.push(content(1, 95, "fox \"9\"\n", 9));
    batches.push(content(1, 103, "fn n", 10));
    batches.push(content(1, 107, "é\n", 10));
    let whole = content(1, 95, "fox \"9\"\nfn né\n", 10);
    assert_eq!(batches.waiting_bytes, json_bytes(&whole));
    assert_eq!(batches.take(now), vec![vec![whole]]);
    assert_eq!(batches.waiting_bytes, 0);

    // Another file, a gap, another seq: none of them goes on.
    let apart = vec![
        content(1, 110, "a", 11),
        content(2, 111, "b", 1),
        content(2, 113, "c", 1),
        event(
            1,
            4,
            TurnEvent::WriteProgress { write: 2, offset: 114, text: "d".into(), lines: 1, bytes: 115 },
        ),
        event(1, 4, TurnEvent::TextChunk { offset: 115, text: "e".into() }),
    ];
    for piece in &apart {
        batches.push(piece.clone());
    }
    assert_eq!(batches.take(at(now, 12)), vec![apart]);
}

#[test]
fn pieces_stay_apart_when_a_gap_a_turn_a_seq_or_a_kind_is_between() {
    let now = Instant::now();
    let pieces = vec![
        text(0, "a"),
        text(2, "gap"),
        event(2, 3, TurnEvent::TextChunk { offset: 5, text: "other turn".into() }),
        event(2, 4, TurnEvent::TextChunk { offset: 15, text: "later seq".into() }),
        event(2, 4, TurnEvent::ReasoningChunk { offset: 24, text: "reasoning".into() }),
    ];
    let mut batches = Batches::default();
    for piece in &pieces {
        batches.push(piece.clone());
    }
    assert_eq!(batches.take(now), vec![pieces]);
}

#[test]
fn a_batch_is_cut_into_messages_and_the_rest_waits_for_the_next_one() {
    let start = Instant::now();
    let mut batches = Batches::default();
    let large: Vec<Update> = (0..6).map(|n| other(&format!("{n}{}", "x".repeat(5_000)))).collect();
    for update in &large {
        batches.push(update.clone());
    }
    let first = batches.take(start);
    assert_eq!(first, large[..4].iter().map(|update| vec![update.clone()]).collect::<Vec<_>>());
    let second = batches.take(at(start, 12));
    assert_eq!(second, large[4..].iter().map(|update| vec![update.clone()]).collect::<Vec<_>>());
}

#[test]
fn an_update_larger_than_a_message_goes_alone_and_in_its_place() {
    let now = Instant::now();
    let huge = other(&"x".repeat(3 * MESSAGE_BYTES));
    let mut batches = Batches::default();
    batches.push(other("before"));
    batches.push(huge.clone());
    batches.push(other("after"));
    assert_eq!(batches.take(now), vec![vec![other("before")], vec![huge], vec![other("after")]]);
}

#[test]
fn a_text_becomes_no_longer_than_a_message() {
    let now = Instant::now();
    let piece = "x".repeat(1_000);
    let mut batches = Batches::default();
    for n in 0..20 {
        batches.push(text(n * 1_000, &piece));
    }
    let sent: Vec<Vec<Update>> = batches.take(now);
    assert!(sent.iter().all(|message| message.len() == 1 && json_bytes(message) < MESSAGE_BYTES));
    assert_eq!(characters(&sent.concat()), characters(&[text(0, &piece.repeat(20))]));
}

#[test]
fn no_more_is_taken_while_too_much_waits() {
    let now = Instant::now();
    let mut batches = Batches::default();
    while batches.has_room() {
        batches.push(other(&"x".repeat(8_000)));
    }
    let waiting = batches.waiting_bytes;
    assert!((WAITING_BYTES..WAITING_BYTES + 9_000).contains(&waiting), "{waiting}");
    batches.take(now);
    assert!(batches.has_room());
}

/// What a model, a watcher and the store may cause, in any order.
fn updates() -> impl Strategy<Value = Vec<(u64, Piece)>> {
    let piece = prop_oneof![
        6 => ("\\PC{0,40}", 0..2u128).prop_map(|(text, turn)| Piece::Text { turn, text }),
        1 => ("\\PC{0,40}", 0..2u128).prop_map(|(text, turn)| Piece::Reasoning { turn, text }),
        6 => ("[a\"é\n]{1,40}", 1..3u32).prop_map(|(text, write)| Piece::Content { write, text }),
        1 => (0..2u128).prop_map(|turn| Piece::Durable { turn }),
        1 => (0..12_000usize).prop_map(Piece::Large),
        1 => Just(Piece::Watch),
    ];
    prop::collection::vec((0..30u64, piece), 0..100)
}

#[derive(Debug, Clone)]
enum Piece {
    Text { turn: u128, text: String },
    Reasoning { turn: u128, text: String },
    Content { write: u32, text: String },
    Durable { turn: u128 },
    Large(usize),
    Watch,
}

/// The updates of the pieces, with offsets and `seq` as the engine gives them (E1).
#[derive(Default)]
struct Turns {
    seq: [u32; 2],
    text: [u64; 2],
    reasoning: [u64; 2],
    content: [u64; 2],
    line_ends: [u64; 2],
}

impl Turns {
    fn update(&mut self, piece: Piece) -> Update {
        match piece {
            Piece::Text { turn, text } => {
                let offset = self.text[turn as usize];
                self.text[turn as usize] += text.len() as u64;
                event(turn, self.seq[turn as usize], TurnEvent::TextChunk { offset, text })
            }
            Piece::Reasoning { turn, text } => {
                let offset = self.reasoning[turn as usize];
                self.reasoning[turn as usize] += text.len() as u64;
                event(turn, self.seq[turn as usize], TurnEvent::ReasoningChunk { offset, text })
            }
            Piece::Content { write, text } => {
                let file = write as usize - 1;
                let offset = self.content[file];
                self.content[file] += text.len() as u64;
                self.line_ends[file] += text.matches('\n').count() as u64;
                let lines = self.line_ends[file] + u64::from(!text.ends_with('\n'));
                event(
                    0,
                    self.seq[0],
                    TurnEvent::WriteProgress { write, offset, text, lines, bytes: self.content[file] },
                )
            }
            Piece::Durable { turn } => {
                self.seq[turn as usize] += 1;
                event(turn, self.seq[turn as usize], TurnEvent::Resumed)
            }
            Piece::Large(bytes) => other(&"x".repeat(bytes)),
            Piece::Watch => Update::FilesChanged {
                project_id: ProjectId(Uuid::from_u128(8)),
                watch: WatchState::Watching,
            },
        }
    }
}

/// The updates with every text cut into characters, which no batching may change.
fn characters(updates: &[Update]) -> Vec<String> {
    let mut all = Vec::new();
    for update in updates {
        match update {
            Update::Event {
                envelope: Envelope { request_id, seq, event: TurnEvent::TextChunk { offset, text }, .. },
            } => {
                all.extend(
                    text.char_indices()
                        .map(|(at, c)| format!("text {request_id} {seq} {} {c:?}", offset + at as u64)),
                );
            }
            Update::Event {
                envelope: Envelope { request_id, seq, event: TurnEvent::ReasoningChunk { offset, text }, .. },
            } => {
                all.extend(
                    text.char_indices()
                        .map(|(at, c)| format!("reasoning {request_id} {seq} {} {c:?}", offset + at as u64)),
                );
            }
            Update::Event {
                envelope: Envelope { seq, event: TurnEvent::WriteProgress { write, offset, text, .. }, .. },
            } => {
                all.extend(
                    text.char_indices()
                        .map(|(at, c)| format!("content {write} {seq} {} {c:?}", offset + at as u64)),
                );
            }
            other => all.push(format!("{other:?}")),
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    /// Nothing is lost, doubled or put in another order; messages are small; batches keep the pace; nothing waits longer
    /// than what is before it takes.
    #[test]
    fn every_update_arrives_in_order_in_small_messages_at_the_pace(steps in updates()) {
        let start = Instant::now();
        let mut now = start;
        let mut batches = Batches::default();
        let mut turns = Turns::default();
        let (mut given, mut got) = (Vec::new(), Vec::new());
        let mut last_batch: Option<Instant> = None;
        let send = |batches: &mut Batches, now: Instant, got: &mut Vec<Update>, last_batch: &mut Option<Instant>| {
            let messages = batches.take(now);
            prop_assert!(messages.len() <= MESSAGES_PER_BATCH);
            if messages.is_empty() {
                return Ok(());
            }
            if let Some(last) = *last_batch {
                prop_assert!(now - last >= PACE);
            }
            *last_batch = Some(now);
            for message in messages {
                let bytes = serde_json::to_string(&message).unwrap().len();
                prop_assert!(!message.is_empty());
                prop_assert!(bytes < MESSAGE_BYTES || message.len() == 1, "{bytes} bytes in {} updates", message.len());
                got.extend(message);
            }
            Ok(())
        };
        for (wait, piece) in steps {
            let until = now + Duration::from_millis(wait);
            // As the bridge does: whatever falls due before the next update is sent when it is due.
            while let Some(due) = batches.due(now).filter(|due| *due <= until) {
                now = due;
                send(&mut batches, now, &mut got, &mut last_batch)?;
            }
            now = until;
            let update = turns.update(piece);
            given.push(update.clone());
            batches.push(update);
            let due = batches.due(now).unwrap();
            prop_assert!(due <= now + PACE, "an update waits {:?}", due - now);
        }
        while let Some(due) = batches.due(now) {
            now = due;
            send(&mut batches, now, &mut got, &mut last_batch)?;
        }
        prop_assert_eq!(batches.waiting_bytes, 0);
        prop_assert_eq!(characters(&got), characters(&given));
    }
}
