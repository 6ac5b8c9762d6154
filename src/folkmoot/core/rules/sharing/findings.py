"""Findings have an identity, so that rounds of review converge or are told not to (R-13 to R-15)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256

from msgspec import Struct, json
from msgspec.structs import asdict, replace

from folkmoot.core.enums import SEVERITIES
from folkmoot.core.item import Item
from folkmoot.core.report import Finding, NamedFinding, Report, Tests
from folkmoot.core.rules.sharing.paths import bad_path, normal_path, overlap
from folkmoot.core.rules.sharing.replies import recalled, with_replies
from folkmoot.core.vocabulary.phrases.tallies import red_tests

FINDINGS_MAX = 500
NAME_LETTERS = 5
GRAVE = ("critical", "high")
_IN_WORDS = ("issue", "recommendation", "test", "exploit", "category", "why")
_GRAVEST_KIND = ("review", "test", "security")  # a hole is one whoever else calls it a bug


def against_done(findings: list[Finding], tests: Tests | None) -> str | None:
    """What keeps `done` from being true where work is checked, in words; None if nothing does (R-22)."""
    if tests is not None and tests.failed:
        return red_tests(tests)
    if not findings:
        return None
    grave = [one for one in still_open(findings) if one.severity in GRAVE or _is_failed_test(one)]
    if not grave:
        return None
    worst = min((finding.severity for finding in grave), key=SEVERITIES.index)
    test = next((finding.test for finding in grave if _is_failed_test(finding)), None)
    return f"the test {test} failed" if test and worst not in GRAVE else f"there is a finding that is {worst}"


def _is_failed_test(finding: Finding) -> bool:
    """A test is named that shows it; who says that it is of little weight is believed."""
    return finding.kind == "test" and bool(finding.test) and finding.severity != "low"


def remarks(findings: Iterable[Finding], are: bool = True) -> list[Finding]:
    """The findings as remarks, or as what must change: which of the two follows from the verdict, not from them. What
    is mended already is a remark beside every verdict."""
    marked = ((finding, are or finding.fixed is not None) for finding in findings)
    return [finding if finding.remark == is_one else replace(finding, remark=is_one) for finding, is_one in marked]


def still_open(findings: Iterable[Finding]) -> list[Finding]:
    """Without those of which their finder says that they are mended."""
    return [finding for finding in findings if finding.fixed is None]


def to_change(findings: Iterable[Finding]) -> list[Finding]:
    return [finding for finding in still_open(findings) if not finding.remark]


def unheard(findings: Iterable[Finding], stage: str) -> list[Finding]:
    """As what a look of that stage has found, which has given no verdict yet."""
    return [replace(finding, unheard=stage) for finding in findings]


def kept_of(known: list[Finding], said: Report, checked: str | None, by: str) -> list[Finding]:
    """What an item keeps beside a report of the stage that checks it (`checked`), or of whoever makes the work (`by`).

    What is open stays until whoever checks gives a verdict: the fix is looked at beside what was asked for. What is
    found beside `done` is a remark: it is shown, and nothing must change for it.
    """
    is_done = said.outcome == "done"
    found = remarks(said.findings, is_done)
    if checked and said.outcome in ("done", "changes_requested"):
        return recalled(found, known)
    if checked:
        found = unheard(found, checked)
    # Of several at one line each is said again by its own words.
    several = {about for about, number in Counter(identity(finding) for finding in known).items() if number > 1}
    again: dict[tuple[str, ...], list[Finding]] = {}
    for finding in found:
        again.setdefault(_about(finding, several), []).append(finding)
    if is_done:
        # Whoever made the work has seen to what was found before.
        known = [replace(finding, unheard=None) if finding.unheard else finding for finding in known]
        known = with_replies(known, said.extra, by)
        answered = [_answered(one, again.pop(_about(one, several), []), by) for one in known]
        return [*answered, *(finding for new in again.values() for finding in new)][:FINDINGS_MAX]
    return [*(one for one in known if _about(one, several) not in again), *found][:FINDINGS_MAX]


def _about(finding: Finding, several: set[tuple[str, ...]]) -> tuple[str, ...]:
    about = identity(finding)
    return (*about, "said", finding.issue) if about in several else about


def _answered(known: Finding, answers: list[Finding], by: str) -> Finding:
    """A finding with what whoever made the work says of it; whether it is mended, whoever checks says."""
    said: list[str] = []
    for answer in answers:
        said += [f"mended: {answer.fixed}"] if answer.fixed else []
        told = ((name, getattr(answer, name)) for name in _IN_WORDS)
        said += [words for name, words in told if words and words != getattr(known, name)]
        said += answer.wordings
    words = [*known.wordings, *(f"{by}: {one}" for one in said)]
    return replace(known, wordings=list(dict.fromkeys(words))) if said else known


def named(findings: Sequence[Finding]) -> list[NamedFinding]:
    """Each with a short name, by which people speak of it: from what makes it this finding, so that it stays while
    others come and go. Where several are about one place their words tell them apart."""
    several = {about for about, number in Counter(identity(one) for one in findings).items() if number > 1}
    found: dict[str, Finding] = {}
    for finding in findings:
        name = again = f"f{sha256(json.encode(_about(finding, several))).hexdigest()[:NAME_LETTERS]}"
        while again in found:
            again = f"{name}-{len(found)}"
        found[again] = finding
    return [NamedFinding(**asdict(finding), id=name) for name, finding in found.items()]


def identity(finding: Finding) -> tuple[str, ...]:
    """Same kind, file and line: one finding, however it is said. Without a line the words are all there is."""
    file = finding.file or ""
    file = file if bad_path(file) else normal_path(file)
    if file and finding.line:
        return (finding.kind, file, "line", str(finding.line))
    if finding.test:
        return (finding.kind, file, "test", finding.test)
    return (finding.kind, file, "words", " ".join(finding.issue.casefold().split()))


def merged(found: Iterable[tuple[str, Finding]]) -> list[Finding]:
    """One list without repeats, in the order found, that says who found what and how each said it (P-05).

    What different agents say of one place is one finding (R-14). What one agent tells apart stays apart, also at one
    line: whoever names two problems there means two. The same problem that two agents tell as different kinds is one.
    """
    told = [(finding.found_by or [agent], finding) for agent, finding in found]
    one: dict[int, Finding] = {}
    for root, (agents, finding) in zip(_clusters(told), told, strict=True):
        known = one.get(root)
        one[root] = replace(finding, found_by=agents) if known is None else _joined(known, finding, agents)
    return list(one.values())


def _joined(known: Finding, finding: Finding, agents: list[str]) -> Finding:
    """What two said of the same: the graver severity, both recommendations, and how each said it."""
    said = list(dict.fromkeys([*known.wordings, finding.issue, *finding.wordings]))
    return replace(
        known,
        kind=max(known.kind, finding.kind, key=_GRAVEST_KIND.index),
        severity=min(known.severity, finding.severity, key=SEVERITIES.index),
        found_by=list(dict.fromkeys([*known.found_by, *agents])),
        wordings=[words for words in said if words != known.issue],
        recommendation=_both(known.recommendation, finding.recommendation),
        exploit=_both(known.exploit, finding.exploit),
        test=_both(known.test, finding.test, ", "),
        category=_both(known.category, finding.category, ", "),
        why=_both(known.why, finding.why),
        fixed=known.fixed and finding.fixed and _both(known.fixed, finding.fixed),
        remark=known.remark and finding.remark,  # what one wants changed is no remark because another lets it pass
    )


def _clusters(told: list[tuple[list[str], Finding]]) -> list[int]:
    """For each finding the first of those that are the same as it."""
    roots = list(range(len(told)))

    def root(at: int) -> int:
        while roots[at] != at:
            at = roots[at]
        return at

    for group in _same(told):
        first = min(root(at) for at in group)
        for at in group:
            roots[root(at)] = first
    return [root(at) for at in range(len(told))]


def _same(told: list[tuple[list[str], Finding]]) -> Iterable[list[int]]:
    """Groups of findings that are one each: by what they are about, and by what is said of one place."""
    alike: dict[tuple[str, ...], list[int]] = {}
    places: dict[tuple[str, ...], list[int]] = {}
    for at, (_, finding) in enumerate(told):
        about = identity(finding)
        alike.setdefault((*about, "said", _plain(finding.issue)), []).append(at)
        places.setdefault(about, []).append(at)
        for words in {_plain(finding.issue), *(_plain(finding.category or "").split(", "))} - {""}:
            places.setdefault((*about[1:], "whichever kind", words), []).append(at)
    yield from alike.values()
    for group in places.values():
        issues: dict[str, set[str]] = {}
        for at in group:
            for agent in told[at][0]:
                issues.setdefault(agent, set()).add(_plain(told[at][1].issue))
        if all(len(words) == 1 for words in issues.values()):
            yield group


def _plain(words: str) -> str:
    return " ".join(words.casefold().replace("_", " ").replace("-", " ").split())


def _both(known: str | None, other: str | None, between: str = "\n") -> str | None:
    """What two said about one place: both, each once."""
    if not known or not other:
        return known or other
    return known if known == other or other in known.split(between) else f"{known}{between}{other}"


class Scope(Struct, frozen=True, gc=False):
    """The findings of a round beside the ones that were open: what stays, what is new in the fix, what is set aside."""

    kept: list[Finding]
    aside: list[Finding]
    repeated: int
    fixed: int
    new: int

    @property
    def trend(self) -> str:
        if not self.new and not self.fixed:
            return "repeats"
        return "grows" if self.new > self.fixed else "shrinks" if self.fixed > self.new else "changes"


def in_scope(item: Item, found: list[Finding], first_round: bool) -> Scope:
    """What is under review is frozen at round one (R-15). Where nobody said what the fix touched, all may be about it.

    What is critical is never set aside, nor is a failed test: its file says where it was seen, not what broke it.
    """
    before = {identity(finding) for finding in item.findings}
    known = {identity(finding) for finding in to_change(item.findings)}
    seen = {identity(finding) for finding in found}
    touched = [normal_path(path) for path in item.touched if not bad_path(path)]
    kept, aside = [], []
    for finding in found:
        place = normal_path(finding.file) if finding.file and not bad_path(finding.file) else None
        repeats = identity(finding) in before  # a remark that is meant now was under review as well
        about_fix = not touched or place is None or finding.kind == "test" or bool(overlap([place], touched))
        if first_round or repeats or about_fix or finding.severity == "critical":
            kept.append(finding)
        else:
            aside.append(finding)
    new = {identity(finding) for finding in kept} - known
    return Scope(kept, aside, len(known & seen), len(known - seen), len(new))
