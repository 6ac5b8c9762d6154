"""Ports are the machine's, and agents with a network can take them all: nobody else's run is to fail by that."""

from pathlib import Path

import pytest

from folkmoot.system.processes import port_ranges
from tests.worker.yard import Yard

FLOW = """
flow: ports
start: dev
limits: {slots: 2, lease: 60s, timeout: 60s, silence: 50s, executions: 1, feedback_rounds: 1}
columns: {dev: {agents: [dev], next: done}}
agents: {dev: {run: {command: ACTOR}, write: any, ladder: {0: small, 1+: escalate}}}
"""
# Takes every mark as soon as it is free, until it has heard nothing new for some seconds.
GREEDY = """
import socket, time
left, held, end = set(range(29000, 29040, 10)), [], time.monotonic() + 6
while time.monotonic() < end:
    for ten in list(left):
        one = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            one.bind(f"\\0folkmoot-ports-{ten}")
            held.append(one)
            left.discard(ten)
        except OSError:
            one.close()
"""


@pytest.mark.ledger("Q-03")
@pytest.mark.attack(
    "limits",
    "an agent takes every port, or every mark of one, that runs could have for themselves",
    "runs begin without ports, and their output says so: only what needs them misses them",
)
def test_an_agent_that_takes_all_ports_keeps_nobody_from_working(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(port_ranges, "FIRST", 29_000)
    monkeypatch.setattr(port_ranges, "LAST", 29_040)
    yard = Yard(tmp_path / "yard", flow=FLOW, files={"greedy.py": GREEDY})
    yard.add("greedy", "shell python3 greedy.py", "report done")
    honest = [
        yard.add(f"honest {n}", f"write {n}.txt x", "shell echo port=$MOOT_PORT.", "report done") for n in range(4)
    ]
    yard.run(slots=2)
    assert [yard.status(item) for item in honest] == ["done"] * 4
    said = [yard.output(run["run"]) for item in honest for run in yard.show(item)["runs"] if run["agent"] == "dev"]
    without = [words for words in said if "port=." in words]
    assert without and all("no 10 free ports" in words for words in without)
    yard.doctor()
