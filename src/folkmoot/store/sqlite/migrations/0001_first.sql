-- Each row is a document (JSON text in `doc`) beside the few columns that statements filter and sort on.
-- There are no triggers: what a column holds is written by the one function that writes the row.

CREATE TABLE board (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    seq INTEGER NOT NULL,
    chain BLOB NOT NULL,
    time REAL NOT NULL,
    boot TEXT NOT NULL,
    "offset" REAL NOT NULL,
    flow_version INTEGER NOT NULL,
    items INTEGER NOT NULL,
    comments INTEGER NOT NULL,
    questions INTEGER NOT NULL,
    open_questions INTEGER NOT NULL
) STRICT;

INSERT INTO board VALUES (1, 0, x'', 0.0, '', 0.0, 0, 0, 0, 0, 0);

CREATE TABLE items (
    number INTEGER PRIMARY KEY,
    "column" TEXT NOT NULL,
    status TEXT NOT NULL,
    queue TEXT, -- the agent that may claim it now
    priority INTEGER NOT NULL,
    rank INTEGER NOT NULL, -- the longer the chain that waits for it, the smaller
    wake_at REAL NOT NULL,
    ready_at REAL NOT NULL,
    generation INTEGER NOT NULL,
    doc TEXT NOT NULL
) STRICT;

CREATE INDEX items_next ON items (queue, priority, rank, number) WHERE queue IS NOT NULL;
CREATE INDEX items_starved ON items (queue, ready_at, number) WHERE queue IS NOT NULL;
-- Few items sleep, so this stays small and is seldom written.
CREATE INDEX items_asleep ON items (queue, wake_at) WHERE queue IS NOT NULL AND wake_at > 0;
-- Lists a column in the order of numbers, and counts statuses without reading a document.
CREATE INDEX items_column ON items ("column", number, status);

-- What an item waits for. `why` keeps the two sources apart: an item may name its own child in `after`.
CREATE TABLE edges (
    item INTEGER NOT NULL,
    needs INTEGER NOT NULL,
    why TEXT NOT NULL CHECK (why IN ('after', 'child')),
    PRIMARY KEY (item, needs, why)
) STRICT, WITHOUT ROWID;

CREATE INDEX edges_needs ON edges (needs, item, why);

CREATE TABLE runs (
    id TEXT PRIMARY KEY NOT NULL,
    item INTEGER NOT NULL,
    token INTEGER NOT NULL,
    lease_until REAL NOT NULL,
    ended_at INTEGER,
    doc TEXT NOT NULL
) STRICT;

-- A token is given once per item.
CREATE UNIQUE INDEX runs_token ON runs (item, token);
-- An item has at most one open run: a double claim cannot be written, whatever the code above does.
CREATE UNIQUE INDEX runs_open ON runs (item) WHERE ended_at IS NULL;
CREATE INDEX runs_lease ON runs (lease_until, item) WHERE ended_at IS NULL;

CREATE TABLE attempts (
    item INTEGER NOT NULL,
    number INTEGER NOT NULL,
    doc TEXT NOT NULL,
    PRIMARY KEY (item, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE comments (
    id TEXT PRIMARY KEY NOT NULL,
    item INTEGER NOT NULL,
    doc TEXT NOT NULL
) STRICT;

CREATE INDEX comments_item ON comments (item);

CREATE TABLE questions (
    id TEXT PRIMARY KEY NOT NULL,
    item INTEGER NOT NULL,
    state TEXT NOT NULL,
    deadline REAL,
    doc TEXT NOT NULL
) STRICT;

CREATE INDEX questions_item ON questions (item);
CREATE INDEX questions_open ON questions (state) WHERE state = 'open';
CREATE INDEX questions_deadline ON questions (deadline, item, id) WHERE state = 'open' AND deadline IS NOT NULL;

CREATE TABLE flows (
    version INTEGER PRIMARY KEY,
    doc TEXT NOT NULL
) STRICT;

CREATE TABLE clock (
    id TEXT PRIMARY KEY NOT NULL,
    doc TEXT NOT NULL
) STRICT;

-- The log. `chain` is a hash over all columns of this event and the chain of the one before it.
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    time REAL NOT NULL,
    name TEXT NOT NULL,
    item INTEGER,
    run TEXT,
    agent TEXT,
    version INTEGER NOT NULL,
    body TEXT NOT NULL,
    chain BLOB NOT NULL
) STRICT;

CREATE UNIQUE INDEX events_version ON events (item, version) WHERE item IS NOT NULL;

CREATE TABLE keys (
    speaker TEXT NOT NULL,
    key TEXT NOT NULL,
    digest BLOB NOT NULL,
    answer BLOB NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (speaker, key)
) STRICT, WITHOUT ROWID;
