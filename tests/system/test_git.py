"""The one place that runs git."""

import ast
import os
import re
import time
from pathlib import Path

import pytest

from folkmoot.errors import Unavailable
from folkmoot.system.git import SystemGit

SOURCE = Path(__file__).parents[2] / "src" / "folkmoot"


def script(folder: Path, text: str) -> str:
    file = folder / "git"
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return str(file)


@pytest.fixture
def bare(tmp_path: Path) -> str:
    where = str(tmp_path / "r.git")
    os.mkdir(where)
    SystemGit()("init", "-q", "--bare", git_dir=where)
    return where


def starts_git(source: str) -> list[int]:
    """Lines on which a module puts together a command that is git."""
    found = []
    for node in ast.walk(ast.parse(source)):
        first = None
        if isinstance(node, ast.List | ast.Tuple) and len(node.elts) > 1:
            first = node.elts[0]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).startswith(("subprocess.", "os.exec", "os.spawn")):
            first = node.args[0] if node.args else None
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            words = first.value.split()
            if words and os.path.basename(words[0]) == "git":
                found.append(first.lineno)
    return found


def test_no_other_module_runs_git() -> None:
    found = []
    for file in SOURCE.rglob("*.py"):
        text = file.read_text("utf-8")
        if file != SOURCE / "system/git.py" and re.search(r"\bgit\b", text):
            found += [f"{file.relative_to(SOURCE)}:{line}" for line in starts_git(text)]
    assert not found, found


@pytest.mark.parametrize(
    "source",
    ['subprocess.run(["git", "status"])', 'x = ("/usr/bin/git", "log")', 'subprocess.run("git status", shell=True)'],
)
def test_a_planted_call_is_found(source: str) -> None:
    assert starts_git(source) == [1]


def test_nothing_of_the_environment_comes_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_TRACE", "1")
    monkeypatch.setenv("CANARY", "sings")
    fake = script(tmp_path, 'if [ "$1" = version ]; then echo git version 2.40.0; else env; fi')
    said = SystemGit(fake)("status", git_dir=str(tmp_path), env={"GIT_AUTHOR_NAME": "Ann"}).out.decode()
    names = dict(line.split("=", 1) for line in said.splitlines())
    assert "sings" not in said and "HOME" not in names and "GIT_DIR" not in names and "GIT_TRACE" not in names
    assert names["GIT_AUTHOR_NAME"] == "Ann" and names["GIT_COMMITTER_NAME"] == "Folkmoot"
    assert names["GIT_CONFIG_GLOBAL"] == os.devnull and names["GIT_CEILING_DIRECTORIES"] == str(tmp_path.parent)


def test_relative_folders_in_the_path_are_left_out(tmp_path: Path, bare: str) -> None:
    git = SystemGit(path=f".:{os.environ['PATH']}::tools")
    script(tmp_path, "exit 9")
    assert git("rev-parse", "--is-bare-repository", git_dir=bare).out == b"true\n"
    assert all(os.path.isabs(entry) for entry in git._path.split(":"))


def test_a_missing_repository_is_never_the_one_above(tmp_path: Path) -> None:
    above = tmp_path / "above"
    (above / "below").mkdir(parents=True)
    SystemGit()("init", "-q", git_dir=str(above / ".git"), work_tree=str(above))
    with pytest.raises(Unavailable, match="not a git repository"):
        SystemGit()("rev-parse", "--git-dir", git_dir=str(above / "below"))


def test_a_failure_names_the_command_and_its_words(bare: str) -> None:
    with pytest.raises(
        Unavailable, match=r"git rev-parse --verify nothing ended with 128: fatal: Needed a single"
    ) as told:
        SystemGit()("rev-parse", "--verify", "nothing", git_dir=bare)
    assert told.value.code == "git_failed"
    assert SystemGit()("rev-parse", "--verify", "nothing", git_dir=bare, check=False).code == 128


@pytest.mark.parametrize("words", ["git version 2.37.9", "git version 1.99", "no number"])
def test_an_old_git_is_told_clearly(tmp_path: Path, words: str) -> None:
    with pytest.raises(Unavailable, match=r"2\.38 or newer") as told:
        SystemGit(script(tmp_path, f"echo {words}"))("status", git_dir=str(tmp_path))
    assert told.value.code == "git_too_old"


def test_a_missing_git_is_told_clearly(tmp_path: Path) -> None:
    with pytest.raises(Unavailable) as told:
        SystemGit(path=str(tmp_path))("status", git_dir=str(tmp_path))
    assert told.value.code == "git_missing"


def test_a_git_that_hangs_is_killed_with_its_children(tmp_path: Path) -> None:
    fake = script(
        tmp_path, 'if [ "$1" = version ]; then echo git version 2.40.0; else sleep 600 & echo $! > pid; wait; fi'
    )
    pid = tmp_path / "pid"
    for seconds in (0.5, 2.0, 8.0, 32.0):  # a busy machine may need longer until it hangs at all
        with pytest.raises(Unavailable) as told:
            SystemGit(fake)("status", git_dir=str(tmp_path), timeout=seconds)
        assert told.value.code == "git_timeout"
        if pid.exists() and pid.read_text().strip():
            break
    # Killed; whoever inherits it may take a moment to bury it.
    for _ in range(100):
        if is_dead(pid.read_text().strip()):
            return
        time.sleep(0.05)
    raise AssertionError("a child of a git that was ended is alive")


def is_dead(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z"
    except FileNotFoundError:
        return True


def test_only_local_paths_are_fetched_from(bare: str) -> None:
    for address in (
        "ext::sh -c true",
        "https://example.invalid/x",
        "ssh://example.invalid/x",
        "git://example.invalid/x",
    ):
        ran = SystemGit()("fetch", address, "main", git_dir=bare, check=False)
        assert ran.code and b"not allowed" in ran.err, address


def test_what_git_says_can_be_kept_by_a_board(tmp_path: Path) -> None:
    git = SystemGit(path=str(tmp_path))
    script(
        tmp_path,
        'case "$*" in *version*) echo "git version 2.40.0";; *) printf "fatal: no\\\\000remote" >&2; exit 128;; esac',
    )
    with pytest.raises(Unavailable, match="128: fatal: no remote") as told:
        git("fetch", git_dir=str(tmp_path))
    assert "\0" not in told.value.message
