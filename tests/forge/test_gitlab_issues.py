"""From an issue of GitLab's to landed work, and back: what is said otherwise there than on GitHub."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from folkmoot.doors.importing.issues import place_of
from folkmoot.errors import Unavailable
from folkmoot.system.forge.gitlab import GitLab as Port
from tests.doors.conftest import Moot
from tests.forge.github import TOKEN
from tests.forge.gitlab import PROJECT, GitLab
from tests.forge.test_issues import ASKED, ASKS, MADE, below, look, step
from tests.forge.workshop import Workshop


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workshop]:
    made = Workshop(tmp_path, hub=GitLab)
    yield made
    made.close()


@pytest.fixture
def moot(shop: Workshop, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Moot:
    return Moot(shop.folder, capsys, monkeypatch)


def brought(shop: Workshop, moot: Moot, body: str = MADE) -> tuple[str, int]:
    number = shop.hub.issue("A wish", body, labels=("moot", "bug"))
    told = moot("add", "--from", f"gitlab:{PROJECT}#{number}", "--start", "--json").json
    return str(told["items"][0]["id"]), number


def test_an_issue_is_done_and_hears_of_it_all_of_the_way(shop: Workshop, moot: Moot) -> None:
    item, number = brought(shop, moot, ASKS)
    shown = shop.board.show(item)
    assert shown["type"] == "bugfix" and f"gitlab:{PROJECT}#{number}" in shown["tags"]
    assert (shown["issue"]["forge"], shown["issue"]["repository"]) == ("gitlab", PROJECT)
    assert step(shop).status == ASKED
    assert "1. PEM" in below(shop, number)
    shop.hub.reply(number, "/answer 1", by="mallory")
    assert step(shop).status == ASKED, "a guest answers nothing"
    shop.hub.reply(number, "/answer 2", by="ann")
    row = step(shop)
    assert row.guidance[-1].answer == "DER" and row.guidance[-1].by == "ann on the forge"
    assert row.proposal is not None and row.proposal.url in below(shop, number)
    shop.hub.merge(row.proposal.number)
    row = step(shop)
    assert row.status == "done" and "Done" in below(shop, number)
    assert shop.hub.issues[number]["state"] == "closed"
    shop.hub.asked.clear()
    look(shop)
    assert shop.hub.asked == [], "all has been said there"


def test_one_comment_is_written_anew_and_nothing_twice(shop: Workshop, moot: Moot) -> None:
    _item, number = brought(shop, moot)
    shop.work()
    look(shop)
    look(shop)
    shop.board.cancel("1", why="not wanted")
    look(shop)
    assert len(shop.hub.said_below(number)) == 1 and "cancelled" in below(shop, number)


def test_who_closed_it_is_named(shop: Workshop, moot: Moot) -> None:
    item, number = brought(shop, moot, ASKS)
    shop.hub.issues[number] |= {"state": "closed", "by": "ann"}
    look(shop)
    (question,) = shop.board.show(item)["questions"]
    assert "was closed by ann" in question["question"]


def test_the_open_ones_with_a_label_come_once_and_a_missing_one_is_named(shop: Workshop, moot: Moot) -> None:
    for number in range(3):
        shop.hub.issue(f"Wish {number}", labels=("moot",) if number else ())
    args = ("add", "--from", f"gitlab:{PROJECT}", "--label", "moot", "--json")
    assert len(moot(*args).json["items"]) == 2
    shop.hub.issue("Another", labels=("moot",))
    assert [one["title"] for one in moot(*args).json["items"]] == ["Another"]
    assert "has an issue 99" in moot("add", "--from", f"gitlab:{PROJECT}#99", code=1).err


def test_an_address_of_another_forge_is_not_asked_for_here(shop: Workshop, moot: Moot) -> None:
    number = shop.hub.issue("A wish")
    said = moot("add", "--from", f"https://gitlab.example.org/{PROJECT}/-/issues/{number}", code=2).err
    assert "issues are asked for on 127.0.0.1" in said


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("gitlab:a/b#12", ("gitlab", "a/b", 12)),
        ("gitlab:a/b/c/d", ("gitlab", "a/b/c/d", None)),
        ("https://gitlab.com/a/b/c/-/issues/3", ("gitlab", "a/b/c", 3)),
        ("https://github.com/a/b/issues/3/", ("github", "a/b", 3)),
        ("https://ghe.example.org/a/b/issues/3", ("github", "a/b", 3)),
        ("github:a/b/c#1", None),
        ("gitlab:a#1", None),
        ("https://github.com/a/b/pull/3", None),
        ("tasks.md", None),
    ],
)
def test_how_issues_are_named(source: str, place: tuple[str, str, int | None] | None) -> None:
    assert place_of(source) == place


@pytest.mark.parametrize("told", [[1], {"data": {"project": {"issues": {"nodes": [{"iid": "x"}]}}}}, {"errors": "x"}])
def test_an_answer_in_another_form_is_like_none(
    shop: Workshop, moot: Moot, told: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    item, _number = brought(shop, moot)
    port, issue = Port("http://127.0.0.1:1/api/v4", PROJECT, lambda anew: TOKEN), shop.item(item).issue
    assert issue is not None
    monkeypatch.setattr(port.http, "send", lambda *args, **more: told)
    monkeypatch.setattr(port.http, "get", lambda *args: told)
    for asks in (lambda: port.pictures([issue]), lambda: port.may_write("ann"), lambda: port.issues("x")):
        with pytest.raises(Unavailable):
            asks()
