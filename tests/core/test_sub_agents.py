"""Helpers: sub-agents that only look, and what one agent may dispatch to another."""

from typing import Any

import pytest

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.errors import Invalid, NothingToDo, Refused
from folkmoot.testing.builders import PERSON, SoundBoard, TrialBoard, preset_flow, small_flow

QUEST = preset_flow("quest")
PIPELINE = preset_flow("pipeline")
ASKED = "awaiting-divine-guidance"
LOOK = {"task": "analyze_existing_auth_patterns", "scope": "discovery_only"}
SEARCH = {"task": "identify_integration_points", "scope": "discovery_only"}


def fan_out(board: TrialBoard, *subs: dict[str, str]) -> tuple[str, list[str]]:
    quest = board.add("A quest")
    board.effort("pathseeker", "delegates", delegate=list(subs or (LOOK, SEARCH)))
    return quest, [child.id for child in board.children(quest, "sub")]


@pytest.mark.ledger("R-25", "Q-09")
def test_several_sub_agents_work_at_once_and_the_parent_gets_all_their_outputs() -> None:
    with SoundBoard(QUEST) as board:
        quest, subs = fan_out(board)
        assert board.place(quest) == ("discover", "waiting") and len(subs) == 2
        first, second = board.claim("pathseeker"), board.claim("pathseeker")
        board.report(second, "done", summary="three routes")
        assert board.place(quest) == ("discover", "waiting")
        board.report(first, "done", summary="tokens everywhere")
        claimed = board.engine.claim(PERSON, "pathseeker")
        assert claimed["item"]["id"] == quest
        assert {o["summary"] for o in claimed["brief"]["outputs"]} == {"three routes", "tokens everywhere"}


@pytest.mark.ledger("R-25", "Q-09")
@pytest.mark.parametrize(
    ("outcome", "parts"),
    [
        ("delegates", {"delegate": [LOOK]}),
        ("split", {"tasks": [{"title": "x"}]}),
        ("asks", {"question": {"question": "?"}}),
    ],
)
def test_a_sub_agent_has_no_sub_agents_splits_nothing_and_never_asks(outcome: str, parts: dict[str, Any]) -> None:
    with SoundBoard(QUEST) as board:
        _, (sub, _) = fan_out(board)
        board.report(board.claim("pathseeker", item=sub), outcome, **parts)
        assert "cannot end with" in (board.item(sub).told or "")
        assert board.children(sub) == [] and board.inbox() == []


@pytest.mark.ledger("R-25", "Q-09")
def test_one_fan_out_per_item() -> None:
    with SoundBoard(QUEST) as board:
        quest, subs = fan_out(board)
        for sub in subs:
            board.report(board.claim("pathseeker", item=sub), "done")
        board.effort("pathseeker", "delegates", delegate=[LOOK])
        assert "one fan-out" in board.show(quest)["told"] and len(board.children(quest)) == 2


@pytest.mark.ledger("R-25")
@pytest.mark.parametrize("way", ["fails", "crashes", "is stuck", "is cancelled"])
def test_a_spent_sub_agent_ends_failed_and_the_parent_goes_on_with_what_there_is(way: str) -> None:
    with SoundBoard(QUEST) as board:
        quest, (spent, other) = fan_out(board)
        board.report(board.claim("pathseeker", item=other), "done", summary="found it")
        number = 0
        while board.item(spent).status == "ready":
            number += 1
            if way == "is cancelled":
                board.on(spent, commands.CancelItem())
                break
            run = board.claim("pathseeker", item=spent)
            if way == "crashes":
                board.crash(run)
            elif way == "fails":
                board.report(run, "failed", attempts=[{"approach": "xyz"[number % 3] * 9 + str(number)}])
            else:
                board.report(run, "stuck", summary="no")
        assert board.item(spent).status == ("cancelled" if way == "is cancelled" else "failed")
        assert board.place(quest) == ("discover", "ready") and board.inbox() == []
        assert "found it" in str(board.show(quest)["outputs"])


@pytest.mark.ledger("R-25")
def test_a_sub_agent_writes_nothing_so_it_cannot_widen() -> None:
    with SoundBoard(QUEST) as board:
        fan_out(board)
        with pytest.raises(Refused) as caught:
            board.engine.handle_run(board.claim("pathseeker"), commands.WidenRun(paths=["a.py"]))
        assert caught.value.code == "may_not_widen"


@pytest.mark.ledger("R-25")
def test_too_many_at_once_are_too_many() -> None:
    with SoundBoard(QUEST) as board:
        quest = board.add()
        board.effort("pathseeker", "delegates", delegate=[{"task": f"look {n}"} for n in range(21)])
        assert "too many" in board.show(quest)["told"] and board.children(quest) == []


