"""A world in one thread: a heap of who acts when, one source of chance, and a check after every step."""

import hashlib
import heapq
import random
from collections.abc import Callable, Generator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from folkmoot.api.views import ClaimView
from folkmoot.core import commands
from folkmoot.core.commands import ENGINE, Actor
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.rules.decide import FOR_PEOPLE
from folkmoot.core.rules.judging.form import REFUSALS_KEPT, REPORT_REFUSED
from folkmoot.core.rules.running.budgets import ALL
from folkmoot.engine.engine import Engine
from folkmoot.engine.moment import Moment, moment
from folkmoot.engine.reads.queries import Queries
from folkmoot.engine.unit_of_work import DUE_MAX
from folkmoot.errors import MootError
from folkmoot.sim.faults import PLACES, Crash, FaultyStore
from folkmoot.sim.habits.planners import heard_otherwise, left_out
from folkmoot.sim.habits.several import taken_though_it_contradicts
from folkmoot.sim.habits.talkative import misjudged, untold
from folkmoot.sim.orders import Answer, Order, carry_out
from folkmoot.sim.witness import Witness
from folkmoot.store.port import BoardHead, Store
from folkmoot.testing.clock import SeededIds, VirtualClock

# An actor is a script: it speaks by `World.say`, and yields the seconds until it acts again.
Script = Generator[float, None, None]
WHOLE_BOARD_EVERY = 250
LANDED = ("work_landed", "landing_found")


class Red(Exception):
    """Something that must hold did not."""

    def __init__(self, step: int, found: list[str]) -> None:
        super().__init__(f"step {step}: {found[0]}" + (f" (and {len(found) - 1} more)" if len(found) > 1 else ""))
        self.step = step
        self.found = found


class Outlook(Struct, frozen=True):
    """What the witness knows before a command: what may happen without it, and whether its speaker is current."""

    seq: int
    due: bool
    stale: bool
    moment: Moment


