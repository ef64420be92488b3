//! Boxes as they are planned: the order of their mounts, and what is refused.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::{Host, MOST, Plan, plan};
use crate::places::Layout;

/// A folder with a project and a folder for the home.
struct Folder {
    folder: tempfile::TempDir,
}

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["real/project", "real/.cargo/bin", "own"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        Self { folder }
    }

    fn at(&self, name: &str) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap().join(name)
    }

    fn put(&self, name: &str) {
        let path = self.at("real/project").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }

    fn host(&self) -> Host {
        Host {
            home: self.at("real"),
            helper: "/usr/bin/env".into(),
            is_root: false,
            disables_userns: true,
            left_out: None,
            landlock: None,
        }
    }

    fn layout(&self, read_only: &[&str], masked: &[&str]) -> Layout {
        Layout {
            project: self.at("real/project"),
            home: self.at("own"),
            read_only: read_only.iter().map(PathBuf::from).collect(),
            masked: masked.iter().map(PathBuf::from).collect(),
            also_readable: vec![self.at("real/.cargo/bin")],
        }
    }

    fn planned(&self, read_only: &[&str], masked: &[&str]) -> Plan {
        plan(&self.layout(read_only, masked), &self.host()).unwrap()
    }

    fn refused(&self, read_only: &[&str], masked: &[&str]) -> Vec<String> {
        let missing = plan(&self.layout(read_only, masked), &self.host()).unwrap_err();
        missing.into_iter().map(|missing| missing.what).collect()
    }

    /// The mounts of the person's files, in their order, without the folder that all are in.
    fn mounts(&self, plan: &Plan) -> Vec<String> {
        let words: Vec<&str> = plan.arguments.iter().map(|word| word.to_str().unwrap()).collect();
        let base = format!("{}/", self.at("").to_str().unwrap().trim_end_matches('/'));
        let is_ours = |triple: &[&str]| {
            matches!(triple[0], "--bind" | "--ro-bind" | "0000") && triple[2].starts_with(&base)
        };
        words
            .windows(3)
            .filter(|triple| is_ours(triple))
            .map(|triple| triple.join(" ").replace(&base, ""))
            .collect()
    }
}

#[test]
fn the_home_comes_before_what_is_below_it_and_the_project_before_what_is_read_only_and_that_before_what_is_closed()
 {
    let folder = Folder::new();
    for file in [
        ".git/config",
        ".orion/settings.toml",
        "AGENTS.md",
        "sub/.vscode/tasks.json",
        "deep/down/secret",
        "closed/a",
    ] {
        folder.put(file);
    }
    let plan = folder.planned(&["sub/.vscode", "AGENTS.md"], &["deep/down/secret", "closed"]);
    assert_eq!(
        folder.mounts(&plan),
        [
            "--bind own real",
            "--bind own/.cargo real/.cargo",
            "--bind real/project real/project",
            "--ro-bind real/.cargo/bin real/.cargo/bin",
            "--bind real/project/deep real/project/deep",
            "--bind real/project/sub real/project/sub",
            "--bind real/project/deep/down real/project/deep/down",
            "--ro-bind real/project/.git real/project/.git",
            "--ro-bind real/project/.orion real/project/.orion",
            "--ro-bind real/project/AGENTS.md real/project/AGENTS.md",
            "--ro-bind real/project/sub/.vscode real/project/sub/.vscode",
            "0000 --tmpfs real/project/closed",
            "--ro-bind /dev/null real/project/deep/down/secret",
        ]
    );
}

#[test]
fn the_flags_of_a_box_are_these_and_the_root_is_closed_last() {
    let folder = Folder::new();
    let plan = folder.planned(&[], &[]);
    let words: Vec<&str> = plan.arguments.iter().map(|word| word.to_str().unwrap()).collect();
    let flags = [
        "--unshare-user",
        "--unshare-all",
        "--disable-userns",
        "--as-pid-1",
        "--die-with-parent",
        "--new-session",
        "--cap-drop",
        "ALL",
    ];
    assert_eq!(&words[..8], flags);
    let end = [
        "--ro-bind",
        "/usr/bin/env",
        "/run/orion-sandbox",
        "--remount-ro",
        "/proc",
        "--remount-ro",
        "/",
        "--chdir",
        "/",
        "--",
        "/run/orion-sandbox",
    ];
    assert_eq!(&words[words.len() - end.len()..], end);
    assert!(!words.contains(&"/var") && !words.contains(&"/sys") && !words.contains(&"/run"));
    // An older program does not know it; what the box then is, is measured.
    let older = plan_with(&folder, |host| host.disables_userns = false);
    assert!(!older.iter().any(|word| word == "--disable-userns"));
}

