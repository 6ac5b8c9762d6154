"""The reader of canonical JSON: all of it, or Invalid with everything that is wrong; never a traceback."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.errors import Invalid
from folkmoot.reports.read import read_report
from folkmoot.testing.builders import TrialBoard

# Every field the contract prints, with a value that is not its default.
FULL: dict[str, Any] = {
    "outcome": "changes_requested",
    "summary": "two things",
    "commit": "abc123",
    "files": {"created": ["a.py"], "modified": ["b.py"]},
    "artifacts": [{"name": "specs/x.md", "path": "out/x.md"}],
    "findings": [
        {
            "kind": "security",
            "severity": "high",
            "file": "b.py",
            "line": 42,
            "issue": "unchecked input",
            "recommendation": "check it",
            "test": "test_input",
            "exploit": "' or 1=1",
            "category": "sql_injection",
        }
    ],
    "tests": {"total": 10, "passed": 8, "failed": 2},
    "comments": [{"artifact": "specs/x.md", "target": "intro", "content": "unclear"}],
    "attempts": [{"kind": "expert_delegation", "approach": "a", "outcome": "o", "why_different": "w"}],
    "cause": "capability",
    "reason": "concurrency",
    "blockers": "no key",
    "question": {
        "question": "which?",
        "context": "two are there",
        "options": [{"option": "one", "why_insufficient": "slow"}],
        "help": "say a number",
        "blocking": False,
        "default": "one",
    },
    "tasks": [{"key": "a", "title": "t", "agent": "dev", "files": ["f"], "after": ["b"], "contracts": ["c"]}],
    "contracts": [{"name": "c", "text": "t"}],
    "integration_points": {"a": "b"},
    "delegate": [{"to": "x", "task": "t", "scope": "s"}],
    "next_steps": ["rest"],
    "lessons": ["learn"],
    "usage": {"input_tokens": 1, "output_tokens": 2, "cost_usd": 0.5},
}


def holds(shown: Any, given_value: Any) -> bool:
    """Is everything that was given also shown?"""
    if isinstance(given_value, dict):
        return isinstance(shown, dict) and all(holds(shown.get(key), value) for key, value in given_value.items())
    if isinstance(given_value, list):
        return isinstance(shown, list) and len(shown) == len(given_value) and all(map(holds, shown, given_value))
    return bool(shown == given_value)


@pytest.mark.ledger("K-01", "K-14")
@pytest.mark.parametrize("field", list(FULL))
def test_every_field_survives_to_show(field: str) -> None:
    with TrialBoard() as board:
        item = board.add(column="review")
        board.engine.report(board.claim("review-agent"), read_report(json.dumps(FULL)))
        shown = board.show(item)["runs"][0]["report"]
    assert holds(shown.get(field), FULL[field]), shown


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("place", ["findings", "comments", "attempts", "files", "tests", "question", "tasks"])
def test_a_field_that_would_be_lost_is_refused_by_name(place: str) -> None:
    value: dict[str, Any] = {"isue": "misspelt"}
    needed = {"comments": {"content": "c"}, "question": {"question": "q"}, "tasks": {"title": "t"}}.get(place, {})
    inner = {**needed, **value}
    report = {"outcome": "done", place: [inner] if place in ("findings", "comments", "attempts", "tasks") else inner}
    with pytest.raises(Invalid, match="isue"):
        read_report(json.dumps(report))


@pytest.mark.ledger("R-32")
def test_all_faults_are_named_at_once() -> None:
    text = json.dumps(
        {
            "outcome": "finished",
            "cause": "mood",
            "sumary": "x",
            "tests": {"total": "ten"},
            "findings": [{"severity": "awful"}],
            "comments": [{"content": "x", "resolution": "maybe"}],
        }
    )
    with pytest.raises(Invalid) as caught:
        read_report(text)
    for word in ("finished", "mood", "did you mean 'summary'", "total", "awful", "maybe"):
        assert word in caught.value.message


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "not JSON",
        "[]",
        "null",
        '"done"',
        "{}",
        '{"outcome": null}',
        '{"outcome": ["done"]}',
        '{"outcome": "done"',
        '{"outcome": "done", "outcome": "failed"}',
        '{"outcome": "done", "files": {"created": [], "created": ["a"]}}',
        '{"outcome": "done", "usage": {"cost_usd": NaN}}',
        '{"outcome": "done", "usage": {"cost_usd": Infinity}}',
        '{"outcome": "done", "usage": {"cost_usd": -Infinity}}',
        '{"outcome": "done", "usage": {"cost_usd": 1e999}}',
        '{"outcome": "done", "usage": {"cost_usd": -1}}',
        '{"outcome": "done", "usage": {"input_tokens": -1}}',
        '{"outcome": "done", "integration_points": {"a": 1e999}}',
        '{"outcome": "done", "findings": [{"line": 9223372036854775808}]}',
        '{"outcome": "done", "findings": [{"line": -18446744073709551616}]}',
        '{"outcome": "done", "findings": [{"line": ' + "9" * 5000 + "}]}",
        '{"outcome": "done", "tasks": [' + "9" * 100 + "]}",
        '{"outcome": "done", "summary": "a\\u0000b"}',
        '{"outcome": "done", "summary": "\\ud800"}',
        '{"outcome": "done", "\\u0000": 1}',
        '{"outcome": "done", "tasks": ["\\udfff"]}',
        '{"outcome": "done", "integration_points": {"\\ud800": 1}}',
        '{"outcome": "done", "integration_points": ' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"outcome": "done", "integration_points": ' + '{"a":' * 100_000 + "1" + "}" * 100_000 + "}",
        "[" * 100_000,
        '{"outcome": "done", "summary": "' + "x" * 2_000_000 + '"}',
    ],
    ids=lambda text: text[:60],
)
def test_what_cannot_be_read_is_invalid(text: str) -> None:
    with pytest.raises(Invalid) as caught:
        read_report(text)
    caught.value.message.encode("utf-8")
    assert "\0" not in caught.value.message, "the words about a fault can themselves be stored"


def nested(depth: int, opening: str, closing: str) -> str:
    return '{"outcome": "done", "integration_points": {"in": ' + opening * depth + closing * depth + "}}"


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize(("opening", "closing", "depth"), [("[", "]", 1), ("[", "]", 40), ('{"a":[', "]}", 20)])
def test_what_is_nested_a_little_is_kept_shown_and_examined(opening: str, closing: str, depth: int) -> None:
    text = nested(depth, opening, closing)
    with TrialBoard() as board:
        item = board.add(column="dev")
        board.engine.report(board.claim("dev-agent"), read_report(text))
        shown = board.show(item)["runs"][0]["report"]["integration_points"]
        assert shown == json.loads(text)["integration_points"]
        assert board.wrong() == []


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("depth", [51, 99, 300, 480, 900, 950, 990, 2000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":[', "]}")])
def test_what_is_nested_too_deep_is_invalid(depth: int, opening: str, closing: str) -> None:
    with pytest.raises(Invalid):
        read_report(nested(depth, opening, closing))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(), children, max_size=4),
    max_leaves=12,
)


@pytest.mark.ledger("R-32")
@settings(max_examples=25)
@given(st.dictionaries(st.sampled_from(sorted(FULL)) | st.text(max_size=8), json_values, max_size=6))
def test_whatever_the_fields_hold_it_is_a_report_or_invalid(fields: dict[str, Any]) -> None:
    try:
        report = read_report(json.dumps({"outcome": "done", **fields}))
    except Invalid:
        return
    with TrialBoard() as board:
        item = board.add(column="qa")
        # As the last word: while its run lives it may be asked back.
        board.engine.report(board.claim("qa-agent"), report, final=True)
        board.show(item)
        assert board.wrong() == []


@pytest.mark.ledger("R-32")
@given(st.text(max_size=200))
def test_any_text_is_a_report_or_invalid(text: str) -> None:
    with pytest.raises(Invalid):
        read_report(text)


def test_a_single_attempt_and_plain_options_are_read_too() -> None:
    report = read_report(
        '{"outcome": "asks", "attempt": {"approach": "a"}, "question": {"question": "q", "options": ["x"]}}'
    )
    assert [attempt.approach for attempt in report.attempts] == ["a"]
    assert report.question is not None and [option.option for option in report.question.options] == ["x"]


@pytest.mark.ledger("K-14")
def test_costs_add_up_and_one_that_cannot_be_a_cost_is_invalid() -> None:
    with pytest.raises(Invalid):
        read_report('{"outcome": "failed", "usage": {"cost_usd": 1e308}}')
    with TrialBoard() as board:
        item = board.add(column="dev")
        for _ in range(2):
            costly = read_report('{"outcome": "failed", "usage": {"cost_usd": 1000000}}')
            board.engine.report(board.claim("dev-agent"), costly)
        assert board.show(item)["cost_usd"] == 2_000_000
        assert [run["cost_usd"] for run in board.show(item)["runs"]] == [1_000_000, 1_000_000]
