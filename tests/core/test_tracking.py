"""An item that came from an issue: when its words follow, when a person is asked, who may link it."""

from typing import Any

import pytest

from folkmoot.core.commands import ENGINE, AddItem, EditItem, MoveItem
from folkmoot.core.item import Item
from folkmoot.core.proposals.issue import TITLE_MAX, IssueLink, SeenIssue, words_of
from folkmoot.core.proposals.orders import NoteIssue, SeeIssue
from folkmoot.errors import Invalid, Refused
from folkmoot.testing.builders import SoundBoard, TrialBoard, small_flow

FLOW = small_flow("""
columns: {dev: {agents: [d], next: done}}
agents: {d: {}}
""")
LINK = IssueLink(repository="acme/shop", number=12, url="https://forge.example/acme/shop/issues/12", node="I_12")
ASKED = "awaiting-divine-guidance"


@pytest.fixture
def board() -> TrialBoard:
    return SoundBoard(FLOW)


def linked(board: TrialBoard) -> str:
    return board.add("Say hello", body="to all", issue=LINK)


def see(board: TrialBoard, item: str, title: str = "Say hello", body: str = "to all", **more: Any) -> Item:
    board.engine.act(ENGINE, SeeIssue(seen=SeenIssue(title=title, body=body, **more)), item)
    return board.item(item)


def words(item: Item) -> tuple[str, str]:
    return item.title, item.body


def test_words_follow_while_nobody_works_on_it(board: TrialBoard) -> None:
    item = linked(board)
    assert words(see(board, item, "Say  hello,\n world", "to all\r\nof them ")) == (
        "Say hello, world",
        "to all\nof them",
    )
    actor = board.claim("d")
    assert words(see(board, item, "Say goodbye")) == ("Say hello, world", "to all\nof them")
    board.report(actor, "failed", cause="transient")
    assert words(see(board, item, "Say goodbye")) == ("Say goodbye", "to all")


def test_what_a_person_changed_on_the_board_stands(board: TrialBoard) -> None:
    item = linked(board)
    board.on(item, EditItem(body="to me alone"))
    assert words(see(board, item, "Say goodbye", "to nobody")) == ("Say hello", "to me alone")


def test_nothing_is_written_where_nothing_has_changed(board: TrialBoard) -> None:
    item = linked(board)
    before = board.item(item).version
    see(board, item)
    see(board, item, " Say hello ", "to all\n")
    see(board, item, "", "")
    assert board.item(item).version == before


def test_what_it_means_that_somebody_closed_it_is_asked_once(board: TrialBoard) -> None:
    item = linked(board)
    assert see(board, item, is_open=False, by="ann").status == ASKED
    (question,) = board.show(item)["questions"]
    assert "closed by ann" in question["question"]
    assert question["options"][0]["option"] == "go on with it all the same"
    see(board, item, is_open=False, by="ann")
    board.answer(question["id"])
    assert see(board, item, is_open=False, by="ann").status == "ready", "it was answered"
    see(board, item)
    assert see(board, item, is_open=False, by="ben").status == ASKED, "it was opened, and closed again"


def test_what_the_board_closed_itself_asks_nobody(board: TrialBoard) -> None:
    item = linked(board)
    board.engine.act(ENGINE, NoteIssue(closed=True), item)
    assert see(board, item, is_open=False).status == "ready"


def test_an_item_that_has_ended_follows_no_more(board: TrialBoard) -> None:
    item = linked(board)
    board.on(item, MoveItem(column="done"))
    before = board.item(item)
    assert see(board, item, "Other", is_open=False) == before


def test_an_answer_is_kept_as_heard_once(board: TrialBoard) -> None:
    item = linked(board)
    board.engine.act(ENGINE, NoteIssue(heard="IC_1", refused="no option"), item)
    issue = board.item(item).issue
    assert issue is not None and (issue.heard, issue.refused) == (["IC_1"], "no option")
    before = board.item(item).version
    board.engine.act(ENGINE, NoteIssue(told="", told_as=""), item)
    assert board.item(item).version == before


def test_an_item_without_an_issue_has_none_to_see(board: TrialBoard) -> None:
    item = board.add("Another")
    before = board.item(item)
    assert see(board, item, "Other") == before
    board.engine.act(ENGINE, NoteIssue(closed=True), item)
    assert board.item(item) == before


def test_only_a_person_links_an_item(board: TrialBoard) -> None:
    """What is said of it goes to the forge, and the issue is closed in the end."""
    board.add("One")
    actor = board.claim("d")
    with pytest.raises(Refused, match="issue"):
        board.engine.add(actor, AddItem(title="Two", issue=LINK))


@pytest.mark.parametrize(
    "wrong",
    [
        {"repository": "acme"},
        {"repository": "../etc/passwd"},
        {"repository": "acme/shop/extra"},
        {"number": 0},
        {"url": "javascript:alert(1)"},
        {"url": "https://forge.example/ <b>"},
        {"node": "I_1\nX"},
    ],
)
def test_a_link_that_cannot_be_followed_is_refused(board: TrialBoard, wrong: dict[str, Any]) -> None:
    given = {"repository": "acme/shop", "number": 12, "url": "https://forge.example/1", "node": "", **wrong}
    with pytest.raises(Invalid, match="no issue that can be followed"):
        board.add("One", issue=IssueLink(**given))
    assert board.queries.list()["items"] == []


def test_a_long_title_stands_in_the_body() -> None:
    title, body = words_of("x" * 600, "more")
    assert len(title) == TITLE_MAX and body == "x" * 600 + "\n\nmore"
