//! Contents of tracked files from before a command, of which no copy was kept: git reads them, in a box of its own (C6).
//!
//! The box has git's objects read-only, and nothing else of the project and of the person. Its repository, its home and its folder are made for this one
//! run, so git reads no settings but its own defaults: no filter, hook or program that a repository names ever runs. What comes out is only taken as the
//! content that the index names. Deliberately not here: which files these are, and that check (`orion_files::compared`).

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use orion_files::compared::{
    ATTRIBUTES_BYTES, BODIES, FILES, ObjectId, Tracked, leads_elsewhere, may_convert,
};
use orion_protocol::CommandEnd;
use orion_sandbox::{Layout, Limits, Order, Place, Program, Sandbox};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::blocking::blocking;

/// The time of git: 20 s. It reads some hundred MiB in five, and a machine may have more to do. A stop ends it sooner.
const TIME: Duration = Duration::from_secs(20);

/// Bytes of memory of git, and the processes of its box: it needs two, and the shell one.
const MEMORY: u64 = 512 << 20;
const PROCESSES: u32 = 16;

/// Bytes of a line of git before a content.
const LINE: u64 = 128;

/// The folder of git's objects.
const OBJECTS: &str = ".git/objects";

/// Files in which a system gives attributes to the files of every repository (gitattributes(5)), and settings to git.
const ATTRIBUTES: &str = "/etc/gitattributes";
const SETTINGS: &str = "/etc/gitconfig";

/// The folder in which a person does, below that of settings, and their other file of settings, below the home.
const OF_THE_PERSON: &str = "git";
const SETTINGS_AT_HOME: &str = ".gitconfig";

/// The folders of one box.
struct Scratch {
    layout: Layout,
    /// Removed at the end.
    _folder: TempDir,
}

/// Reads the contents of these files of a project. What cannot be read is left out. A stop ends git.
pub(super) async fn contents(
    sandbox: &Sandbox,
    project: &Path,
    files: &[Tracked],
    cancel: &CancellationToken,
) -> Vec<(usize, Vec<u8>)> {
    let root = project.to_owned();
    let scratch = blocking(move || (!converts_everywhere()).then(|| scratch(&root))).await;
    let scratch = match scratch {
        Some(Ok(scratch)) => scratch,
        None => return Vec::new(),
        Some(Err(error)) => {
            tracing::warn!(%error, "git cannot be asked for what was there before");
            return Vec::new();
        }
    };
    let Some(line) = line(project, files) else { return Vec::new() };
    let most = BODIES + FILES as u64 * LINE;
    let order = Order {
        program: Program::Line(line),
        cwd: scratch.layout.project.clone(),
        env: Vec::new(),
        limits: Limits {
            time: TIME,
            output_bytes: most,
            memory_bytes: MEMORY,
            processes: PROCESSES,
            ..Limits::default()
        },
        hosts: Vec::new(),
    };
    let mut said = Vec::new();
    let output = |piece: &[u8]| said.extend_from_slice(piece);
    let place = Place::Box(scratch.layout.clone());
    let ran = sandbox.run(place, order, output, cancel.clone()).await;
    if ran.ended != (CommandEnd::Exited { code: 0 }) {
        tracing::warn!(ended = %ran.ended, why = ran.why, "git did not say what was there before");
    }
    let files = files.to_vec();
    blocking(move || bodies(&said, &files)).await
}

/// The contents of these files among what git printed. The size is seen before a content is copied, so all copies have the bytes of the files at most.
fn bodies(said: &[u8], files: &[Tracked]) -> Vec<(usize, Vec<u8>)> {
    let objects = objects(said);
    let body = |file: &Tracked| {
        objects
            .get(&hex(&file.object))
            .filter(|body| body.len() as u64 == file.bytes)
            .map(|body| body.to_vec())
    };
    files.iter().enumerate().filter_map(|(at, file)| Some((at, body(file)?))).collect()
}

/// True where attributes outside of the project may convert contents.
fn converts_everywhere() -> bool {
    let home = std::env::home_dir();
    let settings = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let settings =
        settings.or_else(|| Some(home.as_ref()?.join(".config"))).map(|path| path.join(OF_THE_PERSON));
    let below = |name| settings.as_ref().map(|settings| settings.join(name));
    let attributes = [below("attributes"), Some(ATTRIBUTES.into())];
    let settings =
        [below("config"), home.as_ref().map(|home| home.join(SETTINGS_AT_HOME)), Some(SETTINGS.into())];
    attributes.iter().flatten().any(|path| says(path, may_convert))
        || settings.iter().flatten().any(|path| says(path, leads_elsewhere))
}

