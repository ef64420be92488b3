//! The cost of a box: a command that does nothing, against the same without a box.

use std::process::{Command, Stdio};

use crate::common::Tried;

/// The runs in a box, and of the bare command. The processor's time is told in hundredths of a second.
const BOXED: u64 = 40;
const BARE: u64 = 400;

/// The times that a box may take of the bare command's time: twice what it takes without optimisation. It sets up seven namespaces and two dozen mounts,
/// and starts three programs instead of one.
const MOST: u64 = 60;

/// The processor's time of the children that have ended, with theirs: fields 16 and 17 of /proc/self/stat (proc_pid_stat(5)). What else the computer does
/// changes little in it.
fn spent() -> u64 {
    let line = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = line.rsplit_once(") ").unwrap().1.split(' ').collect();
    fields[13].parse::<u64>().unwrap() + fields[14].parse::<u64>().unwrap()
}

#[tokio::test]
async fn a_box_costs_no_more_than_a_few_dozen_bare_commands() {
    let tried = Tried::new().await;
    let begun = spent();
    for _ in 0..BARE {
        assert!(Command::new("/bin/true").stdin(Stdio::null()).status().unwrap().success());
    }
    let between = spent();
    for _ in 0..BOXED {
        tried.says("true").await;
    }
    let (bare, boxed) = (between - begun, spent() - between);
    println!("bare {bare} in {BARE} runs, in a box {boxed} in {BOXED}");
    assert!(boxed * BARE <= bare * BOXED * MOST, "bare {bare} in {BARE} runs, in a box {boxed} in {BOXED}");
}
