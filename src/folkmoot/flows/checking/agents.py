"""What must fit together in a flow beside its columns: agents and experts, who splits and settles, gates, messages."""

from folkmoot.core.flow import END, LANDING, Agent, Column, Flow
from folkmoot.flows.agents import EVERYBODY, TAKEN_NAMES
from folkmoot.flows.checking.columns import Check, circles
from folkmoot.flows.faults import Findings, Path, did_you_mean, shown


class AgentCheck(Check):
    def __init__(self, flow: Flow, findings: Findings) -> None:
        super().__init__(flow, findings)
        self._watching = {agent for column in self.columns for agent in column.agents}
        self._asked = {expert for agent in flow.agents.values() for expert in agent.experts}
        # A faulty column of which no agent could be read, or an agent's name that fits none, may be the one that is
        # meant: then nobody can say who watches nothing. Asked now, before the checks add faults of their own.
        faulty = findings.faulty_in("columns")
        read = {name for name, column in flow.columns.items() if column.agents}
        self._watchers_are_known = len(flow.columns) > 1 and faulty <= read and self._watching <= flow.agents.keys()

    def all(self) -> None:
        for column in self.columns:
            self.watchers(column)
            self.gates_of(column)
        for agent in self.flow.agents.values():
            self.expert(agent) if agent.expert else self.agent(agent)
        self.circles_of_help()
        self.discover()
        self.arbiter()
        self.gates()
        self.messages()

    def watchers(self, column: Column) -> None:
        path = ("columns", column.name, "agents")
        for name in column.agents:
            place = self.findings.place_of((*path, name))
            if not self._is_agent(name, path):
                continue
            if self.flow.agents[name].expert:
                advice = f"name it in the experts of an agent, or remove expert: true at '{name}'"
                what = f"'{name}' is an expert: it is asked by others and watches no column"
                self.findings.fault(path, what, advice, place)

    def gates_of(self, column: Column) -> None:
        path = ("columns", column.name, "gate")
        for name in column.gate:
            place = self.findings.place_of((*path, name))
            if name == LANDING and name not in self.flow.gates:
                advice = "leave it out: it runs by itself for each item that is done"
                self.findings.fault(path, f"'{name}' is the gate before the end, for no other column", advice, place)
            elif name not in self.flow.gates and not self.is_unreadable("gates"):
                advice = (
                    did_you_mean(name, list(self.flow.gates))
                    or f'add it: gates: {{{name}: {{run: ["make", "check"]}}}}'
                )
                self.findings.fault(path, f"there is no gate {shown(name)}", advice, place)

    def agent(self, agent: Agent) -> None:
        path = ("agents", agent.name)
        # One that others would ask only lacks the word: that is said where they name it.
        is_idle = agent.name not in self._watching | self._asked
        if is_idle and self._watchers_are_known and not self.findings.is_faulty(*path):
            advice = f"name it in a column, like `agents: [{agent.name}]`, or remove it"
            self.findings.fault(path, "it watches no column, so it would never get an item", advice)
        target = agent.escalate_to
        if target is not None and self.exists(target, *path, "escalate_to") and not self.can_help(target):
            advice = f"name a column of kind escalation, or one with human: true{self.some_helpers()}"
            kind = self.flow.columns[target].kind
            what = "a stage of the flow" if kind == "flow" else f"of kind {kind}"
            self.findings.fault((*path, "escalate_to"), f"'{target}' is {what}, no help", advice)
        for name in agent.experts:
            self._asks(name, (*path, "experts"))

    def expert(self, agent: Agent) -> None:
        path = ("agents", agent.name)
        for key in ("experts", "escalate_to", "may"):
            if getattr(agent, key):
                what = "an expert gives advice: it cannot ask, delegate or escalate"
                self.findings.fault((*path, key), what, f"remove {key}, or expert: true")
        if agent.name not in self._asked:
            advice = f"name it in the experts of an agent, like `experts: [{agent.name}]`"
            self.findings.warn(path, "nobody has this expert, so it would never be asked", advice)

    def circles_of_help(self) -> None:
        edges = {}
        for agent in self.flow.agents.values():
            column = self.flow.columns.get(agent.escalate_to or "")
            if column is not None and self.can_help(column.name):
                edges[agent.name] = [name for name in column.agents if name in self.flow.agents]
        for circle in circles(edges):
            steps = [f"{name} → {self.flow.agents[name].escalate_to}" for name in circle]
            way = " → ".join([*steps, circle[0]])
            advice = "let the last of them escalate to a column with human: true"
            self.findings.fault(("agents", circle[-1], "escalate_to"), f"help is sought in a circle: {way}", advice)

    def discover(self) -> None:
        column = self._worked_on("discover", self.flow.discover)
        if column is None:
            return
        if len(column.agents) > 1:
            advice = "keep one agent there: several only give their parts to one verdict"
            self.findings.fault(("discover",), f"'{column.name}' has several agents, and none could split", advice)
        elif column.work is not None:
            self.findings.fault(
                ("discover",), f"the work of '{column.name}' is done elsewhere", f"name '{column.work}'"
            )
        elif column.next in (None, END):
            advice = f"let next of '{column.name}' be the stage that works on the tasks"
            self.findings.fault(("discover",), f"the tasks split off in '{column.name}' have nowhere to go", advice)

    def arbiter(self) -> None:
        column = self._worked_on("arbiter", self.flow.arbiter)
        if column is not None and column.kind == "dispute":
            advice = "name a column of kind flow, escalation or backflow"
            self.findings.fault(("arbiter",), f"'{column.name}' is for two sides, not for settling a conflict", advice)

    def gates(self) -> None:
        used = {name for column in self.columns for name in column.gate}
        for name in self.flow.gates:
            path = ("gates", name)
            if name in self.flow.agents or name in TAKEN_NAMES:
                advice = f"choose another name, like '{name}-check'"
                both = f"an agent has this name too, and `moot claim {name}` must mean one of them"
                taken = f"this name is taken: it {TAKEN_NAMES.get(name)}"
                self.findings.fault(path, both if name in self.flow.agents else taken, advice)
            elif name not in used:
                advice = f"name it in a column, like `gate: [{name}]`, or remove it"
                self.findings.warn(path, "no column has this gate, so it would never run", advice)
            elif not self.flow.gates[name].run and not self.findings.is_faulty(*path):
                what = f"it has no command: only a script can play it, by `moot claim {name}`"
                self.findings.warn(path, what, 'add one, like run: ["make", "check"]')

    def messages(self) -> None:
        for kind, rule in self.flow.messages.items():
            for key, names in (("from", rule.senders), ("to", rule.receivers)):
                for name in names:
                    if name not in EVERYBODY:
                        self._is_agent(name, ("messages", kind, key), list(EVERYBODY))

    def _worked_on(self, key: str, name: str | None) -> Column | None:
        """The column this key names, if somebody works there."""
        if name is None or not self.exists(name, key) or self.findings.is_faulty("columns", name):
            return None
        column = self.flow.columns[name]
        if not column.agents:
            advice = f"name a column with agents{self.some_stages()}"
            self.findings.fault((key,), f"nobody works in '{name}'", advice)
            return None
        return column

    def _asks(self, name: str, path: Path) -> None:
        place = self.findings.place_of((*path, name))
        if self._is_agent(name, path) and not self.flow.agents[name].expert:
            advice = f"name an expert; '{name}' watches a column, so it is reached by escalate_to and reasons"
            self.findings.fault(path, f"'{name}' is no expert", advice, place)

    def _is_agent(self, name: str, path: Path, also: list[str] | None = None) -> bool:
        if name in self.flow.agents:
            return True
        if not self.is_unreadable("agents"):
            known = [*self.flow.agents, *(also or [])]
            advice = did_you_mean(name, known) or f"add it: agents: {{{name}: {{}}}}"
            place = self.findings.place_of((*path, name))
            self.findings.fault(path, f"there is no agent {shown(name)}", advice, place)
        return False
