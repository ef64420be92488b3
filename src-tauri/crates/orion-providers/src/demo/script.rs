//! The demo model's script: list the folder, read one file of it, answer from that.

use orion_core::tool::ToolSet;
use serde_json::{Value, json};

use super::results::Found;

const LIST: &str = "list_files";
const READ: &str = "read_file";

/// How much of a line is quoted, in characters.
const QUOTED: usize = 160;
/// How many names of the folder are listed.
const NAMED: usize = 8;

/// Kinds of file that are worth reading first, the better ones first.
const READABLE: &[&[&str]] = &[
    &["md", "markdown", "rst", "txt"],
    &["rs", "py", "ts", "js", "svelte", "go", "java", "c", "cpp", "h", "rb", "sh", "html", "css", "sql"],
    &["toml", "json", "yaml", "yml", "xml", "csv", "ini"],
];

const CONNECT: &str = "This was the demo model: it is scripted and runs offline, so it could not weigh your question. To \
    get real answers, connect a model in the settings: a hosted one with its base URL and key, or a local one such as \
    Ollama.";

/// What the model does next.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Next {
    Call { text: String, name: &'static str, arguments: Value },
    Answer { text: String },
}

pub(super) fn next(results: &[Found], tools: &ToolSet) -> Next {
    let offered = |name: &str| tools.get(name).is_some();
    let of = |tool: &str| results.iter().rfind(|found| found.tool == tool);
    let lists = results.iter().filter(|found| found.tool == LIST).count();
    match (of(LIST), of(READ)) {
        (_, Some(read)) => Next::Answer { text: format!("{}\n\n{CONNECT}", from_file(&read.body)) },
        (Some(list), None) => {
            let Entries { files, folders } = Entries::of(&list.body);
            let file = best(&files);
            match (file, folders.first()) {
                (Some(path), _) if offered(READ) => Next::Call {
                    text: format!("{} I read `{path}` next. ", told(&files, &folders)),
                    name: READ,
                    arguments: json!({ "path": path }),
                },
                (None, Some(folder)) if offered(LIST) && lists == 1 => Next::Call {
                    text: format!("{} I look into `{folder}/`. ", told(&files, &folders)),
                    name: LIST,
                    arguments: json!({ "path": folder }),
                },
                _ => Next::Answer { text: format!("{}\n\n{CONNECT}", from_list(&list.body, &files, &folders)) },
            }
        }
        (None, None) if offered(LIST) => Next::Call {
            text: "I am the demo model: scripted, offline, and I really use the tools. First I look at what is in this \
                folder. "
                .into(),
            name: LIST,
            arguments: json!({ "path": "." }),
        },
        (None, None) => Next::Answer { text: format!("No tools are on offer, so I looked at nothing.\n\n{CONNECT}") },
    }
}

/// What a listing names, in its order.
#[derive(Debug, Default)]
struct Entries<'a> {
    files: Vec<&'a str>,
    folders: Vec<&'a str>,
}

impl<'a> Entries<'a> {
    /// Lines such as `notes/a.md  1.2 KB` and `notes/`, after a heading.
    fn of(body: &'a str) -> Self {
        let mut entries = Self::default();
        for line in body.lines().skip(1).filter(|line| !line.starts_with('[')) {
            match (line.strip_suffix('/'), line.rsplit_once("  ")) {
                (Some(folder), _) => entries.folders.push(folder),
                (None, Some((path, size))) if size.starts_with(|c: char| c.is_ascii_digit()) => {
                    entries.files.push(path)
                }
                (None, _) => {}
            }
        }
        // Folders for programs say least about a project.
        entries.folders.sort_by_key(|folder| folder.starts_with('.'));
        entries
    }
}

/// The file that says most about a folder: its README, else a text, else a source. None when nothing looks like text.
fn best<'a>(files: &[&'a str]) -> Option<&'a str> {
    let rank = |path: &&str| {
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        match name.starts_with("readme") {
            true => Some(0),
            false => READABLE.iter().position(|kinds| kinds.contains(&extension)).map(|at| at + 1),
        }
    };
    let ranked = files.iter().filter_map(|path| rank(path).map(|rank| (rank, *path)));
    ranked.min_by_key(|(rank, _)| *rank).map(|(_, path)| path)
}

