"""An agent's life and death: claims, fences, keys, the last word, and time that moves by writing."""

import json
from pathlib import Path
from typing import Any

import pytest

from folkmoot.core.enums import OUTCOMES
from folkmoot.engine.application import Application
from folkmoot.engine.engine import Engine
from folkmoot.testing.clock import VirtualClock
from folkmoot.wiring.boards import FileBoards
from tests.acceptance.moot import Moot, Said, View, new_board

DONE = json.dumps({"outcome": "done"})


class ClockedBoards(FileBoards):
    """Boards in folders, as ever, but time is in the test's hand."""

    def __init__(self) -> None:
        self.clock = VirtualClock()

    def open(self, board_dir: str | None) -> Application:
        found = super().open(board_dir)
        return Application(Engine(found.engine.store, self.clock, found.engine.ids), found.board_dir, found.notes)

    def sleep(self, seconds: float) -> None:
        self.clock.move_to(self.clock.time + seconds)


def timed(folder: Path) -> tuple[Moot, ClockedBoards]:
    new_board(folder)
    boards = ClockedBoards()
    return Moot(folder, boards), boards


def events(moot: Moot) -> list[View]:
    found: list[View] = moot("log")["events"]
    return found


@pytest.mark.ledger("K-01", "K-02", "K-14")
def test_an_item_goes_the_whole_way_and_each_move_wakes_the_watcher_of_the_column(tmp_path: Path) -> None:
    moot = new_board(tmp_path)
    moot("add", "Users can reset a password")
    way = [
        ("story-agent", "stories"),
        ("architect-agent", "arch"),
        ("test-architect", "tests"),
        ("dev-agent", "dev"),
        ("review-agent", "review"),
        ("qa-agent", "qa"),
    ]
    for agent, column in way:
        item = moot("show", "1")
        assert (item["column"], item["status"], item["watcher"]) == (column, "ready", agent)
        for other, _ in way:
            if other != agent:
                assert moot.say("claim", other).code == 3, f"{other} does not watch {column}"
        # A process for each: nothing an agent knows survives outside the item.
        claim = moot.process("claim", agent).json
        assert claim["item"]["column"] == column and claim["brief"]["role"] == agent
        report = {"outcome": "done", "artifacts": [{"name": f"{column}.md"}], "summary": f"{column} is made"}
        assert moot.process("report", claim["run"], "-", "--token", str(claim["token"]), stdin=json.dumps(report)).json
    item = moot("show", "1")
    assert (item["column"], item["status"], item["evidence"]) == ("done", "done", "none")
    assert [run["report"]["summary"] for run in item["runs"]] == [f"{column} is made" for _, column in way]
    assert {made["name"]: made["column"] for made in item["artifacts"]} == {f"{c}.md": c for _, c in way}
    assert moot("doctor")["ok"]


@pytest.mark.ledger("K-02")
def test_who_watches_which_column_is_the_users_configuration(tmp_path: Path) -> None:
    moot = new_board(tmp_path)
    moot("add", "An item", "--column", "dev")
    flow = tmp_path / ".moot" / "flow.yaml"
    text = flow.read_text("utf-8").replace("{agents: [dev-agent], next", "{agents: [somebody], next")
    text = text.replace("{agents: [review-agent], next", "{agents: [dev-agent], next")
    flow.write_text(text.replace("{agents: [somebody], next", "{agents: [review-agent], next"), "utf-8")
    assert "moot apply" in moot.say("show", "1").err, "until it is taken in, the old flow holds, and a note says so"
    assert moot("show", "1")["watcher"] == "dev-agent"
    moot("apply")
    assert moot.say("claim", "dev-agent").code == 3
    claim = moot("claim", "review-agent")
    assert claim["item"]["id"] == "1"
    moot.report(claim, "done")
    assert moot("claim", "dev-agent")["item"]["column"] == "review"


@pytest.mark.ledger("K-02")
def test_a_claim_may_name_a_column_the_agent_watches_and_no_other(tmp_path: Path) -> None:
    moot = new_board(tmp_path)
    moot("add", "An item", "--column", "arch")
    moot("add", "Another", "--column", "needs-arch-clarification")
    assert moot("claim", "architect-agent", "--column", "needs-arch-clarification")["item"]["id"] == "2"
    assert moot.say("claim", "architect-agent", "--column", "dev").error == "not_watched"
    assert moot.say("claim", "nobody").error == "unknown_agent"


@pytest.mark.ledger("K-03")
def test_an_item_is_claimed_once(tmp_path: Path) -> None:
    moot = new_board(tmp_path)
    for _ in range(3):
        moot("add", "An item", "--column", "dev")
    taken = [moot("claim", "dev-agent")["item"]["id"] for _ in range(3)]
    assert sorted(taken) == ["1", "2", "3"]
    said = moot.say("claim", "dev-agent")
    assert (said.code, said.error) == (3, "nothing_ready")
    assert moot.say("claim", "dev-agent", "--item", "1").error == "not_claimable"


