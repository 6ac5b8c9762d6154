"""The engine: each call is one transaction in which the rules decide and the store remembers, or nothing happens."""

from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from typing import TypeVar

import msgspec
from msgspec import UNSET

from folkmoot.api.pages import Locks, Pauses
from folkmoot.api.views import ClaimView, ItemView, MessageView
from folkmoot.briefs.brief import brief
from folkmoot.core import commands
from folkmoot.core.commands import Command, Speaker
from folkmoot.core.events import FlowVersion
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.kinds import reader
from folkmoot.core.records import Pause, Run
from folkmoot.core.report import Remark, Report
from folkmoot.core.rules.admission import check_claimer, check_moves, check_pause, lease_for
from folkmoot.core.rules.claims import stale
from folkmoot.core.rules.messages.carrying import note_on, note_on_completed
from folkmoot.core.rules.running.landing import check_lease, moves_branch
from folkmoot.core.rules.running.limits import check_stop
from folkmoot.core.rules.sharing.holds import note_on_lock
from folkmoot.core.rules.sharing.paths import normal_path, outside
from folkmoot.core.text import encoded
from folkmoot.core.vocabulary.roles import agent_named
from folkmoot.engine.assignment import Assignment
from folkmoot.engine.claiming import check_starting, next_item, next_of
from folkmoot.engine.facts import facts
from folkmoot.engine.loading import known_message
from folkmoot.engine.moment import moment
from folkmoot.engine.ports import Clock, Ids
from folkmoot.engine.reads.views import answer_view, claim_view, hold_views, item_view, message_view, pause_views
from folkmoot.engine.standing import standing
from folkmoot.engine.subjects import no_run, nothing_ready, own_item, subject
from folkmoot.engine.turn import Turn
from folkmoot.errors import Invalid, MootError, NothingToDo, Refused
from folkmoot.store.base import KeptAnswer, Reading, Store, Transaction

Answer = TypeVar("Answer")
Found = TypeVar("Found")


