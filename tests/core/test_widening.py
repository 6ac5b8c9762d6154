"""How far a run may widen its item's files by itself, and what it takes to get further (R-20)."""

from typing import Any

import pytest

from folkmoot.core import commands
from folkmoot.core.report import Task
from folkmoot.core.rules.sharing.widening import is_guarded
from folkmoot.errors import Invalid, Refused
from folkmoot.testing.builders import SoundBoard, TrialBoard, change, small_flow


def flow(widen: str = "") -> Any:
    return small_flow(f"""
    columns: {{dev: {{agents: [d], next: done}}}}
    agents: {{d: {{may: [ask, split, dispatch]}}}}
    {f"widen: {widen}" if widen else ""}
    """)


def widen(board: TrialBoard, run: commands.Actor, *paths: str) -> None:
    board.engine.handle_run(run, commands.WidenRun(paths=list(paths)))


@pytest.mark.parametrize("path", [".github/workflows/ci.yml", ".github/", "Makefile", "web/package.json", "uv.lock"])
def test_what_builds_and_checks_the_project_is_guarded(path: str) -> None:
    assert is_guarded(path)


@pytest.mark.parametrize("path", ["src/make.py", "docs/github.md", "src/lock.py", "requirements.md"])
def test_what_is_made_in_it_is_not(path: str) -> None:
    assert not is_guarded(path)


@pytest.mark.attack(
    "rights", "a run widens its item's files to the CI's", "a person is asked once, and the run has them not before"
)
@pytest.mark.ledger("R-20")
def test_a_person_is_asked_once_about_guarded_files_and_the_answer_decides() -> None:
    with SoundBoard(flow()) as board:
        item = board.add(files=["src/"])
        run = board.claim("d")
        for _ in range(3):
            with pytest.raises(Refused) as caught:
                widen(board, run, "src/x.py", ".github/ci.yml")
            assert caught.value.code == "person_asked" and ".github/ci.yml" in caught.value.message
        assert board.item(item).files == ["src/"] and board.item(item).status == "running"
        (question,) = board.inbox()
        with pytest.raises(Invalid):
            board.answer(question, "hm")
        board.answer(question, "1")
        assert board.item(item).files == ["src/", ".github/ci.yml"]
        widen(board, run, ".github/ci.yml")
        board.report(run, "incomplete")
        brief = board.engine.claim(commands.Actor("ann"), "d")["brief"]
        assert ".github/ci.yml" in str(brief["guidance"])


@pytest.mark.ledger("R-20")
def test_a_person_who_says_no_is_not_asked_again() -> None:
    with SoundBoard(flow()) as board:
        item = board.add(files=["src/"])
        run = board.claim("d")
        with pytest.raises(Refused):
            widen(board, run, "Makefile")
        board.answer(board.inbox()[0], "no")
        with pytest.raises(Refused) as caught:
            widen(board, run, "Makefile")
        assert caught.value.code == "may_not_widen" and board.inbox() == []
        assert board.item(item).files == ["src/"] and board.item(item).denied == ["Makefile"]


@pytest.mark.parametrize(
    ("policy", "path", "code"),
    [
        ("allow", "Makefile", None),
        ("ask", "docs/a.md", "person_asked"),
        ("deny", "docs/a.md", "may_not_widen"),
        ("[docs/, Makefile]", "docs/a.md", None),
        ("[docs/, Makefile]", "web/a.js", "person_asked"),
        ("", "docs/a.md", None),
    ],
)
@pytest.mark.ledger("R-20")
def test_the_flow_says_how_far_a_run_may_go(policy: str, path: str, code: str | None) -> None:
    with SoundBoard(flow(policy)) as board:
        item = board.add(files=["src/"])
        run = board.claim("d")
        if code is None:
            widen(board, run, path)
            assert path in board.item(item).files
        else:
            with pytest.raises(Refused) as caught:
                widen(board, run, path)
            assert caught.value.code == code and path not in board.item(item).files


