//! What a person does to the results of a paused turn, as arguments (A2).

use std::path::PathBuf;

use clap::Args;
use orion_protocol::{BatchId, CallId, Code, ErrorInfo, PausedResult, RequestId, ResultEdit};

#[derive(Debug, Default, Args)]
pub(crate) struct PauseFlags {
    /// The step that the turn is paused after, so that no other one is resumed
    pub(crate) batch: Option<BatchId>,
    /// Give the model this file's text in the place of the result
    #[arg(long, value_name = "FILE", conflicts_with = "drop_result")]
    pub(crate) edit_result: Option<PathBuf>,
    /// Tell the model of the call alone, without its result
    #[arg(long)]
    pub(crate) drop_result: bool,
    /// Which result that is, where the step has several
    #[arg(long, value_name = "ID")]
    pub(crate) call: Option<String>,
}

impl PauseFlags {
    /// Whether they are for a pause alone.
    pub(crate) fn name_a_pause(&self) -> bool {
        self.batch.is_some() || self.edit_result.is_some() || self.drop_result || self.call.is_some()
    }

    /// What becomes of these results.
    ///
    /// # Errors
    /// `usage` where it is not clear which one is meant, and for a file that is no text.
    pub(crate) fn edits(&self, results: &[PausedResult]) -> Result<Vec<ResultEdit>, ErrorInfo> {
        if self.edit_result.is_none() && !self.drop_result {
            return Ok(Vec::new());
        }
        let tool_call_id = self.result(results)?;
        let Some(file) = &self.edit_result else { return Ok(vec![ResultEdit::Drop { tool_call_id }]) };
        let text = std::fs::read_to_string(file).map_err(|error| {
            let message = format!("{} cannot be read as text.", file.display());
            ErrorInfo::new(Code::Usage, message, "Name a file with UTF-8 text.")
                .with_detail(error.to_string())
        })?;
        Ok(vec![ResultEdit::Replace { tool_call_id, text }])
    }

    fn result(&self, results: &[PausedResult]) -> Result<CallId, ErrorInfo> {
        let ids =
            || results.iter().map(|result| result.tool_call_id.0.as_str()).collect::<Vec<_>>().join(", ");
        match (&self.call, results) {
            (_, []) => Err(ErrorInfo::new(
                Code::Usage,
                "This pause has no result.",
                "Resume the turn without these options.",
            )),
            (None, [only]) => Ok(only.tool_call_id.clone()),
            (None, _) => Err(ErrorInfo::new(
                Code::Usage,
                format!("This step has {} results.", results.len()),
                format!("Name one with --call: {}.", ids()),
            )),
            (Some(id), _) => match results.iter().find(|result| result.tool_call_id.0 == *id) {
                Some(result) => Ok(result.tool_call_id.clone()),
                None => Err(ErrorInfo::new(
                    Code::Usage,
                    "This step has no such result.",
                    format!("Name one of these with --call: {}.", ids()),
                )),
            },
        }
    }
}

/// The turn does not wait in the pause that the arguments name.
pub(crate) fn another_pause(request_id: RequestId) -> ErrorInfo {
    ErrorInfo::new(
        Code::NotResumable,
        "The turn is not paused after this step.",
        format!("See what it is doing with `orion trace {request_id}`."),
    )
}
