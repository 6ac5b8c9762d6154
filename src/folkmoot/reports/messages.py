"""The documents' messages as reports: what a reviewer, a tester, a finder of holes or an asking agent sends."""

from collections.abc import Callable
from typing import Any

import msgspec

from folkmoot.core.decoding import converted, misfit
from folkmoot.core.enums import Outcome
from folkmoot.core.report import AskedQuestion, Report, Tests
from folkmoot.core.rules.judging.carrying import UNDONE
from folkmoot.core.vocabulary.lines import number_in
from folkmoot.core.vocabulary.phrases.flags import blocking_in
from folkmoot.core.vocabulary.phrases.tallies import COUNTED, completed, share_of, tally, told_under
from folkmoot.core.vocabulary.phrases.tallies import counted as counted_in
from folkmoot.core.vocabulary.problems import listed_under, tells_severity
from folkmoot.core.vocabulary.words import APPROVED, REFUSED, verdict_of
from folkmoot.reports.canonical import FIELDS, Faulty, shown
from folkmoot.reports.fields import Taken, finish

# Messages that hand something on or out; none of them says how a run ended.
NO_REPORTS = ("task_assignment", "task_handoff", "review_request", "fix_request", "rereview_request")

_NO_FAILURE = (
    "failures: this is a test_failures without a failure; where no test failed it is a test_results with the status "
    'passed, such as {"type": "test_results", "status": "passed"}; else list what failed'
)
_TOLD_BESIDE = ("next_steps", "blockers")  # of every report that asks
_NO_VERDICT = (
    'where there is none, report why, such as {"outcome": "stuck", "blockers": "…"} or {"outcome": "failed", '
    '"cause": "environment", "summary": "…"}'
)
_ASKED = ("question", "questions")
_OF_QUESTION = ("options", "blocking", "help", "what_would_help", "default", "status")


def report_from_message(data: dict[str, Any]) -> Report | None:
    """The report that a message is, an envelope through its payload; None if its type is none that ends a run."""
    kind = data.get("type")
    reader = READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        return None
    payload = data.get("payload")
    if payload is None:
        return reader(Taken(data), {})
    if not isinstance(payload, dict):
        raise Faulty([f"payload: {shown(payload)} is not an object"])
    around = {name: value for name, value in data.items() if name != "payload"}
    # What was found may stand beside the payload: it is the same report's.
    for name in [name for name, value in around.items() if listed_under(name)[0] or tells_severity(value)]:
        if name not in payload or not payload[name]:
            payload = {**payload, name: around.pop(name)}
    said = Taken(payload)
    report = reader(said, around)
    # Of two fields with one name, the envelope's keeps it; a status beside what was done is never the envelope's.
    doubled = {name: value for name, value in said.left().items() if name in around or name == "status"}
    kept = {**report.extra, **around, **({"payload": doubled} if doubled else {})}
    return msgspec.structs.replace(report, extra=kept)


def _review(said: Taken, around: dict[str, Any]) -> Report:
    status, approvals = said.word("status"), [said.data.get(name) for name in ("approval", "approved")]
    for approval in approvals:
        if approval is not None and not isinstance(approval, bool):
            said.faults.append(f"approval: {shown(approval)} is neither true nor false")
    findings = said.problems("review")
    if status is not None and status not in APPROVED | REFUSED:
        said.faults.append(_strange(said, status, "approved, changes_requested"))
    told = {verdict for verdict in (verdict_of(status), *approvals) if isinstance(verdict, bool)}
    if len(told) > 1:
        said.faults.append("status and approval contradict each other")
    if not told and not findings and status is None:
        said.faults.append("status: missing, one of approved, changes_requested")
    return finish("done" if told == {True} else "changes_requested", said, findings=findings)


def _strange(said: Taken, status: str, known: str) -> str:
    """A status that is no verdict. Whoever could not come to one is shown how to say that, lest it makes one up."""
    fault = f"status: {shown(said.data['status'])} is not one of {known}"
    return f"{fault}; {_NO_VERDICT}" if status in UNDONE else fault


