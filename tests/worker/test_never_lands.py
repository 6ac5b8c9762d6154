"""What no change may make or reach, whatever its name is: a folder that git takes for a repository, and repositories of
the user's that lie in the work tree."""

import shutil
import subprocess
from pathlib import Path

import pytest

from folkmoot.wiring.boards import FileBoards
from tests.some import some
from tests.worker.yard import Yard, git


def refused(yard: Yard, item: str, words: str) -> None:
    last = yard.show(item)["runs"][-1]
    assert (last["outcome"], last["cause"]) == ("failed", "conflict"), last
    assert words in str(last), last


def tracked(yard: Yard) -> list[str]:
    return git(yard.folder, "ls-tree", "-r", "--name-only", "--full-tree", "main").splitlines()


# A folder that git takes for a repository

PARTS = {
    "HEAD": "write web/HEAD ref: refs/heads/main",
    "objects": "write web/objects/x x",
    "refs": "write web/refs/heads/x x",
    "config": "write web/config [core]",
}
BARE = {
    "plain": list(PARTS.values()),
    "another case": [act.replace("HEAD", "head").replace("objects", "Objects") for act in PARTS.values()],
    "links": ["write data/x x", PARTS["HEAD"], "shell ln -s ../data web/objects", "shell ln -s ../data web/refs"],
    "programs": [PARTS["HEAD"], "shell for n in objects refs; do touch web/$n; chmod +x web/$n; done"],
    "commondir": [PARTS["HEAD"], "write web/commondir ../evil", "write evil/config [core]"],
    "a HEAD that is a link": ["shell mkdir -p web; ln -s refs/heads/x web/HEAD", PARTS["objects"], PARTS["refs"]],
    "deep": [act.replace("web/", "a/b/c/") for act in PARTS.values()],
}


@pytest.mark.attack(
    "tree",
    "a change makes a bare repository of a folder, whose config names a command",
    "it is refused: git would run that at the user's next command there",
)
@pytest.mark.ledger("R-19", "R-20")
@pytest.mark.parametrize("how", some(BARE, ["commondir", "deep"]))
def test_no_change_makes_a_repository_of_a_folder(tmp_path: Path, how: str) -> None:
    yard = Yard(tmp_path / "yard", files={"web/index.html": "x\n"})
    item = yard.add("bare", *BARE[how], "report done")
    yard.run()
    refused(yard, item, "takes for a repository")
    assert tracked(yard) == ["README.md", "web/index.html"]
    run_of = yard.show(item)["runs"][-1]["run"]
    view = FileBoards().salvage(yard.board._application, run_of, None)
    assert any(path.endswith(("HEAD", "head")) for path in view.left_out), "a branch to check out comes without it"
    yard.close()


