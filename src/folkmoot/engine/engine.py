"""The engine: each call is one transaction in which the rules decide and the store remembers, or nothing happens."""

from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, TypeVar

import msgspec

from folkmoot.briefs.brief import brief
from folkmoot.core import commands
from folkmoot.core.commands import Command, Speaker
from folkmoot.core.events import FlowVersion
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.records import Pause
from folkmoot.core.report import Remark, Report
from folkmoot.core.rules.admission import check_claimer, check_moves, check_pause, lease_for
from folkmoot.core.rules.claims import not_claimable, stale
from folkmoot.core.rules.messages.carrying import note_on, note_on_completed
from folkmoot.core.rules.running.landing import check_lease, moves_branch
from folkmoot.core.rules.running.limits import check_stop
from folkmoot.core.rules.sharing.holds import note_on_lock
from folkmoot.core.rules.sharing.paths import normal_path, outside
from folkmoot.core.text import encoded
from folkmoot.core.vocabulary.roles import agent_named
from folkmoot.engine.claiming import check_starting, next_item, next_of
from folkmoot.engine.facts import facts
from folkmoot.engine.loading import known_message, message_about
from folkmoot.engine.moment import moment
from folkmoot.engine.ports import Clock, Ids
from folkmoot.engine.turn import Turn
from folkmoot.engine.views import answer_view, claim_view, hold_views, item_view, message_view, pause_views
from folkmoot.errors import Invalid, MootError, NothingToDo, Refused
from folkmoot.store.base import KeptAnswer, Reading, Store, Transaction

View = dict[str, Any]
Found = TypeVar("Found")


