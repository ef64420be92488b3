//! What spans say of time (J2): what a model call was spent on, how fast its answer came, and how long a turn waited for a person.

use orion_core::model::{ModelDelta, ModelNumbers};
use orion_core::trace::{TraceFold, TraceRow};
use orion_core::turn::{Done, Effect, Input, JobId, ModelInput, Turn, TurnSetup, Work};
use orion_protocol::{
    CallPart, CallPartKind, Code, ErrorInfo, LinkKind, Policy, Prices, Sha256, Signature, SpanStatus,
    StreamRate, TraceKind, TraceSpan, TurnEvent, Usage, Usd,
};

use crate::common::{call, finish, found, setup, text, yes_or_no};

/// A turn whose inputs come when the test says, with its journal and its spans as they were while it ran.
struct Timed {
    turn: Turn,
    rows: Vec<TraceRow>,
    fold: TraceFold,
    live: std::collections::BTreeMap<u32, TraceSpan>,
    call: u32,
    asked: Option<Sha256>,
    running: Option<JobId>,
}

impl Timed {
    /// The turn begins at 1,000 ms.
    fn start() -> Self {
        Self::priced(None)
    }

    fn priced(prices: Option<Prices>) -> Self {
        let setup = setup(Policy::two_stage());
        let numbers = ModelNumbers { prices, ..setup.numbers };
        let (turn, effects) = Turn::start(TurnSetup { numbers, ..setup });
        let rows = prices.map(|prices| TraceRow::Setup(Some(prices))).into_iter().collect();
        let (fold, live) = (TraceFold::priced(prices), std::collections::BTreeMap::new());
        let mut timed = Self { turn, rows, fold, live, call: 0, asked: None, running: None };
        timed.take(effects);
        timed
    }

    fn at(&mut self, at_ms: i64, input: Input) -> &mut Self {
        self.rows.push(TraceRow::Input(at_ms, input.clone()));
        let span = self.fold.take(at_ms, &input);
        self.live.extend(span.map(|span| (span.span_id, span)));
        let effects = self.turn.step(at_ms, input);
        self.take(effects);
        self
    }

    fn model(&mut self, at_ms: i64, event: ModelInput) -> &mut Self {
        let call = self.call;
        self.at(at_ms, Input::Model { call, event })
    }

    fn says(&mut self, at_ms: i64, delta: orion_core::model::ModelDelta) -> &mut Self {
        self.model(at_ms, ModelInput::Deltas { deltas: vec![delta] })
    }

    fn take(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Emit(envelope) | Effect::Show(envelope) => {
                    if let TurnEvent::Asked { digest, .. } = &envelope.event {
                        self.asked = Some(*digest);
                    }
                    self.live.extend(self.fold.apply(&envelope).into_iter().map(|span| (span.span_id, span)));
                    self.rows.push(TraceRow::Event(envelope.into()));
                }
                Effect::CallModel { call, .. } => self.call = call,
                Effect::Begin { job, work: Work::Tool { .. } } => self.running = Some(job),
                _ => {}
            }
        }
    }

    /// The spans of the journal, which are those that were seen while the turn ran.
    fn spans(&self) -> Vec<TraceSpan> {
        let spans = TraceFold::of(self.rows.clone());
        assert_eq!(self.live.values().cloned().collect::<Vec<_>>(), spans);
        spans
    }
}

fn reasoning(text: &str) -> orion_core::model::ModelDelta {
    orion_core::model::ModelDelta::Reasoning { text: text.to_owned() }
}

fn part(kind: CallPartKind, start_ms: i64, end_ms: i64, bytes: u64, attempt: u32) -> CallPart {
    CallPart { kind, start_ms, end_ms: Some(end_ms), bytes, attempt }
}

fn of_kind(spans: &[TraceSpan], kind: TraceKind) -> Vec<&TraceSpan> {
    spans.iter().filter(|span| span.kind == kind).collect()
}

