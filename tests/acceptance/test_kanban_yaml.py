"""The disputes document's YAML as agents write it: each of its names is taken or named back, and none is dropped."""

import json
from pathlib import Path

import pytest

from tests.acceptance.moot import Moot, Said, new_board

TESTS = "tests/247-trading-tests.md"
AGREES = """\
comments:
  - parent: c001
    author: test-architect
    content: You're right.
    status: resolved
    resolution: accepted
"""
OPEN = """\
comments:
  - author: dev-agent
    target: test_trade_cancellation
    content: Test assumes sync.
    status: open
"""


def in_dev(folder: Path) -> Moot:
    moot = new_board(folder)
    moot("add", "Trading", "--column", "tests")
    moot.effort("test-architect", "done", summary="tests written", artifacts=[{"name": TESTS}])
    return moot


def disputed(folder: Path) -> Moot:
    moot = in_dev(folder)
    concern = {"artifact": TESTS, "target": "test_trade_cancellation", "content": "Test assumes sync, arch says async."}
    moot.effort("dev-agent", "disputed", comments=[concern])
    return moot


def hand_in(moot: Moot, agent: str, text: str) -> Said:
    return moot.try_in(moot("claim", agent), text)


def fault(said: Said) -> str:
    assert said.code == 2, said.out
    message: str = json.loads(said.err.splitlines()[-1])["error"]["message"]
    return message


def known(moot: Moot, word: str) -> bool:
    return word in json.dumps([moot("show", "1"), moot("log", "1")])


@pytest.mark.ledger("K-06", "R-32")
@pytest.mark.parametrize(
    "first",
    [
        "outcome: failed",
        "Outcome: failed",
        "OUTCOME: failed",
        "outcome : failed",
        '"outcome": failed',
        "Status: failed",
    ],
)
def test_how_it_ended_is_read_beside_comments_however_it_is_spelled(tmp_path: Path, first: str) -> None:
    moot = disputed(tmp_path)
    item = hand_in(moot, "test-architect", f"{first}\n{AGREES}").json
    assert item["column"] == "tests" and item["failure_count"] == 1
    assert moot("comments", "1")["comments"][0]["status"] == "open", "who failed has not mended what it agrees to"


@pytest.mark.parametrize(
    ("first", "named"),
    [
        ("result: failed", "result: unknown field, did you mean 'outcome'?"),
        ("Result: could not update the test", "Result: unknown field, did you mean 'outcome'?"),
        ("state: failed", "state: unknown field, did you mean 'outcome'?"),
        ("- outcome: failed", "no YAML"),
        ("outcome: failed\nOutcome: done", "Outcome: unknown field"),
        ("outcome: failed\noutcome: done", "outcome stands twice"),
    ],
)
@pytest.mark.parametrize("around", ["{}", "I have looked at it.\n\n{}", "I have looked at it.\n\n```yaml\n{}```\n"])
def test_another_word_for_how_it_ended_is_named_back(tmp_path: Path, first: str, named: str, around: str) -> None:
    moot = disputed(tmp_path)
    assert named in fault(hand_in(moot, "test-architect", around.format(f"{first}\n{AGREES}")))


@pytest.mark.parametrize(
    "text",
    [
        f"Status: [ ] Complete / [x] Blocked\n{AGREES}",
        f"{AGREES}Status: [ ] Complete / [x] Blocked\n",
        f"{AGREES}Status:\n- [x] Blocked\n",
        f"{AGREES}\n## Status\n- [x] Blocked\n",
    ],
)
def test_a_form_beside_comments_says_how_it_ended(tmp_path: Path, text: str) -> None:
    moot = disputed(tmp_path)
    item = hand_in(moot, "test-architect", text).json
    assert item["column"] == "needs-senior-dev" and "Blocked" not in item["why"]


def test_a_failure_beside_an_open_comment_counts(tmp_path: Path) -> None:
    moot = in_dev(tmp_path)
    item = hand_in(moot, "dev-agent", f"Outcome: failed\n{OPEN}").json
    assert item["failure_count"] == 1


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize(
    ("text", "named"),
    [
        (
            "comments:\n  - id: c001\n    author: dev-agent\n    target: test_trade_cancellation\n    message: |\n"
            "      This test assumes synchronous cancellation.\n    status: done",
            "[0] has the unknown field `message`, did you mean 'content'?",
        ),
        (
            "comment:\n  author: dev-agent\n  target: test_trade_cancellation\n"
            "  content: This test assumes sync, architecture says async.\n  status: done",
            "comment: unknown field, did you mean 'comments'?",
        ),
        (
            "artifact_comments:\n  - id: c001\n    author: dev-agent\n"
            "    content: This test assumes synchronous cancellation.\n    status: blocked",
            "artifact_comments: unknown field, did you mean 'comments'?",
        ),
        (
            'failure_history:\n  - attempt: 1\n    reason: "Test expects 42, got 41"\n    status: failed',
            "failure_history: this is an item",
        ),
        (
            "author: dev-agent\ntarget: t\ncontent: Test assumes sync.\nstatus: done",
            "this is a comment: it stands in a list under `comments`",
        ),
        (
            "comments:\n  - reply_to: c001\n    body: You're right, fixed.\n    status: resolved\n"
            "    resolution: accepted",
            "[0] has the unknown field `reply_to`, did you mean 'parent'?",
        ),
    ],
)
@pytest.mark.parametrize("around", ["{}", "I have looked at it.\n\n{}\n", "See:\n\n```yaml\n{}\n```\n", "```\n{}\n```"])
def test_what_a_part_says_of_itself_is_not_how_the_run_ended(
    tmp_path: Path, text: str, named: str, around: str
) -> None:
    moot = in_dev(tmp_path)
    said = hand_in(moot, "dev-agent", around.format(text))
    told = fault(said)
    assert named in told or around != "{}", told
    assert moot("show", "1")["column"] == "dev"


