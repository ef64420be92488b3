//! What something costs, in processor time: it does not depend on what else the machine does.

use std::time::Duration;

/// Processor time that this process has used so far, with all its threads.
#[cfg(unix)]
pub fn processor_time() -> Duration {
    use rustix::time::{ClockId, clock_gettime};

    let used = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(used.tv_sec.unsigned_abs(), used.tv_nsec.unsigned_abs().try_into().unwrap_or_default())
}

/// Time on the clock since the first call. The standard library does not know the processor time of a process there.
#[cfg(not(unix))]
pub fn processor_time() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;

    static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
    BEGAN.elapsed()
}
