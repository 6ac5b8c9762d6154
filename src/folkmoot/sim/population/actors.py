"""What one run of an agent or a gate comes to: how long it takes, what it costs, what it reports at its end."""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from folkmoot.api.views import ClaimView
from folkmoot.core.enums import ONE_SHOT_KINDS, FindingKind
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.report import (
    AskedQuestion,
    Choice,
    Contract,
    Delegation,
    Files,
    Finding,
    NamedArtifact,
    Remark,
    Report,
    Task,
    Tests,
    Try,
    Usage,
)
from folkmoot.sim.population.chance import Chance
from folkmoot.sim.population.population import Population

View = dict[str, Any]
CONTRACT = "shared-types"
# So unlike each other that the rules take each for a new approach.
APPROACHES = (
    "Lock the row before reading",
    "Cache parsed headers",
    "Switch to a queue",
    "Compare everything in UTC",
    "Inline that helper",
    "Rewrite the migration by hand",
    "Mock nothing, use sqlite",
    "Bump dependency versions",
    "Debounce user input",
    "Validate at the boundary",
    "Replace recursion with loops",
    "Split module in two",
    "Pin random seeds",
    "Retry with jittered backoff",
    "Drop foreign keys first",
    "Move work off-thread",
)


class Act(Struct, frozen=True, kw_only=True):
    """How a run goes, drawn when it begins. With a `fault` its report cannot be read."""

    role: str
    seconds: float
    cost: float
    report: Report
    fault: str | None = None


