//! The flags of a turn in its journal (T8).

use orion_core::turn::{Flag, Flags};

#[test]
fn flags_are_their_numbers_in_a_journal() {
    let all = Flags::of_this_version();
    assert_eq!(serde_json::to_string(&all).unwrap(), "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]");
    let later: Flags = serde_json::from_str("[4,1,999]").unwrap();
    assert_eq!(later.unknown(), [999]);
    assert!(later.has(Flag::CutRepeats) && !later.has(Flag::ReuseReads));
    assert_eq!(serde_json::to_string(&later).unwrap(), "[1,4,999]", "a number that is not known stays");
    assert_eq!(all.unknown(), Vec::<u16>::new());
    assert!(!all.without(Flag::AskOfRepeats).has(Flag::AskOfRepeats));
}
