-- Every text is entered into the index of words in a step of its own, not only a long one (0063): its turn waits for none of its words. What of it is
-- to be found, and an id that comes again, is looked at then.
DROP TRIGGER search_takes_text;
DROP TRIGGER search_takes_long_text;
CREATE TRIGGER search_takes_text AFTER INSERT ON turn_texts WHEN NEW.kind = 'said' BEGIN
    INSERT OR IGNORE INTO search_to_take (id) VALUES (NEW.id);
END;

PRAGMA user_version = 28;
