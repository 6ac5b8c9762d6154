"""A board with life in it: agents that changed files, a gate that was red, a dispute, a question, hostile words."""

import sys
from pathlib import Path

from tests.web.player import HOSTILE, LOGIN
from tests.worker.yard import Yard

PLAYER = [sys.executable, str(Path(__file__).with_name("player.py"))]
CHECK = "! grep -q 'now - at >' limits.py 2>/dev/null || { echo 'FAILED the sixth try was let in'; exit 1; }"
FLOW = f"""
flow: small-team
start: tests
limits: {{lease: 60s, timeout: 60s, silence: 60s, dispute_rounds: 2}}
columns:
  tests: {{agents: [tester], next: dev}}
  dev: {{agents: [dev], next: review, gate: [check]}}
  review: {{agents: [reviewer], next: look, fix: dev}}
  look: {{human: true, next: done, fix: dev}}
clients:
  player: {{command: {PLAYER}, speaks: claude-code}}
agents:
  tester: {{run: {{client: player}}, write: any, ladder: {{0+: small}}}}
  dev: {{run: {{client: player}}, write: any, ladder: {{0-1: small, 2+: large}}}}
  reviewer: {{run: {{client: player}}, write: none, ladder: {{0+: small}}}}
gates: {{check: {{run: ["/bin/sh", "-c", {CHECK!r}]}}}}
"""
STORY = "Whoever tries to sign in too often from one address must wait.\n\nFive tries a minute; the sixth is refused."


def lively(folder: Path) -> Yard:
    """Item 1 has been through all of it; 2 waits for a person to end a quarrel; 3 is hostile."""
    yard = Yard(folder, files={"login.py": LOGIN.format(extra="", guard="")}, flow=FLOW)
    yard.add("Limit tries to sign in", STORY)
    yard.add("Limit tries: the quarrel", STORY)
    yard.add(f"{HOSTILE} {'long' * 40}", HOSTILE, column="dev")
    yard.run()
    question = next(one for one in yard.show("1")["questions"] if one["state"] == "open")
    yard.board.answer(question["id"], "It does not count")
    yard.run()
    return yard


def flooded(folder: Path) -> Yard:
    """Item 1 has changed two hundred files with hostile names and lines."""
    yard = Yard(folder, files={"login.py": LOGIN.format(extra="", guard="")}, flow=FLOW)
    yard.add("flood", "", column="dev")
    yard.run()
    return yard
