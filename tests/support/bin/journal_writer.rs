//! A process for tests to kill: it begins a turn in the data folder it is given and appends events for as long as it
//! lives. It prints the turn's id, and then the `seq` of each event once its commit is on the disk.

use std::io::Write;
use std::path::Path;

use orion_protocol::{Envelope, NoticeCode, PROTOCOL_VERSION, Phase, RequestId, TurnEvent, TurnIds};
use orion_store::{Begin, NewTurn, Past, Record, Store, StoreError};

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let folder = std::env::args().nth(1).ok_or_else(|| anyhow::anyhow!("usage: journal-writer FOLDER"))?;
    let store = Store::open(Path::new(&folder)).await?;
    let project = store.open_project("/a/project", "project", 1).await?;
    let session = store.new_session(project.project_id, 1).await?;
    let ids = TurnIds {
        request_id: RequestId(uuid::Uuid::now_v7()),
        session_id: session.session_id,
        project_id: project.project_id,
    };
    let event = |seq: u32| Envelope {
        v: PROTOCOL_VERSION,
        request_id: ids.request_id,
        session_id: ids.session_id,
        project_id: ids.project_id,
        seq,
        at_ms: i64::from(seq),
        phase: Phase::ToolPhase,
        tool_batch_id: Some(2),
        event: TurnEvent::Notice { code: NoticeCode::Other, message: format!("event {seq}") },
    };
    let turn = NewTurn { ids, at_ms: 1, title: "a title".into() };
    let (mut journal, ()) = store.begin_turn(turn, First(Record::event(&event(1))?)).await?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", ids.request_id)?;
    for seq in 2.. {
        journal.append(vec![Record::event(&event(seq))?]).await.await?;
        writeln!(out, "{seq}")?;
        out.flush()?;
    }
    Ok(())
}

struct First(Record);

impl Begin for First {
    type Out = ();

    fn begin(&self, _: Past) -> Result<(Vec<Record>, ()), StoreError> {
        Ok((vec![self.0.clone()], ()))
    }
}
