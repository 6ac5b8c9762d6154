"""What honest agents write beside the documents' exact forms means what the form means, or is asked back."""

import json
from typing import Any

import pytest

from folkmoot.core.report import Files, Report
from folkmoot.core.vocabulary import tries
from folkmoot.errors import Invalid
from folkmoot.reports.read import read_report
from tests.documents import CLARIFICATION, FAILURES, QUEST_LONG, QUEST_SHORT, REVIEW, SHARED, TASKS

View = dict[str, Any]
ENVELOPE: View = {
    "from": "reviewer",
    "to": "orchestrator",
    "type": "completion",
    "context": {"workflow": "feature", "iteration": 2},
    "status": "pending",
}


def read(said: str | View) -> Report:
    return read_report(said if isinstance(said, str) else json.dumps(said))


def refused(said: str | View) -> str:
    with pytest.raises(Invalid) as caught:
        read(said)
    return f"{caught.value.message} {caught.value.hint}"


# Several statements


@pytest.mark.ledger("Q-03")
def test_two_blocks_of_tasks_are_one_split() -> None:
    blocks = [{"tasks": [{"title": told["task"], "files": told["files"]}]} for told in TASKS.values()]
    report = read("\n\n".join(f"```json\n{json.dumps(one)}\n```" for one in blocks))
    assert (report.outcome, [task.title for task in report.tasks]) == ("split", [t["task"] for t in TASKS.values()])


SEEKING = "SEEKING_DIVINE_CLARIFICATION\n\nQuestion: {}?\n\nOptions Considered:\n1. {}: slow\n\nWhat Would Help:\n{}\n"


@pytest.mark.ledger("E-07")
def test_two_signals_are_one_question() -> None:
    asked = read(SEEKING.format("which", "PEM", "a name") + "\n" + SEEKING.format("who", "ops", "a team")).question
    assert asked is not None and asked.question == "which?\n\nwho?"
    assert [one.option for one in asked.options] == ["PEM", "ops"] and asked.help == "a name\na team"


@pytest.mark.ledger("E-07", "R-22")
@pytest.mark.parametrize("done", ['{"outcome": "done"}', '{"status": "complete", "report": "x"}'])
def test_a_later_done_takes_no_question_and_no_finding_back(done: str) -> None:
    asks = read(f"{SEEKING.format('which', 'PEM', 'a name')}\n{done}")
    assert (asks.outcome, asks.extra["outcomes"]) == ("asks", ["asks", "done"])
    red = read(f"```json\n{json.dumps(FAILURES)}\n```\n\n{done}")
    assert red.tests is not None
    assert (red.outcome, red.tests.failed, len(red.findings)) == ("changes_requested", 2, 1)


@pytest.mark.ledger("P-03")
@pytest.mark.parametrize("ending", ["", "\n## Status\n- [x] Complete / [ ] Needs follow-up / [ ] Blocked\n"])
def test_what_an_agent_heads_as_its_own_word_is_its_own(ending: str) -> None:
    text = f"**test-executor → dispatcher:**\n```json\n{json.dumps(FAILURES, indent=2)}\n```\n{ending}"
    assert read(text).outcome == "changes_requested"
    told = f"{text}\n**dispatcher → implementer:**\n\nFix them.\n\n"
    assert read(f'{told}\n\n{{"outcome": "failed", "summary": "own"}}').findings == [], "two who speak: a narration"


def test_the_implementers_answer_under_its_heading_is_read() -> None:
    fixed = "## Fixed Issues\n- handlers/feature.go: Added error handling for missing input\n\n"
    tests = "## Tests\n- Local test passes: go test ./internal/...\n"
    report = read(f"**implementer → dispatcher:**\n```markdown\n{fixed}{tests}```\n")
    assert (report.outcome, report.files.modified) == ("done", ["handlers/feature.go"])
    both = read(f'{fixed}{tests}\n\n{{"outcome": "done", "summary": "own"}}')
    assert both.files.modified == ["handlers/feature.go"], "fixes that are told beside a report are kept"


# Words before a report


@pytest.mark.parametrize(
    "lead",
    [
        "I was given the parser to write. Here is my report:",
        "I received the task, and this is the result:",
        "I was asked to fix the parser; my report:",
        "I was told to use PEM. Result:",
        "I used PEM instead of DER. Report:",
        "I was given two tests to fix, I report:",
    ],
)
@pytest.mark.parametrize("own", ['{"outcome": "done", "summary": "x"}', "## Summary\nx\n\n## Status\n- [x] Complete\n"])
def test_an_honest_report_behind_such_words_is_read(lead: str, own: str) -> None:
    assert read(f"{lead}\n\n{own}").outcome == "done"