def test_comments_are_read_in_any_case(tmp_path: Path) -> None:
    moot = in_dev(tmp_path)
    text = (
        "Comments:\n  - Author: dev-agent\n    Target: test_trade_cancellation\n    Content: This test assumes sync.\n"
        "    Status: Open"
    )
    item = hand_in(moot, "dev-agent", text).json
    assert item["column"] == "tests"
    assert moot("comments", "1")["comments"][0]["target"] == "test_trade_cancellation"


def test_an_outcome_in_other_letters_is_a_report(tmp_path: Path) -> None:
    moot = in_dev(tmp_path)
    item = hand_in(moot, "dev-agent", "Outcome: failed\nSummary: Test expects 42, got 41").json
    assert item["failure_count"] == 1 and known(moot, "expects 42")


@pytest.mark.ledger("K-11")
@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("result: done\nsummary: fixed the deadlock\nescalation_reason: concurrency", "result: unknown field"),
        (
            "All tests pass now, work complete. Earlier the item had\nescalation_reason: concurrency\n"
            "which is no longer true.",
            "it holds no report",
        ),
    ],
)
def test_a_reason_does_not_outweigh_what_is_said_beside_it(tmp_path: Path, text: str, named: str) -> None:
    moot = in_dev(tmp_path)
    assert named in fault(hand_in(moot, "dev-agent", text))


def test_a_reason_beside_done_is_told(tmp_path: Path) -> None:
    moot = in_dev(tmp_path)
    item = hand_in(moot, "dev-agent", "Outcome: done\nSummary: fixed\nescalation_reason: concurrency").json
    assert item["column"] == "review"
    assert [one["what"] for one in item["kept"]] == ["escalation_reason"]


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize(
    "extra",
    [
        "summary: ZEBRA is ready",
        "tags: [ZEBRA]",
        "question: May I change ZEBRA?",
        'flag: "ZEBRA - human decision needed"',
        "blockers: ZEBRA is missing",
        "files: {modified: [src/ZEBRA.py]}",
        "next_steps: [ZEBRA]",
        'failure_count: 3\nfailure_history:\n  - attempt: 1\n    model: glm-4\n    reason: "ZEBRA"',
    ],
)
def test_what_stands_beside_comments_is_kept(tmp_path: Path, extra: str) -> None:
    for number, text in enumerate((f"{OPEN}{extra}\n", f"{extra}\n{OPEN}")):
        folder = tmp_path / str(number)
        folder.mkdir()
        moot = in_dev(folder)
        item = hand_in(moot, "dev-agent", text).json
        assert item["column"] == "tests" and known(moot, "ZEBRA")


@pytest.mark.parametrize("extra", ["column: arch", "move_to: needs-human"])
def test_where_an_item_goes_is_no_field(tmp_path: Path, extra: str) -> None:
    moot = in_dev(tmp_path)
    told = fault(hand_in(moot, "dev-agent", f"{OPEN}{extra}\n"))
    assert "unknown field; where an item goes follows from its outcome" in told


@pytest.mark.ledger("K-11")
@pytest.mark.parametrize("name", ["summary", "Summary", "blockers"])
@pytest.mark.parametrize("first", [True, False])
def test_who_can_help_is_told_what_with(tmp_path: Path, name: str, first: bool) -> None:
    moot = in_dev(tmp_path)
    lines = [f"{name}: Deadlock in the worker pool between lock A and lock B", "escalation_reason: concurrency"]
    item = hand_in(moot, "dev-agent", "\n".join(lines if first else lines[::-1])).json
    assert item["column"] == "needs-concurrency-expert" and "Deadlock in the worker pool" in item["why"]


