"""Who tries next: three attempts of one's own, three experts, then a person, and never a seventh attempt."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.core.item import Item
from folkmoot.errors import MootError, Refused
from folkmoot.testing.builders import PERSON, SoundBoard, TrialBoard, limited, preset_flow, small_flow

FLOW = preset_flow("escalation")
ASKED = "awaiting-divine-guidance"
EXPERTS = ["crypto-expert", "protocol-expert", "database-expert"]
WAYS = (
    "rewrite the parser by hand",
    "cache every query in memory",
    "lock the session table",
    "use another hash function",
    "batch all network calls",
    "start again from the old version",
    "measure first and guess later",
    "ask the compiler for help",
)


def attempt(number: int, **more: Any) -> dict[str, Any]:
    return {"attempts": [{"approach": WAYS[number], "outcome": f"red, {'xyzuvwab'[number] * 8}", **more}]}


def fail(board: TrialBoard, number: int) -> None:
    board.effort("developer", "failed", **attempt(number))


def three_failures(board: TrialBoard) -> str:
    item = board.add()
    for number in range(3):
        fail(board, number)
    return item


def expert_of(board: TrialBoard, item: str) -> Item:
    """The newest expert's item."""
    return board.children(item, "expert")[-1]


def tracking(board: TrialBoard, item: str) -> dict[str, Any]:
    found: dict[str, Any] = board.show(item)["escalation_tracking"]
    return found


@pytest.mark.ledger("E-01", "R-08")
def test_after_three_attempts_of_its_own_the_first_expert_gets_the_problem_and_all_attempts() -> None:
    with SoundBoard(FLOW) as board:
        item = three_failures(board)
        assert board.place(item) == ("implementing", "waiting")
        child = expert_of(board, item)
        assert (child.agent, child.kind, child.parent) == ("crypto-expert", "expert", item)
        claimed = board.engine.claim(PERSON, "crypto-expert")
        told = str(claimed["brief"])
        assert all(way in told for way in WAYS[:3])


@pytest.mark.ledger("E-01", "R-08", "E-11")
def test_advice_reaches_the_developer_and_its_failure_is_that_experts_attempt() -> None:
    with SoundBoard(FLOW) as board:
        item = three_failures(board)
        board.effort("crypto-expert", "done", summary="salt the hash twice")
        claimed = board.engine.claim(PERSON, "developer")
        assert "salt the hash twice" in str(claimed["brief"]["outputs"])
        board.report(Actor("developer", claimed["run"], claimed["token"]), "failed", **attempt(3))
        assert tracking(board, item) == {
            "self_solve_attempts": 3,
            "expert_attempts": 1,
            "total_attempts": 4,
            "experts_tried": ["crypto-expert", "protocol-expert"],
            "last_attempt_type": "expert_delegation",
            "last_attempt_outcome": "red, uuuuuuuu",
            "divine_clarifications_received": 0,
        }
        assert expert_of(board, item).agent == "protocol-expert"


@pytest.mark.ledger("E-01", "E-03", "E-05", "R-11")
def test_the_sixth_attempt_asks_and_no_expert_was_asked_twice() -> None:
    with SoundBoard(FLOW) as board:
        item = three_failures(board)
        for number, expert in enumerate(EXPERTS, start=3):
            board.effort(expert, "done", summary="try this")
            fail(board, number)
        assert board.place(item) == ("implementing", ASKED)
        assert [child.agent for child in board.children(item, "expert")] == EXPERTS
        assert tracking(board, item)["total_attempts"] == 6
        with pytest.raises(MootError):
            board.claim("developer")


@pytest.mark.ledger("E-05", "E-04", "R-08")
def test_three_unsuccessful_experts_ask_a_person() -> None:
    with SoundBoard(FLOW) as board:
        item = three_failures(board)
        for expert in EXPERTS:
            board.effort(expert, "failed", summary="EXPERT_UNSUCCESSFUL", blockers="no idea")
        assert board.place(item) == ("implementing", ASKED)
        assert tracking(board, item)["last_attempt_outcome"] == "EXPERT_UNSUCCESSFUL"
        assert [h["kind"] for h in board.show(item)["failure_history"]][3:] == ["expert_delegation"] * 3


