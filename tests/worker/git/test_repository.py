"""The engine's own repository, and what it reads of the user's."""

import os
import shutil
from pathlib import Path

import pytest

from folkmoot.core.work import Touched
from folkmoot.errors import Refused, Unavailable
from folkmoot.worker.git.change import is_cut
from folkmoot.worker.git.repository import Repository
from folkmoot.worker.git.words import CUT_HERE, calling_nobody, message
from tests.worker.git.ground import ANN, Ground, plain, put


@pytest.mark.parametrize("form", ["sha1", "sha256"])
@pytest.mark.ledger("R-19")
def test_the_way_of_a_change(tmp_path: Path, form: str) -> None:
    ground = Ground(tmp_path, form=form)
    base = ground.repository.tip()
    assert base == ground.tip() and len(base) == (64 if form == "sha256" else 40)
    work = ground.worked({"a.txt": "new\n"})
    merged = ground.repository.merge(base, work, "m")
    assert merged.commit == work and merged.forward and merged.tree == ground.repository.tree_of(work)
    moved = ground.landing.move("main", base, work)
    assert (moved.branch, moved.note) == ("main", "") and ground.tip() == work
    assert (ground.user / "a.txt").read_text() == "new\n"
    assert plain(ground.user, "status", "--short") == ""


def test_it_is_made_once_and_reads_what_comes_later(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    first = ground.repository.tip()
    second = ground.person_commits({"a.txt": "two\n"})
    assert ground.repository.tip() == second != first
    ground.open()
    assert ground.repository.tip() == second
    assert ground.repository.kept("refs/moot/target/main") == second
    assert [name for name in os.listdir(ground.home) if name.startswith("repo.git")] == ["repo.git"]


def test_a_crash_while_it_is_made_leaves_nothing_that_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ground = Ground(tmp_path)
    shutil.rmtree(ground.home / "repo.git")
    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            ground.open()
    assert not (ground.home / "repo.git").exists()
    ground.open()
    assert ground.repository.tip() == ground.tip()


def test_only_what_the_target_reaches_is_taken(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    plain(ground.user, "checkout", "-q", "-b", "private")
    put(ground.user, {"private.txt": "nobody's business\n"})
    plain(ground.user, "add", ".")
    plain(ground.user, "commit", "-qm", "private")
    private = plain(ground.user, "rev-parse", "HEAD:private.txt")
    plain(ground.user, "checkout", "-q", "main")
    plain(ground.user, "gc", "-q")
    shutil.rmtree(ground.home / "repo.git")
    ground.open()
    tip = ground.repository.tip()
    listed = plain(ground.home / "repo.git", "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split()
    assert tip in listed and private not in listed
    packs = list((ground.home / "repo.git/objects/pack").glob("*.pack"))
    assert all(pack.stat().st_nlink == 1 for pack in packs)


def test_a_branch_without_a_commit(tmp_path: Path) -> None:
    ground = Ground(tmp_path, files={})
    assert ground.repository.tip() is None
    workspace = ground.make(commit=None)
    assert "No commits yet" in plain(workspace, "status")
    put(workspace, {"a.txt": "first\n"})
    work = ground.snapshot(base=None)
    assert work.commit and work.touched == [Touched("a.txt", "created")]
    other = ground.worked({"b.txt": "second\n"}, "r2", None)
    assert ground.landing.move("main", None, work.commit).branch == "main"
    assert (ground.user / "a.txt").read_text() == "first\n" and plain(ground.user, "status", "--short") == "?? .moot/"
    merged = ground.repository.merge(work.commit, other, "both")
    assert merged.commit and not merged.forward
    ground.landing.move("main", work.commit, merged.commit)
    assert (ground.user / "b.txt").exists()


@pytest.mark.ledger("R-19")
def test_conflicts_are_named_and_nothing_is_committed(tmp_path: Path) -> None:
    ground = Ground(tmp_path, {"a.txt": "1\n", "b.txt": "1\n", "ä ö.txt": "1\n"})
    base = ground.repository.tip()
    ours = ground.worked({"a.txt": "ours\n", "ä ö.txt": "ours\n", "b.txt": "ours\n"}, "r1", base)
    theirs = ground.worked({"a.txt": "theirs\n", "ä ö.txt": "theirs\n"}, "r2", base)
    merged = ground.repository.merge(ours, theirs, "m")
    assert merged.conflicts == ["a.txt", "ä ö.txt"]
    assert merged.commit is None and merged.tree
    marked = ground.git("cat-file", "-p", f"{merged.tree}:a.txt", git_dir=ground.repository.git_dir).out.decode()
    assert "<<<<<<<" in marked and "ours" in marked and "theirs" in marked
    apart = ground.worked({"c.txt": "c\n"}, "r3", base)
    both = ground.repository.merge(ours, apart, "m", ANN)
    assert (
        both.commit and ground.repository.contains(both.commit, ours) and ground.repository.contains(both.commit, apart)
    )
    assert not ground.repository.contains(ours, apart)
    assert ground.repository.merge(both.commit, apart, "m").commit == both.commit


@pytest.mark.ledger("Q-03", "R-20")
def test_what_was_touched_is_told_path_by_path(tmp_path: Path) -> None:
    ground = Ground(tmp_path, {"a.txt": "1\n", "gone.txt": "same\n", "run.sh": "x\n", "kind": "file\n"})
    base = ground.repository.tip()
    workspace = ground.make()
    (workspace / "gone.txt").rename(workspace / "came.txt")
    (workspace / "run.sh").chmod(0o755)
    (workspace / "kind").unlink()
    (workspace / "kind").symlink_to("../../outside")
    put(workspace, {"deep/Ünïcode name\n.txt": "x"})
    (workspace / os.fsdecode(b"bytes\xff")).write_text("x")
    work = ground.snapshot()
    assert work.commit and work.touched == ground.repository.touched(base, work.commit)
    assert set(work.touched) == {
        Touched("came.txt", "created"),
        Touched("gone.txt", "deleted"),
        Touched("run.sh", "modified", "100755"),
        Touched("kind", "modified", "120000", "../../outside"),
        Touched("deep/Ünïcode name\n.txt", "created"),
        Touched("bytes\\xff", "created"),
    }


def test_a_submodule_in_a_commit_is_told(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    base = ground.repository.tip()
    plain(ground.user, "update-index", "--add", "--cacheinfo", f"160000,{base},sub")
    plain(ground.user, "commit", "-qm", "a submodule")
    tip = ground.repository.tip()
    assert tip and ground.repository.touched(base, tip) == [Touched("sub", "created", "160000")]


def test_a_diff_is_capped_and_hides_nothing(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    base = ground.repository.tip()
    # An agent may not call its change binary to keep it out of sight.
    files = {f"f{number:03}.txt": "line\n" * 20 for number in range(120)}
    work = ground.worked({".gitattributes": "*.txt binary\n"} | files)
    whole = ground.repository.diff(base, work, 10_000_000)
    assert whole.count("+++ b/f") == 120 and "Binary" not in whole
    part = ground.repository.diff(base, work, 5_000)
    assert len(part.encode()) < 5_200 and part.endswith("cut here: the whole change touches 121 files\n")
    assert is_cut(part) and not is_cut(whole) and not is_cut("") and not is_cut(f"+++ b/a\n+{CUT_HERE}\n")
    assert whole.startswith(part.rsplit("…", 1)[0])


def test_a_work_tree_linked_to_the_repository_serves_as_root(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    linked = tmp_path / "linked"
    plain(ground.user, "worktree", "add", "-q", "-b", "side", str(linked))
    (linked / "deep").mkdir()
    other = Ground(tmp_path, root=linked / "deep")
    assert other.repository.tip() == ground.tip()
    assert other.repository.user.common == str(ground.user / ".git")


def test_a_bare_repository_serves_as_root(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    plain(tmp_path, "clone", "-q", "--bare", str(ground.user), "bare.git")
    bare = Ground(tmp_path, root=tmp_path / "bare.git")
    work = bare.worked({"a.txt": "x\n"})
    assert bare.landing.move("main", bare.repository.tip(), work).branch == "main"
    assert plain(tmp_path / "bare.git", "rev-parse", "main") == work


def test_a_shallow_clone_serves_as_root(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    ground.person_commits({"a.txt": "later\n"})
    plain(tmp_path, "clone", "-q", "--depth=1", f"file://{ground.user}", "shallow")
    shallow = Ground(tmp_path, root=tmp_path / "shallow")
    work = shallow.worked({"b.txt": "x\n"})
    assert shallow.landing.move("main", shallow.repository.tip(), work).branch == "main"
    assert plain(tmp_path / "shallow", "fsck") == "" and (tmp_path / "shallow/b.txt").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="NOT RUN: only root can give a repository to somebody else")
def test_a_repository_of_somebody_else_s(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    for folder, _, files in os.walk(ground.user):
        for name in [folder, *(os.path.join(folder, file) for file in files)]:
            os.chown(name, 65534, 65534, follow_symlinks=False)
    assert plain(ground.user, "rev-parse", "HEAD", check=False) == ""  # a person's git refuses it
    shutil.rmtree(ground.home)
    ground.open()
    tip = ground.repository.tip()
    assert ground.landing.move("main", tip, ground.worked({"a.txt": "x\n"})).branch == "main"
    assert (ground.user / "a.txt").read_text() == "x\n"


def test_no_repository_and_a_bad_branch_are_told(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    (tmp_path / "empty/.git").mkdir(parents=True)
    for root, target in ((tmp_path / "empty", "main"), (ground.user, "a..b")):
        with pytest.raises(Refused):
            Repository.open(ground.git, str(root), str(tmp_path / "x"), target)


def test_another_kind_of_objects_is_told(tmp_path: Path) -> None:
    Ground(tmp_path)
    shutil.rmtree(tmp_path / "user/.git")
    plain(tmp_path / "user", "init", "-q", "-b", "main", "--object-format=sha256")
    with pytest.raises(Unavailable, match="sha256"):
        Ground(tmp_path, root=tmp_path / "user")


def test_a_work_tree_never_borrows_the_repository_above(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    workspace = ground.make()
    shutil.rmtree(workspace / ".git")
    put(workspace, {"a.txt": "x\n"})
    before = plain(ground.user, "status", "--short")
    assert [touched.path for touched in ground.snapshot().touched] == ["a.txt"]
    assert plain(ground.user, "status", "--short") == before


def test_what_the_user_excludes_stays_out(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    put(ground.user, {".git/info/exclude": "secret.txt\n"})
    ground.open()
    put(ground.make(), {"secret.txt": "s", "__pycache__/x.pyc": "p", "a.log": "l", "kept.txt": "k"})
    assert [touched.path for touched in ground.snapshot().touched] == ["kept.txt"]


def test_only_refs_of_ours_are_kept(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    tip = ground.repository.tip()
    assert tip
    ground.repository.keep(ground.repository.item_ref("X1"), tip)
    assert ground.repository.kept("refs/moot/items/X1") == tip and ground.repository.kept("refs/moot/items/X2") is None
    with pytest.raises(ValueError):
        ground.repository.keep("refs/heads/main", tip)


@pytest.mark.parametrize(
    ("words", "calls"),
    [
        ("closes #1", True),
        ("Resolved: acme/shop#12", True),
        ("FIX gh-7", True),
        ("fixes https://forge.example/acme/shop/issues/1", True),
        ("thanks @ann", True),
        ("(@acme/team)", True),
        ("fix: the reset of a password", False),
        ("prefixes #1 and the fixture #2", False),
        ("mail to ann@example.org", False),
        ("see #12", False),
    ],
)
def test_only_what_calls_somebody_or_closes_something_gets_an_unseen_letter(words: str, calls: bool) -> None:
    assert (calling_nobody(words) != words) == calls
    assert calling_nobody(words).replace("\u2060", "") == words
    assert message(words, {}) == f"{words}\n", "only where a forge shows it"
    assert message(words, {}, proposed=True) == f"{calling_nobody(words)}\n"
