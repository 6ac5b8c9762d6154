"""`moot demo`: three stories on a real board, told well, and a green doctor at the end."""

import json
import re
from pathlib import Path

import pytest

from tests.doors.conftest import Moot


@pytest.fixture
def told(nowhere: Moot) -> str:
    process = nowhere.process("demo", env={"TMPDIR": str(nowhere.folder), "COLUMNS": "80"})
    assert process.returncode == 0, process.stderr.decode()
    assert process.stderr == b""
    return process.stdout.decode()


@pytest.mark.ledger("K-07", "K-09", "K-10")
def test_the_demo_tells_all_three_stories_in_order(told: str) -> None:
    order = [
        "Users can reset a forgotten password",
        "disputes it → tests",
        "the breaker trips",
        "moot answer q1 1",
        "The story wins",
        "failure 1",
        "the same again",
        "failure 6 → needs-senior-dev",
        "senior-dev-agent  sonnet  done → review",
        "asks a person",
        "The board at this moment",
        "dev-agent at work",
        "everyone in the company's account",
        "doctor: all",
        "Look at it",
    ]
    found = [told.index(words) for words in order]
    assert found == sorted(found)
    models = re.findall(r"dev-agent +(glm-4|sonnet|opus) +(?:failure|the same)", told)
    assert models == ["glm-4"] * 3 + ["sonnet"] * 2 + ["opus"] * 2


def test_the_demo_is_plain_in_a_pipe(told: str) -> None:
    assert "\x1b" not in told
    where = re.search(r"^  cd (\S+)$", told, re.MULTILINE)
    assert where is not None
    assert [line for line in told.splitlines() if len(line) > 80 and where[1] not in line] == []


def test_the_board_of_the_demo_stays_and_is_sound(nowhere: Moot, told: str) -> None:
    where = re.search(r"^  cd (\S+)$", told, re.MULTILINE)
    assert where is not None
    nowhere.folder = Path(where[1])
    assert nowhere.json("doctor")["ok"]
    items = nowhere.json("list")["items"]
    assert [item["status"] for item in items] == ["done"] * 4
    assert "Dispute c001" in nowhere("show", "1").out
    assert len(nowhere.json("show", "2")["failure_history"]) == 7
    assert nowhere.json("show", "3")["guidance"][0]["answer"] == "everyone in the company's account"


def test_the_demo_as_json_tells_its_story_on_the_other_stream(nowhere: Moot) -> None:
    process = nowhere.process("demo", "--json", env={"TMPDIR": str(nowhere.folder)})
    view = json.loads(process.stdout)
    assert process.returncode == 0 and view["ok"] and view["doctor"]["ok"] and len(view["items"]) == 4
    assert b"the breaker trips" in process.stderr


@pytest.mark.parametrize("decision, column", [("2", "dev"), ("1", "tests"), ("Ask them", "tests"), ("7\n2", "dev")])
def test_whoever_watches_may_decide(nowhere: Moot, decision: str, column: str) -> None:
    stdin = f"{decision}\nonly for me\n".encode()
    process = nowhere.process("demo", "--ask", "--json", stdin=stdin, env={"TMPDIR": str(nowhere.folder)})
    view = json.loads(process.stdout)
    assert view["ok"], process.stderr.decode()
    nowhere.folder = Path(view["board"])
    resumed = [e for e in nowhere.json("log", "1")["events"] if e["event"] == "agent_resumes_with_guidance"]
    assert resumed[0]["context"]["to"] == column
    assert nowhere.json("show", "3")["guidance"][0]["answer"] == "only for me"


def test_without_an_answer_the_script_answers(nowhere: Moot) -> None:
    process = nowhere.process("demo", "--ask", "--json", env={"TMPDIR": str(nowhere.folder)})
    assert json.loads(process.stdout)["ok"]
