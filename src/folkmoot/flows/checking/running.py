"""What must fit together for agents to be run: clients that can be started, models that mean something, pools."""

from collections.abc import Collection

from folkmoot.core.flow import RUNG_ESCALATE, Flow
from folkmoot.flows.checking.columns import Check
from folkmoot.flows.faults import Findings, Path, did_you_mean, shown
from folkmoot.flows.running import Start

# The dialects that are no client's: plain words, and the stream of the protocol.
DIALECTS = ["text", "acp"]


class RunningCheck(Check):
    def __init__(self, flow: Flow, findings: Findings, start: Start, known_clients: Collection[str]) -> None:
        super().__init__(flow, findings)
        self._start = start
        self._known = sorted(known_clients)
        own = [name for name, client in flow.clients.items() if client.command or client.acp]
        self._clients = list(dict.fromkeys([*self._known, *own]))

    def all(self) -> None:
        self.starts()
        self.models()
        self.pools()
        self.clients()

    def starts(self) -> None:
        self._starts(self._start, ("run", "client"))
        for name, agent in self.flow.agents.items():
            self._starts(agent.run, ("agents", name, "run", "client"))
            start = agent.run or self._start
            if not agent.network and ("client" in start or "acp" in start):
                what = "without the network its client reaches no model"
                advice = "remove it, unless this client needs no network"
                self.findings.warn(("agents", name, "network"), what, advice)

    def models(self) -> None:
        rungs = {rung.model for agent in self.flow.agents.values() for rung in agent.ladder} - {RUNG_ESCALATE}
        unexplained = sorted(rungs - self.flow.models.keys())
        for name, model in self.flow.models.items():
            if model.client is not None and not self._is_client(model.client):
                what, advice = self._no_client(model.client)
                self.findings.warn(("models", name, "client"), what, advice)
            meant = did_you_mean(name, unexplained) if name not in rungs else ""
            if meant.startswith("did"):
                self.findings.warn(("models", name), "no ladder names this model", meant)

    def pools(self) -> None:
        for name, model in self.flow.models.items():
            if model.pool is not None and model.pool not in self.flow.pools and not self.is_unreadable("pools"):
                known = did_you_mean(model.pool, list(self.flow.pools))
                advice = known or f"add it: pools: {{{model.pool}: {{slots: 4}}}}"
                self.findings.fault(("models", name, "pool"), f"there is no pool {shown(model.pool)}", advice)
        # Where no pool is named the client is one, and where there is no client, the agent.
        used = {model.pool or model.client or "" for model in self.flow.models.values()} | self.flow.agents.keys()
        used |= {start.get("client", "") for start in (self._start, *(a.run for a in self.flow.agents.values()))}
        for name in self.flow.pools.keys() - used:
            advice = "name it as the pool of a model, or give it the name of a client"
            self.findings.warn(("pools", name), "no run counts in this pool", advice)

    def clients(self) -> None:
        for name, client in self.flow.clients.items():
            path = ("clients", name)
            if not self._is_client(name):
                meant = did_you_mean(name, self._known)
                advice = meant if meant.startswith("did") else f'add command: ["{name}"], or acp: ["{name}"]'
                what = "this client is not known here, and nothing says how it is started"
                self.findings.warn(path, what, advice)
            dialects = [*DIALECTS, *self._known]
            if client.speaks is not None and self._known and client.speaks not in dialects:
                what = f"nobody understands the dialect {shown(client.speaks)}"
                self.findings.warn((*path, "speaks"), what, did_you_mean(client.speaks, dialects) or "write text")
            cannot_ask = bool(self._known) and name not in self._known and client.command and not client.acp
            if cannot_ask and client.permissions != "allow":
                what = "it can ask before an act only by the Agent Client Protocol"
                self.findings.fault((*path, "permissions"), what, "add acp: […], or remove permissions")

    def _starts(self, start: Start, path: Path) -> None:
        name = start.get("client")
        if name is not None and not self._is_client(name):
            self.findings.fault(path, *self._no_client(name))

    def _is_client(self, name: str) -> bool:
        """Can it be started, as far as anybody here can say? What is faulty may become right."""
        is_open = not self._known or self.is_unreadable("clients") or self.findings.is_faulty("clients", name)
        return is_open or name in self._clients

    def _no_client(self, name: str) -> tuple[str, str]:
        if name in self.flow.clients:
            return f"nothing says how {shown(name)} is started", f"add command or acp to it: clients: {{{name}: …}}"
        meant = did_you_mean(name, self._clients)
        return f"there is no client {shown(name)}", meant or f'add it: clients: {{{name}: {{command: ["{name}"]}}}}'
