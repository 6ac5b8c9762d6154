"""Exit codes and errors: 1 refused, 2 bad input, 3 nothing to do, 4 no board; with --json one document on stderr."""

import os
from pathlib import Path

import pytest

from folkmoot.doors.hints import in_commands
from folkmoot.errors import Refused
from tests.doors.conftest import Moot

EVERY = {
    "add": ["add", "x"],
    "list": ["list"],
    "show": ["show", "1"],
    "board": ["board"],
    "claim": ["claim", "dev-agent"],
    "renew": ["renew", "r1", "--token", "1"],
    "release": ["release", "r1", "--token", "1"],
    "report": ["report", "r1", "--token", "1", "-"],
    "move": ["move", "1", "dev"],
    "edit": ["edit", "1", "--title", "x"],
    "cancel": ["cancel", "1"],
    "reopen": ["reopen", "1"],
    "comment": ["comment", "1", "x"],
    "comments": ["comments", "1"],
    "inbox": ["inbox"],
    "answer": ["answer", "q1", "x"],
    "log": ["log"],
    "lock": ["lock", "x"],
    "unlock": ["unlock", "x"],
    "locks": ["locks"],
    "widen": ["widen", "r1", "x", "--token", "1"],
    "send": ["send", "-"],
    "messages": ["messages"],
    "accept": ["accept", "x"],
    "complete": ["complete", "x"],
    "reject": ["reject", "x", "--why", "x"],
    "dispatch": ["dispatch", "dev-agent", "x"],
    "metrics": ["metrics"],
    "lessons": ["lessons"],
    "doctor": ["doctor"],
    "check": ["check"],
}
DONE = '{"outcome": "done"}'
ENVELOPE = '{"from": "dev-agent", "to": "qa-agent", "type": "x"}'


@pytest.mark.parametrize("command", EVERY)
def test_without_a_board_every_command_ends_with_4(nowhere: Moot, command: str) -> None:
    stdin = ENVELOPE if command == "send" else DONE
    error = nowhere(*EVERY[command], "--json", code=4, stdin=stdin).error
    assert error["code"] == "no_board" and "moot init" in error["hint"]
    words = nowhere(*EVERY[command], code=4, stdin=stdin)
    assert words.out == "" and words.err.startswith("moot: ") and "next: " in words.err


