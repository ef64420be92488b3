//! The operating system.

use orion_protocol::{Finding, Subject};

pub(super) async fn look() -> [Finding; 1] {
    // It reads files, and on some systems starts a program.
    let found = tokio::task::spawn_blocking(os_info::get).await;
    let arch = std::env::consts::ARCH;
    let says = found.map_or_else(
        |_| format!("{}, {arch}", std::env::consts::OS),
        |info| format!("{} {}, {arch}", info.os_type(), info.version()),
    );
    [Finding::fine(Subject::System, says)]
}
