//! `orion trace --raw`: what came back in one model call.

use orion_engine::Engine;
use orion_protocol::{Answer, Code, ErrorInfo, Query, RawResponse, RequestId};

use crate::exit::Exit;
use crate::output::{put, unwritable};
use crate::printed::Printed;
use crate::terminal::size;

pub(crate) async fn show(
    engine: &Engine,
    request_id: RequestId,
    call: u32,
    json: bool,
) -> Result<Exit, ErrorInfo> {
    let Answer::RawResponse { response } = engine.query(Query::RawResponse { request_id, call }).await?
    else {
        return Ok(Exit::Failed);
    };
    let response = response.ok_or_else(|| not_kept(call))?;
    put(&match json {
        true => Printed::json(&response).map_err(unwritable)?.line(),
        false => Printed::record(&text(response)),
    })?;
    Ok(Exit::Answered)
}

fn text(response: RawResponse) -> String {
    let RawResponse { start: mut text, left_out, end, .. } = response;
    if left_out > 0 {
        text.push_str(&format!("\n--- {} left out\n", size(left_out)));
        text.push_str(&end);
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn not_kept(call: u32) -> ErrorInfo {
    let message = format!("Nothing is kept of what came back in call {call}.");
    let action =
        "Orion keeps it for a time where a call failed, and for every call with keep_raw_responses = true.";
    ErrorInfo::new(Code::Usage, message, action)
}
