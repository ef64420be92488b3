//! C1, A1: rules of words for commands. What they cover, what no rule is kept of, and what a rule that denies does where it cannot be checked.

use orion_core::command_line::{Line, Words, read};
use orion_core::permission::{
    Kept, Never, Rule, Rules, Ruling, ToolRules, as_asked, command_of, least_words, prefixes, words_of_rule,
};
use orion_core::tool::{ToolKind, ToolSet, ToolSpec};
use orion_core::turn::{Done, Flag, Flags, Input, Prepared, Supplied, TurnSetup, Unfit, Verdict};
use orion_protocol::{
    AskedBy, CommandAsked, Given, KeptFor, KeptRule, PendingOf, Permission, Policy, Reply, RuleFor,
    SandboxLevel, SimpleCommand, TurnEvent,
};
use proptest::prelude::*;
use serde_json::json;

use crate::common::{Played, approval, call, finish, parsed, setup, tool};
use crate::thorough::cases;

const RUN: &str = "run_command";

fn runner() -> ToolSpec {
    ToolSpec {
        kind: ToolKind::RunsCommands,
        paths: vec!["cwd".to_owned()],
        ruled: vec!["argv".to_owned(), "command".to_owned()],
        ..tool(RUN, Permission::Ask)
    }
}

fn words(line: &str) -> Words {
    line.split(' ').map(str::to_owned).collect()
}

fn asked(line: &str) -> CommandAsked {
    let understood = read(line);
    CommandAsked {
        line: line.to_owned(),
        unread: understood.as_ref().err().map(ToString::to_string),
        runs: understood.map(|line| as_asked(&line, true, found)).unwrap_or_default(),
        folder: ".".to_owned(),
        reason: None,
        seconds: 60,
        level: SandboxLevel::Full,
        gaps: Vec::new(),
        reads: Vec::new(),
        needs_outside: false,
        asks_since: None,
        hosts: Vec::new(),
        offered_hosts: Vec::new(),
    }
}

/// Two programs lie where commands write. A shell has one of them itself.
fn found(name: &str) -> Option<String> {
    ["planted", "printf"].contains(&name).then(|| "lies in bin, where commands write".to_owned())
}

fn kept(rules: &[&str]) -> Rules {
    let kept = rules.iter().zip(1..).map(|(text, number)| Kept {
        approval_id: approval(number),
        tool: RUN.to_owned(),
        pattern: (*text).to_owned().try_into().unwrap(),
    });
    Rules { kept: kept.collect(), ..Rules::default() }
}

fn judged(rules: &Rules, line: &str) -> Ruling {
    let arguments = parsed(Some(&runner()), &json!({ "command": line }));
    rules.judge_commands(&runner(), &arguments, Some(&asked(line)))
}

const ASKS: Ruling = Ruling::Ask(AskedBy::Default);

#[test]
fn a_line_runs_unasked_when_each_of_its_commands_begins_with_a_kept_rule() {
    let rules = kept(&["cargo test", "npm run build; npm test", "tail", "planted", "git log", "printf"]);
    let by = |number| Ruling::Kept(approval(number));
    for (line, expected) in [
        ("cargo test", by(1)),
        ("cargo test -p x -- --nocapture", by(1)),
        ("cargo test 2>&1 | tail -n 5", by(1)),
        ("tail -n 5 x; cargo test", by(3)),
        ("npm run build && npm test", by(2)),
        ("cd src && cargo test", by(1)),
        ("cd src", Ruling::Ask(AskedBy::Default)),
        ("cd ../x && cargo test", ASKS),
        ("cargo build", ASKS),
        ("cargo", ASKS),
        ("cargo test && rm -rf x", ASKS),
        ("rm -rf x && cargo test", ASKS),
        ("cargo test | sh", ASKS),
        ("cargo --offline test", ASKS),
        ("cargo +nightly test", ASKS),
        ("cargo tests", ASKS),
        ("npm run", ASKS),
        ("npm run evil", ASKS),
        ("npm --prefix x test", ASKS),
        ("./cargo test", ASKS),
        ("/usr/bin/cargo test", ASKS),
        ("cargo test > x", ASKS),
        ("cargo test $X", ASKS),
        ("cargo test &", ASKS),
        ("FOO=1 cargo test", ASKS),
        ("env cargo test", ASKS),
        ("sudo cargo test", ASKS),
        ("cargo test --config x.toml", ASKS),
        ("git log --exec=x", ASKS),
        ("planted", ASKS),
        ("printf x", by(6)),
    ] {
        assert_eq!(judged(&rules, line), expected, "{line}");
    }
}

