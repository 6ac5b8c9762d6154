"""Thousands of texts from the documents' own words, mixed with noise: no crash, no false `done`, work in proportion."""

import json
import re
import subprocess
import sys
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from folkmoot.core.enums import OUTCOMES
from folkmoot.core.report import WORDS_BESIDE, AskedQuestion, Choice, Contract, Files, Finding, Report, Task, Tests, Try
from folkmoot.core.rules.judging.together import verdict
from folkmoot.errors import Invalid
from folkmoot.reports.read import REPORT_CHARS_MAX, read_report
from tests.effort import effort
from tests.reports.test_json_dialects import DOCUMENTS
from tests.reports.test_quoting import FORMATS, QUOTED

quick = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], deadline=None)

# Pieces of the documents' shapes, none of them whole.
PIECES = [
    *("## Summary", "## Changes Made", "## Issues Found (if applicable)", "## Next Steps", "## Status", "Status:"),
    *("## Fixed Issues", "## Tests", "**Status**:", "Status", "------", "======", "Summary: x", "1. Status"),
    *("- [x] Complete", "- [ ] Complete / [ ] Needs follow-up / [ ] Blocked", "[x]", "[ ]", "✓", "✅", "☐", "(x)"),
    *("Complete", "Needs follow-up", "Blocked", "Done", "not complete", "Complete, but", "- High: a.go:42 b", " / "),
    *("ATTEMPT 1: Self-Solve", "ATTEMPT [N]: [Self-Solve | Expert Delegation]", "Approach: a", "Outcome: b"),
    *("Why Different: c", "SEEKING_DIVINE_CLARIFICATION", "EXPERT_UNSUCCESSFUL", "TASK_INCOMPLETE", "Question: q?"),
    *("Context:", "Options Considered:", "1. a: b", "Attempts Made:", "- Self-solve: 3 attempts", "What Would Help:"),
    *('{"outcome": "done"', '"summary": "x"', "}", "{", '{"status": "complete"', '"report": "r"', ",", ":", "[", "]"),
    *('{"type": "test_results"', '"payload": {', '"decision": "delegate"', "{status: completed}", "Returns:"),
    *("```", "```json", "~~~", "````markdown", "> ", "> - [x] Complete", "<example>", "</example>", "<!--", "-->"),
    *('"', "“", "”", "'", "`", "\\", "\\u0000", "\0", "\ud800", "\u200b", "\ufeff", "\u2028", "\r", "\t", "---"),
    *("For example:", "…", "<brief description>", "complete|blocked|failed", "| a | b |", "~~", "é", "1", "done."),
]
BETWEEN = ["\n", "\n", "\n", "\n\n", " ", "", "\r\n"]

# What alone could give a text the right to be `done`: a form with a status or with fixes, or an object that says so.
SAYS_DONE = re.compile(
    r"(?:status|returns)\W.*(?:complete|done)|fixed issues.*^\s*(?:[-*+]|\d[.)]) |\{.*(?:complete|done|passed)",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)


rubble = st.lists(
    st.sampled_from([piece + between for piece in PIECES for between in BETWEEN]), min_size=1, max_size=24
).map("".join)


def heard(text: str) -> Report | None:
    """The report, or None where the text is refused; anything else is a failure of the ears."""
    refusal = None
    try:
        report = read_report(text)
    except Invalid as error:
        refusal = error
    if refusal is not None:
        assert refusal.code == "unreadable_report"
        assert b"\0" not in refusal.message.encode("utf-8")
        return None
    assert report.outcome in OUTCOMES
    msgspec.json.encode(report)
    return report


@pytest.mark.ledger("P-09", "E-06", "E-07")
@settings(quick, max_examples=1000)
@given(rubble)
def test_rubble_is_a_report_or_refused(text: str) -> None:
    report = heard(text)
    assert (
        report is None or report.outcome != "done" or SAYS_DONE.search(text.replace("\u200b", "").replace("\ufeff", ""))
    )


