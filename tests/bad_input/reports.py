"""B11 to B13: reports made to be slow, reports that say several things, and reports about another's work."""

import json
from collections.abc import Callable
from typing import Any

from tests.bad_input.text import order
from tests.bad_input.yard import LIVES, Case, Seen, Yard, refusal, refused, through_python, through_relay

DONE = '{"outcome": "done", "summary": "own"}'
FAILED = '{"outcome": "failed", "summary": "other"}'
FORM = "## Summary\nown\n\n## Status\n- [x] Complete / [ ] Needs follow-up / [ ] Blocked\n"
UNTICKED = "## Summary\nown\n\n## Status\n- [ ] Complete / [ ] Needs follow-up / [ ] Blocked\n"
MEGABYTE = 1_000_000


def _unread(name: str, given: str, text: str, row: str = "B12", words: bool = True) -> Case:
    told = ("report", "RUN", "--token", "1", "-")
    return refused(row, name, given, *told, stdin=text.encode(), code="unreadable_report", words=words)


def _heard(name: str, given: str, text: str, outcome: str) -> Case:
    """A text that is read: which of the things it says counts."""
    after = f"heard as {outcome}"

    def act(yard: Yard) -> Seen:
        heard = yard.moot("report", "RUN", "--token", "1", "-", "--json", stdin=text.encode())
        assert heard.exit == 0, heard
        run = next(run for run in json.loads(heard.out)["runs"] if run["run"] == yard.run)
        return Seen(0, None, f"heard as {run['outcome']}" + (f" ({run['cause']})" if run["cause"] else ""))

    return Case("B12", name, given, "`moot report`", act, 0, None, after)


def _final(yard: Yard) -> Seen:
    heard = yard.moot("report", "RUN", "--token", "1", "-", "--final", "--json", stdin=b"I am done, I think.")
    assert heard.exit == 0, heard
    run = next(run for run in json.loads(heard.out)["runs"] if run["run"] == yard.run)
    return Seen(0, None, f"{run['outcome']} ({run['cause']})")


def _twice(yard: Yard) -> Seen:
    yard.done("report", "RUN", "--token", "1", "-", stdin=DONE.encode())
    before = yard.state()
    heard = yard.moot("report", "RUN", "--token", "1", "-", "--json", stdin=FAILED.encode())
    return Seen(*refusal(heard), yard.after(before))


def _kept_twice(yard: Yard) -> Seen:
    """With one key the second is answered like the first, and has no effect."""
    told = ("report", "RUN", "--token", "1", "-", "--key", "k", "--json")
    first = yard.done(*told, stdin=DONE.encode())
    before = yard.state()
    assert yard.done(*told, stdin=DONE.encode()).out == first.out
    return Seen(0, None, f"the same answer; {yard.after(before)}")


def _empty_verdict(yard: Yard) -> Seen:
    """Changes are wanted, and nobody is told which."""
    yard.done("add", "Five", "--column", "review")
    claim = json.loads(yard.done("claim", "review-agent", "--json").out)
    return _asked_back(yard, claim, b'{"outcome": "changes_requested"}')


def _says_both(name: str, given: str, text: str) -> Case:
    """Which of the two is meant must not be guessed."""

    def act(yard: Yard) -> Seen:
        yard.done("add", "Five", "--column", "review")
        claim = json.loads(yard.done("claim", "review-agent", "--json").out)
        return _asked_back(yard, claim, text.encode())

    return Case("B12", name, given, "`moot report`", act, 2, "report_refused", LIVES)


def _empty_part(yard: Yard) -> Seen:
    """The same, by one of several that check at once."""
    place = yard.folder / "given" / "pipeline"
    place.mkdir()
    other = Yard(place)
    other.done("init", "--preset", "pipeline")
    other.done("add", "One", "--column", "review")
    claim = json.loads(other.done("claim", "reviewer", "--json").out)
    assert claim["item"]["kind"] == "part"
    return _asked_back(other, claim, b'{"outcome": "changes_requested", "findings": []}')


def _asked_back(yard: Yard, claim: dict[str, Any], text: bytes) -> Seen:
    heard = yard.moot("report", claim["run"], "--token", str(claim["token"]), "-", "--json", stdin=text)
    shown = json.loads(yard.done("show", claim["item"]["id"], "--json").out)
    return Seen(*refusal(heard), LIVES if shown["runs"][-1]["ended_at"] is None else "it has ended")


def _slow(name: str, given: str, make: Callable[[int], str]) -> Case:
    return _unread(f"slow-{name}", f"1 MB of {given}", make(MEGABYTE)[:MEGABYTE], "B11", words=False)


