-- SQLite makes a table for a list of three names each time it asks whether a row is in it. An item that is moved was asked
-- six times, twice for each of these indexes, and that was a ninth of all that a claim and its report do. Compared one by
-- one, the same names need none. A statement must ask in the same words, or it cannot use the index.
DROP INDEX items_open;
DROP INDEX items_ended;
DROP INDEX items_ended_in;

CREATE INDEX items_open ON items (number) WHERE status <> 'done' AND status <> 'failed' AND status <> 'cancelled';
CREATE INDEX items_ended ON items (since, number) WHERE status = 'done' OR status = 'failed' OR status = 'cancelled';
CREATE INDEX items_ended_in ON items ("column", own, status)
    WHERE status = 'done' OR status = 'failed' OR status = 'cancelled';