#[test]
fn a_rule_for_every_command_and_the_choice_for_a_turn_cover_a_line_that_is_not_understood() {
    for line in ["for i in a; do b; done", "bash x.sh", "cargo test"] {
        assert_eq!(judged(&kept(&["**"]), line), Ruling::Kept(approval(1)), "{line}");
        let unasked = Rules { commands_unasked: true, ..Rules::default() };
        assert_eq!(judged(&unasked, line), Ruling::Allow, "{line}");
        assert_eq!(judged(&Rules::default(), line), ASKS, "{line}");
    }
}

#[test]
fn a_program_without_a_shell_is_judged_by_its_words() {
    let of = |argv: &[&str]| {
        let arguments = parsed(Some(&runner()), &json!({ "argv": argv }));
        let line = command_of(argv.iter().map(ToString::to_string).collect()).ok();
        let runs = line.map(|line| as_asked(&line, false, found)).unwrap_or_default();
        let asked = CommandAsked { runs, ..asked("x") };
        kept(&["cargo test", "printf"]).judge_commands(&runner(), &arguments, Some(&asked))
    };
    assert_eq!(of(&["cargo", "test", "&& rm x", "$X", "*"]), Ruling::Kept(approval(1)));
    assert_eq!(of(&["cargo", "build"]), ASKS);
    assert_eq!(of(&["printf", "x"]), ASKS);
    assert_eq!(of(&["cargo", "test", "a\u{200b}"]), ASKS);
    assert_eq!(of(&["env", "cargo", "test"]), ASKS);
}

