"""Paths belong to one item, run or person at a time: overlap, giving way, locks, order, starving, widening."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.core import commands
from folkmoot.core.commands import Actor, LockPaths, UnlockPaths, WidenRun
from folkmoot.core.rules.sharing.paths import bad_path, normal_path, overlap
from folkmoot.errors import Invalid, MootError, NothingToDo, Refused
from folkmoot.testing.builders import SoundBoard, TrialBoard, limited, line_flow, small_flow

DEV = line_flow("dev")
ASKED = "awaiting-divine-guidance"
ANN, BOB = Actor("ann"), Actor("bob")
TWO = small_flow("""
columns: {dev: {agents: [d], next: look}, look: {agents: [r], next: done, fix: dev}}
agents: {d: {}, r: {write: none}}
""")


def held(board: TrialBoard) -> list[tuple[str, str]]:
    """Every hold in force: its path and who is shown as its owner."""
    return [(hold.path, hold.owner) for hold in board.holds()]


def lock(board: TrialBoard, who: Actor, *paths: str, seconds: float = 1800) -> Any:
    return board.engine.lock(who, LockPaths(paths=list(paths), seconds=seconds))["locks"]


OVERLAPS = [
    ("src/a.py", "src/a.py", True),
    ("src/a.py", "src/b.py", False),
    ("src/", "src/a.py", True),
    ("src/auth/", "src/", True),
    ("src", "src/a.py", True),
    ("src/a", "src/a.py", False),
    ("src/ab/", "src/a/", False),
    ("src/A.py", "src/a.py", True),
    ("SRC/", "src/deep/down/a.py", True),
    ("src/ä.py", "src/a\u0308.py", True),
    ("src\\a.py", "src/a.py", True),
    ("./src//a.py", "src/a.py", True),
    ("STRASSE.md", "straße.md", True),
]


@pytest.mark.ledger("R-20", "H-10")
@pytest.mark.parametrize(("one", "two", "meet"), OVERLAPS)
def test_items_whose_paths_overlap_are_never_worked_on_at_once(one: str, two: str, meet: bool) -> None:
    with SoundBoard(DEV) as board:
        board.add("first", files=[one])
        second = board.add("second", files=[two])
        run = board.claim("dev-agent")
        if meet:
            with pytest.raises(NothingToDo):
                board.claim("dev-agent")
            with pytest.raises(Refused) as caught:
                board.claim("dev-agent", item=second)
            assert caught.value.code in ("path_held", "not_claimable")
        else:
            board.report(board.claim("dev-agent"), "done")
        board.report(run, "done")
        if meet:
            board.effort("dev-agent", "done")
        assert held(board) == []


paths = st.lists(st.sampled_from(["a", "A", "b", "ab", "a.py", "ß", "ss", "é"]), min_size=1, max_size=4).map("/".join)
spelled = st.tuples(paths, st.sampled_from(["", "/"])).map("".join)


@pytest.mark.ledger("R-20")
@given(spelled, spelled)
def test_overlap_is_symmetric_and_every_path_meets_itself_and_what_is_in_it(one: str, two: str) -> None:
    assert bool(overlap([one], [two])) == bool(overlap([two], [one]))
    assert overlap([one], [one]) and overlap([one], [f"{one.rstrip('/')}/{two}"])
    assert overlap([one], []) == [] and overlap([], [one]) == []


@pytest.mark.ledger("R-20")
@given(st.text(max_size=40))
def test_a_good_path_has_one_spelling_and_stays_inside(path: str) -> None:
    if bad_path(path) is None:
        normal = normal_path(path)
        assert normal_path(normal) == normal and not normal.startswith(("/", "~"))
        assert ".." not in normal.split("/") and bad_path(normal) is None


@pytest.mark.ledger("R-20")
@pytest.mark.parametrize(
    "path",
    [
        "",
        " ",
        ".",
        "./",
        "/",
        "..",
        "../a",
        "a/../..",
        "/etc",
        "~/x",
        "C:/x",
        "a\x00b",
        "a\nb",
        "x" * 1001,
        "..\\a",
        "\\x",
        "./.",
        "//",
        "a/..",
    ],
)
def test_what_leads_out_of_the_project_or_names_nothing_is_refused_everywhere(path: str) -> None:
    with SoundBoard(DEV) as board:
        item = board.add()
        with pytest.raises(Invalid):
            board.add("bad", files=[path])
        with pytest.raises(Invalid):
            board.on(item, commands.EditItem(files=[path]))
        with pytest.raises(Invalid):
            lock(board, ANN, path)
        run = board.claim("dev-agent")
        with pytest.raises(Invalid):
            board.engine.handle_run(run, WidenRun(paths=[path]))
        assert held(board) == []


@pytest.mark.ledger("R-20")
def test_an_item_holds_its_paths_from_its_first_writing_run_until_it_is_done() -> None:
    with SoundBoard(TWO) as board:
        board.add(files=["a.py"])
        assert held(board) == []
        board.effort("d", "done")
        assert held(board) == [("a.py", "d")]
        board.add("other", files=["a.py"])
        with pytest.raises(NothingToDo):
            board.claim("d")
        board.effort("r", "done")
        assert held(board) == []
        assert board.claim("d")


@pytest.mark.ledger("R-20")
def test_who_only_reads_holds_nothing_and_is_kept_out_of_nothing() -> None:
    with SoundBoard(TWO) as board:
        first = board.add(column="look", files=["a.py"])
        board.add(files=["a.py"])
        reader, writer = board.claim("r"), board.claim("d")
        assert held(board) == [("a.py", "d")] and board.item(first).holds == []
        board.report(reader, "done")
        board.report(writer, "done")


@pytest.mark.ledger("R-20", "R-16")
def test_an_item_that_asks_gives_way_and_takes_its_paths_again_when_it_goes_on() -> None:
    with SoundBoard(DEV) as board:
        first = board.add("first", files=["a.py"])
        second = board.add("second", files=["a.py"])
        board.effort("dev-agent", "asks", question={"question": "how?"})
        assert held(board) == [] and board.item(first).holds == []
        run = board.claim("dev-agent")
        assert board.item(second).run == run.run
        board.answer("q1", "so")
        assert board.place(first) == ("dev", "ready")
        with pytest.raises(NothingToDo):
            board.claim("dev-agent")
        board.report(run, "done")
        again = board.claim("dev-agent")
        assert board.item(first).holds == ["a.py"]
        board.report(again, "done")


@pytest.mark.ledger("R-20", "R-17")
def test_a_question_that_does_not_block_keeps_the_hold() -> None:
    with SoundBoard(DEV) as board:
        board.add(files=["a.py"])
        board.effort("dev-agent", "asks", question={"question": "which?", "blocking": False})
        assert held(board) == [("a.py", "dev-agent")]


@pytest.mark.ledger("R-20")
@pytest.mark.parametrize("then", ["cancel", "crash", "release", "fail"])
def test_holds_outlive_a_run_but_not_the_item(then: str) -> None:
    with SoundBoard(DEV) as board:
        item = board.add(files=["a.py"])
        run = board.claim("dev-agent")
        if then == "cancel":
            board.on(item, commands.CancelItem())
        elif then == "crash":
            board.crash(run)
        elif then == "release":
            board.engine.handle_run(run, commands.ReleaseRun())
        else:
            board.report(run, "failed", attempts=[{"approach": "x"}])
        assert held(board) == ([] if then == "cancel" else [("a.py", "dev-agent")])


@pytest.mark.ledger("R-20", "R-03")
def test_a_hold_keeps_nobody_out_that_its_holder_waits_for() -> None:
    with SoundBoard(DEV) as board:
        holder = board.add("holder", files=["src/"])
        run = board.claim("dev-agent")
        child = board.add("child", files=["src/a.py"], parent=holder)
        grandchild = board.add("grandchild", files=["src/a.py"], parent=child)
        with pytest.raises(NothingToDo):
            board.claim("dev-agent")  # while the holder has a live run, it keeps everybody out
        board.engine.handle_run(run, commands.ReleaseRun())
        assert board.place(holder) == ("dev", "waiting")
        inner = board.claim("dev-agent")
        assert board.item(grandchild).run == inner.run
        board.report(inner, "done")
        board.effort("dev-agent", "done")
        board.effort("dev-agent", "done")
        assert {board.item(one).status for one in (holder, child, grandchild)} == {"done"}


@pytest.mark.ledger("R-20", "R-03")
@pytest.mark.parametrize("starve", [1800, 1])
def test_holders_whose_children_want_each_others_paths_do_not_wait_in_a_circle(starve: int) -> None:
    with SoundBoard(limited(DEV, starve=starve)) as board:
        one = board.add("one", files=["a.py"])
        two = board.add("two", files=["c.py"])
        for run in (board.claim("dev-agent"), board.claim("dev-agent")):
            board.engine.handle_run(run, commands.ReleaseRun())
        for_one = board.add("for one", files=["c.py"], parent=one)
        for_two = board.add("for two", files=["a.py"], parent=two)
        board.sleep(60)
        assert board.wrong() == [], "one waits for its child, that for the path of two, two for its child, that for one"
        for _ in range(4):
            board.effort("dev-agent", "done")
        assert {board.item(item).status for item in (one, two, for_one, for_two)} == {"done"}


@pytest.mark.ledger("R-20", "H-06")
def test_a_persons_lock_keeps_writers_out_until_it_is_released_or_expires() -> None:
    with SoundBoard(DEV) as board:
        board.add(files=["src/a.py"])
        shown = lock(board, ANN, "src/", seconds=600)
        assert [(one["resource"], one["agent"], one["item"]) for one in shown] == [("src/", "ann", None)]
        with pytest.raises(NothingToDo):
            board.claim("dev-agent")
        board.sleep(599)
        with pytest.raises(NothingToDo):
            board.claim("dev-agent")
        board.sleep(1)
        assert board.claim("dev-agent"), "what waited for it wakes when it expires"


@pytest.mark.ledger("H-06")
def test_a_live_lock_of_another_is_refused_and_an_expired_one_can_be_taken() -> None:
    with SoundBoard(DEV) as board:
        lock(board, ANN, "a.py", seconds=60)
        for path in ("a.py", "A.PY", "a.py/"):
            with pytest.raises(Refused) as caught:
                lock(board, BOB, path)
            assert caught.value.code == "path_held" and "ann" in caught.value.message
        board.sleep(61)
        assert [one["agent"] for one in lock(board, BOB, "a.py")] == ["bob"]
        with pytest.raises(Refused) as late:
            board.engine.lock(ANN, UnlockPaths(paths=["a.py"]))
        assert late.value.code == "not_yours"


@pytest.mark.ledger("H-06")
def test_taking_ones_own_again_makes_it_last_longer() -> None:
    with SoundBoard(DEV) as board:
        lock(board, ANN, "a.py", seconds=60)
        board.sleep(50)
        lock(board, ANN, "a.py", seconds=60)
        board.sleep(50)
        assert held(board) == [("a.py", "ann")]
        assert board.engine.lock(ANN, UnlockPaths(paths=["a.py"]))["locks"] == []
        with pytest.raises(Refused):
            board.engine.lock(ANN, UnlockPaths(paths=["a.py"]))


@pytest.mark.ledger("H-06")
@pytest.mark.parametrize("in_run", [False, True])
@pytest.mark.parametrize(("first", "again", "left"), [(1800, 30, 1800), (30, 1800, 1800), (60, 60, 60)])
def test_taking_ones_own_again_never_makes_it_shorter(first: float, again: float, left: float, in_run: bool) -> None:
    with SoundBoard(DEV) as board:
        board.add()
        who = board.claim("dev-agent", lease=3600.0) if in_run else ANN
        before = lock(board, who, "a.py", seconds=first)[0]
        said = board.engine.lock(who, LockPaths(paths=["./a.py"], seconds=again))
        assert (
            "a.py: locked for longer already, and stays so until it is over or unlocked" in said.get("note", "")
        ) == (again < first)
        assert said["locks"][0]["acquired"] == before["acquired"]
        board.sleep(left - 1)
        assert [path for path, _ in held(board)] == ["a.py"]
        board.sleep(2)
        assert held(board) == []


@pytest.mark.ledger("H-06")
def test_who_wants_it_shorter_gives_it_up_first() -> None:
    with SoundBoard(DEV) as board:
        lock(board, ANN, "a.py", seconds=1800)
        board.engine.lock(ANN, UnlockPaths(paths=["a.py"]))
        said = board.engine.lock(ANN, LockPaths(paths=["a.py"], seconds=30))
        assert "note" not in said
        board.sleep(31)
        assert held(board) == []


@pytest.mark.ledger("H-06")
@given(st.lists(st.integers(1, 600), min_size=1, max_size=5))
def test_a_lock_lasts_as_long_as_the_longest_that_was_asked_for(spans: list[int]) -> None:
    with TrialBoard(DEV) as board:
        for seconds in spans:
            (locked,) = lock(board, ANN, "a.py", seconds=seconds)
        board.sleep(max(spans) - 1)
        assert locked["resource"] == "a.py" and held(board) == [("a.py", "ann")]


@pytest.mark.ledger("H-06")
def test_many_paths_are_locked_all_or_none() -> None:
    with SoundBoard(DEV) as board:
        lock(board, ANN, "c.py")
        with pytest.raises(Refused):
            lock(board, BOB, "a.py", "b.py", "c.py")
        assert held(board) == [("c.py", "ann")]
        for bad in ([], [f"{n}.py" for n in range(201)]):
            with pytest.raises(Invalid):
                board.engine.lock(BOB, LockPaths(paths=bad, seconds=60))
        for seconds in (0, -1, 8 * 86_400):
            with pytest.raises(Invalid):
                lock(board, BOB, "a.py", seconds=seconds)


@pytest.mark.ledger("H-06")
def test_nobody_takes_the_lock_of_one_whose_name_begins_like_theirs() -> None:
    with SoundBoard(DEV) as board:
        lock(board, Actor("ann:b"), "c.py")
        with pytest.raises(Refused) as caught:
            lock(board, ANN, "c.py")
        assert caught.value.code == "path_held"


@pytest.mark.ledger("R-20", "H-06")
def test_a_lock_cannot_be_taken_on_what_an_item_holds_nor_released_by_hand() -> None:
    with SoundBoard(DEV) as board:
        board.add(files=["src/a.py"])
        board.claim("dev-agent")
        with pytest.raises(Refused) as caught:
            lock(board, ANN, "src/")
        assert "item 1" in caught.value.message
        with pytest.raises(Refused) as mine:
            board.engine.lock(ANN, UnlockPaths(paths=["src/a.py"]))
        assert mine.value.code == "not_yours"


@pytest.mark.ledger("R-27", "H-06")
@pytest.mark.parametrize("end", ["report", "release", "crash", "revoke"])
def test_locks_of_a_run_end_with_it(end: str) -> None:
    with SoundBoard(DEV) as board:
        item = board.add()
        run = board.claim("dev-agent")
        lock(board, run, "shared.py")
        assert held(board) == [("shared.py", "dev-agent")]
        with pytest.raises(Refused):
            lock(board, ANN, "shared.py")
        if end == "report":
            board.report(run, "failed", attempts=[{"approach": "x"}])
        elif end == "release":
            board.engine.handle_run(run, commands.ReleaseRun())
        elif end == "crash":
            board.crash(run)
        else:
            board.on(item, commands.MoveItem(column="dev"))
        assert held(board) == []


@pytest.mark.ledger("R-27")
def test_who_would_release_what_a_run_of_its_agent_holds_is_told_which_run() -> None:
    """`d has no lock: it is held by d` says nothing."""
    with SoundBoard(DEV) as board:
        board.add()
        run = board.claim("dev-agent")
        lock(board, run, "a.py")
        with pytest.raises(Refused) as refused:
            board.engine.lock(Actor("dev-agent"), UnlockPaths(paths=["a.py"]))
        assert f"by its run {run.run}" in refused.value.message


@pytest.mark.ledger("R-27")
def test_a_stale_run_locks_unlocks_and_widens_nothing() -> None:
    with SoundBoard(DEV) as board:
        board.add()
        run = board.claim("dev-agent")
        board.engine.handle_run(run, commands.ReleaseRun())
        for act in (
            lambda: lock(board, run, "a.py"),
            lambda: board.engine.lock(run, UnlockPaths(paths=["a.py"])),
            lambda: board.engine.handle_run(run, WidenRun(paths=["a.py"])),
        ):
            with pytest.raises(Refused) as caught:
                act()
            assert caught.value.code == "stale_claim"
        assert held(board) == []


@pytest.mark.ledger("R-20")
def test_a_run_that_widens_gets_what_nobody_holds_and_never_waits() -> None:
    with SoundBoard(DEV) as board:
        first = board.add("first", files=["a.py"])
        board.add("second", files=["b.py"])
        one, two = board.claim("dev-agent"), board.claim("dev-agent")
        board.engine.handle_run(one, WidenRun(paths=["c.py", "a.py"]))
        assert board.show(first)["files"] == ["a.py", "c.py"] == board.show(first)["holds"]
        with pytest.raises(Refused) as caught:
            board.engine.handle_run(one, WidenRun(paths=["d.py", "B.py"]))
        assert caught.value.code == "path_held" and board.show(first)["files"] == ["a.py", "c.py"]
        with pytest.raises(Refused):
            board.engine.handle_run(two, WidenRun(paths=["C.py"]))
        board.report(one, "done")
        board.engine.handle_run(two, WidenRun(paths=["c.py"]))
        board.report(two, "done")
        assert held(board) == []


@pytest.mark.ledger("R-20", "H-06")
def test_a_persons_lock_on_a_quests_file_keeps_only_that_task_waiting() -> None:
    flow = small_flow("""
