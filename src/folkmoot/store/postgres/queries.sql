-- Every statement the PostgreSQL store runs on its rows. Values are bound, never written in. Names and the order of values
-- are those of the embedded store: the verbs that use them are the same.

-- name: begin_write
-- Each statement sees what was committed before it: the head is read after the lock is ours.
BEGIN ISOLATION LEVEL READ COMMITTED;

-- name: begin_read
-- One view of the store for all that follows; takes no lock that a writer waits for.
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;

-- name: lock
-- What holds for this transaction alone, so that a pooler may give the connection to others after it; and the board's lock,
-- which is free again when the transaction is over, however that ends. A line that is cut tells nobody: the server asks after
-- two seconds of silence whether we are there, and gives up after four, for all others wait. The commit does not wait for
-- the disk while it has the lock: what is sent behind it does, see `on_disk`. Where a standby must have it first, it does.
SELECT set_config('search_path', $1, true), set_config('statement_timeout', $2, true), set_config('lock_timeout', $3, true),
    set_config('idle_in_transaction_session_timeout', $4, true), set_config('tcp_user_timeout', '4000', true),
    set_config('tcp_keepalives_idle', '2', true), set_config('tcp_keepalives_interval', '1', true),
    set_config('tcp_keepalives_count', '2', true), set_config('synchronous_commit', CASE
    current_setting('synchronous_standby_names') WHEN '' THEN 'off' ELSE current_setting('synchronous_commit') END, true),
    pg_advisory_xact_lock($5);

-- name: settings
-- The same for a view, which waits for nobody.
SELECT set_config('search_path', $1, true), set_config('statement_timeout', $2, true), set_config('lock_timeout', $3, true),
    set_config('idle_in_transaction_session_timeout', $4, true);

-- name: opening
-- A newer program may have migrated the board that we have open; what the clock of the server shows; and whether there
-- may be something in this view that is not on the disk yet.
SELECT (SELECT max(number) FROM migrations), extract(epoch FROM clock_timestamp())::double precision,
    CASE WHEN pg_is_in_recovery() OR current_setting('synchronous_standby_names') != '' THEN false
    ELSE pg_current_wal_insert_lsn() > pg_current_wal_flush_lsn() END;

-- name: on_disk
-- A transaction of its own, behind another. Its commit waits until the server's log is on the disk up to itself, and so
-- is all that was committed before it; many that wait share one write of the disk.
SELECT CASE WHEN pg_is_in_recovery() OR current_setting('synchronous_standby_names') != '' THEN NULL
    WHEN pg_current_wal_insert_lsn() > pg_current_wal_flush_lsn() THEN pg_logical_emit_message(true, 'moot', '') END;

-- name: head
-- The columns in the order of BoardHead's fields.
SELECT seq, chain, time, boot, "offset", flow_version, items, comments, questions, open_questions, messages, lessons, filed, held, pauses
FROM board WHERE id = 1;

-- name: set_head
-- The last statement of a writing transaction.
UPDATE board SET seq = $1, chain = $2, time = $3, boot = $4, "offset" = $5, flow_version = $6, items = $7, comments = $8,
    questions = $9, open_questions = $10, messages = $11, lessons = $12, filed = $13, held = $14, pauses = $15 WHERE id = 1;

-- name: notify
-- Sent with the commit, or not at all.
SELECT pg_notify($1, '');

-- name: flow
-- A version, once written, never changes.
SELECT doc FROM flows WHERE version = $1;

-- name: item
-- With the columns beside the document, so that a later save knows which of them change.
SELECT queue, priority, rank, doc FROM items WHERE number = $1;

-- name: items_all
-- A page of the board in the order of numbers; a tag is looked for inside the document, of which PostgreSQL reads nothing
-- where it meets a NUL.
SELECT doc FROM items WHERE number > $1 AND ($2::text IS NULL
    OR (replace(doc, '\u0000', '\uFFFD')::json -> 'tags')::jsonb ? replace($2::text, '\u0000', '\uFFFD'))
ORDER BY number LIMIT $3;

-- name: items_in_column
-- One column, flat in time however many items other columns hold.
SELECT doc FROM items WHERE "column" = $4 AND number > $1 AND ($5::text IS NULL OR status = $5::text)
    AND ($2::text IS NULL
    OR (replace(doc, '\u0000', '\uFFFD')::json -> 'tags')::jsonb ? replace($2::text, '\u0000', '\uFFFD'))
