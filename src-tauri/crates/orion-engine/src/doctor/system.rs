//! The operating system and the processor.

use orion_protocol::{Finding, Subject};

pub(super) async fn look() -> [Finding; 1] {
    // It reads files, and on some systems starts a program.
    let system = tokio::task::spawn_blocking(system).await.ok().flatten();
    let system = system.filter(|name| is_plain(name)).unwrap_or_else(|| std::env::consts::OS.to_owned());
    [Finding::fine(Subject::System, format!("{system}, {}", std::env::consts::ARCH))]
}

/// As the distribution calls itself (os-release(5)).
#[cfg(target_os = "linux")]
fn system() -> Option<String> {
    let release = ["/etc/os-release", "/usr/lib/os-release"]
        .into_iter()
        .find_map(|file| std::fs::read_to_string(file).ok())?;
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(name.trim_matches('"').to_owned())
}

#[cfg(not(target_os = "linux"))]
fn system() -> Option<String> {
    let info = os_info::get();
    Some(format!("{} {}", info.os_type(), info.version()))
}

/// A name as distributions have it: nothing else of a file is passed on.
fn is_plain(name: &str) -> bool {
    (1..=60).contains(&name.len())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || " ./()+-_".contains(c))
}
