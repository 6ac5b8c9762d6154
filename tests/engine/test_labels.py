"""Items that need a worker with a label: who begins them, what is said where there is none, what is made for them."""

from collections.abc import Iterator
from typing import Any

import pytest

from folkmoot.api.requests import Add, Edit, ShowBlocked
from folkmoot.api.views import ItemView
from folkmoot.core.commands import Actor, ClaimItem
from folkmoot.core.report import Task
from folkmoot.core.work import Evidence
from folkmoot.engine import claiming
from folkmoot.engine.claiming import LABEL
from folkmoot.engine.landing import together
from folkmoot.engine.screen.register import SILENT_SECONDS, Attending, join
from folkmoot.errors import Invalid, NothingToDo, Refused
from folkmoot.testing.builders import PERSON, SoundBoard, TrialBoard, change, preset_flow, small_flow

WORKER = Actor("worker")
FLOW = small_flow("""
columns: {dev: {agents: [d], next: done, gate: [check]}}
agents: {d: {run: {command: [x]}}}
gates: {check: {run: [make, test]}}
""")
LANDING = small_flow("""
land: {batch: 4}
columns: {dev: {agents: [d], next: done, gate: [check]}}
agents: {d: {run: {command: [x]}}}
gates: {check: {run: [make, app], needs: [macos]}}
""")


@pytest.fixture
def board() -> Iterator[TrialBoard]:
    with SoundBoard(FLOW) as found:
        yield found


def begun(board: TrialBoard, labels: list[str], agent: str = "d") -> str | None:
    """The item that a worker with these labels begins; None: nothing is there for it."""
    try:
        return board.application.engine.claim_next(WORKER, [agent], worker="w", labels=labels).run_context.item
    except NothingToDo:
        return None


def claimed_by_a_person(board: TrialBoard) -> str | None:
    run = board.claim("d")
    return next((item for item in map(str, range(1, 40)) if board.item(item).run == run.run), None)


def waits(board: TrialBoard) -> list[tuple[str, list[str]]]:
    found = board.application.asked_by(PERSON)(ShowBlocked()).blocked
    assert all(bool(one.labels) == (one.why == "label") for one in found)
    return [(one.reason, one.items) for one in found if one.why == "label"]


def asked(board: TrialBoard, request: Any) -> ItemView:
    view = board.application.asked_by(PERSON)(request)
    assert isinstance(view, ItemView)
    return view


def test_a_worker_without_the_label_passes_the_item_by(board: TrialBoard) -> None:
    item = board.add("train it", needs=["gpu"])
    other = board.add("write it")
    assert begun(board, []) == other
    assert begun(board, ["macos"]) is None
    assert waits(board) == [("a worker with label gpu", [item])]
    assert "on a worker with label gpu" in board.show(item)["why"]
    assert begun(board, ["gpu"]) == item


def test_every_label_is_needed_and_that_of_the_agent_too() -> None:
    flow = small_flow("""
    columns: {dev: {agents: [d], next: done}}
    agents: {d: {needs: [big], run: {command: [x]}}}
    """)
    with SoundBoard(flow) as board:
        item = board.add(needs=["gpu"])
        assert asked(board, Edit(item=item, priority="high")).runs_on == ["gpu", "big"]
        assert begun(board, ["gpu"]) is None and begun(board, ["big"]) is None
        assert begun(board, ["gpu", "big"]) == item


def test_the_gates_of_the_item_need_its_label_too(board: TrialBoard) -> None:
    item = board.add(needs=["macos"])
    board.effort("d", "done")
    assert board.item(item).status == "proving"
    assert begun(board, [], "check") is None
    assert "on a worker with label macos" in board.show(item)["why"]
    assert begun(board, ["macos"], "check") == item


def to_land(board: TrialBoard, **fields: Any) -> str:
    """An item whose work is to land."""
    item = board.add(**fields)
    board.bring("d", work=change(f"src/{item}.py", commit=f"c{item}"))
    board.bring("check", evidence=[Evidence(gate="check", green=True, command=["make", "app"], commit="c", tree="t")])
    assert board.show(item)["watcher"] == "landing"
    return item