// C1: rules that a wrapper gets past: none.
#[test]
fn no_rule_is_kept_of_what_runs_its_words_and_a_program_with_subcommands_needs_one() {
    for line in [
        "sudo x",
        "doas x",
        "env x",
        "xargs x",
        "find . -delete",
        "nice x",
        "timeout 5 x",
        "nohup x",
        "time x",
        "watch x",
        "parallel x",
        "setsid x",
        "stdbuf -o0 x",
        "strace x",
        "script x",
        "su x",
        "chroot x",
        "ssh x",
        "unshare x",
        "busybox sh",
        "bash x",
        "sh -c x",
        "zsh x",
        "dash x",
        "fish x",
        "python x",
        "python3 x",
        "python3.12 x",
        "node x",
        "node20 x",
        "deno run x",
        "bun x",
        "ruby x",
        "perl x",
        "perl5.36 x",
        "php x",
        "php8.2 x",
        "lua5.4 x",
        "awk x",
        "gawk x",
        "sed x",
        "java x",
        "npx x",
        "npm exec x",
        "npm x y",
        "pnpm dlx x",
        "pnpm exec x",
        "yarn dlx x",
        "yarn exec x",
        "bunx x",
        "uvx x",
        "uv run x",
        "uv tool run x",
        "pipx run x",
        "poetry run x",
        "pipenv run x",
        "bundle exec x",
        "docker run x",
        "docker exec x",
        "docker compose run x",
        "kubectl exec x",
        "cargo watch -x x",
        "go tool x",
        "go test -exec x",
        "go vet -vettool=x",
        "go build -toolexec x",
        "cargo test --config x",
        "git bisect run x",
        "git rebase -x y",
        "git submodule foreach x",
        "git grep --open-files-in-pager=x",
        "git grep --open x",
        "git log --ext-diff",
        "git fetch --upload-pack=x",
        "git fetch --upload x",
        "git push --exec x",
        "git grep -nOx",
        "git config x y",
        "git difftool -x y",
        "tar --to-command=x -xf a",
        "tar -cIx a",
        "tar cIx a",
        "tar --use-comp x",
        "tar --checkpoint-action=exec=x",
        "sort --compress-program=x",
        "sort --comp x",
        "rg --pre x",
        "rg --pre=x y",
        "make test SHELL=x",
        "make x --eval=y",
        "make -f x",
        "make t -kf x",
        "cmake -E x",
        "cmake -P x",
        "npm test --script-shell=x",
        "npm run x --script-shell y",
        "gcc -wrapper x",
        "wget --use-askpass=x",
        "rsync -e x",
        "ip netns exec x",
        "flock x y",
        "vim x",
        "less x",
        "man x",
        "gdb x",
        "ld-linux-x86-64.so.2 x",
        "psql x",
        "sqlite3 x",
        "systemd-run x",
        "bwrap x",
        "xvfb-run x",
        "dbus-run-session x",
        "rustup run x",
        "conda run x",
        "mise exec x",
        "asdf exec x",
        "direnv exec x",
        "nodemon x",
        "cross-env x",
        "fd -x y",
        "entr x",
        "hyperfine x",
        "./x",
        "/bin/x",
        "a/b",
        "split --filter=x",
        "npm --prefix x test",
        "git -c alias.x=y x",
        "git --exec-path=x y",
        "cargo --config x test",
        "cargo +x test",
        "make",
        "git",
        "npm run",
        "npm run --x",
        "docker-compose run x",
        "dotnet exec x",
        "nix run x",
        "gh alias set x",
        "git clone x",
        "stack exec x",
        "ssh-agent x",
        "nix-shell x",
        "guix shell x",
        "sem x",
        "toolbox run x",
        "distrobox enter x",
        "mpirun x",
        "yarnpkg exec x",
        "cargo-watch x",
        "systemd-nspawn x",
        "rr x",
        "kcov x",
        "logsave x y",
        "gtimeout 5 x",
        "genv x",
        "gxargs x",
        "gfind x",
        "ipython x",
        "bpython x",
        "jupyter x",
        "coverage run x",
        "ansible x",
        "django-admin x",
        "flask x",
        "clojure x",
        "ocaml x",
        "ghc x",
        "raku x",
        "crystal x",
        "nim x",
        "js x",
        "qjs x",
        "vim.basic x",
        "vim.tiny x",
        "bmake x",
        "pylint --init-hook=x",
        "pdflatex -shell-escape x",
        "pandoc --filter x",
        "bat --pager x",
        "ack --pager x",
        "yt-dlp --exec x",
        "rustc -C linker=x",
        "rustc -Clinker=x",
        "rake -e x",
        "rake test -f x",
        "rake --execute x",
        "apt-get install -o x",
        "git send-email --sendmail-cmd=x",
        "bundle e x",
        "bundle ex x",
        "bundle exe x",
        "npm exe x",
        "composer exe x",
        "opam exe x",
        "hg bis -c x",
        "ip netn exec x",
        "pixi x y",
        "yarn workspace a exec x",
        "yarn workspaces foreach x",
        "yarn bash x",
        "yarn run node x",
        "pnpm bash x",
        "pnpm ./x",
        "pnpm make",
        "pnpm yarn pnpm yarn x",
        "hatch env run x",
        "tox exec x",
        "tox e x",
        "git merge-index x",
        "go run x",
        "dart run x",
        "podman compose run x",
        "podman container exec x",
        "tar --t x",
        "git grep --o x",
        "make x -E y",
        "npm --prefix x exec y",
    ] {
        assert!(least_words(&words(line)).is_err(), "{line}");
        let (asked, counts) = (asked(line), [u32::try_from(words(line).len()).unwrap()]);
        assert_eq!(prefixes(&asked.runs, &counts), None, "{line}");
        // Nor does what is kept of anything cover it.
        let name = words(line)[0].clone();
        let broad =
            [name.clone(), line.to_owned(), words(line).into_iter().take(2).collect::<Vec<_>>().join(" ")];
        for rule in broad {
            assert_eq!(judged(&kept(&[&rule]), line), ASKS, "{rule} covers {line}");
        }
    }
    for (line, least) in [
        ("cargo test", 2),
        ("git log --oneline -5", 2),
        ("npm run build", 3),
        ("npm test", 2),
        ("pnpm run x", 3),
        ("yarn build", 2),
        ("make test", 2),
        ("go test ./...", 2),
        ("ls -l", 1),
        ("tail -n 5", 1),
        ("grep -rn x", 1),
        ("rg -n x --pretty", 1),
        ("pytest -x", 1),
        ("tsc --noEmit", 1),
        ("tar xzf a.tgz", 1),
        ("sort -u x", 1),
        ("echo x", 1),
        ("rm -rf x", 1),
        ("git push -u origin x", 2),
        ("git branch --contains x", 2),
        ("gcc-12 a.c", 1),
        ("just build", 2),
        ("docker ps", 2),
        ("cmake --build x", 1),
        ("uv sync", 2),
        ("cargo xtask check", 3),
        ("gradle build", 2),
        ("kubectl get x", 2),
        ("pip list", 2),
        ("git ls-files --exclude=x", 2),
        ("git merge x", 2),
        ("docker build x", 2),
        ("coverage report", 2),
        ("pnpm build", 2),
        ("pnpm run build", 3),
        ("pnpm cargo test", 3),
        ("yarn run build", 3),
        ("npm i x", 2),
        ("rustc -C opt-level=3 x", 1),
    ] {
        assert_eq!(least_words(&words(line)), Ok(least), "{line}");
    }
    assert_eq!(least_words(&words("./x")), Err(Never::Path));
    assert_eq!(least_words(&words("python3 x")), Err(Never::Interprets));
    assert_eq!(least_words(&words("sudo x")), Err(Never::RunsWords));
    assert_eq!(least_words(&words("git -C x log")), Err(Never::NoSubcommand));
    assert_eq!(least_words(&words("git -C x -c alias.y=z y")), Err(Never::RunsWords));
    assert_eq!(least_words(&words("poetry -C x run y")), Err(Never::RunsWords));
}