@pytest.mark.ledger("E-05", "R-08")
def test_three_unsuccessful_experts_ask_although_fewer_than_six_attempts_were_made() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        for expert in EXPERTS:
            board.effort("developer", "delegates", delegate=[{"to": expert, "task": "help"}])
            board.effort(expert, "failed", summary="EXPERT_UNSUCCESSFUL")
        assert board.place(item) == ("implementing", ASKED)
        assert tracking(board, item)["total_attempts"] == 3


@pytest.mark.ledger("E-01")
def test_without_experts_six_attempts_are_its_own() -> None:
    flow = small_flow("""
limits: {attempts: 6}
columns: {dev: {agents: [d], next: done}}
agents: {d: {}}
""")
    with SoundBoard(flow) as board:
        item = board.add()
        for number in range(6):
            assert board.place(item) == ("dev", "ready")
            board.effort("d", "failed", **attempt(number))
        assert board.place(item) == ("dev", ASKED)
        assert tracking(board, item)["self_solve_attempts"] == 6


@pytest.mark.ledger("R-08", "E-01")
def test_with_fewer_experts_than_three_the_rest_of_the_six_is_its_own() -> None:
    flow = small_flow("""
limits: {attempts: 6}
columns: {dev: {agents: [d], next: done}}
agents: {d: {experts: [e]}, e: {expert: true, write: none}}
""")
    with SoundBoard(flow) as board:
        item = board.add()
        for number in range(3):
            board.effort("d", "failed", **attempt(number))
        board.effort("e", "failed", summary="EXPERT_UNSUCCESSFUL")
        for number in (3, 4):
            assert board.place(item) == ("dev", "ready")
            board.effort("d", "failed", **attempt(number))
        assert board.place(item) == ("dev", ASKED)
        found = tracking(board, item)
        assert (found["self_solve_attempts"], found["expert_attempts"]) == (5, 1)


@pytest.mark.ledger("E-02", "R-06")
def test_several_attempts_in_one_report_count_up_to_the_own_ones_while_experts_are_left() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        blocks = [{"approach": way, "outcome": f"red {n}"} for n, way in enumerate(WAYS[:5])]
        board.effort("developer", "failed", attempts=blocks)
        assert [h["counted"] for h in board.show(item)["failure_history"]] == [True, True, True, False, False]
        assert expert_of(board, item).agent == "crypto-expert"


@pytest.mark.ledger("R-06", "R-08")
def test_after_advice_the_first_block_is_the_experts_and_the_others_do_not_count_while_experts_are_left() -> None:
    with SoundBoard(FLOW) as board:
        item = three_failures(board)
        board.effort("crypto-expert", "done", summary="try this")
        blocks = [{"approach": way, "outcome": f"red {n}"} for n, way in enumerate(WAYS[3:6])]
        board.effort("developer", "failed", attempts=blocks)
        history = board.show(item)["failure_history"][3:]
        assert history[0]["kind"] == "expert_delegation"
        assert ["the advice of crypto-expert" in h["ground"] for h in history] == [True, False, False]
        assert [h["counted"] for h in history] == [True, False, False]
        assert tracking(board, item)["total_attempts"] == 4


@pytest.mark.ledger("E-02", "R-08")
def test_repeating_itself_after_advice_is_bounded_and_still_that_experts_attempt() -> None:
    with SoundBoard(FLOW) as board:
        item = three_failures(board)
        board.effort("crypto-expert", "done", summary="try this")
        fail(board, 0)
        assert tracking(board, item)["total_attempts"] == 3, "the same approach again does not count"
        assert board.place(item) == ("implementing", "ready")
        fail(board, 0)
        found = tracking(board, item)
        assert (found["self_solve_attempts"], found["expert_attempts"]) == (3, 1)


@pytest.mark.ledger("R-08", "E-04")
@pytest.mark.parametrize(
    ("outcome", "parts"),
    [
        ("asks", {"question": {"question": "may I?"}}),
        ("delegates", {"delegate": [{"task": "you do it"}]}),
        ("split", {"tasks": [{"title": "half"}]}),
        ("disputed", {"comments": [{"content": "no"}]}),
    ],
)
def test_experts_cannot_ask_delegate_split_or_dispute(outcome: str, parts: dict[str, Any]) -> None:
    with SoundBoard(FLOW) as board:
        item = three_failures(board)
        board.effort("crypto-expert", outcome, **parts)
        child = expert_of(board, item)
        assert child.status == "ready" and "cannot end with" in (child.told or "")
        assert board.inbox() == [] and board.children(child.id) == []


