"""Findings have an identity: what is one finding, how lists merge, what is under review, whether a round converges."""

import re
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from folkmoot.core.enums import FINDING_KINDS, SEVERITIES
from folkmoot.core.item import Item
from folkmoot.core.report import Finding
from folkmoot.core.rules.sharing.findings import identity, in_scope, merged, named
from folkmoot.testing.builders import SoundBoard, small_flow

FLOW = small_flow("""
limits: {feedback_rounds: 9}
columns: {dev: {agents: [d], next: look}, look: {agents: [r], next: done, fix: dev}}
agents: {d: {}, r: {write: none}}
""")


def finding(**fields: Any) -> Finding:
    return Finding(**{"issue": "x", **fields})


SAME = [
    ({"file": "a.py", "line": 1}, {"file": "a.py", "line": 1, "issue": "said otherwise"}, True),
    ({"file": "a.py", "line": 1}, {"file": "a.py", "line": 2}, False),
    ({"file": "a.py", "line": 1}, {"file": "b.py", "line": 1}, False),
    ({"file": "a.py", "line": 1}, {"file": "a.py", "line": 1, "kind": "security", "issue": "y"}, False),
    ({"file": "a.py", "line": 1}, {"file": "./a.py", "line": 1}, True),
    ({"file": "src\\a.py", "line": 1}, {"file": "src/a.py", "line": 1}, True),
    ({"file": "a.py", "line": 1, "severity": "low"}, {"file": "a.py", "line": 1, "severity": "high"}, True),
    ({"issue": "No  Check"}, {"issue": "no check"}, True),
    ({"issue": "no check"}, {"issue": "no lock"}, False),
    ({"file": "a.py", "issue": "no check"}, {"file": "a.py", "issue": "no lock"}, False),
    ({"file": "a.py", "issue": "no check"}, {"file": "a.py", "issue": "No check"}, True),
    ({"kind": "test", "test": "t1", "issue": "got 500"}, {"kind": "test", "test": "t1", "issue": "got 404"}, True),
    ({"kind": "test", "test": "t1"}, {"kind": "test", "test": "t2"}, False),
    ({"file": "../a.py", "line": 1}, {"file": "a.py", "line": 1}, False),
    ({"file": "", "issue": "one"}, {"file": "", "issue": "two"}, False),
]


@pytest.mark.ledger("R-14", "P-05")
@pytest.mark.parametrize(("one", "two", "same"), SAME)
def test_kind_file_and_line_make_a_finding_and_without_a_place_its_words(
    one: dict[str, Any], two: dict[str, Any], same: bool
) -> None:
    assert (identity(finding(**one)) == identity(finding(**two))) == same
    assert len(merged([("x", finding(**one)), ("y", finding(**two))])) == (1 if same else 2)


found = st.builds(
    Finding,
    kind=st.sampled_from(FINDING_KINDS),
    severity=st.sampled_from(SEVERITIES),
    issue=st.sampled_from(["no check", "No check", "no lock", ""]),
    file=st.sampled_from([None, "a.py", "./a.py", "b.py", "../c.py", ""]),
    line=st.sampled_from([None, 1, 2]),
    test=st.sampled_from([None, "t1"]),
    found_by=st.sampled_from([[], ["somebody"]]),
    wordings=st.sampled_from([[], ["in other words"]]),
)


def essence(findings: list[Finding]) -> set[Any]:
    """All but the order: what each is about, who found it, how it was said, how bad it is."""
    return {(identity(f), f.severity, frozenset(f.found_by), frozenset([f.issue, *f.wordings])) for f in findings}


def holds(kept: list[Finding], said: Finding) -> bool:
    """Is it in the list, at its place, in its words, and no less grave?"""
    return any(
        identity(one)[1:] == identity(said)[1:]
        and said.issue in (one.issue, *one.wordings)
        and SEVERITIES.index(one.severity) <= SEVERITIES.index(said.severity)
        for one in kept
    )


@pytest.mark.ledger("P-05", "R-14")
@given(st.lists(st.lists(found, max_size=3), max_size=3))
def test_merging_does_not_depend_on_who_spoke_first(parts: list[list[Finding]]) -> None:
    named = [[(f"agent {n}", one) for one in part] for n, part in enumerate(parts)]
    results = [merged([pair for part in order for pair in part]) for order in permutations(named)]
    assert all(essence(result) == essence(results[0]) for result in results)
    said = [one for part in parts for one in part]
    assert all(holds(results[0], one) for one in said), "nothing is lost"
    assert {identity(one) for one in results[0]} <= {identity(one) for one in said}, "and nothing is made up"


# What two agents say, or one says of one place; and how many findings that is.
SAID = {
    "one agent tells two things of one line": ([("x", "no check"), ("x", "wrong type")], 2),
    "one agent says it twice": ([("x", "no check"), ("x", "No  check")], 1),
    "two agents tell of one line": ([("x", "no check"), ("y", "the error is lost")], 1),
    "two things, and one of them by another as well": ([("x", "no check"), ("x", "wrong type"), ("y", "No check")], 2),
    "two things, and another one by another": ([("x", "no check"), ("x", "wrong type"), ("y", "no lock")], 3),
}


