"""Submodules, Git LFS, sparse checkouts and partial clones: they work, or are refused by name."""

from pathlib import Path

import pytest

from folkmoot.errors import Unavailable
from folkmoot.wiring.trust import git_for
from folkmoot.worker.git.elsewhere.findings import check_parts, findings
from tests.some import some
from tests.worker.yard import Yard, git

FILES = ("-c", "protocol.file.allow=always")
FLOW = """
flow: parts
start: dev
limits: {slots: 1, lease: 60s, timeout: 60s, silence: 50s, executions: 1, feedback_rounds: 1}
columns: {dev: {agents: [dev], next: done, gate: [check]}}
agents: {dev: {run: {command: ACTOR}, write: any, ladder: {0: small, 1+: escalate}}}
gates: {check: {run: [sh, -c, "cat lib/README.md; cat lib/code.txt"]}}
"""
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 12\n"


def library(folder: Path) -> Path:
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main", ".")
    (folder / "README.md").write_text("a library\n")
    (folder / "code.txt").write_text("code\n")
    (folder / ".gitignore").write_text("built\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "of the library")
    return folder


def with_library(tmp_path: Path, more: str = "") -> Yard:
    yard = Yard(tmp_path / "yard", flow=FLOW + more)
    git(yard.folder, *FILES, "submodule", "add", "-q", str(library(tmp_path / "library")), "lib")
    git(yard.folder, "commit", "-q", "-m", "with a library")
    return yard


def found(yard: Yard) -> list[tuple[str, str]]:
    home = str(yard.folder / ".moot")
    return [(one.kind, one.do) for one in findings(git_for(home), str(yard.folder), "main")]


def said(yard: Yard, item: str) -> list[str]:
    return [yard.output(run["run"]) for run in yard.show(item)["runs"] if run["agent"] != "landing"]


@pytest.mark.ledger("R-17")
def test_a_submodule_that_you_have_is_in_the_clones_of_agents_and_gates(tmp_path: Path) -> None:
    yard = with_library(tmp_path, "clone: {setup: [[sh, -c, 'echo x > lib/built; echo broken > lib/code.txt']]}\n")
    assert found(yard) == []
    item = yard.add(
        "one",
        "shell cat lib/code.txt; git -C lib log --format=%s; git -C lib status --short; git status --short; ls lib",
        "write own.txt x",
        "report done",
    )
    yard.run()
    words = said(yard, item)
    assert yard.status(item) == "done", (words, yard.show(item)["why"], yard.show(item)["runs"][0]["report"]["summary"])
    assert words[0].splitlines()[:3] == ["code", "of the library", "README.md"], words[0]
    assert words[1].splitlines()[:2] == ["a library", "code"]
    assert "160000 commit" in git(yard.folder, "ls-tree", "main", "lib")
    yard.doctor()


@pytest.mark.ledger("R-20")
@pytest.mark.parametrize(
    "act",
    some(
        [
            "echo changed >> lib/code.txt",
            "echo new > lib/new.txt",
            "rm lib/README.md",
            "cd lib && git commit -q --allow-empty -m moved",
            "rm -rf lib && mkdir lib && echo x > lib/x",
        ],
        ["echo changed >> lib/code.txt", "cd lib && git commit -q --allow-empty -m moved"],
    ),
)
def test_a_change_in_a_submodule_is_refused_by_name(tmp_path: Path, act: str) -> None:
    yard = with_library(tmp_path)
    item = yard.add("one", f"shell {act}", "write own.txt x", "report done")
    yard.run()
    assert len(yard.commits()) == 2, yard.commits()
    run = yard.show(item)["runs"][0]
    assert run["outcome"] == "failed", run
    assert "lib" in run["report"]["summary"], run["report"]["summary"]
    yard.doctor()


def test_a_submodule_that_you_have_not_is_named_with_what_to_do(tmp_path: Path) -> None:
    yard = with_library(tmp_path)
    git(yard.folder, "submodule", "deinit", "-q", "-f", "lib")
    assert found(yard) == [("submodule", "git submodule update --init")]
    item = yard.add("one", "shell ls -A lib", "shell echo $MOOT_ITEM >> own.txt", "report done")
    yard.run()
    assert said(yard, item)[0].splitlines()[0].startswith("{"), said(yard, item)


def test_a_change_to_a_file_of_git_lfs_is_refused_by_name(tmp_path: Path) -> None:
    files = {".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", "a.bin": POINTER}
    yard = Yard(tmp_path / "yard", files=files)
    assert [kind for kind, _ in found(yard)] == ["lfs"]
    wrong = yard.add("wrong", "write a.bin content", "report done")
    new = yard.add("new", "write sub/b.bin content", "report done")
    fine = yard.add("fine", "shell mv a.bin c.bin", "write own.txt x", "report done")
    yard.run()
    for item in (wrong, new):
        assert "is kept in Git LFS" in yard.show(item)["runs"][0]["report"]["summary"], yard.show(item)["runs"][0]
    # A tree whose files go through a filter does not come along: the work stands beside the target.
    assert yard.status(fine) == "done" and git(yard.folder, "show", "moot/main:c.bin") == POINTER.strip()


def test_a_partial_clone_is_refused_before_anything_begins(tmp_path: Path) -> None:
    origin = Yard(tmp_path / "origin", files={"a.txt": "a\n", "sub/b.txt": "b\n"})
    for key in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
        git(origin.folder, "config", key, "true")
    place = tmp_path / "yard"
    git(tmp_path, *FILES, "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{origin.folder}", str(place))
    git(place, "sparse-checkout", "set", "nothing")
    yard = Yard.__new__(Yard)
    yard.folder = place
    assert found(yard) == [("partial", "git fetch --refetch --no-filter")]
    with pytest.raises(Unavailable, match="a partial clone"):
        check_parts(git_for(str(place / ".moot")), str(place), "main")
    git(place, *FILES, "fetch", "-q", "--refetch", "--no-filter")
    assert [kind for kind, _ in found(yard)] == ["sparse"]


def test_a_sparse_checkout_is_named_and_work_in_it_is_not_lost(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", files={"a/x.txt": "x\n", "b/y.txt": "y\n"})
    git(yard.folder, "sparse-checkout", "set", "a")
    assert [kind for kind, _ in found(yard)] == ["sparse"]
    item = yard.add("one", "write b/y.txt more", "report done")
    yard.run()
    assert yard.status(item) == "done"
    assert git(yard.folder, "show", "moot/main:b/y.txt") == "more"
    assert not (yard.folder / "b").exists()
