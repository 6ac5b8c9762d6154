"""A preset's flow, made to fit: the clients that are installed, the branch, the project's own check."""

import json
import re
import shlex
from collections.abc import Sequence

from folkmoot.worker.clients.catalogue import Installed, Known

RUN_LINE = re.compile(r"^# run: \{client: .*$", re.MULTILINE)
TARGET_LINE = re.compile(r"^# target: .*$", re.MULTILINE)
GATES_LINE = re.compile(r"^# gates: \{tests: .*$", re.MULTILINE)
OWN_GATE = re.compile(r"^(gates:\n  (\w+): +\{run: )\[.*?\]", re.MULTILINE)
GATED_COLUMN = re.compile(r"^(  code: +\{agents: \[coder\], )", re.MULTILINE)
LADDER = re.compile(r"^( +)(# )?ladder: \{(.*?)\}(.*)$", re.MULTILINE)
RUNG = re.compile(r"\b(\d+)(?:-\d+|\+)?: ([a-z][\w.-]*)")
END = "escalate"
SHELL = re.compile(r"[|&;<>$`*?(){}~#]|^\w+=")  # signs that mean something to a shell only


def fitted(
    text: str, installed: Sequence[Installed], branch: str | None, gate: str | None = None, setup: str | None = None
) -> str:
    """The flow with `run` for the client to prefer, models that this client has, its target branch and its gate."""
    if branch is not None and branch != "main":
        text = TARGET_LINE.sub(f"target: {branch}", text, count=1)
    if gate:
        text = _with_gate(text, gate, setup)
    if not installed:
        return text
    first = installed[0].known
    others = ", ".join(one.known.name for one in installed[1:])
    also = f"; also installed: {others}" if others else ""
    line = f"run: {{client: {first.name}}}".ljust(40) + f"# how agents are started: {first.title}{also}"
    text = LADDER.sub(lambda found: _ladder(found, first), text)
    block = [line, *_models(text, first)]
    return RUN_LINE.sub(lambda _: "\n".join(block), text, count=1)


def takes_gate(text: str) -> bool:
    return GATES_LINE.search(text) is not None


def own_gate(text: str) -> str | None:
    """The gate that a preset itself has, whose command is the project's to name; None if it has none."""
    found = OWN_GATE.search(text)
    return found.group(2) if found else None


def _with_gate(text: str, gate: str, setup: str | None) -> str:
    """The check as a gate, and the column whose work it proves; as the command of a gate that the preset has."""
    text = OWN_GATE.sub(lambda found: f"{found.group(1)}{_words(gate)}", text, count=1)
    told = f"setup: [{_words(setup)}], run: {_words(gate)}" if setup else f"run: {_words(gate)}"
    line = f"gates: {{tests: {{{told}}}}}".ljust(38) + "  # what must be green before work is reviewed"
    text = GATES_LINE.sub(lambda _: line, text, count=1)
    return GATED_COLUMN.sub(r"\1gate: tests, ", text, count=1)


def _words(command: str) -> str:
    """As a flow has it: a list of words; a shell for what only a shell understands."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = []
    plain = words and not SHELL.search(command)
    return json.dumps(words if plain else ["sh", "-c", command], ensure_ascii=False)


def _ladder(found: re.Match[str], client: Known) -> str:
    """The ladder in names that are true for the client: a model that it does not have is its smallest one, and of a
    client whose models nobody knows it is the client's own choice, under the client's name."""
    space, proposed, rungs, behind = found.groups()
    steps: list[tuple[int, str]] = []
    for start, name in RUNG.findall(rungs):
        true = name if name == END or name in client.models else next(iter(client.models), client.name)
        if not steps or steps[-1][1] != true:
            steps.append((int(start), true))
    if proposed and not client.models:
        return found.group(0)
    ends = [start - 1 for start, _ in steps[1:]]
    told = [f"{start}-{end}" if end > start else str(start) for (start, _), end in zip(steps, ends, strict=False)]
    told.append(f"{steps[-1][0]}+")
    spans = ", ".join(f"{span}: {name}" for span, (_, name) in zip(told, steps, strict=True))
    return f"{space}ladder: {{{spans}}}{behind}"


def _models(text: str, client: Known) -> list[str]:
    """What the names on the ladders mean for this client; none for a flow without ladders."""
    ladders = [rungs for _, proposed, rungs, _ in LADDER.findall(text) if not proposed]
    names = dict.fromkeys(name for rungs in ladders for _, name in RUNG.findall(rungs) if name != END)
    if not names:
        return []
    lines = [
        "models:                                 # what a name on a ladder means; without `id`, the client's own choice"
    ]
    for name in names:
        model = f", id: {name}" if name in client.models else ""
        lines.append(f"  {name}: {{client: {client.name}{model}}}")
    return lines
