"""Whatever a text says in a form of the documents is in the report, in a field or in `extra`, or it is asked back.

Every word is made unlike all others, so that it can be looked for: in single objects of every shape, with values of
other kinds and keys that nobody knows, and in texts of several statements.
"""

import itertools
import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.core.report import Report
from folkmoot.errors import Invalid
from folkmoot.reports.read import read_report
from tests.documents import (
    CLARIFICATION,
    ESCALATION,
    FAILURES,
    QUEST_LONG,
    QUEST_SHORT,
    RESULTS,
    REVIEW,
    SECURITY,
    SHARED,
    SUB_AGENTS,
    TASKS,
)

View = dict[str, Any]
ENVELOPE: View = {
    "schema_version": "1.0.0",
    "message_id": "5b0c4f3e-77b0-4b7e-9d1c-3c9f2f8d6a11",
    "timestamp": "2024-01-17T14:30:00Z",
    "from": "reviewer",
    "to": "orchestrator",
    "priority": "high",
    "context": {"workflow": "feature", "spec": "specs/login.md", "iteration": 1},
    "status": "completed",
}
SHAPES: dict[str, View] = {
    "review": REVIEW,
    "security": SECURITY,
    "failures": FAILURES,
    "results": RESULTS,
    "clarification": CLARIFICATION,
    "escalation": ESCALATION,
    "quest, short": QUEST_SHORT,
    "quest, long": QUEST_LONG,
    "quest, output": {**QUEST_LONG, "status": "complete", "output": {**TASKS, "interfaces": ["a"], **SHARED}},
    "sub-agents": SUB_AGENTS,
    "tasks": {**TASKS, **SHARED},
    "listed tasks": {"agentType": "pathseeker", "status": "complete", "report": "r", "tasks": [*TASKS.values()]},
    "handoff": {"status": "needs_fixes", "issues": ["leak", "race"], "spec": "specs/a.md", "commit": "abc"},
    "completion": {**ENVELOPE, "type": "completion", "payload": {"status": "completed", "phase": "3", "report": "r"}},
    "envelope": {**ENVELOPE, "type": "review_findings", "payload": {**REVIEW}},
    "canonical": {
        "outcome": "failed",
        "summary": "s",
        "files": {"created": ["a.py"], "modified": ["b.py"]},
        "findings": [{"severity": "high", "issue": "i", "file": "f.py", "line": 3, "recommendation": "r"}],
        "attempts": [{"approach": "a", "outcome": "o", "why_different": "w"}],
        "comments": [{"content": "c", "target": "t"}],
        "blockers": "b",
        "next_steps": ["n"],
        "lessons": ["l"],
    },
}
# Words that say which kind of thing it is: another word there would be another report.
KEPT = {
    *("type", "status", "outcome", "decision", "severity", "kind", "agentType", "cause", "schema_version"),
    *("message_id", "timestamp", "priority", "workflow", "approval", "blocking"),
}


class Marks:
    """Words and numbers that stand nowhere else."""

    def __init__(self) -> None:
        self.count = itertools.count(1)
        self.words: list[str] = []
        self.numbers: list[int] = []

    def word(self) -> str:
        self.words.append(f"qz{next(self.count)}w")
        return self.words[-1]

    def number(self) -> int:
        self.numbers.append(70_000 + next(self.count))
        return self.numbers[-1]


def marked(value: Any, marks: Marks, name: str = "") -> Any:
    """The same value with every word and number of its own."""
    if isinstance(value, dict):
        return {
            key: part if key in KEPT and isinstance(part, str | bool) else marked(part, marks, key)
            for key, part in value.items()
        }
    if isinstance(value, list):
        return [marked(part, marks, name) for part in value]
    if isinstance(value, str):
        return marks.word()
    if (
        isinstance(value, int)
        and not isinstance(value, bool)
        and name not in ("total", "passed", "failed", "iteration")
    ):
        return marks.number()
    return value


