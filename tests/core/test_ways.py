"""What each option does, and that a limit which has asked does not ask again at once (R-16, R-18)."""

import inspect
from typing import Any, get_args

import pytest

from folkmoot.core import commands
from folkmoot.core.flow import Flow
from folkmoot.core.rules.questions import ask
from folkmoot.core.vocabulary.ways import DOES, Effect, Way
from folkmoot.core.work import Evidence
from folkmoot.errors import Invalid, Refused
from folkmoot.testing.builders import PERSON, SoundBoard, Story, TrialBoard, limited, preset_flow, small_flow

KANBAN, QUEST, ESCALATION, PIPELINE = (preset_flow(name) for name in ("kanban", "quest", "escalation", "pipeline"))
ASKED = "awaiting-divine-guidance"
HOLE = {"kind": "security", "severity": "critical", "issue": "SQL injection", "file": "src/login.py", "line": 42}
EXPLOIT = {"exploit": "' OR 1=1 --", "recommendation": "bind the parameters"}
A = {"key": "a", "title": "Register", "files": ["src/a.py"]}
B = {"key": "b", "title": "Reset", "files": ["src/b.py"], "after": ["a"]}


def one(board: TrialBoard) -> dict[str, Any]:
    (question,) = board.queries.inbox()["questions"]
    return question


def words(question: dict[str, Any]) -> list[str]:
    return [option["option"] for option in question["options"]]


def tried(board: TrialBoard, agent: str, count: int) -> None:
    for number in range(count):
        outcome = "xyzuvwpqr"[number] * 9
        board.effort(agent, "failed", attempts=[{"approach": f"{outcome} way", "outcome": outcome}], summary=outcome)


def test_every_effect_says_what_it_does_and_a_question_cannot_be_asked_without_one() -> None:
    assert set(DOES) == set(get_args(Effect))
    parameter = inspect.signature(ask).parameters["first"]
    assert parameter.annotation is Way and parameter.default is inspect.Parameter.empty
    assert "default" not in inspect.signature(ask).parameters, "what a rule asks can by default only be parked"


# Six attempts


def exhausted() -> SoundBoard:
    board = SoundBoard(limited(ESCALATION, attempts=2, own_attempts=3))
    board.add("Sessions survive a restart")
    tried(board, "developer", 2)
    return board


@pytest.mark.ledger("R-11", "R-16", "E-05")
def test_exhausted_attempts_are_told_with_why_each_failed_and_the_ways_to_go_on() -> None:
    with exhausted() as board:
        asked = one(board)
        assert words(asked) == ["try again", "park it", "cancel it"] and asked["takes"] == "option"
        assert [option["effect"] for option in asked["options"]] == ["again", "park", "cancel"]
        assert "xxxxxxxxx way: xxxxxxxxx" in asked["context"] and "yyyyyyyyy way" in asked["context"]


@pytest.mark.ledger("R-16", "R-18")
def test_again_goes_on_with_the_words_and_does_not_ask_at_once() -> None:
    with exhausted() as board:
        board.answer(one(board)["id"], "1", more="use the new library")
        assert board.place("1") == ("implementing", "ready") and board.inbox() == []
        assert board.item("1").guidance[-1].answer == "try again: use the new library"
        tried(board, "developer", 1)
        assert board.place("1") == ("implementing", "ready"), "the count began anew"


@pytest.mark.ledger("R-16", "R-03")
@pytest.mark.parametrize("said", ["park it", "No, stop. Do not spend any more."])
def test_park_leaves_the_question_open_and_resets_nothing(said: str) -> None:
    with exhausted() as board:
        question, span = one(board)["id"], board.item("1").span
        board.answer(question, said)
        assert board.place("1") == ("implementing", "parked") and board.inbox() == [question]
        assert board.item("1").span == span and board.item("1").guidance == []
        with pytest.raises(Refused):
            board.claim("developer", item="1")
        board.answer(question, "yes")
        assert board.place("1") == ("implementing", "ready") and board.inbox() == []


