//! Guessing where in the file a search text was meant to match, to help a model that must correct it.
//!
//! A line of the file that equals a line of the search text, apart from the white space around it, votes for the place where
//! the search text would begin. Its vote weighs as much as it is long, so a brace counts little. With hardly any votes, the
//! line that is most similar to the longest line of the search text decides. Two lines are as similar as the share of byte
//! pairs that they have in common. One pass over the file serves all search texts.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::excerpt;
use crate::lines::Ending;

/// The most lines that are shown of one place.
const MAX_LINES: usize = 12;
/// A line does not vote when its places in the file, times its places in the search texts, are more than this.
const MAX_VOTES: usize = 1000;
/// A place with fewer bytes in common than this is taken only when no line resembles one that is looked for.
const FEW: usize = 4;

/// Lines of the file with their numbers, 12 of each place. One pass over the file serves all places.
pub(super) fn listings(old: &str, places: &[Range<usize>]) -> Vec<String> {
    let shown = |place: &Range<usize>| place.start..place.end.min(place.start + MAX_LINES);
    let wanted: HashSet<usize> = places.iter().flat_map(shown).collect();
    let lines = Ending::of(old).split(old).enumerate().filter(|(at, _)| wanted.contains(at));
    let lines: HashMap<usize, String> =
        lines.map(|(at, line)| (at, format!("{}: {}", at + 1, excerpt::line(line)))).collect();
    let listing =
        |place| shown(place).filter_map(|at| lines.get(&at).cloned()).collect::<Vec<_>>().join("\n");
    places.iter().map(listing).collect()
}

/// For each search text the lines of the file that are nearest to it; empty when nothing is.
pub(super) fn contexts(old: &str, searches: &[&str]) -> Vec<String> {
    if searches.is_empty() {
        return Vec::new();
    }
    let mut votes = Votes::for_all(searches);
    let mut likest: Vec<_> = searches.iter().map(|search| Likest::to(search)).collect();
    for (at, line) in Ending::of(old).split(old).enumerate() {
        votes.count(at, line.trim());
        let pairs = Pairs::of(line.trim());
        likest.iter_mut().for_each(|likest| likest.look(at, &pairs));
    }
    let places = votes.best(searches.len()).into_iter().zip(likest).map(|(best, likest)| match best {
        Some((start, votes)) if votes >= FEW => Some(start),
        best => likest.start().or(best.map(|(start, _)| start)),
    });
    let lines = |search: &str| search.split_inclusive('\n').count();
    let place =
        |(start, search): (Option<usize>, &&str)| start.map_or(0..0, |start| start..start + lines(search));
    listings(old, &places.zip(searches).map(place).collect::<Vec<_>>())
}

/// What each line of the search texts says about where they begin.
struct Votes<'a> {
    /// The key is the line, trimmed.
    voters: HashMap<&'a str, Voter>,
}

#[derive(Default)]
struct Voter {
    /// In which search texts the line is, and at which of their lines.
    wanted: Vec<(usize, usize)>,
    /// Where it is in the file, [`MAX_VOTES`] times and once more at most.
    found: Vec<usize>,
}

impl<'a> Votes<'a> {
    fn for_all(searches: &[&'a str]) -> Self {
        let mut voters: HashMap<_, Voter> = HashMap::new();
        for (search, text) in searches.iter().enumerate() {
            for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
                voters.entry(line.trim()).or_default().wanted.push((search, at));
            }
        }
        Self { voters }
    }

    fn count(&mut self, at: usize, line: &str) {
        if let Some(voter) = self.voters.get_mut(line)
            && voter.found.len() <= MAX_VOTES
        {
            voter.found.push(at);
        }
    }

    /// For each search text the place with the most votes, the first of those, and its votes.
    fn best(&self, searches: usize) -> Vec<Option<(usize, usize)>> {
        let mut votes = vec![HashMap::new(); searches];
        let voters = self.voters.iter();
        for (line, voter) in voters.filter(|(_, voter)| voter.found.len() * voter.wanted.len() <= MAX_VOTES) {
            for &(search, offset) in &voter.wanted {
                for at in &voter.found {
                    *votes[search].entry(at.saturating_sub(offset)).or_default() += line.len();
                }
            }
        }
        let most =
            |votes: HashMap<_, _>| votes.into_iter().max_by_key(|&(start, votes)| (votes, Reverse(start)));
        votes.into_iter().map(most).collect()
    }
}

/// The line of the file that is most like the longest line of a search text.
struct Likest {
    pairs: Pairs,
    /// At which of its lines the longest is.
    offset: usize,
    at: usize,
    likeness: u32,
}

impl Likest {
    fn to(search: &str) -> Self {
        let lines = search.lines().map(str::trim).enumerate();
        let (offset, longest) = lines.max_by_key(|(at, line)| (line.len(), Reverse(*at))).unwrap_or_default();
        Self { pairs: Pairs::of(longest), offset, at: 0, likeness: 0 }
    }

    fn look(&mut self, at: usize, line: &Pairs) {
        let likeness = self.pairs.likeness(line);
        if likeness > self.likeness {
            (self.at, self.likeness) = (at, likeness);
        }
    }

    fn start(&self) -> Option<usize> {
        (self.likeness > 0).then(|| self.at.saturating_sub(self.offset))
    }
}

/// Which pairs of bytes are in a line, as 256 bits.
#[derive(Default)]
struct Pairs([u64; 4]);

impl Pairs {
    fn of(line: &str) -> Self {
        let mut bits = Self::default();
        for pair in line.as_bytes().windows(2) {
            let hash = pair[0].wrapping_mul(31).wrapping_add(pair[1].wrapping_mul(7));
            bits.0[usize::from(hash >> 6)] |= 1 << (hash & 63);
        }
        bits
    }

    fn count(&self) -> u32 {
        self.0.iter().map(|bits| bits.count_ones()).sum()
    }

    /// In thousandths: twice the common pairs, divided by all pairs (Dice).
    fn likeness(&self, other: &Self) -> u32 {
        let common = self.0.iter().zip(other.0).map(|(one, other)| (one & other).count_ones());
        common.sum::<u32>() * 2000 / (self.count() + other.count()).max(1)
    }
}