@pytest.mark.ledger("E-04", "R-27")
def test_an_expert_cannot_widen_dispatch_or_add_what_it_was_given() -> None:
    with SoundBoard(FLOW) as board:
        three_failures(board)
        run = board.claim("crypto-expert")
        with pytest.raises(Refused) as caught:
            board.engine.handle_run(run, commands.WidenRun(paths=["a.py"]))
        assert caught.value.code == "may_not_widen"
        with pytest.raises(Refused) as caught:
            board.engine.add(run, commands.DispatchAgent(agent="developer", task="do it"))
        assert caught.value.code == "may_not_dispatch"


@pytest.mark.ledger("R-08", "E-04")
def test_an_expert_tries_three_times_and_then_it_was_unsuccessful() -> None:
    with SoundBoard(FLOW) as board:
        item = three_failures(board)
        for number in range(3):
            assert expert_of(board, item).agent == "crypto-expert"
            board.effort("crypto-expert", "failed", **attempt(number))
        found = tracking(board, item)
        assert (found["expert_attempts"], found["last_attempt_outcome"]) == (1, "EXPERT_UNSUCCESSFUL")
        assert expert_of(board, item).agent == "protocol-expert"


@pytest.mark.ledger("R-08")
def test_an_expert_that_crashes_three_times_is_one_of_the_six_and_brings_the_next() -> None:
    with SoundBoard(FLOW) as board:
        item = three_failures(board)
        for _ in range(3):
            board.crash(board.claim("crypto-expert"))
        assert [child.status for child in board.children(item, "expert")] == ["failed", "ready"]
        assert tracking(board, item)["expert_attempts"] == 1
        assert board.inbox() == []


@pytest.mark.ledger("R-08", "E-04")
@pytest.mark.parametrize("outcome", ["stuck", "incomplete"])
def test_where_others_would_ask_an_expert_ends_unsuccessful(outcome: str) -> None:
    with SoundBoard(FLOW) as board:
        item = three_failures(board)
        while expert_of(board, item).agent == "crypto-expert":
            board.effort("crypto-expert", outcome, summary="hm")
        assert board.inbox() == []
        assert tracking(board, item)["expert_attempts"] == 1


@pytest.mark.ledger("R-08", "E-03")
def test_an_agent_may_delegate_earlier_but_not_to_the_same_expert_twice() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.effort("developer", "delegates", delegate=[{"to": "database-expert", "task": "which index?"}])
        assert (expert_of(board, item).agent, board.place(item)) == ("database-expert", ("implementing", "waiting"))
        board.effort("database-expert", "done", summary="that one")
        board.effort("developer", "delegates", delegate=[{"to": "database-expert", "task": "and now?"}])
        assert "asked already" in board.show(item)["told"]
        assert len(board.children(item, "expert")) == 1


@pytest.mark.ledger("R-08", "E-03")
@pytest.mark.parametrize(
    "delegate",
    [
        [],
        [{"to": "nobody", "task": "x"}],
        [{"to": "crypto-expert", "task": "x"}, {"to": "protocol-expert", "task": "y"}],
        [{"to": "crypto-expert", "task": "x"}, {"task": "look around"}],
    ],
)
def test_a_delegation_that_cannot_be_is_told_and_tried_again(delegate: list[dict[str, str]]) -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.effort("developer", "delegates", delegate=delegate)
        assert board.place(item) == ("implementing", "ready") and board.show(item)["told"]
        assert board.children(item) == []


@pytest.mark.ledger("E-12", "R-18")
def test_guidance_resets_the_counters_of_this_item_only_and_the_experts_may_be_asked_again() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add("mine")
        other = board.add("other")
        for one in (item, other):
            for number in range(3):
                run = board.claim("developer", item=one)
                board.report(run, "failed", **attempt(number))
        for one in (item, other):
            run = board.claim("crypto-expert", item=expert_of(board, one).id)
            board.report(run, "failed", summary="EXPERT_UNSUCCESSFUL")
        untouched = board.item(other)
        board.on(item, commands.CancelItem())
        board.on(item, commands.ReopenItem())
        found = tracking(board, item)
        assert (found["total_attempts"], found["experts_tried"]) == (0, ["crypto-expert", "protocol-expert"])
        assert (found["last_attempt_type"], found["last_attempt_outcome"]) == (None, "divine_guidance_received")
        assert board.item(other) == untouched
        for number in range(3):
            run = board.claim("developer", item=item)
            board.report(run, "failed", **attempt(number))
        assert expert_of(board, item).agent == "crypto-expert", "the experts may be asked again"


