//! Approving, changing, showing and taking back writes.

use orion_protocol::{Code, DiffRow, ErrorInfo, Reply, RequestId, WriteRevision, WriteView};

use super::Engine;

impl Engine {
    pub(super) async fn approve_write(
        &self,
        _request_id: RequestId,
        _digest: String,
        _hunks: Option<Vec<u32>>,
        _despite_faults: bool,
    ) -> Result<Reply, ErrorInfo> {
        Err(none())
    }

    pub(super) async fn revise_write(
        &self,
        _request_id: RequestId,
        _digest: String,
        _revision: WriteRevision,
    ) -> Result<Reply, ErrorInfo> {
        Err(none())
    }

    pub(super) async fn undo_write(
        &self,
        _request_id: RequestId,
        _write: Option<u32>,
    ) -> Result<Reply, ErrorInfo> {
        Err(none())
    }

    pub(super) async fn resume_turn(&self, _request_id: RequestId) -> Result<Reply, ErrorInfo> {
        Err(none())
    }

    pub(super) async fn write_view(
        &self,
        _request_id: RequestId,
        _write: u32,
    ) -> Result<WriteView, ErrorInfo> {
        Err(none())
    }

    pub(super) async fn write_rows(
        &self,
        _request_id: RequestId,
        _write: u32,
        _digest: String,
        _from: u64,
        _count: u32,
    ) -> Result<Vec<DiffRow>, ErrorInfo> {
        Err(none())
    }

    pub(super) async fn write_text(&self, _request_id: RequestId, _write: u32) -> Result<String, ErrorInfo> {
        Err(none())
    }
}

fn none() -> ErrorInfo {
    ErrorInfo::new(Code::WriteUnknownSession, "There is no such write session.", "Open the chat again.")
}
