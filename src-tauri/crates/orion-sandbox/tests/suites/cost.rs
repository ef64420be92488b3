//! What a box costs: a command that does nothing, against the same without a box.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::Tried;

/// How often each is run.
const RUNS: usize = 15;

/// How many times longer a box may take. It sets up seven namespaces and two dozen mounts, and starts three programs instead of one.
const MOST: u32 = 30;

#[tokio::test]
async fn a_box_takes_at_most_thirty_times_as_long_as_a_bare_command() {
    let tried = Tried::new().await;
    let (mut bare, mut boxed) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let began = Instant::now();
        assert!(Command::new("/bin/true").stdin(Stdio::null()).status().unwrap().success());
        bare.push(began.elapsed());
        let began = Instant::now();
        tried.says("true").await;
        boxed.push(began.elapsed());
    }
    let median = |mut all: Vec<Duration>| {
        all.sort();
        all[all.len() / 2]
    };
    let (bare, boxed) = (median(bare), median(boxed));
    println!("bare {bare:?}, in a box {boxed:?}: {:.1} times", boxed.as_secs_f64() / bare.as_secs_f64());
    assert!(boxed <= bare * MOST, "bare {bare:?}, in a box {boxed:?}");
}