@pytest.mark.ledger("E-12", "E-11")
def test_after_an_answer_the_counts_are_zero_and_the_clarifications_one() -> None:
    with SoundBoard(FLOW) as board:
        item = three_failures(board)
        for expert in EXPERTS:
            board.effort(expert, "failed", summary="EXPERT_UNSUCCESSFUL")
        board.answer(board.inbox()[0], "1, leave it out")
        assert tracking(board, item) == {
            "self_solve_attempts": 0,
            "expert_attempts": 0,
            "total_attempts": 0,
            "experts_tried": EXPERTS,
            "last_attempt_type": None,
            "last_attempt_outcome": "divine_guidance_received",
            "divine_clarifications_received": 1,
        }
        assert board.place(item) == ("implementing", "ready")
        resets = [e for e in board.log(item) if e["event"] == "escalation_counters_reset"]
        assert len(resets) == 1


@pytest.mark.ledger("R-08", "R-16")
@pytest.mark.parametrize("then", [commands.MoveItem(column="available"), commands.CancelItem()])
def test_move_and_cancel_end_a_working_expert(then: commands.Command) -> None:
    with SoundBoard(FLOW) as board:
        item = three_failures(board)
        run = board.claim("crypto-expert")
        board.on(item, then)
        assert expert_of(board, item).status == "cancelled"
        with pytest.raises(Refused) as caught:
            board.report(run, "done", summary="too late")
        assert caught.value.code == "stale_claim"
        assert tracking(board, item)["expert_attempts"] == 0


@pytest.mark.ledger("R-08", "R-16")
def test_an_expert_that_a_person_cancels_has_not_tried_and_the_next_is_asked() -> None:
    with SoundBoard(FLOW) as board:
        item = three_failures(board)
        board.on(expert_of(board, item).id, commands.CancelItem())
        assert tracking(board, item)["expert_attempts"] == 0
        assert [child.agent for child in board.children(item)] == ["crypto-expert", "protocol-expert"]


@pytest.mark.ledger("R-10", "E-05", "R-08")
@pytest.mark.parametrize(
    ("outcome", "parts"),
    [
        ("done", {"findings": [{"kind": "security", "severity": "critical", "issue": "a hole"}]}),
        ("done", {"reason": "security", "summary": "a hole"}),
        ("stuck", {"reason": "security", "summary": "a hole"}),
    ],
)
def test_a_security_concern_of_an_expert_is_asked_about_on_its_item(outcome: str, parts: dict[str, Any]) -> None:
    with SoundBoard(FLOW) as board:
        item = three_failures(board)
        board.effort("crypto-expert", outcome, **parts)
        assert board.place(item) == ("implementing", ASKED)
        assert "a hole" in board.queries.inbox()["questions"][0]["question"]


@pytest.mark.ledger("R-08", "R-25")
def test_advice_that_was_tried_is_not_taken_for_new_advice_when_other_helpers_end() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.effort("developer", "delegates", delegate=[{"to": "crypto-expert", "task": "how?"}])
        board.effort("crypto-expert", "done", summary="like this")
        fail(board, 0)
        assert tracking(board, item)["expert_attempts"] == 1
        board.effort("developer", "delegates", delegate=[{"task": "look around"}])
        board.effort("developer", "done", summary="nothing there")
        fail(board, 1)
        found = tracking(board, item)
        assert (found["self_solve_attempts"], found["expert_attempts"]) == (1, 1)


@pytest.mark.ledger("R-30", "R-08")
def test_a_flow_without_that_expert_brings_the_next() -> None:
    with SoundBoard(FLOW) as board:
        item = three_failures(board)
        text = """
limits: {attempts: 6}
start: available
columns: {available: {agents: [developer], work: implementing}, implementing: {agents: [developer], next: done}}
agents: {developer: {experts: [database-expert], may: [ask, delegate]}, database-expert: {expert: true, write: none}}
"""
        board.adopt(small_flow(text))
        assert [(c.agent, c.status) for c in board.children(item)] == [
            ("crypto-expert", "failed"),
            ("database-expert", "ready"),
        ]


@pytest.mark.ledger("R-18", "E-12")
def test_incomplete_count_is_zero_after_guidance() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        for number in (1, 2, 3):
            board.effort("developer", "incomplete", summary="half")
            assert board.show(item)["incomplete_count"] == number
        board.answer(board.inbox()[0], "go on")
        assert board.show(item)["incomplete_count"] == 0


