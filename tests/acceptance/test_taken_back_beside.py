"""An end that the words beside it take back: a `done` that is half written, a green check that is still red, a split of
fewer tasks than it counts, a settlement that disagrees. Whoever said it is asked which of the two holds."""

from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.moot import Moot, Said, new_board

View = dict[str, Any]
PLACES = {
    "codeweaver": ("quest", "weave"),
    "lawbringer": ("quest", "review"),
    "pathseeker": ("quest", "discover"),
    "developer": ("escalation", "available"),
    "dev-agent": ("kanban", "dev"),
    "review-agent": ("kanban", "review"),
    "qa-agent": ("kanban", "qa"),
}


def tried(folder: Path, agent: str, said: View | str) -> tuple[Moot, Said]:
    preset, column = PLACES[agent]
    moot = new_board(folder, preset)
    moot("add", "User auth", "--column", column)
    return moot, moot.try_in(moot("claim", agent), said)


def complete(words: str, **parts: Any) -> View:
    return {"status": "complete", "report": words, **parts}


def done(words: str, **parts: Any) -> View:
    return {"outcome": "done", "summary": words, **parts}


TAKEN_BACK: list[tuple[str, View | str]] = [
    ("codeweaver", complete("I stopped since I am running out of context; registration.ts is half written")),
    ("codeweaver", complete("Registration is there. The mailer is only half implemented.")),
    ("codeweaver", complete("I did not have time to write the validation.")),
    ("codeweaver", complete("registered", nextSteps="The validation still has to be implemented before this works.")),
    ("codeweaver", complete("implemented", ward="red: 2 lint errors remaining")),
    ("codeweaver", complete("implemented", lint="failed (3 errors in a.ts)")),
    ("developer", "TASK_COMPLETE\nkeys rotated, but the third service could not be rotated"),
    ("developer", done("Keys rotated. However, the HSM could not be reached.")),
    ("developer", done("Keys rotated.", tests={"total": 10, "passed": 8, "failed": 2})),
    ("developer", done("Keys rotated. The HSM test still fails.")),
    ("dev-agent", done("Implemented, but the test test_trade_cancellation is wrong and fails.")),
    ("dev-agent", done("Cancelling works. The architecture is wrong.")),
    ("lawbringer", complete("All consistent, except that registration stores the password as it is, which I left.")),
    ("review-agent", done("Looks good apart from the race in cancel().")),
    ("review-agent", done("I did not have time to look at cancel.py")),
    ("review-agent", {"outcome": "changes_requested", "summary": "No changes needed, approve"}),
    ("review-agent", {"outcome": "changes_requested", "summary": "LGTM"}),
]


@pytest.mark.ledger("R-22", "R-32")
@pytest.mark.parametrize(("agent", "said"), TAKEN_BACK, ids=str)
def test_an_end_that_its_own_words_take_back_is_asked_back(tmp_path: Path, agent: str, said: View | str) -> None:
    moot, told = tried(tmp_path, agent, said)
    assert told.code == 2 and ("which holds?" in told.err or "is not clear" in told.err), told.out
    assert moot("show", "1")["status"] == "running"


STANDS: list[tuple[str, View | str]] = [
    ("codeweaver", complete("A record that is half written is dropped when the file is read.")),
    ("codeweaver", complete("The old parser could not be kept, so it is a new one.")),
    ("codeweaver", complete("registered", nextSteps="The mailer has to be implemented in the next quest.")),
    ("codeweaver", complete("implemented", ward="green: 0 errors", lint="failed: 0")),
    ("codeweaver", complete("implemented", lint="failed at first (mended, green now)")),
    # Whoever looks at it next sees how many are red, and the test that a test architect wrote first is.
    ("codeweaver", complete("Registration is there.", tests={"total": 10, "passed": 9, "failed": 1})),
    ("developer", done("Keys rotated. Callers that could not be reached are told by mail.")),
    ("developer", done("Keys rotated.", tests={"total": 10, "passed": 10, "failed": 0})),
    ("dev-agent", done("The test was wrong about the time zone, and is corrected.")),
    ("dev-agent", done("It warns if the story is wrong.")),
    ("review-agent", done("Fine, except for a nit: one name is long.")),
    ("review-agent", {"outcome": "changes_requested", "summary": "No changes needed in a.py, but b.py must be redone"}),
    ("qa-agent", done("6 of 6 scenarios OK")),
]


