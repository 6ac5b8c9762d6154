"""Boards and situations in a line: one item under the rules alone, or a whole board in memory with time in hand."""

from collections.abc import Sequence
from functools import cache
from typing import Any, Self

from msgspec import convert, to_builtins

from folkmoot.core import commands
from folkmoot.core.commands import ENGINE, Actor, Command
from folkmoot.core.events import Change, Event, evolve
from folkmoot.core.flow import LEASE_MAX, Agent, Column, Flow, Limits, QuestionPolicy, Rung
from folkmoot.core.item import Item
from folkmoot.core.records import Attempt, Comment, Hold, Question, Run
from folkmoot.core.report import Report
from folkmoot.core.rules.decide import decide
from folkmoot.core.situation import Case, Draw, Neighbour, Situation
from folkmoot.core.work import Evidence, Touched, Work
from folkmoot.engine.application import Application
from folkmoot.engine.checking.doctor import examine
from folkmoot.engine.engine import Engine
from folkmoot.engine.moment import moment
from folkmoot.errors import Refused
from folkmoot.flows.load import load_flow
from folkmoot.flows.preset import read_preset
from folkmoot.store.port import Store
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.testing.clock import VirtualClock
from folkmoot.testing.in_json import InJson

PERSON = Actor("alice")
View = dict[str, Any]


class CountedIds:
    """Run ids r1, r2 … and a jitter that is always in the middle, so that a test can say what it expects."""

    def __init__(self) -> None:
        self._runs = 0
        self._messages = 0

    def run(self) -> str:
        self._runs += 1
        return f"r{self._runs}"

    def message(self) -> str:
        self._messages += 1
        return f"{self._messages * 1000:032x}"  # a command counts on from here

    def jitter(self) -> float:
        return 0.5


@cache
def preset_flow(name: str = "kanban") -> Flow:
    files = read_preset(name)
    return load_flow(files["flow.yaml"], "flow.yaml", files.get)


def limited(flow: Flow, *, deadline: float | None = None, pause_all: bool = False, **limits: Any) -> Flow:
    """The flow with other limits, or another policy for questions."""
    given = {**to_builtins(flow.limits), **limits}
    policy = QuestionPolicy(deadline=deadline, pause_all=pause_all)
    return convert({**to_builtins(flow), "limits": given, "questions": to_builtins(policy)}, Flow)


def line_flow(*stages: str, ladder: str = "", **limits: Any) -> Flow:
    """Stages in a row, each watched by an agent of its name; `ladder` lists the models, one failure each."""
    models = ladder.split()
    rungs = [Rung(low, low, model) for low, model in enumerate(models)]
    rungs += [Rung(len(models), None, "escalate")] if models else []
    following = [*stages[1:], "done"]
    columns = {
        name: Column(name=name, agents=[f"{name}-agent"], next=after)
        for name, after in zip(stages, following, strict=True)
    }
    return Flow(
        name="line",
        start=stages[0],
        columns={**columns, "done": Column(name="done")},
        agents={f"{name}-agent": Agent(name=f"{name}-agent", ladder=rungs) for name in stages},
        limits=Limits(**limits),
    )


@cache
def small_flow(text: str) -> Flow:
    """A flow from YAML, without prompts."""
    return load_flow(text, "flow.yaml", lambda path: None)


def report(outcome: str, **parts: Any) -> Report:
    """A report from plain values: `report("failed", attempts=[{"approach": "…"}])`."""
    return convert({"outcome": outcome, **parts}, Report)


def change(*paths: str, commit: str = "c1", base: str | None = None, how: str = "modified", **more: Any) -> Work:
    """A run's change of these paths, as whoever looked at its files tells it."""
    return Work(touched=[Touched(path, how) for path in paths], base=base, commit=commit, **more)


