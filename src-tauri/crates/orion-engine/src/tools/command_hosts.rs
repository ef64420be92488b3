//! The hosts of a command: those that a call names, those that are offered, and what is said of them when it has run (C2).
//!
//! Deliberately not here: granting them (the turn), letting them through (`orion-sandbox`), and which a package manager needs
//! ([`crate::commands::managers`]).

use orion_protocol::{Code, CommandNetwork, ErrorInfo, SandboxLevel};
use orion_sandbox::Host;

use super::page::{count, size};
use crate::commands::managers;

/// The hosts that a person is asked for, each once (C2).
pub(super) fn hosts_of(names: &[String]) -> Result<Vec<Host>, ErrorInfo> {
    if names.len() > CommandNetwork::GRANTED {
        let most = CommandNetwork::GRANTED;
        return Err(wrong(format!("network has {} hosts, and {most} is the most", names.len())));
    }
    let mut hosts = Vec::new();
    for name in names {
        let host = Host::parse(name).map_err(|why| {
            wrong(format!("{:?} in network {why}", name.chars().take(80).collect::<String>()))
        })?;
        if !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    Ok(hosts)
}

/// The hosts that are offered in the question about a line that names none. Where nothing holds it, it needs none.
pub(super) fn offered(hosts: &[Host], line: &str, level: SandboxLevel) -> Vec<String> {
    match (hosts, level) {
        ([], SandboxLevel::Full) => managers::of_line(line),
        _ => Vec::new(),
    }
}

/// The hosts that a command asked for, in sentences for the model.
pub(super) fn reached(network: &CommandNetwork) -> String {
    let CommandNetwork { hosts, refused, cut, .. } = network;
    let mut said = String::new();
    for used in hosts {
        said.push_str(&match &used.failed {
            Some(why) if used.connections == 0 => format!("\n{} {why}.", used.host),
            _ => {
                format!("\n{}: {} received, {} sent.", used.host, size(used.bytes_in), size(used.bytes_out))
            }
        });
    }
    if *cut {
        said.push_str(
            "\nIt received or sent the most bytes that a command may, so nothing more went through.",
        );
    }
    if !refused.is_empty() {
        said.push_str(&format!(
            "\nRefused, since the person did not grant them: {}. If it needs them, call again with network, and the person is asked.",
            refused.join(", ")
        ));
    }
    said
}

/// The number of refused hosts, as it ends a summary.
pub(super) fn refused_hosts(network: &CommandNetwork) -> String {
    match network.refused.len() as u64 {
        0 => String::new(),
        hosts => format!(", {} refused", count(hosts, "host", "hosts")),
    }
}

fn wrong(what: String) -> ErrorInfo {
    ErrorInfo::new(
        Code::ToolArguments,
        format!("run_command: {what}."),
        "Call it again with arguments that fit.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    // C2
    #[test]
    fn hosts_are_exact_names_each_once_and_eight_at_most() {
        let of = |names: &[&str]| hosts_of(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        let shown = |names: &[&str]| of(names).unwrap().iter().map(Host::to_string).collect::<Vec<_>>();
        assert_eq!(shown(&["Crates.IO.", "crates.io", "a.test:8080"]), ["crates.io", "a.test:8080"]);
        for name in
            ["*", "*.crates.io", "localhost", "127.0.0.1", "[::1]", "registry", "https://a.test", "a.test/"]
        {
            let error = of(&[name]).unwrap_err();
            assert_eq!(error.code, Code::ToolArguments, "{name}");
            assert!(error.message.contains(name), "{}", error.message);
        }
        assert_eq!(of(&["a.test"; 9]).unwrap_err().code, Code::ToolArguments);
    }
}
