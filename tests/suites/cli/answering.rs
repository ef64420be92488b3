//! Two processes that answer the same write at once: one wins, the other is told that nothing waits any more (A7).

use support::{Script, Turn};

use super::writes::{on_disk, writer};
use super::{Desk, Ran, json as parsed, ran};

/// What the one that came too late is told: that it was answered, or, where it looked a moment later, that nothing waits.
const TOO_LATE: [&str; 2] = [
    "orion: This was answered already, or its turn has ended.\n",
    "orion: This turn waits for no approval.\nSee what it is doing with `orion trace`, or resume it with `orion resume`.\n",
];

/// Has two processes answer. Gives what was answered, what became of the write, and the file.
fn answered_twice(answers: [&[&str]; 2]) -> (Vec<bool>, Vec<String>, String) {
    let desk = Desk::new();
    let model = writer().start();
    let told = ran(&mut desk.run(&model, &["--json", "Make it 43."]));
    assert_eq!(told.code, Some(3), "{}", told.stderr);
    let request = parsed(&told.stdout)["requestId"].as_str().unwrap().to_owned();
    model.finish();
    let model = Script::new().forever(|_, _| Turn::default().text("Well.").end("stop")).start();
    let base_url = model.base_url();
    let ends = std::thread::scope(|scope| {
        let both = answers.map(|more| {
            let mut command = desk.orion(&["approve", &request, "--base-url", &base_url]);
            command.args(more);
            scope.spawn(move || ran(&mut command))
        });
        both.map(|one| one.join().unwrap())
    });
    let lost: Vec<&Ran> = ends.iter().filter(|ran| ran.code == Some(1)).collect();
    let won: Vec<&Ran> = ends.iter().filter(|ran| ran.code == Some(0)).collect();
    assert_eq!((won.len(), lost.len()), (1, 1), "{ends:?}");
    assert!(TOO_LATE.contains(&lost[0].stderr.as_str()), "{}", lost[0].stderr);
    assert_eq!(model.requests().len(), 1, "only the one that won goes on");

    let replayed = ran(&mut desk.orion(&["replay", &request]));
    let events: Vec<serde_json::Value> = replayed.stdout.lines().map(parsed).collect();
    let of = |kind: &str| {
        events.iter().map(|it| &it["event"]).filter(|it| it["type"] == kind).cloned().collect::<Vec<_>>()
    };
    let granted = of("answered").iter().map(|it| it["given"]["type"] == "allowed").collect();
    let written = of("write_done").iter().map(|it| it["status"].as_str().unwrap().to_owned()).collect();
    (granted, written, on_disk(&desk, "notes.txt"))
}

#[test]
fn of_two_that_approve_at_once_one_wins_and_the_file_is_written_once() {
    for _ in 0..ROUNDS {
        let (granted, written, file) = answered_twice([&[], &[]]);
        assert_eq!((granted, written), (vec![true], vec!["written".to_owned()]));
        assert_eq!(file, "The answer is 43.\n");
    }
}

#[test]
fn of_a_yes_and_a_no_at_once_one_wins_and_the_file_is_as_it_says() {
    for _ in 0..ROUNDS {
        let (granted, written, file) = answered_twice([&[], &["--reject"]]);
        let expected = match granted[..] {
            [true] => ("written", "The answer is 43.\n"),
            [false] => ("rejected", "The answer is 42.\n"),
            _ => panic!("{granted:?}"),
        };
        assert_eq!((written, file), (vec![expected.0.to_owned()], expected.1.to_owned()));
    }
}

/// Which of them is first differs from round to round.
const ROUNDS: usize = 4;
