-- Every statement the embedded store runs on its rows. Values are bound, never written in.

-- name: begin_write
-- Takes the write lock at once: a transaction that begins by reading could not wait for it later.
BEGIN IMMEDIATE;

-- name: begin_read
-- One view of the store for all that follows; takes no lock that a writer waits for.
BEGIN DEFERRED;

-- name: schema
-- Moves when anybody changes a table: a newer program may have migrated the board that we have open.
PRAGMA schema_version;

-- name: head
-- The columns in the order of BoardHead's fields.
SELECT seq, chain, time, boot, "offset", flow_version, items, comments, questions, open_questions, messages, lessons, filed, held, pauses
FROM board WHERE id = 1;

-- name: set_head
-- The last statement of a writing transaction.
UPDATE board SET seq = ?, chain = ?, time = ?, boot = ?, "offset" = ?, flow_version = ?, items = ?, comments = ?,
    questions = ?, open_questions = ?, messages = ?, lessons = ?, filed = ?, held = ?, pauses = ? WHERE id = 1;

-- name: flow
-- A version, once written, never changes.
SELECT doc FROM flows WHERE version = ?;

-- name: item
-- With the columns beside the document, so that a later save knows which of them change.
SELECT queue, priority, rank, doc FROM items WHERE number = ?;

-- name: items_all
-- A page of the board in the order of numbers; a tag is looked for inside the document.
SELECT doc FROM items WHERE number > ?1 AND (?2 IS NULL OR EXISTS (SELECT 1 FROM json_each(doc, '$.tags') WHERE value = ?2))
ORDER BY number LIMIT ?3;

-- name: items_in_column
-- One column, flat in time however many items other columns hold.
SELECT doc FROM items INDEXED BY items_column WHERE "column" = ?4 AND number > ?1 AND (?5 IS NULL OR status = ?5)
    AND (?2 IS NULL OR EXISTS (SELECT 1 FROM json_each(doc, '$.tags') WHERE value = ?2))
ORDER BY number LIMIT ?3;

-- name: items_with_status
-- Finds the numbers in the index first: a status is rare, and documents are long.
SELECT doc FROM items WHERE number IN (SELECT number FROM items INDEXED BY items_column WHERE status = ?4 AND number > ?1)
    AND (?2 IS NULL OR EXISTS (SELECT 1 FROM json_each(doc, '$.tags') WHERE value = ?2))
ORDER BY number LIMIT ?3;

-- name: items_open
-- What has not ended, in the order of numbers; however many have ended, none of them is read.
SELECT doc FROM items INDEXED BY items_open
WHERE status <> 'done' AND status <> 'failed' AND status <> 'cancelled' ORDER BY number;

-- name: items_open_first
-- Of each column the first so many that have not ended. Only the documents of these are read.
SELECT doc FROM items WHERE number IN (
    SELECT number FROM (
        SELECT number, row_number() OVER (PARTITION BY "column" ORDER BY priority, number) AS place
        FROM items INDEXED BY items_open WHERE status <> 'done' AND status <> 'failed' AND status <> 'cancelled'
    ) WHERE place <= ?
) ORDER BY number;

-- name: open_in
-- How many have not ended in each column, of those in their own right.
SELECT "column", count(*) FROM items INDEXED BY items_open
WHERE status <> 'done' AND status <> 'failed' AND status <> 'cancelled' AND own = 1 GROUP BY "column";

-- name: items_ended
-- Those that have ended, the newest first.
SELECT doc FROM items INDEXED BY items_ended WHERE (status = 'done' OR status = 'failed' OR status = 'cancelled')
ORDER BY since DESC, number DESC LIMIT ?;

-- name: ended_in
-- How many have ended in each column, of those in their own right; counted in the index alone.
SELECT "column", count(*) FROM items INDEXED BY items_ended_in
WHERE (status = 'done' OR status = 'failed' OR status = 'cancelled') AND own = 1 GROUP BY "column";

-- name: children
-- In the order they were made.
SELECT needs FROM edges WHERE item = ? AND why = 'child' ORDER BY needs;

