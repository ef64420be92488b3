//! What has changed since the names were read.

use std::collections::{BTreeMap, BTreeSet};

use super::Found;
use super::matching::{Best, Filter, folded};

/// Paths that came and went. A path is in one of both at most.
#[derive(Debug, Default)]
pub(super) struct Recent {
    /// By path, with whether it is a folder.
    came: BTreeMap<String, bool>,
    went: BTreeSet<String>,
    /// What happened before all names are read again is in them by then; what happens meanwhile may not be.
    meanwhile: Option<Vec<(String, Option<bool>)>>,
}

impl Recent {
    /// Paths that are kept; beyond that the names are read again.
    pub(super) const MOST: usize = 2_000;

    /// False where it holds more than it should.
    pub(super) fn came(&mut self, Found { path, is_folder }: Found) -> bool {
        self.note(&path, Some(is_folder));
        if !self.fits() {
            return false;
        }
        self.went.remove(&path);
        self.came.insert(path, is_folder);
        self.fits()
    }

    /// A path and all below it.
    pub(super) fn went(&mut self, path: &str) -> bool {
        self.note(path, None);
        let below = format!("{path}/");
        self.came.retain(|at, _| at != path && !at.starts_with(&below));
        if self.fits() {
            self.went.insert(path.to_owned());
        }
        self.fits()
    }

    fn fits(&self) -> bool {
        self.came.len() + self.went.len() <= Self::MOST
    }

    fn note(&mut self, path: &str, kind: Option<bool>) {
        if let Some(meanwhile) = self.meanwhile.as_mut().filter(|it| it.len() < 4 * Self::MOST) {
            meanwhile.push((path.to_owned(), kind));
        }
    }

    pub(super) fn reading_begins(&mut self) {
        self.meanwhile = Some(Vec::new());
    }

    pub(super) fn reading_ended(&mut self) {
        let meanwhile = self.meanwhile.take().unwrap_or_default();
        (self.came, self.went) = Default::default();
        for (path, kind) in meanwhile {
            match kind {
                Some(is_folder) => _ = self.came(Found { path, is_folder }),
                None => _ = self.went(&path),
            }
        }
    }

    /// Whether it is known here what has become of a path. A folder that came was looked through as it came.
    pub(super) fn covers(&self, path: &str) -> bool {
        if self.came.is_empty() && self.went.is_empty() {
            return false;
        }
        let is_here = |path: &str| self.came.contains_key(path) || self.went.contains(path);
        let mut above = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
        is_here(path) || above.any(is_here)
    }

    pub(super) fn find(&self, filter: &Filter, best: &mut Best) {
        for (path, &is_folder) in &self.came {
            let (mut lower, split) =
                (String::with_capacity(path.len()), path.rfind('/').map_or(0, |at| at + 1));
            folded(path, &mut lower);
            let (Some(folder), Some(name)) = (lower.get(..split), lower.as_bytes().get(split..)) else {
                continue;
            };
            if let Some(score) = filter.score(&filter.folder(folder), name) {
                best.offer(score, || Some(Found { path: path.clone(), is_folder }));
            }
        }
    }
}
