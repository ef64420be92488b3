-- Messages that a person wrote while a turn ran, and that wait to be sent (A9). The transaction that begins a message's turn removes it.
CREATE TABLE queued (
    queued_id  TEXT PRIMARY KEY NOT NULL,
    session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    -- Grows along the queue of a session.
    place      INTEGER NOT NULL,
    body       TEXT NOT NULL,
    -- How its turn will run: JSON.
    options    TEXT NOT NULL,
    -- 1 where only a person lets it go on.
    held       INTEGER NOT NULL,
    -- The process that would send it: the name of a lock file in `running/` beside the database. Once that process has ended, the message is held.
    owner      TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX queued_of_session ON queued (session_id, place);

PRAGMA user_version = 17;
