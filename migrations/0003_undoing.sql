-- A write that is being taken back is known before the disk is touched, so that a crash in the middle of it can be looked into;
-- and so is a file that holds what somebody else wrote, until the person has heard of it.

CREATE TABLE writes_3 (
    request_id     TEXT NOT NULL REFERENCES turns ON DELETE CASCADE,
    -- The session's number in its turn, from 1.
    number         INTEGER NOT NULL,
    -- Of the project.
    path           TEXT NOT NULL,
    operation      TEXT NOT NULL,
    -- The file as it was when the proposal was made; null when there was none.
    base_sha256    TEXT REFERENCES blobs,
    -- The file as it is proposed, and once it is approved, as it is to be.
    sha256         TEXT NOT NULL REFERENCES blobs,
    -- What the proposal was made from.
    content_sha256 TEXT NOT NULL REFERENCES blobs,
    -- writing: approved, on its way to the disk; over: nothing was written; undoing: on its way back.
    stage          TEXT NOT NULL CHECK (stage IN ('proposed', 'writing', 'written', 'over', 'undoing', 'undone')),
    -- The running process that takes it back: the name of a lock file in `running/` beside the database.
    undoer         TEXT,
    -- A file of the project that a recovery put what somebody else wrote into.
    kept           TEXT,
    PRIMARY KEY (request_id, number)
) STRICT, WITHOUT ROWID;

INSERT INTO writes_3 (request_id, number, path, operation, base_sha256, sha256, content_sha256, stage)
SELECT request_id, number, path, operation, base_sha256, sha256, content_sha256, stage FROM writes;

DROP TABLE writes;
ALTER TABLE writes_3 RENAME TO writes;

CREATE INDEX writes_on_their_way ON writes (stage) WHERE stage IN ('writing', 'undoing');

PRAGMA user_version = 3;