def lost(folder: Path) -> tuple[Moot, View]:
    """A run whose item was moved away and claimed by another."""
    moot = new_board(folder)
    moot("add", "An item", "--column", "dev")
    claim = moot("claim", "dev-agent")
    moot("move", "1", "dev")
    moot("claim", "dev-agent")
    return moot, claim


def speak(moot: Moot, what: str, claim: View) -> Said:
    run, token = claim["run"], str(claim["token"])
    words: dict[str, list[str]] = {
        "comment": ["comment", "1", "still here", "--run", run, "--token", token],
        "add": ["add", "More work", "--run", run, "--token", token],
        "renew": ["renew", run, "--token", token],
        "release": ["release", run, "--token", token],
        "report": ["report", run, "-", "--token", token],
        "final report": ["report", run, "-", "--token", token, "--final"],
    }
    return moot.say(*words[what], stdin="what?" if what == "final report" else DONE)


SPOKEN = ["comment", "add", "renew", "release", "report", "final report"]


@pytest.mark.ledger("R-27", "K-03")
@pytest.mark.parametrize("what", SPOKEN)
@pytest.mark.parametrize("how", ["the run has ended", "the token is not its own", "the run is another's"])
def test_a_stale_token_is_refused_and_changes_nothing(tmp_path: Path, what: str, how: str) -> None:
    moot, claim = lost(tmp_path)
    if how == "the token is not its own":
        claim = {**claim, "run": moot("show", "1")["runs"][-1]["run"]}
    elif how == "the run is another's":
        claim = {**claim, "token": 2}
    before, item = events(moot), moot("show", "1")
    said = speak(moot, what, claim)
    assert (said.code, said.error) == (1, "stale_claim")
    assert events(moot) == before and moot("show", "1") == item
    assert moot("list")["items"] == [moot("list")["items"][0]], "no item was added"


@pytest.mark.ledger("R-27")
@pytest.mark.parametrize("what", SPOKEN)
def test_the_current_token_is_heard(tmp_path: Path, what: str) -> None:
    moot = new_board(tmp_path)
    moot("add", "An item", "--column", "dev")
    claim = moot("claim", "dev-agent")
    before = len(events(moot))
    assert speak(moot, what, claim).code == 0
    assert len(events(moot)) > before


@pytest.mark.ledger("R-27")
def test_a_run_writes_on_its_own_item_only(tmp_path: Path) -> None:
    moot = new_board(tmp_path)
    for _ in range(2):
        moot("add", "An item", "--column", "dev")
    claim = moot("claim", "dev-agent", "--item", "1")
    fence = ["--run", claim["run"], "--token", str(claim["token"])]
    assert moot.say("comment", "2", "hello", *fence).error == "other_item"
    assert moot("comments", "2")["comments"] == []


@pytest.mark.ledger("R-16", "R-27")
@pytest.mark.parametrize(
    "words", [["move", "1", "arch"], ["edit", "1", "--title", "x"], ["cancel", "1"], ["reopen", "1"]]
)
def test_a_run_has_no_persons_hands(tmp_path: Path, words: list[str]) -> None:
    moot = new_board(tmp_path)
    moot("add", "An item", "--column", "dev")
    claim = moot("claim", "dev-agent")
    before = events(moot)
    assert moot.say(*words, "--as", "alice", run_id=claim["run"], token=claim["token"]).error == "only_people"
    assert events(moot) == before


COMMANDS: dict[str, tuple[list[str], list[str]]] = {
    "add": (["add", "Another"], ["add", "Something else"]),
    "move": (["move", "1", "arch"], ["move", "1", "tests"]),
    "edit": (["edit", "1", "--title", "new"], ["edit", "1", "--title", "newer"]),
    "cancel": (["cancel", "1"], ["cancel", "2"]),
    "comment": (["comment", "1", "hello"], ["comment", "2", "hello"]),
    "claim": (["claim", "dev-agent"], ["claim", "dev-agent", "--item", "2"]),
    "answer": (["answer", "q1", "yes"], ["answer", "q1", "no"]),
}


@pytest.mark.ledger("R-02", "R-31")
@pytest.mark.parametrize("name", COMMANDS)
def test_a_repeated_key_has_one_effect_and_the_same_answer_byte_for_byte(tmp_path: Path, name: str) -> None:
    moot = new_board(tmp_path)
    for column in ("dev", "dev", "qa"):
        moot("add", "An item", "--column", column)
    moot.effort("qa-agent", "asks", question={"question": "which?"}, usage={"cost_usd": 0.1})
    words, other = COMMANDS[name]
    first = moot.say(*words, "--key", "k1")
    length = len(events(moot))
    assert first.code == 0
    again, process = moot.say(*words, "--key", "k1"), moot.process(*words, "--key", "k1")
    assert again.out == first.out and process.out == first.out
    said = moot.say(*other, "--key", "k1")
    assert (said.code, said.error) == (1, "key_reused")
    assert len(events(moot)) == length and moot("doctor")["ok"]


