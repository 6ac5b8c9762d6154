"""Findings have an identity, so that rounds of review converge or are told not to (R-13 to R-15)."""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from folkmoot.core.item import Item
from folkmoot.core.report import SEVERITIES, Finding
from folkmoot.core.rules.sharing.paths import bad_path, normal_path, overlap


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
    """One list without repeats, in the order found, that says who found what and how each said it (P-05)."""
    one: dict[tuple[str, ...], Finding] = {}
    for agent, finding in found:
        key = identity(finding)
        known = one.get(key)
        if known is None:
            one[key] = replace(finding, found_by=finding.found_by or [agent])
            continue
        said = list(dict.fromkeys([*known.wordings, finding.issue, *finding.wordings]))
        one[key] = replace(
            known,
            severity=min(known.severity, finding.severity, key=SEVERITIES.index),
            found_by=list(dict.fromkeys([*known.found_by, *(finding.found_by or [agent])])),
            wordings=[words for words in said if words != known.issue],
            recommendation=known.recommendation or finding.recommendation,
            exploit=known.exploit or finding.exploit,
            test=known.test or finding.test,
            category=known.category or finding.category,
        )
    return list(one.values())


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

    What is critical is never set aside.
    """
    known = {identity(finding) for finding in item.findings}
    seen = {identity(finding) for finding in found}
    touched = [normal_path(path) for path in item.touched if not bad_path(path)]
    kept, aside = [], []
    for finding in found:
        place = normal_path(finding.file) if finding.file and not bad_path(finding.file) else None
        repeats = identity(finding) in known
        about_fix = not touched or place is None or bool(overlap([place], touched))
        if first_round or repeats or about_fix or finding.severity == "critical":
            kept.append(finding)
        else:
            aside.append(finding)
    new = {identity(finding) for finding in kept} - known
    return Scope(kept, aside, len(known & seen), len(known - seen), len(new))
