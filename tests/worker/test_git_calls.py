"""How often git is called for one piece of work: each call is the start of a process, for the user to wait for."""

import threading
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from folkmoot.system.git import SystemGit
from tests.worker.yard import Yard

# As many as are needed, and no more: a question whose answer is surely still true is not put again.
MOST = {"dev": 18, "check": 2, "landing": 32}
# Of a landing, those that must be put again: what they ask about may change at any moment.
FRESH = {
    "for-each-ref": 3,  # where the branch is: to merge with, and before it moves; and what an earlier one left undone
    "worktree": 3,  # where it is checked out: before, under the lock right before it moves, and after it
}

Calls = dict[str, list[str]]  # by the run in whose thread they were made


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    found: Calls = defaultdict(list)

    def counted(name: str) -> Callable[..., Any]:
        real = getattr(SystemGit, name)

        def call(git: SystemGit, *args: str, **rest: Any) -> Any:
            at = next(number for number, part in enumerate(args) if part != "-c" and "=" not in part)
            found[threading.current_thread().name.removeprefix("moot-")].append(args[at])
            return real(git, *args, **rest)

        return call

    for name in ("__call__", "talk"):
        monkeypatch.setattr(SystemGit, name, counted(name))
    return found


def test_git_is_called_no_more_often_than_it_must(tmp_path: Path, calls: Calls) -> None:
    yard = Yard(tmp_path / "yard", gate=["/bin/sh", "-c", "true"])
    (yard.folder / ".git/info/exclude").write_text(".moot/\n")
    first = yard.add("first", "write f.txt f", "report done")
    second = yard.add("second", "write s.txt s", "report done", after=[first])
    yard.run(slots=1)
    assert yard.status(second) == "done" and yard.landed("s.txt") == "s"
    asked = {run["agent"]: calls[run["run"]] for run in yard.show(second)["runs"]}
    assert {agent: len(found) for agent, found in asked.items() if len(found) > MOST[agent]} == {}, asked
    assert {word: asked["landing"].count(word) for word in FRESH} == FRESH
