//! `orion sessions locate`: the sessions of a folder that was moved or renamed go on where it is now.

use std::path::{Path, PathBuf, absolute};

use clap::Args;
use orion_protocol::{Answer, Code, ErrorInfo, Op, Outcome, Project, Query};

use crate::exit::Exit;
use crate::output::{put, unwritable};
use crate::printed::Printed;
use crate::startup::Startup;
use crate::terminal::{one_line, remark};

/// Folders that an error names.
const NAMED: usize = 5;

#[derive(Debug, Args)]
pub(crate) struct LocateArgs {
    /// The folder as it was called when its sessions were made
    pub(crate) old: PathBuf,
    /// Its place now
    #[arg(default_value = ".")]
    pub(crate) new: PathBuf,
    /// The folder of sessions and logs
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) async fn locate(args: &LocateArgs) -> Result<Exit, ErrorInfo> {
    let engine = Startup::new(args.data_dir.as_ref())?.engine(None).await?;
    let located = async {
        let Answer::State { state } = engine.query(Query::State).await? else { return Ok(None) };
        let project = named(&state.projects, &args.old)?;
        let path = absolute(&args.new).unwrap_or_else(|_| args.new.clone());
        let path = path.to_str().ok_or_else(|| {
            let message = format!("{} is not UTF-8.", path.display());
            ErrorInfo::new(Code::Usage, message, "Rename the folder, or one above it.")
        })?;
        let path = Some(path.to_owned());
        engine.submit(Op::LocateProject { project_id: project.project_id, path }).await.map(Some)
    };
    let located = located.await;
    engine.close().await?;
    let Some(Outcome::Project { project }) = located? else { return Ok(Exit::Failed) };
    match args.json {
        true => put(&Printed::json(&project).map_err(unwritable)?.line())?,
        false => remark(&format!("Its sessions go on in {}.", one_line(&project.path, 200))),
    }
    Ok(Exit::Answered)
}

/// The project that was at this path. The folder itself need not be there; those that it is in may be links.
fn named<'p>(projects: &'p [Project], old: &Path) -> Result<&'p Project, ErrorInfo> {
    let whole = absolute(old).unwrap_or_else(|_| old.to_owned());
    let real = whole.parent().zip(whole.file_name()).and_then(|(folder, name)| {
        let folder = folder.canonicalize().ok()?;
        Some(folder.join(name))
    });
    let is_it = |project: &&Project| {
        let path = Path::new(&project.path);
        !project.path.is_empty() && (path == whole || Some(path) == real.as_deref())
    };
    projects.iter().find(is_it).ok_or_else(|| unknown(projects, &whole))
}

fn unknown(projects: &[Project], old: &Path) -> ErrorInfo {
    let gone: Vec<&str> = projects
        .iter()
        .filter(|project| !project.path.is_empty() && !Path::new(&project.path).is_dir())
        .map(|project| project.path.as_str())
        .collect();
    let action = match gone.as_slice() {
        [] => "No folder with sessions is missing.".to_owned(),
        [one] => format!("{one} is missing."),
        many => {
            let more =
                if many.len() > NAMED { format!(" and {} more", many.len() - NAMED) } else { String::new() };
            format!("These are missing: {}{more}.", many[..many.len().min(NAMED)].join(", "))
        }
    };
    ErrorInfo::new(Code::ProjectUnknown, format!("No session was made in {}.", old.display()), action)
}
