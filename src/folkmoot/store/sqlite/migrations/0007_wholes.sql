-- A task that does not fit waits for its whole to be looked at: an edge of its own, since the whole has one to the task
-- as its child, and no rule about circles may see that one. The check on `why` can only be changed with the table.

CREATE TABLE edges_with_wholes (
    item INTEGER NOT NULL,
    needs INTEGER NOT NULL,
    why TEXT NOT NULL CHECK (why IN ('after', 'child', 'whole')),
    PRIMARY KEY (item, needs, why)
) STRICT, WITHOUT ROWID;

INSERT INTO edges_with_wholes SELECT item, needs, why FROM edges;
INSERT INTO edges_with_wholes
SELECT number, CAST(doc ->> '$.parent' AS INTEGER), 'whole' FROM items
WHERE iif(
    json_valid(doc),
    (doc ->> '$.parent') IN (SELECT value FROM json_each(iif(json_type(doc, '$.waits_for') = 'array', doc, '{}'), '$.waits_for')),
    0
);

DROP TABLE edges;
ALTER TABLE edges_with_wholes RENAME TO edges;
CREATE INDEX edges_needs ON edges (needs, item, why);
