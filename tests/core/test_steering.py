"""A person steers: what they say is heard once and never lost; what they take, no agent begins; what they give is
judged as an agent's work is."""

from typing import Any

import pytest

from folkmoot.core import commands
from folkmoot.core.commands import ENGINE, Actor
from folkmoot.core.flow import LANDING
from folkmoot.core.report import Task
from folkmoot.core.work import Work
from folkmoot.engine.steering import calls as steering
from folkmoot.errors import Invalid, NothingToDo, Refused
from folkmoot.testing.builders import PERSON, SoundBoard, change, report, small_flow

ADA = Actor("ada")
FLOW = small_flow("""
columns: {dev: {agents: [d], next: look, gate: [ward]}, look: {agents: [r], next: done, fix: dev}}
agents:
  d: {ladder: {0: small, 1+: large}}
  r: {write: none}
gates: {ward: {run: ["true"]}}
limits: {starts: 2}
models: {small: {pool: cheap}, large: {pool: dear}}
pools: {cheap: {slots: 9}, dear: {slots: 9}}
""")


PLAIN = small_flow("""
columns: {dev: {agents: [d], next: look}, look: {agents: [r], next: done, fix: dev}}
agents: {d: {}, r: {write: none}}
""")


def say(board: SoundBoard, item: str, text: str, actor: Actor = ADA) -> None:
    steering.say(board.engine, actor, item, text)


def hear(board: SoundBoard, run: Actor) -> list[str]:
    said: Any = steering.hear(board.engine, run)
    return [one["text"] for one in said["sentences"]]


def take(board: SoundBoard, item: str, actor: Actor = ADA) -> Actor:
    view: Any = steering.take(board.engine, actor, item)
    return Actor(actor.name, view["run"], view["token"])


def told(board: SoundBoard, agent: str) -> list[tuple[str, bool]]:
    """What the brief of the agent's next run says that people said, and whether it is new."""
    view = board.engine.claim(PERSON, agent)
    return [(one["text"], one["new"]) for one in view["brief"]["said"]]


# -- saying


def test_a_run_hears_a_sentence_once_while_it_works() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        run = board.claim("d")
        say(board, item, "use the helper")
        assert hear(board, run) == ["use the helper"]
        assert hear(board, run) == []
        assert board.item(item).said[0].heard == run.run
        assert [event["event"] for event in board.log(item)][-2:] == ["sentence_said", "sentence_heard"]


def test_a_sentence_is_said_to_a_run_or_to_its_item() -> None:
    with SoundBoard(FLOW) as board:
        board.add()
        run = board.claim("d")
        say(board, run.run or "", "to the run")
        assert hear(board, run) == ["to the run"]
        for nobody, words in (("r-unknown", "no run"), ("7", "no item")):
            with pytest.raises(Invalid, match=words):
                say(board, nobody, "to nobody")


def test_a_run_that_ended_before_it_heard_leaves_it_to_the_next_brief() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        run = board.claim("d")
        say(board, item, "no new dependency")
        board.report(run, "failed", cause="capability", summary="x")
        assert told(board, "d") == [("no new dependency", True)]


def test_a_done_that_did_not_hear_is_not_the_end_of_its_work() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        run = board.claim("d")
        say(board, item, "and the docs")
        board.bring(run, "done", change("a.py"))
        row = board.item(item)
        assert (row.column, row.status, row.head) == ("dev", "ready", "c1"), "its work is kept, and it goes again"
        assert row.because == "ada said: and the docs"
        assert (row.attempt_count, row.effort.incompletes) == (0, 0)
        assert told(board, "d") == [("and the docs", True)]


def test_later_briefs_tell_it_too_as_said_to_others() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        run = board.claim("d")
        say(board, item, "keep it small")
        hear(board, run)
        board.bring(run, "done", change("a.py"))
        board.effort("ward", "done")
        assert told(board, "r") == [("keep it small", False)]


