//! `orion replay`: runs a recorded turn again, and names the first event that is another one (T5, T8).

use orion_engine::{Difference, Replayed};
use orion_protocol::{Code, ErrorInfo};
use serde_json::Value;

use crate::args::ReplayArgs;
use crate::exit::Exit;
use crate::output::{put, unwritable};
use crate::printed::Printed;
use crate::startup::Startup;
use crate::terminal::{notice, remark};

pub(crate) async fn replay(args: &ReplayArgs) -> Result<Exit, ErrorInfo> {
    let engine = Startup::new(args.data_dir.as_ref())?.engine(None).await?;
    let replayed = engine.replay(args.request).await;
    engine.close().await?;
    let Replayed { recorded, replayed, unknown_flags, difference } = replayed?;
    let mut lines = Printed::default();
    for event in &replayed {
        lines.push(&Printed::json(event).map_err(unwritable)?.line());
    }
    put(&lines)?;
    let other = (!unknown_flags.is_empty()).then(|| {
        let numbers: Vec<String> = unknown_flags.iter().map(u16::to_string).collect();
        format!(
            "A later Orion wrote this turn, by rules that this one does not know ({}).",
            numbers.join(", ")
        )
    });
    let Some(difference) = difference else {
        other.iter().for_each(|other| remark(other));
        remark(&format!("{} events, the same as when the turn ran.", recorded.len()));
        return Ok(Exit::Answered);
    };
    for (when, event) in [("recorded", &difference.recorded), ("now", &difference.replayed)] {
        let event = event.as_ref().map_or_else(|| "nothing".to_owned(), Value::to_string);
        notice(&format!("{when}: {event}"));
    }
    let action = other.unwrap_or_else(|| {
        "Another version of Orion wrote it, or its journal was changed: replay it with the version that wrote it.".to_owned()
    });
    let message = format!("Event {} of this turn is not what was recorded.", difference.number);
    Err(ErrorInfo::new(Code::OtherVersion, message, action).with_detail(place(&difference)))
}

/// Where the first difference is, in words.
fn place(difference: &Difference) -> String {
    let Difference { field, recorded, replayed, .. } = difference;
    let event = recorded.as_ref().or(replayed.as_ref());
    let of = |pointer| event.and_then(|event| event.pointer(pointer)).cloned().unwrap_or_default();
    let (kind, seq) = (of("/event/type"), of("/seq"));
    let kind = kind.as_str().unwrap_or("unknown");
    match field {
        Some(field) => format!("The first difference is in {field} of {kind}, event {seq} of the journal."),
        None if recorded.is_none() => format!("Now there is a further event, {kind}."),
        None => format!("Now there is no {kind}, event {seq} of the journal."),
    }
}