class Engine:
    def __init__(self, store: Store, clock: Clock, ids: Ids) -> None:
        self.store = store
        self.clock = clock
        self.ids = ids

    def add(self, speaker: Speaker, command: commands.AddItem | commands.DispatchAgent, key: str | None = None) -> View:
        return self._handle(speaker, command, lambda turn: None, key, True)

    def on_item(self, speaker: Speaker, item: str, command: Command, key: str | None = None, show: bool = True) -> View:
        """A command about an item: move, edit, cancel, reopen, comment. With `show` the answer is the item."""
        return self._handle(speaker, command, lambda turn: turn.item(item), key, show, salt=item)

    def on_run(self, speaker: Speaker, command: Command, key: str | None = None, show: bool = True) -> View:
        """A command of a run about its own item: renew, release, report. With `show` the answer is the item."""

        view = self._handle(speaker, command, lambda turn: own_item(turn, speaker) or no_run(), key, show)
        if isinstance(command, commands.WidenRun):
            self._check_widened(speaker, command.paths)
        return view

    def _check_widened(self, speaker: Speaker, paths: list[str]) -> None:
        """The question to a person is on the board; whoever asked for the paths must still hear that it has none."""

        def missing(reading: Reading) -> list[str]:
            run = reading.run(speaker.run or "")
            item = reading.item(run.item) if run is not None else None
            return outside([normal_path(path) for path in paths], item.files) if item is not None else []

        names = ", ".join(self.store.read(missing))
        if names:
            hint = "go on without them: the answer is in the item's next brief"
            raise Refused("person_asked", f"a person is asked whether this item may change {names}", hint)

    def land(
        self,
        speaker: Speaker,
        command: commands.ReportRun,
        move: Callable[[str], None],
        key: str | None = None,
        show: bool = True,
    ) -> View:
        """Report a landing, and move its branch as the last step of the same transaction.

        `move` is called with the commit that the rules say has landed, after they have decided that the run is the
        current one and the item still wants it, while nobody else can write: whoever cancels or rescues comes before,
        and then nothing moves, or after, and then it has landed. What it raises undoes the report. The commit may yet
        fail, or the process die before it: so the move is written down before (`RecordLanding`), and whoever finds
        that settles it. It must be short, and do nothing when it is called again after it succeeded.
        """

        def work(turn: Turn) -> View:
            item = turn.apply(command, own_item(turn, speaker) or no_run(), speaker)
            view = item_view(turn.tx, item, turn.flow, turn.moment) if show or key else {}
            run = turn.tx.run(speaker.run or "")
            if run is not None and moves_branch(run):
                check_lease(run, moment(self.clock, turn.tx.head()).now)  # the rules may have taken a while
                move(item.landed or "")
            return view

        return self._transact(speaker, command, work, key, "", alone=True)

    def report(
        self,
        speaker: Speaker,
        report: Report,
        fault: str | None = None,
        key: str | None = None,
        show: bool = True,
        final: bool = False,
    ) -> View:
        """A report that breaks the form is refused, and its run lives; with `final` it ends the run (R-32)."""
        return self.on_run(speaker, commands.ReportRun(report=report, fault=fault, final=final), key, show)

    def answer(self, speaker: Speaker, command: commands.AnswerQuestion, key: str | None = None) -> View:
        def load(turn: Turn) -> Item:
            question = turn.tx.question(command.question)
            if question is None:
                words = f"there is no question {command.question}"
                raise Invalid("unknown_question", words, "see: moot inbox", {"question": command.question})
            return turn.item(question.item)

        return self._handle(speaker, command, load, key, True)

    def claim(
        self,
        speaker: Speaker,
        agent: str,
        *,
        column: str | None = None,
        item: str | None = None,
        lease: float | None = None,
        worker: str = "",
        key: str | None = None,
        show: bool = True,
    ) -> View:
        """The next item for that agent, with its brief; raises NothingToDo if none is ready."""

        def work(turn: Turn) -> View:
            check_claimer(speaker, turn.tx.run(speaker.run) if speaker.run else None)
            who = agent_named(turn.flow, agent)
            seconds = lease_for(turn.flow, who, column, lease)
            pauses = _check_pauses(turn)
            check_starting(turn.tx, turn.flow, who, pauses, turn.moment.now)
            wanted = turn.item(item).id if item else None
            if wanted is not None:
                turn.sweep_item(wanted)
            look = partial(next_item, turn.tx, turn.flow, who, turn.moment.now, column=column, item=wanted)
            ready = _found_among_due(turn, look)
            if ready is None:
                raise nothing_ready(turn, who, wanted)
            order = commands.ClaimItem(agent=who, lease=seconds, worker=worker)
            return _claimed(turn, order, ready, speaker, show or key is not None)

        salt = f"{column} {item} {lease}"
        command = commands.ClaimItem(agent=agent, lease=lease or 0, worker=worker)
        return self._transact(speaker, command, work, key, salt)

    def claim_next(
        self,
        speaker: Speaker,
        agents: Sequence[str],
        *,
        worker: str = "",
        lease: float | None = None,
        sandboxed: bool | None = None,
    ) -> View:
        """For a worker: the next item for any of these agents and gates; raises NothingToDo if none is ready."""

        def work(turn: Turn) -> View:
            pauses = _check_pauses(turn)
            found = _found_among_due(turn, partial(next_of, turn.tx, turn.flow, agents, pauses, turn.moment.now))
            if found is None:
                raise NothingToDo("nothing_ready", "no item is ready for any of these agents", "see: moot board")
            agent, item = found
            seconds = lease_for(turn.flow, agent, None, lease)
            order = commands.ClaimItem(agent=agent, lease=seconds, worker=worker, sandboxed=sandboxed)
            return _claimed(turn, order, item, speaker, True)

        return self._transact(speaker, commands.ClaimItem(agent="", lease=0), work, None, "")

    def on_board(self, speaker: Speaker, command: commands.StopBoard | commands.ResumeBoard) -> View:
        """A command about the board as a whole; the answer says what is paused after it."""

        def work(turn: Turn) -> View:
            turn.apply(command, None, speaker)
            return {"pauses": pause_views(turn.tx.pauses(), turn.moment)}

        return self._transact(speaker, command, work, None, "")

    def keep_output(self, speaker: Speaker, parts: Sequence[tuple[int, str]]) -> None:
        """What a live run printed. It stands beside the log, so that it explains runs and decides nothing."""

        def work(tx: Transaction) -> None:
            run = tx.run(speaker.run or "")
            if run is None or run.ended_at is not None or run.token != speaker.token:
                raise stale(speaker, "it has ended")
            for number, text in parts:
                tx.keep_output(run.id, number, text)

        self.store.transact(work)

    def lock(
        self, speaker: Speaker, command: commands.LockPaths | commands.UnlockPaths, key: str | None = None
    ) -> View:
        """A person's hold on paths, or a run's; the answer is every hold in force."""

        def work(turn: Turn) -> View:
            turn.apply(command, own_item(turn, speaker), speaker)
            held = turn.tx.holds(turn.moment.now)
            note = note_on_lock(held, command, speaker, turn.moment.now)
            return {"locks": hold_views(held), **({"note": note} if note else {})}

        return self._transact(speaker, command, work, key, "")

    def send(self, speaker: Speaker, command: commands.SendMessage, key: str | None = None) -> View:
        """A message; the answer is its envelope, with a note where the board counts otherwise."""

        def work(turn: Turn) -> View:
            before = turn.tx.head().messages
            turn.apply(command, own_item(turn, speaker) or subject(turn, command), speaker)
            sent = turn.tx.messages(after=before, limit=1)[0]
            note = note_on(turn.flow, turn.tx.item(sent.item) if sent.item else None, sent)
            return {**message_view(sent), **({"note": note} if note else {})}

        return self._transact(speaker, command, work, key, "")

    def on_message(
        self,
        speaker: Speaker,
        command: commands.AcceptMessage | commands.CompleteMessage | commands.RejectMessage,
        key: str | None = None,
    ) -> View:
        """Accept, complete or reject; the answer is the envelope. What a run rejects, it disputes (R-26)."""

        def work(turn: Turn) -> View:
            message = known_message(turn.tx, command.message)
            own = own_item(turn, speaker)
            turn.apply(command, own or (turn.tx.item(message.item) if message.item else None), speaker)
            if own is not None and message.item is not None and isinstance(command, commands.RejectMessage):
                said = Report(outcome="disputed", comments=[Remark(content=command.why)], summary=command.why)
                turn.apply(commands.ReportRun(report=said), turn.item(own.id), speaker)
                if turn.refusal is not None:
                    raise turn.refusal  # who may not dispute does not reject either: nothing of it happens
            ended = known_message(turn.tx, command.message)
            note = note_on_completed(turn.flow, turn.tx.item(message.item) if message.item else None, ended)
            return {**message_view(ended), **({"note": note} if note else {})}

        return self._transact(speaker, command, work, key, "")

    def adopt_flow(self, speaker: Speaker, flow: Flow, source: str, moves: dict[str, str] | None = None) -> int:
        """Take in a flow as the one in force; refused if items or runs would be left without a place (R-30).

        `moves` says where the items of a column go that is no more: the speaker moves them, in the same transaction.
        """

        def work(tx: Transaction) -> int:
            version = tx.head().flow_version + 1
            turn = Turn(tx, self.clock, self.ids, first=flow)
            check_moves(turn.flow, flow, moves or {})
            turn.adopt(FlowVersion(id=str(version), flow=flow, source=source, at=turn.moment.at), moves or {}, speaker)
            return version

        return self.store.transact(work)

    def _handle(
        self,
        speaker: Speaker,
        command: Command,
        load: Callable[[Turn], Item | None],
        key: str | None,
        show: bool,
        salt: str = "",
    ) -> View:
        def work(turn: Turn) -> View:
            item = turn.apply(command, load(turn), speaker)
            # A kept answer is shown to whoever repeats the key, so it is always whole.
            return answer_view(turn.tx, command, item, turn.flow, turn.moment, turn.weighed) if show or key else {}

        return self._transact(speaker, command, work, key, salt)

    def _transact(
        self,
        speaker: Speaker,
        command: Command,
        work: Callable[[Turn], View],
        key: str | None,
        salt: str,
        *,
        alone: bool = False,
    ) -> View:
        """Sweep what is due, do the work, keep the answer under its key: all in one transaction."""
        data = encoded(command)
        speaker_key = speaker.run or speaker.name

        def inside(tx: Transaction) -> View | MootError:
            if key is not None:
                kept = tx.kept_answer(speaker_key, key)
                if kept is not None:
                    return _repeated(kept, _digest(command, data, salt), key)
            turn = Turn(tx, self.clock, self.ids)
            turn.sweep()
            try:
                view = work(turn)
            except MootError as error:
                # What time made due stays applied; the refused command itself has changed nothing.
                if tx.head().seq != turn.swept:
                    raise
                return error
            if turn.refusal is not None:
                return turn.refusal  # what was said is kept, and it is no answer: the same key may say it better
            if key is not None:
                kept = KeptAnswer(_digest(command, data, salt), msgspec.json.encode(view))
                tx.keep_answer(speaker_key, key, kept, turn.moment.at)
            return view

        result = self.store.transact(inside, alone=True) if alone else self.store.transact(inside)
        if isinstance(result, MootError):
            raise result
        return result


