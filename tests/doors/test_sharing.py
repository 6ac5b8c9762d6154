"""Locks, widening, and what is shown of an item whose paths another holds."""

import json
import threading

import pytest

from folkmoot.config import Settings
from folkmoot.core.commands import Actor, UnlockPaths
from folkmoot.doors.cli.main import run
from folkmoot.engine.application import Application
from folkmoot.wiring.boards import FileBoards
from tests.doors.conftest import Moot


@pytest.mark.ledger("H-06")
def test_a_lock_has_an_owner_a_time_and_an_expiry(moot: Moot) -> None:
    assert "Nobody" in moot("locks").out and moot.json("locks") == {"locks": []}
    out = moot("lock", "src/auth/", "Makefile", "--as", "ada").out
    assert "locked: src/auth/, Makefile" in out and "ada" in out
    first, second = moot.json("locks")["locks"]
    assert (first["resource"], first["agent"], second["resource"]) == ("src/auth/", "ada", "Makefile")
    assert first["acquired"] < first["expires"] and set(first) >= {"resource", "agent", "acquired", "expires"}
    assert "src/auth/" in moot("locks").out and "until" in moot("locks").out


@pytest.mark.ledger("H-06")
def test_a_live_lock_of_another_makes_the_caller_skip(moot: Moot) -> None:
    moot("lock", "src/auth/", "--as", "ada")
    refused = moot("lock", "src/auth/reset.py", "--as", "eve", "--json", code=1).error
    assert refused["code"] == "path_held" and "ada" in refused["message"] and "moot locks" in refused["hint"]
    assert [lock["agent"] for lock in moot.json("locks")["locks"]] == ["ada"], "all or none"
    assert moot("unlock", "src/auth/", "--as", "eve", "--json", code=1).error["code"] == "not_yours"
    moot("unlock", "src/auth/", "--as", "ada")
    assert [lock["agent"] for lock in moot.json("lock", "src/auth/reset.py", "--as", "eve")["locks"]] == ["eve"]


@pytest.mark.ledger("H-06")
def test_a_caller_may_wait_until_the_path_is_free(moot: Moot, monkeypatch: pytest.MonkeyPatch) -> None:
    moot("lock", "a.py", "--as", "ada")
    late = moot("lock", "a.py", "--as", "eve", "--wait", "0.3s", code=1)
    assert "held by ada" in late.err and "0.3s" in late.err

    wait = Application.changed

    def freed(application: Application, seen: int, seconds: float) -> int:
        """As soon as somebody waits, the owner gives the lock up."""
        application.engine.lock(Actor("ada"), UnlockPaths(paths=["a.py"]))
        return wait(application, seen, seconds)

    monkeypatch.setattr(Application, "changed", freed)
    settings = Settings(board=str(moot.folder), user="eve")
    assert run(["lock", "a.py", "--wait", "10m", "--json"], FileBoards(), settings) == 0
    assert [lock["agent"] for lock in moot.json("locks")["locks"]] == ["eve"]


@pytest.mark.ledger("H-06")
def test_an_expired_lock_can_be_taken(moot: Moot) -> None:
    moot("lock", "a.py", "--for", "1s", "--as", "ada")
    taken = moot.json("lock", "a.py", "--wait", "60s", "--as", "eve")
    assert [lock["agent"] for lock in taken["locks"]] == ["eve"]


def test_a_bad_path_or_time_is_named(moot: Moot) -> None:
    for arguments, code in (
        (["lock", "../up"], "bad_path"),
        (["lock", "/etc/passwd"], "bad_path"),
        (["lock", "a.py", "--for", "0s"], "bad_lock"),
        (["lock", "a.py", "--for", "soon"], "bad_span"),
        (["lock"], "bad_usage"),
    ):
        assert moot(*arguments, "--json", code=2).error["code"] == code


def test_a_lock_of_a_run_ends_with_it(moot: Moot) -> None:
    moot("add", "One", "--column", "dev")
    claim = moot.json("claim", "dev-agent")
    inside = {"MOOT_RUN": claim["run"], "MOOT_TOKEN": str(claim["token"])}
    moot("lock", "a.py", env=inside)
    (lock,) = moot.json("locks")["locks"]
    assert (lock["agent"], lock["run"], lock["item"]) == ("dev-agent", claim["run"], "1")
    moot("report", "-", stdin='{"outcome": "done"}', env=inside)
    assert moot.json("locks")["locks"] == []
    assert moot("lock", "a.py", "--json", code=1, env=inside).error["code"] == "stale_claim"


def test_a_run_can_ask_for_more_files(moot: Moot) -> None:
    moot("add", "One", "--column", "dev", "--files", "a.py")
    moot("lock", "taken.py")
    claim = moot.json("claim", "dev-agent")
    item = moot.json("widen", claim["run"], "--token", str(claim["token"]), "b.py", "c/")
    assert item["files"] == item["holds"] == ["a.py", "b.py", "c/"]
    inside = {"MOOT_RUN": claim["run"], "MOOT_TOKEN": str(claim["token"])}
    assert "#1 may write d.py" in moot("widen", "d.py", env=inside).out
    assert "#1 may write e.py" in moot("widen", claim["run"], "e.py", env=inside).out
    assert moot("widen", "taken.py", "--json", code=1, env=inside).error["code"] == "path_held"
    assert moot("widen", claim["run"], "--json", code=2, env=inside).error["code"] == "bad_usage"
    assert moot("widen", "--token", "9", claim["run"], "f.py", "--json", code=1).error["code"] == "stale_claim"


def test_a_ready_item_whose_paths_another_holds_is_shown_as_blocked(moot: Moot) -> None:
    moot("add", "First", "--column", "dev", "--files", "src/auth/")
    moot("add", "Second", "--column", "dev", "--files", "src/auth/reset.py")
    moot("add", "Reads only", "--column", "dev")
    claim = moot.json("claim", "dev-agent")
    shown = moot.json("show", "2")
    assert shown["status"] == "blocked" and "src/auth/ is held by dev-agent for item 1" in shown["why"]
    assert [i["id"] for i in moot.json("list", "--status", "blocked")["items"]] == ["2"]
    assert [i["id"] for i in moot.json("list", "--status", "ready")["items"]] == ["3"]
    board = moot("board").out
    assert "1 blocked" in board and "blocked: src/auth/ is held by dev-agent for item 1" in board
    assert "moot locks" in moot("show", "2").out
    assert moot.json("claim", "dev-agent")["item"]["id"] == "3", "what can be taken is taken"
    refused = moot("claim", "dev-agent", "--item", "2", "--json", code=1).error
    assert refused["code"] == "not_claimable"
    moot("report", claim["run"], "--token", str(claim["token"]), "-", stdin='{"outcome": "done"}')
    moot("cancel", "1")
    assert moot.json("show", "2")["status"] == "ready"
    moot("lock", "src/auth/reset.py", "--as", "eve")
    assert "held by eve" in moot.json("show", "2")["why"]


def test_what_a_lapsed_run_had_locked_is_free_at_once(moot: Moot) -> None:
    moot("add", "First", "--column", "dev")
    moot("add", "Second", "--column", "tests", "--files", "a.py")
    claim = moot.json("claim", "dev-agent", "--lease", "1s")
    moot("lock", "a.py", env={"MOOT_RUN": claim["run"], "MOOT_TOKEN": str(claim["token"])})
    assert moot.json("show", "2")["status"] == "blocked"
    threading.Event().wait(1.1)
    assert moot.json("show", "2")["status"] == "ready", "no write has ended the run yet"
    assert json.loads(moot("log", "--json").out)["events"][-1]["event"] == "paths_held"
