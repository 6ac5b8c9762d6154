"""Several verdicts in one text: one that holds beside all the others, or the report is asked back (R-32)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.enums import OUTCOMES, Outcome
from folkmoot.core.report import AskedQuestion, Finding, Report, Tests
from folkmoot.core.rules.judging.together import BESIDE, SAID, fault_of_meaning, fault_of_outcomes, verdict
from folkmoot.errors import Invalid
from folkmoot.testing.builders import PERSON, SoundBoard, TrialBoard, change, preset_flow

outcomes = st.lists(st.sampled_from(OUTCOMES), min_size=1, max_size=6)


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize(
    ("told", "holds"),
    [
        (["asks", "done"], "asks"),
        (["done", "asks"], "asks"),
        (["changes_requested", "done"], "changes_requested"),
        (["disputed", "changes_requested"], "disputed"),
        (["split", "done"], "split"),
        (["done", "failed"], "failed"),
        (["done", "incomplete"], "incomplete"),
        (["failed", "incomplete"], "failed"),
        (["failed", "stuck"], "stuck"),
        (["failed", "done", "failed"], "failed"),
        (["failed", "done"], None),
        (["stuck", "done"], None),
        (["incomplete", "done"], None),
        (["asks", "split"], None),
        (["split", "failed"], None),
    ],
)
def test_one_holds_or_none(told: list[str], holds: str | None) -> None:
    assert verdict(told) == holds


@pytest.mark.ledger("R-32")
@given(outcomes)
def test_whatever_holds_was_said_and_nothing_milder_hides_it(told: list[str]) -> None:
    holds = verdict(told)
    assert holds is None or holds in told
    assert holds != "done" or set(told) == {"done"}, "a done never hides another word"
    assert verdict([told[0]]) == told[0] and verdict([told[0], told[0]]) == told[0]
    assert "asks" not in told or holds in ("asks", None), "a question reaches a person, or the speaker is asked"


def test_no_two_words_each_hold_over_the_other_but_those_of_one_meaning() -> None:
    both = {frozenset((one, other)) for one in OUTCOMES for other in BESIDE[one] if one in BESIDE[other]}
    assert both == {frozenset(("failed", "stuck"))}


@pytest.mark.ledger("R-32")
def test_what_contradicts_itself_is_asked_back_and_the_run_lives() -> None:
    with TrialBoard() as board:
        item = board.add(column="dev")
        run = board.claim("dev-agent")
        both = Report.done("all of it", extra={SAID: ["failed", "done"]})
        with pytest.raises(Invalid, match="it says failed, then done"):
            board.engine.report(run, both)
        board.engine.report(run, Report.failed("it broke"))
        assert board.show(item)["runs"][0]["outcome"] == "failed"


@pytest.mark.parametrize("told", [None, "done", [], [3], ["done", "nearly"], {"done": 1}])
def test_what_an_agent_keeps_under_that_name_itself_is_no_fault(told: object) -> None:
    assert fault_of_outcomes(Report.done(extra={SAID: told})) is None
    assert fault_of_outcomes(Report(outcome="asks", question=AskedQuestion(question="q"), extra={SAID: told})) is None


@pytest.mark.ledger("R-32", "P-03")
@pytest.mark.parametrize("told", [["changes_requested", "done"], ["done", "changes_requested"]])
def test_complete_beside_a_verdict_is_only_a_checkers_word(told: list[str]) -> None:
    said = Report(outcome="changes_requested", findings=[Finding(issue="x")], extra={SAID: told})
    assert fault_of_meaning(said, checks=True) is None
    fault = fault_of_meaning(said, checks=False)
    assert fault is not None and "done" in fault and "changes_requested" in fault


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("checks", [True, False])
@pytest.mark.parametrize("end", ["failed", "stuck"])
def test_done_and_then_another_end_of_the_same_run_is_asked_back(end: Outcome, checks: bool) -> None:
    fault = fault_of_meaning(Report(outcome=end, extra={SAID: ["done", end]}), checks=checks)
    assert fault is not None and f"it says done, and then {end}" in fault and "quote it" in fault
    assert fault_of_meaning(Report(outcome=end, extra={SAID: ["incomplete", end]}), checks=checks) is None


@pytest.mark.ledger("R-32", "P-03")
@pytest.mark.parametrize(
    ("told", "tests", "beside", "asked"),
    [
        (["changes_requested", "done"], Tests(total=10, passed=10, failed=0), None, True),
        (["changes_requested", "done"], Tests(total=10, passed=8, failed=2), {"total": 10, "failed": 0}, True),
        (["changes_requested", "done"], Tests(total=10, passed=8, failed=2), {"total": 4, "failed": 0}, False),
        (["changes_requested", "done"], Tests(total=10, passed=8, failed=2), None, False),
        (["changes_requested", "done"], None, None, False),
        (["done", "changes_requested"], Tests(total=10, passed=10, failed=0), None, False),
    ],
)
def test_red_and_then_green_is_asked_back(
    told: list[str], tests: Tests | None, beside: dict[str, int] | None, asked: bool
) -> None:
    extra = {SAID: told, **({"tests": beside} if beside else {})}
    red = Finding(issue="red", kind="test", test="t")
    said = Report(outcome="changes_requested", findings=[red], tests=tests, extra=extra)
    assert (fault_of_meaning(said, checks=True) is not None) == asked


@pytest.mark.ledger("R-32", "R-20")
def test_such_a_last_word_of_a_maker_loses_neither_its_work_nor_its_words() -> None:
    with SoundBoard(preset_flow("pipeline")) as board:
        item = board.add(column="implement")
        told: dict[str, Any] = {
            "findings": [Finding(issue="no check", severity="high")],
            "extra": {SAID: ["changes_requested", "done"]},
        }
        board.bring("implementer", "changes_requested", change("a.py"), summary="dealt with this", **told)
        row = board.item(item)
        assert (row.column, row.status, row.head, row.findings) == ("implement", "ready", "c1", [])
        (run,) = board.show(item)["runs"]
        assert (run["outcome"], run["cause"]) == ("failed", "protocol")
        brief = board.engine.claim(PERSON, "implementer")["brief"]
        assert "which is meant?" in brief["told"] and brief["previous"]["summary"] == "dealt with this"
