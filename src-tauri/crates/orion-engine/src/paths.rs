//! The folders of Orion: one for settings and one for data. They are the platform's own, unless the person names
//! others.
//!
//! New folders are for their owner alone (0700). Deliberately not here: what is in the folders.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use orion_files::workspace::Private;
use orion_protocol::{Code, ErrorInfo};

use crate::config::Environment;

/// The two folders, absolute, and those of any other Orion of this person. They need not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    pub config_dir: PathBuf,
    pub data_dir: PathBuf,
    /// The folders that Orion uses when it is started without this `--data-dir` or these variables. What is written there takes effect in the window and in every
    /// other run, so they are closed to tools as well.
    pub others: Vec<PathBuf>,
}

impl Paths {
    /// `ORION_CONFIG_DIR`, and `data_dir` (from `--data-dir`) or `ORION_DATA_DIR`, or else the platform's folders, such as
    /// `~/.config/orion` and `~/.local/share/orion`.
    pub fn find(environment: &Environment, data_dir: Option<&Path>) -> Result<Self, ErrorInfo> {
        let given = |name: &str| environment.get(name).map(PathBuf::from);
        let platform = etcetera::base_strategy::choose_native_strategy().ok();
        let platform_config = platform.as_ref().map(|platform| platform.config_dir().join("orion"));
        let platform_data = platform.as_ref().map(|platform| platform.data_dir().join("orion"));
        let usual_config = given("ORION_CONFIG_DIR").or_else(|| platform_config.clone());
        let usual_data = given("ORION_DATA_DIR").or_else(|| platform_data.clone());
        let data_dir = data_dir.map(Path::to_path_buf).or_else(|| usual_data.clone());
        let paths = Self {
            config_dir: absolute(&usual_config.ok_or_else(no_home)?)?,
            data_dir: absolute(&data_dir.ok_or_else(no_home)?)?,
            others: Vec::new(),
        };
        let others = [platform_config, platform_data, usual_data].into_iter().flatten();
        let mut others = others.map(|folder| absolute(&folder)).collect::<Result<Vec<_>, _>>()?;
        others.retain(|folder| *folder != paths.config_dir && *folder != paths.data_dir);
        others.dedup();
        Ok(Self { others, ..paths })
    }

    /// True when the data folder is the platform's own, and nobody named another one.
    #[must_use]
    pub fn is_usual(&self) -> bool {
        let platform = etcetera::base_strategy::choose_native_strategy().ok();
        platform.is_some_and(|platform| platform.data_dir().join("orion") == self.data_dir)
    }

    /// The user's settings.
    #[must_use]
    pub fn config_file(&self) -> PathBuf {
        self.config_dir.join("config.toml")
    }

    /// The prompts that the person keeps.
    #[must_use]
    pub fn prompts_dir(&self) -> PathBuf {
        self.config_dir.join("prompts")
    }

    /// What was learned of models: [`crate::learned`].
    #[must_use]
    pub fn learned_file(&self) -> PathBuf {
        self.data_dir.join("models.json")
    }

    /// All these folders, closed to tools.
    #[must_use]
    pub fn private(&self) -> Private {
        Private::new([&self.config_dir, &self.data_dir].into_iter().chain(&self.others).cloned())
    }

    #[must_use]
    pub fn log_dir(&self) -> PathBuf {
        self.data_dir.join("logs")
    }
}

/// Makes a folder and those above it, for their owner alone. One that is there already keeps its mode.
pub(crate) fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

/// Writes a file as a whole: a temporary file beside it, readable by its owner alone, flushed, renamed over it, the folder flushed. A symlink
/// is followed first, so that a file kept in a dotfile repository stays there.
pub(crate) fn replace_private_file(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = match fs::canonicalize(file) {
        Ok(target) => target,
        Err(error) if error.kind() == io::ErrorKind::NotFound => file.to_path_buf(),
        Err(error) => return Err(error),
    };
    let folder = target.parent().ok_or(io::ErrorKind::InvalidInput)?;
    make_private_folder(folder)?;
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.as_file().sync_all()?;
    temporary.persist(&target)?;
    #[cfg(unix)]
    fs::File::open(folder)?.sync_all()?;
    Ok(())
}

fn absolute(folder: &Path) -> Result<PathBuf, ErrorInfo> {
    std::path::absolute(folder).map_err(|error| {
        let message = format!("The folder {} cannot be found.", folder.display());
        ErrorInfo::new(Code::Storage, message, "Give its full path.").with_detail(error.to_string())
    })
}

fn no_home() -> ErrorInfo {
    ErrorInfo::new(
        Code::Storage,
        "There is no home folder to keep settings and data in.",
        "Set HOME, or set ORION_CONFIG_DIR and ORION_DATA_DIR.",
    )
}
