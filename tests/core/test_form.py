"""A report that breaks the form is refused while its run lives, and what it said is kept, once (R-32)."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.core import commands
from folkmoot.core.commands import Actor, OfferReport
from folkmoot.core.report import Report
from folkmoot.core.rules.judging.form import REFUSALS_KEPT
from folkmoot.errors import Invalid, Refused
from folkmoot.testing.builders import PERSON, SoundBoard, TrialBoard, preset_flow, report

KANBAN, PIPELINE, QUEST = preset_flow("kanban"), preset_flow("pipeline"), preset_flow("quest")
ESCALATION = preset_flow("escalation")
WORD = {"content": "the test is wrong", "artifact": "tests.md"}
TRIED = {"approach": "raise the limit", "outcome": "still red"}

BROKEN: dict[str, tuple[str, dict[str, Any], str]] = {
    "may not delegate": ("delegates", {"delegate": [{"task": "x"}]}, "may not report delegates"),
    "may not split": ("split", {"tasks": [{"title": "x"}]}, "may not report split"),
    "asks nothing": ("asks", {}, "asks needs a question"),
    "disputes without a word": ("disputed", {}, "a dispute needs a comment"),
    "disputes with a blank": ("disputed", {"comments": [{"content": "  "}]}, "the specific concern"),
    "an unknown parent": ("disputed", {"comments": [{"content": "x", "parent": "c099"}]}, "no such comment"),
    "a resolution of nothing": ("done", {"comments": [{"content": "x", "resolution": "accepted"}]}, "no parent"),
    "changes without a word": ("changes_requested", {}, "needs findings"),
}


def refused(board: TrialBoard, run: Actor, outcome: str, **parts: Any) -> Invalid:
    with pytest.raises(Invalid) as caught:
        board.say(run, outcome, **parts)
    return caught.value


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize(("outcome", "parts", "words"), BROKEN.values(), ids=BROKEN.keys())
def test_it_is_refused_and_the_run_goes_on(outcome: str, parts: dict[str, Any], words: str) -> None:
    with SoundBoard(KANBAN) as board:
        item = board.add("It", column="dev")
        run = board.claim("dev-agent")
        error = refused(board, run, outcome, **parts)
        assert (error.code, error.exit_code) == ("report_refused", 2)
        assert words in error.message and "report again" in error.hint
        assert board.place(item) == ("dev", "running") and board.item(item).effort.protocol_faults == 0
        assert board.say(run, "done")["column"] == "review"


@pytest.mark.ledger("R-07", "R-32")
@pytest.mark.parametrize(("outcome", "parts", "words"), BROKEN.values(), ids=BROKEN.keys())
def test_as_the_last_word_of_a_process_it_is_a_protocol_fault(outcome: str, parts: dict[str, Any], words: str) -> None:
    with SoundBoard(KANBAN) as board:
        board.add("It", column="dev")
        run = board.claim("dev-agent")
        refused(board, run, outcome, **parts)
        view = board.report(run, outcome, **parts)
        assert (view["status"], view["runs"][-1]["cause"]) == ("ready", "protocol") and words in view["told"]


@pytest.mark.ledger("R-12", "R-32")
def test_a_thread_left_open_by_done_is_asked_back() -> None:
    with SoundBoard(KANBAN) as board:
        item = board.add("It", column="tests")
        board.effort("test-architect", "done", artifacts=[{"name": "tests.md"}])
        board.effort("dev-agent", "disputed", comments=[WORD])
        run = board.claim("test-architect")
        assert "leaves open c001" in refused(board, run, "done", summary="fixed").message
        settled = {"content": "You are right", "parent": "c001", "resolution": "accepted"}
        assert board.say(run, "done", comments=[settled])["column"] == "dev"
        assert board.item(item).disputes == []


@pytest.mark.ledger("R-12", "R-32")
def test_who_follows_the_example_after_a_refusal_leaves_no_thread_open() -> None:
    with SoundBoard(KANBAN) as board:
        item = board.add("It", column="tests")
        board.effort("test-architect", "done", artifacts=[{"name": "tests.md"}])
        board.effort("dev-agent", "disputed", comments=[WORD, {**WORD, "target": "b", "content": "another"}])
        run = board.claim("test-architect")
        first = {"content": "You are right", "parent": "c001", "resolution": "accepted"}
        error = refused(board, run, "done", comments=[first])
        assert "leaves open c002" in error.message and "what its comments resolve" in error.hint
        example = json.loads(error.hint[error.hint.index("{") :])
        assert [comment["parent"] for comment in example["comments"]] == ["c001", "c002"]
        assert board.say(run, **example)["column"] == "dev" and board.item(item).disputes == []


@pytest.mark.ledger("R-14", "R-32")
def test_a_part_is_refused_too_and_its_words_go_with_its_report() -> None:
    with SoundBoard(PIPELINE) as board:
        item = board.add("It", column="review")
        run = board.claim("reviewer")
        refused(board, run, "delegates", comments=[{"content": "look at the clock"}], delegate=[{"task": "x"}])
        board.say(run, "disputed", comments=[{"content": "it is another thing"}])
        board.effort("devils-advocate", "done")
        assert board.place(item)[0] == "implement"
        assert [comment["content"] for comment in board.show(item)["comments"]][:1] == ["it is another thing"]
        part = board.children(item, "part")[0]
        assert part.result is not None
        assert [remark.content for remark in part.result.comments] == ["it is another thing", "look at the clock"]


@pytest.mark.ledger("R-21", "R-32")
def test_a_gate_that_says_neither_green_nor_red_is_asked_back() -> None:
    with SoundBoard(QUEST) as board:
        item = board.add("It", column="siege")
        board.effort("siegemaster", "done")
        run = board.claim("ward")
        assert "done or failed" in refused(board, run, "stuck", summary="hm").message
        board.say(run, "done")
        assert board.place(item)[0] == "done"


@pytest.mark.ledger("R-32")
def test_what_it_commented_is_a_comment_at_once_and_stands_there_once() -> None:
    with SoundBoard(KANBAN) as board:
        item = board.add("It", column="tests")
        board.effort("test-architect", "done", artifacts=[{"name": "tests.md"}])
        run = board.claim("dev-agent")
        for _ in range(3):
            refused(board, run, "disputed", comments=[{**WORD, "parent": "c099"}])
        (comment,) = board.show(item)["comments"]
        assert (comment["content"], comment["author"]) == (WORD["content"], "dev-agent")
        assert (comment["parent"], comment["status"]) == (None, "open")
        view = board.say(run, "disputed", comments=[WORD])
        assert view["column"] == "tests" and len(view["comments"]) == 1
        assert board.item(item).disputes[0].thread == comment["id"]


@pytest.mark.ledger("R-27", "R-32")
def test_a_refused_resolution_resolves_nothing() -> None:
    """It is mended by saying it the other way: what was refused does not speak against that."""
    with SoundBoard(KANBAN) as board:
        item = board.add("It", column="tests")
        board.effort("test-architect", "done", artifacts=[{"name": "tests.md"}])
        board.effort("dev-agent", "disputed", comments=[WORD])
        run = board.claim("test-architect")
        wrong = {"content": "No", "parent": "c001", "resolution": "rejected"}
        assert "only as accepted" in refused(board, run, "done", comments=[wrong]).message
        assert board.show(item)["comments"][0]["status"] == "open"
        board.say(run, "disputed", comments=[{"content": "No", "parent": "c001"}])
        assert board.place(item)[0] == "dev" and len(board.show(item)["comments"]) == 2


@pytest.mark.ledger("R-32")
def test_two_comments_with_the_same_words_stay_two() -> None:
    with SoundBoard(KANBAN) as board:
        item = board.add("It", column="dev")
        for content in ("one", "two"):
            board.on(item, commands.AddComment(content=content))
        run = board.claim("dev-agent")
        both = [{"content": "agreed", "parent": parent, "resolution": "accepted"} for parent in ("c001", "c002")]
        refused(board, run, "asks", comments=both)
        view = board.say(run, "done", comments=both)
        said = [(c["content"], c["parent"], c["resolution"]) for c in view["comments"] if c["author"] == "dev-agent"]
        assert said == [("agreed", "c001", "accepted"), ("agreed", "c002", "accepted")]


@pytest.mark.ledger("R-06", "R-32")
@pytest.mark.parametrize("again", [[], [TRIED], [{"approach": "Raise the limit!", "outcome": "still red"}]])
def test_attempts_it_told_count_once_when_it_says_it_well(again: list[dict[str, str]]) -> None:
    with SoundBoard(ESCALATION) as board:
        item = board.add("It")
        run = board.claim("developer")
        refused(board, run, "asks", attempts=[TRIED])
        assert board.show(item)["runs"][-1]["refused"]["attempts"][0]["approach"] == TRIED["approach"]
        board.say(run, "failed", summary="red", attempts=again)
        assert len(board.show(item)["failure_history"]) == 1
        assert board.item(item).span.attempts == 1


@pytest.mark.ledger("R-06", "R-32")
def test_an_attempt_whose_outcome_is_mended_is_told_once_and_is_no_repeat() -> None:
    with SoundBoard(ESCALATION) as board:
        item = board.add("It")
        run = board.claim("developer")
        other = {"approach": "rewrite the parser by hand", "outcome": "worse"}
        refused(board, run, "asks", attempts=[TRIED, other])
        board.say(run, "failed", summary="red", attempts=[{**TRIED, "outcome": "red on one machine of three"}])
        told = [(one["approach"], one["outcome"]) for one in board.show(item)["failure_history"]]
        assert told == [(other["approach"], "worse"), (TRIED["approach"], "red on one machine of three")]
        assert board.item(item).span.attempts == 2, "and the other, which it did not tell again, is kept"


@pytest.mark.ledger("R-06", "R-32")
@pytest.mark.parametrize(
    ("outcome", "parts"),
    [
        ("failed", {"attempts": [{"approach": "ask crypto-expert", "outcome": "no advice came"}]}),
        ("failed", {"attempts": [{"approach": "read the log", "outcome": "nothing"}]}),
        ("delegates", {"delegate": [{"to": "crypto-expert", "task": "padding?"}]}),
    ],
)
def test_an_attempt_for_which_a_report_was_refused_counts_only_as_it_is_said_again(
    outcome: str, parts: dict[str, Any]
) -> None:
    asked = {"kind": "expert_delegation", "approach": "ask crypto-expert", "outcome": "EXPERT_UNSUCCESSFUL"}
    with SoundBoard(ESCALATION) as board:
        item = board.add("It")
        run = board.claim("developer")
        error = refused(board, run, "failed", implied=True, attempts=[TRIED, asked])
        assert "say that block again" in error.message
        board.say(run, outcome, summary="red", **parts)
        again = [one["outcome"] for one in parts.get("attempts", [])]
        assert [one["outcome"] for one in board.show(item)["failure_history"]] == [TRIED["outcome"], *again]
        assert board.item(item).span.attempts == 1 + len(again)


@pytest.mark.ledger("R-32")
def test_who_dies_after_a_refusal_has_not_spoken_in_vain() -> None:
    with SoundBoard(KANBAN) as board:
        item = board.add("It", column="dev")
        run = board.claim("dev-agent")
        refused(board, run, "asks", summary="half is done", next_steps=["the rest"], comments=[WORD])
        board.crash(run)
        previous = board.engine.claim(PERSON, "dev-agent")["brief"]["previous"]
        assert previous["not accepted"] == "asks needs a question" and previous["next_steps"] == ["the rest"]
        assert [comment["content"] for comment in board.show(item)["comments"]] == [WORD["content"]]


@pytest.mark.ledger("R-10", "R-32")
def test_a_danger_in_a_refused_report_reaches_a_person_when_its_run_is_lost() -> None:
    with SoundBoard(KANBAN) as board:
        item = board.add("It", column="dev")
        run = board.claim("dev-agent")
        leak = {"kind": "security", "severity": "critical", "issue": "keys in the log"}
        refused(board, run, "asks", findings=[leak])
        assert board.inbox() == [], "its agent is there, and will say it again"
        board.crash(run)
        assert board.place(item)[1] == "awaiting-divine-guidance"
        assert "keys in the log" in board.show(item)["questions"][-1]["question"]


@pytest.mark.ledger("R-32")
def test_a_key_of_a_refused_report_may_be_used_to_say_it_well() -> None:
    with SoundBoard(KANBAN) as board:
        board.add("It", column="dev")
        run = board.claim("dev-agent")
        for _ in range(2):
            with pytest.raises(Invalid):
                board.engine.report(run, report("asks", comments=[WORD]), key="k")
        first = board.engine.report(run, Report.done("well"), key="k")
        assert board.engine.report(run, Report.done("well"), key="k") == first
        with pytest.raises(Refused) as caught:
            board.engine.report(run, report("asks"), key="k")
        assert caught.value.code == "key_reused"


@pytest.mark.ledger("R-32")
def test_an_agent_that_is_refused_for_ever_writes_a_bounded_number_of_events() -> None:
    with SoundBoard(KANBAN) as board:
        item = board.add("It", column="dev")
        run = board.claim("dev-agent")
        for number in range(REFUSALS_KEPT + 5):
            refused(board, run, "asks", comments=[{"content": f"word {number}"}])
        names = [event["event"] for event in board.log(item)]
        assert names.count("report_refused") == REFUSALS_KEPT == len(board.show(item)["comments"])


@pytest.mark.ledger("R-32")
def test_a_report_that_is_offered_is_looked_at_in_the_same_way() -> None:
    with SoundBoard(KANBAN) as board:
        item = board.add("It", column="dev")
        run = board.claim("dev-agent")
        with pytest.raises(Invalid) as caught:
            board.engine.handle_run(run, OfferReport(report=report("asks", comments=[WORD])))
        assert caught.value.code == "report_refused" and len(board.show(item)["comments"]) == 1
        board.engine.handle_run(run, OfferReport(report=Report.done("well")))
        assert board.place(item) == ("dev", "running") and board.log(item)[-1]["event"] == "lease_renewed"


@pytest.mark.ledger("R-26", "R-32")
def test_who_may_not_dispute_does_not_reject_a_message_either() -> None:
    """The two are one: nothing of it happens, and the run goes on."""
    with SoundBoard(PIPELINE) as board:
        item = board.engine.add(PERSON, commands.DispatchAgent(agent="reviewer", task="look at this"))["id"]
        order = commands.SendMessage(
            sender="orchestrator", to="reviewer", type="task_assignment", payload={"title": "x"}, context={"item": item}
        )
        message = board.engine.send(PERSON, order)["message_id"]
        run = board.claim("reviewer")
        with pytest.raises(Refused) as caught:
            board.engine.on_message(run, commands.RejectMessage(message=message, why="not for me"))
        assert caught.value.code == "bound"
        (sent,) = [one for one in board.queries.messages()["messages"] if one["message_id"] == message]
        assert sent["status"] == "accepted" and board.place(item)[1] == "running"


words = st.sampled_from(["a", "b", "  "])
remarks = st.lists(
    st.fixed_dictionaries({"content": words}, optional={"parent": st.just("c099"), "resolution": st.just("accepted")}),
    max_size=3,
)


@pytest.mark.ledger("R-32")
@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["asks", "split", "done", "disputed"]), remarks), max_size=4))
def test_however_it_is_refused_no_word_is_lost_or_doubled_and_a_plain_report_ends_it(
    tries: list[tuple[str, list[dict[str, str]]]],
) -> None:
    with SoundBoard(KANBAN) as board:
        item = board.add("It", column="dev")
        run = board.claim("dev-agent")
        told: list[str] = []
        for outcome, comments in tries:
            try:
                board.say(run, outcome, comments=comments)
            except Invalid:
                told += [remark["content"] for remark in comments if remark["content"].strip()]
            else:
                return
            said = [comment["content"] for comment in board.show(item)["comments"]]
            assert set(said) == set(told) and board.place(item) == ("dev", "running")
        assert board.say(run, "done", summary="well")["column"] == "review"