@pytest.mark.ledger("R-16")
@pytest.mark.parametrize("said", ["3", "Cancel it", "Abort"])
def test_cancel_ends_the_item(said: str) -> None:
    with exhausted() as board:
        board.answer(one(board)["id"], said)
        assert board.place("1") == ("implementing", "cancelled") and board.inbox() == []


@pytest.mark.ledger("R-16")
def test_an_option_that_says_where_and_a_column_are_two_answers() -> None:
    with exhausted() as board:
        for said in ("park it", "cancel it"):
            with pytest.raises(Invalid) as refused:
                board.answer(one(board)["id"], said, to="available")
            assert refused.value.code == "two_answers"
        board.answer(one(board)["id"], "look at it afresh", to="available")
        assert board.item("1").column == "available"


# Splits


def deep(limit: int = 1) -> tuple[SoundBoard, str]:
    """A task that would be split again, below the deepest split that the flow allows."""
    board = SoundBoard(limited(QUEST, splits=limit))
    board.add("A quest")
    board.effort("pathseeker", "split", tasks=[A])
    (task,) = board.children("1", "task")
    board.report(board.claim("codeweaver", item=task.id), "failed", cause="size", summary="too much")
    board.report(board.claim("pathseeker", item=task.id), "split", tasks=[A, B])
    return board, task.id


@pytest.mark.ledger("R-24", "R-16")
def test_a_further_split_shows_its_tasks_and_yes_allows_it() -> None:
    board, task = deep()
    with board:
        asked = one(board)
        assert words(asked) == ["split it", "do it in one piece", "park it", "cancel it"]
        assert "a. Register [src/a.py]" in asked["context"] and "b. Reset [src/b.py] after a" in asked["context"]
        board.answer(asked["id"], "Yes")
        assert board.place(task) == ("weave", "waiting") and board.inbox() == []
        assert [child.title for child in board.children(task, "task")] == ["Register", "Reset"]
        for child in board.children(task, "task"):
            board.report(board.claim("codeweaver", item=child.id), "done")
        assert board.place(task) == ("weave", "done")


@pytest.mark.ledger("R-24", "R-16")
def test_no_to_a_further_split_goes_on_without_it() -> None:
    board, task = deep()
    with board:
        board.answer(one(board)["id"], "no, it is small enough")
        assert board.place(task) == ("discover", "ready") and board.children(task, "task") == []
        assert board.item(task).guidance[-1].answer == "do it in one piece: no, it is small enough"


@pytest.mark.ledger("R-16")
def test_whoever_said_no_to_a_split_is_asked_before_the_next_one() -> None:
    with SoundBoard(limited(QUEST, items=1)) as board:
        board.add("A quest")
        board.effort("pathseeker", "split", tasks=[A, B])
        board.answer(one(board)["id"], "no")
        assert board.place("1") == ("discover", "ready") and board.inbox() == []
        board.effort("pathseeker", "split", tasks=[A])
        assert "a person said to do it in one piece" in one(board)["question"]


@pytest.mark.ledger("R-24", "R-16")
def test_a_split_that_was_allowed_begins_the_count_of_splits_anew() -> None:
    flow = small_flow("""
limits: {splits: 1, feedback_rounds: 9}
columns:
  build: {agents: [b], next: check}
  check: {agents: [c], next: done, fix: build}
agents: {b: {may: [split]}, c: {}}
""")
    with SoundBoard(flow) as board:
        board.add()
        for number in range(3):
            board.report(board.claim("b", item="1"), "split", tasks=[{"title": f"task {number}"}])
            if number:
                assert "split 1 times already" in one(board)["question"], "each time, and not at once"
                board.answer(one(board)["id"], "yes")
            assert board.inbox() == []
            board.report(board.claim("b"), "done")
            board.effort("c", "changes_requested", summary="not yet")
        assert board.item("1").splits == 3 and len(board.children("1", "task")) == 3


@pytest.mark.ledger("R-33", "R-16")
def test_yes_to_more_tasks_than_the_limit_makes_them() -> None:
    with SoundBoard(limited(QUEST, items=1)) as board:
        board.add("A quest")
        board.effort("pathseeker", "split", tasks=[A, B])
        assert "over the limit of 1" in one(board)["question"]
        board.answer(one(board)["id"], "yes")
        assert [task.title for task in board.children("1", "task")] == ["Register", "Reset"] and board.inbox() == []


