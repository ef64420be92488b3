-- Every text and every title is entered into the index of words in a step of its own, not only a long text (0067): a turn waits for none of its
-- words. What of a text is to be found, and an id that comes again, is looked at then.
DROP TRIGGER search_takes_text;
DROP TRIGGER search_takes_long_text;
CREATE TRIGGER search_takes_text AFTER INSERT ON turn_texts WHEN NEW.kind = 'said' BEGIN
    INSERT OR IGNORE INTO search_to_take (id) VALUES (NEW.id);
END;

-- Sessions whose title is to be entered, or entered anew.
CREATE TABLE search_titles_to_take (
    session_id TEXT PRIMARY KEY REFERENCES sessions ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

DROP TRIGGER search_takes_first_title;
CREATE TRIGGER search_takes_first_title AFTER INSERT ON sessions WHEN NEW.title <> '' BEGIN
    INSERT OR IGNORE INTO search_titles_to_take (session_id) VALUES (NEW.session_id);
END;

DROP TRIGGER search_takes_title;
CREATE TRIGGER search_takes_title AFTER UPDATE OF title ON sessions WHEN NEW.title <> OLD.title BEGIN
    INSERT OR IGNORE INTO search_titles_to_take (session_id) VALUES (NEW.session_id);
END;

PRAGMA user_version = 28;
