//! The hosts that package managers need, by their programs: what is offered to a person where a command is refused one, or surely needs them (C2).
//!
//! Offered, never granted: a person grants each host for each run. Deliberately not here: asking, and granting (the turn and `tools/run_command`).

use std::collections::BTreeSet;

use orion_protocol::CommandNetwork;

/// A package manager: its programs, the subcommands that always ask a host, and the hosts.
struct Asking {
    programs: &'static [&'static str],
    subcommands: &'static [&'static str],
    hosts: &'static [&'static str],
}

const NPM: &str = "registry.npmjs.org";
const PYPI: &[&str] = &["pypi.org", "files.pythonhosted.org"];

const MANAGERS: [Asking; 14] = [
    Asking {
        programs: &["cargo"],
        subcommands: &["add", "fetch", "install", "search", "update", "vendor"],
        hosts: &["index.crates.io", "static.crates.io", "crates.io"],
    },
    Asking {
        programs: &["npm", "pnpm"],
        subcommands: &["add", "ci", "create", "dlx", "exec", "i", "init", "install", "up", "update"],
        hosts: &[NPM],
    },
    Asking {
        programs: &["yarn"],
        subcommands: &["", "add", "create", "dlx", "install", "up", "upgrade"],
        hosts: &["registry.yarnpkg.com", NPM],
    },
    Asking {
        programs: &["bun"],
        subcommands: &["add", "create", "i", "install", "update", "x"],
        hosts: &[NPM],
    },
    Asking { programs: &["deno"], subcommands: &["add", "install"], hosts: &["jsr.io", NPM, "deno.land"] },
    Asking {
        programs: &["pip", "pip3", "pipx", "poetry", "pipenv", "pdm"],
        subcommands: &["add", "download", "install", "lock", "sync", "update", "wheel"],
        hosts: PYPI,
    },
    Asking { programs: &["uv"], subcommands: &["add", "lock", "pip", "sync", "tool"], hosts: PYPI },
    Asking {
        programs: &["go"],
        subcommands: &["get", "install", "mod"],
        hosts: &["proxy.golang.org", "sum.golang.org"],
    },
    Asking {
        programs: &["mvn", "mvnw"],
        subcommands: &["dependency:go-offline", "dependency:get", "dependency:resolve"],
        hosts: &["repo.maven.apache.org"],
    },
    Asking {
        programs: &["gradle", "gradlew"],
        subcommands: &["wrapper"],
        hosts: &["services.gradle.org", "plugins.gradle.org", "repo.maven.apache.org"],
    },
    Asking {
        programs: &["bundle", "gem"],
        subcommands: &["add", "fetch", "install", "update"],
        hosts: &["rubygems.org", "index.rubygems.org"],
    },
    Asking {
        programs: &["composer"],
        subcommands: &["create-project", "install", "require", "update"],
        hosts: &["repo.packagist.org", "api.github.com", "codeload.github.com"],
    },
    Asking { programs: &["dotnet"], subcommands: &["add", "restore"], hosts: &["api.nuget.org"] },
    Asking {
        programs: &["mix"],
        subcommands: &["deps.get", "deps.update"],
        hosts: &["repo.hex.pm", "hex.pm"],
    },
];

/// The hosts that a line surely needs; none where it starts no package manager that fetches something.
pub(crate) fn of_line(line: &str) -> Vec<String> {
    let mut found: Vec<&str> = Vec::new();
    for command in line.split([';', '&', '|', '\n', '(', ')']) {
        let mut words = command.split_whitespace().skip_while(|word| word.contains('='));
        let Some(program) = words.next().and_then(|word| word.rsplit('/').next()) else { continue };
        let mut words = words.filter(|word| !word.starts_with(['-', '+']));
        let (program, subcommand) = match program {
            // `python -m pip install`
            python if python.starts_with("python") => (words.next(), words.next()),
            program => (Some(program), words.next()),
        };
        let asks = |of: &&Asking| {
            program.is_some_and(|program| of.programs.contains(&program))
                && of.subcommands.contains(&subcommand.unwrap_or_default())
        };
        found.extend(MANAGERS.iter().filter(asks).flat_map(|of| of.hosts));
    }
    of_these(found)
}

/// The hosts with which running a command again is offered: those that it was granted, and those that it was refused with the others that the same
/// package manager asks for next.
pub(crate) fn after(granted: &[String], refused: &[String]) -> Vec<String> {
    if refused.is_empty() {
        return Vec::new();
    }
    let is_refused = |host: &&str| refused.iter().any(|other| other == host);
    let next = MANAGERS.iter().filter(|of| of.hosts.iter().any(is_refused)).flat_map(|of| of.hosts);
    let granted = granted.iter().map(String::as_str);
    of_these(granted.chain(next.copied()).chain(refused.iter().map(String::as_str)))
}

/// These hosts, each once, as many as can be granted.
fn of_these<'a>(hosts: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let each = hosts.into_iter().filter(|host| seen.insert(*host));
    each.take(CommandNetwork::GRANTED).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use orion_sandbox::Host;

    use super::*;

    #[test]
    fn a_line_that_fetches_packages_has_the_hosts_of_its_manager() {
        let cargo = ["index.crates.io", "static.crates.io", "crates.io"];
        for (line, hosts) in [
            ("cargo fetch", &cargo[..]),
            ("cd app && CARGO_TERM_COLOR=never cargo +nightly add serde", &cargo),
            ("npm ci; npm test", &["registry.npmjs.org"]),
            ("/usr/bin/npm --silent install x", &["registry.npmjs.org"]),
            ("python3 -m pip install x | tail -1", PYPI),
            ("yarn", &["registry.yarnpkg.com", "registry.npmjs.org"]),
            (
                "npm ci && cargo fetch && npm i",
                &["registry.npmjs.org", "index.crates.io", "static.crates.io", "crates.io"],
            ),
            ("./gradlew build", &[]),
            ("cargo build", &[]),
            ("npm test", &[]),
            ("echo npm install", &[]),
            ("python3 -m http.server", &[]),
            ("", &[]),
        ] {
            assert_eq!(of_line(line), hosts, "{line}");
        }
    }

    #[test]
    fn what_is_offered_after_a_run_has_the_hosts_that_come_next() {
        let of = |hosts: &[&str]| hosts.iter().map(|host| (*host).to_owned()).collect::<Vec<_>>();
        let after = |granted: &[&str], refused: &[&str]| after(&of(granted), &of(refused));
        assert_eq!(after(&["a.test"], &[]), [""; 0]);
        assert_eq!(after(&["a.test"], &["b.test:8080"]), ["a.test", "b.test:8080"]);
        let cargo = ["index.crates.io", "static.crates.io", "crates.io", "b.test"];
        assert_eq!(after(&[], &["b.test", "index.crates.io"]), cargo);
        let many: Vec<String> = (0..20).map(|n| format!("h{n}.test")).collect();
        assert_eq!(super::after(&[], &many), many[..CommandNetwork::GRANTED]);
    }

    #[test]
    fn every_host_of_the_table_can_be_granted() {
        for host in MANAGERS.iter().flat_map(|of| of.hosts) {
            assert_eq!(Host::parse(host).map(|parsed| parsed.to_string()).as_deref(), Ok(*host));
        }
    }
}