@pytest.mark.ledger("R-25", "R-16")
@pytest.mark.parametrize("then", [commands.MoveItem(column="weave"), commands.CancelItem()])
def test_move_and_cancel_end_the_sub_agents(then: commands.Command) -> None:
    with SoundBoard(QUEST) as board:
        quest, subs = fan_out(board)
        live = board.claim("pathseeker", item=subs[0])
        board.on(quest, then)
        assert {board.item(sub).status for sub in subs} == {"cancelled"}
        with pytest.raises(Refused):
            board.report(live, "done")
        assert board.item(quest).made == {} or isinstance(then, commands.CancelItem)


@pytest.mark.ledger("R-25", "R-24")
def test_a_task_may_send_out_sub_agents_and_go_on_after_them() -> None:
    flow = small_flow("""
discover: plan
columns: {plan: {agents: [p], next: work}, work: {agents: [w], next: done}}
agents: {p: {may: [ask, split], write: none}, w: {may: [delegate]}}
""")
    with SoundBoard(flow) as board:
        item = board.add()
        board.effort("p", "split", tasks=[{"title": "a"}])
        board.effort("w", "delegates", delegate=[{"task": "look"}])
        board.effort("w", "done", summary="seen")
        board.effort("w", "done")
        assert board.place(item) == ("done", "done")


@pytest.mark.ledger("R-25", "R-03")
def test_who_delegates_to_another_agent_waits_and_who_dispatches_goes_on() -> None:
    flow = small_flow("""
columns: {dev: {agents: [d], next: test}, test: {agents: [t], next: done}}
agents: {d: {may: [delegate, dispatch]}, t: {}}
""")
    with SoundBoard(flow) as board:
        item = board.add()
        board.effort("d", "delegates", delegate=[{"to": "t", "task": "run them"}])
        assert board.place(item) == ("dev", "waiting")
        board.effort("t", "done", summary="all red")
        run = board.claim("d")
        assert "all red" in str(board.show(item)["outputs"])
        made = board.engine.add(run, commands.DispatchAgent(agent="t", task="and again", purpose="question"))
        assert (made["kind"], made["column"], made["agent"]) == ("dispatch", "test", "t")
        assert board.place(item) == ("dev", "running")
        other = board.claim("t", item=made["id"])
        board.report(other, "done", summary="all green")
        assert "all green" in str(board.show(item)["outputs"])
        board.report(run, "done")


@pytest.mark.ledger("R-25", "R-33")
def test_who_only_hands_on_is_asked_about_at_the_third_time() -> None:
    flow = small_flow("""
columns: {dev: {agents: [d], next: test}, test: {agents: [helper], next: done}}
agents: {d: {may: [delegate]}, helper: {}}
""")
    with SoundBoard(flow) as board:
        item = board.add()
        for _ in range(2):
            board.effort("d", "delegates", delegate=[{"to": "helper", "task": "do the same again"}])
            board.effort("helper", "done", summary="as before")
        board.effort("d", "delegates", delegate=[{"to": "helper", "task": "do the same again"}])
        assert board.place(item)[1] == ASKED and len(board.inbox()) == 1
        board.answer(board.inbox()[0], "go on")
        board.effort("d", "delegates", delegate=[{"to": "helper", "task": "once more"}])
        assert board.place(item)[1] == "waiting"


@pytest.mark.ledger("P-02")
@pytest.mark.parametrize("purpose", ["fix", "question", "test_failure"])
def test_agents_dispatch_each_other_for_simple_things(purpose: str) -> None:
    with SoundBoard(PIPELINE) as board:
        item = board.add()
        board.effort("implementer", "done")
        for agent in ("reviewer", "devils-advocate"):
            board.effort(agent, "done")
        run = board.claim("test-executor")
        made = board.engine.add(run, commands.DispatchAgent(agent="implementer", task="fix the test", purpose=purpose))
        assert made["purpose"] == purpose
        board.report(board.claim("implementer", item=made["id"]), "done", summary="fixed")
        assert board.place(made["id"])[1] == "done"
        board.report(run, "done")
        assert board.place(item) == ("done", "done")


@pytest.mark.ledger("P-02")
def test_a_reviewer_beside_another_may_dispatch_too_and_its_item_is_told_the_outcome() -> None:
    with SoundBoard(PIPELINE) as board:
        item = board.add()
        board.effort("implementer", "done")
        run = board.claim("reviewer")
        made = board.engine.add(run, commands.DispatchAgent(agent="implementer", task="fix the typo"))
        board.report(run, "done")
        board.effort("implementer", "done", summary="typo gone")
        assert board.place(made["id"])[1] == "done"
        assert "typo gone" in str(board.show(item)["outputs"])


@pytest.mark.ledger("P-02")
@pytest.mark.parametrize("purpose", ["coordination", "conflict", "pipeline state", "", "FIX"])
def test_anything_else_is_refused(purpose: str) -> None:
    with SoundBoard(PIPELINE) as board:
        with pytest.raises(Refused) as caught:
            board.engine.add(PERSON, commands.DispatchAgent(agent="implementer", task="x", purpose=purpose))
        assert caught.value.code == "not_for_dispatch"
        assert board.queries.list()["items"] == []


