"""Words of the disputes document that could be taken for their opposite, or of which a part was lost on the way."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.moot import Moot
from tests.acceptance.test_kanban_yaml import AGREES, OPEN, TESTS, disputed, fault, hand_in, in_dev

View = dict[str, Any]
INSISTS = """\
comments:
  - parent: c002
    author: dev-agent
    content: No. Section 3 was superseded by section 9, which says async.
    status: resolved
    resolution: rejected
"""


def replied(folder: Path) -> Moot:
    moot = disputed(folder)
    moot.effort("test-architect", "disputed", comments=[{"parent": "c001", "content": "No, arch section 3 says sync."}])
    return moot


def broken(folder: Path) -> Moot:
    moot = replied(folder)
    moot.effort("dev-agent", "disputed", comments=[{"parent": "c001", "content": "still wrong"}])
    moot.effort("test-architect", "disputed", comments=[{"parent": "c001", "content": "still right"}])
    return moot


def first_comment(moot: Moot) -> View:
    found: View = moot("comments", "1")["comments"][0]
    return found


@pytest.mark.ledger("R-12", "K-06")
@pytest.mark.parametrize(
    "said",
    [
        INSISTS,
        {
            "outcome": "done",
            "summary": "implemented async",
            "comments": [
                {"parent": "c002", "content": "Section 9 says async", "status": "resolved", "resolution": "rejected"}
            ],
        },
    ],
)
def test_who_rejects_the_reply_does_not_give_in(tmp_path: Path, said: str | View) -> None:
    moot = replied(tmp_path)
    claim = moot("claim", "dev-agent")
    told = fault(moot.try_in(claim, said))
    assert "who rejects the reply c002 disagrees: to disagree report disputed" in told
    item = moot.report(
        claim, "disputed", comments=[{"parent": "c002", "content": "Section 9", "resolution": "rejected"}]
    )
    assert item["dispute_rounds"] == 2 and item["column"] == "tests"


@pytest.mark.ledger("R-12", "R-27")
def test_who_has_rejected_the_reply_in_the_middle_of_a_run_may_take_it_back(tmp_path: Path) -> None:
    moot = replied(tmp_path)
    claim = moot("claim", "dev-agent")
    run = {"run_id": claim["run"], "token": claim["token"]}
    assert moot.say("comment", "1", "It is wrong", "--parent", "c002", "--resolve", "rejected", **run).code == 0
    assert "who rejects the reply c002" in fault(moot.try_in(claim, {"outcome": "done", "summary": "done async"}))
    assert moot.say("comment", "1", "No, it is right", "--parent", "c002", "--resolve", "accepted", **run).code == 0
    item = moot.report(claim, "done", summary="done sync")
    assert item["column"] == "review" and first_comment(moot)["resolution"] == "rejected"


def test_who_accepts_the_reply_gives_in(tmp_path: Path) -> None:
    moot = replied(tmp_path)
    gives_in = INSISTS.replace("rejected", "accepted").replace("No. Section 3", "You are right, section 3")
    item = hand_in(moot, "dev-agent", gives_in).json
    assert item["column"] == "dev" and "gives in" in item["why"]


@pytest.mark.ledger("K-07", "R-16")
@pytest.mark.parametrize(
    ("words", "to"),
    [
        ("Test is right, but the story must say so", "stories"),
        ("Neither is right, the architecture must say it", "arch"),
        ("Both are wrong", "arch"),
    ],
)
def test_a_person_who_sends_it_elsewhere_decides_for_neither_side(tmp_path: Path, words: str, to: str) -> None:
    moot = broken(tmp_path)
    moot("answer", "q1", words, "--to", to)
    item = moot("show", "1")
    assert item["column"] == to and "decided for neither side in c001" in item["why"]
    assert item["dispute_rounds"] == 0 and item["flag"] is None
    assert (first_comment(moot)["status"], first_comment(moot)["resolution"]) == ("open", None)
    assert moot("doctor")["ok"]


@pytest.mark.ledger("K-07", "R-16")
@pytest.mark.parametrize("words", ["neither", "Both are wrong", "dev-agent is wrong"])
def test_a_person_who_decides_for_neither_side_is_told_how(tmp_path: Path, words: str) -> None:
    moot = broken(tmp_path)
    help = moot("inbox")["questions"][0]["help"]
    assert "to another column" in help and "--" not in help, "how that is said is for each door to tell"
    said = moot.say("answer", "q1", words)
    assert said.error == "choose_option" and "moot answer q1 --to" in said.err


@pytest.mark.ledger("K-07", "R-16")
@pytest.mark.parametrize(
    ("words", "to"),
    [("Dev is right, I mended the test myself", "dev"), ("Neither: write it anew from the story", "tests")],
)
def test_words_and_the_column_of_one_side_do_not_say_who_is_right(tmp_path: Path, words: str, to: str) -> None:
    moot = broken(tmp_path)
    said = moot.say("answer", "q1", words, "--to", to)
    assert said.error == "choose_option" and f"moot answer q1 1 --to {to}" in said.err and "moot move 1" in said.err
    assert first_comment(moot)["status"] == "open" and moot("show", "1")["status"] == "needs-human-review"
    item = moot("answer", "q1", "1", words, "--to", to)
    assert item["column"] == to and first_comment(moot)["resolution"] == "accepted"
    assert words in moot("show", "1")["guidance"][-1]["answer"]


@pytest.mark.parametrize(("to", "resolution"), [("tests", "accepted"), ("dev", "rejected")])
def test_a_person_who_only_moves_it_to_one_side_decides(tmp_path: Path, to: str, resolution: str) -> None:
    moot = broken(tmp_path)
    moot("move", "1", to)
    assert first_comment(moot)["resolution"] == resolution


@pytest.mark.parametrize("to", ["dev", "tests"])
def test_a_person_who_says_why_it_is_moved_has_decided_for_neither_side(tmp_path: Path, to: str) -> None:
    moot = disputed(tmp_path)
    item = moot("move", "1", to, "--why", "Dev is right, I mended the test myself")
    assert "I mended the test myself" in item["why"] and item["dispute_rounds"] == 0
    assert (first_comment(moot)["status"], first_comment(moot)["resolution"]) == ("open", None)
    assert moot("doctor")["ok"]


def test_a_person_who_moves_it_elsewhere_decides_for_neither_side(tmp_path: Path) -> None:
    moot = disputed(tmp_path)
    moot("move", "1", "arch")
    assert first_comment(moot)["status"] == "open" and moot("show", "1")["dispute_rounds"] == 0


@pytest.mark.ledger("K-05")
def test_a_reply_stands_in_the_file_of_what_its_thread_is_about(tmp_path: Path) -> None:
    moot = in_dev(tmp_path)
    hand_in(moot, "dev-agent", f"# Artifact: {TESTS}\n{OPEN}")
    hand_in(moot, "test-architect", AGREES.replace("  - parent", "  - id: c002\n    parent"))
    assert [one["artifact"] for one in moot("comments", "1")["comments"]] == [TESTS, TESTS]
    moot("mirror", "--dir", str(tmp_path / "m"))
    written = (tmp_path / "m" / "tests" / "247-trading-tests.meta.yaml").read_text()
    assert "- id: c002" in written and "parent: c001" in written


@pytest.mark.ledger("K-11", "R-32")
@pytest.mark.parametrize(
    ("said", "column", "other"),
    [
        (
            {"outcome": "stuck", "escalation_reason": "performance, concurrency", "summary": "deadlock and slow"},
            "needs-perf-tuning",
            "concurrency",
        ),
        ({"outcome": "stuck", "reason": "performance/concurrency", "summary": "x"}, "needs-perf-tuning", "concurrency"),
        ("escalation_reason: [concurrency, performance]", "needs-concurrency-expert", "performance"),
        ("escalation_reason: concurrency, security", "needs-security-review", "concurrency"),
    ],
)
def test_of_several_reasons_those_that_do_not_decide_are_told_on(
    tmp_path: Path, said: str | View, column: str, other: str
) -> None:
    moot = in_dev(tmp_path)
    item = moot.speak("dev-agent", said)
    assert item["column"] == column
    told = next(one for one in item["kept"] if one["what"] == "other reasons")
    assert told["said"] == other and "one reason decides" in told["why"]


@pytest.mark.ledger("R-12")
def test_the_reply_that_makes_a_round_has_acted(tmp_path: Path) -> None:
    moot = disputed(tmp_path)
    text = (
        "comments:\n  - id: c002\n    author: test-architect\n    parent: c001\n"
        "    content: |\n      No. The test stays.\n    status: open"
    )
    item = hand_in(moot, "test-architect", text).json
    assert item["dispute_rounds"] == 1
    assert "comments" in [one["what"] for one in item["acted"]] and not item["kept"]


def test_what_resolves_nothing_is_told_to_leave_its_resolution_out(tmp_path: Path) -> None:
    moot = in_dev(tmp_path)
    told = fault(
        hand_in(moot, "dev-agent", AGREES.replace("  - parent: c001\n    author: test-architect\n", "  - target: t\n"))
    )
    assert "nothing is open that it could resolve: leave resolution and status out" in told


@pytest.mark.ledger("E-05", "R-10")
def test_a_security_concern_says_that_it_is_put_before_a_person(tmp_path: Path) -> None:
    moot = in_dev(tmp_path)
    item = moot.effort("dev-agent", "failed", reason="security", summary="Test expects 42, got 41")
    assert item["failure_count"] == 0 and len(moot("inbox")["questions"]) == 1
    assert "before a person at once; the failure is kept, and not counted" in item["reason_does"]
    assert "needs-security-review now, report stuck" in item["reason_does"]


@pytest.mark.ledger("K-13")
@pytest.mark.parametrize("tag", ["needs-test-review", "test review", "blocked-needs-test-review"])
def test_a_tag_that_names_a_column_in_short_leads_there(tmp_path: Path, tag: str) -> None:
    moot = in_dev(tmp_path)
    said = f"status: blocked\ntags: [{tag}]\nsummary: test_trade_cancellation contradicts the architecture"
    item = hand_in(moot, "dev-agent", said).json
    assert item["column"] == "blocked-needs-test-review"


def test_a_tag_that_could_be_two_columns_leads_to_none_of_them(tmp_path: Path) -> None:
    moot = in_dev(tmp_path)
    item = hand_in(moot, "dev-agent", "status: blocked\ntags: [arch-clarification]\nsummary: which one").json
    assert item["column"] == "needs-senior-dev" and "arch-clarification" in json.dumps(item["kept"])


OTHER = {"artifact": TESTS, "target": "test_trade_fees", "content": "The fee is taken twice."}
INSISTED = {"parent": "c001", "content": "Still wrong."}


@pytest.mark.ledger("R-12", "K-06")
@pytest.mark.parametrize("said", [[OTHER], [{**OTHER, "artifact": None}], [OTHER, {**OTHER, "target": "test_x"}]])
def test_a_concern_about_another_test_is_not_taken_for_the_answer(tmp_path: Path, said: list[View]) -> None:
    moot = replied(tmp_path)
    claim = moot("claim", "dev-agent")
    told = fault(moot.try_in(claim, {"outcome": "disputed", "comments": said}))
    assert "c001 is about test_trade_cancellation, and not about test_trade_fees" in told
    item = moot.report(claim, "disputed", comments=[*said, INSISTED])
    threads = [one["id"] for one in item["comments"] if one["parent"] is None]
    assert item["column"] == "tests" and len(threads) == 1 + len(said), "each concern is a thread of its own"


@pytest.mark.ledger("R-12", "K-06")
@pytest.mark.parametrize("said", [[OTHER, INSISTED], [INSISTED, OTHER]])
def test_in_any_order_a_concern_about_another_test_is_a_thread_of_its_own(tmp_path: Path, said: list[View]) -> None:
    moot = replied(tmp_path)
    item = moot.effort("dev-agent", "disputed", comments=said)
    parents = {one["content"]: one["parent"] for one in item["comments"]}
    assert parents["The fee is taken twice."] is None and parents["Still wrong."] == "c001"


def test_who_gives_in_may_name_another_concern(tmp_path: Path) -> None:
    moot = replied(tmp_path)
    gives_in = {"parent": "c002", "content": "You are right.", "resolution": "accepted"}
    item = moot.effort("dev-agent", "disputed", comments=[OTHER, gives_in])
    assert item["column"] == "tests" and first_comment(moot)["resolution"] == "rejected"
    assert {one["content"]: one["parent"] for one in item["comments"]}["The fee is taken twice."] is None


def test_a_reply_about_the_same_test_still_needs_no_parent(tmp_path: Path) -> None:
    moot = replied(tmp_path)
    said = {"artifact": TESTS, "target": "`Test_trade_cancellation`", "content": "Still wrong."}
    item = moot.effort("dev-agent", "disputed", comments=[said])
    assert item["dispute_rounds"] == 2 and item["comments"][-1]["parent"] == "c001"


@pytest.mark.ledger("K-07", "R-16")
def test_two_decisions_about_one_file_are_told_apart_and_the_flag_stays_until_the_last(tmp_path: Path) -> None:
    moot = in_dev(tmp_path)
    concerns = [{"artifact": TESTS, "target": test, "content": f"{test} is wrong"} for test in ("test_a", "test_b")]
    moot.effort("dev-agent", "disputed", comments=concerns)
    for agent in ("test-architect", "dev-agent", "test-architect"):
        moot.effort(agent, "disputed", comments=[{"parent": one, "content": "No."} for one in ("c001", "c002")])
    flag = moot("show", "1")["flag"]
    item = moot("answer", "q1", "1")
    assert item["status"] == "needs-human-review" and item["flag"] == flag is not None
    item = moot("answer", "q2", "2")
    assert (item["column"], item["flag"]) == ("tests", None)
    told = moot("claim", "test-architect")["brief"]["guidance"]
    assert ["test_a" in told[0]["question"], "test_b" in told[1]["question"]] == [True, True]
