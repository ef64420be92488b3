//! The rules of a turn that were changed since the first version: a numbered flag for each change.
//!
//! A turn records the flags that it began with and keeps them to its end, in whichever version of Orion that is (T8). A version that changes what a turn
//! does, or what a model is sent in it, adds a flag, and keeps the earlier behaviour for turns without it. A field that is added to a record is optional
//! and hangs on a flag. Docs: decision 0078.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// A rule that a turn keeps or does not. A number is never given to another rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u16)]
pub enum Flag {
    /// A response that only repeats itself is cut off (P11), and a model that repeats its message in a write session is not asked again (W4).
    CutRepeats = 1,
    /// A person chooses what becomes of content that was cut off for repeating itself (P11). Without it, the content is proposed as unfinished.
    AskOfRepeats = 2,
    /// A read of one file that has not changed since an earlier call read it is answered with that call's box (X6).
    ReuseReads = 3,
    /// A provider's count of an answer is taken too (X2), and a message that fits nowhere cuts nothing (X3).
    CountAnswers = 4,
    /// Tools stay declared where the conversation has calls, also in a request in which none may be called (P12).
    DeclareTools = 5,
    /// Reasoning and a call's opaque fields are kept as they came (P9).
    KeepReasoning = 6,
    /// A provider's count of a prompt may leave out what was in its cache (X2).
    CountCached = 7,
    /// A conversation that a summary would not make shorter stays as it is, which is no failure (X4).
    ShortStays = 8,
    /// Names and arguments of calls are read as they were meant (P5, P9).
    ReadAsMeant = 9,
    /// A call that the model has written into its text is one (P5), and content is checked for all its beginnings (W5).
    ReadLeaks = 10,
    /// Thoughts that stand before the text of a response are split off (P9).
    SplitThoughts = 11,
    /// A response without an answer is asked for once more (P7), and one that only reasons is cut off (T7).
    SecondChance = 12,
    /// Tools that none may be called of are declared by the calls of the very request, whatever has left the conversation for it (P12).
    DeclareByRequest = 13,
    /// A turn that ends while a command runs has the command ended, and waits for its outcome (A4, C6).
    EndsCommands = 14,
    /// Rules for commands are words, a prefix of each simple command (C1).
    CommandsByWords = 15,
    /// An exact line may be kept for its session where a sandbox holds files alone (C3).
    KeepsLines = 16,
    /// An answer that would end a turn which changed something is followed by the person's checks (V1).
    RunsChecks = 17,
}

impl Flag {
    /// Every flag that this version knows, by its number. New turns keep all of them.
    pub const ALL: [Self; 17] = [
        Self::CutRepeats,
        Self::AskOfRepeats,
        Self::ReuseReads,
        Self::CountAnswers,
        Self::DeclareTools,
        Self::KeepReasoning,
        Self::CountCached,
        Self::ShortStays,
        Self::ReadAsMeant,
        Self::ReadLeaks,
        Self::SplitThoughts,
        Self::SecondChance,
        Self::DeclareByRequest,
        Self::EndsCommands,
        Self::CommandsByWords,
        Self::KeepsLines,
        Self::RunsChecks,
    ];

    #[must_use]
    pub const fn number(self) -> u16 {
        self as u16
    }
}

/// The flags of a turn: their numbers, in a journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Flags(BTreeSet<u16>);

impl Flags {
    /// Those that a new turn keeps.
    #[must_use]
    pub fn of_this_version() -> Self {
        Self(Flag::ALL.into_iter().map(Flag::number).collect())
    }

    #[must_use]
    pub fn has(&self, flag: Flag) -> bool {
        self.0.contains(&flag.number())
    }

    /// The same turn by an earlier rule.
    #[must_use]
    pub fn without(mut self, flag: Flag) -> Self {
        self.0.remove(&flag.number());
        self
    }

    /// Numbers that this version does not know. A turn that has one was begun by a later version, and is not gone on with here (T8).
    #[must_use]
    pub fn unknown(&self) -> Vec<u16> {
        let known = |number: &u16| Flag::ALL.into_iter().any(|flag| flag.number() == *number);
        self.0.iter().copied().filter(|number| !known(number)).collect()
    }
}
