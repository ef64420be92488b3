//! The sample folder of the tour: a few small text files, so that nobody needs a folder of their own to see a turn.
//!
//! It is in the system's folder for temporary files, for its owner alone, since tools may not reach Orion's own folders. One that is still
//! there is used again, and the files of the sample that are missing come back; what a person or a turn made of it stays.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use orion_protocol::{Code, ErrorInfo, Outcome, Suggestion};

use super::{Engine, blocking};

/// The name that the window shows.
const NAME: &str = "Sample";
/// What the folder around it begins with.
const AROUND: &str = "orion-tour-";

const FILES: [(&str, &str); 4] = [
    ("README.md", include_str!("sample/README.md")),
    ("opening-hours.md", include_str!("sample/opening-hours.md")),
    ("seeds.csv", include_str!("sample/seeds.csv")),
    ("notes/spring.md", include_str!("sample/notes/spring.md")),
];

const SUGGESTIONS: [&str; 3] = [
    "Read seeds.csv again and again",
    "Correct the two mistakes in opening-hours.md",
    "Summarize README.md, and write the summary to summary.md",
];

impl Engine {
    /// First messages for the sample. The tour sends the first two: one has the demo model repeat a call, one changes two places of a file.
    pub(super) fn suggestions_for_sample(folder: &Path) -> Option<Vec<Suggestion>> {
        let texts = is_sample(folder).then_some(SUGGESTIONS)?;
        Some(texts.map(|text| Suggestion { text: text.to_owned() }).to_vec())
    }

    /// # Errors
    /// `storage` where no folder can be made.
    pub(super) async fn open_sample(&self) -> Result<Outcome, ErrorInfo> {
        let known = self.shared.store.projects().await?;
        let folder = blocking(move || {
            let kept = known.iter().map(|project| PathBuf::from(&project.path)).find(|path| is_sample(path));
            match kept {
                Some(folder) => fill(&folder).map(|()| folder),
                None => make(),
            }
            .map_err(|error| {
                let message = "The sample folder of the tour could not be made.";
                ErrorInfo::new(Code::Storage, message, "Open a folder of your own.")
                    .with_detail(error.to_string())
            })
        });
        self.open_project(&folder.await?).await
    }
}

/// True for a folder that an earlier tour made, and that is still there.
fn is_sample(path: &Path) -> bool {
    let around = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    path.file_name().is_some_and(|name| name == NAME)
        && around.is_some_and(|name| name.starts_with(AROUND))
        && path.is_dir()
}

fn make() -> io::Result<PathBuf> {
    let around = tempfile::Builder::new().prefix(AROUND).tempdir()?;
    let folder = around.path().join(NAME);
    fs::create_dir(&folder)?;
    fill(&folder)?;
    let _ = around.keep();
    Ok(folder)
}

fn fill(folder: &Path) -> io::Result<()> {
    for (name, text) in FILES {
        let path = folder.join(name);
        if let Some(above) = path.parent() {
            fs::create_dir_all(above)?;
        }
        match fs::File::create_new(&path) {
            Ok(mut file) => file.write_all(text.as_bytes())?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_that_is_there_gets_back_what_is_missing_and_keeps_what_was_changed() {
        let folder = make().unwrap();
        assert!(is_sample(&folder));
        fs::write(folder.join("seeds.csv"), "mine").unwrap();
        fs::remove_file(folder.join("notes/spring.md")).unwrap();
        fill(&folder).unwrap();
        assert_eq!(fs::read_to_string(folder.join("seeds.csv")).unwrap(), "mine");
        assert_eq!(fs::read_to_string(folder.join("notes/spring.md")).unwrap(), FILES[3].1);
        fs::remove_dir_all(folder.parent().unwrap()).unwrap();
        assert!(!is_sample(&folder));
        assert!(!is_sample(Path::new("/home/ada/Sample")));
    }
}