@pytest.mark.ledger("P-02")
def test_who_may_not_dispatch_is_refused() -> None:
    with SoundBoard(PIPELINE) as board:
        board.add()
        run = board.claim("implementer")
        with pytest.raises(Refused) as caught:
            board.engine.add(run, commands.DispatchAgent(agent="reviewer", task="look"))
        assert caught.value.code == "may_not_dispatch"
        with pytest.raises(Invalid) as unknown:
            board.engine.add(PERSON, commands.DispatchAgent(agent="nobody", task="look"))
        assert unknown.value.code == "unknown_agent"
        with pytest.raises(Invalid) as empty:
            board.engine.add(PERSON, commands.DispatchAgent(agent="reviewer", task=" \n "))
        assert empty.value.code == "bad_title"


@pytest.mark.ledger("P-02", "R-27")
def test_a_stale_run_dispatches_nothing() -> None:
    flow = small_flow("{columns: {a: {agents: [x], next: done}}, agents: {x: {may: [dispatch]}}}")
    with SoundBoard(flow) as board:
        board.add()
        run = board.claim("x")
        board.report(run, "done")
        for actor in (run, Actor("x", run.run, 7)):
            with pytest.raises(Refused) as caught:
                board.engine.add(actor, commands.DispatchAgent(agent="x", task="again"))
            assert caught.value.code == "stale_claim"


@pytest.mark.ledger("R-33", "P-02")
def test_a_dispatched_item_cannot_dispatch_and_ends_failed_where_others_would_ask() -> None:
    flow = small_flow("{columns: {a: {agents: [x], next: done}}, agents: {x: {may: [dispatch, ask]}}}")
    with SoundBoard(flow) as board:
        made = board.engine.add(PERSON, commands.DispatchAgent(agent="x", task="do it"))["id"]
        run = board.claim("x")
        with pytest.raises(Refused) as caught:
            board.engine.add(run, commands.DispatchAgent(agent="x", task="again"))
        assert caught.value.code == "may_not_dispatch"
        board.report(run, "asks", question={"question": "how?"})
        assert board.place(made) == ("a", "failed") and board.inbox() == []


@pytest.mark.ledger("R-10", "P-02")
@pytest.mark.parametrize("answer", ["try again", "accept the risk and go on", "abort"])
def test_a_security_concern_of_an_item_that_a_person_dispatched_is_asked_about_on_itself(answer: str) -> None:
    flow = small_flow("""
columns: {b: {agents: [y], next: a}, a: {agents: [x], next: done, fix: b}}
agents: {x: {}, y: {}}
""")
    with SoundBoard(flow) as board:
        made = board.engine.add(PERSON, commands.DispatchAgent(agent="x", task="do it"))["id"]
        board.effort("x", "done", findings=[{"kind": "security", "severity": "critical", "issue": "a hole"}])
        assert board.place(made) == ("a", ASKED)
        with pytest.raises(Refused) as caught:
            board.answer(board.inbox()[0], "there", to="b")
        assert caught.value.code == "bound"
        board.answer(board.inbox()[0], answer)
        if answer == "try again":
            board.effort("x", "done")
        assert board.place(made) == ("a", "cancelled" if answer == "abort" else "done")


@pytest.mark.ledger("R-08", "R-03")
@pytest.mark.parametrize("live", [True, False])
def test_a_dispatched_item_whose_dependency_is_cancelled_asks_nobody(live: bool) -> None:
    flow = small_flow("{columns: {a: {agents: [x], next: done}}, agents: {x: {}}}")
    with SoundBoard(flow) as board:
        need = board.add("needed")
        made = board.engine.add(PERSON, commands.DispatchAgent(agent="x", task="do it"))["id"]
        run = board.claim("x", item=made) if live else None
        board.on(made, commands.EditItem(after=[need]))
        board.on(need, commands.CancelItem())
        assert board.inbox() == []
        if run is not None:
            board.report(run, "done")
        assert board.place(made) == ("a", "done" if live else "failed")


@pytest.mark.ledger("P-02", "R-25")
def test_a_dispatch_whose_caller_is_gone_ends_quietly() -> None:
    flow = small_flow("""
columns: {dev: {agents: [d], next: test}, test: {agents: [t], next: done}}
agents: {d: {may: [dispatch]}, t: {}}
""")
    with SoundBoard(flow) as board:
        item = board.add()
        run = board.claim("d")
        made = board.engine.add(run, commands.DispatchAgent(agent="t", task="run them"))["id"]
        board.on(item, commands.CancelItem())
        assert board.place(made) == ("test", "ready"), "it is nobody's child: who asked has only gone"
        board.effort("t", "done")
        assert board.place(made) == ("test", "done")
        with pytest.raises(NothingToDo):
            board.claim("t")