def _check_pauses(turn: Turn) -> list[Pause]:
    head = turn.tx.head()
    check_pause(turn.flow, head.open_questions)
    pauses = turn.tx.pauses() if head.pauses else []
    check_stop(pauses, turn.moment.now)
    return pauses


def _found_among_due(turn: Turn, look: Callable[[], Found | None]) -> Found | None:
    """Where nothing is ready, what is still due may be: whoever looks for work applies it all."""
    found = look()
    for _ in range(turn.tx.head().items):
        if found is not None or not turn.sweep():
            break
        found = look()
    return found


def _claimed(turn: Turn, order: commands.ClaimItem, item: Item, speaker: Speaker, show: bool) -> View:
    claimed = turn.apply(order, item, speaker)
    run = turn.run
    assert run is not None, "a claim has just made it"
    whole = item_view(turn.tx, claimed, turn.flow, turn.moment) if show else None
    told = facts(turn.tx, turn.flow, claimed, run, whole)
    return claim_view(run, whole, brief(turn.flow, claimed, run, told), turn.moment)


def own_item(turn: Turn, speaker: Speaker) -> Item | None:
    """The item a run works on; None for a person."""
    if speaker.run is None:
        return None
    run = turn.tx.run(speaker.run)
    if run is None:
        words = f"there is no run {speaker.run}"
        raise Invalid("unknown_run", words, "claim an item first: moot claim AGENT", {"run": speaker.run})
    turn.run = run
    return turn.item(run.item)