def filled(piece: str) -> Callable[[int], str]:
    return lambda size: piece * (size // len(piece))


CASES = [
    # B11: made to be slow
    _slow("braces", "open braces", filled("{")),
    _slow("objects", "broken objects", filled('{"a" 1}\n')),
    _slow("words", "words and spaces", filled("a ")),
    _slow("quotations", "open quotations", filled(' "a\n')),
    _slow("new-lines", "new lines", filled("\n")),
    # B12: several things, or nothing
    _unread("empty", "nothing", ""),
    _unread("blank", "spaces", " \n\t\n"),
    _unread("words", "words that claim it", "All is done, and all tests pass."),
    _unread("list", "a list", "[" + DONE + "]"),
    _unread("number", "a number", "42"),
    _unread("null", "null", "null"),
    _unread("unknown-outcome", "an unknown outcome", '{"outcome": "great"}'),
    _unread("unknown-field", "an unknown field", '{"outcome": "done", "colour": 1}'),
    _unread("wrong-type", "a number for a text", '{"outcome": "done", "summary": 5}'),
    _unread("single-quotes", "single quotes", "{'outcome': 'done'}"),
    _unread("comma", "a comma too many", '{"outcome": "done",}'),
    _unread("cut", "half a report", '{"outcome": "done", "summ'),
    _unread("cut-after", "a report, and half of another", DONE + '\n\nNo, wait:\n\n{"outcome": "failed", "summ'),
    _unread("quoted", "a report behind `>`", "> " + DONE + "\n"),
    _unread("marks", "a report in quotation marks", f'The prompt said "{DONE}" to me.'),
    _unread("code", "a report in a fence of code", f"```python\nprint('''{DONE}''')\n```\n"),
    _unread("example", "a report shown as an example", f"I would end like this, for example:\n\n{DONE}\n"),
    _unread("template", "a form that nobody filled in", '{"outcome": "done|failed", "summary": "…"}'),
    _unread("unticked", "a form with no box ticked", UNTICKED),
    _unread("contradiction", "a form with two boxes ticked", FORM.replace("[ ] Blocked", "[x] Blocked")),
    _unread(
        "verdicts",
        "a verdict that contradicts itself",
        '{"type": "review_findings", "status": "approved", "approval": false, "findings": []}',
    ),
    _heard(
        "passed",
        "tests that passed, though some failed, by who makes the work",
        '{"type": "test_results", "status": "passed", "summary": {"total": 2, "passed": 1, "failed": 1}}',
        "done",
    ),
    _unread(
        "attempts-behind",
        "attempts behind a report of done",
        DONE + "\n\nATTEMPT 1: Self-Solve\nApproach: a\nOutcome: b\n",
    ),
    _unread("many-attempts", "101 attempts", "ATTEMPT 1: Self-Solve\nApproach: a\n\n" * 101),
    refused(
        "B12",
        "bytes",
        "bytes that are no text",
        "report",
        "RUN",
        "--token",
        "1",
        "-",
        stdin=b"\xff\xfe{}",
        code="bad_text",
    ),
    _says_both("last", "two reports, that it is done and then that it failed", f"{DONE}\n\nNo.\n\n{FAILED}\n"),
    _says_both(
        "last-fence",
        "two reports in fences, that it failed and then that it is done",
        f"```json\n{FAILED}\n```\n\nNow it works.\n\n```json\n{DONE}\n```\n",
    ),
    _heard("quotation-and-own", "a quoted report, and one's own", f"> {FAILED}\n\n{DONE}\n", "done"),
    _says_both("form-then-json", "a form, and JSON after it", f"{FORM}\n{FAILED}\n"),
    Case(
        "B12",
        "final",
        "words, from a process that is over (`--final`)",
        "`moot report`",
        _final,
        0,
        None,
        "failed (protocol)",
    ),
    Case(
        "B12",
        "empty-verdict",
        "changes requested, without a word which",
        "`moot report`",
        _empty_verdict,
        2,
        "report_refused",
        LIVES,
    ),
    Case(
        "B12",
        "empty-verdict-part",
        "the same, by one of several that check at once",
        "`moot report`",
        _empty_part,
        2,
        "report_refused",
        LIVES,
    ),
    Case("B12", "twice", "a second report of the same run", "`moot report`", _twice, 1, "stale_claim"),
    Case(
        "B12",
        "twice-keyed",
        "the same report again, with the same key",
        "`moot report`",
        _kept_twice,
        0,
        None,
        "the same answer; nothing changed",
    ),
    # B13: about another's work
    refused(
        "B13",
        "other-token",
        "another token",
        "report",
        "RUN",
        "--token",
        "7",
        "-",
        stdin=DONE.encode(),
        code="stale_claim",
        exit=1,
    ),
    refused(
        "B13",
        "other-run",
        "a run there is none of",
        "report",
        "r000000000000",
        "--token",
        "1",
        "-",
        stdin=DONE.encode(),
        code="unknown_run",
    ),
    refused("B13", "no-token", "no token", "report", "RUN", "-", stdin=DONE.encode(), code="no_run"),
    refused(
        "B13",
        "item-for-run",
        "an item for a run",
        "report",
        "1",
        "--token",
        "1",
        "-",
        stdin=DONE.encode(),
        code="unknown_run",
    ),
    _unread("other-item", "a report that names another item", '{"outcome": "done", "item": "3"}', row="B13"),
    _unread("own-token", "a report that names a token", '{"outcome": "done", "token": 7}', row="B13"),
    refused(
        "B13",
        "comment-as-run",
        "a comment with a stale token",
        "comment",
        "3",
        "x",
        "--run",
        "RUN",
        "--token",
        "9",
        code="stale_claim",
        exit=1,
    ),
    refused(
        "B13",
        "lock-as-run",
        "a lock with a stale token",
        "lock",
        "a",
        "--run",
        "RUN",
        "--token",
        "9",
        code="stale_claim",
        exit=1,
    ),
    through_relay(
        "B13",
        "relay-work",
        "a report with a worker's own word for the change",
        order("report", report={"outcome": "done"}, work={"commit": "abc"}),
        "bad_request",
    ),
    through_relay(
        "B13",
        "relay-output",
        "another run's output",
        {"call": "queries.output", "args": {"run": "r000000000000"}},
        "not_in_a_run",
        1,
    ),
    through_relay(
        "B13",
        "relay-claim",
        "another item",
        {"call": "claim", "args": {"agent": "dev-agent"}},
        "inside_a_run",
        1,
    ),
    through_relay(
        "B13",
        "relay-report",
        "a report that cannot be read",
        {"call": "report", "args": {"report": {"outcome": "great"}}},
        "unreadable_report",
    ),
    through_python(
        "B13", "python-run", "an unknown question", lambda board: board.answer("q99", "x"), "unknown_question"
    ),
]
