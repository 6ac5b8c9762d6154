"""`moot digest`: what landed, what waits, what it cost, what was learned, since when; in every form."""

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from msgspec import convert

from folkmoot.api.summary.digest import Digest
from folkmoot.core.rules.running.spending import DAY_MS
from folkmoot.doors.cli.render.digest import html, markdown, text, words
from folkmoot.engine.reads.usage import moment_of
from tests.doors.conftest import Moot
from tests.doors.test_usage import line
from tests.worker.yard import Yard

LANDED: dict[str, Any] = {"item": "7", "title": "Reset by mail", "status": "done", "at": "2026-11-18T03:00:00.000Z"}
LANDED |= {"branch": "main", "commit": "0123456789abcdef", "cost_usd": 1.5, "unpriced": 0, "why": ""}
ASKED: dict[str, Any] = {
    "id": "q1",
    "task_id": "8",
    "agent_id": "dev",
    "kind": "decision",
    "question": "Which colour?",
    "context": "",
}
ASKED |= {
    "help": None,
    "options": [{"option": "red", "why_insufficient": None, "to": None, "effect": None, "does": None}],
    "takes": "option",
    "blocking": True,
}
ASKED |= {"default": None, "state": "open", "answer": None, "answered_by": None, "requested_at": None}
LESSON: dict[str, Any] = {
    "id": "l1",
    "text": "the lock file is made",
    "agent": "dev",
    "item": "7",
    "run": "r",
    "files": [],
}


def view(**fields: object) -> Digest:
    none: dict[str, Any] = {
        "flow": "house",
        "since": "2026-11-17T20:00:00.000Z",
        "until": "2026-11-18T06:00:00.000Z",
        "seq": 9,
    }
    none |= {"landed": [], "done": [], "cancelled": [], "questions": [], "pauses": [], "counts": {}, "failed": 0}
    none |= {"total": line(), "agents": [], "lessons": []}
    return convert({**none, **fields}, Digest)


def full(title: str = "Reset by mail") -> Digest:
    return view(
        landed=[{**LANDED, "title": title}],
        questions=[{**ASKED, "question": title}],
        counts={"done": 1, "for you": 1},
        failed=1,
        total=line(runs=3, cost_usd=1.5, seconds=600.0, input_tokens=12_000, output_tokens=345),
        agents=[line(key="dev", title="dev", runs=2, cost_usd=1.0), line(key="qa", title="qa", runs=1, cost_usd=0.5)],
        lessons=[{**LESSON, "timestamp": None, "text": title}],
    )


def test_it_tells_what_a_board_has_lived_through(nowhere: Moot) -> None:
    nowhere("init")
    nowhere("add", "Hello")
    nowhere.work(
        "coder", usage={"input_tokens": 1000, "output_tokens": 9, "cost_usd": 0.42}, lessons=["run make first"]
    )
    nowhere("add", "Not this")
    nowhere("cancel", "2", "--why", "changed my mind")
    told = nowhere.json("digest", "--since", "1h")
    assert told["total"]["cost_usd"] == 0.42 and [one["text"] for one in told["lessons"]] == ["run make first"]
    assert [(one["item"], one["why"]) for one in told["cancelled"]] == [("2", "changed my mind")]
    out = nowhere("digest", "--since", "yesterday").out
    for words_of_it in ("Cost", "$0.42", "Learned", "run make first", "Given up", "changed my mind"):
        assert words_of_it in out
    assert nowhere.json("digest", "--since", "2100-01-01")["lessons"] == []
    assert nowhere("digest", "--since", "soon", "--json", code=2).error["code"] == "bad_span"


def test_one_without_a_time_begins_where_the_last_one_ended_and_one_with_a_time_moves_nothing(nowhere: Moot) -> None:
    nowhere("init")
    nowhere("add", "One")
    nowhere("cancel", "1")
    assert len(nowhere.json("digest", "--since", "1h")["cancelled"]) == 1
    first = nowhere.json("digest")
    assert len(first["cancelled"]) == 1
    nowhere("add", "Two")
    nowhere("cancel", "2")
    nowhere("digest", "--since", "1h")
    second = nowhere.json("digest")
    assert second["since"] == first["until"] and [one["item"] for one in second["cancelled"]] == ["2"]


def test_work_that_landed_is_told_with_its_branch(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    item = yard.add("Reset by mail", "write a.txt x", "report done", files=["a.txt"])
    idle = yard.add("Nothing to do", "report done")
    yard.run()
    told = yard.board.digest("1h")
    assert [(one["item"], one["branch"]) for one in told["landed"]] == [(item, "main")]
    assert told["landed"][0]["commit"] and [one["item"] for one in told["done"]] == [idle]


def test_yesterday_is_the_day_before_this_one() -> None:
    now = 20_000 * DAY_MS + 5
    assert moment_of("yesterday", now) == 19_999 * DAY_MS and moment_of("today", now) == 20_000 * DAY_MS


def test_it_fits_a_screen_of_eighty_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text.digest(full("a title that goes on and on " * 8))
    out = capsys.readouterr().out
    assert out and all(len(row) <= 80 for row in out.splitlines())
    order = ["Waits for you", "Landed", "Cost", "Learned", "Now"]
    assert sorted(order, key=out.index) == order, "what needs a person stands first"


def test_many_are_cut_and_the_rest_is_counted() -> None:
    many = view(landed=[{**LANDED, "item": str(number)} for number in range(1, 31)])
    part = next(part for part in words.parts(many) if part.title == "Landed")
    assert len(part.lines) == words.SHOWN_MAX and part.left_out == 10


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.words += data


@pytest.mark.attack("doors", "a title holds markup", "in a digest it stays words")
def test_words_of_others_are_no_markup() -> None:
    wicked = "<script>alert(1)</script> [x](javascript:x) `*` | # **b**"
    page = Tags()
    page.feed(html.digest(full(wicked)))
    assert "script" not in page.tags and wicked in page.words and "http" not in html.digest(full())
    told = markdown.digest(full(wicked))
    assert "<script>" not in told.replace("\\<script\\>", "") and "[x](" not in told and "\\[x\\]\\(" in told


def test_every_form_says_the_same() -> None:
    shown = Tags()
    shown.feed(html.digest(full()))
    for said in ("Waits for you", "Reset by mail", "on main 01234567, $1.50", "red", "3 runs (1 failed)"):
        assert said in shown.words and said.replace("(", "\\(").replace(")", "\\)") in markdown.digest(full())
    assert "Nothing happened" in markdown.digest(view()) and "Nothing happened" in html.digest(view())
