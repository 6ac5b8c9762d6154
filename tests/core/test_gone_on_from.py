"""Which reports of an item are still told to whoever goes on."""

import pytest

from folkmoot.core.enums import Outcome
from folkmoot.core.records import Run
from folkmoot.core.report import Report
from folkmoot.core.unfinished import REPORTS_TOLD, not_gone_on_from

ANSWERING = frozenset({"ask-story", "ask-arch"})


def runs(*said: tuple[str, Outcome]) -> list[Run]:
    return [
        Run(
            id=f"r{number}",
            item="1",
            token=number,
            agent=column,
            column=column,
            outcome=outcome,
            lease_until=0.0,
            lease=60.0,
            report=Report(outcome=outcome),
        )
        for number, (column, outcome) in enumerate(said)
    ]


@pytest.mark.parametrize(
    ("said", "here", "told"),
    [
        ([("dev", "stuck"), ("ask-story", "done")], "dev", ["r0"]),
        ([("dev", "stuck"), ("ask-story", "stuck"), ("ask-arch", "done")], "ask-story", ["r1", "r0"]),
        ([("dev", "stuck"), ("ask-story", "stuck"), ("ask-arch", "done"), ("ask-story", "done")], "dev", ["r0"]),
        ([("dev", "incomplete"), ("dev", "disputed"), ("tests", "disputed")], "dev", ["r2", "r1", "r0"]),
        ([("tests", "done"), ("dev", "failed"), ("dev", "failed")], "dev", ["r2", "r0"]),
        ([("dev", "incomplete"), ("dev", "done")], "review", ["r1"]),
        ([("dev", "incomplete"), ("dev", "done"), ("review", "changes_requested")], "dev", ["r2"]),
        ([("dev", "failed"), ("split", "split")], "", []),
        ([("dev", "failed"), ("split", "delegates")], "", ["r0"]),
    ],
)
def test_a_report_is_told_until_somebody_goes_on_from_it(
    said: list[tuple[str, Outcome]], here: str, told: list[str]
) -> None:
    assert [run.id for run in not_gone_on_from(runs(*said), here, ANSWERING)] == told


def test_not_more_are_told_than_somebody_reads() -> None:
    said: list[tuple[str, Outcome]] = [(f"column-{number}", "stuck") for number in range(9)]
    assert [run.id for run in not_gone_on_from(runs(*said), "dev")] == ["r8", "r7", "r6", "r5"]
    assert REPORTS_TOLD == 4
