"""What children end with reaches whoever builds on it or puts it together, all of it (Q-02, Q-05, Q-09)."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.briefs.prompt import prompt
from folkmoot.core.commands import Actor
from folkmoot.core.rules.children.outputs import OUTPUT_CHARACTERS, OUTPUT_PARTS, OUTPUTS_KEPT
from folkmoot.reports.read import read_report
from folkmoot.testing.builders import PERSON, SoundBoard, TrialBoard, limited, preset_flow

QUEST = preset_flow("quest")
LONG = "".join(f"line {n} of what was found\n" for n in range(700))
MADE = {"interfaces": ["ResetToken"], "integration_points": {"mailer": ""}, "next_steps": ["limit the rate"]}


def claimed(board: TrialBoard, agent: str, **options: Any) -> tuple[Actor, dict[str, Any]]:
    view = board.engine.claim(PERSON, agent, **options)
    return Actor(agent, view["run"], view["token"]), view["brief"]


@pytest.mark.ledger("Q-09", "R-25")
def test_what_a_sub_agent_found_arrives_whole() -> None:
    assert len(LONG) > OUTPUT_CHARACTERS
    with SoundBoard(QUEST) as board:
        quest = board.add("A quest")
        board.effort("pathseeker", "delegates", delegate=[{"task": "look", "scope": "discovery_only"}])
        board.effort("pathseeker", "done", summary=LONG)
        _, brief = claimed(board, "pathseeker")
        assert brief["outputs"][0]["summary"] == LONG and brief["left_out"] == []
        assert LONG.splitlines()[-1] in prompt(brief)
        kept = board.show(quest)["outputs"][0]
        (sub,) = board.children(quest, "sub")
        assert kept["cut"] and f"of item {sub.id}]" in kept["summary"], "what is kept says where the rest is"


@pytest.mark.ledger("Q-09", "R-25")
def test_what_does_not_fit_into_a_brief_is_named_with_the_command_that_prints_it() -> None:
    with SoundBoard(QUEST) as board:
        board.add("A quest")
        tasks = [{"task": f"look at {n}", "scope": "discovery_only"} for n in range(6)]
        board.effort("pathseeker", "delegates", delegate=tasks)
        for _ in tasks:
            board.effort("pathseeker", "done", summary=LONG)
        _, brief = claimed(board, "pathseeker")
        told = {one["item"]: one["summary"] for one in brief["outputs"]}
        assert len(told) == 6
        (missing,) = [one for one in brief["left_out"] if one["what"] == "outputs"]
        for item, summary in told.items():
            if summary != LONG:
                assert "characters left out" in summary and f"moot show {item} --json" in missing["see"]
                assert board.show(item)["runs"][-1]["report"]["summary"] == LONG, "and that command prints it"
        assert "moot show" in prompt(brief)


@pytest.mark.ledger("R-08")
def test_an_experts_advice_arrives_whole() -> None:
    with SoundBoard(preset_flow("escalation")) as board:
        flow = board.engine.store.read(lambda reading: reading.flow(1)).flow
        agent, expert = next((name, one.experts[0]) for name, one in flow.agents.items() if one.experts)
        board.add("A task", column=flow.watched_by(agent)[0])
        board.effort(agent, "delegates", delegate=[{"task": "What do I overlook?", "to": expert}])
        board.effort(expert, "done", summary=LONG, next_steps=[f"step {n}" for n in range(OUTPUT_PARTS + 9)])
        _, brief = claimed(board, agent)
        assert brief["advice"]["advice"] == LONG
        assert brief["advice"]["steps"][-1] == f"step {OUTPUT_PARTS + 8}"


@pytest.mark.ledger("Q-05", "Q-02")
def test_what_others_build_on_reaches_who_comes_after_and_who_puts_it_together() -> None:
    with SoundBoard(QUEST) as board:
        board.add("A quest")
        tasks = [{"key": "a", "title": "reset"}, {"key": "b", "title": "mail", "after": ["a"]}]
        board.effort("pathseeker", "split", tasks=tasks)
        board.effort("codeweaver", "done", summary="reset by mail works", **MADE)
        second, brief = claimed(board, "codeweaver")
        (needed,) = brief["projectContext"]["buildsOn"]
        assert {name: needed[name] for name in MADE} == MADE
        text = prompt(brief)
        assert "ResetToken" in text and "mailer" in text, "a meeting point without words is told by its name"
        board.report(second, "done", summary="mails are sent")
        board.effort("ward", "done")
        for agent in ("lawbringer", "siegemaster"):
            run, brief = claimed(board, agent)
            first = brief["outputs"][0]
            assert (first["interfaces"], first["integration_points"]) == (["ResetToken"], {"mailer": ""})
            assert "ResetToken" in prompt(brief) and "mailer" in prompt(brief)
            board.report(run, "done")
            board.effort("ward", "done")


@pytest.mark.ledger("Q-05", "Q-08", "R-24")
def test_whoever_builds_on_a_task_is_told_what_the_tasks_made_into_which_it_was_split() -> None:
    with SoundBoard(QUEST) as board:
        board.add("A quest")
        tasks = [{"key": "a", "title": "reset"}, {"key": "b", "title": "mail", "after": ["a"]}]
        board.effort("pathseeker", "split", tasks=tasks)
        board.effort("codeweaver", "failed", cause="size", summary="two features")
        board.effort("pathseeker", "split", tasks=[{"title": "form"}, {"title": "token"}], summary="in two")
        board.effort("codeweaver", "failed", cause="size", summary="still two")
        board.effort("pathseeker", "split", tasks=[{"title": "inner"}], summary="in one")
        for title in ("token", "inner"):
            words = f"the {title}"
            board.effort("codeweaver", "done", summary=words, next_steps=[f"wire {words}"], interfaces=[f"I {words}"])
        _, brief = claimed(board, "codeweaver")
        assert brief["task"]["title"] == "mail"
        built = {one["title"]: one for one in brief["projectContext"]["buildsOn"]}
        assert {"reset", "form", "token", "inner"} <= built.keys()
        for title in ("token", "inner"):
            told = built[title]
            assert (told["summary"], told["interfaces"]) == (f"the {title}", [f"I the {title}"])
            assert told["next_steps"] == [f"wire the {title}"]
            assert f"I the {title}" in prompt(brief)


@pytest.mark.ledger("Q-02", "R-24")
def test_what_the_tasks_of_a_task_made_reaches_the_review() -> None:
    with SoundBoard(QUEST) as board:
        quest = board.add("A quest")
        board.effort("pathseeker", "split", tasks=[{"title": "all of it"}])
        board.effort("codeweaver", "failed", cause="size", summary="three features")
        board.effort("pathseeker", "split", tasks=[{"title": "form"}, {"title": "mail"}], summary="in two")
        board.effort("codeweaver", "failed", cause="size", summary="still two")
        board.effort("pathseeker", "split", tasks=[{"title": "inner"}], summary="in one")
        for words in ("the mail", "the inner part"):
            board.effort("codeweaver", "done", summary=words, interfaces=[f"I {words}"])
        assert board.place(quest) == ("weave", "proving")
        board.effort("ward", "done")
        _, brief = claimed(board, "lawbringer")
        told = {one["summary"] for one in brief["outputs"]}
        assert {"the mail", "the inner part"} <= told
        assert {name for one in brief["outputs"] for name in one.get("interfaces", [])} == {
            "I the mail",
            "I the inner part",
        }


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 3 * OUTPUT_CHARACTERS), st.integers(0, OUTPUT_PARTS + 30))
def test_nothing_is_cut_without_a_word(length: int, parts: int) -> None:
    with SoundBoard(QUEST) as board:
        quest = board.add("A quest")
        board.effort("pathseeker", "delegates", delegate=[{"task": "look", "scope": "discovery_only"}])
        board.effort("pathseeker", "done", summary="x" * length, next_steps=["y"] * parts)
        (kept,) = board.item(quest).outputs.values()
        whole = kept.summary == "x" * length and len(kept.next_steps) == parts
        assert whole != kept.cut and (whole or "in the report of run" in kept.summary)
        _, brief = claimed(board, "pathseeker")
        assert brief["outputs"][0]["summary"] == "x" * length and len(brief["outputs"][0]["next_steps"]) == parts


@pytest.mark.ledger("Q-15")
def test_a_report_names_its_interfaces_in_the_canonical_form_too() -> None:
    said = json.dumps({"outcome": "done", "interfaces": ["ResetToken"]})
    assert read_report(said).interfaces == ["ResetToken"]


@pytest.mark.ledger("Q-09", "R-25")
def test_a_sub_agent_is_told_its_whole_task_however_long() -> None:
    asked = "Find out how sessions are kept.\n" + "Look at each route. " * 60
    with SoundBoard(QUEST) as board:
        board.add("A quest")
        board.effort("pathseeker", "delegates", delegate=[{"task": asked, "scope": "discovery_only"}])
        _, brief = claimed(board, "pathseeker")
        assert brief["task"]["title"] == "Find out how sessions are kept."
        assert asked in brief["task"]["body"] and "discovery_only" in brief["task"]["body"]


@pytest.mark.ledger("Q-02")
def test_of_more_outputs_than_are_kept_the_others_are_named() -> None:
    with SoundBoard(limited(QUEST, runs=1000, items=1000, splits=5)) as board:
        quest = board.add("A quest")
        for number, count in enumerate((OUTPUTS_KEPT, 3)):
            tasks = [{"title": f"task {number}.{n}"} for n in range(count)]
            board.effort("pathseeker", "split", tasks=tasks)
            for n in range(count):
                board.effort("codeweaver", "done", summary=f"made {number}.{n}")
            board.effort("ward", "done")
            if not number:
                board.effort("lawbringer", "stuck", summary="three are missing")
        assert len(board.item(quest).outputs) == OUTPUTS_KEPT
        _, brief = claimed(board, "lawbringer")
        (left,) = [one for one in brief["left_out"] if one["what"] == "outputs"]
        assert left["count"] >= 3 and "moot show 2 --json" in left["see"]


@pytest.mark.ledger("R-14", "P-05")
def test_every_finding_of_a_part_counts_however_many() -> None:
    with SoundBoard(preset_flow("pipeline")) as board:
        flow = board.engine.store.read(lambda reading: reading.flow(1)).flow
        group = next(column for column in flow.columns if column in flow.groups)
        item = board.add("A change", column=group)
        found = [{"issue": f"point {n}", "file": "a.go", "line": n + 1} for n in range(OUTPUT_PARTS + 5)]
        for agent in flow.columns[group].agents:
            board.effort(agent, "changes_requested", findings=found)
        assert len(board.item(item).findings) == OUTPUT_PARTS + 5
