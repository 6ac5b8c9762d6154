"""Runs that bring nothing: no report at all, or `done` without a change."""

import pytest

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.core.report import Report
from folkmoot.core.rules.running.work import UNCHANGED
from folkmoot.core.vocabulary.phrases.unchanged import said_unchanged
from folkmoot.core.work import Work
from folkmoot.testing.builders import SoundBoard, TrialBoard, change, small_flow

ASKED = "awaiting-divine-guidance"
FLOW = small_flow("""
columns: {dev: {agents: [d], next: look}, look: {agents: [r], next: done, fix: dev}}
agents: {d: {ladder: {0: small, 1: medium, 2+: large}}, r: {write: none}}
""")
FAULT = "the run ended without a report: end with one"


def silent(board: TrialBoard, line: str = "") -> None:
    command = commands.ReportRun(
        report=Report.failed("no report", cause="protocol"), fault=FAULT, final=True, silent=line, work=Work()
    )
    board.engine.handle_run(board.claim("d"), command)


def done(board: TrialBoard, run: Actor, summary: str, work: Work | None) -> None:
    board.engine.handle_run(run, commands.ReportRun(report=Report.done(summary), final=True, work=work))


def question(board: TrialBoard) -> dict[str, object]:
    (asked,) = board.queries.inbox()["questions"]
    return dict(asked)


@pytest.mark.ledger("R-07")
@pytest.mark.parametrize(
    ("line", "told"), [("error: unknown option '--yes'", "printed: error: unknown option '--yes'"), ("", "nothing")]
)
def test_two_runs_without_a_report_ask_and_show_what_was_printed(line: str, told: str) -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        silent(board, line)
        assert board.place(item) == ("dev", "ready") and board.item(item).told == FAULT
        silent(board, line)
        assert board.place(item) == ("dev", ASKED)
        asked = question(board)
        assert told in str(asked["question"]) and board.item(item).failures == {}
        board.answer(str(asked["id"]), "try again")
        silent(board, line)
        assert board.place(item) == ("dev", "ready")


@pytest.mark.ledger("R-07")
def test_a_report_that_cannot_be_read_is_a_failure_of_its_agent_as_before() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        for _ in range(2):
            command = commands.ReportRun(report=Report.failed("?"), fault="it cannot be read", final=True)
            board.engine.handle_run(board.claim("d"), command)
        assert board.place(item) == ("dev", "ready") and board.item(item).failures == {"d": 1}


@pytest.mark.ledger("R-22")
@pytest.mark.parametrize(
    ("said", "taken"),
    [
        ("the button is green now", False),
        ("", False),
        ("added a test", False),
        ("Nothing had to change: the button is green since item 3", True),
        ("no changes were needed", True),
        ("No code changes are required.", True),
        ("It is already implemented in src/a.py", True),
        ("the endpoint already exists", True),
        ("there is nothing to fix here", True),
    ],
)
def test_done_without_a_change_is_told_so_unless_it_says_that_nothing_had_to_change(said: str, taken: bool) -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        assert said_unchanged([said]) is taken
        done(board, board.claim("d"), said, Work())
        assert board.place(item) == (("look" if taken else "dev"), "ready")
        assert board.item(item).told == (None if taken else UNCHANGED)


@pytest.mark.ledger("R-22")
@pytest.mark.parametrize(
    ("second", "work", "place"),
    [
        ("the button is green now", change("src/a.py"), ("look", "ready")),
        ("nothing had to change: it was green before", Work(), ("look", "ready")),
        ("the button is green now", Work(), ("dev", ASKED)),
    ],
)
def test_one_more_run_then_a_person(second: str, work: Work, place: tuple[str, str]) -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        done(board, board.claim("d"), "the button is green now", Work())
        done(board, board.claim("d"), second, work)
        assert board.place(item) == place and board.item(item).failures == {}
        if place[1] == ASKED:
            asked = question(board)
            assert "again no file changed: the button is green now" in str(asked["question"])
            board.answer(str(asked["id"]), "nothing has to change")
            assert board.place(item) == ("look", "ready")


@pytest.mark.ledger("R-22")
def test_who_reads_and_who_made_it_before_and_who_reports_by_hand_are_taken_at_their_word() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.report(board.claim("d"), "done")  # by hand: nobody looked at files
        done(board, board.claim("r"), "it is good", Work())
        assert board.place(item) == ("done", "done")
        again = board.add()
        board.bring("d", "incomplete", change("src/a.py"))
        done(board, board.claim("d"), "all of it works", Work())
        assert board.place(again) == ("look", "ready")
