"""A run that no item has: a process as a run would start it, whose end is looked at, and told to no board."""

import os
import threading
from collections.abc import Sequence

from folkmoot.core.commands import NoteSetup
from folkmoot.core.flow import Flow, Gate
from folkmoot.core.vocabulary.cause_line import cause_line
from folkmoot.core.work import Evidence
from folkmoot.engine.assignment import Assignment
from folkmoot.engine.run_context import RunContext
from folkmoot.errors import MootError
from folkmoot.worker.clients.catalogue import Start
from folkmoot.worker.clients.printed import Words
from folkmoot.worker.jobs import teardown
from folkmoot.worker.jobs.gate import prove
from folkmoot.worker.jobs.job import Job
from folkmoot.worker.ports import Ended, Paths
from folkmoot.worker.removing import remove_tree
from folkmoot.worker.tools import Tools
from folkmoot.worker.workspaces import own, run_paths

NAME = "ready"
ANSWER_SECONDS = 20.0  # for a client to say its version; some need seconds for their first start
WORDS_KEPT = 8_000
JOIN_SECONDS = 0.2


class Trial(Job):
    """Its own worker: it ends itself when its time is over, and whatever it started with it."""

    def __init__(self, tools: Tools, flow: Flow, agent: str, run: str) -> None:
        context = RunContext(
            item=NAME,
            title=NAME,
            agent=agent,
            column="",
            write="none",
            live=True,
            head=None,
            parent=None,
            parent_head=None,
            begins_from=None,
            began_at=None,
            ends_here=False,
            branch=flow.target,
            target=flow.target,
        )
        given = Assignment(run=run, token=0, agent=agent, model=None, flow=flow, brief={}, run_context=context)
        super().__init__(tools, given, tools.sandbox_of(flow))
        self.fault = ""  # why it could not be carried out

    def follow(self) -> None:
        """Carry it out, and end it in time."""
        thread = threading.Thread(target=self.work, name=f"moot-{self.run}", daemon=True)
        thread.start()
        try:
            while thread.is_alive():
                now = self.tools.now()
                act = self.timers.due(now)
                if act is not None and act.do == "renew":
                    self.timers.renewed(now)  # there is no lease that could run out
                elif act is not None:
                    self.end(act)
                thread.join(JOIN_SECONDS)
        except BaseException:
            self.end(self.timers.stop())
            thread.join()
            raise

    def _keep_output(self, parts: Sequence[tuple[int, str]]) -> bool:
        return True  # what counts of it is in what is found

    def note_setup(self, note: NoteSetup) -> None:
        pass  # no board knows of it

    def _failed(self, words: str) -> None:
        self.fault = self.redactor.clean(words)

    def _give_back(self) -> None:
        self.fault = self.fault or "it was stopped"


class GateTrial(Trial):
    """A gate on what is on the target branch, in a fresh clone, with its setup: as a run of it would be."""

    evidence: Evidence | None = None
    ended: Ended | None = None

    def __init__(self, tools: Tools, flow: Flow, gate: Gate, setup: list[list[str]], run: str) -> None:
        self._gate = gate
        self._setup = setup
        super().__init__(tools, flow, gate.name, run)

    def limits(self) -> tuple[float, float]:
        wall = self._gate.timeout or self.flow.limits.timeout
        return wall, wall

    def carry_out(self) -> None:
        workspaces = self.tools.workspaces
        commit = workspaces.make(self.paths, self.assignment.run_context, None)
        try:
            self.evidence, self.ended = prove(self, self.flow, self._gate, commit, self._setup, landed=True)
        finally:
            teardown.after(self, self._gate.network, self._stopped.is_set)
            self.clear_away()


class AnswerTrial(Trial):
    """A client that is asked for its version, where its runs would start it. That costs nothing."""

    said = ""
    ended: Ended | None = None

    def __init__(self, tools: Tools, flow: Flow, agent: str, start: Start, argv: list[str], run: str) -> None:
        self._start = start
        self._argv = argv
        super().__init__(tools, flow, agent, run)
        # No clone: a folder without a repository would be its workspace otherwise.
        self.paths: Paths = run_paths(tools.workspaces.home, run)

    def limits(self) -> tuple[float, float]:
        return ANSWER_SECONDS, ANSWER_SECONDS

    def carry_out(self) -> None:
        for folder in (self.paths.workspace, self.paths.home, self.paths.spool):
            os.makedirs(folder, mode=0o700)
        own(self.paths)
        try:
            network = self.flow.agents[self.agent].network
            env = self.environment(self._start.env, self._start.set, {})
            said = Words(WORDS_KEPT)
            launch = self.launch(self._argv, env, network=network, named=self._start.argv)
            self.ended = self.run_process(launch, said.line, all_of_it=True)
            self.redactor = self.knowing(self._start.env, {}, self._start.set)
            self.said = self.redactor.clean(str(said))
        finally:
            remove_tree(self.paths.root)

    @property
    def answered(self) -> bool:
        return self.ended is not None and self.ended.code == 0 and self.timers.ending is None

    @property
    def why(self) -> str:
        """Why it did not answer, as it says it itself."""
        if self.fault:
            return self.fault
        if self.timers.ending == "timeout":
            return f"it says nothing to --version within {ANSWER_SECONDS:.0f}s"
        ended = self.ended or Ended()
        how = f"exit {ended.code}" if ended.code is not None else f"signal {ended.signal}"
        return ended.fault or cause_line(self.said) or f"--version ends with {how} and no word"


def try_out(trial: Trial) -> None:
    """Carry a trial out; what keeps it from beginning is its fault."""
    try:
        trial.follow()
    except (MootError, OSError) as error:
        trial.fault = str(error)