class World:
    """Several stores are several processes on one board; they take turns."""

    def __init__(self, seed: int, stores: Sequence[Store], flow: Flow, chance: random.Random) -> None:
        self.seed = seed
        self.chance = chance
        self.clock = VirtualClock()
        self.stores = [FaultyStore(store) for store in stores]
        self.witness = Witness(stores[0])
        self.trace = hashlib.sha256()
        self.step = 0
        self.crash_rate = 0.0
        self.branch: set[str] = set()  # what git shows: the commits that were ever brought onto a branch
        self.on_step: Callable[[Order, Answer], None] = lambda order, answer: None
        self._heap: list[tuple[float, int, Script]] = []
        self._pushed = 0
        self._told: dict[tuple[str, str], tuple[bytes, bytes]] = {}  # what was said under a key, and the answer
        self._engines = [self._process(store) for store in self.stores]
        self.engine.adopt_flow(ENGINE, flow, "")
        self._check(self.witness.look)

    def _process(self, store: Store) -> Engine:
        """A new process: it knows nothing but what is in the store."""
        return Engine(store, self.clock, SeededIds(self.chance))

    @property
    def _turn(self) -> int:
        return self.step % len(self.stores)

    @property
    def store(self) -> FaultyStore:
        return self.stores[self._turn]

    @property
    def engine(self) -> Engine:
        return self._engines[self._turn]

    @property
    def queries(self) -> Queries:
        return Queries(self.store, self.clock)

    def close(self) -> None:
        for store in self.stores:
            store.close()

    # Time

    def enter(self, script: Script, after: float = 0.0) -> None:
        self._pushed += 1
        heapq.heappush(self._heap, (self.clock.time + after, self._pushed, script))

    def empty(self) -> None:
        """Everybody leaves; their runs stay behind."""
        self._heap.clear()

    def run(self, until: Callable[[], bool]) -> None:
        """Let whoever is next act, until it is enough or nobody is left."""
        while self._heap and not until():
            time, _, script = heapq.heappop(self._heap)
            self.clock.move_to(time)
            pause = next(script, None)
            if pause is not None:
                self.enter(script, pause)

    @property
    def now(self) -> float:
        """The store's clock."""
        return self._moment().now

    @property
    def flow(self) -> Flow:
        assert self.witness.flow is not None
        return self.witness.flow

    @property
    def idle(self) -> bool:
        """Nothing is being worked on, and nothing could be taken, now or later, before a person speaks."""
        paused = self.flow.questions.pause_all and self.witness.open_questions
        deadlines = any(question.deadline is not None for question in self.witness.open_questions.values())
        # What a person has taken waits for that person.
        live = [run for run in self.witness.audit.open_runs.values() if not self.items[run.item].taken]
        if live or deadlines:
            return False
        return bool(paused) or ALL in self.witness.pauses(self.now) or self.witness.is_stuck(self.now)

    @property
    def items(self) -> dict[str, Item]:
        return self.witness.items

    def _moment(self) -> Moment:
        clock: Any = self.witness.audit.tables.get("clock", {}).get("clock")
        boot, offset = (clock.boot, clock.offset) if clock else ("", 0.0)
        return moment(self.clock, BoardHead(time=self.witness.audit.time, boot=boot, offset=offset))

    # Speaking

    def say(self, order: Order) -> Answer:
        """One step: carry out a command, perhaps dying over it, and check everything it touched."""
        self.step += 1
        outlook = self._outlook(order)
        answer, crash = self._speak(order)
        self._note(order.words(), b"died" if answer.lost else answer.words())
        self._check(lambda: self._look(order, answer, outlook, crash))
        self.on_step(order, answer)
        return answer

    def adopt(self, actor: Actor, flow: Flow) -> None:
        """One step: take in another flow, on a board full of work."""
        self.step += 1
        try:
            heard = str(self.engine.adopt_flow(actor, flow, ""))
        except MootError as error:
            heard = error.code
        except Exception as fault:
            raise Red(self.step, [f"the engine broke: {type(fault).__name__}: {fault}; on a flow"]) from fault
        self._note(b"adopt", heard.encode())
        self._check(self.witness.look)

    def _speak(self, order: Order) -> tuple[Answer, Crash | None]:
        if self.crash_rate and self.chance.random() < self.crash_rate:
            self.store.die(self.chance.choice(PLACES), self.chance.choice((0, 0, 0, 1, 2)))
        try:
            return Answer(view=carry_out(self.engine, order, self.branch.add)), None
        except MootError as error:
            return Answer(error=error), None
        except Crash as crash:
            self._engines[self._turn] = self._process(self.store)
            return Answer(), crash
        except Exception as fault:
            told = order.words().decode("utf-8", "replace")
            raise Red(self.step, [f"the engine broke: {type(fault).__name__}: {fault}; on {told}"]) from fault
        finally:
            self.store.live()

    def _note(self, *words: bytes) -> None:
        self.trace.update(repr((self.step, round(self.clock.time, 6))).encode())
        for word in words:
            self.trace.update(word)

    def _check(self, look: Callable[[], Any]) -> None:
        try:
            look()
            if self.step % WHOLE_BOARD_EVERY == 0:
                self.witness.check_all()
        except MootError as error:
            self.witness.found.append(f"the store cannot be read: {error}")
        if self.witness.found:
            raise Red(self.step, self.witness.found)

    def _outlook(self, order: Order) -> Outlook:
        at = self._moment()
        overdue = [run.id for run in self.witness.audit.open_runs.values() if run.lease_until <= at.now]
        deadlines = [q.deadline for q in self.witness.open_questions.values() if q.deadline is not None]
        late = sum(deadline <= at.now for deadline in deadlines)
        actor = order.actor
        run = self.witness.run(actor.run)
        rescued = actor.run in overdue and len(overdue) + late <= DUE_MAX
        stale = run is not None and (run.ended_at is not None or run.token != actor.token or rescued)
        return Outlook(self.witness.seq, bool(overdue or late or at.restarted), stale, at)

    def _look(self, order: Order, answer: Answer, outlook: Outlook, crash: Crash | None) -> None:
        repeated = self._check_repeat(order, answer, outlook, crash)
        is_claim = isinstance(order.command, commands.ClaimItem)
        events = self.witness.look(order.column if is_claim else None, picked=order.item is None)
        found = self.witness.found
        if crash is not None and crash.answer is None and events:
            found.append(f"R-02: a process died inside its transaction, yet {events[0].name} was written")
        if answer.error is not None:
            # What time alone brings about is the rules' own doing; a refused command leaves nothing else behind.
            by_others = [event.name for event in events if not outlook.due or event.actor != "engine"]
            self._check_refusal(order, answer.error, outlook, by_others)
        if isinstance(answer.view, ClaimView) and not repeated:
            told = answer.view.brief["previous"] or {}
            found += untold(answer.view, self.witness.run(told.get("run")))
        for event in events:
            item = self.items.get(event.item or "") if event.name in LANDED else None
            if item is not None and item.landed not in self.branch:
                found.append(f"R-19: {event.name} says that {item.landed} is on a branch, and git does not show it")
        if isinstance(order.command, commands.ReportRun) and answer.view is not None and not repeated:
            found += misjudged(self.witness.run(order.actor.run), events)
        both = taken_though_it_contradicts(order.command) if answer.view is not None else None
        lost = heard_otherwise(order.command)
        splits = [event for event in events if event.name == "work_split"]
        lost = lost or next((why for one in splits if (why := left_out(order.command, one.context["children"]))), None)
        if lost:
            found.append(f"R-24: a split of {order.actor.run}: {lost}")
        if both:
            found.append(f"R-32: a report of {order.actor.run} was taken, and {both}")
        if order.actor.file and isinstance(order.command, FOR_PEOPLE) and answer.view is not None:
            found.append(f"R-04: {type(order.command).__name__} was taken from a file of {order.actor.name}")
        if outlook.stale and not repeated and answer.view is not None:
            found.append(f"I3: {type(order.command).__name__} of a run that is not current was taken")

    def _check_refusal(self, order: Order, error: MootError, outlook: Outlook, events: Sequence[str]) -> None:
        found = self.witness.found
        if error.code == REPORT_REFUSED:
            found += self._check_refused_report(order, events)
        elif events and not (error.code == "path_held" and events == ["paths_wanted"]):
            found.append(f"R-29: a command refused as {error.code} left {', '.join(events)} behind")
        if outlook.stale and error.code != "stale_claim" and error.exit_code == 1 and error.code != "only_people":
            found.append(f"I3: a run that is not current heard {error.code}")
        command = order.command
        if isinstance(command, commands.ClaimItem) and error.code == "nothing_ready":
            missed = self.witness.first(command.agent, outlook.moment.now, order.column)
            if missed:
                found.append(f"R-03: item {missed.id} could be claimed, but {command.agent} got nothing")

    def _check_refused_report(self, order: Order, events: Sequence[str]) -> list[str]:
        """Its run lives, nothing else has happened, and each comment of it is on the board once (R-32)."""
        found = [f"R-32: a refused report left {name} behind" for name in events if name != "report_refused"]
        run = self.witness.run(order.actor.run)
        if run is None or run.ended_at is not None:
            return [*found, f"R-32: run {order.actor.run} was refused its report, and has ended"]
        said = [comment.content for comment in self.witness.comments_of(run)]
        command = order.command
        told: list[str] = []
        if isinstance(command, commands.ReportRun | commands.OfferReport):
            told = [remark.content for remark in command.report.comments]
        kept = self.items[run.item].kind != "part" and run.refusals < REFUSALS_KEPT
        lost = [words for words in told if kept and words.strip() and words not in said]
        twice = [words for words in said if said.count(words) > max(1, told.count(words))]
        found += [f"R-32: what a refused report of {run.id} said is lost: {words}" for words in lost]
        return found + [f"R-32: {run.id} was refused, and stands there twice: {words}" for words in twice[:1]]

    def _check_repeat(self, order: Order, answer: Answer, outlook: Outlook, crash: Crash | None) -> bool:
        """A key that was answered before: the same bytes again, and nothing happens (I30)."""
        if order.key is None:
            return False
        place = (order.actor.run or order.actor.name, order.key)
        heard = self._told.get(place)
        if heard is None:
            given = answer.view if answer.view is not None else crash.answer if crash else None
            if isinstance(given, msgspec.Struct):
                self._told[place] = (order.words(), msgspec.json.encode(given))
            return False
        seq = self.store.read(lambda reading: reading.head().seq)
        if seq != outlook.seq:
            self.witness.found.append(f"I30: the repeated key {order.key} had an effect")
        said, first_answer = heard
        if order.words() != said:
            if not answer.lost and answer.code != "key_reused":
                self.witness.found.append(f"I30: the key {order.key} was taken for another command")
        elif not answer.lost and (answer.view is None or answer.words() != first_answer):
            self.witness.found.append(f"I30: the repeated key {order.key} gave another answer")
        return True
