"""A gate: the user's own check, on the very tree that is to be proved, with evidence (R-21)."""

from msgspec.structs import replace

from folkmoot.core.flow import Flow, Gate, Limits
from folkmoot.core.report import Finding, Report
from folkmoot.core.rules.judging.required import check_of
from folkmoot.core.vocabulary.cause_line import cause_line, is_of_the_machine
from folkmoot.core.vocabulary.missing import not_there
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.work import Evidence
from folkmoot.worker.clients.printed import Words
from folkmoot.worker.jobs import teardown
from folkmoot.worker.jobs.bounds import over_limit
from folkmoot.worker.jobs.job import Job
from folkmoot.worker.jobs.preparing import set_up
from folkmoot.worker.output import tail_of
from folkmoot.worker.ports import Ended
from folkmoot.worker.run_timers import RunTimers
from folkmoot.worker.startable import unstarted
from folkmoot.worker.workspaces import GitWorkspaces

EVIDENCE_CHARACTERS = 4_000
KEPT_CHARACTERS = 64_000
_NUMBERS = pattern(r"[0-9a-f]*\d[0-9a-f]*")


class GateJob(Job):
    def carry_out(self) -> None:
        run_context = self.assignment.run_context
        self.step("clone")
        commit = self.tools.workspaces.make(self.paths, run_context, None)
        try:
            evidence, ended = prove(
                self, self.flow, self.flow.gates[self.agent], commit, self._setup(run_context.column)
            )
            self.close_output()
            said = judged(evidence, ended, self.timers.ending, self.flow.limits)
            if not evidence.green and commit is not None:
                evidence = replace(evidence, before=self._before(evidence, commit))
            self.report(said, evidence=[evidence])
            self.became = "green" if evidence.green else "red"
            self.tell("ended", self.became, good=evidence.green)
            self.over()
        finally:
            teardown.after(self, self.flow.gates[self.agent].network, self._stopped.is_set)
            self.clear_away()

    def _before(self, evidence: Evidence, commit: str) -> str:
        """What it said of the target branch as that still is, if it ended there in the same way."""
        workspaces, run_context = self.tools.workspaces, self.assignment.run_context
        if not isinstance(workspaces, GitWorkspaces):
            return ""
        began = workspaces.began(run_context, commit)
        if began is None or began != workspaces.tip(run_context.target):
            return ""
        known = self.tools.red_before(evidence.gate, evidence.check, began)
        return known if known and _alike(known, red_line(evidence, self.timers)) else ""

    def _setup(self, column: str) -> list[list[str]]:
        gate = self.flow.gates[self.agent]
        watcher = self.flow.watcher(column) if column in self.flow.columns else None
        return gate.setup or (self.flow.agents[watcher].setup if watcher else [])


def prove(
    job: Job, flow: Flow, gate: Gate, commit: str | None, setup: list[list[str]], *, landed: bool = False
) -> tuple[Evidence, Ended]:
    """Run the gate's command, as a flow has it, in the job's workspace. `landed`: that holds nothing unproved."""
    set_up(job, flow, setup, gate.network, commit, landed=landed)
    env = job.environment([], {}, {"MOOT_GATE": gate.name})
    job.step("gate")
    began = job.tools.now()
    said = Words(KEPT_CHARACTERS)  # a gate runs the agent's code, which may never stop talking
    job.tell("started", gate.name)
    if (why := unstarted(gate.run, job.tools.programs)) is not None:
        ended = Ended(fault=why)
    else:
        ended = job.run_process(job.launch(gate.run, env, network=gate.network), said.line, all_of_it=True)
    job.check_alive()
    words = job.redactor.clean(tail_of(str(said), EVIDENCE_CHARACTERS))
    evidence = Evidence(
        gate=gate.name,
        green=ended.code == 0 and not ended.fault and not ended.limit and job.timers.ending is None,
        command=gate.run,
        check=check_of(flow, gate),
        exit_code=ended.code,
        seconds=round(job.tools.now() - began, 3),
        commit=commit,
        tree=job.tools.workspaces.tree(commit),
        output=words,
    )
    return evidence, ended


def red_line(evidence: Evidence, timers: RunTimers) -> str:
    """What is wrong, in one line, of a gate that is not green."""
    if timers.ending == "timeout":
        return f"it took longer than {timers.wall:.0f}s"
    how = f"exit {evidence.exit_code}" if evidence.exit_code is not None else "it was ended"
    return cause_line(evidence.output) or how


def _alike(one: str, other: str) -> bool:
    """Numbers differ from run to run: times, addresses, lines."""
    return _NUMBERS.sub("0", one) == _NUMBERS.sub("0", other)


def judged(evidence: Evidence, ended: Ended, ending: str | None, limits: Limits) -> Report:
    """The gate's report: what proves nothing, since the check itself could not run, is not the work's fault."""
    command = " ".join(evidence.command)
    if evidence.green:
        return Report.done(f"{command}: exit 0", commit=evidence.commit)
    if ended.limit:
        words = f"{command}: {over_limit(ended.limit, limits)}"
        return Report.failed(
            words, commit=evidence.commit, findings=[Finding(kind="test", severity="high", issue=words)]
        )
    if ended.fault:
        return Report.failed(f"{command} could not be run: {ended.fault}", cause="environment")
    if ending is not None:
        return Report.failed(f"{command} took longer than it may", cause="timeout", commit=evidence.commit)
    if (lacks := not_there(ended.code, evidence.output)) is not None:
        return Report.failed(f"{command} could not be run: {lacks}", cause="environment", commit=evidence.commit)
    how = f"exit {ended.code}" if ended.code is not None else f"ended by signal {ended.signal}"
    line = cause_line(evidence.output)
    words = f"{command}: {how}" + (f": {line}" if line else "")
    if is_of_the_machine(line):  # at worst the work's own doing: then the gate is run again in vain, and a person asked
        return Report.failed(words, cause="environment", commit=evidence.commit)
    finding = Finding(kind="test", severity="high", issue=f"{words}\n{evidence.output}"[:EVIDENCE_CHARACTERS])
    return Report.failed(words, commit=evidence.commit, findings=[finding])
