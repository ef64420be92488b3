//! Whether a file still has the bytes that an earlier result was made from (X6).
//!
//! It goes through the same doors as `read_file`: what is closed to tools by now, or cannot be read, is not the same.
//! Deliberately not here: which result may answer a call (the turn).

use std::io::{self, Read};
use std::time::Duration;

use orion_core::tool::{Seen, SourceFile};
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use super::seen;
use orion_files::text::Polled;
use orion_files::workspace::{Budget, Project};
use orion_files::writing::sha256_of;

/// How long a comparison may take: 10 s, as long as `read_file` may read. A file that takes longer is read again.
const TIME: Duration = Duration::from_secs(10);

/// A file that was compared.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Compared {
    pub(crate) same: bool,
    /// What was looked at (D3).
    pub(crate) seen: Vec<Seen>,
}

/// Compares a file. Dropping the future ends it; a disk that does not answer is not waited for.
pub(crate) async fn compare(project: Project, file: SourceFile) -> Compared {
    let cancel = CancellationToken::new();
    let budget = Budget::new(Budget::ENTRIES, TIME, cancel.clone());
    let _stop = cancel.drop_guard();
    let compared = spawn_blocking(move || compared(&project.anew(), &file, &budget));
    match tokio::time::timeout(TIME, compared).await {
        Ok(Ok(compared)) => compared,
        Ok(Err(broke)) => {
            tracing::error!(%broke, "a file could not be compared");
            Compared::default()
        }
        Err(_elapsed) => Compared::default(),
    }
}

fn compared(project: &Project, source: &SourceFile, budget: &Budget) -> Compared {
    let opened = project.path(&source.path).and_then(|path| Ok((project.open_file(&path)?, path)));
    let Ok(((file, node), path)) = opened else { return Compared::default() };
    let same = node.metadata.len() == source.bytes && has_bytes_of(file, source, budget).unwrap_or(false);
    Compared { same, seen: seen(Seen::Path, &path, &node.path) }
}

/// Nothing is read beyond the size that the file had.
fn has_bytes_of(file: impl Read, source: &SourceFile, budget: &Budget) -> io::Result<bool> {
    let polled = Polled { inner: file, budget };
    Ok(sha256_of(polled.take(source.bytes.saturating_add(1)))? == source.sha256)
}

#[cfg(test)]
mod tests {
    use super::*;
    use orion_files::workspace::Private;
    use orion_files::writing::sha256;

    fn source(path: &str, text: &str) -> SourceFile {
        SourceFile { path: path.to_owned(), sha256: sha256(text.as_bytes()), bytes: text.len() as u64 }
    }

    // X6
    #[tokio::test]
    async fn only_a_file_with_the_same_bytes_that_is_open_to_tools_is_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        let project = Project::open(folder.path(), &Private::none()).unwrap();
        let same = async |path: &str, text: &str| compare(project.clone(), source(path, text)).await.same;
        write("a.txt", "alpha");
        write("empty.txt", "");
        assert!(same("a.txt", "alpha").await);
        assert!(same("empty.txt", "").await);
        assert!(!same("a.txt", "alphb").await, "the same size, other bytes");
        assert!(!same("a.txt", "alph").await, "it has grown");
        assert!(!same("gone.txt", "alpha").await);
        assert!(!same(".", "alpha").await, "a folder");
        assert!(!same("../a.txt", "alpha").await, "outside");
        write(".orionignore", "a.txt\n");
        assert!(!same("a.txt", "alpha").await, "closed to tools by now");
    }

    // D3
    #[tokio::test]
    async fn what_a_link_leads_to_was_looked_at_too() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.txt"), "alpha").unwrap();
        let project = Project::open(folder.path(), &Private::none()).unwrap();
        let at = |path: &str| Seen::Path(path.to_owned());
        let expected = Compared { same: true, seen: vec![at("a.txt")] };
        assert_eq!(compare(project.clone(), source("a.txt", "alpha")).await, expected);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("a.txt", folder.path().join("link.txt")).unwrap();
            let expected = Compared { same: true, seen: vec![at("link.txt"), at("a.txt")] };
            assert_eq!(compare(project, source("link.txt", "alpha")).await, expected);
        }
    }

    #[test]
    fn a_comparison_that_was_cancelled_finds_no_same_file() {
        let cancel = CancellationToken::new();
        cancel.cancel();
        let budget = Budget::new(Budget::ENTRIES, TIME, cancel);
        assert!(has_bytes_of(&b"alpha"[..], &source("a.txt", "alpha"), &budget).is_err());
    }
}
