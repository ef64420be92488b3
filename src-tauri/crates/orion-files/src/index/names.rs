//! Names in little memory: an entry is its folder and its own name, one after the other in one text.

use std::collections::HashMap;

use super::Found;
use super::matching::{Best, Filter, folded};

/// The highest bit of an entry's folder says that the entry is a folder itself.
const IS_FOLDER: u32 = 1 << 31;

#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Its number in `folders`, with [`IS_FOLDER`].
    folder: u32,
    /// Where its name begins; it ends where the next one begins.
    from: u32,
}

#[derive(Debug)]
pub(super) struct Names {
    /// Paths, each with a `/` at its end but for the root, which is the first. Folded in the second text.
    folders: Vec<(String, String)>,
    entries: Vec<Entry>,
    names: String,
    /// The same names for comparing, each as long as its original.
    folded: String,
    /// Numbers of the folders, while names come.
    numbers: HashMap<String, u32>,
    /// There are more names than these.
    pub(super) is_partial: bool,
}

impl Default for Names {
    fn default() -> Self {
        Self {
            folders: vec![(String::new(), String::new())],
            entries: Vec::new(),
            names: String::new(),
            folded: String::new(),
            numbers: HashMap::from([(String::new(), 0)]),
            is_partial: false,
        }
    }
}

impl Names {
    /// Folders come before what is in them.
    pub(super) fn add(&mut self, found: &Found) {
        let (folder, name) = match found.path.rfind('/') {
            Some(at) => found.path.split_at(at + 1),
            None => ("", found.path.as_str()),
        };
        let (Some(&number), Ok(from)) = (self.numbers.get(folder), u32::try_from(self.names.len())) else {
            return;
        };
        let mark = if found.is_folder { IS_FOLDER } else { 0 };
        self.entries.push(Entry { folder: number | mark, from });
        self.names.push_str(name);
        folded(name, &mut self.folded);
        if found.is_folder
            && let Ok(number) = u32::try_from(self.folders.len())
        {
            let path = format!("{}/", found.path);
            let mut lower = String::with_capacity(path.len());
            folded(&path, &mut lower);
            self.numbers.insert(path.clone(), number);
            self.folders.push((path, lower));
        }
    }

    /// All names are there.
    pub(super) fn shrink(&mut self) {
        self.numbers = HashMap::new();
        self.folders.shrink_to_fit();
        self.entries.shrink_to_fit();
        self.names.shrink_to_fit();
        self.folded.shrink_to_fit();
    }

    /// What the names take in memory, about.
    pub(super) fn bytes(&self) -> usize {
        let folders: usize = self.folders.iter().map(|(path, _)| 2 * path.len() + 48).sum();
        folders + self.entries.len() * size_of::<Entry>() + 2 * self.names.len()
    }

    /// `counts`: whether a path may be among the best.
    pub(super) fn find(&self, filter: &Filter, best: &mut Best, counts: impl Fn(&str) -> bool) {
        let folders: Vec<_> = self.folders.iter().map(|(_, folded)| filter.folder(folded)).collect();
        let names = self.folded.as_bytes();
        for (at, entry) in self.entries.iter().enumerate() {
            let number = (entry.folder & !IS_FOLDER) as usize;
            let (from, to) = self.span(at);
            let (Some(folder), Some(name)) = (folders.get(number), names.get(from..to)) else { continue };
            let Some(score) = filter.score(folder, name) else { continue };
            best.offer(score, || {
                let (path, _) = self.folders.get(number)?;
                let path = format!("{path}{}", self.names.get(from..to)?);
                counts(&path).then_some(Found { path, is_folder: entry.folder & IS_FOLDER != 0 })
            });
        }
    }

    fn span(&self, at: usize) -> (usize, usize) {
        let from = |at: usize| self.entries.get(at).map_or(self.names.len(), |entry| entry.from as usize);
        (from(at), from(at + 1))
    }
}
