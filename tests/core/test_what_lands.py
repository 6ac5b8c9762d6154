"""What a merge really brings onto a branch is judged, not only what a run changed (R-20)."""

import pytest
from msgspec.structs import replace

from folkmoot.core import commands
from folkmoot.core.item import Item
from folkmoot.core.rules.running.rights import strays
from folkmoot.core.rules.sharing.paths import outside, overlap
from folkmoot.core.work import LINK, Touched, Work
from folkmoot.testing.builders import SoundBoard, TrialBoard, change, small_flow

ITEM = Item(id="1", title="x", column="dev")
FLOW = small_flow("""
columns: {dev: {agents: [d], next: done}, aside: {agents: [e], next: done}}
agents: {d: {may: [ask, split, delegate, dispatch]}, e: {}}
""")


def lands(*paths: str) -> list[Touched]:
    return [Touched(path) for path in paths]


def record(board: TrialBoard, *paths: str, new: str = "m1") -> None:
    order = commands.RecordLanding(branch="main", old="t", new=new, tree="t1", touched=lands(*paths))
    board.engine.handle_run(board.claim("landing"), order)


@pytest.mark.parametrize(
    ("path", "files", "fits"),
    [
        ("makefile", ["makefile"], True),
        ("Makefile", ["makefile"], False),
        ("src/a.py", ["src/"], True),
        ("src/a.py", ["src"], True),
        ("SRC/a.py", ["src/"], False),
        ("srcs/a.py", ["src"], False),
        ("caf\u0065\u0301.py", ["caf\u00e9.py"], True),
        (" a.py", ["a.py"], False),
    ],
)
@pytest.mark.ledger("R-20")
def test_a_right_is_to_the_exact_name(path: str, files: list[str], fits: bool) -> None:
    assert (outside([path], files) == []) == fits
    assert overlap(["Makefile"], ["makefile"]) == ["Makefile"], "but two who write twins are in each other's way"


@pytest.mark.ledger("R-20")
def test_what_a_merge_brings_is_looked_at_like_what_a_run_changed() -> None:
    assert strays(lands("src/a.py", "docs/b.md"), FLOW, replace(ITEM, files=["src/"]), ["docs/b.md"]) == []
    assert (
        "core/crown.py is not among its files"
        in strays(lands("core/crown.py"), FLOW, replace(ITEM, files=["src/"]), ["src/big.py"])[0]
    )
    assert strays(lands("core/crown.py"), FLOW, ITEM, ["src/big.py"]) == [], (
        "who declared nothing takes it when it lands"
    )
    for one in (Touched(".git/config"), Touched("sub", mode="160000"), Touched("l", "created", LINK, "../../etc")):
        assert len(strays([one], FLOW, ITEM, [])) == 1


@pytest.mark.ledger("R-20")
def test_a_landing_with_one_path_too_many_is_refused_whole_and_sent_back() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add(files=["src/big.py"])
        board.bring("d", work=change("src/big.py"))
        record(board, "src/big.py", "core/crown.py")
        row = board.item(item)
        assert (row.column, row.status, row.head, row.landing, row.returns_to) == ("dev", "ready", "m1", None, "done")
        assert "core/crown.py" in row.findings[0].issue
        board.bring("d", work=Work(base="m1"))  # it says done, and has changed nothing
        record(board, "core/crown.py", new="m2")
        assert board.place(item) == ("dev", "ready"), "what a merge has brought is not taken for what it may change"
        run = board.claim("d")
        board.engine.handle_run(run, commands.WidenRun(paths=["core/crown.py"]))
        board.bring(run, work=change("core/crown.py", base="m2", commit="c2"))
        record(board, "core/crown.py", new="m3")
        assert board.item(item).landing is not None


@pytest.mark.ledger("R-20", "R-24")
def test_what_children_may_change_their_parent_may_land() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add(files=["src/"])
        board.effort("d", "split", tasks=[{"title": "one", "files": ["docs/a.md"]}])
        board.bring("d", work=change("docs/a.md", commit="k1", merged="p1", lands=lands("docs/a.md")))
        assert board.item(item).changed == ["docs/a.md"]
        record(board, "docs/a.md")
        assert board.item(item).landing is not None


@pytest.mark.ledger("R-20")
def test_a_childs_work_is_judged_by_what_it_brings_onto_its_parents_branch() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.effort("d", "split", tasks=[{"title": "one", "files": ["src/big.py"]}])
        (task,) = board.children(item, "task")
        stray = change("src/big.py", commit="k1", merged="p1", lands=lands("core/crown.py"))
        board.bring("d", work=stray)
        assert board.item(item).head is None and board.item(task.id).effort.conflicts == 1
        board.engine.lock(commands.Actor("ann"), commands.LockPaths(paths=["core/"], seconds=60))
        run = board.claim("d")
        board.bring(run, work=change("src/big.py", commit="k2", merged="p1", lands=lands("src/big.py", "core/x.py")))
        assert board.item(item).head is None


@pytest.mark.ledger("R-25")
def test_whoever_is_delegated_to_has_the_files_of_the_item_it_helps() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add(files=["src/"])
        board.effort("d", "delegates", delegate=[{"task": "do it", "to": "e", "scope": "fix"}])
        (helper,) = board.children(item, "dispatch")
        assert helper.files == ["src/"]
        board.bring("e", work=change("docs/x.md", commit="k1", merged="p1"))
        assert board.item(item).head is None and board.item(helper.id).effort.conflicts == 1
        board.bring("e", work=change("src/x.py", commit="k1", merged="p1"))
        assert board.item(item).head == "p1" and board.place(item) == ("dev", "ready")