@pytest.mark.ledger("R-24", "R-16")
def test_a_split_whose_contract_was_changed_too_often_is_made_when_a_person_agrees() -> None:
    with SoundBoard(QUEST) as board:
        board.add("A quest")
        uses = [{"key": name, "title": name, "contracts": ["User"]} for name in ("a", "b")]
        board.effort("pathseeker", "split", tasks=uses, contracts=[{"name": "User", "text": "v0"}])
        first, second = (task.id for task in board.children("1", "task"))
        for number in (1, 2):
            board.report(board.claim("codeweaver", item=first), "done")
            told = {"contracts": [{"name": "User", "text": f"v{number}"}]}
            board.report(board.claim("codeweaver", item=second), "failed", cause="transient", **told)
            board.sleep(60)
        board.report(board.claim("codeweaver", item=first), "done")
        board.report(board.claim("codeweaver", item=second), "failed", cause="conflict", summary="it does not fit")
        more, changed = [{"key": "m", "title": "More"}], [{"name": "User", "text": "v3"}]
        board.report(board.claim("pathseeker", item="1"), "split", tasks=more, contracts=changed)
        asked = one(board)
        assert "The contract User was changed 3 times" in asked["question"] and asked["context"] == "User now: v3"
        assert "More" not in [task.title for task in board.children("1", "task")]
        board.answer(asked["id"], "yes")
        assert "More" in [task.title for task in board.children("1", "task")] and board.inbox() == []


# Danger


@pytest.mark.ledger("R-10", "R-14", "R-16")
def test_a_critical_finding_is_told_with_place_exploit_and_fix() -> None:
    with SoundBoard(PIPELINE) as board:
        item = board.add(column="review")
        board.effort("devils-advocate", "changes_requested", summary="no", findings=[{**HOLE, **EXPLOIT}])
        asked = one(board)
        assert asked["task_id"] == item and words(asked) == ["fix it", "accept the risk and go on", "abort"]
        for told in ("SQL injection (src/login.py:42)", "exploit: ' OR 1=1 --", "fix: bind the parameters"):
            assert told in asked["context"]
        with pytest.raises(Invalid):
            board.answer(asked["id"], "No, stop. Do not spend any more.")
        board.answer(asked["id"], "Abort")
        assert board.item(item).status == "cancelled"


@pytest.mark.ledger("R-16")
@pytest.mark.parametrize(("said", "place"), [("fix", ("dev", "ready")), ("accept", ("qa", "ready"))])
def test_fix_and_finish_do_what_they_say(said: str, place: tuple[str, str]) -> None:
    story = Story(KANBAN, "dev")
    story.effort("done")
    story.effort("done", findings=[HOLE])
    story.answer("q1", said)
    assert story.place == place
    assert story.it.returns_to == ("review" if said == "fix" else None)


# Every limit


def rounds(board: TrialBoard) -> None:
    board.add(column="dev")
    board.effort("dev-agent", "done")
    for number in range(3):
        board.effort("review-agent", "changes_requested", findings=[{"issue": "a typo", "file": "a.py"}])
        if number < 2:
            board.effort("dev-agent", "done")


def executions(board: TrialBoard) -> None:
    board.add(column="dev")
    for _ in range(3):
        board.effort("dev-agent", "failed", cause="transient", summary="no network", blockers="the proxy is down")
        board.sleep(60)


def incompletes(board: TrialBoard) -> None:
    board.add(column="dev")
    for _ in range(3):
        board.effort("dev-agent", "incomplete", summary="half of it", next_steps=["the other half"])


def conflicts(board: TrialBoard) -> None:
    board.add(column="dev")
    for _ in range(3):
        board.effort("dev-agent", "failed", cause="conflict", summary="a.py was changed by others")


