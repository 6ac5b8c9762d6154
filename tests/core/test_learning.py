"""What was learnt and tried on a quest is known to whoever works on it later (Q-13, Q-06)."""

from typing import Any

import pytest

from folkmoot.briefs.prompt import prompt
from folkmoot.core.commands import Actor
from folkmoot.core.item import Item
from folkmoot.core.records import Lesson
from folkmoot.core.rules.sharing.lessons import (
    LESSON_CHARACTERS,
    LESSONS_OF_A_RUN,
    LESSONS_TOLD,
    OF_THE_WHOLE_TOLD,
    told_to,
)
from folkmoot.testing.builders import PERSON, SoundBoard, TrialBoard, change, preset_flow

QUEST = preset_flow("quest")
RED = {"summary": "1 of 9 tests is red", "findings": [{"kind": "test", "test": "test_reset", "issue": "got 500"}]}


def claimed(board: TrialBoard, agent: str, **options: Any) -> tuple[Actor, dict[str, Any]]:
    view = board.engine.claim(PERSON, agent, **options)
    return Actor(agent, view["run"], view["token"]), view["brief"]


def texts(brief: dict[str, Any]) -> list[str]:
    return [lesson["text"] for lesson in brief["lessons"]]


@pytest.mark.ledger("Q-13")
def test_a_lesson_reaches_every_later_role_of_the_same_quest() -> None:
    with SoundBoard(QUEST) as board:
        quest = board.add("A quest")
        parts = [{"title": "one", "files": ["a.py"]}, {"title": "two", "files": ["b.py"]}]
        board.effort("pathseeker", "split", tasks=parts, lessons=["the tests need a clock"])
        other = board.add("Another quest")
        run, brief = claimed(board, "codeweaver")
        assert texts(brief) == ["the tests need a clock"], "a task learns from who split it"
        board.report(run, "done", lessons=["fixtures are in tests/helpers"])
        board.effort("codeweaver", "failed", cause="size", summary="too much")
        board.report(board.claim("pathseeker", item=board.children(quest)[1].id), "split", tasks=[{"title": "inner"}])
        run, brief = claimed(board, "codeweaver")
        board.report(run, "done", lessons=["the parser is strict"])
        assert "the tests need a clock" in texts(brief), "a task of a task as well"
        wanted = {"the tests need a clock", "fixtures are in tests/helpers", "the parser is strict"}
        run, brief = board.claim("ward"), {}
        board.report(run, "failed", **RED)
        for agent in ("spiritmender", "lawbringer", "siegemaster"):
            run, brief = claimed(board, agent)
            assert wanted <= set(texts(brief)), agent
            board.report(run, "done")
            board.effort("ward", "done")
        _, brief = claimed(board, "pathseeker", item=other)
        assert texts(brief) == ["the tests need a clock"], "elsewhere the same role learns, and nobody else"


@pytest.mark.ledger("Q-13", "R-25")
def test_a_sub_agent_learns_from_its_quest_and_the_quest_from_it() -> None:
    with SoundBoard(QUEST) as board:
        board.add("A quest")
        look = [{"task": f"look {n}", "scope": "discovery_only"} for n in range(2)]
        board.effort("pathseeker", "delegates", delegate=look)
        board.effort("pathseeker", "done", summary="x", lessons=["grep is enough"])
        board.effort("pathseeker", "done", summary="y")
        board.effort("pathseeker", "split", tasks=[{"title": "one"}])
        _, brief = claimed(board, "codeweaver")
        assert texts(brief) == ["grep is enough"]


@pytest.mark.ledger("Q-13")
def test_more_than_there_is_room_for_is_said() -> None:
    with SoundBoard(QUEST) as board:
        board.add("A quest")
        tasks = [{"title": f"task {n}"} for n in range(4)]
        board.effort("pathseeker", "split", tasks=tasks)
        for n in range(3):
            board.effort("codeweaver", "done", lessons=[f"lesson {n}.{m}" for m in range(9)])
        _, brief = claimed(board, "codeweaver")
        assert len(brief["lessons"]) == OF_THE_WHOLE_TOLD and texts(brief)[0].startswith("lesson 2")
        assert brief["left_out"] == [{"what": "lessons", "count": 27 - OF_THE_WHOLE_TOLD, "see": "moot lessons"}]
        assert "moot lessons" in prompt(brief)


