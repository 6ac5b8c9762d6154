"""A landing: merge, prove the result, write down the move, move the branch (R-19, R-22)."""

from collections.abc import Callable, Mapping, Sequence

from folkmoot.core.commands import ENGINE, AddComment, RecordLanding
from folkmoot.core.flow import Flow
from folkmoot.core.report import Finding, Report
from folkmoot.core.work import Evidence, Touched, Work
from folkmoot.engine.run_context import RunContext
from folkmoot.errors import MootError, Refused, Unavailable
from folkmoot.worker.git.harvest.marks import unmended
from folkmoot.worker.git.landing import Move, told_of
from folkmoot.worker.git.refs import INTENTS
from folkmoot.worker.git.remote.move import RemoteMove
from folkmoot.worker.git.remote.remote import RemoteAway
from folkmoot.worker.git.repository import Merged, Repository
from folkmoot.worker.git.swap import NotMoved, Stale, TreeChanged
from folkmoot.worker.git.target import NoTarget
from folkmoot.worker.jobs import teardown
from folkmoot.worker.jobs.batches.together import Together
from folkmoot.worker.jobs.gate import judged, prove
from folkmoot.worker.jobs.job import Job, RunAborted
from folkmoot.worker.workspaces import GitWorkspaces, author_of

TRIES = 5


