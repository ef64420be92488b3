-- Everything that Orion keeps. Landed migrations are never edited: add another file. Times are milliseconds since the Unix epoch; ids are UUIDs in
-- their text form. `PRAGMA user_version` is the number of the newest migration, so that a start can see in one read that nothing is left to do.
-- Numbers up to 28 belong to databases of before the first version, which are set aside (0078).

CREATE TABLE projects (
    project_id   TEXT PRIMARY KEY NOT NULL,
    path         TEXT NOT NULL UNIQUE,
    name         TEXT NOT NULL,
    opened_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
    session_id        TEXT PRIMARY KEY NOT NULL,
    project_id        TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    -- Empty until the first message or a person names it.
    title             TEXT NOT NULL,
    created_at_ms     INTEGER NOT NULL,
    updated_at_ms     INTEGER NOT NULL,
    -- Turns begun; kept here so that no list has to count.
    turns             INTEGER NOT NULL DEFAULT 0,
    -- What its turns have cost by their reports, in billionths of a US dollar, and of how many turns that is known.
    cost              INTEGER NOT NULL DEFAULT 0,
    priced            INTEGER NOT NULL DEFAULT 0,
    prompt_tokens     INTEGER NOT NULL DEFAULT 0,
    completion_tokens INTEGER NOT NULL DEFAULT 0,
    -- What a person took out of the conversation, or pinned, for their next message: JSON of the engine's. Null where there is nothing. The turn that
    -- takes it clears it.
    edits             TEXT,
    -- Neither leaves with an export.
    pinned            INTEGER NOT NULL DEFAULT 0,
    archived          INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_newest ON sessions (updated_at_ms DESC);
CREATE INDEX sessions_of_project ON sessions (project_id, updated_at_ms DESC);
-- Lists have these beside their pages, however old they are.
CREATE INDEX sessions_apart ON sessions (updated_at_ms DESC) WHERE pinned + archived > 0;

-- A session is a tree of turns (T9). Its path leads from its first turn to its tip, the turn that the next message follows.
CREATE TABLE turns (
    request_id        TEXT PRIMARY KEY NOT NULL,
    session_id        TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    project_id        TEXT NOT NULL,
    -- From 1, in the order they began.
    ordinal           INTEGER NOT NULL,
    state             TEXT NOT NULL CHECK (state IN ('running', 'interrupted', 'over')),
    -- The running process that began it: the name of a lock file in `running/` beside the database.
    owner             TEXT NOT NULL,
    started_at_ms     INTEGER NOT NULL,
    -- 1 while it waits for a person: it needs no process to wait, and none that ends interrupts it.
    waits             INTEGER NOT NULL DEFAULT 0,
    -- The turn before it; null for the first of a session. It may be of another session, which may be deleted: hence no reference.
    parent_request_id TEXT,
    -- How many tokens the model's last request had, and how many bytes: JSON of the engine's. Null where nobody said.
    gauge             TEXT,
    -- From 1 on the path, so that a page of it is read from an index; null beside it.
    place             INTEGER,
    -- The span of another program that it was begun from, as W3C Trace Context writes it; null where there is none.
    trace_parent      TEXT,
    UNIQUE (session_id, ordinal)
) STRICT, WITHOUT ROWID;

-- A session has one running turn at most, whichever process runs it.
CREATE UNIQUE INDEX turns_running ON turns (session_id) WHERE state = 'running';
CREATE INDEX turns_of_path ON turns (session_id, place);
CREATE INDEX turns_of_parent ON turns (session_id, parent_request_id);

-- The truth about a turn, append-only: what came into the machine and what it said, in the order it happened.
CREATE TABLE journal (
    request_id TEXT NOT NULL REFERENCES turns ON DELETE CASCADE,
    -- From 1, in the order of the record.
    n          INTEGER NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('input', 'event')),
    -- An event's seq; a chunk has that of the last durable event (E1).
    seq        INTEGER,
    at_ms      INTEGER NOT NULL,
    -- JSON as it was written; a type unknown to a reader stays as it is (E3).
    body       TEXT NOT NULL,
    PRIMARY KEY (request_id, n)
) STRICT, WITHOUT ROWID;

