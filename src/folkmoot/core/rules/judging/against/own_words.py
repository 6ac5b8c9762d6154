"""What a checker's own words say against its `done`: a verdict that is withheld, a test that failed, or something grave
that is no finding (R-22).

Fields are weighed as such. Words are not weighed: whoever wrote them is asked which of the two holds.
"""

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from folkmoot.core.report import SHOWN_BESIDE, Report
from folkmoot.core.rules.judging.carrying import TOLD_OF
from folkmoot.core.rules.movement import stage_of
from folkmoot.core.rules.sharing.findings import GRAVE, still_open
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.lines import finding_in, says_severity, severity_of
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.phrases.agreeing import praised_but
from folkmoot.core.vocabulary.phrases.flags import came_through, is_attack, is_tried, is_yes
from folkmoot.core.vocabulary.phrases.mended import left_open
from folkmoot.core.vocabulary.phrases.nothings import says_nothing
from folkmoot.core.vocabulary.phrases.reds import is_over_now, said_failed, said_grave, said_red, said_unrun
from folkmoot.core.vocabulary.phrases.tallies import red_tests, said_fewer, share_of, unaccounted
from folkmoot.core.vocabulary.phrases.undone import is_fix, said_refused, still_red, wants_changes
from folkmoot.core.vocabulary.problems import is_over, listed_under
from folkmoot.core.vocabulary.roles import folded
from folkmoot.core.vocabulary.words import plain

# Under these names a dialect says what was changed or how to go on: a failure told there is over, or yet to come.
_ELSEWHERE = ("changes", "fixed", "fixes", "files", "steps", "said")
_RATINGS = {"risk", "severity", "criticality"}
_STEPS = ("actions", "action items", "next actions", "required actions")  # next steps, by another name
_SET_ASIDE = pattern(r"(?i)skip|ignor|disabl|pending|'total'")  # it says what became of the rest
_GOES_ON = pattern(r"[:;,(–—]|\s-\s")
LETTERS_SHOWN = 200
FLAG_MAX = 3  # words of a field that says how a check came out, and no more
FIELDS_MAX = 200
DEPTH_MAX = 4
LETTERS_MAX = 100_000


def words_against(said: Report) -> str | None:
    """The words that speak against it, and how to say either; None if none do."""
    refused = next(filter(None, map(said_refused, _bounded([said.summary, *_named(said)]))), None)
    refused = refused or next(filter(None, map(wants_changes, _bounded(_wishes(said)))), None)
    steps = [*said.next_steps, *_steps(said)]
    refused = refused or next(filter(is_fix, _bounded(steps)), None) or praised_but(said.summary)
    if refused is not None:
        return (
            f"its words say {refused[:120]!r}: which holds? If something must change, report changes_requested with it "
            "in `findings`; if nothing must, say so"
        )
    if said.tests is not None and said.tests.total and said.tests.passed == said.tests.failed == 0:
        return (
            f"of its {said.tests.total} tests none has passed and none has failed: which holds? If they could not run, "
            "report failed or stuck; if some passed, say how many"
        )
    if (left := unaccounted(said.tests)) and not _SET_ASIDE.search(f"{said.summary} {said.extra}"):
        return (
            f"{left} of its tests have neither passed nor failed: which holds? If they passed, say so; else say what "
            "became of them, such as skipped"
        )
    texts = list(_bounded([said.summary, said.blockers or "", *_own(said)]))
    failed = said_failed([*texts, *_bounded(one.issue for one in still_open(said.findings) if one.severity != "low")])
    failed = failed or said_fewer(_bounded(_own(said)))
    if failed is not None:
        return (
            f"its words say {failed[:120]!r}: which holds? If a test fails, report changes_requested with it in "
            "`findings`; if the tests could not run, failed or stuck; if none fails, say so (a remark is low)"
        )
    grave = said_grave(texts) or next(_rated(said), None)
    if grave is not None:
        return (
            f"its words say {grave[:120]!r}: which holds? If it is so, tell it in `findings` with its severity; if it "
            "is not, say so"
        )
    return None


def red_check(said: Report, gates: Iterable[str]) -> str | None:
    """A field of its own that says of a check, or of one of its parts, that it is red: `lint: failed`."""
    if not said.extra:
        return None
    output = said.extra.get("output")
    own = [*said.extra.items(), *(output.items() if isinstance(output, dict) else ())]
    for gate, (name, value) in itertools.product(list(gates) or [""], own[:FIELDS_MAX]):
        is_check = said_red([f"{plain(name)} failed"], gate) is not None
        listed = [(name, one) for one in value[:FIELDS_MAX]] if isinstance(value, list) else [(name, value)]
        for part, word in value.items() if isinstance(value, dict) else listed:
            if isinstance(word, str) and said_unrun(name, word):
                return f"its {name} says {word!r}"
            if not is_check:
                continue
            # Of a part in words it is the check that came out so, however the part is called: `contracts: fail`.
            told = "failed" if word is False else f"check {plain(_flag(word))}" if isinstance(word, str) else ""
            is_flag = told and len(told.split()) <= FLAG_MAX + 1 and said_red([f"{plain(str(part))} {told}"], gate)
            share = share_of(word)
            fewer = isinstance(word, str) and (said_fewer([f"{part}: {word}"]) or (share is not None and share.failed))
            is_line = isinstance(value, list) and isinstance(word, str) and not any(one.test for one in said.findings)
            if is_flag or fewer or (is_line and still_red(word)):
                return f"its {name} says {'no' if word is False else repr(word)}"
    return None


