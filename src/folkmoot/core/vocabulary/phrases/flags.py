"""What the name of a field asks that is answered by a yes, a no or a number: `ready_to_merge`, `critical_count`."""

from typing import Any

from folkmoot.core.vocabulary.problems import is_over, listed_under
from folkmoot.core.vocabulary.words import plain

# Names under which a no says that the work is not good. `auto_merge` and `merge_conflicts` say nothing of it.
_GOOD = frozenset(
    {
        *("approved", "lgtm", "ok", "okay", "pass", "passes", "success", "successful", "ready", "mergeable", "merge"),
        *("can merge", "should merge", "ready to merge", "ready for merge", "safe to merge", "ok to merge"),
        "merge ready",
    }
)
# And under which a yes says so.
_BAD = frozenset(
    {
        *("blocking", "is blocking", "blocked", "is blocked", "blocker", "blocks merge", "blocks release"),
        *("merge blocked", "rejected", "broken", "must fix", "must be fixed", "needs changes", "needs fixes"),
        *("needs work", "needs rework", "requires changes", "changes requested", "changes required", "changes needed"),
    }
)
_GOOD_ENDS = ("met", "passed", "passing", "satisfied", "compliant", "compliance")
_GOOD_BEGINS = ("meets", "passes", "satisfies")
# What stands under these is asked of the work point by point.
_ASKED_OF_WORK = {"checklist", "criteria", "acceptance"}
_EXIT_CODES = ("exit code", "exit status", "return code", "returncode")
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
    if not is_no(value):
        return False
    parts = words.split() or [""]
    good = words in _GOOD or parts[-1] in _GOOD_ENDS or parts[0] in _GOOD_BEGINS
    return (good and not is_over(name)) or bool(_ASKED_OF_WORK & set(plain(within).split()))


def counts_problems(name: str) -> bool:
    """Is a number under this name one of problems? `issues`, `issue_count`, `number_of_findings`, `critical`."""
    words = plain(name).split()
    bare = [word for word in words if word not in _COUNTS]
    if " ".join(bare).removesuffix(" severity") in _GRAVE:
        return True
    # The board itself counts how often an item has failed.
    if len(bare) == len(words) or bare == ["failure"]:
        return listed_under(name)[0]
    several = (" ".join(bare), f"{' '.join(bare)}s", f"{' '.join(bare)[:-1]}ies")
    return any(listed_under(one)[0] for one in several)
