"""A closer look: what a run printed, what an item changed, how the board stands; and who speaks."""

import json
import os
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from folkmoot.api.screen import ShowChange
from folkmoot.core.commands import Actor
from folkmoot.wiring.boards import FileBoards
from folkmoot.wiring.looking.speaker import git_name
from tests.doors.conftest import Moot
from tests.doors.test_looks import through_a_terminal
from tests.doors.test_running_looks import git, project, ran

__all__ = ["project", "ran"]


def test_the_change_of_an_item_is_what_git_shows_and_can_be_applied(ran: Moot) -> None:
    shown = ran("diff", "1").out
    assert shown == git(ran.folder, "diff", "--no-renames", "main^1", "main") + "\n"
    (ran.folder / "f1.txt").unlink()
    subprocess.run(["git", "apply", "-"], cwd=ran.folder, input=shown, text=True, check=True)
    assert (ran.folder / "f1.txt").read_text() == "good\n"
    view = ran.json("diff", "#1")
    assert view["landed_on"] == "main" and view["diff"] == shown
    assert view["files"] == [{"path": "f1.txt", "how": "created", "added": 1, "removed": 0}]


def test_a_change_that_has_not_landed_is_shown_too(ran: Moot) -> None:
    view = ran.json("diff", "2")
    assert view["landed_on"] is None and view["files"][0]["path"] == "two.txt"
    assert "+bad" in view["diff"] and "+good" not in view["diff"], "not what others landed meanwhile"
    stat = ran("diff", "2", "--stat").out.splitlines()
    assert stat[0].startswith("#2  two  ") and stat[0].endswith("not landed")
    assert stat[-1] == "1 file, +1 -0"
    assert "+f3" not in ran("diff", "2").out and "f3.txt" in ran("diff", "3").out, "of a refused run it is kept"


def test_the_change_of_one_run_and_what_came_since_a_commit_are_shown_alone(ran: Moot) -> None:
    runs = [run for run in ran.json("show", "1")["runs"] if run["commit"] and run["changed"]]
    whole, run = ran.json("call", "change", '{"item": "1"}'), runs[0]
    alone = ran.json("call", "change", json.dumps({"item": "1", "run": run["run"]}))
    assert (alone["run"], alone["commit"], alone["cut"]) == (run["run"], run["commit"], False)
    assert [one["path"] for one in alone["files"]] == [one["path"] for one in run["changed"]]
    since = ran.json("call", "change", json.dumps({"item": "1", "base": whole["commit"]}))
    assert (
        ran.json("diff", "1", "--base", whole["commit"]) == since
        and ran.json("diff", "1", "--run", run["run"]) == alone
    )
    assert (since["files"], since["diff"], since["commit"]) == ([], "", whole["commit"])
    other = ran.json("diff", "2")["commit"]
    for asked, code in (
        ({"base": other}, "unknown_commit"),
        ({"run": ran.json("show", "2")["runs"][0]["run"]}, "unknown_run"),
    ):
        assert ran("call", "change", json.dumps({"item": "1", **asked}), "--json", code=2).error["code"] == code


