-- What a person took out of a session up to the end of the turn, where they edited or dropped results in it: JSON of the engine's. Null where
-- they did not.
ALTER TABLE turns ADD COLUMN withheld TEXT;

PRAGMA user_version = 14;