class Story:
    """One item under the rules alone: no store, no engine; each command is decided on what the ones before left."""

    def __init__(self, flow: Flow, column: str | None = None, **fields: Any) -> None:
        self.flow = flow
        self.now = 100.0
        self.ids = CountedIds()
        self.item: Item | None = None
        self.rows: dict[str, dict[str, Any]] = {
            table: {}
            for table in (
                "runs",
                "attempts",
                "comments",
                "questions",
                "messages",
                "holds",
                "lessons",
                "pauses",
                "meters",
            )
        }
        self.neighbours: dict[str, Neighbour] = {}
        self.maker: Item | None = None
        self.events: list[Event] = []
        if column is not None:
            self.do(commands.AddItem(title="An item", column=column, **fields))

    @property
    def it(self) -> Item:
        assert self.item is not None, "the item has not been added yet"
        return self.item

    @property
    def run(self) -> Run | None:
        run: Run | None = self.rows["runs"].get(self.item.run if self.item and self.item.run else "")
        return run

    @property
    def attempts(self) -> list[Attempt]:
        return list(self.rows["attempts"].values())

    @property
    def comments(self) -> list[Comment]:
        return list(self.rows["comments"].values())

    @property
    def questions(self) -> list[Question]:
        return list(self.rows["questions"].values())

    @property
    def open_questions(self) -> list[Question]:
        return [question for question in self.questions if question.state == "open"]

    @property
    def place(self) -> tuple[str, str]:
        return self.it.column, self.it.status

    def situation(self, command: Command, actor: Actor = PERSON) -> Situation:
        asked = getattr(command, "question", None)
        claims = isinstance(command, commands.ClaimItem)
        return Situation(
            flow=self.flow,
            flow_version=1,
            now=self.now,
            at=round(self.now * 1000),
            actor=actor,
            draw=Draw(
                run=self.ids.run() if claims else "",
                item=1,
                comment=len(self.rows["comments"]) + 1,
                question=len(self.rows["questions"]) + 1,
            ),
            item=self.item,
            run=self.run,
            attempts=self.attempts,
            comments=self.comments,
            questions=[q for q in self.questions if q.state == "open" or q.id == asked],
            neighbours=self.neighbours,
            maker=self.maker,
        )

    def do(self, command: Command, actor: Actor = PERSON) -> Case:
        """Decide, and fold the events into the rows; what is refused leaves them as they were."""
        case = decide(self.situation(command, actor), command)
        for event in case.events:
            for change in event.changes:
                self._fold(change)
        self.events += case.events
        return case

    def _fold(self, change: Change) -> None:
        if change.table == "items":
            item = evolve(self.item, change)
            assert isinstance(item, Item)
            self.item = item
        else:
            rows = self.rows[change.table]
            rows[change.id] = evolve(rows.get(change.id), change)

    def claim(self, agent: str | None = None, lease: float = 60.0) -> Actor:
        """Whoever watches the column takes the item."""
        agent = agent or self.flow.watcher(self.it.column) or "nobody"
        self.now = max(self.now, self.it.wake_at)
        self.do(commands.ClaimItem(agent=agent, lease=lease))
        assert self.it.run is not None
        return Actor(agent, self.it.run, self.it.token)

    def effort(self, outcome: str, **parts: Any) -> Item:
        """A claim by whoever watches the column, and its report."""
        actor = self.claim()
        self.do(commands.ReportRun(report=report(outcome, **parts), final=True), actor)
        return self.it

    def answer(self, question: str, answer: str = "1", to: str | None = None, **more: Any) -> Item:
        """Without words by its first option."""
        self.do(commands.AnswerQuestion(question=question, answer=answer, to=to, **more))
        return self.it

    def neighbour(self) -> Neighbour:
        """The item as its neighbours see it."""
        return Neighbour(self.it.id, self.it.status, self.it.after, self.it.rank, self.it.generation)

    def names(self) -> list[str]:
        return [event.name for event in self.events]


