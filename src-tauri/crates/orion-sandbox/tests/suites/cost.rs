//! The cost of a box: a command that does nothing, against the same without a box.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::Tried;

/// The runs of each.
const RUNS: usize = 40;

/// The times that a box may take longer. It sets up seven namespaces and two dozen mounts, and starts three programs instead of one.
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
    // The quickest of each: other tests run at the same time.
    let quickest = |all: Vec<Duration>| all.into_iter().min().unwrap();
    let (bare, boxed) = (quickest(bare), quickest(boxed));
    println!("bare {bare:?}, in a box {boxed:?}: {:.1} times", boxed.as_secs_f64() / bare.as_secs_f64());
    assert!(boxed <= bare * MOST, "bare {bare:?}, in a box {boxed:?}");
}