def test_what_is_said_while_the_last_gate_works_is_heard_before_the_item_ends() -> None:
    flow = small_flow("""
columns: {dev: {agents: [d], next: done, gate: [ward]}}
agents: {d: {}}
gates: {ward: {run: ["true"]}}
""")
    with SoundBoard(flow) as board:
        item = board.add()
        board.effort("d", "done")
        gate = board.claim("ward")
        say(board, item, "one more thing")
        board.report(gate, "done")
        assert (board.item(item).column, board.item(item).status) == ("dev", "ready")
        assert told(board, "d") == [("one more thing", True)]


def test_nobody_is_spoken_to_on_an_item_that_ended_or_lands() -> None:
    with SoundBoard(small_flow("columns: {dev: {agents: [d], next: done}}\nagents: {d: {}}")) as board:
        item = board.add()
        board.bring(board.claim("d"), "done", change("a.py"))
        with pytest.raises(Refused, match="about to land"):
            say(board, item, "wait")
        board.on(item, commands.CancelItem())
        with pytest.raises(Refused, match="is cancelled"):
            say(board, item, "wait")


def test_only_people_say_something_and_never_nothing() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        run = board.claim("d")
        with pytest.raises(Refused) as refused:
            say(board, item, "I am ada", run)
        assert refused.value.code == "only_people"
        for text in (" ", "x" * 4_001):
            with pytest.raises(Invalid):
                say(board, item, text)
        for number in range(20):
            say(board, item, f"{number}")
        with pytest.raises(Refused, match="20 sentences"):
            say(board, item, "one too many")


def test_a_gate_hears_nothing_and_a_stale_run_neither() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        run = board.claim("d")
        board.report(run, "done")
        gate = board.claim("ward")
        say(board, item, "hello?")
        assert hear(board, gate) == []
        with pytest.raises(Refused, match="not the current run"):
            hear(board, run)


# -- comments of people on what is at work

QUEST = small_flow("""
start: plan
discover: plan
columns: {plan: {agents: [p], next: dev}, dev: {agents: [d], next: look, gate: [ward]}, look: {agents: [r], next: done}}
agents: {p: {write: none, may: [split]}, d: {}, r: {}}
gates: {ward: {run: ["true"]}}
""")


def comment(board: SoundBoard, item: str, words: str, actor: Actor = ADA, **more: Any) -> None:
    board.engine.act(actor, commands.AddComment(content=words, **more), item)


def commented(board: SoundBoard, agent: str) -> list[str]:
    """The comments in the brief of the agent's next run, and none of them twice."""
    brief = board.engine.claim(PERSON, agent)["brief"]
    assert brief["said"] == []
    return [one["content"] for one in brief["comments"]]


def split_in_two(board: SoundBoard) -> None:
    board.add()
    board.effort("p", "split", tasks=[Task(key="a", title="one"), Task(key="b", title="two")])


def test_a_task_does_not_end_past_a_persons_comment_that_nobody_heard() -> None:
    with SoundBoard(QUEST) as board:
        split_in_two(board)
        run = board.claim("d", item="2")
        comment(board, "2", "the limit is 20 MB")
        board.report(run, "done")
        assert (board.item("2").status, board.item("2").because) == ("ready", "ada said: the limit is 20 MB")
        assert commented(board, "d") == ["the limit is 20 MB"]


def test_a_run_that_asks_hears_a_persons_comment_and_may_end_its_task() -> None:
    with SoundBoard(QUEST) as board:
        split_in_two(board)
        run = board.claim("d", item="2")
        comment(board, "2", "20 MB", artifact="spec", target="Limits")
        assert hear(board, run) == ["spec, Limits: 20 MB"]
        board.report(run, "done")
        assert board.item("2").status == "done"


def test_a_comment_waits_for_the_next_stage_where_there_is_one() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        run = board.claim("d")
        comment(board, item, "mind the docs")
        board.bring(run, "done", change("a.py"))
        board.effort("ward", "done")
        assert board.item(item).column == "look"
        assert commented(board, "r") == ["mind the docs"]
        assert [one.heard for one in board.item(item).said] == [board.item(item).run]


