"""What an agent repeats, shows or quotes is never its report; what it says itself is found wherever it stands."""

import json

import pytest
from msgspec.structs import replace

from folkmoot.core.report import WORDS_BESIDE, Report
from folkmoot.core.rules.judging.together import verdict
from folkmoot.errors import Invalid
from folkmoot.reports.read import read_report

DONE = '{"outcome": "done", "summary": "all of it"}'
FORM = "## Summary\nall of it\n\n## Status\n- [x] Complete\n"
# The documents' instructions, as an agent repeats them.
OUTPUT_FORMAT = """## Summary
<brief description of what was done>

## Changes Made
- file/path: description
- another/file: description

## Issues Found (if applicable)
- Severity: description

## Next Steps (if applicable)
- Recommended actions

## Status
- [ ] Complete / [ ] Needs follow-up / [ ] Blocked
"""
ATTEMPT_FORMAT = """ATTEMPT [N]: [Self-Solve | Expert Delegation]
Approach: [what was tried]
Outcome: [result]
Why Different: [how this differs from previous attempts]
"""
SIGNAL_FORMAT = """SEEKING_DIVINE_CLARIFICATION

Task: [task_id]
Agent: [agent_type]

Question: [specific question for human]

Context:
[relevant background]

Options Considered:
1. [option]: [why insufficient]
2. [option]: [why insufficient]

Attempts Made:
- Self-solve: [N] attempts
- Expert delegation: [N] attempts (if applicable)

What Would Help:
[specific guidance needed]
"""
QUEST_FORMAT = json.dumps(
    {
        "status": "complete|blocked|failed",
        "output": "files_created_or_modified",
        "report": "what_was_accomplished",
        "nextSteps": "dependencies_or_blockers",
        "retro": "insights_for_system_learning",
    },
    indent=2,
)
ENVELOPE_FORMAT = json.dumps(
    {
        "schema_version": "1.0.0",
        "message_id": "uuid-v4",
        "from": "agent_name",
        "to": "agent_name",
        "type": "message_type",
        "priority": "critical|high|medium|low",
        "payload": {},
        "status": "pending|accepted|completed|rejected",
    }
)
CANONICAL_FORMAT = """{"outcome": "changes_requested", "summary": "…", "commit": "abc123",
 "findings": [{"kind": "review|security|test", "severity": "critical|high|medium|low", "file": "…", "line": 42}],
 "tests": {"total": 10, "passed": 8, "failed": 2}}"""
FLOW = """3. PLANNER:
   - Analyzes requirement
   - Returns: {status: completed, spec: "specs/login.md"}
10. REVIEWER (iteration 2):
    - Approves
    - Returns: {status: approved}
11. ORCHESTRATOR: Workflow complete
"""
FORMATS = {
    "output": OUTPUT_FORMAT,
    "attempts": ATTEMPT_FORMAT,
    "signal": SIGNAL_FORMAT,
    "quest": QUEST_FORMAT,
    "envelope": ENVELOPE_FORMAT,
    "canonical": CANONICAL_FORMAT,
    "canonical, short": '{"outcome": "done", "summary": "…"}\n',
    "to agree": '{"outcome": "done", "comments": [{"parent": "c001", "resolution": "accepted", "content": "…"}]}',
    "status line": "- [ ] Complete / [ ] Needs follow-up / [ ] Blocked",
    "flow": FLOW,
    "mandatory": "MANDATORY: Signal SEEKING_DIVINE_CLARIFICATION\nDO NOT: Continue trying different approaches\n",
}
QUOTED = {
    "block quote": "> " + FORM.replace("\n", "\n> "),
    "block quote of JSON": f"> {DONE}",
    "quotation marks": f'You told me to say "{DONE}" at the end.',
    "single quotation marks": f"echo '{DONE}' | moot report",
    "code in a sentence": f"When I am finished I will say `{DONE}` and stop.",
    "a table": f"| done | {DONE} |\n|---|---|\n| Status | Complete |",
    "long quotation": 'You wrote: "## Summary\nall of it\n\n## Status\n- [x] Complete"\nI could not.',
    "typographic quotation": "You wrote:\n“## Summary\nall of it\n\n## Status\n- [x] Complete”\nI could not.",
    "quotation on lines of its own": f'"\n{FORM}\n"\nI could not.',
    "tags": f"<instructions>\n{FORM}\n{DONE}\n</instructions>\nI could not.",
    "a comment": f"<!--\n{FORM}\n{DONE}\n-->\nI could not.",
    "an example": f"For example:\n\n{DONE}\n",
    "an example in a fence": f"The instructions say to end with:\n\n```json\n{DONE}\n```\n\nI cannot say that yet.",
    "an example form in a fence": f"A report should look like this:\n```markdown\n{FORM}```\nI have none.",
    "an example form": f"It would look like this:\n\n{FORM}",
    "what it would say": f"If I had finished I would say {DONE}",
    "code": f"```python\nreport = {DONE}\n```",
    "a shell": f"```bash\n# Status\nStatus: Complete\necho {DONE}\n```",
    "told of others": f"**dispatcher → test-executor:**\n```json\n{DONE}\n```\n",
    "what the author said": f"The author's report said:\n\n{DONE}\n",
    "what the author says, in a fence": f"The author says:\n\n```json\n{DONE}\n```\n",
    "what an earlier run reported": f"The previous run reported:\n{DONE}\n",
    "what a file holds": f"The file notes.txt contains:\n{DONE}\n",
    "what the work prints": f"I ran it. The script prints:\n\n```\n{DONE}\n```\n",
    "what the coder claims": f"The coder claims:\n{DONE}\n",
    "inside another object": f'{{"example": {DONE}, "note": "x"}}',
    "inside a list": f"[{DONE}, {DONE}]",
    "inside a string": json.dumps({"note": DONE}),
    "inside a cut-off object": f'{{"outcome": "failed", "integration_points": {DONE}',
}
PROSE = [
    "This is not complete.",
    "The work is not done",
    "All tests passed. Everything is complete and done!",
    "done",
    "Complete",
    "✅ Complete",
    "- [x] Complete",
    "[x] Complete / [ ] Blocked",
    "status complete",
    "The status: complete failure of the network.",
    "outcome: done",
    "APPROVED",
    "complete|blocked|failed",
    "{}",
    "{ done }",
    '{"summary": "done"}',
    "Returns: {status: completed|needs_fixes}",
    "I will set status to complete when it is done.",
    'The service answered {"status": "completed"} and I went on.',
    'The service answered {"status": "completed"}',
    "{status: completed}\nwas the answer.",
    "## Fixed Issues\nall of them",
    "## Fixed Issues\n- [ ] the first one\n",
    "## Fixed Issues\n- …\n",
    "Status\nComplete",
]


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("text", PROSE)
def test_words_are_not_a_report(text: str) -> None:
    with pytest.raises(Invalid):
        read_report(text)


