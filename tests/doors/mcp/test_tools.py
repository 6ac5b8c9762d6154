"""Each tool with the SDK's own client: what it does when all goes well, and how it refuses."""

from typing import Any

import anyio
import pytest

from folkmoot.api.requests import AddComment, AnswerQuestion, Pause, Say, Show
from folkmoot.core.commands import Actor
from folkmoot.doors.mcp.tools import WAIT_SECONDS_MAX
from tests.doors.mcp.conftest import ADA, House, Tools, within

STORY = "Users can reset a forgotten password"


def add(house: House, title: str = STORY, **parts: Any) -> str:
    from folkmoot.api.requests import Add

    return house.board.asked_by(ADA)(Add(**{"title": title, "column": "dev", **parts})).id


def test_an_item_goes_from_add_to_report_by_tools_alone(house: House, era: str) -> None:
    async def play() -> None:
        async with house.client(era=era) as tools:
            added = await tools("add", items=[{"title": STORY, "column": "dev", "files": ["src/reset.py"]}])
            assert added["added"][0] | {"item": "1", "title": STORY, "column": "dev"} == added["added"][0]

            claimed = await tools("claim", agent="dev-agent")
            assert (claimed["item"], claimed["agent"]) == ("1", "dev-agent")
            assert STORY in claimed["prompt"] and "the tool `report`" in claimed["prompt"]
            assert "moot report" not in claimed["prompt"] and "MOOT_RUN" not in claimed["prompt"]

            await tools("comment", content="the mailer is slow", artifact="src/mail.py")
            asked = await tools("ask", question="10 MB or 20 MB?", options=["10 MB", "20 MB"])
            assert (asked["state"], asked["item"]) == ("open", "1")

            ended = await tools("report", outcome="done", summary="The form is there.")
            assert (ended["reported"], ended["item"]) == ("done", "1")
            shown = await tools("show", item="#1")
            assert shown["runs"][-1]["summary"] == "The form is there."
            assert shown["comments"][0]["content"] == "the mailer is slow"

    within(play)


def play_with(house: House, play: Any, **who: Any) -> None:
    async def connected() -> None:
        async with house.client(**who) as tools:
            await play(tools)

    within(connected)


def test_many_items_are_added_at_once_and_wait_for_each_other(house: House) -> None:
    async def play(tools: Tools) -> None:
        items = [{"title": "First", "key": "a"}, {"title": "Second", "after": ["a"], "priority": "high"}]
        added = await tools("add", items=items, key="k1")
        assert [one["item"] for one in added["added"]] == ["1", "2"]
        assert added["added"][1]["waits_for"] == ["1"]
        assert await tools("add", items=items, key="k1") == added, "the same key has one effect"
        board = await tools("board")
        assert [one["item"] for one in board["items"]] == ["1", "2"]

    play_with(house, play)


def test_an_item_that_is_wrong_adds_nothing(house: House) -> None:
    async def play(tools: Tools) -> None:
        error = await tools.refused("add", items=[{"title": "Good"}, {"title": "Bad", "column": "nowhere"}])
        assert "item 2" in error["message"]
        assert "items" not in await tools("board")

    play_with(house, play)


def test_the_board_is_told_page_by_page(house: House) -> None:
    for number in range(60):
        add(house, f"Item {number}")

    async def play(tools: Tools) -> None:
        first = await tools("board")
        assert (len(first["items"]), first["next"]) == (50, 50)
        second = await tools("board", after=first["next"])
        assert len(second["items"]) == 10 and "next" not in second

    play_with(house, play)


def test_nothing_to_claim_is_refused_with_what_to_do(house: House) -> None:
    async def play(tools: Tools) -> None:
        error = await tools.refused("claim", agent="dev-agent")
        assert error["code"] == "nothing_ready"
        error = await tools.refused("claim", agent="nobody")
        assert error["code"] == "unknown_agent" and "dev-agent" in error["hint"]

    play_with(house, play)


def test_a_report_that_breaks_the_form_is_refused_and_the_run_lives(house: House) -> None:
    add(house)

    async def play(tools: Tools) -> None:
        await tools("claim", agent="dev-agent")
        error = await tools.refused("report", outcome="finished", summary="done")
        assert error["code"] == "unreadable_report" and "finished" in error["message"]
        error = await tools.refused("report", outcome="done", summary="x", sumary="y")
        assert "sumary" in error["message"]
        error = await tools.refused("report")
        assert error["code"] == "bad_usage" and "`outcome`" in error["hint"]
        error = await tools.refused("report", outcome="asks", summary="which?")
        assert "question" in error["message"] + error.get("hint", "")
        ended = await tools("report", outcome="done", summary="It is done.")
        assert ended["reported"] == "done"

    play_with(house, play)