#[test]
fn root_has_nothing_of_etc_but_what_is_on_the_list() {
    let folder = Folder::new();
    let words = plan_with(&folder, |host| host.is_root = true);
    for secret in ["/etc", "/etc/shadow", "/etc/ssh", "/etc/sudoers"] {
        assert!(!words.iter().any(|word| word == secret), "{secret}");
    }
    assert!(words.iter().any(|word| word == "/etc/passwd"));
    assert!(plan_with(&folder, |_| {}).iter().any(|word| word == "/etc"));
}

fn plan_with(folder: &Folder, change: impl FnOnce(&mut Host)) -> Vec<String> {
    let mut host = folder.host();
    change(&mut host);
    let plan = plan(&folder.layout(&[], &[]), &host).unwrap();
    plan.arguments.into_iter().map(|word| word.into_string().unwrap()).collect()
}

#[test]
fn nothing_is_mounted_onto_a_path_that_is_missing_or_is_a_link_or_leads_out() {
    let folder = Folder::new();
    folder.put("AGENTS.md");
    folder.put("real.md");
    symlink("AGENTS.md", folder.at("real/project/CLAUDE.md")).unwrap();
    symlink("/etc", folder.at("real/project/etc")).unwrap();
    let plan = folder.planned(
        &["AGENTS.md", "CLAUDE.md", ".vscode", "../.ssh", "/etc/passwd", "etc/passwd", "."],
        &["missing", "etc/passwd", "../.ssh", ""],
    );
    let mounts = folder.mounts(&plan);
    assert_eq!(mounts[4..], ["--ro-bind real/project/AGENTS.md real/project/AGENTS.md"]);
}

#[test]
fn a_repository_that_is_a_link_is_no_full_box() {
    let folder = Folder::new();
    symlink("/etc", folder.at("real/project/.git")).unwrap();
    assert_eq!(folder.refused(&[], &[]), [".git of the project is a link."]);
}

