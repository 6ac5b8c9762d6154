"""Words are found wherever people and agents have said them about an item."""

import time
from typing import Any

import pytest

from folkmoot.api.screen import Found, Search
from folkmoot.core import commands
from folkmoot.testing.builders import PERSON, TrialBoard, preset_flow
from tests.engine.test_board import end_many, rows_read

KANBAN = preset_flow()


def search(board: TrialBoard, text: str, **more: Any) -> Found:
    return board.application.asked_by(PERSON)(Search(text=text, **more))


def ids(board: TrialBoard, text: str, **more: Any) -> list[str]:
    return [item.id for item in search(board, text, **more).items]


def test_words_are_found_wherever_they_are_said_and_what_changed_last_is_first() -> None:
    with TrialBoard(KANBAN) as board:
        title = board.add("Reset a PASSWORD", column="dev")
        board.sleep(1)
        body = board.add("Two", column="dev", body="When somebody has lost the\npassword they had.")
        board.sleep(1)
        comment = board.add("Three", column="dev")
        board.on(comment, commands.AddComment(content="mind the Password rules"))
        board.sleep(1)
        asked = board.add("Four", column="dev")
        board.report(board.claim("dev-agent", item=asked), "asks", question={"question": "Which password?"})
        board.sleep(1)
        told = board.add("Five", column="dev")
        board.report(board.claim("dev-agent", item=told), "done", summary="The password is hashed now")
        board.add("Six", column="dev")
        assert ids(board, "password") == ids(board, "PassWord") == [told, asked, comment, body, title]
        assert ids(board, "password", limit=2) == [told, asked]
        assert search(board, "lost password").matches == {body: "When somebody has lost the password they had."}
        assert ids(board, "lost hashed") == [], "all of the words in one place"
        assert ids(board, "dev-agent") == [], "the names of fields, and of who did it, are no words of it"


@pytest.mark.parametrize(
    "title, text",
    [
        ("Größe ändern", "GRÖSSE"),
        ("Größe ändern", "ÄNDERN"),
        ('Say "no"', 'say "NO"'),
        ("a\\b", "A\\B"),
        ("50% off_", "0% o"),
    ],
)
def test_letters_and_signs_of_any_kind_are_found_as_they_are(title: str, text: str) -> None:
    with TrialBoard(KANBAN) as board:
        board.add("50 of them")
        item = board.add(title)
        assert ids(board, text) == [item]


def test_an_item_is_found_by_its_number_and_nothing_by_nothing() -> None:
    with TrialBoard(KANBAN) as board:
        board.add("One of 2")
        second = board.add("Another")
        assert ids(board, "#2") == [second] and ids(board, "2") == [second, "1"]
        assert ids(board, "") == ids(board, "  ") == ids(board, "9" * 30) == []


def test_what_stands_around_the_words_is_shown_and_no_more() -> None:
    with TrialBoard(KANBAN) as board:
        item = board.add("One", body=f"{'before ' * 40}needle{' behind' * 40}")
        place = search(board, "needle").matches[item]
        assert place.startswith("…") and place.endswith("…") and "before needle behind" in place and len(place) < 140


def test_no_row_is_decoded_that_does_not_hold_the_words(monkeypatch: pytest.MonkeyPatch) -> None:
    with TrialBoard(KANBAN) as board:
        item = board.add("The needle")
        end_many(board, 20_000)
        began = time.perf_counter()
        with rows_read(monkeypatch) as read:
            assert ids(board, "needle") == [item]
        print(f"a word in one of 20,001 items was found in {(time.perf_counter() - began) * 1000:.0f} ms")
        assert read.count("items") <= 2
