-- What the turns of a session have cost, and their tokens, by their reports. Kept here so that no list has to read them. A turn that an Orion
-- ends which does not know these columns is not counted among the priced ones, so the cost is then said to be a part.

-- Billionths of a US dollar, of the turns whose cost is known.
ALTER TABLE sessions ADD COLUMN cost INTEGER NOT NULL DEFAULT 0;
-- How many turns these are.
ALTER TABLE sessions ADD COLUMN priced INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN prompt_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN completion_tokens INTEGER NOT NULL DEFAULT 0;

-- The last event of a turn that is over has its report.
UPDATE sessions SET cost = spent.cost, priced = spent.priced,
    prompt_tokens = spent.prompt_tokens, completion_tokens = spent.completion_tokens
FROM (
    SELECT session_id,
        coalesce(sum(min(max(CAST(round(json_extract(body, '$.event.report.costUsd') * 1e9) AS INTEGER), 0), 1000000000000000)), 0) AS cost,
        count(json_extract(body, '$.event.report.costUsd')) AS priced,
        coalesce(sum(CAST(json_extract(body, '$.event.report.usage.promptTokens') AS INTEGER)), 0) AS prompt_tokens,
        coalesce(sum(CAST(json_extract(body, '$.event.report.usage.completionTokens') AS INTEGER)), 0) AS completion_tokens
    FROM turns JOIN journal USING (request_id)
    WHERE state = 'over' AND json_valid(body)
        AND n = (SELECT max(n) FROM journal AS last WHERE last.request_id = turns.request_id AND kind = 'event')
    GROUP BY session_id
) AS spent
WHERE spent.session_id = sessions.session_id;

PRAGMA user_version = 10;