@pytest.mark.parametrize(
    "lead",
    ["Here is what I received:", "I was given this:", "The reviewer sent me:", "I received this from the reviewer:"],
)
def test_what_was_received_is_a_quotation_and_alone_it_is_asked_back(lead: str) -> None:
    told = f"{lead}\n\n```json\n{json.dumps(REVIEW)}\n```\n"
    assert "if it is your own, report it without the words before it" in refused(told)
    assert read(f'{told}\n{{"outcome": "done"}}').findings == []


# The escalation document


@pytest.mark.ledger("E-06")
@pytest.mark.parametrize(
    ("words", "worked"),
    [
        ("success", True),
        ("Success: the checksum fits", True),
        ("It worked.", True),
        ("✅ solved", True),
        ("success, but one test is still red", False),
        ("no success", False),
        ("unsuccessful", False),
        ("Fixed the header, still wrong", False),
        ("failed", False),
    ],
)
def test_an_attempt_that_worked_is_kept_as_one_that_worked(words: str, worked: bool) -> None:
    first = "ATTEMPT 1: Self-Solve\nApproach: by hand\nOutcome: wrong by one\n\n"
    block = f"ATTEMPT 2: Self-Solve\nApproach: read the header\nOutcome: {words}\nWhy Different: other tool\n"
    told = {"approach": "read the header", "outcome": words}
    for report in (
        read(f'{first}{block}\n{{"outcome": "done"}}'),
        read({"outcome": "done", "attempts": [{"approach": "by hand", "outcome": "wrong by one"}, told]}),
    ):
        assert [one.approach for one in report.attempts] == ["by hand", "read the header"]  # the rules count
        assert tries.worked(report.attempts[-1].outcome) is worked


@pytest.mark.ledger("E-06")
def test_six_attempts_are_six() -> None:
    blocks = [f"ATTEMPT {n}: Self-Solve\nApproach: way {n}\nOutcome: red {n}\n" for n in range(1, 7)]
    assert [one.approach for one in read("\n".join(blocks)).attempts] == [f"way {n}" for n in range(1, 7)]
    both = "\n".join(blocks[:3]) + json.dumps({"outcome": "failed", "attempts": [{"approach": "way 4"}]})
    assert [one.approach for one in read(both).attempts] == ["way 1", "way 2", "way 3", "way 4"]
    twice = blocks[0] + json.dumps({"outcome": "failed", "attempts": [{"approach": "Way 1", "outcome": "red 1"}]})
    assert len(read(twice).attempts) == 1, "the same attempt in both forms is one"


@pytest.mark.ledger("E-06")
def test_whose_attempt_it_was_is_kept_in_the_agents_word() -> None:
    report = read({"outcome": "failed", "attempts": [{"kind": "asked a colleague", "approach": "a"}]})
    assert (report.attempts[0].kind, report.extra["ATTEMPT"]) == ("self_solve", ["1: asked a colleague"])
    titled = read("ATTEMPT 1: read the header by hand\nOutcome: wrong\n")
    assert titled.attempts[0].approach == "read the header by hand"


@pytest.mark.ledger("E-07")
@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        ("SEEKING_DIVINE_CLARIFICATION for task 7", "asks"),
        ("SEEKING DIVINE CLARIFICATION", "asks"),
        ("EXPERT UNSUCCESSFUL", "failed"),
        ("EXPERT_UNSUCCESSFUL after three tries", "failed"),
        ("**TASK INCOMPLETE**: the printer is left", "incomplete"),
        ("TASK_INCOMPLETE because the printer is left", "incomplete"),
    ],
)
def test_a_signal_at_the_start_of_a_line(line: str, outcome: str) -> None:
    report = read(f"I am at the end.\n\n{line}\n\nQuestion: which?\n")
    assert report.outcome == outcome
    for word in ("for task 7", "after three tries", "the printer is left"):
        assert word not in line or word in json.dumps([report.summary, report.blockers, str(report.question)])