@pytest.mark.attack(
    "rights", "a run adds an item, or splits off a task, for files that it would have to ask for", "it is refused"
)
@pytest.mark.ledger("R-20")
def test_no_item_that_a_run_makes_reaches_further_than_the_run() -> None:
    with SoundBoard(flow()) as board:
        item = board.add(files=["src/"])
        run = board.claim("d")
        with pytest.raises(Refused) as caught:
            board.engine.add(run, commands.AddItem(title="sly", files=["Makefile"]))
        assert caught.value.code == "may_not_widen"
        board.engine.add(run, commands.AddItem(title="fine", files=["docs/a.md"]))
        board.report(run, "split", tasks=[{"title": "sly", "files": ["Makefile"]}])
        assert "Makefile" in (board.item(item).told or "") and board.children(item) == []


@pytest.mark.ledger("R-20")
@pytest.mark.parametrize("outcome", ["incomplete", "failed", "released"])
def test_work_that_is_left_for_a_held_path_waits_for_its_holder_and_then_has_it(outcome: str) -> None:
    with SoundBoard(flow()) as board:
        holder = board.claim("d", item=board.add(files=["src/hot.py"]))
        item = board.add(files=["src/own.py"])
        run = board.claim("d", item=item)
        for _ in range(3):
            with pytest.raises(Refused) as caught:
                widen(board, run, "src/hot.py")
            assert caught.value.code == "path_held" and "is held by d for item 1" in caught.value.message
        assert [event["event"] for event in board.log(item)].count("paths_wanted") == 1
        if outcome == "released":
            board.engine.handle_run(run, commands.ReleaseRun())
        else:
            board.report(
                run, outcome, summary="it needs src/hot.py", **({"cause": "conflict"} if outcome == "failed" else {})
            )
        runs = board.item(item).span.runs
        with pytest.raises(Refused):
            board.claim("d", item=item)
        assert board.item(item).span.runs == runs, "to wait costs no run"
        board.report(holder, "done")
        board.claim("d", item=item)
        assert board.item(item).holds == ["src/own.py", "src/hot.py"]


@pytest.mark.ledger("R-20")
def test_work_that_was_done_without_a_held_path_does_not_take_it() -> None:
    with SoundBoard(flow()) as board:
        board.claim("d", item=board.add(files=["src/hot.py"]))
        item = board.add(files=["src/own.py"])
        run = board.claim("d", item=item)
        with pytest.raises(Refused):
            widen(board, run, "src/hot.py")
        board.report(run, "done")
        assert board.item(item).files == ["src/own.py"] and board.item(item).wanted == []


@pytest.mark.ledger("R-03", "R-20")
def test_two_that_want_each_others_path_do_not_wait_for_ever() -> None:
    with SoundBoard(flow()) as board:
        one, two = board.add(files=["src/a.py"]), board.add(files=["src/b.py"])
        first, second = board.claim("d", item=one), board.claim("d", item=two)
        for run, path in ((first, "src/b.py"), (second, "src/a.py")):
            with pytest.raises(Refused):
                widen(board, run, path)
        board.report(first, "incomplete", summary="x")
        board.report(second, "incomplete", summary="x")
        run = board.claim("d")
        board.report(run, "done")
        board.report(board.claim("d"), "done")
        assert {board.item(one).status, board.item(two).status} == {"done"}


@pytest.mark.attack(
    "rights", "a run widens to a folder with build files in it", "they are not the item's; whoever names one is asked"
)
@pytest.mark.ledger("R-20")
def test_a_folder_that_a_run_took_by_itself_covers_no_guarded_file() -> None:
    with SoundBoard(flow()) as board:
        item = board.add(files=["src/a.py"])
        run = board.claim("d")
        widen(board, run, "web/")
        board.bring(run, "done", change("web/a.js", "web/package.json"))
        refused = [event for event in board.log(item) if event["event"] == "work_refused"]
        assert "web/package.json is not among its files" in str(refused) and board.item(item).head is None
        board.bring("d", "done", change("web/a.js"))
        assert board.item(item).head is not None


