"""Runs a Python function as an agent: `python -m folkmoot.worker.clients.function module:function`.

The function gets an `Effort` and returns its report: a Report, a dict in any dialect, or text. An exception is a failed
run without a report.
"""

import asyncio
import importlib
import inspect
import os
import sys
import traceback
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from folkmoot.core.report import Report
from folkmoot.errors import Invalid


class Effort(Struct, frozen=True, kw_only=True):
    """What the function is given."""

    brief: dict[str, Any]
    prompt: str
    workspace: str
    model: str | None = None
    item: str = ""
    agent: str = ""


def read_effort(environment: Mapping[str, str], workspace: str) -> Effort:
    with open(environment["MOOT_BRIEF"], "rb") as file:
        brief = msgspec.json.decode(file.read(), type=dict[str, Any])
    with open(environment["MOOT_PROMPT"], encoding="utf-8") as words:
        prompt = words.read()
    return Effort(
        brief=brief,
        prompt=prompt,
        workspace=workspace,
        model=environment.get("MOOT_MODEL") or None,
        item=environment.get("MOOT_ITEM", ""),
        agent=environment.get("MOOT_AGENT", ""),
    )


def find(name: str) -> Any:
    """The function that `module:function` names."""
    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute):
        raise Invalid("bad_function", "{name!r} names no function", 'write "module:function"', name)
    found: Any = importlib.import_module(module)
    for part in attribute.split("."):
        found = getattr(found, part)
    if not callable(found):
        raise Invalid("bad_function", "{name} is no function", "name one that can be called with an Effort", name)
    return found


def as_text(answer: Any) -> str:
    """What a function returned, as the text of a report."""
    if isinstance(answer, str):
        return answer
    if isinstance(answer, Report):
        if answer.extra:
            words = "`extra` is what another dialect says: it cannot be written as a report"
            raise Invalid("bad_answer", words, "return a dict in that dialect instead")
        return msgspec.json.encode(answer).decode()
    if isinstance(answer, Mapping):
        return msgspec.json.encode(dict(answer)).decode()
    words = "the function returned {kind}"
    raise Invalid("bad_answer", words, "return a Report, a dict or a text", type(answer).__name__)


def write_report(path: str, text: str) -> None:
    """Whole or not at all: half a report would be read as one."""
    part = f"{path}.part"
    with open(part, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(part, path)


def main(name: str, environment: Mapping[str, str]) -> int:
    workspace = os.getcwd()
    # Modules are looked for in the clone first; `-P` kept it off the path until ours were loaded.
    sys.path.insert(0, workspace)
    try:
        answer = find(name)(read_effort(environment, workspace))
        if inspect.iscoroutine(answer):
            answer = asyncio.run(answer)
        write_report(environment["MOOT_REPORT"], as_text(answer))
    except Exception:
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], os.environ) if len(sys.argv) == 2 else "say module:function")