@pytest.mark.ledger("E-07")
@pytest.mark.parametrize(
    "text",
    [
        "I would rather not signal SEEKING_DIVINE_CLARIFICATION here.",
        "SEEKING_DIVINE_CLARIFICATION is what I would signal if it fails again.",
        "After three tries an expert must say\nEXPERT_UNSUCCESSFUL after three tries",
        "The task incomplete is a pity.",
        "Task incomplete",
    ],
)
def test_a_signal_in_a_sentence_is_only_mentioned(text: str) -> None:
    refused(f"{text}\nQuestion: which?\n")


OPTIONS = [
    ("a) PEM\nb) DER", ["PEM", "DER"]),
    ("1) PEM\n2) DER", ["PEM", "DER"]),
    ("(a) PEM\n(b) DER", ["PEM", "DER"]),
    ("a. PEM\nb. DER", ["PEM", "DER"]),
    ("a) PEM b) DER", ["PEM", "DER"]),
    ("1) PEM, 2) DER", ["PEM", "DER"]),
    ("PEM, DER", ["PEM", "DER"]),
    ("PEM; DER; or both", ["PEM", "DER", "both"]),
    ("PEM\nDER", ["PEM", "DER"]),
    ("- PEM, the old one\n- DER", ["PEM, the old one", "DER"]),
    ("1. PEM, which all\n   clients know\n2. DER", ["PEM, which all clients know", "DER"]),
    ("PEM, the format that all clients know", ["PEM, the format that all clients know"]),
]


@pytest.mark.ledger("E-07")
@pytest.mark.parametrize(("words", "options"), OPTIONS)
def test_options_however_they_are_listed(words: str, options: list[str]) -> None:
    said: list[str | View] = [
        f"SEEKING_DIVINE_CLARIFICATION\n\nQuestion: which?\n\nOptions Considered:\n{words}\n",
        {**CLARIFICATION, "options": words},
        {"outcome": "asks", "question": {"question": "which?", "options": words}},
    ]
    for one in said:
        asked = read(one).question
        assert asked is not None and [choice.option for choice in asked.options] == options


@pytest.mark.parametrize(
    ("word", "severity"),
    [("blocker", "critical"), ("Major", "high"), ("warning", "medium"), ("minor", "low"), ("info", "low")],
)
def test_other_words_for_a_severity(word: str, severity: str) -> None:
    for said in (
        {"outcome": "changes_requested", "findings": [{"severity": word, "issue": "x"}]},
        {"type": "review_findings", "status": "changes_requested", "findings": [{"severity": word, "issue": "x"}]},
        {"status": "needs_fixes", "issues": [{"severity": word, "issue": "x"}]},
    ):
        (found,) = read(said).findings
        assert (found.severity, found.category, found.issue) == (severity, word.lower(), "x")
    typed = {"type": "security_issues", "vulnerabilities": [{"severity": word, "type": "sql_injection"}]}
    report = read(typed)
    assert report.findings[0].severity == severity and word in json.dumps(report.extra)


def test_a_blocker_in_the_form_is_critical_and_in_a_sentence_a_word() -> None:
    form = "## Summary\nx\n\n## Issues Found\n- {}\n\n## Status\n- [x] Complete\n"
    (found,) = read(form.format("Blocker: the door is open")).findings
    assert (found.severity, found.category, found.issue) == ("critical", "blocker", "the door is open")
    (word,) = read(form.format("Info pages are missing")).findings
    assert (word.severity, word.issue) == ("medium", "Info pages are missing")


def test_lists_and_texts_for_one_another() -> None:
    assert read({"outcome": "stuck", "blockers": ["no key", "no mail"]}).blockers == "no key\nno mail"
    files = Files(modified=["a.py", "b.py"])
    assert read({"outcome": "done", "files": ["a.py", "b.py"]}).files == files
    assert read({"outcome": "done", "files": "a.py, b.py"}).files == files
    assert read({**QUEST_SHORT, "output": "a.py, b.py"}).files == files
    assert read({**QUEST_SHORT, "output": ["a.py", "b.py"]}).files == files
    assert read({**QUEST_SHORT, "output": "all of it"}).files == Files()


# The quest document


