-- The messages that came over HTTP, and the turns that they began: the same name in a project begins no second turn (H4).
CREATE TABLE http_messages (
    request_id TEXT PRIMARY KEY NOT NULL REFERENCES turns ON DELETE CASCADE,
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    -- The caller's own name for it, and its text: digests. The name is null where it has none.
    name       TEXT,
    content    TEXT NOT NULL,
    -- 1 where the turn goes on without a reader (H5).
    goes_on    INTEGER NOT NULL,
    UNIQUE (project_id, name)
) STRICT, WITHOUT ROWID;

-- Operations that a process asks of the one that has a turn (A7), until the asker has read what came of each.
CREATE TABLE forwarded (
    id         TEXT PRIMARY KEY NOT NULL,
    request_id TEXT NOT NULL REFERENCES turns ON DELETE CASCADE,
    -- The process that has the turn, as in `turns`.
    owner      TEXT NOT NULL,
    -- JSON of the engine's, as is the outcome; that is null until there is one.
    op         TEXT NOT NULL,
    outcome    TEXT,
    -- 1 once that process has begun with it.
    begun      INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX forwarded_to ON forwarded (request_id, owner);

PRAGMA user_version = 104;
