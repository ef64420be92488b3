-- Going back to an earlier message (A10). What a rewind does is recorded file by file before the disk is touched, so that one that broke off is
-- completed, and one that is over can be undone. An Orion that does not know these tables sees writes that were undone.
CREATE TABLE rewinds (
    -- Grows with each rewind.
    rewind_id    INTEGER PRIMARY KEY,
    session_id   TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    -- The turn whose message it went back to.
    request_id   TEXT NOT NULL REFERENCES turns ON DELETE CASCADE,
    at_ms        INTEGER NOT NULL,
    -- 1 where the conversation went back as well; and the tip that it left.
    conversation INTEGER NOT NULL,
    left_tip     TEXT,
    -- Turns that the session had.
    turns        INTEGER NOT NULL,
    stage        TEXT NOT NULL CHECK (stage IN ('going', 'done', 'undoing', 'undone')),
    -- The process at work: the name of a lock file in `running/` beside the database.
    owner        TEXT NOT NULL
) STRICT;

CREATE INDEX rewinds_of_session ON rewinds (session_id, rewind_id);
CREATE INDEX rewinds_of_turn ON rewinds (request_id);
-- One at a time.
CREATE UNIQUE INDEX rewinds_under_way ON rewinds (session_id) WHERE stage IN ('going', 'undoing');

CREATE TABLE rewound_files (
    rewind_id   INTEGER NOT NULL REFERENCES rewinds ON DELETE CASCADE,
    -- From 1.
    number      INTEGER NOT NULL,
    -- That of the rewind.
    request_id  TEXT NOT NULL REFERENCES turns ON DELETE CASCADE,
    -- Of the project; no link is on the way.
    path        TEXT NOT NULL,
    -- The file before the rewind and after it; null where there is none.
    from_sha256 TEXT REFERENCES blobs,
    to_sha256   TEXT REFERENCES blobs,
    -- kept: the file stays as it was found. changing and returning: on its way to the disk.
    stage       TEXT NOT NULL CHECK (stage IN ('planned', 'changing', 'changed', 'kept', 'returning', 'returned')),
    -- Why the file was kept, or was not given back: JSON.
    error       TEXT,
    PRIMARY KEY (rewind_id, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX rewound_files_of_turn ON rewound_files (request_id);
CREATE INDEX rewound_files_before ON rewound_files (from_sha256) WHERE from_sha256 IS NOT NULL;
CREATE INDEX rewound_files_after ON rewound_files (to_sha256) WHERE to_sha256 IS NOT NULL;

-- Where the path led when the write was proposed, if that was elsewhere. Null of writes from before.
ALTER TABLE writes ADD COLUMN leads_to TEXT;
-- The rewind that takes the write back, and its file.
ALTER TABLE writes ADD COLUMN rewind_id INTEGER;
ALTER TABLE writes ADD COLUMN rewound_file INTEGER;

CREATE INDEX writes_of_rewind ON writes (rewind_id, rewound_file) WHERE rewind_id IS NOT NULL;

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
UNION ALL SELECT sha256, request_id FROM former_contexts
UNION ALL SELECT from_sha256, request_id FROM rewound_files WHERE from_sha256 IS NOT NULL
UNION ALL SELECT to_sha256, request_id FROM rewound_files WHERE to_sha256 IS NOT NULL;

PRAGMA user_version = 15;