@pytest.mark.ledger("R-20")
def test_what_a_person_gives_covers_all_that_is_in_it() -> None:
    with SoundBoard(flow()) as board:
        item = board.add(files=["src/a.py"])
        run = board.claim("d")
        widen(board, run, "web/")
        board.on(item, commands.EditItem(files=["src/a.py", "web/"]))
        board.bring(run, "done", change("web/package.json"))
        assert board.item(item).head is not None


@pytest.mark.attack(
    "rights",
    "a run on an item with files makes an item that names none: by adding, splitting, or finding something else",
    "it gets the files of the run's own item",
)
@pytest.mark.ledger("R-20")
@pytest.mark.parametrize("how", ["add", "split"])
def test_an_item_that_a_run_makes_without_files_has_those_of_its_own(how: str) -> None:
    with SoundBoard(flow("deny")) as board:
        item = board.add(files=["src/a.py"])
        run = board.claim("d")
        if how == "add":
            made = board.engine.add(run, commands.AddItem(title="free"))["id"]
        else:
            board.report(
                run, "split", tasks=[Task(title="free", key="a"), Task(title="bound", key="b", files=["src/a.py"])]
            )
            made = board.item(item).waits_for[0]
        assert board.item(made).files == ["src/a.py"]


@pytest.mark.attack(
    "claims", "a run adds a child to somebody else's item, which would wait for it", "it is refused: `not_its_item`"
)
@pytest.mark.ledger("R-33")
def test_a_run_lets_only_its_own_item_wait() -> None:
    with SoundBoard(flow()) as board:
        other, item = board.add(), board.add(priority="critical")
        run = board.claim("d")
        with pytest.raises(Refused) as caught:
            board.engine.add(run, commands.AddItem(title="blocker", parent=other))
        assert caught.value.code == "not_its_item" and board.item(other).status == "ready"
        board.engine.add(run, commands.AddItem(title="of its own", parent=item))


@pytest.mark.attack(
    "limits",
    "a run widens its item, or locks, by hundreds of new paths again and again: each claim would look at all of them",
    "an item has so many paths and no more, a run so many locks; what it has already writes nothing",
)
@pytest.mark.ledger("R-20", "R-33")
@pytest.mark.parametrize("size", [10, 200])
def test_what_one_run_may_hold_is_bounded(size: int) -> None:
    with SoundBoard(flow()) as board:
        item, other = board.add(files=["src/a.py"]), board.add(files=["lib/b.py"])
        run = board.claim("d", item=item)
        for name in ("src", "etc"):
            codes = []
            for at in range(0, 1100, 100):
                paths = [f"{name}/{number}".ljust(size, "x") for number in range(at, at + 100)]
                try:
                    if name == "src":
                        widen(board, run, *paths)
                    else:
                        board.engine.lock(run, commands.LockPaths(paths=paths, seconds=60))
                except Refused as error:
                    codes.append(error.code)
            assert codes and set(codes) == {"too_many_paths"}
        assert len(board.item(item).files) <= 1000 and len(board.holds()) <= 2000
        before = len(board.log())
        widen(board, run, "src/a.py")
        assert len(board.log()) == before
        assert board.claim("d", item=other).run


@pytest.mark.attack(
    "limits",
    "a run asks for one guarded file after the other, each of which is a question to a person",
    "they count as questions of the run: so many, and no more",
)
@pytest.mark.ledger("R-33")
def test_questions_about_guarded_files_are_bounded() -> None:
    with SoundBoard(flow()) as board:
        run = board.claim("d", item=board.add(files=["src/a.py"]))
        codes = []
        for number in range(30):
            with pytest.raises(Refused) as told:
                widen(board, run, f".github/workflows/{number}.yml")
            codes.append(told.value.code)
        assert codes == ["person_asked"] * 20 + ["too_many_questions"] * 10
        assert len(board.inbox()) == 20
