"""Folders of the project in the user's PATH: nothing is started from there, and no change comes there."""

import os
import subprocess
from itertools import product
from pathlib import Path

import pytest

from folkmoot.core.commands import ENGINE
from folkmoot.wiring.boards import FileBoards
from tests.some import some
from tests.worker.yard import Yard, git

LEFT_OUT = "of your PATH is left out for agents, gates and setup: work of agents lands in the project"


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def in_front(monkeypatch: pytest.MonkeyPatch, *folders: object) -> None:
    monkeypatch.setenv("PATH", ":".join([*map(str, folders), os.environ["PATH"]]))


def refused(yard: Yard, item: str, words: str) -> None:
    last = yard.show(item)["runs"][-1]
    assert (last["outcome"], last["cause"]) == ("failed", "conflict"), last
    assert words in str(last), last


# What is started

FLOW = """
flow: named
start: dev
limits: {{slots: 1, lease: 60s, timeout: 30s, silence: 20s, executions: 1}}
columns: {{dev: {{agents: [dev], next: done, gate: [check]}}}}
clients:
  house: {{command: [the-agent], set: {set}}}
agents:
  dev: {{run: {{client: house}}, setup: [[the-setup]], write: any}}
gates:
  check: {{run: [the-gate], setup: [[the-setup]]}}
sandbox: {sandbox}
"""
PROGRAMS = {
    "the-setup": "echo WHO > setup-by",
    "the-agent": '{ echo WHO; cat setup-by; } > agent-by; echo \'{"outcome": "done", "summary": "made"}\'',
    "the-gate": 'echo WHO; test "$(cat agent-by setup-by)" = "$(printf "outside\\noutside\\noutside")"',
}


@pytest.mark.attack(
    "board",
    "a program lands in a folder of the project of the PATH, by the name of the reviewer, the gate or setup",
    "it is not started: folders of the project and of the user's work trees are left out of the PATH of every run",
)
@pytest.mark.ledger("R-21")
@pytest.mark.parametrize(
    "how, sandbox",
    some(
        product(["bin", "venv", "work tree", "a link", "set by the flow"], ["auto", "never"]),
        [("bin", "auto"), ("a link", "never"), ("set by the flow", "auto")],
    ),
)
def test_runs_start_nothing_from_where_work_lands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str, sandbox: str
) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "yard"
    inside = {"venv": folder / ".venv" / "bin", "work tree": tmp_path / "other" / "bin"}.get(how, folder / "bin")
    named = f"{{PATH: '{inside}:{outside}:/usr/bin:/bin'}}" if how == "set by the flow" else "{}"
    yard = Yard(folder, files={".gitignore": ".venv/\nsetup-by\n"}, flow=FLOW.format(sandbox=sandbox, set=named))
    if how == "work tree":
        git(folder, "worktree", "add", "-q", "-b", "side", str(tmp_path / "other"))
    for name, text in PROGRAMS.items():
        program(outside / name, text.replace("WHO", "outside"))
        program(inside / name, f"{text.replace('WHO', 'landed')}; exit 0")
    if how == "a link":
        (tmp_path / "linked").symlink_to(inside)
        inside = tmp_path / "linked"
    in_front(monkeypatch, inside, outside)
    item = yard.add("one")
    yard.run(slots=1)
    runs = yard.show(item)["runs"]
    assert yard.status(item) == "done", runs
    assert yard.landed("agent-by") == "outside\noutside"
    yard.close()


@pytest.mark.attack(
    "sandbox",
    "a folder of the user's PATH lies in the user's own work tree, beside what is not committed",
    "nothing of the tree is shown in the box",
)
def test_no_folder_of_the_users_tree_is_shown_for_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    yard = Yard(tmp_path / "yard", more="sandbox: always")
    program(yard.folder / "bin" / "tool", "echo tool")
    (yard.folder / "bin" / "secret").write_text("canary-5a1d")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "linked").symlink_to(yard.folder / "bin" / "tool")
    (outside / "through").symlink_to(yard.folder / "bin" / "secret")
    in_front(monkeypatch, yard.folder / "bin", outside)
    look = f"shell ls {yard.folder}/bin; cat {yard.folder}/bin/*; linked; cat {outside}/through; echo PATH=$PATH"
    item = yard.add("look", look, "report done")
    yard.run()
    said = yard.output(yard.show(item)["runs"][0]["run"])
    assert "canary" not in said and "echo tool" not in said and "tool\n" not in said
    path = next(line for line in said.splitlines() if line.startswith("PATH="))  # beside what came as an error
    assert str(outside) in path and f"{yard.folder}/bin" not in path
    yard.close()