class Engine:
    def __init__(self, store: Store, clock: Clock, ids: Ids) -> None:
        self.store = store
        self.clock = clock
        self.ids = ids

    def add(
        self, speaker: Speaker, command: commands.AddItem | commands.DispatchAgent, key: str | None = None
    ) -> ItemView:
        return self._handle(speaker, command, lambda turn: None, key)

    def on_item(self, speaker: Speaker, item: str, command: Command, key: str | None = None) -> ItemView:
        """A command about an item: move, edit, cancel, reopen, comment. The answer is the item."""
        return self._handle(speaker, command, lambda turn: turn.item(item), key, salt=item)

    def on_run(self, speaker: Speaker, command: Command, key: str | None = None) -> ItemView:
        """A command of a run about its own item: renew, release, report. The answer is the item."""
        view = self._handle(speaker, command, lambda turn: own_item(turn, speaker) or no_run(), key)
        if isinstance(command, commands.WidenRun):
            self._check_widened(speaker, command.paths)
        return view

    def act(self, speaker: Speaker, command: Command, item: str | None = None, key: str | None = None) -> None:
        """The same as `on_item`, or without an item as `on_run`, for whoever only wants to know that it was taken."""
        if key is not None:  # a kept answer is shown to whoever repeats the key, so it is always whole
            self.on_run(speaker, command, key) if item is None else self.on_item(speaker, item, command, key)
            return

        def work(turn: Turn) -> bool:
            subject = (own_item(turn, speaker) or no_run()) if item is None else turn.item(item)
            turn.apply(command, subject, speaker)
            return True

        self._transact(speaker, command, work, None, "", bool)

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
    ) -> ItemView:
        """Report a landing, and move its branch as the last step of the same transaction.

        `move` is called with the commit that the rules say has landed, after they have decided that the run is the
        current one and the item still wants it, while nobody else can write: whoever cancels or rescues comes before,
        and then nothing moves, or after, and then it has landed. What it raises undoes the report. The commit may yet
        fail, or the process die before it: so the move is written down before (`RecordLanding`), and whoever finds
        that settles it. It must be short, and do nothing when it is called again after it succeeded.
        """

        def work(turn: Turn) -> ItemView:
            item = turn.apply(command, own_item(turn, speaker) or no_run(), speaker)
            view = item_view(turn.tx, item, turn.flow, turn.moment)
            run = turn.tx.run(speaker.run or "")
            if run is not None and moves_branch(run):
                check_lease(run, moment(self.clock, turn.tx.head()).now)  # the rules may have taken a while
                move(item.landed or "")
            return view

        return self._transact(speaker, command, work, key, "", ItemView, alone=True)

    def report(
        self,
        speaker: Speaker,
        report: Report,
        fault: str | None = None,
        key: str | None = None,
        final: bool = False,
    ) -> ItemView:
        """A report that breaks the form is refused, and its run lives; with `final` it ends the run (R-32)."""
        return self.on_run(speaker, commands.ReportRun(report=report, fault=fault, final=final), key)

    def answer(self, speaker: Speaker, command: commands.AnswerQuestion, key: str | None = None) -> ItemView:
        def load(turn: Turn) -> Item:
            question = turn.tx.question(command.question)
            if question is None:
                words = f"there is no question {command.question}"
                raise Invalid("unknown_question", words, "see: moot inbox", {"question": command.question})
            return turn.item(question.item)

        return self._handle(speaker, command, load, key)

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
    ) -> ClaimView:
        """The next item for that agent, with its brief; raises NothingToDo if none is ready. With `show` the whole item
        is in the answer too."""

        def work(turn: Turn) -> ClaimView:
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
            claimed, run = _claim(turn, order, ready, speaker)
            told = brief(turn.flow, claimed, run, facts(turn.tx, turn.flow, claimed, run))
            whole = item_view(turn.tx, claimed, turn.flow, turn.moment) if show or key is not None else None
            return claim_view(run, whole, told, turn.moment)

        salt = f"{column} {item} {lease}"
        command = commands.ClaimItem(agent=agent, lease=lease or 0, worker=worker)
        return self._transact(speaker, command, work, key, salt, ClaimView)

    def claim_next(
        self,
        speaker: Speaker,
        agents: Sequence[str],
        *,
        worker: str = "",
        lease: float | None = None,
        sandboxed: bool | None = None,
    ) -> Assignment:
        """For a worker: the next item for any of these agents and gates; raises NothingToDo if none is ready."""

        def work(turn: Turn) -> Assignment:
            pauses = _check_pauses(turn)
            found = _found_among_due(turn, partial(next_of, turn.tx, turn.flow, agents, pauses, turn.moment.now))
            if found is None:
                raise NothingToDo("nothing_ready", "no item is ready for any of these agents", "see: moot board")
            agent, item = found
            seconds = lease_for(turn.flow, agent, None, lease)
            order = commands.ClaimItem(agent=agent, lease=seconds, worker=worker, sandboxed=sandboxed)
            claimed, run = _claim(turn, order, item, speaker)
            return Assignment(
                run=run.id,
                token=run.token,
                agent=run.agent,
                model=run.model,
                flow=turn.flow,
                brief=brief(turn.flow, claimed, run, facts(turn.tx, turn.flow, claimed, run)),
                standing=standing(turn.tx, turn.flow, run.id),
            )

        return self._transact(speaker, commands.ClaimItem(agent="", lease=0), work, None, "", Assignment)

    def on_board(self, speaker: Speaker, command: commands.StopBoard | commands.ResumeBoard) -> Pauses:
        """A command about the board as a whole; the answer says what is paused after it."""

        def work(turn: Turn) -> Pauses:
            turn.apply(command, None, speaker)
            return Pauses(pauses=pause_views(turn.tx.pauses(), turn.moment))

        return self._transact(speaker, command, work, None, "", Pauses)

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
    ) -> Locks:
        """A person's hold on paths, or a run's; the answer is every hold in force."""

        def work(turn: Turn) -> Locks:
            turn.apply(command, own_item(turn, speaker), speaker)
            held = turn.tx.holds(turn.moment.now)
            note = note_on_lock(held, command, speaker, turn.moment.now)
            return Locks(locks=hold_views(held), note=note or UNSET)

        return self._transact(speaker, command, work, key, "", Locks)

    def send(self, speaker: Speaker, command: commands.SendMessage, key: str | None = None) -> MessageView:
        """A message; the answer is its envelope, with a note where the board counts otherwise."""

        def work(turn: Turn) -> MessageView:
            before = turn.tx.head().messages
            turn.apply(command, own_item(turn, speaker) or subject(turn, command), speaker)
            sent = turn.tx.messages(after=before, limit=1)[0]
            note = note_on(turn.flow, turn.tx.item(sent.item) if sent.item else None, sent)
            return message_view(sent, note)

        return self._transact(speaker, command, work, key, "", MessageView)

    def on_message(
        self,
        speaker: Speaker,
        command: commands.AcceptMessage | commands.CompleteMessage | commands.RejectMessage,
        key: str | None = None,
    ) -> MessageView:
        """Accept, complete or reject; the answer is the envelope. What a run rejects, it disputes (R-26)."""

        def work(turn: Turn) -> MessageView:
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
            return message_view(ended, note)

        return self._transact(speaker, command, work, key, "", MessageView)

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
        salt: str = "",
    ) -> ItemView:
        def work(turn: Turn) -> ItemView:
            item = turn.apply(command, load(turn), speaker)
            return answer_view(turn.tx, command, item, turn.flow, turn.moment, turn.weighed)

        return self._transact(speaker, command, work, key, salt, ItemView)

    def _transact(
        self,
        speaker: Speaker,
        command: Command,
        work: Callable[[Turn], Answer],
        key: str | None,
        salt: str,
        kind: type[Answer],
        *,
        alone: bool = False,
    ) -> Answer:
        """Sweep what is due, do the work, keep the answer under its key: all in one transaction."""
        data = encoded(command)
        speaker_key = speaker.run or speaker.name

        def inside(tx: Transaction) -> Answer | MootError:
            if key is not None:
                kept = tx.kept_answer(speaker_key, key)
                if kept is not None:
                    return _repeated(kept, _digest(command, data, salt), key, kind)
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


def _claim(turn: Turn, order: commands.ClaimItem, item: Item, speaker: Speaker) -> tuple[Item, Run]:
    claimed = turn.apply(order, item, speaker)
    assert turn.run is not None, "a claim has just made it"
    return claimed, turn.run


def _digest(command: Command, data: bytes, salt: str) -> bytes:
    return sha256(f"{type(command).__name__} {salt}\0".encode() + data).digest()


def _repeated(kept: KeptAnswer, digest: bytes, key: str, kind: type[Answer]) -> Answer:
    if kept.digest != digest:
        words = f"the key {key!r} was used for another command"
        raise Refused("key_reused", words, "use a new --key for each command", {"key": key})
    try:
        answer: Answer = reader(kind)(kept.answer)
        return answer
    except msgspec.ValidationError:
        words = f"what was said with the key {key!r} was taken, by an older version, whose answer is not known here"
        raise Refused("key_taken", words, "see: moot log", {"key": key}) from None
