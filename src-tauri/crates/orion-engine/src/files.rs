//! The project's files for the window: names to pick from, and suggestions for a first message.

use std::time::Duration;

use orion_protocol::{FileEntry, FolderFound, Suggestion};
use tokio_util::sync::CancellationToken;

use orion_files::workspace::{Budget, Entry, Kind, Project, ProjectPath, View, Walk};

/// The most entries that are answered at once (`Query::Files`).
const MOST: usize = 1_000;
/// Time for a list that appears while someone types: a short list now is better than a full one later.
const LIST_TIME: Duration = Duration::from_secs(2);
const LIST_ENTRIES: u64 = 200_000;
/// First messages are wanted as the window opens.
const SUGGEST_TIME: Duration = Duration::from_millis(100);
const SUGGEST_ENTRIES: u64 = 5_000;
/// The file in which a project tells agents how it is worked on.
const AGENTS: &str = "AGENTS.md";
/// It is a folder, or a file in a further working tree.
const GIT: &str = ".git";

/// Files and folders whose path contains `filter`, in whatever case, and whether there are more. Blocks for at most 2 s.
#[must_use]
pub fn list(project: &Project, filter: &str, limit: u32) -> (Vec<FileEntry>, bool) {
    let limit = MOST.min(limit as usize);
    let filter = filter.to_lowercase();
    let mut walk = walk(project, LIST_ENTRIES, LIST_TIME);
    let mut matching = walk.by_ref().filter(|entry| entry.path.to_string().to_lowercase().contains(&filter));
    let entries: Vec<FileEntry> =
        matching.by_ref().take(limit).map(|entry| file_entry(project, &entry)).collect();
    let more = matching.next().is_some();
    let truncated = more || walk.left_out().halt.is_some();
    (entries, truncated)
}

fn walk(project: &Project, entries: u64, time: Duration) -> Walk<'_> {
    let view = View { recursive: true, include_ignored: false };
    Walk::new(project, &ProjectPath::root(), view, Budget::new(entries, time, CancellationToken::new()))
}

fn file_entry(project: &Project, Entry { path, kind, .. }: &Entry) -> FileEntry {
    let bytes = match kind {
        Kind::File => project.metadata(path).ok().map(|metadata| metadata.len()),
        Kind::Folder | Kind::Link | Kind::Special => None,
    };
    FileEntry { path: path.to_string(), directory: *kind == Kind::Folder, bytes }
}

/// Three first messages that this folder can answer, and what was found in it.
#[must_use]
pub fn suggestions(project: &Project) -> (Vec<Suggestion>, FolderFound) {
    let mut walk = walk(project, SUGGEST_ENTRIES, SUGGEST_TIME);
    let files: Vec<String> =
        walk.by_ref().filter(|entry| entry.kind == Kind::File).map(|entry| entry.path.to_string()).collect();
    let found = FolderFound {
        files: u32::try_from(files.len()).unwrap_or(u32::MAX),
        more: walk.left_out().halt.is_some(),
        agents: files.iter().find(|path| path.eq_ignore_ascii_case(AGENTS)).cloned(),
        git: ProjectPath::parse(GIT, project.root()).is_ok_and(|path| project.metadata(&path).is_ok()),
    };
    (first_messages(&files), found)
}

fn first_messages(files: &[String]) -> Vec<Suggestion> {
    let first = |wanted: &[&str]| {
        let named = |name: &&str| {
            files.iter().filter(|path| last(path).eq_ignore_ascii_case(name)).min_by_key(|path| depth(path))
        };
        wanted.iter().find_map(named)
    };
    let ending = |ends: &[&str]| {
        let fits = |path: &&String| ends.iter().any(|end| path.to_lowercase().ends_with(end));
        files.iter().filter(fits).min_by_key(|path| depth(path))
    };

    let mut texts = Vec::new();
    if let Some(readme) = first(&["README.md", "README.rst", "README.txt", "README"]) {
        texts.push(format!("Summarize {readme}"));
    }
    let main = first(&[
        "main.rs",
        "lib.rs",
        "main.py",
        "app.py",
        "__main__.py",
        "index.ts",
        "main.ts",
        "index.js",
        "main.go",
        "Main.java",
    ]);
    if let Some(code) =
        main.or_else(|| ending(&[".rs", ".py", ".ts", ".js", ".go", ".java", ".c", ".cpp", ".rb"]))
    {
        texts.push(format!("What does {code} do?"));
    }
    if let Some(manifest) =
        first(&["Cargo.toml", "package.json", "pyproject.toml", "go.mod", "pom.xml", "requirements.txt"])
    {
        texts.push(format!("Which dependencies does {manifest} name, and what are they for?"));
    }
    if let Some(notes) =
        ending(&[".csv", ".md", ".txt"]).filter(|path| texts.iter().all(|text| !text.contains(*path)))
    {
        texts.push(format!("What is in {notes}?"));
    }
    let anywhere = match files.is_empty() {
        true => [
            "What can you do in an empty folder?",
            "Which files could a new project start with?",
            "What tools do you have?",
        ],
        false => [
            "What is in this folder?",
            "Which are the largest files here?",
            "Where are open questions or TODO notes?",
        ],
    };
    texts.extend(anywhere.map(str::to_owned));
    texts.into_iter().take(3).map(|text| Suggestion { text }).collect()
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn depth(path: &str) -> usize {
    path.matches('/').count()
}
