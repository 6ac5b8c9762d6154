"""Two pages of docs/reference/: the calls of the contract, and the rules by their ids."""

from pathlib import Path

from msgspec.structs import fields as struct_fields

from folkmoot.api.call import ROLES
from folkmoot.engine.registry import CALLS

ROOT = Path(__file__).parent.parent

SOURCES = {
    "K": "Stateless agents and items that carry state: disputes, ladders, specialists",
    "H": "Handoffs: messages, files, locks",
    "P": "The pipeline: reports, two reviewers, test rounds",
    "E": "Escalation: own attempts, experts, a person",
    "Q": "Quests: tasks, contracts, wards",
    "R": "What holds where these disagree or are silent",
}


def rules_page() -> str:
    """What an id in a test or in a comment means."""
    lines = ["", "# Rules by id\n"]
    lines += ["Code, tests and pages name what they hold by these ids. A test fails if one of them has no test.\n"]
    rows = [line.split(None, 1) for line in (ROOT / "tests/shape/ledger.txt").read_text("utf-8").splitlines() if line]
    for letter, title in SOURCES.items():
        lines += [f"## {title}\n", "| id | what holds |", "|---|---|"]
        lines += [f"| {name} | {words} |" for name, words in rows if name.startswith(letter)]
        lines.append("")
    return "\n".join(lines)


def calls_page() -> str:
    """Every call of the contract: what is asked, what is answered, who may ask."""
    lines = [
        "",
        "# Calls\n",
        "What a program may ask of a board, and what it gets back. The command line, Python, the files of a mirror and",
        "the socket of a run all make these calls and no others. `moot call NAME JSON` makes one, and so does",
        "`board.ask(...)` in Python; `moot schema NAME` prints both sides as JSON Schema. Who may call: a person, a",
        "run through its socket, or somebody who only looks (an observer).\n",
        "| call | what it does | request | answer | who may |",
        "|---|---|---|---|---|",
    ]
    for call in CALLS:
        fields = ", ".join(
            f"`{one.encode_name}`" + ("" if one.required else "?") for one in struct_fields(call.request)
        )
        who = ", ".join(role for role in ROLES if role in call.may)
        answer = getattr(call.response, "__name__", str(call.response))
        lines.append(f"| `{call.name}` | {call.summary} | {fields or '–'} | `{answer}` | {who} |")
    lines += ["", "A field with `?` may be left out. What changes the board also takes a key: see `--key`.\n"]
    return "\n".join(lines)
