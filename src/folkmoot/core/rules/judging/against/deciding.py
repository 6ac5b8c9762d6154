"""Only fields decide, and only those that are known (R-22, R-32).

A report has fields of its own beside the form's: `hold: true`, `gate: red`, `open_points: 2`. No list of words can name
all of those that would take an approval back. So it is the other way round: beside an end that moves the work on, a
short field is known to agree or to describe, or its author is asked what it decides. Sentences decide nothing. They go,
word for word, to whoever goes on and into the item's story; so no phrase need be known.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from typing import Any

from msgspec.structs import replace

from folkmoot.core.enums import OUTCOMES
from folkmoot.core.report import UNDECIDED, WORDS_BESIDE, Report
from folkmoot.core.rules.judging.against.checkers import GOES_ON_WITH, Contradiction
from folkmoot.core.rules.judging.against.inside import POINTS
from folkmoot.core.rules.judging.carrying import (
    CARRIED_ELSEWHERE,
    COUNTED_HERE,
    NAMES_ITEM,
    TOLD_OF,
    VERDICTS,
    shortly,
    words_of_end,
)
from folkmoot.core.rules.messages.telling import is_envelope
from folkmoot.core.rules.sharing.findings import against_done
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.phrases.describing import denies, is_flag, lists_remarks, may_decide, names_request
from folkmoot.core.vocabulary.phrases.flags import is_tried, is_yes
from folkmoot.core.vocabulary.phrases.undone import without_ticked
from folkmoot.core.vocabulary.problems import is_over, listed_under
from folkmoot.core.vocabulary.roles import folded
from folkmoot.core.vocabulary.words import approves, plain, verdict_of

_INNER = ("output", "payload", "report")  # objects that hold fields of the report itself
_FORM = (*Report.__struct_fields__, "integrationPoints", "sharedTypes", "nextSteps", "filesCreated", "filesModified")
_NAMED = (*CARRIED_ELSEWHERE, *COUNTED_HERE, *NAMES_ITEM, *_FORM, UNDECIDED, WORDS_BESIDE)
# Two of these may say more than was read of them.
_KNOWN = (frozenset(map(folded, _NAMED)) | TOLD_OF) - {"tests", "outcome"}
_LABELLED = pattern(
    r"[\s>*_`+-]{0,8}([A-Za-z][A-Za-z _/-]{1,40}?)[*_`]{0,3}[:=][*_`\s]{0,4}([^\n]{1,40}?)[*_`.!\s]{0,4}"
)
_OF_TESTS = frozenset({"total", "passed", "test", "test name"})  # one of these in an object says that it tells of tests
_ASSIGNED = pattern(r"[A-Z_][A-Z0-9_]*=.*")
LINES_MAX = 500
LISTING_MIN = 5  # so many settings one below the other are what a program printed, such as `env`


def undecided(said: Report, judges: bool) -> dict[str, Any]:
    """Its own fields of which nobody knows what they decide, by their names, beside an end that moves the work on."""
    if not said.extra or said.outcome not in ("done", "split"):
        return {}
    if judges and against_done(said.findings, said.tests) is not None:
        return {}  # it goes back, whatever else it says
    own = said.extra
    if is_envelope(own):  # its status is the message's
        own = {name: value for name, value in own.items() if name != "status"}
    found = dict(_open_fields(own, judges))
    if said.outcome == "split":
        return {name: value for name, value in found.items() if is_flag(value)}  # a plan describes in many fields
    return found | dict(_open_labels(said))


def of_undecided(said: Report, judges: bool) -> Contradiction | None:
    """Both sides, and how to say either. Where nobody is there to say, a look that plainly takes its verdict back asks
    for changes, and another one is made again."""
    found = undecided(said, judges)
    if not found:
        return None
    denied = judges and any(_denies(name, value) for name, value in found.items())
    return Contradiction(_asking(found, judges), "changes_requested" if denied else None, told=True)


def _denies(name: str, value: Any) -> bool:
    if isinstance(value, dict | list):
        parts = value.items() if isinstance(value, dict) else ((name, part) for part in value)
        return any(_denies(str(inner), part) for inner, part in parts)
    return denies(name.rpartition(".")[2], value)


def _asking(found: dict[str, Any], judges: bool) -> str:
    name, value = next(iter(found.items()))
    name = name.rpartition(".")[2]
    told = "yes" if is_yes(value) else "no" if is_flag(value) else repr(shortly(value))
    ends = "report how it ended (failed, blocked, incomplete)"
    if judges:
        ends = "report changes_requested (needs_fixes) with each point in `findings`"
    elif name == "outcome" and value in OUTCOMES:
        ends = f"report {value}"
    return (
        f"its {name} says {told}, and no rule knows what that decides: which holds? If it takes the end back, {ends}; "
        "if it only tells something, say it in a sentence, as in `notes`: sentences are told on, and decide nothing"
    )


def as_told(said: Report) -> Report:
    """The last word of a process, whose maker cannot be asked: such fields are told on, and the work is looked at."""
    found = undecided(said, judges=False)
    if not found:
        return said
    rest = {name: value for name, value in said.extra.items() if name not in found}
    return replace(said, extra={**rest, UNDECIDED: found})


def of_other_ends(said: Report, judges: bool) -> Iterator[Contradiction]:
    """Beside a split, or a verdict that asks for changes; of other ends nothing moves on."""
    approved, undecided_ones = _approving(said), of_undecided(said, judges)
    if approved is not None:
        ways = "To have it changed leave that out; to approve it report approved (done)"
        yield Contradiction(f"{approved}: which holds? {ways}", None)
    if undecided_ones is not None:
        yield undecided_ones


def _approving(said: Report) -> str | None:
    """A field that approves, beside a verdict that asks for changes."""
    if said.outcome != "changes_requested" or any(map(approves, words_of_end(said))):
        return None  # what was weighed against an approval need not be asked
    for name, value in said.extra.items():
        approved = value is True or verdict_of(value) is True or is_yes(value)
        if name.casefold() in VERDICTS and name not in ("status", "outcomes", "statuses") and approved:
            return f"its {name} says {'yes' if value is True else shortly(value)!r}"
    return None


def _open_fields(fields: dict[str, Any], judges: bool) -> Iterator[tuple[str, Any]]:
    for name, value in fields.items():
        if name in _INNER and isinstance(value, dict):
            yield from ((f"{name}.{inner}", told) for inner, told in _open_fields(value, judges))
        elif _has_rule(name):
            if judges and folded(name) not in TOLD_OF and _has_denial(value):
                yield name, value
        elif listed_under(name)[0] and not is_flag(value):
            if judges and any(map(_demands, value if isinstance(value, list) else ())):
                yield name, value
        elif isinstance(value, list) and len(value) == 1 and is_flag(value[0]):
            if may_decide(name, value[0]):  # below a heading of its own
                yield name, value[0]
        elif isinstance(value, dict | list):
            if judges and not (is_over(name) or is_tried(name) or names_request(name)) and _holds_open(name, value):
                yield name, value
        elif may_decide(name, value):
            yield name, value


@lru_cache(2048)
def _has_rule(name: str) -> bool:
    """Has it a rule of its own, or does it tell of the way there?"""
    return name != "findings" and (folded(name) in _KNOWN or plain(name) in GOES_ON_WITH)


def _has_denial(value: Any) -> bool:
    """Does a part of what was read say plainly no of itself: `{"point": "users", "tested": false}`?"""
    if isinstance(value, list):
        return any(map(_has_denial, value))
    told = value.items() if isinstance(value, dict) else ()
    return any(denies(str(name), part) if is_flag(part) else _has_denial(part) for name, part in told)


def _holds_open(name: str, value: Any) -> bool:
    """Of an object or a list beside a verdict: is a part of it undecided, or is it a list of nobody knows what?"""
    if not value:
        return False
    if isinstance(value, list):
        # A heading of a form stands above words; in a field of its own a list is one of points.
        headed = name[:1].isupper()
        texts = [part for part in value if isinstance(part, str) and without_ticked(part).strip()]
        texts = [part for part in texts if not headed or may_decide(name, part)]
        listed = [part for part in value if isinstance(part, dict)]
        return bool(texts and not lists_remarks(name)) or any(_holds_open(name, part) for part in listed)
    names = {plain(str(inner)) for inner in value}
    for inner, told in value.items():
        if is_over(str(inner)) and not is_flag(told):
            continue
        if is_tried(str(inner)) or (names & _OF_TESTS and _is_of_test(told)) or _names_test(names, str(inner)):
            continue
        if is_yes(told) and POINTS & set(plain(name).split()):
            continue
        if isinstance(told, dict | list):
            if _holds_open(str(inner), told):
                return True
        elif may_decide(str(inner), told):
            return True
    return False


def _is_of_test(value: Any) -> bool:
    """How many tests there are of a kind, or that one was skipped: what failed is counted elsewhere."""
    return type(value) is int or (isinstance(value, str) and plain(value) == "skipped")


def _names_test(names: set[str], inner: str) -> bool:
    """Is it the name of a test beside how that ended?"""
    return plain(inner) in ("test", "test name") and bool(names & {"status", "result", "outcome", "state"})


def _demands(finding: Any) -> bool:
    """Does a finding say more of itself than how bad it is: `blocks_release: true`?"""
    told = finding.items() if isinstance(finding, dict) else ()
    return any(is_yes(value) and may_decide(str(name), value) for name, value in told)


def _open_labels(said: Report) -> Iterator[tuple[str, str]]:
    """The fields of a text are its labels: a line `Verified: no`. Other lines are words."""
    beside = said.extra.get(WORDS_BESIDE)
    for line in _said_lines(beside) if isinstance(beside, str) else ():
        found = _LABELLED.fullmatch(line)
        if found is None:
            continue
        name, value = found.group(1).strip(), found.group(2)
        if (is_flag(value) or name.casefold() in VERDICTS) and may_decide(name, value):
            yield name, value


def _said_lines(text: str) -> Iterator[str]:
    """The lines of a text, without those in which a program lists its settings: nobody says them of the work."""
    for is_setting, lines in groupby(text.splitlines()[:LINES_MAX], lambda line: bool(_ASSIGNED.fullmatch(line))):
        found = list(lines)
        if not is_setting or len(found) < LISTING_MIN:
            yield from found