def test_a_landing_runs_gates_again_so_it_needs_their_labels() -> None:
    with SoundBoard(LANDING) as board:
        item = to_land(board)
        assert begun(board, [], "landing") is None
        assert waits(board) == [("a worker with label macos", [item])]
        assert begun(board, ["macos"], "landing") == item


def test_the_claim_itself_asks_again(board: TrialBoard) -> None:
    item = board.add(needs=["gpu"])
    with pytest.raises(Refused) as refused:
        board.engine.act(WORKER, ClaimItem(agent="d", lease=60.0, labels=["big"]), item)
    assert refused.value.code == "label_missing" and "label gpu" in refused.value.hint
    assert board.claim("d").run, "a person, and an agent that claims by itself, is where it chose to be"


def test_items_that_wait_for_a_label_hide_no_other_and_are_found_when_a_worker_comes(
    board: TrialBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claiming, "CANDIDATES_MAX", 10)
    first = [board.add(needs=["gpu"]) for _ in range(30)]
    free = board.add("the last")
    assert begun(board, []) == free
    barred = board.engine.store.read(lambda reading: reading.barred())
    assert barred == dict.fromkeys(first, LABEL + "gpu")
    assert begun(board, []) is None
    assert claimed_by_a_person(board) == first[0], "whoever need have no label looks behind it too"
    later = board.add("later")
    assert [begun(board, ["gpu"]) for _ in range(29)] == first[1:], "and it comes before what was added later"
    assert begun(board, ["gpu"]) == later


def test_whoever_asks_for_a_label_that_no_worker_has_is_told_so(board: TrialBoard) -> None:
    view = asked(board, Add(title="train it", needs=["gpu"]))
    assert view.note == "it waits for a worker with label gpu, and none lives now"
    assert view.needs == view.runs_on == ["gpu"]
    join(board.application.engine, Attending(worker="one", labels=["big", "gpu"]))
    assert not asked(board, Edit(item=view.id, needs=["gpu", "big"])).note
    assert waits(board) == []
    board.sleep(SILENT_SECONDS + 1)
    assert asked(board, Edit(item=view.id, needs=["gpu"])).note
    assert not asked(board, Edit(item=view.id, needs=[])).note
    assert begun(board, []) == view.id


@pytest.mark.parametrize("label", ["", " ", "two words", "a,b", "x" * 65, "\N{BLACK STAR}", "-x", "4", "#4"])
def test_what_no_worker_could_have_is_refused(board: TrialBoard, label: str) -> None:
    for request in (Add(title="a", needs=[label]), Edit(item=board.add(), needs=[label])):
        with pytest.raises(Invalid) as refused:
            asked(board, request)
        assert refused.value.code == "bad_label" and "after" in refused.value.hint
    with pytest.raises(Invalid) as refused:
        asked(board, Add(title="a", needs=[f"l{number}" for number in range(33)]))
    assert refused.value.code == "too_many"


def test_what_is_made_for_an_item_needs_what_it_needs() -> None:
    with SoundBoard(preset_flow("quest")) as board:
        item = board.add(needs=["gpu", "gpu"])
        assert board.item(item).needs == ["gpu"]
        agent = board.show(item)["watcher"]
        board.effort(agent, "split", tasks=[Task(title="one"), Task(title="two")])
        made = board.show(item)["children"]
        assert made and all(board.item(child).needs == ["gpu"] for child in made)


def test_items_land_together_only_where_one_worker_may_land_both() -> None:
    with SoundBoard(LANDING) as board:
        first, plain, other, same = (to_land(board, needs=needs) for needs in (["gpu"], [], ["fpga"], ["gpu"]))
        found = board.application.engine.claim_next(WORKER, ["landing"], worker="w", labels=["macos", "gpu"])
        mates = board.application.queries.at_one_moment(lambda snapshot: together.mates(snapshot, found.run, 9))
        assert found.run_context.item == first and other not in [mate.item for mate in mates]
        assert [mate.item for mate in mates] == [plain, same]
