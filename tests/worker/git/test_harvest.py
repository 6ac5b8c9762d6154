"""Whatever an agent leaves, looking at it ends: by what is found before git reads it, or by the clock."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from folkmoot.worker.git.harvest import bounds
from folkmoot.worker.git.harvest.bounds import Overdue, Patience, Stopped, TooMuch, allowed
from folkmoot.worker.git.harvest.rules import BYTES_MAX
from tests.worker.git.ground import ANN, Ground, put

NESTED = "**/a/" * 16 + "b\n"
DEEP = "/".join("a" * 40) + "/f.txt"


def took(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


@pytest.mark.attack(
    "harvest", "ignore rules of nested `**` that git follows for hours", "they are found before git reads them"
)
@pytest.mark.parametrize("name", [".gitignore", ".gitattributes"])
def test_rules_that_make_git_slow_are_not_read_by_git(tmp_path: Path, name: str) -> None:
    ground = Ground(tmp_path)
    put(ground.make("plain"), {DEEP: "f\n"})
    honest = took(lambda: ground.snapshot("plain"))
    put(ground.make("hostile"), {DEEP: "f\n", f"a/{name}": f"# mine\n{NESTED}"})

    def refused() -> None:
        with pytest.raises(Overdue, match=rf"a/{name}:2 has a rule with more than 3 times"):
            ground.snapshot("hostile")

    assert took(refused) < 3 * honest + 1


@pytest.mark.attack("harvest", "ignore rules of many megabytes", "they are found before git reads them")
def test_more_rules_than_are_followed(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    put(ground.make(), {f"{n}/.gitignore": "x" * (BYTES_MAX // 3) for n in range(4)})
    with pytest.raises(Overdue, match=r"3/\.gitignore its ignore rules and attributes have more than"):
        ground.snapshot()
    large = ground.make("r2") / ".gitignore"
    with large.open("wb") as file:
        file.truncate(1 << 40)  # a sparse file: git would ask for as much memory
    ground.limits = replace(ground.limits, change_bytes=10)
    began = allowed(ground.limits, time.monotonic)
    began.bounds.more(1.0 - bounds.HARVEST_SECONDS)
    with pytest.raises(Overdue):
        ground.clones.snapshot(ground.paths("r2"), ground.repository.tip(), "x", ANN, None, began)


def test_rules_of_the_project_itself_and_of_by_products_are_followed(tmp_path: Path) -> None:
    """What was there before the run is the user's own word; and what git does not look into does not matter."""
    ground = Ground(tmp_path, {".gitignore": f"*.log\n{NESTED}", "a.txt": "a\n"})
    put(ground.make(), {"a.txt": "b\n", "x.log": "no\n", "node_modules/p/.gitignore": NESTED})
    assert [one.path for one in ground.snapshot().touched] == ["a.txt"]
    put(ground.make("r2"), {".gitignore": f"*.log\n\n{NESTED}"})
    with pytest.raises(Overdue, match=r"^git would be slow with it: .gitignore:3 "):
        ground.snapshot("r2")


def test_new_rules_of_an_agent_are_followed(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    put(ground.make(), {".gitignore": "*.log\n.moot/\nbuild/\n**/out/**/x/**\n", "build/x": "x\n", "b.txt": "b\n"})
    assert {one.path for one in ground.snapshot().touched} == {".gitignore", "b.txt"}


@pytest.mark.attack("harvest", "a pipe named `.gitignore`, which git would wait at for ever", "it is seen and refused")
@pytest.mark.parametrize("name", [".gitignore", "src/.gitattributes"])
def test_a_pipe_where_git_looks_for_rules(tmp_path: Path, name: str) -> None:
    ground = Ground(tmp_path)
    workspace = ground.make()
    (workspace / name).unlink(missing_ok=True)
    os.mkfifo(workspace / name)
    put(workspace, {"b.txt": "b\n"})
    touched = {one.path: one.mode for one in ground.snapshot().touched if one.how != "deleted"}
    assert touched == {name: "010000", "b.txt": "100644"}


@pytest.mark.attack("limits", "more files, or bytes, than the flow allows", "nothing of it is read, and it is counted")
def test_what_is_too_much_is_not_read(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    ground.limits = replace(ground.limits, change_files=3, change_bytes=1_000)
    put(ground.make("many"), {f"{n}.txt": "x" for n in range(7)})
    with pytest.raises(TooMuch) as much:
        ground.snapshot("many")
    assert much.value.files == 7
    put(ground.make("large"), {"1.txt": "x" * 600, "2.txt": "x" * 600})
    with pytest.raises(TooMuch) as much:
        ground.snapshot("large")
    assert (much.value.files, much.value.size) == (2, 1_200)
    put(ground.make("fits"), {"1.txt": "x" * 500, "2.txt": "x" * 500})
    assert ground.snapshot("fits").bytes == 1_000


def test_time_grows_with_what_there_is_to_look_at(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    put(ground.make(), {"1.txt": "x" * 1_000})
    within = allowed(ground.limits, lambda: 0.0)
    ground.clones.snapshot(ground.paths("r1"), ground.repository.tip(), "x", ANN, None, within)
    more = within.bounds.left() - bounds.HARVEST_SECONDS
    assert more == pytest.approx(3 / bounds.FILES_A_SECOND + 1_000 / bounds.BYTES_A_SECOND)


def test_patience_ends_by_the_clock_and_soon_after_a_stop() -> None:
    now, stopped = [0.0], [False]
    patience = Patience("it", 10.0, lambda: now[0], lambda: stopped[0])
    now[0] = 4.0
    assert patience.left() == 6.0
    stopped[0] = True
    assert patience.left() == bounds.STOP_SECONDS
    now[0] = 9.0
    with pytest.raises(Stopped, match="it was stopped before it was done"):
        patience.left()
    now[0] = 10.0
    with pytest.raises(Overdue, match="it was not done after 10 s"):
        patience.left()


def test_deleting_can_be_stopped_and_half_a_clone_does_not_look_like_work(tmp_path: Path) -> None:
    """A worker that died here would else leave a change that deletes everything."""
    ground = Ground(tmp_path)
    put(ground.make(), {"b.txt": "b\n"})
    looks = iter([False, False, True])
    with pytest.raises(InterruptedError):
        ground.clones.remove(ground.paths("r1"), lambda: next(looks))
    assert os.listdir(ground.paths("r1").workspace), "the rest stays"
    assert not os.path.exists(os.path.join(ground.paths("r1").root, "made"))
    ground.clones.remove(ground.paths("r1"))
    assert not os.path.exists(ground.paths("r1").workspace)
