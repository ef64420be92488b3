-- A large body is kept in parts: SQLite and what speaks to it hold a value several times while it is bound, entered and read.

-- What follows the first MiB of a body, which is in `blobs` itself, in parts of a MiB.
CREATE TABLE blob_parts (
    sha256 TEXT NOT NULL REFERENCES blobs ON DELETE CASCADE,
    -- From 1.
    part   INTEGER NOT NULL,
    body   BLOB NOT NULL,
    PRIMARY KEY (sha256, part)
) STRICT;

PRAGMA user_version = 4;
