-- Sessions that were imported from a file. They are read-only: an Orion that does not know these tables finds no folder to go on in.
CREATE TABLE imported (
    session_id   TEXT PRIMARY KEY NOT NULL REFERENCES sessions ON DELETE CASCADE,
    -- The project that it was exported from, with the folder that it was in there.
    project_id   TEXT NOT NULL,
    project_path TEXT NOT NULL,
    project_name TEXT NOT NULL,
    -- By so much the ids of its texts are larger than those that its journals name.
    base         INTEGER NOT NULL,
    -- The first line of the file: JSON of the engine's.
    header       TEXT NOT NULL,
    at_ms        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Lines of that file that have no place in the other tables, as they are in it: for a later export.
CREATE TABLE imported_lines (
    session_id TEXT NOT NULL REFERENCES imported ON DELETE CASCADE,
    n          INTEGER NOT NULL,
    -- The turn that the line belongs to.
    request_id TEXT,
    line       TEXT NOT NULL,
    PRIMARY KEY (session_id, n)
) STRICT, WITHOUT ROWID;

PRAGMA user_version = 18;
