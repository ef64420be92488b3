//! How the bytes of a scripted answer are cut and framed on their way.

use std::collections::BTreeSet;

use crate::wait::Gate;

/// How a body is cut into pieces. Each piece is one HTTP chunk and one write, so a client that reads by chunks sees
/// exactly these cuts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Chunking {
    /// One piece per event.
    #[default]
    PerEvent,
    /// The whole body at once.
    Whole,
    /// A piece per byte.
    EveryByte,
    /// Cut before each of these byte offsets; those outside the body do nothing.
    At(Vec<usize>),
    /// Cut at places drawn from this seed, about one in 16 bytes.
    Random(u64),
}

/// How the client learns where the body ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Framing {
    /// `Transfer-Encoding: chunked`, as streaming endpoints do.
    #[default]
    Chunked,
    /// `Content-Length`.
    Length,
    /// The end of the connection is the end of the body, so a cut cannot be told from an end.
    UntilClose,
}

/// A piece of a scripted body, in order.
#[derive(Debug, Clone)]
pub(crate) enum Part {
    Bytes(Vec<u8>),
    Hold(Gate),
}

/// What the server does next with a body.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Send(Vec<u8>),
    Hold(Gate),
}

/// The steps that send `parts` cut as `chunking` says, no further than `limit` bytes.
pub(crate) fn steps(parts: &[Part], chunking: &Chunking, limit: Option<usize>) -> Vec<Step> {
    let mut body = Vec::new();
    let mut gates = Vec::new();
    let mut event_ends = Vec::new();
    for part in parts {
        match part {
            Part::Bytes(bytes) => {
                body.extend_from_slice(bytes);
                event_ends.push(body.len());
            }
            Part::Hold(gate) => gates.push((body.len(), gate)),
        }
    }
    let end = limit.map_or(body.len(), |limit| limit.min(body.len()));
    let mut cuts: BTreeSet<usize> = match chunking {
        Chunking::PerEvent => event_ends.into_iter().collect(),
        Chunking::Whole => BTreeSet::new(),
        Chunking::EveryByte => (1..end).collect(),
        Chunking::At(offsets) => offsets.iter().copied().collect(),
        Chunking::Random(seed) => random_cuts(*seed, end),
    };
    cuts.extend(gates.iter().map(|(offset, _)| *offset));
    cuts.insert(end);

    let mut steps = Vec::new();
    let mut sent = 0;
    let mut gates = gates.into_iter().peekable();
    for cut in std::iter::once(0).chain(cuts).take_while(|cut| *cut <= end) {
        if cut > sent {
            steps.push(Step::Send(body[sent..cut].to_vec()));
            sent = cut;
        }
        while let Some((_, gate)) = gates.next_if(|(offset, _)| *offset <= cut) {
            steps.push(Step::Hold(gate.clone()));
        }
    }
    steps
}

/// Offsets below `end`, each kept with a chance of 1 in 16, by SplitMix64 (Steele, Lea and Flood, 2014).
fn random_cuts(seed: u64, end: usize) -> BTreeSet<usize> {
    let mut state = seed;
    let mut draw = move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    };
    (1..end).filter(|_| draw() % 16 == 0).collect()
}
