-- What persons and models said in all sessions, and the titles, to be searched by words (0050). Triggers keep it in step, in the transaction that
-- writes or deletes a text, also where an older Orion writes it.
CREATE VIRTUAL TABLE search USING fts5 (text, role UNINDEXED, tokenize = "unicode61 remove_diacritics 2");

-- A deleted row leaves nothing in the index (0011). What FTS5 keeps of its words to find pages by is corrected by the store.
INSERT INTO search (search, rank) VALUES ('secure-delete', 1);

-- Titles have a negative rowid in the index; a text of a turn has its own id there.
CREATE TABLE searched_titles (
    id         INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL UNIQUE REFERENCES sessions ON DELETE CASCADE
) STRICT;

-- Texts of turns that were there before are entered in steps, the newest first: those below this id are still to come. No row when all are there.
CREATE TABLE search_to_come (
    below INTEGER NOT NULL
) STRICT;

INSERT INTO search_to_come (below)
SELECT max(id) + 1 FROM turn_texts WHERE kind = 'said' HAVING max(id) IS NOT NULL;

-- What is searched of the turns: messages of a person and answers. Results of tools and Orion's own words are not.
CREATE VIEW said_texts (id, role, text) AS
SELECT id, role, text FROM (
    SELECT id,
        CASE json_valid(item) WHEN 1 THEN item ->> '$.role' END AS role,
        CASE json_valid(item) WHEN 1 THEN item ->> '$.text' END AS text,
        CASE json_valid(item) WHEN 1 THEN item ->> '$.about.of' END AS about
    FROM (
        -- A large body is stored in parts. Their order is that of the inner statement: the clause in the aggregate itself would keep other programs with
        -- an older SQLite from opening the database.
        SELECT turn_texts.id, CAST(body AS TEXT) || coalesce(
            (SELECT group_concat(piece, '') FROM (
                SELECT CAST(blob_parts.body AS TEXT) AS piece FROM blob_parts WHERE blob_parts.sha256 = blobs.sha256 ORDER BY part)), '') AS item
        FROM turn_texts JOIN blobs USING (sha256)
        -- Whole files are not parsed for nothing.
        WHERE kind = 'said' AND CAST(substr(body, 1, 16) AS TEXT) NOT IN ('{"role":"system"', '{"role":"tool","')
    )
)
WHERE role IN ('user', 'assistant') AND about IS NULL AND typeof(text) = 'text' AND text <> '';

-- Texts that are gone, and are to leave the index in steps: a long session has many words.
CREATE TABLE search_to_drop (
    id INTEGER PRIMARY KEY
) STRICT;

CREATE TRIGGER search_takes_text AFTER INSERT ON turn_texts WHEN NEW.kind = 'said' BEGIN
    -- An id comes again when the last text was deleted.
    DELETE FROM search WHERE rowid IN (SELECT id FROM search_to_drop WHERE id = NEW.id);
    DELETE FROM search_to_drop WHERE id = NEW.id;
    INSERT INTO search (rowid, text, role) SELECT id, text, role FROM said_texts WHERE id = NEW.id;
END;

CREATE TRIGGER search_drops_text AFTER DELETE ON turn_texts WHEN OLD.kind = 'said' BEGIN
    INSERT OR IGNORE INTO search_to_drop (id) VALUES (OLD.id);
END;

CREATE TRIGGER search_takes_first_title AFTER INSERT ON sessions WHEN NEW.title <> '' BEGIN
    INSERT INTO searched_titles (session_id) VALUES (NEW.session_id);
END;

CREATE TRIGGER search_takes_title AFTER UPDATE OF title ON sessions WHEN NEW.title <> OLD.title BEGIN
    DELETE FROM searched_titles WHERE session_id = NEW.session_id;
    INSERT INTO searched_titles (session_id) SELECT NEW.session_id WHERE NEW.title <> '';
END;

CREATE TRIGGER search_enters_title AFTER INSERT ON searched_titles BEGIN
    INSERT INTO search (rowid, text, role) SELECT -NEW.id, title, 'title' FROM sessions WHERE session_id = NEW.session_id;
END;

CREATE TRIGGER search_drops_title AFTER DELETE ON searched_titles BEGIN
    DELETE FROM search WHERE rowid = -OLD.id;
END;

INSERT INTO searched_titles (session_id) SELECT session_id FROM sessions WHERE title <> '' ORDER BY updated_at_ms;

-- The words of the index in order, to correct those that pages are found by.
CREATE VIRTUAL TABLE search_words USING fts5vocab (search, row);

PRAGMA user_version = 22;