@pytest.mark.ledger("Q-03")
@pytest.mark.parametrize(
    "beside",
    [
        {"interfaces": ["User"], "filesCreated": ["discovery.json"]},
        {"report": "mapped", "recommendations": "begin with 1"},
        {"note": "both are small"},
        {"sharedTypes": ["User interface"], "integrationPoints": ["auth routes"]},
        {"sharedTypes": "User interface", "integrationPoints": "auth routes"},
    ],
)
def test_a_decomposition_with_more_beside_it_stays_a_split(beside: View) -> None:
    whole = {**QUEST_LONG, "agentType": "pathseeker", "status": "complete", "output": {**TASKS, **beside}}
    for report in (read(whole), read({**TASKS, **beside})):
        assert (report.outcome, [task.key for task in report.tasks]) == ("split", ["codeweaver-1", "codeweaver-2"])
        assert report.interfaces == beside.get("interfaces", [])
        if "sharedTypes" in beside:
            assert [one.name for one in report.contracts] == ["User interface"]
            assert report.integration_points == {"auth routes": ""}


@pytest.mark.ledger("Q-03", "Q-07")
def test_what_an_output_says_beside_its_tasks_counts() -> None:
    output = {
        "tasks": [*TASKS.values()],
        "interfaces": ["User"],
        "recommendations": "begin with 1",
        "retro": "look",
        **SHARED,
    }
    report = read({"agentType": "pathseeker", "status": "complete", "output": {**output, "report": "mapped"}})
    assert (report.outcome, report.summary, report.interfaces) == ("split", "mapped", ["User"])
    assert (report.next_steps, report.lessons) == (["begin with 1"], ["look"])
    assert len(report.contracts) == 2 and len(report.tasks) == 2


# The handoff protocol


@pytest.mark.ledger("H-09")
@pytest.mark.parametrize(
    ("issues", "told"),
    [
        (
            {"src/a.ts": "leak", "src/b.ts": ["race", "typo"]},
            [("src/a.ts", "leak"), ("src/b.ts", "race"), ("src/b.ts", "typo")],
        ),
        ({"src/a.ts": {"severity": "high", "issue": "leak"}}, [("src/a.ts", "leak")]),
        ({"severity": "high", "issue": "leak"}, [(None, "leak")]),
        ("leak in src/a.ts", [("src/a.ts", "leak in src/a.ts")]),
    ],
)
def test_issues_in_other_shapes_are_findings(issues: Any, told: list[tuple[str | None, str]]) -> None:
    findings = read({"status": "needs_fixes", "issues": issues}).findings
    assert [(one.file, one.issue.removeprefix(f"{one.file}: ")) for one in findings] == told


@pytest.mark.ledger("H-09")
@pytest.mark.parametrize(
    "said",
    [
        "status: needs_fixes\nissues: 2",
        "status: needs_fixes\nissues: 2\n",
        "```yaml\nstatus: needs_fixes\nissues: 2\n```",
        "Returns: {status: needs_fixes, issues: 2}",
        '{"status": "needs_fixes", "issues": {"count": 2}}',
        '{"outcome": "changes_requested", "issues": 2}',
        "## Issues\n2\n\n## Status\nNeeds fixes\n",
    ],
)
def test_a_number_of_issues_is_a_count(said: str) -> None:
    report = read(said)
    assert (report.outcome, report.findings, report.extra["issues"]) == ("changes_requested", [], 2)


def test_what_a_role_returns_without_braces() -> None:
    report = read('status: completed\nspec: "specs/login.md"\ncommit: abc123\n')
    assert (report.outcome, report.commit, report.extra["spec"]) == ("done", "abc123", "specs/login.md")


@pytest.mark.ledger("H-09")
@pytest.mark.parametrize(
    ("message", "outcome"),
    [
        ({**ENVELOPE, "payload": {"status": "rejected", "report": "r", "context": "line 45"}}, "changes_requested"),
        ({**ENVELOPE, "payload": {"status": "approved", "context": "line 45"}}, "done"),
        ({**ENVELOPE, "status": "rejected", "payload": {"context": "line 45"}}, "changes_requested"),
        ({**ENVELOPE, "status": "failed", "payload": {"context": "line 45"}}, "failed"),
        ({**ENVELOPE, "status": "completed", "payload": {"context": "line 45"}}, "done"),
    ],
)
def test_a_completion_keeps_both_states_and_both_contexts(message: View, outcome: str) -> None:
    report = read(message)
    assert report.outcome == outcome and report.extra["status"] == message["status"]
    assert report.extra["context"] == ENVELOPE["context"] and report.extra["payload"]["context"] == "line 45"
    if "status" in message["payload"]:
        assert report.extra["payload"]["status"] == message["payload"]["status"]
    assert read({"type": "completion", "from": "reviewer", "status": "rejected"}).outcome == "changes_requested"


