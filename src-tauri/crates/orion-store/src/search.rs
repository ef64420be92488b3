//! Finds words in what was said in all sessions, and in their titles (0050).
//!
//! Triggers (migrations) note each text and each title in the transaction that writes it. They are entered in steps of their own
//! (0067). Deliberately not here: finding a text in one session as the window shows it, which the engine does from its events.

use std::collections::HashMap;

use orion_protocol::{ByteRange, Found, FoundIn, SearchPage, Session};
use sqlx::SqliteConnection;

use crate::error::{StoreError, reading, writing};
use crate::readable::readable;
use crate::session;
use crate::store::Store;
use crate::writer::Transaction;

/// What one query can hold. A person types a few words; more would only make it slow.
const WORDS: usize = 32;
const BYTES_OF_A_WORD: usize = 200;

/// The most of one page.
const PAGE: u32 = 100;

/// Words of an excerpt, about a sentence. SQLite allows 64.
const WORDS_OF_AN_EXCERPT: i64 = 28;

/// Bytes of an excerpt at most, and of them before what was found: a word may be as long as a text.
const BYTES_OF_AN_EXCERPT: usize = 320;
const BYTES_BEFORE: usize = 120;

/// Texts that one transaction enters or drops, and their bytes. Each takes some milliseconds, which bounds how long other writers wait. A word that
/// leaves costs several times as much as one that comes.
const TEXTS_OF_A_STEP: i64 = 128;
const BYTES_OF_A_STEP: i64 = 256 << 10;
const DROPPED_OF_A_STEP: i64 = 32;
const DROPPED_BYTES: i64 = 64 << 10;

/// A row of the index, with where it belongs.
#[derive(sqlx::FromRow)]
struct Row {
    id: i64,
    role: String,
    excerpt: String,
    session_id: String,
    request_id: Option<String>,
    at_ms: i64,
    on_path: bool,
}

/// Of the titles, the newest have the least id.
const TITLES: &str = "SELECT search.rowid AS id, role, snippet(search, 0, ?4, ?5, '…', ?6) AS excerpt,
        session_id, NULL AS request_id, updated_at_ms AS at_ms, 1 AS on_path
    FROM search CROSS JOIN searched_titles ON searched_titles.id = -search.rowid CROSS JOIN sessions USING (session_id)
    WHERE search MATCH ?1 AND search.rowid < 0 AND search.rowid > ?2
        -- The index may still have the title of before.
        AND NOT EXISTS (SELECT 1 FROM search_titles_to_take WHERE search_titles_to_take.session_id = searched_titles.session_id)
    ORDER BY search.rowid LIMIT ?3";

const TEXTS: &str = "SELECT search.rowid AS id, role, snippet(search, 0, ?4, ?5, '…', ?6) AS excerpt,
        session_id, request_id, started_at_ms AS at_ms, coalesce(place, 0) > 0 AS on_path
    FROM search CROSS JOIN turn_texts ON turn_texts.id = search.rowid CROSS JOIN turns USING (request_id)
    WHERE search MATCH ?1 AND search.rowid > 0 AND search.rowid < ?2
        -- The index may still have a text that is gone, and its id may be that of another one.
        AND NOT EXISTS (SELECT 1 FROM search_to_drop WHERE search_to_drop.id = search.rowid)
    ORDER BY search.rowid DESC LIMIT ?3";

/// The steps for the rest of a text that leaves the index: in unused parts of pages, and in the WAL.
const NOTE_LEFT: &str =
    "INSERT INTO leftovers (kind, name) VALUES ('pages', hex(randomblob(8))), ('wal', hex(randomblob(8)))";

const TO_COME: &str =
    "SELECT (SELECT count(*) FROM search_to_take) + (SELECT count(*) FROM search_titles_to_take)";

const ENTER_NOTED: &str = "INSERT INTO search (rowid, text, role) SELECT id, text, role FROM said_texts
    WHERE id IN (SELECT value FROM json_each(?)) AND NOT EXISTS (SELECT 1 FROM search WHERE search.rowid = said_texts.id)";

