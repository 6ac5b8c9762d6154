"""`moot comments` in pages, as `moot log` has them."""

import pytest

from tests.doors.conftest import Moot


@pytest.fixture
def talked(moot: Moot) -> Moot:
    moot("add", "One")
    for number in range(1, 6):
        moot("comment", "1", f"word {number}", *(["--parent", "c001"] if number > 3 else []))
    return moot


def test_what_fits_on_a_page_is_answered_as_before(talked: Moot) -> None:
    view = talked.json("comments", "1")
    assert list(view) == ["comments"] and [one["id"] for one in view["comments"]] == [f"c00{n}" for n in range(1, 6)]
    assert "there are more" not in talked("comments", "1").out


def test_pages_follow_one_another_and_none_is_said_twice(talked: Moot) -> None:
    found: list[str] = []
    after: list[str] = []
    for _ in range(3):
        view = talked.json("comments", "1", "--limit", "2", *after)
        found += [one["content"] for one in view["comments"]]
        after = ["--after", view["next"]] if "next" in view else []
    assert found == [f"word {number}" for number in range(1, 6)] and not after
    out = talked("comments", "1", "--limit", "2").out
    assert out.endswith("there are more: moot comments 1 --after c002\n") and "word 3" not in out
    # A reply whose parent stands on an earlier page is told all the same.
    assert "word 5" in talked("comments", "1", "--after", "C004").out


def test_a_page_behind_a_comment_of_another_item_is_refused(talked: Moot) -> None:
    talked("add", "Two")
    error = talked("comments", "2", "--after", "c001", "--json", code=2).error
    assert error["code"] == "bad_cursor" and "item 2 has no comment 'c001'" in error["message"]
    assert talked("comments", "1", "--limit", "0", code=2).code == 2
