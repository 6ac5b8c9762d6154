"""Clients that nobody here wrote, at work on a board: what they change lands, and what goes wrong has its right cause.

Every client runs with a scripted model in a network namespace that has only loopback. goose is quick and runs every
time; the others are slow, and `make prove` runs them.
"""

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from folkmoot.core.enums import pauses_pool
from tests.clients.apis import TOKENS_IN, TOKENS_OUT
from tests.clients.clients import CLIENTS
from tests.clients.scene import Play, Seen, play
from tests.some import some

DOORS = ["headless", "acp"]
EVERY_TIME = {"goose"}
each_door = pytest.mark.parametrize("door", DOORS)

each_client = pytest.mark.parametrize(
    "client",
    [pytest.param(name, marks=[] if name in EVERY_TIME else [pytest.mark.slow]) for name in CLIENTS],
    indirect=True,
)

# What the model does, and why the run failed then.
TROUBLE = {
    "err400": "environment",
    "err401": "environment",
    "err500": "outage",
    "mid500": "outage",
    "cut": "outage",
    "hang": "outage",
    "hangmid": "outage",
    "errsize": "size",
    "silent": "protocol",
}
# Most troubles are met through one door every time, and through both in the long tests.
each_trouble = pytest.mark.parametrize(
    "scenario, door",
    some(
        product(TROUBLE, DOORS),
        [
            ("err400", "headless"),
            ("err401", "acp"),
            ("err500", "headless"),
            ("mid500", "acp"),
            ("cut", "headless"),
            ("hang", "headless"),
        ],
    ),
)

# Seconds of silence after which a run is ended. On a busy machine a client may need longer than the first until it
# asks the model at all; then it gets the next.
QUIET = (4, 16, 64)


def first_run(client: str, door: str, scenario: str, folder: Path) -> Seen:
    """What came of the first run of an item, however often it would be tried again."""
    hangs = scenario.startswith("hang")
    for quiet in QUIET if hangs else QUIET[:1]:
        wanted = Play(client=client, door=door, scenario=scenario, folder=str(folder / str(quiet)), until="run")
        seen = play(replace(wanted, limits={"silence": f"{quiet}s"} if hangs else {}, patience=300))
        if seen.asked:
            break
    assert seen.asked, f"the model was never asked\n{seen}"
    assert seen.runs, f"no run was seen\n{seen}"
    assert list(seen.landed) == ["README.md"], f"something landed\n{seen}"
    return seen


@each_client
@each_door
def test_a_client_works_an_item_and_its_change_lands(client: str, door: str, tmp_path: Path) -> None:
    orders = {"src/hello.txt": "hello from the board", "notes.md": "a second file"}
    seen = play(Play(client=client, door=door, scenario="work", folder=str(tmp_path), orders=orders))
    assert seen.code == 0, f"{seen}"
    assert seen.landed == {
        "README.md": "# A project\n",
        "src/hello.txt": "hello from the board\n",
        "notes.md": "a second file\n",
    }, f"{seen}"
    [run] = seen.runs
    assert (run["outcome"], run["cause"]) == ("done", None), f"{seen}"
    assert {(one["path"], one["how"]) for one in run["changed"]} == {(path, "created") for path in orders}
    assert seen.item["column"] == "done"
    assert seen.item["landed"], f"{seen}"
    tokens = run["report"].get("usage") or {}
    assert tokens.get("input_tokens", 0) >= TOKENS_IN, f"what it used up is not known\n{seen}"
    assert tokens.get("output_tokens", 0) >= TOKENS_OUT, f"what it used up is not known\n{seen}"


@each_client
@each_trouble
@pytest.mark.ledger("R-07")
def test_trouble_with_the_model_ends_as_its_cause(client: str, door: str, scenario: str, tmp_path: Path) -> None:
    seen = first_run(client, door, scenario, tmp_path)
    run = seen.runs[0]
    # What is of the whole pool is nobody's failure: the run is given back, and its pool pauses.
    outcome = "released" if pauses_pool(TROUBLE[scenario]) and scenario != "err400" else "failed"
    assert (run["outcome"], run["cause"]) == (outcome, TROUBLE[scenario]), f"{seen}"


@each_client
@pytest.mark.parametrize("door", some(DOORS, ["acp"]))
@pytest.mark.ledger("R-07")
def test_a_used_up_quota_pauses_the_pool_and_counts_against_nobody(client: str, door: str, tmp_path: Path) -> None:
    seen = first_run(client, door, "err429", tmp_path)
    assert seen.runs[0]["cause"] == "quota", f"{seen}"
    [paused] = [event for event in seen.events if event["event"] == "pool_paused"]
    assert paused["context"]["pool"] == "scripted"
    assert seen.item["status"] == "ready", f"{seen}"
    assert seen.item["failure_count"] == 0, f"{seen}"


@each_client
def test_a_client_that_is_denied_every_act_changes_nothing(client: str, tmp_path: Path) -> None:
    """Whatever its own mode is: its session is put into one that asks, and the answer is no."""
    orders = {"src/hello.txt": "hello from the board"}
    wanted = Play(client=client, door="acp", scenario="work", folder=str(tmp_path), orders=orders, until="run")
    seen = play(replace(wanted, permissions="deny", patience=300))
    assert seen.runs and list(seen.landed) == ["README.md"], f"{seen}"
    assert seen.runs[0]["changed"] == [], f"it acted unasked\n{seen}"
