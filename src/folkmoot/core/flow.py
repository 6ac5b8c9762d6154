"""A flow says which columns, agents, ladders and limits hold. It is data; what follows from it is in the rules."""

from collections.abc import Container
from functools import cached_property
from typing import Any, Literal

from msgspec import Struct, field

from folkmoot.core.enums import ColumnKind, ForgeKind, WriteRight
from folkmoot.core.notices.targets import Target

END = "done"
RUNG_ESCALATE = "escalate"
LANDING = "landing"  # the gate that every flow has: it brings the work onto the branch it is for
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
    after_report: float = 30.0  # what a process may still take once its run has reported
    starve: float = 1800.0
    starts: int | None = None  # runs that one agent may begin within any `window`
    window: float = 3600.0
    items: int = 300  # made by runs below one item of a person's, since guidance
    messages: int = 100  # of one run; so are the next two
    comments: int = 200
    questions: int = 20
    # What the processes of one run may use up; None: no limit. No honest build comes near these.
    memory: int | None = 16 << 30
    processes: int | None = 4096
    open_files: int | None = 65_536
    disk: int | None = 50 << 30
    change_files: int = 5_000  # of one run's change; a larger one is refused whole
    change_bytes: int = 1_000_000_000


class Column(Struct, frozen=True, omit_defaults=True, kw_only=True):
    name: str
    agents: list[str] = field(default_factory=list)
    next: str | None = None
    fix: str | None = None
    kind: ColumnKind = "flow"
    human: bool = False
    gate: list[str] = field(default_factory=list)  # what must be green before the item leaves
    on_red: str | None = None  # where it goes with a red gate; None: back to the agent, as a failed attempt
    tags: list[str] = field(default_factory=list)  # acts on items with one of these tags in columns nobody watches
    work: str | None = None  # the column the item is in from its first claim on


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
    write: WriteRight = "own"
    timeout: float | None = None
    experts: list[str] = field(default_factory=list)  # whom the rules ask after `own_attempts`
    expert: bool = False  # advises on other agents' items; watches no column
    run: dict[str, Any] = field(default_factory=dict)  # how its process is started
    setup: list[list[str]] = field(default_factory=list)  # commands in a fresh clone
    network: bool = True  # may its processes reach the network, where they run in a sandbox
    needs: list[str] = field(default_factory=list)  # labels that its worker must have

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

    def step(self, failures: int) -> tuple[int, int] | None:
        """Where on its ladder that model is: the second of four. None without one."""
        rungs = [rung for rung in self.ladder if rung.model != RUNG_ESCALATE]
        if not rungs:
            return None
        here = (at for at, rung in enumerate(rungs, 1) if rung.high is None or failures <= rung.high)
        return next(here, len(rungs)), len(rungs)


