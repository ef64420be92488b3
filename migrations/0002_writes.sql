-- Write sessions: what each proposed, and how far it came. The bytes are among the blobs, so that a preview survives its
-- process and a write can be taken back.

-- 1 while the turn waits for a person to approve a write: it needs no process to wait, and none that ends interrupts it.
ALTER TABLE turns ADD COLUMN waits INTEGER NOT NULL DEFAULT 0;

CREATE TABLE writes (
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
    -- writing: approved, on its way to the disk; over: nothing was written.
    stage          TEXT NOT NULL CHECK (stage IN ('proposed', 'writing', 'written', 'over', 'undone')),
    PRIMARY KEY (request_id, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX writes_on_their_way ON writes (stage) WHERE stage = 'writing';

PRAGMA user_version = 2;