impl Store {
    /// Where all of these words stand, the last one as the beginning of a word: titles first, then the newest texts first. At most `limit`
    /// (100 at most) after the place that a page before ended at.
    ///
    /// # Errors
    /// The database cannot be read. No text is an error: one without words finds nothing.
    pub async fn search(&self, text: &str, after: Option<i64>, limit: u32) -> Result<SearchPage, StoreError> {
        let filling = self.search_to_come().await? > 0;
        let Some(expression) = expression(text) else {
            return Ok(SearchPage { found: Vec::new(), next: None, filling });
        };
        let limit = limit.clamp(1, PAGE) as usize;
        let mut connection = self.reader().await?;
        // One more than the page has says whether there is another.
        let mut rows = Vec::new();
        let in_titles = after.unwrap_or(i64::MIN);
        if in_titles < 0 {
            rows = page(&mut connection, TITLES, &expression, in_titles, limit + 1).await?;
        }
        if rows.len() <= limit {
            let below = after.filter(|id| *id > 0).unwrap_or(i64::MAX);
            let rest = limit + 1 - rows.len();
            rows.extend(page(&mut connection, TEXTS, &expression, below, rest).await?);
        }
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next = rows.last().filter(|_| more).map(|(id, _)| *id);
        Ok(SearchPage { found: rows.into_iter().map(|(_, found)| found).collect(), next, filling })
    }

    /// The number of texts and titles that are still to be entered.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn search_to_come(&self) -> Result<i64, StoreError> {
        sqlx::query_scalar(TO_COME).fetch_one(&mut *self.reader().await?).await.map_err(reading)
    }

    /// Enters some of them, the newest first. Returns what [`Store::search_to_come`] says then.
    ///
    /// # Errors
    /// The database cannot be written to. The next call goes on.
    pub async fn fill_search(&self) -> Result<i64, StoreError> {
        self.transact(Fill).await
    }
}

async fn page(
    connection: &mut SqliteConnection,
    sql: &'static str,
    expression: &str,
    place: i64,
    limit: usize,
) -> Result<Vec<(i64, Found)>, StoreError> {
    // No text can have these in it.
    let token = crate::ids::new_id().simple().to_string();
    let (open, close) = (format!("\u{2}{token}"), format!("\u{3}{token}"));
    let rows: Vec<Row> = sqlx::query_as(sql)
        .bind(expression.to_owned())
        .bind(place)
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .bind(open.clone())
        .bind(close.clone())
        .bind(WORDS_OF_AN_EXCERPT)
        .fetch_all(&mut *connection)
        .await
        .map_err(reading)?;
    let sessions = sessions(connection, &rows).await?;
    // One that was deleted meanwhile is not found.
    let known = rows.into_iter().filter_map(|row| Some((sessions.get(&row.session_id)?.clone(), row)));
    known.map(|(session, row)| found(session, row, &open, &close)).collect()
}

/// The sessions of these rows, by id.
async fn sessions(
    connection: &mut SqliteConnection,
    rows: &[Row],
) -> Result<HashMap<String, Session>, StoreError> {
    let ids: Vec<&str> = rows.iter().map(|row| row.session_id.as_str()).collect();
    let sql = concat!(
        "SELECT ",
        session::columns!(),
        " FROM sessions WHERE session_id IN (SELECT value FROM json_each(?))"
    );
    let rows = sqlx::query(sql)
        .bind(serde_json::to_string(&ids).map_err(StoreError::value)?)
        .fetch_all(connection)
        .await
        .map_err(reading)?;
    let sessions = readable("sessions", rows, session::session);
    Ok(sessions.into_iter().map(|session| (session.session_id.to_string(), session)).collect())
}

fn found(session: Session, row: Row, open: &str, close: &str) -> Result<(i64, Found), StoreError> {
    let (text, marks) = excerpt(&row.excerpt, open, close);
    let found = Found {
        session,
        request_id: row.request_id.map(|id| id.parse().map_err(StoreError::value)).transpose()?,
        found_in: match row.role.as_str() {
            "title" => FoundIn::Title,
            "user" => FoundIn::Message,
            _ => FoundIn::Answer,
        },
        at_ms: row.at_ms,
        on_path: row.on_path,
        text,
        marks,
    };
    Ok((row.id, found))
}

/// What FTS5 is asked: each word in quotes, so that no text is taken for syntax. None where there is no word.
fn expression(text: &str) -> Option<String> {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let mut words: Vec<&str> =
        words.filter(|word| word.chars().any(char::is_alphanumeric)).take(WORDS).collect();
    // A single letter begins a tenth of all words: they would take long to find, and say nothing. Beside other words it waits for the next one.
    let single = words.pop_if(|word| matches!(word.as_bytes(), [byte] if byte.is_ascii_alphanumeric()));
    let (words, is_beginning) = match single {
        Some(single) if words.is_empty() => (vec![single], false),
        Some(_) if text.ends_with(char::is_whitespace) => (words.into_iter().chain(single).collect(), false),
        _ => (words, true),
    };
    let quoted = words.into_iter().map(|word| {
        let end = word.floor_char_boundary(BYTES_OF_A_WORD);
        format!("\"{}\"", word.get(..end).unwrap_or_default().replace('"', "\"\""))
    });
    let all = quoted.collect::<Vec<_>>().join(" AND ");
    (!all.is_empty()).then(|| format!("{all}{}", if is_beginning { " *" } else { "" }))
}

