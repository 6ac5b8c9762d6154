"""What the name of a field asks that is answered by a yes, a no or a number: `ready_to_merge`, `critical_count`."""

from collections.abc import Mapping
from typing import Any

from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.phrases.tallies import share_of
from folkmoot.core.vocabulary.problems import is_over, listed_under
from folkmoot.core.vocabulary.words import plain

# Names under which a no says that the work is not good. `auto_merge` and `merge_conflicts` say nothing of it.
_GOOD = frozenset(
    {
        *("approved", "lgtm", "ok", "okay", "pass", "passes", "success", "successful", "ready", "mergeable", "merge"),
        *("can merge", "should merge", "ready to merge", "ready for merge", "safe to merge", "ok to merge"),
        *("merge ready", "safe", "is safe", "secure", "is secure", "acceptable", "is acceptable"),
        *("all fixed", "all resolved", "all addressed"),
    }
)
# And under which a yes says so.
_BAD = frozenset(
    {
        *("blocking", "is blocking", "blocked", "is blocked", "blocker", "blocks merge", "blocks release"),
        *("merge blocked", "rejected", "broken", "must fix", "must be fixed", "needs changes", "needs fixes"),
        *("needs work", "needs rework", "requires changes", "changes requested", "changes required", "changes needed"),
        *("fix needed", "fix required", "fixes needed", "fixes required", "rework needed", "rework required"),
        *("rereview needed", "rereview required", "needs rereview", "requires rereview", "requires fixes"),
        *("exploited", "exploitable", "is exploitable", "vulnerable", "is vulnerable", "unsafe", "insecure"),
    }
)
_GOOD_ENDS = ("met", "passed", "passing", "satisfied", "compliant", "compliance")
_GOOD_BEGINS = ("meets", "passes", "satisfies")
# What stands under these is asked of the work point by point.
_ASKED_OF_WORK = {"checklist", "criteria", "acceptance"}
_EXIT_CODES = ("exit code", "exit status", "return code", "returncode")
# A number under these is one of what is still open.
_STILL_OPEN = frozenset({"open", "still open", "remaining", "unresolved", "unfixed", "not fixed"})
# A share under these says how much of it is good: `issues_fixed: 1 of 2`.
_SHARED = {"met", "passed", "passing", "satisfied", "fixed", "resolved", "addressed", "mended", "closed", "solved"}
_PROGRESS = frozenset({"progress", "completion", "completeness", "complete", "completed", "done"})
_PERCENT = pattern(r"(\d{1,2}(?:\.\d{1,3})?) ?(?:%|percent)(?: (?:complete|completed|done|finished))?")
# Attacks on the work, and how it is said that one came through. That an attack failed is good.
_ATTACKS = {"attack", "attacks", "pentest", "penetration", "fuzz", "fuzzing", "abuse"}
_STRESS = {"stress", "load"}
_THROUGH = pattern(
    r"(?:(?:it|was|is|has|the|server|service|attack) )*(?:succeed(?:s|ed)?|successful|success|worked|works|exploited"
    r"|exploitable|bypass(?:es|ed)|got in|came through|went through|vulnerable|crash(?:es|ed)?|broke|broken"
    r"|leak(?:s|ed)|compromised)\b(?! (?:as expected|safely)).*"
)
_CAME_THROUGH = frozenset({"success", "succeeded", "successful", "worked", "exploited", "bypassed", "came through"})
# Under these it stands what was tried, and not what came of it.
_TRIED = {
    "name",
    "attack",
    "title",
    "type",
    "description",
    "payload",
    "input",
    "steps",
    "vector",
    "how",
    "goal",
    "case",
}
_RECOVERS = frozenset({"recoverable", "is recoverable", "retryable", "is retryable", "retriable", "can retry"})
_FATAL = frozenset({"fatal", "is fatal", "unrecoverable", "non recoverable", "nonrecoverable", "not recoverable"})
_BLOCKS = frozenset({"blocking", "is blocking", "blocks"})
_BLOCKS_NOT = frozenset({"non blocking", "nonblocking", "not blocking", "is non blocking"})
_COUNTS = {"count", "counts", "number", "num", "of", "total"}
_GRAVE = ("critical", "high")


