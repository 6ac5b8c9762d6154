"""Work that landed and is gone from its branch, and work that never landed: what a person finds, and by which words."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from folkmoot.core.commands import Actor, AddItem
from folkmoot.wiring.boards import FileBoards
from tests import stores
from tests.doors.conftest import Moot

ADA = Actor("ada")
AGENT = """
case $MOOT_ITEM in
  1) echo 12 > prices.txt ;;
  *) echo more > f$MOOT_ITEM.txt ;;
esac
echo '{"outcome": "done", "summary": "wrote it"}'
"""


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=ada", "-c", "user.email=ada@example.invalid"]
    ran = subprocess.run(["git", "-C", str(folder), *who, *words], check=True, capture_output=True, text=True)
    return ran.stdout.strip()


def flow(**more: Any) -> str:
    return json.dumps(
        {
            "flow": "tiny",
            "columns": {"dev": {"agents": ["dev"], "next": "done"}},
            "agents": {"dev": {"run": {"command": ["/bin/sh", "-c", AGENT]}}},
            "sandbox": "never",
            **more,
        }
    )


def made(folder: Path, *titles: str, **more: Any) -> None:
    (folder / "a.txt").write_text("good\n")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    if "remote" in more:
        git(folder, "init", "-q", "--bare", "-b", "main", str(folder / ".moot-remote.git"))
        git(folder, "remote", "add", "origin", str(folder / ".moot-remote.git"))
        git(folder, "push", "-q", "origin", "main")
    (folder / ".moot").mkdir()
    (folder / ".moot" / "flow.yaml").write_text(flow(**more))
    FileBoards().create(str(folder), "kanban").close()
    worked(folder, *titles)


def worked(folder: Path, *titles: str) -> None:
    boards = FileBoards()
    board = boards.open(str(folder / ".moot"))
    for title in titles:
        board.engine.add(ADA, AddItem(title=title))
    boards.work(board, slots=1, agents=[], until_idle=True, tell=lambda told: None, begin=lambda view: None)
    board.close()


@pytest.fixture(scope="module")
def landed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with two items that have landed."""
    folder = tmp_path_factory.mktemp("landed")
    made(folder, "Prices", "More")
    return folder


@pytest.fixture
def ran(nowhere: Moot, landed: Path, monkeypatch: pytest.MonkeyPatch) -> Moot:
    monkeypatch.setenv("COLUMNS", "100")
    stores.copy(landed, nowhere.folder)
    return nowhere


def words(text: str) -> str:
    return " ".join(text.split())


def lost(moot: Moot) -> list[str]:
    """The items whose landed work is gone, by the doctor's word; the board itself is sound all the while."""
    return [one["item"] for one in moot.json("doctor").get("lost", [])]


def test_what_is_on_its_branch_is_not_called_lost(ran: Moot) -> None:
    assert lost(ran) == []
    assert "no longer there" not in ran("show", "1").out
    assert "any more" not in ran("ready").out + ran("doctor").out


def test_a_reset_that_takes_landed_work_off_the_branch_is_said_with_the_way_back(ran: Moot) -> None:
    gone = git(ran.folder, "rev-parse", "main")
    git(ran.folder, "reset", "-q", "--hard", "HEAD~1")
    assert lost(ran) == ["2"]
    shown = words(ran("show", "2").out)
    assert f"landed on main at {gone[:12]}, and is no longer there" in shown
    assert "because its work is on main" not in shown and "Nothing: it is done" not in shown
    for told in (shown, words(ran("doctor").out), words(ran("ready").out)):
        assert f"git merge {gone[:12]}" in told and "moot reopen 2" in told
    assert "#2 landed on main, and main does not have that work any more" in words(ran("ready").out)
    assert "no longer there" not in ran("show", "1").out
    git(ran.folder, "merge", "-q", gone[:12])
    assert lost(ran) == [] and (ran.folder / "f2.txt").exists()


