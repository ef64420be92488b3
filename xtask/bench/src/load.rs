//! How busy the machine is with other programs, so that a spoiled figure can be recognised.

use std::fs;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

/// How long is watched: two hundred of the 10 ms in which the kernel counts.
const WATCHED: Duration = Duration::from_secs(2);

/// The share of all cores' time, in percent, that is spent now. To be asked while nothing is measured.
///
/// # Errors
/// There is no /proc/stat, as anywhere but on Linux.
pub(crate) fn elsewhere() -> Result<f64> {
    let before = Spent::now()?;
    thread::sleep(WATCHED);
    Ok(Spent::now()?.share_since(&before))
}

/// Time of all cores since the boot, in the kernel's ticks.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Spent {
    all: f64,
    idle: f64,
}

impl Spent {
    fn now() -> Result<Self> {
        let stat = fs::read_to_string("/proc/stat").context("/proc/stat cannot be read")?;
        Self::read(&stat).context("the first line of /proc/stat is of another kind")
    }

    /// The first line of /proc/stat (proc(5)): `cpu`, user, nice, system, idle, iowait, irq, softirq, steal, and times that
    /// are in user and nice already.
    fn read(stat: &str) -> Option<Self> {
        let line = stat.lines().next()?.strip_prefix("cpu ")?;
        let times: Vec<f64> =
            line.split_whitespace().take(8).map(str::parse).collect::<Result<_, _>>().ok()?;
        Some(Self { all: times.iter().sum(), idle: times.get(3)? + times.get(4)? })
    }

    fn share_since(&self, before: &Self) -> f64 {
        let all = self.all - before.all;
        (all - (self.idle - before.idle)) / all * 100.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_for_a_disk_is_idle_and_the_time_of_guests_counts_once() {
        let before = Spent::read("cpu  100 0 50 800 50 0 0 0 30 0\ncpu0 1 2 3\n").unwrap();
        assert_eq!(before, Spent { all: 1_000.0, idle: 850.0 });
        let after = Spent::read("cpu  120 5 65 860 140 4 3 3 60 0\n").unwrap();
        assert_eq!(after.share_since(&before), 25.0);
        assert_eq!(Spent::read("intr 1\n"), None);
    }
}
