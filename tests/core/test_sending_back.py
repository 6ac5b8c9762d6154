"""A person sends work back: what they found is in the next brief, and nobody has failed by it."""

from typing import Any

import pytest

from folkmoot.core import commands
from folkmoot.core.report import Finding
from folkmoot.errors import MootError
from folkmoot.testing.builders import PERSON, SoundBoard, TrialBoard, change, preset_flow, small_flow

FOUND = Finding(issue="The link never expires", file="src/reset.py", line=42, severity="high")
LINE = small_flow("""
columns:
  plan: {agents: [p], next: dev}
  dev: {agents: [d], next: review}
  review: {agents: [r], next: qa, fix: dev}
  qa: {agents: [q], next: done, fix: dev}
  aside: {agents: [a], kind: escalation}
agents: {p: {write: none}, d: {}, r: {write: none}, q: {write: none}, a: {}}
""")


def send_back(board: TrialBoard, item: str, *findings: Finding, **more: Any) -> Any:
    return board.on(item, commands.SendBack(findings=list(findings or [FOUND]), **more))


def worked(board: TrialBoard, column: str) -> str:
    """An item with work of `dev` in it, that has come as far as this."""
    item = board.add()
    for agent, stage in (("p", "plan"), ("d", "dev"), ("r", "review"), ("q", "qa")):
        if board.item(item).column == column:
            break
        assert board.item(item).column == stage
        work = change("src/reset.py") if agent == "d" else None
        board.bring(board.claim(agent, item=item), work=work)
    return item


# Where the item is, where it goes, and who sees it first after that.
WAYS = [
    ("plan", None, "nobody_fixes", None),
    ("dev", None, "plan", None),  # no stage has made work yet: as a stage would, it goes to the one before
    ("review", None, "dev", "review"),
    ("qa", None, "dev", "qa"),
    ("done", None, "dev", None),  # it was about to land
    ("qa", "plan", "plan", "qa"),
    ("qa", "aside", "aside", "qa"),
    ("qa", "done", "nobody_fixes", None),
    ("qa", "nowhere", "unknown_column", None),
]


@pytest.mark.ledger("R-13")
@pytest.mark.parametrize("at, column, to, back", WAYS)
def test_it_goes_where_a_stage_would_send_it(at: str, column: str | None, to: str, back: str | None) -> None:
    with SoundBoard(LINE) as board:
        item = worked(board, at)
        if to not in LINE.columns:
            with pytest.raises(MootError) as refused:
                send_back(board, item, column=column)
            assert refused.value.code == to and board.item(item).column == at
            return
        send_back(board, item, column=column)
        row = board.item(item)
        assert (row.column, row.status, row.returns_to) == (to, "ready", back)


@pytest.mark.ledger("R-18")
def test_it_is_guidance_and_no_failure_and_no_round() -> None:
    with SoundBoard(LINE) as board:
        item = worked(board, "review")
        for _ in range(2):
            board.report(board.claim("r", item=item), "changes_requested", findings=[{"issue": "It is slow"}])
            board.bring(board.claim("d", item=item), work=change("src/reset.py", commit="c2", base="c1"))
        assert board.item(item).span.rounds == {"review": 2}
        before = board.item(item)
        view = send_back(board, item, why="Not safe yet")
        row = board.item(item)
        assert (row.span.rounds, row.failure_count, row.attempt_count) == ({}, 0, before.attempt_count)
        assert row.clarifications == before.clarifications + 1
        assert view["why"].endswith("alice asks for changes: Not safe yet.")


def test_what_was_found_stands_on_the_item_and_in_the_next_brief() -> None:
    with SoundBoard(LINE) as board:
        item = worked(board, "review")
        board.report(board.claim("r", item=item), "changes_requested", findings=[{"issue": "It is slow"}])
        board.bring(board.claim("d", item=item), work=change("src/reset.py", commit="c2", base="c1"))
        send_back(board, item, FOUND, Finding(issue="It is slow", remark=True))
        found = board.show(item)["findings"]
        assert [(one["issue"], one["found_by"], one["remark"]) for one in found] == [
            ("The link never expires", ["alice"], False),
            ("It is slow", ["alice"], False),
        ], "what is found twice stands there once, and whoever asks for it means it"
        brief = board.application.engine.claim(PERSON, "d", item=item).brief
        first = brief["findings"][0]
        assert (first["file"], first["line"], first["severity"]) == ("src/reset.py", 42, "high")


def test_the_run_and_the_questions_of_the_item_end_as_with_a_move() -> None:
    with SoundBoard(LINE) as board:
        item = worked(board, "review")
        run = board.claim("r", item=item)
        send_back(board, item)
        assert board.show(item)["runs"][-1]["end"] == "revoked"
        with pytest.raises(MootError):
            board.report(run, "done")
        item = worked(board, "review")
        board.report(board.claim("r", item=item), "asks", question={"question": "Is it meant?"})
        send_back(board, item)
        assert board.inbox() == [] and board.place(item) == ("dev", "ready")


@pytest.mark.parametrize(
    "findings, why, code",
    [([], "", "nothing_found"), ([Finding(issue=" ")], "", "nothing_found"), ([FOUND] * 1001, "", "too_many")],
)
def test_what_must_change_has_to_be_said(findings: list[Finding], why: str, code: str) -> None:
    with SoundBoard(LINE) as board:
        item = worked(board, "review")
        with pytest.raises(MootError) as refused:
            board.on(item, commands.SendBack(findings=findings, why=why))
        assert refused.value.code == code


def test_what_has_ended_is_reopened_first_and_a_helper_is_not_sent_back() -> None:
    with SoundBoard(LINE) as board:
        item = worked(board, "review")
        board.on(item, commands.CancelItem())
        with pytest.raises(MootError) as refused:
            send_back(board, item)
        assert refused.value.code == "item_ended"


@pytest.mark.ledger("R-24")
def test_findings_about_the_work_of_a_task_open_that_task_again() -> None:
    with SoundBoard(preset_flow("quest")) as board:
        quest = board.add("A quest")
        board.effort("pathseeker", "split", tasks=[{"title": one, "files": [f"src/{one}.py"]} for one in ("a", "b")])
        first, second = [child.id for child in board.children(quest)]
        for task in (first, second):
            board.report(board.claim("codeweaver", item=task), "done")
        board.effort("ward", "done")
        assert board.item(quest).column == "review"
        send_back(board, quest, Finding(issue="it is wrong", file="src/b.py"))
        assert [board.place(one)[1] for one in (first, second)] == ["done", "ready"]
        assert board.place(quest) == ("weave", "waiting") and board.item(quest).returns_to == "review"
        assert [one.issue for one in board.item(second).findings] == ["it is wrong"]
        with pytest.raises(MootError) as refused:
            board.effort("lawbringer", "done")
        assert refused.value.code == "nothing_ready"
