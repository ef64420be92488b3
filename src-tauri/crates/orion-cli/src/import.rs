//! `orion import`: opens a session that was exported. It is read-only.

use std::path::PathBuf;

use clap::Args;
use orion_protocol::{Code, ErrorInfo, Op, Outcome};

use crate::exit::Exit;
use crate::output::{put, unwritable};
use crate::printed::Printed;
use crate::startup::Startup;
use crate::terminal::{count, remark};

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// A file that orion export has made
    file: PathBuf,
    /// Where sessions and logs are kept
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Print the session as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn import(args: &ImportArgs) -> Result<Exit, ErrorInfo> {
    let path = args.file.clone().into_os_string().into_string().map_err(|_| {
        ErrorInfo::new(Code::Usage, "The name of this file is not valid Unicode.", "Rename the file.")
    })?;
    let engine = Startup::new(args.data_dir.as_ref())?.engine(None).await?;
    let imported = engine.submit(Op::Import { path: Some(path) }).await;
    engine.close().await?;
    let Outcome::Session { session } = imported? else { return Ok(Exit::Failed) };
    let text = match args.json {
        true => Printed::json(&session).map_err(unwritable)?,
        false => Printed::record(&session.session_id.to_string()),
    };
    put(&text.line())?;
    if !args.json {
        remark(&format!("{}, {}, to be read and replayed", session.title, count(session.turns, "turn")));
    }
    Ok(Exit::Answered)
}
