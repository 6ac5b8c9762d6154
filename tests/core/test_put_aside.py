"""An item that is added parked begins when a person says so, and not before."""

import pytest

from folkmoot import Board
from folkmoot.core.notices.notice import question_notice
from folkmoot.core.records import PUT_ASIDE, Question
from folkmoot.errors import NothingToDo
from folkmoot.wiring.boards import FileBoards


@pytest.fixture
def board(tmp_path_factory: pytest.TempPathFactory) -> Board:
    Board.boards = FileBoards()
    return Board.create(str(tmp_path_factory.mktemp("board")))


def test_nobody_gets_it_before_a_person_says_so(board: Board) -> None:
    item = board.add("One", parked=True)
    assert item.status == "parked" and [asked.question for asked in item.questions] == [PUT_ASIDE]
    with pytest.raises(NothingToDo), board.claim("coder"):
        pass
    board.answer(item.questions[0].id, "yes")
    assert board.show(item.id).status == "ready"


def test_what_it_waits_for_comes_first_all_the_same(board: Board) -> None:
    first = board.add("One")
    item = board.add("Two", parked=True, after=[first.id])
    assert item.status == "parked"
    board.answer(item.questions[0].id, "let it be worked on")
    assert board.show(item.id).status == "waiting"


def test_it_can_be_given_up(board: Board) -> None:
    item = board.add("One", parked=True)
    board.answer(item.questions[0].id, "cancel it")
    assert board.show(item.id).status == "cancelled"


def test_nobody_is_told_of_what_they_put_aside_themselves() -> None:
    assert question_notice(Question(id="q1", item="7", kind="decision", question=PUT_ASIDE), None) is None
