"""What scripted agents say to others: splits, delegations, experts' words, gates' verdicts, contracts."""

from msgspec.structs import replace

from folkmoot.core.enums import Cause, Outcome
from folkmoot.core.report import Contract, Delegation, Files, Finding, Report, Task, Tests, Try
from folkmoot.sim.speech import PATHS, Scene, approach, good

CONTRACTS = ("types", "api")


def splitting(scene: Scene) -> Report:
    """Mostly a split that can be worked on; some go in a circle, name what is not there, or share files."""
    chance = scene.chance
    count = chance.choice((1, 2, 2, 2, 3))
    tasks = [_task(scene, n) for n in range(count)]
    fault = chance.random()
    if fault < 0.1:
        tasks = [replace(task, after=[tasks[n - 1].key or ""]) for n, task in enumerate(tasks)]
    elif fault < 0.2:
        wrong = chance.choice(({"after": ["t99"]}, {"agent": "nobody"}, {"files": ["../up"]}, {"title": " "}))
        tasks[0] = replace(tasks[0], **wrong)
    elif fault < 0.25:
        tasks = []
    points = {"store": "one table"} if chance.random() < 0.3 else {}
    return Report(
        outcome="split", summary="in parts", tasks=tasks, contracts=_contracts(scene), integration_points=points
    )


def _task(scene: Scene, number: int) -> Task:
    chance = scene.chance
    agents = [name for name, agent in scene.flow.agents.items() if not agent.expert]
    return Task(
        title=f"part {number} of {scene.item.id}",
        key=f"t{number}",
        files=[chance.choice(PATHS)] if chance.random() < 0.4 else [],
        after=[f"t{number - 1}"] if number and chance.random() < 0.4 else [],
        agent=chance.choice(agents) if chance.random() < 0.15 else None,
        contracts=[chance.choice(CONTRACTS)] if chance.random() < 0.5 else [],
    )


def _contracts(scene: Scene) -> list[Contract]:
    named = [name for name in CONTRACTS if scene.chance.random() < 0.5]
    return [Contract(name=name, text=scene.chance.choice(("v1", "v2", "v3"))) for name in named]


def delegating(scene: Scene) -> Report:
    """To an expert, to sub-agents, to other agents; and to whom one may not."""
    chance, flow = scene.chance, scene.flow
    experts = [name for name, agent in flow.agents.items() if agent.expert]
    others = [name for name in flow.agents if name not in experts]
    roll = chance.random()
    if roll < 0.4 and experts:
        wanted = [Delegation(task="What do I overlook?", to=chance.choice(experts))]
    elif roll < 0.7:
        wanted = [Delegation(task=f"look at half {n}") for n in range(chance.choice((1, 2)))]
    elif roll < 0.85:
        wanted = [Delegation(task="do this for me", to=chance.choice(others), scope=chance.choice((None, "fix")))]
    else:
        mixed = Delegation(task="anybody", to=chance.choice([*experts, "nobody"]))
        wanted = chance.choice(([mixed, mixed], [mixed], []))
    return Report(outcome="delegates", summary="others should look", delegate=wanted)


def advising(scene: Scene) -> Report:
    """An expert, or another helper, at its end."""
    if scene.chance.random() < 0.5:
        return Report.done("turn it round", next_steps=["first the lock"])
    tries = [Try(approach=approach(scene), outcome="no")] if scene.chance.random() < 0.5 else []
    return Report.failed("EXPERT_UNSUCCESSFUL", attempts=tries, blockers="beyond me")


def proving(scene: Scene) -> Report:
    """A gate: green, red with or without words, a fault of its own, or what a gate cannot say."""
    chance = scene.chance
    roll = chance.random()
    if roll < 0.6:
        return Report.done("green", tests=Tests(total=4, passed=4))
    if roll < 0.85:
        finding = Finding(kind="test", severity="high", issue="red", test="test_it", file=chance.choice((None, *PATHS)))
        findings = [finding] if chance.random() < 0.6 else []
        outcome: Outcome = chance.choice(("failed", "changes_requested"))
        return Report(outcome=outcome, summary=chance.choice(("", "red")), findings=findings)
    if roll < 0.95:
        cause: Cause = chance.choice(("transient", "environment", "timeout", "quota"))
        return Report.failed("no room", cause)
    return chance.choice((Report(outcome="stuck", summary="?"), Report(outcome="split"), Report(outcome="asks")))


def redefining(scene: Scene) -> Report:
    """Changes what others rely on, and touches their files."""
    said = good(scene)
    return replace(said, contracts=_contracts(scene), files=Files(modified=[scene.chance.choice(PATHS)]))


def outgrown(scene: Scene) -> Report:
    """Too large, or at odds with what others made."""
    cause: Cause = scene.chance.choice(("size", "conflict", "conflict", "conflict"))
    return Report.failed("it does not fit", cause, blockers="too much at once")
