"""Which fields of an agent's own are known to decide nothing: by their names they only describe, or what stands in them
agrees with an end that moves the work on. The lists are closed, and whatever stands in none of them is asked back: a
word that is missing here costs one more report, and never turns round what was said."""

from functools import lru_cache
from typing import Any

from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.phrases.agreeing import only_approves
from folkmoot.core.vocabulary.phrases.flags import is_no, is_yes
from folkmoot.core.vocabulary.phrases.nothings import says_nothing
from folkmoot.core.vocabulary.phrases.tallies import share_of
from folkmoot.core.vocabulary.problems import is_over
from folkmoot.core.vocabulary.words import plain, verdict_of

# The last word of a name that only describes the work, the run or whoever speaks.
_DESCRIBES = frozenset(
    {
        *("duration", "time", "minutes", "seconds", "hours", "date", "day", "timestamp", "at", "started", "ended"),
        *("elapsed", "took", "branch", "commit", "commits", "sha", "hash", "revision", "tag", "tags", "version", "pr"),
        *("mr", "url", "link", "links", "ref", "refs", "reference", "references", "path", "paths", "file", "files"),
        *("folder", "directory", "line", "lines", "loc", "model", "client", "tool", "tools", "tokens", "cost", "price"),
        *("usage", "agent", "agents", "author", "role", "name", "title", "id", "ids", "key", "owner"),
        *("team", "source", "origin", "by", "to", "from", "task", "item", "spec", "workflow", "round", "rounds"),
        *("iteration", "iterations", "phase", "stage", "step", "command", "commands", "method", "methods", "approach"),
        *("strategy", "technique", "language", "framework", "library", "libraries", "dependencies", "platform", "os"),
        *("environment", "env", "type", "kind", "category", "scope", "area", "areas", "component", "components"),
        *("module", "modules", "package", "packages", "feature", "features", "function", "functions", "class"),
        *("endpoint", "endpoints", "route", "routes", "table", "tables", "port", "host", "coverage", "size", "bytes"),
        *("words", "complexity", "effort", "difficulty", "priority", "urgency", "attempt", "attempts", "mode"),
        *("message", "note", "notes", "comment", "comments", "remark", "remarks", "description", "details", "detail"),
        *("explanation", "rationale", "reasoning", "context", "background", "evidence", "proof", "log", "logs"),
        *("artifact", "artifacts", "document", "documents", "docs", "doc", "format", "pattern", "patterns"),
        *(
            "summary",
            "report",
            "output",
            "total",
            "run",
            "pass",
            "succeeded",
            "disabled",
        ),  # with numbers they are counts
        *("algorithm", "design", "architecture", "database", "schema", "purpose", "location", "target", "subject"),
        # What was done with so many of them, or with which.
        *("reviewed", "read", "changed", "modified", "added", "created", "removed", "deleted", "touched", "checked"),
        *("scanned", "visited", "analyzed", "analysed", "examined", "inspected", "used", "spent", "tried", "written"),
        *("updated", "implemented", "refactored", "renamed", "executed", "skipped", "ignored", "interfaces"),
        *("tested", "covered", "passed", "passing", "fixed", "resolved", "addressed", "closed", "verified"),
    }
)
_WHO = pattern(r"(?:review|test|implement|own|maintain|approv|check|work|us|develop)er")
# Lists of words that a look has beside its verdict.
_REMARKS = frozenset(
    {
        *("highlights", "strengths", "positives", "observations", "praise", "changes", "fixes", "checks", "tests"),
        *("criteria", "assumptions", "suggestions", "nits", "nitpicks", "improvements", "recommendations", "steps"),
        *("actions", "optional", "findings", "insights", "learnings", "lessons", "attacks", "vectors", "scenarios"),
    }
)
# In the name of something that is so or not: a yes agrees, or a no does. What is denied in the name is asked back.
_GOOD = frozenset(
    {
        *("approved", "approve", "approval", "lgtm", "ok", "okay", "pass", "passes", "passed", "passing", "success"),
        *("successful", "succeeded", "ready", "mergeable", "merge", "merged", "safe", "secure", "acceptable"),
        *("complete", "completed", "done", "finished", "met", "meets", "satisfied", "satisfies", "compliant", "valid"),
        *("correct", "consistent", "clean", "green", "compiles", "builds", "works", "working", "stable", "good"),
        *("added", "updated", "written", "created", "included", "documented", "fixed", "resolved", "addressed"),
        *("verified", "tested", "reviewed", "checked", "covered", "implemented", "closed", "shippable", "deployable"),
        *("exist", "exists", "handled", "applied", "cleared", "validation", "lint", "types", "ci"),
        *("status", "verdict", "result", "outcome"),
    }
)
_BAD = frozenset(
    {
        *("blocking", "blocked", "blocker", "blockers", "blocks", "rejected", "broken", "breaking", "needs", "need"),
        *("required", "requires", "needed", "requested", "must", "exploited", "exploitable", "vulnerable", "unsafe"),
        *("insecure", "failed", "failing", "fails", "failures", "errors", "regressions", "regression", "conflicts"),
        *("conflict", "pending", "remaining", "open", "incomplete", "partial", "escalate", "escalation", "aborted"),
        *("flaky", "stuck", "warnings", "issues", "problems", "hold", "draft", "concerns", "risk", "risky"),
        *("clarification", "guidance", "triggered"),
    }
)
_DENIES = frozenset({"not", "no", "non", "never", "without"})
# Whether it is so decides nothing: how something is done, or who does it.
_ASIDE = frozenset({"auto", "automatic", "parallel", "sequential", "async", "optional"})
# What a field of a few words says that agrees, whatever it is about.
_AGREES = frozenset(
    {
        *("ok", "okay", "good", "fine", "pass", "passed", "passes", "passing", "green", "success", "successful", "all"),
        *("approved", "approve", "lgtm", "complete", "completed", "done", "finished", "clean", "met", "satisfied"),
        *("resolved", "fixed", "full", "fully", "correct", "ready", "safe", "secure", "merge", "ship", "go", "accept"),
        *("accepted", "verified", "excellent", "great", "solid", "stable", "consistent", "clear", "thorough", "strong"),
        *("adequate", "sufficient", "present", "works", "working", "valid", "compliant", "implemented", "covered"),
        *("it", "looks", "very", "to", "is", "are", "tests", "now", "fixes", "applied", "task", "self", "execute"),
        *("successfully", "well", "tested", "reviewed", "high", "unconditionally"),
    }
)
_NO_NEED = frozenset({"not", "needed", "required", "necessary", "requested"})  # beside a name whose no agrees
_RED = frozenset({"fail", "fails", "failing", "failure", "red", "broken", "error", "errors", "blocked", "poor", "bad"})
# Which end of a scale is the good one.
_MORE_IS_GOOD = frozenset({"confidence", "quality", "readiness", "completeness", "readability", "maintainability"})
_LESS_IS_GOOD = frozenset({"risk", "risks", "severity", "impact", "exposure", "debt", "criticality"})
_LITTLE = frozenset({"low", "very", "minimal", "small", "negligible", "minor", "tiny", "info", "informational"})
_SCORES = frozenset({"score", "rating", "grade"})
_COUNTS = frozenset({"count", "counts", "number", "num", "of", "total"})
_SLIGHT = frozenset({"low", "medium", "minor", "nit", "nits", "info"})  # so many of them are remarks
_SHARES = frozenset(
    {"progress", "completion", "completeness", "complete", "completed", "done", "percent", "percentage"}
)
# What names a thing: a path, a name in code, a time, an amount with its unit. A share of a whole is none.
_NAMES_THING = pattern(
    r"https?:\S+|\S*[/\\]\S*[A-Za-z]\S*|\S+\.[A-Za-z]\w{0,5}|(?=\D*\d)[0-9a-f]{6,40}"
    r"|#?\d[\d.,:TZ+-]*(?: ?(?!%)[a-zA-Z]{1,7})?"
)
_GOES_ON = pattern(r"[:;,(–—]|\s-\s")
WORDS_MAX = 3  # of a field that says how something stands; what is longer is told in words
LETTERS_MAX = 40