@pytest.mark.ledger("R-22")
@pytest.mark.parametrize(("agent", "said"), STANDS, ids=str)
def test_an_end_that_its_own_words_leave_standing_holds(tmp_path: Path, agent: str, said: View | str) -> None:
    moot, told = tried(tmp_path, agent, said)
    assert told.code == 0, told.err
    assert moot("show", "1")["status"] != "running"


FEWER = ["QA passed: 5/6 scenarios OK", "Fine: four of five scenarios succeeded", "9/10 PASSED", "9 green, 1 red"]


@pytest.mark.ledger("R-22")
@pytest.mark.parametrize("words", FEWER)
def test_a_checker_whose_words_count_fewer_that_are_ok_sends_it_back(tmp_path: Path, words: str) -> None:
    moot, told = tried(tmp_path, "qa-agent", done(words))
    assert told.code == 0 and moot("show", "1")["column"] == "dev", told.err


@pytest.mark.ledger("R-22", "R-32")
def test_whoever_heals_a_check_is_asked_about_words_that_say_it_is_still_red(tmp_path: Path) -> None:
    moot = new_board(tmp_path, "quest")
    moot("add", "User auth", "--column", "siege")
    moot.speak("siegemaster", complete("Three tests written; one of them is red, because the reset returns 500."))
    moot.speak("ward", {"outcome": "failed", "summary": "TestReset: expected 200, got 500"})
    claim = moot("claim", "spiritmender")
    told = moot.try_in(claim, complete("Repaired the mapping, but ward:all still fails with 1 error"))
    assert told.code == 2 and "which holds?" in told.err, told.out
    assert moot.try_in(claim, complete("The ward was red: a wrong mapping. It is green now.")).code == 0


@pytest.mark.ledger("E-04", "R-32")
@pytest.mark.parametrize("words", ["I could not find the cause.", "No idea.", "I was unable to solve this."])
def test_an_expert_that_has_no_advice_is_asked_whether_it_was_unsuccessful(tmp_path: Path, words: str) -> None:
    moot = new_board(tmp_path, "escalation")
    moot("add", "Rotate the keys", "--column", "implementing")
    moot.effort("developer", "delegates", delegate=[{"to": "crypto-expert", "task": "why is it invalid?"}])
    claim = moot("claim", "crypto-expert")
    told = moot.try_in(claim, done(words))
    assert told.code == 2 and "EXPERT_UNSUCCESSFUL" in told.err, told.out
    assert moot.try_in(claim, done(f"{words} Try a nonce that is made anew each time.")).code == 0


TRIGGERS: list[View | str] = [
    "TASK_COMPLETE\n\n- [ ] Security concern\n- [x] Circular dependency detected",
    "TASK_COMPLETE\nTrigger: ambiguous acceptance criteria",
    done("Rotated. Acceptance criteria are ambiguous, I picked weekly."),
    done("Rotated. The acceptance criteria contradict each other."),
    done("Rotated.", concerns=["possible security vulnerability: old keys are still accepted"]),
    done("Rotated. The private key is committed in the repository in plain text."),
]


@pytest.mark.ledger("E-05", "R-32")
@pytest.mark.parametrize("said", TRIGGERS, ids=str)
def test_each_mandatory_trigger_beside_done_is_asked_back(tmp_path: Path, said: View | str) -> None:
    moot, told = tried(tmp_path, "developer", said)
    assert (told.code, "which holds?" in told.err) == (2, True), told.out
    assert moot("show", "1")["status"] == "running"


@pytest.mark.ledger("E-05")
@pytest.mark.parametrize(
    "words",
    [
        "The acceptance criteria were ambiguous; a person has clarified them, resolved.",
        "Circular dependencies are now detected when a flow is read.",
        "The circular dependency between a and b is removed.",
        "Passwords are hashed, and no key is kept in plain text.",
    ],
)
def test_a_trigger_that_the_work_was_about_or_that_is_over_leaves_done_standing(tmp_path: Path, words: str) -> None:
    moot, told = tried(tmp_path, "developer", done(words))
    assert told.code == 0, told.err
    assert moot("show", "1")["status"] == "done"


@pytest.mark.ledger("E-05")
@pytest.mark.parametrize(
    "words",
    [
        "The acceptance criteria contradict each other: daily, and never.",
        "The private key is committed in the repository in plain text; I did not go on.",
        "Passwords are stored in clear text.",
    ],
)
def test_a_mandatory_trigger_in_other_words_asks_a_person_at_once(tmp_path: Path, words: str) -> None:
    moot, told = tried(tmp_path, "developer", {"outcome": "failed", "summary": words})
    assert told.code == 0 and moot("show", "1")["status"] == "awaiting-divine-guidance", told.err