def off_moves(board: TrialBoard) -> None:
    board.add(column="dev")
    for _ in range(3):
        board.effort("dev-agent", "stuck", reason="arch", summary="which queue?")
        board.effort("architect-agent", "done")
    board.effort("dev-agent", "stuck", reason="arch", summary="which queue?")


def too_deep(board: TrialBoard) -> None:
    board.add(column="dev")
    board.effort("dev-agent", "stuck", reason="arch", summary="which queue?")
    board.effort("architect-agent", "stuck", reason="unknown", summary="no idea")
    board.effort("senior-dev-agent", "stuck", reason="concurrency", summary="a race")


def reds(board: TrialBoard) -> None:
    board.add(column="weave")
    board.effort("codeweaver", "done")
    for number in range(4):
        found = [{"kind": "test", "issue": "expected 200, got 500", "file": "src/auth.ts", "line": 7}]
        board.effort("ward", "failed", summary="1 test failed", findings=found)
        if number < 3:
            board.effort("spiritmender", "done")


def runs(board: TrialBoard) -> None:
    board.add(column="dev")
    for _ in range(2):
        board.effort("dev-agent", "incomplete", summary="half of it")


def spent(board: TrialBoard) -> None:
    board.add(column="dev")
    board.effort("dev-agent", "incomplete", summary="half of it", usage={"cost_usd": 9.0})


def human(board: TrialBoard) -> None:
    board.add(column="dev")
    board.on("1", commands.MoveItem(column="needs-human"))


BUDGET = small_flow("""
budget: {item_usd: 5}
columns: {dev: {agents: [dev-agent], next: done}}
agents: {dev-agent: {}}
""")
LIMITS: list[tuple[Any, Flow, str]] = [
    (rounds, KANBAN, "medium review: a typo (a.py)"),
    (executions, KANBAN, "blockers: the proxy is down"),
    (incompletes, KANBAN, "the other half"),
    (conflicts, KANBAN, ""),
    (off_moves, KANBAN, ""),
    (too_deep, KANBAN, ""),
    (reds, QUEST, "medium test: expected 200, got 500 (src/auth.ts:7)"),
    (runs, limited(KANBAN, runs=2), ""),
    (spent, BUDGET, ""),
    (human, KANBAN, ""),
]


@pytest.mark.ledger("R-16", "R-18", "E-12")
@pytest.mark.parametrize(("reach", "flow", "fact"), LIMITS, ids=lambda value: getattr(value, "__name__", ""))
def test_whatever_limit_has_asked_the_first_option_lets_the_item_really_go_on(
    reach: Any, flow: Flow, fact: str
) -> None:
    with SoundBoard(flow) as board:
        reach(board)
        asked = one(board)
        assert asked["takes"] == "option" and all(option["does"] for option in asked["options"])
        assert {"park", "cancel"} <= {option["effect"] for option in asked["options"]}
        assert fact in asked["context"]
        board.answer(asked["id"], "1")
        item = board.item("1")
        assert item.status == "ready" and board.inbox() == [], "it goes on, and nobody is asked the same at once"
        agent = flow.watcher(item.column) or ""
        assert board.claim(agent, item="1").run == board.item("1").run


# What an agent asks


@pytest.mark.ledger("R-18")
@pytest.mark.parametrize(
    ("default", "kept", "options"),
    [("2", "blue", 2), ("Blue", "blue", 2), ("bl", "bl", 3), ("green", "green", 3), (None, None, 2)],
)
def test_the_default_of_a_question_is_one_of_its_options(default: str | None, kept: str | None, options: int) -> None:
    story = Story(limited(KANBAN, deadline=60), "dev")
    choices = [{"option": "red"}, {"option": "blue"}]
    story.effort("asks", question={"question": "which?", "options": choices, "default": default})
    asked = story.open_questions[0]
    assert asked.default == kept and len(asked.options) == options and not asked.decides


@pytest.mark.ledger("R-07", "R-16")
@pytest.mark.parametrize(("said", "status"), [("Only for paying customers", "ready"), ("cancel it", "cancelled")])
def test_an_unclear_requirement_takes_words_and_can_be_given_up(said: str, status: str) -> None:
    story = Story(QUEST, "discover")
    story.effort("failed", cause="requirement", summary="Who may reset?", blockers="the story says both")
    asked = story.open_questions[0]
    assert not asked.decides and "the story says both" in asked.context
    story.answer("q1", said)
    assert story.it.status == status


