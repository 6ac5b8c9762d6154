"""What a look says of the changes that it asked for, where whoever should make them has disputed some and made none."""

from collections.abc import Iterator

from folkmoot.core.report import Report
from folkmoot.core.rules.breaker import turn_of
from folkmoot.core.rules.disputes import resolutions
from folkmoot.core.rules.judging.against.checkers import Contradiction
from folkmoot.core.rules.judging.carrying import shortly
from folkmoot.core.rules.movement import stage_of
from folkmoot.core.rules.sharing.findings import identity
from folkmoot.core.rules.sharing.undisputed import undisputed
from folkmoot.core.situation import Case


def left_of_agreed(case: Case, said: Report) -> Iterator[Contradiction]:
    """It agrees in a dispute, by which the item goes on, and is silent about a finding that nobody has disputed: none
    of the changes was made, so that finding would be over without a word (R-12, R-22)."""
    if said.outcome != "done" or case.item.returns_to != stage_of(case):
        return
    agreed = {one.thread for one in resolutions(case, said) if one.resolution == "accepted"}
    threads = [dispute.thread for dispute in turn_of(case) if dispute.turn == 1 and dispute.thread in agreed]
    words = "\n".join([said.summary, *(one.content for one in said.comments)])
    told = {identity(one) for one in said.findings}
    left = [one for one in undisputed(case, threads, words) if identity(one) not in told]
    if not left:
        return
    first = left[0]
    place = f" ({first.file}{f':{first.line}' if first.line else ''})" if first.file else ""
    found = f"{shortly(first.issue or first.category or '')!r}{place}"
    yield Contradiction(
        f"{', '.join(threads)} is settled, and the look has asked for another change, {found}: which holds? If that is "
        "still to be made, report changes_requested with it in `findings`, beside the comment; if not, name it in "
        "`findings` with a `status` of fixed, its place and why",
        "changes_requested",
        adds={"findings": [*said.findings, *left]},
    )