-- name: child_items
-- The same, with what stands in their rows.
SELECT number, queue, priority, rank, doc FROM edges CROSS JOIN items ON items.number = edges.needs
WHERE edges.item = ? AND edges.why = 'child' ORDER BY edges.needs;

-- name: run
-- By its id, open or ended.
SELECT doc FROM runs WHERE id = ?;

-- name: runs_named
-- By how their ids begin, read from the index of the ids.
SELECT doc FROM runs WHERE id >= ? AND id < ? ORDER BY id LIMIT ?;

-- name: runs
-- All runs of an item, in the order of their tokens.
SELECT doc FROM runs WHERE item = ? ORDER BY token;

-- name: runs_ended
-- Those that have ended since, in the order of their ends.
SELECT doc FROM runs INDEXED BY runs_ended WHERE ended_at >= ? ORDER BY ended_at, rowid;

-- name: open_run
-- At most one, by the unique index it is read from.
SELECT doc FROM runs WHERE item = ? AND ended_at IS NULL;

-- name: attempts
-- All attempts on an item, first to last.
SELECT doc FROM attempts WHERE item = ? ORDER BY number;

-- name: comments
-- All comments on an item, in the order they were written.
SELECT doc FROM comments WHERE item = ? ORDER BY rowid;

-- name: question
-- By its id, open or not.
SELECT doc FROM questions WHERE id = ?;

-- name: questions
-- All questions about an item, in the order they were asked.
SELECT doc FROM questions WHERE item = ? ORDER BY rowid;

-- name: inbox
-- What people are asked now, the oldest first.
SELECT doc FROM questions WHERE state = 'open' ORDER BY rowid;

-- name: dependents
-- Who waits for this item: those that name it in `after`, and its parent.
SELECT DISTINCT item FROM edges WHERE needs = ? AND why != 'whole' ORDER BY item;

-- name: upstream
-- The given items and all they need, each once; the limit inside stops a walk that is too long. What is not there counts
-- as a step, so that a walk cut short is always seen. That a task waits for its whole is no need: it would be a circle.
WITH RECURSIVE reach (number) AS (
    SELECT value FROM json_each(?1)
    UNION
    SELECT edges.needs FROM reach JOIN edges ON edges.item = reach.number AND edges.why != 'whole'
    LIMIT ?2
)
SELECT reach.number, items.status, items.rank, items.generation, (
    SELECT json_group_array(needs)
    FROM (SELECT DISTINCT needs FROM edges WHERE item = reach.number AND why != 'whole' ORDER BY needs)
)
FROM reach LEFT JOIN items ON items.number = reach.number;

-- name: waiters
-- Who waits for this item: its dependents, and those of its tasks that wait for it to be looked at.
SELECT DISTINCT item FROM edges WHERE needs = ?;

-- name: due_runs
-- Leases that have run out, the oldest first. Two plain statements are half the price of their union.
SELECT lease_until, item FROM runs WHERE ended_at IS NULL AND lease_until <= ? ORDER BY lease_until, item LIMIT ?;

-- name: due_questions
-- Deadlines that have come, the oldest first. Left to itself, SQLite would sort all open questions.
SELECT deadline, item, id FROM questions INDEXED BY questions_deadline
WHERE state = 'open' AND deadline IS NOT NULL AND deadline <= ?
ORDER BY deadline, item, id LIMIT ?;

-- name: next_due
-- The earliest lease that was not dealt with, or deadline of an open question: until then nothing is due. 9e999: never.
SELECT min(
    ifnull((SELECT lease_until FROM runs INDEXED BY runs_lease WHERE ended_at IS NULL ORDER BY lease_until LIMIT 1), 9e999),
    ifnull((SELECT deadline FROM questions INDEXED BY questions_deadline WHERE state = 'open' AND deadline IS NOT NULL
    ORDER BY deadline LIMIT 1), 9e999));

-- name: next_starved
-- Of the items that waited longer than anyone should, the one that waited longest.
SELECT number, queue, priority, rank, doc FROM items INDEXED BY items_starved
WHERE queue = ?1 AND bar IS NULL AND ready_at <= ?3 AND wake_at <= ?2 AND (?4 IS NULL OR "column" = ?4)
ORDER BY ready_at, number LIMIT 1;