#[test]
fn a_rule_is_kept_as_the_first_words_of_each_command_and_as_no_fewer_than_it_needs() {
    let of = |line: &str, counts: &[u32]| prefixes(&asked(line).runs, counts).map(|rule| rule.to_string());
    let line = "cd src && cargo test -p x | tail -n 5";
    assert_eq!(of(line, &[0, 2, 1]).as_deref(), Some("cargo test; tail"));
    assert_eq!(of(line, &[0, 4, 3]).as_deref(), Some("cargo test -p x; tail -n 5"));
    assert_eq!(of(line, &[0, 3, 0]).as_deref(), Some("cargo test -p"));
    assert_eq!(of("ls a; ls b", &[1, 1]).as_deref(), Some("ls"));
    assert_eq!(of("grep 'a b' c", &[2]).as_deref(), Some("grep 'a b'"));
    for counts in
        [&[0, 1, 1][..], &[1, 2, 1], &[0, 5, 1], &[0, 2, 4], &[0, 0, 0], &[0, 2], &[0, 2, 1, 1], &[]]
    {
        assert_eq!(of(line, counts), None, "{counts:?}");
    }
    assert_eq!(of("planted x", &[1]), None);
    assert_eq!(of("echo $X", &[1]), None);
    let rules = [
        SimpleCommand { words: words("cd src"), rule: RuleFor::NotNeeded },
        SimpleCommand { words: words("planted x"), rule: RuleFor::Never { why: found("planted").unwrap() } },
        SimpleCommand {
            words: words("python3 x"),
            rule: RuleFor::Never { why: "runs any program that it is given".to_owned() },
        },
        SimpleCommand { words: words("npm run x"), rule: RuleFor::Prefix { least: 3 } },
    ];
    assert_eq!(asked("cd src; planted x; python3 x; npm run x").runs, rules);
}