discover: plan
columns: {plan: {agents: [p], next: work}, work: {agents: [w], next: done}}
agents: {p: {may: [ask, split], write: none}, w: {}}
""")
    with SoundBoard(flow) as board:
        quest = board.add()
        board.effort("p", "split", tasks=[{"title": "a", "files": ["a.py"]}, {"title": "b", "files": ["b.py"]}])
        lock(board, ANN, "a.py")
        board.effort("w", "done")
        with pytest.raises(NothingToDo):
            board.claim("w")
        assert board.place(quest) == ("work", "waiting")
        board.sleep(1801)
        board.effort("w", "done")
        assert board.place(quest) == ("done", "done")


@pytest.mark.ledger("R-23")
def test_of_ready_items_the_one_that_keeps_most_others_waiting_goes_first() -> None:
    with SoundBoard(DEV) as board:
        board.add("alone", files=["x.py"])
        busy = [board.add(f"busy {n}", files=["hub.py"]) for n in range(3)]
        run = board.claim("dev-agent")
        assert board.item(busy[0]).run == run.run, "two others wait for its path"


@pytest.mark.ledger("R-23")
def test_work_queued_behind_a_folder_is_work_queued_behind_what_is_in_it() -> None:
    with SoundBoard(DEV) as board:
        board.add("alone", files=["x.py"])
        board.add("one", files=["src/a.py"])
        board.add("two", files=["src/b.py"])
        folder = board.add("all", files=["src/"])
        run = board.claim("dev-agent")
        assert board.item(folder).run == run.run, "two others wait for its busiest path"


@pytest.mark.ledger("R-23")
def test_a_starved_item_reserves_its_paths_and_no_newcomer_takes_them() -> None:
    with SoundBoard(limited(DEV, starve=100)) as board:
        board.add("holds a", files=["a.py"])
        one = board.claim("dev-agent", lease=3000)
        big = board.add("big", files=["a.py", "b.py"])
        board.sleep(200)
        small = board.add("small", files=["b.py"], priority="critical")
        with pytest.raises(NothingToDo):
            board.claim("dev-agent")
        board.report(one, "done")
        run = board.claim("dev-agent")
        assert board.item(big).run == run.run
        board.report(run, "done")
        assert board.claim("dev-agent").run == board.item(small).run


@pytest.mark.ledger("R-23", "R-03")
def test_a_reservation_does_not_keep_out_what_a_present_holder_waits_for() -> None:
    with SoundBoard(limited(DEV, starve=100)) as board:
        holder = board.add("holder", files=["a.py"])
        board.engine.handle_run(board.claim("dev-agent"), commands.ReleaseRun())
        starved = board.add("starved", files=["a.py"])
        board.sleep(200)
        child = board.add("child", files=["a.py"], parent=holder)
        run = board.claim("dev-agent")
        assert board.item(child).run == run.run, "the holder waits for it, and the starved one for the holder"
        board.report(run, "done")
        board.effort("dev-agent", "done")
        assert board.place(holder)[1] == "done"
        board.effort("dev-agent", "done")
        assert board.place(starved)[1] == "done"


@pytest.mark.ledger("R-20")
def test_what_a_person_declares_while_a_run_is_alive_is_held_from_the_next_claim_on() -> None:
    with SoundBoard(DEV) as board:
        item = board.add(files=["a.py"])
        run = board.claim("dev-agent")
        board.on(item, commands.EditItem(files=["b.py"]))
        assert held(board) == [("a.py", "dev-agent")], "the run may still write it"
        board.engine.handle_run(run, commands.ReleaseRun())
        assert held(board) == [], "what a person took out of its files is given up"
        again = board.claim("dev-agent")
        assert held(board) == [("b.py", "dev-agent")]
        board.report(again, "done")
        assert held(board) == []


@pytest.mark.ledger("R-20", "H-10")
def test_a_holder_that_waits_no_longer_does_not_go_on_beside_the_one_it_let_in() -> None:
    with SoundBoard(DEV) as board:
        holder = board.add("holder", files=["src/b.py"])
        board.engine.handle_run(board.claim("dev-agent"), commands.ReleaseRun())
        needed = board.add("needed", files=["src/"])
        board.on(holder, commands.EditItem(after=[needed]))
        run = board.claim("dev-agent")
        assert board.item(needed).run == run.run
        board.on(holder, commands.EditItem(after=[]))
        with pytest.raises(NothingToDo):
            board.claim("dev-agent")
        board.on(holder, commands.EditItem(files=["A.py"]))
        other = board.claim("dev-agent")
        assert board.item(holder).holds == ["A.py"]
        board.report(other, "done")
        board.report(run, "done")


@pytest.mark.ledger("R-20")
def test_a_thousand_files_are_held_and_given_up() -> None:
    with SoundBoard(DEV) as board:
        board.add(files=[f"src/{n}.py" for n in range(1000)])
        board.add("other", files=["src/999.PY"])
        run = board.claim("dev-agent")
        with pytest.raises(NothingToDo):
            board.claim("dev-agent")
        board.report(run, "done")
        assert held(board) == []
        assert board.claim("dev-agent")


moves = st.lists(
    st.tuples(
        st.sampled_from(
            ["add", "claim", "done", "ask", "answer", "fail", "lock", "unlock", "widen", "sleep", "runlock"]
        ),
        st.sampled_from(["a.py", "A.py", "src/", "src/a.py", "src/b/c.py", "b.py", "src"]),
    ),
    max_size=30,
)


@pytest.mark.ledger("R-20", "H-10")
@settings(max_examples=60, deadline=None)
@given(moves)
def test_at_any_time_no_path_has_two_live_holds_of_different_owners(steps: list[tuple[str, str]]) -> None:
    with SoundBoard(limited(DEV, own_attempts=50)) as board:
        runs: list[Actor] = []
        for kind, path in steps:
            with suppress(MootError):
                _one_move(board, runs, kind, path)
            holds = board.holds()
            for number, one in enumerate(holds):
                for two in holds[number + 1 :]:
                    mine = one.owner == two.owner if one.item is None else one.item == two.item
                    assert mine or not overlap([one.path], [two.path]), (one, two)


def _one_move(board: TrialBoard, runs: list[Actor], kind: str, path: str) -> None:
    if kind == "add":
        board.add(files=[path])
    elif kind == "claim":
        runs.append(board.claim("dev-agent"))
    elif kind in ("done", "ask", "fail") and runs:
        run = runs.pop(0)
        asked = {"question": {"question": "?"}}
        board.report(run, {"done": "done", "ask": "asks", "fail": "failed"}[kind], **(asked if kind == "ask" else {}))
    elif kind == "answer" and board.inbox():
        board.answer(board.inbox()[0])
    elif kind in ("lock", "unlock"):
        make = LockPaths(paths=[path], seconds=100) if kind == "lock" else UnlockPaths(paths=[path])
        board.engine.lock(ANN, make)
    elif kind == "runlock" and runs:
        lock(board, runs[0], path)
    elif kind == "widen" and runs:
        board.engine.handle_run(runs[-1], WidenRun(paths=[path]))
    elif kind == "sleep":
        board.sleep(40)