class TrialBoard:
    """A whole board in memory: the real engine and store, and a clock that stands still until it is moved."""

    @staticmethod
    def new_store() -> Store:
        return SqliteStore.create(":memory:")

    def __init__(self, flow: Flow | None = None, store: Store | None = None) -> None:
        self.clock = VirtualClock()
        self.clock.move_to(1.0)
        engine = Engine(store or self.new_store(), self.clock, CountedIds())
        engine.adopt_flow(ENGINE, flow or preset_flow(), "trial")
        self.application = Application(engine, "trial", [])
        self.engine: Any = InJson(engine)
        self.queries: Any = InJson(self.application.queries)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.application.close()

    def sleep(self, seconds: float) -> None:
        self.clock.move_to(self.clock.time + seconds)

    def add(self, title: str = "An item", **fields: Any) -> str:
        added: str = self.engine.add(PERSON, commands.AddItem(title=title, **fields))["id"]
        return added

    def claim(self, agent: str, **options: Any) -> Actor:
        """Take an item; pauses are waited out."""
        view = self.engine.claim(PERSON, agent, **options)
        return Actor(agent, view["run"], view["token"])

    def report(self, actor: Actor, outcome: str, **parts: Any) -> View:
        """The last word of a process that has ended."""
        view: View = self.engine.report(actor, report(outcome, **parts), final=True)
        return view

    def say(self, actor: Actor, outcome: str, **parts: Any) -> View:
        """The report of an agent that is still there: what breaks the form is refused."""
        view: View = self.engine.report(actor, report(outcome, **parts))
        return view

    def effort(self, agent: str, outcome: str, **parts: Any) -> View:
        return self.report(self.claim(agent), outcome, **parts)

    def bring(
        self,
        actor: Actor | str,
        outcome: str = "done",
        work: Work | None = None,
        evidence: Sequence[Evidence] = (),
        **parts: Any,
    ) -> View:
        """A report with what a worker saw itself; an agent's name takes an item first."""
        who = self.claim(actor) if isinstance(actor, str) else actor
        command = commands.ReportRun(report=report(outcome, **parts), work=work, evidence=list(evidence), final=True)
        view: View = self.engine.handle_run(who, command)
        return view

    def next(self, *agents: str) -> Actor:
        """What a worker for these agents and gates begins next."""
        actor: Actor = self.engine.claim_next(PERSON, agents).actor
        return actor

    def crash(self, actor: Actor) -> None:
        """Nothing is heard of the run any more: its lease runs out, and so does the pause after it."""
        self.sleep(LEASE_MAX)
        try:
            self.engine.act(actor, commands.RenewRun())
        except Refused:
            self.sleep(60)
            return
        raise AssertionError(f"{actor.run} is still alive")

    def on(self, item: str, command: Command, actor: Actor = PERSON) -> View:
        view: View = self.engine.handle_item(actor, item, command)
        return view

    def answer(self, question: str, answer: str = "1", to: str | None = None, **more: Any) -> View:
        """Without words by its first option."""
        view: View = self.engine.answer(
            PERSON, commands.AnswerQuestion(question=question, answer=answer, to=to, **more)
        )
        return view

    def show(self, item: str) -> View:
        view: View = self.queries.show(item)
        return view

    def item(self, item: str) -> Item:
        """The row itself, with what no view shows."""
        found = self.application.engine.store.read(lambda reading: reading.item(item))
        assert found is not None, f"there is no item {item}"
        return found

    def place(self, item: str) -> tuple[str, str]:
        found = self.item(item)
        return found.column, found.status

    def children(self, item: str, kind: str | None = None) -> list[Item]:
        """In the order they were made."""
        found = [self.item(child) for child in self.show(item)["children"]]
        return [child for child in found if kind in (None, child.kind)]

    def holds(self) -> list[Hold]:
        """Every hold in force now."""
        store = self.application.engine.store
        return store.read(lambda reading: reading.holds(moment(self.clock, reading.head()).now))

    def adopt(self, flow: Flow) -> int:
        return self.application.engine.adopt_flow(PERSON, flow, "another")

    def inbox(self) -> list[str]:
        """The ids of the open questions, in the order they are put to a person."""
        return [question["id"] for question in self.queries.inbox()["questions"]]

    def log(self, item: str | None = None) -> list[View]:
        events: list[View] = self.queries.log(item=item)["events"]
        return events

    def wrong(self) -> list[str]:
        """All that an examination of the board finds wrong; a sound board gives an empty list."""
        return [words for check in examine(self.engine).checks for words in check.wrong]


class SoundBoard(TrialBoard):
    """A board that is examined when it is left: whatever a test did to it, everything must hold."""

    def __exit__(self, *raised: object) -> None:
        found = self.wrong() if raised[0] is None else []
        super().__exit__(*raised)
        assert found == [], "\n".join(found)
