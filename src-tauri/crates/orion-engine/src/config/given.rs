//! The variables and folders that a person gives to commands (C2): which of them may be given at all.
//!
//! It is asked when the settings are read and saved, and a folder once more before each command, since a link may lead elsewhere by then. Deliberately
//! not here: the form of a name or a path, which the setting itself has, and the box (`orion-sandbox`).

use std::fs;
use std::path::{Path, PathBuf};

use orion_protocol::{Code, ErrorInfo, SettingsChange};
use orion_sandbox::withheld;
use toml_edit::{Item, Table};

use super::definition::UserConfig;
use super::reading::{Document, nth};
use crate::paths::Paths;

/// Files and folders of a home in which programs keep keys and passwords, or what stands for them.
const KEYS: [&str; 31] = [
    ".ssh",
    ".gnupg",
    ".pki",
    ".password-store",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".netrc",
    ".git-credentials",
    ".config/git/credentials",
    ".config/gh",
    ".config/glab-cli",
    ".aws",
    ".azure",
    ".config/gcloud",
    ".kube",
    ".docker",
    ".config/containers",
    ".terraform.d",
    ".cargo/credentials.toml",
    ".cargo/credentials",
    ".npmrc",
    ".pypirc",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".config/op",
    ".config/Bitwarden",
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".thunderbird",
];

/// Folders of the system that no box has as they are: with keys, with sockets of the desktop session, or the kernel's.
const SYSTEM: [&str; 8] =
    ["/boot", "/dev", "/etc", "/proc", "/run", "/sys", "/tmp/.ICE-unix", "/tmp/.X11-unix"];

/// The folders that no command is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Closed {
    home: Option<PathBuf>,
    /// Orion's own.
    private: Vec<PathBuf>,
}

impl Default for Closed {
    fn default() -> Self {
        Self { home: std::env::home_dir().filter(|home| home.is_absolute()), private: Vec::new() }
    }
}

impl Closed {
    pub(crate) fn of(paths: &Paths) -> Self {
        let private = [&paths.config_dir, &paths.data_dir].into_iter().chain(&paths.others);
        Self { private: private.cloned().collect(), ..Self::default() }
    }

    /// The folders of a list that are there and may be given, as they are named, in the order of their names.
    pub(crate) fn open(&self, listed: &[String]) -> Vec<PathBuf> {
        let paths = listed.iter().filter_map(|text| self.path(text));
        let mut open: Vec<PathBuf> =
            paths.filter(|path| path.exists() && self.refusal(path).is_none()).collect();
        open.sort();
        open.dedup();
        open
    }

    /// The folder that a text names. None for one of the home where there is no home.
    fn path(&self, text: &str) -> Option<PathBuf> {
        let path = match text.strip_prefix('~') {
            Some(below) => self.home.as_ref()?.join(below.trim_start_matches('/')),
            None => PathBuf::from(text),
        };
        Some(path.components().collect())
    }

    /// The reason for which a folder cannot be given, as a part of a sentence. A folder is judged by its name and by where it really is.
    pub(crate) fn refusal(&self, path: &Path) -> Option<String> {
        self.refusal_by(path).or_else(|| self.refusal_by(&fs::canonicalize(path).ok()?))
    }

    fn refusal_by(&self, path: &Path) -> Option<String> {
        if path.parent().is_none() {
            return Some("it is the root of the whole disk".to_owned());
        }
        if self.home.iter().flat_map(|home| both(home)).any(|home| home.starts_with(path)) {
            return Some("your whole home folder is in it".to_owned());
        }
        let touches = |closed: &Path| {
            both(closed).iter().any(|closed| path.starts_with(closed) || closed.starts_with(path))
        };
        if let Some(own) = self.private.iter().find(|own| touches(own)) {
            return Some(format!("{} is Orion's own folder", own.display()));
        }
        let mut keys = self.home.iter().flat_map(|home| KEYS.map(|name| (name, home.join(name))));
        if let Some((name, _)) = keys.find(|(_, keys)| touches(keys)) {
            return Some(format!("keys and passwords are kept in ~/{name}"));
        }
        let system = SYSTEM.into_iter().find(|folder| touches(Path::new(folder)))?;
        Some(format!("commands have no more of {system} than the sandbox gives them"))
    }

    /// Refuses a change that gives commands a folder that is closed to them.
    ///
    /// # Errors
    /// `config_invalid`, with the reason.
    pub(crate) fn check(&self, change: &SettingsChange) -> Result<(), ErrorInfo> {
        for text in change.commands.read.iter().flatten() {
            if let Some(why) = self.path(text).and_then(|path| self.refusal(&path)) {
                let message = format!("Commands cannot be given {text}: {why}.");
                return Err(ErrorInfo::new(Code::ConfigInvalid, message, NARROWER));
            }
        }
        Ok(())
    }

