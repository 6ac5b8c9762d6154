-- A screen asks again and again how the board stands. Most items have ended long ago: it reads the open ones, the newest of
-- the others, and how many there are of them in each column, and no document beside those.

-- Since when the item stands as it does: wall clock, milliseconds.
ALTER TABLE items ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
-- Whether it is on the board in its own right, and not made to help another.
ALTER TABLE items ADD COLUMN own INTEGER NOT NULL DEFAULT 1;

UPDATE items SET
    since = iif(json_valid(doc), ifnull(CAST(doc ->> '$.updated_at' AS INTEGER), 0), 0),
    own = iif(json_valid(doc), ifnull(doc ->> '$.kind', 'item') IN ('item', 'task'), 1);

CREATE INDEX items_open ON items (number) WHERE status NOT IN ('done', 'failed', 'cancelled');
CREATE INDEX items_ended ON items (since, number) WHERE status IN ('done', 'failed', 'cancelled');
CREATE INDEX items_ended_in ON items ("column", own, status) WHERE status IN ('done', 'failed', 'cancelled');

-- When a part of what a run printed was kept: wall clock, milliseconds; 0: on an older board.
ALTER TABLE output ADD COLUMN at INTEGER NOT NULL DEFAULT 0;