@pytest.mark.ledger("K-11")
def test_words_above_a_reason_are_for_who_can_help(tmp_path: Path) -> None:
    moot = in_dev(tmp_path)
    text = "I am stuck. Deadlock in the worker pool.\n\n```yaml\n# Issue metadata\nescalation_reason: concurrency\n```"
    item = hand_in(moot, "dev-agent", text).json
    assert item["column"] == "needs-concurrency-expert" and "Deadlock in the worker pool" in item["why"]


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("fence", ["```yaml\n{}```\n", "```\n{}```\n", "{}"])
def test_words_around_comments_are_kept(tmp_path: Path, fence: str) -> None:
    moot = in_dev(tmp_path)
    text = (
        "The migration ZEBRA must be rolled back before deploying.\n\n"
        + fence.format(OPEN)
        + "\nAlso, test_trade_limit looks wrong to me."
    )
    item = hand_in(moot, "dev-agent", text).json
    assert known(moot, "ZEBRA") and known(moot, "test_trade_limit looks wrong")
    told = json.dumps(item["kept"])
    assert "ZEBRA" in told and "Test assumes sync" not in told


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("words", ["No", "yes", "on", "010", "10:30", "3.10", "0x1F", "2024-01-17"])
def test_words_stay_as_they_are_written(tmp_path: Path, words: str) -> None:
    moot = in_dev(tmp_path)
    text = OPEN.replace("Test assumes sync.", words).replace("test_trade_cancellation", words)
    (said,) = hand_in(moot, "dev-agent", text).json["comments"]
    assert (said["content"], said["target"]) == (words, words)


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("around", ["{}", "```yaml\n{}```\n", "I have looked.\n\n```yaml\n{}```\n"])
@pytest.mark.parametrize(
    "text",
    [OPEN.replace("assumes sync.", "is wrong, see #12 and #13"), "outcome: failed\nsummary: As in #12 it is red\n"],
)
def test_words_that_yaml_would_cut_are_asked_back(tmp_path: Path, text: str, around: str) -> None:
    moot = in_dev(tmp_path)
    told = fault(hand_in(moot, "dev-agent", around.format(text)))
    assert "put the words in quotation marks" in told


def test_a_note_behind_another_name_is_none_of_its_words(tmp_path: Path) -> None:
    moot = in_dev(tmp_path)
    text = OPEN.replace("test_trade_cancellation", '"test_trade_cancellation"  # specific test/section')
    (said,) = hand_in(moot, "dev-agent", text).json["comments"]
    assert said["target"] == "test_trade_cancellation"


@pytest.mark.ledger("K-05", "K-06")
def test_a_dispute_and_its_reply_in_labels_go_the_way_of_the_yaml(tmp_path: Path) -> None:
    moot = in_dev(tmp_path)
    concern = f"## Dispute\n\n- Artifact: {TESTS}\n- Target: test_trade\n- Content: Assumes sync,\n  arch says async.\n"
    item = moot.speak("dev-agent", f"{concern}- Status: open\n")
    assert (item["column"], item["dispute_agents"]) == ("tests", ["dev-agent"])
    assert item["comments"][0]["content"] == "Assumes sync,\narch says async."
    reply = "## Reply to c001\n\n**Status:** resolved\n**Resolution:** accepted\n\nYou're right. Now it awaits.\n"
    item = moot.speak("test-architect", reply)
    assert (item["column"], item["comments"][0]["resolution"]) == ("dev", "accepted")
    assert item["comments"][1]["content"] == "You're right. Now it awaits."


@pytest.mark.ledger("K-05", "K-06")
def test_a_reply_in_labels_that_stays_open_disagrees(tmp_path: Path) -> None:
    moot = disputed(tmp_path)
    item = moot.speak("test-architect", "## Reply to c001\n\n- **Status:** open\n\nThe test awaits the event.\n")
    assert (item["column"], item["dispute_rounds"], item["comments"][0]["status"]) == ("dev", 1, "open")


HISTORY = """\
outcome: failed
failure_history:
  - attempt: 1
    model: glm-4
    reason: "Test expects 42, got 41"
"""
SECOND = '  - attempt: 2\n    model: glm-4\n    reason: "Same issue, tried different approach"\n'


@pytest.mark.ledger("K-08", "R-05")
@pytest.mark.parametrize("fenced", [False, True])
def test_a_failure_that_says_why_in_its_history_alone_keeps_that_reason(tmp_path: Path, fenced: bool) -> None:
    moot = in_dev(tmp_path)
    for text in (HISTORY, HISTORY + SECOND):
        assert hand_in(moot, "dev-agent", f"```yaml\n{text}```\n" if fenced else text).code == 0
    item = moot("show", "1")
    reasons = ["Test expects 42, got 41", "Same issue, tried different approach"]
    assert [one["reason"] for one in item["failure_history"]] == reasons
    assert item["failure_count"] == 2 and item["column"] == "dev", "what the board has is not counted again"
    assert [one["reason"] for one in moot("claim", "dev-agent")["brief"]["attempts"]] == reasons


@pytest.mark.ledger("K-08", "R-05")
@pytest.mark.parametrize(
    ("said", "reasons"),
    [
        ("summary: It hangs.\n", ["Test expects 42, got 41", "It hangs."]),
        ("", ["Test expects 42, got 41", ""]),
    ],
    ids=["words of its own", "a copy of what the board has"],
)
def test_only_a_failure_without_words_takes_them_from_an_entry_of_its_own(
    tmp_path: Path, said: str, reasons: list[str]
) -> None:
    moot = in_dev(tmp_path)
    assert hand_in(moot, "dev-agent", HISTORY).code == 0
    assert hand_in(moot, "dev-agent", HISTORY + said).code == 0
    assert [one["reason"] for one in moot("show", "1")["failure_history"]] == reasons
