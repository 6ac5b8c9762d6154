"""A name of an agent or a column, as people and agents write it: found in one way, wherever it is said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.report import Delegation, Report, Task
from folkmoot.core.vocabulary.roles import agent_named, as_named, nearest, role
from folkmoot.testing.builders import SoundBoard, preset_flow

KANBAN, QUEST, ESCALATION = preset_flow("kanban"), preset_flow("quest"), preset_flow("escalation")
SPELLINGS = ["dev-agent", "Dev-Agent", "DEV_AGENT", "dev agent", "DevAgent", "@dev-agent", "`dev-agent`", "devagent"]


@pytest.mark.parametrize("said", SPELLINGS)
def test_every_spelling_is_the_same_agent(said: str) -> None:
    assert agent_named(KANBAN, said) == "dev-agent"
    report = Report(outcome="delegates", delegate=[Delegation(task="x", to=said)], tasks=[Task(title="x", agent=said)])
    named = as_named(KANBAN, report)
    assert (named.delegate[0].to, named.tasks[0].agent) == ("dev-agent", "dev-agent")


@pytest.mark.parametrize(("said", "known", "found"), [("a b", ["a-b", "ab"], "a-b"), ("AB", ["a-b", "ab"], "ab")])
def test_the_closer_spelling_goes_first(said: str, known: list[str], found: str) -> None:
    assert role(said, known) == found


@given(st.text(max_size=40), st.lists(st.sampled_from(["dev", "dev-agent", "a b", "AB", ""]), max_size=4))
def test_a_name_is_one_of_the_known_or_stays_as_it_is(said: str, known: list[str]) -> None:
    assert role(said, known) in {said, *known}
    assert nearest(said, known) in {None, *known}
    assert all(role(one, known) == one for one in known)


@pytest.mark.ledger("K-02")
@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("ready-for-dev", "dev"),
        ("Ready for Dev", "dev"),
        ("Ready for Tests", "tests"),
        ("ready for review", "review"),
        ("needs senior dev", "needs-senior-dev"),
        ("NEEDS_HUMAN", "needs-human"),
        ("needs-senior", "needs-senior-dev"),
        ("blocked-needs-test", "blocked-needs-test-review"),
        ("stores", "stories"),
        ("zzz", None),
    ],
)
def test_the_documents_column_names_suggest_the_column_that_is_meant(said: str, meant: str | None) -> None:
    assert nearest(said, KANBAN.columns) == meant


@pytest.mark.ledger("R-08", "R-24")
def test_an_expert_and_the_agent_of_a_task_are_found_in_any_spelling() -> None:
    with SoundBoard(ESCALATION) as board:
        board.add()
        board.effort("developer", "delegates", delegate=[{"to": "Crypto Expert", "task": "Which curve?"}])
        assert board.claim("crypto-expert") is not None
    with SoundBoard(QUEST) as board:
        board.add()
        tasks = [{"title": "one", "agent": "CodeWeaver", "files": ["a.py"]}]
        board.effort("pathseeker", "split", tasks=tasks)
        assert board.claim("codeweaver") is not None