    /// Takes what may not be given out of the user's settings, and says where it was.
    pub(super) fn take_out(&self, document: &Document<'_>, user: &mut UserConfig) -> Vec<ErrorInfo> {
        let mut problems = Vec::new();
        let mut problem = |key: &str, at: usize, what: &str, action: &str| {
            let path = ["commands".to_owned(), key.to_owned(), nth(at)];
            problems.push(document.problem(&path, what, action));
        };
        let UserConfig { values, endpoints, .. } = user;
        let is_key = |name: &str| {
            endpoints.values().any(|of| of.key_variable.as_ref().is_some_and(|key| key.as_str() == name))
        };
        values.commands.env = values.commands.env.take().map(|names| {
            let names = names.into_iter().enumerate().filter_map(|(at, name)| {
                let Some(why) = refused(&name, is_key) else { return Some(name) };
                problem("env", at, &format!("names {name}, which {why}; commands are not given it"), REMOVE);
                None
            });
            names.collect()
        });
        values.commands.read = values.commands.read.take().map(|folders| {
            let folders = folders.into_iter().enumerate().filter_map(|(at, folder)| {
                let Some(why) = self.path(&folder).and_then(|path| self.refusal(&path)) else {
                    return Some(folder);
                };
                problem("read", at, &format!("is not given to commands: {why}"), NARROWER);
                None
            });
            folders.collect()
        });
        problems
    }
}

const NARROWER: &str = "Name a narrower folder, or copy what a command needs into the project.";

const REMOVE: &str = "Remove the name.";

/// A folder by its name, and where it really is.
fn both(folder: &Path) -> Vec<PathBuf> {
    std::iter::once(folder.to_owned()).chain(fs::canonicalize(folder)).collect()
}

/// The reason for which a variable cannot be given, as the end of a sentence that begins with its name.
pub(crate) fn refused(name: &str, is_key: impl Fn(&str) -> bool) -> Option<&'static str> {
    withheld(name).or_else(|| is_key(name).then_some("holds the key of an endpoint"))
}

/// Refuses names of variables that no command may have, beside the endpoints of this file.
///
/// # Errors
/// `config_invalid`, with the reason.
pub(super) fn check_names(document: &Table, names: &[String]) -> Result<(), ErrorInfo> {
    let endpoints = document.get("endpoints").and_then(Item::as_table_like);
    let keys: Vec<&str> = endpoints
        .into_iter()
        .flat_map(|endpoints| endpoints.iter())
        .filter_map(|(_, endpoint)| endpoint.as_table_like()?.get("key_variable")?.as_str())
        .collect();
    for name in names {
        if let Some(why) = refused(name, |name| keys.contains(&name)) {
            let message = format!("{name} {why}, so it cannot be added for commands.");
            return Err(ErrorInfo::new(Code::ConfigInvalid, message, REMOVE));
        }
    }
    Ok(())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn tried() -> (tempfile::TempDir, Closed) {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["home/data/deep", "home/.ssh", "home/.config/tool", "orion/data", "other"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        let closed = Closed { home: Some(at("home")), private: vec![at("orion/data"), at("orion/missing")] };
        (folder, closed)
    }

    #[test]
    fn a_folder_with_keys_or_orions_own_or_too_much_cannot_be_given_whatever_it_is_called() {
        let (folder, closed) = tried();
        let at = |name: &str| folder.path().join(name);
        symlink(at("home/.ssh"), at("home/innocent")).unwrap();
        symlink("/", at("root")).unwrap();
        symlink(at("orion"), at("other/link")).unwrap();
        for (name, why) in [
            ("home", "whole home"),
            ("", "whole home"),
            ("home/.ssh", "~/.ssh"),
            ("home/.ssh/keys", "kept in ~/.ssh"),
            ("home/.config", "kept in ~/.config/"),
            ("home/innocent", "~/.ssh"),
            ("orion", "is Orion's own folder"),
            ("orion/data/homes", "is Orion's own folder"),
            ("orion/missing/below", "is Orion's own folder"),
            ("other/link", "is Orion's own folder"),
            ("root", "the root of the whole disk"),
        ] {
            let refusal = closed.refusal(&at(name)).unwrap_or_default();
            assert!(refusal.contains(why), "{name}: {refusal}");
        }
        for system in ["/", "/etc", "/proc/1", "/run/user", "/dev/shm", "/tmp"] {
            assert!(closed.refusal(Path::new(system)).is_some(), "{system}");
        }
        for name in ["home/data", "home/.config/tool", "other", "orion/beside", "home/.sshd"] {
            assert_eq!(closed.refusal(&at(name)), None, "{name}");
        }
    }

    #[test]
    fn the_folders_that_are_there_and_may_be_given_are_given_once() {
        let (folder, closed) = tried();
        let at = |name: &str| folder.path().join(name);
        let other = format!("{}/", at("other").display());
        let listed = ["~/data", &other, "~/data/", "~/missing", "~/.ssh", "~"].map(str::to_owned);
        assert_eq!(closed.open(&listed), [at("home/data"), at("other")]);
        let nowhere = Closed { home: None, ..closed };
        assert_eq!(nowhere.open(&listed), [at("other")]);
    }

    #[test]
    fn a_change_with_a_closed_folder_is_refused_with_the_reason() {
        let (_folder, closed) = tried();
        let mut change = SettingsChange::default();
        change.commands.read = Some(vec!["~/data".to_owned(), "~/.ssh".to_owned()]);
        let refused = closed.check(&change).unwrap_err();
        assert_eq!(refused.code, Code::ConfigInvalid);
        assert_eq!(
            refused.message,
            "Commands cannot be given ~/.ssh: keys and passwords are kept in ~/.ssh."
        );
        change.commands.read = Some(vec!["~/data".to_owned(), "~/missing".to_owned()]);
        assert_eq!(closed.check(&change), Ok(()));
    }
}
