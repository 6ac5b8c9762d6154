"""One trial: items come in, free slots are filled, runs take their time, people answer. The engine decides the rest."""

import heapq
import random
from collections.abc import Callable
from functools import partial

from msgspec import Struct

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.core.enums import ENDED
from folkmoot.core.flow import LEASE_MAX, Flow
from folkmoot.core.item import Item
from folkmoot.core.order import order_key
from folkmoot.core.records import Question, Run
from folkmoot.engine.engine import Engine
from folkmoot.errors import Invalid, NothingToDo, Refused
from folkmoot.sim.population.actors import Act, Effort
from folkmoot.sim.population.board import BoardSeen
from folkmoot.sim.population.chance import Chance, TrialIds
from folkmoot.sim.population.population import ROLES, People, Population
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.testing.clock import VirtualClock

WORKER = Actor("worker")
OWNER = Actor("owner")  # brings the items, and answers
# The rules bound the runs of an item, and people give up; a trial that goes on beyond this has found a hole in both.
STEPS_PER_ITEM_MAX = 20_000


class Broken(Exception):
    """Something that must hold did not."""

    def __init__(self, found: list[str]) -> None:
        super().__init__(found[0])
        self.found = found


class Spent(Struct, frozen=True):
    """What a run took, whether or not it lived to report it."""

    role: str
    cost: float


