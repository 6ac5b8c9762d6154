"""An agent from outside has a run like any other, with a lease that its own words keep."""

import pytest

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.core.flow import LEASE_MAX
from folkmoot.core.records import Run
from folkmoot.core.rules.admission import CLONE_LEASE, lease_for
from folkmoot.errors import Invalid, NothingToDo, Refused
from folkmoot.testing.builders import PERSON, SoundBoard, small_flow

FLOW = small_flow("""
columns:
  dev: {agents: [d], next: look, gate: [ward]}
  look: {agents: [r], next: done, fix: dev}
agents:
  d: {ladder: {0: small, 1+: large}}
  r: {write: none}
gates: {ward: {run: ["true"]}}
limits: {lease: 60s, starts: 2}
models: {small: {}, large: {}}
""")


def row(board: SoundBoard, actor: Actor) -> Run:
    found = board.application.engine.store.read(lambda reading: reading.run(actor.run or ""))
    assert found is not None
    return found


def says(board: SoundBoard, actor: Actor, words: str = "at it") -> None:
    board.engine.handle_item(actor, row(board, actor).item, commands.AddComment(content=words))


def test_its_lease_is_an_hour_and_never_longer_than_any_may_be() -> None:
    assert lease_for(FLOW, "d", None, None, cloned=True) == CLONE_LEASE <= LEASE_MAX
    assert lease_for(FLOW, "d", None, None) == 60
    assert lease_for(FLOW, "d", None, 5, cloned=True) == 5
    with pytest.raises(Invalid, match="not possible"):
        lease_for(FLOW, "d", None, LEASE_MAX + 1, cloned=True)


@pytest.mark.parametrize("gate", ["ward", "landing"])
def test_it_is_an_agent_of_the_flow_and_no_gate(gate: str) -> None:
    with pytest.raises(Invalid, match=f"no agent {gate!r}"):
        lease_for(FLOW, gate, None, None, cloned=True)


def test_what_it_says_renews_its_lease_once_half_of_it_is_over() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        actor = board.claim("d", lease=100, cloned=True)
        board.sleep(49)
        says(board, actor)
        assert row(board, actor).renewals == 0, "it is fresh"
        board.sleep(2)
        says(board, actor)
        assert row(board, actor).renewals == 1
        says(board, actor)
        assert row(board, actor).renewals == 1
        board.sleep(99)
        says(board, actor)
        assert board.queries.show(item)["status"] == "running", "it has spoken in time, twice"
        board.sleep(101)
        with pytest.raises(Refused, match="not the current run"):
            says(board, actor)
        assert board.queries.show(item)["runs"][0]["end"] == "rescued"


def test_what_others_say_of_its_item_keeps_no_lease() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        actor = board.claim("d", lease=100, cloned=True)
        board.sleep(90)
        board.engine.handle_item(PERSON, item, commands.AddComment(content="how is it?"))
        assert row(board, actor).renewals == 0


def test_a_run_that_a_worker_renews_is_renewed_by_no_word() -> None:
    with SoundBoard(FLOW) as board:
        board.add()
        actor = board.claim("d", lease=100)
        board.sleep(90)
        says(board, actor)
        assert row(board, actor).renewals == 0


def test_a_report_that_is_refused_is_a_sign_of_life_too() -> None:
    with SoundBoard(FLOW) as board:
        board.add()
        actor = board.claim("d", lease=100, cloned=True)
        board.sleep(90)
        with pytest.raises(Invalid):
            board.say(actor, "asks")
        assert row(board, actor).renewals == 1


def test_it_counts_as_a_workers_run_does() -> None:
    """Of what a person does by hand nothing counts: no start, no rung of the ladder."""
    with SoundBoard(FLOW) as board:
        board.add()
        actor = board.claim("d", cloned=True)
        assert (row(board, actor).model, row(board, actor).person) == ("small", None)
        board.report(actor, "failed", attempts=[{"approach": "a", "outcome": "red"}], summary="red")
        again = board.claim("d", cloned=True)
        assert row(board, again).model == "large"
        board.engine.handle_run(again, commands.ReleaseRun())
        with pytest.raises(NothingToDo, match="2 runs"):  # are all that the flow lets it begin
            board.claim("d", cloned=True)


def test_a_claim_without_an_agent_gets_the_next_of_any_and_no_gate() -> None:
    with SoundBoard(FLOW) as board:
        first, second = board.add("first"), board.add("second", column="look")
        board.add("urgent", column="look", priority="critical")
        got = [board.engine.claim(PERSON, cloned=True) for _ in range(3)]
        assert [(view["agent"], view["brief"]["task"]["title"]) for view in got] == [
            ("r", "urgent"),
            ("d", "first"),
            ("r", "second"),
        ]
        with pytest.raises(NothingToDo, match="any agent of the flow"):
            board.engine.claim(PERSON)
        board.report(Actor("d", got[1]["run"], got[1]["token"]), "done")
        assert board.queries.show(first)["status"] == "proving"
        for wish in ({}, {"column": "dev"}):
            with pytest.raises(NothingToDo):
                board.engine.claim(PERSON, **wish)
        with pytest.raises(Refused):
            board.engine.claim(PERSON, item=first)
        with pytest.raises(Invalid, match="nowhere"):
            board.engine.claim(PERSON, column="nowhere")
        assert board.queries.show(second)["status"] == "running"


def test_a_claim_without_an_agent_of_a_named_item_is_for_its_own() -> None:
    with SoundBoard(FLOW) as board:
        board.add("first")
        look = board.add("second", column="look")
        assert board.engine.claim(PERSON, item=look)["agent"] == "r"