fn configured(user: &[(&str, Permission)], project: &[(&str, Permission)]) -> Rules {
    let list = |rules: &[(&str, Permission)]| {
        let rule = |(text, permission): &(&str, Permission)| Rule {
            pattern: (!text.is_empty()).then(|| (*text).to_owned().try_into().unwrap()),
            permission: *permission,
        };
        rules.iter().map(rule).collect()
    };
    let of_tool = ToolRules { user: list(user), project: list(project) };
    Rules { tools: [(RUN.to_owned(), of_tool)].into(), ..kept(&["**"]) }
}

#[test]
fn a_rule_of_the_settings_is_a_prefix_of_each_command_and_one_that_cannot_be_checked_asks() {
    use Permission::{Allow, Ask, Deny};
    let (user, project) = (Ruling::Ask(AskedBy::User), Ruling::Ask(AskedBy::Project));
    let (kept, denied) = (Ruling::Kept(approval(1)), Ruling::Deny(AskedBy::User));
    for (of_user, of_project, line, expected) in [
        (&[("git push", Deny)][..], &[][..], "git push origin", denied),
        (&[("git push", Deny)], &[], "cargo test && git push", denied),
        (&[("git push", Deny)], &[], "git status", kept),
        (&[("git push", Deny)], &[], "git -C x push", user),
        (&[("git push", Deny)], &[], "env git push", user),
        (&[("git push", Deny)], &[], "/usr/bin/git push", user),
        (&[("git push", Deny)], &[], "sh -c 'git push'", user),
        (&[("git push", Deny)], &[], "$G push", user),
        (&[("git push", Deny)], &[], "git pu\\\nsh", user),
        (&[], &[("git push", Deny)], "echo `git push`", project),
        (&[], &[("git push", Deny)], "git push", Ruling::Deny(AskedBy::Project)),
        (&[("git push", Ask)], &[], "bash x", user),
        (&[("git push", Ask)], &[], "git push", user),
        (&[("cargo test", Allow)], &[], "cargo test -p x", Ruling::Allow),
        (&[("cargo test", Allow)], &[], "cargo test; $X", kept),
        (&[("cargo test", Allow)], &[("", Ask)], "cargo test", project),
        (&[("", Deny), ("cargo test", Allow)], &[], "cargo test", Ruling::Allow),
        (&[("", Deny), ("cargo test", Allow)], &[], "cd x && cargo test", Ruling::Allow),
        (&[("", Deny), ("cargo test", Allow)], &[], "cd x", denied),
        (&[("", Deny), ("cargo test", Allow)], &[], "cargo test; $X", denied),
        (&[("", Deny), ("cargo test", Allow)], &[], "cargo test && ls", denied),
        (&[("", Ask), ("cargo test", Allow), ("cargo test -p x", Deny)], &[], "cargo test -p x", denied),
        (&[("cd x", Deny)], &[], "cd x && ls", denied),
        (&[("git push --force", Deny)], &[], "git push origin main --force", user),
        (&[("git push --force", Deny)], &[], "git push origin +main", user),
        (&[("git push --force", Deny)], &[], "git push origin main", kept),
        (&[("git push --force", Deny)], &[], "git push", kept),
        (&[("rm -rf", Deny)], &[], "rm build -rf", user),
        (&[("rm -rf", Deny)], &[], "rm -r -f build", user),
        (&[("rm -rf", Deny)], &[], "rm build", kept),
        (&[("cargo publish", Deny)], &[], "cargo +nightly publish", user),
        (&[("cargo publish", Deny)], &[], "cargo test", kept),
        (&[("make deploy", Deny)], &[], "make all deploy", user),
        (&[("make deploy", Deny)], &[], "make all", kept),
        (&[("rm", Deny)], &[], "poetry -C x run rm y", user),
        (&[("rm", Deny)], &[], "git -c alias.x=!rm x", user),
        (&[("rm", Deny)], &[], "git -C x log", kept),
        (&[("git push", Deny)], &[], "pnpm git push", user),
        (&[("git push", Deny)], &[], "yarn run git push", user),
        (&[("git push", Deny)], &[], "pnpm run build", kept),
        (&[("rm", Deny), ("", Allow)], &[], "rm x", Ruling::Allow),
        (&[("rm", Deny), ("", Allow)], &[], "$X", Ruling::Allow),
    ] {
        assert_eq!(
            judged(&configured(of_user, of_project), line),
            expected,
            "{of_user:?} {of_project:?} {line}"
        );
    }
    for (text, expected) in [
        ("cargo test", Some(words("cargo test"))),
        ("'my program' x", None),
        ("git commit -m 'a b'", Some(vec!["git".into(), "commit".into(), "-m".into(), "a b".into()])),
        ("**", None),
        ("cargo *", None),
        ("a; b", None),
        ("", None),
    ] {
        assert_eq!(words_of_rule(text), expected, "{text}");
    }
}

