-- Each row is a document (JSON text in `doc`) beside the few columns that statements filter and sort on. The documents are
-- text and not jsonb: the bytes that were written are those that are read, on every store.
-- `place` is the order in which rows were first written. Text is compared by its bytes, whatever the database's own order.
-- There are no triggers: what a column holds is written by the one function that writes the row.

-- One row that every commit writes: room is left on its page for its next versions.
CREATE TABLE board (
    id integer PRIMARY KEY CHECK (id = 1),
    seq bigint NOT NULL,
    chain bytea NOT NULL,
    time double precision NOT NULL,
    boot text NOT NULL,
    "offset" double precision NOT NULL,
    flow_version bigint NOT NULL,
    items bigint NOT NULL,
    comments bigint NOT NULL,
    questions bigint NOT NULL,
    open_questions bigint NOT NULL,
    messages bigint NOT NULL,
    lessons bigint NOT NULL,
    filed bigint NOT NULL,
    held bigint NOT NULL,
    pauses bigint NOT NULL
) WITH (fillfactor = 10);

INSERT INTO board VALUES (1, 0, '', 0, '', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

CREATE TABLE items (
    number bigint PRIMARY KEY,
    "column" text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL,
    queue text COLLATE "C", -- the agent that may claim it now
    priority bigint NOT NULL,
    rank bigint NOT NULL, -- the longer the chain that waits for it, the smaller
    wake_at double precision NOT NULL,
    ready_at double precision NOT NULL,
    generation bigint NOT NULL,
    filed integer NOT NULL, -- whether the item declares files
    since bigint NOT NULL, -- since when it stands as it does: wall clock, milliseconds
    own integer NOT NULL, -- whether it is on the board in its own right, and not made to help another
    bar text COLLATE "C", -- what keeps it from being taken, where a claim has found that out; no part of the fold
    doc text NOT NULL
);

CREATE INDEX items_next ON items (queue, priority, rank, number) WHERE queue IS NOT NULL AND bar IS NULL;
CREATE INDEX items_starved ON items (queue, ready_at, number) WHERE queue IS NOT NULL AND bar IS NULL;
CREATE INDEX items_asleep ON items (queue, wake_at) WHERE queue IS NOT NULL AND wake_at > 0;
CREATE INDEX items_column ON items ("column", number, status);
CREATE INDEX items_filed ON items (ready_at, number) WHERE queue IS NOT NULL AND filed = 1;
CREATE INDEX items_barred ON items (queue, bar, priority, rank, number) WHERE bar IS NOT NULL;
CREATE INDEX items_barred_starved ON items (queue, bar, ready_at, number) WHERE bar IS NOT NULL;
CREATE INDEX items_open ON items (number) WHERE status NOT IN ('done', 'failed', 'cancelled');
CREATE INDEX items_ended ON items (since, number) WHERE status IN ('done', 'failed', 'cancelled');
CREATE INDEX items_ended_in ON items ("column", own) WHERE status IN ('done', 'failed', 'cancelled');

-- What an item waits for. `why` keeps the sources apart: an item may name its own child in `after`.
CREATE TABLE edges (
    item bigint NOT NULL,
    needs bigint NOT NULL,
    why text COLLATE "C" NOT NULL CHECK (why IN ('after', 'child', 'whole')),
    PRIMARY KEY (item, needs, why)
);

CREATE INDEX edges_needs ON edges (needs, item, why);

CREATE TABLE runs (
    id text COLLATE "C" PRIMARY KEY,
    place bigint GENERATED ALWAYS AS IDENTITY,
    item bigint NOT NULL,
    token bigint NOT NULL,
    lease_until double precision NOT NULL,
    ended_at bigint,
    doc text NOT NULL
);

CREATE UNIQUE INDEX runs_place ON runs (place);
-- A token is given once per item.
CREATE UNIQUE INDEX runs_token ON runs (item, token);
-- An item has at most one open run: a double claim cannot be written, whatever the code above does.
CREATE UNIQUE INDEX runs_open ON runs (item) WHERE ended_at IS NULL;
CREATE INDEX runs_lease ON runs (lease_until, item) WHERE ended_at IS NULL;
CREATE INDEX runs_ended ON runs (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE attempts (
    item bigint NOT NULL,
    number bigint NOT NULL,
    doc text NOT NULL,
    PRIMARY KEY (item, number)
);

CREATE TABLE comments (
    id text COLLATE "C" PRIMARY KEY,
    place bigint GENERATED ALWAYS AS IDENTITY,
    item bigint NOT NULL,
    doc text NOT NULL
);

CREATE UNIQUE INDEX comments_place ON comments (place);
CREATE INDEX comments_item ON comments (item, place);

CREATE TABLE questions (
    id text COLLATE "C" PRIMARY KEY,
    place bigint GENERATED ALWAYS AS IDENTITY,
    item bigint NOT NULL,
    state text COLLATE "C" NOT NULL,
    deadline double precision,
    doc text NOT NULL
);

CREATE UNIQUE INDEX questions_place ON questions (place);
CREATE INDEX questions_item ON questions (item, place);
CREATE INDEX questions_open ON questions (place) WHERE state = 'open';
CREATE INDEX questions_deadline ON questions (deadline, item, id) WHERE state = 'open' AND deadline IS NOT NULL;

CREATE TABLE flows (
    version bigint PRIMARY KEY,
    doc text NOT NULL
);

CREATE TABLE clock (
    id text COLLATE "C" PRIMARY KEY,
    doc text NOT NULL
);

-- The log. `chain` is a hash over all columns of this event and the chain of the one before it.
CREATE TABLE events (
    seq bigint PRIMARY KEY,
    at bigint NOT NULL,
    time double precision NOT NULL,
    name text NOT NULL,
    item bigint,
    run text,
    agent text,
    version bigint NOT NULL,
    body text NOT NULL,
    chain bytea NOT NULL
);

CREATE UNIQUE INDEX events_version ON events (item, version) WHERE item IS NOT NULL;

CREATE TABLE keys (
    speaker text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    digest bytea NOT NULL,
    answer bytea NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (speaker, key)
);

CREATE TABLE messages (
    number bigint PRIMARY KEY, -- counted from one in the order written: the cursor of those who follow them
    id text COLLATE "C" NOT NULL UNIQUE,
    item bigint,
    "to" text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL,
    doc text NOT NULL
);

CREATE INDEX messages_item ON messages (item, number) WHERE item IS NOT NULL;
CREATE INDEX messages_to ON messages ("to", number, status);
CREATE INDEX messages_loose ON messages (number, "to") WHERE item IS NULL AND status IN ('pending', 'accepted');

CREATE TABLE holds (
    id text COLLATE "C" PRIMARY KEY,
    place bigint GENERATED ALWAYS AS IDENTITY,
    held integer NOT NULL,
    until double precision,
    doc text NOT NULL
);

CREATE INDEX holds_until ON holds (until) WHERE held = 1;

CREATE TABLE lessons (
    id text COLLATE "C" PRIMARY KEY,
    place bigint GENERATED ALWAYS AS IDENTITY,
    doc text NOT NULL
);

CREATE UNIQUE INDEX lessons_place ON lessons (place);

CREATE TABLE pauses (
    id text COLLATE "C" PRIMARY KEY,
    doc text NOT NULL
);

CREATE TABLE meters (
    id text COLLATE "C" PRIMARY KEY,
    doc text NOT NULL
);

-- What agents print, beside the log. A later, better part takes the place of an earlier one.
CREATE TABLE output (
    run text COLLATE "C" NOT NULL,
    part bigint NOT NULL,
    text text NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (run, part)
);