def test_a_comment_on_a_task_whose_work_is_over_is_told_to_whoever_looks_at_the_whole() -> None:
    with SoundBoard(QUEST) as board:
        split_in_two(board)
        comment(board, "2", "told to its own agent")
        run = board.claim("d", item="2")
        board.bring(run, "done", change("a.py"))
        with pytest.raises(Refused, match="about to land"):
            say(board, "2", "too late")
        comment(board, "2", "while it lands")
        board.bring(LANDING, work=Work(commit="c1", merged="m1"))
        assert board.item("2").status == "done"
        comment(board, "2", "after its end")
        comment(board, "2", "a note", ENGINE)
        board.effort("d", "done")
        board.effort("ward", "done")
        brief = board.engine.claim(PERSON, "r")["brief"]
        told = [(one["item"], one["content"]) for one in brief["comments"]]
        assert told == [("2", "told to its own agent"), ("2", "while it lands"), ("2", "after its end")]


def test_comments_of_agents_the_engine_and_replies_that_resolve_are_said_to_nobody() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        comment(board, item, "before anybody works")
        run = board.claim("d")
        comment(board, item, "mine", run)
        comment(board, item, "from a file", Actor("r", file=True))
        comment(board, item, "noted", ENGINE)
        comment(board, item, "agreed", parent="c001", resolution="accepted")
        assert board.item(item).said == []


def test_a_long_comment_is_heard_in_part_and_is_never_refused() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        run = board.claim("d")
        comment(board, item, "x" * 9_000)
        assert hear(board, run)[0].endswith("x […the rest is in comment c001]")
        for number in range(25):
            comment(board, item, f"{number}")
        assert len(hear(board, run)) == 20


# -- taking


def test_taking_ends_the_agents_run_and_no_agent_begins_it() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        run = board.claim("d")
        mine = take(board, item)
        row = board.item(item)
        assert (row.status, row.taken, row.run) == ("running", "ada", mine.run)
        assert board.show(item)["why"].startswith("Taken by ada")
        with pytest.raises(Refused, match="not the current run"):
            board.report(run, "done")
        with pytest.raises(NothingToDo):
            board.claim("d")
        runs = board.show(item)["runs"]
        assert [(one["end"], one["person"], one["model"]) for one in runs] == [
            ("revoked", None, "small"),
            (None, "ada", None),
        ]


def test_a_person_keeps_it_for_weeks_and_over_reboots() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        mine = take(board, item)
        board.sleep(20 * 86_400)
        for _ in range(5):
            board.clock.reboot()
            board.add("the board goes on")
        again = take(board, item)
        assert again == mine, "whoever takes it again has the same run"
        assert board.item(item).taken == "ada"
        board.sleep(29 * 86_400)
        board.report(mine, "done")


def test_a_lease_that_did_run_out_counts_nothing() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        take(board, item)
        board.sleep(31 * 86_400)
        board.add("another")
        row = board.item(item)
        assert (row.status, row.taken, row.effort.executions) == ("ready", None, 0)


def test_a_person_takes_what_is_paused_resting_or_beyond_its_budget() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        for _ in range(2):
            board.engine.act(board.claim("d"), commands.ReleaseRun())
        with pytest.raises(NothingToDo):
            board.claim("d")  # two starts an hour, for agents
        board.engine.on_board(PERSON, commands.StopBoard())
        take(board, item)
        assert board.item(item).taken == "ada"


def test_nobody_takes_what_a_gate_proves_what_another_has_or_what_has_ended() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        mine = take(board, item)
        with pytest.raises(Refused, match="ada has taken item 1 already"):
            take(board, item, Actor("bob"))
        board.report(mine, "done")
        gate = board.claim("ward")
        with pytest.raises(Refused, match="nobody takes it over before"):
            take(board, item)
        board.report(gate, "done")
        run = board.claim("r")
        with pytest.raises(Refused, match="takes no other"):
            take(board, item, run)
        board.on(item, commands.CancelItem())
        with pytest.raises(Refused, match="it is cancelled"):
            take(board, item)


def test_paths_that_others_hold_are_not_taken() -> None:
    with SoundBoard(FLOW) as board:
        board.add(files=["a.py"])
        other = board.add(files=["a.py"])
        board.claim("d")
        with pytest.raises(Refused) as refused:
            take(board, other)
        assert refused.value.code == "path_held"


