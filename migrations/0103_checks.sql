-- The checks that a person set or accepted for a project (V1). Nothing of the project's folder adds or changes one.
CREATE TABLE checks (
    project_id    TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    -- What the project's folder was on its disk: another folder at the same path has none of them.
    folder        TEXT NOT NULL,
    name          TEXT NOT NULL,
    -- Grows along the person's order.
    place         INTEGER NOT NULL,
    -- The check: JSON.
    body          TEXT NOT NULL,
    -- The script behind its line as the person accepted it: JSON, and the digest of all of it.
    script        TEXT NOT NULL,
    script_sha256 TEXT NOT NULL,
    -- The end of its last run with this script; null where there was none.
    last          TEXT,
    last_at_ms    INTEGER,
    PRIMARY KEY (project_id, folder, name)
) STRICT, WITHOUT ROWID;

-- The projects whose proposals have been offered after a turn: they are not offered again.
CREATE TABLE checks_offered (
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    folder     TEXT NOT NULL,
    PRIMARY KEY (project_id, folder)
) STRICT, WITHOUT ROWID;

PRAGMA user_version = 103;
