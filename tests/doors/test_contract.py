"""The registry of calls: what is in it can be called from every door by whom it names, and nothing else can."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from folkmoot.api import schemas
from folkmoot.api.call import ROLES, Call
from folkmoot.api.pages import Locks
from folkmoot.api.requests import Request
from folkmoot.core import commands
from folkmoot.doors.python import Board
from folkmoot.engine import registry
from folkmoot.engine.registry import BY_NAME, BY_REQUEST, CALLS, LOOKERS, PEOPLE
from folkmoot.errors import Refused
from tests.acceptance.moot import new_board
from tests.worker.test_relay import Scene


class WhoHolds(Request[Locks], frozen=True, kw_only=True):
    """Who holds a path."""

    path: str


def who_holds(board: Any, actor: Any, request: WhoHolds, key: str | None) -> Locks:
    return Locks(locks=[one for one in board.queries.locks().locks if one.resource == request.path])


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    (tmp_path / "scene").mkdir()
    made = Scene(tmp_path / "scene")
    yield made
    made.board.close()


def added(monkeypatch: pytest.MonkeyPatch, call: Call) -> None:
    """As if its line stood in the registry."""
    monkeypatch.setattr(registry, "CALLS", (*CALLS, call))
    monkeypatch.setitem(BY_NAME, call.name, call)
    monkeypatch.setitem(BY_REQUEST, call.request, call)


def test_a_call_that_is_added_exists_at_every_door(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One struct, one handler, one line."""
    from scripts import contract

    call = Call("who_holds", WhoHolds, who_holds, LOOKERS, writes=False)
    added(monkeypatch, call)
    asked = {"path": "src/one.py"}
    # Python
    with Board(scene.board) as board:
        assert [one.item for one in board.ask(WhoHolds(path="src/one.py")).locks] == ["1"]
        # the socket of a run
        assert scene.ask("who_holds", **asked)["answer"]["locks"][0]["item"] == "1"
        # its schema, and its line in the docs
        schema = schemas.schema_of_call(call)
        assert schema["$defs"]["WhoHolds"]["required"] == ["path"] and "HoldView" in schema["$defs"]
        monkeypatch.setattr(contract, "CALLS", registry.CALLS)
        line = "| `who_holds` | Who holds a path. | `path` | `Locks` | person, run, observer |"
        assert line in contract.calls_page()


def test_a_call_that_is_added_exists_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    added(monkeypatch, Call("who_holds", WhoHolds, who_holds, LOOKERS, writes=False))
    moot = new_board(tmp_path, "kanban")
    moot("lock", "docs/")
    assert moot("call", "who_holds", '{"path": "docs/"}')["locks"][0]["agent"] == "alice"
    assert moot("schema", "who_holds")["description"] == "Who holds a path."


def test_every_call_can_be_made_by_its_name(tmp_path: Path) -> None:
    moot = new_board(tmp_path, "kanban")
    moot("add", "One", "--column", "dev")
    for call in CALLS:
        if not call.writes and not msgspec.structs.fields(call.request):
            assert isinstance(moot("call", call.name), dict), call.name
    assert moot("call", "show", '{"item": "1"}') == moot("show", "1")
    words = ("call", "add", '{"title": "Two"}', "--key", "k")
    assert moot(*words) == moot(*words)


def test_a_run_cannot_call_what_is_for_people(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    added(monkeypatch, Call("who_holds", WhoHolds, who_holds, PEOPLE, writes=False))
    assert scene.refused("who_holds", path="src/one.py") == ("Refused", "only_people")


def test_what_is_in_no_line_cannot_be_called(scene: Scene) -> None:
    for name in ("land", "adopt_flow", "claim_next", "keep_output", "RaiseConflict", "store"):
        assert scene.refused(name) == ("Refused", "not_in_a_run")


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_every_call_has_its_answer_its_words_and_its_roles(call: Call) -> None:
    schema = schemas.schema_of_call(call)
    assert set(schema["properties"]) == {"request", "response"} and schema["description"] == call.summary
    assert call.summary.endswith(".") and call.may <= set(ROLES) and call.allows("owner")
    assert not (call.writes and "observer" in call.may), "who only looks changes nothing"
    assert json.loads(json.dumps(schema)) == schema


def test_no_two_calls_share_a_name_or_a_request() -> None:
    assert len(BY_NAME) == len(BY_REQUEST) == len(CALLS)


@pytest.mark.parametrize("name", sorted(schemas.THINGS))
def test_what_calls_carry_has_a_schema(name: str) -> None:
    assert schemas.schema_of_thing(name)["$defs"]


def test_an_unknown_call_and_a_bad_request_are_told_with_what_to_do(tmp_path: Path) -> None:
    moot = new_board(tmp_path, "kanban")
    told = json.loads(moot.say("call", "shwo").err)["error"]
    assert told["code"] == "unknown_call" and "show" in told["details"]["known"] and "moot schema" in told["hint"]
    told = json.loads(moot.say("call", "add", '{"titel": "x"}').err)["error"]
    assert told["code"] == "bad_request" and "titel" in told["message"] and told["details"]["call"] == "add"
    assert "claim" in moot("schema")["schemas"] and moot("schema", "claim")["title"] == "claim"


def test_the_rules_still_refuse_a_run_that_speaks_in_this_process(scene: Scene) -> None:
    """Another door may let it in: who acts is a kind, and the rules look at that."""
    with pytest.raises(Refused) as refused:
        scene.board.engine.handle_item(scene.run, "1", commands.CancelItem())
    assert refused.value.code == "only_people"
