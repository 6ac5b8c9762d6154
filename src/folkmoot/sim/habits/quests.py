"""What scripted agents say in a quest who mean well and are not careful: they repeat what they were told, find fault
beside `done`, say blocked without a reason, and tell more than can be kept."""

from msgspec.structs import replace

from folkmoot.core.enums import Severity
from folkmoot.core.report import Contract, Finding, Remark, Report
from folkmoot.core.rules.children.outputs import OUTPUT_CHARACTERS
from folkmoot.sim.speech import Scene, good
from folkmoot.sim.teamwork import CONTRACTS

LONG = "a long story, " * (OUTPUT_CHARACTERS // 10)


def repeating_contracts(scene: Scene) -> Report:
    """Done, and beside it the contracts as its brief told them; now and then one of them in new words."""
    told = {one["name"]: one["text"] for one in scene.claim.brief["constraints"]["contracts"]}
    if scene.chance.random() < 0.6:
        told[scene.chance.choice([*told, *CONTRACTS])] = f"v{scene.chance.randrange(9)}"
    said = [Contract(name=name, text=text) for name, text in told.items()]
    return replace(good(scene), contracts=said)


def finding_fault(scene: Scene) -> Report:
    """Done, and beside it findings about others' files; or a dispute about one of them."""
    chance = scene.chance
    files = [*(path for task in scene.claim.brief["projectContext"].get("tasks", []) for path in task.get("files", []))]
    file = chance.choice([*files, *files, "README.md", None])
    if chance.random() < 0.2:
        return Report(outcome="disputed", comments=[Remark(content="this cannot stay", artifact=file)])
    severity: Severity = chance.choice(("high", "high", "medium", "low"))
    found = [Finding(severity=severity, issue="two ways of doing one thing", file=file)]
    found += (
        [Finding(severity="low", issue="a name could be better", file="docs/x.md")] if chance.random() < 0.3 else []
    )
    return replace(good(scene), findings=found)


def blocked(scene: Scene) -> Report:
    """No reason that a flow knows, and words that are long."""
    return Report(outcome="stuck", summary=LONG, blockers="the parts do not fit", lessons=["look at both sides first"])


def thorough(scene: Scene) -> Report:
    """One of these; what it ends well with is long, and names what others can build on."""
    way = scene.chance.choice((repeating_contracts, repeating_contracts, finding_fault, finding_fault, blocked, good))
    said = way(scene)
    if said.outcome != "done":
        return said
    more = {"interfaces": [f"I{scene.item.id}"], "integration_points": {"the store": ""}}
    return replace(said, summary=LONG if scene.chance.random() < 0.3 else said.summary, **more)
