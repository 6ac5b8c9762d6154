"""Code and logs in fences of an escalation: whoever decides and whoever goes on sees them, and no rule weighs them."""

from pathlib import Path

import pytest

from tests.acceptance.test_escalation import ASKED, block, blocks, board, counts

FENCES = [
    "```python\nMARKWORD = tests_failed()\n```",
    "```sh\nmake MARKWORD  # security concern: 3 tests failed, circular dependency\n```",
    "```diff\n- MARKWORD: the task is complete\n+ TASK_COMPLETE\n```",
    "```yaml\nMARKWORD: ambiguous acceptance criteria\n```",
]
ASKS = (
    "SEEKING_DIVINE_CLARIFICATION\n\nQuestion: Which key?\n\nContext:\nTwo differ.\n\n{}\n\n"
    "Options Considered:\n1. PEM: old\n"
)


@pytest.mark.ledger("E-07", "E-08", "E-13")
@pytest.mark.parametrize("fence", [*FENCES, '```json\n{"status": "failed", "MARKWORD": 1}\n```', "```\nMARKWORD\n```"])
def test_a_fence_in_the_context_reaches_the_person_and_the_options_stay(tmp_path: Path, fence: str) -> None:
    moot = board(tmp_path)
    item = moot.speak("developer", ASKS.format(fence))
    (asked,) = moot("inbox")["questions"]
    assert (item["status"], asked["context"]) == (ASKED, f"Two differ.\n\n{fence}")
    assert [one["option"] for one in asked["options"]] == ["PEM"]


@pytest.mark.ledger("E-07", "R-32")
@pytest.mark.parametrize("fence", FENCES)
@pytest.mark.parametrize(
    "text",
    [
        "TASK_INCOMPLETE: half of it\n\n{}\n",
        "{}\n\nTASK_INCOMPLETE: half of it",
        "{}\n\n" + block(1),
        block(1) + "\n{}\n",
        '{}\n\n{{"outcome": "failed", "summary": "red"}}\n',
        '{{"outcome": "failed", "summary": "red"}}\n\n{}\n',
    ],
)
def test_a_fence_that_is_no_report_reaches_whoever_goes_on(tmp_path: Path, text: str, fence: str) -> None:
    moot = board(tmp_path)
    item = moot.speak("developer", text.format(fence))
    assert item["status"] == "ready", "what it shows is not weighed"
    assert item["runs"][-1]["report"]["extra"]["shown beside the report"] == {"1": fence}
    assert "MARKWORD" in str(moot("claim", "developer")["brief"])


@pytest.mark.ledger("E-07", "R-08")
@pytest.mark.parametrize("fence", FENCES)
def test_what_an_expert_shows_reaches_the_developer(tmp_path: Path, fence: str) -> None:
    moot = board(tmp_path)
    moot.speak("developer", blocks(1, 3))
    moot.speak("crypto-expert", f"EXPERT_UNSUCCESSFUL: nothing found\n\n{fence}\n")
    assert counts(moot) == (3, 1, 4) and "MARKWORD" in str(moot("show", "1"))
    assert "MARKWORD" in str(moot("claim", "protocol-expert")["brief"])


@pytest.mark.ledger("E-08", "R-32")
def test_a_fence_around_a_question_is_shown_to_the_person(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.speak("developer", f"{FENCES[0]}\n\nSEEKING_DIVINE_CLARIFICATION\n\nQuestion: Which key?\n")
    (asked,) = moot("inbox")["questions"]
    assert FENCES[0] in asked["context"]


@pytest.mark.ledger("E-07", "R-32")
def test_a_fence_beside_done_takes_nothing_back(tmp_path: Path) -> None:
    moot = board(tmp_path)
    text = f'{FENCES[1]}\n\n{{"outcome": "done", "summary": "Sessions survive"}}\n'
    assert moot.speak("developer", text)["status"] == "done"
