//! `orion fork`: a session of its own that goes on from a phase of a turn (T9).

use orion_protocol::{ErrorInfo, Op, Outcome};
use serde_json::json;

use crate::exit::Exit;
use crate::fork_flags::ForkArgs;
use crate::output::{put, unwritable};
use crate::printed::Printed;
use crate::startup::Startup;
use crate::terminal::remark;

pub(crate) async fn fork(args: &ForkArgs) -> Result<Exit, ErrorInfo> {
    let engine = Startup::new(args.data_dir.as_ref())?.engine(None).await?;
    let forked = engine.submit(Op::Fork { request_id: args.request, phase: args.phase }).await;
    engine.close().await?;
    match forked? {
        Outcome::Forked { session, request_id } if args.json => {
            let forked = json!({ "sessionId": session.session_id, "requestId": request_id });
            put(&Printed::json(&forked).map_err(unwritable)?.line())?;
            Ok(Exit::Answered)
        }
        Outcome::Forked { session, request_id } => {
            put(&Printed::record(&format!("{}\n", session.session_id)))?;
            remark(&format!("Go on from there: orion resume {request_id}"));
            Ok(Exit::Answered)
        }
        other => Err(crate::outcomes::unexpected(&other)),
    }
}
