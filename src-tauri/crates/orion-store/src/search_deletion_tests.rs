//! What was deleted is in no part of the index.

use std::collections::{BTreeSet, HashMap};

use super::tests::{answered, asked, filled, session, sound, store, texts, turn};
use crate::{Reclaimed, Store};

/// Which of these words are in the files of the folder, by what follows their first letters: FTS5 leaves out what a word has in common with the
/// one before.
fn in_files<'w>(store: &Store, words: &'w [String]) -> BTreeSet<&'w str> {
    let end = |word: &'w str| &word.as_bytes()[FIRST..];
    let by_end: HashMap<&[u8], &str> = words.iter().map(|word| (end(word), word.as_str())).collect();
    // Most places are ruled out by a look into a table.
    let sum = |bytes: &[u8]| {
        bytes[..4].iter().fold(0_usize, |sum, byte| (sum * 31 + usize::from(*byte)) % (1 << 16))
    };
    let mut table = vec![false; 1 << 16];
    by_end.keys().for_each(|end| table[sum(end)] = true);
    let files = std::fs::read_dir(store.folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut found = BTreeSet::new();
    for file in files.filter(|path| path.is_file()).map(|path| std::fs::read(path).unwrap()) {
        let places = file.windows(LENGTH - FIRST).filter(|place| table[sum(place)]);
        found.extend(places.filter_map(|place| by_end.get(place)));
    }
    found
}

/// Letters of a word that only one session has, and how many of them it may have in common with another one.
const LENGTH: usize = 14;
const FIRST: usize = 4;

/// What FTS5 finds its pages by, where that is the beginning of no word that is there.
async fn strange(store: &Store) -> Vec<String> {
    let sql = "SELECT CAST(substr(term, 2) AS TEXT) FROM search_idx WHERE length(term) > 1";
    let ways: Vec<String> =
        sqlx::query_scalar(sql).fetch_all(&mut *store.reader().await.unwrap()).await.unwrap();
    let sql = "SELECT term FROM search_words";
    let words: BTreeSet<String> = sqlx::query_scalar::<_, String>(sql)
        .fetch_all(&mut *store.reader().await.unwrap())
        .await
        .unwrap()
        .into_iter()
        .collect();
    let leads =
        |way: &String| words.range(way.clone()..).next().is_some_and(|word| word.starts_with(way.as_str()));
    ways.into_iter().filter(|way| !leads(way)).collect()
}

struct Chance(u64);

impl Chance {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % most
    }

    /// Letters that nothing else in the database has.
    fn word(&mut self, length: usize) -> String {
        (0..length).map(|_| char::from(b"abcdefghijklmnopqrstuvwxyz"[self.below(26)])).collect()
    }
}

#[tokio::test]
async fn no_word_of_a_deleted_session_stays_in_any_part_of_the_index() {
    for round in 1..=orion_thorough::cases(1, 3) as u64 {
        let mut chance = Chance(round.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let (_folder, store, project_id) = store().await;
        let mut sessions = Vec::new();
        for number in 0..8 {
            let own: Vec<String> = (0..400).map(|_| chance.word(LENGTH)).collect();
            sessions.push((session(&store, project_id).await, own, number));
        }
        for at_ms in 0..160 {
            let (session_id, own, _) = &sessions[chance.below(8)];
            let (session_id, mut said) = (*session_id, String::new());
            // Some are long, and entered after others.
            for _ in 0..chance.below(800) + 1 {
                let word = match chance.below(3) {
                    0 => own[chance.below(400)].clone(),
                    // Words that many sessions share.
                    _ => format!("shared{}", chance.below(2_000)),
                };
                said.push_str(&word);
                said.push(' ');
            }
            turn(&store, project_id, session_id, at_ms, vec![asked(&said), answered(&said)]).await;
            if chance.below(8) == 0 {
                filled(&store).await;
            }
        }
        while sessions.len() > 1 {
            let at = chance.below(sessions.len());
            let (session_id, own, number) = sessions.remove(at);
            assert!(sessions.len() < 7 || in_files(&store, &own).len() > 100, "they were there");
            store.delete_session(session_id).await.unwrap();
            assert_eq!(texts(&store, &own[0]).await, [""; 0], "no longer found, at once");
            assert_eq!(store.reclaim().await.unwrap(), Reclaimed::All);
            assert_eq!(in_files(&store, &own), BTreeSet::new(), "round {round}, session {number}");
            assert_eq!(strange(&store).await, [""; 0], "round {round}, session {number}");
            sound(&store).await;
        }
        let (session_id, own, _) = &sessions[0];
        let mut found = 0;
        for word in own {
            let page = store.search(word, None, 100).await.unwrap();
            assert!(page.found.iter().all(|hit| hit.session.session_id == *session_id));
            found += page.found.len();
        }
        assert!(found > 0, "the other one is whole");
        let pages: i64 = sqlx::query_scalar("SELECT count(*) FROM search_idx")
            .fetch_one(&mut *store.reader().await.unwrap())
            .await
            .unwrap();
        assert!(pages > 2, "the index has pages to find: {pages}");
    }
}