ORDER BY number LIMIT $3;

-- name: items_with_status
-- Finds the numbers in the index first: a status is rare, and documents are long.
SELECT doc FROM items WHERE number IN (SELECT number FROM items WHERE status = $4 AND number > $1)
    AND ($2::text IS NULL
    OR (replace(doc, '\u0000', '\uFFFD')::json -> 'tags')::jsonb ? replace($2::text, '\u0000', '\uFFFD'))
ORDER BY number LIMIT $3;

-- name: items_open
-- What has not ended, in the order of numbers; however many have ended, none of them is read.
SELECT doc FROM items WHERE status NOT IN ('done', 'failed', 'cancelled') ORDER BY number;

-- name: items_open_first
-- Of each column the first so many that have not ended. Only the documents of these are read.
SELECT doc FROM items WHERE number IN (
    SELECT number FROM (
        SELECT number, row_number() OVER (PARTITION BY "column" ORDER BY priority, number) AS place
        FROM items WHERE status NOT IN ('done', 'failed', 'cancelled')
    ) AS shown WHERE place <= $1
) ORDER BY number;

-- name: open_in
-- How many have not ended in each column, of those in their own right.
SELECT "column", count(*) FROM items WHERE status NOT IN ('done', 'failed', 'cancelled') AND own = 1
GROUP BY "column";

-- name: items_ended
-- Those that have ended, the newest first.
SELECT doc FROM items WHERE status IN ('done', 'failed', 'cancelled')
ORDER BY since DESC, number DESC LIMIT $1;

-- name: ended_in
-- How many have ended in each column, of those in their own right; counted in the index alone.
SELECT "column", count(*) FROM items WHERE status IN ('done', 'failed', 'cancelled') AND own = 1
GROUP BY "column";

-- name: children
-- In the order they were made.
SELECT needs FROM edges WHERE item = $1 AND why = 'child' ORDER BY needs;

-- name: child_items
-- The same, with what stands in their rows.
SELECT number, queue, priority, rank, doc FROM edges JOIN items ON items.number = edges.needs
WHERE edges.item = $1 AND edges.why = 'child' ORDER BY edges.needs;

-- name: run
-- By its id, open or ended.
SELECT doc FROM runs WHERE id = $1;

-- name: item_of_run
-- Fetched together with the run.
SELECT number, queue, priority, rank, doc FROM items WHERE number = (SELECT item FROM runs WHERE id = $1);

-- name: runs_named
-- By how their ids begin, read from the index of the ids.
SELECT doc FROM runs WHERE id >= $1 AND id < $2 ORDER BY id LIMIT $3;

-- name: runs
-- All runs of an item, in the order of their tokens.
SELECT doc FROM runs WHERE item = $1 ORDER BY token;

-- name: runs_ended
-- Those that have ended since, in the order of their ends.
SELECT doc FROM runs WHERE ended_at >= $1 ORDER BY ended_at, place;

-- name: open_run
-- At most one, by the unique index it is read from.
SELECT doc FROM runs WHERE item = $1 AND ended_at IS NULL;

-- name: attempts
-- All attempts on an item, first to last.
SELECT doc FROM attempts WHERE item = $1 ORDER BY number;

-- name: comments
-- All comments on an item, in the order they were written.
SELECT doc FROM comments WHERE item = $1 ORDER BY place;

-- name: question
-- By its id, open or not.
SELECT doc FROM questions WHERE id = $1;

-- name: questions
-- All questions about an item, in the order they were asked.
SELECT doc FROM questions WHERE item = $1 ORDER BY place;

-- name: inbox
-- What people are asked now, the oldest first.
SELECT doc FROM questions WHERE state = 'open' ORDER BY place;

-- name: dependents
-- Who waits for this item: those that name it in `after`, and its parent.
SELECT DISTINCT item FROM edges WHERE needs = $1 AND why != 'whole' ORDER BY item;

