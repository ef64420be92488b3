-- What a person took out of a session (X6): for the session, so that it holds in each of its branches (T9). JSON of the engine's.
CREATE TABLE taken_out (
    session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    what       TEXT NOT NULL,
    PRIMARY KEY (session_id, what)
) STRICT;

-- Up to now each turn had it from its parent: in what it was set up with, and in `turns.withheld`, which nothing reads any more.
INSERT OR IGNORE INTO taken_out (session_id, what)
SELECT turns.session_id, json_object('edit', json(edit.value))
FROM turns JOIN journal USING (request_id), json_each(journal.body, '$.setup.edits') AS edit
WHERE journal.kind = 'input' AND journal.n = (SELECT min(n) FROM journal AS first WHERE first.request_id = turns.request_id AND first.kind = 'input')
    AND json_extract(edit.value, '$.type') IN ('empty_box', 'remove_turn');

INSERT OR IGNORE INTO taken_out (session_id, what)
SELECT turns.session_id, json_object('result', json(result.value))
FROM turns JOIN journal USING (request_id), json_each(journal.body, '$.setup.withheld') AS result
WHERE journal.kind = 'input' AND journal.n = (SELECT min(n) FROM journal AS first WHERE first.request_id = turns.request_id AND first.kind = 'input');

INSERT OR IGNORE INTO taken_out (session_id, what)
SELECT turns.session_id, json_object('result', json(result.value))
FROM turns, json_each(turns.withheld) AS result
WHERE turns.withheld IS NOT NULL;

PRAGMA user_version = 16;