@pytest.mark.ledger("R-14", "P-05")
@pytest.mark.parametrize(("said", "number"), SAID.values(), ids=SAID.keys())
def test_what_one_agent_tells_apart_stays_apart(said: list[tuple[str, str]], number: int) -> None:
    told = [(who, finding(file="a.py", line=1, issue=words, recommendation=f"mend {words}")) for who, words in said]
    one = merged(told)
    assert len(one) == number
    assert {words for _, words in said} <= {words for f in one for words in (f.issue, *f.wordings)}
    assert all(f"mend {words}" in "\n".join(f.recommendation or "" for f in one) for _, words in said)


@pytest.mark.ledger("R-14", "P-05")
def test_the_worst_of_two_at_one_line_keeps_its_own_words() -> None:
    light, grave = (finding(file="a.py", line=4, severity=s, issue=i) for s, i in (("low", "name"), ("critical", "rm")))
    assert [(f.severity, f.issue) for f in merged([("x", light), ("x", grave)])] == [
        ("low", "name"),
        ("critical", "rm"),
    ]


@pytest.mark.ledger("R-14", "P-05")
@pytest.mark.parametrize("words", ["SQL injection", "sql_injection", "Sql-Injection"])
def test_the_same_hole_told_by_two_as_different_kinds_is_one(words: str) -> None:
    one = finding(file="user.go", line=123, severity="medium", issue=words, recommendation="escape it")
    hole = {"kind": "security", "severity": "high", "issue": "sql_injection", "category": "sql_injection"}
    two = finding(file="user.go", line=123, exploit="' OR 1", recommendation="use parameters", **hole)
    for order in ([("r", one), ("d", two)], [("d", two), ("r", one)]):
        (both,) = merged(order)
        assert (both.kind, both.severity, sorted(both.found_by)) == ("security", "high", ["d", "r"])
        assert sorted((both.recommendation or "").split("\n")) == ["escape it", "use parameters"]
    other = finding(file="user.go", line=123, issue="no test")
    assert len(merged([("r", other), ("d", two)])) == 2, "another thing of another kind is another finding"


@pytest.mark.ledger("P-05")
@given(st.lists(found, max_size=6))
def test_merging_what_is_merged_changes_nothing(findings: list[Finding]) -> None:
    once = merged(("x", one) for one in findings)
    assert merged(("x", one) for one in once) == once


@pytest.mark.ledger("P-05")
def test_what_one_left_out_the_other_may_have_said() -> None:
    one = finding(file="a.py", line=1)
    two = finding(file="a.py", line=1, recommendation="check it", exploit="' OR 1", category="sql_injection", test="t")
    (both,) = merged([("x", one), ("y", two)])
    assert (both.recommendation, both.exploit, both.category, both.test) == ("check it", "' OR 1", "sql_injection", "t")
    assert both.found_by == ["x", "y"]


A1, A2, B1, Z1 = (finding(file=file, line=line) for file, line in (("a.py", 1), ("a.py", 2), ("b.py", 1), ("z.py", 1)))
TRENDS = [
    ([A1], [A1], "repeats"),
    ([A1, A2], [A1], "shrinks"),
    ([A1], [A1, A2], "grows"),
    ([A1], [A2], "changes"),
    ([A1, A2, B1], [Z1], "shrinks"),
    ([A1], [A1, A1], "repeats"),
    ([], [A1], "grows"),
]


@pytest.mark.ledger("R-15", "R-13")
@pytest.mark.parametrize(("before", "now", "trend"), TRENDS)
def test_a_round_says_whether_it_converges(before: list[Finding], now: list[Finding], trend: str) -> None:
    item = Item(id="1", title="x", column="look", findings=before)
    scope = in_scope(item, now, False)
    assert scope.trend == trend
    assert min(scope.fixed, scope.new, scope.repeated) >= 0


SCOPE = [
    # the fix touched, the finding of a later round, in scope?
    (["a.py"], {"file": "a.py", "line": 9}, True),
    (["a.py"], {"file": "b.py", "line": 9}, False),
    (["src/"], {"file": "src/deep/x.py", "line": 1}, True),
    (["A.py"], {"file": "a.py", "line": 1}, True),
    ([], {"file": "b.py", "line": 9}, True),
    (["a.py"], {"issue": "it is slow"}, True),
    (["a.py"], {"file": "../../etc/passwd", "line": 1}, True),
    (["../x", ""], {"file": "b.py", "line": 1}, True),
    (["a.py"], {"file": "b.py", "line": 9, "severity": "critical"}, True),
    (["a.py"], {"file": "old.py", "line": 7}, True),
    (["a.py"], {"file": "tests/test_b.py", "line": 9, "kind": "test", "test": "test_b"}, True),
]