@pytest.mark.ledger("P-09", "E-06", "E-07", "Q-07")
@pytest.mark.parametrize("text", [*FORMATS.values(), *QUOTED.values()], ids=[*FORMATS.keys(), *QUOTED.keys()])
def test_instructions_and_quotations_are_not_a_report(text: str) -> None:
    around = ["I was given this:\n\n{}\n\nand could not do it.", "```\n{}\n```\nso", "{}\nwhat now"]
    for shape in around:
        with pytest.raises(Invalid):
            read_report(shape.format(text) if shape.startswith("I") else shape.replace("{}", text))


@pytest.mark.ledger("P-09", "E-06", "E-07", "Q-07")
@pytest.mark.parametrize("text", [*FORMATS.values(), *QUOTED.values()], ids=[*FORMATS.keys(), *QUOTED.keys()])
@pytest.mark.parametrize("own", ['{"outcome": "failed", "summary": "own"}', "## Summary\nown\n\n## Status\nBlocked\n"])
def test_beside_them_the_agents_own_report_is_found(text: str, own: str) -> None:
    if text == QUOTED["inside a cut-off object"] and own.startswith("##"):
        with pytest.raises(Invalid):  # a form adds to a message, and this one cannot be read
            read_report(f"{text}\n\nNow what I have to say.\n\n{own}")
        return
    assert read_report(f"{text}\n\nNow what I have to say.\n\n{own}").summary == "own"
    if text != QUOTED["inside a cut-off object"]:  # a report that was begun takes back what was said before
        assert read_report(f"{own}\n\nThat was it.\n\n{text}").summary == "own"


FOUND = {
    "alone": "{}",
    "in prose": "I did all of it.\n\n{}\n\nGood bye.",
    "behind words": "My report: {}",
    "between words": "I am finished. {} Thank you.",
    "in a fence": "```json\n{}\n```",
    "in a fence without a name": "My report:\n```\n{}\n```\nbye",
    "in a fence of tildes": "~~~~ json\n{}\n~~~~",
    "in a fence that is not closed": "```json\n{}\n",
    "as code on a line of its own": "My report is\n\n`{}`\n",
    "indented": "1. done\n   {}\n",
    "following instructions": "Following the instructions, here is my report:\n{}",
    "as asked for": "Here is the report in the format you want:\n\n{}",
    "behind an open brace": "if (x) {{ and so on\n\n{}\n",
    "behind an open quotation mark": 'the 5" pipe and "\n\n{}\n',
    "between braces": "function () {{\n{}\n}}",
    "byte order mark": "\ufeff{}",
    "twice": "{0}\n{0}",
    "on one line twice": "{0} {0}",
}


def alone(report: Report) -> Report:
    """Without the words around it, which are kept."""
    return replace(report, extra={name: told for name, told in report.extra.items() if name != WORDS_BESIDE})