-- name: upstream
-- The given items and all they need, each once; the limit stops a walk that is too long, since no more is walked than is
-- read. What is not there counts as a step, so that a walk cut short is always seen. That a task waits for its whole is no
-- need: it would be a circle.
WITH RECURSIVE reach (number) AS (
    SELECT value::bigint FROM json_array_elements_text($1::json) AS given (value)
    UNION
    SELECT edges.needs FROM reach JOIN edges ON edges.item = reach.number AND edges.why != 'whole'
)
SELECT walked.number, items.status, items.rank, items.generation, (
    SELECT coalesce(json_agg(needs)::text, '[]')
    FROM (SELECT DISTINCT needs FROM edges WHERE item = walked.number AND why != 'whole' ORDER BY needs) AS needed
)
FROM (SELECT number FROM reach LIMIT $2) AS walked LEFT JOIN items ON items.number = walked.number;

-- name: waiters
-- Who waits for this item: its dependents, and those of its tasks that wait for it to be looked at.
SELECT DISTINCT item FROM edges WHERE needs = $1;

-- name: due_runs
-- Leases that have run out, the oldest first. Two plain statements are half the price of their union.
SELECT lease_until, item FROM runs WHERE ended_at IS NULL AND lease_until <= $1 ORDER BY lease_until, item LIMIT $2;

-- name: due_questions
-- Deadlines that have come, the oldest first.
SELECT deadline, item, id FROM questions
WHERE state = 'open' AND deadline IS NOT NULL AND deadline <= $1
ORDER BY deadline, item, id LIMIT $2;

-- name: next_due
-- The earliest lease that was not dealt with, or deadline of an open question: until then nothing is due.
SELECT least(
    coalesce((SELECT lease_until FROM runs WHERE ended_at IS NULL ORDER BY lease_until LIMIT 1), 'infinity'),
    coalesce((SELECT deadline FROM questions WHERE state = 'open' AND deadline IS NOT NULL
    ORDER BY deadline LIMIT 1), 'infinity'));

-- name: next_starved
-- Of the items that waited longer than anyone should, the one that waited longest.
SELECT number, queue, priority, rank, doc FROM items
WHERE queue = $1 AND bar IS NULL AND ready_at <= $3 AND wake_at <= $2 AND ($4::text IS NULL OR "column" = $4::text)
ORDER BY ready_at, number LIMIT 1;

-- name: next_ready
-- Priority, then the longest chain of waiting items, then age. Asked only when nothing starves.
SELECT number, queue, priority, rank, doc FROM items
WHERE queue = $1 AND bar IS NULL AND wake_at <= $2 AND ($3::text IS NULL OR "column" = $3::text)
ORDER BY priority, rank, number LIMIT 1;

-- name: ready
-- One item by name, if this agent may claim it now.
SELECT number, queue, priority, rank, doc FROM items
WHERE number = $1 AND queue = $2 AND wake_at <= $3 AND ($4::text IS NULL OR "column" = $4::text);

-- name: all_starved
-- Like `next_starved`, as many as are asked for.
SELECT number, queue, priority, rank, doc FROM items
WHERE queue = $1 AND bar IS NULL AND ready_at <= $3 AND wake_at <= $2 AND ($4::text IS NULL OR "column" = $4::text)
ORDER BY ready_at, number LIMIT $5;

-- name: all_ready
-- What comes after all the starved ones, as many as are asked for.
SELECT number, queue, priority, rank, doc FROM items
WHERE queue = $1 AND bar IS NULL AND ready_at > $3 AND wake_at <= $2 AND ($4::text IS NULL OR "column" = $4::text)
ORDER BY priority, rank, number LIMIT $5;

-- name: barred_starved
-- Like `all_starved`, of those behind one bar.
SELECT number, queue, priority, rank, doc FROM items
WHERE queue = $1 AND bar = $6 AND ready_at <= $3 AND wake_at <= $2 AND ($4::text IS NULL OR "column" = $4::text)
ORDER BY ready_at, number LIMIT $5;

-- name: barred_ready
-- Like `all_ready`, of those behind one bar.
SELECT number, queue, priority, rank, doc FROM items
WHERE queue = $1 AND bar = $6 AND ready_at > $3 AND wake_at <= $2 AND ($4::text IS NULL OR "column" = $4::text)
ORDER BY priority, rank, number LIMIT $5;

-- name: bars
-- What keeps items of a queue out, each once: a step in the index for each, however many items stand behind it.
WITH RECURSIVE each (bar) AS (
    SELECT min(bar) FROM items WHERE queue = $1 AND bar IS NOT NULL
    UNION ALL
    SELECT (SELECT min(bar) FROM items WHERE queue = $1 AND bar > each.bar)
    FROM each WHERE each.bar IS NOT NULL
)
SELECT bar FROM each WHERE bar IS NOT NULL;