def test_a_report_may_be_a_text_of_any_dialect_the_board_reads(house: House) -> None:
    add(house)

    async def play(tools: Tools) -> None:
        await tools("claim", agent="dev-agent")
        error = await tools.refused("report", text="I think it went well")
        assert error["code"] == "unreadable_report"
        assert (await tools("report", text='{"outcome": "done", "summary": "ok"}'))["reported"] == "done"

    play_with(house, play)


def test_the_same_call_of_a_run_twice_has_one_effect(house: House) -> None:
    add(house)

    async def play(tools: Tools) -> None:
        run = (await tools("claim", agent="dev-agent"))["run"]
        for _ in range(2):
            await tools("comment", content="only once", run=run)
            await tools("ask", question="Once?", run=run)
        once = await tools("report", outcome="done", summary="It is done.", run=run)
        again = await tools("report", outcome="done", summary="It is done.", run=run)
        assert once == again
        shown = await tools("show", item="1")
        assert len(shown["comments"]) == 1 and len(shown["questions"]) == 1 and len(shown["runs"]) == 1

    play_with(house, play)


def test_a_run_that_was_lost_is_told_so(house: House) -> None:
    add(house)

    async def play(tools: Tools) -> None:
        run = (await tools("claim", agent="dev-agent"))["run"]
        await tools("report", outcome="incomplete", summary="half of it", run=run)
        for tool, words in (("ask", {"question": "and now?"}), ("report", {"outcome": "done", "summary": "x"})):
            assert (await tools.refused(tool, run=run, **words))["code"] == "stale_claim"
        assert (await tools.refused("report", outcome="done", summary="x"))["code"] == "no_run"
        assert (await tools.refused("report", outcome="done", summary="x", run="rubbish"))["code"] == "unknown_run"

    play_with(house, play)


def test_with_several_runs_one_must_be_named(house: House) -> None:
    add(house), add(house)

    async def play(tools: Tools) -> None:
        runs = [(await tools("claim", agent="dev-agent"))["run"] for _ in range(2)]
        error = await tools.refused("ask", question="which?")
        assert error["code"] == "which_run" and error["hint"] == "say which: `run`"
        for run in runs:
            await tools("report", outcome="done", summary="It is done.", run=run)

    play_with(house, play)


def test_a_person_comments_without_a_run(house: House) -> None:
    add(house)

    async def play(tools: Tools) -> None:
        made = await tools("comment", item="1", content="mind the tests")
        assert made["comment"] == "c001"
        error = await tools.refused("comment", item="77", content="lost")
        assert error["code"] == "unknown_item" and error["hint"] == "see: the tool `board`"

    play_with(house, play)


def test_what_people_say_meanwhile_is_heard_with_the_next_call(house: House) -> None:
    add(house)

    async def play(tools: Tools) -> None:
        await tools("claim", agent="dev-agent")
        house.board.asked_by(ADA)(Say(item="1", text="use the other mailer"))
        assert (await tools("wait", item="1", seconds=0))["people_say"] == ["use the other mailer"]
        assert (await tools("comment", content="begun"))["people_say"] == ["use the other mailer"]
        assert "people_say" not in await tools("comment", content="going on")

    play_with(house, play)


def test_an_answer_ends_the_wait(house: House, era: str) -> None:
    add(house)

    async def play(tools: Tools) -> None:
        await tools("claim", agent="dev-agent")
        asked = await tools("ask", question="10 MB or 20 MB?")
        still = await tools("wait", question=asked["question"], seconds=0)
        assert (still["changed"], still["state"]) == (False, "open")
        async with anyio.create_task_group() as group:
            heard: dict[str, Any] = {}

            async def wait() -> None:
                heard.update(await tools("wait", question=asked["question"], seconds=WAIT_SECONDS_MAX))

            group.start_soon(wait)
            answer = AnswerQuestion(question=asked["question"], answer="20 MB")
            await anyio.to_thread.run_sync(lambda: house.board.asked_by(ADA)(answer))
        assert (heard["changed"], heard["answer"], heard["answered_by"]) == (True, "20 MB", "ada")
        assert "people_say" in heard and all(one.heard for one in house.board.asked_by(ADA)(Show(item="1")).said)
        assert (await tools("wait", question=asked["question"]))["answer"] == "20 MB", "it is no wait any more"

    play_with(house, play, era=era)