-- name: next_ready
-- Priority, then the longest chain of waiting items, then age. Asked only when nothing starves.
SELECT number, queue, priority, rank, doc FROM items INDEXED BY items_next
WHERE queue = ?1 AND bar IS NULL AND wake_at <= ?2 AND (?3 IS NULL OR "column" = ?3)
ORDER BY priority, rank, number LIMIT 1;

-- name: ready
-- One item by name, if this agent may claim it now.
SELECT number, queue, priority, rank, doc FROM items
WHERE number = ?1 AND queue = ?2 AND wake_at <= ?3 AND (?4 IS NULL OR "column" = ?4);

-- name: all_starved
-- Like `next_starved`, as many as are asked for.
SELECT number, queue, priority, rank, doc FROM items INDEXED BY items_starved
WHERE queue = ?1 AND bar IS NULL AND ready_at <= ?3 AND wake_at <= ?2 AND (?4 IS NULL OR "column" = ?4)
ORDER BY ready_at, number LIMIT ?5;

-- name: all_ready
-- What comes after all the starved ones, as many as are asked for.
SELECT number, queue, priority, rank, doc FROM items INDEXED BY items_next
WHERE queue = ?1 AND bar IS NULL AND ready_at > ?3 AND wake_at <= ?2 AND (?4 IS NULL OR "column" = ?4)
ORDER BY priority, rank, number LIMIT ?5;

-- name: barred_starved
-- Like `all_starved`, of those behind one bar.
SELECT number, queue, priority, rank, doc FROM items INDEXED BY items_barred_starved
WHERE queue = ?1 AND bar = ?6 AND ready_at <= ?3 AND wake_at <= ?2 AND (?4 IS NULL OR "column" = ?4)
ORDER BY ready_at, number LIMIT ?5;

-- name: barred_ready
-- Like `all_ready`, of those behind one bar.
SELECT number, queue, priority, rank, doc FROM items INDEXED BY items_barred
WHERE queue = ?1 AND bar = ?6 AND ready_at > ?3 AND wake_at <= ?2 AND (?4 IS NULL OR "column" = ?4)
ORDER BY priority, rank, number LIMIT ?5;

-- name: bars
-- What keeps items of a queue out, each once: a step in the index for each, however many items stand behind it.
WITH RECURSIVE each (bar) AS (
    SELECT min(bar) FROM items INDEXED BY items_barred WHERE queue = ?1 AND bar IS NOT NULL
    UNION ALL
    SELECT (SELECT min(bar) FROM items INDEXED BY items_barred WHERE queue = ?1 AND bar > each.bar)
    FROM each WHERE each.bar IS NOT NULL
)
SELECT bar FROM each WHERE bar IS NOT NULL;

-- name: queued
-- How many a queue holds, counted no further than asked.
SELECT (SELECT count(*) FROM (SELECT 1 FROM items INDEXED BY items_next WHERE queue = ?1 AND bar IS NULL LIMIT ?2))
    + (SELECT count(*) FROM (SELECT 1 FROM items INDEXED BY items_barred WHERE queue = ?1 AND bar IS NOT NULL LIMIT ?2));

-- name: awaited
-- The items of a queue that are kept out, and that one of the given items is or waits for while it has no run; the limit
-- inside stops a walk that is too long.
WITH RECURSIVE reach (number) AS (
    SELECT items.number FROM json_each(?1) CROSS JOIN items ON items.number = value WHERE items.status != 'running'
    UNION
    SELECT edges.needs FROM reach JOIN edges ON edges.item = reach.number
    LIMIT ?5
)
SELECT items.number, queue, priority, rank, doc FROM reach CROSS JOIN items ON items.number = reach.number
WHERE queue = ?2 AND bar IS NOT NULL AND wake_at <= ?3 AND (?4 IS NULL OR "column" = ?4);

-- name: barred
-- Every item that is kept out, and by what.
SELECT number, bar FROM items INDEXED BY items_barred WHERE bar IS NOT NULL;

