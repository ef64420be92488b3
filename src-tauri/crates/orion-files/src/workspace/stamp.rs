//! The numbers by which a change of a file is seen without reading it.

use std::time::{Duration, UNIX_EPOCH};

use cap_std::fs::Metadata;

/// A file by its device and number, its size and the time of its content: one that was only moved has the same.
pub(crate) type Moved = ([i64; 2], u64, Option<Duration>);

/// Numbers of a file that change when it is written or replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Stamp {
    pub(crate) bytes: u64,
    pub(crate) modified: Option<cap_std::time::SystemTime>,
    /// Device, number, mode, and seconds and nanoseconds of the last change of any of it. On Windows none of these is there.
    unix: [i64; 5],
}

impl Stamp {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let unix = {
            use cap_std::fs::MetadataExt;
            let number = |number: u64| number.cast_signed();
            let mode = i64::from(metadata.mode());
            [number(metadata.dev()), number(metadata.ino()), mode, metadata.ctime(), metadata.ctime_nsec()]
        };
        #[cfg(not(unix))]
        let unix = [0; 5];
        Self { bytes: metadata.len(), modified: metadata.modified().ok(), unix }
    }

    /// The file on its disk, whatever it is called: device and number.
    pub(crate) fn number(&self) -> [i64; 2] {
        [self.unix[0], self.unix[1]]
    }

    /// The file, wherever it was moved. Its number alone may be given again once it is gone.
    pub(crate) fn moved(&self) -> Moved {
        let modified = self.modified.and_then(|it| it.into_std().duration_since(UNIX_EPOCH).ok());
        (self.number(), self.bytes, modified)
    }

    /// The low 32 bits of what an index of git has: seconds and nanoseconds of the last change of anything and of the content, and the number. None where the
    /// system has not all of them.
    pub(crate) fn of_unix(&self) -> Option<([u32; 4], u32)> {
        let modified = self.modified?.into_std().duration_since(UNIX_EPOCH).ok()?;
        let [_, inode, _, changed, changed_ns] = self.unix;
        let low = |number: i64| u32::try_from(number & i64::from(u32::MAX)).ok();
        let seconds = low(modified.as_secs().cast_signed())?;
        let times = [low(changed)?, low(changed_ns)?, seconds, modified.subsec_nanos()];
        (self.number() != [0, 0]).then_some((times, low(inode)?))
    }

    /// Permission bits such as 0o644; none where the system has none.
    pub(crate) fn mode(&self) -> Option<u32> {
        if cfg!(unix) { u32::try_from(self.unix[2] & 0o7777).ok() } else { None }
    }
}