# Whole things that are no report, though each holds the words of one.
NOISE = [
    *FORMATS.values(),
    *(text for name, text in QUOTED.items() if name != "inside a cut-off object"),
    *("All tests passed, this is complete.", "I am done.", "not done yet", "✅ great", "- [x] Complete", "{}", "{ x }"),
    *("## Analysis\nIt works.", "1. first\n2. second", '{"agent": "a", "task": "b"}', '{"decision": "self-execute"}'),
    *("```python\ndone = True\n```", "> Status: Complete", 'the 5" pipe', "# Status of things", "---", "a: b"),
    *("```sh\nStatus: Complete\n```", "status complete", 'print("{")', "Tests pass.", "caf\u00e9 \u200d \U0001f44d"),
]
SAID = {
    "done": [
        '{"outcome": "done", "summary": "own"}',
        '```json\n{\n  "outcome": "done",\n  "summary": "own"\n}\n```',
        "## Summary\nown\n\n## Status\n- [x] Complete / [ ] Needs follow-up / [ ] Blocked\n",
        '{"status": "complete", "report": "own", "output": "a.py"}',
        '{"type": "test_results", "status": "passed"}',
        '{"type": "review_findings", "status": "approved", "findings": [], "approval": true}',
    ],
    "incomplete": ["TASK_INCOMPLETE", "### Summary\nown\n### Status\nNeeds follow-up\n"],
    "stuck": ["## Summary\nown\n\n## Status\n[x] Blocked\n", '{"status": "blocked", "report": "own"}'],
    "failed": ["EXPERT_UNSUCCESSFUL", '{"outcome": "failed"}', '{"status": "failed", "report": "own"}'],
    "asks": ["SEEKING_DIVINE_CLARIFICATION\n\nQuestion: which?\n", json.dumps(DOCUMENTS["clarification"])],
    "changes_requested": [json.dumps(DOCUMENTS["failures"]), json.dumps(DOCUMENTS["security"], indent=1)],
    "delegates": [json.dumps(DOCUMENTS["sub-agents"])],
    # Meant as a report, and broken: whatever came before it does not count any more.
    "": ['{"outcome": "finished"}', '{"outcome": "done", "sumary": 1}', "{'outcome': 'done'}", '{"outcome": "done",}'],
}
OUTCOME_OF = {text: outcome for outcome, texts in SAID.items() for text in texts}
FORMS = [text for text in OUTCOME_OF if text.startswith("##")]


@pytest.mark.ledger("P-09", "E-07", "Q-07")
@settings(quick, max_examples=500)
@given(st.lists(st.sampled_from(NOISE), max_size=8))
def test_noise_is_never_a_report(noise: list[str]) -> None:
    report = heard("\n\nSo far.\n\n".join(["I begin.", *noise]))
    assert report is None, report


def together(said: list[str]) -> str:
    """What the rules make of the verdicts of these texts; where they contradict each other the last stands for them."""
    outcomes = [OUTCOME_OF[text] for text in said if OUTCOME_OF.get(text)]
    return verdict(outcomes) or outcomes[-1]


@pytest.mark.ledger("P-09", "E-07", "Q-07", "R-32")
@settings(quick, max_examples=600)
@given(
    st.lists(st.sampled_from([*NOISE, *OUTCOME_OF]), max_size=8),
    st.sampled_from(list(OUTCOME_OF)),
    st.sampled_from(NOISE),
)
def test_all_that_is_said_decides_whatever_stands_around_it(before: list[str], last: str, after: str) -> None:
    if last in FORMS:  # these add to a message: see the next test
        before = [text for text in before if text in FORMS or text not in OUTCOME_OF]
    report = heard("\n\n---\n\nSo far.\n\n".join([*before, last, after]))
    assert (report.outcome if report else "") == (together([*before, last]) if OUTCOME_OF[last] else "")
    outcomes = [OUTCOME_OF[text] for text in [*before, last] if OUTCOME_OF.get(text)]
    if report is not None and verdict(outcomes) is None:
        assert verdict(report.extra["outcomes"]) is None, "the rules can see that it contradicts itself"


@pytest.mark.ledger("P-03", "P-09", "R-32")
@settings(quick, max_examples=400)
@given(
    st.lists(st.sampled_from([*NOISE, *OUTCOME_OF]), max_size=5),
    st.sampled_from([text for text in OUTCOME_OF if text not in FORMS]),
    st.lists(st.sampled_from(NOISE), max_size=2),
    st.sampled_from(FORMS),
)
def test_a_form_never_turns_a_message_into_something_else(
    before: list[str], message: str, noise: list[str], form: str
) -> None:
    report = heard("\n\n---\n\nSo far.\n\n".join([*before, message, *noise, form]))
    assert report is None or (OUTCOME_OF[message] and report.outcome == together([*before, message]))