// J2
#[test]
fn a_model_call_is_split_into_what_its_time_was_spent_on() {
    let mut timed = Timed::start();
    let busy = ErrorInfo::new(Code::Overloaded, "Busy.", "").retryable();
    timed
        .model(1_100, ModelInput::Retrying { attempt: 2, delay_ms: 500, cause: busy })
        .model(1_700, ModelInput::Connected)
        .says(2_000, reasoning("Hm."))
        .says(2_400, text("Look:"))
        .says(2_500, call(0, "c1", "read", "{\"path\":\"a\"}"));
    let spans = timed.spans();
    let [model] = of_kind(&spans, TraceKind::ModelCall)[..] else { panic!("{spans:?}") };
    assert_eq!(
        model.parts,
        [
            part(CallPartKind::Connecting, 1_000, 1_100, 0, 1),
            part(CallPartKind::Backoff, 1_100, 1_600, 0, 2),
            part(CallPartKind::Connecting, 1_600, 1_700, 0, 2),
            part(CallPartKind::FirstToken, 1_700, 2_000, 0, 2),
            part(CallPartKind::Reasoning, 2_000, 2_400, 3, 2),
            part(CallPartKind::Text, 2_400, 2_500, 5, 2),
            part(CallPartKind::Arguments, 2_500, 2_500, 12, 2),
        ]
    );
    assert_eq!((model.call, model.first_byte_ms, model.end_ms), (Some(1), Some(2_000), Some(2_500)));
    assert_eq!(model.stream, Some(StreamRate { start_ms: 2_000, step_ms: 250, bytes: vec![3, 5, 12] }));
    let retries: Vec<_> = of_kind(&spans, TraceKind::Error).iter().map(|retry| retry.parent_id).collect();
    assert_eq!(retries, [Some(model.span_id)], "a retry stands in its call");
}

// J2
#[test]
fn a_call_of_an_earlier_orion_is_split_at_its_first_byte() {
    let mut timed = Timed::start();
    timed.says(1_300, text("Hello.")).says(1_400, finish("stop")).model(1_500, ModelInput::Ended);
    let events = timed.rows.iter().filter_map(|row| match row {
        TraceRow::Event(envelope) => Some(&**envelope),
        TraceRow::Setup(_) | TraceRow::Input(..) => None,
    });
    let spans = TraceFold::all(events);
    let [model] = of_kind(&spans, TraceKind::ModelCall)[..] else { panic!("{spans:?}") };
    let parts =
        [part(CallPartKind::FirstToken, 1_000, 1_300, 0, 1), part(CallPartKind::Text, 1_300, 1_500, 0, 1)];
    assert_eq!((&model.parts[..], model.first_byte_ms, &model.stream), (&parts[..], Some(1_300), &None));
}

// J2, T8
#[test]
fn a_model_call_costs_what_the_prices_of_its_turn_say() {
    let dollars = |amount: f64| serde_json::from_value::<Usd>(serde_json::json!(amount)).unwrap();
    let prices = Prices {
        prompt: dollars(2.0),
        completion: dollars(10.0),
        cached: Some(dollars(0.5)),
        reasoning: None,
    };
    for (prices, costs) in [(Some(prices), serde_json::json!(0.0027)), (None, serde_json::Value::Null)] {
        let mut timed = Timed::priced(prices);
        let usage = Usage {
            prompt_tokens: Some(1_000),
            cached_tokens: Some(200),
            completion_tokens: Some(100),
            ..Usage::default()
        };
        timed
            .says(1_500, text("Seven."))
            .says(1_600, ModelDelta::Usage { usage })
            .says(1_700, finish("stop"));
        timed.model(1_800, ModelInput::Ended);
        let spans = timed.spans();
        let [model] = of_kind(&spans, TraceKind::ModelCall)[..] else { panic!("{spans:?}") };
        let told = |span: &TraceSpan| span.attributes.get("costUsd").cloned().unwrap_or_default();
        assert_eq!((told(model), told(&spans[0])), (costs.clone(), costs));
    }
}

// J2, J3: whatever a model streams.
#[test]
fn the_parts_and_the_rate_of_a_call_are_bounded_and_lose_no_byte() {
    let mut timed = Timed::start();
    for number in 0..10_000 {
        let at_ms = 1_000 + number * 97;
        timed.says(at_ms, if number % 2 == 0 { reasoning("r") } else { text("t") });
    }
    // A clock that is set back.
    timed.says(5, text("t")).model(2_000_000, ModelInput::Ended);
    let spans = timed.spans();
    let model = of_kind(&spans, TraceKind::ModelCall)[0];
    let rate = model.stream.as_ref().unwrap();
    assert!(model.parts.len() <= 64 && rate.bytes.len() <= 64, "{} {}", model.parts.len(), rate.bytes.len());
    assert_eq!(model.parts.iter().map(|part| part.bytes).sum::<u64>(), 10_001);
    assert_eq!(rate.bytes.iter().sum::<u64>(), 10_001);
    let ends: Vec<_> = model.parts.iter().map(|part| part.end_ms).collect();
    let starts = model.parts.iter().skip(1).map(|part| Some(part.start_ms));
    assert_eq!(ends[..ends.len() - 1], starts.collect::<Vec<_>>(), "no gap between parts");
}

