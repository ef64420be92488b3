//! The approvals that a person keeps: listing them and revoking them (A1).

use orion_protocol::{Answer, ErrorInfo, KeptApproval, Op, Query};

use crate::answer_flags::{PermissionsAct, PermissionsArgs};
use crate::command_words::UNASKED;
use crate::exit::Exit;
use crate::output::show;
use crate::startup::Startup;
use crate::terminal::{one_line, remark};

pub(crate) async fn permissions(args: &PermissionsArgs) -> Result<Exit, ErrorInfo> {
    match &args.act {
        Some(PermissionsAct::Revoke(args)) => {
            let engine = Startup::new(args.data_dir.as_ref())?.engine(None).await?;
            let outcome = engine.submit(Op::RevokeApproval { approval_id: args.approval }).await;
            engine.close().await?;
            outcome?;
            remark("Revoked: Orion asks again.");
            Ok(Exit::Answered)
        }
        None => list(args).await,
    }
}

async fn list(args: &PermissionsArgs) -> Result<Exit, ErrorInfo> {
    let engine = Startup::new(args.data_dir.as_ref())?.engine(None).await?;
    let answer = engine.query(Query::Approvals).await;
    engine.close().await?;
    let Answer::Approvals { approvals } = answer? else { return Ok(Exit::Failed) };
    show(args.json, &approvals, |approval| {
        let KeptApproval { rule, line, path, session_title, created_at_ms, used_at_ms, .. } = approval;
        let what = match (rule.tool.as_str(), rule.pattern.as_str(), line) {
            (.., Some(line)) => one_line(&format!("{EXACT_LINE} {line}"), 160),
            ("run_command", "**", None) => UNASKED.to_owned(),
            ("run_command", words, None) => one_line(&format!("run commands that begin with {words}"), 160),
            (tool, pattern, None) => one_line(&format!("{tool} {pattern}"), 60),
        };
        let place = match session_title {
            Some(title) => format!("in the session \"{}\" of {path}", one_line(title, 40)),
            None => format!("in {path}"),
        };
        let used = used_at_ms.map_or_else(|| "never used".to_owned(), |at| format!("used {}", day(at)));
        format!(
            "{}  {what}  {}, kept {}, {used}",
            rule.approval_id,
            one_line(&place, 160),
            day(*created_at_ms)
        )
    })
}

/// The words for what a kept line allows.
const EXACT_LINE: &str = "run this exact line, where a sandbox holds files alone:";

/// A moment, in UTC.
pub(crate) fn day(at_ms: i64) -> String {
    jiff::Timestamp::from_millisecond(at_ms).unwrap_or_default().strftime("%Y-%m-%d %H:%M UTC").to_string()
}
