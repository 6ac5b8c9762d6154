"""Writes docs/reference/ from the code, so that the two cannot disagree: `make reference`. A test holds it."""

import sys
import typing
from pathlib import Path
from types import NoneType, UnionType
from typing import Any

import click
import msgspec
from msgspec.structs import fields as struct_fields

from folkmoot.api.errors import ERRORS
from folkmoot.core import flow as core
from folkmoot.core.enums import CAUSES, COMMENT_STATUSES, FINDING_KINDS, OUTCOMES, RESOLUTIONS, SEVERITIES
from folkmoot.core.events import EVENTS
from folkmoot.core.report import Report
from folkmoot.core.vocabulary.words import CAUSE_WORDS
from folkmoot.doors.cli.main import COMMANDS, moot
from folkmoot.engine.checking.invariants import CHECKS
from folkmoot.flows import keys, sections
from folkmoot.flows.sizes import format_size
from folkmoot.flows.spans import format_span
from folkmoot.reports import canonical, messages, quest, signals, status
from folkmoot.reports.read import read_report

ROOT = Path(__file__).parent.parent
MADE = "<!-- Made from the code by scripts/reference.py; do not edit. -->\n"


def pages() -> dict[str, str]:
    from scripts.contract import calls_page, rules_page
    from scripts.python_page import python_page

    return {
        "commands.md": commands_page(),
        "events.md": events_page(),
        "errors.md": errors_page(),
        "flow.md": flow_page(),
        "report.md": report_page(),
        "guarantees.md": guarantees_page(),
        "attacks.md": attacks_page(),
        "calls.md": MADE + calls_page(),
        "python.md": MADE + python_page(),
        "rules.md": MADE + rules_page(),
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
    lines = [
        MADE,
        "# Errors\n",
        'With `--json` an error is `{"error": {code, message, hint, details, next}}` on standard error.\n',
        "`details` is what the message says, as data. `hint` says what to do next in words; `next` names its calls as",
        "`{call, args}`, where null is for you to choose. What is not among [the calls](calls.md) is a command.",
        "The exit code is the command line's, the status HTTP's.\n",
        "| code | exit | HTTP | kind | what it means |",
        "|---|---|---|---|---|",
    ]
    for row in sorted(ERRORS.values(), key=lambda row: (row.exit_code, row.code)):
        lines.append(f"| `{row.code}` | {row.exit_code} | {row.http} | {row.kind.__name__} | {row.meaning} |")
    return "\n".join(lines) + "\n"


# Each section of a flow: where it stands, its keys, and the values that hold without them.
FLOW_SECTIONS: list[tuple[str, str, keys.Keys, type[msgspec.Struct] | None]] = [
    ("The flow", "At the top of the file.", keys.FLOW, core.Flow),
    ("columns", "Under `columns`, each column by its name.", keys.COLUMN, core.Column),
    ("agents", "Under `agents`, each agent by its name.", keys.AGENT, core.Agent),
    ("run", "At the top, or at an agent: exactly one of these.", keys.START, None),
    ("gates", "Under `gates`, each gate by its name. `landing` is always there.", keys.GATE, core.Gate),
    ("limits", "Under `limits`. At a limit a person is asked; nothing is dropped.", keys.LIMITS, core.Limits),
    ("models", "Under `models`, by the name of a rung.", keys.MODEL, core.Model),
    ("pools", "Under `pools`, each pool by its name.", keys.POOL, core.Pool),
    ("clients", "Under `clients`, each client by its name.", keys.CLIENT, core.Client),
    ("price", "Under `price` of a model.", keys.PRICE, core.Price),
    ("budget", "Under `budget`.", keys.BUDGET, core.Budget),
    ("notify", "Under `notify`, a list: of the first five exactly one.", keys.NOTIFY, None),
    ("messages", "Under `messages`, by the type of message.", keys.MESSAGE, None),
    ("questions", "Under `questions`.", keys.QUESTIONS, core.QuestionPolicy),
    ("land", "Under `land`.", keys.LAND, core.Land),
    ("clone", "Under `clone`.", keys.CLONE, core.Clone),
    ("secrets", "Under `secrets`.", keys.SECRETS, core.SecretPolicy),
    ("mirror", "Under `mirror`.", keys.MIRROR, None),
]


FLOW_INTRODUCTION = """
# The keys of a flow

Only `columns` and `agents` are needed. A key without a value is as if it were not there; an unknown one is a fault,
with its line and column. [Write a flow](../how-to/write-a-flow.md) shows them at work.
"""


def flow_page() -> str:
    lines = [MADE.strip(), FLOW_INTRODUCTION]
    for title, where, section, holds in FLOW_SECTIONS:
        lines += [f"## {title}\n", f"{where}\n", "| key | type | default | what it says |", "|---|---|---|---|"]
        for name, key in section.items():
            lines.append(f"| `{name}` | {_kind(name, key, section)} | {_default(name, key, holds)} | {key.meaning} |")
        lines.append("")
    lines += ["## Types\n", "| type | what it is |", "|---|---|"]
    lines += [f"| {kind} | {meaning} |" for kind, meaning in keys.KINDS.items()]
    return "\n".join(lines) + "\n"


def _kind(name: str, key: keys.Key, section: keys.Keys) -> str:
    if section is keys.LIMITS and name in sections.SPAN_LIMITS:
        low, high = sections.SPAN_LIMITS[name]
        return f"{key.kind}, {format_span(low)} to {format_span(high)}"
    if section is keys.LIMITS and name in sections.SIZE_LIMITS:
        least, most = sections.SIZE_LIMITS[name]
        return f"{key.kind}, {format_size(least)} to {format_size(most)}"
    return key.kind


def _default(name: str, key: keys.Key, holds: type[msgspec.Struct] | None) -> str:
    """What holds without the key, as the code has it; in the words of the table where these say more."""
    if key.default:
        return key.default
    field = next((field for field in struct_fields(holds) if field.name == name), None) if holds else None
    made = field.default if field else None
    if made in (None, msgspec.NODEFAULT, ""):
        return ""
    if isinstance(made, bool):
        return f"`{str(made).lower()}`"
    if key.kind == "size" and isinstance(made, int):
        return f"`{format_size(made)}`"
    return f"`{format_span(made)}`" if key.kind == "span" and isinstance(made, float) else f"`{made}`"


REPORT_INTRODUCTION = """
# The report

A report is one JSON object. Only `outcome` is needed; an unknown field is refused by name.
"""
DIALECTS = """## Dialects

Beside this form, all of these are read, and become the same report. How they look is shown in
[report in your own dialect](../how-to/report-in-your-own-dialect.md).
"""


def report_page() -> str:
    lines = [MADE.strip(), REPORT_INTRODUCTION]
    lines += ["## Outcomes\n", "| outcome | what it says | what must stand beside it |", "|---|---|---|"]
    lines += [f"| `{name}` | {' | '.join(canonical.OUTCOME_WORDS[name])} |" for name in OUTCOMES]
    lines += ["\nWhat follows from each is in [how the rules work](../explanation/rules.md#a-run-and-its-outcome).\n"]
    known = {field.name: field for field in struct_fields(Report)}
    lines += ["## Fields\n", "| field | type | what it says |", "|---|---|---|"]
    for name, meaning in canonical.WORDS.items():
        part = f"[{_type(known[name].type)}](#{name})" if name in canonical.PARTS else _type(known[name].type)
        lines.append(f"| `{name}` | {part} | {meaning} |")
    for name, parts in canonical.PARTS.items():
        lines += [f"\n## {name}\n", "| field | type | what it says |", "|---|---|---|"]
        inner = {field.name: field for field in struct_fields(_struct(known[name].type))}
        assert inner.keys() == parts.keys(), f"{name}: {inner.keys() ^ parts.keys()} has no words, or no field"
        for part, meaning in parts.items():
            needed = ", needed" if inner[part].required else ""
            lines.append(f"| `{part}` | {_type(inner[part].type)}{needed} | {meaning} |")
    lines += ["\n## Words\n"]
    for name, choice in (
        ("cause", CAUSES),
        ("findings.kind", FINDING_KINDS),
        ("findings.severity", SEVERITIES),
        ("comments.resolution", RESOLUTIONS),
        ("comments.status", COMMENT_STATUSES),
    ):
        lines.append(f"- `{name}`: {_listed(choice)}")
    lines += ["\nA cause is understood in these words too, in any case and with any signs between them:\n"]
    lines += ["| cause | words |", "|---|---|"]
    lines += [f"| `{cause}` | {', '.join(words)} |" for cause, words in CAUSE_WORDS.items()]
    return "\n".join([*lines, "", *_dialects()]) + "\n"


# What else is understood: a sample of each, and the outcome is what its reader makes of it.
SAMPLES: list[tuple[str, str, str]] = [
    ("message", "`review_findings`, approved", '{"type": "review_findings", "status": "approved", "findings": []}'),
    ("message", "`review_findings` with findings", '{"type": "review_findings", "findings": [{"issue": "it loops"}]}'),
    ("message", "`security_issues`, none", '{"type": "security_issues", "vulnerabilities": []}'),
    ("message", "`security_issues`", '{"type": "security_issues", "vulnerabilities": [{"severity": "high"}]}'),
    ("message", "`test_results`, passed", '{"type": "test_results", "status": "passed"}'),
    ("message", "`test_results`, failed", '{"type": "test_results", "status": "failed"}'),
    ("message", "`test_failures`", '{"type": "test_failures", "failures": [{"test": "TestLogin"}]}'),
    ("message", "`clarification_request`", '{"type": "clarification_request", "question": "Which one?"}'),
    ("message", "`escalation`", '{"type": "escalation", "details": "Which one?"}'),
    ("message", "`completion`", '{"type": "completion"}'),
    ("JSON", "`decision`: `delegate`", '{"decision": "delegate", "subAgents": [{"task": "read the parser"}]}'),
    ("JSON", "tasks with their files", '{"a": {"task": "User can register", "files": ["register.ts"]}}'),
    ("signal", f"`{signals.SEEKING}`", f"{signals.SEEKING}\n\nQuestion: Which one?"),
    ("signal", f"`{signals.UNSUCCESSFUL}`", signals.UNSUCCESSFUL),
    ("signal", f"`{signals.INCOMPLETE}`", signals.INCOMPLETE),
    ("YAML", "a comment that is open", "comments:\n  - author: dev-agent\n    content: it is async\n    status: open"),
    ("YAML", "`escalation_reason` alone", "escalation_reason: concurrency"),
    (
        "text",
        "ATTEMPT blocks alone",
        "ATTEMPT 1: Self-Solve\nApproach: by hand\nOutcome: it is red",
    ),
]


def _dialects() -> list[str]:
    shown = "".join(title for _, title, _ in SAMPLES)
    missing = [kind for kind in messages.READERS if f"`{kind}`" not in shown]
    assert not missing, f"no sample of {missing}"
    lines = [
        "## Dialects\n",
        "Beside this form, all of these are read, and become the same report. How they look is shown in",
    ]
    lines += ["[report in your own dialect](../how-to/report-in-your-own-dialect.md).\n"]
    lines += ["| dialect | what it says | outcome |", "|---|---|---|"]
    lines += [f"| {dialect} | {title} | `{read_report(sample).outcome}` |" for dialect, title, sample in SAMPLES]
    for dialect, said in (("JSON `status`", quest.STATUSES), ("markdown Status", status.WORDS)):
        for outcome in OUTCOMES:
            meant = [word for word, means in said.items() if means == outcome]
            if meant:
                lines.append(f"| {dialect} | {_listed(meant)} | `{outcome}` |")
    handed = _listed(messages.NO_REPORTS)
    lines.append(f"\nThese messages hand something on, and are no report: {handed}. `moot send` takes them.")
    return [
        *lines,
        "\nFields of your own are kept in `extra`, and told on. Beside an end that moves the work on, a short one (a",
        "yes or no, a number, up to three words) that is not known to describe or to agree is asked back, such as",
        "`hold: true` and `gate: red`. Sentences decide nothing, and are told on word for word.",
    ]


def _type(kind: Any) -> str:
    """The type of a field in plain words."""
    if typing.get_origin(kind) is typing.Annotated:
        return _type(typing.get_args(kind)[0])
    if typing.get_origin(kind) in (UnionType, typing.Union):
        return _type(next(part for part in typing.get_args(kind) if part is not NoneType))
    if typing.get_origin(kind) is typing.Literal:
        return "word"
    if typing.get_origin(kind) is list:
        inner = _type(typing.get_args(kind)[0])
        return {"text": "list of texts", "object": "list of objects"}[inner]
    if typing.get_origin(kind) is dict or (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
        return "object"
    return {str: "text", int: "count", float: "number", bool: "true or false"}[kind]


def _struct(kind: Any) -> Any:
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return kind
    return next(found for part in typing.get_args(kind) if part is not NoneType and (found := _struct(part)))


def _listed(names: typing.Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


GUARANTEES = """
# Guarantees

## What you can rely on

Each promise stands with the tests that would fail if it were broken.
"""
OTHER_PAGES = """How each kind of bad input is answered is in [bad input](bad-input.md).
What each fault of a disk, a process or a clock does to a board is in [faults](faults.md).
What a hostile agent tries, and what holds against it, is in [attacks](attacks.md).
What holds while agents run is in [how agents run](../explanation/running-agents.md#what-is-promised).

## What is not promised

| not promised | because |
|---|---|"""
CHECKED = """
## What `moot doctor` checks

What always holds of a board. `moot doctor` checks it on yours, the simulation after every step, and for each there is
a planted defect that shows the check can fail.

| check | what holds |
|---|---|"""


def guarantees_page() -> str:
    from scripts.promises import NOT_PROMISED, PROMISES

    lines = [MADE.strip(), GUARANTEES]
    for promise in PROMISES:
        lines += [f"### {promise.name}\n", f"{promise.words}\n", *(f"- `{test}`" for test in promise.tests), ""]
    lines += [OTHER_PAGES, *(f"| {what} | {why} |" for what, why in NOT_PROMISED)]
    lines += [CHECKED, *(f"| {check} | {meaning} |" for check, meaning in CHECKS.items())]
    return "\n".join(lines) + "\n"


ATTACKS = """
# Attacks

What a hostile agent, a hostile repository or a broken machine tries, and what holds. Each row is made from the test in
its last column: the test plays the attack with real processes and real git, and fails if the attack succeeds.
"""


def attacks_page() -> str:
    from scripts.attacks import TOPICS, attacks

    lines, found = [MADE.strip(), ATTACKS], attacks()
    for topic, title in TOPICS.items():
        rows = [f"| {one.attack} | {one.holds} | `{one.test}` |" for one in found if one.topic == topic]
        if rows:
            lines += [f"## {title}\n", "| attack | what holds | test |", "|---|---|---|", *rows, ""]
    return "\n".join(lines).rstrip() + "\n"


def main() -> int:
    sys.path.insert(0, str(ROOT))  # started as a script, only its own folder would be looked in
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