/// A turn whose model calls the tool with this line.
fn called(rules: Rules, line: &str, flags: Flags) -> Played {
    let tools = ToolSet::from_iter([runner()]);
    let mut played = Played::start(TurnSetup { rules, tools, flags, ..setup(Policy::two_stage()) });
    calls(&mut played, "c", line);
    played
}

fn calls(played: &mut Played, id: &str, line: &str) {
    let arguments = json!({ "command": line }).to_string();
    played.answers([call(0, id, RUN, &arguments), finish("tool_calls")]);
    let Some(job) = played.tool_job else { return };
    let prepared = Prepared::Ready { command: Box::new(asked(line)) };
    played.input(Input::Done { job, done: Done::Prepared { prepared } });
}

fn words_kept(played: &Played, counts: &[u32]) -> Input {
    let reply = Reply::AllowWords { keep: KeptFor::Project, words: counts.to_vec() };
    let supplied = Supplied::Approval { approval_id: approval(7) };
    Input::Replied { digest: played.asked.unwrap(), reply, supplied }
}

// A1
#[test]
fn a_person_keeps_the_words_that_they_chose_and_the_next_line_that_begins_with_them_runs_unasked() {
    let mut played = called(Rules::default(), "cd src && cargo test -p x", Flags::of_this_version());
    for counts in [&[0, 1][..], &[0, 5], &[1, 2], &[0, 0], &[2]] {
        let reply = words_kept(&played, counts);
        assert_eq!(played.turn.verdict(&reply), Some(Verdict::Unfit(Unfit::NotKept)), "{counts:?}");
    }
    let without_id = Input::Replied {
        digest: played.asked.unwrap(),
        reply: Reply::AllowWords { keep: KeptFor::Project, words: vec![0, 2] },
        supplied: Supplied::Nothing,
    };
    assert_eq!(played.turn.verdict(&without_id), Some(Verdict::Unfit(Unfit::NotKept)));
    played.input(words_kept(&played, &[0, 2]));
    let rule = KeptRule {
        approval_id: approval(7),
        kept_for: KeptFor::Project,
        tool: RUN.to_owned(),
        pattern: "cargo test".to_owned(),
    };
    let given = Given::Allowed { edited: None, kept: Some(rule), outside: false };
    assert!(
        played.events().any(|event| matches!(event, TurnEvent::Answered { given: it, .. } if *it == given))
    );
    assert!(played.running.is_some(), "{}", played.lines);
}