// J2, A3
#[test]
fn time_in_which_the_turn_waits_for_a_person_is_a_span_and_counts_in_those_around_it() {
    let mut timed = Timed::start();
    timed.says(1_200, call(0, "c1", "ask", "{\"path\":\"a\"}"));
    let digest = timed.asked.unwrap();
    timed.at(9_200, yes_or_no(digest, true));
    let job = timed.running.unwrap();
    let done = Done::Tool { outcome: found("alpha").into(), duration_ms: 100 };
    timed.at(9_300, Input::Done { job, done });
    timed.at(9_400, Input::Stop);
    let spans = timed.spans();
    let waited: Vec<_> = spans
        .iter()
        .filter(|span| span.waited_ms > 0)
        .map(|span| (span.kind, span.name.as_str(), span.start_ms, span.end_ms, span.waited_ms))
        .collect();
    assert_eq!(
        waited,
        [
            (TraceKind::Turn, "turn", 1_000, Some(9_400), 8_000),
            (TraceKind::OrchestrationPhase, "tool 1", 1_200, Some(9_300), 8_000),
            (TraceKind::ToolCall, "ask", 1_200, Some(9_300), 8_000),
            (TraceKind::Approval, "ask", 1_200, Some(9_200), 8_000),
        ]
    );
    let call = of_kind(&spans, TraceKind::ToolCall)[0];
    assert_eq!(
        (call.path.as_deref(), call.tool_call_id.as_ref().map(|id| id.0.as_str()), call.signature.is_some()),
        (Some("a"), Some("c1"), true)
    );
    assert!(of_kind(&spans, TraceKind::ToolResult).is_empty(), "one call is one span");
    let [stop] = of_kind(&spans, TraceKind::Stop)[..] else { panic!("{spans:?}") };
    assert_eq!((stop.name.as_str(), stop.start_ms, stop.end_ms), ("stopped", 9_400, Some(9_400)));
}

// J2, A5
#[test]
fn a_turn_that_was_interrupted_is_one_span_that_goes_on() {
    let mut timed = Timed::start();
    timed.says(1_200, call(0, "c1", "read", "{\"path\":\"a\"}")).at(5_000, Input::Interrupted);
    assert_eq!(timed.spans()[0].status, SpanStatus::Stopped);
    timed.at(6_000, Input::Stop);
    let spans = timed.spans();
    let turns = of_kind(&spans, TraceKind::Turn);
    let found: Vec<_> = turns.iter().map(|turn| (turn.span_id, turn.status, turn.end_ms)).collect();
    assert_eq!(found, [(1, SpanStatus::Stopped, Some(6_000))]);
    let stops: Vec<_> = of_kind(&spans, TraceKind::Stop).iter().map(|stop| stop.name.clone()).collect();
    assert_eq!(stops, ["interrupted", "stopped"]);
    assert!(spans.iter().all(|span| span.end_ms.is_some()));
}

// J2, X6
#[test]
fn a_reused_result_links_to_the_turn_that_read_it() {
    let (request_id, original) = (crate::common::ids().request_id, orion_protocol::CallId("c9".to_owned()));
    let mut timed = Timed::start();
    let TraceRow::Event(started) = timed.rows[0].clone() else { panic!("{:?}", timed.rows) };
    let event = TurnEvent::CallReused {
        tool_call_id: orion_protocol::CallId("c1".to_owned()),
        name: "read".to_owned(),
        arguments: serde_json::json!({ "path": "a" }),
        signature: Signature("s".to_owned()),
        original_request_id: request_id,
        original: original.clone(),
        count: 1,
        limit: 3,
    };
    timed.rows.push(TraceRow::Event(orion_protocol::Envelope { event, ..*started }.into()));
    let spans = TraceFold::of(timed.rows);
    let links = &of_kind(&spans, TraceKind::ToolCall)[0].links;
    let expected =
        orion_protocol::SpanLink { kind: LinkKind::Reused, request_id, tool_call_id: Some(original) };
    assert_eq!(links[..], [expected]);
}

// J3
#[test]
fn an_argument_that_is_named_like_a_secret_is_hidden() {
    let mut timed = Timed::start();
    let arguments = r#"{"path":"a","api_key":"canary","nested":[{"Auth-Token":"canary","passWord":{"a":"canary"}}],"tokens":3}"#;
    timed.says(1_200, call(0, "c1", "read", arguments));
    let spans = timed.spans();
    let shown = serde_json::to_string(&spans).unwrap();
    assert!(!shown.contains("canary"), "{shown}");
    let arguments = of_kind(&spans, TraceKind::ToolCall)[0].attributes["arguments"].as_str().unwrap();
    assert!(arguments.contains("\"tokens\":3") && arguments.contains("[hidden]"), "{arguments}");
}
