"""Who made what a dispute is about, however it is named; and what is another concern than the open one (R-12)."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.core.commands import CancelItem
from folkmoot.core.item import Artifact, Item
from folkmoot.core.rules.sharing.makers import is_same, makers_of
from folkmoot.testing.builders import SoundBoard, Story, limited, preset_flow

KANBAN = preset_flow()
TESTS, DESIGN = "tests/247-trading-tests.md", "docs/arch/247.md"
SPELLED = [
    TESTS,
    "247-trading-tests.md",
    "247-trading-tests",
    "./tests/247-trading-tests.md",
    "Tests/247-Trading-Tests.md",
    "`tests/247-trading-tests.md`",
    "tests/247-trading-tests.md#test_trade_cancellation",
    "tests/247-trading-tests.md:42",
    "tests/247-trading-tests.md::test_trade_cancellation",
    "tests/247-trading-tests.meta.yaml",
    "repo/tests/247-trading-tests.md",
]
REGISTERED: list[dict[str, Any]] = [
    {"artifacts": [{"name": TESTS}]},
    {"artifacts": [{"name": "the tests of trading", "path": TESTS}]},
    {"files": {"created": [TESTS]}},
    {"files": {"modified": [TESTS]}},
    {"artifacts": [{"name": "247-trading-tests.md"}]},
]


def at_qa(**made: Any) -> Story:
    """The tests are made in `tests`; three stages later somebody looks at them."""
    story = Story(KANBAN, "tests")
    story.effort("done", **made)
    story.effort("done", files={"created": ["src/trade.py"], "modified": ["src/old.py"]})
    story.effort("done")
    assert story.it.column == "qa"
    return story


@pytest.mark.ledger("K-06", "R-12")
@pytest.mark.parametrize("made", REGISTERED)
@pytest.mark.parametrize("spelled", SPELLED)
def test_the_maker_is_found_however_it_was_registered_and_is_named(made: dict[str, Any], spelled: str) -> None:
    story = at_qa(**made)
    story.effort("disputed", comments=[{"artifact": spelled, "content": "Assumes sync; arch says async."}])
    assert story.place == ("tests", "ready")
    assert story.it.dispute is not None and story.it.dispute.maker.agent == "test-architect"


@pytest.mark.ledger("K-06", "R-12")
def test_who_created_a_file_made_it_and_of_an_older_one_whoever_changed_it_last() -> None:
    story = Story(KANBAN, "arch")
    story.effort("done", files={"created": [DESIGN], "modified": ["README.md"]})
    story.effort("done", files={"modified": [DESIGN, "README.md"]})
    made = story.it.files_made
    assert (made[DESIGN].column, made["README.md"].column) == ("arch", "tests")


@pytest.mark.ledger("K-06", "R-12")
def test_a_name_that_two_stages_could_mean_is_asked_back() -> None:
    story = Story(KANBAN, "arch")
    story.effort("done", files={"created": ["docs/trade.md"]})
    story.effort("done", files={"created": ["tests/trade.md"]})
    story.effort("disputed", comments=[{"artifact": "trade.md", "content": "It is wrong."}])
    assert story.it.told is not None and "docs/trade.md (made in arch)" in story.it.told
    story.effort("disputed", comments=[{"artifact": "docs/trade.md", "content": "It is wrong."}])
    assert story.it.column == "arch"


@pytest.mark.ledger("K-06", "R-12")
@pytest.mark.parametrize("second", ["stories/247.md", "docs/glossary.md", DESIGN])
@pytest.mark.parametrize("by_maker", [True, False])
def test_a_concern_about_something_else_is_a_thread_of_its_own(second: str, by_maker: bool) -> None:
    story = Story(KANBAN, "tests")
    story.effort("done", files={"created": [TESTS]})
    story.effort("disputed", comments=[{"artifact": TESTS, "content": "Assumes sync."}])
    if not by_maker:
        story.effort("disputed", comments=[{"content": "It does not."}])
    rounds = story.it.disputes[0].rounds
    story.effort("disputed", comments=[{"artifact": second, "content": "This one is wrong."}])
    threads = {dispute.artifact: dispute.rounds for dispute in story.it.disputes}
    assert threads == {TESTS: rounds, second: 0}, "the open thread waits, and nobody is said to have answered in it"
    assert story.it.column == ("arch" if by_maker else "tests")


@pytest.mark.ledger("K-06", "R-12")
@pytest.mark.parametrize("spelled", [*SPELLED, None, "the trading tests"])
def test_a_reply_that_names_the_same_in_other_words_answers(spelled: str | None) -> None:
    story = Story(KANBAN, "tests")
    story.effort("done", files={"created": [TESTS]})
    story.effort("disputed", comments=[{"artifact": TESTS, "content": "Assumes sync."}])
    story.effort("disputed", comments=[{"artifact": spelled, "content": "It does not."}])
    assert [dispute.rounds for dispute in story.it.disputes] == [1] and story.it.column == "dev"


@pytest.mark.ledger("K-06", "R-12")
def test_what_the_speaker_made_itself_is_told_in_answer() -> None:
    story = Story(KANBAN, "tests")
    story.effort("done", files={"created": [TESTS, "tests/mocks.py"]})
    story.effort("disputed", comments=[{"artifact": TESTS, "content": "Assumes sync."}])
    story.effort("disputed", comments=[{"artifact": "tests/mocks.py", "content": "The mock waits."}])
    assert [dispute.rounds for dispute in story.it.disputes] == [1]


@pytest.mark.ledger("K-07", "R-16")
@pytest.mark.parametrize("by_answer", [True, False])
def test_giving_the_item_up_decides_for_neither_side(by_answer: bool) -> None:
    story = Story(KANBAN, "dev")
    story.flow = limited(KANBAN, dispute_rounds=1)
    story.effort("disputed", comments=[{"content": "Assumes sync."}])
    story.effort("disputed", comments=[{"content": "It does not."}])
    (question,) = story.open_questions
    if by_answer:
        story.answer(question.id, "cancel it")
    else:
        story.do(CancelItem(why="no longer wanted"))
    assert (story.it.status, story.it.disputes) == ("cancelled", [])
    assert [(comment.status, comment.resolution) for comment in story.comments] == [("open", None)] * 2
    assert not any(event.name == "dispute_settled" for event in story.events)


_PARTS = st.lists(st.sampled_from(["docs", "tests", "a", "trade", "247"]), min_size=1, max_size=3).map("/".join)


@settings(deadline=None, max_examples=200)
@given(one=_PARTS, other=_PARTS, column=st.sampled_from(["tests", "arch"]))
def test_names_are_the_same_to_themselves_and_both_ways(one: str, other: str, column: str) -> None:
    item = Item(id="1", title="x", column="dev", files_made={f"{one}.md": Artifact(column, "x", "r")})
    assert is_same(item, one, one)
    assert is_same(item, one, other) == is_same(item, other, one)
    assert makers_of(item, f"{one}.md") == {column: f"{one}.md"}


PIPELINE = preset_flow("pipeline")
FILE = "handlers/feature.go"


def changed_for(asker: str) -> Story:
    """Whoever made a file is asked to change it."""
    story = Story(KANBAN, "dev")
    story.effort("done", files={"modified": [FILE]})
    if asker == "qa":
        story.effort("done")
    story.effort("changes_requested", findings=[{"severity": "high", "file": FILE, "line": 42, "issue": "No check"}])
    assert story.place == ("dev", "ready") and story.it.returns_to == asker
    return story


@pytest.mark.ledger("R-12", "R-13")
@pytest.mark.parametrize("named", [FILE, "feature.go", f"{FILE}:42", None])
@pytest.mark.parametrize("asker", ["review", "qa"])
def test_a_dispute_of_what_was_asked_goes_to_who_asked_also_about_ones_own_file(asker: str, named: str | None) -> None:
    story = changed_for(asker)
    story.effort("disputed", comments=[{"artifact": named, "content": "The caller checks it."}])
    assert story.place == (asker, "ready") and story.open_questions == []
    assert story.it.dispute is not None and story.it.dispute.maker.stage == asker
    story.effort("done", comments=[{"parent": "c001", "content": "So it does.", "resolution": "accepted"}])
    assert (story.it.returns_to, story.it.disputes, story.it.findings) == (None, [], [])
    assert story.it.column not in ("dev", asker)


@pytest.mark.ledger("R-12", "R-13")
def test_it_stays_a_dispute_with_who_asked_until_the_breaker() -> None:
    story = changed_for("review")
    for _ in range(4):
        assert story.it.status == "ready"
        story.effort("disputed", comments=[{"artifact": FILE, "content": "No."}])
    assert story.it.status == "needs-human-review" and story.it.dispute is not None
    assert [one.agent for one in (story.it.dispute.disputer, story.it.dispute.maker)] == ["dev-agent", "review-agent"]


@pytest.mark.ledger("R-12")
def test_without_a_pending_request_ones_own_file_asks_a_person() -> None:
    story = Story(KANBAN, "dev")
    story.effort("incomplete", files={"modified": [FILE]})
    story.effort("disputed", comments=[{"artifact": FILE, "content": "It is wrong."}])
    assert story.place == ("dev", "needs-human-review")
    assert "its own work" in story.open_questions[0].question


@pytest.mark.ledger("R-12", "R-13")
def test_who_only_answers_a_dispute_was_not_asked_to_change_its_own_work() -> None:
    story = Story(KANBAN, "tests")
    story.effort("done", files={"modified": [TESTS]})
    story.effort("done", files={"modified": [FILE]})
    story.effort("changes_requested", findings=[{"severity": "high", "issue": "No check"}])
    story.effort("disputed", comments=[{"artifact": TESTS, "content": "The tests want it so."}])
    assert story.place == ("tests", "ready") and story.it.returns_to == "review"
    both = [{"parent": "c001", "content": "No."}, {"artifact": TESTS, "target": "other", "content": "This is wrong."}]
    story.effort("disputed", comments=both)
    assert all(dispute.maker.stage != "review" for dispute in story.it.disputes)


@pytest.mark.ledger("R-12", "P-09")
def test_the_implementers_word_about_its_own_file_goes_to_the_review_that_asked() -> None:
    with SoundBoard(PIPELINE) as board:
        item = board.add()
        board.effort("implementer", "done", files={"modified": [FILE]})
        board.effort(
            "reviewer", "changes_requested", findings=[{"severity": "high", "file": FILE, "issue": "No check"}]
        )
        board.effort("devils-advocate", "done")
        board.effort("implementer", "disputed", comments=[{"artifact": FILE, "content": "The caller checks it."}])
        assert board.place(item)[0] == "review" and board.inbox() == []
