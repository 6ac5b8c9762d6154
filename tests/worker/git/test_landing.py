"""The user's branch moves by compare-and-swap; the user's files come along only where that harms nothing."""

import shutil
from pathlib import Path

import pytest

from folkmoot.errors import Refused, Unavailable
from folkmoot.worker.git.swap import Stale
from folkmoot.worker.git.trees.checkout import Checkout
from tests.worker.git.ground import Ground, plain, put


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


def status(ground: Ground) -> str:
    return plain(ground.user, "status", "--short")


@pytest.mark.ledger("R-19", "R-22")
def test_a_clean_tree_comes_along(ground: Ground) -> None:
    old = ground.repository.tip()
    workspace = ground.make()
    put(workspace, {"a.txt": "new\n", "deep/er/c.txt": "c\n"})
    (workspace / "src/b.txt").unlink()
    (workspace / "run.sh").write_text("x")
    (workspace / "run.sh").chmod(0o755)
    work = ground.snapshot().commit
    assert work
    put(ground.user, {"untracked.txt": "mine\n", "x.log": "ignored\n"})
    moved = ground.landing.move("main", old, work)
    assert (moved.branch, moved.note, moved.left) == ("main", "", [])
    assert status(ground) == "?? untracked.txt" and not (ground.user / "src").exists()
    assert (ground.user / "run.sh").stat().st_mode & 0o111 and (ground.user / "deep/er/c.txt").exists()
    assert plain(ground.user, "reflog", "-1", "--format=%gs", "main") == "moot: landed"


def soil(user: Path, how: str) -> None:
    match how:
        case "modified":
            put(user, {"src/b.txt": "mine\n"})
        case "staged":
            put(user, {"staged.txt": "mine\n"})
            plain(user, "add", "staged.txt")
        case "deleted":
            (user / "src/b.txt").unlink()
        case "untracked":
            put(user, {"came.txt": "in the way\n"})
        case "folder":
            put(user, {"came.txt/x": "a folder in the way\n"})
        case "lock":
            (user / ".git/index.lock").touch()
        case "merging":
            (user / ".git/MERGE_HEAD").write_text(plain(user, "rev-parse", "HEAD") + "\n")
        case "sparse":
            plain(user, "update-index", "--skip-worktree", "src/b.txt")
        case "broken":
            (user / ".git/index").write_bytes(b"broken")


@pytest.mark.parametrize(
    "how", ["modified", "staged", "deleted", "untracked", "folder", "lock", "merging", "sparse", "broken"]
)
def test_a_tree_that_is_not_clean_is_left_alone(ground: Ground, how: str) -> None:
    old = ground.repository.tip()
    work = ground.worked({"a.txt": "new\n", "came.txt": "came\n"})
    soil(ground.user, how)
    before = "" if how == "broken" else status(ground)
    moved = ground.landing.move("main", old, work)
    assert moved.branch == "moot/main" and "git merge moot/main" in moved.note and str(ground.user) in moved.note
    assert ground.tip() == old and ground.tip("moot/main") == work
    assert (ground.user / "a.txt").read_text() == "one\n"
    if before:
        assert status(ground) == before


@pytest.mark.ledger("R-19")
def test_work_that_stands_aside_is_built_on_and_lands_later(ground: Ground) -> None:
    old = ground.repository.tip()
    put(ground.user, {"src/b.txt": "mine\n"})
    first = ground.worked({"a.txt": "first\n"})
    ground.landing.move("main", old, first)
    assert ground.repository.tip() == first  # what comes next is built on it
    second = ground.worked({"a.txt": "second\n"}, "r2")
    with pytest.raises(Stale):
        ground.landing.move("main", old, second)
    assert ground.landing.move("main", first, second).branch == "moot/main"
    plain(ground.user, "checkout", "-q", "--", ".")
    third = ground.worked({"c.txt": "third\n"}, "r3")
    assert ground.landing.move("main", second, third).branch == "main"
    assert ground.tip() == third and status(ground) == "" and (ground.user / "a.txt").read_text() == "second\n"
    put(ground.user, {"src/b.txt": "mine again\n"})
    fourth = ground.worked({"d.txt": "fourth\n"}, "r4")
    assert ground.landing.move("main", third, fourth).branch == "moot/main" and ground.tip("moot/main") == fourth


