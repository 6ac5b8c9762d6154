"""What differs between two flows, as it would be written in a flow file."""

import json
import re
from collections.abc import Iterator
from typing import Any

from folkmoot.api.machine import FlowDifference
from folkmoot.doors.cli.render.page import QUIET, Page, count, one_line
from folkmoot.flows import keys
from folkmoot.flows.sizes import format_size
from folkmoot.flows.spans import format_span

CHANGES_SHOWN = 20
LINE_MAX = 60  # cells of a value that stands on the line of its key
VALUE_MAX = 200
# Texts that need no quotes; and of these the ones that would be read as something else than a text.
PLAIN = re.compile(r"[\w./+~$<=-](?:[\w./+~$<=*@%()!?;^-]| (?! |#))*", re.ASCII)
OTHER = re.compile(r"true|false|null|~|-|[-+]?[\d.][\d_.]*(?:e[-+]?\d+)?", re.IGNORECASE)
TABLES = (keys.AGENT, keys.GATE, keys.QUESTIONS, keys.BUDGET, keys.LIMITS)


def _names(kind: str) -> frozenset[str]:
    return frozenset(name for table in TABLES for name, key in table.items() if key.kind == kind)


SPANS, SIZES = _names("span"), _names("size")


def flow_changes(page: Page, changes: list[FlowDifference]) -> None:
    """A line for each key; what is new and large has a line for each of its own keys."""
    for one in changes[:CHANGES_SHOWN]:
        key, name = one_line(one.key), one.key.rpartition(".")[2]
        before, after = _written(name, one.before), _written(name, one.after)
        if one.after is None:
            page.line(
                (key, "bold"), ": is not set any more", (f"; it is {_value(before)} now", QUIET), indent=4, hang=2
            )
        elif one.before is None and isinstance(after, dict) and len(_yaml(after)) > LINE_MAX:
            page.line((key, "bold"), ": is new:", indent=4)
            for inner, value in after.items():
                page.line(f"{one_line(str(inner))}: {_value(value)}", indent=6, hang=2)
        elif one.before is None:
            page.line((key, "bold"), f": is new: {_value(after)}", indent=4, hang=2)
        elif isinstance(before, list) and isinstance(after, list):
            page.line((key, "bold"), f": {_of_lists(before, after)}", indent=4, hang=2)
        else:
            page.line((key, "bold"), f": {_value(before)} → {_value(after)}", indent=4, hang=2)
    if len(changes) > CHANGES_SHOWN:
        page.line(f"and {count(len(changes) - CHANGES_SHOWN, 'key')} more", indent=4)


def _written(name: str, value: Any) -> Any:
    """A value of a flow in the words of its file: a ladder by its steps, times and sizes with their units."""
    if isinstance(value, list) and name == "ladder" and all(isinstance(rung, dict) for rung in value):
        return dict(_steps(value))
    if isinstance(value, dict):
        # What it is called stands before it already.
        return {key: _written(key, inner) for key, inner in value.items() if key != "name"}
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if name in SPANS:
            return format_span(value)
        if name in SIZES:
            return format_size(int(value))
        if isinstance(value, float) and value.is_integer():
            return int(value)
    return value


def _steps(rungs: list[dict[str, Any]]) -> Iterator[tuple[int | str, str]]:
    for rung in rungs:
        low, high = rung.get("low", 0), rung.get("high")
        yield low if low == high else f"{low}+" if high is None else f"{low}-{high}", rung["model"]


def _yaml(value: Any) -> str:
    """On one line, as our own flow files are written: a flow file knows no other words than these."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_yaml(key)}: {_yaml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_yaml(one) for one in value) + "]"
    if isinstance(value, str) and PLAIN.fullmatch(value) and not OTHER.fullmatch(value):
        return value
    return json.dumps(value, ensure_ascii=False)


def _value(value: Any) -> str:
    words = one_line(value) if isinstance(value, str) else _yaml(value)
    return words if len(words) <= VALUE_MAX else f"{words[:VALUE_MAX].rstrip()}…"


def _of_lists(before: list[Any], after: list[Any]) -> str:
    """What came and what went: two long lists may begin alike. Where only the order differs, both."""
    came = [f"+ {_value(one)}" for one in after if one not in before]
    went = [f"- {_value(one)}" for one in before if one not in after]
    return ", ".join([*went, *came]) or f"{_value(before)} → {_value(after)}"