-- name: keep_out
-- Until the item is written anew, or let in.
UPDATE items SET bar = ? WHERE number = ?;

-- name: let_in
-- All behind one bar of a queue.
UPDATE items SET bar = NULL WHERE queue = ? AND bar = ?;

-- name: let_all_in
-- Another flow has other pools and branches.
UPDATE items INDEXED BY items_barred SET bar = NULL WHERE bar IS NOT NULL;

-- name: starved_files
-- Whoever claims them: the items with files that waited longest, for they reserve their paths.
SELECT number, queue, priority, rank, doc FROM items INDEXED BY items_filed
WHERE queue IS NOT NULL AND filed = 1 AND ready_at <= ? ORDER BY ready_at, number LIMIT ?;

-- name: next_wake
-- When the next sleeping item of a queue can be claimed. `wake_at > 0` makes the small index usable.
SELECT wake_at FROM items WHERE queue = ?1 AND wake_at > 0 AND wake_at > ?2 ORDER BY wake_at LIMIT 1;

-- name: message
-- By its id, whatever became of it.
SELECT doc FROM messages WHERE id = ?;

-- name: messages_all
-- In the order they were written, as all lists of messages; `number` is the reader's cursor.
SELECT doc FROM messages WHERE number > ? ORDER BY number LIMIT ?;

-- name: messages_of_item
-- An item's messages are few, so the other filters read them.
SELECT doc FROM messages INDEXED BY messages_item
WHERE item = ?3 AND number > ?1 AND (?4 IS NULL OR "to" = ?4) AND (?5 IS NULL OR status = ?5)
ORDER BY number LIMIT ?2;

-- name: messages_to
-- One receiver's, flat in time however many others got.
SELECT doc FROM messages INDEXED BY messages_to WHERE "to" = ?3 AND number > ?1 AND (?4 IS NULL OR status = ?4)
ORDER BY number LIMIT ?2;

-- name: messages_with_status
-- Finds the numbers in the index first: those that are pending are few, and documents are long.
SELECT doc FROM messages
WHERE number IN (SELECT number FROM messages INDEXED BY messages_to WHERE status = ?3 AND number > ?1)
ORDER BY number LIMIT ?2;

-- name: messages_loose
-- What waits for its receiver and is about no item: few, and found without looking at any other.
SELECT doc FROM messages INDEXED BY messages_loose
WHERE item IS NULL AND status IN ('pending', 'accepted') AND (?2 IS NULL OR "to" = ?2)
ORDER BY number LIMIT ?1;

-- name: holds
-- Which paths are taken now, each with its place: one that is taken again keeps it. Those that have run out are not read.
SELECT rowid, doc FROM holds INDEXED BY holds_until WHERE held = 1 AND until IS NULL
UNION ALL
SELECT rowid, doc FROM holds INDEXED BY holds_until WHERE held = 1 AND until > ?;

-- name: lessons
-- What was learnt last stands first.
SELECT doc FROM lessons ORDER BY rowid DESC LIMIT ?;

-- name: pauses
-- Few: one for the board, one for the day, one for each pool that ever had no quota.
SELECT doc FROM pauses ORDER BY id;

-- name: meter
-- By what it measures.
SELECT doc FROM meters WHERE id = ?;

-- name: open_runs
-- Who works now, read from the index of the leases.
SELECT doc FROM runs INDEXED BY runs_lease WHERE ended_at IS NULL ORDER BY lease_until, item;

-- name: output
-- What a run printed, from a part on.
SELECT part, text FROM output WHERE run = ? AND part >= ? ORDER BY part LIMIT ?;

-- name: last_output
-- The end of what a run printed, the last part first, from before a part on.
SELECT text, at FROM output WHERE run = ? AND part < ? ORDER BY part DESC LIMIT ?;

-- name: events
-- The log from a cursor on.
SELECT seq, at, time, name, item, run, agent, version, body FROM events WHERE seq > ? ORDER BY seq LIMIT ?;

