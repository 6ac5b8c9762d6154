"""Random saves as an engine would make them: events that fold to the rows, and rows that keep the invariants."""

import random
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from msgspec.structs import replace

from folkmoot.core.enums import KINDS, MESSAGE_STATUSES, PRIORITIES, EventName
from folkmoot.core.events import Change, Event, Row
from folkmoot.core.flow import Agent, Column, Flow
from folkmoot.core.item import Effort, GuidanceCounters, Item
from folkmoot.core.order import QueuePosition, queue_position
from folkmoot.core.records import ORCHESTRATOR, Option, Question, Run
from folkmoot.core.report import Finding, Report
from folkmoot.store.port import KeptAnswer, Store, Transaction
from folkmoot.testing.model import Model

COLUMNS = ("todo", "review", "done")
AGENTS = ("dev", "rev")
TAGS = ("ui", "db", "ünï")
FILES = ("src/", "src/späť.py", "b.py")
BARS = ("path:b.py", "path:src", "pool:ünï")
RECEIVERS = (*AGENTS, ORCHESTRATOR)
WORDS = ("plain", "naïve \u2028 text", 'quo"ted', "line\nbreak", "nul \0 inside", "🙂" * 3)

Save = tuple[list[Event], list[tuple[str, Row, bool]], dict[str, QueuePosition]]


def make_flow(version: int) -> Flow:
    """Each version gives the columns to other agents."""
    dev, rev = AGENTS if version % 2 else AGENTS[::-1]
    columns = {
        "todo": Column(name="todo", agents=[dev], next="review"),
        "review": Column(name="review", agents=[rev], next="done"),
        "done": Column(name="done"),
    }
    return Flow(name="small", start="todo", columns=columns, agents={name: Agent(name=name) for name in AGENTS})


