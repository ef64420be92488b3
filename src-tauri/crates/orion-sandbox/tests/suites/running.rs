//! The things that a command is given, and the word on its end.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use orion_protocol::CommandEnd;
use orion_sandbox::{Limits, Order, Program};

use crate::common::Tried;

#[tokio::test]
async fn a_command_ends_with_its_own_code_or_signal_in_a_box_and_outside() {
    let tried = Tried::new().await;
    for place in [tried.in_box(), tried.outside()] {
        for (line, ended) in [
            ("true", CommandEnd::Exited { code: 0 }),
            ("exit 42", CommandEnd::Exited { code: 42 }),
            ("exit 255", CommandEnd::Exited { code: 255 }),
            ("kill -9 $$", CommandEnd::Signalled { signal: 9 }),
            ("kill -SEGV $$", CommandEnd::Signalled { signal: 11 }),
            ("no-such-program", CommandEnd::Exited { code: 127 }),
        ] {
            let (ran, output) = tried.run(place.clone(), tried.order(line)).await;
            assert_eq!(ran.ended, ended, "{line} in {place:?}: {output}{:?}", ran.why);
            assert_eq!((ran.why, ran.left_running, ran.ports), (None, vec![], vec![]), "{line}");
        }
    }
}

#[tokio::test]
async fn output_and_errors_are_one_stream_in_the_order_of_their_writing() {
    let tried = Tried::new().await;
    for place in [tried.in_box(), tried.outside()] {
        let (ran, output) =
            tried.run(place, tried.order("echo 1; echo 2 >&2; echo 3; /bin/echo 4 >&2; printf 5")).await;
        assert_eq!(output, "1\n2\n3\n4\n5");
        assert_eq!(ran.bytes, 9);
    }
}

#[tokio::test]
async fn a_command_has_no_input_no_terminal_and_no_file_of_the_helper() {
    let tried = Tried::new().await;
    for place in [tried.in_box(), tried.outside()] {
        let line = "import os
print(os.readlink('/proc/self/fd/0'), [fd for fd in range(1024) if os.path.lexists(f'/proc/self/fd/{fd}')])
try: print(open('/dev/tty'))
except OSError as error: print(error.strerror)";
        let order = Order {
            program: Program::Argv(["python3", "-c", line].map(str::to_owned).into()),
            ..tried.order("")
        };
        let (_, output) = tried.run(place, order).await;
        assert_eq!(output, "/dev/null [0, 1, 2]\nNo such device or address\n");
    }
}

#[tokio::test]
async fn the_environment_of_a_command_is_exactly_the_list() {
    let tried = Tried::new().await;
    let output = tried.says("/usr/bin/env").await;
    // These the shell sets itself.
    let own = ["PWD", "SHLVL", "_", "OLDPWD"];
    let names: Vec<&str> = output
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name)
        .filter(|name| !own.contains(name))
        .collect();
    let set = [
        "ALL_PROXY",
        "DEBIAN_FRONTEND",
        "GIT_EDITOR",
        "GIT_PAGER",
        "GIT_TERMINAL_PROMPT",
        "HOME",
        "HTTPS_PROXY",
        "HTTP_PROXY",
        "NODE_USE_ENV_PROXY",
        "NO_COLOR",
        "NO_PROXY",
        "NPM_CONFIG_UPDATE_NOTIFIER",
        "ORION",
        "PAGER",
        "PIP_DISABLE_PIP_VERSION_CHECK",
        "PYTHONUNBUFFERED",
        "TERM",
        "all_proxy",
        "http_proxy",
        "https_proxy",
        "no_proxy",
    ];
    for name in set {
        assert!(names.contains(&name), "{name} is missing: {output}");
    }
    let may = ["PATH", "LANG", "TZ", "USER", "LOGNAME", "SHELL", "CARGO_HOME", "RUSTUP_HOME", "PYENV_ROOT"];
    let others: Vec<&&str> = names
        .iter()
        .filter(|name| !set.contains(name) && !may.contains(name) && !name.starts_with("LC_"))
        .collect();
    assert_eq!(others, Vec::<&&str>::new());
    let home = std::env::home_dir().unwrap();
    assert!(output.contains(&format!("HOME={}\n", home.display())), "{output}");
}

#[tokio::test]
async fn a_program_runs_without_a_shell_with_its_arguments_as_they_are() {
    let tried = Tried::new().await;
    let words = ["/usr/bin/printf", "[%s]", "$HOME", "a b", "*", ";", ""].map(str::to_owned);
    let order = Order { program: Program::Argv(words.into()), ..tried.order("") };
    let (ran, output) = tried.run(tried.in_box(), order).await;
    assert_eq!((ran.ended, output.as_str()), (CommandEnd::Exited { code: 0 }, "[$HOME][a b][*][;][]"));
    let order = Order { program: Program::Argv(vec!["no-such-program".to_owned()]), ..tried.order("") };
    let (ran, _) = tried.run(tried.in_box(), order).await;
    assert_eq!(ran.ended, CommandEnd::NotStarted);
    assert_eq!(
        ran.why.as_deref(),
        Some("no-such-program cannot be started: No such file or directory (os error 2)")
    );
}