letters = st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Cs", "Co", "Cn", "Zs", "Zl", "Zp", "Mn", "Me"])
# Free words where it costs little, and beside them what could be taken for the end of something.
texts = st.text(letters, max_size=6).map(lambda text: f"w {text} w")
words = st.sampled_from(["w", '"', "}", "{", "\\", "\n## Status\n[x] Complete", "```", "> x", "TASK_INCOMPLETE", "a|b"])
full = Report(
    outcome="asks",
    summary="s",
    findings=[Finding(severity="high", issue="i", line=3)],
    tests=Tests(total=3),
    attempts=[Try(approach="a")],
    question=AskedQuestion(question="q", options=[Choice(option="o")]),
    tasks=[Task(title="t", files=["f"])],
    extra={"own": [1]},
)
reports = st.builds(
    lambda outcome, summary, *parts: replace(
        full,
        outcome=outcome,
        summary=summary,
        commit=parts[0],
        files=Files(created=[parts[1]]),
        contracts=[Contract(name=parts[2], text=parts[0])],
        lessons=list(parts),
    ),
    st.sampled_from(OUTCOMES),
    texts,
    words,
    words,
    words,
)
AROUND = [
    "{}",
    "It is over.\n\n{}\n\nBye.",
    "```json\n{}\n```",
    "So: {}",
    "```\n{}\n```\nbye",
    "\ufeff{}\r\n",
    "{{\n{}",
]


@pytest.mark.ledger("Q-15")
@settings(quick, max_examples=400)
@given(reports, st.sampled_from(AROUND), st.sampled_from([None, 1]), st.booleans())
def test_a_report_comes_back_whole(report: Report, around: str, indent: int | None, plain_letters: bool) -> None:
    data = json.loads(msgspec.json.encode(report))
    text = json.dumps(data, indent=indent, ensure_ascii=plain_letters)
    read = read_report(around.format(text))
    told = {name: value for name, value in read.extra.items() if name != WORDS_BESIDE}
    assert replace(read, extra=told) == report


