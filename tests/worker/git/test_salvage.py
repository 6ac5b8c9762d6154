"""What did not land can be listed and brought back."""

from pathlib import Path

import pytest

from folkmoot.errors import Invalid, Refused
from tests.worker.git.ground import Ground, plain, put


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


@pytest.mark.ledger("R-19")
def test_what_did_not_land_is_listed(ground: Ground) -> None:
    assert ground.salvage.unlanded() == []
    base = ground.repository.tip()
    landed = ground.worked({"a.txt": "landed\n"}, "r1")
    lost = ground.worked({"b.txt": "lost\n", "ä ö.txt": "x\n", "c\nd": "x"}, "r2", base)
    ground.landing.move("main", base, landed)
    put(ground.user, {"a.txt": "dirty\n"})
    aside = ground.worked({"e.txt": "aside\n"}, "r3")
    assert ground.landing.move("main", landed, aside).branch == "moot/main"
    (found,) = ground.salvage.unlanded()
    assert (found.run, found.item, found.ref, found.commit) == ("r2", "X1", "refs/moot/runs/r2", lost)
    assert found.subject == "The work" and found.files == ["b.txt", "c\nd", "ä ö.txt"] and found.at > 0


def test_nothing_of_an_unborn_branch_has_landed(tmp_path: Path) -> None:
    ground = Ground(tmp_path, files={})
    ground.worked({"a.txt": "a\n"}, "r1", None)
    ground.worked({"b.txt": "b\n"}, "r2", None)
    assert {found.run: found.files for found in ground.salvage.unlanded()} == {"r1": ["a.txt"], "r2": ["b.txt"]}


def test_it_comes_back_as_a_branch(ground: Ground) -> None:
    work = ground.worked({"b.txt": "lost\n"})
    assert ground.salvage.bring_back("r1") == "moot/salvage/r1"
    assert ground.tip("moot/salvage/r1") == work and plain(ground.user, "show", "moot/salvage/r1:b.txt") == "lost"
    assert ground.salvage.bring_back("r1") == "moot/salvage/r1"
    assert ground.salvage.bring_back("r1", "mine") == "mine" and ground.tip("mine") == work


def test_no_branch_is_ever_overwritten(ground: Ground) -> None:
    ground.worked({"b.txt": "lost\n"})
    before = ground.tip()
    for name, kind, code in (
        ("main", Refused, "branch_exists"),
        ("main/sub", Refused, "branch_exists"),
        ("a..b", Invalid, "bad_branch"),
        ("-f", Invalid, "bad_branch"),
        ("--upload-pack=x", Invalid, "bad_branch"),
    ):
        with pytest.raises(kind) as told:
            ground.salvage.bring_back("r1", name)
        assert told.value.code == code, name
    with pytest.raises(Invalid) as unknown:
        ground.salvage.bring_back("r9")
    assert unknown.value.code == "no_such_work" and ground.tip() == before