def is_yes(value: Any) -> bool:
    return value is True or (isinstance(value, str) and plain(value) in ("yes", "true"))


def is_no(value: Any) -> bool:
    return value is False or (isinstance(value, str) and plain(value) in ("no", "false"))


def denies(name: str, value: Any, within: str = "") -> bool:
    """Is it said here that the work is not good: a no where a yes would be, or a yes where a no would be, or the exit
    code of a failure?"""
    words = plain(name)
    if words in _BAD and is_yes(value):
        return True
    if words in _EXIT_CODES:
        digits = str(value).strip().removeprefix("-")
        return digits.isdecimal() and digits.strip("0") != ""
    parts = words.split() or [""]
    share = share_of(value) if parts[-1] in _SHARED else None
    if not is_no(value):
        return share is not None and share.failed > 0
    good = parts[-1] in _GOOD_ENDS or parts[0] in _GOOD_BEGINS
    return words in _GOOD or (good and not is_over(name)) or bool(_ASKED_OF_WORK & set(plain(within).split()))


def says_part(name: str, value: Any) -> bool:
    """Is it said here that only a part of it is done: `progress: 80%`, `completion: 0.8`, `percent_complete: 80`?"""
    words = plain(name).removesuffix(" percent").removesuffix(" percentage")
    bare = words.removeprefix("percent ").removeprefix("percentage ")
    if bare not in _PROGRESS or isinstance(value, bool):
        return False
    if isinstance(value, int):
        return bare != plain(name) and 0 <= value < 100
    if isinstance(value, float):
        return 0 <= value < (100 if bare != plain(name) else 1)
    return isinstance(value, str) and _PERCENT.fullmatch(value.strip().casefold()) is not None


def is_attack(name: str) -> bool:
    """Does it tell of attacks? There `failed` says that the work has held."""
    return bool(_ATTACKS & set(plain(name).split()))


def came_through(name: str, value: Any) -> bool:
    """Of an attack or a load: is it said here that the work has not held?"""
    words = plain(name)
    if words in _CAME_THROUGH:
        return is_yes(value)
    return words not in _TRIED and isinstance(value, str) and _THROUGH.fullmatch(plain(value)) is not None


def is_tried(name: str) -> bool:
    """Does it tell of attacks or of a load, of which each says whether it came through?"""
    return bool((_ATTACKS | _STRESS) & set(plain(name).split()))


def recovers(fields: Mapping[str, Any]) -> set[bool]:
    """What these say of an error: that one can go on from it, that nobody can, both, or neither."""
    said = [(plain(str(name)), value) for name, value in fields.items() if is_yes(value) or is_no(value)]
    can = {is_yes(value) for words, value in said if words in _RECOVERS}
    never = {False for words, value in said if words in _FATAL and is_yes(value)}
    return can | never | {True for words, value in said if words in ("transient", "temporary") and is_yes(value)}


def blocking_in(fields: Mapping[str, Any]) -> tuple[str | None, bool | None]:
    """Under which name a question says whether it holds the item, and what: None where that is neither yes nor no."""
    for name, value in fields.items():
        words = plain(str(name))
        if words in _BLOCKS or words in _BLOCKS_NOT:
            told = True if is_yes(value) else False if is_no(value) else None
            return name, told if told is None or words in _BLOCKS else not told
    return None, True


def counts_problems(name: str) -> bool:
    """Is a number under this name one of problems? `issues`, `issue_count`, `number_of_findings`, `critical`."""
    words = plain(name).split()
    if " ".join(words) in _STILL_OPEN:
        return True
    bare = [word for word in words if word not in _COUNTS]
    if " ".join(bare).removesuffix(" severity") in _GRAVE:
        return True
    # The board itself counts how often an item has failed.
    if len(bare) == len(words) or bare == ["failure"]:
        return listed_under(name)[0]
    several = (" ".join(bare), f"{' '.join(bare)}s", f"{' '.join(bare)[:-1]}ies")
    return any(listed_under(one)[0] for one in several)