-- name: events_of_item
-- One item's log. The plus keeps the planner on the item's index: an item's log is short, the whole one is not.
SELECT seq, at, time, name, item, run, agent, version, body FROM events WHERE item = ? AND +seq > ? ORDER BY +seq LIMIT ?;

-- name: links
-- The log with its chain, for proving it.
SELECT seq, at, time, name, item, run, agent, version, body, chain FROM events WHERE seq > ? ORDER BY seq LIMIT ?;

-- name: chain_at
-- Whether an event is the one that somebody thinks he wrote.
SELECT chain FROM events WHERE seq = ?;

-- name: last_seq
-- The head must name this one.
SELECT max(seq) FROM events;

-- name: newest_items
-- For whoever looks for words: the newest first, and read only as far as is wanted.
SELECT doc FROM items ORDER BY number DESC;

-- name: newest_comments
-- The same of comments.
SELECT doc FROM comments ORDER BY rowid DESC;

-- name: newest_questions
-- The same of questions.
SELECT doc FROM questions ORDER BY rowid DESC;

-- name: newest_runs
-- The same of runs.
SELECT doc FROM runs ORDER BY rowid DESC;

-- name: rows_items
-- All items.
SELECT doc FROM items ORDER BY number;

-- name: rows_runs
-- All runs, in the order they began.
SELECT doc FROM runs ORDER BY rowid;

-- name: rows_attempts
-- All attempts, item by item.
SELECT doc FROM attempts ORDER BY item, number;

-- name: rows_comments
-- All comments, in the order they were written.
SELECT doc FROM comments ORDER BY rowid;

-- name: rows_questions
-- All questions, in the order they were asked.
SELECT doc FROM questions ORDER BY rowid;

-- name: rows_messages
-- All messages, in the order they were written.
SELECT doc FROM messages ORDER BY number;

-- name: rows_holds
-- All holds, the released ones among them.
SELECT doc FROM holds ORDER BY rowid;

-- name: rows_lessons
-- All lessons, in the order they were learnt.
SELECT doc FROM lessons ORDER BY rowid;

-- name: rows_pauses
-- All pauses, those that are over among them.
SELECT doc FROM pauses ORDER BY id;

-- name: rows_meters
-- All meters.
SELECT doc FROM meters ORDER BY id;

-- name: rows_flows
-- All versions of the flow.
SELECT doc FROM flows ORDER BY version;

-- name: rows_clock
-- The one clock.
SELECT doc FROM clock ORDER BY rowid;

-- name: insert_event
-- The log only grows.
INSERT INTO events (seq, at, time, name, item, run, agent, version, body, chain) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: insert_item
-- A new item; its edges follow.
INSERT INTO items (number, "column", status, queue, priority, rank, wake_at, ready_at, generation, filed, since, own, doc)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: update_item
-- Nothing that is sorted on has changed: a renewal is this. What kept the item out may be gone.
UPDATE items SET doc = ?, bar = NULL WHERE number = ?;

-- name: move_item
-- Everything that is filtered and sorted on.
UPDATE items SET "column" = ?, status = ?, queue = ?, priority = ?, rank = ?, wake_at = ?, ready_at = ?, generation = ?,
    filed = ?, since = ?, own = ?, doc = ?, bar = NULL WHERE number = ?;

-- name: place_item
-- Another flow, another agent to claim it.
UPDATE items SET queue = ?, priority = ?, rank = ? WHERE number = ?;

-- name: insert_after
-- The item waits for another.
INSERT OR IGNORE INTO edges (item, needs, why) VALUES (?, ?, 'after');

-- name: delete_after
-- What it waited for is written anew.
DELETE FROM edges WHERE item = ? AND why = 'after';

-- name: insert_child
-- A parent waits for its child.
INSERT INTO edges (item, needs, why) VALUES (?, ?, 'child');

-- name: delete_child
-- A child has one parent.
DELETE FROM edges WHERE needs = ? AND why = 'child';

-- name: insert_whole
-- A task waits for its whole to be looked at.
INSERT INTO edges (item, needs, why) VALUES (?, ?, 'whole');