class Effort:
    """One run that has just begun: the dice are thrown here, each by its name."""

    def __init__(
        self, flow: Flow, population: Population, claim: ClaimView, item: Item, difficulty: float, chance: Chance
    ) -> None:
        self.flow = flow
        self.population = population
        self.agent = claim.agent
        self.model = claim.model
        self.brief = claim.brief
        self.item = item
        self.difficulty = difficulty
        self.chance = chance
        self.stage = flow.stage(item.column, item.origins)
        self.role = role_of(flow, self.agent, item)

    def act(self) -> Act:
        effort = self.chance.between("effort", 0.5, 1.5)
        seconds = self._number("minutes") * 60 * effort
        cost = round(self._number("cost_usd") * effort, 4)
        usage = Usage(cost_usd=cost)
        limit = self._timeout()
        if seconds > limit:
            report = Report.failed("it took too long and was stopped", "timeout", usage=usage)
            return Act(role=self.role, seconds=limit, cost=cost, report=report)
        if self._happens("garbled"):
            broken = Report.failed("no report could be read", "protocol", usage=usage)
            fault = "the last thing it printed was no report"
            return Act(role=self.role, seconds=seconds, cost=cost, report=broken, fault=fault)
        return Act(role=self.role, seconds=seconds, cost=cost, report=replace(self._report(), usage=usage))

    def _number(self, name: str) -> float:
        return self.population.number(name, self.agent, self.role, self.model)

    def _happens(self, name: str) -> bool:
        return self.chance.roll(name) < self._number(name)

    def _count(self, name: str) -> int:
        """A whole number around an average, at least one."""
        return max(1, round(self._number(name) * self.chance.between(name, 0.5, 1.5)))

    def _timeout(self) -> float:
        agent, gate = self.flow.agents.get(self.agent), self.flow.gates.get(self.agent)
        own = agent.timeout if agent else gate.timeout if gate else None
        return own or self.flow.limits.timeout

    # What it says

    def _report(self) -> Report:
        if self._happens("transient"):
            return Report.failed("the network went away", "transient")
        if self.role == "gate":
            return self._proof()
        talk = self._talk()
        if talk is not None:
            return talk
        if self.role == "splitter":
            return self._split() if self._happens("success") else self._failed()
        if self.role == "checker":
            return self._verdict() if self._happens("success") else self._failed()
        if not self._can_do_it():
            return self._failed()
        if self.role == "expert":
            return Report.done("Try it the other way round: the lock belongs outside of the loop.")
        return self._made()

    def _can_do_it(self) -> bool:
        """Mostly the item decides, and decides the same again; only a share of all efforts goes by luck."""
        success = self._number("success")
        by_luck = self.chance.roll("luck") < self.population.luck
        lucky = self.chance.roll("success") < success
        return lucky if by_luck else self.difficulty < success

    def _talk(self) -> Report | None:
        """What an agent may say instead of doing the work; None if it gets down to it."""
        disputes = self.brief.get("disputes", [])
        if disputes:
            return self._answer(disputes)
        free = self.item.kind not in ONE_SHOT_KINDS
        may = self.flow.agents[self.agent].may
        asks, disputes_it = self._happens("asks"), self._happens("disputes")
        delegates, incomplete, too_large = (self._happens(name) for name in ("delegates", "incomplete", "too_large"))
        reason = self._stuck()
        if free and asks and "ask" in may:
            return _question()
        if free and disputes_it and (self.item.returns_to or self.flow.stage_before(self.stage)):
            concern = Remark(content="This contradicts what the item asks for.", target="the second part")
            return Report(outcome="disputed", summary="it contradicts the item", comments=[concern])
        if free and reason is not None:
            return Report(outcome="stuck", reason=reason, blockers=f"this needs somebody who knows {reason}")
        helpers = self._helpers() if free and delegates and "delegate" in may else []
        if helpers:
            return Report(outcome="delegates", summary="others should look at it", delegate=helpers)
        if free and incomplete:
            return Report(outcome="incomplete", summary="half of it is done", next_steps=["the other half"])
        if free and too_large:
            return Report.failed("too much for one effort", "size", blockers="it needs to be split")
        return None

    def _answer(self, disputes: list[View]) -> Report:
        """It is contradicted: it gives in everywhere, or insists where it was spoken to last."""
        if self._happens("agrees"):
            agreed = [said for dispute in disputes for said in dispute["to_agree"]["comments"]]
            remarks = [
                Remark(content="Agreed, in all of it.", parent=s["parent"], resolution=s["resolution"]) for s in agreed
            ]
            return replace(self._made(), summary="agreed, and changed", comments=remarks)
        said = disputes[-1]["to_disagree"]["comments"][0]
        reply = Remark(content="It is right as it stands.", parent=said["parent"])
        return Report(outcome="disputed", summary="it stands", comments=[reply])

    def _helpers(self) -> list[Delegation]:
        """The next expert it has not asked yet; where it has none, two sub-agents, once."""
        experts = self.flow.agents[self.agent].experts
        left = [expert for expert in experts if expert not in self.item.span.experts]
        if experts:
            return [Delegation(task="Say what I overlook", to=expert) for expert in left[:1]]
        halves = [Delegation(task=f"Look at the {half} half") for half in ("first", "second")]
        return [] if self.item.fanned_out else halves

    def _stuck(self) -> str | None:
        roll = self.chance.roll("stuck")
        for reason, chance in self.population.stuck(self.agent, self.role).items():
            roll -= chance
            if roll < 0:
                return reason
        return None

    def _made(self) -> Report:
        files = Files(modified=self.item.files[:1])
        tests = Tests(total=3, passed=3)
        if self.role == "checker":
            return Report.done("nothing to add", tests=tests)
        if self.item.kind == "sub":
            return Report.done("looked at it", findings=[Finding(severity="low", issue="one place is worth a look")])
        made = [NamedArtifact(name=f"{self.stage}-{self.item.id}.md")]
        return Report.done("made it", files=files, artifacts=made, tests=tests)

    def _failed(self) -> Report:
        """It tried, and says how; mostly something new, sometimes what has failed before."""
        tried = [a["approach"] for a in self.brief.get("attempts", []) if a["approach"]]
        is_new = self._happens("distinct")
        again = self.chance.choice("again", tried) if tried else ""
        approach = again if tried and not is_new else _new_approach(tried)
        words = "EXPERT_UNSUCCESSFUL" if self.role == "expert" else "could not do it"
        return Report.failed(words, "capability", attempts=[Try(approach=approach, outcome=f"{approach}: still red")])

    def _verdict(self) -> Report:
        number, critical = self._count("findings"), self._happens("critical")
        wants_changes = self._happens("changes")
        kind: FindingKind = "security" if critical else "review"
        findings = [
            Finding(
                kind=kind if n == 0 else "review",
                severity="critical" if critical and n == 0 else "medium",
                issue=f"point {n + 1} of {self.agent}",
                file=self.item.files[0] if self.item.files else f"src/item-{self.item.id}.py",
                line=1 + int(self.chance.roll(f"line {n}") * 399),
            )
            for n in range(number)
        ]
        if critical:
            return Report(outcome="changes_requested", summary="this must not go out", findings=findings[:1])
        if wants_changes:
            return Report(outcome="changes_requested", summary="not yet", findings=findings)
        return self._made()

    def _proof(self) -> Report:
        if not self._happens("red"):
            return Report.done("green", tests=Tests(total=9, passed=9))
        finding = Finding(kind="test", severity="high", issue="one check is red", test=f"test_item_{self.item.id}")
        return Report.failed("red", findings=[finding], tests=Tests(total=9, passed=8, failed=1))

    def _split(self) -> Report:
        """Cut it into tasks. One that was sent back must be cut; another may go on whole."""
        whole = not self._happens("splits")
        number = self._count("tasks")
        tasks: list[Task] = []
        for n in range(number):
            files = [f"src/{self.item.id}/part-{n + 1}.py"]
            if tasks and self.chance.roll(f"overlap {n}") < self._number("overlap"):
                files += self.chance.choice(f"shared {n}", tasks).files[:1]
            after = [f"t{n}"] if n == number - 1 and n > 1 else []
            title = f"Part {n + 1} of {self.item.title}"[:120]
            # A second split of one item repeats the titles of the first, and each part is new work.
            more = {"besides": True}
            tasks.append(Task(key=f"t{n + 1}", title=title, files=files, after=after, contracts=[CONTRACT], more=more))
        if whole and not self.item.span.discoveries and self.item.kind == "item":
            return Report.done("small enough as it is")
        contracts = [Contract(name=CONTRACT, text="what the parts share")]
        return Report(outcome="split", summary=f"{number} parts", tasks=tasks, contracts=contracts)


def role_of(flow: Flow, agent: str, item: Item) -> str:
    """What the flow wants of this agent here."""
    if agent in flow.gates and agent not in flow.agents:
        return "gate"
    if item.kind == "expert":
        return "expert"
    stage = flow.stage(item.column, item.origins)
    if item.kind not in ("sub", "dispatch") and stage == flow.discover and "split" in flow.agents[agent].may:
        return "splitter"
    if item.kind in ("item", "task", "part") and stage in flow.columns and flow.columns[stage].fix is not None:
        return "checker"
    return "maker"


def _question() -> Report:
    options = [Choice(option="keep it simple"), Choice(option="do all of it", why_insufficient="nobody asked for it")]
    asked = AskedQuestion(question="How far should this go?", context="The item does not say.", options=options)
    return Report(outcome="asks", summary="the item leaves it open", question=asked)


def _new_approach(tried: list[str]) -> str:
    """One that was not tried yet on this item."""
    for approach in APPROACHES:
        if approach not in tried:
            return approach
    return f"Idea number {len(tried)}: {' '.join(str(len(tried) * n) for n in range(7, 12))}"