class Trial:
    def __init__(self, flow: Flow, population: Population, seed: int, slots: int) -> None:
        self.flow = flow
        self.population = population
        self.seed = seed
        self.slots = slots
        self.clock = VirtualClock()
        self.begin = 0.0  # what the store's clock shows when the trial's own begins
        self.store = SqliteStore.create(":memory:", durable=False)
        self.ids = TrialIds(random.Random(f"{seed} ids"))
        self.engine = Engine(self.store, self.clock, self.ids)
        self.seen = BoardSeen(self.store, flow)
        self.spent: dict[str, Spent] = {}
        self.busy: set[str] = set()  # runs that hold a slot
        self.brought: list[str] = []  # the items that came from outside
        self.ended_at: dict[str, float] = {}
        self.steps = 0
        self._heap: list[tuple[float, int, Callable[[], None]]] = []
        self._planned = 0
        self._changed = False  # has anything happened that could free a slot or an item?
        self._names: dict[str, str] = {}  # item -> what it is in every flow, whatever number it got on this board
        self._namesakes: dict[str, int] = {}
        self._efforts: dict[tuple[str, str, str], int] = {}  # item, stage and agent -> runs so far
        self._answers: dict[str, int] = {}  # item -> how often a person has answered about it
        self._asked: dict[str, Chance] = {}
        self._questions: dict[str, int] = {}  # item -> how many were asked about it
        self._alarms: set[float] = set()
        self._worst: dict[str, float] = {}
        self._difficulties: dict[str, float] = {}
        self._eases: dict[str, float] = {}  # item that was split -> by how much its tasks are easier

    def play(self) -> None:
        """Live through it all, until nothing can happen any more."""
        self.engine.adopt_flow(OWNER, self.flow, "")
        self._after_step()
        self.begin = self.seen.audit.time
        for number in range(self.population.items.count):
            self._at(number * self.population.items.every, partial(self._bring, number))
        while self._heap:
            time, _, deed = heapq.heappop(self._heap)
            self.clock.move_to(time)
            deed()
            if self._changed:
                # What happened may have freed a slot or an item: it is filled now, and not at some tick.
                self._fill()
                self._changed = False
        self.seen.check_all()
        self._check_end()
        if self.seen.broken:
            raise Broken(self.seen.broken)

    def close(self) -> None:
        self.store.close()

    # Time

    def _at(self, time: float, deed: Callable[[], None]) -> None:
        self._planned += 1
        heapq.heappush(self._heap, (time, self._planned, deed))

    def _in(self, seconds: float, deed: Callable[[], None]) -> None:
        self._at(self.clock.time + seconds, deed)

    @property
    def now(self) -> float:
        """The store's clock."""
        return self.begin + self.clock.time

    def _alarm(self, time: float) -> None:
        """Time alone changes nothing (R-29): at this moment of the store, somebody must speak for it to take effect."""
        if time > self.now and time not in self._alarms:
            self._alarms.add(time)
            self._at(time - self.begin, self._sweep)

    def _sweep(self) -> None:
        """Every command first makes happen what is due, also one that is refused, as this one is."""
        self._changed = True
        try:
            self.engine.act(Actor("worker", "no-run", 0), commands.RenewRun())
        except Invalid:
            self._after_step()

    def _after_step(self) -> None:
        """Look at what a command has changed, and plan what follows from it."""
        self.steps += 1
        events = self.seen.look()
        self._changed = self._changed or any(event.name != "lease_renewed" for event in events)
        if self.seen.broken:
            raise Broken(self.seen.broken)
        if self.steps > STEPS_PER_ITEM_MAX * (self.population.items.count + 1):
            raise Broken([f"R-33: after {self.steps} steps it still goes on"])
        for name in dict.fromkeys(change.id for e in events for change in e.changes if change.table == "items"):
            item = self.seen.items[name]
            if item.status in ENDED:
                self.ended_at.setdefault(name, self.clock.time)
            else:
                self.ended_at.pop(name, None)
                self._alarm(item.wake_at)
        for name in dict.fromkeys(change.id for e in events for change in e.changes if change.table == "questions"):
            self._hear(self.seen.questions[name])
        # A run that has ended, by its own word or another's, is stopped, and its slot is free.
        self.busy = {run for run in self.busy if self.seen.runs[run].ended_at is None}

    # What comes in

    def _bring(self, number: int) -> None:
        """The items of a seed are the same for every flow and every number of slots."""
        intake, chance = self.population.items, Chance(self.seed, "item", number)
        kind = chance.weighted("type", intake.types)
        difficulty = 1.0 if chance.roll("hard") < intake.hard else chance.roll("difficulty")
        follows = bool(self.brought) and chance.roll("follows") < intake.after
        after = [chance.choice("earlier", self.brought)] if follows else []
        files = chance.some("files", intake.files_of, intake.files_each)
        command = commands.AddItem(
            title=f"Item {number + 1}", type=kind, after=after, files=[f"src/file-{n + 1}.py" for n in sorted(files)]
        )
        item: str = self.engine.add(OWNER, command).id
        self.brought.append(item)
        self._names[item] = f"item {number}"
        self._difficulties[item] = difficulty
        self._after_step()

    def _difficulty(self, item: Item) -> float:
        """How hard it is now: people's and experts' words make it easier."""
        left = self._own_difficulty(item)
        if self.population.people is not None:
            left *= (1 - self.population.people.helps) ** item.clarifications
        for output in item.outputs.values():
            if output.kind == "expert" and output.outcome == "done":
                left *= 1 - self.population.number("helps", output.agent, "expert", None)
        return left

    def _own_difficulty(self, item: Item) -> float:
        if item.id not in self._difficulties:
            above = self.seen.items.get(item.parent or "")
            if above is None:
                own = Chance(self.seed, self._name(item)).roll("difficulty")
            else:
                own = self._own_difficulty(above) * (1 - self._eases.get(above.id, 0.0) * (item.kind == "task"))
            self._difficulties[item.id] = own
        return self._difficulties[item.id]

    def _name(self, item: Item) -> str:
        """What an item is whichever flow it is in: its place among those that came in, or among a parent's children."""
        if item.id not in self._names:
            above = self.seen.items.get(item.parent or item.dispatched_by or "")
            kin = f"{self._name(above) if above else ''}/{item.kind} {item.agent or ''}"
            self._namesakes[kin] = self._namesakes.get(kin, 0) + 1
            self._names[item.id] = f"{kin} {self._namesakes[kin]}"
        return self._names[item.id]

    # Agents

    def _chance(self, agent: str, item: Item) -> Chance:
        """Of this agent's next effort on this item at its stage: the same luck in every flow that comes to it."""
        stage = self.flow.stage(item.column, item.origins)
        return Chance(self.seed, self._name(item), stage, agent, self._efforts.get((item.id, stage, agent), 0))

    def _fill(self) -> None:
        """Fill every free slot, the item that has waited longest first."""
        tried: set[str] = set()
        while len(self.busy) < self.slots:
            found = self._next(tried)
            if found is None:
                return
            if not self._claim(*found):
                tried.add(found[0])

    def _next(self, tried: set[str]) -> tuple[str, Item] | None:
        """The agent whose turn it is, and the item it will be given, unless others hold that one's files."""
        now, starve, items = self.now, self.flow.limits.starve, self.seen.items
        waiting = [
            (order_key(items[name], now, starve), agent, name)
            for agent, names in self.seen.queues.items()
            if agent not in tried
            for name in names
            if items[name].wake_at <= now
        ]
        if not waiting:
            return None
        _, agent, name = min(waiting)
        return agent, items[name]

    def _claim(self, agent: str, expected: Item) -> bool:
        """Take the agent's next item, if there is one."""
        may_die = self._chance(agent, expected).roll("crash") < self._worst_crash(agent)
        # Only a run that may die needs rescue: with a long lease the others need not fill the log with renewals.
        lease = self.flow.limits.lease if may_die else LEASE_MAX
        try:
            claim = self.engine.claim(WORKER, agent, lease=lease, worker="trial", show=False)
        except NothingToDo:
            self._after_step()
            return False
        self._after_step()
        run = self.seen.runs[claim.run]
        item = self.seen.items[run.item]
        chance = self._chance(agent, item)
        stage = self.flow.stage(item.column, item.origins)
        self._efforts[(item.id, stage, agent)] = self._efforts.get((item.id, stage, agent), 0) + 1
        act = Effort(self.flow, self.population, claim, item, self._difficulty(item), chance).act()
        dies = may_die and chance.roll("crash") < self.population.number("crash", agent, act.role, run.model)
        lived = chance.roll("lived") if dies else 1.0
        ends = self.clock.time + act.seconds * lived
        self.busy.add(run.id)
        self.spent[run.id] = Spent(act.role, act.cost * lived)
        if not dies:
            self._at(ends, partial(self._report, run, act, chance))
        self._keep(run, ends, dies)
        return True

    def _worst_crash(self, agent: str) -> float:
        """The highest chance that a run of this agent dies, whatever it will be given to do, and with which model."""
        if agent not in self._worst:
            known = self.flow.agents.get(agent)
            models = [None, *(rung.model for rung in known.ladder)] if known else [None]
            chances = [self.population.number("crash", agent, role, model) for role in ROLES for model in models]
            self._worst[agent] = max(chances)
        return self._worst[agent]

    def _keep(self, run: Run, ends: float, dies: bool) -> None:
        """Renew at a third of the lease, as a worker does, while the run lives."""
        if self.clock.time + run.lease / 3 < ends:
            self._in(run.lease / 3, partial(self._renew, run, ends, dies))
        elif dies:
            self._alarm(self.now + run.lease)

    def _renew(self, run: Run, ends: float, dies: bool) -> None:
        if run.id in self.busy:
            self.engine.act(_voice(run), commands.RenewRun())
            self._after_step()
            self._keep(run, ends, dies)

    def _report(self, run: Run, act: Act, chance: Chance) -> None:
        if run.id in self.busy:
            self.ids.effort = chance
            if act.report.outcome == "split":
                self._eases[run.item] = self.population.number("eases", run.agent, act.role, run.model)
            self.engine.act(_voice(run), commands.ReportRun(report=act.report, fault=act.fault))
            self.ids.effort = None
            self._after_step()

    # People

    def _hear(self, question: Question) -> None:
        if question.state != "open" or question.id in self._asked:
            return
        item = self.seen.items[question.item]
        number = self._questions[question.item] = self._questions.get(question.item, 0) + 1
        self._asked[question.id] = Chance(self.seed, self._name(item), "question", number)
        if question.deadline is not None:
            self._alarm(question.deadline)
        if self.population.people is not None:
            self._think(self.population.people, question.id)

    def _think(self, people: People, question: str) -> None:
        after = people.answers_after * self._asked[question].between("after", 0.5, 1.5)
        self._in(after, partial(self._answer, people, question))

    def _answer(self, people: People, name: str) -> None:
        question = self.seen.questions[name]
        if question.state != "open":
            return
        answers = self._answers.get(question.item, 0)
        try:
            if answers >= people.gives_up_after:
                self.engine.handle_item(OWNER, question.item, commands.CancelItem(why="it is not worth more answers"))
            else:
                self.engine.answer(OWNER, commands.AnswerQuestion(question=name, answer=self._choice(people, question)))
        except Refused as refusal:
            if refusal.code != "item_running":
                raise
            # The chosen way would move the item out of an agent's hands; when its run is over it can be taken.
            self._think(people, name)
        else:
            self._answers[question.item] = answers + 1
        self._after_step()

    def _choice(self, people: People, question: Question) -> str:
        # Who parks an item has not decided: these people do.
        numbers = [n for n, option in enumerate(question.options, start=1) if option.effect != "park"]
        if not numbers:
            return "Go on; take the simplest way that does what the item asks for."
        any_one = self._asked[question.id].choice("option", numbers)
        ways = {"first_option": numbers[0], "last_option": numbers[-1], "any_option": any_one}
        return str(ways[people.decides])

    # The end

    def _check_end(self) -> None:
        """Nothing can happen any more: then everything has ended, or waits in the end for a person (R-03)."""
        open_questions = any(question.state == "open" for question in self.seen.questions.values())
        if self.flow.questions.pause_all and open_questions:
            return
        for name in self.seen.left_alone(self.now - self.flow.limits.starve):
            item = self.seen.items[name]
            words = f"R-03 (item {name}): it is {item.status} in {item.column}, and nothing will ever happen to it"
            self.seen.broken.append(words)


def _voice(run: Run) -> Actor:
    return Actor(run.agent, run.id, run.token)