def test_where_both_branches_moved_on_they_are_merged(ground: Ground) -> None:
    old = ground.repository.tip()
    put(ground.user, {"src/b.txt": "mine\n"})
    aside = ground.worked({"a.txt": "aside\n"})
    ground.landing.move("main", old, aside)
    by_hand = ground.person_commits({"src/b.txt": "mine\n"})
    tip = ground.repository.tip()
    assert tip and tip == ground.repository.tip()  # the same merge each time it is looked at
    assert ground.repository.contains(tip, aside) and ground.repository.contains(tip, by_hand)
    work = ground.worked({"c.txt": "c\n"}, "r2")
    assert ground.landing.move("main", tip, work).branch == "main" and ground.tip() == work
    assert (ground.user / "a.txt").read_text() == "aside\n" and status(ground) == ""


def test_branches_that_do_not_go_together_ask_the_user(ground: Ground) -> None:
    old = ground.repository.tip()
    put(ground.user, {"a.txt": "mine\n"})
    ground.landing.move("main", old, ground.worked({"a.txt": "aside\n"}))
    by_hand = ground.person_commits({"a.txt": "mine\n"})
    assert ground.repository.tip() == by_hand
    work = ground.worked({"c.txt": "c\n"}, "r2")
    put(ground.user, {"a.txt": "mine, not committed\n"})
    with pytest.raises(Refused, match="moot/main does not go together") as told:
        ground.landing.move("main", by_hand, work)
    assert told.value.code == "aside_in_conflict"
    plain(ground.user, "checkout", "-q", "--", ".")
    assert ground.landing.move("main", by_hand, work).branch == "main"


