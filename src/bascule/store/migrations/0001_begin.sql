-- Times are UTC ms. Json columns hold what the events and commands of that name say.

CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE sessions (
    id             TEXT PRIMARY KEY,     -- ours
    cli_session_id TEXT,                 -- the CLI's, which may change
    last_uuid      TEXT,                 -- the last message that holds: where a resume can go on
    cwd            TEXT NOT NULL,
    title          TEXT NOT NULL DEFAULT '',
    status         TEXT NOT NULL,
    policy         TEXT NOT NULL,
    mode           TEXT,
    model          TEXT,
    project        TEXT,
    branch         TEXT,
    spec           TEXT NOT NULL,        -- json: what it is started with, each time
    keeper         TEXT,                 -- json: the process that owns the CLI, while there is one
    exit           TEXT,                 -- json: how the last process ended
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    archived_at    INTEGER
) WITHOUT ROWID;
CREATE INDEX sessions_by_cli ON sessions (cli_session_id) WHERE cli_session_id IS NOT NULL;
CREATE INDEX sessions_by_time ON sessions (updated_at);

CREATE TABLE lines (                     -- how far each recording was read
    session TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    line    INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE events (
    position INTEGER PRIMARY KEY AUTOINCREMENT,   -- over all sessions
    session  TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq      INTEGER NOT NULL,
    line     INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    turn     INTEGER NOT NULL,
    type     TEXT NOT NULL,
    body     TEXT NOT NULL,                       -- json
    UNIQUE (session, seq)
);

CREATE TABLE prompts (                   -- who said what
    session   TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    prompt_id TEXT NOT NULL,
    by        TEXT,
    surface   TEXT,
    PRIMARY KEY (session, prompt_id)
) WITHOUT ROWID;

CREATE TABLE asks (
    session    TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    pending_id TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('open', 'claimed', 'settled')),
    request    TEXT NOT NULL,            -- json: permission_request
    opened_at  INTEGER NOT NULL,
    command_id TEXT,                     -- of the claim
    decision   TEXT,                     -- json
    by         TEXT,
    surface    TEXT,
    claimed_at INTEGER,
    settled_at INTEGER,
    outcome    TEXT,                     -- as permission_resolved and permission_cancelled say
    PRIMARY KEY (session, pending_id)
) WITHOUT ROWID;
CREATE INDEX asks_waiting ON asks (opened_at) WHERE state != 'settled';

CREATE TABLE ask_steps (
    id         INTEGER PRIMARY KEY,
    session    TEXT NOT NULL,
    pending_id TEXT NOT NULL,
    at         INTEGER NOT NULL,
    step       TEXT NOT NULL,            -- opened, claimed, undone, resolved, cancelled
    by         TEXT,
    surface    TEXT,
    detail     TEXT,
    FOREIGN KEY (session, pending_id) REFERENCES asks (session, pending_id) ON DELETE CASCADE
);
CREATE INDEX ask_steps_of ON ask_steps (session, pending_id);

CREATE TABLE turns (
    session     TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    turn        INTEGER NOT NULL,
    started_at  INTEGER NOT NULL,
    ended_at    INTEGER,
    cause       TEXT,
    outcome     TEXT,
    cost_usd    REAL,
    by          TEXT,                    -- who said its first prompt
    surface     TEXT,
    complete    TEXT,                    -- json: complete
    PRIMARY KEY (session, turn)
) WITHOUT ROWID;
CREATE INDEX turns_by_time ON turns (ended_at);

CREATE TABLE queue (
    id         INTEGER PRIMARY KEY,
    session    TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    rank       REAL NOT NULL,            -- the order; a prompt is put between two others by a rank between theirs
    client_id  TEXT NOT NULL,
    text       TEXT NOT NULL,
    body       TEXT NOT NULL,            -- json: the prompt command
    by         TEXT,
    surface    TEXT,
    created_at INTEGER NOT NULL,
    UNIQUE (session, client_id)
);
CREATE INDEX queue_in_order ON queue (session, rank);

CREATE TABLE grants (                    -- of sessions; what outlives them stands in grants.json
    session  TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    grant_id TEXT NOT NULL,
    rules    TEXT NOT NULL,              -- json
    scope    TEXT NOT NULL,
    cause    TEXT NOT NULL,
    by       TEXT,
    surface  TEXT,
    given_at INTEGER NOT NULL,
    until    INTEGER,
    ended_at INTEGER,
    "end"    TEXT,
    covered  INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (session, grant_id)
) WITHOUT ROWID;

CREATE TABLE schedules (
    id         TEXT PRIMARY KEY,
    body       TEXT NOT NULL,            -- json
    next_at    INTEGER,
    paused     INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX schedules_next ON schedules (next_at) WHERE paused = 0 AND next_at IS NOT NULL;

CREATE TABLE tokens (
    id         TEXT PRIMARY KEY,
    hash       TEXT NOT NULL UNIQUE,     -- sha256 of the secret, which is nowhere
    role       TEXT NOT NULL CHECK (role IN ('viewer', 'approver', 'owner')),
    label      TEXT NOT NULL DEFAULT '',
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    used_at    INTEGER,
    revoked_at INTEGER
) WITHOUT ROWID;

CREATE TABLE audit (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    at      INTEGER NOT NULL,
    who     TEXT,
    surface TEXT,
    what    TEXT NOT NULL,
    session TEXT,
    detail  TEXT
);
CREATE INDEX audit_by_time ON audit (at);

CREATE TABLE checkpoints (
    session TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    line    INTEGER NOT NULL,
    made_by TEXT NOT NULL,               -- the version that can read it
    body    BLOB NOT NULL
) WITHOUT ROWID;

CREATE TABLE projects (
    name       TEXT PRIMARY KEY,
    path       TEXT NOT NULL,
    body       TEXT NOT NULL,            -- json
    created_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE receipts (                  -- a command that comes twice is answered as it was the first time
    command_id TEXT PRIMARY KEY,
    at         INTEGER NOT NULL,
    receipt    TEXT NOT NULL             -- json
) WITHOUT ROWID;

CREATE VIRTUAL TABLE words USING fts5 (text, session UNINDEXED, seq UNINDEXED, at UNINDEXED, kind UNINDEXED);
