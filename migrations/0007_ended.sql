-- Which row of the journal says how a tool call ended, so that a look at one call reads that row and no other.

-- The row's `n` in its turn; null of calls from before, which are looked for, and of calls that have not ended.
ALTER TABLE outcomes ADD COLUMN ended_n INTEGER;

PRAGMA user_version = 7;