def subject(turn: Turn, command: commands.SendMessage) -> Item | None:
    """The item that a person's message is about: the one it names, or the one that the rules take it to be about."""
    named = command.context.get("item") or message_about(turn.tx, turn.flow, command)
    return turn.item(str(named)) if named else None


def no_run() -> Item:
    raise Invalid("unknown_run", "no run was named", "claim an item first: moot claim AGENT")


def _digest(command: Command, data: bytes, salt: str) -> bytes:
    return sha256(f"{type(command).__name__} {salt}\0".encode() + data).digest()


def _repeated(kept: KeptAnswer, digest: bytes, key: str) -> View:
    if kept.digest != digest:
        words = f"the key {key!r} was used for another command"
        raise Refused("key_reused", words, "use a new --key for each command", {"key": key})
    answer: View = msgspec.json.decode(kept.answer)
    return answer


def nothing_ready(turn: Turn, agent: str, item: str | None) -> MootError:
    if item is not None:
        found = turn.item(item)
        now, at = turn.moment.now, turn.moment.at
        return not_claimable(turn.flow, found, agent, now, at, turn.tx.questions(item), turn.tx.holds(now))
    wake = turn.tx.next_wake(agent, turn.moment.now)
    if wake is not None:
        return NothingToDo(
            "nothing_ready",
            f"no item is ready for {agent}; the next one is in {wake - turn.moment.now:.0f}s",
            "try again then",
            {"agent": agent, "seconds": round(wake - turn.moment.now, 3)},
        )
    watched = ", ".join(turn.flow.watched_by(agent))
    where = f" in {watched}" if watched else ": it watches no column, and takes only what it is asked for by others"
    words = f"no item is ready for {agent}{where}"
    return NothingToDo("nothing_ready", words, "see what is where: moot board", {"agent": agent})