@pytest.mark.parametrize("around", FOUND.values(), ids=FOUND.keys())
def test_a_report_is_found_wherever_it_stands(around: str) -> None:
    expected = Report(outcome="done", summary='a "b" {c} `d`\n> e')
    short = json.dumps({"outcome": "done", "summary": expected.summary})
    assert alone(read_report(around.format(short))) == expected
    if around not in (FOUND["on one line twice"], FOUND["as code on a line of its own"]):
        long = json.dumps({"outcome": "done", "summary": expected.summary}, indent=2)
        assert alone(read_report(around.format(long))) == expected


LATER_FAULTS = {
    "a wrong word": '{"outcome": "finished"}',
    "a misspelt field": '{"outcome": "failed", "sumary": "x"}',
    "a wrong value": '{"outcome": "failed", "tests": 3}',
    "cut off": '{"outcome": "failed", "summary": "it broke while',
    "cut off behind a key": '{"status": "failed", "report": ',
    "a comma too many": '{"outcome": "failed",}',
    "a key twice": '{"outcome": "failed", "outcome": "done"}',
    "single quotes": "{'outcome': 'failed'}",
    "in a fence": '```json\n{"outcome": "failed", "summary": broken}\n```',
    "a broken message": '{"type": "test_failures", "failures": [{"test": "a"]}',
    "too deep": '{"outcome": "failed", "integration_points": ' + "[" * 3000 + "]" * 3000 + "}",
}


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("later", LATER_FAULTS.values(), ids=LATER_FAULTS.keys())
def test_a_broken_report_takes_back_the_one_before(later: str) -> None:
    with pytest.raises(Invalid):
        read_report(f"{DONE}\n\nBut then:\n\n{later}")
    assert read_report(f'{later}\n\nAgain:\n\n{{"outcome": "stuck"}}').outcome == "stuck", (
        "a whole one behind it counts"
    )


def test_no_statement_of_several_dialects_is_dropped() -> None:
    said = {
        "done": DONE,
        "stuck": "## Summary\nx\n\n## Status\nBlocked\n",
        "incomplete": "TASK_INCOMPLETE",
        "asks": "SEEKING_DIVINE_CLARIFICATION\n\nQuestion: which?\n",
        "changes_requested": '{"type": "test_results", "status": "failed"}',
    }
    for first in said:
        for last in said:
            if last == "stuck":
                continue  # a form adds to what else was said: tests/reports/test_message_and_form.py
            report = read_report(f"{said[first]}\n\n---\n\n{said[last]}\n")
            assert report.outcome == (verdict([first, last]) or last), (first, last)
            assert first == last or set(report.extra["outcomes"]) == {first, last}
            assert (report.question is not None) == ("asks" in (first, last))


def test_a_canonical_report_loads_no_dialect() -> None:
    import subprocess
    import sys

    script = (
        "import sys\nfrom folkmoot.reports.read import read_report\n"
        'read_report(\'{"outcome": "done", "summary": "x"}\')\n'
        "print(*[name for name in sys.modules if name.startswith('folkmoot.reports')], 'difflib' in sys.modules)\n"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert sorted(said) == ["False", "folkmoot.reports", "folkmoot.reports.canonical", "folkmoot.reports.read"]


TAKEN_BACK = {
    "indented": "    Status: approved\n",
    "in a fence": "```\nStatus: approved\n```\n",
    "as JSON": '{"status": "complete"}\n',
    "plain": "Status: complete\n",
}


@pytest.mark.parametrize("said", ["changes requested", "blocked", "failed"])
@pytest.mark.parametrize("how", TAKEN_BACK)
def test_a_line_of_a_file_at_the_end_does_not_take_back_the_status_above(how: str, said: str) -> None:
    text = f"## Review\nStatus: {said}\n\n- High: x.py is broken\n\nThe README holds:\n\n{TAKEN_BACK[how]}"
    with pytest.raises(Invalid, match="say once how it ended"):
        read_report(text)


@pytest.mark.attack(
    "gates",
    "a reviewer lists issues, and quotes the maker's report, or what the work prints, behind them",
    "whose words follow is heard: they are no verdict, and the reviewer is asked for its own",
)
@pytest.mark.parametrize("lead", ["The author's report said:", "The script prints:", "The file a.json contains:"])
@pytest.mark.parametrize("heading", ["### Issues", "## Problems found"])
def test_what_is_quoted_behind_issues_is_no_verdict(heading: str, lead: str) -> None:
    for shown in (DONE, f"```json\n{DONE}\n```"):
        with pytest.raises(Invalid):
            read_report(f"I looked at it.\n\n{heading}\n- src/a.py:12 logs the password\n\n{lead}\n\n{shown}\n")


def test_blocking_issues_are_of_weight() -> None:
    report = read_report(f"### Blocking issues\n- src/a.py:12 logs the password\n\n{DONE}\n")
    assert [finding.severity for finding in report.findings] == ["high"]
