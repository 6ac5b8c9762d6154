"""What stands inside of a question's fields is a part of them: code, logs, forms, words about an attempt."""

import pytest

from folkmoot.core.report import AskedQuestion, Report
from folkmoot.reports.read import read_report

FENCES = [
    "```python\nx = 1\n\n# y\n```",
    "```sh\nmake test\n```",
    "```diff\n- old: 1\n+ new: 2\n```",
    '```json\n{"status": "failed"}\n```',
    '```json\n{"outcome": "done", "summary": "all of it"}\n```',
    "```yaml\nstatus: failed\ncomments:\n  - content: no\n```",
    "```\nERROR: red\nStatus: Blocked\n```",
    "~~~text\nATTEMPT 1: Self-Solve\nApproach: x\n~~~",
    "```markdown\n## Summary\nAll of it.\n\n## Status\n- [x] Complete\n```",
]
WORDS = [
    "Attempt 1: the regex broke on quotes.",
    "- Attempt 1: the regex broke on quotes.\n- Attempt 2: so did the parser.",
    "Attempt 1 (regex) broke on quotes.",
    "ATTEMPT 1: Self-Solve",
    "Status: half of the tests fail.\nSummary: unclear.\nBlockers: the exporter team.",
    "Status: Complete\nSummary: what the other team says.",
]


def asked(context: str = "", question: str = "", help_: str = "", sign: str = "") -> str:
    options = f"{sign}Options Considered:\n1. PEM: old clients break\n2. DER: twice the tests\n"
    return (
        f"SEEKING_DIVINE_CLARIFICATION\n\n{sign}Question: Which key?{question}\n\n{sign}Context:\nTwo pages differ."
        f"{context}\n\n{options}\n{sign}What Would Help:\nThe name of one.{help_}\n"
    )


def question(text: str) -> tuple[Report, AskedQuestion]:
    report = read_report(text)
    assert report.question is not None
    return report, report.question


def is_whole(report: Report, told: AskedQuestion) -> None:
    assert (report.outcome, report.attempts, report.findings, report.extra) == ("asks", [], [], {})
    assert [(one.option, one.why_insufficient) for one in told.options] == [
        ("PEM", "old clients break"),
        ("DER", "twice the tests"),
    ]


@pytest.mark.ledger("E-07", "R-32")
@pytest.mark.parametrize("sign", ["", "## "])
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
@pytest.mark.parametrize("inside", [*FENCES, *WORDS])
def test_what_stands_in_the_context_is_the_context(inside: str, gap: str, sign: str) -> None:
    report, told = question(asked(context=gap + inside, sign=sign))
    is_whole(report, told)
    assert (told.question, told.help) == ("Which key?", "The name of one.")
    assert told.context == f"Two pages differ.{gap}{inside}"


@pytest.mark.ledger("E-07", "R-32")
@pytest.mark.parametrize("fence", FENCES)
def test_a_fence_in_the_question_and_in_the_help_is_theirs(fence: str) -> None:
    report, told = question(asked(question=f"\n{fence}", help_=f"\n{fence}"))
    is_whole(report, told)
    assert (told.question, told.context, told.help) == (
        *(f"Which key?\n{fence}", "Two pages differ.", f"The name of one.\n{fence}"),
    )


@pytest.mark.ledger("E-07", "R-32")
@pytest.mark.parametrize("fence", FENCES[:4])
def test_a_fence_below_the_last_field_that_is_no_report_is_its_own(fence: str) -> None:
    if "status" in fence:
        fence = '```json\n{"port": 1}\n```'
    report, told = question(asked(help_=f"\n\n{fence}\n\nAs above."))
    is_whole(report, told)
    assert told.help == f"The name of one.\n\n{fence}\n\nAs above."


REPORTS = [
    '```json\n{"outcome": "asks", "question": {"question": "Which cipher?"}}\n```',
    "```\nSEEKING_DIVINE_CLARIFICATION\n\nQuestion: Which cipher?\n```",
]


@pytest.mark.ledger("E-07", "R-32")
@pytest.mark.parametrize("fence", REPORTS)
def test_a_report_in_a_fence_behind_the_block_is_heard(fence: str) -> None:
    report, told = question(f"{asked()}\n{fence}\n")
    assert report.outcome == "asks" and told.question == "Which key?\n\nWhich cipher?"
    assert told.help == "The name of one."


@pytest.mark.ledger("E-06", "E-07")
def test_blocks_behind_the_question_are_attempts() -> None:
    blocks = "ATTEMPT 1: Self-Solve\nApproach: the regex\nOutcome: broke on quotes\n"
    report, told = question(f"{asked()}\n{blocks}")
    assert [one.outcome for one in report.attempts] == ["broke on quotes"] and told.help == "The name of one."


@pytest.mark.ledger("E-07")
def test_attempts_in_words_are_the_attempts_made() -> None:
    made = "Attempts Made:\n- Attempt 1: the regex broke\n- Attempt 2: so did the parser\n\nWhat Would Help:"
    report, told = question(asked().replace("What Would Help:", made))
    assert report.extra == {"Attempts Made": ["Attempt 1: the regex broke", "Attempt 2: so did the parser"]}
    assert (len(told.options), told.help) == (2, "The name of one.")


@pytest.mark.ledger("E-07")
def test_a_fence_among_the_options_lists_none() -> None:
    _, told = question(asked().replace("break\n", "break\n```diff\n- a: b\n+ c: d\n```\n"))
    assert [(one.option, one.why_insufficient) for one in told.options] == [
        ("PEM", "old clients break\n```diff\n- a: b\n+ c: d\n```"),
        ("DER", "twice the tests"),
    ]