-- name: queued
-- How many a queue holds, counted no further than asked.
SELECT (SELECT count(*) FROM (SELECT 1 FROM items WHERE queue = $1 AND bar IS NULL LIMIT $2))
    + (SELECT count(*) FROM (SELECT 1 FROM items WHERE queue = $1 AND bar IS NOT NULL LIMIT $2));

-- name: awaited
-- The items of a queue that are kept out, and that one of the given items is or waits for while it has no run; the limit
-- stops a walk that is too long.
WITH RECURSIVE reach (number) AS (
    SELECT items.number FROM json_array_elements_text($1::json) AS given (value)
    JOIN items ON items.number = value::bigint WHERE items.status != 'running'
    UNION
    SELECT edges.needs FROM reach JOIN edges ON edges.item = reach.number
)
SELECT items.number, queue, priority, rank, doc FROM (SELECT number FROM reach LIMIT $5) AS walked
JOIN items ON items.number = walked.number
WHERE queue = $2 AND bar IS NOT NULL AND wake_at <= $3 AND ($4::text IS NULL OR "column" = $4::text);

-- name: barred
-- Every item that is kept out, and by what.
SELECT number, bar FROM items WHERE bar IS NOT NULL;

-- name: keep_out
-- Until the item is written anew, or let in.
UPDATE items SET bar = $1 WHERE number = $2;

-- name: let_in
-- All behind one bar of a queue.
UPDATE items SET bar = NULL WHERE queue = $1 AND bar = $2;

-- name: let_all_in
-- Another flow has other pools and branches.
UPDATE items SET bar = NULL WHERE bar IS NOT NULL;

-- name: starved_files
-- Whoever claims them: the items with files that waited longest, for they reserve their paths.
SELECT number, queue, priority, rank, doc FROM items
WHERE queue IS NOT NULL AND filed = 1 AND ready_at <= $1 ORDER BY ready_at, number LIMIT $2;

-- name: next_wake
-- When the next sleeping item of a queue can be claimed. `wake_at > 0` makes the small index usable.
SELECT wake_at FROM items WHERE queue = $1 AND wake_at > 0 AND wake_at > $2 ORDER BY wake_at LIMIT 1;

-- name: message
-- By its id, whatever became of it.
SELECT doc FROM messages WHERE id = $1;

-- name: messages_all
-- In the order they were written, as all lists of messages; `number` is the reader's cursor.
SELECT doc FROM messages WHERE number > $1 ORDER BY number LIMIT $2;

-- name: messages_of_item
-- An item's messages are few, so the other filters read them.
SELECT doc FROM messages
WHERE item = $3 AND number > $1 AND ($4::text IS NULL OR "to" = $4::text) AND ($5::text IS NULL OR status = $5::text)
ORDER BY number LIMIT $2;

-- name: messages_to
-- One receiver's, flat in time however many others got.
SELECT doc FROM messages WHERE "to" = $3 AND number > $1 AND ($4::text IS NULL OR status = $4::text)
ORDER BY number LIMIT $2;

-- name: messages_with_status
-- Finds the numbers in the index first: those that are pending are few, and documents are long.
SELECT doc FROM messages
WHERE number IN (SELECT number FROM messages WHERE status = $3 AND number > $1)
ORDER BY number LIMIT $2;

-- name: messages_loose
-- What waits for its receiver and is about no item: few, and found without looking at any other.
SELECT doc FROM messages
WHERE item IS NULL AND status IN ('pending', 'accepted') AND ($2::text IS NULL OR "to" = $2::text)
ORDER BY number LIMIT $1;

-- name: holds
-- Which paths are taken now, each with its place: one that is taken again keeps it. Those that have run out are not read.
SELECT place, doc FROM holds WHERE held = 1 AND until IS NULL
UNION ALL
SELECT place, doc FROM holds WHERE held = 1 AND until > $1;

-- name: lessons
-- What was learnt last stands first.
SELECT doc FROM lessons ORDER BY place DESC LIMIT $1;

-- name: pauses
-- Few: one for the board, one for the day, one for each pool that ever had no quota.
SELECT doc FROM pauses ORDER BY id;

-- name: meter
-- By what it measures.
SELECT doc FROM meters WHERE id = $1;