#[tokio::test]
async fn a_line_that_fills_the_pipe_of_the_helper_runs_whole() {
    let tried = Tried::new().await;
    let long = "x".repeat(100_000);
    assert_eq!(tried.says(&format!("printf {long} | wc -c")).await.trim(), "100000");
    let (ran, _) = tried.run(tried.in_box(), tried.order(&format!(": {}", "x".repeat(200_000)))).await;
    assert_eq!(ran.ended, CommandEnd::NotStarted);
    assert_eq!(ran.why.as_deref(), Some("/bin/bash cannot be started: Argument list too long (os error 7)"));
}

#[tokio::test]
async fn a_command_runs_in_the_folder_that_was_named_and_in_none_outside_the_project() {
    let tried = Tried::new().await;
    fs::create_dir(tried.project().join("sub")).unwrap();
    for cwd in [PathBuf::from("sub"), tried.project().join("sub")] {
        let (_, output) = tried.run(tried.in_box(), Order { cwd, ..tried.order("pwd") }).await;
        assert_eq!(output.trim_end(), tried.project().join("sub").to_str().unwrap());
    }
    for place in [tried.in_box(), tried.outside()] {
        let (ran, _) = tried.run(place, Order { cwd: "/usr".into(), ..tried.order("pwd") }).await;
        assert_eq!(ran.ended, CommandEnd::NotStarted);
        assert_eq!(ran.why.as_deref(), Some("/usr is not in the project"));
    }
}

#[tokio::test]
async fn what_a_command_writes_in_the_project_and_at_home_stays_and_its_tmp_does_not() {
    let tried = Tried::new().await;
    tried.says("echo p > file; echo h > ~/cached; echo t > /tmp/gone").await;
    assert_eq!(fs::read_to_string(tried.project().join("file")).unwrap(), "p\n");
    assert_eq!(fs::read_to_string(tried.layout.home.join("cached")).unwrap(), "h\n");
    assert_eq!(tried.says("cat ~/cached; ls /tmp | grep gone || echo none").await, "h\nnone\n");
}

#[tokio::test]
async fn a_server_that_a_line_starts_answers_in_the_same_line_and_is_reported_with_its_port() {
    let tried = Tried::new().await;
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let line = "python3 -m http.server PORT >/dev/null 2>&1 & python3 -c '
import time, urllib.request
for _ in range(200):
    try:
        print(urllib.request.urlopen(\"http://127.0.0.1:PORT/\").status); break
    except OSError: time.sleep(0.02)
'";
    let line = line.replace("PORT", &free.to_string());
    for place in [tried.in_box(), tried.outside()] {
        let (ran, output) = tried.run(place.clone(), tried.order(&line)).await;
        assert_eq!((ran.ended, output.as_str()), (CommandEnd::Exited { code: 0 }, "200\n"));
        assert_eq!((ran.left_running, ran.ports), (vec!["python3".to_owned()], vec![free]));
        // C4: one that never ends is told by its port.
        let limits = Limits { time: Duration::from_secs(2), ..tried.order("").limits };
        let serves = format!("python3 -m http.server {free} 2>/dev/null");
        let (ran, _) = tried.run(place, Order { limits, ..tried.order(&serves) }).await;
        assert_eq!((ran.ended, ran.ports), (CommandEnd::TimedOut, vec![free]));
    }
}

#[tokio::test]
async fn output_beyond_its_bound_ends_the_command_and_is_not_passed_on() {
    let tried = Tried::new().await;
    for place in [tried.in_box(), tried.outside()] {
        let limits = Limits { output_bytes: 100_000, ..tried.order("").limits };
        let (ran, output) = tried.run(place, Order { limits, ..tried.order("yes") }).await;
        assert_eq!((ran.ended, output.len()), (CommandEnd::Flood, 100_000));
        assert!(ran.bytes > 100_000);
    }
}

#[tokio::test]
async fn a_command_whose_time_is_up_is_told_to_end_and_then_ended() {
    let tried = Tried::new().await;
    for place in [tried.in_box(), tried.outside()] {
        let limits = Limits { time: Duration::from_millis(300), ..tried.order("").limits };
        let line = "trap 'echo told; exit 0' TERM; while :; do :; done";
        let (ran, output) = tried.run(place.clone(), Order { limits, ..tried.order(line) }).await;
        assert_eq!((ran.ended, output.as_str()), (CommandEnd::TimedOut, "told\n"), "{:?}", ran.why);
        assert!(ran.duration < Duration::from_secs(20), "{:?}", ran.duration);
        let line = "trap '' TERM; while :; do :; done";
        let (ran, _) = tried.run(place, Order { limits, ..tried.order(line) }).await;
        assert_eq!(ran.ended, CommandEnd::TimedOut);
        assert!(ran.duration < Duration::from_secs(20), "{:?}", ran.duration);
    }
}
