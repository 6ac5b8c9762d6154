"""From an issue to landed work, and back: real git, real processes, a GitHub that behaves as the real one does."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from folkmoot.core.commands import ENGINE
from folkmoot.core.item import Item
from folkmoot.core.proposals.issue import SeenIssue
from folkmoot.core.proposals.orders import SeeIssue
from folkmoot.system.forge.token import VARIABLE
from folkmoot.wiring.forge.beside import issues_of
from folkmoot.wiring.running import tools_of
from folkmoot.worker.forge.below import ATTACKS
from folkmoot.worker.forge.port import OWN, POOL
from tests.doors.conftest import Moot
from tests.forge.github import REPO, TOKEN
from tests.forge.workshop import Workshop

ASKED = "awaiting-divine-guidance"
MADE = "write one.txt made\nreport done"
ASKS = 'unanswered report asks {"question": {"question": "Which format?", "options": ["PEM", "DER"]}}\n' + MADE
LOOKS = "/graphql"


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workshop]:
    made = Workshop(tmp_path)
    yield made
    made.close()


@pytest.fixture
def moot(shop: Workshop, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Moot:
    return Moot(shop.folder, capsys, monkeypatch)


def brought(shop: Workshop, moot: Moot, body: str = MADE, title: str = "A wish", **more: Any) -> tuple[str, int]:
    number = shop.hub.issue(title, body, **more)
    told = moot("add", "--from", f"github:{REPO}#{number}", "--start", "--json").json
    return str(told["items"][0]["id"]), number


def look(shop: Workshop) -> bool:
    with tools_of(shop.application, shop.home, shop.told.append) as tools:
        return issues_of(tools).look(now=True)


def step(shop: Workshop) -> Item:
    """What people did there, then agents until nothing is left, then what became of it."""
    look(shop)
    shop.work()
    look(shop)
    return shop.item("1")


def below(shop: Workshop, number: int) -> str:
    (said,) = shop.hub.said_below(number)
    return said


def test_an_issue_is_done_and_hears_of_it_all_of_the_way(shop: Workshop, moot: Moot) -> None:
    item, number = brought(shop, moot, ASKS, labels=("moot", "bug"))
    shown = shop.board.show(item)
    assert (shown["title"], shown["type"]) == ("A wish", "bugfix")
    assert f"github:{REPO}#{number}" in shown["tags"] and shown["issue"]["number"] == number
    look(shop)
    assert shop.hub.said_below(number) == [], "nobody has begun"
    assert step(shop).status == ASKED
    said = below(shop, number)
    assert "Which format?" in said and "1. PEM" in said and "/answer" in said and said.endswith(OWN)
    shop.hub.reply(number, "/answer 2", by="ann")
    row = step(shop)
    assert row.guidance[-1].answer == "DER" and row.guidance[-1].by == "ann on the forge"
    assert row.proposal is not None and row.proposal.url in below(shop, number)
    assert f"For {REPO}#{number}." in shop.hub.pulls[row.proposal.number].body
    assert shop.hub.issues[number]["state"] == "open"
    shop.hub.merge(row.proposal.number)
    row = step(shop)
    assert row.status == "done" and row.landed is not None
    assert row.landed[:12] in below(shop, number) and "Done" in below(shop, number)
    assert shop.hub.issues[number]["state"] == "closed"
    shop.hub.asked.clear()
    look(shop)
    assert shop.hub.asked == [], "all has been said there"


def test_one_comment_is_written_anew_and_nothing_twice(shop: Workshop, moot: Moot) -> None:
    _item, number = brought(shop, moot)
    shop.work()
    look(shop)
    shop.hub.asked.clear()
    look(shop)
    look(shop)
    assert [(method, path) for method, path, _ in shop.hub.asked] == [("POST", LOOKS)] * 2
    assert len(shop.hub.said_below(number)) == 1


def test_the_one_comment_is_found_again_below_many_others(shop: Workshop, moot: Moot) -> None:
    _, number = brought(shop, moot)
    shop.work()
    look(shop)
    for word in range(60):
        shop.hub.reply(number, f"me too, {word}")
    shop.board.cancel("1", why="not wanted")
    look(shop)
    assert "cancelled" in below(shop, number)


def test_after_a_kill_nothing_is_said_twice(shop: Workshop, moot: Moot) -> None:
    """It was written below the issue, and nobody noted that."""
    item, number = brought(shop, moot)
    shop.work()

    def killed(name: str, run: str) -> None:
        if name == "said":
            raise KeyboardInterrupt

    with tools_of(shop.application, shop.home, shop.told.append, killed) as tools, pytest.raises(KeyboardInterrupt):
        issues_of(tools).look(now=True)
    assert shop.item(item).issue.told == ""  # type: ignore[union-attr]
    look(shop)
    assert len(shop.hub.said_below(number)) == 1 and shop.item(item).issue.told  # type: ignore[union-attr]


@pytest.mark.parametrize("by", ["mallory", "ann"])
def test_only_who_may_write_answers(shop: Workshop, moot: Moot, by: str) -> None:
    _, number = brought(shop, moot, ASKS)
    assert step(shop).status == ASKED
    shop.hub.reply(number, "/answer 1", by=by)
    assert step(shop).status == (ASKED if by == "mallory" else "proving")
    if by == "mallory":
        assert "not taken" not in below(shop, number), "nobody is told to go on trying"
        shop.hub.asked.clear()
        look(shop)
        assert not any("permission" in path for _, path, _ in shop.hub.asked), "each is asked about once"


def test_a_wrong_answer_is_asked_back_and_another_one_taken(shop: Workshop, moot: Moot) -> None:
    _, number = brought(shop, moot, "fail\n" * 9)
    row = step(shop)
    assert row.status == ASKED, shop.words()
    shop.hub.reply(number, "/answer maybe later")
    assert step(shop).status == ASKED
    assert "not taken" in below(shop, number) and "maybe later" in below(shop, number)
    shop.hub.reply(number, "> quoted\n\nwhat do you think? /answer 2")
    assert step(shop).status == ASKED, "words about it answer nothing"
    shop.hub.reply(number, "/answer park it")
    assert step(shop).status == "parked"
    assert "not taken" not in below(shop, number)


def test_what_was_said_before_a_question_does_not_answer_it(shop: Workshop, moot: Moot) -> None:
    _, number = brought(shop, moot, ASKS)
    shop.hub.reply(number, "/answer 1")
    assert step(shop).status == ASKED
    assert step(shop).status == ASKED
    shop.hub.reply(number, "/answer 1")
    assert step(shop).status == "proving"


def test_whoever_quotes_the_board_is_not_the_board(shop: Workshop, moot: Moot) -> None:
    """Also where moot asks as the person that answers."""
    _, number = brought(shop, moot, ASKS)
    step(shop)
    shop.hub.writers.add("moot")
    shop.hub.reply(number, f"/answer 2\n\n> {OWN} was below it, and this is mine", by="moot")
    row = step(shop)
    assert row.status == "proving" and row.guidance[-1].by == "moot on the forge"


def test_an_edit_there_reaches_the_agent_that_has_not_begun(shop: Workshop, moot: Moot) -> None:
    number = shop.hub.issue("A wish", "report done")
    moot("add", "--from", f"github:{REPO}#{number}")
    assert shop.item("1").status == "parked", "nothing begins by itself"
    shop.hub.issues[number] |= {"title": "Another wish", "body": MADE}
    look(shop)
    assert (shop.item("1").title, shop.item("1").body) == ("Another wish", MADE)


def test_a_question_about_security_is_not_shown_to_all_who_read_along(shop: Workshop, moot: Moot) -> None:
    asks = 'unanswered report asks {"question": {"question": "The token can be guessed, a security hole: how long?"}}\n'
    _, number = brought(shop, moot, asks + MADE)
    assert step(shop).status == ASKED
    assert "guessed" not in below(shop, number) and "waits on the board" in below(shop, number)
    shop.hub.reply(number, "/answer 64")
    assert step(shop).status == ASKED


def test_what_agents_wrote_calls_nobody(shop: Workshop, moot: Moot) -> None:
    asks = 'unanswered report asks {"question": {"question": "cc @everybody fixes #1 ``` </div>"}}\n'
    _, number = brought(shop, moot, asks + MADE)
    step(shop)
    said = below(shop, number)
    assert "````text\ncc @everybody" in said


def test_a_closed_issue_asks_what_it_means(shop: Workshop, moot: Moot) -> None:
    item, number = brought(shop, moot)
    shop.hub.issues[number] |= {"state": "closed", "by": "ann"}
    look(shop)
    row = shop.item(item)
    assert row.status == ASKED
    (question,) = shop.board.show(item)["questions"]
    assert "closed by ann" in question["question"]
    shop.board.answer(question["id"], "cancel it")
    look(shop)
    assert "cancelled" in below(shop, number)


def test_the_open_issues_with_a_label_come_once(shop: Workshop, moot: Moot) -> None:
    for number in range(103):
        shop.hub.issue(f"Wish {number}", labels=("moot",))
    shop.hub.issue("Something else")
    told = moot("add", "--from", f"github:{REPO}", "--label", "moot", "--json").json
    assert len(told["items"]) == 103 and {item["status"] for item in told["items"]} == {"parked"}
    again = moot("add", "--from", f"github:{REPO}", "--label", "moot", "--json").json
    assert again["items"] == []


def test_never_all_of_them_by_itself(shop: Workshop, moot: Moot) -> None:
    shop.hub.issue("A wish")
    error = moot("add", "--from", f"github:{REPO}", "--json", code=2).error
    assert "whole" in error["message"] and "--label" in error["hint"]
    wrong = moot("add", "--from", f"github:{REPO}#1", "--label", "moot", "--json", code=2).error
    assert "--label" in wrong["message"]
    assert moot("add", "--from", "https://elsewhere.example/acme/shop/issues/1", code=2).err
    assert shop.board.list() == []


def test_an_issue_that_is_not_there_is_named(shop: Workshop, moot: Moot) -> None:
    error = moot("add", "--from", f"github:{REPO}#77", "--json", code=1).error
    assert "404" in error["message"]


def test_while_the_limit_is_used_up_nobody_asks(shop: Workshop, moot: Moot) -> None:
    _item, _number = brought(shop, moot)
    shop.hub.use_up(600)
    look(shop)
    assert any(pause.what.endswith(POOL) for pause in shop.application.queries.pauses().pauses)
    shop.hub.asked.clear()
    assert not look(shop) and shop.hub.asked == []


def test_fifty_issues_cost_one_question(shop: Workshop, moot: Moot) -> None:
    for number in range(50):
        shop.hub.issue(f"Wish {number}", labels=("moot",))
    moot("add", "--from", f"github:{REPO}", "--label", "moot")
    shop.hub.asked.clear()
    look(shop)
    assert [path for _, path, _ in shop.hub.asked] == [LOOKS]


def test_the_token_is_in_nothing_that_is_kept(shop: Workshop, moot: Moot) -> None:
    _, _number = brought(shop, moot)
    step(shop)
    assert os.environ[VARIABLE] == TOKEN
    kept = [path for path in Path(shop.home).rglob("*") if path.is_file()]
    assert kept and not [path for path in kept if TOKEN.encode() in path.read_bytes()]


def test_where_a_person_changed_the_words_here_the_issue_changes_nothing(shop: Workshop, moot: Moot) -> None:
    item, _ = brought(shop, moot)
    moot("edit", item, "--title", "Mine")
    shop.application.engine.act(ENGINE, SeeIssue(seen=SeenIssue(title="Theirs", body="x")), item)
    assert shop.item(item).title == "Mine"


@pytest.mark.attack(
    "doors",
    "a stranger writes hundreds of answers below an issue and removes them: an old one of a maintainer's is read again",
    "each is heard once, also when there is no room to keep all of their names: comments are numbered as they come",
)
def test_no_flood_makes_an_old_answer_count(shop: Workshop, moot: Moot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("folkmoot.core.proposals.issue.HEARD_KEPT", 5)
    _, number = brought(shop, moot, ASKS)
    shop.hub.reply(number, "/answer 1")
    assert step(shop).status == ASKED
    for word in range(8):
        shop.hub.reply(number, f"/answer {word}", by="mallory")
    look(shop)
    for name in [name for name, one in shop.hub.comments.items() if one.get("by") == "mallory"]:
        del shop.hub.comments[name]
    look(shop)
    assert step(shop).status == ASKED and len(shop.item("1").issue.heard) == 5  # type: ignore[union-attr]
    shop.hub.reply(number, "/answer 2")
    assert step(shop).guidance[-1].answer == "DER"


@pytest.mark.parametrize(
    "words",
    [
        "The login has an SQL injection in db.py: mend it now?",
        "CVE-2026-1 is in our parser. Shall I raise the version?",
        "X-Admin lets anybody in without login. Is that known?",
        "The log shows passwords in plain text. For how long has it?",
        "Reflected XSS on the search page: escape it here or in the template?",
        "Tokens can be guessed: how long should they be?",
    ],
)
def test_what_names_an_attack_is_not_shown_to_all_who_read_along(words: str) -> None:
    assert ATTACKS.search(words)


@pytest.mark.parametrize(
    "words",
    [
        "How long may a password be?",
        "Should the reset link end after an hour or a day?",
        "Which format has the token, JWT or opaque?",
        "May the key of a row be a text?",
        "Should the session be kept in a cookie or in the address?",
        "Does a window without a title have a border?",
        "Shall the store come by dependency injection?",
        "What happens to a title on overflow?",
    ],
)
def test_what_names_what_is_kept_safe_is_asked_below_the_issue(words: str) -> None:
    assert not ATTACKS.search(words)
