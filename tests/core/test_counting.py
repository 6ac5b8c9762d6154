"""How much runs may make and say before a person looks: items below one of a person's, and words of one run (R-33)."""

import pytest

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.core.rules.children.counting import DEEP_MAX
from folkmoot.errors import MootError, Refused
from folkmoot.testing.builders import SoundBoard, small_flow

FLOW = small_flow("""
limits: {items: 12, comments: 3, questions: 2, messages: 2, feedback_rounds: 9}
columns: {dev: {agents: [d], next: look}, look: {agents: [r], next: done, fix: dev}}
agents: {d: {may: [ask, dispatch, split]}, r: {write: none}}
messages: {review_findings: {from: [d], to: [r]}}
""")


def add(board: SoundBoard, run: Actor, title: str = "more") -> str:
    return str(board.engine.add(run, commands.AddItem(title=title))["id"])


def breed(board: SoundBoard, each: int) -> tuple[int, int]:
    """Every run adds so many items before it is done, until nobody can begin any more; items made, and refusals."""
    made = refused = 0
    for _ in range(200):
        try:
            run = board.claim("d")
        except MootError:
            return made, refused
        for _ in range(each):
            try:
                add(board, run)
                made += 1
            except Refused as error:
                refused += error.code == "too_many_items"
        board.report(run, "failed", cause="requirement")  # a question each; so it is done with
    raise AssertionError("it never ends")


@pytest.mark.attack(
    "limits", "each run adds items whose runs add items", "one number bounds all of it, and one question"
)
@pytest.mark.ledger("R-33")
def test_what_comes_of_one_item_is_bounded_and_a_person_is_asked_once() -> None:
    with SoundBoard(FLOW) as board:
        root = board.add()
        made, refused = breed(board, 8)
        assert made == 12 and refused > 8
        asked = [q for q in board.queries.inbox()["questions"] if "May they?" in q["question"]]
        assert len(asked) == 1 and asked[0]["task_id"] == root
        assert {board.item(str(n)).origin for n in range(2, 14)} == {root}


@pytest.mark.ledger("R-33", "R-18")
def test_an_answer_on_the_origin_lets_runs_make_as_many_again() -> None:
    with SoundBoard(FLOW) as board:
        root = board.add()
        run = board.claim("d")
        for _ in range(12):
            add(board, run)
        with pytest.raises(Refused, match="12 items below item 1") as told:
            add(board, run)
        assert told.value.code == "too_many_items" and f"item {root}" in told.value.hint
        (question,) = board.inbox()
        board.answer(question, "1")
        for _ in range(12):
            add(board, run)
        with pytest.raises(Refused):
            add(board, run)
        assert len(board.inbox()) == 1


def test_what_another_person_added_is_counted_for_itself() -> None:
    with SoundBoard(FLOW) as board:
        board.add("one")
        board.add("two")
        for _ in range(2):
            run = board.claim("d")
            for _ in range(12):
                add(board, run)
            board.report(run, "failed", cause="requirement")
        assert len(board.queries.list()["items"]) == 2 + 2 * 12


@pytest.mark.ledger("R-33")
def test_dispatches_splits_and_findings_count_too() -> None:
    with SoundBoard(FLOW) as board:
        root = board.add()
        run = board.claim("d")
        for n in range(6):
            board.engine.add(run, commands.DispatchAgent(agent="d", task=f"fix {n}"))
        tasks = [{"key": f"t{n}", "title": f"task {n}"} for n in range(7)]
        board.report(run, "split", tasks=tasks)
        assert board.place(root)[1] == "awaiting-divine-guidance"
        assert len(board.queries.list()["items"]) == 7
        (question,) = board.inbox()
        assert "over the limit of 12" in board.show(root)["questions"][0]["question"]
        board.answer(question, "go on")
        assert board.inbox() == []
        assert len(board.children(root, "task")) == 7


def test_findings_beyond_the_limit_stay_with_the_item() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.effort("d", "done")
        board.effort("r", "changes_requested", findings=[{"file": "a.py", "line": 1, "issue": "x"}])
        board.effort("d", "done", files={"modified": ["a.py"]})
        late = [{"file": f"f{n}.py", "line": 1, "issue": f"old {n}"} for n in range(13)]
        board.effort("r", "changes_requested", findings=late)
        assert len(board.queries.list()["items"]) == 1
        assert len(board.item(item).findings) == 13 and board.place(item) == ("dev", "ready")


@pytest.mark.attack(
    "limits", "a run adds many items of the fourth generation", "few questions wait, the rest is refused"
)
@pytest.mark.ledger("R-33")
def test_questions_about_the_fourth_generation_do_not_multiply() -> None:
    many = small_flow("limits: {items: 1000}\ncolumns: {dev: {agents: [d], next: done}}\nagents: {d: {may: [ask]}}")
    with SoundBoard(many) as board:
        board.add()
        run = board.claim("d")
        for _ in range(3):
            child = add(board, run)
            board.report(run, "done")
            run = board.claim("d", item=child)
        for _ in range(DEEP_MAX):
            assert board.item(add(board, run)).status == "parked"
        with pytest.raises(Refused, match="wait for a person already"):
            add(board, run)
        assert len(board.inbox()) == DEEP_MAX


@pytest.mark.attack("limits", "a run floods the board with comments, questions, messages", "refused by name")
@pytest.mark.ledger("R-33")
@pytest.mark.parametrize(
    "kind, most, command",
    [
        ("comments", 3, commands.AddComment(content="so it is")),
        ("questions", 2, commands.AskPerson(question="really?")),
        ("messages", 2, commands.SendMessage(sender="d", to="r", type="review_findings")),
    ],
)
def test_what_one_run_says_is_bounded(kind: str, most: int, command: commands.Command) -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        for _ in range(2):
            run = board.claim("d", item=item)
            for _ in range(most):
                board.engine.handle_run(run, command)
            with pytest.raises(Refused, match="already, and a run may have") as told:
                board.engine.handle_run(run, command)
            assert told.value.code == f"too_many_{kind}"
            board.report(run, "failed", reason="it did not work", approach=f"way {run.token}")
            for question in board.inbox():
                board.answer(question)


@pytest.mark.attack(
    "limits",
    "a run asks with a hundred thousand options, or puts its flood beside the words: an artifact, a target, a context",
    "all of it counts as what the run says: so much, and no more",
)
@pytest.mark.parametrize(
    "command",
    [
        commands.AddComment(content="so it is", artifact="a" * 250_000),
        commands.AddComment(content="so it is", target="a" * 250_000),
        commands.AskPerson(question="really?", options=["o"] * 125_000),
        commands.SendMessage(sender="d", to="r", type="review_findings", context={"note": "a" * 250_000}),
    ],
)
def test_all_that_is_said_counts(command: commands.Command) -> None:
    with SoundBoard(FLOW) as board:
        run = board.claim("d", item=board.add())
        with pytest.raises(Refused, match="would have said") as told:
            board.engine.handle_run(run, command)
        assert told.value.code == "too_many_words"
