-- The span of another program that a turn was begun from, as W3C Trace Context writes it; null where there is none.
ALTER TABLE turns ADD COLUMN trace_parent TEXT;

PRAGMA user_version = 20;
