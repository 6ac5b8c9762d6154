"""The one object in a text that was sent as a message: bare, in a fence, or as the documents print a return.

What stands beside it has no place in a message, and what holds several is none: both are asked back, since whoever
sends is still there.
"""

import re
from typing import Any

from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.roles import folded
from folkmoot.errors import Invalid
from folkmoot.reports.canonical import Faulty, decoder, shown
from folkmoot.reports.returning.returns import bare_object
from folkmoot.reports.scan import objects

_TICKS = "`~"
_MARKS = pattern(r"^[ \t]*[`~]{3,}[^\n]*$", re.MULTILINE)


def object_in(text: str) -> dict[str, Any]:
    """The object; Faulty with all that is wrong with the text if it is not just that."""
    text = text.strip().strip("\ufeff").strip()
    text = _unfenced(text)
    if not text:
        raise Faulty(["it is empty"])
    try:
        data, end = decoder().raw_decode(text)
    except (ValueError, RecursionError) as error:
        found = bare_object(text)
        if found is None:
            bare = "" if "{" in text else "; what a run has done is its report"
            raise Faulty(_faults(text) or [f"it is not one JSON object: {error}{bare}"]) from error
        return found
    if isinstance(data, list):
        raise Faulty([f"it is a list of {len(data)}: send each message by itself"])
    if not isinstance(data, dict):
        raise Faulty(["it is not one JSON object"])
    if end != len(text):
        raise Faulty(_faults(text) or ["it is not one JSON object"])
    return data


def _unfenced(text: str) -> str:
    """What stands in a fence, if the whole text is one; by hand, since a pattern could try each tick as its end."""
    first, _, rest = text.partition("\n")
    info, inside = first.lstrip(_TICKS), rest.rstrip(_TICKS)
    is_fence = len(first) - len(info) >= 3 and "`" not in info and len(rest) - len(inside) >= 3
    return inside.strip() if is_fence else text


def dispatched(agent: str, task: str) -> str:
    """The task in the documents' `{"agent": …, "task": …}`, for which `agent` is named beside it; other words stay as
    they are. Invalid where it names another agent, or says more than there is a place for."""
    text = _unfenced(task.strip())
    try:
        data, end = decoder().raw_decode(text) if text.startswith("{") else (None, 0)
    except (ValueError, RecursionError):
        return task
    if not isinstance(data, dict) or end != len(text) or not {"agent", "task"} & data.keys():
        return task
    named, words = data.get("agent", agent), data.get("task")
    more = sorted(data.keys() - {"agent", "task"})
    if more or not isinstance(words, str) or not words.strip() or not isinstance(named, str):
        fault = f"{more[0]}: unknown field" if more else "agent and task are texts, and task says what to do"
        hint = 'such as {"agent": "…", "task": "…"}'
        raise Invalid("bad_dispatch", "the task cannot be read: {why}", hint, fault)
    if folded(named) != folded(agent):
        fault = "two agents are named: {agent}, and in the task itself {other}"
        hint = "name one: <dispatch agent=other task>, or mend the agent in the JSON"
        raise Invalid("bad_dispatch", fault, hint, agent, named[:80])
    return words


def _faults(text: str) -> list[str]:
    """What else the text is than one object: several of them, words around it, one that is broken."""
    found = list(objects(text, lambda keys: True))
    faults = [one.fault for one in found if one.data is None]
    if len(found) > 1:
        faults.append(f"it holds {len(found)} objects: send each message by itself")
    around = text
    for one in reversed(found):
        around = f"{around[: one.start]} {around[one.end :]}" if one.end >= 0 else around[: one.start]
    words = " ".join(_MARKS.sub(" ", around).split())
    if found and words:
        faults.append(f"words stand beside the object: {shown(words)}; put them into its payload, or leave them out")
    return faults
