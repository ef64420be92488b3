//! The folders of Orion: one for settings and one for data. They are the platform's own, unless the person names
//! others.
//!
//! New folders are for their owner alone (0700). Deliberately not here: what is in the folders.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use orion_files::workspace::Private;
use orion_protocol::{Code, ErrorInfo};

use crate::config::Environment;

/// The two folders, absolute. They need not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    pub config_dir: PathBuf,
    pub data_dir: PathBuf,
}

impl Paths {
    /// `ORION_CONFIG_DIR`, and `data_dir` (from `--data-dir`) or `ORION_DATA_DIR`, or else the platform's folders, such as
    /// `~/.config/orion` and `~/.local/share/orion`.
    pub fn find(environment: &Environment, data_dir: Option<&Path>) -> Result<Self, ErrorInfo> {
        let given = |name: &str| environment.get(name).map(PathBuf::from);
        let platform = || etcetera::base_strategy::choose_native_strategy().map_err(|_| no_home());
        let config_dir = match given("ORION_CONFIG_DIR") {
            Some(folder) => folder,
            None => platform()?.config_dir().join("orion"),
        };
        let data_dir = match data_dir.map(Path::to_path_buf).or_else(|| given("ORION_DATA_DIR")) {
            Some(folder) => folder,
            None => platform()?.data_dir().join("orion"),
        };
        Ok(Self { config_dir: absolute(&config_dir)?, data_dir: absolute(&data_dir)? })
    }

    /// The user's settings.
    #[must_use]
    pub fn config_file(&self) -> PathBuf {
        self.config_dir.join("config.toml")
    }

    /// Both folders, closed to tools.
    #[must_use]
    pub fn private(&self) -> Private {
        Private::new([self.config_dir.clone(), self.data_dir.clone()])
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
