"""A landing that brings the work of others along: proved and moved together, each with a run and proof of its own.

Whatever is not as usual ends the batch, not the landing: the others wait for theirs as before, and it goes on alone.
"""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from folkmoot.core.commands import Actor, RecordLanding, ReportRun
from folkmoot.core.flow import LANDING, Flow
from folkmoot.core.report import Report
from folkmoot.core.rules.judging.required import check_of
from folkmoot.core.rules.running.batches import Line, after, known_red, most_together, size
from folkmoot.core.work import Batch, Evidence
from folkmoot.engine.landing import together
from folkmoot.engine.landing.together import Joined, Mate, NotTogether
from folkmoot.engine.run_context import RunContext
from folkmoot.errors import MootError, Refused, Unavailable
from folkmoot.worker.git.landing import Move
from folkmoot.worker.git.refs import INTENTS
from folkmoot.worker.git.remote.move import RemoteMove
from folkmoot.worker.git.remote.remote import RemoteAway
from folkmoot.worker.git.swap import NotMoved, Stale, TreeChanged
from folkmoot.worker.jobs.batches.chain import Link, chain
from folkmoot.worker.jobs.job import RunAborted
from folkmoot.worker.ports import WorkerEvent
from folkmoot.worker.workspaces import GitWorkspaces

if TYPE_CHECKING:
    from folkmoot.worker.jobs.landing import LandingJob

TRIES = 5
GATE_ENDED = ("timeout", "silence")  # a gate was ended for it: the next one has its own time