TWO_TASKS: View = {
    "codeweaver-1": {"task": "Users can register", "files": ["src/a.ts"]},
    "codeweaver-2": {"task": "Users can reset", "files": ["src/b.ts"]},
}


@pytest.mark.ledger("Q-04", "R-32")
@pytest.mark.parametrize(
    "beside",
    [{"totalTasks": 3}, {"task_count": "three"}, {"numberOfTasks": 4}, {"summary": "Split into three tasks."}],
    ids=str,
)
def test_a_split_of_fewer_tasks_than_it_counts_is_asked_back(tmp_path: Path, beside: View) -> None:
    moot, told = tried(tmp_path, "pathseeker", {**TWO_TASKS, **beside})
    assert told.code == 2 and "2 tasks" in told.err, told.out
    assert moot("show", "1")["children"] == []


@pytest.mark.ledger("Q-04")
@pytest.mark.parametrize(
    "beside",
    [
        {"totalTasks": 2},
        {"task_count": "two"},
        {"summary": "Two tasks, which share nothing."},
        {"summary": "Two of the old tasks fell away."},
    ],
    ids=str,
)
def test_a_split_that_counts_its_tasks_rightly_holds(tmp_path: Path, beside: View) -> None:
    moot, told = tried(tmp_path, "pathseeker", {**TWO_TASKS, **beside})
    assert told.code == 0, told.err
    assert len(moot("show", "1")["children"]) == 2


def disputed(folder: Path) -> Moot:
    moot = new_board(folder, "kanban")
    moot("add", "Trades can be cancelled", "--column", "tests")
    moot.effort("test-architect", "done", summary="tests", artifacts=[{"name": "tests/247.md"}])
    concern = {"artifact": "tests/247.md", "content": "It assumes sync, and the design says async."}
    moot.effort("dev-agent", "disputed", comments=[concern])
    return moot


@pytest.mark.ledger("R-12", "R-32")
@pytest.mark.parametrize(
    "words",
    [
        "No, the test is right as it stands.",
        "I disagree: the design says sync.",
        "I do not agree.",
        "Section 3.2 says sync. The test stays.",
        "Sync is meant, so the test stays as specified.",
    ],
)
def test_a_settlement_whose_words_disagree_is_asked_back(tmp_path: Path, words: str) -> None:
    moot = disputed(tmp_path)
    claim = moot("claim", "test-architect")
    reply = {"parent": "c001", "content": words, "resolution": "accepted"}
    told = moot.try_in(claim, {"outcome": "done", "comments": [reply]})
    assert told.code == 2 and "which holds?" in told.err, told.out
    agreed = {**reply, "content": "No objection, you are right. I disagreed at first."}
    assert moot.try_in(claim, {"outcome": "done", "comments": [agreed]}).code == 0


AGREEING = [
    "You're right. The architecture says async, the test awaits the event now.",
    "Agreed, the design says async. Updating the test.",
    "Good catch. I will use async/await with a mocked bus.",
]
HELD_BACK = [
    "You're right that the design says async, but this test is about the queue.",
    "Agreed on the design. The test still holds: it looks at the queue only.",
    "Right, and why would that make the test wrong?",
    "The design says sync.",
    "Yes.",
    "You are right about the design and wrong about the test.",
]


@pytest.mark.ledger("R-12", "R-32")
@pytest.mark.parametrize("words", AGREEING)
def test_a_reply_that_goes_on_and_agrees_is_asked_back(tmp_path: Path, words: str) -> None:
    """Whoever copies the file with its `status: open` would send the item back for nothing."""
    moot = disputed(tmp_path)
    claim = moot("claim", "test-architect")
    told = moot.try_in(claim, f"comments:\n  - parent: c001\n    content: >-\n      {words}\n    status: open\n")
    assert told.code == 2 and "goes on with c001" in told.err and "which holds?" in told.err, told.out
    reply = {"parent": "c001", "content": words, "resolution": "accepted"}
    assert moot.try_in(claim, {"outcome": "done", "comments": [reply]}).code == 0
    assert moot("show", "1")["dispute_agents"] == []


@pytest.mark.ledger("R-12")
@pytest.mark.parametrize("words", HELD_BACK)
def test_a_reply_that_agrees_in_part_goes_on(tmp_path: Path, words: str) -> None:
    moot = disputed(tmp_path)
    told = moot.try_in(moot("claim", "test-architect"), {"outcome": "disputed", "comments": [{"content": words}]})
    assert told.code == 0, told.err
    assert moot("show", "1")["dispute_rounds"] == 1
