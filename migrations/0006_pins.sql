-- A journal is pinned (T8): what a turn was given and what was said in it is among the bodies, by digest. Every turn names the one that
-- it follows (T9). And the database says how old an Orion may be that opens it.

-- The turn before it; null for the first of a session. It may be of another session, which may be deleted: hence no reference.
ALTER TABLE turns ADD COLUMN parent_request_id TEXT;

UPDATE turns SET parent_request_id =
    (SELECT request_id FROM turns AS earlier
     WHERE earlier.session_id = turns.session_id AND earlier.ordinal < turns.ordinal
     ORDER BY earlier.ordinal DESC LIMIT 1);

CREATE TABLE turn_texts (
    -- Grows with each row: what a turn was given of an earlier one is what had been entered by then.
    id         INTEGER PRIMARY KEY,
    request_id TEXT NOT NULL REFERENCES turns ON DELETE CASCADE,
    -- given: the system text, the tools, a part of the history that was cut.
    -- said: an item of the conversation, as JSON: the message of the person, the answer.
    kind       TEXT NOT NULL CHECK (kind IN ('given', 'said')),
    sha256     TEXT NOT NULL REFERENCES blobs,
    -- Its size, so that what fits is known without a look at the body.
    bytes      INTEGER NOT NULL
) STRICT;

CREATE INDEX turn_texts_of_turn ON turn_texts (request_id, kind, id);
CREATE INDEX turn_texts_of_blob ON turn_texts (sha256);

-- Everything that refers to a body, and the turn it belongs to. A new table that refers to one is added here.
DROP VIEW body_references;
CREATE VIEW body_references (sha256, request_id) AS
          SELECT sha256, request_id FROM outcomes WHERE sha256 IS NOT NULL
UNION ALL SELECT base_sha256, request_id FROM writes WHERE base_sha256 IS NOT NULL
UNION ALL SELECT sha256, request_id FROM writes
UNION ALL SELECT content_sha256, request_id FROM writes
UNION ALL SELECT sha256, request_id FROM kept_bodies
UNION ALL SELECT sha256, request_id FROM turn_texts;

-- The oldest schema whose Orion may use this database: one row. A migration that takes something away, or gives something another
-- meaning, sets its own number here.
CREATE TABLE compatible (
    since INTEGER NOT NULL
) STRICT;

INSERT INTO compatible (since) VALUES (6);

PRAGMA user_version = 6;
