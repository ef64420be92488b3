//! What a rewind of files would change, file by file (A10).

use std::collections::BTreeMap;

use orion_files::workspace::Project;
use orion_files::writing;
use orion_protocol::{Code, ErrorInfo, RequestId, Rewind, RewoundChange, RewoundFile, Sha256};
use orion_store::{FileStage, PlannedFile, RewindStage, StoredRewind, Written};

/// The files that these writes and commands changed, oldest first, as they would be put back to what was there before the first of them. In the order
/// of their paths.
pub(crate) fn plan(project: &Project, written: Vec<Written>) -> Vec<PlannedFile> {
    let mut files: BTreeMap<String, Vec<Written>> = BTreeMap::new();
    for it in written {
        let path = it.leads_to.clone().unwrap_or_else(|| it.path.clone());
        files.entry(path).or_default().push(it);
    }
    files.into_iter().filter_map(|(path, written)| planned(project, path, written)).collect()
}

fn planned(project: &Project, path: String, mut written: Vec<Written>) -> Option<PlannedFile> {
    let kept = |error| {
        Some(PlannedFile {
            path: path.clone(),
            from: None,
            to: None,
            undoes: Vec::new(),
            from_mode: None,
            to_mode: None,
            kept: Some(error),
        })
    };
    if written.iter().any(|it| !it.mode_alone) {
        // Permissions are not put back, and the content is.
        written.retain(|it| !it.mode_alone);
    }
    if let Some(why) = written.iter().find_map(|it| it.kept.as_ref()) {
        return kept(cannot(&path, why));
    }
    let (first, last) = (written.first()?, written.last()?);
    let (then, now) = (first.base, last.new);
    let untouched = written.windows(2).all(|pair| match pair {
        [before, after] => after.base == before.new,
        _ => true,
    });
    let present = project.path(&path).and_then(|path| writing::present(project, &path));
    let undoes = written.iter().map(|it| (it.request_id, it.by.clone())).collect();
    let back = |from: Option<Sha256>| {
        let is_there = from.and_then(|_| project.path(&path).and_then(|path| project.find(&path)).ok());
        let from_mode = is_there.and_then(|node| node.mode());
        let path = path.clone();
        Some(PlannedFile { path, from, to: then, undoes, from_mode, to_mode: first.mode, kept: None })
    };
    match present {
        Err(error) => kept(error),
        // What was there then is there again, or a file is created where none is: nobody's work is lost.
        Ok(from) if from == then || from.is_none() => back(from),
        Ok(from) if from != now => kept(changed(&path)),
        Ok(_) if !untouched => kept(changed_between(&path)),
        Ok(from) => back(from),
    }
}

/// A file as a person is told of it. None where nothing happens to it.
pub(crate) fn shown(
    path: &str,
    from: Option<Sha256>,
    to: Option<Sha256>,
    kept: Option<&ErrorInfo>,
) -> Option<RewoundFile> {
    let change = match (kept, from, to) {
        (Some(_), ..) => None,
        (None, Some(_), Some(_)) if from != to => Some(RewoundChange::Restored),
        (None, None, Some(_)) => Some(RewoundChange::Created),
        (None, Some(_), None) => Some(RewoundChange::Removed),
        (None, ..) => return None,
    };
    Some(RewoundFile { path: path.to_owned(), change, error: kept.cloned() })
}

/// What a person has seen, to be compared with what would be done: files, bytes and what is kept.
pub(crate) fn digest(request_id: RequestId, files: &[PlannedFile]) -> Sha256 {
    let mut seen = format!("{request_id}\n");
    for PlannedFile { path, from, to, kept, .. } in files {
        let name =
            |sha256: &Option<Sha256>| sha256.map_or_else(|| "-".to_owned(), |sha256| sha256.to_string());
        let code = kept.as_ref().map(|error| error.message.as_str()).unwrap_or_default();
        seen.push_str(&format!("{path:?} {} {} {code:?}\n", name(from), name(to)));
    }
    writing::sha256(seen.as_bytes())
}

/// A rewind as a person is told of it.
pub(crate) fn told(rewind: &StoredRewind) -> Rewind {
    let undone = rewind.stage == RewindStage::Undone;
    let file = |it: &orion_store::RewoundFile| {
        let (from, to) = if undone { (it.to, it.from) } else { (it.from, it.to) };
        // Of an undone rewind, what was kept then has nothing to tell.
        let untouched = undone && it.stage == FileStage::Kept;
        (!untouched).then(|| shown(&it.path, from, to, it.error.as_ref())).flatten()
    };
    Rewind {
        request_id: rewind.request_id,
        conversation: rewind.conversation,
        undone,
        files: rewind.files.iter().filter_map(file).collect(),
        writes: rewind
            .writes
            .iter()
            .map(|(request_id, write)| orion_protocol::RewoundWrite {
                request_id: *request_id,
                write: *write,
            })
            .collect(),
    }
}

pub(crate) fn changed(path: &str) -> ErrorInfo {
    ErrorInfo::new(
        Code::UndoStale,
        format!("{path} no longer holds what was written, so it stays as it is."),
        "Change it by hand, or ask the model to.",
    )
}

fn changed_between(path: &str) -> ErrorInfo {
    ErrorInfo::new(
        Code::UndoStale,
        format!("{path} was changed by somebody else between two writes, so it stays as it is."),
        "Undo its last write alone, or change it by hand.",
    )
}

/// A change that cannot be undone, and why.
pub(crate) fn cannot(path: &str, why: &str) -> ErrorInfo {
    ErrorInfo::new(
        Code::UndoStale,
        format!("What a command changed of {path} cannot be undone: {why}."),
        "Change it by hand, or ask the model to.",
    )
}
