//! The environment of a command: a list of names that are let through, and what Orion sets (C2).
//!
//! Deliberately not here: which folders a box has (`mounts`); it is asked about the folders of toolchains.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Variables that are let through. Those that begin with `LC_` are as well.
const LET_THROUGH: [&str; 6] = ["PATH", "LANG", "TZ", "USER", "LOGNAME", "SHELL"];

/// Variables that name folders of toolchains; each is let through if the command can see the first folder that it names.
const TOOLCHAINS: [&str; 20] = [
    "ASDF_DATA_DIR",
    "ASDF_DIR",
    "BUN_INSTALL",
    "CARGO_HOME",
    "DENO_DIR",
    "DENO_INSTALL",
    "FNM_DIR",
    "GOPATH",
    "GOROOT",
    "JAVA_HOME",
    "MISE_DATA_DIR",
    "NVM_BIN",
    "NVM_DIR",
    "PNPM_HOME",
    "PYENV_ROOT",
    "RBENV_ROOT",
    "RUSTUP_HOME",
    "SDKMAN_DIR",
    "VIRTUAL_ENV",
    "VOLTA_HOME",
];

/// The variables that are set so that no program waits for a person, opens a pager, writes colours, or asks a host for a newer one of itself.
const SET: [(&str, &str); 10] = [
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_EDITOR", "false"),
    ("PYTHONUNBUFFERED", "1"),
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("NPM_CONFIG_UPDATE_NOTIFIER", "false"),
    ("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
];

/// The reason for which a person cannot add a variable, as the end of a sentence that begins with its name. None for one that can be added.
#[must_use]
pub fn withheld(name: &str) -> Option<&'static str> {
    /// Variables that make a shell read or run something before its first command.
    const OF_SHELLS: [&str; 5] = ["BASHOPTS", "BASH_ENV", "ENV", "PROMPT_COMMAND", "SHELLOPTS"];
    /// Variables by which headers with keys are given to what exports traces.
    const OF_TRACES: [&str; 2] = ["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"];
    let begins = |beginnings: &[&str]| beginnings.iter().any(|beginning| name.starts_with(beginning));
    if LET_THROUGH.contains(&name) || name.starts_with("LC_") {
        Some("reaches every command anyway")
    } else if name == "HOME" || SET.iter().any(|(set, _)| *set == name) {
        Some("is set by the sandbox itself")
    } else if begins(&["LD_", "DYLD_", "BASH_FUNC_"]) || name == "GLIBC_TUNABLES" || OF_SHELLS.contains(&name)
    {
        Some("changes each program that a command runs, or runs one before it")
    } else if name == "ORION" || name.starts_with("ORION_") || OF_TRACES.contains(&name) {
        Some("is for Orion itself")
    } else {
        None
    }
}

/// The environment of a command, in the order of its names. `let_through` are names that a person added; one that is [`withheld`] is none.
pub(crate) fn environment(
    own: impl IntoIterator<Item = (OsString, OsString)>,
    let_through: &[String],
    home: &Path,
    is_seen: &dyn Fn(&Path) -> bool,
) -> Vec<(OsString, OsString)> {
    let mut all: BTreeMap<OsString, OsString> =
        SET.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect();
    for (name, value) in own {
        let Some(text) = name.to_str() else { continue };
        let passes = LET_THROUGH.contains(&text)
            || text.starts_with("LC_")
            || (let_through.iter().any(|added| added == text) && withheld(text).is_none())
            || (TOOLCHAINS.contains(&text) && first(&value).is_some_and(|folder| is_seen(&folder)));
        if passes {
            all.insert(name, value);
        }
    }
    all.insert("HOME".into(), home.into());
    all.insert("ORION".into(), "1".into());
    all.into_iter().collect()
}

/// Leaves only those folders of the search path that are seen: where others are there and closed, a program in one would be found and could not be run.
pub(crate) fn seen_path(environment: &mut [(OsString, OsString)], is_seen: &dyn Fn(&Path) -> bool) {
    for (_, value) in environment.iter_mut().filter(|(name, _)| name == "PATH") {
        let all: Vec<PathBuf> = std::env::split_paths(value).collect();
        let seen = all.into_iter().filter(|folder| folder.is_relative() || is_seen(folder));
        if let Ok(seen) = std::env::join_paths(seen) {
            *value = seen;
        }
    }
}

/// Names the folders of toolchains that programs look for in the home, where the home is another folder than theirs: each that is seen, unless it is
/// named already.
pub(crate) fn named_toolchains(
    environment: &mut Vec<(OsString, OsString)>,
    home: &Path,
    is_seen: &dyn Fn(&Path) -> bool,
) {
    /// Variables, and the folder of the home that each stands for where it is not set.
    const FOLDERS: [(&str, &str); 9] = [
        ("ASDF_DATA_DIR", ".asdf"),
        ("FNM_DIR", ".local/share/fnm"),
        ("MISE_DATA_DIR", ".local/share/mise"),
        ("NVM_DIR", ".nvm"),
        ("PYENV_ROOT", ".pyenv"),
        ("RBENV_ROOT", ".rbenv"),
        ("RUSTUP_HOME", ".rustup"),
        ("SDKMAN_DIR", ".sdkman"),
        ("VOLTA_HOME", ".volta"),
    ];
    for (name, below) in FOLDERS {
        let folder = home.join(below);
        if is_seen(&folder) && !environment.iter().any(|(named, _)| named == name) {
            environment.push((name.into(), folder.into()));
        }
    }
}