/// True if a file says this, or cannot be read whole.
fn says(path: &Path, what: fn(&[u8]) -> bool) -> bool {
    match read(path) {
        Ok(text) => text.len() as u64 > ATTRIBUTES_BYTES || what(&text),
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}

/// As much of an ordinary file as is looked at. Opening anything else could wait for ever.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut text = Vec::new();
    File::open(path)?.take(ATTRIBUTES_BYTES + 1).read_to_end(&mut text)?;
    Ok(text)
}

fn scratch(project: &Path) -> io::Result<Scratch> {
    let objects = project.join(OBJECTS);
    if !fs::symlink_metadata(&objects)?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    let folder = tempfile::tempdir()?;
    let (work, home) = (folder.path().join("work"), folder.path().join("home"));
    fs::create_dir(&work)?;
    fs::create_dir(&home)?;
    let layout = Layout { project: work, home, also_readable: vec![objects], ..Layout::default() };
    Ok(Scratch { layout, _folder: folder })
}

/// The line that prints them, one after the other. None where the path of the project cannot be written in a line.
fn line(project: &Path, files: &[Tracked]) -> Option<String> {
    let objects = project.join(OBJECTS);
    let objects = shell_words::quote(objects.to_str()?).into_owned();
    let names: Vec<String> = files.iter().map(|file| hex(&file.object)).collect();
    Some(format!(
        "exec 2>/dev/null; export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_NO_REPLACE_OBJECTS=1 GIT_NO_LAZY_FETCH=1\n\
         git init --quiet --bare --template= repository && export GIT_DIR=repository GIT_OBJECT_DIRECTORY={objects} && \
         printf '%s\\n' {} | git -c core.packedGitWindowSize=32m -c core.packedGitLimit=128m cat-file --batch",
        names.join(" ")
    ))
}

fn hex(object: &ObjectId) -> String {
    object.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The objects that git printed, by their names: `NAME blob BYTES`, the content, and a line end (git-cat-file(1)).
fn objects(said: &[u8]) -> HashMap<String, &[u8]> {
    let (mut found, mut rest) = (HashMap::new(), said);
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let (head, after) = (String::from_utf8_lossy(&rest[..end]).into_owned(), &rest[end + 1..]);
        rest = after;
        let mut words = head.split(' ');
        let (Some(name), Some("blob"), Some(bytes)) = (words.next(), words.next(), words.next()) else {
            continue;
        };
        let Some(body) = bytes.parse().ok().and_then(|bytes: usize| rest.get(..bytes)) else { break };
        found.insert(name.to_owned(), body);
        rest = rest.get(body.len() + 1..).unwrap_or_default();
    }
    found
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use orion_files::compared::Tracked;
    use orion_files::workspace::ProjectPath;

    use super::{bodies, objects};
    #[cfg(unix)]
    use super::{leads_elsewhere, may_convert, says};

    #[test]
    fn what_git_prints_is_read_by_its_sizes_and_what_is_missing_is_left_out() {
        let said = b"aa blob 5\na\nbb \nbb missing\ncc blob 0\n\ndd blob 99\nshort";
        let found = objects(said);
        let mut names: Vec<(&str, &[u8])> = found.iter().map(|(name, body)| (name.as_str(), *body)).collect();
        names.sort_unstable();
        assert_eq!(names, [("aa", &b"a\nbb "[..]), ("cc", &b""[..])]);
    }

    #[test]
    fn a_content_of_another_size_is_not_copied() {
        let (one, other) = ("11".repeat(20), "22".repeat(20));
        let said = format!("{one} blob 3\nabc\n{other} blob 2\nde\n");
        let file = |name: &str, object, bytes| Tracked {
            path: ProjectPath::parse(name, Path::new("/")).unwrap(),
            object: [object; 20],
            bytes,
        };
        let files = [file("a", 0x11, 3), file("b", 0x11, 3), file("c", 0x22, 3), file("d", 0x33, 3)];
        let expected = vec![(0, b"abc".to_vec()), (1, b"abc".to_vec())];
        assert_eq!(bodies(said.as_bytes(), &files), expected);
    }

    #[cfg(unix)]
    #[test]
    fn what_cannot_be_read_whole_may_say_anything() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        assert!(!says(&path, may_convert));
        std::fs::write(&path, "*.bin -text\n").unwrap();
        assert!(!says(&path, may_convert));
        std::fs::write(&path, "[core]\n\tAttributesFile = x\n").unwrap();
        assert!(says(&path, leads_elsewhere));
        std::fs::write(&path, vec![b' '; (1 << 20) + 1]).unwrap();
        assert!(says(&path, may_convert));
        assert!(says(folder.path(), may_convert));
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert!(says(&pipe, may_convert));
    }
}