def other_kind(value: Any, how: str) -> Any:
    """The same words in a value of another kind."""
    if how == "in a list":
        return [value]
    if how == "in an object":
        return {"beside": value}
    if how == "as text" and not isinstance(value, str):
        return ", ".join(str(leaf) for leaf in leaves(value))
    return value


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for part in value.values() for leaf in leaves(part)]
    if isinstance(value, list):
        return [leaf for part in value for leaf in leaves(part)]
    return [value]


def heard(text: str) -> Report | None:
    try:
        return read_report(text)
    except Invalid:
        return None


def lost(report: Report | None, marks: Marks) -> list[str]:
    """The words and numbers that stand nowhere in the report; of one that is asked back nothing is lost."""
    if report is None:
        return []
    found = json.dumps(msgspec.to_builtins(report), ensure_ascii=False)
    return [str(mark) for mark in [*marks.words, *marks.numbers] if str(mark) not in found]


@pytest.mark.ledger("Q-15")
@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_of_the_documents_is_read_and_kept(name: str) -> None:
    marks = Marks()
    data = marked(SHAPES[name], marks)
    report = heard(json.dumps(data))
    assert report is not None and lost(report, marks) == []


HOW = ("in a list", "in an object", "as text", "unknown key", "gone")


def nodes(value: Any) -> list[View]:
    """Every object in it, itself first."""
    parts = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return [*([value] if isinstance(value, dict) else []), *(node for part in parts for node in nodes(part))]


def change(at: View, name: str, how: str, marks: Marks) -> None:
    """One value of it said otherwise."""
    if how == "unknown key":
        at[f"key{next(marks.count)}"] = [marks.word()]
    elif how == "gone":
        gone = json.dumps(at.pop(name))
        marks.words = [word for word in marks.words if word not in gone]
        marks.numbers = [number for number in marks.numbers if str(number) not in gone]
    else:
        at[name] = other_kind(at[name], how)


@pytest.mark.ledger("Q-15", "R-32")
@pytest.mark.parametrize("shape", SHAPES)
def test_no_value_of_another_kind_and_no_unknown_key_is_lost(shape: str) -> None:
    told = []
    for place, node in enumerate(nodes(SHAPES[shape])):
        for name, how in itertools.product(node, HOW):
            marks = Marks()
            said = marked(SHAPES[shape], marks)
            if name not in KEPT:
                change(nodes(said)[place], name, how, marks)
                text = json.dumps(said)
                told += [(name, how, words, text) for words in [lost(heard(text), marks)] if words]
    assert told == []


@pytest.mark.ledger("Q-15", "R-32")
@settings(max_examples=300)
@given(st.data())
def test_nothing_is_lost_where_several_values_are_said_otherwise(data: st.DataObject) -> None:
    marks = Marks()
    said = marked(SHAPES[data.draw(st.sampled_from(list(SHAPES)))], marks)
    for _ in range(data.draw(st.integers(2, 3))):
        at = data.draw(st.sampled_from(nodes(said)))
        names = [name for name in at if name not in KEPT]
        if names:
            change(at, data.draw(st.sampled_from(names)), data.draw(st.sampled_from(HOW)), marks)
    text = json.dumps(said)
    assert lost(heard(text), marks) == [], text


