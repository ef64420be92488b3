//! Tools that people work with, in a box: what they need is there, and what they must not have is not.

use std::fs;
use std::os::unix::fs::symlink;

use orion_protocol::CommandEnd;
use orion_sandbox::{Layout, Place, toolchains};

use crate::common::Tried;

#[tokio::test]
async fn git_reads_the_repository_and_cannot_change_it() {
    let tried = Tried::new().await;
    let git = |words: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com"])
            .args(words)
            .current_dir(tried.project());
        assert!(git.output().unwrap().status.success(), "{words:?}");
    };
    fs::write(tried.project().join("file"), "one\n").unwrap();
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "First."]);
    let line = "echo two >> file; git status --short; git log --format=%s; git diff --stat | tail -n 1";
    assert_eq!(tried.says(line).await, " M file\nFirst.\n 1 file changed, 1 insertion(+)\n");
    for line in ["git add file", "git config core.fsmonitor x", "git checkout -b other", "git gc"] {
        let (ran, output) = tried.run(tried.in_box(), tried.order(line)).await;
        assert!(matches!(ran.ended, CommandEnd::Exited { code: 1.. }), "{line}: {:?} {output}", ran.ended);
        assert!(output.contains("Read-only file system"), "{line}: {output}");
    }
}

#[tokio::test]
async fn what_else_is_readable_is_where_it_is_and_cannot_be_written() {
    let tried = Tried::new().await;
    let tools = tried.layout.home.with_file_name("tools");
    fs::create_dir_all(tools.join("bin")).unwrap();
    fs::write(tools.join("bin/said"), "hello\n").unwrap();
    symlink(&tools, tools.with_file_name("linked")).unwrap();
    let also_readable = vec![tools.clone(), tools.with_file_name("linked"), tools.join("missing")];
    let place = Place::Box(Layout { also_readable, ..tried.layout.clone() });
    let line =
        format!("cat {0}/bin/said; cat {0}/../linked/bin/said; echo x > {0}/bin/said", tools.display());
    let (ran, output) = tried.run(place, tried.order(&line)).await;
    assert_eq!(ran.ended, CommandEnd::Exited { code: 1 }, "{output}");
    assert!(output.starts_with("hello\nhello\n") && output.contains("Read-only file system"), "{output}");
}

#[tokio::test]
async fn the_compiler_that_builds_this_test_runs_in_a_box() {
    let tried = Tried::new().await;
    let home = std::env::home_dir().unwrap();
    let also_readable = toolchains(&std::env::var_os("PATH").unwrap(), &home);
    let place = Place::Box(Layout { also_readable, ..tried.layout.clone() });
    let line = "mkdir src; echo 'fn main() { println!(\"built\") }' > src/main.rs
printf '[package]\\nname = \"tried\"\\nedition = \"2021\"\\n[workspace]\\n' > Cargo.toml
cargo run --quiet --offline; cat ~/.cargo/credentials.toml";
    let (_, output) = tried.run(place, tried.order(line)).await;
    assert!(output.starts_with("built\ncat: "), "{output}");
}

#[tokio::test]
async fn a_project_with_spaces_signs_and_letters_of_any_language_in_its_path_is_a_project() {
    let tried = Tried::new().await;
    let project = tried.layout.home.with_file_name("a b's \"c\" – ü --bind");
    fs::create_dir(&project).unwrap();
    let place = Place::Box(Layout { project: project.clone(), ..tried.layout.clone() });
    let (ran, output) = tried.run(place, tried.order("pwd; echo x > file")).await;
    assert_eq!((ran.ended, output.trim_end()), (CommandEnd::Exited { code: 0 }, project.to_str().unwrap()));
    assert_eq!(fs::read_to_string(project.join("file")).unwrap(), "x\n");
}
