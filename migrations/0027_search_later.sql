-- Long texts that the index of words does not have yet (0063). Entering one costs time and memory for each of its words, which its turn does not wait for.
CREATE TABLE search_to_take (
    id INTEGER PRIMARY KEY
) STRICT;

DROP TRIGGER search_takes_text;
CREATE TRIGGER search_takes_text AFTER INSERT ON turn_texts WHEN NEW.kind = 'said' AND NEW.bytes <= 8192 BEGIN
    -- An id comes again when the last text was deleted.
    DELETE FROM search WHERE rowid IN (SELECT id FROM search_to_drop WHERE id = NEW.id);
    DELETE FROM search_to_drop WHERE id = NEW.id;
    INSERT INTO search (rowid, text, role) SELECT id, text, role FROM said_texts WHERE id = NEW.id;
END;

CREATE TRIGGER search_takes_long_text AFTER INSERT ON turn_texts WHEN NEW.kind = 'said' AND NEW.bytes > 8192 BEGIN
    DELETE FROM search WHERE rowid IN (SELECT id FROM search_to_drop WHERE id = NEW.id);
    DELETE FROM search_to_drop WHERE id = NEW.id;
    INSERT INTO search_to_take (id) VALUES (NEW.id);
END;

DROP TRIGGER search_drops_text;
CREATE TRIGGER search_drops_text AFTER DELETE ON turn_texts WHEN OLD.kind = 'said' BEGIN
    DELETE FROM search_to_take WHERE id = OLD.id;
    INSERT OR IGNORE INTO search_to_drop (id) VALUES (OLD.id);
END;

PRAGMA user_version = 27;
