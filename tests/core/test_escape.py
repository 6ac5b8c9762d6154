"""Whoever cannot go on stops, and a fresh pathseeker looks at it with the report in hand (Q-08, Q-10)."""

from typing import Any

import pytest

from folkmoot.core import commands
from folkmoot.testing.builders import PERSON, SoundBoard, TrialBoard, change, preset_flow, small_flow

QUEST = preset_flow("quest")
ASKED = "awaiting-divine-guidance"
TASKS = [
    {"key": "a", "title": "Register", "files": ["src/a.py"]},
    {"key": "b", "title": "Reset", "files": ["src/b.py"]},
]
BLOCKED = {"summary": "the two halves store the session differently", "blockers": "no common session type"}


def quest_at(board: TrialBoard, stage: str) -> str:
    """A quest of two tasks that has come to this stage."""
    quest = board.add("A quest")
    board.effort("pathseeker", "split", tasks=TASKS, summary="in two")
    for _ in TASKS:
        board.effort("codeweaver", "done", summary="made")
    if stage == "mend":
        board.effort("ward", "failed", summary="2 tests are red")
        return quest
    board.effort("ward", "done")
    if stage == "siege":
        board.effort("lawbringer", "done")
        board.effort("ward", "done")
    return quest


@pytest.mark.ledger("Q-08", "R-24")
@pytest.mark.parametrize(
    ("stage", "agent"), [("review", "lawbringer"), ("siege", "siegemaster"), ("mend", "spiritmender")]
)
def test_whoever_is_blocked_the_pathseeker_gets_it_with_the_report_in_hand(stage: str, agent: str) -> None:
    with SoundBoard(QUEST) as board:
        quest = quest_at(board, stage)
        assert board.item(quest).column == stage
        board.effort(agent, "stuck", **BLOCKED)
        assert board.place(quest) == ("discover", "ready") and board.inbox() == []
        claimed = board.engine.claim(PERSON, "pathseeker")
        told = str(claimed["brief"])
        assert BLOCKED["summary"] in told and BLOCKED["blockers"] in told and "made" in told
        run = commands.Actor("pathseeker", claimed["run"], claimed["token"])
        board.report(run, "split", tasks=[{"title": "one session type", "files": ["src/s.py"]}])
        board.effort("codeweaver", "done")
        assert board.place(quest) == ("weave", "proving"), "the ward comes after each phase"


@pytest.mark.ledger("Q-08", "R-24")
def test_who_tried_and_failed_three_times_on_the_whole_asks_a_person() -> None:
    """Only a task is split for that (R-24); whoever means that it cannot be done like this says blocked."""
    with SoundBoard(QUEST) as board:
        quest = quest_at(board, "review")
        for way in ("rename everything", "wrap the store", "drop the cache"):
            board.effort("lawbringer", "failed", attempts=[{"approach": way, "outcome": way[::-1]}])
        assert board.place(quest) == ("review", ASKED)


@pytest.mark.ledger("Q-08", "R-24", "R-03")
def test_three_times_at_most_then_a_person_is_asked() -> None:
    with SoundBoard(QUEST) as board:
        quest = quest_at(board, "review")
        for number in range(3):
            board.effort("lawbringer", "stuck", **BLOCKED)
            if board.place(quest)[1] == ASKED:
                break
            assert board.place(quest) == ("discover", "ready"), number
            board.effort("pathseeker", "split", tasks=[{"title": f"more {number}"}])
            if board.place(quest)[1] == ASKED:
                break  # splits are bounded too
            board.effort("codeweaver", "done")
            board.effort("ward", "done")
        else:
            board.effort("lawbringer", "stuck", **BLOCKED)
        assert board.place(quest)[1] == ASKED


@pytest.mark.ledger("R-09", "R-10")
def test_what_the_flow_says_about_a_reason_or_an_agent_goes_before_that() -> None:
    flow = small_flow("""
discover: plan
columns:
  plan: {agents: [p], next: work}
  work: {agents: [w], next: look}
  look: {agents: [r], next: done}
  help: {agents: [s], kind: escalation}
reasons: {types: help}
agents: {p: {may: [split], write: none}, w: {escalate_to: help}, r: {}, s: {}}
""")
    with SoundBoard(flow) as board:
        one = board.add(column="work")
        board.effort("w", "stuck", summary="no idea")
        assert board.place(one) == ("help", "ready")
        board.effort("s", "done")
        board.effort("r", "stuck", reason="types", summary="types")
        assert board.place(one) == ("help", "ready")
        board.effort("s", "done")
        two = board.add(column="look")
        board.effort("r", "stuck", reason="security", summary="anyone may read it")
        assert board.place(two) == ("look", ASKED), "security is for a person"


@pytest.mark.ledger("Q-08")
def test_a_pathseeker_who_is_blocked_asks_a_person() -> None:
    with SoundBoard(QUEST) as board:
        quest = board.add("A quest")
        board.effort("pathseeker", "stuck", **BLOCKED)
        assert board.place(quest) == ("discover", ASKED)


@pytest.mark.ledger("R-24")
def test_a_whole_that_came_back_is_settled_by_a_contract_that_opens_its_tasks_again() -> None:
    with SoundBoard(QUEST) as board:
        quest = board.add("A quest")
        tasks = [{**task, "contracts": ["Session"]} for task in TASKS]
        board.effort("pathseeker", "split", tasks=tasks, contracts=[{"name": "Session", "text": "a cookie"}])
        for _ in tasks:
            board.effort("codeweaver", "done")
        board.effort("ward", "done")
        board.effort("lawbringer", "stuck", **BLOCKED)
        board.effort("pathseeker", "done", contracts=[{"name": "Session", "text": "a token"}])
        assert board.place(quest) == ("weave", "waiting")
        assert {child.status for child in board.children(quest)} == {"ready"}


