"""An object of a report's own, such as a healing report, beside an end that moves the work on: what it says of the end
counts there as it does beside it."""

from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.moot import Moot, Said, new_board

View = dict[str, Any]
COMPLETE: View = {"agentType": "codeweaver", "status": "complete", "report": "Registration is there."}


def tried(folder: Path, beside: View) -> tuple[Moot, Said]:
    moot = new_board(folder, "quest")
    moot("add", "User auth", "--column", "weave")
    return moot, moot.try_in(moot("claim", "codeweaver"), {**COMPLETE, **beside})


@pytest.mark.ledger("R-22", "R-32", "Q-11")
@pytest.mark.parametrize(
    ("beside", "shown"),
    [
        ({"healingReport": {"fixed": ["TS2304"], "notFixed": ["TS1005"]}}, "notFixed"),
        ({"healingReport": {"healed": 3, "unresolved": "TS1005"}}, "unresolved"),
        ({"summary": {"completed": ["form"], "remaining": ["the mail"]}}, "remaining"),
        ({"output": {"filesModified": [], "remaining": ["the mail"]}}, "remaining"),
        ({"details": {"blockers": ["AuthResult is missing"]}}, "blockers"),
        ({"details": {"work": {"notDone": ["the mail"]}}}, "notDone"),
        ({"result": {"status": "partial"}}, "status"),
        ({"result": {"status": "blocked", "reason": "AuthResult is missing"}}, "status"),
        ({"selfCheck": {"contractsMet": False}}, "contractsMet"),
        ({"quality": {"types": "ok", "lint": "failed"}}, "lint"),
        ({"checklist": {"tests written": True, "contract kept": False}}, "contract kept"),
        ({"acceptance": [{"criterion": "a mail is sent", "met": False}]}, "met"),
        ({"escapeHatch": {"triggered": True, "reason": "context"}}, "triggered"),
        ({"notFixed": ["TS1005"]}, "notFixed"),
    ],
    ids=str,
)
def test_what_an_object_says_against_the_end_is_asked_back(tmp_path: Path, beside: View, shown: str) -> None:
    moot, heard = tried(tmp_path, beside)
    assert heard.code == 2 and shown in heard.err and "which holds?" in heard.err, (heard.out, heard.err)
    assert moot("show", "1")["column"] == "weave"


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize(
    "beside",
    [
        {"healingReport": {"fixed": ["TS2304"], "notFixed": [], "unresolved": "none"}},
        {"summary": {"completed": ["form"], "remaining": "nothing"}},
        {"details": {"blockers": "none", "status": "complete"}},
        {"previousFailures": {"status": "failed", "unresolved": ["TS1"]}},
        {"history": {"status": "blocked", "blockers": ["AuthResult was missing"]}},
        {"attempts_made": {"status": "failed"}},
        {"quality": {"types": "ok", "lint": "passed", "warnings": 0}},
        {"checklist": {"tests written": True, "contract kept": "yes"}},
        {"escapeHatch": {"triggered": False}},
        {"environment": {"node": "20", "cached": False}},
        {"testResults": {"unit": {"passed": 3, "failed": 0}}},
        {"attacks": [{"name": "replay", "status": "failed"}]},
        {"commands": [{"run": "npm test", "status": "failed"}, {"run": "npm test", "status": "passed"}]},
        {"lintRun": {"before": "failed", "after": "green"}},
        {"summary": {"date": "3/5"}},
        {"retryPolicy": {"retries": 3, "partial": "kept"}},
    ],
    ids=str,
)
def test_an_object_that_agrees_or_only_describes_is_told_on(tmp_path: Path, beside: View) -> None:
    _, heard = tried(tmp_path, beside)
    assert heard.code == 0, heard.err


@pytest.mark.ledger("R-22")
def test_the_last_word_of_a_process_with_something_left_in_an_object_is_not_done(tmp_path: Path) -> None:
    moot = new_board(tmp_path, "quest")
    moot("add", "User auth", "--column", "weave")
    claim = moot("claim", "codeweaver")
    moot.try_in(claim, {**COMPLETE, "workSummary": {"done": ["form"], "notDone": ["the mail"]}}, "--final")
    assert moot("show", "1")["runs"][-1]["outcome"] == "incomplete"
