"""Is a gate green on what is on the target branch, before any agent has changed it?"""

import os
from collections.abc import Callable

from msgspec.structs import replace

from folkmoot.api.machine import Look, LookState
from folkmoot.core.flow import Flow, Gate
from folkmoot.core.rules.judging.required import check_of
from folkmoot.errors import MootError
from folkmoot.system.file_lock import alone
from folkmoot.wiring.readiness.kept import FILE, GateResult, keep, read_kept
from folkmoot.worker.jobs.gate import red_line
from folkmoot.worker.ready.trial import GateTrial, try_out
from folkmoot.worker.tools import Tools
from folkmoot.worker.workspaces import GitWorkspaces

SHORT = 8  # letters of a commit
AGAIN = "moot ready --again runs it again"


class GateLooks:
    """`tell` is told before a gate is run, which may take long."""

    def __init__(self, tools: Tools, flow: Flow, new_id: Callable[[], str], tell: Callable[[str], None]) -> None:
        self._tools = tools
        self._flow = flow
        self._new_id = new_id
        self._tell = tell
        self._home = tools.workspaces.home
        self.commit: str | None = None

    def gates(self) -> list[tuple[Gate, list[list[str]]]]:
        """Those with a command that a column asks for, each with the setup that it has there."""
        found: dict[str, tuple[Gate, list[list[str]]]] = {}
        for column in self._flow.columns.values():
            for name in column.gate:
                gate = self._flow.gates[name]
                watcher = self._flow.watcher(column.name)
                setup = gate.setup or (self._flow.agents[watcher].setup if watcher else [])
                if gate.run:
                    found.setdefault(name, (gate, setup))
        return list(found.values())

    def look(self, *, again: bool) -> list[Look]:
        gates = self.gates()
        if not gates:
            words = "no command proves work before it lands"
            return [Look(look="gate", state="note", words=words, next="name one in .moot/flow.yaml, under gates")]
        workspaces, target = self._tools.workspaces, self._flow.target
        if isinstance(workspaces, GitWorkspaces):
            try:
                self.commit = workspaces.tip(target)
            except MootError:
                return []  # the look at the branch says what is wrong with it
            if self.commit is None:
                words = f"{target} has no commit yet, so there is nothing to prove"
                return [Look(look="gate", state="note", words=words, next="git commit")]
        return [self._look(gate, setup, again) for gate, setup in gates]

    def _look(self, gate: Gate, setup: list[list[str]], again: bool) -> Look:
        # Several may look at once: the first runs it, the others have its result.
        with alone(os.path.join(self._home, f"{FILE}.lock")):
            result = None if again else self._known(gate)
            if result is not None:
                return self._told(gate, result)
            self._tell(f"{gate.name}: {' '.join(gate.run)} on {self._where()}, once for this commit")
            trial = GateTrial(self._tools, self._flow, gate, setup, self._new_id())
            try_out(trial)
            return self._found(gate, trial)

    def _where(self) -> str:
        return f"{self._flow.target} ({self.commit[:SHORT]})" if self.commit else "this folder"

    def _known(self, gate: Gate) -> GateResult | None:
        if self.commit is None:
            return None
        kept = read_kept(self._home).gate(gate.name, check_of(self._flow, gate), self.commit)
        return kept or self._landed_green(gate)

    def _landed_green(self, gate: Gate) -> GateResult | None:
        """What landed last was proved by the same gate on the same tree: nobody need prove it again."""
        workspaces = self._tools.workspaces
        assert isinstance(workspaces, GitWorkspaces) and self.commit is not None
        repository, tree = workspaces.repository, workspaces.tree(self.commit)
        runs = "refs/moot/runs/"
        said = repository("for-each-ref", f"--points-at={self.commit}", "--format=%(refname)", runs).out.decode()
        for ref in said.split():
            try:
                context = self._tools.application.queries.run_context(ref.removeprefix(runs))
            except MootError:
                continue  # a board that has gone back knows nothing of it
            if gate.name in context.proved.get(tree or "", []):
                check = check_of(self._flow, gate)
                return GateResult(gate=gate.name, check=check, commit=self.commit, green=True)
        return None

    def _found(self, gate: Gate, trial: GateTrial) -> Look:
        command = " ".join(gate.run)
        evidence, ended = trial.evidence, trial.ended
        if evidence is None or ended is None or (ended.fault and not evidence.green):
            why = trial.fault or (ended.fault if ended else "") or "it was stopped"
            words = f"{command} cannot be run: {why}"
            return Look(look="gate", state="act", about=gate.name, words=words, next=self._remedy(why))
        result = GateResult(
            gate=gate.name,
            check=check_of(self._flow, gate),
            commit=self.commit or "",
            green=evidence.green,
            line="" if evidence.green else red_line(evidence, trial.timers),
            seconds=evidence.seconds,
        )
        if self.commit is not None:
            kept = read_kept(self._home)
            kept.remember(result)
            keep(self._home, kept)
        return self._told(gate, result)

    @staticmethod
    def _remedy(why: str) -> str:
        if "not installed" in why:
            return "install it, or change the gate in .moot/flow.yaml, then moot apply"
        return "mend the setup or the gate in .moot/flow.yaml, then moot apply"

    def _told(self, gate: Gate, result: GateResult) -> Look:
        command = " ".join(gate.run)
        took = f" in {result.seconds:.1f}s" if result.seconds else ""
        if result.green:
            words = f"{command} is green on {self._where()}{took}"
            return Look(look="gate", state="good", about=gate.name, words=words, commit=self.commit)
        state: LookState = "note" if result.accepted else "act"
        words = f"{command} is red on {self._where()} before any agent worked: {result.line}"
        act = f"mend it and commit; {AGAIN}"
        return Look(look="gate", state=state, about=gate.name, words=words, next=act, commit=self.commit)


def red_before(home: str, gate: str, check: str, commit: str) -> str:
    """What a gate says of a commit that it is red on; empty where it is green, unknown, or red as the user wants it."""
    known = read_kept(home).gate(gate, check, commit)
    return "" if known is None or known.green or known.accepted else known.line


def accept_red(home: str, commits: list[str]) -> None:
    """The user lets agents begin though gates are red on these commits: that is asked once."""
    with alone(os.path.join(home, f"{FILE}.lock")):
        kept = read_kept(home)
        for one in [one for one in kept.gates if one.commit in commits and not one.green]:
            kept.remember(replace(one, accepted=True))
        keep(home, kept)
