-- A body that nothing refers to does not stay, and what a deletion has yet to remove is known to whoever starts next.

CREATE INDEX writes_of_base ON writes (base_sha256) WHERE base_sha256 IS NOT NULL;
CREATE INDEX writes_of_file ON writes (sha256);
CREATE INDEX writes_of_content ON writes (content_sha256);

-- Bodies that were stored ahead of the record that is to refer to them. The row goes when that record comes, or with the turn.
CREATE TABLE kept_bodies (
    request_id TEXT NOT NULL REFERENCES turns ON DELETE CASCADE,
    sha256     TEXT NOT NULL REFERENCES blobs,
    PRIMARY KEY (request_id, sha256)
) STRICT, WITHOUT ROWID;

CREATE INDEX kept_bodies_of_blob ON kept_bodies (sha256);

-- Everything that refers to a body, and the turn it belongs to. A new table that refers to one is added here.
CREATE VIEW body_references (sha256, request_id) AS
          SELECT sha256, request_id FROM outcomes WHERE sha256 IS NOT NULL
UNION ALL SELECT base_sha256, request_id FROM writes WHERE base_sha256 IS NOT NULL
UNION ALL SELECT sha256, request_id FROM writes
UNION ALL SELECT content_sha256, request_id FROM writes
UNION ALL SELECT sha256, request_id FROM kept_bodies;

-- What is left to do of a deletion. A row goes when its step is done.
CREATE TABLE leftovers (
    -- body: the digest of one that may have lost its last reference. log: an id whose lines are to go from the logs.
    -- pages: unused parts of pages may hold what was deleted. wal: so may the write-ahead log.
    kind TEXT NOT NULL CHECK (kind IN ('body', 'log', 'pages', 'wal')),
    name TEXT NOT NULL,
    PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;

-- Earlier versions left bodies of replaced proposals behind.
INSERT INTO leftovers (kind, name)
SELECT 'body', sha256 FROM blobs
WHERE NOT EXISTS (SELECT 1 FROM body_references WHERE body_references.sha256 = blobs.sha256);

INSERT INTO leftovers (kind, name)
SELECT 'pages', '' WHERE EXISTS (SELECT 1 FROM leftovers) UNION ALL SELECT 'wal', '' WHERE EXISTS (SELECT 1 FROM leftovers);

PRAGMA user_version = 5;
