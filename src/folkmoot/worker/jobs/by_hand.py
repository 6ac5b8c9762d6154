"""A person's run: the clone, the harvest and the report of an agent's effort, without a process of it."""

import os
from typing import TYPE_CHECKING

from msgspec.structs import replace

from folkmoot.core.commands import ReleaseRun, ReportRun, WidenRun
from folkmoot.core.flow import Gate
from folkmoot.core.report import Report
from folkmoot.core.rules.running.work import too_much
from folkmoot.core.rules.sharing.paths import outside
from folkmoot.core.work import Evidence, Work
from folkmoot.engine.run_context import is_fresh
from folkmoot.errors import MootError, Refused
from folkmoot.worker.git.harvest.bounds import allowed
from folkmoot.worker.git.harvest.leaks import without_values
from folkmoot.worker.git.planted import take_planted_away
from folkmoot.worker.jobs import teardown
from folkmoot.worker.jobs.effort import EffortJob
from folkmoot.worker.jobs.gate import prove
from folkmoot.worker.jobs.job import Job
from folkmoot.worker.jobs.preparing import put_back, set_up
from folkmoot.worker.jobs.saying import spooled
from folkmoot.worker.ports import Paths
from folkmoot.worker.workspaces import BASE, READY, SET_ASIDE, TRIAL, GitWorkspaces, is_ready, own

if TYPE_CHECKING:
    from folkmoot.api.views import ItemView


