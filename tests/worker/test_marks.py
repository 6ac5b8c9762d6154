"""Conflicts that a landing has marked are mended in the files where they are, or nothing lands."""

from pathlib import Path

import pytest

from tests.some import some
from tests.worker.yard import Yard, git

META = "if grep -q '<<<<<<<' a.txt; then {mend}; else {work}; fi"
MENDS = {
    "another file": "echo x >> notes.txt",
    "other marks": "sed -i 's/^<<<<<<< .*/<<<<<<< mine/; s/^>>>>>>> .*/>>>>>>> yours/' a.txt",
    "moved along": "mv a.txt b.txt; echo mended > a.txt",
}


def conflicting(folder: Path, mend: str) -> tuple[Yard, str]:
    yard = Yard(folder, files={"a.txt": "a\n"})
    item = yard.add("one", "shell " + META.format(mend=mend, work="echo theirs > a.txt"), "report done")

    def step(name: str, run: str) -> None:
        if name == "merge" and git(yard.folder, "log", "--format=%s", "main").splitlines() == ["first"]:
            (yard.folder / "a.txt").write_text("mine\n")
            git(yard.folder, "commit", "-q", "-a", "-m", "mine")

    yard.run(step=step)
    return yard, item


@pytest.mark.attack(
    "gates",
    "Whoever is to mend a marked conflict changes another file, gives the marks other names, or moves them elsewhere",
    "It is not mended: no marks come onto the target branch, and it goes back",
)
@pytest.mark.parametrize("how", some(MENDS, ["moved along"]))
def test_marks_that_are_still_there_do_not_land(tmp_path: Path, how: str) -> None:
    yard, item = conflicting(tmp_path / "yard", MENDS[how])
    assert yard.status(item) != "done" and yard.commits() == ["mine", "first"]
    assert "the marked conflicts were not mended in " in str(yard.show(item))
    yard.doctor()


def test_a_mended_conflict_lands(tmp_path: Path) -> None:
    yard, item = conflicting(tmp_path / "yard", "echo both > a.txt")
    assert yard.status(item) == "done" and yard.landed("a.txt") == "both"
