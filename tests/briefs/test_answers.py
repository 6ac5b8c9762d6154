"""A person's answer reaches the agent as the document says: the block with question, guidance, resume (E-09)."""

import pytest

from folkmoot.briefs.prompt import prompt
from folkmoot.core.commands import ReleaseRun
from folkmoot.testing.builders import TrialBoard
from tests.briefs.scenes import TITLE, View, preset_flow, take

BLOCK = """DIVINE RESPONSE

Task: 1
Agent: developer

Question: Which database?
Guidance: postgres

Resume work incorporating this guidance.
"""


def asked(board: TrialBoard, question: str = "Which database?", **parts: object) -> str:
    """The developer has asked; the question's id."""
    item = board.effort("developer", "asks", question={"question": question, **parts})
    found: str = item["questions"][-1]["id"]
    return found


def parts_of(brief: View) -> list[tuple[str, str, str]]:
    return [(said["question"], said["guidance"], said["by"]) for said in brief["responses"]]


@pytest.mark.ledger("E-09", "E-08")
def test_the_block_is_the_documents_and_stands_in_the_first_prompt_after_the_answer() -> None:
    with TrialBoard(preset_flow("escalation")) as board:
        board.add(TITLE)
        board.answer(asked(board), "postgres")
        run, brief = take(board, "developer")
        assert parts_of(brief) == [("Which database?", "postgres", "alice")]
        text = prompt(brief)
        assert BLOCK in text and text.count("postgres") == 1, "said once, where it counts most"
        board.report(run, "failed", summary="red", attempts=[{"approach": "one", "outcome": "red"}])
        brief = take(board, "developer")[1]
        assert brief["responses"] == [] and "DIVINE RESPONSE" not in prompt(brief)
        assert brief["guidance"] == [{"question": "Which database?", "answer": "postgres", "by": "alice"}]
        assert "Answered by alice" in prompt(brief), "it stays with the older answers"


@pytest.mark.ledger("E-09")
def test_a_run_that_never_reported_has_not_used_up_the_answer() -> None:
    with TrialBoard(preset_flow("escalation")) as board:
        board.add(TITLE)
        board.answer(asked(board), "postgres")
        run, _ = take(board, "developer")
        board.engine.handle_run(run, ReleaseRun())
        assert BLOCK in prompt(take(board, "developer")[1])


@pytest.mark.ledger("E-09", "R-17")
def test_an_answer_given_while_a_run_goes_on_reaches_the_next_one() -> None:
    with TrialBoard(preset_flow("escalation")) as board:
        board.add(TITLE)
        question = asked(board, blocking=False)
        board.sleep(1)
        run, brief = take(board, "developer")
        assert brief["responses"] == []
        board.sleep(1)
        board.answer(question, "postgres")
        board.report(run, "incomplete", summary="half")
        assert BLOCK in prompt(take(board, "developer")[1])


@pytest.mark.ledger("E-09")
def test_several_answers_come_each_in_a_block_and_an_older_one_does_not() -> None:
    with TrialBoard(preset_flow("escalation")) as board:
        board.add(TITLE)
        board.answer(asked(board, "Which language?"), "python")
        board.sleep(1)
        first = asked(board, blocking=False)
        second = asked(board, "Which port?")
        board.sleep(1)
        board.answer(first, "postgres")
        board.answer(second, "5432")
        brief = take(board, "developer")[1]
        assert [said["guidance"] for said in brief["responses"]] == ["postgres", "5432"]
        text = prompt(brief)
        assert text.count("DIVINE RESPONSE") == 2 and "> | python" in text


@pytest.mark.ledger("E-09", "R-14")
def test_an_answer_to_a_part_reaches_the_part_that_speaks_again() -> None:
    with TrialBoard(preset_flow("pipeline")) as board:
        item = board.add(TITLE, column="review")
        board.effort("devils-advocate", "done")
        board.effort("reviewer", "asks", question={"question": "Which database?"})
        board.answer(board.inbox()[0], "postgres")
        brief = take(board, "reviewer")[1]
        assert (brief["responses"][0]["task"], brief["responses"][0]["agent"]) == (item, "reviewer")
        assert BLOCK.replace("developer", "reviewer") in prompt(brief)


@pytest.mark.ledger("E-09")
@pytest.mark.parametrize(
    "answer", ["use this:\n\n## Status\n- [x] Complete", 'say {"outcome": "done"} then', 'a " mark']
)
def test_words_that_could_be_taken_for_something_else_are_quoted_within_the_block(answer: str) -> None:
    with TrialBoard(preset_flow("escalation")) as board:
        board.add(TITLE)
        board.answer(asked(board), answer)
        text = prompt(take(board, "developer")[1])
        quoted = "\n".join(f"> | {line}" for line in answer.split("\n"))
        assert f"Question: Which database?\nGuidance:\n{quoted}\n\nResume work incorporating" in text


@pytest.mark.ledger("E-09")
def test_what_would_help_reaches_whoever_is_told_yes() -> None:
    with TrialBoard(preset_flow("escalation")) as board:
        board.add(TITLE)
        board.answer(asked(board, help="Do clients older than 2.0 still matter?"), "no, they are gone")
        run, brief = take(board, "developer")
        assert brief["responses"][0]["help"] == "Do clients older than 2.0 still matter?"
        assert prompt(brief).count("Do clients older than 2.0 still matter?") == 1
        board.report(run, "failed", summary="red", attempts=[{"approach": "one", "outcome": "red"}])
        brief = take(board, "developer")[1]
        assert "Do clients older than 2.0 still matter?" in prompt(brief), "it stays with the older answers"
