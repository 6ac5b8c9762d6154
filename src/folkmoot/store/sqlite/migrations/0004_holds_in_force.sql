-- A lock that has run out stays in its row as held. Those in force are found without reading the others.

DROP INDEX holds_held;
CREATE INDEX holds_until ON holds (until) WHERE held = 1;