def test_status_digest_doctor_and_salvage_tell_of_it_first_and_alike(ran: Moot) -> None:
    gone = git(ran.folder, "rev-parse", "main")
    git(ran.folder, "reset", "-q", "--hard", "HEAD~1")
    way = f"git merge {gone[:12]}"
    for command in (("digest", "--since", "1h"), ("doctor",), ("salvage",)):
        out = ran(*command).out
        assert way in words(out) and "moot reopen 2 --why …" in words(out), command
        told = out.splitlines()[3 if command[0] == "digest" else 0 :]  # a digest has its own sum above its parts
        assert told[0] == "Lost: it landed, and its branch does not have it any more" and "#2" in told[1], command
    status = ran("status").out.splitlines()
    assert status[1].strip() == "lost     #2 landed, and its branch does not have it any more: moot doctor"
    assert ran("doctor").out.count("✓") == 0, "what holds would bury what does not"
    digest = ran.json("digest", "--since", "1h")
    assert [one["item"] for one in digest["landed"]] == ["1", "2"]
    assert (
        "Landed\n  #1 " in ran("digest", "--since", "1h").out
        and ", 1 lost since," in ran("digest", "--since", "1h").out
    )
    for command in (("digest", "--since", "1h"), ("doctor",), ("salvage",), ("status",)):
        assert [one["brings_back"] for one in ran.json(*command)["lost"]] == [way], command
    assert ran.json("salvage")["unlanded"] == [], "its runs did land"
    git(ran.folder, "merge", "-q", gone[:12])
    for command in (("digest", "--since", "1h"), ("salvage",), ("status",)):
        assert not ran.json(*command)["lost"] and "any more" not in ran(*command).out, command


def test_a_landing_that_a_commit_has_undone_is_told_alike(ran: Moot) -> None:
    """The commit is in the branch, and its change is not."""
    landed = git(ran.folder, "rev-parse", "main")
    git(ran.folder, "revert", "--no-edit", landed)
    by = git(ran.folder, "rev-parse", "main")
    for command in (("digest", "--since", "1h"), ("doctor",), ("salvage",), ("show", "2")):
        out = words(ran(*command).out)
        assert f"git revert {by[:12]}" in out and "moot reopen 2" in out and f"{by[:12]} has undone it" in out, command
    assert [one["undone_by"] for one in ran.json("status")["lost"]] == [by]
    git(ran.folder, "revert", "--no-edit", by)
    assert lost(ran) == [], "it was brought back"
    git(ran.folder, "revert", "--no-edit", landed)
    ran("reopen", "2", "--why", "It was not what we wanted")
    assert lost(ran) == []


@pytest.mark.attack(
    "target",
    "an agent's summary says that its commit reverts another item's landing, or the commit that reverted it",
    "nothing is undone by the words of an item's own landing: only what somebody else has committed tells of it",
)
def test_by_the_words_of_a_landing_nothing_is_undone(ran: Moot) -> None:
    landed = git(ran.folder, "rev-parse", "main")
    words_of = f"Tidy up\n\nThis reverts commit {landed}.\n\nMoot-Item: 9"
    git(ran.folder, "commit", "-q", "--allow-empty", "-m", words_of)
    assert lost(ran) == []
    git(ran.folder, "revert", "--no-edit", landed)
    by = git(ran.folder, "rev-parse", "main")
    git(ran.folder, "commit", "-q", "--allow-empty", "-m", words_of.replace(landed, by))
    assert lost(ran) == ["2"]


def test_the_merge_of_a_landing_is_listed_with_its_item(ran: Moot) -> None:
    git(ran.folder, "reset", "-q", "--hard", "HEAD~1")
    ran("reopen", "2")
    assert {one["item"] for one in ran.json("salvage")["unlanded"]} == {"2"}


def test_the_command_of_the_last_one_brings_back_all_that_it_was_built_on(ran: Moot) -> None:
    git(ran.folder, "reset", "-q", "--hard", "HEAD~2")
    found = ran.json("doctor")["lost"]
    assert [(one["item"], one["last"]) for one in found] == [("1", False), ("2", True)]
    assert "#1, #2 landed on main" in ran("ready").out and found[1]["brings_back"] in ran("ready").out
    git(ran.folder, *found[1]["brings_back"].split()[1:])
    assert lost(ran) == [] and (ran.folder / "prices.txt").exists()


def test_what_landed_later_on_the_branch_that_was_moved_back_does_not_hide_it(ran: Moot) -> None:
    git(ran.folder, "reset", "-q", "--hard", "HEAD~2")
    worked(ran.folder, "Again")
    assert lost(ran) == ["1", "2"]


