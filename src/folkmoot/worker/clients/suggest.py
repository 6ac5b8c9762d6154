"""A preset's flow, made to use the clients that are installed."""

import re
from collections.abc import Sequence

from folkmoot.worker.clients.catalogue import Installed

RUN_LINE = re.compile(r"^# run: \{client: .*$", re.MULTILINE)
TARGET_LINE = re.compile(r"^# target: .*$", re.MULTILINE)
RUNGS = re.compile(r"\b(\d+(?:-\d+|\+)?): ([a-z][\w.-]*)")
LADDER_LINE = re.compile(r"^\s*ladder: \{(.*)\}", re.MULTILINE)
# The names that Claude Code itself understands; every other client has its own, so it uses its default.
CLAUDE = {"haiku": "haiku", "sonnet": "sonnet", "opus": "opus"}


def fitted(text: str, installed: Sequence[Installed], branch: str | None) -> str:
    """The flow with `run` for the client to prefer, `models` for the names on its ladders, and its target branch."""
    if branch is not None and branch != "main":
        text = TARGET_LINE.sub(f"target: {branch}", text, count=1)
    if not installed:
        return text
    first = installed[0].known
    others = ", ".join(one.known.name for one in installed[1:])
    also = f"; also installed: {others}" if others else ""
    line = f"run: {{client: {first.name}}}".ljust(40) + f"# how agents are started: {first.title}{also}"
    block = [line, *_models(text, first.name)]
    return RUN_LINE.sub(lambda _: "\n".join(block), text, count=1)


def _models(text: str, client: str) -> list[str]:
    """What the names on the ladders mean for this client; none for a flow without ladders."""
    names = dict.fromkeys(
        name for ladder in LADDER_LINE.findall(text) for _, name in RUNGS.findall(ladder) if name != "escalate"
    )
    if not names:
        return []
    known = CLAUDE if client == "claude-code" else {}
    lines = [
        "models:                                 # what a name on a ladder means; without `id`, the client's own choice"
    ]
    for name in names:
        model = f", id: {known[name]}" if name in known else ""
        lines.append(f"  {name}: {{client: {client}{model}}}")
    return lines
