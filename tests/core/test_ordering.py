"""In which order the tasks of a split come, and for whom they are."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.report import Task
from folkmoot.core.rules.children.ordering import Wish, for_agents, in_line, with_order
from folkmoot.testing.builders import SoundBoard, preset_flow
from tests.core.test_splits import split, weave

QUEST = preset_flow("quest")


def tasks(*keys: str, **after: list[str]) -> list[Task]:
    return [Task(key=key, title=f"task {key}", after=after.get(key, [])) for key in keys]


NO_ORDER: dict[str, list[str]] = {"a": [], "b": [], "c": [], "d": []}


def orders(said: list[Task]) -> dict[str | None, list[str]]:
    return {task.key: task.after for task in said}


@pytest.mark.ledger("Q-06")
@pytest.mark.parametrize(
    ("wish", "after"),
    [
        (Wish("parallel", False), {"a": [], "b": ["a"], "c": ["b"], "d": ["c"]}),
        (Wish("parallel", False, "c"), {"a": [], "b": [], "c": ["a", "b"], "d": ["c"]}),
        (Wish("parallel", True, "c"), {"a": [], "b": [], "c": [], "d": []}),
        (Wish("order", ["a", ["b", "c"], "d"]), {"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]}),
        (Wish("executionOrder", "a, then b"), {"a": [], "b": ["a"], "c": [], "d": []}),
        (Wish("before", ["c", "d"], "a"), {"a": [], "b": [], "c": ["a"], "d": ["a"]}),
        (Wish("blocks", "task d", "a"), {"a": [], "b": [], "c": [], "d": ["a"]}),
        (Wish("needs", "a, b and c", "d"), {"a": [], "b": [], "c": [], "d": ["a", "b", "c"]}),
        (Wish("needs", "none", "d"), {"a": [], "b": [], "c": [], "d": []}),
        (Wish("dependencies", [{"task": "b", "dependsOn": ["a"]}]), {"a": [], "b": ["a"], "c": [], "d": []}),
        (Wish("dependencies", [{"id": "b", "after": "a", "why": "its type"}]), {"a": [], "b": ["a"], "c": [], "d": []}),
        (Wish("dependencies", [{"task": "a", "blocks": ["b", "c"]}]), {"a": [], "b": ["a"], "c": ["a"], "d": []}),
        (Wish("dependencies", [{"b": "a"}, {"c": ["a", "b"]}]), {"a": [], "b": ["a"], "c": ["a", "b"], "d": []}),
        (Wish("dependencies", [{"task": "a", "dependsOn": []}]), {"a": [], "b": [], "c": [], "d": []}),
        (Wish("dependencyChains", [["a", "b"], ["c", "d"]]), {"a": [], "b": ["a"], "c": [], "d": ["c"]}),
        (Wish("dependency_chains", ["a -> b", "c -> d"]), {"a": [], "b": ["a"], "c": [], "d": ["c"]}),
        (Wish("dependencyChains", [["a", "b"], ["c"], ["d"]]), {"a": [], "b": ["a"], "c": [], "d": []}),
        (Wish("dependencyChains", [["a"], ["b"]]), NO_ORDER),
        (Wish("dependencyChains", ["a", "b"]), {"a": [], "b": ["a"], "c": [], "d": []}),
        (Wish("parallelGroups", [["a", "b", "c", "d"]]), {"a": [], "b": [], "c": [], "d": []}),
        (Wish("phases", [{"phase": 1, "tasks": ["a"]}, {"phase": 2, "tasks": ["b"]}]), {**NO_ORDER, "b": ["a"]}),
    ],
)
def test_an_order_becomes_what_each_task_comes_after(wish: Wish, after: dict[str, list[str]]) -> None:
    found, faults = with_order(tasks("a", "b", "c", "d"), [wish])
    assert (orders(found), faults) == (after, [])


@pytest.mark.ledger("Q-06", "R-32")
@pytest.mark.parametrize(
    "wish",
    [
        Wish("dependencies", [{"from": "a", "to": "b"}]),  # which of the two comes first, only its author knows
        Wish("dependencies", [["a", "b"]]),
        Wish("dependencies", [{"task": "b", "dependsOn": ["a"]}, {"package": "bcrypt"}]),
        Wish("dependencies", [{"task": "b", "dependsOn": ["a"], "parallel": False}]),
        Wish("dependencies", [{"task": "b", "dependsOn": ["bcrypt"]}]),
        Wish("dependencies", [{"task": "b"}]),
        Wish("dependencies", [{"b": "bcrypt"}]),
        Wish("dependencyChain", [["a", "b", "c"]]),
        Wish("dependencyChains", 3),
        Wish("executionOrder", [["a", "b", "c", "d"]]),
        Wish("executionOrder", [{"first": "a"}, {"second": "b"}]),
        Wish("phases", [{"phase": 1, "goal": "the types"}, {"phase": 2, "goal": "the rest"}]),
    ],
)
def test_an_order_of_which_a_part_is_not_understood_is_a_fault(wish: Wish) -> None:
    found, faults = with_order(tasks("a", "b", "c", "d"), [wish])
    assert len(faults) == 1 and f"`{wish.name}` says an order" in faults[0], orders(found)


def test_a_task_that_names_itself_is_a_circle_and_not_passed_over() -> None:
    (task,), faults = with_order([Task(key="a", title="A")], [Wish(task="a", name="depends_on", said=["a"])])
    assert faults == [] and task.after == ["a"], "the rules refuse a circle by its name"


def test_numbers_put_tasks_in_waves() -> None:
    wishes = [Wish("phase", number, key) for key, number in (("a", 1), ("b", "phase 1"), ("c", 3), ("d", "4th"))]
    found, faults = with_order(tasks("a", "b", "c", "d"), wishes)
    assert (orders(found), faults) == ({"a": [], "b": [], "c": ["a", "b"], "d": ["c"]}, [])


KEYS = ["a", "b", "c", "d", "e"]
SAID = st.one_of(
    st.builds(Wish, st.just("parallel"), st.booleans(), st.sampled_from(KEYS)),
    st.builds(Wish, st.sampled_from(["needs", "before"]), st.lists(st.sampled_from(KEYS)), st.sampled_from(KEYS)),
    st.builds(Wish, st.just("order"), st.lists(st.sampled_from(KEYS), min_size=1, unique=True)),
    st.builds(Wish, st.just("execution"), st.sampled_from(["sequential", "parallel"])),
)


@given(st.lists(SAID, max_size=4))
def test_whatever_is_said_holds_and_alone_makes_no_circle(wishes: list[Wish]) -> None:
    found, faults = with_order(tasks(*KEYS), wishes)
    assert faults == []
    after = {str(task.key): task.after for task in found}
    for wish in wishes:
        if wish.name == "needs" and wish.task:
            assert {need for need in wish.said if need != wish.task} <= set(after[wish.task])
        if wish.name == "before":
            assert all(wish.task in after[one] for one in wish.said if one != wish.task)
    without, _ = with_order(tasks(*KEYS), [wish for wish in wishes if wish.name not in ("parallel", "execution")])
    if in_line({str(task.key): task.after for task in without}) is not None:
        assert in_line(after) is not None


@pytest.mark.ledger("Q-02", "Q-04")
@pytest.mark.parametrize(
    ("key", "agent", "meant"),
    [
        ("codeweaver-1", None, None),
        ("siegemaster-1", None, "siegemaster"),
        ("Lawbringer 2", None, "lawbringer"),
        ("siege_master_1", None, "siegemaster"),
        ("siegemaster-1", "codeweaver", "codeweaver"),
        ("form-1", None, None),
        ("siegemaster", None, "siegemaster"),
        ("Siege Master", None, "siegemaster"),
        ("siegemaster", "codeweaver", "codeweaver"),
        ("siege", None, None),
        ("form", "codeweaver-2", "codeweaver"),
        ("form", "Siegemaster 1", "siegemaster"),
        ("form", "human-1", "human-1"),
    ],
)
def test_a_task_is_for_the_agent_that_its_key_counts(key: str, agent: str | None, meant: str | None) -> None:
    found = for_agents(QUEST, "weave", [Task(key=key, title="t", agent=agent)])
    assert [task.agent for task in found] == [meant]


@pytest.mark.ledger("Q-02", "Q-04", "Q-13")
def test_whoever_acts_in_a_later_stage_comes_after_the_stages_before_it() -> None:
    said = [Task(key=key, title=key) for key in ("siegemaster-1", "codeweaver-1", "lawbringer-1", "codeweaver-2")]
    weavers = ["codeweaver-1", "codeweaver-2"]
    assert orders(for_agents(QUEST, "weave", said)) == {
        "siegemaster-1": ["codeweaver-1", "lawbringer-1", "codeweaver-2"],
        "codeweaver-1": [],
        "lawbringer-1": weavers,
        "codeweaver-2": [],
    }
    bare = [Task(key=key, title=key) for key in ("siegemaster", "codeweaver", "lawbringer")]
    assert orders(for_agents(QUEST, "weave", bare)) == {
        "siegemaster": ["codeweaver", "lawbringer"],
        "codeweaver": [],
        "lawbringer": ["codeweaver"],
    }
    said[1] = Task(key="codeweaver-1", title="made for the test", after=["siegemaster-1"])
    assert orders(for_agents(QUEST, "weave", said))["codeweaver-1"] == ["siegemaster-1"], "what is said holds"
    assert in_line({str(t.key): t.after for t in for_agents(QUEST, "weave", said)}) is not None


@pytest.mark.ledger("Q-02", "Q-04")
def test_a_task_of_another_role_is_done_by_that_role() -> None:
    parts: list[dict[str, Any]] = [
        {"key": "codeweaver-1", "title": "Register", "files": ["src/a.py"]},
        {"key": "siegemaster-1", "title": "Try both", "files": ["tests/test_both.py"]},
    ]
    with SoundBoard(QUEST) as board:
        quest, (mine, theirs) = split(board, *parts)
        assert board.place(theirs) == ("weave", "waiting")
        weave(board, mine)
        board.report(board.claim("siegemaster", item=theirs), "done", files={"created": ["tests/test_both.py"]})
        assert board.place(quest) == ("weave", "proving")


@pytest.mark.ledger("Q-05")
@pytest.mark.parametrize(
    ("named", "told"),
    [
        ([], {"AuthResult": "ok or not", "User": "id"}),
        (["auth_result"], {"AuthResult": "ok or not"}),
        (["AuthResult", "Mailer"], {"AuthResult": "ok or not", "Mailer": ""}),
        (["user"], {"User": "id"}),
    ],
)
def test_a_task_is_told_the_contracts_that_it_may_mean(named: list[str], told: dict[str, str]) -> None:
    contracts = [{"name": "AuthResult type", "text": "ok or not"}, {"name": "User", "text": "id"}]
    told = {f"{name} type" if name == "AuthResult" else name: text for name, text in told.items()}
    with SoundBoard(QUEST) as board:
        _, (task,) = split(board, {"title": "Register", "contracts": named}, contracts=contracts)
        assert {one["name"]: one["text"] for one in board.show(task)["contracts"]} == told