def _security(said: Taken, around: dict[str, Any]) -> Report:
    findings = said.problems("security")
    if not findings and not any(listed_under(name)[0] and name in said.used for name in said.data):
        said.faults.append("vulnerabilities: missing, a list (empty if there are none)")
    status = said.word("status")
    if status is not None and verdict_of(status) is None:
        said.faults.append(_strange(said, status, "approved, changes_requested"))
    # Who says approved has a verdict: whether holes beside it let it stand is for the rules to weigh.
    refused = verdict_of(status) is False or (any(one.fixed is None for one in findings) and status is None)
    return finish("changes_requested" if refused else "done", said, findings=findings)


def _failures(said: Taken, around: dict[str, Any]) -> Report:
    findings = said.problems("test")
    tests = _tests(said)
    if not findings and not (tests and tests.failed):
        said.faults.append(_NO_FAILURE if tests or said.has("failures") else "failures: missing, a list of what failed")
    return finish("changes_requested", said, findings=findings, tests=tests, summary=said.text("summary"))


def _results(said: Taken, around: dict[str, Any]) -> Report:
    status, tests = said.word("status"), _tests(said)
    findings = said.problems("test")
    verdict = verdict_of(status)
    if status is None:
        verdict = False if any(one.fixed is None for one in findings) else _counted_verdict(tests)
    if verdict is None and status is None:
        said.faults.append("status: missing, one of passed, failed")
    elif verdict is None:
        said.faults.append(_strange(said, status or "", "passed, failed"))
    outcome: Outcome = "done" if verdict else "changes_requested"
    if outcome == "done" and not findings and tests is not None and not tests.failed:
        said.faults += _unaccounted(said.data.get("summary"))
    return finish(outcome, said, findings=findings, tests=tests, summary=said.text("summary"))


def _counted_verdict(tests: Tests | None) -> bool | None:
    """What the numbers alone say: one test that failed, or all that there are and each of them passed."""
    if tests is None:
        return None
    if tests.failed:
        return False
    return True if tests.total and tests.passed == tests.total else None


def _unaccounted(summary: Any) -> list[str]:
    """The document's three numbers, where not all tests have passed and none has failed. Whoever names more than the
    three says what became of the rest."""
    if not isinstance(summary, dict) or summary.keys() != set(COUNTED):
        return []
    total, passed = summary["total"], summary["passed"]
    if total == 0:
        return ["summary: no test has run (total 0): if they could not run, report failed or stuck"]
    if type(total) is not int or type(passed) is not int or passed >= total:
        return []
    rest = total - passed
    return [f'summary: {passed} of {total} passed and none failed: name the rest, such as "skipped": {rest}']


def _tests(said: Taken) -> Tests | None:
    """The numbers in `summary`, `tests` or `results`, also where they stand in words (the words themselves stay words),
    and those that stand beside the verdict itself."""
    for name in ("summary", "tests", "results"):
        value = said.data.get(name)
        in_words = (
            (counted_in(value) or (share_of(value) if name == "tests" else None)) if isinstance(value, str) else None
        )
        if in_words is not None:
            return in_words
        if isinstance(value, dict) and not value.keys() & set(COUNTED):
            suites = tally(value)
            if suites is not None:
                return suites  # in more words than we have fields for: it survives as it stands
        elif isinstance(value, dict):
            if not value.keys() - set(COUNTED):
                said.used.add(name)
            return _strictly(said, value, f"{name}: ")
    beside = {name: said.data[name] for name in COUNTED if name in said.data}
    beside = {name: value for name, value in beside.items() if not isinstance(value, list | dict)}
    said.used |= beside.keys()
    return _strictly(said, beside) if beside else told_under(said.data)


def _strictly(said: Taken, value: dict[str, Any], place: str = "") -> Tests | None:
    try:
        value = {name: count if number_in(count) is None else number_in(count) for name, count in value.items()}
        told = {name: count for name, count in completed(value).items() if name in COUNTED}
        tests: Tests = converted(told, Tests)
        return tests
    except (msgspec.ValidationError, OverflowError) as error:
        said.faults.append(f"{place or 'tests: '}{misfit(error)}")
        return None