@pytest.mark.parametrize(
    "arguments, code",
    [
        (["accept", "m1"], "unknown_message"),
        (["complete", "m1"], "unknown_message"),
        (["reject", "m1", "--why", "x"], "unknown_message"),
        (["reject", "m1"], "bad_usage"),
        (["messages", "--item", "99"], "unknown_item"),
        (["dispatch", "nobody", "x"], "unknown_agent"),
        (["dispatch", "dev-agent", " "], "bad_title"),
        (["widen", "r99", "--token", "1", "a.py"], "unknown_run"),
        (["widen", "r99", "--token", "1"], "bad_usage"),
        (["show", "99"], "unknown_item"),
        (["show", "abc"], "unknown_item"),
        (["show", ""], "unknown_item"),
        (["comments", "99"], "unknown_item"),
        (["log", "99"], "unknown_item"),
        (["move", "99", "dev"], "unknown_item"),
        (["cancel", "99"], "unknown_item"),
        (["reopen", "99"], "unknown_item"),
        (["edit", "99", "--title", "x"], "unknown_item"),
        (["comment", "99", "x"], "unknown_item"),
        (["claim", "dev-agent", "--item", "99"], "unknown_item"),
        (["add", "x", "--after", "99"], "unknown_item"),
        (["add", "x", "--parent", "99"], "unknown_item"),
        (["answer", "q99", "x"], "unknown_question"),
        (["renew", "r99", "--token", "1"], "unknown_run"),
        (["release", "r99", "--token", "1"], "unknown_run"),
        (["report", "r99", "--token", "1", "-"], "unknown_run"),
        (["claim", "nobody"], "unknown_agent"),
        (["claim", "dev-agent", "--column", "qa"], "not_watched"),
        (["claim", "dev-agent", "--lease", "soon"], "bad_span"),
        (["claim", "dev-agent", "--lease", "0s"], "bad_lease"),
        (["move", "1", "nowhere"], "unknown_column"),
        (["add", "x", "--column", "nowhere"], "unknown_column"),
        (["add", ""], "bad_title"),
        (["add", "x" * 501], "bad_title"),
        (["add", "x", "--body-file", "no/such/file"], "unreadable_file"),
        (["add"], "bad_usage"),
        (["add", "x", "--from", "-"], "bad_usage"),
        (["add", "x", "--priority", "urgent"], "bad_usage"),
        (["list", "--status", "odd"], "bad_usage"),
        (["list", "--after", "-5"], "bad_usage"),
        (["log", "--after", "-5"], "bad_usage"),
        (["log", "--after", "9" * 30], "bad_usage"),
        (["log", "--limit", "0"], "bad_usage"),
        (["show"], "bad_usage"),
        (["show", "1", "2"], "bad_usage"),
        (["show", "-5"], "bad_usage"),
        (["show", "--colour"], "bad_usage"),
        (["report"], "bad_usage"),
        (["report", "r1", "a", "b", "--token", "1"], "bad_usage"),
        (["report", "r1", "-"], "no_run"),
        (["renew", "--token", "1"], "no_run"),
        (["renew", "r1", "--token", "one"], "bad_usage"),
        (["edit", "1"], "nothing_to_edit"),
        (["edit", "1", "--overrule", "3"], "unknown_attempt"),
        (["edit", "1", "--overrule", "9" * 30], "bad_usage"),
        (["comment", "1", " "], "empty_comment"),
        (["comment", "1", "x", "--parent", "c9"], "unknown_comment"),
        (["comment", "1", "x", "--resolve", "accepted"], "no_parent"),
        (["init", "--preset", "nonsense"], None),
        (["check", "no/such/flow.yaml"], "unreadable_flow"),
        (["frobnicate"], "unknown_command"),
        (["--frobnicate"], "bad_usage"),
    ],
)
def test_bad_input_ends_with_2_and_changes_nothing(moot: Moot, arguments: list[str], code: str | None) -> None:
    moot("add", "One")
    before = moot("log", "--json").out
    if arguments[0] == "init":
        moot.folder = moot.folder / "elsewhere"
        moot.folder.mkdir()
    error = moot(*arguments, "--json", code=2, stdin=DONE).error
    assert code is None or error["code"] == code
    assert error["message"] and error["hint"]
    words = moot(*arguments, code=2, stdin=DONE)
    assert words.out == "" and words.err.startswith("moot: ")
    moot.folder = moot.folder if arguments[0] != "init" else moot.folder.parent
    assert moot("log", "--json").out == before


def test_a_mistyped_command_is_guessed(moot: Moot) -> None:
    assert moot("shwo", "1", "--json", code=2).error["hint"] == "did you mean: moot show"


def test_what_the_rules_refuse_ends_with_1(moot: Moot) -> None:
    moot("add", "One", "--column", "dev")
    claim = moot.json("claim", "dev-agent")
    token = ("--token", "7")
    assert moot("renew", claim["run"], *token, "--json", code=1).error["code"] == "stale_claim"
    assert moot("report", claim["run"], *token, "-", "--json", code=1, stdin=DONE).error["code"] == "stale_claim"
    assert moot("claim", "dev-agent", "--item", "1", "--json", code=1).error["code"] == "not_claimable"
    assert moot("reopen", "1", "--json", code=1).error["code"] == "item_not_ended"
    assert moot("edit", "1", "--after", "1", "--json", code=1).error["code"] == "circle"
    assert moot("add", "x", "--column", "done", "--json", code=1).error["code"] == "not_a_start"
    assert moot("init", "--json", code=1).error["code"] == "board_exists"


def test_nothing_to_do_ends_with_3(moot: Moot) -> None:
    assert moot("claim", "dev-agent", "--json", code=3).error["code"] == "nothing_ready"
    assert moot("inbox", "--json", code=3).error["code"] == "no_question"
    assert "moot board" in moot("inbox", code=3).err
    moot("add", "One", "--column", "dev")
    moot.work("dev-agent", outcome="failed", cause="transient", summary="away")
    assert "the next one is in" in moot("claim", "dev-agent", code=3).err


def test_a_report_that_cannot_be_read_leaves_the_run_alive(moot: Moot) -> None:
    moot("add", "One", "--column", "dev")
    claim = moot.json("claim", "dev-agent")
    said = ("report", claim["run"], "--token", "1", "-")
    for text in ("", "nonsense", "[]", '{"outcome": "great"}', "{" * 100_000):
        assert moot(*said, "--json", code=2, stdin=text).error["code"] == "unreadable_report"
    assert moot.json(*said, stdin=DONE)["column"] == "review"


