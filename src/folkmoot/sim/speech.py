"""What scripted agents say at the end of a run: the truth, errors, lies, and the same thing again and again."""

import random
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from folkmoot.api.views import ClaimView, ItemView
from folkmoot.core.enums import CAUSES, RESOLUTIONS, Cause, FindingKind, Resolution
from folkmoot.core.flow import LANDING, Flow
from folkmoot.core.item import Item
from folkmoot.core.report import (
    AskedQuestion,
    Choice,
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

View = dict[str, Any]
REASONS = ("concurrency", "security", "performance", "architecture", "unknown", "story", "arch", "tests", "moon", None)
PATHS = ("src/a.py", "src/b.py", "src/", "tests/a.py", "tests/b.py", "docs/x.md", "docs/y.md", "web/")
REPEATED = (
    "Raise the timeout of the connection pool",
    "raise the timeout of the connection pool!",
    "Raise the timeout of the connection pools",
    "Lower the timeout of the connection pool",
)
VERBS = ("rewrite", "cache", "lock", "split", "inline", "retry", "batch", "guard", "defer", "index")
NOUNS = ("the parser", "the session", "every query", "the header", "the queue", "both branches", "the clock", "it all")


class Scene(Struct, frozen=True):
    """What a run knows when it speaks: its claim, its item and the flow; and the dice."""

    chance: random.Random
    claim: ClaimView
    flow: Flow
    item: Item
    is_good: bool = False

    @property
    def agent(self) -> str:
        return self.claim.agent

    @property
    def view(self) -> ItemView:
        assert self.claim.item is not None, "a world's claims are shown with their items"
        return self.claim.item

    @property
    def is_gate(self) -> bool:
        return self.agent in self.flow.gates or self.agent == LANDING

    @property
    def must_split(self) -> bool:
        """It was sent here to be split, so it cannot simply be done."""
        return self.item.column == self.flow.discover and self.item.span.discoveries > 0

    def reason(self) -> str | None:
        """One that the flow knows, or one that it may not know."""
        return self.chance.choice((*self.flow.reasons, *REASONS))


def obedient(scene: Scene) -> Report:
    """Does what the brief says: settles what is disputed, else is done, and sometimes wants changes."""
    settling = _settling(scene.claim.brief)
    if settling:
        return Report.done("settled", comments=settling, artifacts=_artifacts(scene))
    if scene.chance.random() < 0.12:
        return changes(scene)
    said = good(scene)
    if scene.chance.random() < 0.2:
        files = Files(modified=[scene.chance.choice(PATHS[:2])])
        said = replace(said, files=files, lessons=["the clock is wrong"], next_steps=["look at the rest"])
    return said


def good(scene: Scene) -> Report:
    """Always done, with all that the brief asks for; what the drain of the world is made of."""
    if scene.must_split:
        tasks = [Task(title=f"half {n} of {scene.item.id}") for n in (1, 2)]
        return Report(outcome="split", summary="in two", tasks=tasks)
    usage = Usage(input_tokens=10, cost_usd=scene.chance.choice((0.0, 0.25)))
    artifacts, settling = _artifacts(scene), _settling(scene.claim.brief)
    return Report.done("made it", artifacts=artifacts, comments=settling, usage=usage, tests=Tests(total=3, passed=3))


def _settling(brief: View) -> list[Remark]:
    """The comments that agree in every dispute this run is told to settle."""
    agreed = [dispute["to_agree"]["comments"][0] for dispute in brief["disputes"]]
    return [Remark(content="agreed", parent=said["parent"], resolution=said["resolution"]) for said in agreed]


def _artifacts(scene: Scene) -> list[NamedArtifact]:
    if scene.chance.random() < 0.4:
        return []
    return [NamedArtifact(name=f"{scene.item.column}.md", path=f"docs/{scene.item.id}.md")]


def changes(scene: Scene) -> Report:
    """Findings: some that are known, in the same or other words, and some that are new, near the fix or far off."""
    chance, known = scene.chance, scene.claim.brief["findings"]
    findings = [
        Finding(
            kind=chance.choice(("review", "test", "security")),
            severity=chance.choice(("high", "medium", "low")),
            issue=chance.choice((f"point {n}", f"{n}: this is wrong")),
            file=chance.choice((*PATHS, None)),
            line=n,
        )
        for n in range(chance.randrange(3))
    ]
    for told in known:
        if chance.random() < 0.5:
            words = chance.choice((told["issue"], f"still: {told['issue']}"))
            findings.append(
                Finding(kind=told["kind"], severity="low", issue=words, file=told["file"], line=told["line"])
            )
    return Report(outcome="changes_requested", summary="not yet", findings=findings)


def approach(scene: Scene) -> str:
    words = [scene.chance.choice(part) for part in (VERBS, NOUNS, VERBS, NOUNS)]
    return "{} {} and {} {}".format(*words)


def wrong(scene: Scene) -> Report:
    """Fails with approaches that are mostly new; often one, sometimes several in a report, sometimes unnamed."""
    tries = [
        Try(approach=approach(scene), outcome=scene.chance.choice(("red", "slower than before", "it hangs")))
        for _ in range(scene.chance.choice((0, 1, 1, 1, 2, 4)))
    ]
    files = Files(modified=[f"src/{scene.chance.randrange(4)}.py"]) if scene.chance.random() < 0.5 else Files()
    commit = f"{scene.chance.randrange(5):040x}" if scene.chance.random() < 0.3 else None
    cause: Cause | None = scene.chance.choice((None, "capability"))
    reason = scene.reason() if scene.chance.random() < 0.2 else None
    return Report.failed("could not", cause, attempts=tries, files=files, commit=commit, reason=reason)


def repeating(scene: Scene) -> Report:
    tries = [Try(approach=scene.chance.choice(REPEATED), outcome="red")]
    return Report.failed("could not, again", attempts=tries)


def disputing(scene: Scene) -> Report:
    """Contradicts at every chance: replies when it is its turn, else opens another dispute."""
    disputes = scene.claim.brief["disputes"]
    if disputes and scene.chance.random() < 0.8:
        dispute = scene.chance.choice(disputes)
        # Many leave the parent out, or say by a resolution that they disagree: both are replies.
        parent = scene.chance.choice([None, dispute["thread"], *_replies(scene, dispute["thread"])])
        way: Resolution | None = scene.chance.choice((None, None, "rejected"))
        return Report(outcome="disputed", comments=[Remark(content="I do not agree", parent=parent, resolution=way)])
    names = [made.name for made in scene.view.artifacts]
    artifact = scene.chance.choice([*names, None, "unheard-of.md"])
    concern = Remark(content="this cannot be right", artifact=artifact, target="section 2")
    reason = scene.reason() if scene.chance.random() < 0.5 else None
    return Report(outcome="disputed", summary="disputed", comments=[concern], reason=reason)


def _replies(scene: Scene, thread: str) -> list[str]:
    return [comment.id for comment in scene.view.comments if comment.parent == thread]


def asking(scene: Scene) -> Report:
    options = (
        [Choice(option="red"), Choice(option="blue", why_insufficient="ugly")] if scene.chance.random() < 0.5 else []
    )
    asked = AskedQuestion(
        question="Which colour?",
        context="the wall",
        options=options,
        blocking=scene.chance.random() < 0.6,
        default=scene.chance.choice((None, "blue")),
    )
    tries = [Try(approach=approach(scene))] if scene.chance.random() < 0.3 else []
    reason = "security" if scene.chance.random() < 0.1 else None
    return Report(outcome="asks", question=asked, attempts=tries, reason=reason)


def stuck(scene: Scene) -> Report:
    tries = [Try(approach=approach(scene)) for _ in range(scene.chance.choice((0, 0, 1, 3)))]
    return Report(outcome="stuck", reason=scene.reason(), blockers="too deep", attempts=tries)


def incomplete(scene: Scene) -> Report:
    return Report(outcome="incomplete", summary="half of it", next_steps=["the other half"])


def causes(scene: Scene) -> Report:
    """Fails for every reason there is."""
    reason = scene.reason() if scene.chance.random() < 0.4 else None
    return Report.failed("it broke", scene.chance.choice(CAUSES), reason=reason, blockers="a wall")


def dangerous(scene: Scene) -> Report:
    kind: FindingKind = scene.chance.choice(("security", "security", "review"))
    hole = Finding(kind=kind, severity="critical", issue="anyone may read it")
    return replace(scene.chance.choice((good, changes, wrong))(scene), findings=[hole])


def lying(scene: Scene) -> Report:
    """Faults of form: each ends the run as a protocol failure, and changes nothing else; the last is not even taken."""
    comments = scene.view.comments
    some = scene.chance.choice(comments).id if comments else "c999"
    way = scene.chance.choice(RESOLUTIONS)
    return scene.chance.choice(
        (
            Report.done("all fine"),
            Report.done("all fine", comments=[Remark(content="so there", parent="c9999", resolution=way)]),
            Report.done("all fine", comments=[Remark(content="so there", parent=some, resolution=way)]),
            Report.done("all fine", comments=[Remark(content="so there", resolution=way)]),
            Report(outcome="disputed"),
            Report(outcome="disputed", comments=[Remark(content="no", parent=some)]),
            Report(outcome="delegates", summary="let others"),
            Report(outcome="split", summary="too much"),
            Report(outcome="asks", summary="hm"),
            Report.done("a text that no store can keep: \0"),
        )
    )