def test_given_back_counts_nothing_and_keeps_the_work() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        for number in range(4):
            mine = take(board, item)
            work = change("a.py", commit=f"c{number}", base=f"c{number - 1}" if number else None)
            board.engine.act(mine, commands.ReleaseRun(work=work))
        row = board.item(item)
        assert (row.status, row.taken, row.head, row.effort.releases) == ("ready", None, "c3", 0)
        assert row.because == "ada gave it back"
        assert board.claim("d").run is not None


# -- giving


def test_a_persons_work_goes_the_same_way_as_an_agents() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.bring(take(board, item), "done", change("a.py"))
        assert board.item(item).status == "proving"
        board.effort("ward", "done")
        assert board.place(item) == ("look", "ready")
        assert board.item(item).taken is None


def test_a_change_beyond_the_items_files_is_refused_and_the_run_lives() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add(files=["a.py"])
        mine = take(board, item)
        given = commands.ReportRun(report=report("done"), work=change("a.py", "Makefile"))
        with pytest.raises(Refused) as refused:
            board.engine.handle_run(mine, given)
        assert refused.value.code == "change_refused"
        assert "Makefile" in refused.value.message
        assert board.item(item).taken == "ada", "nothing has happened"
        board.engine.handle_run(mine, commands.WidenRun(paths=["Makefile"]))
        board.engine.handle_run(mine, given)
        assert board.item(item).status == "proving"
        assert board.item(item).widened == [], "a person named it: that is given"


def test_who_takes_a_place_that_only_reads_gives_no_change() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.effort("d", "done")
        board.effort("ward", "done")
        mine = take(board, item)
        with pytest.raises(Refused, match="r only reads in look"):
            board.engine.handle_run(mine, commands.ReportRun(report=report("done"), work=change("a.py")))
        board.report(mine, "done")
        assert board.item(item).status == "done"


# -- an answer while its item is at work


def asking(board: SoundBoard) -> tuple[str, Actor]:
    """A run that has asked a person, and goes on."""
    item = board.add()
    run = board.claim("d")
    board.on(item, commands.AskPerson(question="which login?", options=["token", "session"]), run)
    return item, run


def test_an_answer_is_heard_by_the_run_that_is_at_work() -> None:
    with SoundBoard(PLAIN) as board:
        item, run = asking(board)
        board.answer("q1", "session")
        assert hear(board, run) == ["Answer to q1 (which login?): session"]
        board.report(run, "done")
        assert (board.item(item).column, board.item(item).status) == ("look", "ready")


def test_an_answer_waits_for_the_next_stage_whose_brief_tells_it_once() -> None:
    with SoundBoard(PLAIN) as board:
        item, run = asking(board)
        board.answer("q1", "session")
        board.report(run, "done")
        assert board.item(item).column == "look"
        view = board.engine.claim(PERSON, "r")
        told = view["brief"]
        assert [one["answer"] for one in told["guidance"]] == ["session"] and told["said"] == []
        assert all(one.heard for one in board.item(item).said)


def test_no_item_ends_past_an_answer_that_came_while_its_last_gate_was_waited_for() -> None:
    flow = small_flow("""
columns: {dev: {agents: [d], next: done, gate: [ward]}}
agents: {d: {}}
gates: {ward: {run: ["true"]}}
""")
    with SoundBoard(flow) as board:
        item, run = asking(board)
        board.report(run, "done")
        assert board.item(item).status == "proving"
        board.answer("q1", "session")
        board.effort("ward", "done")
        it = board.item(item)
        assert (it.column, it.status) == ("dev", "ready") and "session" in (it.because or "")
        assert hear(board, board.claim("d")) == [], "its brief has told it"
        assert board.item(item).said[-1].heard


def test_no_item_ends_past_an_answer_that_nobody_has_heard() -> None:
    """The coder took a token and went on; the person chose the session while the reviewer was at work."""
    with SoundBoard(PLAIN) as board:
        item, run = asking(board)
        board.report(run, "done")
        look = board.claim("r")
        board.answer("q1", "session")
        board.report(look, "done")
        it = board.item(item)
        assert (it.column, it.status) == ("look", "ready") and "session" in (it.because or "")
        board.report(board.claim("r"), "done")
        assert board.item(item).status == "done"
