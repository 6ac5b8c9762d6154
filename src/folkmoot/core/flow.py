"""A flow says which columns, agents, ladders and limits hold. It is data; what follows from it is in the rules."""

from msgspec import Struct, field

END = "done"
RUNG_ESCALATE = "escalate"
# No lease is longer: a reboot moves the store's clock on by as much, and so voids them all at once.
LEASE_MAX = 3600.0


class Limits(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """How often each thing may happen; time spans are seconds."""

    slots: int = 4
    attempts: int | None = None
    own_attempts: int = 3
    executions: int = 3
    dispute_rounds: int = 3
    disputes: int = 3
    feedback_rounds: int = 3
    repeats: int = 2
    splits: int = 3
    runs: int = 200
    lease: float = 60.0
    timeout: float = 1800.0
    silence: float = 600.0
    starve: float = 1800.0


class Column(Struct, frozen=True, omit_defaults=True, kw_only=True):
    name: str
    agents: list[str] = field(default_factory=list)
    next: str | None = None
    fix: str | None = None
    kind: str = "flow"  # flow, escalation, backflow
    human: bool = False


class Rung(Struct, frozen=True, omit_defaults=True):
    """From `low` failures up to `high` (None: for ever) this model is used."""

    low: int
    high: int | None
    model: str


class Agent(Struct, frozen=True, omit_defaults=True, kw_only=True):
    name: str
    ladder: list[Rung] = field(default_factory=list)
    escalate_to: str | None = None
    may: list[str] = field(default_factory=lambda: ["ask"])
    prompt: str | None = None
    instructions: str = ""  # the prompt's text, taken in with the flow, so that a claim need not read files
    write: str = "own"
    timeout: float | None = None

    def rung(self, failures: int) -> str | None:
        """The model for an agent that has failed this often; None without a ladder, `escalate` at its end."""
        for rung in self.ladder:
            if rung.low <= failures and (rung.high is None or failures <= rung.high):
                return rung.model
        return RUNG_ESCALATE if self.ladder else None

    def model(self, failures: int) -> str | None:
        """The model a run gets: the rung's, or the highest there is if a changed flow has left the item beyond it."""
        rung = self.rung(failures)
        return rung if rung != RUNG_ESCALATE else next(r.model for r in reversed(self.ladder) if r.model != rung)


class QuestionPolicy(Struct, frozen=True, omit_defaults=True, kw_only=True):
    pause_all: bool = False
    deadline: float | None = None


class Flow(Struct, frozen=True, omit_defaults=True, kw_only=True):
    name: str
    start: str
    columns: dict[str, Column]
    agents: dict[str, Agent]
    limits: Limits = field(default_factory=Limits)
    reasons: dict[str, str] = field(default_factory=dict)
    questions: QuestionPolicy = field(default_factory=QuestionPolicy)

    def watcher(self, column: str) -> str | None:
        """The agent that is triggered by an item in this column."""
        agents = self.columns[column].agents
        return agents[0] if agents else None

    def watched_by(self, agent: str) -> list[str]:
        return [column.name for column in self.columns.values() if agent in column.agents]

    def stage(self, column: str, origins: list[str]) -> str:
        """The stage whose work is done in a column: its own, or the one an escalation column took it from."""
        if not origins:
            return column
        left = list(origins)
        while left and self.columns[column].kind == "escalation":
            column = left.pop()
        return column

    def is_spent(self, agent: str, failures: int) -> bool:
        """Has the agent failed so often that somebody else must try?"""
        if self.agents[agent].ladder:
            return self.agents[agent].rung(failures) == RUNG_ESCALATE
        return self.limits.attempts is None and failures >= self.limits.own_attempts

    def stage_before(self, column: str) -> str | None:
        """The watched stage of the normal flow that leads to this column."""
        for candidate in self.columns.values():
            if candidate.kind == "flow" and candidate.next == column and candidate.agents:
                return candidate.name
        return None

    def stages(self) -> list[str]:
        """The columns of the normal flow, in order, from the start to the end."""
        order: list[str] = []
        column: str | None = self.start
        while column is not None and column not in order:
            order.append(column)
            column = self.columns[column].next if column in self.columns else None
        return order
