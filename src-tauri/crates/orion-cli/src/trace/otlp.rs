//! A turn's trace for tools that take OTLP.

use orion_engine::Engine;
use orion_otlp::{Otlp, Sent};
use orion_protocol::{ErrorInfo, RequestId};

use crate::exit::Exit;
use crate::terminal::remark;

pub(super) async fn send(engine: &Engine, request: RequestId, to: &Otlp) -> Result<Exit, ErrorInfo> {
    let Sent { spans, running } = to.export(&engine.told_trace(request).await?).await?;
    remark(&format!("{spans} spans were sent."));
    if running > 0 {
        remark(&format!("{running} have not ended: send the trace again when the turn has."));
    }
    Ok(Exit::Answered)
}