@pytest.mark.ledger("H-09")
@pytest.mark.parametrize("status", ["completed", "approved"])
def test_issues_beside_an_approval_come_to_the_rules(status: str) -> None:
    for issues, told in ((2, []), (["leak"], ["leak"])):
        returned: View = {"status": status, "issues": issues}
        for said in (returned, {**ENVELOPE, "payload": returned}):
            report = read(said)
            assert (report.outcome, [one.issue for one in report.findings]) == ("done", told)
            assert told or report.extra["issues"] == 2


# The disputes document and the pipeline


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("outcome: finished\nsummary: x\n", ["outcome: 'finished' is not one of done"]),
        ("status: ready-for-dev\nsummary: fixed it\n", ["'ready-for-dev' is no outcome", "follows from its outcome"]),
        ('{"status": "ready-for-dev", "report": "x"}', ["'ready-for-dev' is no outcome"]),
        (
            "issue: 247\nstatus: ready-for-dev\nfailure_count: 3\n",
            ["an item, which the board keeps", "outcome: failed"],
        ),
        ('{"comments": [{"content": "wrong"}]}', ['"outcome": "disputed"', '"done" if they end the thread']),
        ('so\n```json\n{"comments": [{"content": "wrong"}]}\n```', ['"outcome": "disputed"']),
    ],
)
def test_a_fault_is_named_in_the_words_of_its_own_form(said: str, words: list[str]) -> None:
    told = refused(said)
    assert all(word in told for word in words) and "Needs follow-up" not in told, told


@pytest.mark.ledger("P-08")
def test_phases_and_rounds_are_kept() -> None:
    said = {"phase": 3, "round": 2, "max_rounds": 3}
    for shape in ({"outcome": "done"}, {"type": "test_results", "status": "passed"}, QUEST_SHORT):
        extra = read({**shape, **said}).extra
        assert {name: extra[name] for name in said} == said
    form = "## Phase 3\n\n## Summary\nx\n\n## Status\n- [x] Complete / [ ] Needs follow-up / [ ] Blocked\n"
    assert read(form).extra["Phase"] == "3"


WITH_REASONS: list[tuple[Any, list[tuple[str, str | None]]]] = [
    (
        [
            {"id": "A", "label": "JWT", "pros": ["stateless"], "cons": ["no revocation", "size"]},
            {"id": "B", "label": "Session", "description": "needs a store"},
        ],
        [("A: JWT", "pros: stateless; cons: no revocation, size"), ("B: Session", "needs a store")],
    ),
    ([{"name": "A", "description": "JWT"}, {"id": 2, "title": "Session"}], [("A: JWT", None), ("Session", None)]),
    ([{"JWT": "stateless"}, {"Session": "simple"}], [("JWT", "stateless"), ("Session", "simple")]),
    ({"A": "JWT", "B": "Session"}, [("A: JWT", None), ("B: Session", None)]),
    (
        {"JWT": "stateless", "Session": {"cons": ["needs a store"]}},
        [("JWT", "stateless"), ("Session", "cons: needs a store")],
    ),
    (["JWT", {"option": "Session", "why_insufficient": "slow"}], [("JWT", None), ("Session", "slow")]),
]


@pytest.mark.parametrize(("options", "told"), WITH_REASONS, ids=str)
def test_an_option_is_known_under_whichever_name_with_all_that_is_said_of_it(
    options: Any, told: list[tuple[str, str | None]]
) -> None:
    for data in (
        {**CLARIFICATION, "options": options},
        {"outcome": "asks", "question": {"question": "which?", "options": options}},
        {"type": "escalation", "from": "builder", "payload": {"details": "which?", "options": options}},
    ):
        asked = read_report(json.dumps(data)).question
        assert asked is not None and [(one.option, one.why_insufficient) for one in asked.options] == told


@pytest.mark.parametrize(
    "options", [[["JWT", "stateless"]], [{"cost": 1}], {"recommended": "JWT", "alternatives": ["Session"]}, 7], ids=str
)
def test_what_is_no_option_is_refused_with_what_is_one(options: Any) -> None:
    with pytest.raises(Invalid) as refused:
        read_report(json.dumps({"type": "escalation", "payload": {"details": "which?", "options": options}}))
    assert options == 7 or "an option is a text, or an object" in refused.value.message