@pytest.mark.ledger("R-02", "R-27")
def test_a_report_can_be_repeated_with_its_key_after_the_run_has_ended(tmp_path: Path) -> None:
    moot = new_board(tmp_path)
    moot("add", "An item", "--column", "dev")
    claim = moot("claim", "dev-agent")
    words = ["report", claim["run"], "-", "--token", "1", "--key", "k"]
    first = moot.say(*words, stdin=DONE)
    assert moot.say(*words, stdin=DONE).out == first.out, "the answer was lost, not the report"
    assert moot.say(*words, stdin='{"outcome": "failed"}').error == "key_reused"
    assert moot.say(*words[:-2], stdin=DONE).error == "stale_claim"


@pytest.mark.ledger("R-32", "R-07")
def test_the_last_word_is_recorded_and_the_second_one_counts(tmp_path: Path) -> None:
    moot = new_board(tmp_path)
    moot("add", "An item", "--column", "dev")
    for count in range(2):
        claim = moot("claim", "dev-agent")
        assert claim["model"] == "glm-4" and bool(claim["brief"]["told"]) == (count == 1)
        item = moot("report", claim["run"], "-", "--token", str(claim["token"]), "--final", stdin="Bye!")
        assert item["failure_count"] == count
        assert item["runs"][-1]["cause"] == "protocol"
    assert item["failure_history"][0]["cause"] == "protocol"


@pytest.mark.ledger("R-32")
def test_a_readable_report_is_the_same_with_final(tmp_path: Path) -> None:
    moot = new_board(tmp_path)
    moot("add", "An item", "--column", "dev")
    claim = moot("claim", "dev-agent")
    assert moot("report", claim["run"], "-", "--token", "1", "--final", stdin=DONE)["column"] == "review"


@pytest.mark.ledger("R-29", "R-03")
def test_an_expired_lease_is_shown_as_free_without_a_write_and_rescued_by_the_next_one(tmp_path: Path) -> None:
    moot, boards = timed(tmp_path)
    moot("add", "An item", "--column", "dev")
    claim = moot("claim", "dev-agent", "--lease", "30s")
    boards.sleep(29)
    assert moot("show", "1")["status"] == "running"
    boards.sleep(2)
    before = events(moot)
    assert moot("show", "1")["status"] == "ready" and moot("list", "--status", "ready")["items"][0]["id"] == "1"
    assert moot("board")["items"][0]["status"] == "ready"
    assert events(moot) == before, "reading has written nothing"
    moot("add", "Anything at all", "--column", "qa")
    told = [(event["event"], event["item"]) for event in events(moot)[len(before) :]]
    assert told == [("run_lapsed", "1"), ("error_occurred", "1"), ("item_added", "2")]
    late = moot.say("report", claim["run"], "-", "--token", "1", stdin=DONE)
    assert late.error == "stale_claim"
    boards.sleep(60)
    assert moot("claim", "dev-agent")["token"] == 2
    assert moot("show", "1")["failure_count"] == 0


@pytest.mark.ledger("R-29")
def test_a_renewed_lease_lives_on_and_a_stopped_machine_voids_it(tmp_path: Path) -> None:
    moot, boards = timed(tmp_path)
    moot("add", "An item", "--column", "dev")
    claim = moot("claim", "dev-agent", "--lease", "30s")
    for _ in range(4):
        boards.sleep(20)
        moot("renew", claim["run"], "--token", "1")
    assert moot("show", "1")["status"] == "running"
    boards.clock.reboot()
    assert moot("show", "1")["status"] == "ready"
    assert moot.say("renew", claim["run"], "--token", "1").error == "stale_claim"


@pytest.mark.ledger("R-29")
def test_wall_time_is_only_shown(tmp_path: Path) -> None:
    moot, boards = timed(tmp_path)
    moot("add", "An item", "--column", "dev")
    moot("claim", "dev-agent", "--lease", "30s")
    for seconds in (-(10**8), 10**8):
        boards.clock.set_wall(seconds)
        assert moot("show", "1")["status"] == "running"


@pytest.mark.ledger("K-14", "R-31")
@pytest.mark.parametrize(
    ("outcome", "parts", "words"),
    [
        ("done", {}, "Queued in review for review-agent (sonnet)"),
        ("failed", {"summary": "x"}, "1 failed so far"),
        ("failed", {"cause": "transient"}, "which may start in"),
        ("stuck", {"reason": "concurrency", "summary": "it hangs"}, "stuck (concurrency): it hangs"),
        ("asks", {"question": {"question": "which?"}}, "Waiting for you: q1, which?"),
        ("disputed", {"comments": [{"content": "no"}]}, "dev-agent disputes the work (c001)"),
    ],
)
def test_an_item_explains_itself_with_no_process_alive(
    tmp_path: Path, outcome: str, parts: dict[str, Any], words: str
) -> None:
    assert outcome in OUTCOMES
    moot = new_board(tmp_path)
    moot("add", "An item", "--column", "dev")
    moot.effort("dev-agent", outcome, **parts)
    assert words in moot.process("show", "1").json["why"]
    assert moot("doctor")["ok"]
