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
from folkmoot.core.access.allowance import check_kept
from folkmoot.core.commands import Actor, Command
from folkmoot.core.decoding import reader
from folkmoot.core.events import FlowVersion
from folkmoot.core.flow import Flow
from folkmoot.core.input_limits import encoded
from folkmoot.core.item import Item
from folkmoot.core.records import Run
from folkmoot.core.report import Remark, Report
from folkmoot.core.rules.admission import check_claimer, check_moves, check_version, lease_for
from folkmoot.core.rules.claims import stale
from folkmoot.core.rules.messages.carrying import note_on, note_on_completed
from folkmoot.core.rules.running.joining import lacking
from folkmoot.core.rules.running.landing import check_lease, moves_branch
from folkmoot.core.rules.sharing.holds import note_on_lock
from folkmoot.core.rules.sharing.paths import normal_path, outside
from folkmoot.engine.assignment import Assignment
from folkmoot.engine.claiming import check_pauses, found_among_due, next_of, wanted
from folkmoot.engine.clock_and_ids import Clock, Ids
from folkmoot.engine.facts import facts
from folkmoot.engine.loading import known_message
from folkmoot.engine.moment import moment
from folkmoot.engine.reads.views import answer_view, claim_view, hold_views, item_view, message_view, pause_views
from folkmoot.engine.run_context import run_context
from folkmoot.engine.subjects import bare_run, no_run, own_item, subject
from folkmoot.engine.unit_of_work import UnitOfWork
from folkmoot.errors import Invalid, MootError, NothingToDo, Refused
from folkmoot.store.port import KeptAnswer, Reading, Store, Transaction

Answer = TypeVar("Answer")
ENDS_A_RUN = (commands.ReportRun, commands.ReleaseRun)


class _RolledBack(Exception):
    """The transaction was only tried."""