def _clarification(said: Taken, around: dict[str, Any]) -> Report:
    _unite_questions(said)
    asked = (said.whole(name) for name in _ASKED)
    question = "\n".join(dict.fromkeys(words for words in asked if words))
    if not question.strip():
        said.faults.append("question: missing")
    context = "\n".join(said.texts("context")) or None
    return _asks(said, question, question, context=_with_rest(said, around, context))


def _unite_questions(said: Taken) -> None:
    """Questions that are objects, each with options of its own, as one question with all that they say."""
    listed = [one for name in _ASKED if isinstance(told := said.data.get(name), list) for one in told]
    if not any(isinstance(one, dict) and "question" in one for one in listed):
        return
    alone = [words for name in _ASKED if not isinstance(said.data.get(name), list) and (words := said.whole(name))]
    several = sum(isinstance(one, dict) and bool(one.get("options")) for one in [said.data, *listed]) > 1
    asked, options, context = alone, [*_listed(said.data.get("options"))], said.texts("context")
    for one in listed:
        own = Taken(one if isinstance(one, dict) else {"question": one})
        question, ways = own.whole("question") or "", _listed(own.data.get("options"))
        asked.append(question)
        # A choice between ways to answer several questions says of itself which of them it answers.
        options += [f"{question} {way}" if isinstance(way, str) and several else way for way in ways]
        own.used.add("options")
        context += [f"{key}: {words}" for key in own.left() if (words := own.whole(key))]
    said.data = {key: value for key, value in said.data.items() if key not in _ASKED}
    said.data |= {"question": "\n".join(asked), "options": options, "context": "\n".join(context)}


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _escalation(said: Taken, around: dict[str, Any]) -> Report:
    reason = said.text("reason")
    details = said.whole("details", "question")
    if not (details or reason or "").strip():
        said.faults.append("details: missing, what a person is to decide")
    context = said.whole("context") if around else None  # beside no payload it is the envelope's
    return _asks(said, details or reason or "", details or "", reason, _with_rest(said, around, context))


def _with_rest(said: Taken, around: dict[str, Any], context: str | None) -> str | None:
    """The context with all else that a payload says, also in fields that act: whoever decides should read it. What
    does not act is the question's, and no word of the report."""
    told = [context]
    for name in said.left() if around else ():
        if name not in (*_OF_QUESTION, *_TOLD_BESIDE, *around) and (words := Taken(said.data).whole(name)):
            told.append(f"{name}: {words}")
            said.used |= {name} - FIELDS.keys()
    return "\n".join(filter(None, told)) or None


def _asks(said: Taken, question: str, summary: str, reason: str | None = None, context: str | None = None) -> Report:
    name, blocking = blocking_in(said.data)
    if name is not None and blocking is None:
        said.faults.append(f"{name}: {shown(said.data[name])} is neither true nor false")
    said.used |= {name} if name is not None else set()
    asked = AskedQuestion(
        question=question,
        context=context or said.text("context"),
        options=said.options(),
        help=said.text("help", "what_would_help"),
        blocking=blocking is not False,
        default=said.text("default"),
    )
    return finish("asks", said, question=asked, summary=summary, reason=reason)


def _completion(said: Taken, around: dict[str, Any]) -> Report:
    """The end of a phase. A status that is no state of a message says how it ended, in the payload or around it."""
    from folkmoot.reports.quest import MESSAGE_STATES, outcome_of, quest_parts, why_failed

    outcome: Outcome = "done"
    told = said.word("status")
    if told is not None and (around or told not in MESSAGE_STATES):
        outcome = outcome_of(said)
    envelope = Taken(around)
    if told is None and envelope.word("status") not in (None, *MESSAGE_STATES):
        outcome = outcome_of(envelope)
        said.faults += envelope.faults
    parts = quest_parts(said)
    return finish(outcome, said, **parts | why_failed(said, outcome, parts))


READERS: dict[str, Callable[[Taken, dict[str, Any]], Report]] = {
    "review_findings": _review,
    "security_issues": _security,
    "test_failures": _failures,
    "test_results": _results,
    "clarification_request": _clarification,
    "escalation": _escalation,
    "completion": _completion,
}
