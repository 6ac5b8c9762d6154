"""What the demo begins with: the project's files, the board's flow, and the items that a person puts on it."""

import json
from pathlib import Path
from typing import Any

import yaml
from msgspec import Struct

from folkmoot.core.commands import AddItem

HERE = Path(__file__).parent
AGENT = HERE / "agent.py"
SLOTS = 4  # so that two are free for tasks when the work is split, whatever the others do

RECEIPTS = AddItem(title="Print receipts", body="tests/receipts/ says what they must look like.", column="plan")
ROUNDING = AddItem(title="Round half a cent", body="See RULES.md.", column="test", files=["till/rounding.py"])
TAX = AddItem(title="Work out the tax", column="code", files=["till/tax.py", "tests/prices/test_tax.py"])
ITEMS = (RECEIPTS, ROUNDING, TAX)

# What somebody who sees all this for the first time is told, when it happens for the first time.
NOTES = {
    "work_split": "Tasks that share no file are worked on at the same time, each in a clone of its own.",
    "dispute_opened": "Two agents disagree: the item goes back to whoever made what is disputed.",
    "dispute_settled": "Settled, and all that was said stays on the item. After three rounds you would decide.",
    "attempt_counted": "What was tried stays on the item; the next effort is made by a stronger model.",
    "gate_failed": "Each task was green alone, together they are not: the gate has found it before main has it.",
    "agent_seeks_guidance": "A question holds up its own item only; everything else goes on.",
    "work_landed": "Merged with what is on main by now, proved by the gates on the result, then moved there.",
}


class Wait(Struct, frozen=True):
    """How long a question waits for an answer."""

    seconds: float | None

    def words(self) -> str:
        return "null" if self.seconds is None else f"{self.seconds:g}s"


def files() -> dict[str, str]:
    """The project: path and text."""
    read: dict[str, str] = yaml.safe_load((HERE / "project.yaml").read_text("utf-8"))
    return read


def flow(python: str, wait: Wait) -> str:
    """The text of the board's flow, with what only this machine knows put in."""
    values: dict[str, Any] = {"PYTHON": json.dumps(python), "AGENT": json.dumps(str(AGENT))}
    values |= {"SLOTS": SLOTS, "DEADLINE": wait.words()}
    text = (HERE / "flow.yaml").read_text("utf-8")
    for name, value in values.items():
        text = text.replace(name, str(value))
    return text
