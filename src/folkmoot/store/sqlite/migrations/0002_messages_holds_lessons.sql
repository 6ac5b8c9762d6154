-- Messages, holds and lessons, and what the head says of them.

ALTER TABLE board ADD COLUMN messages INTEGER NOT NULL DEFAULT 0;
ALTER TABLE board ADD COLUMN lessons INTEGER NOT NULL DEFAULT 0;
ALTER TABLE board ADD COLUMN filed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE board ADD COLUMN held INTEGER NOT NULL DEFAULT 0;

-- Whether the item declares files. A column, since an index on the document would read it at every write.
ALTER TABLE items ADD COLUMN filed INTEGER NOT NULL DEFAULT 0;

-- A document that is damaged is for the doctor to find: it must not keep the board from being opened for him.
UPDATE items SET filed = 1
WHERE CASE WHEN json_valid(doc) AND json_type(doc, '$.files') = 'array' THEN json_array_length(doc, '$.files') > 0 ELSE 0 END;
UPDATE board SET filed = (SELECT count(*) FROM items WHERE filed = 1);

-- Over all queues. Items without files are not in it, and cost nothing here.
CREATE INDEX items_filed ON items (ready_at, number) WHERE queue IS NOT NULL AND filed = 1;

CREATE TABLE messages (
    number INTEGER PRIMARY KEY, -- counted from one in the order written: the cursor of those who follow them
    id TEXT NOT NULL UNIQUE,
    item INTEGER,
    "to" TEXT NOT NULL,
    status TEXT NOT NULL,
    doc TEXT NOT NULL
) STRICT;

CREATE INDEX messages_item ON messages (item, number) WHERE item IS NOT NULL;
-- Lists what one receiver got, and finds a status without reading a document.
CREATE INDEX messages_to ON messages ("to", number, status);

CREATE TABLE holds (
    id TEXT PRIMARY KEY NOT NULL,
    held INTEGER NOT NULL,
    until REAL,
    doc TEXT NOT NULL
) STRICT;

-- Released rows stay, and there are soon thousands of them; those that are held are few.
CREATE INDEX holds_held ON holds (held) WHERE held = 1;

CREATE TABLE lessons (
    id TEXT PRIMARY KEY NOT NULL,
    doc TEXT NOT NULL
) STRICT;