@pytest.mark.ledger("R-24", "Q-10")
def test_both_reports_are_in_the_hand_of_whoever_looks_at_a_conflict() -> None:
    with SoundBoard(QUEST) as board:
        quest = board.add("A quest")
        board.effort("pathseeker", "split", tasks=TASKS)
        board.effort("codeweaver", "done", summary="sessions are cookies", interfaces=["Session: cookie"])
        board.effort("codeweaver", "failed", cause="conflict", summary="sessions must be tokens")
        assert board.place(quest) == ("discover", "ready")
        told = str(board.engine.claim(PERSON, "pathseeker")["brief"])
        assert "sessions are cookies" in told and "Session: cookie" in told and "sessions must be tokens" in told


@pytest.mark.ledger("R-07", "R-20")
def test_a_change_that_was_not_taken_is_tried_on_the_new_base_twice_as_before() -> None:
    with SoundBoard(QUEST) as board:
        quest = board.add("A quest")
        board.effort("pathseeker", "split", tasks=TASKS)
        (a, _) = (child.id for child in board.children(quest))
        for number in range(2):
            board.bring(board.claim("codeweaver", item=a), "done", work=change("elsewhere.py", commit=f"c{number}"))
            assert board.place(a) == ("weave", "ready")
        board.bring(board.claim("codeweaver", item=a), "done", work=change("elsewhere.py", commit="c9"))
        assert board.place(a) == ("weave", "waiting") and board.place(quest) == ("discover", "ready")


@pytest.mark.ledger("R-07")
def test_what_a_worker_could_not_merge_is_no_word_of_the_agents() -> None:
    with SoundBoard(QUEST) as board:
        quest = board.add("A quest")
        board.effort("pathseeker", "split", tasks=TASKS)
        (a, _) = (child.id for child in board.children(quest))
        for number in range(2):
            run = board.claim("codeweaver", item=a)
            work = change("src/a.py", commit=f"c{number}", unfit=True)
            board.bring(run, "failed", work=work, cause="conflict", summary="it conflicts with what others made")
            assert board.place(a) == ("weave", "ready") and board.place(quest) == ("weave", "waiting")


@pytest.mark.ledger("R-07")
@pytest.mark.parametrize("outcome", ["failed", "stuck"])
def test_the_agents_own_word_stands_beside_a_change_that_was_not_taken(outcome: str) -> None:
    parts: dict[str, Any] = {"cause": "conflict"} if outcome == "failed" else {}
    with SoundBoard(QUEST) as board:
        quest = board.add("A quest")
        board.effort("pathseeker", "split", tasks=TASKS)
        run = board.claim("codeweaver")
        board.bring(run, outcome, work=change("elsewhere.py"), summary="they differ", **parts)
        assert board.place(quest)[0] == ("discover" if outcome == "failed" else "weave")


@pytest.mark.ledger("Q-08", "Q-10", "R-24")
def test_a_pathseeker_at_its_own_end_is_followed_by_a_fresh_one_and_then_a_person() -> None:
    """Context exhaustion of whoever splits: a fresh one has the partial map, three times at most."""
    with SoundBoard(QUEST) as board:
        quest = board.add("A quest")
        for number in range(3):
            board.effort("pathseeker", "failed", cause="size", summary=f"mapped {number} of 9 modules")
            assert board.place(quest) == ("discover", "ready") and board.inbox() == []
        claimed = board.engine.claim(PERSON, "pathseeker")
        assert "mapped 2 of 9 modules" in str(claimed["brief"])
        run = commands.Actor("pathseeker", claimed["run"], claimed["token"])
        board.report(run, "failed", cause="size", summary="mapped 4 of 9 modules")
        assert board.place(quest) == ("discover", ASKED)
        (asked,) = board.queries.inbox()["questions"]
        assert "mapped 4 of 9 modules" in asked["question"]


@pytest.mark.ledger("Q-08", "R-16")
def test_a_quest_that_was_never_split_can_be_split_when_its_agent_has_failed() -> None:
    with SoundBoard(QUEST) as board:
        quest = board.add("A quest", column="weave")
        for way in ("rename everything", "wrap the store", "drop the cache"):
            board.effort("codeweaver", "failed", attempts=[{"approach": way, "outcome": way[::-1]}])
        (asked,) = board.queries.inbox()["questions"]
        assert "split it in discover" in [one["option"] for one in asked["options"]]
        board.answer(asked["id"], "split it in discover")
        assert board.place(quest) == ("discover", "ready")


@pytest.mark.ledger("Q-03")
def test_whoever_only_reads_and_lists_files_is_told_that_they_are_not_taken() -> None:
    with SoundBoard(QUEST) as board:
        board.add("A quest")
        said = board.effort("pathseeker", "split", tasks=TASKS, files={"created": ["discovery.json"]})
        (told,) = [one for one in said["kept"] if one["what"] == "files"]
        assert "only reads" in told["said"] and "discovery.json" in told["said"]
        said = board.effort("codeweaver", "done", files={"modified": ["src/a.py"]})
        assert not [one for one in said.get("kept", []) if one["what"] == "files"]