class Scribe:
    """Writes the same into a store and into the model."""

    def __init__(self, store: Store, chance: random.Random) -> None:
        self.store = store
        self.chance = chance
        self.model = Model()
        self.now = 1.0
        self.runs = 0
        self.flow = make_flow(1)

    def step(self) -> None:
        """One transaction with one to three saves; now and then it fails, and must leave no trace."""
        self.now += self.chance.choice([0.0, 0.25, 1.0, 40.0])
        fails = self.chance.random() < 0.1

        def work(tx: Transaction) -> None:
            for _ in range(self.chance.randint(1, 3)):
                self._write(tx)
            if fails:
                raise Rolled

        if not fails:
            self.store.transact(work)
            return
        model, runs = deepcopy(self.model), self.runs
        try:
            self.store.transact(work)
        except Rolled:
            self.model, self.runs = model, runs
            self.flow = make_flow(max(1, model.head().flow_version))

    def _write(self, tx: Transaction) -> None:
        kinds: list[Callable[[], Save | None]] = [
            *(self.add, self.add, self.claim, self.claim, self.renew, self.finish, self.finish, self.edit),
            *(self.ask, self.answer, self.comment, self.resolve, self.overrule, self.adopt, self.restart),
            *(self.send, self.reply, self.take, self.take, self.free, self.learn, self.pause),
        ]
        save = self.chance.choice(kinds)()
        if save is not None:
            tx.save(*save)
            self.model.save(*save)
            self._look(tx)
        if self.chance.random() < 0.2:
            self.keep(tx)
        if self.chance.random() < 0.3:
            self.bar(tx)

    def _look(self, tx: Transaction) -> None:
        """What a transaction has saved it sees."""
        assert replace(tx.head(), chain=b"") == self.model.head()
        assert tx.holds(self.now) == self.model.holds(self.now)
        for item in self.model.all_items():
            assert tx.item(item.id) == item
        for version, flow in self.model.tables["flows"].items():
            assert tx.flow(int(version)) == flow

    def bar(self, tx: Transaction) -> None:
        """Some items are noted as kept out, or those behind some bars are let in."""
        agent, bar = self.chance.choice(AGENTS), self.chance.choice([None, *BARS])
        if bar is None:
            tx.let_in(agent, BARS[:2])
            self.model.let_in(agent, BARS[:2])
            return
        noted = {item.id: bar for item in self.model.queue(agent)[:: self.chance.randint(1, 3)]}
        tx.keep_out(noted)
        self.model.keep_out(noted)

    def keep(self, tx: Transaction) -> None:
        actor, key = self.chance.choice(AGENTS), str(self.chance.randrange(5))
        known = self.model.keys.get((actor, key))
        assert tx.kept_answer(actor, key) == known
        if known is None:
            kept = KeptAnswer(self.chance.randbytes(32), b'{"answer": 1}')
            tx.keep_answer(actor, key, kept, 5)
            self.model.keys[actor, key] = kept
        sizes = [len(kept.answer) for (speaker, _), kept in self.model.keys.items() if speaker == actor]
        assert tx.kept_bytes(actor) == sum(sizes)

    def add(self) -> Save:
        chance, known = self.chance, list(self.model.tables["items"])
        parent = chance.choice(known) if known and chance.random() < 0.4 else None
        others = [item for item in known if item != parent]
        fields: dict[str, Any] = {
            "title": chance.choice(WORDS),
            "column": chance.choice(COLUMNS[:2]),
            "priority": chance.choice(PRIORITIES),
            "rank": chance.randrange(3),
            "tags": chance.sample(TAGS, chance.randrange(3)),
            "files": self.some_files(),
            "after": chance.sample(others, min(len(others), chance.randrange(3))),
            "parent": parent,
            "waits_for": [parent] if parent and chance.random() < 0.6 else [],
            "generation": chance.randrange(3),
            "kind": chance.choice(KINDS),
            "since": chance.randrange(9),
            "ready_at": self.now,
            "wake_at": self.now + 50.0 if chance.random() < 0.3 else 0.0,
        }
        return self.about(str(len(known) + 1), "item_added", fields)

    def claim(self) -> Save | None:
        item = self.pick(lambda item: item.status == "ready" and item.column != "done")
        if item is None:
            return None
        self.runs += 1
        run = {
            "item": item.id,
            "token": item.token + 1,
            "agent": self.flow.watcher(item.column),
            "column": item.column,
            "lease_until": self.now + self.chance.choice([5.0, 60.0]),
            "lease": 60.0,
            "model": "small",
            "started_at": int(self.now),
        }
        change = Change("runs", f"r{self.runs:x}", run)
        fields = {"status": "running", "run": change.id, "token": item.token + 1}
        return self.about(item.id, "agent_started", fields, change)

    def renew(self) -> Save | None:
        run = self.pick_run()
        if run is None:
            return None
        change = Change("runs", run.id, {"lease_until": self.now + 60.0, "renewals": run.renewals + 1})
        return self.about(run.item, "lease_renewed", {}, change)

    def finish(self) -> Save | None:
        run = self.pick_run()
        if run is None:
            return None
        report = Report.failed(self.chance.choice(WORDS), findings=[Finding(issue="slow", line=3)])
        changes = [Change("runs", run.id, {"ended_at": int(self.now), "end": "reported", "report": report})]
        if self.chance.random() < 0.5:
            number = len(self.model.attempts(run.item)) + 1
            attempt = {"item": run.item, "number": number, "run": run.id, "agent": run.agent, "column": run.column}
            changes.append(Change("attempts", f"{run.item}/{number}", attempt))
        column = self.chance.choice(COLUMNS)
        fields = {
            "status": "done" if column == "done" else "ready",
            "column": column,
            "run": None,
            "since": self.chance.randrange(9),
            "ready_at": self.now,
            "wake_at": self.now + 9.0 if self.chance.random() < 0.3 else 0.0,
            "effort": Effort(executions=1),
            "span": GuidanceCounters(runs=1, off_moves={"todo": 2}),
            "findings": report.findings,
        }
        return self.about(run.item, "agent_completed", fields, *changes)

    def edit(self) -> Save | None:
        item = self.pick(lambda item: True)
        if item is None:
            return None
        others = [other for other in self.model.tables["items"] if other != item.id]
        choices: list[dict[str, Any]] = [
            {"after": self.chance.sample(others, min(len(others), self.chance.randrange(4)))},
            {"parent": self.chance.choice([None, *others])},
            {"waits_for": [item.parent] if item.parent and not item.waits_for else []},
            {"priority": self.chance.choice(PRIORITIES), "rank": self.chance.randrange(5)},
            {"files": self.some_files()},
            {"body": self.chance.choice(WORDS), "tags": []},
            {"wake_at": self.now + 5.0},
        ]
        return self.about(item.id, "item_edited", self.chance.choice(choices))

    def ask(self) -> Save | None:
        item = self.pick(lambda item: True)
        if item is None:
            return None
        question = {
            "item": item.id,
            "kind": "decision",
            "question": self.chance.choice(WORDS),
            "options": [Option(option="yes"), Option(option="no", to="todo")],
            "deadline": self.now + 30.0 if self.chance.random() < 0.5 else None,
        }
        change = Change("questions", f"q{len(self.model.tables['questions']) + 1}", question)
        return self.about(item.id, "agent_seeks_guidance", {"open_questions": [change.id]}, change)

    def answer(self) -> Save | None:
        inbox = self.model.inbox()
        if not inbox:
            return None
        question: Question = self.chance.choice(inbox)
        fields = {
            "state": self.chance.choice(["answered", "withdrawn", "open"]),
            "answer": "yes",
            "answered_at": int(self.now),
        }
        return self.about(question.item, "divine_response_received", {}, Change("questions", question.id, fields))

    def comment(self) -> Save | None:
        item = self.pick(lambda item: True)
        if item is None:
            return None
        name = f"c{len(self.model.tables['comments']) + 1:03d}"
        said = {"item": item.id, "author": "me", "content": self.chance.choice(WORDS)}
        return self.about(item.id, "comment_added", {}, Change("comments", name, said))

    def resolve(self) -> Save | None:
        comments = list(self.model.tables["comments"].values())
        if not comments:
            return None
        comment = self.chance.choice(comments)
        return self.about(comment.item, "comment_resolved", {}, Change("comments", comment.id, {"status": "resolved"}))

    def overrule(self) -> Save | None:
        attempts = list(self.model.tables["attempts"].values())
        if not attempts:
            return None
        attempt = self.chance.choice(attempts)
        change = Change("attempts", attempt.id, {"counted": not attempt.counted})
        return self.about(attempt.item, "attempt_overruled", {}, change)

    def send(self) -> Save:
        """One event may write several messages, and need be about no item."""
        item = self.pick_or_none()
        first = len(self.model.tables["messages"]) + 1
        changes = [
            Change(
                "messages",
                f"m{number}",
                {
                    "sender": self.chance.choice(AGENTS),
                    "to": self.chance.choice(RECEIVERS),
                    "type": "task_handoff",
                    "payload": {"words": [self.chance.choice(WORDS), None, 1.5]},
                    "item": item,
                },
            )
            for number in range(first, first + self.chance.randint(1, 3))
        ]
        return self.about(self.chance.choice([item, None]), "handoff_created", {}, *changes)

    def reply(self) -> Save:
        known = list(self.model.tables["messages"])
        choices: list[dict[str, Any]] = [
            {"status": self.chance.choice(MESSAGE_STATUSES), "why": self.chance.choice(WORDS)},
            {"item": self.pick_or_none()},
        ]
        changes = [Change("messages", name, self.chance.choice(choices)) for name in self.some(known)]
        return self.about(self.pick_or_none(), "handoff_accepted", {}, *changes)

    def take(self) -> Save:
        """Paths that were free, released, expired, or are held already; one of them may be let go in the same event."""
        item = self.pick_or_none()
        changes = []
        for path in self.chance.sample(FILES, self.chance.randint(1, len(FILES))):
            fields = {
                "path": path,
                "owner": self.chance.choice(AGENTS),
                "item": item,
                "held": True,
                "acquired_at": int(self.now),
                "until": self.chance.choice([None, self.now, self.now + 20.0]),
            }
            changes.append(Change("holds", f"{item}:{path}", fields))
        if self.chance.random() < 0.2:
            changes.append(Change("holds", changes[0].id, {"held": False}))
        return self.about(item, "paths_held", {}, *changes)

    def free(self) -> Save:
        changes = [Change("holds", name, {"held": False}) for name in self.some(list(self.model.tables["holds"]))]
        return self.about(self.pick_or_none(), "paths_released", {}, *changes)

    def learn(self) -> Save | None:
        item = self.pick_or_none()
        if item is None:
            return None
        first = len(self.model.tables["lessons"]) + 1
        lesson = {"agent": self.chance.choice(AGENTS), "item": item, "run": "r1", "files": self.some_files()}
        changes = [
            Change("lessons", f"l{number}", {"text": self.chance.choice(WORDS), **lesson})
            for number in range(first, first + self.chance.randint(1, 2))
        ]
        return self.about(item, "lesson_learned", {}, *changes)

    def pause(self) -> Save:
        """A pool without quota, or its end; and what an agent has begun."""
        fields = {"on": self.chance.random() < 0.7, "until": self.chance.choice([None, self.now + 20.0]), "why": "full"}
        pool = Change("pauses", self.chance.choice(["all", "day", "pool:x"]), fields)
        starts = Change("meters", f"starts:{self.chance.choice(AGENTS)}", {"starts": [self.now], "usd": 0.5})
        return self.about(self.pick_or_none(), "pool_paused", {}, pool, starts)

    def adopt(self) -> Save:
        """A new flow: the items stay as they are and get new places."""
        version = self.model.head().flow_version + 1
        self.flow = make_flow(version)
        source = str(self.chance.random())  # a version that was rolled back may come again with another content
        change = Change("flows", str(version), {"flow": self.flow, "source": source, "at": 1})
        events, rows, _ = self.about(None, "flow_adopted", {}, change)
        return events, rows, {item.id: queue_position(self.flow, item) for item in self.model.all_items()}

    def restart(self) -> Save:
        change = Change("clock", "clock", {"boot": f"boot {self.chance.randrange(9)}", "offset": self.now})
        return self.about(None, "clock_restarted", {}, change)

    def pick(self, fits: Callable[[Item], bool]) -> Item | None:
        found = [item for item in self.model.all_items() if fits(item)]
        return self.chance.choice(found) if found else None

    def pick_or_none(self) -> str | None:
        return self.chance.choice([None, *self.model.tables["items"]])

    def some(self, known: list[str]) -> list[str]:
        return self.chance.sample(known, min(len(known), self.chance.randrange(3)))

    def some_files(self) -> list[str]:
        return self.chance.sample(FILES, self.chance.choice([0, 0, 1, 2]))

    def pick_run(self) -> Run | None:
        found = [run for run in self.model.tables["runs"].values() if run.ended_at is None]
        return self.chance.choice(found) if found else None

    def about(self, item: str | None, name: EventName, fields: dict[str, Any], *changes: Change) -> Save:
        """One event, and the rows it leads to."""
        version = 0
        listed = list(changes)
        if item is not None:
            known = self.model.tables["items"].get(item)
            version = known.version + 1 if known else 1
            listed.insert(0, Change("items", item, {**fields, "version": version, "updated_at": int(self.now)}))
        event = Event(
            name=name,
            item=item,
            agent=self.chance.choice(["me", None]),
            run=self.chance.choice(["r1", None]),
            context={"why": self.chance.choice(WORDS)},
            changes=listed,
            version=version,
            at=int(self.now * 1000),
            time=self.now,
        )
        folded = Model()
        folded.tables = {table: dict(known) for table, known in self.model.tables.items()}
        folded.save([event], [], {})
        # Each row once, however many changes it has; of some nobody need know whether they are new.
        rows = [
            (
                table,
                folded.tables[table][row],
                self.chance.random() < 0.5
                if table in ("holds", "pauses", "meters")
                else row not in self.model.tables[table],
            )
            for table, row in dict.fromkeys((change.table, change.id) for change in listed)
        ]
        places = {row.id: queue_position(self.flow, row) for table, row, _ in rows if table == "items"}
        return [event], rows, places


class Rolled(Exception):
    """Raised inside a transaction to undo it."""