@pytest.mark.ledger("R-16")
def test_a_question_from_before_is_answered_as_it_was() -> None:
    """A row of an old board has no word on what it takes: its options decide if they do anything."""
    story = Story(KANBAN, "dev")
    story.effort("asks", question={"question": "which?", "options": [{"option": "red"}]})
    asked = story.open_questions[0]
    old = {name: getattr(asked, name) for name in asked.__struct_fields__} | {"takes": ""}
    assert not type(asked)(**old).decides
    assert type(asked)(**{**old, "options": [Way("go on", "again").option]}).decides


SIGNED = small_flow("""
columns:
  dev: {agents: [d], next: sign}
  sign: {human: true, next: done}
agents: {d: {}}
""")


@pytest.mark.ledger("R-16")
@pytest.mark.parametrize(
    ("said", "place"), [("go on", ("done", "done")), ("yes", ("done", "done")), ("dev, once more", ("dev", "ready"))]
)
def test_a_stage_for_people_goes_on_or_back(said: str, place: tuple[str, str]) -> None:
    with SoundBoard(SIGNED) as board:
        item = board.add()
        board.effort("d", "done", summary="it is written", next_steps=["read it"])
        asked = one(board)
        assert words(asked) == ["go on to done", "dev", "park it", "cancel it"]
        assert "it is written" in asked["context"] and "read it" in asked["context"]
        board.answer(asked["id"], said)
        assert board.place(item) == place


@pytest.mark.ledger("R-16", "R-21")
def test_a_red_gate_is_told_with_the_lines_it_ended_with() -> None:
    with SoundBoard(limited(QUEST, feedback_rounds=0)) as board:
        board.add(column="weave")
        board.effort("codeweaver", "done")
        shown = Evidence(
            gate="ward", green=False, exit_code=2, output="building\nsrc/auth.ts:7 expected 200, got 500\n"
        )
        board.bring("ward", "failed", evidence=[shown], summary="1 test failed")
        asked = one(board)
        assert "ward ended with 2:" in asked["context"]
        assert "src/auth.ts:7 expected 200, got 500" in asked["context"]
        assert words(asked)[:3] == ["try again in mend", "accept it as it is", "run ward again"]
        board.answer(asked["id"], "run")
        assert board.place("1") == ("weave", "proving")


@pytest.mark.ledger("R-33", "R-16")
@pytest.mark.parametrize(("said", "status"), [("yes", "ready"), ("no", "parked"), ("abort", "cancelled")])
def test_an_item_many_generations_down_is_worked_on_only_by_a_yes(said: str, status: str) -> None:
    flow = small_flow("""
columns: {build: {agents: [b], next: done}}
agents: {b: {}}
""")
    with SoundBoard(flow) as board:
        item = board.add("first")
        for number in range(4):
            run = board.claim("b", item=item)
            made = board.engine.add(run, commands.AddItem(title=f"made {number}", body="so that it runs"))["id"]
            board.report(run, "done")
            item = made
        asked = one(board)
        assert words(asked) == ["let it be worked on", "park it", "cancel it"] and "so that it runs" in asked["context"]
        board.answer(asked["id"], said)
        assert board.place(item) == ("build", status)


@pytest.mark.ledger("R-10", "R-16")
@pytest.mark.parametrize("outcome", ["failed", "incomplete"])
def test_work_that_failed_over_a_security_concern_is_never_taken_as_done(outcome: str) -> None:
    with SoundBoard(preset_flow("escalation")) as board:
        item = board.add()
        board.effort("developer", outcome, escalation_reason="security", summary="the token is in the log")
        asked = one(board)
        assert words(asked)[0] == "try again" and not any("accept" in option for option in words(asked))
        board.answer(asked["id"], "1, but mask the token first")
        assert board.place(item) == ("implementing", "ready")
        assert "mask the token" in str(board.engine.claim(PERSON, "developer")["brief"])
