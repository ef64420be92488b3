//! The things that keep the sandbox from being full, in sentences for a person, and the commands that mend it (C3).

use std::fs;
use std::path::{Path, PathBuf};

use crate::level::Missing;
use crate::wire::Escape;

/// Switches of the kernel that keep `bwrap` from setting a box up: the file, the value that does so, and what is then said and done.
const SWITCHES: [(&str, &str, &str, &[&str]); 3] = [
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "AppArmor keeps bwrap from setting up a sandbox.",
        &[
            "sudo apt install apparmor-profiles",
            "sudo install -m 644 /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/",
            "sudo apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict",
        ],
    ),
    (
        "/proc/sys/kernel/unprivileged_userns_clone",
        "0",
        "This system lets only root set up a sandbox.",
        &[
            "echo kernel.unprivileged_userns_clone=1 | sudo tee /etc/sysctl.d/60-orion.conf",
            "sudo sysctl --system",
        ],
    ),
    (
        "/proc/sys/user/max_user_namespaces",
        "0",
        "This system allows no user namespaces, and a sandbox is one.",
        &[
            "echo user.max_user_namespaces=10000 | sudo tee /etc/sysctl.d/60-orion.conf",
            "sudo sysctl --system",
        ],
    ),
];

/// Families of distributions by the names of /etc/os-release (os-release(5)), and how each installs the package.
const FAMILIES: [(&[&str], &str); 7] = [
    (&["debian", "ubuntu"], "sudo apt install bubblewrap"),
    (&["fedora", "rhel", "centos"], "sudo dnf install bubblewrap"),
    (&["arch"], "sudo pacman -S bubblewrap"),
    (&["suse", "opensuse"], "sudo zypper install bubblewrap"),
    (&["alpine"], "sudo apk add bubblewrap"),
    (&["void"], "sudo xbps-install bubblewrap"),
    (&["gentoo"], "sudo emerge sys-apps/bubblewrap"),
];

/// No `bwrap` can be used, for these reasons; none where there is none.
pub(crate) fn without_bwrap(unfit: Vec<String>) -> Vec<Missing> {
    if !unfit.is_empty() {
        return unfit.into_iter().map(Missing::of).collect();
    }
    let system = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let what = "The program bwrap, which sets up the sandbox, is not installed.".to_owned();
    vec![Missing { what, mend: installing(&system).map(str::to_owned).into_iter().collect() }]
}

fn installing(system: &str) -> Option<&'static str> {
    let value = |key: &str| system.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
    let names = format!("{} {}", value("ID="), value("ID_LIKE=")).replace(['"', '\''], "");
    let named: Vec<&str> = names.split_whitespace().collect();
    let is_of = |family: &[&str]| named.iter().any(|name| family.iter().any(|of| name.starts_with(of)));
    FAMILIES.iter().find(|(family, _)| is_of(family)).map(|(_, command)| *command)
}

/// The box could not be set up; this was said.
pub(crate) fn without_box(complaint: &str) -> Vec<Missing> {
    let switched = switched(|file| fs::read_to_string(file).ok());
    match switched.is_empty() {
        false => switched,
        true => vec![Missing::of(format!("The sandbox could not be set up: {complaint}"))],
    }
}

fn switched(read: impl Fn(&Path) -> Option<String>) -> Vec<Missing> {
    let is_so = |file: &str, value: &str| read(Path::new(file)).is_some_and(|text| text.trim() == value);
    let found = SWITCHES.iter().filter(|(file, value, ..)| is_so(file, value));
    found
        .map(|(_, _, what, mend)| Missing {
            what: (*what).to_owned(),
            mend: mend.iter().map(ToString::to_string).collect(),
        })
        .collect()
}

/// Attempts that got out of the box.
pub(crate) fn escaped(escapes: &[Escape]) -> Vec<Missing> {
    let what = |escape: &Escape| match escape {
        Escape::Home => "A command in the sandbox can read your home folder.",
        Escape::Write => "A command in the sandbox can write outside the project, or in .git.",
        Escape::Kernel => "A command in the sandbox can change settings of the kernel.",
        Escape::Network => "A command in the sandbox can reach the network.",
        Escape::Socket => "A command in the sandbox can reach sockets of other programs.",
        Escape::Vsock => "A command in the sandbox can make sockets that leave this computer.",
        Escape::Process => "A command in the sandbox can see other processes.",
        Escape::Signal => "A command in the sandbox can end your other programs.",
        Escape::Detached => {
            "Something that a command started in the sandbox stays when the command has ended."
        }
        Escape::Project => "A command in the sandbox cannot write in the project.",
    };
    escapes.iter().map(|escape| Missing::of(what(escape))).collect()
}

/// The things of a box that a command has not where there are no namespaces. `closed`: what `.orionignore` closes in this project.
pub(crate) fn without_namespaces(closed: &[PathBuf]) -> Vec<Missing> {
    /// Names of closed files in one sentence.
    const NAMED: usize = 5;
    let mut all = vec![Missing::of(
        "It can change .git and the other files that a full sandbox keeps read-only. What changed in them is named when it has ended.",
    )];
    if !closed.is_empty() {
        let names: Vec<String> = closed.iter().take(NAMED).map(|path| path.display().to_string()).collect();
        let more = if closed.len() > NAMED { " and more" } else { "" };
        let names = names.join(", ");
        all.push(Missing::of(format!(
            "It can read and change what .orionignore closes in the project: {names}{more}."
        )));
    }
    all.push(Missing::of(
        "It sees which programs run and which files there are, and can change the mode and the times of files that are yours.",
    ));
    all
}

#[cfg(test)]
mod tests {
    use super::{SWITCHES, installing, switched, without_bwrap};

    #[test]
    fn each_family_of_distributions_has_its_own_command() {
        for (system, command) in [
            ("PRETTY_NAME=\"Debian\"\nID=debian\n", Some("sudo apt install bubblewrap")),
            ("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", Some("sudo apt install bubblewrap")),
            ("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", Some("sudo dnf install bubblewrap")),
            ("ID=manjaro\nID_LIKE=arch\n", Some("sudo pacman -S bubblewrap")),
            (
                "ID=\"opensuse-tumbleweed\"\nID_LIKE=\"opensuse suse\"\n",
                Some("sudo zypper install bubblewrap"),
            ),
            ("ID=alpine\n", Some("sudo apk add bubblewrap")),
            ("ID=nixos\n", None),
            ("", None),
        ] {
            assert_eq!(installing(system), command, "{system}");
        }
    }

    #[test]
    fn a_switch_of_the_kernel_is_named_with_what_turns_it() {
        for (file, value, what, mend) in SWITCHES {
            let found = switched(|asked| (asked.to_str() == Some(file)).then(|| format!("{value}\n")));
            assert_eq!(found.iter().map(|missing| missing.what.as_str()).collect::<Vec<_>>(), [what]);
            assert_eq!(found[0].mend, mend);
        }
        assert_eq!(switched(|_| None), []);
    }

    #[test]
    fn a_program_that_is_there_but_cannot_be_used_is_not_installed_again() {
        let missing = without_bwrap(vec!["/usr/bin/bwrap can be changed by other users.".to_owned()]);
        assert_eq!(missing.len(), 1);
        assert!(missing[0].mend.is_empty());
        assert_eq!(
            without_bwrap(Vec::new())[0].mend.len(),
            usize::from(
                installing(&std::fs::read_to_string("/etc/os-release").unwrap_or_default()).is_some()
            )
        );
    }
}
