-- Sessions that were forked from a turn of another one (T9). Nothing here refers to a row of that session: it may be deleted.
CREATE TABLE forks (
    session_id        TEXT PRIMARY KEY NOT NULL REFERENCES sessions ON DELETE CASCADE,
    -- The turn, the phase from which the fork goes on, from 1, and the tool phases begun by then.
    forked_from       TEXT NOT NULL,
    phase             INTEGER NOT NULL,
    step              INTEGER NOT NULL,
    -- What stands in the place of the turns before the first one of this session: a JSON list, by digest. Null where there were none.
    sha256            TEXT,
    -- The turn that has a copy of the other turn's rows, and what it had cost by then, which the other session counts.
    request_id        TEXT,
    cost              INTEGER NOT NULL DEFAULT 0,
    prompt_tokens     INTEGER NOT NULL DEFAULT 0,
    completion_tokens INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX forks_of_body ON forks (sha256) WHERE sha256 IS NOT NULL;
CREATE INDEX forks_of_turn ON forks (request_id) WHERE request_id IS NOT NULL;

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
UNION ALL SELECT forks.sha256, turns.request_id FROM forks LEFT JOIN turns USING (session_id) WHERE forks.sha256 IS NOT NULL;

PRAGMA user_version = 19;
