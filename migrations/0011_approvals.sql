-- Approvals that a person keeps (A1): a call that the pattern matches runs unasked where Orion would ask by default. An Orion that does not
-- know this table asks about every such call.
CREATE TABLE approvals (
    approval_id   TEXT PRIMARY KEY NOT NULL,
    project_id    TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    -- The session that it holds in; null where it holds in the whole project.
    session_id    TEXT REFERENCES sessions ON DELETE CASCADE,
    -- The turn that it was given in, which may be gone.
    request_id    TEXT NOT NULL,
    -- What the project's folder was on its disk: another folder at the same path is another one.
    folder        TEXT NOT NULL,
    tool          TEXT NOT NULL,
    -- A glob.
    pattern       TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    -- Null where no call has needed it.
    used_at_ms    INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX approvals_of_project ON approvals (project_id);
CREATE INDEX approvals_of_session ON approvals (session_id) WHERE session_id IS NOT NULL;

PRAGMA user_version = 11;
