-- What a person was writing when Orion ended: the next message of a session, or the one that would begin a session of a project.
-- It goes with its message when that is sent, and with its session or project when those are deleted.
CREATE TABLE drafts (
    session_id TEXT UNIQUE REFERENCES sessions ON DELETE CASCADE,
    project_id TEXT UNIQUE REFERENCES projects ON DELETE CASCADE,
    body       TEXT NOT NULL,
    CHECK ((session_id IS NULL) <> (project_id IS NULL))
) STRICT;

PRAGMA user_version = 25;