def test_a_program_that_is_only_in_the_project_is_told_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The usual case: the project's own virtual environment is activated, and a gate says `pytest`."""
    yard = Yard(tmp_path / "yard", files={".gitignore": ".venv/\n"}, gate=["the-tests", "-q"])
    inside = yard.folder / ".venv" / "bin"
    program(inside / "the-tests", "exit 0")
    in_front(monkeypatch, inside)
    item = yard.add("one", "write a.txt a", "report done")
    yard.run()
    gate = next(run for run in yard.show(item)["runs"] if run["agent"] == "check")
    why = (
        f"the-tests is only in {inside}, a folder of the project, where work of agents lands: nothing is started from "
        "there, so install it outside of the project; or let `setup` make it in the clone, and name it from there, as "
        "./.venv/bin/the-tests"
    )
    assert (gate["outcome"], gate["cause"]) == ("failed", "environment")
    assert f"the-tests -q could not be run: {why}" in str(gate)
    told = FileBoards().apply(str(yard.folder), {}, ENGINE).warnings
    assert told == [f"{inside} {LEFT_OUT}", f"the gate check cannot be run here: {why}"]
    yard.close()


def test_programs_of_the_clone_are_named_from_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the project has, and what `setup` makes in the clone; as the message above says."""
    make = "mkdir -p .venv/bin; cp bin/tool .venv/bin/the-tests"
    flow = f"""
flow: named
start: dev
limits: {{slots: 1, executions: 1}}
columns: {{dev: {{agents: [dev], next: done, gate: [own, made]}}}}
agents: {{dev: {{run: {{command: ACTOR}}}}}}
gates:
  own: {{run: [./bin/tool]}}
  made: {{run: [./.venv/bin/the-tests], setup: [[sh, -c, "{make}"]]}}
"""
    yard = Yard(tmp_path / "yard", files={".gitignore": ".venv/\n"}, flow=flow)
    program(yard.folder / "bin" / "tool", "exit 0")
    git(yard.folder, "add", ".")
    git(yard.folder, "commit", "-q", "-m", "a tool")
    in_front(monkeypatch, yard.folder / "bin")
    item = yard.add("one", "write a.txt a", "report done")
    yard.run()
    assert yard.status(item) == "done", yard.show(item)["runs"]
    yard.close()


# What lands

OF_PATH = "lies in a folder of your PATH"
PLACES = {
    "tracked": ("YARD/bin", "write bin/less x"),
    "ignored": ("YARD/ignored/bin", "write .gitignore !ignored", "write ignored/bin/less x"),
    "in another case": ("YARD/bin", "write BIN/less x"),
    "not there yet": ("YARD/tools/new", "write tools/new/less x"),
    "in its place": ("YARD/tools/new", "write tools x"),
    "through a link": ("YARD/current/bin", "write releases/real/bin/less x"),
    "another link": ("YARD/current/bin", "shell rm current; ln -s other current"),
    "a link between": ("YARD/current/bin", "shell rm releases/1; ln -s ../other releases/1"),
    "relative": ("rel/bin", "write rel/bin/less x"),
    "the top": ("YARD", "shell cp bin/tool less"),
    "a link at the top": ("YARD/", "shell ln -s bin/tool less"),
    "where the user stands": (".", "shell cp bin/tool less"),
    "another work tree": ("OTHER/scripts", "write scripts/less x"),
}


@pytest.mark.attack(
    "tree",
    "a change brings `less`, `ssh` or `gpg` into a folder of the project that is in the user's PATH",
    "it is refused: the user's next git command would run it",
)
@pytest.mark.ledger("R-19", "R-20")
@pytest.mark.parametrize("how", some(PLACES, ["ignored", "another link", "another work tree"]))
def test_no_change_comes_into_a_folder_of_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    yard = Yard(tmp_path / "yard", files={".gitignore": "ignored/\n", "releases/real/bin/tool": "x\n"})
    program(yard.folder / "bin" / "tool", "exit 0")
    (yard.folder / "current").symlink_to("releases/1")
    (yard.folder / "releases" / "1").symlink_to("real")
    git(yard.folder, "add", ".")
    git(yard.folder, "commit", "-q", "-m", "programs")
    git(yard.folder, "worktree", "add", "-q", "-b", "side", str(tmp_path / "other"))
    folder, *acts = PLACES[how]
    in_front(monkeypatch, folder.replace("YARD", str(yard.folder)).replace("OTHER", str(tmp_path / "other")))
    evil = yard.add("evil", *acts, "report done")
    good = yard.add("good", "write good.txt x", "write docs/bin.txt x", "shell chmod -x good.txt", "report done")
    yard.run()
    refused(yard, evil, OF_PATH)
    assert yard.status(good) == "done", yard.show(good)["runs"]
    yard.close()


@pytest.mark.attack(
    "tree",
    "a change reaches a program of the user's tree that the flow starts by its full path, or a module beside it",
    "it is refused: it would play the reviewer or the gate from then on",
)
@pytest.mark.ledger("R-20", "R-21")
def test_no_change_comes_to_what_the_flow_starts_from_the_users_tree(tmp_path: Path) -> None:
    folder = tmp_path / "yard"
    flow = f"""
