//! The command that opens a file in the person's editor.

use std::path::Path;
use std::process::{Command, Stdio};

use orion_protocol::{Code, ErrorInfo};

/// Editors that need a terminal, which a window does not have.
const IN_TERMINAL: [&str; 11] =
    ["vi", "vim", "nvim", "nano", "pico", "micro", "hx", "helix", "joe", "ne", "mcedit"];
/// Editors that take `--goto FILE:LINE`.
const GOTO: [&str; 6] = ["code", "code-insiders", "codium", "vscodium", "cursor", "windsurf"];
/// Editors that take `FILE:LINE`.
const COLON: [&str; 5] = ["zed", "zeditor", "subl", "sublime_text", "lapce"];
/// Editors that take `+LINE FILE`.
const PLUS: [&str; 6] = ["gvim", "emacs", "emacsclient", "gedit", "gnome-text-editor", "mousepad"];
/// Editors that take `--line LINE FILE`.
const LINE: [&str; 8] = ["kate", "kwrite", "idea", "pycharm", "webstorm", "rustrover", "clion", "goland"];

/// The editor's program with its arguments, the file and the line.
///
/// # Errors
/// `usage` where no editor is set, where it is no command, and where it needs a terminal.
pub(super) fn command(
    editor: Option<&str>,
    file: &Path,
    line: Option<u32>,
) -> Result<Vec<String>, ErrorInfo> {
    let editor = editor.ok_or_else(|| usage("No editor is set."))?;
    let words = shell_words::split(editor).map_err(|_| usage("The editor that is set is not a command."))?;
    let program = words.first().ok_or_else(|| usage("No editor is set."))?;
    let name = Path::new(program).file_stem().map(|name| name.to_string_lossy().to_lowercase());
    let name = name.as_deref().unwrap_or_default();
    if IN_TERMINAL.contains(&name) {
        return Err(usage(&format!("`{name}` needs a terminal.")));
    }
    let file = file.to_str().ok_or_else(|| usage("The path of this file is not valid Unicode."))?;
    let number = line.unwrap_or(1).to_string();
    if words.iter().any(|word| word.contains("{file}")) {
        // The line first: the file's own name may contain `{line}`.
        return Ok(words
            .iter()
            .map(|word| word.replace("{line}", &number).replace("{file}", file))
            .collect());
    }
    let place = format!("{file}:{number}");
    let last = match name {
        _ if line.is_none() => vec![file.to_owned()],
        name if GOTO.contains(&name) => vec!["--goto".to_owned(), place],
        name if COLON.contains(&name) => vec![place],
        name if PLUS.contains(&name) => vec![format!("+{number}"), file.to_owned()],
        name if LINE.contains(&name) => vec!["--line".to_owned(), number, file.to_owned()],
        _ => vec![file.to_owned()],
    };
    Ok(words.into_iter().chain(last).collect())
}

/// Starts it, and does not wait until the person closes it.
///
/// # Errors
/// `usage` where it does not start.
pub(super) fn start(command: Vec<String>) -> Result<(), ErrorInfo> {
    let (program, arguments) = command.split_first().ok_or_else(|| usage("No editor is set."))?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|cause| usage(&format!("`{program}` did not start.")).with_detail(cause.to_string()))?;
    // Someone has to wait for its end, or it stays in the list of processes.
    std::thread::spawn(move || child.wait());
    Ok(())
}

fn usage(message: &str) -> ErrorInfo {
    ErrorInfo::new(
        Code::Usage,
        message,
        "Set `editor` in config.toml to an editor with a window, such as `code`.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(editor: &str, line: Option<u32>) -> Vec<String> {
        command(Some(editor), Path::new("/p/a b.rs"), line).unwrap()
    }

    #[test]
    fn the_file_and_the_line_are_added_as_the_editor_takes_them() {
        for (editor, expected) in [
            ("code", vec!["code", "--goto", "/p/a b.rs:7"]),
            ("/usr/bin/Code -n", vec!["/usr/bin/Code", "-n", "--goto", "/p/a b.rs:7"]),
            ("zed", vec!["zed", "/p/a b.rs:7"]),
            ("emacsclient -n", vec!["emacsclient", "-n", "+7", "/p/a b.rs"]),
            ("kate", vec!["kate", "--line", "7", "/p/a b.rs"]),
            ("'my editor' --at={line} {file} -x", vec!["my editor", "--at=7", "/p/a b.rs", "-x"]),
            ("unknown", vec!["unknown", "/p/a b.rs"]),
        ] {
            assert_eq!(words(editor, Some(7)), expected);
        }
        assert_eq!(words("code", None), ["code", "/p/a b.rs"]);
    }

    #[test]
    fn the_name_of_a_file_is_one_argument_whatever_it_is() {
        let file = Path::new("/p/{line} $(touch x); '.rs");
        let words = command(Some("e {file}:{line}"), file, Some(3)).unwrap();
        assert_eq!(words, ["e", "/p/{line} $(touch x); '.rs:3"]);
    }

    #[test]
    fn what_cannot_open_a_window_says_so() {
        for (editor, message) in [
            (None, "No editor is set."),
            (Some(" "), "No editor is set."),
            (Some("vim"), "`vim` needs a terminal."),
            (Some("/usr/bin/nano -w"), "`nano` needs a terminal."),
            (Some("'open"), "The editor that is set is not a command."),
        ] {
            let error = command(editor, Path::new("/p/a"), None).unwrap_err();
            assert_eq!((error.code, error.message.as_str()), (Code::Usage, message));
        }
    }
}
