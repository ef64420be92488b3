-- What a turn leaves to those that follow it, beside what was said in it.

-- The context as a cut left it: it stands in the place of everything before the turn. Only turns that cut have one.
CREATE TABLE contexts (
    request_id TEXT PRIMARY KEY REFERENCES turns ON DELETE CASCADE,
    -- The last text of the turn when it was entered: a turn that was given earlier texts alone is not given this.
    entered    INTEGER NOT NULL,
    -- Items as a JSON list.
    sha256     TEXT NOT NULL REFERENCES blobs,
    bytes      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX contexts_of_blob ON contexts (sha256);

-- Everything that refers to a body, and the turn it belongs to. A new table that refers to one is added here.
DROP VIEW body_references;
CREATE VIEW body_references (sha256, request_id) AS
          SELECT sha256, request_id FROM outcomes WHERE sha256 IS NOT NULL
UNION ALL SELECT base_sha256, request_id FROM writes WHERE base_sha256 IS NOT NULL
UNION ALL SELECT sha256, request_id FROM writes
UNION ALL SELECT content_sha256, request_id FROM writes
UNION ALL SELECT sha256, request_id FROM kept_bodies
UNION ALL SELECT sha256, request_id FROM turn_texts
UNION ALL SELECT sha256, request_id FROM contexts;

-- How many tokens the model's last request had, and how many bytes: JSON of the engine's. Null of turns from before.
ALTER TABLE turns ADD COLUMN gauge TEXT;

PRAGMA user_version = 8;
