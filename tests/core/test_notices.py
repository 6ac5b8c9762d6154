"""Which event makes which notice, in which words; and when it is quiet."""

from typing import Any

import pytest

from folkmoot.core.enums import EventName
from folkmoot.core.events import EVENTS, Change, Event
from folkmoot.core.item import Item
from folkmoot.core.notices.notice import (
    NOTICES,
    Rows,
    at_rest,
    idle_notice,
    is_repeat,
    notice_of,
    question_notice,
    shows_work,
)
from folkmoot.core.notices.targets import TOPICS, Target, minutes_of, quiet_minutes
from folkmoot.core.records import Option, Question

ITEM = Item(id="7", title="Reset by mail", column="dev")
ASKED = Question(id="q1", item="7", kind="decision", question="Which colour?", options=[Option(option="red")])


def event(name: EventName, changes: list[Change] | None = None, agent: str = "dev", **context: Any) -> Event:
    return Event(name=name, item="7", agent=agent, context=context, changes=changes or [], at=5, seq=9)


def paused(in_a_row: int, **context: Any) -> Event:
    changes = [Change("pauses", "pool:claude", {"in_a_row": in_a_row})]
    return event("pool_paused", changes, pool="claude", cause="quota", how="for 60s", **context)


FAILED = [Change("attempts", "7/1", {"reason": "tests are red", "agent": "builder"})]
TABLE = [
    pytest.param(event("agent_seeks_guidance", question="q1"), "question", "item 7: Which colour?", id="question"),
    pytest.param(event("attempt_counted", FAILED), "failure", "item 7: builder failed: tests are red", id="attempt"),
    pytest.param(
        event("run_lapsed", agent="folkmoot", how="its lease ran out"),
        "failure",
        "item 7: nothing more was heard of None: its lease ran out",
        id="lost",
    ),
    pytest.param(
        event("landing_failed", why="a gate is red"),
        "failure",
        "item 7: its work could not land: a gate is red",
        id="red",
    ),
    pytest.param(paused(1, why="no quota"), "pause", "claude pauses for 60s: no quota", id="pool"),
    pytest.param(event("board_stopped", agent="ada", why="lunch"), "pause", "ada paused the board: lunch", id="board"),
    pytest.param(event("board_stopped", agent="ada", why=""), "pause", "ada paused the board", id="board, no reason"),
    pytest.param(
        event("budget_spent", usd=12.5, tokens=31_000),
        "budget",
        "the day's budget is spent: $12.50, 31,000 tokens; agents begin again after midnight, UTC",
        id="budget",
    ),
    pytest.param(event("work_landed", branch="main"), "landed", "item 7: landed on main: Reset by mail", id="landed"),
    pytest.param(event("landing_found", branch="main"), "landed", "item 7: landed on main: Reset by mail", id="found"),
]


@pytest.mark.parametrize(("happened", "topic", "words"), TABLE)
def test_an_event_makes_its_notice_in_its_words(happened: Event, topic: str, words: str) -> None:
    notice = notice_of(happened, Rows(ITEM, ASKED))
    assert notice is not None
    told = words.replace("None", str(happened.context.get("agent")))
    assert (notice.topic, notice.words, notice.seq) == (topic, told, 9)


def test_every_event_that_makes_a_notice_is_in_the_table_and_every_topic_has_one() -> None:
    shown = {row.values[0].name for row in TABLE if isinstance(row.values[0], Event)}
    assert shown == set(NOTICES) <= set(EVENTS)
    assert {str(row.values[1]) for row in TABLE} | {"idle"} == set(TOPICS)


def test_no_other_event_makes_one() -> None:
    for name in EVENTS.keys() - NOTICES.keys():
        assert notice_of(event(name, question="q1", why="x", branch="main"), Rows(ITEM, ASKED)) is None


@pytest.mark.parametrize(
    ("happened", "rows"),
    [
        pytest.param(
            event("agent_seeks_guidance", question="q1"),
            Rows(ITEM, Question(id="q1", item="7", kind="decision", question="?", state="answered")),
            id="it is answered already",
        ),
        pytest.param(
            event("work_landed", branch="item-3"),
            Rows(Item(id="7", title="t", column="dev", parent="3", kind="task")),
            id="on the branch of its whole",
        ),
        pytest.param(paused(2, why="no quota"), Rows(ITEM), id="the pause was tried to end in vain"),
        pytest.param(paused(1), Rows(ITEM), id="a person is asked about a pause that was told"),
    ],
)
def test_what_is_no_news_makes_none(happened: Event, rows: Rows) -> None:
    assert notice_of(happened, rows) is None


def test_a_question_carries_what_is_needed_to_answer_it() -> None:
    notice = question_notice(ASKED, ITEM)
    assert notice is not None
    assert (notice.question, notice.options, notice.title) == ("q1", ["red"], "Reset by mail")


def test_several_runs_that_meet_one_pause_are_one_piece_of_news() -> None:
    first = notice_of(paused(1, why="no quota"), Rows(ITEM))
    assert first is not None and not is_repeat(first, {})
    assert is_repeat(first, {first.same: first.at - 599_999}) and not is_repeat(first, {first.same: first.at - 600_000})
    landed = notice_of(event("work_landed", branch="main"), Rows(ITEM))
    assert landed is not None and not is_repeat(landed, {"": landed.at})


def test_the_board_is_at_rest_when_nothing_goes_on_by_itself() -> None:
    def items(*statuses: Any) -> list[Item]:
        return [Item(id=str(number), title="t", column="dev", status=status) for number, status in enumerate(statuses)]

    assert at_rest([]) and at_rest(items("done", "waiting", "parked", "awaiting-divine-guidance"))
    assert not any(at_rest(items("done", status)) for status in ("ready", "running", "proving"))
    assert shows_work(event("agent_completed")) and not shows_work(event("item_added"))
    assert idle_notice(3, 5, 0).words == "the board is at rest: nothing waits for you"
    assert idle_notice(3, 5, 2).words == "the board is at rest: 2 questions wait for you"


@pytest.mark.parametrize(
    ("quiet", "minute", "left"),
    [
        (None, 0, 0),
        ("22:00-07:00", 22 * 60, 9 * 60),
        ("22:00-07:00", 23 * 60 + 59, 7 * 60 + 1),
        ("22:00-07:00", 0, 7 * 60),
        ("22:00-07:00", 7 * 60 - 1, 1),
        ("22:00-07:00", 7 * 60, 0),
        ("22:00-07:00", 12 * 60, 0),
        ("9:30 - 10:15", 9 * 60 + 30, 45),
        ("9:30 - 10:15", 10 * 60 + 15, 0),
        ("9:30 - 10:15", 9 * 60 + 29, 0),
    ],
)
def test_quiet_lasts_from_its_first_minute_to_before_its_last(quiet: str | None, minute: int, left: int) -> None:
    assert quiet_minutes(quiet, minute) == left


@pytest.mark.parametrize("text", ["", "22-7", "22:00", "24:00-07:00", "22:60-07:00", "07:00-07:00", "always"])
def test_other_words_are_no_time_of_quiet(text: str) -> None:
    assert minutes_of(text) is None


def test_a_target_is_named_without_its_address() -> None:
    assert Target(webhook="https://example.org/secret-path", secret="KEY").name == "webhook (KEY)"
    assert Target(slack="SLACK_URL").name == "slack (SLACK_URL)"
    assert Target(webhook="HOOK", secret="KEY").variables == ["HOOK", "KEY"]