def test_a_board_that_cannot_be_read_ends_with_4(moot: Moot) -> None:
    database = moot.folder / ".moot" / "board.db"
    for beside in database.parent.glob("board.db-*"):
        beside.unlink()
    database.write_bytes(b"this is no database at all" * 100)
    assert moot("list", "--json", code=4).error["message"]
    assert moot("list", code=4).err.startswith("moot: ")


@pytest.mark.embedded("its file is damaged")
def test_a_damaged_board_is_named_by_doctor(moot: Moot) -> None:
    import apsw

    moot("add", "One")
    database = apsw.Connection(str(moot.folder / ".moot" / "board.db"))
    database.execute("UPDATE items SET doc = replace(doc, 'One', 'Two')")
    database.close()
    answer = moot("doctor", "--json", code=4)
    assert answer.json["ok"] is False and '"error"' in answer.err
    words = moot("doctor", code=4)
    assert "✗" in words.out and "found something wrong" in words.out


NASTY = [
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\x9b31m",
    "[red]text[/red] [/] [link=file:///x]y[/link] :smile:",
    "[/nonsense] [[ ]]",
    "a\nb\tc\rd\x00e".replace("\x00", ""),
    "\u202eright to left\u202c",
    "́" * 50,
    "漢字と🙂" * 30,
    "{0} {name} %s %(x)s {{",
    "'; DROP TABLE items; --",
    "`rm -rf /` $(ls) $HOME",
    "x" * 500,
    "-5",
    "--",
    "#",
    "0",
    "\ufeff",
    " ",
]


@pytest.mark.parametrize("words", NASTY)
def test_no_words_reach_the_terminal_as_anything_but_words(moot: Moot, words: str) -> None:
    files = ["--files", words] if moot("lock", "--", words, code=None).code == 0 else []  # not every word is a path
    moot("add", "--column", "tests", "--tag", words[:200], *files, "--as", words, "--", f"T {words}"[:500])
    moot("unlock", "--", words, code=None)
    moot.work("test-architect", summary=words, artifacts=[{"name": words}])
    moot.work("dev-agent", outcome="disputed", comments=[{"content": f"C {words}", "artifact": words, "target": words}])
    moot.work(
        "test-architect",
        summary=words,
        comments=[{"content": words or "x", "parent": "c001", "resolution": "accepted"}],
    )
    tried = {"approach": words, "outcome": words, "why_different": words}
    moot.work("dev-agent", outcome="failed", summary=words, attempts=[tried], reason=words)
    moot("claim", "dev-agent", "--worker", words)
    moot("move", "--why", words, "--", "1", "dev")
    question = {"question": f"Q {words}", "context": words, "options": [f"O {words}"], "help": words}
    moot.work("dev-agent", outcome="asks", question=question)
    for command in (["show", "1"], ["board"], ["list"], ["inbox"], ["comments", "1"], ["log"], ["log", "1"]):
        out = moot(*command).out
        assert all(letter.isprintable() or letter == "\n" for letter in out), f"{command} let a control code through"
    if words.startswith("["):
        assert words in moot("show", "1").out.replace("\n", " ") or words[:20] in moot("show", "1").out
    moot("answer", "q1", f"It is so {words}")
    assert moot.json("doctor")["ok"]


@pytest.mark.parametrize("command", EVERY)
def test_nasty_arguments_never_end_in_a_traceback(moot: Moot, command: str) -> None:
    moot("add", "One", "--column", "dev")
    ours = {"1", "x", "r1", "q1", "dev", "dev-agent"}
    for words in NASTY:
        arguments = [words if argument in ours else argument for argument in EVERY[command]]
        for form in (arguments, [*arguments, "--json"], [*arguments, "--board", words], [*arguments, "--as", words]):
            answer = moot(*form, code=None, stdin=DONE)
            assert answer.code in (0, 1, 2, 3, 4)
            assert answer.code == 0 or "moot: " in answer.err or '"error"' in answer.err
            assert all(letter.isprintable() or letter in "\n\t" for letter in answer.err)


