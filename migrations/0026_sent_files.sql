-- Files that a person sends with a message and that are not of the project (0056): those of a message that is being written, and of one that waits to
-- be sent. A turn keeps its own among its texts.
CREATE TABLE sent_files (
    id         INTEGER PRIMARY KEY,
    -- Where the message is written, as in `drafts`.
    session_id TEXT REFERENCES sessions ON DELETE CASCADE,
    project_id TEXT REFERENCES projects ON DELETE CASCADE,
    -- The message that waits and has it; null while it is written.
    queued_id  TEXT REFERENCES queued ON DELETE CASCADE,
    -- A text as it is, an image in base64.
    sha256     TEXT NOT NULL REFERENCES blobs,
    -- Its name, its size and what it is: JSON.
    file       TEXT NOT NULL,
    CHECK ((session_id IS NULL) <> (project_id IS NULL))
) STRICT;

CREATE INDEX sent_files_of_session ON sent_files (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX sent_files_of_project ON sent_files (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX sent_files_of_queued ON sent_files (queued_id) WHERE queued_id IS NOT NULL;
CREATE INDEX sent_files_of_blob ON sent_files (sha256);

-- Whatever a file leaves with, its body may have lost its last reference.
CREATE TRIGGER sent_files_leave AFTER DELETE ON sent_files BEGIN
    INSERT OR IGNORE INTO leftovers (kind, name) VALUES ('body', OLD.sha256), ('pages', hex(randomblob(8))), ('wal', hex(randomblob(8)));
END;

-- Everything that refers to a body, and the turn it belongs to. A new table that refers to one is added here. What a fork was given belongs to each of
-- its turns, and a file that no turn has yet to none.
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
UNION ALL SELECT sha256, request_id FROM raw_responses
-- A view is searched by an index only where the columns of its parts have one type.
UNION ALL SELECT sha256, CAST(NULL AS TEXT) FROM sent_files;

PRAGMA user_version = 26;