fn told(files: &[&str], folders: &[&str]) -> String {
    format!("I see {} and {} here.", count(files.len(), "file"), count(folders.len(), "folder"))
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

fn from_list(body: &str, files: &[&str], folders: &[&str]) -> String {
    if files.is_empty() && folders.is_empty() {
        let said = body.lines().find(|line| !line.is_empty()).unwrap_or("nothing");
        return format!("I found nothing to read. The tool said:\n\n{}", quote(said));
    }
    let names: Vec<String> =
        files.iter().chain(folders).take(NAMED).map(|name| format!("- `{name}`")).collect();
    format!(
        "{} Nothing among them looks like text, so I read nothing:\n\n{}",
        told(files, folders),
        names.join("\n")
    )
}

/// The heading line, then lines of a number, a tab and text.
fn from_file(body: &str) -> String {
    let lines: Vec<&str> = body.lines().filter_map(|line| Some(line.split_once('\t')?.1)).collect();
    let Some(first) = lines.iter().find(|line| !line.trim().is_empty()) else {
        let said = body.lines().find(|line| !line.is_empty()).unwrap_or("nothing");
        return format!("I found no text in it. The tool said:\n\n{}", quote(said));
    };
    let title = lines.iter().find_map(|line| line.strip_prefix("# "));
    let path = body.split_once(": ").map_or("the file", |(path, _)| path);
    let what = if title.is_some() { "It is headed" } else { "It begins with" };
    let rest = lines.iter().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let more: Vec<String> = rest.skip(usize::from(title.is_none())).take(2).map(|line| quote(line)).collect();
    let mut text = format!(
        "I read {} of `{path}`. {what}:\n\n{}",
        count(lines.len(), "line"),
        quote(title.unwrap_or(first))
    );
    if !more.is_empty() {
        text.push_str("\n\nFurther on it says:\n\n");
        text.push_str(&more.join("\n>\n"));
    }
    text
}

/// A line as a Markdown quotation that cannot end it.
fn quote(line: &str) -> String {
    let mut short: String = line.trim().chars().filter(|c| !c.is_control()).take(QUOTED).collect();
    if short.len() < line.trim().len() {
        short.push('…');
    }
    format!("> {short}")
}

#[cfg(test)]
mod tests {
    use orion_protocol::Permission;

    use super::*;

    fn tools() -> ToolSet {
        let tool = |name: &str| orion_core::tool::ToolSpec {
            name: name.into(),
            description: String::new(),
            parameters: json!({}),
            kind: orion_core::tool::ToolKind::Reads,
            permission: Permission::Allow,
            max_per_turn: None,
        };
        ToolSet::from_iter([tool(LIST), tool(READ)])
    }

    fn found(tool: &str, body: &str) -> Found {
        Found { tool: tool.into(), body: body.into() }
    }

    fn call(results: &[Found]) -> (&'static str, Value) {
        match next(results, &tools()) {
            Next::Call { name, arguments, .. } => (name, arguments),
            Next::Answer { text } => panic!("answered {text}"),
        }
    }

    fn answer(results: &[Found], tools: &ToolSet) -> String {
        match next(results, tools) {
            Next::Answer { text } => text.split_once("\n\nThis was the demo model").unwrap().0.to_owned(),
            Next::Call { name, .. } => panic!("called {name}"),
        }
    }

    #[test]
    fn it_lists_then_reads_then_answers() {
        assert_eq!(call(&[]), (LIST, json!({"path": "."})));
        let list = found(
            LIST,
            ".: 4 entries\nsrc/\na.md  3 bytes\nREADME.md  1.2 KB\nlogo.png  4 KB\n[Entries 1-4]",
        );
        assert_eq!(call(std::slice::from_ref(&list)), (READ, json!({"path": "README.md"})));
        let read = found(READ, "README.md: lines 1-3 of 3; 20 bytes\n1\t# Orion\n2\t\n3\tIt works.\n");
        assert_eq!(
            answer(&[list, read], &tools()),
            "I read 3 lines of `README.md`. It is headed:\n\n> Orion\n\nFurther on it says:\n\n> It works."
        );
    }

    #[test]
    fn a_folder_of_folders_is_entered_once() {
        let outer = found(LIST, ".: 2 entries\n.git/\nmy notes/");
        assert_eq!(call(std::slice::from_ref(&outer)), (LIST, json!({"path": "my notes"})));
        let inner = found(LIST, "my notes: 1 entry\nmy notes/deeper/");
        assert_eq!(
            answer(&[outer, inner], &tools()),
            "I see 0 files and 1 folder here. Nothing among them looks like text, so I read nothing:\n\n- `my notes/deeper`"
        );
    }

    #[test]
    fn empty_folders_failures_and_withheld_tools_end_in_an_answer() {
        let nothing = "I found nothing to read. The tool said:\n\n> .: 0 entries";
        assert_eq!(answer(&[found(LIST, ".: 0 entries\n")], &tools()), nothing);
        let failed = "I found no text in it. The tool said:\n\n> Error: `a.md` could not be read. Go on.";
        let results =
            [found(LIST, ".: 1 entry\na.md  1 byte"), found(READ, "Error: `a.md` could not be read. Go on.")];
        assert_eq!(answer(&results, &tools()), failed);
        assert_eq!(answer(&[], &ToolSet::empty()), "No tools are on offer, so I looked at nothing.");
        let listed = "I see 1 file and 0 folders here. Nothing among them looks like text, so I read nothing:\n\n- `a.md`";
        assert_eq!(answer(&results[..1], &ToolSet::empty()), listed);
    }
}
