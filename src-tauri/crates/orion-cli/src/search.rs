//! Finds words in all sessions (`orion sessions --search`).

use std::io::{self, Write};

use orion_engine::Engine;
use orion_protocol::{Answer, ErrorInfo, Found, Query};

use crate::args::ListArgs;
use crate::exit::Exit;
use crate::output::show;
use crate::permissions::day;
use crate::startup::Startup;
use crate::terminal::{one_line, remark, rewrites};

/// Hits of one query, and of a list that a person reads: more words find fewer.
const PAGE: u32 = 100;
const MOST: usize = 500;

pub(crate) async fn search(args: &ListArgs, words: &str) -> Result<Exit, ErrorInfo> {
    let engine = Startup::new(args.folders.data_dir.as_ref())?.engine(None).await?;
    let found = find(&engine, words).await;
    engine.close().await?;
    let (found, more) = found?;
    let ended = show(args.json, &found, |hit| {
        let turn = hit.request_id.map_or_else(|| format!("{:<36}", "title"), |id| id.to_string());
        format!("{}  {}  {turn}  {}", hit.session.session_id, day(hit.at_ms), one_line(&hit.text, usize::MAX))
    })?;
    if more {
        remark(&format!("These are the newest {MOST}. More words find fewer."));
    }
    Ok(ended)
}

/// The newest hits, and whether there are more.
async fn find(engine: &Engine, words: &str) -> Result<(Vec<Found>, bool), ErrorInfo> {
    let told = |percent: u8| say(&format!("Preparing what was said for searching: {percent} %"));
    let filled = engine.fill_search(&told).await;
    say("");
    // What is there is searched all the same.
    if let Err(error) = filled {
        remark(&format!(
            "Not everything is prepared for searching, so there may be more to find. {}",
            error.message
        ));
    }
    let (mut found, mut after) = (Vec::new(), None);
    while found.len() < MOST {
        let query = Query::Search { text: words.to_owned(), after, limit: PAGE };
        let Answer::Search { page } = engine.query(query).await? else { break };
        found.extend(page.found);
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    Ok((found, after.is_some()))
}

/// A line of a terminal that the next one takes the place of: a script has no use for it.
fn say(line: &str) {
    if rewrites() {
        let mut stderr = io::stderr().lock();
        // A closed standard error is no reason to stop.
        _ = write!(stderr, "\r\x1b[K{line}");
        _ = stderr.flush();
    }
}