@pytest.mark.attack(
    "tree",
    "the parts of a bare repository come in several changes, each harmless",
    "the one that would make it whole is refused: the tree that comes of it is looked at",
)
@pytest.mark.ledger("R-19", "R-20")
def test_the_tree_that_comes_of_a_change_is_looked_at(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", files={"web/index.html": "x\n"})
    exclude = yard.folder / ".git/info/exclude"
    exclude.write_text("web/refs/\n.moot/\n")
    first = yard.add("first", PARTS["HEAD"], "report done")
    yard.run()
    assert yard.status(first) == "done"
    (yard.folder / "web/refs").mkdir()  # in the user's tree, unknown to git: with what lands it would be whole
    second = yard.add("second", PARTS["objects"], PARTS["config"], "report done")
    yard.run()
    refused(yard, second, "takes for a repository")
    (yard.folder / "web/refs").rmdir()
    exclude.write_text(".moot/\n")
    both = [yard.add(name, PARTS[name], "report done") for name in ("objects", "refs")]
    yard.run()
    assert sum(yard.status(item) == "done" for item in both) == 1, "each may land, and both may not"
    inside = subprocess.run(["git", "rev-parse", "--git-dir"], cwd=yard.folder / "web", capture_output=True, text=True)
    assert inside.stdout.strip() == str(yard.folder / ".git")
    yard.close()


@pytest.mark.ledger("R-20")
def test_a_repository_that_was_there_goes_on_as_long_as_no_run_changes_it(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    git(yard.folder, "init", "-q", "--bare", "tests/data/old.git")
    (yard.folder / "tests/data/old.git/refs/heads/.keep").write_text("")
    (yard.folder / "tests/data/old.git/objects/.keep").write_text("")
    git(yard.folder, "add", "tests")
    git(yard.folder, "commit", "-q", "-m", "a fixture")
    beside = yard.add("beside", "write tests/data/new.txt x", "write tests/data/old.txt x", "report done")
    inside = yard.add("inside", "shell echo >> tests/data/old.git/config", "report done")
    hook = yard.add("hook", "write tests/data/old.git/hooks/post-update x", "report done")
    yard.run()
    assert yard.status(beside) == "done"
    refused(yard, inside, "takes for a repository")
    refused(yard, hook, "takes for a repository")
    gone = yard.add("gone", "shell rm -r tests/data/old.git", "report done")
    yard.run()
    assert yard.status(gone) == "done" and not (yard.folder / "tests/data/old.git/config").exists()
    yard.close()


# Repositories of the user's in the work tree


@pytest.mark.attack(
    "tree",
    "a change writes into the user's own git folder, which lies in the work tree under another name",
    "it is refused, also on the way there and by ignore rules of its own",
)
@pytest.mark.ledger("R-19", "R-20")
def test_the_users_own_git_folder_is_not_written_wherever_it_lies(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    shutil.move(yard.folder / ".git", tmp_path / "moved")
    (yard.folder / "var").mkdir()
    shutil.move(tmp_path / "moved", yard.folder / "var/gitdata")
    (yard.folder / ".git").write_text("gitdir: var/gitdata\n")
    (yard.folder / "var/gitdata/info/exclude").write_text("var/\n.moot/\n")
    FileBoards().create(str(yard.folder), "kanban").close()  # this is the repository it is for
    import_log = "write .gitignore !var"
    acts = {
        "ref": "write var/gitdata/refs/heads/feature x",
        "attributes": "write var/gitdata/info/attributes x",
        "commondir": "write var/gitdata/commondir ../../evil",
        "case": "write var/GITDATA/config x",
        "over": "shell rm -rf var; echo x > var",
    }
    items = {name: yard.add(name, import_log, act, "report done") for name, act in acts.items()}
    good = yard.add("good", import_log, "write var/other.txt x", "report done")
    yard.run()
    for item in items.values():
        refused(yard, item, "is run or read by your own git")
    assert yard.status(good) == "done"
    assert not (yard.folder / "var/gitdata/commondir").exists()
    yard.close()


@pytest.mark.attack(
    "tree",
    "a change writes into another repository of the user's that lies in an ignored folder",
    "it is refused: a bare one would run it at the next push, one with a tree has files and hooks of its own",
)
@pytest.mark.ledger("R-19", "R-20")
def test_other_repositories_of_the_user_are_not_written(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", files={".gitignore": "mirror.git/\nclone/\ntree/\n"})
    git(yard.folder, "clone", "-q", "--bare", ".", "mirror.git")
    git(yard.folder, "clone", "-q", ".", "clone")
    git(yard.folder, "worktree", "add", "-q", "tree", "-b", "side")
    acts = {
        "hook": "write mirror.git/hooks/post-update x",
        "clone": "write clone/src/new.txt x",
        "tree": "write tree/new.txt x",
    }
    items = {name: yard.add(name, "write .gitignore #", act, "report done") for name, act in acts.items()}
    yard.run()
    refused(yard, items["hook"], "takes for a repository")
    refused(yard, items["clone"], "another repository")
    refused(yard, items["tree"], "another repository")
    assert tracked(yard) == [".gitignore", "README.md"]
    yard.close()