-- name: open_runs
-- Who works now, read from the index of the leases.
SELECT doc FROM runs WHERE ended_at IS NULL ORDER BY lease_until, item;

-- name: output
-- What a run printed, from a part on.
SELECT part, text FROM output WHERE run = $1 AND part >= $2 ORDER BY part LIMIT $3;

-- name: last_output
-- The end of what a run printed, the last part first, from before a part on.
SELECT text, at FROM output WHERE run = $1 AND part < $2 ORDER BY part DESC LIMIT $3;

-- name: events
-- The log from a cursor on.
SELECT seq, at, time, name, item, run, agent, version, body FROM events WHERE seq > $1 ORDER BY seq LIMIT $2;

-- name: events_of_item
-- One item's log. The sum keeps the planner on the item's index: an item's log is short, the whole one is not.
SELECT seq, at, time, name, item, run, agent, version, body FROM events WHERE item = $1 AND seq + 0 > $2 ORDER BY seq + 0 LIMIT $3;

-- name: links
-- The log with its chain, for proving it.
SELECT seq, at, time, name, item, run, agent, version, body, chain FROM events WHERE seq > $1 ORDER BY seq LIMIT $2;

-- name: chain_at
-- Whether an event is the one that somebody thinks he wrote.
SELECT chain FROM events WHERE seq = $1;

-- name: last_seq
-- The head must name this one.
SELECT max(seq) FROM events;

-- name: newest_items
-- For whoever looks for words: the newest first, and read only as far as is wanted.
SELECT doc FROM items ORDER BY number DESC;

-- name: newest_comments
-- The same of comments.
SELECT doc FROM comments ORDER BY place DESC;

-- name: newest_questions
-- The same of questions.
SELECT doc FROM questions ORDER BY place DESC;

-- name: newest_runs
-- The same of runs.
SELECT doc FROM runs ORDER BY place DESC;

-- name: rows_items
-- All items.
SELECT doc FROM items ORDER BY number;

-- name: rows_runs
-- All runs, in the order they began.
SELECT doc FROM runs ORDER BY place;

-- name: rows_attempts
-- All attempts, item by item.
SELECT doc FROM attempts ORDER BY item, number;

-- name: rows_comments
-- All comments, in the order they were written.
SELECT doc FROM comments ORDER BY place;

-- name: rows_questions
-- All questions, in the order they were asked.
SELECT doc FROM questions ORDER BY place;

-- name: rows_messages
-- All messages, in the order they were written.
SELECT doc FROM messages ORDER BY number;

-- name: rows_holds
-- All holds, the released ones among them.
SELECT doc FROM holds ORDER BY place;

-- name: rows_lessons
-- All lessons, in the order they were learnt.
SELECT doc FROM lessons ORDER BY place;

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
SELECT doc FROM clock ORDER BY id;

-- name: insert_event
-- The log only grows.
INSERT INTO events (seq, at, time, name, item, run, agent, version, body, chain) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- name: insert_item
-- A new item; its edges follow.
INSERT INTO items (number, "column", status, queue, priority, rank, wake_at, ready_at, generation, filed, since, own, doc)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13);

-- name: update_item
-- Nothing that is sorted on has changed: a renewal is this. What kept the item out may be gone.
UPDATE items SET doc = $1, bar = NULL WHERE number = $2;

-- name: move_item
-- Everything that is filtered and sorted on.
UPDATE items SET "column" = $1, status = $2, queue = $3, priority = $4, rank = $5, wake_at = $6, ready_at = $7, generation = $8,
    filed = $9, since = $10, own = $11, doc = $12, bar = NULL WHERE number = $13;

-- name: place_item
-- Another flow, another agent to claim it.
UPDATE items SET queue = $1, priority = $2, rank = $3 WHERE number = $4;

-- name: insert_after
-- The item waits for another.
INSERT INTO edges (item, needs, why) VALUES ($1, $2, 'after') ON CONFLICT DO NOTHING;

-- name: delete_after
-- What it waited for is written anew.
DELETE FROM edges WHERE item = $1 AND why = 'after';

-- name: insert_child
-- A parent waits for its child.
INSERT INTO edges (item, needs, why) VALUES ($1, $2, 'child');

-- name: delete_child
-- A child has one parent.
DELETE FROM edges WHERE needs = $1 AND why = 'child';