flow: named
start: dev
limits: {{slots: 4, executions: 1}}
columns: {{dev: {{agents: [dev], next: done, gate: [check]}}}}
agents: {{dev: {{run: {{command: ACTOR}}}}}}
gates: {{check: {{run: [sh, {folder}/scripts/check.sh, {folder}/src], setup: [[python3, {folder}/agents/eye.py]]}}}}
"""
    files = {
        "agents/eye.py": "",
        "agents/help.py": "",
        "scripts/check.sh": "exit 0\n",
        "scripts/x.txt": "",
        "src/a": "",
    }
    yard = Yard(folder, files=files, flow=flow)
    acts = ("write agents/eye.py x", "write agents/help.py x", "write scripts/check.sh x", "write Scripts x")
    evil = [yard.add(act, act, "report done") for act in acts]
    good = yard.add("good", "write src/a x", "write scripts/x.txt x", "write agents/notes.txt x", "report done")
    yard.run()
    for item in evil:
        refused(yard, item, "belongs to a program that your flow starts from your own tree")
    assert yard.status(good) == "done", yard.show(good)["runs"]
    yard.close()


ENVIRONMENT = "lies in an environment of yours that git does not track"
PLANTS = [
    "write .venv/bin/gpg x",
    "write .venv/lib/python3/site-packages/x.pth x",
    "write deep/env/bin/gpg x",
    "write node_modules/.bin/gpg x",
    "write node_modules/other/index.js x",
    "write web/node_modules/.bin/gpg x",
]


@pytest.mark.attack(
    "tree",
    "a change takes in an ignored virtual environment, or node_modules, and brings a program or a module there",
    "it is refused, also where that is in nobody's PATH now; what git tracks of such a folder is the project's",
)
@pytest.mark.ledger("R-19", "R-20")
def test_no_change_comes_into_an_environment_of_the_user(tmp_path: Path) -> None:
    files = {
        ".gitignore": ".venv/\nenv/\n/node_modules/\n.bin/\n",
        "web/node_modules/dep/index.js": "x\n",
        "tests/data/venv/pyvenv.cfg": "x\n",
    }
    yard = Yard(tmp_path / "yard", files=files)
    for name in (".venv/pyvenv.cfg", "deep/env/pyvenv.cfg", "node_modules/.bin/tsc", "web/node_modules/.bin/tsc"):
        (yard.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (yard.folder / name).write_text("x\n")
    evil = [yard.add(act, "write .gitignore !*", act, "report done") for act in PLANTS]
    good = yard.add("good", "write web/node_modules/dep/index.js y", "write tests/data/venv/bin/tool y", "report done")
    yard.run()
    for item in evil:
        refused(yard, item, ENVIRONMENT)
    assert yard.status(good) == "done", yard.show(good)["runs"]
    yard.close()


@pytest.mark.attack(
    "tree",
    "with the project's virtual environment activated, a change brings a `gpg` into its `bin`",
    "the user's next `git commit` runs another one",
)
@pytest.mark.ledger("R-19")
def test_the_users_next_commit_runs_nothing_that_landed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    yard = Yard(tmp_path / "yard", files={".gitignore": ".venv/\n"})
    inside, mark = yard.folder / ".venv" / "bin", tmp_path / "mark"
    program(inside / "python", "exit 0")
    in_front(monkeypatch, inside)
    plant = f"printf '#!/bin/sh\\ntouch {mark}; exit 1' > .venv/bin/gpg; chmod +x .venv/bin/gpg"
    yard.add("evil", "write .gitignore !/.venv/", f"shell mkdir -p .venv/bin; {plant}", "report done")
    yard.run()
    env = {**os.environ, "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
    names = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.invalid", "-c", "commit.gpgsign=true")
    subprocess.run(
        ["git", *names, "commit", "-q", "--allow-empty", "-m", "mine"], cwd=yard.folder, env=env, capture_output=True
    )
    assert not mark.exists()
    yard.close()