-- name: delete_whole
-- It goes on.
DELETE FROM edges WHERE item = ? AND why = 'whole';

-- name: insert_run
-- The claim. The unique indexes refuse a second open run and a token that was given before.
INSERT INTO runs (id, item, token, lease_until, ended_at, doc) VALUES (?, ?, ?, ?, ?, ?);

-- name: update_run
-- Renewed or ended.
UPDATE runs SET lease_until = ?, ended_at = ?, doc = ? WHERE id = ?;

-- name: insert_attempt
-- Numbered per item by the rules.
INSERT INTO attempts (item, number, doc) VALUES (?, ?, ?);

-- name: update_attempt
-- Its verdict was overruled.
UPDATE attempts SET doc = ? WHERE item = ? AND number = ?;

-- name: insert_comment
-- Said.
INSERT INTO comments (id, item, doc) VALUES (?, ?, ?);

-- name: update_comment
-- Resolved.
UPDATE comments SET doc = ? WHERE id = ?;

-- name: insert_question
-- Asked.
INSERT INTO questions (id, item, state, deadline, doc) VALUES (?, ?, ?, ?, ?);

-- name: question_state
-- Before an update, for the head's count of open questions.
SELECT state FROM questions WHERE id = ?;

-- name: update_question
-- Answered, withdrawn, or its default taken.
UPDATE questions SET state = ?, deadline = ?, doc = ? WHERE id = ?;

-- name: insert_message
-- Sent.
INSERT INTO messages (number, id, item, "to", status, doc) VALUES (?, ?, ?, ?, ?, ?);

-- name: update_message
-- Accepted, completed or rejected.
UPDATE messages SET item = ?, "to" = ?, status = ?, doc = ? WHERE id = ?;

-- name: hold_place
-- Before it is written: where it stands among the others, and whether the head counts it.
SELECT rowid, held FROM holds WHERE id = ?;

-- name: insert_hold
-- Taken for the first time.
INSERT INTO holds (id, held, until, doc) VALUES (?, ?, ?, ?) RETURNING rowid;

-- name: update_hold
-- Released, or taken again.
UPDATE holds SET held = ?, until = ?, doc = ? WHERE rowid = ?;

-- name: insert_lesson
-- Learnt once, never changed.
INSERT INTO lessons (id, doc) VALUES (?, ?);

-- name: has_pause
-- Before it is written, for the head's count.
SELECT 1 FROM pauses WHERE id = ?;

-- name: save_pause
-- Begun, ended, or begun again.
INSERT INTO pauses (id, doc) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET doc = excluded.doc;

-- name: save_meter
-- Moved on.
INSERT INTO meters (id, doc) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET doc = excluded.doc;

-- name: keep_output
-- What an agent printed, beside the log and never in it.
INSERT INTO output (run, part, text, at) VALUES (?, ?, ?, ?)
ON CONFLICT (run, part) DO UPDATE SET text = excluded.text, at = excluded.at;

-- name: insert_flow
-- A version is never written twice.
INSERT INTO flows (version, doc) VALUES (?, ?);

-- name: insert_clock
-- The first boot the store saw.
INSERT INTO clock (id, doc) VALUES (?, ?);

-- name: update_clock
-- A later boot.
UPDATE clock SET doc = ? WHERE id = ?;

-- name: kept_answer
-- The answer a speaker got under this key.
SELECT digest, answer FROM keys WHERE speaker = ? AND key = ?;

-- name: keep_answer
-- Written in the transaction of the command it answers.
INSERT INTO keys (speaker, key, digest, answer, at) VALUES (?, ?, ?, ?, ?);

-- name: kept_bytes
-- Asked for a run alone, which has few.
SELECT COALESCE(SUM(LENGTH(answer)), 0) FROM keys WHERE speaker = ?;

-- name: try_put
-- Is taken out again in the same transaction: the page is written all the same, which shows that it can be.
INSERT INTO keys (speaker, key, digest, answer, at) VALUES ('', 'try', x'', x'', 0);

-- name: try_take
-- Nothing of it stays.
DELETE FROM keys WHERE speaker = '' AND key = 'try';