def describes(name: str) -> bool:
    """Is it known that what stands under this name only describes? `blocked_by` is about what is blocked."""
    *first, last = plain(name).split() or [""]
    return (last in _DESCRIBES and (last in _GOOD or not _BAD & set(first))) or _WHO.fullmatch(last) is not None


def names_request(name: str) -> bool:
    """A request to merge is open until it is merged."""
    return plain(name) in ("pull request", "merge request", "pr", "mr")


def lists_remarks(name: str) -> bool:
    """Is it known that a list under this name asks for nothing?"""
    return describes(name) or plain(name) == "action items" or (plain(name).split() or [""])[-1] in _REMARKS


def is_flag(value: Any) -> bool:
    return is_yes(value) or is_no(value)


def may_decide(name: str, value: Any) -> bool:
    """Could what stands here take back an end that moves the work on? Sentences are words, and decide nothing."""
    if isinstance(value, str) and len(value) > LETTERS_MAX:
        return False
    return isinstance(value, str | int | float) and _may_decide(name[:LETTERS_MAX], value)


@lru_cache(2048, typed=True)  # a report is decided several times: with and without each of its statements
def _may_decide(name: str, value: str | float) -> bool:
    words = plain(name).split()
    if is_flag(value):
        return not _ASIDE & set(words) and _is_good(words) is not is_yes(value)
    if not isinstance(value, str):
        return value != 0 and not _counts_nothing(words, value)
    if says_nothing(value):
        return False
    share = share_of(value)
    if describes(name) and not (share is not None and words[-1] in _GOOD):
        return False
    if share is not None:
        return share.failed > 0 and not (_SCORES & set(words) and share.failed * 2 <= (share.total or 0))
    said, head = plain(value).split(), _GOES_ON.split(value, maxsplit=1)
    if len(said) > WORDS_MAX or (head[1:] and says_nothing(head[1])):
        return False
    return not (_NAMES_THING.fullmatch(value.strip()) or _value_agrees(words, value, set(said)))