#[test]
fn more_paths_than_a_box_can_have_are_refused_and_those_below_another_do_not_count() {
    let folder = Folder::new();
    let names: Vec<String> = (0..=MOST).map(|number| format!("sub/{number}/AGENTS.md")).collect();
    for name in &names {
        folder.put(name);
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    assert_eq!(
        folder.refused(&names, &[]),
        ["The project has 33 read-only files and folders, and a sandbox can have 32."]
    );
    // A closed file need not be read-only.
    assert_eq!(
        folder.refused(&names, &names),
        ["The project has 33 closed files and folders, and a sandbox can have 32."]
    );
    let with_their_folder: Vec<&str> = names.iter().copied().chain(["sub"]).collect();
    assert_eq!(folder.mounts(&folder.planned(&with_their_folder, &[])).len(), 5);
}

#[test]
fn a_project_that_has_the_home_or_the_system_in_it_is_refused() {
    let folder = Folder::new();
    let refused = |project: &Path| {
        let layout = Layout { project: project.to_path_buf(), ..folder.layout(&[], &[]) };
        plan(&layout, &folder.host()).unwrap_err().remove(0).what
    };
    assert_eq!(refused(&folder.at("real")), "The project has your home folder in it.");
    assert_eq!(refused(Path::new("/")), "The project has your home folder in it.");
    assert_eq!(refused(&folder.at("own")), "The project and Orion's own folder are in each other.");
    assert_eq!(refused(Path::new("/usr")), "The project has the program in it that rules the sandbox.");
    assert_eq!(refused(Path::new("/etc")), "The project has /etc in it.");
}

#[test]
fn the_repository_of_a_work_tree_is_read_only_and_only_if_it_names_the_tree() {
    let folder = Folder::new();
    let file = folder.at("real/project/.git");
    let main = folder.at("real/main/.git");
    fs::create_dir_all(main.join("worktrees/project")).unwrap();
    fs::write(main.join("worktrees/project/commondir"), "../..\n").unwrap();
    fs::write(main.join("worktrees/project/gitdir"), format!("{}\n", file.display())).unwrap();
    fs::write(&file, format!("gitdir: {}/worktrees/project\n", main.display())).unwrap();
    let mounts = folder.mounts(&folder.planned(&[], &[]));
    assert_eq!(
        mounts[4..],
        ["--ro-bind real/main/.git real/main/.git", "--ro-bind real/project/.git real/project/.git"]
    );
    // A file that came with the project names a folder of the person's.
    fs::create_dir_all(folder.at("real/.ssh")).unwrap();
    fs::write(&file, format!("gitdir: {}\n", folder.at("real/.ssh").display())).unwrap();
    assert_eq!(
        folder.mounts(&folder.planned(&[], &[]))[4..],
        ["--ro-bind real/project/.git real/project/.git"]
    );
}

#[test]
fn what_else_is_readable_is_no_second_way_into_the_project_and_never_orions_own() {
    let folder = Folder::new();
    folder.put("sub/closed");
    for name in ["elsewhere/data", "own/.cache"] {
        fs::create_dir_all(folder.at(name)).unwrap();
    }
    for (to, link) in [
        ("real/project/sub", "into"),
        ("real", "over"),
        ("elsewhere/data", "real/data"),
        ("own", "elsewhere/own"),
    ] {
        symlink(folder.at(to), folder.at(link)).unwrap();
    }
    let readable = |names: &[&str]| {
        let mut layout = folder.layout(&[], &["sub/closed"]);
        layout.also_readable = names.iter().map(|name| folder.at(name)).collect();
        let plan = plan(&layout, &folder.host()).unwrap();
        let mounts = folder.mounts(&plan);
        mounts
            .into_iter()
            .filter(|mount| mount.starts_with("--ro-bind") && !mount.contains("/dev/null"))
            .collect::<Vec<_>>()
    };
    assert_eq!(readable(&["into", "real/project", "real/project/sub", "missing"]), [""; 0]);
    assert_eq!(readable(&["own", "own/.cache", "elsewhere/own"]), [""; 0]);
    assert_eq!(
        readable(&["real/data", "elsewhere"]),
        ["--ro-bind elsewhere elsewhere", "--ro-bind elsewhere/data real/data",]
    );
    assert_eq!(readable(&["over", "real", ""]), [""; 0], "the whole home");

    // A link to a folder around the project is readable as what it is, so that what is closed in the project stays closed.
    fs::create_dir_all(folder.at("work/project")).unwrap();
    symlink(folder.at("work"), folder.at("around")).unwrap();
    let also_readable = vec![folder.at("around")];
    let layout = Layout { project: folder.at("work/project"), also_readable, ..folder.layout(&[], &[]) };
    let plan = plan(&layout, &folder.host()).unwrap();
    let expected = ["--bind own real", "--ro-bind work work", "--bind work/project work/project"];
    assert_eq!(folder.mounts(&plan), expected);
}

// C2
#[test]
fn what_else_is_readable_is_read_only_however_near_the_root_it_is() {
    let folder = Folder::new();
    for name in ["deep/er/home", "elsewhere"] {
        fs::create_dir_all(folder.at(name)).unwrap();
    }
    let layout = Layout { also_readable: vec![folder.at("elsewhere")], ..folder.layout(&[], &[]) };
    let host = Host { home: folder.at("deep/er/home"), ..folder.host() };
    let plan = plan(&layout, &host).unwrap();
    let expected =
        ["--bind own deep/er/home", "--ro-bind elsewhere elsewhere", "--bind real/project real/project"];
    assert_eq!(folder.mounts(&plan), expected);
}

#[test]
fn the_systems_folders_are_not_mounted_twice() {
    let folder = Folder::new();
    let mut layout = folder.layout(&[], &[]);
    layout.also_readable = vec!["/usr/share".into(), "/opt".into()];
    let plan = plan(&layout, &folder.host()).unwrap();
    assert!(!plan.arguments.iter().any(|word| word == "/usr/share"), "{:?}", plan.arguments);
}
