-- Sessions that a person pinned or put into the archive. Neither leaves with an export.
ALTER TABLE sessions ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;

-- Lists have these beside their pages, however old they are.
CREATE INDEX sessions_apart ON sessions (updated_at_ms DESC) WHERE pinned + archived > 0;

PRAGMA user_version = 23;
