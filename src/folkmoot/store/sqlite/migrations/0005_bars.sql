-- What keeps a ready item from being taken, where a claim has found that out. It is no part of the fold: whoever writes the
-- item anew takes it off, and a claim looks again when it stands no more.

ALTER TABLE items ADD COLUMN bar TEXT;

-- Items that are kept out are in none of the indexes that a claim walks first, so that none of them hides another.
DROP INDEX items_next;
DROP INDEX items_starved;
CREATE INDEX items_next ON items (queue, priority, rank, number) WHERE queue IS NOT NULL AND bar IS NULL;
CREATE INDEX items_starved ON items (queue, ready_at, number) WHERE queue IS NOT NULL AND bar IS NULL;
-- By what keeps them out, in the same two orders.
CREATE INDEX items_barred ON items (queue, bar, priority, rank, number) WHERE bar IS NOT NULL;
CREATE INDEX items_barred_starved ON items (queue, bar, ready_at, number) WHERE bar IS NOT NULL;
