//! The sample folder of the tour: a few small text files, so that nobody needs a folder of their own to see a turn.
//!
//! It is in the system's folder for temporary files, for its owner alone, since tools may not reach Orion's own folders. One that is still
//! there is used again: files that are missing come back, and so does the one that an earlier tour corrected, since there would be nothing to write. What a
//! person or another turn made of it stays.

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

/// The mistakes in the sample, and what they are corrected to.
const MISTAKES: [(&str, &str); 2] = [("Wensday", "Wednesday"), ("Febuary", "February")];

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
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
                if is_file && fs::read_to_string(&path).is_ok_and(|now| is_left_by_a_tour(&now, text)) {
                    fs::write(&path, text)?;
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// True for a text of the sample in which mistakes were corrected, all or some, and nothing else was changed.
fn is_left_by_a_tour(now: &str, text: &str) -> bool {
    let mistakes: Vec<_> = MISTAKES.iter().filter(|(wrong, _)| text.contains(wrong)).collect();
    (1_u32..1 << mistakes.len()).any(|chosen| {
        let corrected = (0..).zip(&mistakes).filter(|(at, _)| chosen >> at & 1 == 1);
        corrected.fold(text.to_owned(), |text, (_, (wrong, right))| text.replace(wrong, right)) == now
    })
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

    #[test]
    fn the_file_that_a_tour_corrected_has_its_mistakes_again_in_the_next_one() {
        let (name, text) = FILES[1];
        let (first, second) = (text.replace("Wensday", "Wednesday"), text.replace("Febuary", "February"));
        let both = first.replace("Febuary", "February");
        let folder = make().unwrap();
        for left in [&first, &second, &both] {
            assert_ne!(left, text);
            fs::write(folder.join(name), left).unwrap();
            fill(&folder).unwrap();
            assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), text);
        }
        for mine in [format!("{both}Bring a pen.\n"), first.replace("Ada", "Bo"), String::new()] {
            fs::write(folder.join(name), &mine).unwrap();
            fill(&folder).unwrap();
            assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), mine);
        }
        fs::remove_dir_all(folder.parent().unwrap()).unwrap();
    }
}