def block(marks: Marks, kind: str) -> str:
    """One statement in a form of its own, each word unlike all others."""
    w = marks.word
    if kind in SHAPES:
        return f"```json\n{json.dumps(marked(SHAPES[kind], marks), indent=1)}\n```"
    return {
        "question": lambda: (
            f"SEEKING_DIVINE_CLARIFICATION\n\nTask: {w()}\nAgent: {w()}\n\nQuestion: {w()}?\n\nContext:\n{w()}\n\n"
            f"Options Considered:\n1. {w()}: {w()}\n2. {w()}: {w()}\n\nAttempts Made:\n- Self-solve: 3 attempts\n"
            f"- {w()}\n\nWhat Would Help:\n{w()}\n"
        ),
        "attempt": lambda: (
            f"ATTEMPT {marks.number()}: Self-Solve\nApproach: {w()}\nOutcome: {w()}\nWhy Different: {w()}\n"
        ),
        "expert": lambda: f"EXPERT_UNSUCCESSFUL: {w()}\n\nTried: {w()}\n",
        "incomplete": lambda: f"TASK_INCOMPLETE: {w()}\n\nRemaining: {w()}\n",
        "comments": lambda: (
            f"```yaml\ncomments:\n  - id: {w()}\n    target: {w()}\n    content: {w()}\n    status: open\n```"
        ),
        "form": lambda: (
            f"## Summary\n{w()}\n\n## Changes Made\n- src/{w()}.py: {w()}\n\n## Issues Found\n- High: {w()}\n\n"
            f"## Next Steps\n- {w()}\n\n## Status\n- [x] Complete / [ ] Needs follow-up / [ ] Blocked\n"
        ),
        "attempts in JSON": lambda: json.dumps({"attempts": [{"approach": w(), "outcome": w()}]}),
        "returns": lambda: f'Returns: {{status: needs_fixes, commit: "{w()}"}}',
    }[kind]()


KINDS = [
    *SHAPES,
    *("question", "attempt", "expert", "incomplete", "comments", "form", "attempts in JSON", "returns"),
]


@pytest.mark.ledger("Q-15", "R-32")
@pytest.mark.parametrize(("first", "last"), list(itertools.product(KINDS, KINDS)))
def test_nothing_is_lost_of_two_statements_in_one_text(first: str, last: str) -> None:
    marks = Marks()
    text = f"I begin.\n\n{block(marks, first)}\n\nThen this.\n\n{block(marks, last)}\n"
    assert lost(heard(text), marks) == [], text


@pytest.mark.ledger("Q-15", "R-32")
@settings(max_examples=150)
@given(st.lists(st.sampled_from(KINDS), min_size=3, max_size=5))
def test_nothing_is_lost_of_many_statements_in_one_text(kinds: list[str]) -> None:
    marks = Marks()
    text = "\n\nThen this.\n\n".join(block(marks, kind) for kind in kinds)
    assert lost(heard(text), marks) == [], text


FORM_ALONE = "## Summary\nBuilt it.\n\n## Changes Made\n- a.go: x\n{inside}\n## Status\n- [x] Complete\n{behind}"
ANSWERED = '{"findings": [{"file": "a.go", "line": 60, "status": "wont_fix", "reason": "closed by the caller"}]}'
STANDING_BESIDE = {
    "an object": ANSWERED,
    "a fenced object": f"```json\n{ANSWERED}\n```",
    "an object over lines": '{\n "coverage": "81%",\n "open": ["closed by the caller"]\n}',
    "what looks like a placeholder": '```json\n{"note": "closed by the caller"}\n```',
    "code": "```go\n// closed by the caller\n```",
    "output": "The log:\n```\nclosed by the caller\n```",
}


@pytest.mark.ledger("P-09", "R-22")
@pytest.mark.parametrize("where", ["inside", "behind", "before"])
@pytest.mark.parametrize("told", STANDING_BESIDE.values(), ids=STANDING_BESIDE)
def test_data_and_code_beside_a_form_are_told(told: str, where: str) -> None:
    """Beside JSON they were, beside the form alone nobody read them; and a fence's marks stood as the Status."""
    text = FORM_ALONE.format(**{"inside": "", "behind": "", where: told})
    report = read_report(f"{told}\n\n{text}" if where == "before" else text)
    assert report.outcome == "done" and report.summary == "Built it."
    assert "closed by the caller" in str(report.extra)
    assert "```" not in report.extra.get("Status", "")


@pytest.mark.ledger("P-09")
def test_an_example_beside_a_form_is_none_of_its_words() -> None:
    example = "The form was:\n```markdown\n## Summary\n…\n## Status\n- [ ] Blocked\n```\n"
    report = read_report(FORM_ALONE.format(inside="", behind=f"\n{example}"))
    assert report.outcome == "done" and "Blocked" not in str(report.extra)
