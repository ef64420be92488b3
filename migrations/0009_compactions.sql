-- Contexts that a person undid or changed (X4). `contexts` has what is in force; what was in force before is kept here for the turns that
-- were given it (T8). An Orion that does not know this table gives new turns the same context as this one.
CREATE TABLE former_contexts (
    -- Grows with each row.
    id         INTEGER PRIMARY KEY,
    request_id TEXT NOT NULL REFERENCES turns ON DELETE CASCADE,
    -- Items as a JSON list.
    sha256     TEXT NOT NULL REFERENCES blobs
) STRICT;

CREATE INDEX former_contexts_of_turn ON former_contexts (request_id, id);
CREATE INDEX former_contexts_of_blob ON former_contexts (sha256);

-- Everything that refers to a body, and the turn it belongs to. A new table that refers to one is added here.
DROP VIEW body_references;
CREATE VIEW body_references (sha256, request_id) AS
          SELECT sha256, request_id FROM outcomes WHERE sha256 IS NOT NULL
UNION ALL SELECT base_sha256, request_id FROM writes WHERE base_sha256 IS NOT NULL
UNION ALL SELECT sha256, request_id FROM writes
UNION ALL SELECT content_sha256, request_id FROM writes
UNION ALL SELECT sha256, request_id FROM kept_bodies
UNION ALL SELECT sha256, request_id FROM turn_texts
UNION ALL SELECT sha256, request_id FROM contexts
UNION ALL SELECT sha256, request_id FROM former_contexts;

PRAGMA user_version = 9;