@pytest.mark.ledger("E-07", "R-32")
def test_a_status_behind_the_fields_that_nobody_can_read_is_background() -> None:
    text = "SEEKING_DIVINE_CLARIFICATION\n\nQuestion: Which key?\nContext: Two exporters.\n\n"
    _, told = question(f"{text}{WORDS[4]}\n")
    assert told.context == f"Two exporters.\n\n{WORDS[4]}"
    report, _ = question(f"{text}Status: Blocked\nBlockers: the exporter team.\n")
    assert report.blockers == "the exporter team."


LOGS = [
    "```\nAttempt 1: connecting\nAttempt 2: retrying in 4s\nOutcome: success=false\n```",
    "```\nTASK_COMPLETE\nAttempt 2: token fetched\n```",
    "```text\nSEEKING_DIVINE_CLARIFICATION\n\nQuestion: Which key?\n```",
    '```json\n{"outcome": "done", "summary": "all of it"}\n```',
    "```markdown\n## Status\n- [x] Complete\n```",
]


@pytest.mark.ledger("E-07", "R-32")
@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize(
    "block",
    [
        "ATTEMPT 1: Self-Solve\nApproach: run the older tool\nOutcome: it gives up:\n{}\nWhy Different: the first\n",
        "ATTEMPT 1: Self-Solve\nApproach: feed the parser\n\n{}\n\nOutcome: it raises\nWhy Different: the first\n",
        "ATTEMPT 1: Self-Solve\nApproach: run the older tool\nWhy Different: the first\nOutcome: it gives up:\n{}\n",
    ],
)
def test_a_log_in_an_attempt_is_no_report_and_no_other_attempt(block: str, log: str) -> None:
    report = read_report(block.format(log))
    assert (report.outcome, len(report.attempts), report.question) == ("failed", 1, None)
    assert report.attempts[0].why_different == "the first"
    assert log.splitlines()[1] in str(report)


@pytest.mark.ledger("E-07")
def test_a_log_that_is_indented_in_an_attempt_is_no_other_attempt() -> None:
    log = "    attempt 1: connecting\n    attempt 2: retrying in 4s\n    attempt 3: retrying in 8s\n"
    text = f"ATTEMPT 1: Self-Solve\nApproach: run it\nOutcome: it gives up:\n{log}Why Different: the first\n"
    (tried,) = read_report(text).attempts
    assert tried.outcome is not None and "retrying in 8s" in tried.outcome and tried.why_different == "the first"


@pytest.mark.ledger("E-07", "R-32")
@pytest.mark.parametrize("between", ["\n", "My report:\n", "\nAnd so:\n"])
def test_a_report_in_a_fence_behind_the_blocks_is_heard(between: str) -> None:
    tried = "ATTEMPT 1: Self-Solve\nApproach: run it\nOutcome: it gives up\nWhy Different: the first\n"
    assert read_report(f"{tried}{between}```\nTASK_COMPLETE: it works now\n```\n").outcome == "done"


@pytest.mark.ledger("E-08", "E-13")
def test_headings_in_the_context_leave_the_fields_below_them() -> None:
    context = "\n\n## What is there\n\n- two endpoints\n\n```\nGET /v1\nQuestion: none\n```\n\nNote: Friday."
    report, said = question(asked(context))
    assert said.question == "Which key?" and said.help == "The name of one."
    assert [one.option for one in said.options] == ["PEM", "DER"]
    assert said.context is not None and all(words in said.context for words in ("What is there", "GET /v1", "Friday"))
    assert report.outcome == "asks"


@pytest.mark.ledger("E-08", "E-13")
@pytest.mark.parametrize("head", ["### Option {}: {}", "### {}. {}", "## **Option {}** - {}"])
def test_options_under_headings_are_options(head: str) -> None:
    options = f"{head.format(1, 'PEM')}\nOld clients break.\n\n{head.format(2, 'DER')}\n- Twice the tests.\n"
    text = f"SEEKING_DIVINE_CLARIFICATION\n\nQuestion: Which key?\n\nOptions Considered:\n{options}"
    for behind in ("", "\nWhat Would Help:\nThe name of one.\n"):
        _, said = question(text + behind)
        assert [(one.option, one.why_insufficient) for one in said.options] == [
            ("PEM", "Old clients break."),
            ("DER", "Twice the tests."),
        ]
        assert (said.help or "") == ("The name of one." if behind else "")


@pytest.mark.ledger("E-08", "E-13")
def test_numbered_options_on_one_line_are_several() -> None:
    options = "Options Considered: 1. PEM: old; 2. DER: twice 3. both"
    _, said = question(f"SEEKING_DIVINE_CLARIFICATION\n\nQuestion: Which key?\n\n{options}\n")
    assert [one.option for one in said.options] == ["PEM", "DER", "both"]


@pytest.mark.ledger("E-08", "E-10")
@pytest.mark.parametrize("notice", ["DIVINE RESPONSE", "**DIVINE RESPONSE**", "DIVINE CLARIFICATION REQUESTED"])
def test_a_notice_below_a_question_adds_nothing_to_its_fields(notice: str) -> None:
    text = f"{asked()}\n{notice}\n\nTask: 1\nQuestion: Which one?\nGuidance: PEM\n\nResume work.\n"
    report, said = question(text)
    assert (said.question, said.help) == ("Which key?", "The name of one.")
    assert "Guidance: PEM" in str(report), "whoever decides sees what it made up"
