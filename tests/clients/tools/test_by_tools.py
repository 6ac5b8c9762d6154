"""Real clients that a person started: by tools alone they claim, comment, ask, hear the answer and report."""

from pathlib import Path

import pytest

from tests.clients.clients import CLIENTS
from tests.clients.tools import script
from tests.clients.tools.scene import COMMANDS, Wanted, play

EVERY_TIME = {"goose"}
each_client = pytest.mark.parametrize(
    "client",
    [pytest.param(name, marks=[] if name in EVERY_TIME else [pytest.mark.slow]) for name in COMMANDS],
    indirect=True,
)


@each_client
def test_a_client_does_an_item_by_tools_alone_and_its_change_lands(client: str, tmp_path: Path) -> None:
    lands(Wanted(client=client, folder=str(tmp_path)))


@pytest.mark.slow
@pytest.mark.parametrize("client", COMMANDS, indirect=True)
def test_so_it_does_with_a_server_that_runs_already(client: str, tmp_path: Path) -> None:
    lands(Wanted(client=client, folder=str(tmp_path), http=True))


def lands(wanted: Wanted) -> None:
    seen = play(wanted)
    assert seen.code == 0, f"{seen}"
    assert seen.landed.get(script.FILE) == f"{script.LINE}\n", f"{seen}"
    assert (seen.item["status"], bool(seen.item["landed"])) == ("done", True), f"{seen}"
    assert [one["content"] for one in seen.item["comments"]] == ["The limit is not in the task."]
    assert [(one["question"], one["answer"]) for one in seen.item["questions"]] == [(script.QUESTION, script.ANSWER)]
    run = next(one for one in seen.item["runs"] if not one["gate"])
    assert (run["outcome"], run["agent"]) == ("done", "builder")


def test_every_client_of_the_tests_is_tried() -> None:
    assert COMMANDS.keys() >= CLIENTS.keys()
