"""A gate whose program, script or target is not there says nothing about the work, and no agent can mend it."""

import pytest

from folkmoot.core import commands
from folkmoot.core.report import Report
from folkmoot.core.vocabulary.missing import not_there
from folkmoot.core.work import Evidence
from folkmoot.testing.builders import SoundBoard, TrialBoard, small_flow

ASKED = "awaiting-divine-guidance"
FLOW = small_flow("""
columns: {dev: {agents: [d], next: done, gate: [ward]}}
agents: {d: {}}
gates: {ward: {run: ["make", "test"]}}
""")


@pytest.mark.parametrize(
    ("code", "output", "said"),
    [
        (127, "sh: 1: jest: not found", "sh: 1: jest: not found"),
        (126, "", "exit 126"),
        (2, "make: *** No rule to make target 'test'.  Stop.", "make: *** No rule to make target 'test'.  Stop."),
        (2, "make: *** No targets specified and no makefile found.  Stop.", "make: *** No targets specified"),
        (2, "/bin/sh: 1: ruff: not found\nmake: *** [Makefile:2: test] Error 127", "make: *** [Makefile:2: test]"),
        (1, 'npm error Missing script: "test"\nnpm error\nnpm error To see a list', "npm error Missing script:"),
        (1, "/usr/bin/python3: No module named pytest", "/usr/bin/python3: No module named pytest"),
        (2, "python3: can't open file '/w/check.py': [Errno 2] No such file", "python3: can't open file"),
        (2, "sh: 0: cannot open check.sh: No such file", "sh: 0: cannot open check.sh"),
        (4, "ERROR: file or directory not found: tests", "ERROR: file or directory not found: tests"),
        (101, "error: could not find `Cargo.toml` in `/w`", "error: could not find `Cargo.toml`"),
    ],
)
def test_what_is_not_there_is_known_by_the_words_of_tools(code: int, output: str, said: str) -> None:
    assert (not_there(code, output) or "").startswith(said)


@pytest.mark.parametrize(
    ("code", "output"),
    [
        (0, "make: *** No rule to make target 'old'.  Stop."),
        (1, "E   ModuleNotFoundError: No module named 'shop'"),
        (2, "make: *** [Makefile:3: test] Error 1"),
        (1, "FileNotFoundError: [Errno 2] No such file or directory: 'data.csv'"),
        (None, ""),
    ],
)
def test_a_check_that_was_made_is_red_or_green(code: int | None, output: str) -> None:
    assert not_there(code, output) is None


def gate_is_missing(board: TrialBoard) -> None:
    said = Report.failed("make test could not be run: make: *** No rule", cause="environment")
    evidence = [Evidence(gate="ward", green=False, command=["make", "test"], exit_code=127)]
    board.engine.handle_run(board.claim("ward"), commands.ReportRun(report=said, final=True, evidence=evidence))


@pytest.mark.ledger("R-21")
@pytest.mark.parametrize(
    ("answer", "place"),
    [
        ("run ward again", ("dev", "proving")),
        ("change the flow first", ("dev", "parked")),
        ("go on without ward", ("done", "done")),
        ("cancel it", ("dev", "cancelled")),
    ],
)
def test_a_gate_that_is_not_there_asks_at_once_and_each_way_does_what_it_says(
    answer: str, place: tuple[str, str]
) -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.effort("d", "done")
        gate_is_missing(board)
        assert board.place(item) == ("dev", ASKED) and board.item(item).failures == {}
        (question,) = board.inbox()
        board.answer(question, answer)
        assert board.place(item) == place
        if place[1] == "parked":
            board.answer(question, "run ward again")
            board.effort("ward", "done")
            assert board.place(item) == ("done", "done")
