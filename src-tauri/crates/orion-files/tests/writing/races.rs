//! Somebody else writes the same file all the time. Whatever they wrote is still somewhere, or was seen as the base of a write.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use orion_files::writing::{Attempt, Outcome, Target, compose};
use orion_protocol::WriteOperation::Overwrite;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::site::Site;

/// Ends the other thread, also when this one fails.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn nothing_that_somebody_else_writes_into_a_race_is_lost() {
    let site = Site::with([("a", b"theirs 0")]);
    let done = AtomicBool::new(false);
    let theirs = site.around().join("theirs");
    let (mut seen, written) = std::thread::scope(|scope| {
        let somebody = scope.spawn(|| {
            let mut displaced = Vec::new();
            let mut number = 0;
            while !done.load(Ordering::Relaxed) {
                number += 1;
                std::fs::write(&theirs, format!("theirs {number}")).unwrap();
                renameat_with(CWD, &theirs, CWD, site.at("a"), RenameFlags::EXCHANGE).unwrap();
                displaced.push(std::fs::read_to_string(&theirs).unwrap());
                std::fs::remove_file(&theirs).unwrap();
            }
            (displaced, number)
        });
        let ends = Ends(&done);
        let mut bases = Vec::new();
        let mut changed = 0;
        for round in 0.. {
            // What changes places while it is looked at may look like nothing that can be written.
            let Ok((target, old)) = Target::load(&site.project, &site.path("a"), Overwrite) else { continue };
            let composed = compose(&target, old.as_deref(), Overwrite, &format!("ours {round}")).unwrap();
            let attempt = Attempt::writing(&target, &composed, format!(".orion-{round}.tmp"));
            let performed = attempt.perform(&site.project, Some(&composed.bytes));
            assert!(!performed.temp_left);
            match performed.outcome {
                Outcome::Written => bases.push(String::from_utf8(old.unwrap()).unwrap()),
                Outcome::Changed => changed += 1,
                // Or, in the middle of it, like nothing that can be opened: then nothing was done.
                Outcome::Failed(_) => {}
                other @ Outcome::Unknown(_) => panic!("{other:?}"),
            }
            if bases.len() + changed >= 400 {
                break;
            }
        }
        drop(ends);
        let (mut seen, written) = somebody.join().unwrap();
        seen.extend(bases);
        (seen, written)
    });
    seen.push(String::from_utf8(site.read("a").unwrap()).unwrap());
    for name in site.names(".") {
        assert!(name == "a" || name.ends_with(".kept"), "{name}");
        seen.push(String::from_utf8(site.read(&name).unwrap()).unwrap());
    }
    let seen: BTreeSet<String> = seen.into_iter().collect();
    let lost: Vec<String> =
        (0..=written).map(|number| format!("theirs {number}")).filter(|text| !seen.contains(text)).collect();
    assert_eq!(lost, Vec::<String>::new(), "of {written}");
    println!("{written} of theirs");
}
