"""Shell completion: what each shell is told, that it says nothing else, and that a real bash completes a line."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from folkmoot.doors.cli.completion.shells import SHELLS
from folkmoot.doors.cli.completion.values import BY_COMMAND, BY_NAME, is_word
from folkmoot.doors.cli.main import COMMANDS
from folkmoot.doors.cli.main import moot as cli
from tests import stores
from tests.doors.conftest import Moot, environment
from tests.doors.terminal import Terminal


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the board below is kept once it was made: making it takes longer than looking at it."""
    return tmp_path_factory.mktemp("kept") / ".moot"


@pytest.fixture
def known(nowhere: Moot, kept: Path, request: pytest.FixtureRequest) -> Moot:
    """A board with a dispute, a question, a live run, tags, a lock, and what no shell should be handed."""
    if kept.exists():
        stores.copy(kept, nowhere.folder / ".moot")
        return nowhere
    disputed: Moot = request.getfixturevalue("disputed")
    disputed("add", "Commas, colons: and\ttabs\x1b[31m", "--tag", "auth", "--tag", "two words", "--tag", "$(touch x)")
    disputed("cancel", "3")
    disputed("claim", "dev-agent", "--item", "2", "--lease", "1h")
    disputed("lock", "src/mail/")
    with (disputed.folder / ".moot" / "flow.yaml").open("a") as flow:
        flow.write("# changed, which every other command would tell\n")
    stores.copy(disputed.folder / ".moot", kept)
    return disputed


def completing(moot: Moot, *words: str, shell: str = "zsh") -> list[tuple[str, str]]:
    """What the command says to a shell in which these words are typed: values, and the words beside them."""
    line = {"COMP_WORDS": " ".join(["moot", *words]), "COMP_CWORD": str(len(words))}
    if shell == "fish":
        line["COMP_CWORD"] = words[-1]
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"_MOOT_COMPLETE": f"{shell}_complete", **line}.items():
            patch.setenv(name, value)
        said = moot()
    assert said.err == ""
    lines = said.out.splitlines()
    if shell == "zsh":
        return list(zip(lines[1::3], lines[2::3], strict=True))
    found = [line.partition(",")[2].partition("\t") for line in lines]
    return [(value, words) for value, _, words in found]


def values(moot: Moot, *words: str, shell: str = "zsh") -> list[str]:
    return [value for value, _ in completing(moot, *words, shell=shell)]


def test_commands_options_and_choices(known: Moot) -> None:
    assert completing(known, "sh") == [("show", "Tell an item's story.")]
    assert values(known, "") == list(COMMANDS)
    assert values(known, "list", "--st") == ["--status"]
    assert values(known, "add", "x", "--priority", "") == ["critical", "high", "medium", "low"]
    assert values(known, "list", "--status", "aw") == ["awaiting-divine-guidance"]


def test_ids_come_with_what_helps_to_choose(known: Moot) -> None:
    titles = ["Users can reset a forgotten password", "Reset links expire after one hour"]
    cancelled = ("3", "Commas, colons: and tabs�[31m")
    assert completing(known, "show", "") == [*zip(["1", "2"], titles, strict=True), cancelled]
    assert completing(known, "reopen", "", shell="fish") == [cancelled]
    assert values(known, "move", "") == ["1", "2"]
    assert values(known, "show", "", shell="bash") == ["1", "2", "3"]
    question = completing(known, "answer", "")
    assert [value for value, _ in question] == ["q1"] and question[0][1].startswith("#1 ")
    ways = [("1", "dev-agent is right"), ("2", "test-architect is right"), ("3", "park it"), ("4", "cancel it")]
    assert completing(known, "answer", "q1", "") == ways
    assert completing(known, "answer", "q9", "") == []
    run = known.json("show", "2")["runs"][-1]["run"]
    assert completing(known, "renew", "") == [(run, "dev-agent on #2")]
    everybody = values(known, "output", "")
    assert everybody[0] == run and len(everybody) == len(set(everybody)) == 6
    assert values(known, "comment", "1", "x", "--parent", "c00")[0] == "c001"


def test_names_of_the_flow(known: Moot) -> None:
    assert completing(known, "move", "1", "de") == [("dev", "dev-agent")]
    assert values(known, "claim", "dev") == ["dev-agent"]
    assert values(known, "answer", "q1", "x", "--to", "q") == ["qa"]
    assert values(known, "list", "--tag", "") == ["auth"], "only what every shell takes as it stands"
    assert values(known, "unlock", "") == ["src/mail/"]


@pytest.mark.parametrize("shell, answer", [("zsh", "--column=dev"), ("fish", "--column=dev")])
def test_a_value_behind_a_sign_is_answered_as_one_word(known: Moot, shell: str, answer: str) -> None:
    assert values(known, "list", "--column=de", shell=shell) == [answer]