def _flag(words: str) -> str:
    """What a field says before it goes on: `red: 2 errors left`. What is counted as none, or is over, is not so."""
    head, *rest = _GOES_ON.split(words[:LETTERS_SHOWN], maxsplit=1)
    over = rest and (says_nothing(rest[0].strip(" )")) or is_over_now(rest[0]))
    return "" if over else head


def red_unseen(case: Case, said: Report) -> str | None:
    """What whoever makes the work says is red, where that is no word for others: it was to heal just this check, or no
    check and no stage that gives verdicts comes after it. Elsewhere those see it, and a test may be red on purpose."""
    stages = case.flow.stages(stage_of(case))
    columns = [case.flow.columns[name] for name in stages if name in case.flow.columns]
    heals = case.item.proving is not None
    seen = case.item.returns_to or any(column.gate or column.fix is not None for column in columns)
    if seen and not heals:
        return None
    told = next(filter(None, (still_red(said.summary, gate) for gate in list(case.flow.gates) or [""])), None)
    return told or (red_tests(said.tests) if said.tests is not None and said.tests.failed else None)


def in_parts(said: Report) -> str | None:
    """A field that says of an attack that it came through, or of something found that it is not mended
    (`{"issue": "…", "status": "still_open"}`)."""
    payload = said.extra.get("payload")
    places = [said.extra, *([payload] if isinstance(payload, dict) else ())]
    return next((told for place in places for told in _through("", place)), None) or _unmended(said)


def _through(name: str, value: Any, deep: int = 0, over: bool = False, tried: bool = False) -> Iterator[str]:
    """`over`: it is told of an earlier look, or of the way there; `tried`: of an attack, or of a load."""
    over, tried = over or is_over(name) or folded(name) in TOLD_OF, tried or is_tried(name)
    for part in value[:FIELDS_MAX] if isinstance(value, list) else [value]:
        attacked = tried or (isinstance(part, dict) and deep > 0 and any(map(is_attack, map(str, part))))
        for inner, told in part.items() if isinstance(part, dict) and deep <= DEPTH_MAX else ():
            if attacked and not over and came_through(str(inner), told):
                yield f"its {name} says {'yes' if is_yes(told) else repr(told)}: {part!r}"[:LETTERS_SHOWN]
            yield from _through(str(inner), told, deep + 1, over, attacked)


def _unmended(said: Report) -> str | None:
    for name, value in said.extra.items():
        # What is listed under a name for findings has been read as such, and is open or not by that.
        if is_over(name, now=True) or folded(name) in TOLD_OF or listed_under(name)[0]:
            continue
        parts = [value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
        told = (left_open(part, is_over(name)) for part in parts[:FIELDS_MAX] if isinstance(part, dict))
        if word := next(filter(None, told), None):
            return f"its {name} says {word[:LETTERS_SHOWN]}"
    return None


def weight_in_words(said: Report) -> str | None:
    """A finding whose words alone say that it is grave, and how to weigh it: "One critical issue: …" has no severity
    where one is told, and would be one of the middle."""
    if not (said.findings and said.extra):
        return None
    weak = (one.issue for one in still_open(said.findings) if one.severity not in GRAVE)
    told = {issue for issue in _bounded(weak) if said_grave([issue])}
    if not told:
        return None
    lines = (line for name, value in said.extra.items() if listed_under(name)[0] for line in _leaves(value))
    bare = (finding_in(line).issue for line in _bounded(lines) if not says_severity(line))
    grave = said_grave(issue for issue in bare if issue in told)
    if grave is None:
        return None
    return (
        f"its words say {grave[:120]!r}, and no severity: which holds? Tell each with its severity before it, such as "
        "`- Critical: …` or `- Medium: …`; if it is not so, say so"
    )


def _bounded(texts: Iterable[str]) -> Iterator[str]:
    """So many of them as an honest agent writes: a hostile one must not be slow to read."""
    left = LETTERS_MAX
    for text in texts:
        if left > 0 and text:
            yield text[:left]
            left -= len(text)


def _own(said: Report) -> Iterator[str]:
    """What stands beyond the fields of a report; lists of findings have been read as such."""
    for name, value in said.extra.items():
        if not (listed_under(name)[0] or is_over(name) or _is_elsewhere(name)):
            yield from _leaves(value)


def _wishes(said: Report) -> Iterator[str]:
    """Where a checker may say that something must change, though it approves. A condition says so by its name."""
    yield from (said.summary, *_own(said))
    for one in still_open(said.findings):
        yield from (one.issue, one.recommendation or "", one.why or "")
    for name, value in said.extra.items():
        if plain(name) in ("condition", "conditions"):
            yield from (f"must fix: {words}" for words in _leaves(value) if not says_nothing(words))


def _steps(said: Report) -> Iterator[str]:
    for name, value in said.extra.items():
        yield from _leaves(value) if plain(name) in _STEPS else ()


def _rated(said: Report) -> Iterator[str]:
    """How bad all of it is, under a name for that: `risk: critical`."""
    for name, value in said.extra.items():
        if _RATINGS & set(plain(name).split()) and isinstance(value, str) and severity_of(value) in GRAVE:
            yield f"{name}: {value}"


def _named(said: Report) -> Iterator[str]:
    """The same and what stands in lists, each with its name before it: a verdict may be the name itself."""
    for name, value in said.extra.items():
        if not _is_elsewhere(name):
            yield from (f"{name}:\n{words}" for words in _leaves(value))


def _is_elsewhere(name: str) -> bool:
    return name == SHOWN_BESIDE or any(word in _ELSEWHERE for word in plain(name).split())


def _leaves(value: Any, deep: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict) and deep < DEPTH_MAX:
        for part in value.values() if isinstance(value, dict) else value:
            yield from _leaves(part, deep + 1)