def test_a_change_that_was_not_seen_ends_the_wait_at_once(house: House) -> None:
    add(house)

    async def play(tools: Tools) -> None:
        seen = (await tools("show", item="1"))["seen"]
        house.board.asked_by(Actor("bob"))(AddComment(item="1", content="by the way"))
        told = await tools("wait", item="1", seen=seen, seconds=WAIT_SECONDS_MAX)
        assert told["changed"] and [one["event"] for one in told["happened"]] == ["comment_added"]
        assert not (await tools("wait", item="1", seen=told["seen"], seconds=0))["changed"]

    play_with(house, play)


def test_what_a_run_does_itself_ends_no_wait_of_its_own(house: House) -> None:
    add(house)

    async def play(tools: Tools) -> None:
        await tools("claim")
        for tool, said in (("comment", {"content": "half of it"}), ("ask", {"question": "Which?"})):
            told = await tools(tool, **said)
            assert not (await tools("wait", item="1", seen=told["seen"], seconds=0))["changed"]
        house.board.asked_by(Actor("bob"))(AddComment(item="1", content="by the way"))
        assert (await tools("wait", item="1", seen=told["seen"], seconds=WAIT_SECONDS_MAX))["changed"]
        ended = await tools("report", outcome="failed", summary="no", cause="environment")
        assert ended["seen"] > told["seen"]

    play_with(house, play)


def test_without_an_item_any_change_of_the_board_ends_the_wait(house: House) -> None:
    async def play(tools: Tools) -> None:
        seen = (await tools("board"))["seen"]
        add(house)
        told = await tools("wait", seen=seen, seconds=WAIT_SECONDS_MAX)
        assert told["changed"] and told["counts"] == {"ready": 1}

    play_with(house, play)


def test_an_item_that_has_ended_is_waited_for_by_nobody(house: House) -> None:
    from folkmoot.api.requests import Cancel

    add(house)

    async def play(tools: Tools) -> None:
        seen = (await tools("show", item="1"))["seen"]
        house.board.asked_by(ADA)(Cancel(item="1"))
        told = await tools("wait", item="1", seen=seen, seconds=WAIT_SECONDS_MAX)
        assert told["changed"] and told["seen"] > seen, "what ended it was not seen yet"
        told = await tools("wait", item="1", seconds=WAIT_SECONDS_MAX)
        assert told["status"] == "cancelled" and not told["changed"]

    play_with(house, play)


@pytest.mark.parametrize(
    "tool, arguments, word",
    [
        ("show", {"item": "1", "depth": 3}, "depth"),
        ("wait", {"seconds": 61}, "60"),
        ("wait", {"seconds": "soon"}, "a number"),
        ("add", {"items": "one"}, "a list"),
        ("comment", {}, "content"),
        ("ask", {"question": ["a"]}, "must be text"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_by_name(
    house: House, tool: str, arguments: dict[str, Any], word: str
) -> None:
    async def play(tools: Tools) -> None:
        error = await tools.refused(tool, **arguments)
        assert error["code"] == "bad_arguments" and word in error["message"]

    play_with(house, play)


def test_what_models_write_for_nothing_and_for_a_number_is_read(house: House) -> None:
    add(house)

    async def play(tools: Tools) -> None:
        assert (await tools("show", item=1))["item"] == "1"
        await tools("claim", agent=None, item=1, key=None)

    play_with(house, play)


def test_a_hint_that_only_a_person_can_follow_says_so(house: House) -> None:
    add(house)
    house.board.asked_by(ADA)(Pause(why="lunch"))

    async def play(tools: Tools) -> None:
        error = await tools.refused("claim", agent="dev-agent")
        assert "a person can: moot resume" in error["hint"]

    play_with(house, play)


def test_a_tool_that_is_not_there_is_an_error_of_the_protocol(house: House) -> None:
    from mcp import MCPError

    async def play(tools: Tools) -> None:
        with pytest.raises(MCPError, match="Unknown tool"):
            await tools("answer", question="q1", answer="yes")

    play_with(house, play)
