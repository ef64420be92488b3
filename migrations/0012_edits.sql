-- What a person took out of the conversation of a session, or pinned, for their next message: JSON of the engine's. Null where there is nothing.
-- The turn that takes it clears it.
ALTER TABLE sessions ADD COLUMN edits TEXT;

PRAGMA user_version = 12;