class Gate(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A check of the user's own: a run like any other, that a script can play (R-21)."""

    name: str
    run: list[str] = field(default_factory=list)
    timeout: float | None = None
    setup: list[list[str]] = field(default_factory=list)  # commands in a fresh clone, before the gate itself
    network: bool = True
    needs: list[str] = field(default_factory=list)  # labels that its worker must have


class MessageRule(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Who may send a type of message to whom; `any` is everybody, `orchestrator` the rules themselves."""

    senders: list[str] = field(default_factory=list)
    receivers: list[str] = field(default_factory=list)


class Price(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What a model costs: dollars for a million tokens."""

    input: float
    output: float
    cached: float | None = None  # of input that comes from a cache; None: as other input


class Model(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What the name of a rung means."""

    client: str | None = None
    id: str | None = None
    pool: str | None = None
    price: Price | None = None


class Pool(Struct, frozen=True, omit_defaults=True, kw_only=True):
    slots: int | None = None


class Client(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A program that runs agents: how it is started, what it is heard to say, and what passes into its environment.

    Everything may be left out for a client that Folkmoot knows by its name.
    """

    env: list[str] = field(default_factory=list)  # variables that pass through, by name
    files: list[str] = field(default_factory=list)  # credential files that its HOME gets, like ~/.codex/auth.json
    set: dict[str, str] = field(default_factory=dict)  # variables with a value of the flow's own
    command: list[str] = field(default_factory=list)  # headless: the words of the command
    acp: list[str] = field(default_factory=list)  # the command that speaks the Agent Client Protocol
    speaks: str | None = None  # the dialect of what it prints: text, or a client whose stream it shares
    permissions: str = "allow"  # what it is answered when it asks before an act: allow, deny, or ask (a person)


class Budget(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What agents may use up: money, tokens and running time, on one item and on one day. None: no limit."""

    item_usd: float | None = None
    day_usd: float | None = None
    item_tokens: int | None = None
    day_tokens: int | None = None
    item_time: float | None = None
    day_time: float | None = None

    @property
    def is_set(self) -> bool:
        """Is there any limit?"""
        return self != Budget()

    @property
    def has_day(self) -> bool:
        return not (self.day_usd is None and self.day_tokens is None and self.day_time is None)


class Clone(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What the clone of a run gets beside the project's files, so that the project runs in it."""

    setup: list[list[str]] = field(default_factory=list)  # for agents and gates that have none of their own
    # All that a setup depends on, besides its commands. While these are the same, what it left is put into a clone
    # instead of running it. Empty: on anything in the project.
    setup_from: list[str] = field(default_factory=list)
    teardown: list[list[str]] = field(default_factory=list)  # after the run, however it ended
    ports: int = 10  # how many a run has, from MOOT_PORT on


class SecretPolicy(Struct, frozen=True, omit_defaults=True, kw_only=True):
    allow: list[str] = field(default_factory=list)  # files and folders where what looks like a secret is none


class Land(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """How finished work comes to the branch it is for: moved there, or proposed to people as a pull request."""

    mode: Literal["branch", "pr"] = "branch"
    batch: int = 1  # of the branch: how many items at most are merged, proved and landed together
    remote: str | None = None  # of a pull request: the remote that has the target branch; None: the flow's, or `origin`
    branch: str = "moot/{item}"  # the branch that is pushed for a pull request
    draft: bool = True
    checks: Literal["required"] = "required"  # which checks count: those that the rules of the branch name
    merge: Literal["never", "when_green"] = "never"  # people merge; or the forge is asked to, where all is green
    forge: ForgeKind | None = None  # None: as the address of the remote says
    command: list[str] = field(default_factory=list)  # for any other forge: it is asked in JSON
    repository: str | None = None  # OWNER/NAME; None: as the address of the remote says
    api: str | None = None  # where the forge's interface is; None: as the address of the remote says


Notice = Literal["plain", "divine"]  # in which words a person is told of a question: ours, or the escalation document's


class QuestionPolicy(Struct, frozen=True, omit_defaults=True, kw_only=True):
    pause_all: bool = False
    notice: Notice = "plain"
    deadline: float | None = None
    critical: bool = False  # every critical finding asks a person, not only one that would go unheeded (P-07)


class Flow(Struct, frozen=True, omit_defaults=True, kw_only=True, dict=True):
    """`dict`: what follows from the fields alone is found out once."""

    name: str
    start: str
    columns: dict[str, Column]
    agents: dict[str, Agent]
    limits: Limits = field(default_factory=Limits)
    reasons: dict[str, str] = field(default_factory=dict)
    questions: QuestionPolicy = field(default_factory=QuestionPolicy)
    discover: str | None = None  # the column that splits what is too large
    arbiter: str | None = None  # the column that settles integration conflicts
    gates: dict[str, Gate] = field(default_factory=dict)
    messages: dict[str, MessageRule] = field(default_factory=dict)
    models: dict[str, Model] = field(default_factory=dict)
    pools: dict[str, Pool] = field(default_factory=dict)
    clients: dict[str, Client] = field(default_factory=dict)
    notify: list[str] = field(default_factory=list)  # a command alone: it is told of questions
    notices: list[Target] = field(default_factory=list)  # or: where which notices go
    budget: Budget = field(default_factory=Budget)
    target: str = "main"
    remote: str | None = None  # where several machines keep commits and land: a remote's name, or its address
    land: Land = field(default_factory=Land)
    # May a run widen its item's files? `guarded`: not to what builds and checks the project; or the paths it may take.
    widen: str | list[str] = "guarded"
    mirror: str | None = None  # the folder of the documents' files
    mirror_people: list[str] = field(default_factory=list)  # whose files there are a person's word
    mirror_shown: bool = False  # may agents in a sandbox see it?
    clone: Clone = field(default_factory=Clone)
    secrets: SecretPolicy = field(default_factory=SecretPolicy)
    sandbox: str = "auto"  # auto: where the machine can; always: else nothing runs; never

    @property
    def targets(self) -> list[Target]:
        """Where people are told of what happens."""
        return [Target(command=self.notify, on=["question"])] if self.notify else self.notices

    @property
    def proposes(self) -> bool:
        """Is finished work proposed as a pull request, and not brought to the target branch?"""
        return self.land.mode == "pr"

    @property
    def base_remote(self) -> str | None:
        """The remote whose target branch work is for; None: the user's own repository."""
        return (self.land.remote or self.remote or "origin") if self.proposes else self.remote

    def pool(self, agent: str, model: str | None) -> str:
        """Whose quota a run uses: the model's pool, else that of the program that runs it, else the agent's own."""
        known = self.models.get(model or "")
        client = self.agents[agent].run.get("client") if agent in self.agents else None
        return (known and (known.pool or known.client)) or client or agent

    def longest(self, agent: str) -> tuple[float, float]:
        """How long a run of an agent, a gate or a landing may take, and how long it may say nothing."""
        known, limits = self.agents.get(agent), self.limits
        if known is not None:
            return known.timeout or limits.timeout, limits.silence
        if agent in self.gates:
            wall = self.gates[agent].timeout or limits.timeout
        else:
            wall = max((limits.timeout, *(gate.timeout or 0.0 for gate in self.gates.values())))
        return wall, wall  # a check may well say nothing until it is done

    def commands(self) -> list[list[str]]:
        """Every command by which a run, or what goes with it, is started."""
        said = [words for agent in self.agents.values() for words in (agent.run.get("command"), agent.run.get("acp"))]
        found = [words for words in said if isinstance(words, list)]
        found += [words for client in self.clients.values() for words in (client.command, client.acp)]
        found += [words for agent in self.agents.values() for words in agent.setup]
        found += [words for gate in self.gates.values() for words in (gate.run, *gate.setup)]
        found += [*self.clone.setup, *self.clone.teardown]
        return [words for words in found if words]

    def watcher(self, column: str) -> str | None:
        """The agent that is triggered by an item in this column; of several the first."""
        agents = self.columns[column].agents
        return agents[0] if agents else None

    def watched_by(self, agent: str) -> list[str]:
        """The columns in which an agent, or a gate, acts."""
        if agent == LANDING:
            return [END]
        if agent in self.gates:
            return [column.name for column in self.columns.values() if agent in column.gate]
        return [column.name for column in self.columns.values() if agent in column.agents]

    def acting(self, column: str, tags: list[str]) -> Column:
        """The column whose agents act on an item: its own, or where nobody watches, the one that watches its tag."""
        own = self.columns[column]
        if own.agents or own.next or own.human or not tags or column == END:
            return own
        # The newest tag says why the item is there now.
        found = (other for tag in reversed(tags) for other in self.columns.values() if tag in other.tags)
        return next(found, own)

    @cached_property
    def groups(self) -> frozenset[str]:
        """The columns where several agents look at the same work, each on its own."""
        several = [name for name, column in self.columns.items() if len(column.agents) > 1]
        return frozenset(name for name in several if self.columns[name].kind != "dispute")

    def stage(self, column: str, origins: list[str]) -> str:
        """The stage whose work is done in a column: its own, or the one that help or a dispute took it from."""
        if not origins:
            return column
        left = list(origins)
        while left and self.columns[column].kind in ("escalation", "dispute"):
            column = left.pop()
        return column

    def is_spent(self, agent: str, failures: int, bound: bool = False) -> bool:
        """Has the agent failed so often that somebody else must try? A bound child has no more than its own tries, and
        the last step of a ladder that has no end has as many as an agent without a ladder: nobody tries for ever."""
        ladder = self.agents[agent].ladder
        if self.agents[agent].rung(failures) == RUNG_ESCALATE:
            return True
        if ladder and ladder[-1].high is not None:
            return False
        before = ladder[-1].low if ladder else 0
        return (bound or self.limits.attempts is None) and failures - before >= self.limits.own_attempts

    def checks(self, column: str) -> bool:
        """Does a stage give verdicts on others' work?"""
        return self.columns[column].fix is not None

    def writes(self, column: str, modes: Container[str] = ("own", "new_tests", "any")) -> bool:
        """May an agent that watches this column change files?"""
        known = (self.agents.get(agent) for agent in self.columns[column].agents)
        return any(agent is not None and agent.write in modes for agent in known)

    def stage_before(self, column: str) -> str | None:
        """The watched stage of the normal flow that leads to this column."""
        for candidate in self.columns.values():
            if candidate.kind == "flow" and candidate.next == column and candidate.agents:
                return candidate.name
        return None

    @cached_property
    def _way(self) -> list[str]:
        return self._way_from(self.start)

    def agents_on_the_way(self) -> list[str]:
        """The agents of an item with which nothing is wrong: each makes one run. Where a claim moves the item on, the
        run belongs to the next stage."""
        stages = (self.columns[name] for name in self.stages())
        return [agent for column in stages if not column.work for agent in column.agents]

    def stages(self, start: str | None = None) -> list[str]:
        """The columns of the normal flow, in order, from its start, or from a column, to the end."""
        return self._way_from(start) if start else list(self._way)

    def _way_from(self, start: str) -> list[str]:
        order: list[str] = []
        column: str | None = start
        while column is not None and column not in order:
            order.append(column)
            place = self.columns.get(column)
            column = (place.work or place.next) if place else None
        return order