/// The variables by which programs find the proxy of a box, each with all that it is set to.
#[cfg(target_os = "linux")]
const PROXIES: [(&str, &str); 9] = [
    ("ALL_PROXY", PROXY),
    ("HTTPS_PROXY", PROXY),
    ("HTTP_PROXY", PROXY),
    ("NO_PROXY", DIRECT),
    ("NODE_USE_ENV_PROXY", "1"),
    ("all_proxy", PROXY),
    ("http_proxy", PROXY),
    ("https_proxy", PROXY),
    ("no_proxy", DIRECT),
];

/// The proxy of a box (`wire::PROXY_PORT`), and what is reached without it: the box itself.
#[cfg(target_os = "linux")]
const PROXY: &str = "http://127.0.0.1:3128";
#[cfg(target_os = "linux")]
const DIRECT: &str = "localhost,127.0.0.1,::1";

/// The properties by which Java finds the proxy, since it reads no such variable.
#[cfg(target_os = "linux")]
const JAVA: (&str, &str) = (
    "JAVA_TOOL_OPTIONS",
    "-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=3128 -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=3128 \
     -Dhttp.nonProxyHosts=localhost|127.0.0.1|[::1]",
);

/// Takes out the person's own proxy, which may have a password.
#[cfg(target_os = "linux")]
pub(crate) fn without_proxies(all: &mut Vec<(OsString, OsString)>) {
    all.retain(|(name, _)| !PROXIES.iter().any(|(set, _)| name == set));
}

/// Sets the variables of the proxy, whatever the person's own are. Java says on each start that it has options, so it has them only for granted hosts.
#[cfg(target_os = "linux")]
pub(crate) fn proxied(all: &mut Vec<(OsString, OsString)>, grants: bool) {
    without_proxies(all);
    all.extend(PROXIES.map(|(name, value)| (name.into(), value.into())));
    if grants {
        let own = all.iter().position(|(name, _)| name == JAVA.0).map(|at| all.swap_remove(at).1);
        let mut options = own.unwrap_or_default();
        if !options.is_empty() {
            options.push(" ");
        }
        options.push(JAVA.1);
        all.push((JAVA.0.into(), options));
    }
    all.sort();
}

