//! Lines of a text file for a person who looks at it. What a model reads is in `tools/read_file`.

use std::io::{self, Read};
use std::time::Duration;

use orion_files::text::{Content, Lines, Polled, SAMPLE, sniff};
use orion_files::workspace::{Budget, Project, ProjectPath};
use orion_protocol::{Code, ErrorInfo, FileView};
use tokio_util::sync::CancellationToken;

/// The most lines that are answered at once (`Query::FileLines`).
const LINES: u64 = 2_000;
/// A longer line is cut, in bytes (`Query::FileLines`).
const LINE: usize = 4_000;
/// Larger files are for an editor, in bytes. Each page reads the file from its beginning, and this much takes some ten milliseconds.
const LARGEST: u64 = 8 * 1024 * 1024;
/// For a disk that is slow.
const TIME: Duration = Duration::from_secs(10);

/// Lines of the file from line `from` on, counted from 1.
///
/// # Errors
/// Those of finding the file; `file_binary`, `file_unreadable`, and `usage` for one that is too large.
pub(crate) fn lines(project: &Project, path: &str, from: u64, count: u32) -> Result<FileView, ErrorInfo> {
    let path = project.path(path)?;
    let (mut file, node) = project.open_file(&path)?;
    let bytes = node.metadata.len();
    if bytes > LARGEST {
        return Err(too_large(&path));
    }
    let budget = Budget::new(u64::MAX, TIME, CancellationToken::new());
    let unreadable = |cause: io::Error| unreadable(&path, &cause);
    let mut sample = Vec::with_capacity(SAMPLE);
    file.by_ref().take(SAMPLE as u64).read_to_end(&mut sample).map_err(unreadable)?;
    let coding = match sniff(&sample, sample.len() < SAMPLE) {
        Content::Text(coding) => coding,
        Content::Binary(kind) => return Err(binary(&path, kind)),
    };
    let text = sample.get(coding.mark..).unwrap_or_default();
    // The file may have grown since its size was asked for.
    let rest = Polled { inner: file, budget: &budget }.take(LARGEST);
    let mut source = Lines::new(text.chain(rest), coding);
    let wanted = from..from.saturating_add(LINES.min(u64::from(count)));
    let (mut lines, mut total) = (Vec::new(), 0);
    loop {
        let keep = if wanted.contains(&(total + 1)) { LINE } else { 0 };
        let Some(line) = source.next(0, keep).map_err(unreadable)? else { break };
        total += 1;
        if keep > 0 {
            lines.push(if line.missing > 0 { format!("{} …", line.text) } else { line.text });
        }
    }
    Ok(FileView { path: path.to_string(), bytes, total, lines })
}

fn too_large(path: &ProjectPath) -> ErrorInfo {
    ErrorInfo::new(Code::Usage, format!("`{path}` is larger than 8 MB."), "Open it in your editor.")
}

fn binary(path: &ProjectPath, kind: Option<&str>) -> ErrorInfo {
    let kind = kind.map_or_else(String::new, |kind| format!(" ({kind})"));
    ErrorInfo::new(Code::FileBinary, format!("`{path}` is not text{kind}."), "Open it in another program.")
}

fn unreadable(path: &ProjectPath, cause: &io::Error) -> ErrorInfo {
    ErrorInfo::new(Code::FileUnreadable, format!("`{path}` could not be read."), "Try again.")
        .with_detail(cause.to_string())
}

#[cfg(test)]
mod tests {
    use orion_files::workspace::Private;

    use super::*;

    fn folder(name: &str, content: &[u8]) -> (tempfile::TempDir, Project) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(name), content).unwrap();
        let project = Project::open(folder.path(), &Private::none()).unwrap();
        (folder, project)
    }

    #[test]
    fn a_page_of_a_file_has_its_lines_and_counts_all() {
        let text: String = (1..=5_000).map(|line| format!("line {line}\r\n")).collect();
        let (_folder, project) = folder("a.txt", text.as_bytes());
        let view = lines(&project, "./a.txt", 4_990, 100).unwrap();
        assert_eq!((view.path.as_str(), view.total, view.bytes), ("a.txt", 5_000, text.len() as u64));
        assert_eq!((view.lines.first().unwrap().as_str(), view.lines.len()), ("line 4990", 11));
        assert_eq!(lines(&project, "a.txt", 1, u32::MAX).unwrap().lines.len(), 2_000);
        assert_eq!(lines(&project, "a.txt", 0, 1).unwrap().lines, Vec::<String>::new());
        assert_eq!(lines(&project, "a.txt", u64::MAX, u32::MAX).unwrap().lines, Vec::<String>::new());
    }

    #[test]
    fn long_lines_are_cut_and_other_encodings_decoded() {
        let (_folder, project) = folder("a.txt", &"é".repeat(10_000).into_bytes());
        let view = lines(&project, "a.txt", 1, 1).unwrap();
        assert_eq!(view.lines, [format!("{} …", "é".repeat(2_000))]);
        let (_folder, project) = folder("b.txt", b"\xff\xfea\0b\0\n\0");
        assert_eq!(lines(&project, "b.txt", 1, 1).unwrap().lines, ["ab"]);
        let (_folder, project) = folder("empty", b"");
        assert_eq!(lines(&project, "empty", 1, 1).unwrap().total, 0);
    }

    #[test]
    fn what_is_no_text_or_too_large_says_what_to_do() {
        let (folder, project) = folder("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
        assert_eq!(lines(&project, "a.png", 1, 1).unwrap_err().code, Code::FileBinary);
        let large = std::fs::File::create(folder.path().join("large.log")).unwrap();
        large.set_len(LARGEST + 1).unwrap();
        let error = lines(&project, "large.log", 1, 1).unwrap_err();
        assert_eq!(error.action.as_deref(), Some("Open it in your editor."));
        assert_eq!(lines(&project, "../a.png", 1, 1).unwrap_err().code, Code::PathOutside);
        assert_eq!(lines(&project, "none", 1, 1).unwrap_err().code, Code::PathNotFound);
    }
}
