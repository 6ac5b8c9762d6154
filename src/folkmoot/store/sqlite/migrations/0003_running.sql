-- What running agents needs: pauses and meters, which fold from the log; and what agents print, which stands beside it.

ALTER TABLE board ADD COLUMN pauses INTEGER NOT NULL DEFAULT 0;

CREATE TABLE pauses (
    id TEXT PRIMARY KEY NOT NULL,
    doc TEXT NOT NULL
) STRICT;

CREATE TABLE meters (
    id TEXT PRIMARY KEY NOT NULL,
    doc TEXT NOT NULL
) STRICT;

-- Parts are numbered by whoever writes them, so that a later, better one can take the place of an earlier.
CREATE TABLE output (
    run TEXT NOT NULL,
    part INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run, part)
) STRICT, WITHOUT ROWID;
