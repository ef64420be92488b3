-- The lines that the writes of a session added and removed, so that no list has to compare files.

-- Of each write: null where that is not known.
ALTER TABLE writes ADD COLUMN lines_added INTEGER;
ALTER TABLE writes ADD COLUMN lines_removed INTEGER;
-- Of the writes of a session that are on the disk and were not undone.
ALTER TABLE sessions ADD COLUMN lines_added INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN lines_removed INTEGER NOT NULL DEFAULT 0;

-- Earlier proposals said it in the journal. Where a person approved a part of one, the file is another than the one that was proposed. A number is
-- taken only where it can be one of lines, whatever wrote it.
UPDATE writes SET lines_added = told.added, lines_removed = told.removed FROM (
    SELECT request_id, body ->> '$.event.write' AS write, body ->> '$.event.proposal.sha256' AS sha256,
        iif(json_type(body, '$.event.proposal.added') = 'integer', body ->> '$.event.proposal.added', NULL) AS added,
        iif(json_type(body, '$.event.proposal.removed') = 'integer', body ->> '$.event.proposal.removed', NULL) AS removed
    FROM journal
    WHERE kind = 'event' AND instr(body, '"write_ready"') > 0 AND json_valid(body) AND body ->> '$.event.type' = 'write_ready'
) AS told
WHERE told.request_id = writes.request_id AND told.write = writes.number AND told.sha256 = writes.sha256
    AND typeof(told.added) = 'integer' AND told.added BETWEEN 0 AND 1000000000
    AND typeof(told.removed) = 'integer' AND told.removed BETWEEN 0 AND 1000000000;

UPDATE sessions SET (lines_added, lines_removed) = (
    SELECT coalesce(sum(writes.lines_added), 0), coalesce(sum(writes.lines_removed), 0) FROM turns JOIN writes USING (request_id)
    WHERE turns.session_id = sessions.session_id AND stage = 'written');

-- Whatever writes a file, undoes it or gives it back changes the numbers of its session.
CREATE TRIGGER sessions_count_new_write AFTER INSERT ON writes WHEN NEW.stage = 'written' BEGIN
    UPDATE sessions SET
        lines_added = lines_added + coalesce(NEW.lines_added, 0),
        lines_removed = lines_removed + coalesce(NEW.lines_removed, 0)
    WHERE session_id = (SELECT session_id FROM turns WHERE request_id = NEW.request_id);
END;

CREATE TRIGGER sessions_count_write AFTER UPDATE OF stage, lines_added, lines_removed ON writes
WHEN OLD.stage = 'written' OR NEW.stage = 'written' BEGIN
    UPDATE sessions SET
        lines_added = lines_added + iif(NEW.stage = 'written', coalesce(NEW.lines_added, 0), 0)
            - iif(OLD.stage = 'written', coalesce(OLD.lines_added, 0), 0),
        lines_removed = lines_removed + iif(NEW.stage = 'written', coalesce(NEW.lines_removed, 0), 0)
            - iif(OLD.stage = 'written', coalesce(OLD.lines_removed, 0), 0)
    WHERE session_id = (SELECT session_id FROM turns WHERE request_id = NEW.request_id);
END;

PRAGMA user_version = 105;