def test_git_may_have_forgotten_the_commit_and_the_board_has_it(ran: Moot) -> None:
    git(ran.folder, "reset", "-q", "--hard", "HEAD~1")
    git(ran.folder, "reflog", "expire", "--expire=now", "--all")
    git(ran.folder, "-c", "gc.pruneExpire=now", "gc", "-q", "--prune=now")
    (found,) = ran.json("doctor")["lost"]
    assert found["brings_back"].startswith("git fetch .moot/repo.git ")
    for step in found["brings_back"].split(" && "):
        git(ran.folder, *step.split()[1:])
    assert lost(ran) == [] and (ran.folder / "f2.txt").exists()


def test_who_stands_on_another_branch_is_told_to_switch(ran: Moot) -> None:
    git(ran.folder, "reset", "-q", "--hard", "HEAD~1")
    git(ran.folder, "switch", "-q", "-c", "other")
    (found,) = ran.json("doctor")["lost"]
    assert found["brings_back"].startswith("git switch main && git merge ")


def test_work_whose_commits_were_made_again_is_there(ran: Moot) -> None:
    """A rebase gives the same change another name; a squash makes one commit of several."""
    git(ran.folder, "switch", "-q", "-c", "theirs", "HEAD~2")
    (ran.folder / "theirs.txt").write_text("theirs\n")
    git(ran.folder, "add", "theirs.txt")
    git(ran.folder, "commit", "-qm", "theirs")
    git(ran.folder, "switch", "-q", "main")
    git(ran.folder, "rebase", "-q", "theirs")
    (ran.folder / "prices.txt").write_text("13\n")
    git(ran.folder, "commit", "-qam", "another price")
    assert lost(ran) == []
    git(ran.folder, "reset", "-q", "--hard", "HEAD~1")
    git(ran.folder, "reset", "-q", "--soft", "HEAD~2")
    git(ran.folder, "commit", "-qm", "both in one")
    assert lost(ran) == []


def test_one_dropped_from_between_others_is_the_only_one_named(ran: Moot) -> None:
    git(ran.folder, "rebase", "-q", "--onto", "HEAD~2", "HEAD~1", "main")
    assert not (ran.folder / "prices.txt").exists() and (ran.folder / "f2.txt").exists()
    assert lost(ran) == ["1"]


def test_whoever_meant_it_reopens_and_hears_no_more_of_it(ran: Moot) -> None:
    git(ran.folder, "reset", "-q", "--hard", "HEAD~1")
    ran("reopen", "2", "--why", "It was not what we wanted")
    assert lost(ran) == [] and "no longer there" not in ran("show", "2").out


def test_a_branch_that_is_gone_as_a_whole_loses_nothing(ran: Moot) -> None:
    git(ran.folder, "switch", "-q", "-c", "trunk")
    git(ran.folder, "branch", "-q", "-D", "main")
    assert lost(ran) == []


def test_with_a_remote_it_is_the_remotes_branch_that_must_have_it(
    nowhere: Moot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    made(nowhere.folder, "Prices", remote="origin")
    remote = nowhere.folder / ".moot-remote.git"
    assert lost(nowhere) == []
    assert "no longer there" not in nowhere("show", "1").out
    gone = git(remote, "rev-parse", "main")
    git(remote, "update-ref", "refs/heads/main", f"{gone}~1")
    assert "#1 landed on main, and main does not have that work any more" in words(nowhere("ready").out)
    (found,) = nowhere.json("doctor")["lost"]
    for step in found["brings_back"].split(" && "):
        git(nowhere.folder, *step.split()[1:])
    assert git(remote, "show", "main:prices.txt") == "12"
    assert lost(nowhere) == []


def test_a_board_without_git_is_examined_as_before(moot: Moot) -> None:
    assert "lost" not in moot.json("doctor")


def test_the_board_and_the_status_say_what_a_branch_has_lost(ran: Moot) -> None:
    assert "landed, and" not in words(ran("board").out + ran("status").out)
    git(ran.folder, "reset", "-q", "--hard", "HEAD~1")
    assert ran.json("board")["lost"] == ["2"]
    for command in ("board", "status"):
        told = words(ran(command).out)
        assert "#2 landed, and" in told and "moot doctor" in told
    git(ran.folder, "merge", "-q", "ORIG_HEAD")
    assert "landed, and" not in words(ran("board").out)
