//! The demo model's script: list the folder, read one file of it, write another one or correct it when asked to, answer from that. Asked to, it gets
//! stuck, as models do, to show what becomes of that.

use orion_core::tool::ToolSet;
use serde_json::{Value, json};

use super::results::{Asked, WRITE};

const LIST: &str = "list_files";
const READ: &str = "read_file";

/// Asked for this, the demo model repeats its call.
const STUCK: &str = "again and again";

/// How much of a line is quoted, in characters.
const QUOTED: usize = 160;
/// How many names of the folder are listed.
const NAMED: usize = 8;

/// Mistakes that the demo model corrects, of those that people make most.
const MISTAKES: [(&str, &str); 4] =
    [("Wensday", "Wednesday"), ("Febuary", "February"), ("recieve", "receive"), ("seperate", "separate")];

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

pub(super) fn next(asked: &Asked<'_>, tools: &ToolSet) -> Next {
    let results = asked.found.as_slice();
    if let Some(end_line) = asked.end_line {
        let read = results.iter().rfind(|found| found.tool == READ);
        let body = read.map_or("", |read| &read.body);
        let text = if wants_correcting(asked.question) { corrected(body) } else { content(body) };
        return Next::Answer { text: format!("{text}\n{end_line}") };
    }
    let offered = |name: &str| tools.get(name).is_some();
    if asked.question.contains(STUCK) {
        return stuck(asked, offered(READ));
    }
    let of = |tool: &str| results.iter().rfind(|found| found.tool == tool);
    let lists = results.iter().filter(|found| found.tool == LIST).count();
    match (of(LIST), of(READ)) {
        (_, Some(read)) if wants_correcting(asked.question) && is_correct(&read.body) && of(WRITE).is_none() => Next::Answer {
            text: format!("I see no mistake in `{}` that I know.\n\n{CONNECT}", path_of(&read.body)),
        },
        (_, Some(read)) if wants_writing(asked.question) && offered(WRITE) && of(WRITE).is_none() => {
            let corrects = wants_correcting(asked.question);
            let target =
                if corrects { path_of(&read.body) } else { target(asked.question, path_of(&read.body)) };
            let listed = of(LIST).is_some_and(|list| Entries::of(&list.body).files.contains(&target));
            Next::Call {
                text: format!("I have read it. I ask to write `{target}`: you see it first, and decide. "),
                name: WRITE,
                arguments: json!({
                    "intent": if corrects {
                        "Two mistakes are corrected.".to_owned()
                    } else {
                        format!("A short summary of {}.", path_of(&read.body))
                    },
                    "target_file": target,
                    "operation": if listed || corrects { "overwrite" } else { "create" },
                }),
            }
        }
        (_, Some(read)) => Next::Answer { text: format!("{}{}\n\n{CONNECT}", of(WRITE).map_or("", |ended| told_of_write(&ended.body)), from_file(&read.body)) },
        (Some(list), None) => {
            let Entries { files, folders } = Entries::of(&list.body);
            let file = named(asked.question, &files).or_else(|| best(&files));
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

/// The file that a question names: one of the folder, or what looks like the path of one.
fn named<'a>(question: &'a str, files: &[&'a str]) -> Option<&'a str> {
    let listed = files.iter().filter(|file| question.contains(**file)).max_by_key(|file| file.len());
    listed.copied().or_else(|| paths(question).next())
}

/// Words with an extension, such as `notes/spring.md`.
fn paths(question: &str) -> impl Iterator<Item = &str> {
    let is_extension = |it: &str| {
        (2..=8).contains(&it.len())
            && it.chars().all(char::is_alphanumeric)
            && it.chars().any(char::is_alphabetic)
    };
    let is_path = move |word: &&str| {
        word.rsplit_once('.').is_some_and(|(_, extension)| is_extension(extension)) && !word.contains("//")
    };
    let edges = |c: char| !c.is_alphanumeric() && c != '_';
    question.split_whitespace().map(move |word| word.trim_matches(edges)).filter(is_path)
}

fn wants_writing(question: &str) -> bool {
    says(question, "write") || wants_correcting(question)
}

fn wants_correcting(question: &str) -> bool {
    says(question, "correct")
}

fn says(question: &str, wanted: &str) -> bool {
    question.split(|c: char| !c.is_alphabetic()).any(|word| word.eq_ignore_ascii_case(wanted))
}

/// The file that was read, without the mistakes that the demo model knows.
fn corrected(body: &str) -> String {
    let mut text =
        MISTAKES.iter().fold(lines(body).join("\n"), |text, (wrong, right)| text.replace(wrong, right));
    // A line of its own ends the content, so this one ends the file.
    text.push('\n');
    text
}

fn is_correct(body: &str) -> bool {
    MISTAKES.iter().all(|(wrong, _)| !body.contains(wrong))
}

/// The same call for as long as there are tools; then an answer from the first result.
fn stuck(asked: &Asked<'_>, offered: bool) -> Next {
    let times = asked.found.len();
    let path = paths(asked.question).next().unwrap_or("README.md");
    if offered {
        let text = match times {
            0 => format!("I read `{path}`. "),
            _ => "I am not sure of it, so I read it again. ".to_owned(),
        };
        return Next::Call { text, name: READ, arguments: json!({ "path": path }) };
    }
    let read = asked.found.iter().find(|found| found.tool == READ && !lines(&found.body).is_empty());
    let said = read.map_or_else(|| "I have read nothing.".to_owned(), |read| from_file(&read.body));
    Next::Answer {
        text: format!(
            "I asked for the same file again and again, and would have gone on. Then I was given no more tools, so I \
             answer from what I have.\n\n{said}\n\n{CONNECT}"
        ),
    }
}

/// The file to write: the last one that the question names beside the one that was read.
fn target<'a>(question: &'a str, read: &str) -> &'a str {
    paths(question).filter(|path| *path != read).last().unwrap_or("summary.md")
}

/// The path in the heading of what was read.
fn path_of(body: &str) -> &str {
    body.split_once(": ").map_or("the file", |(path, _)| path)
}

/// The lines of a file in what `read_file` says of it.
fn lines(body: &str) -> Vec<&str> {
    body.lines().filter_map(|line| Some(line.split_once('\t')?.1)).collect()
}

/// What the demo model writes: its title and first sentences of what it has read.
fn content(body: &str) -> String {
    let lines = lines(body);
    let title = lines.iter().find_map(|line| line.strip_prefix("# ")).unwrap_or_else(|| path_of(body));
    let mut text = format!("# In short: {}\n\n", plain(title));
    for line in lines.iter().filter(|line| !line.trim().is_empty() && !line.starts_with('#')).take(3) {
        text.push_str(&format!("- {}\n", plain(line.trim_start_matches(['-', '*', ' ']))));
    }
    text.push_str(&format!("\nFrom `{}`, by the demo model.", path_of(body)));
    text
}

/// What became of the write.
fn told_of_write(body: &str) -> &'static str {
    if body.contains("\nwritten: ") {
        "The file is written as you approved it; *Undo* restores what was there before.\n\n"
    } else {
        "The file was not written, and nothing has changed.\n\n"
    }
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
    let lines = lines(body);
    let Some(first) = lines.iter().find(|line| !line.trim().is_empty()) else {
        let said = body.lines().find(|line| !line.is_empty()).unwrap_or("nothing");
        return format!("I found no text in it. The tool said:\n\n{}", quote(said));
    };
    let title = lines.iter().find_map(|line| line.strip_prefix("# "));
    let path = path_of(body);
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
    format!("> {}", plain(line))
}

/// A line without control characters, cut where it is long.
fn plain(line: &str) -> String {
    let mut short: String = line.trim().chars().filter(|c| !c.is_control()).take(QUOTED).collect();
    if short.len() < line.trim().len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use orion_core::tool::{ToolKind, ToolSpec};

    use super::super::results::Found;

    use super::*;

    fn tools() -> ToolSet {
        let tool = |name: &str| ToolSpec::new(name, "", json!({}), ToolKind::Reads);
        ToolSet::from_iter([tool(LIST), tool(READ), tool(WRITE)])
    }

    fn found(tool: &str, body: &str) -> Found {
        Found { tool: tool.into(), body: body.into() }
    }

    fn asked<'a>(question: &'a str, found: &[Found]) -> Asked<'a> {
        Asked { question, found: found.to_vec(), end_line: None }
    }

    fn call(results: &[Found]) -> (&'static str, Value) {
        call_for("What is here?", results)
    }

    fn call_for(question: &str, results: &[Found]) -> (&'static str, Value) {
        match next(&asked(question, results), &tools()) {
            Next::Call { name, arguments, .. } => (name, arguments),
            Next::Answer { text } => panic!("answered {text}"),
        }
    }

    fn answer(results: &[Found], tools: &ToolSet) -> String {
        match next(&asked("What is here?", results), tools) {
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

    #[test]
    fn it_reads_the_file_that_the_message_names() {
        let list = found(LIST, ".: 3 entries\nnotes/\nREADME.md  1.2 KB\nseeds.csv  3 bytes\n[Entries 1-3]");
        for (question, path) in [
            ("What is in seeds.csv?", "seeds.csv"),
            ("Which seeds does `notes/spring.md` ask for?", "notes/spring.md"),
            ("Is it e.g. so? See https://a.example/x.md.", "README.md"),
            ("Hello.", "README.md"),
        ] {
            assert_eq!(
                call_for(question, std::slice::from_ref(&list)),
                (READ, json!({"path": path})),
                "{question}"
            );
        }
    }

    #[test]
    fn asked_to_get_stuck_it_repeats_its_call_until_no_tool_is_left_and_then_answers() {
        let question = "Read seeds.csv again and again";
        let read = found(READ, "seeds.csv: lines 1-2 of 2; 20 bytes\n1\tplant,packets\n2\tChard,8\n");
        let refused = found(READ, "DUPLICATE_BLOCKED");
        for results in [vec![], vec![read.clone()], vec![read.clone(), refused.clone()]] {
            assert_eq!(call_for(question, &results), (READ, json!({"path": "seeds.csv"})));
        }
        match next(&asked(question, &[read, refused]), &ToolSet::empty()) {
            Next::Answer { text } => assert!(
                text.starts_with("I asked for the same file again and again")
                    && text.contains("> plant,packets"),
                "{text}"
            ),
            Next::Call { name, .. } => panic!("called {name}"),
        }
    }

    #[test]
    fn asked_to_correct_it_sends_the_file_without_the_mistakes_that_it_knows() {
        let question = "Correct the two mistakes in hours.md";
        let list = found(LIST, ".: 1 entry\nhours.md  1.2 KB\n[Entries 1-1]");
        let read = found(READ, "hours.md: lines 1-3 of 3; 20 bytes\n1\tWensday\n2\t\n3\tFebuary\n");
        let (tool, arguments) = call_for(question, &[list.clone(), read.clone()]);
        assert_eq!(
            (tool, &arguments["target_file"], &arguments["operation"]),
            (WRITE, &json!("hours.md"), &json!("overwrite"))
        );
        let sends = Asked { end_line: Some("DONE"), ..asked(question, &[list.clone(), read]) };
        assert_eq!(
            next(&sends, &ToolSet::empty()),
            Next::Answer { text: "Wednesday\n\nFebruary\n\nDONE".into() }
        );
        let right = found(READ, "hours.md: lines 1-1 of 1; 20 bytes\n1\tWednesday\n");
        assert!(matches!(next(&asked(question, &[list, right]), &tools()), Next::Answer { .. }));
    }

    #[test]
    fn asked_to_write_it_opens_a_session_sends_a_short_file_and_says_what_became_of_it() {
        let question = "Summarize README.md, and write the summary to short.md.";
        let list = found(LIST, ".: 2 entries\nREADME.md  1.2 KB\nshort.md  3 bytes\n[Entries 1-2]");
        let read = found(READ, "README.md: lines 1-3 of 3; 20 bytes\n1\t# Orion\n2\t\n3\tIt works.\n");
        let (tool, arguments) = call_for(question, &[list.clone(), read.clone()]);
        assert_eq!(
            (tool, &arguments["target_file"], &arguments["operation"]),
            (WRITE, &json!("short.md"), &json!("overwrite"))
        );
        assert_eq!(call_for(question, std::slice::from_ref(&read)).1["operation"], "create");

        let sends = Asked { end_line: Some("DONE"), ..asked(question, &[list.clone(), read.clone()]) };
        let content = "# In short: Orion\n\n- It works.\n\nFrom `README.md`, by the demo model.\nDONE";
        assert_eq!(next(&sends, &ToolSet::empty()), Next::Answer { text: content.into() });

        for (ended, said) in [
            ("short.md (create).\n<<<n\nwritten: short.md", "The file is written"),
            ("short.md (create).\n<<<n\nnot written: the user rejected it.", "The file was not written"),
        ] {
            let found = [list.clone(), read.clone(), found(WRITE, ended)];
            match next(&asked(question, &found), &tools()) {
                Next::Answer { text } => assert!(text.starts_with(said), "{text}"),
                Next::Call { name, .. } => panic!("called {name}"),
            }
        }
        let read_only: ToolSet = tools().iter().filter(|tool| tool.name != WRITE).cloned().collect();
        assert!(matches!(next(&asked(question, &[list, read]), &read_only), Next::Answer { .. }));
    }
}