def test_a_value_of_the_environment_that_is_secret_is_not_in_a_change(
    ran: Moot, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = "file mode 100644"  # it is in the change of every new file
    assert value in ran("diff", "1").out
    monkeypatch.setenv("SHOP_TOKEN", value)
    with closing(FileBoards().open(str(ran.folder))) as board:
        shown = board.asked_by(Actor("ann"))(ShowChange(item="1")).diff
    assert value not in shown and "+good" in shown and "SHOP_TOKEN" in shown


def test_an_item_without_a_change_says_so(ran: Moot) -> None:
    ran("add", "four")
    error = ran("diff", "4", "--json", code=3).error
    assert error["code"] == "no_change"
    assert ran("diff", "9", "--json", code=2).error["code"] == "unknown_item"


def test_a_change_is_coloured_at_a_terminal(ran: Moot) -> None:
    shown = through_a_terminal(ran.folder, "diff", "1")
    assert "\x1b[32m+good" in shown and "\x1b[36m@@" in shown


def test_the_output_of_an_item_is_that_of_its_latest_run_that_said_something(ran: Moot) -> None:
    gate = next(run["run"] for run in ran.json("show", "2")["runs"] if run["gate"])
    assert ran("output", "2").out == ran("output", gate[:8]).out
    said = ran.json("output", "2")
    assert said["run"] == gate and said["said"][-1] == {"kind": "printed", "text": "two.txt is bad"}
    assert ran("output", "2", "--raw").out == said["text"]
    assert gate[:6] in through_a_terminal(ran.folder, "output", "2")


@pytest.mark.ledger("R-27")
def test_a_run_is_named_by_how_its_id_begins_but_speaks_by_all_of_it(ran: Moot) -> None:
    ran("add", "four")
    claim = ran.json("claim", "dev")
    run, token = claim["run"], ["--token", str(claim["token"]), "--json"]
    for short in (run[:1], run[:9], run[:-1]):
        for words in (["renew", short], ["release", short], ["widen", short, "src/"], ["report", short, "-"]):
            assert ran(*words, *token, code=2, stdin='{"outcome": "done"}').error["code"] == "unknown_run"
    ran("release", run, *token)
    assert ran("release", run, *token, code=1).error["code"] == "stale_claim"
    refused = next(run["run"] for run in ran.json("show", "3")["runs"] if run["cause"] == "conflict")
    assert ran.json("salvage", refused[:9])["run"] == refused
    assert ran("output", "r", "--json", code=2).error["code"] == "ambiguous_run"


def test_the_status_is_few_lines(ran: Moot) -> None:
    lines = ran("status").out.splitlines()
    assert lines[0].startswith("tiny  ") and "1 done" in lines[0] and len(lines) < 10
    assert any(line.startswith(" for you") and "q1" in line for line in lines)
    assert any(line.startswith(" today") and "1 landed" in line and "cost not told" in line for line in lines)
    ran("pause")
    assert "paused" in ran("status").out
    assert ran.json("status")["pauses"][0]["what"] == "all"


def test_what_is_open_can_be_listed_alone(ran: Moot) -> None:
    everything = {item["id"]: item["status"] for item in ran.json("list")["items"]}
    listed = [item["id"] for item in ran.json("list", "--open")["items"]]
    assert listed == [item for item, status in everything.items() if status not in ("done", "cancelled", "failed")]
    assert "1" not in listed


def test_a_body_is_words_and_the_name_of_a_file_is_asked_back(moot: Moot) -> None:
    assert moot.json("add", "x", "--body", "The link works once.")["body"] == "The link works once."
    assert moot.json("add", "x", "--body", "-", stdin="piped")["body"] == "piped"
    assert moot.json("add", "x", "--body", "https://example.invalid/7")["body"] == "https://example.invalid/7"
    (moot.folder / "my notes").write_text("from a file")
    assert moot.json("edit", "1", "--body-file", "my notes")["body"] == "from a file"
    for words in ("my notes", ".moot", "details.md", "no/such/file"):
        error = moot("add", "x", "--body", words, "--json", code=2).error
        assert error["code"] == "body_names_file" and f"--body-file {words}" in error["hint"]
    moot("add", "x", "--body", "a", "--body-file", "-", code=2)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def test_who_speaks_is_named_as_git_names_them(ran: Moot, home: Path) -> None:
    place = str(ran.folder)
    assert git_name(place) is None
    (home / ".gitconfig").write_text("[include]\n\tpath = other\n")
    (home / "other").write_text("[user]\n\tname = Ada  Lovelace\n")
    assert git_name(place) == "Ada Lovelace"
    git(ran.folder, "config", "user.name", "Ada at work")
    assert git_name(place) == "Ada at work"
    assert git_name(str(home)) is None, "no board is there"


@pytest.mark.parametrize(
    ("told", "starts_git"),
    [
        ("[user]\n\tname = Ada Lovelace\n\temail = ada@example.invalid\n", False),
        ("[core]\n\tname = not this\n[USER]\n  Name=Ada Lovelace\n", False),
        ("[user]\n\tname = Grace\n[user]\n\tname = Ada Lovelace\n", False),
        ('[user "other"]\n\tname = Grace\n[user]\n\tname = Ada Lovelace\n', False),
        ('[user]\n\tname = "Ada Lovelace" # me\n', True),
        ("[user]\n\tname = Ada\\\n Lovelace\n", True),
        ("[user] name = Ada Lovelace\n", True),
    ],
)
def test_a_plain_name_is_read_as_git_reads_it_and_starts_no_git(
    ran: Moot, home: Path, told: str, starts_git: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".gitconfig").write_text(told)
    by_git = subprocess.run(["git", "config", "--global", "user.name"], capture_output=True, text=True, check=True)
    assert git_name(str(ran.folder)) == " ".join(by_git.stdout.split()) == "Ada Lovelace"
    monkeypatch.setenv("PATH", "")
    assert git_name(str(ran.folder)) == (None if starts_git else "Ada Lovelace")


def test_whoever_is_named_by_git_is_a_person_and_says_otherwise_with_as(ran: Moot, home: Path) -> None:
    git(ran.folder, "config", "user.name", "dev")  # as an agent of the flow is called
    env = {"HOME": str(home), "USER": "ada", **{name: os.environ[name] for name in ("PATH",)}}
    ran.process("add", "five", env=env)
    assert ran.json("log")["events"][-1]["agent"] == "dev"
    ran.process("cancel", "4", env=env)
    assert ran.json("show", "4")["status"] == "cancelled", "only people may"
    ran.process("add", "six", "--as", "grace", env=env)
    assert ran.json("log")["events"][-1]["agent"] == "grace"


def test_the_status_counts_the_time_of_short_runs_too(ran: Moot) -> None:
    told = ran.json("usage")["total"]["seconds"]
    assert ran.json("status")["today"]["seconds"] == pytest.approx(told, abs=0.01) and told > 0


def test_the_status_names_the_person_who_has_taken_an_item(ran: Moot) -> None:
    item = ran.json("add", "By hand")["id"]
    ran("take", item, "--no-shell", "--as", "grace")
    moves = next(line for line in ran("status").out.splitlines() if line.startswith(" moves"))
    assert f"#{item} taken by grace" in moves
    listed = next(line for line in ran("list").out.splitlines() if f"#{item} " in line)
    assert "taken by grace" in listed and "at work" not in listed
    took = ran("log", item).out.splitlines()[-1]
    assert "grace" in took and "took it, to do it by hand" in took
    ran("give", item, "--back", "--as", "grace")
    told = ran("log", item).out.splitlines()
    assert "grace" in told[-1] and not any("coder" in line for line in told), told


@pytest.mark.parametrize("command", ["output", "diff"])
def test_of_an_item_nobody_has_worked_on_the_next_step_is_a_command_to_type(nowhere: Moot, command: str) -> None:
    git(nowhere.folder, "init", "-q", "-b", "main")
    git(nowhere.folder, "-c", "user.name=ann", "-c", "user.email=ann@x", "commit", "-q", "--allow-empty", "-m", "first")
    nowhere("init", "--preset", "simple")
    nowhere("add", "One")
    assert "see how it stands: moot show 1\n" in nowhere(command, "1", code=None).err
