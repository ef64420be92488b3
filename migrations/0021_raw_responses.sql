-- What came back in model calls, as it came (0046). No turn depends on it: it stands beside the journal, and leaves by its age and size.
CREATE TABLE raw_responses (
    -- Grows with each row, so the oldest are the first.
    id         INTEGER PRIMARY KEY,
    request_id TEXT NOT NULL REFERENCES turns ON DELETE CASCADE,
    -- The number of the model call in its turn, from 1.
    call       INTEGER NOT NULL,
    at_ms      INTEGER NOT NULL,
    -- The beginning and the end of what came, one after the other.
    sha256     TEXT NOT NULL REFERENCES blobs,
    bytes      INTEGER NOT NULL,
    -- Bytes of the beginning, and how many that are not kept followed it.
    start      INTEGER NOT NULL,
    left_out   INTEGER NOT NULL
) STRICT;

CREATE INDEX raw_responses_of_turn ON raw_responses (request_id, call);
CREATE INDEX raw_responses_of_blob ON raw_responses (sha256);

-- Everything that refers to a body, and the turn it belongs to. A new table that refers to one is added here. What a fork was given belongs to each of
-- its turns.
DROP VIEW body_references;
CREATE VIEW body_references (sha256, request_id) AS
          SELECT sha256, request_id FROM outcomes WHERE sha256 IS NOT NULL
UNION ALL SELECT base_sha256, request_id FROM writes WHERE base_sha256 IS NOT NULL
UNION ALL SELECT sha256, request_id FROM writes
UNION ALL SELECT content_sha256, request_id FROM writes
UNION ALL SELECT sha256, request_id FROM kept_bodies
UNION ALL SELECT sha256, request_id FROM turn_texts
UNION ALL SELECT sha256, request_id FROM contexts
UNION ALL SELECT sha256, request_id FROM former_contexts
UNION ALL SELECT from_sha256, request_id FROM rewound_files WHERE from_sha256 IS NOT NULL
UNION ALL SELECT to_sha256, request_id FROM rewound_files WHERE to_sha256 IS NOT NULL
UNION ALL SELECT forks.sha256, turns.request_id FROM forks LEFT JOIN turns USING (session_id) WHERE forks.sha256 IS NOT NULL
UNION ALL SELECT sha256, request_id FROM raw_responses;

PRAGMA user_version = 21;
