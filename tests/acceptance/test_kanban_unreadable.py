"""A report that cannot be read: the agent may try again, until its process is over (R-32)."""

from pathlib import Path

import pytest

from tests.acceptance.moot import new_board

UNREADABLE = {
    "no JSON": "I am done!",
    "a wrong outcome": '{"outcome": "finished"}',
    "a NUL character": '{"outcome": "done", "summary": "a\\u0000b"}',
    "half a character": '{"outcome": "done", "summary": "\\ud800"}',
    "half a character in a name": '{"outcome": "done", "\\ud800": 1}',
    "an endless number": '{"outcome": "done", "usage": {"cost_usd": 1e999}}',
    "a bottomless nest": '{"outcome": "done", "integration_points": ' + "[" * 100_000 + "]" * 100_000 + "}",
    "two megabytes": '{"outcome": "done", "summary": "' + "x" * 2_000_000 + '"}',
    "nothing": "",
}


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_it_is_refused_and_the_run_lives(tmp_path: Path, text: str) -> None:
    moot = new_board(tmp_path)
    moot("add", "An item", "--column", "dev")
    claim = moot("claim", "dev-agent")
    said = moot.say("report", claim["run"], "-", "--token", str(claim["token"]), stdin=text)
    assert said.code == 2 and said.error
    assert moot("show", "1")["status"] == "running"
    assert moot.report(claim, "done")["column"] == "review"


@pytest.mark.ledger("R-32", "R-07")
@pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_with_final_it_is_recorded_as_protocol(tmp_path: Path, text: str) -> None:
    moot = new_board(tmp_path)
    moot("add", "An item", "--column", "dev")
    claim = moot("claim", "dev-agent")
    moot("report", claim["run"], "-", "--token", str(claim["token"]), "--final", stdin=text)
    item = moot("show", "1")
    assert (item["status"], item["failure_count"]) == ("ready", 0)
    assert (item["runs"][0]["outcome"], item["runs"][0]["cause"]) == ("failed", "protocol")
    assert moot("claim", "dev-agent")["brief"]["told"]
    assert moot("doctor")["ok"]