class Together:
    def __init__(self, job: "LandingJob", workspaces: GitWorkspaces, run_context: RunContext) -> None:
        self._job = job
        self._workspaces = workspaces
        self._repository = workspaces.repository
        self._run_context = run_context
        self._memory = job.tools.landings
        self._has_moved = self._has_landed = False  # the branch; and the board knows it

    def land(self) -> bool | None:
        """True: the landing is over. False: the branch has moved, merge again. None: it lands alone."""
        flow = self._job.tools.application.queries.flow()
        mates = self._mates(flow)
        self._memory.expects(0)
        if not mates or any(gate not in flow.gates for gate in self._run_context.gates):
            return None
        tip = self._workspaces.tip(self._run_context.target)
        self._job.step("merge")
        links = chain(self._repository, tip, self._still_to_land(tip, mates))
        checks = " ".join(f"{gate}:{check_of(flow, flow.gates[gate])}" for gate in self._run_context.gates)
        trees = [link.tree for link in links if links[0].mate.item == self._job.item]
        line = Line(len(trees), known_red(trees, self._memory.red(checks)), self._memory.doubts)
        while line.count > 1 and (many := size(line)) > 1:
            first = links[:many]
            self._memory.expects(after(line, many, True).doubts)
            evidence = self._proved(first, checks)
            if evidence is not None:
                return self._move(tip, first, evidence)
            line = after(line, many, False)
        self._memory.expects(after(line, 1, True).doubts)
        return None

    def _mates(self, flow: Flow) -> list[Mate]:
        """The item of this landing, and those that may land with it; empty where there are none."""
        run_context, most = self._run_context, most_together(flow) - 1
        if most < 1 or run_context.parent or not run_context.gates or run_context.head is None:
            return []
        queries = self._job.tools.application.queries
        found = queries.at_one_moment(lambda snapshot: together.mates(snapshot, self._job.run, most))
        found = [mate for mate in found if not self._memory.is_alone(mate.item, mate.head)]
        if not found:
            return []
        try:
            self._workspaces.bring(run_context, *(mate.head for mate in found))
        except Unavailable:
            return []
        own = Mate(
            item=run_context.item,
            title=run_context.title,
            head=run_context.head,
            landing=run_context.landing,
            proved=run_context.proved,
        )
        return [own, *found]

    def _still_to_land(self, tip: str | None, mates: Sequence[Mate]) -> list[Mate]:
        """Without those that are on the branch already, though nobody has said so: their own landing finds that."""

        def is_there(mate: Mate) -> bool:
            intent = mate.landing
            return intent is not None and tip is not None and self._repository.contains(tip, intent.new)

        return [mate for mate in mates if not is_there(mate)]

    def _proved(self, links: Sequence[Link], checks: str) -> list[Evidence] | None:
        """What the gates said of their work together; None where one of them is not green. One that all of them know to
        be green on this very tree need not run again."""
        job, last = self._job, links[-1]
        self._repository.keep(self._repository.run_ref(job.run), last.commit)
        # Before anything names it: whoever finds it on the board, on any machine, can have it.
        job.send({self._repository.run_ref(job.run): last.commit, INTENTS + job.run: last.commit})
        shown = [link.mate.proved.get(last.tree, []) for link in links]
        missing = [gate for gate in self._run_context.gates if not all(gate in gates for gates in shown)]
        found, red = job.run_gates(self._run_context, last.commit, missing)
        if red is None:
            return found
        if job.timers.ending in GATE_ENDED:
            job.timers.ending = None
        job.check_alive()
        if red.cause in ("gate", "timeout"):
            self._memory.was_red(last.tree, checks)
        items = ", ".join(link.mate.item for link in links)
        job.output.add(f"folkmoot: items {items} are not green together: fewer are tried\n")
        return None

    def _move(self, tip: str | None, links: Sequence[Link], evidence: list[Evidence]) -> bool | None:
        """All have a run of their own from here on, until they have landed or are given back."""
        job, engine = self._job, self._job.tools.application.engine
        job.close_output()
        records = {link.mate.item: self._record(tip, link, links, evidence) for link in links}
        job.step("join")
        joined: list[Joined] = []
        try:
            wanted = [link.mate for link in links[1:]]
            joined = job.submit(lambda to: together.take(to, job.actor, wanted))
            job.mates = [one.actor for one in joined]
            runs = [(job.actor, records[job.item]), *((one.actor, records[one.item]) for one in joined)]
            self._write_down(runs)
            return self._move_target(runs, joined)
        except NotTogether as error:
            if not job.tools.application.queries.run_context(job.run).live:
                job.timers.lost()
                raise RunAborted from error
            self._memory.goes_alone(error.details["item"], self._head_of(links, error.details["item"]))
            return False if self._has_moved else None  # each finds itself on the branch
        finally:
            job.mates = ()
            if not self._has_landed:
                with suppress(MootError):  # where the store is away, their leases end
                    together.leave(engine, joined)

    def _head_of(self, links: Sequence[Link], item: str) -> str:
        return next((link.mate.head for link in links if link.mate.item == item), "")

    def _record(
        self, tip: str | None, link: Link, links: Sequence[Link], evidence: Sequence[Evidence]
    ) -> RecordLanding:
        beside = [other.mate.item for other in links if other is not link]
        return RecordLanding(
            branch=self._run_context.branch,
            old=tip,
            new=links[-1].commit,
            tree=links[-1].tree,
            touched=link.touched(self._repository),
            evidence=[replace(one, beside=beside) for one in evidence],
            batch=Batch(own=link.commit, beside=beside),
        )

    def _write_down(self, runs: Sequence[tuple[Actor, RecordLanding]]) -> None:
        job, repository = self._job, self._repository
        refs: dict[str, str] = {}
        for (actor, record), item in zip(runs, self._items(runs), strict=True):
            assert record.batch is not None
            repository.keep(repository.run_ref(actor.run or ""), record.batch.own)
            refs |= {repository.run_ref(actor.run or ""): record.batch.own, INTENTS + (actor.run or ""): record.new}
            if repository.remote_now() is None:
                # First the ref: whoever looks for moves that nobody has told of finds all of them.
                repository.keep(INTENTS + item, record.new)
        job.send(refs)
        job.step("record")
        job.submit(lambda engine: together.write_down(engine, runs))

    def _items(self, runs: Sequence[tuple[Actor, RecordLanding]]) -> list[str]:
        """In the order of the runs: each knows all the others."""
        every = {self._job.item, *(item for _, record in runs if record.batch for item in record.batch.beside)}
        return [next(iter(every - set(record.batch.beside if record.batch else ()))) for _, record in runs]

    def _move_target(self, runs: Sequence[tuple[Actor, RecordLanding]], joined: Sequence[Joined]) -> bool | None:
        """As of one landing alone: all that takes time first; then branch and board together; then the user's files."""
        job, workspaces, record = self._job, self._workspaces, runs[0][1]
        job.step("move")
        with workspaces.landing.alone():
            try:
                why = f"moot: landed items {', '.join(self._items(runs))} by run {job.run}"
                move = workspaces.plan(self._run_context.target, record.old, record.new, why)
            except Stale:
                return False
            except Refused:
                return None  # alone it is found whose work it is
            try:
                move.ready()
                self._has_landed = self._swap(move, runs)
                if not self._has_landed:
                    return False
                self._memory.landed()
                job.tools.step("landed", job.run)
                self._tell(move, joined)
                job.bring_along(
                    workspaces, move, {job.item: job.run, **{one.item: one.actor.run or "" for one in joined}}
                )
            except RemoteAway:
                raise
            except Unavailable as error:
                job.refused(error)
            finally:
                move.drop()
        return True

    def _swap(self, move: Move | RemoteMove, runs: Sequence[tuple[Actor, RecordLanding]]) -> bool:
        """In the transaction in which the board takes in that all of them landed. False: none did."""
        job, new = self._job, runs[0][1].new

        def make(landed: str) -> None:
            job.tools.step("swap", job.run)
            move.make(landed)
            job.tools.step("moved", job.run)

        tries = 0
        while tries < TRIES:
            tries += 1
            reports = [(actor, self._report(move, record)) for actor, record in runs]
            job.step("report")
            try:
                job.submit(partial(together.land, reports=reports, new=new, move=make))
                job.timers.done = True
                return True
            except TreeChanged:
                return False
            except NotMoved:
                try:
                    move.look()  # and once more where it did move: then only the board has to be told
                    self._has_moved = True
                except Stale:
                    return False
                except RemoteAway as away:
                    tries -= 1
                    job.wait_for_remote(away)
        raise Unavailable("branch_unsteady", "git does not say whether it moved {branch}", "", move.branch)

    def _report(self, move: Move | RemoteMove, record: RecordLanding) -> ReportRun:
        assert record.batch is not None
        words = f"landed on {move.branch}, proved together with items {', '.join(record.batch.beside)}"
        said = Report.done(
            words + (f"; {move.note}" if move.note else ""), commit=record.batch.own, extra={"branch": move.branch}
        )
        return ReportRun(
            report=said, final=True, evidence=record.evidence, moves=None if self._has_moved else record.touched
        )

    def _tell(self, move: Move | RemoteMove, joined: Sequence[Joined]) -> None:
        job = self._job
        job.became = f"landed on {move.branch}, together with {len(joined)} more" + (
            f"; {move.note}" if move.note else ""
        )
        job.tell("landed", job.became, good=True)
        for one in joined:
            words = f"landed on {move.branch}, together with item {job.item}"
            job.tools.tell(WorkerEvent("landed", one.actor.run or "", one.item, "", LANDING, words, None, True))