@pytest.mark.ledger("R-19")
def test_a_branch_that_moved_is_never_forced(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    old = ground.repository.tip()
    work = ground.worked({"a.txt": "new\n"})
    moved = ground.person_commits({"z.txt": "z\n"})
    with pytest.raises(Stale) as told:
        ground.landing.move("main", old, work)
    assert told.value.code == "stale_target" and ground.tip() == moved
    # And the same when it moves between the look and the swap.
    work = ground.worked({"a.txt": "new\n"}, "r2")
    give = ground.repository.give

    def slow(commit: str) -> None:
        give(commit)
        plain(ground.user, "update-ref", "refs/heads/main", old or "")

    monkeypatch.setattr(ground.repository, "give", slow)
    plain(ground.user, "checkout", "-q", "--detach")
    with pytest.raises(Stale):
        ground.landing.move("main", moved, work)
    assert ground.tip() == old


def test_a_commit_that_does_not_build_on_the_tip_is_refused(ground: Ground) -> None:
    ground.repository.tip()
    stray = ground.repository.commit(ground.repository.empty_tree(), [], "stray")
    with pytest.raises(Stale):
        ground.landing.move("main", ground.tip(), stray)


@pytest.mark.parametrize("where", ["another branch", "no branch"])
def test_a_branch_that_is_not_checked_out_just_moves(ground: Ground, where: str) -> None:
    old = ground.repository.tip()
    plain(ground.user, "checkout", "-q", *(["-b", "side"] if where == "another branch" else ["--detach"]))
    put(ground.user, {"a.txt": "mine\n"})
    work = ground.worked({"a.txt": "new\n"})
    moved = ground.landing.move("main", old, work)
    assert moved.branch == "main" and not moved.note and ground.tip() == work
    assert (ground.user / "a.txt").read_text() == "mine\n"


def test_a_linked_work_tree_comes_along(ground: Ground, tmp_path: Path) -> None:
    old = ground.repository.tip()
    plain(ground.user, "checkout", "-q", "-b", "side")
    linked = tmp_path / "linked"
    plain(ground.user, "worktree", "add", "-q", str(linked), "main")
    work = ground.worked({"a.txt": "new\n"})
    assert ground.landing.move("main", old, work).branch == "main"
    assert (linked / "a.txt").read_text() == "new\n" and plain(linked, "status", "--short") == ""
    assert (ground.user / "a.txt").read_text() == "one\n" and status(ground) == ""
    put(linked, {"a.txt": "dirty\n"})
    moved = ground.landing.move("main", work, ground.worked({"a.txt": "newer\n"}, "r2"))
    assert moved.branch == "moot/main" and str(linked) in moved.note
    shutil.rmtree(linked)  # gone without a word to git
    tip = ground.repository.tip()
    assert ground.landing.move("main", tip, ground.worked({"b.txt": "b\n"}, "r3")).branch == "main"


def test_a_work_tree_on_a_disk_that_is_away_keeps_its_branch(ground: Ground, tmp_path: Path) -> None:
    old = ground.repository.tip()
    plain(ground.user, "checkout", "-q", "-b", "side")
    stick = tmp_path / "stick"
    plain(ground.user, "worktree", "add", "-q", str(stick), "main")
    plain(ground.user, "worktree", "lock", str(stick))
    stick.rename(tmp_path / "away")
    moved = ground.landing.move("main", old, ground.worked({"a.txt": "new\n"}))
    assert moved.branch == "moot/main" and str(stick) in moved.note and ground.tip() == old
    (tmp_path / "away").rename(stick)
    assert plain(stick, "status", "--short") == ""


def test_how_the_user_wants_files_compared_is_minded(ground: Ground) -> None:
    plain(ground.user, "config", "core.autocrlf", "true")
    plain(ground.user, "config", "core.fileMode", "false")
    (ground.user / "a.txt").unlink()
    plain(ground.user, "checkout", "-q", "--", "a.txt")
    (ground.user / "src/b.txt").chmod(0o755)
    assert (ground.user / "a.txt").read_bytes() == b"one\r\n" and status(ground) == ""
    moved = ground.landing.move("main", ground.repository.tip(), ground.worked({"c.txt": "c\n"}))
    assert moved.branch == "main" and (ground.user / "c.txt").read_bytes() == b"c\r\n" and status(ground) == ""


def test_a_submodule_serves_as_root(ground: Ground, tmp_path: Path) -> None:
    above = tmp_path / "above"
    above.mkdir()
    plain(above, "init", "-q")
    plain(above, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(ground.user), "sub")
    inner = Ground(tmp_path, root=above / "sub")
    moved = inner.landing.move("main", inner.repository.tip(), inner.worked({"a.txt": "new\n"}))
    assert moved.branch == "main" and (above / "sub/a.txt").read_text() == "new\n"
    assert plain(above / "sub", "status", "--short") == "" and (ground.user / "a.txt").read_text() == "one\n"


def test_a_branch_in_the_middle_of_a_rebase_is_left_alone(ground: Ground) -> None:
    plain(ground.user, "checkout", "-q", "-b", "side")
    ground.person_commits({"a.txt": "side\n"})
    plain(ground.user, "checkout", "-q", "main")
    ground.person_commits({"a.txt": "main\n"})
    plain(ground.user, "rebase", "-q", "side", check=False)
    old = ground.repository.tip()
    moved = ground.landing.move("main", old, ground.worked({"c.txt": "c\n"}))
    assert moved.branch == "moot/main" and "a rebase of main is going on" in moved.note and ground.tip() == old


@pytest.mark.ledger("R-19")
@pytest.mark.parametrize("done", ["nothing", "one file", "all files"])
def test_a_crash_between_branch_and_files_is_repaired(ground: Ground, done: str) -> None:
    old = ground.repository.tip()
    workspace = ground.make()
    put(workspace, {"a.txt": "new\n", "deep/c.txt": "c\n"})
    (workspace / "src/b.txt").unlink()
    work = ground.snapshot().commit
    assert work and old
    ground.repository.give(work)
    plain(ground.user, "update-ref", "refs/heads/main", work, old)  # and here it died
    if done in ("one file", "all files"):
        put(ground.user, {"a.txt": "new\n"})
    if done == "all files":
        put(ground.user, {"deep/c.txt": "c\n"})
        (ground.user / "src/b.txt").unlink()
    assert status(ground) != ""
    assert ground.landing.finish_checkout("main", old, work) == []
    assert status(ground) == "" and (ground.user / "deep/c.txt").read_text() == "c\n"
    assert not (ground.user / "src").exists()
    assert ground.landing.finish_checkout("main", old, work) == []


def test_the_repair_touches_nothing_the_user_changed(ground: Ground) -> None:
    old = ground.repository.tip()
    work = ground.worked({"a.txt": "new\n", "src/b.txt": "new\n", "c.txt": "c\n", "d.txt": "d\n"})
    ground.repository.give(work)
    plain(ground.user, "update-ref", "refs/heads/main", work)
    put(ground.user, {"a.txt": "mine\n", "c.txt": "also mine\n"})
    assert ground.landing.finish_checkout("main", old, work) == ["a.txt", "c.txt"]
    assert (ground.user / "a.txt").read_text() == "mine\n" and (ground.user / "c.txt").read_text() == "also mine\n"
    assert (ground.user / "src/b.txt").read_text() == "new\n" and (ground.user / "d.txt").read_text() == "d\n"
    # Once the user went on from there, it is the user's.
    ground.person_commits({"e.txt": "e\n"})
    before = status(ground)
    assert ground.landing.finish_checkout("main", old, work) == [] and status(ground) == before


def test_a_crash_after_work_stood_aside_is_repaired(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    old = ground.repository.tip()
    put(ground.user, {"src/b.txt": "mine\n"})
    first = ground.worked({"a.txt": "first\n"})
    ground.landing.move("main", old, first)
    plain(ground.user, "checkout", "-q", "--", ".")
    second = ground.worked({"c.txt": "c\n"}, "r2")
    with monkeypatch.context() as patch:
        patch.setattr(Checkout, "forward", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            ground.landing.move("main", first, second)
    assert ground.tip() == second and status(ground) != ""
    # The tip it was merged with was ahead of the branch, whose files must come all the way.
    assert ground.landing.finish_checkout("main", first, second) == [] and status(ground) == ""


def test_a_file_changed_at_the_last_moment_is_told(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    old = ground.repository.tip()
    work = ground.worked({"a.txt": "new\n", "src/b.txt": "new\n"})
    give = Checkout.forward

    def late(checkout: Checkout, before: str | None, after: str) -> list[str]:
        put(ground.user, {"a.txt": "mine, just now\n"})
        return give(checkout, before, after)

    monkeypatch.setattr(Checkout, "forward", late)
    moved = ground.landing.move("main", old, work)
    assert moved.branch == "main" and moved.left == ["a.txt"] and "a.txt" in moved.note
    assert (ground.user / "a.txt").read_text() == "mine, just now\n"
    assert (ground.user / "src/b.txt").read_text() == "new\n"


def test_a_lock_that_goes_away_is_waited_for(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    old = ground.repository.tip()
    work = ground.worked({"a.txt": "new\n"})
    lock = ground.user / ".git/index.lock"
    lock.touch()
    monkeypatch.setattr(ground.landing, "_pause", lambda _: lock.unlink())
    assert ground.landing.move("main", old, work).branch == "main" and status(ground) == ""


def test_what_git_itself_finds_unsafe_does_not_land(ground: Ground) -> None:
    old = ground.repository.tip()
    work = ground.worked({".gitmodules": '[submodule "s"]\n\tpath = s\n\turl = x\n\tupdate = !evil\n'})
    with pytest.raises(Refused) as told:
        ground.landing.move("main", old, work)
    assert told.value.code == "unsafe_change" and ground.tip() == old


def test_a_branch_that_cannot_be_made_is_told(ground: Ground) -> None:
    plain(ground.user, "branch", "moot")
    old = ground.repository.tip()
    put(ground.user, {"a.txt": "mine\n"})
    with pytest.raises(Unavailable) as told:
        ground.landing.move("main", old, ground.worked({"c.txt": "c\n"}))
    assert told.value.code == "branch_stuck" and ground.tip() == old


def test_the_same_landing_twice_changes_nothing(ground: Ground) -> None:
    old = ground.repository.tip()
    work = ground.worked({"a.txt": "new\n"})
    ground.landing.move("main", old, work)
    with pytest.raises(Stale):
        ground.landing.move("main", old, work)
    assert ground.landing.move("main", work, work).branch == "main" and ground.tip() == work


def test_a_branch_of_the_users_own_beside_the_target_is_not_moved(ground: Ground) -> None:
    plain(ground.user, "branch", "moot/main")
    plain(ground.user, "checkout", "-q", "moot/main")
    put(ground.user, {"experiment.txt": "unfinished\n"})
    plain(ground.user, "add", ".")
    plain(ground.user, "commit", "-qm", "mine")
    own = plain(ground.user, "rev-parse", "HEAD")
    plain(ground.user, "checkout", "-q", "main")
    old, work = ground.repository.tip(), ground.worked({"new.txt": "n\n"})
    put(ground.user, {"a.txt": "mine\n"})
    with pytest.raises(Refused, match="holds what is not moot's") as refused:
        ground.landing.move("main", old, work)
    assert "git branch -m moot/main" in (refused.value.hint or "")
    assert plain(ground.user, "rev-parse", "moot/main") == own and ground.tip() == old
