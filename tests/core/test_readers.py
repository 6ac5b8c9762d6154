"""Whoever only reads loses the files it changed, never its word; what was dropped is named for people and agents."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.briefs.prompt import prompt
from folkmoot.core.commands import Actor
from folkmoot.core.work import Secret, Touched, Work
from folkmoot.testing.builders import PERSON, SoundBoard, change, preset_flow, small_flow

FLOW = small_flow("""
columns:
  dev:  {agents: [d], next: test}
  test: {agents: [t], next: done, fix: dev}
agents:
  d: {may: [ask, delegate], experts: [sage]}
  t: {write: none, may: [ask]}
  sage: {expert: true}
""")
FOUND: dict[str, Any] = {
    "findings": [{"kind": "test", "severity": "high", "issue": "expected 200, got 500", "test": "TestFeatureAPI"}]
}
WORDS: dict[str, Any] = {"comments": [{"content": "this cannot be right"}]}
# outcome, what it says, where the item is then
VERDICTS: list[tuple[str, dict[str, Any], tuple[str, str]]] = [
    ("done", {}, ("done", "done")),
    ("changes_requested", FOUND, ("dev", "ready")),
    ("disputed", WORDS, ("dev", "ready")),
    ("asks", {"question": {"question": "Which?"}}, ("test", "awaiting-divine-guidance")),
    ("incomplete", {"summary": "half of it"}, ("test", "ready")),
]
STRAYS = {
    "go.sum": change("go.sum"),
    "a cache": change("web/.cache/x", "coverage.xml", how="created"),
    "a snapshot that was removed": change("tests/__snapshots__/a.snap", how="deleted"),
    "thousands of files": Work(files=30_000, bytes=5, aside=".moot/set-aside/r1"),
    "what nobody could look at": Work(aside=".moot/set-aside/r1", why="it took too long"),
    "a secret": change("coverage.xml", secrets=[Secret("coverage.xml", 3, "API_KEY")]),
    "what nobody may change": Work(touched=[Touched(".git/config"), Touched("sub/.moot/x", "created")], commit="c1"),
}


@pytest.mark.ledger("R-20", "Q-03")
@pytest.mark.parametrize("stray", STRAYS.values(), ids=STRAYS)
@pytest.mark.parametrize(("outcome", "parts", "place"), VERDICTS, ids=[case[0] for case in VERDICTS])
def test_its_word_counts_whatever_it_left(
    outcome: str, parts: dict[str, Any], place: tuple[str, str], stray: Work
) -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.effort("d", "done")
        board.bring("t", outcome, work=stray, **parts)
        assert board.place(item) == place and board.item(item).head is None
        run = board.show(item)["runs"][-1]
        assert (run["outcome"], run["cause"], run["dropped"]) == (outcome, None, True)
        assert board.item(item).effort.conflicts == 0
        assert [event["event"] for event in board.log(item)].count("work_dropped") == 1


@pytest.mark.ledger("R-20")
def test_what_was_dropped_is_named_in_the_story_and_in_the_next_brief_once() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.effort("d", "done")
        board.bring("t", "changes_requested", work=change("go.sum"), **FOUND)
        (event,) = [event for event in board.log(item) if event["event"] == "work_dropped"]
        assert event["context"]["paths"] == ["go.sum"] and board.show(item)["dropped"][0]["files"] == ["go.sum"]
        claim = board.engine.claim(PERSON, "d")
        assert claim["brief"]["dropped"] == [{"agent": "t", "files": ["go.sum"]}]
        assert "Files that t changed, and that were dropped since it only reads" in prompt(claim["brief"])
        board.report(Actor("d", claim["run"], claim["token"]), "done")
        assert board.item(item).dropped == {}


@pytest.mark.ledger("R-14", "P-04")
def test_a_part_loses_its_files_and_its_item_is_told() -> None:
    with SoundBoard(preset_flow("pipeline")) as board:
        item = board.add()
        board.effort("implementer", "done")
        board.bring(
            "reviewer", "changes_requested", work=change("go.sum"), findings=[{"issue": "Missing error handling"}]
        )
        board.effort("devils-advocate", "done")
        assert board.place(item) == ("implement", "ready")
        assert board.item(item).dropped == {"reviewer": ["go.sum"]}
        assert "work_dropped" in [event["event"] for event in board.log(item)]


@pytest.mark.ledger("R-08", "R-25")
def test_an_experts_advice_counts_whatever_it_tried_out() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.effort("d", "delegates", delegate=[{"task": "look", "to": "sage"}])
        board.bring("sage", work=change("src/a.py"), summary="turn it round")
        assert board.place(item) == ("dev", "ready") and board.item(item).advisor == "sage"
        assert board.item(item).dropped == {"sage": ["src/a.py"]}


@pytest.mark.ledger("R-20")
@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(["a.py", ".git/x", "go.sum", "b/c.md"]), min_size=1, max_size=3, unique=True),
    st.sampled_from(["created", "modified", "deleted"]),
    st.sampled_from(VERDICTS),
)
def test_a_readers_report_does_the_same_with_and_without_a_change(
    paths: list[str], how: str, verdict: tuple[str, dict[str, Any], tuple[str, str]]
) -> None:
    outcome, parts, _ = verdict
    places = []
    for work in (None, change(*paths, how=how)):
        with SoundBoard(FLOW) as board:
            item = board.add()
            board.effort("d", "done")
            board.bring("t", outcome, work=work, **parts)
            row = board.item(item)
            places.append((row.column, row.status, row.head, row.findings, row.effort, row.span.rounds))
    assert places[0] == places[1]
