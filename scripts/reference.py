"""Writes docs/reference/ from the code, so that the two cannot disagree: `make reference`. A test holds it."""

import ast
import sys
from pathlib import Path

import click

from folkmoot.core.events import EVENTS
from folkmoot.core.report import CAUSES, OUTCOMES
from folkmoot.doors.cli.main import COMMANDS, moot
from folkmoot.engine.checking.invariants import CHECKS
from folkmoot.errors import Invalid, NothingToDo, Refused, Unavailable

ROOT = Path(__file__).parent.parent
MADE = "<!-- Made from the code by scripts/reference.py; do not edit. -->\n"
ERRORS = {kind.__name__: kind for kind in (Refused, Invalid, NothingToDo, Unavailable)}


def pages() -> dict[str, str]:
    return {
        "commands.md": commands_page(),
        "events.md": events_page(),
        "errors.md": errors_page(),
        "guarantees.md": guarantees_page(),
    }


def commands_page() -> str:
    lines = [MADE, "# Commands\n", "Every command also has `--json`, `--board PATH` and `--as NAME`.\n"]
    parent = click.Context(moot, info_name="moot")
    for name in COMMANDS:
        command = moot.get_command(parent, name)
        assert command is not None
        context = click.Context(command, info_name=name, parent=parent, terminal_width=100)
        lines += [f"## moot {name}\n", "```text", command.get_help(context), "```\n"]
    return "\n".join(lines)


def events_page() -> str:
    rows = "\n".join(f"| `{name}` | {meaning} |" for name, meaning in EVENTS.items())
    outcomes = ", ".join(f"`{outcome}`" for outcome in OUTCOMES)
    causes = ", ".join(f"`{cause}`" for cause in CAUSES)
    return (
        f"{MADE}\n# Events\n\n`moot log --json` gives them as `{{seq, timestamp, event, item, run, agent, context}}`. "
        f"`seq` is 1, 2, 3 … in commit order, without gaps.\n\n| event | what happened |\n|---|---|\n{rows}\n\n"
        f"The outcomes a report can have: {outcomes}. The causes of a failure: {causes}.\n"
    )


def errors_page() -> str:
    found: dict[tuple[str, str], set[str]] = {}
    for path in sorted((ROOT / "src" / "folkmoot").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ERRORS):
                continue
            if node.args and isinstance(node.args[0], ast.Constant):
                room = path.relative_to(ROOT / "src" / "folkmoot").parts[0].removesuffix(".py")
                found.setdefault((node.func.id, str(node.args[0].value)), set()).add(room)
    lines = [MADE, "# Errors\n", 'With `--json` an error is `{"error": {code, message, hint}}` on standard error.\n']
    lines += ["| code | exit | kind | raised in |", "|---|---|---|---|"]
    for (kind, code), rooms in sorted(found.items(), key=lambda row: (ERRORS[row[0][0]].exit_code, row[0][1])):
        lines.append(f"| `{code}` | {ERRORS[kind].exit_code} | {kind} | {', '.join(sorted(rooms))} |")
    return "\n".join(lines) + "\n"


def guarantees_page() -> str:
    rows = "\n".join(f"| {check} | {meaning} |" for check, meaning in CHECKS.items())
    return (
        f"{MADE}\n# Guarantees\n\nWhat always holds of a board. `moot doctor` checks it on yours, the simulation after "
        "every step, and for each there is a planted defect that shows the check can fail.\n\n"
        f"| check | what holds |\n|---|---|\n{rows}\n"
    )


def main() -> int:
    folder = ROOT / "docs" / "reference"
    stale = []
    for name, text in pages().items():
        path = folder / name
        if not path.exists() or path.read_text("utf-8") != text:
            stale.append(name)
            if "--check" not in sys.argv:
                path.write_text(text, "utf-8")
    if stale and "--check" in sys.argv:
        print(f"docs/reference is stale ({', '.join(stale)}): run make reference")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
