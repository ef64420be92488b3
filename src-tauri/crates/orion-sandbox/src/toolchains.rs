//! The folders of toolchains in a home: those that the search path names, with the parts that their programs need (C2).
//!
//! Only such parts: beside the programs of Cargo, for instance, is the file with the key for its registry.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A folder from the home below which an entry of the search path lies, and the files and folders that its programs need.
const TABLE: [(&str, &[&str]); 22] = [
    (".cargo/bin", &[".cargo/bin", ".cargo/env", ".rustup"]),
    (".rustup", &[".rustup"]),
    (".nvm", &[".nvm"]),
    (".local/share/fnm", &[".local/share/fnm"]),
    (".fnm", &[".fnm"]),
    (".volta", &[".volta/bin", ".volta/tools", ".volta/hooks.json"]),
    (".pyenv", &[".pyenv"]),
    (".rbenv", &[".rbenv"]),
    (".rvm", &[".rvm"]),
    (".asdf", &[".asdf", ".tool-versions", ".asdfrc"]),
    (".local/share/mise", &[".local/share/mise"]),
    (".sdkman", &[".sdkman/candidates", ".sdkman/bin"]),
    ("go", &["go/bin"]),
    ("sdk", &["sdk"]),
    (".deno", &[".deno/bin"]),
    (".bun", &[".bun/bin"]),
    (".local/share/pnpm", &[".local/share/pnpm"]),
    (".npm-global", &[".npm-global"]),
    (".poetry", &[".poetry"]),
    (".ghcup", &[".ghcup"]),
    // The programs that `uv` and `pipx` install are linked to from there.
    (".local/bin", &[".local/bin", ".local/lib", ".local/share/uv", ".local/share/pipx"]),
    ("bin", &["bin"]),
];

/// The files and folders of toolchains below `home` that the search path asks for and that exist, in the order of their names.
#[must_use]
pub fn toolchains(path: &OsStr, home: &Path) -> Vec<PathBuf> {
    let entries: Vec<PathBuf> = std::env::split_paths(path).collect();
    let asked = |below: &str| entries.iter().any(|entry| entry.starts_with(home.join(below)));
    let parts = TABLE.iter().filter(|(below, _)| asked(below)).flat_map(|(_, parts)| parts.iter());
    let mut found: Vec<PathBuf> = parts.map(|part| home.join(part)).filter(|part| part.exists()).collect();
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::toolchains;
    use std::ffi::OsString;
    use std::fs;

    #[test]
    fn a_toolchain_is_there_when_the_search_path_names_it_and_without_its_keys() {
        let home = tempfile::tempdir().unwrap();
        for folder in
            [".cargo/bin", ".rustup/toolchains", ".nvm/versions/node/v22/bin", ".pyenv/shims", ".ssh"]
        {
            fs::create_dir_all(home.path().join(folder)).unwrap();
        }
        fs::write(home.path().join(".cargo/credentials.toml"), "secret").unwrap();
        let path = std::env::join_paths([
            "/usr/bin".into(),
            home.path().join(".cargo/bin"),
            home.path().join(".nvm/versions/node/v22/bin"),
            home.path().join(".deno/bin"),
            home.path().join(".ssh"),
        ])
        .unwrap();
        let expected: Vec<_> =
            [".cargo/bin", ".nvm", ".rustup"].iter().map(|part| home.path().join(part)).collect();
        assert_eq!(toolchains(&path, home.path()), expected);
        assert!(toolchains(&OsString::from("/usr/bin:/bin"), home.path()).is_empty());
    }
}
