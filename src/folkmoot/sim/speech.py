"""What scripted agents say at the end of a run: the truth, errors, lies, and the same thing again and again."""

import random
from typing import Any

from msgspec.structs import replace

from folkmoot.core.report import (
    CAUSES,
    AskedQuestion,
    Choice,
    Files,
    Finding,
    NamedArtifact,
    Remark,
    Report,
    Tests,
    Try,
    Usage,
)

View = dict[str, Any]
REASONS = ("concurrency", "security", "performance", "architecture", "unknown", "story", "arch", "tests", "moon", None)
REPEATED = (
    "Raise the timeout of the connection pool",
    "raise the timeout of the connection pool!",
    "Raise the timeout of the connection pools",
    "Lower the timeout of the connection pool",
)
VERBS = ("rewrite", "cache", "lock", "split", "inline", "retry", "batch", "guard", "defer", "index")
NOUNS = ("the parser", "the session", "every query", "the header", "the queue", "both branches", "the clock", "it all")


def obedient(chance: random.Random, claim: View) -> Report:
    """Does what the brief says: settles what is disputed, else is done, and sometimes wants changes."""
    settling = _settling(claim["brief"])
    if settling:
        return Report.done("settled", comments=settling, artifacts=_artifacts(chance, claim))
    if chance.random() < 0.12:
        return changes(chance, claim)
    return good(chance, claim)


def good(chance: random.Random, claim: View) -> Report:
    """Always done, with all that the brief asks for; what the drain of the world is made of."""
    usage = Usage(input_tokens=10, cost_usd=chance.choice((0.0, 0.25)))
    artifacts, settling = _artifacts(chance, claim), _settling(claim["brief"])
    return Report.done("made it", artifacts=artifacts, comments=settling, usage=usage, tests=Tests(total=3, passed=3))


def _settling(brief: View) -> list[Remark]:
    """The comments that agree in every dispute this run is told to settle."""
    agreed = [dispute["to_agree"]["comments"][0] for dispute in brief["disputes"]]
    return [Remark(content="agreed", parent=said["parent"], resolution=said["resolution"]) for said in agreed]


def _artifacts(chance: random.Random, claim: View) -> list[NamedArtifact]:
    if chance.random() < 0.4:
        return []
    return [NamedArtifact(name=f"{claim['item']['column']}.md", path=f"docs/{claim['item']['id']}.md")]


def changes(chance: random.Random, claim: View) -> Report:
    findings = [
        Finding(
            kind=chance.choice(("review", "test", "security")),
            severity=chance.choice(("high", "medium", "low")),
            issue=f"point {n}",
            file="src/a.py",
            line=n,
        )
        for n in range(chance.randrange(3))
    ]
    return Report(outcome="changes_requested", summary="not yet", findings=findings)


def approach(chance: random.Random) -> str:
    return f"{chance.choice(VERBS)} {chance.choice(NOUNS)} and {chance.choice(VERBS)} {chance.choice(NOUNS)}"


def wrong(chance: random.Random, claim: View) -> Report:
    """Fails with approaches that are mostly new; often one, sometimes several in a report, sometimes unnamed."""
    tries = [
        Try(approach=approach(chance), outcome=chance.choice(("red", "slower than before", "it hangs")))
        for _ in range(chance.choice((0, 1, 1, 1, 2, 4)))
    ]
    files = Files(modified=[f"src/{chance.randrange(4)}.py"]) if chance.random() < 0.5 else Files()
    commit = f"{chance.randrange(5):040x}" if chance.random() < 0.3 else None
    cause = chance.choice((None, "capability"))
    reason = chance.choice(REASONS) if chance.random() < 0.2 else None
    return Report.failed("could not", cause, attempts=tries, files=files, commit=commit, reason=reason)


def repeating(chance: random.Random, claim: View) -> Report:
    tries = [Try(approach=chance.choice(REPEATED), outcome="red")]
    return Report.failed("could not, again", attempts=tries)


def disputing(chance: random.Random, claim: View) -> Report:
    """Contradicts at every chance: replies when it is its turn, else opens another dispute."""
    disputes = claim["brief"]["disputes"]
    if disputes and chance.random() < 0.8:
        dispute = chance.choice(disputes)
        parent = chance.choice([dispute["thread"], *_replies(claim, dispute["thread"])])
        return Report(outcome="disputed", comments=[Remark(content="I do not agree", parent=parent)])
    names = [made["name"] for made in claim["item"]["artifacts"]]
    artifact = chance.choice([*names, None, "unheard-of.md"])
    concern = Remark(content="this cannot be right", artifact=artifact, target="section 2")
    return Report(outcome="disputed", summary="disputed", comments=[concern])


def _replies(claim: View, thread: str) -> list[str]:
    return [comment["id"] for comment in claim["item"]["comments"] if comment["parent"] == thread]


def asking(chance: random.Random, claim: View) -> Report:
    options = [Choice(option="red"), Choice(option="blue", why_insufficient="ugly")] if chance.random() < 0.5 else []
    asked = AskedQuestion(
        question="Which colour?",
        context="the wall",
        options=options,
        blocking=chance.random() < 0.6,
        default=chance.choice((None, "blue")),
    )
    tries = [Try(approach=approach(chance))] if chance.random() < 0.3 else []
    reason = "security" if chance.random() < 0.1 else None
    return Report(outcome="asks", question=asked, attempts=tries, reason=reason)


def stuck(chance: random.Random, claim: View) -> Report:
    tries = [Try(approach=approach(chance)) for _ in range(chance.choice((0, 0, 1, 3)))]
    return Report(outcome="stuck", reason=chance.choice(REASONS), blockers="too deep", attempts=tries)


def incomplete(chance: random.Random, claim: View) -> Report:
    return Report(outcome="incomplete", summary="half of it", next_steps=["the other half"])


def causes(chance: random.Random, claim: View) -> Report:
    """Fails for every reason there is."""
    reason = chance.choice(REASONS) if chance.random() < 0.4 else None
    return Report.failed("it broke", chance.choice(CAUSES), reason=reason, blockers="a wall")


def dangerous(chance: random.Random, claim: View) -> Report:
    hole = Finding(kind="security", severity="critical", issue="anyone may read it")
    return replace(chance.choice((good, changes, wrong))(chance, claim), findings=[hole])


def lying(chance: random.Random, claim: View) -> Report:
    """Faults of form: each ends the run as a protocol failure, and changes nothing else; the last is not even taken."""
    comments = claim["item"]["comments"]
    some = chance.choice(comments)["id"] if comments else "c999"
    way = chance.choice(("accepted", "rejected"))
    return chance.choice(
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