def test_bash_makes_three_words_of_it(known: Moot) -> None:
    assert values(known, "list", "--column", "=", "de", shell="bash") == ["dev"]


def test_without_a_board_there_is_nothing_to_say(nowhere: Moot) -> None:
    assert values(nowhere, "show", "") == []
    assert values(nowhere, "init", "--preset", "k") == ["kanban"]
    assert values(nowhere, "--board", "nowhere", "show", "") == []


@pytest.mark.parametrize(
    "words", [["frobnicate", ""], ["show", "'x"], ["add", "--priorty", ""], ["show", "1", "--json", "x"]]
)
def test_a_line_without_sense_gets_no_answer_and_no_error(known: Moot, words: list[str]) -> None:
    assert values(known, *words, shell="bash") == []


def test_a_damaged_board_is_no_reason_to_speak(moot: Moot) -> None:
    (moot.folder / ".moot" / "board.db").write_bytes(b"no board" * 1000)
    assert values(moot, "show", "") == []
    ran = moot.process(env={"_MOOT_COMPLETE": "bash_complete"})
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b""), "nor is a shell that tells nothing"


def test_another_board_is_looked_at_where_it_is_named(known: Moot, tmp_path_factory: pytest.TempPathFactory) -> None:
    far = Moot(tmp_path_factory.mktemp("far"), known._capsys, known._patch)
    assert values(far, "show", "--board", str(known.folder), "") == ["1", "2", "3"]
    assert values(far, "--board", str(known.folder), "show", "") == ["1", "2", "3"]


@pytest.mark.embedded("the bytes of its file are compared")
def test_nothing_is_written_by_completing(known: Moot) -> None:
    before = known.json("log", "--limit", "10000")
    database = (known.folder / ".moot" / "board.db").read_bytes()
    files = sorted(path.name for path in (known.folder / ".moot").iterdir())
    for words in (["show", ""], ["answer", ""], ["claim", ""], ["output", ""], ["unlock", ""]):
        assert values(known, *words)
    assert (known.folder / ".moot" / "board.db").read_bytes() == database
    assert sorted(path.name for path in (known.folder / ".moot").iterdir()) == files
    assert known.json("log", "--limit", "10000") == before


@pytest.mark.parametrize(
    "value, taken", [("dev-agent", True), ("a/b.py", True), ("-x", False), ("a b", False), ("$x", False), ("", False)]
)
def test_only_words_that_no_shell_carries_out_are_offered(value: str, taken: bool) -> None:
    assert is_word(value) is taken


def test_what_is_completed_is_there() -> None:
    import click

    context = click.Context(cli)
    commands = [command for name in COMMANDS if (command := cli.get_command(context, name))]
    parameters = {(command.name, parameter.name) for command in commands for parameter in command.params}
    assert set(BY_COMMAND) <= parameters
    assert set(BY_NAME) <= {name for _, name in parameters}


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_has_a_script(nowhere: Moot, shell: str) -> None:
    script = nowhere("completion", shell).out
    assert f"_MOOT_COMPLETE={shell}_complete" in script and "moot" in script
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script.encode(), check=True)
    assert nowhere.json("completion", shell) == {"shell": shell, "script": script}


def bash(moot: Moot, tmp_path: Path) -> Terminal:
    """A real one, in which `moot` is on the path and its script is read."""
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    program = bin_ / "moot"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m folkmoot "$@"\n')
    program.chmod(0o755)
    env = environment({"PATH": f"{bin_}{os.pathsep}{os.environ['PATH']}", "PS1": "> ", "HISTFILE": ""})
    shell = str(shutil.which("bash"))
    terminal = Terminal([shell, "--norc", "--noprofile", "-i"], columns=120, env=env, folder=moot.folder)
    terminal.wait_for("> ")
    terminal.type("bind 'set enable-bracketed-paste off'; eval \"$(moot completion bash)\"; echo re''ady\n")
    terminal.wait_for("ready\r\n")
    return terminal


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_a_real_bash_completes_a_line(known: Moot, tmp_path: Path) -> None:
    terminal = bash(known, tmp_path)
    for keys, shown in (
        ("\x15moot mov\t", "moot move "),
        ("2 arc\t", "2 arch "),
        ("--wh\t", "--why "),
        ("\x15moot list --column=qa\t --stat\t", "--column=qa  --status "),
        ("\x15moot check .moot/fl\t", ".moot/flow.yaml "),
    ):
        terminal.type(keys)
        terminal.wait_for(shown)
    terminal.type("\x15exit\n")
    said = terminal.read_to_end()
    assert "moot:" not in said and "Traceback" not in said
