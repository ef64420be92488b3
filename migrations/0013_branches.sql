-- A session is a tree of turns (T9). Its path leads from its first turn to its tip, the turn that the next message follows. The turns of the
-- path are numbered, so that a page of them is read from an index. An Orion that does not know the column begins turns with its default;
-- the next one that does puts such a turn on the path as it opens the database.

-- From 1 on the path; null beside it; 0 of a turn that is not numbered yet.
ALTER TABLE turns ADD COLUMN place INTEGER DEFAULT 0;

UPDATE turns SET place = ordinal;

CREATE INDEX turns_of_path ON turns (session_id, place);
CREATE INDEX turns_not_numbered ON turns (session_id) WHERE place = 0;
CREATE INDEX turns_of_parent ON turns (session_id, parent_request_id);

PRAGMA user_version = 13;