/// The first folder of a list, as `GOPATH` is one.
fn first(value: &OsStr) -> Option<PathBuf> {
    std::env::split_paths(value).next().filter(|folder| folder.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::{LET_THROUGH, SET, TOOLCHAINS, environment, withheld};
    use std::ffi::OsString;
    use std::path::Path;

    fn of(own: &[(&str, &str)], added: &[&str]) -> Vec<(String, String)> {
        let own = own.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let added: Vec<String> = added.iter().map(ToString::to_string).collect();
        let is_seen = |folder: &Path| folder.starts_with("/opt");
        environment(own, &added, Path::new("/home/ada"), &is_seen)
            .into_iter()
            .map(|(name, value)| (name.into_string().unwrap(), value.into_string().unwrap()))
            .collect()
    }

    #[test]
    fn only_what_is_on_the_list_reaches_a_command() {
        let own = [
            ("PATH", "/bin"),
            ("LC_ALL", "C.UTF-8"),
            ("AWS_SECRET_ACCESS_KEY", "x"),
            ("SSH_AUTH_SOCK", "/run/x"),
            ("DISPLAY", ":0"),
            ("LD_PRELOAD", "x.so"),
            ("CI", "1"),
            ("HOME", "/elsewhere"),
            ("TERM", "xterm"),
        ];
        let mut expected: Vec<(String, String)> =
            SET.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        for (name, value) in [("PATH", "/bin"), ("LC_ALL", "C.UTF-8"), ("HOME", "/home/ada"), ("ORION", "1")]
        {
            expected.push((name.to_owned(), value.to_owned()));
        }
        expected.sort();
        assert_eq!(of(&own, &[]), expected);
    }

    #[test]
    fn a_name_that_a_person_added_is_let_through_unless_it_is_the_sandboxs_or_orions_own() {
        let own = [
            ("DATABASE_URL", "d"),
            ("TERM", "xterm"),
            ("HOME", "/elsewhere"),
            ("ORION", "0"),
            ("LD_PRELOAD", "x.so"),
            ("BASH_ENV", "x.sh"),
            ("ORION_CONFIG_DIR", "/c"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=x"),
        ];
        let names = own.map(|(name, _)| name);
        let all = of(&own, &[&names[..], &["NOT_SET"]].concat());
        let value = |name: &str| all.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str());
        assert_eq!(value("DATABASE_URL"), Some("d"));
        assert_eq!(value("TERM"), Some("dumb"));
        assert_eq!(value("HOME"), Some("/home/ada"));
        assert_eq!(value("ORION"), Some("1"));
        for name in ["NOT_SET", "LD_PRELOAD", "BASH_ENV", "ORION_CONFIG_DIR", "OTEL_EXPORTER_OTLP_HEADERS"] {
            assert_eq!(value(name), None, "{name}");
        }
    }

    #[test]
    fn every_name_that_is_let_through_or_set_is_withheld_and_a_toolchain_can_be_added() {
        let owned = LET_THROUGH.iter().copied().chain(SET.iter().map(|(name, _)| *name));
        for name in owned.chain(["HOME", "ORION", "LC_ALL", "ORION_LOG", "LD_AUDIT", "DYLD_INSERT_LIBRARIES"])
        {
            assert!(withheld(name).is_some(), "{name}");
        }
        for name in TOOLCHAINS.into_iter().chain(["DATABASE_URL", "NODE_OPTIONS", "LDFLAGS", "ORIONS"]) {
            assert_eq!(withheld(name), None, "{name}");
        }
    }

    #[test]
    fn a_toolchain_is_named_only_where_its_folder_is_seen() {
        let own = [
            ("JAVA_HOME", "/opt/java"),
            ("GOROOT", "/srv/go"),
            ("GOPATH", "/opt/go:/srv/go"),
            ("CARGO_HOME", "here"),
        ];
        let names: Vec<String> = of(&own, &[]).into_iter().map(|(name, _)| name).collect();
        assert!(names.contains(&"JAVA_HOME".to_owned()) && names.contains(&"GOPATH".to_owned()));
        assert!(!names.contains(&"GOROOT".to_owned()) && !names.contains(&"CARGO_HOME".to_owned()));
    }

    // C2
    #[cfg(target_os = "linux")]
    #[test]
    fn a_box_names_its_own_proxy_whatever_the_persons_is_and_java_is_told_where_hosts_are_granted() {
        let own = [("HTTPS_PROXY", "http://a.test"), ("JAVA_TOOL_OPTIONS", "-Xmx1g"), ("PATH", "/bin")];
        let own = || own.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let of = |grants: bool, name: &str| {
            let mut all = Vec::from(own());
            super::proxied(&mut all, grants);
            let found: Vec<_> = all.iter().filter(|(set, _)| set == name).collect();
            assert!(found.len() < 2, "{found:?}");
            found.first().map(|(_, value)| value.to_str().unwrap().to_owned())
        };
        for grants in [true, false] {
            assert_eq!(of(grants, "HTTPS_PROXY").as_deref(), Some("http://127.0.0.1:3128"));
            assert_eq!(of(grants, "https_proxy").as_deref(), Some("http://127.0.0.1:3128"));
            assert_eq!(of(grants, "no_proxy").as_deref(), Some("localhost,127.0.0.1,::1"));
            assert_eq!(of(grants, "PATH").as_deref(), Some("/bin"));
        }
        let mut closed = Vec::from(own());
        super::without_proxies(&mut closed);
        assert_eq!(
            closed.iter().map(|(name, _)| name.to_str().unwrap()).collect::<Vec<_>>(),
            ["JAVA_TOOL_OPTIONS", "PATH"]
        );
        assert_eq!(of(false, "JAVA_TOOL_OPTIONS").as_deref(), Some("-Xmx1g"));
        let java = of(true, "JAVA_TOOL_OPTIONS").unwrap();
        assert!(java.starts_with("-Xmx1g -Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=3128 "), "{java}");
        assert!(super::PROXY.ends_with(&format!(":{}", crate::wire::PROXY_PORT)));
    }

    #[test]
    fn a_toolchain_in_the_home_is_named_where_it_is_seen_and_not_named_yet() {
        let is_seen = |folder: &Path| folder.ends_with(".rustup") || folder.ends_with(".nvm");
        let mut named = vec![("NVM_DIR".into(), "/opt/nvm".into())];
        super::named_toolchains(&mut named, Path::new("/home/ada"), &is_seen);
        let all: Vec<(OsString, OsString)> =
            vec![("NVM_DIR".into(), "/opt/nvm".into()), ("RUSTUP_HOME".into(), "/home/ada/.rustup".into())];
        assert_eq!(named, all);
    }

    #[test]
    fn a_folder_that_is_not_seen_is_not_searched_for_programs() {
        let mut named = vec![("PATH".into(), "/opt/bin:/home/ada/bin:bin:/opt/sbin".into())];
        super::seen_path(&mut named, &|folder| folder.starts_with("/opt"));
        assert_eq!(named, [("PATH".into(), "/opt/bin:bin:/opt/sbin".into())]);
    }

    #[test]
    fn no_name_is_in_two_tables() {
        let set = SET.iter().map(|(name, _)| *name);
        let mut all: Vec<&str> = LET_THROUGH.iter().chain(&TOOLCHAINS).copied().chain(set).collect();
        all.sort_unstable();
        let count = all.len();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
