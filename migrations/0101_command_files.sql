-- The files that commands of a turn changed (C6), with what is needed to put them back (W7, A10).
CREATE TABLE command_files (
    request_id    TEXT NOT NULL REFERENCES turns ON DELETE CASCADE,
    -- From 1 in its turn, in the order in which they were found.
    number        INTEGER NOT NULL,
    -- The call that ran the command.
    tool_call_id  TEXT NOT NULL,
    -- The last write of the turn before the command, 0 where there was none: so writes and commands have one order.
    after_write   INTEGER NOT NULL,
    -- Of the project; no link is on the way.
    path          TEXT NOT NULL,
    change        TEXT NOT NULL CHECK (change IN ('created', 'changed', 'removed', 'mode')),
    -- The file before and after the command; null where there was none, or its content is not kept.
    before_sha256 TEXT REFERENCES blobs,
    after_sha256  TEXT REFERENCES blobs,
    -- The permissions before it, where the system has any.
    mode          INTEGER,
    -- The reason for which it cannot be undone; null where it can.
    why           TEXT,
    -- undoing: on its way back, which is known before the disk is touched.
    stage         TEXT NOT NULL CHECK (stage IN ('changed', 'undoing', 'undone')),
    -- The running process that undoes it: the name of a lock file in `running/` beside the database.
    undoer        TEXT,
    -- The rewind that undoes it, and its file.
    rewind_id     INTEGER,
    rewound_file  INTEGER,
    PRIMARY KEY (request_id, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX command_files_on_their_way ON command_files (stage) WHERE stage = 'undoing';
CREATE INDEX command_files_before ON command_files (before_sha256) WHERE before_sha256 IS NOT NULL;
CREATE INDEX command_files_after ON command_files (after_sha256) WHERE after_sha256 IS NOT NULL;
CREATE INDEX command_files_of_rewind ON command_files (rewind_id, rewound_file) WHERE rewind_id IS NOT NULL;

-- The permissions of a file before a rewind and after it, where they are known: a file that comes back may do what it could.
ALTER TABLE rewound_files ADD COLUMN from_mode INTEGER;
ALTER TABLE rewound_files ADD COLUMN to_mode INTEGER;

-- Everything that refers to a body, and the turn it belongs to. A new table that refers to one is added here. What a fork was given belongs to each of
-- its turns, and a file that no turn has yet to none.
DROP VIEW body_references;
CREATE VIEW body_references (sha256, request_id) AS
          SELECT sha256, request_id FROM outcomes WHERE sha256 IS NOT NULL
UNION ALL SELECT base_sha256, request_id FROM writes WHERE base_sha256 IS NOT NULL
UNION ALL SELECT sha256, request_id FROM writes
UNION ALL SELECT content_sha256, request_id FROM writes
UNION ALL SELECT before_sha256, request_id FROM command_files WHERE before_sha256 IS NOT NULL
UNION ALL SELECT after_sha256, request_id FROM command_files WHERE after_sha256 IS NOT NULL
UNION ALL SELECT sha256, request_id FROM kept_bodies
UNION ALL SELECT sha256, request_id FROM turn_texts
UNION ALL SELECT sha256, request_id FROM contexts
UNION ALL SELECT sha256, request_id FROM former_contexts
UNION ALL SELECT from_sha256, request_id FROM rewound_files WHERE from_sha256 IS NOT NULL
UNION ALL SELECT to_sha256, request_id FROM rewound_files WHERE to_sha256 IS NOT NULL
UNION ALL SELECT forks.sha256, turns.request_id FROM forks LEFT JOIN turns USING (session_id) WHERE forks.sha256 IS NOT NULL
UNION ALL SELECT sha256, request_id FROM raw_responses
-- A view is searched by an index only where the columns of its parts have one type.
UNION ALL SELECT sha256, CAST(NULL AS TEXT) FROM attachments;

PRAGMA user_version = 101;
