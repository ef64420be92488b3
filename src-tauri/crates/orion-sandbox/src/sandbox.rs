//! The sandbox as the engine uses it: its level, and running commands in it or outside of it (C2–C5).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::level::{Found, Missing};
use crate::places::{Layout, Order, Place, Ran};

/// The name of the helper's program.
const HELPER: &str = if cfg!(windows) { "orion-sandbox.exe" } else { "orion-sandbox" };

/// The sandbox of this computer. Making one does nothing: it is measured when its level is asked for, or a command is to run in it.
#[derive(Debug, Clone)]
pub struct Sandbox {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    helper: PathBuf,
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "nothing is measured there"))]
    kept: PathBuf,
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "nothing is measured there"))]
    trial: Trial,
    #[cfg(target_os = "linux")]
    measured: tokio::sync::Mutex<Option<linux::Measured>>,
}

/// The things that a test has otherwise than this computer.
#[doc(hidden)]
#[derive(Debug, Clone, Default)]
pub struct Trial {
    /// The folders that are searched for `bwrap`.
    pub folders: Option<Vec<PathBuf>>,
    /// The user that it belongs to.
    pub owner: u32,
    /// The file that says which boot this is.
    pub boot: Option<PathBuf>,
    /// An argument of `bwrap` that is left out.
    pub left_out: Option<&'static str>,
    /// The newest interface of Landlock that is used; none of it with 0.
    pub landlock: Option<i32>,
    /// The network that granted hosts are in.
    #[cfg(target_os = "linux")]
    pub internet: Option<crate::network::Internet>,
}

impl Sandbox {
    /// With the helper's program, and the file in which a measure is kept.
    #[must_use]
    pub fn new(helper: PathBuf, kept: PathBuf) -> Self {
        Self::tried(helper, kept, Trial::default())
    }

    #[doc(hidden)]
    #[must_use]
    pub fn tried(helper: PathBuf, kept: PathBuf, trial: Trial) -> Self {
        Self {
            inner: Arc::new(Inner {
                helper,
                kept,
                trial,
                #[cfg(target_os = "linux")]
                measured: tokio::sync::Mutex::default(),
            }),
        }
    }

    /// The helper's place, beside this program. The program of a test is in a folder below it, and the window's in the archive for Linux is in
    /// `lib/orion`, with the helper in `bin`.
    #[must_use]
    pub fn beside(program: &Path) -> PathBuf {
        let folder = program.parent().unwrap_or(Path::new(""));
        match folder.file_name() {
            Some(name) if name == "deps" => folder.with_file_name(HELPER),
            Some(_) if folder.ends_with("lib/orion") => {
                let root = folder.ancestors().nth(2).unwrap_or(folder);
                root.join("bin").join(HELPER)
            }
            _ => folder.join(HELPER),
        }
    }

    /// The level, measured once: it is kept for this computer as it is until it starts anew.
    pub async fn level(&self) -> Found {
        #[cfg(target_os = "linux")]
        return self.measured().await.found;
        #[cfg(not(target_os = "linux"))]
        Found::none(vec![Missing::of("Orion has no sandbox for commands on this system.")])
    }

    /// The level for a project on this computer, of which this was found.
    #[must_use]
    pub fn of_project(&self, found: Found, layout: &Layout) -> Found {
        #[cfg(target_os = "linux")]
        return self.found_for(found, layout);
        #[cfg(not(target_os = "linux"))]
        {
            let _ = layout;
            found
        }
    }

    /// The reasons for which the box of this project would not be full. Empty where it would be.
    #[must_use]
    pub fn holds(&self, layout: &Layout) -> Vec<Missing> {
        #[cfg(target_os = "linux")]
        return crate::mounts::plan(layout, &self.host(true)).err().unwrap_or_default();
        #[cfg(not(target_os = "linux"))]
        {
            let _ = (layout, &self.inner.helper);
            vec![Missing::of("Orion has no sandbox for commands on this system.")]
        }
    }

    /// Runs a command to its end. `output` has each piece of what it writes, as it comes.
    ///
    /// Nothing that it started is left afterwards (C5). Cancelling `stop` ends it, and so does dropping the future (A4).
    pub async fn run(
        &self,
        place: Place,
        order: Order,
        output: impl FnMut(&[u8]) + Send,
        stop: CancellationToken,
    ) -> Ran {
        #[cfg(target_os = "linux")]
        return self.run_with_helper(place, order, output, stop).await;
        #[cfg(not(target_os = "linux"))]
        match place {
            Place::Box(_) | Place::FilesOnly(_) => {
                Ran::not_started("Orion has no sandbox for commands on this system.")
            }
            Place::Outside { project } => crate::outside::run(&project, &order, output, stop).await,
        }
    }
}

#[cfg(target_os = "linux")]
mod linux;