@pytest.mark.ledger("Q-13")
def test_a_lesson_is_not_cut_without_a_word() -> None:
    with SoundBoard(QUEST) as board:
        board.add("A quest")
        many = ["x" * (LESSON_CHARACTERS + 7), *(f"lesson {n}" for n in range(LESSONS_OF_A_RUN + 3))]
        board.effort("pathseeker", "split", tasks=[{"title": "one"}], lessons=many)
        _, brief = claimed(board, "codeweaver")
        told = "\n".join(texts(brief))
        assert (
            "7 characters more" in told
            and "5 more lessons" in told
            and "in the report of run" in told
            and "of item 1" in told
        )


@pytest.mark.ledger("Q-13")
@pytest.mark.parametrize("count", [1, LESSONS_TOLD, LESSONS_TOLD + 3, OF_THE_WHOLE_TOLD + LESSONS_TOLD])
def test_of_others_the_five_newest_of_the_role_or_the_files_as_ever(count: int) -> None:
    me = Item(id="50", title="x", column="weave", files=["src/a.py"], whole="9", parent="8")
    rows = [
        Lesson(
            id=f"l{n}",
            text=f"lesson {n}",
            agent=("me", "else")[n % 2],
            item="7",
            run="r",
            whole="7",
            files=["src/a.py"] if n % 2 else [],
        )
        for n in range(count)
    ]
    told = told_to("me", me, rows)
    assert told == rows[:LESSONS_TOLD]
    mine = [Lesson(id=f"m{n}", text=f"mine {n}", agent="else", item=str(n), run="r", whole="9") for n in range(3)]
    assert told_to("me", me, [*rows, *mine]) == [*rows[:LESSONS_TOLD], *mine], "and those of the whole beside them"


@pytest.mark.ledger("Q-12", "Q-06")
def test_a_mender_is_told_what_was_tried_what_it_changed_and_what_the_ward_had_said() -> None:
    with SoundBoard(QUEST) as board:
        board.add("A quest", column="weave")
        board.effort("codeweaver", "done")
        board.effort("ward", "failed", **RED)
        run, brief = claimed(board, "spiritmender")
        assert brief["heals"] == []
        board.bring(run, "done", work=change("src/reset.py", commit="c1"), summary="the clock was read twice")
        board.effort("ward", "failed", summary="still 1 of 9 red", findings=[{"kind": "test", "issue": "got 502"}])
        run, brief = claimed(board, "spiritmender")
        (heal,) = brief["heals"]
        assert (heal["red"], heal["report"], heal["changed"]) == (
            "1 of 9 tests is red",
            "the clock was read twice",
            ["src/reset.py"],
        )
        assert heal["found"] == [{"test": "test_reset", "issue": "got 500"}]
        assert [found["issue"] for found in brief["findings"]] == ["got 502"], "what is red now stands as before"
        text = prompt(brief)
        assert "the clock was read twice" in text and "got 500" in text and "src/reset.py" in text
        board.report(run, "done", summary="the cache is flushed", files={"modified": ["src/cache.py"]})
        board.effort("ward", "failed", summary="still 1 of 9 red")
        _, brief = claimed(board, "spiritmender")
        assert [one["report"] for one in brief["heals"]] == ["the clock was read twice", "the cache is flushed"]
        assert brief["heals"][1]["changed"] == ["src/cache.py"] and brief["heals"][1]["red"] == "still 1 of 9 red"


@pytest.mark.ledger("Q-12")
def test_what_was_healed_is_no_part_of_the_next_failure() -> None:
    with SoundBoard(QUEST) as board:
        board.add("A quest", column="weave")
        board.effort("codeweaver", "done")
        board.effort("ward", "failed", **RED)
        board.effort("spiritmender", "done", summary="the clock was read twice")
        board.effort("ward", "done")
        board.effort("lawbringer", "done")
        board.effort("ward", "failed", **RED)
        _, brief = claimed(board, "spiritmender")
        assert brief["heals"] == []


@pytest.mark.ledger("Q-12")
def test_a_heal_that_failed_or_a_ward_that_could_not_run_is_told_rightly() -> None:
    with SoundBoard(QUEST) as board:
        board.add("A quest", column="weave")
        board.effort("codeweaver", "done")
        board.effort("ward", "failed", **RED)
        board.effort("spiritmender", "failed", summary="no idea yet", attempts=[{"approach": "guessing"}])
        board.effort("spiritmender", "done", summary="now")
        board.effort("ward", "failed", cause="environment", summary="no disk")
        board.sleep(60)
        board.effort("ward", "failed", **RED)
        _, brief = claimed(board, "spiritmender")
        assert [(one["outcome"], one["red"]) for one in brief["heals"]] == [
            ("failed", RED["summary"]),
            ("done", RED["summary"]),
        ]