/// The excerpt on one line, with what was marked in it, cut around the first mark.
fn excerpt(marked: &str, open: &str, close: &str) -> (String, Vec<ByteRange>) {
    let (mut text, mut marks) = (String::with_capacity(marked.len()), Vec::new());
    let mut pieces = marked.split(open);
    push_line(&mut text, pieces.next().unwrap_or_default());
    for piece in pieces {
        let (inside, after) = piece.split_once(close).unwrap_or((piece, ""));
        let from = text.len();
        push_line(&mut text, inside);
        marks.push((from, text.len()));
        push_line(&mut text, after);
    }
    cut(&text, &marks)
}

/// Appends a piece in which every run of white space and control characters is one space.
fn push_line(text: &mut String, piece: &str) {
    for character in piece.chars() {
        match character.is_whitespace() || character.is_control() {
            true if text.is_empty() || text.ends_with(' ') => {}
            true => text.push(' '),
            false => text.push(character),
        }
    }
}

fn cut(text: &str, marks: &[(usize, usize)]) -> (String, Vec<ByteRange>) {
    let first = marks.first().map_or(0, |(from, _)| *from);
    let text = text.trim_end();
    let whole = text.len() <= BYTES_OF_AN_EXCERPT;
    let start = if whole { 0 } else { text.ceil_char_boundary(first.saturating_sub(BYTES_BEFORE)) };
    let end = if whole { text.len() } else { text.floor_char_boundary(start + BYTES_OF_AN_EXCERPT) };
    let lead = if start > 0 { "…" } else { "" };
    let tail = if end < text.len() { "…" } else { "" };
    let moved =
        |place: usize| u32::try_from(place.clamp(start, end) - start + lead.len()).unwrap_or(u32::MAX);
    let marks = marks.iter().map(|(from, to)| ByteRange { from: moved(*from), to: moved(*to) });
    let marks = marks.filter(|mark| mark.from < mark.to).collect();
    (format!("{lead}{}{tail}", text.get(start..end).unwrap_or_default()), marks)
}

struct Fill;

impl Transaction for Fill {
    type Out = i64;

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<i64, StoreError> {
        enter_titles(connection).await?;
        enter_noted(connection).await?;
        sqlx::query_scalar(TO_COME).fetch_one(connection).await.map_err(writing)
    }
}

/// Titles that are new, or other ones now. The triggers of `searched_titles` keep the index in step with it.
async fn enter_titles(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    let sql = "SELECT session_id FROM search_titles_to_take LIMIT ?";
    let noted: Vec<String> =
        sqlx::query_scalar(sql).bind(TEXTS_OF_A_STEP).fetch_all(&mut *connection).await.map_err(writing)?;
    if noted.is_empty() {
        return Ok(());
    }
    let list = serde_json::to_string(&noted).map_err(StoreError::value)?;
    for sql in [
        "DELETE FROM searched_titles WHERE session_id IN (SELECT value FROM json_each(?))",
        "INSERT INTO searched_titles (session_id) SELECT session_id FROM sessions
         WHERE session_id IN (SELECT value FROM json_each(?)) AND title <> '' ORDER BY updated_at_ms",
        "DELETE FROM search_titles_to_take WHERE session_id IN (SELECT value FROM json_each(?))",
    ] {
        sqlx::query(sql).bind(list.clone()).execute(&mut *connection).await.map_err(writing)?;
    }
    Ok(())
}

/// Enters texts that were noted, after those that had their ids before have left the index.
async fn enter_noted(connection: &mut SqliteConnection) -> Result<bool, StoreError> {
    let sql = "SELECT id, coalesce(bytes, 0) FROM search_to_take LEFT JOIN turn_texts USING (id) ORDER BY id DESC LIMIT ?";
    let found: Vec<(i64, i64)> =
        sqlx::query_as(sql).bind(TEXTS_OF_A_STEP).fetch_all(&mut *connection).await.map_err(writing)?;
    let ids = step(found, BYTES_OF_A_STEP);
    let list = serde_json::to_string(&ids).map_err(StoreError::value)?;
    let sql = "DELETE FROM search WHERE rowid IN (SELECT id FROM search_to_drop WHERE id IN (SELECT value FROM json_each(?)))";
    let dropped = sqlx::query(sql).bind(list.clone()).execute(&mut *connection).await.map_err(writing)?;
    if dropped.rows_affected() > 0 {
        sqlx::query(NOTE_LEFT).execute(&mut *connection).await.map_err(writing)?;
    }
    for sql in [
        "DELETE FROM search_to_drop WHERE id IN (SELECT value FROM json_each(?))",
        ENTER_NOTED,
        "DELETE FROM search_to_take WHERE id IN (SELECT value FROM json_each(?))",
    ] {
        sqlx::query(sql).bind(list.clone()).execute(&mut *connection).await.map_err(writing)?;
    }
    Ok(!ids.is_empty())
}

