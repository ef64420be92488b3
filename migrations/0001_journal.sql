-- The journal of every turn and what is looked up beside it. Landed migrations are never edited: add another file.
-- Times are milliseconds since the Unix epoch; ids are UUIDs in their text form. `PRAGMA user_version` is the number of
-- the newest migration, so that a start can see in one read that nothing is left to do.

CREATE TABLE projects (
    project_id   TEXT PRIMARY KEY NOT NULL,
    path         TEXT NOT NULL UNIQUE,
    name         TEXT NOT NULL,
    opened_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
    session_id    TEXT PRIMARY KEY NOT NULL,
    project_id    TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    -- Empty until the first message or a person names it.
    title         TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL,
    -- Turns begun; kept here so that no list has to count.
    turns         INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_newest ON sessions (updated_at_ms DESC);
CREATE INDEX sessions_of_project ON sessions (project_id, updated_at_ms DESC);

CREATE TABLE turns (
    request_id    TEXT PRIMARY KEY NOT NULL,
    session_id    TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    project_id    TEXT NOT NULL,
    -- From 1, in the order they began.
    ordinal       INTEGER NOT NULL,
    state         TEXT NOT NULL CHECK (state IN ('running', 'interrupted', 'over')),
    -- The running process that began it: the name of a lock file in `running/` beside the database.
    owner         TEXT NOT NULL,
    started_at_ms INTEGER NOT NULL,
    UNIQUE (session_id, ordinal)
) STRICT, WITHOUT ROWID;

-- A session has one running turn at most, whichever process runs it.
CREATE UNIQUE INDEX turns_running ON turns (session_id) WHERE state = 'running';

-- The truth about a turn, append-only: what came into the machine and what it said, in the order it happened.
CREATE TABLE journal (
    request_id TEXT NOT NULL REFERENCES turns ON DELETE CASCADE,
    -- From 1, in the order of the record.
    n          INTEGER NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('input', 'event')),
    -- An event's seq; a chunk has that of the last durable event (E1).
    seq        INTEGER,
    at_ms      INTEGER NOT NULL,
    -- JSON as it was written; a type unknown to a reader stays as it is (E3).
    body       TEXT NOT NULL,
    PRIMARY KEY (request_id, n)
) STRICT, WITHOUT ROWID;

-- The conversation, for the next turn's prompt. The user's message is written when its turn begins, the assistant's in
-- the transaction of the terminal event (T3).
CREATE TABLE messages (
    session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    ordinal    INTEGER NOT NULL,
    request_id TEXT NOT NULL,
    role       TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
    body       TEXT NOT NULL,
    PRIMARY KEY (session_id, ordinal, role)
) STRICT, WITHOUT ROWID;

-- Bodies live once, by digest.
CREATE TABLE blobs (
    sha256 TEXT PRIMARY KEY NOT NULL,
    bytes  INTEGER NOT NULL,
    body   BLOB NOT NULL
) STRICT;

CREATE TABLE outcomes (
    request_id    TEXT NOT NULL REFERENCES turns ON DELETE CASCADE,
    tool_batch_id INTEGER NOT NULL,
    tool_call_id  TEXT NOT NULL,
    name          TEXT NOT NULL,
    arguments     TEXT NOT NULL,
    permission    TEXT NOT NULL,
    -- Null while the tool runs.
    status        TEXT,
    sha256        TEXT REFERENCES blobs,
    PRIMARY KEY (request_id, tool_batch_id, tool_call_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX outcomes_of_blob ON outcomes (sha256) WHERE sha256 IS NOT NULL;

PRAGMA user_version = 1;