class HandJob(EffortJob):
    remote_patience = 0.0  # whoever gives their work is told, and gives it again

    def work(self) -> None:
        raise NotImplementedError("nobody runs it: a person does the work")

    # Taking

    def prepare(self, commit: str | None) -> str:
        """Make the clone, at the commit of the agent whose work is taken over. Gives what `setup` had to say if it
        failed. A clone that is there is left as it is."""
        self.tools.step("prepare", self.run)
        if self.is_made:
            own(self.paths)
            spooled(self.paths, self.assignment.brief, self._began)
            return ""
        if os.path.isdir(self.paths.root):
            self.tools.workspaces.remove(self.paths)  # a clone that was not finished was never worked in
        run_context = self.assignment.run_context
        base = self._parent(commit) if commit else None
        at = self.tools.workspaces.make(self.paths, run_context, commit, base)
        self.tools.step("cloned", self.run)
        assert isinstance(self.tools.workspaces, GitWorkspaces)
        # What an agent wrote, and nobody has proved, is no more landed for the person who takes it over.
        words = self._set_up(at, landed=commit is None and is_fresh(run_context))
        take_planted_away(self.tools.workspaces.repository, self.paths, at)
        self._began = self.tools.workspaces.began(run_context, base or at)
        spooled(self.paths, self.assignment.brief, self._began)
        self._mark_ready()
        return words

    @property
    def is_made(self) -> bool:
        return is_ready(self.paths.root)

    def _mark_ready(self) -> None:
        with open(os.path.join(self.paths.root, READY), "w", encoding="ascii") as file:
            file.write(self.item)

    def _parent(self, commit: str) -> str | None:
        """Where the agent began whose commit it is: its change and the person's are counted together."""
        assert isinstance(self.tools.workspaces, GitWorkspaces)
        return self.tools.workspaces.repository.kept(f"{commit}^")

    def _set_up(self, commit: str | None, *, landed: bool) -> str:
        agent = self.flow.agents[self.agent]
        obeyed = self.tools.catalogue.obeyed_by_any()  # a person may start any client there
        try:
            set_up(self, self.flow, agent.setup, agent.network, commit, landed=landed, obeyed=obeyed)
        except MootError as error:
            put_back(self, commit, obeyed)  # the person gets the clone all the same, and nothing else that it left
            return error.message
        finally:
            _close_ports(self)
        return ""

    # Giving

    def give(self, said: Report, *, widen: bool, proved: bool) -> "ItemView":
        """Report for the person. What is refused leaves run and clone as they are; nothing has happened then."""
        base = self._said_base()
        work = self._looked_at(base, said.summary)
        if work is not None and widen:
            self._widen(work)
        if proved and said.outcome == "done" and work is not None:
            self._prove(work)
        if work is not None and work.touched:
            self._keep_diff(work)
        self.tools.step("give", self.run)
        view = self._tell_merged(said, None, work, self._report)
        self.tools.step("given", self.run)
        workspaces = self.tools.workspaces
        if isinstance(workspaces, GitWorkspaces) and view.head is not None:
            workspaces.keep_item(self.item, view.head)
        return view

    def give_back(self) -> "ItemView":
        """What was made is on the item's branch: its agent goes on from there."""
        work = self._looked_at(self._said_base(), "(given back)")
        self.tools.step("give", self.run)
        return self._tell_merged(
            Report(outcome="incomplete"),
            None,
            work,
            lambda said, fault, work: self.tools.application.engine.handle_run(self.actor, ReleaseRun(work=work)),
        )

    def _report(self, said: Report, fault: str | None, work: Work | None) -> "ItemView":
        if said.outcome == "failed" and work is not None and work.unfit:
            words = "your change cannot be taken: {why}"
            hint = "bring in what is new there (git merge), mend it, and give again"
            raise Refused("change_refused", words, hint, said.summary)
        return self.tools.application.engine.handle_run(self.actor, ReportRun(report=said, work=work))

    def _said_base(self) -> str | None:
        with open(os.path.join(self.paths.root, BASE), encoding="ascii") as file:
            return file.read().strip() or None

    def _looked_at(self, base: str | None, summary: str) -> Work | None:
        """The person's change as a commit. A clone that was put aside for its size comes back: they are still there."""
        run_context = self.tools.application.queries.run_context(self.run)
        if not run_context.live:
            words = "run {run} has ended: item {item} is no longer yours"
            raise Refused("stale_claim", words, "see what became of it: <show item>", self.run, self.item)
        limits = self.tools.application.queries.flow().limits
        within = allowed(limits, self.tools.now, known=self.redactor.known)
        message = self.redactor.clean(f"{self.title}\n\n{summary}".strip())
        work, lost = self.tools.workspaces.harvest(self.paths, run_context, base, message, within)
        if work is not None and work.aside is not None:
            os.rename(os.path.join(self.tools.workspaces.home, SET_ASIDE, self.run), self.paths.workspace)
            why = "; ".join(too_much(replace(work, aside=None), limits)) or work.why or lost
            words = "your change cannot be taken in: {why}"
            raise Refused("change_refused", words, "take back what does not belong to it, and give again", why)
        if work is None:
            words = "your change cannot be taken in: {why}"
            raise Refused("change_refused", words, "see: <show item>", lost, item=self.item)
        return without_values(work, self.redactor)

    def _widen(self, work: Work) -> None:
        """A person may let the item have more files; what others hold, nobody gets."""
        files = self.tools.application.queries.show(self.item).files
        more = outside([one.path for one in work.touched], files) if files else []
        if more:
            self.tools.application.engine.handle_run(self.actor, WidenRun(paths=more))

    def _prove(self, work: Work) -> None:
        """The gates of the column, tried on that very commit: a red one is for the person to mend, not for an agent."""
        column = self.flow.columns.get(self.assignment.run_context.column)
        gates = [self.flow.gates[name] for name in column.gate] if column and column.kind == "flow" else []
        for gate in gates:
            if not gate.run:
                continue
            trial = Trial(self, gate, work.commit)
            evidence = trial.evidence()
            if not evidence.green:
                words = "the gate {gate} is red on your change: {command}{output}"
                hint = "mend it here and give again; or let it go to the gate as it is: <give unproved=yes>"
                output = f"\n{evidence.output.rstrip()}" if evidence.output.strip() else ""
                raise Refused("gate_red", words, hint, gate.name, " ".join(gate.run), output)


class Trial(Job):
    """One gate on one commit, in a fresh clone, before anything is reported."""

    def __init__(self, job: HandJob, gate: Gate, commit: str | None) -> None:
        super().__init__(job.tools, job.assignment, job.sandbox)
        root = job.paths.root + TRIAL
        self.paths = Paths(
            root=root,
            workspace=os.path.join(root, "workspace"),
            home=os.path.join(root, "home"),
            spool=os.path.join(root, "spool"),
        )
        self._gate, self._commit = gate, commit
        self.timers.wall, self.timers.silence = self.flow.longest(gate.name)

    def carry_out(self) -> None:
        raise NotImplementedError("it reports nothing")

    def evidence(self) -> Evidence:
        agent = self.flow.agents[self.agent]
        workspaces = self.tools.workspaces
        workspaces.remove(self.paths)  # of one that was killed
        commit = workspaces.make(self.paths, self.assignment.run_context, self._commit)
        try:
            evidence, _ = prove(self, self.flow, self._gate, commit, self._gate.setup or agent.setup)
            return evidence
        finally:
            teardown.after(self, self._gate.network, self._stopped.is_set)
            workspaces.remove(self.paths)
            _close_ports(self)


def _close_ports(job: Job) -> None:
    """They are the process's that has them: a person's shell outlives it."""
    if job._ports is not None:
        job._ports.close()