-- Bodies live once, by digest.
CREATE TABLE blobs (
    sha256 TEXT PRIMARY KEY NOT NULL,
    bytes  INTEGER NOT NULL,
    body   BLOB NOT NULL
) STRICT;

-- What follows the first MiB of a body, which is in `blobs` itself, in parts of a MiB: SQLite and what speaks to it hold a value several times while it
-- is bound, entered and read.
CREATE TABLE blob_parts (
    sha256 TEXT NOT NULL REFERENCES blobs ON DELETE CASCADE,
    -- From 1.
    part   INTEGER NOT NULL,
    body   BLOB NOT NULL,
    PRIMARY KEY (sha256, part)
) STRICT;

CREATE TABLE outcomes (
    request_id    TEXT NOT NULL REFERENCES turns ON DELETE CASCADE,
    tool_batch_id INTEGER NOT NULL,
    tool_call_id  TEXT NOT NULL,
    name          TEXT NOT NULL,
    arguments     TEXT NOT NULL,
    permission    TEXT NOT NULL,
    -- Null while the tool runs.
    status        TEXT,
    sha256        TEXT REFERENCES blobs,
    -- The row's `n` in its turn that says how the call ended, so that a look at one call reads that row and no other; null until it has.
    ended_n       INTEGER,
    PRIMARY KEY (request_id, tool_batch_id, tool_call_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX outcomes_of_blob ON outcomes (sha256) WHERE sha256 IS NOT NULL;

-- Going back to an earlier message (A10). What a rewind does is recorded file by file before the disk is touched, so that one that broke off is completed,
-- and one that is over can be undone.
CREATE TABLE rewinds (
    -- Grows with each rewind.
    rewind_id    INTEGER PRIMARY KEY,
    session_id   TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    -- The turn whose message it went back to.
    request_id   TEXT NOT NULL REFERENCES turns ON DELETE CASCADE,
    at_ms        INTEGER NOT NULL,
    -- 1 where the conversation went back as well; and the tip that it left.
    conversation INTEGER NOT NULL,
    left_tip     TEXT,
    -- Turns that the session had.
    turns        INTEGER NOT NULL,
    stage        TEXT NOT NULL CHECK (stage IN ('going', 'done', 'undoing', 'undone')),
    -- The process at work: the name of a lock file in `running/` beside the database.
    owner        TEXT NOT NULL
) STRICT;

CREATE INDEX rewinds_of_session ON rewinds (session_id, rewind_id);
CREATE INDEX rewinds_of_turn ON rewinds (request_id);
-- One at a time.
CREATE UNIQUE INDEX rewinds_under_way ON rewinds (session_id) WHERE stage IN ('going', 'undoing');

CREATE TABLE rewound_files (
    rewind_id   INTEGER NOT NULL REFERENCES rewinds ON DELETE CASCADE,
    -- From 1.
    number      INTEGER NOT NULL,
    -- That of the rewind.
    request_id  TEXT NOT NULL REFERENCES turns ON DELETE CASCADE,
    -- Of the project; no link is on the way.
    path        TEXT NOT NULL,
    -- The file before the rewind and after it; null where there is none.
    from_sha256 TEXT REFERENCES blobs,
    to_sha256   TEXT REFERENCES blobs,
    -- kept: the file stays as it was found. changing and returning: on its way to the disk.
    stage       TEXT NOT NULL CHECK (stage IN ('planned', 'changing', 'changed', 'kept', 'returning', 'returned')),
    -- Why the file was kept, or was not given back: JSON.
    error       TEXT,
    PRIMARY KEY (rewind_id, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX rewound_files_of_turn ON rewound_files (request_id);
CREATE INDEX rewound_files_before ON rewound_files (from_sha256) WHERE from_sha256 IS NOT NULL;
CREATE INDEX rewound_files_after ON rewound_files (to_sha256) WHERE to_sha256 IS NOT NULL;

-- Write sessions: what each proposed, and how far it came. The bytes are among the blobs, so that a preview survives its process and a write can be
-- undone.
CREATE TABLE writes (
    request_id     TEXT NOT NULL REFERENCES turns ON DELETE CASCADE,
    -- The session's number in its turn, from 1.
    number         INTEGER NOT NULL,
    -- Of the project.
    path           TEXT NOT NULL,
    operation      TEXT NOT NULL,
    -- The file as it was when the proposal was made; null when there was none.
    base_sha256    TEXT REFERENCES blobs,
    -- The file as it is proposed, and once it is approved, as it is to be.
    sha256         TEXT NOT NULL REFERENCES blobs,
    -- What the proposal was made from.
    content_sha256 TEXT NOT NULL REFERENCES blobs,
    -- writing: approved, on its way to the disk; over: nothing was written; undoing: on its way back, which is known before the disk is touched.
    stage          TEXT NOT NULL CHECK (stage IN ('proposed', 'writing', 'written', 'over', 'undoing', 'undone')),
    -- The running process that undoes it: the name of a lock file in `running/` beside the database.
    undoer         TEXT,
    -- A file of the project that a recovery put what somebody else wrote into, until the person has heard of it.
    kept           TEXT,
    -- Where the path led when the write was proposed, if that was elsewhere.
    leads_to       TEXT,
    -- The rewind that undoes the write, and its file.
    rewind_id      INTEGER,
    rewound_file   INTEGER,
    PRIMARY KEY (request_id, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX writes_on_their_way ON writes (stage) WHERE stage IN ('writing', 'undoing');
CREATE INDEX writes_of_base ON writes (base_sha256) WHERE base_sha256 IS NOT NULL;
CREATE INDEX writes_of_file ON writes (sha256);
CREATE INDEX writes_of_content ON writes (content_sha256);
CREATE INDEX writes_of_rewind ON writes (rewind_id, rewound_file) WHERE rewind_id IS NOT NULL;

-- Bodies that were stored ahead of the record that is to refer to them. The row goes when that record comes, or with the turn.
CREATE TABLE kept_bodies (
    request_id TEXT NOT NULL REFERENCES turns ON DELETE CASCADE,
    sha256     TEXT NOT NULL REFERENCES blobs,
    PRIMARY KEY (request_id, sha256)
) STRICT, WITHOUT ROWID;

CREATE INDEX kept_bodies_of_blob ON kept_bodies (sha256);

-- A journal is pinned (T8): what a turn was given and what was said in it is among the bodies, by digest.
CREATE TABLE turn_texts (
    -- Grows with each row: what a turn was given of an earlier one is what had been entered by then.
    id         INTEGER PRIMARY KEY,
    request_id TEXT NOT NULL REFERENCES turns ON DELETE CASCADE,
    -- given: the system text, the tools, a part of the history that was cut.
    -- said: an item of the conversation, as JSON: the message of the person, the answer.
    kind       TEXT NOT NULL CHECK (kind IN ('given', 'said')),
    sha256     TEXT NOT NULL REFERENCES blobs,
    -- Its size, so that what fits is known without a look at the body.
    bytes      INTEGER NOT NULL
) STRICT;

CREATE INDEX turn_texts_of_turn ON turn_texts (request_id, kind, id);
CREATE INDEX turn_texts_of_blob ON turn_texts (sha256);

-- The context as a cut left it: it stands in the place of everything before the turn. Only turns that cut have one.
CREATE TABLE contexts (
    request_id TEXT PRIMARY KEY REFERENCES turns ON DELETE CASCADE,
    -- The last text of the turn when it was entered: a turn that was given earlier texts alone is not given this.
    entered    INTEGER NOT NULL,
    -- Items as a JSON list.
    sha256     TEXT NOT NULL REFERENCES blobs,
    bytes      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX contexts_of_blob ON contexts (sha256);

-- Contexts that a person undid or changed (X4). `contexts` has what is in force; what was in force before is kept here for the turns that were given it
-- (T8).
CREATE TABLE former_contexts (
    -- Grows with each row.
    id         INTEGER PRIMARY KEY,
    request_id TEXT NOT NULL REFERENCES turns ON DELETE CASCADE,
    -- Items as a JSON list.
    sha256     TEXT NOT NULL REFERENCES blobs
) STRICT;

CREATE INDEX former_contexts_of_turn ON former_contexts (request_id, id);
CREATE INDEX former_contexts_of_blob ON former_contexts (sha256);

-- What a person took out of a session (X6): for the session, so that it holds in each of its branches (T9). JSON of the engine's.
CREATE TABLE taken_out (
    session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    what       TEXT NOT NULL,
    PRIMARY KEY (session_id, what)
) STRICT;

-- Approvals that a person keeps (A1): a call that the pattern matches runs unasked where Orion would ask by default.
CREATE TABLE approvals (
    approval_id   TEXT PRIMARY KEY NOT NULL,
    project_id    TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    -- The session that it holds in; null where it holds in the whole project.
    session_id    TEXT REFERENCES sessions ON DELETE CASCADE,
    -- The turn that it was given in, which may be gone.
    request_id    TEXT NOT NULL,
    -- What the project's folder was on its disk: another folder at the same path is another one.
    folder        TEXT NOT NULL,
    tool          TEXT NOT NULL,
    -- A glob.
    pattern       TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    -- Null where no call has needed it.
    used_at_ms    INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX approvals_of_project ON approvals (project_id);
CREATE INDEX approvals_of_session ON approvals (session_id) WHERE session_id IS NOT NULL;

-- Messages that a person wrote while a turn ran, and that wait to be sent (A9). The transaction that begins a message's turn removes it.
CREATE TABLE queued (
    queued_id  TEXT PRIMARY KEY NOT NULL,
    session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    -- Grows along the queue of a session.
    place      INTEGER NOT NULL,
    body       TEXT NOT NULL,
    -- How its turn will run: JSON.
    options    TEXT NOT NULL,
    -- 1 where only a person lets it go on.
    held       INTEGER NOT NULL,
    -- The process that would send it: the name of a lock file in `running/` beside the database. Once that process has ended, the message is held.
    owner      TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX queued_of_session ON queued (session_id, place);

-- Sessions that were imported from a file. They are read-only.
CREATE TABLE imported (
    session_id   TEXT PRIMARY KEY NOT NULL REFERENCES sessions ON DELETE CASCADE,
    -- The project that it was exported from, with the folder that it was in there.
    project_id   TEXT NOT NULL,
    project_path TEXT NOT NULL,
    project_name TEXT NOT NULL,
    -- By so much the ids of its texts are larger than those that its journals name.
    base         INTEGER NOT NULL,
    -- The first line of the file: JSON of the engine's.
    header       TEXT NOT NULL,
    at_ms        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Lines of that file that have no place in the other tables, as they are in it: for a later export.
CREATE TABLE imported_lines (
    session_id TEXT NOT NULL REFERENCES imported ON DELETE CASCADE,
    n          INTEGER NOT NULL,
    -- The turn that the line belongs to.
    request_id TEXT,
    line       TEXT NOT NULL,
    PRIMARY KEY (session_id, n)
) STRICT, WITHOUT ROWID;

-- Sessions that were forked from a turn of another one (T9). Nothing here refers to a row of that session: it may be deleted.
CREATE TABLE forks (
    session_id        TEXT PRIMARY KEY NOT NULL REFERENCES sessions ON DELETE CASCADE,
    -- The turn, the phase from which the fork goes on, from 1, and the tool phases begun by then.
    forked_from       TEXT NOT NULL,
    phase             INTEGER NOT NULL,
    step              INTEGER NOT NULL,
    -- What stands in the place of the turns before the first one of this session: a JSON list, by digest. Null where there were none.
    sha256            TEXT,
    -- The turn that has a copy of the other turn's rows, and what it had cost by then, which the other session counts.
    request_id        TEXT,
    cost              INTEGER NOT NULL DEFAULT 0,
    prompt_tokens     INTEGER NOT NULL DEFAULT 0,
    completion_tokens INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX forks_of_body ON forks (sha256) WHERE sha256 IS NOT NULL;
CREATE INDEX forks_of_turn ON forks (request_id) WHERE request_id IS NOT NULL;

-- What came back in model calls, as it came (0046). No turn depends on it: it stands beside the journal, and leaves by its age and size.
CREATE TABLE raw_responses (
    -- Grows with each row, so the oldest are the first.
    id         INTEGER PRIMARY KEY,
    request_id TEXT NOT NULL REFERENCES turns ON DELETE CASCADE,
    -- The number of the model call in its turn, from 1.
    call       INTEGER NOT NULL,
    at_ms      INTEGER NOT NULL,
    -- The beginning and the end of what came, one after the other.
    sha256     TEXT NOT NULL REFERENCES blobs,
    bytes      INTEGER NOT NULL,
    -- Bytes of the beginning, and how many that are not kept followed it.
    start      INTEGER NOT NULL,
    left_out   INTEGER NOT NULL
) STRICT;

CREATE INDEX raw_responses_of_turn ON raw_responses (request_id, call);
CREATE INDEX raw_responses_of_blob ON raw_responses (sha256);

-- What a person was writing when Orion ended: the next message of a session, or the one that would begin a session of a project. It goes with its
-- message when that is sent, and with its session or project when those are deleted.
CREATE TABLE drafts (
    session_id TEXT UNIQUE REFERENCES sessions ON DELETE CASCADE,
    project_id TEXT UNIQUE REFERENCES projects ON DELETE CASCADE,
    body       TEXT NOT NULL,
    CHECK ((session_id IS NULL) <> (project_id IS NULL))
) STRICT;

-- Files that a person sends with a message and that are not of the project (0056): those of a message that is being written, and of one that waits to be
-- sent. A turn keeps its own among its texts.
CREATE TABLE attachments (
    id         INTEGER PRIMARY KEY,
    -- Where the message is written, as in `drafts`.
    session_id TEXT REFERENCES sessions ON DELETE CASCADE,
    project_id TEXT REFERENCES projects ON DELETE CASCADE,
    -- The message that waits and has it; null while it is written.
    queued_id  TEXT REFERENCES queued ON DELETE CASCADE,
    -- A text as it is, an image in base64.
    sha256     TEXT NOT NULL REFERENCES blobs,
    -- Its name, its size and what it is: JSON.
    file       TEXT NOT NULL,
    CHECK ((session_id IS NULL) <> (project_id IS NULL))
) STRICT;

CREATE INDEX attachments_of_session ON attachments (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX attachments_of_project ON attachments (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX attachments_of_queued ON attachments (queued_id) WHERE queued_id IS NOT NULL;
CREATE INDEX attachments_of_blob ON attachments (sha256);

-- What is left to do of a deletion. A row goes when its step is done.
CREATE TABLE leftovers (
    -- body: the digest of one that may have lost its last reference. log: an id whose lines are to go from the logs.
    -- pages: unused parts of pages may hold what was deleted. wal: so may the write-ahead log.
    kind TEXT NOT NULL CHECK (kind IN ('body', 'log', 'pages', 'wal')),
    name TEXT NOT NULL,
    PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;

-- Whatever a file leaves with, its body may have lost its last reference.
CREATE TRIGGER attachments_leave AFTER DELETE ON attachments BEGIN
    INSERT OR IGNORE INTO leftovers (kind, name) VALUES ('body', OLD.sha256), ('pages', hex(randomblob(8))), ('wal', hex(randomblob(8)));
END;

-- Everything that refers to a body, and the turn it belongs to. A new table that refers to one is added here. What a fork was given belongs to each of
-- its turns, and a file that no turn has yet to none.
CREATE VIEW body_references (sha256, request_id) AS
          SELECT sha256, request_id FROM outcomes WHERE sha256 IS NOT NULL
UNION ALL SELECT base_sha256, request_id FROM writes WHERE base_sha256 IS NOT NULL
UNION ALL SELECT sha256, request_id FROM writes
UNION ALL SELECT content_sha256, request_id FROM writes
UNION ALL SELECT sha256, request_id FROM kept_bodies
UNION ALL SELECT sha256, request_id FROM turn_texts
UNION ALL SELECT sha256, request_id FROM contexts
UNION ALL SELECT sha256, request_id FROM former_contexts
UNION ALL SELECT from_sha256, request_id FROM rewound_files WHERE from_sha256 IS NOT NULL
UNION ALL SELECT to_sha256, request_id FROM rewound_files WHERE to_sha256 IS NOT NULL
UNION ALL SELECT forks.sha256, turns.request_id FROM forks LEFT JOIN turns USING (session_id) WHERE forks.sha256 IS NOT NULL
UNION ALL SELECT sha256, request_id FROM raw_responses
-- A view is searched by an index only where the columns of its parts have one type.
UNION ALL SELECT sha256, CAST(NULL AS TEXT) FROM attachments;

-- What persons and models said in all sessions, and the titles, to be searched by words (0050). Each text and each title is entered in a step of its
-- own: a turn waits for none of its words (0067).
CREATE VIRTUAL TABLE search USING fts5 (text, role UNINDEXED, tokenize = "unicode61 remove_diacritics 2");

-- A deleted row leaves nothing in the index (0011). What FTS5 keeps of its words to find pages by is corrected by the store.
INSERT INTO search (search, rank) VALUES ('secure-delete', 1);

-- The words of the index in order, to correct those that pages are found by.
CREATE VIRTUAL TABLE search_words USING fts5vocab (search, row);

-- What is searched of the turns: messages of a person and answers. Results of tools and Orion's own words are not.
CREATE VIEW said_texts (id, role, text) AS
SELECT id, role, text FROM (
    SELECT id,
        CASE json_valid(item) WHEN 1 THEN item ->> '$.role' END AS role,
        CASE json_valid(item) WHEN 1 THEN item ->> '$.text' END AS text,
        CASE json_valid(item) WHEN 1 THEN item ->> '$.about.of' END AS about
    FROM (
        -- A large body is stored in parts. Their order is that of the inner statement: the clause in the aggregate itself would keep other programs with
        -- an older SQLite from opening the database.
        SELECT turn_texts.id, CAST(body AS TEXT) || coalesce(
            (SELECT group_concat(piece, '') FROM (
                SELECT CAST(blob_parts.body AS TEXT) AS piece FROM blob_parts WHERE blob_parts.sha256 = blobs.sha256 ORDER BY part)), '') AS item
        FROM turn_texts JOIN blobs USING (sha256)
        -- Whole files are not parsed for nothing.
        WHERE kind = 'said' AND CAST(substr(body, 1, 16) AS TEXT) NOT IN ('{"role":"system"', '{"role":"tool","')
    )
)
WHERE role IN ('user', 'assistant') AND about IS NULL AND typeof(text) = 'text' AND text <> '';

-- Texts that the index does not have yet, and those that are gone and are to leave it.
CREATE TABLE search_to_take (
    id INTEGER PRIMARY KEY
) STRICT;

CREATE TABLE search_to_drop (
    id INTEGER PRIMARY KEY
) STRICT;

CREATE TRIGGER search_takes_text AFTER INSERT ON turn_texts WHEN NEW.kind = 'said' BEGIN
    INSERT OR IGNORE INTO search_to_take (id) VALUES (NEW.id);
END;

CREATE TRIGGER search_drops_text AFTER DELETE ON turn_texts WHEN OLD.kind = 'said' BEGIN
    DELETE FROM search_to_take WHERE id = OLD.id;
    INSERT OR IGNORE INTO search_to_drop (id) VALUES (OLD.id);
END;

-- Titles have a negative rowid in the index; a text of a turn has its own id there.
CREATE TABLE searched_titles (
    id         INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL UNIQUE REFERENCES sessions ON DELETE CASCADE
) STRICT;

-- Sessions whose title is to be entered, or entered anew.
CREATE TABLE search_titles_to_take (
    session_id TEXT PRIMARY KEY REFERENCES sessions ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TRIGGER search_takes_first_title AFTER INSERT ON sessions WHEN NEW.title <> '' BEGIN
    INSERT OR IGNORE INTO search_titles_to_take (session_id) VALUES (NEW.session_id);
END;

CREATE TRIGGER search_takes_title AFTER UPDATE OF title ON sessions WHEN NEW.title <> OLD.title BEGIN
    INSERT OR IGNORE INTO search_titles_to_take (session_id) VALUES (NEW.session_id);
END;

CREATE TRIGGER search_enters_title AFTER INSERT ON searched_titles BEGIN
    INSERT INTO search (rowid, text, role) SELECT -NEW.id, title, 'title' FROM sessions WHERE session_id = NEW.session_id;
END;

CREATE TRIGGER search_drops_title AFTER DELETE ON searched_titles BEGIN
    DELETE FROM search WHERE rowid = -OLD.id;
END;

-- The oldest schema whose Orion may use this database: one row. A migration that takes something away, or gives something another meaning, sets its own
-- number here.
CREATE TABLE compatible (
    since INTEGER NOT NULL
) STRICT;

INSERT INTO compatible (since) VALUES (100);

PRAGMA user_version = 100;