def denies(name: str, value: Any) -> bool:
    """Is it plain that what stands here takes it back? Where nobody is there to say, that decides."""
    if is_flag(value):
        return _is_good(plain(name).split()) is is_no(value)
    share = share_of(value)
    return verdict_of(value) is False or (share is not None and share.failed > 0) or plain(str(value)) in _RED


def _is_good(words: list[str]) -> bool | None:
    """Does a yes under this name agree, or a no? None: nobody knows. The last word says what the name is about:
    `errors_handled` is good, and `no_changes_required`, since it denies what would be bad."""
    last = words[-1] if words else ""
    good: bool | None = True if last in _GOOD else False if last in _BAD else None
    if good is None:
        good = False if _BAD & set(words) else True if _GOOD & set(words) else None
    denied = sum(word in _DENIES for word in words) % 2 == 1
    return good if good is None or not denied else not good


def _counts_nothing(words: list[str], value: float) -> bool:
    """Is so many of it known to decide nothing? How many problems there are is weighed as such."""
    bare = [word for word in words if word not in _COUNTS]
    if not bare or is_over(" ".join(words)) or set(words) & (_SLIGHT | _SCORES):
        return True
    return bare[-1] in _DESCRIBES or (bool(_SHARES & set(bare)) and value in (1.0, 100) and value is not True)


def _value_agrees(name: list[str], value: str, said: set[str]) -> bool:
    words = set(name)
    if value.strip().removesuffix("%") == "100" or only_approves(value):
        return True
    if "not" in said and said <= _NO_NEED:
        return _is_good(name) is False
    if "needs" in said or "requires" in said:
        return says_nothing(plain(value).removeprefix("needs ").removeprefix("requires "))
    if words & _LESS_IS_GOOD:
        return said <= _LITTLE
    high = {"high"} if not words & _MORE_IS_GOOD else set()
    return said <= _AGREES - high