def filled(size: int, piece: str) -> str:
    return (piece * (size // len(piece) + 1))[:size]


HOSTILE: dict[str, Callable[[int], str]] = {
    "open braces": lambda n: "{" * n,
    "open objects": lambda n: filled(n, '{"a":'),
    "open reports": lambda n: filled(n, '{"outcome": "done", "a": '),
    "nested objects": lambda n: '{"a":' * (n // 6) + "1" + "}" * (n // 6),
    "nested, broken within": lambda n: '{"a" ' * (n // 6) + "}" * (n // 6),
    "broken objects": lambda n: filled(n, '{"a" 1}\n'),
    "keys twice": lambda n: filled(n, '{"a":1,"a":2} '),
    "many reports": lambda n: filled(n, '{"outcome":"done"}\n'),
    "many wrong reports": lambda n: filled(n, '{"outcome":"x"}\n'),
    "single quotes": lambda n: filled(n, "{'outcome': "),
    "list of objects": lambda n: "[" + filled(n, '{"a":1},'),
    "spaces and braces": lambda n: filled(n, "{" + " " * 200),
    "backslashes": lambda n: '{"' + "\\" * n,
    "open fences": lambda n: filled(n, "```a\n"),
    "fences": lambda n: filled(n, "```\nx\n"),
    "fences of two kinds": lambda n: filled(n, "```\n~~~\n"),
    "longer and longer fences": lambda n: "\n".join("`" * (3 + k) for k in range(int((2 * n) ** 0.5))),
    "attempt lines": lambda n: filled(n, "ATTEMPT 1:\n"),
    "attempt blocks": lambda n: filled(n, "ATTEMPT 1: Self-Solve\nApproach: x\n"),
    "open quotations": lambda n: filled(n, ' "a\n'),
    "quotations": lambda n: filled(n, 'say "a\nb" x\n'),
    "summaries": lambda n: filled(n, "# Summary\n"),
    "status lines": lambda n: filled(n, "Status: Complete\n"),
    "forms": lambda n: filled(n, "# Status\n- [x] Complete\n"),
    "underlined headings": lambda n: filled(n, "Status\n---\n"),
    "boxes on a line": lambda n: "# Status\n" + filled(n, "[ ] Complete / "),
    "boxes on lines": lambda n: "# Status\n" + filled(n, "- [ ] Complete\n"),
    "a long point": lambda n: "# Issues Found\n- a\n" + filled(n, " b\n") + "\n# Status\n[x] Complete",
    "many points": lambda n: "# Changes Made\n" + filled(n, "- a/b.c: d\n") + "\n# Status\n[x] Complete",
    "long paths": lambda n: "# Issues Found\n" + filled(n, "- " + "a." * 200 + "\n") + "\n# Status\n[x] Complete",
    "signals": lambda n: filled(n, "TASK_INCOMPLETE\n"),
    "questions": lambda n: filled(n, "SEEKING_DIVINE_CLARIFICATION\nQuestion: a\n"),
    "a long option": lambda n: "SEEKING_DIVINE_CLARIFICATION\nQuestion: q\nOptions:\n1. a\n" + filled(n, "x\n"),
    "labels": lambda n: "EXPERT_UNSUCCESSFUL\n" + filled(n, "Reason: a\n"),
    "open tags": lambda n: filled(n, "<example>\n"),
    "open comments": lambda n: filled(n, "<!--\n"),
    "a long line": lambda n: "a" * n,
    "stars": lambda n: "*" * n,
    "hashes": lambda n: filled(n, "# # "),
    "unseen letters": lambda n: filled(n, "\u200d\u200b"),
    "returns": lambda n: filled(n, 'Returns: {a: b, a: b, c: "\n'),
    "struck out": lambda n: "# Status\n" + filled(n, "~~"),
    "a heading with spaces": lambda n: "# Artifact: x" + " " * n + "y\ncomments:\n- id: 1\n",
    "a table's rule": lambda n: "# Issues Found\n| a | b |\n|" + "-" * n + "x\n| c | high |\n",
    "wishes": lambda n: "# Summary\n" + filled(n, "no any changes are ") + "\n# Status\n[x] Complete",
}


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE.keys())
def test_sixteen_times_the_text_is_about_sixteen_times_the_work(make: Callable[[int], str]) -> None:
    small, large = make(6_000), make(96_000)
    bound = 64 * max(effort(lambda: heard(small)), 0.001)
    assert effort(lambda: heard(large), enough=bound) < bound, "squared work would be 256 times as much"


# Each is read in another process, which can be ended: nothing ends a pattern that is tried in all ways.
READ = """
import sys
from folkmoot.errors import MootError
from folkmoot.reports.read import read_report
from folkmoot.testing.builders import TrialBoard, line_flow
with TrialBoard(line_flow("dev")) as board:
    board.add()
    run = board.claim("dev-agent")
    try:
        board.engine.report(run, read_report(sys.stdin.read()), final=True)
    except MootError:
        pass
"""
SLOW = {
    "dashes in a table": "# Issues Found\n| a | severity |\n|" + "-" * 60 + "x\n| b | high |\n\n# Status\n[x] Complete",
    "spaces in a table": "# Tests\n| a | b |\n" + "-   " * 20 + "x\n| c | FAIL |\n\n# Status\n[x] Complete",
    "a word of two": json.dumps({"outcome": "done", "summary": "is" * 40 + "x not done"}),
    "spaces in a reason": json.dumps({"outcome": "failed", "summary": "x", "reason": " " * 400_000 + "x"}),
    "spaces in a heading": "# Artifact: x" + " " * 400_000 + "y\ncomments:\n- id: 1\n",
}


@pytest.mark.ledger("R-32")
@pytest.mark.attack(
    "limits",
    "a report of a hundred letters, which can be read in more ways than there is time for: a table's rule, a summary",
    "it is read in a moment: until it is, its worker renews no lease, hears no Ctrl-C, and nobody writes on the board",
)
@pytest.mark.parametrize("text", SLOW.values(), ids=SLOW.keys())
def test_no_report_takes_for_ever_to_be_read(text: str) -> None:
    subprocess.run([sys.executable, "-c", READ], input=text, encoding="utf-8", timeout=30, check=True)


@pytest.mark.ledger("R-32")
def test_what_is_too_long_is_refused_unread() -> None:
    with pytest.raises(Invalid, match="characters, more than"):
        read_report("## Summary\n" + "x" * REPORT_CHARS_MAX + "\n## Status\n[x] Complete")


@pytest.mark.attack(
    "limits",
    "a report says tens of thousands of things under names of its own, each of which is weighed beside all others",
    "it is refused by their number, whichever way it was said, and a large report is decided once",
)
@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("form", ["{}", "Here it is:\n```json\n{}\n```\n"])
def test_a_report_of_very_many_names_of_its_own_is_refused(form: str) -> None:
    def told(many: int) -> str:
        return form.format(json.dumps({"status": "complete", "summary": "x", **{f"k{n}": 1 for n in range(many)}}))

    assert read_report(told(900)).outcome == "done"
    with pytest.raises(Invalid, match="fields, and a report has at most 1000"):
        read_report(told(20_000))
    bound = 8 * effort(lambda: heard(told(5_000)))
    assert effort(lambda: heard(told(20_000)), enough=bound) < bound, "it grows with the names, not with their square"