/// The ids of those texts that one step takes: the first, and others while they stay below this size together.
fn step(texts: Vec<(i64, i64)>, most: i64) -> Vec<i64> {
    let mut bytes = 0;
    let fit = texts.into_iter().take_while(|(_, length)| {
        let fits = bytes < most;
        bytes += length;
        fits
    });
    fit.map(|(id, _)| id).collect()
}

/// Takes some texts that were deleted out of the index; false when none is left. What it leaves in unused parts of pages is noted.
pub(crate) struct DropTexts;

impl Transaction for DropTexts {
    type Out = bool;

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<bool, StoreError> {
        let sql = "SELECT id, coalesce((SELECT length(text) FROM search WHERE search.rowid = id), 0) FROM search_to_drop LIMIT ?";
        let found: Vec<(i64, i64)> =
            sqlx::query_as(sql).bind(DROPPED_OF_A_STEP).fetch_all(&mut *connection).await.map_err(writing)?;
        let ids = step(found, DROPPED_BYTES);
        if ids.is_empty() {
            return Ok(false);
        }
        let list = serde_json::to_string(&ids).map_err(StoreError::value)?;
        for sql in [
            "DELETE FROM search WHERE rowid IN (SELECT value FROM json_each(?))",
            "DELETE FROM search_to_drop WHERE id IN (SELECT value FROM json_each(?))",
        ] {
            sqlx::query(sql).bind(list.clone()).execute(&mut *connection).await.map_err(writing)?;
        }
        sqlx::query(NOTE_LEFT).execute(connection).await.map_err(writing)?;
        Ok(true)
    }
}

/// Corrects some of the words by which FTS5 finds its pages, and returns the place to go on at; none at the end.
///
/// To each page of a segment FTS5 keeps a word that is greater than the words before and at most the first one of the page. With
/// `secure-delete` that word stays when it is deleted, or a beginning of it. Here it becomes the next word that the index still has.
pub(crate) struct CorrectWords {
    pub(crate) after: Option<(i64, Vec<u8>)>,
}

/// A segment, the word of one of its pages, that of the page after, and the next word that the index still has.
type PageWord = (i64, Vec<u8>, Option<Vec<u8>>, Option<Vec<u8>>);

/// Words of pages that one transaction looks at.
const WORDS_OF_A_STEP: i64 = 256;

impl Transaction for CorrectWords {
    type Out = Option<(i64, Vec<u8>)>;

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<Self::Out, StoreError> {
        let (segment, word) = self.after.clone().unwrap_or((0, Vec::new()));
        // The first byte of a word says which index it is of: '0' is the only one here. What follows is the word.
        let sql = "WITH these AS MATERIALIZED (
                       SELECT segid, term, lead(term) OVER (PARTITION BY segid ORDER BY term) AS following
                       FROM search_idx WHERE (segid, term) > (?1, ?2) ORDER BY segid, term LIMIT ?3)
                   SELECT segid, term, following,
                       (SELECT CAST('0' || search_words.term AS BLOB) FROM search_words
                        WHERE search_words.term >= CAST(substr(these.term, 2) AS TEXT) ORDER BY search_words.term LIMIT 1)
                   FROM these";
        let found: Vec<PageWord> = sqlx::query_as(sql)
            .bind(segment)
            .bind(word)
            .bind(WORDS_OF_A_STEP)
            .fetch_all(&mut *connection)
            .await
            .map_err(writing)?;
        let last = found.last().map(|(segment, word, ..)| (*segment, word.clone()));
        for (segment, word, following, next) in found {
            let stands = word.is_empty() || next.as_ref().is_some_and(|next| next.starts_with(&word));
            if stands {
                continue;
            }
            let query = match next {
                Some(next) if following.is_none_or(|following| next < following) => {
                    sqlx::query("UPDATE search_idx SET term = ? WHERE segid = ? AND term = ?").bind(next)
                }
                // No word is left on that page: FTS5 itself drops its entry then.
                _ => sqlx::query("DELETE FROM search_idx WHERE segid = ? AND term = ?"),
            };
            query.bind(segment).bind(word).execute(&mut *connection).await.map_err(writing)?;
        }
        Ok(last)
    }
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "search_deletion_tests.rs"]
mod deletion_tests;