#[test]
fn the_approvals_that_allow_a_line_together_are_all_named_by_its_answer() {
    let played = called(kept(&["cargo test", "tail"]), "cargo test | tail", Flags::of_this_version());
    let given = Given::Kept { approval_id: approval(1), also: vec![approval(2)] };
    assert!(
        played.events().any(|event| matches!(event, TurnEvent::Answered { given: it, .. } if *it == given))
    );
    assert!(played.running.is_some());
}

#[test]
fn a_line_that_is_not_understood_can_be_allowed_once_alone() {
    let played = called(Rules::default(), "cargo test > x", Flags::of_this_version());
    let keeps = played.events().find_map(|event| match event {
        TurnEvent::Asked { of: PendingOf::Call { keeps, command, .. }, .. } => {
            Some((keeps.clone(), command.clone()))
        }
        _ => None,
    });
    assert_eq!(keeps, Some((None, Some(Box::new(asked("cargo test > x"))))));
    for reply in [
        Reply::Allow { keep: Some(KeptFor::Session) },
        Reply::AllowWords { keep: KeptFor::Session, words: vec![1] },
        Reply::AllowWords { keep: KeptFor::Session, words: vec![] },
    ] {
        let supplied = Supplied::Approval { approval_id: approval(7) };
        let kept = Input::Replied { digest: played.asked.unwrap(), reply, supplied };
        assert_eq!(played.turn.verdict(&kept), Some(Verdict::Unfit(Unfit::NotKept)));
    }
}

// T8
#[test]
fn a_turn_of_an_earlier_version_goes_on_by_its_rules_for_all_arguments() {
    let earlier = || Flags::of_this_version().without(Flag::CommandsByWords);
    let mut played = called(kept(&[r#"\{"command":"cargo*"\}"#]), "cargo test", earlier());
    assert!(played.running.is_some(), "{}", played.lines);
    played = called(kept(&["cargo test"]), "cargo test", earlier());
    assert!(played.running.is_none(), "{}", played.lines);
    let reply = words_kept(&played, &[2]);
    assert_eq!(played.turn.verdict(&reply), Some(Verdict::Unfit(Unfit::NotKept)));
}

fn any_command() -> impl Strategy<Value = Words> {
    const NAMES: [&str; 11] =
        ["cargo", "git", "ls", "npm", "env", "bash", "planted", "cd", "tar", "./x", "echo"];
    const MORE: [&str; 11] = ["test", "run", "build", "-x", "--config", "x", "a b", "$X", "-I", "log", "src"];
    (prop::sample::select(&NAMES[..]), prop::collection::vec(prop::sample::select(&MORE[..]), 0..4))
        .prop_map(|(name, more)| std::iter::once(name).chain(more).map(str::to_owned).collect())
}

proptest! {
    #![proptest_config(cases(6_000))]

    /// C1: no line runs unasked of which one command begins with none of the kept prefixes, or is never kept.
    #[test]
    fn no_line_runs_unasked_that_kept_rules_do_not_cover_whole(
        commands in prop::collection::vec(any_command(), 1..4),
        rules in prop::collection::vec(any_command(), 0..4),
        joined in prop::sample::select(&["; ", " && ", " | ", " || ", "\n"][..]),
    ) {
        let texts: Option<Vec<String>> =
            commands.iter().map(|words| Line::text(std::slice::from_ref(words))).collect();
        let Some(texts) = texts else { return Ok(()) };
        let line = texts.join(joined);
        let kept_rules: Vec<String> = rules.iter().filter_map(|rule| Line::text(std::slice::from_ref(rule))).collect();
        let ruling = judged(&kept(&kept_rules.iter().map(String::as_str).collect::<Vec<_>>()), &line);
        let is_covered = |words: &Words| {
            let least = least_words(words).ok().filter(|_| words[0] != "planted");
            words[0] == "cd"
                || least.is_some_and(|least| rules.iter().any(|rule| rule.len() >= least && words.starts_with(rule)))
        };
        let all = commands.iter().all(is_covered) && commands.iter().any(|words| words[0] != "cd");
        prop_assert_eq!(ruling.permission() == Permission::Allow, all, "{}", line);
    }
}