class LandingJob(Job):
    def carry_out(self) -> None:
        workspaces = self.tools.workspaces
        if not isinstance(workspaces, GitWorkspaces):
            raise Unavailable(
                "repository_gone", "the item's work is a commit, and there is no repository here any more"
            )
        try:
            self._try(workspaces)
        except NoTarget as error:
            said = Report.failed(error.message, cause="environment", blockers=error.hint, extra={"no_target": True})
            self.report(said)
            self.became = error.message
            self.tell("ended", self.became, good=False)

    def _try(self, workspaces: GitWorkspaces) -> None:
        for _ in range(TRIES):
            run_context = self.tools.application.queries.run_context(self.run)
            if run_context.head is None:
                raise Unavailable("no_work", "the item has no work that could land")
            workspaces.bring(run_context)
            if self._landed_before(workspaces, run_context):
                return
            if self._is_unmended(workspaces, run_context):
                return
            is_over = Together(self, workspaces, run_context).land()
            if is_over is None:  # no others land with it
                is_over = self._land(workspaces, run_context)
            if is_over:
                return
        raise Unavailable("branch_unsteady", "{branch} kept moving while it was landed on", "", run_context.branch)

    def _landed_before(self, workspaces: GitWorkspaces, run_context: RunContext) -> bool:
        """Did an earlier run move the branch, and die before it could say so?"""
        intent = run_context.landing
        if run_context.parent or intent is None:
            return False  # what is there by another's hand is proved there, like anything that lands
        tip = workspaces.tip(run_context.target)
        if tip is None or not workspaces.repository.contains(tip, intent.new):
            return False
        with workspaces.landing.alone():
            note = workspaces.finish(run_context.target, intent.old, intent.new)
        note = f"it was on {run_context.target} already. {note}".strip()
        self.landed(run_context, intent.commit, note, [], None)
        return True

    def _land(self, workspaces: GitWorkspaces, run_context: RunContext) -> bool:
        repository = workspaces.repository
        assert run_context.head is not None
        tip = (run_context.begins_from if run_context.parent else None) or workspaces.tip(run_context.target)
        self.step("merge")
        merged = self.merge(workspaces, run_context, tip)
        if merged is None or merged.commit is None:
            return True
        repository.keep(repository.run_ref(self.run), merged.commit)
        # Before anything names it: whoever finds it on the board, on any machine, can have it.
        intent = {} if run_context.parent else {INTENTS + self.run: merged.commit}
        self.send({repository.run_ref(self.run): merged.commit, **intent})
        evidence = self._prove(run_context, merged)
        if evidence is None:
            return True
        # What really differs on the branch: git follows renames of the other side, the item's own change does not tell.
        # Looked at after the gates, which may take long: what lies in the user's trees, or is a mirror, may change.
        touched = self.touched(repository, run_context, tip, merged.commit)
        return self._move(workspaces, run_context, tip, merged, touched, evidence)

    def merge(self, workspaces: GitWorkspaces, run_context: RunContext, tip: str | None) -> Merged | None:
        """The work together with where it goes. None: they do not fit, and that is reported."""
        assert run_context.head is not None
        merged = workspaces.repository.merge(tip, run_context.head, words_of(run_context), author_of("folkmoot"))
        if merged.commit is None:
            self.conflict(workspaces, run_context, tip, merged)
            return None
        return merged

    def touched(self, repository: Repository, run_context: RunContext, tip: str | None, commit: str) -> list[Touched]:
        return repository.touched(tip, commit)

    def conflict(self, workspaces: GitWorkspaces, run_context: RunContext, tip: str | None, merged: Merged) -> None:
        """Both sides go into one commit, with the places marked where they disagree: the maker of the work mends it."""
        repository = workspaces.repository
        assert merged.tree is not None and tip is not None and run_context.head is not None
        words = f"Item {run_context.item} meets {run_context.branch}: conflicts are marked"
        commit = repository.commit(merged.tree, [run_context.head, tip], words, author_of("folkmoot"))
        repository.keep(repository.run_ref(self.run), commit)
        self.send({repository.run_ref(self.run): commit})
        findings = [
            Finding(kind="review", severity="high", file=path, issue=f"conflicts with what is on {run_context.branch}")
            for path in merged.conflicts
        ]
        names = ", ".join(merged.conflicts[:5])
        said = Report.failed(f"it conflicts with {run_context.branch} in {names}", cause="conflict", findings=findings)
        work = Work(base=run_context.head, commit=commit, tree=merged.tree)
        self.report(said, work=work)
        workspaces.keep_item(self.item, commit)
        self.became = said.summary
        self.tell("ended", self.became, good=False)

    def _is_unmended(self, workspaces: GitWorkspaces, run_context: RunContext) -> bool:
        """Are marks of a conflict still in the work, whatever else was changed in it? Then it goes back once more."""
        assert run_context.head is not None
        left = unmended(workspaces.repository, run_context.marked, run_context.head) if run_context.marked else []
        if not left:
            return False
        words = f"the marks of the conflict with {run_context.branch} are still in it"
        findings = [Finding(kind="review", severity="high", file=path, issue=words) for path in left]
        said = Report.failed(
            f"the marked conflicts were not mended in {', '.join(left[:5])}", "conflict", findings=findings
        )
        self.report(said)
        self.became = said.summary
        self.tell("ended", self.became, good=False)
        return True

    def _prove(self, run_context: RunContext, merged: Merged) -> list[Evidence] | None:
        """The gates the work has passed, on what will land; one that was green on this very tree need not run again."""
        assert merged.commit is not None and merged.tree is not None
        missing = [gate for gate in run_context.gates if gate not in run_context.proved.get(merged.tree, [])]
        found, said = self.run_gates(run_context, merged.commit, missing)
        self.close_output()
        if said is None:
            return found
        is_red = said.cause == "gate"
        self.tools.landings.went_back(is_red)
        work = Work(base=run_context.head, commit=merged.commit, tree=merged.tree) if is_red else None
        self.report(said, work=work, evidence=found)
        self.became = said.summary
        self.tell("ended", self.became, good=False)
        return None

    def run_gates(
        self, run_context: RunContext, commit: str, gates: Sequence[str]
    ) -> tuple[list[Evidence], Report | None]:
        """Each in a clone of its own, until one is not green; what that one says."""
        found: list[Evidence] = []
        for name in gates:
            self.step("clone")
            self.tools.workspaces.make(self.paths, run_context, commit)
            gate = None
            try:
                flow = self.tools.application.queries.flow()  # as it is now: no other proof counts
                gate = flow.gates.get(name)
                if gate is None:
                    raise Unavailable("flow_changed", "the flow has a gate {name} since this landing began", "", name)
                evidence, ended = prove(self, flow, gate, commit, gate.setup or any_setup(flow))
            finally:
                teardown.after(self, gate is None or gate.network, self._stopped.is_set)
                self.tools.workspaces.remove(self.paths)
            found.append(evidence)
            if not evidence.green:
                said = judged(evidence, ended, self.timers.ending, self.flow.limits)
                red = said.cause is None
                return found, Report.failed(
                    f"{name} is red on {run_context.branch} with it: {said.summary}" if red else said.summary,
                    cause="gate" if red else said.cause,
                    findings=said.findings,
                )
        return found, None

    def _move(
        self,
        workspaces: GitWorkspaces,
        run_context: RunContext,
        tip: str | None,
        merged: Merged,
        touched: list[Touched],
        evidence: list[Evidence],
    ) -> bool:
        assert merged.commit is not None
        record = RecordLanding(
            branch=run_context.branch,
            old=tip,
            new=merged.commit,
            tree=merged.tree,
            touched=touched,
            evidence=evidence,
        )
        if not run_context.parent and workspaces.repository.remote_now() is None:
            # First the ref: whoever looks for moves that nobody has told of finds all of them.
            workspaces.repository.keep(INTENTS + run_context.item, merged.commit)
        try:
            self.submit(lambda engine: engine.act(self.actor, record))
        except Refused as error:
            if error.code != "not_proved":
                raise
            return False  # the flow has other gates by now
        now = self.tools.application.queries.run_context(self.run)
        if not now.live:
            self._held_back()
            return True
        if not run_context.parent:
            return self.move_target(workspaces, run_context, record)
        work = Work(
            base=tip, commit=run_context.head, merged=merged.commit, onto=run_context.parent_head, tree=merged.tree
        )
        try:
            self.landed(run_context, merged.commit, "", evidence, work, run_context.branch, moves=touched)
        except Refused as error:
            if error.code not in ("branch_moved", "not_proved"):
                raise
            return False
        return True

    def move_target(self, workspaces: GitWorkspaces, run_context: RunContext, record: RecordLanding) -> bool:
        """All that takes time first; then branch and board together; then the user's files."""
        self.step("move")
        with workspaces.landing.alone():
            try:
                why = f"moot: landed item {run_context.item} by run {self.run}"
                move = workspaces.plan(run_context.target, record.old, record.new, why)
            except Stale:
                return False
            except Refused as error:
                self.refused(error)
                return True
            try:
                move.ready()
                if not self._swap(run_context, move, record):
                    return self.timers.done  # ended by the board's own word, or to be merged again
                self.tools.step("landed", self.run)
                self.bring_along(workspaces, move, {self.item: self.run})
            except RemoteAway:
                raise
            except Unavailable as error:
                self.refused(error)
            finally:
                move.drop()
        return True

    def _swap(self, run_context: RunContext, move: Move | RemoteMove, record: RecordLanding) -> bool:
        """In the transaction in which the board takes in that it landed. False: it did not."""

        def make(landed: str) -> None:
            self.tools.step("swap", self.run)
            move.make(landed)
            self.tools.step("moved", self.run)

        commit, evidence = record.new, record.evidence
        moves: list[Touched] | None = record.touched
        tries = 0
        while tries < TRIES:
            tries += 1
            try:
                return self.landed(run_context, commit, move.note, evidence, None, move.branch, make, moves)
            except TreeChanged:
                return False
            except NotMoved:
                try:
                    move.look()  # and once more where it did move: then only the board has to be told
                    moves = None
                except Stale:
                    return False
                except RemoteAway as away:
                    tries -= 1
                    self.wait_for_remote(away)
            except Refused as error:
                if error.code != "not_proved":
                    raise
                return False  # a gate is another one by now
        raise Unavailable("branch_unsteady", "git does not say whether it moved {branch}", "", move.branch)

    def bring_along(self, workspaces: GitWorkspaces, move: Move | RemoteMove, landed: Mapping[str, str]) -> None:
        """It has landed, whatever comes now. The run is over, so a comment says which files stayed as they are.
        `landed` are the items that the move has brought, and the run of each."""
        try:
            moved = move.bring_along()
            for item, run in landed.items():
                workspaces.forget_intent(item, run)
            if isinstance(move, RemoteMove) and moved.note:
                self.tell("followed", moved.note)
            if moved.left:
                words = AddComment(content=told_of(moved.branch, moved.left))
                self.tell("fault", words.content, good=False)
                self.tools.application.engine.act(ENGINE, words, self.item)
        except (MootError, OSError) as error:
            self.tell("fault", f"{move.branch} moved, and its files are yet to come along: {error}", good=False)

    def refused(self, error: MootError) -> None:
        """What git takes for unsafe is the maker's to mend; what stands in the way in the user's trees passes."""
        unsafe = error.code == "unsafe_change"
        said = Report.failed(error.message, cause="conflict" if unsafe else "environment", blockers=error.hint)
        self.report(said)
        self.became = error.message
        self.tell("ended", self.became, good=False)

    def landed(
        self,
        run_context: RunContext,
        commit: str,
        note: str,
        evidence: list[Evidence],
        work: Work | None,
        branch: str = "",
        move: Callable[[str], None] | None = None,
        moves: list[Touched] | None = None,
    ) -> bool:
        """False: the board has not let it land after all, and the run is over."""
        words = f"landed on {branch or run_context.branch}" + (f"; {note}" if note else "")
        extra = {"branch": branch} if branch else {}
        try:
            said = Report.done(words, commit=commit, extra=extra)
            self.report(said, move=move, work=work, evidence=evidence, moves=moves)
        except RunAborted:
            self.became = f"it was not to land on {run_context.branch} any more"
            raise
        if moves is not None and not self.tools.application.queries.run_context(self.run).has_landed:
            self._held_back()
            return False
        if run_context.parent and isinstance(self.tools.workspaces, GitWorkspaces):
            self.tools.workspaces.keep_item(run_context.parent, commit)
        self.tools.landings.landed()
        self.became = words
        self.tell("landed", words, good=True)
        return True

    def _held_back(self) -> None:
        workspaces, now = self.tools.workspaces, self.tools.application.queries.run_context(self.run)
        if isinstance(workspaces, GitWorkspaces):
            workspaces.keep_item(self.item, now.head)
        self.became = "the board does not let it land now: `moot show` says why"
        self.timers.done = True
        self.tell("released", self.became)


def words_of(run_context: RunContext) -> str:
    return f"Item {run_context.item}: {run_context.title}"


def any_setup(flow: Flow) -> list[list[str]]:
    return next((agent.setup for agent in flow.agents.values() if agent.setup), [])