-- name: insert_whole
-- A task waits for its whole to be looked at.
INSERT INTO edges (item, needs, why) VALUES ($1, $2, 'whole');

-- name: delete_whole
-- It goes on.
DELETE FROM edges WHERE item = $1 AND why = 'whole';

-- name: insert_run
-- The claim. The unique indexes refuse a second open run and a token that was given before.
INSERT INTO runs (id, item, token, lease_until, ended_at, doc) VALUES ($1, $2, $3, $4, $5, $6);

-- name: update_run
-- Renewed or ended.
UPDATE runs SET lease_until = $1, ended_at = $2, doc = $3 WHERE id = $4;

-- name: insert_attempt
-- Numbered per item by the rules.
INSERT INTO attempts (item, number, doc) VALUES ($1, $2, $3);

-- name: update_attempt
-- Its verdict was overruled.
UPDATE attempts SET doc = $1 WHERE item = $2 AND number = $3;

-- name: insert_comment
-- Said.
INSERT INTO comments (id, item, doc) VALUES ($1, $2, $3);

-- name: update_comment
-- Resolved.
UPDATE comments SET doc = $1 WHERE id = $2;

-- name: insert_question
-- Asked.
INSERT INTO questions (id, item, state, deadline, doc) VALUES ($1, $2, $3, $4, $5);

-- name: question_state
-- Before an update, for the head's count of open questions.
SELECT state FROM questions WHERE id = $1;

-- name: update_question
-- Answered, withdrawn, or its default taken.
UPDATE questions SET state = $1, deadline = $2, doc = $3 WHERE id = $4;

-- name: insert_message
-- Sent.
INSERT INTO messages (number, id, item, "to", status, doc) VALUES ($1, $2, $3, $4, $5, $6);

-- name: update_message
-- Accepted, completed or rejected.
UPDATE messages SET item = $1, "to" = $2, status = $3, doc = $4 WHERE id = $5;

-- name: hold_place
-- Before it is written: where it stands among the others, and whether the head counts it.
SELECT place, held FROM holds WHERE id = $1;

-- name: insert_hold
-- Taken for the first time.
INSERT INTO holds (id, held, until, doc) VALUES ($1, $2, $3, $4) RETURNING place;

-- name: update_hold
-- Released, or taken again.
UPDATE holds SET held = $1, until = $2, doc = $3 WHERE place = $4;

-- name: insert_lesson
-- Learnt once, never changed.
INSERT INTO lessons (id, doc) VALUES ($1, $2);

-- name: has_pause
-- Before it is written, for the head's count.
SELECT 1 FROM pauses WHERE id = $1;

-- name: save_pause
-- Begun, ended, or begun again.
INSERT INTO pauses (id, doc) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET doc = excluded.doc;

-- name: save_meter
-- Moved on.
INSERT INTO meters (id, doc) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET doc = excluded.doc;

-- name: keep_output
-- What an agent printed, beside the log and never in it.
INSERT INTO output (run, part, text, at) VALUES ($1, $2, $3, $4)
ON CONFLICT (run, part) DO UPDATE SET text = excluded.text, at = excluded.at;

-- name: insert_flow
-- A version is never written twice.
INSERT INTO flows (version, doc) VALUES ($1, $2);

-- name: insert_clock
-- The first boot the store saw.
INSERT INTO clock (id, doc) VALUES ($1, $2);

-- name: update_clock
-- A later boot.
UPDATE clock SET doc = $1 WHERE id = $2;

-- name: kept_answer
-- The answer a speaker got under this key.
SELECT digest, answer FROM keys WHERE speaker = $1 AND key = $2;

-- name: keep_answer
-- Written in the transaction of the command it answers.
INSERT INTO keys (speaker, key, digest, answer, at) VALUES ($1, $2, $3, $4, $5);

-- name: kept_bytes
-- Asked for a run alone, which has few.
SELECT coalesce(sum(length(answer)), 0)::bigint FROM keys WHERE speaker = $1;

-- name: try_put
-- Is taken out again in the same transaction: the page is written all the same, which shows that it can be.
INSERT INTO keys (speaker, key, digest, answer, at) VALUES ('', 'try', '', '', 0);

-- name: try_take
-- Nothing of it stays.
DELETE FROM keys WHERE speaker = '' AND key = 'try';