words = st.sampled_from(
    [
        ("failed", {"attempts": [{"approach": way, "outcome": f"red {n}"}]})
        for n, way in enumerate(WAYS)  # distinct approaches
    ]
    + [
        ("failed", {"attempts": [{"approach": way} for way in WAYS]}),
        ("failed", {"attempts": [{"approach": way, "kind": "expert_delegation"} for way in WAYS[:4]]}),
        ("failed", {"summary": "EXPERT_UNSUCCESSFUL"}),
        ("failed", {"cause": "transient"}),
        ("failed", {"cause": "timeout"}),
        ("failed", {"cause": "protocol"}),
        ("failed", {"cause": "conflict"}),
        ("failed", {}),
        ("done", {}),
        ("stuck", {"reason": "unknown", "attempts": [{"approach": WAYS[2]}, {"approach": WAYS[5]}]}),
        ("incomplete", {}),
        ("delegates", {"delegate": [{"to": "protocol-expert", "task": "x"}]}),
        ("delegates", {"delegate": [{"task": "x"}, {"task": "y"}]}),
        ("asks", {"question": {"question": "?", "blocking": False}, "attempts": [{"approach": WAYS[1]}]}),
        ("crash", {}),
    ]
)


@pytest.mark.ledger("E-01", "E-03", "R-11")
@settings(max_examples=40, deadline=None)
@given(st.lists(words, max_size=30), st.sampled_from([3, 2, 6]))
def test_there_is_never_a_seventh_attempt_between_two_guidances(
    said: list[tuple[str, dict[str, Any]]], own: int
) -> None:
    with SoundBoard(limited(FLOW, own_attempts=own)) as board:
        item = board.add()
        for outcome, parts in said:
            for agent in ("developer", *EXPERTS):
                try:
                    run = board.claim(agent)
                except MootError:
                    continue
                board.crash(run) if outcome == "crash" else board.report(run, outcome, **parts)
                break
            board.sleep(60)
            found = board.item(item)
            assert found.span.attempts <= 6 and found.span.expert_attempts <= 6
            counted = [h for h in board.show(item)["failure_history"] if h["counted"]]
            assert len(counted) == found.span.attempts, "nobody has answered yet"
            if found.span.attempts == 6 and found.status != "done":
                assert found.status == ASKED
        asked = [child.agent for child in board.children(item, "expert")]
        assert len(asked) == len(set(asked)) <= 3, "no expert is asked twice"


@pytest.mark.ledger("R-08", "R-25")
def test_an_expert_makes_no_work_for_others() -> None:
    with SoundBoard(preset_flow("escalation")) as board:
        board.add()
        for number in range(3):
            board.effort("developer", "failed", attempts=[{"approach": f"way {number}", "outcome": "red"}])
        run = board.claim("crypto-expert")
        with pytest.raises(Refused, match="makes no work for others"):
            board.engine.add(run, commands.AddItem(title="Developer: rotate the keys for me"))


@pytest.mark.ledger("R-08", "R-18")
@pytest.mark.parametrize("helps", [True, False])
def test_an_expert_that_was_out_when_a_person_spoke_belongs_to_the_new_count(helps: bool) -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.effort("developer", "asks", question={"question": "which colour?", "blocking": False})
        board.effort("developer", "delegates", delegate=[{"to": "crypto-expert", "task": "help"}])
        board.answer(board.inbox()[0], "blue")
        said = {"summary": "try this"} if helps else {"summary": "EXPERT_UNSUCCESSFUL"}
        board.effort("crypto-expert", "done" if helps else "failed", **said)
        if helps:
            fail(board, 0)
        assert tracking(board, item)["expert_attempts"] == 1
        assert board.item(item).span.experts == ["crypto-expert"], "it is not asked again for the same problem"


@pytest.mark.ledger("R-08")
def test_an_expert_who_gives_a_reason_beside_its_summary_is_told_with_both() -> None:
    with SoundBoard(FLOW) as board:
        item = three_failures(board)
        said = {"summary": "EXPERT_UNSUCCESSFUL", "blockers": "the salt was tried", "reason": "the key is lost"}
        board.effort("crypto-expert", "failed", **said)
        told = board.show(item)["outputs"][0]["summary"]
        assert "the salt was tried" in told and "the key is lost" in told