class Engine:
    def __init__(self, store: Store, clock: Clock, ids: Ids) -> None:
        self.store = store
        self.clock = clock
        self.ids = ids

    def add(self, actor: Actor, command: commands.AddItem | commands.DispatchAgent, key: str | None = None) -> ItemView:
        return self._handle(actor, command, lambda unit: None, key)

    def handle_item(
        self, actor: Actor, item: str, command: Command, key: str | None = None, version: int | None = None
    ) -> ItemView:
        """A command about an item: move, edit, cancel, reopen, comment. With `version`: only if it still has that."""
        return self._handle(actor, command, lambda unit: check_version(unit.item(item), version), key, salt=item)

    def handle_run(
        self,
        actor: Actor,
        command: Command,
        key: str | None = None,
        asked: Command | None = None,
        *,
        bare: bool = False,
    ) -> ItemView:
        """A command of a run about its own item: renew, release, report. The answer is the item. `asked` is what was
        asked for with the key, where what was found in files has been added to it. With `bare` it is only heard of a
        run that has no clone: of another it raises WorksInClone, and nothing has happened."""
        view = self._handle(actor, command, lambda unit: own_item(unit, actor) or no_run(), key, asked=asked, bare=bare)
        if isinstance(command, commands.WidenRun):
            self._check_widened(actor, command.paths)
        return view

    def act(
        self, actor: Actor, command: Command, item: str | None = None, key: str | None = None, *, bare: bool = False
    ) -> None:
        """`handle_item`, or without an item `handle_run`, for whoever only wants to know that it was taken."""
        if key is not None:  # a kept answer is shown to whoever repeats the key, so it is always whole
            whole = partial(self.handle_run, bare=bare) if item is None else partial(self.handle_item, item=item)
            whole(actor, command=command, key=key)
            return

        def work(unit: UnitOfWork) -> bool:
            subject = (own_item(unit, actor) or no_run()) if item is None else unit.item(item)
            unit.apply(command, subject, actor)
            return True

        self.transact(actor, command, work, None, "", bool, bare=bare)

    def _check_widened(self, actor: Actor, paths: list[str]) -> None:
        """The question to a person is on the board; whoever asked for the paths must still hear that it has none."""

        def missing(reading: Reading) -> list[str]:
            run = reading.run(actor.run or "")
            item = reading.item(run.item) if run is not None else None
            return outside([normal_path(path) for path in paths], item.files) if item is not None else []

        names = ", ".join(self.store.read(missing))
        if names:
            words = "a person is asked whether this item may change {names}"
            raise Refused("person_asked", words, "go on without them: the answer is in the item's next brief", names)

    def land(
        self,
        actor: Actor,
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

        def work(unit: UnitOfWork) -> ItemView:
            item = unit.apply(command, own_item(unit, actor) or no_run(), actor)
            view = item_view(unit.tx, item, unit.flow, unit.moment)
            run = unit.tx.run(actor.run or "")
            if run is not None and moves_branch(run):
                check_lease(run, moment(self.clock, unit.tx.head()).now)  # the rules may have taken a while
                move(item.landed or "")
            return view

        return self.transact(actor, command, work, key, "", ItemView, alone=True)

    def report(
        self,
        actor: Actor,
        report: Report,
        fault: str | None = None,
        key: str | None = None,
        final: bool = False,
    ) -> ItemView:
        """A report that breaks the form is refused, and its run lives; with `final` it ends the run (R-32)."""
        return self.handle_run(actor, commands.ReportRun(report=report, fault=fault, final=final), key)

    def answer(self, actor: Actor, command: commands.AnswerQuestion, key: str | None = None) -> ItemView:
        def load(unit: UnitOfWork) -> Item:
            question = unit.tx.question(command.question)
            if question is None:
                raise Invalid("unknown_question", "there is no question {question}", "see: <inbox>", command.question)
            return unit.item(question.item)

        return self._handle(actor, command, load, key)

    def claim(
        self,
        actor: Actor,
        agent: str | None = None,
        *,
        column: str | None = None,
        item: str | None = None,
        lease: float | None = None,
        worker: str = "",
        key: str | None = None,
        show: bool = True,
        cloned: bool = False,
    ) -> ClaimView:
        """The next item for that agent, or for any of the flow, with its brief; raises NothingToDo if none is ready.
        With `show` the whole item is in the answer too; with `cloned` its agent works in a clone made for it here."""

        def work(unit: UnitOfWork) -> ClaimView:
            check_claimer(actor, unit.tx.run(actor.run) if actor.run else None)
            who, ready, seconds = wanted(unit, agent, column=column, item=item, lease=lease, cloned=cloned)
            order = commands.ClaimItem(agent=who, lease=seconds, worker=worker, cloned=cloned)
            claimed, run = _claim(unit, order, ready, actor)
            told = brief(unit.flow, claimed, run, facts(unit.tx, unit.flow, claimed, run))
            whole = item_view(unit.tx, claimed, unit.flow, unit.moment) if show or key is not None else None
            return claim_view(run, whole, told, unit.moment)

        salt = f"{column} {item} {lease}"
        # Whose process prepares the clone is no part of what was asked: a repetition may come from another.
        told_worker = "" if cloned else worker
        command = commands.ClaimItem(agent=agent or "", lease=lease or 0, worker=told_worker, cloned=cloned)
        return self.transact(actor, command, work, key, salt, ClaimView)

    def claim_next(
        self,
        actor: Actor,
        agents: Sequence[str],
        *,
        worker: str = "",
        lease: float | None = None,
        sandboxed: bool | None = None,
        labels: Sequence[str] = (),
    ) -> Assignment:
        """For a worker: the next item for any of these agents and gates that its labels allow; else NothingToDo."""

        def work(unit: UnitOfWork) -> Assignment:
            pauses = check_pauses(unit)
            able = [agent for agent in agents if not lacking(unit.flow, agent, labels)]
            look = partial(next_of, unit.tx, unit.flow, able, pauses, unit.moment.now, labels=labels)
            found = found_among_due(unit, look)
            if found is None:
                raise NothingToDo("nothing_ready", "no item is ready for any of these agents", "see: <board>")
            agent, item = found
            seconds = lease_for(unit.flow, agent, None, lease)
            order = commands.ClaimItem(
                agent=agent, lease=seconds, worker=worker, sandboxed=sandboxed, labels=list(labels)
            )
            claimed, run = _claim(unit, order, item, actor)
            return Assignment(
                run=run.id,
                token=run.token,
                agent=run.agent,
                model=run.model,
                flow=unit.flow,
                brief=brief(unit.flow, claimed, run, facts(unit.tx, unit.flow, claimed, run)),
                run_context=run_context(unit.tx, unit.flow, run.id),
            )

        return self.transact(actor, commands.ClaimItem(agent="", lease=0), work, None, "", Assignment)

    def on_board(self, actor: Actor, command: Command) -> Pauses:
        """A command about the board as a whole; the answer says what is paused after it."""

        def work(unit: UnitOfWork) -> Pauses:
            unit.apply(command, None, actor)
            return Pauses(pauses=pause_views(unit.tx.pauses(), unit.moment))

        return self.transact(actor, command, work, None, "", Pauses)

    def keep_output(self, actor: Actor, parts: Sequence[tuple[int, str]]) -> None:
        """What a live run printed. It stands beside the log, so that it explains runs and decides nothing."""

        def work(tx: Transaction) -> None:
            run = tx.run(actor.run or "")
            if run is None or run.ended_at is not None or run.token != actor.token:
                raise stale(actor, "it has ended")
            for number, text in parts:
                tx.keep_output(run.id, number, text, self.clock.wall())

        self.store.transact(work)

    def lock(self, actor: Actor, command: commands.LockPaths | commands.UnlockPaths, key: str | None = None) -> Locks:
        """A person's hold on paths, or a run's; the answer is every hold in force."""

        def work(unit: UnitOfWork) -> Locks:
            unit.apply(command, own_item(unit, actor), actor)
            held = unit.tx.holds(unit.moment.now)
            note = note_on_lock(held, command, actor, unit.moment.now)
            return Locks(locks=hold_views(held), note=note or UNSET)

        return self.transact(actor, command, work, key, "", Locks)

    def send(self, actor: Actor, command: commands.SendMessage, key: str | None = None) -> MessageView:
        """A message; the answer is its envelope, with a note where the board counts otherwise."""

        def work(unit: UnitOfWork) -> MessageView:
            before = unit.tx.head().messages
            unit.apply(command, own_item(unit, actor) or subject(unit, command), actor)
            sent = unit.tx.messages(after=before, limit=1)[0]
            note = note_on(unit.flow, unit.tx.item(sent.item) if sent.item else None, sent)
            return message_view(sent, note)

        return self.transact(actor, command, work, key, "", MessageView)

    def on_message(
        self,
        actor: Actor,
        command: commands.AcceptMessage | commands.CompleteMessage | commands.RejectMessage,
        key: str | None = None,
    ) -> MessageView:
        """Accept, complete or reject; the answer is the envelope. What a run rejects, it disputes (R-26)."""

        def work(unit: UnitOfWork) -> MessageView:
            message = known_message(unit.tx, command.message)
            own = own_item(unit, actor)
            unit.apply(command, own or (unit.tx.item(message.item) if message.item else None), actor)
            if own is not None and message.item is not None and isinstance(command, commands.RejectMessage):
                said = Report(outcome="disputed", comments=[Remark(content=command.why)], summary=command.why)
                unit.apply(commands.ReportRun(report=said), unit.item(own.id), actor)
                if unit.refusal is not None:
                    raise unit.refusal  # who may not dispute does not reject either: nothing of it happens
            ended = known_message(unit.tx, command.message)
            note = note_on_completed(unit.flow, unit.tx.item(message.item) if message.item else None, ended)
            return message_view(ended, note)

        return self.transact(actor, command, work, key, "", MessageView)

    def adopt_flow(
        self, actor: Actor, flow: Flow, source: str, moves: dict[str, str] | None = None, *, only_check: bool = False
    ) -> int:
        """Take in a flow as the one in force; refused if items or runs would be left without a place (R-30).

        `moves` says where the items of a column go that is no more: the actor moves them, in the same transaction.
        With `only_check` the transaction is rolled back: whoever asks learns whether it would be refused.
        """

        def work(tx: Transaction) -> int:
            version = tx.head().flow_version + 1
            unit = UnitOfWork(tx, self.clock, self.ids, first=flow)
            check_moves(unit.flow, flow, moves or {})
            unit.adopt(FlowVersion(id=str(version), flow=flow, source=source, at=unit.moment.at), moves or {}, actor)
            if only_check:
                raise _RolledBack
            return version

        try:
            return self.store.transact(work)
        except _RolledBack:
            return 0

    def _handle(
        self,
        actor: Actor,
        command: Command,
        load: Callable[[UnitOfWork], Item | None],
        key: str | None,
        salt: str = "",
        asked: Command | None = None,
        bare: bool = False,
    ) -> ItemView:
        def work(unit: UnitOfWork) -> ItemView:
            item = unit.apply(command, load(unit), actor)
            return answer_view(unit.tx, command, item, unit.flow, unit.moment, unit.weighed)

        return self.transact(actor, asked or command, work, key, salt, ItemView, bare=bare)

    def transact(
        self,
        actor: Actor,
        command: Command,
        work: Callable[[UnitOfWork], Answer],
        key: str | None,
        salt: str,
        kind: type[Answer],
        *,
        alone: bool = False,
        bare: bool = False,
    ) -> Answer:
        """Sweep what is due, do the work, keep the answer under its key: all in one transaction."""
        data = encoded(command)
        speaker_key = actor.run or actor.name

        def inside(tx: Transaction) -> "Answer | MootError":  # in quotes: else the two are joined anew each time
            run = bare_run(tx, actor) if bare else None  # before its key: a repetition too sees to the clone
            if key is not None:
                kept = tx.kept_answer(speaker_key, key)
                if kept is not None:
                    return _repeated(kept, _digest(command, data, salt), key, kind)
            unit = UnitOfWork(tx, self.clock, self.ids)
            unit.run = run
            unit.sweep()
            try:
                view = work(unit)
            except MootError as error:
                # What time made due stays applied; the refused command itself has changed nothing.
                if tx.head().seq != unit.swept:
                    raise
                return error
            if unit.refusal is not None:
                return unit.refusal  # what was said is kept, and it is no answer: the same key may say it better
            if key is not None:
                kept = KeptAnswer(_digest(command, data, salt), msgspec.json.encode(view))
                if actor.run is not None and not isinstance(command, ENDS_A_RUN):
                    check_kept(tx.kept_bytes(speaker_key), len(kept.answer))
                tx.keep_answer(speaker_key, key, kept, unit.moment.at)
            return view

        result = self.store.transact(inside, alone=True) if alone else self.store.transact(inside)
        if isinstance(result, MootError):
            raise result
        return result


def _claim(unit: UnitOfWork, order: commands.ClaimItem, item: Item, actor: Actor) -> tuple[Item, Run]:
    claimed = unit.apply(order, item, actor)
    assert unit.run is not None, "a claim has just made it"
    return claimed, unit.run


def _digest(command: Command, data: bytes, salt: str) -> bytes:
    return sha256(f"{type(command).__name__} {salt}\0".encode() + data).digest()


def _repeated(kept: KeptAnswer, digest: bytes, key: str, kind: type[Answer]) -> Answer:
    if kept.digest != digest:
        words = "the key {key!r} was used for another command"
        raise Refused("key_reused", words, "give each command one of its own: <.key>", key)
    try:
        answer: Answer = reader(kind)(kept.answer)
        return answer
    except msgspec.ValidationError:
        words = "what was said with the key {key!r} was taken, by an older version, whose answer is not known here"
        raise Refused("key_taken", words, "see: <log>", key) from None
