"""Answers that are kept are about objects, which never change; and refs that belong together move together."""

from pathlib import Path

import pytest

from folkmoot.errors import Unavailable
from folkmoot.worker.git.harvest import known
from folkmoot.worker.git.harvest.known import Known
from folkmoot.worker.git.refs import drop, keep_all
from tests.worker.git.ground import Ground, plain, put

ONE, TWO = "refs/moot/landing/main", "refs/moot/landing-to/main"


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


def stuck(ground: Ground, ref: str) -> Path:
    """A ref that git cannot change: somebody else has its lock."""
    lock = Path(ground.repository.git_dir, f"{ref}.lock")
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.touch()
    return lock


def test_refs_are_kept_all_of_them_or_none(ground: Ground) -> None:
    tip = ground.repository.tip()
    assert tip
    lock = stuck(ground, TWO)
    with pytest.raises(Unavailable):
        keep_all(ground.repository, {ONE: tip, TWO: tip})
    assert ground.repository.kept(ONE) is None
    lock.unlink()
    keep_all(ground.repository, {ONE: tip, TWO: tip})
    assert ground.repository.kept(ONE) == ground.repository.kept(TWO) == tip


def test_a_ref_that_cannot_be_dropped_keeps_no_other(ground: Ground) -> None:
    tip = ground.repository.tip()
    assert tip
    keep_all(ground.repository, {ONE: tip, TWO: tip})
    stuck(ground, TWO)
    drop(ground.repository, TWO, "refs/moot/landing/there-is-none", ONE)
    assert ground.repository.kept(ONE) is None and ground.repository.kept(TWO) == tip


def test_what_landed_is_kept_as_if_it_was_fetched(ground: Ground) -> None:
    repository, copy = ground.repository, "refs/moot/target/main"
    new = ground.worked({"a.txt": "2\n"}, "r1")
    ground.landing.move("main", ground.tip(), new)
    assert repository.kept(copy) == new and repository.kept(ONE) is repository.kept(TWO) is None
    stuck(ground, copy)
    ground.landing.move("main", new, ground.worked({"a.txt": "3\n"}, "r2", new))
    assert repository.kept(copy) == new and repository.kept(ONE) is repository.kept(TWO) is None


def test_only_refs_of_ours_are_kept_or_dropped(ground: Ground) -> None:
    with pytest.raises(ValueError, match="not refs of ours"):
        keep_all(ground.repository, {ONE: "0" * 40, "refs/heads/main": "0" * 40})
    with pytest.raises(ValueError, match="not refs of ours"):
        drop(ground.repository, ONE, "refs/heads/main")


def test_that_a_commit_is_not_held_is_asked_again(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    first = ground.tip()
    second = ground.person_commits({"more.txt": "more\n"})
    shallow = Path(ground.repository.git_dir, "shallow")
    ground.repository.tip()
    shallow.write_text(f"{second}\n")
    assert not ground.repository.contains(second, first)
    shallow.unlink()
    assert ground.repository.contains(second, first)


def test_a_commit_holds_what_it_was_made_of(ground: Ground) -> None:
    tip = ground.repository.tip()
    work = ground.worked({"a.txt": "three\n"})
    assert tip and ground.repository.known.holds(work, tip) and not ground.repository.known.holds(tip, work)


def test_no_more_answers_are_kept_than_the_runs_of_now_need(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Known()
    monkeypatch.setattr(known, "BYTES_MAX", 10)
    kept.keep(("one",), b"more than ten bytes")
    kept.keep(("two",), b"two")
    assert kept.get(("one",)) is None and kept.once(("two",), lambda: b"other") == b"two"
    for number in range(known.KNOWN_MAX):
        kept.keep((str(number),), number)
    assert kept.get(("two",)) is None


def test_settings_of_the_user_are_read_anew_for_each_move(ground: Ground) -> None:
    """A filter that came since the last landing is heeded."""
    assert ground.landing.move("main", ground.tip(), ground.worked({"a.txt": "2\n"}, "r1")).branch == "main"
    attributes = ground.user / ".git/info/attributes"
    attributes.parent.mkdir(exist_ok=True)
    attributes.write_text("*.txt filter=mine\n")
    moved = ground.landing.move("main", ground.tip(), ground.worked({"a.txt": "3\n"}, "r2"))
    assert moved.branch == "moot/main" and "filter" in moved.note


def test_a_tree_that_is_checked_out_elsewhere_since_is_found(ground: Ground, tmp_path: Path) -> None:
    """What a landing knew of the user's trees is no answer for the next one."""
    assert ground.landing.move("main", ground.tip(), ground.worked({"a.txt": "2\n"}, "r1")).branch == "main"
    plain(ground.user, "checkout", "-q", "--detach")
    linked = tmp_path / "linked"
    plain(ground.user, "worktree", "add", "-q", str(linked), "main")
    put(linked, {"a.txt": "mine\n"})
    moved = ground.landing.move("main", ground.tip(), ground.worked({"a.txt": "3\n"}, "r2"))
    assert moved.branch == "moot/main" and str(linked) in moved.note