@pytest.mark.ledger("R-15")
@pytest.mark.parametrize(("touched", "late", "inside"), SCOPE)
def test_what_is_under_review_is_frozen_at_round_one(touched: list[str], late: dict[str, Any], inside: bool) -> None:
    item = Item(id="1", title="x", column="look", findings=[finding(file="old.py", line=7)], touched=touched)
    scope = in_scope(item, [finding(**late)], False)
    assert (bool(scope.kept), bool(scope.aside)) == (inside, not inside)
    assert in_scope(item, [finding(**late)], True).aside == [], "in round one everything is"


@pytest.mark.ledger("R-15", "R-13")
def test_the_trend_of_each_round_is_in_the_log() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.effort("d", "done")
        rounds = [[(1, "a.py"), (2, "a.py")], [(1, "a.py")], [(1, "a.py")], [(3, "a.py"), (4, "a.py")]]
        for lines in rounds:
            board.effort("r", "changes_requested", findings=[{"file": f, "line": n, "issue": "x"} for n, f in lines])
            board.effort("d", "done")
        given_now = [e["context"] for e in board.log(item) if e["event"] == "verdict_given"]
        assert [context["trend"] for context in given_now] == ["grows", "shrinks", "repeats", "grows"]
        assert [context["round"] for context in given_now] == [1, 2, 3, 4]


ANSWERED: dict[str, tuple[dict[str, Any], list[str]]] = {
    "mended": ({"fixed": "bcrypt with cost 12"}, ["d: mended: bcrypt with cost 12"]),
    "not mended": (
        {"why": "status: wont_fix; note: the proxy limits"},
        ["d: status: wont_fix; note: the proxy limits"],
    ),
    "in other words": ({"issue": "salt is missing", "recommendation": "ask ops"}, ["d: salt is missing", "d: ask ops"]),
    "nothing new": ({"why": "leaks"}, []),
}


@pytest.mark.ledger("R-13", "R-14")
@pytest.mark.parametrize(("answer", "told"), ANSWERED.values(), ids=ANSWERED.keys())
def test_what_the_maker_says_of_an_open_finding_stands_beside_it(answer: dict[str, Any], told: list[str]) -> None:
    found = {"file": "a.py", "line": 1, "issue": "no salt", "why": "leaks"}
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.effort("d", "done")
        board.effort("r", "changes_requested", findings=[found])
        board.effort("d", "done", findings=[{"file": "a.py", "line": 1, "issue": "no salt", **answer}])
        (kept,) = board.item(item).findings
        assert (kept.issue, kept.why, kept.fixed, kept.remark) == ("no salt", "leaks", None, False), "it stays open"
        assert kept.wordings == told
        board.effort("r", "done")
        assert board.item(item).findings == []


@pytest.mark.ledger("R-14")
def test_of_two_findings_at_one_line_each_has_its_own_answer_and_none_is_lost() -> None:
    place = {"file": "a.py", "line": 1}
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.effort("d", "done")
        board.effort("r", "changes_requested", findings=[{**place, "issue": "x"}, {**place, "issue": "y"}])
        answers = [{**place, "issue": "y", "fixed": "so"}, {**place, "issue": "z", "fixed": "as well"}]
        board.effort("d", "done", findings=answers)
        kept = [(one.issue, one.wordings, one.fixed, one.remark) for one in board.item(item).findings]
        assert kept == [("x", [], None, False), ("y", ["d: mended: so"], None, False), ("z", [], "as well", True)]


@pytest.mark.ledger("R-15")
def test_findings_set_aside_in_great_number_each_become_an_item_and_none_is_lost() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.effort("d", "done")
        board.effort("r", "changes_requested", findings=[{"file": "a.py", "line": 1, "issue": "x"}])
        board.effort("d", "done", files={"modified": ["a.py"]})
        late = [{"file": f"f{n}.py", "line": 1, "issue": f"old {n}"} for n in range(60)]
        board.effort("r", "changes_requested", findings=late)
        assert board.place(item) == ("done", "done")
        assert len(board.queries.list()["items"]) == 61


@pytest.mark.ledger("R-15", "R-33")
def test_an_item_made_of_a_finding_is_one_generation_further_and_the_fourth_waits_for_a_person() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        for generation in range(4):
            assert board.item(item).generation == generation
            board.effort("d", "done")
            board.effort("r", "changes_requested", findings=[{"file": "a.py", "line": 1, "issue": "x"}])
            board.effort("d", "done", files={"modified": ["a.py"]})
            board.effort("r", "changes_requested", findings=[{"file": f"z{generation}.py", "line": 1, "issue": "y"}])
            item = board.queries.list()["items"][-1]["id"]
        assert board.item(item).status == "parked" and len(board.inbox()) == 1


def test_a_finding_keeps_its_name_while_others_come_and_go() -> None:
    slow = Finding(issue="It is slow", file="a.py", line=3)
    other, same_place = Finding(issue="It is long"), Finding(issue="It is wrong too", file="a.py", line=3)
    (first,) = named([slow])
    assert first.issue == "It is slow" and re.fullmatch(r"f[0-9a-f]{5}", first.id)
    assert named([other, replace(slow, severity="high", recommendation="cache it")])[1].id == first.id
    ids = [one.id for one in named([slow, same_place, other, other])]
    assert len(set(ids)) == 4