@pytest.mark.parametrize("arguments", [["add"], ["show"], ["claim"], ["answer", "q1"], ["add", "--as"], []])
def test_an_argument_that_is_no_text_is_refused(moot: Moot, arguments: list[str]) -> None:
    broken = os.fsdecode(b"caf\xe9 \xff")
    assert moot(*arguments, broken, "--json", code=2).error["code"] == "bad_text"
    process = moot.process(*arguments, b"caf\xe9 \xff")
    assert process.returncode == 2 and process.stdout == b"" and b"Traceback" not in process.stderr


def test_the_true_command_ends_with_the_same_codes(nowhere: Moot) -> None:
    assert nowhere.process("board").returncode == 4
    assert nowhere.process("init").returncode == 0
    assert nowhere.process("claim", "coder", "--json").returncode == 3
    assert nowhere.process("show", "7").returncode == 2
    assert nowhere.process("init").returncode == 1
    assert nowhere.process("--version").stdout.startswith(b"moot ")


def test_a_reader_that_goes_away_is_no_error(moot: Moot, tmp_path: Path) -> None:
    import subprocess
    import sys

    from tests.doors.conftest import environment

    for number in range(3):
        moot("add", f"Item {number} " + "x" * 400)
    for arguments in (["log"], ["list", "--json"]):
        process = subprocess.Popen(
            [sys.executable, "-m", "folkmoot", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=moot.folder,
            env=environment(),
        )
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        err = process.stderr.read()
        process.stderr.close()
        assert process.wait() == 0 and err == b"", arguments


def test_a_screen_that_knows_only_ascii_still_gets_words(moot: Moot) -> None:
    moot("add", "Größe → 漢字")
    for arguments in (["board"], ["show", "1"], ["log"], ["list"]):
        process = moot.process(*arguments, env={"PYTHONIOENCODING": "ascii", "LANG": "C", "PYTHONUTF8": "0"})
        assert process.returncode == 0 and process.stderr == b""
        process.stdout.decode("ascii")
    shown = moot.process("show", "1", "--json", env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert "Größe → 漢字" in shown.stdout.decode("utf-8"), "JSON is UTF-8 everywhere"


DETAILS: dict[str, tuple[list[str], dict[str, object]]] = {
    "unknown_item": (["show", "99"], {"item": "99"}),
    "unknown_column": (["move", "1", "nowhere"], {"column": "nowhere"}),
    "unknown_agent": (["claim", "nobody"], {"agent": "nobody"}),
    "unknown_question": (["answer", "q9", "1"], {"question": "q9"}),
    "unknown_message": (["accept", "m9"], {"message": "m9"}),
    "nothing_ready": (["claim", "qa-agent"], {"agent": "qa-agent"}),
    "path_held": (["lock", "src/a.py", "--as", "bob"], {"path": "src/a.py", "owner": "ada"}),
    "stale_claim": (["renew", "{run}", "--token", "7"], {"token": 7}),
    "not_claimable": (["claim", "qa-agent", "--item", "1"], {"item": "1", "status": "running", "column": "dev"}),
}


@pytest.mark.parametrize("code", DETAILS)
def test_a_program_acts_on_details_and_parses_no_words(moot: Moot, code: str) -> None:
    moot("add", "One", "--column", "dev")
    moot("lock", "src/a.py", "--as", "ada")
    run = moot.json("claim", "dev-agent")["run"]
    words, expected = DETAILS[code]
    error = moot(*(word.format(run=run) for word in words), "--json", code=None).error
    assert error["code"] == code and expected.items() <= error["details"].items()


def test_what_to_do_next_is_data_that_each_door_says_in_its_own_words(moot: Moot) -> None:
    moot("add", "One", "--column", "dev")
    moot("cancel", "1")
    error = moot("move", "1", "qa", "--json", code=1).error
    assert error["hint"] == "moot reopen 1" and error["next"] == [{"call": "reopen", "args": {"item": "1"}}]
    raised = Refused("disputed", "x", "answer it (<inbox>), or: <move item column>; leave <.after> out", item="7 a")
    assert in_commands(raised) == "answer it (moot inbox), or: moot move '7 a' COLUMN; leave --after out"
    assert raised.hint == "answer it (inbox()), or: move(item='7 a', column=…); leave after out"


def test_what_somebody_wrote_is_repeated_as_it_is(moot: Moot) -> None:
    """Only what is written in the source names details and calls."""
    for words in ("{item}", "<list>", "{item!r} <reopen item> <.after>"):
        assert moot("show", words, "--json", code=2).error["message"] == f"there is no item {words}"
        assert repr(words) in moot("claim", words, code=2).err
