"""What a run may change: tables of what each role may, of what nobody may, and what becomes of a change too many."""

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from folkmoot.core import commands
from folkmoot.core.enums import WriteRight
from folkmoot.core.item import Item
from folkmoot.core.records import Hold
from folkmoot.core.report import Report
from folkmoot.core.rules.running.names import is_repository
from folkmoot.core.rules.running.rights import NEVER, danger, is_test, taken_by_others, trespasses
from folkmoot.core.rules.sharing.paths import outside
from folkmoot.core.work import LINK, SUBMODULE, Touched, Work
from folkmoot.errors import Refused
from folkmoot.testing.builders import SoundBoard, change, small_flow

ITEM = Item(id="1", title="x", column="dev")
FLOW = small_flow("""
columns:
  dev:    {agents: [d], next: look}
  look:   {agents: [r], next: proof, fix: dev}
  proof:  {agents: [t], next: mend, fix: dev}
  mend:   {agents: [m], next: done}
agents:
  d: {may: [ask, delegate], experts: [sage]}
  r: {write: none}
  t: {write: new_tests}
  m: {write: any}
  sage: {expert: true}
""")
NFC, NFD = "src/caf\u00e9.py", unicodedata.normalize("NFD", "src/caf\u00e9.py")
ASKED = "awaiting-divine-guidance"


def hold(path: str) -> Hold:
    return Hold(id=f"item:9:{path}", path=path, owner="another", item="9")


# path, how, mode, link, is it refused for everybody?
EVERYBODY = [
    ("src/a.py", "modified", "100644", None, False),
    ("bin/run", "created", "100755", None, False),
    (".gitignore", "modified", "100644", None, False),
    (".github/workflows/ci.yml", "created", "100644", None, False),
    ("docs/moot", "created", "100644", None, False),
    ("docs/.mootrc", "created", "100644", None, False),
    ("docs/.moot", "created", "100644", None, True),
    ("sub/.moot/board.db", "created", "100644", None, True),
    ("a/b/.moot/flow.yaml", "modified", "100644", None, True),
    ("sub/.moot/flow.yaml", "deleted", "100644", None, True),
    ("sub/.MooT/x", "created", "100644", None, True),
    ("sub/MOOT~1/x", "created", "100644", None, True),
    ("sub/mo4a2f~1/x", "created", "100644", None, True),
    ("sub/gi7eba~1/x", "created", "100644", None, True),
    ("sub/.moot./x", "created", "100644", None, True),
    ("sub/.moot /x", "created", "100644", None, True),
    ("sub/.moot:stream", "created", "100644", None, True),
    ("sub/.moot::$INDEX_ALLOCATION/x", "created", "100644", None, True),
    ("sub\\.moot\\x", "created", "100644", None, True),
    ("sub/\uff0emoot/x", "created", "100644", None, True),
    ("sub/.\uff4d\uff4f\uff4f\uff54/x", "created", "100644", None, True),
    ("sub/.mo\u00adot/x", "created", "100644", None, True),
    ("sub/.mo\u034fot/x", "created", "100644", None, True),
    ("sub/.moot\ufe0f/x", "created", "100644", None, True),
    ("sub/.m\u3164oot/x", "created", "100644", None, True),
    ("sub/.m\U000e0100oot/x", "created", "100644", None, True),
    ("sub\uff0f.moot/x", "created", "100644", None, True),
    (".git/config", "modified", "100644", None, True),
    (".git/hooks/pre-commit", "created", "100755", None, True),
    (".git/HEAD", "deleted", "100644", None, True),
    ("vendor/.GIT/config", "created", "100644", None, True),
    ("vendor/git~1/config", "created", "100644", None, True),
    ("vendor/.g\u200cit/config", "created", "100644", None, True),
    ("vendor/.git /config", "created", "100644", None, True),
    ("vendor/.git./config", "created", "100644", None, True),
    ("vendor/.git::$INDEX_ALLOCATION/config", "created", "100644", None, True),
    ("a\\.git\\config", "created", "100644", None, True),
    (".moot/board.db", "modified", "100644", None, True),
    (".MOOT/flow.yaml", "created", "100644", None, True),
    ("../outside", "created", "100644", None, True),
    ("..\\..\\outside", "created", "100644", None, True),
    ("/etc/passwd", "modified", "100644", None, True),
    ("vendor/lib", "created", SUBMODULE, None, True),
    ("vendor/lib", "deleted", SUBMODULE, None, False),
    ("pipe", "created", "010000", None, True),
    ("here", "created", LINK, "src/a.py", False),
    ("src/up", "created", LINK, "../docs/x.md", False),
    ("src/deep/up", "modified", LINK, "../../docs", False),
    ("out", "created", LINK, "../other", True),
    ("src/out", "created", LINK, "../../other", True),
    ("out", "created", LINK, "/etc/passwd", True),
    ("out", "created", LINK, "~/.ssh/id", True),
    ("out", "created", LINK, "C:\\secrets", True),
    ("out", "created", LINK, "..\\other", True),
    ("out", "created", LINK, None, True),
    ("out", "created", LINK, "src\0/x", True),
    # Up from behind a name: `src` may be a link to the root itself, and up from there is outside.
    ("out", "created", LINK, "src/../x", True),
    ("src/out", "created", LINK, "../docs/../../x", True),
    ("into", "created", LINK, ".git/config", True),
    ("into", "created", LINK, ".Git/config", True),
    ("src/into", "created", LINK, "../.moot", True),
    ("src/into", "created", LINK, "../sub/.moot", True),
    ("src/into", "created", LINK, "deep/.MOOT/board.db", True),
    ("src/into", "created", LINK, "deep/moot~1", True),
    ("bin/moot", "modified", "engine", None, True),
    ("bin/moot", "deleted", "engine", None, True),
    ("out", "deleted", LINK, "/etc/passwd", False),
]


@pytest.mark.ledger("Q-03", "R-20")
@pytest.mark.parametrize(("path", "how", "mode", "link", "refused"), EVERYBODY)
def test_what_nobody_may_change(path: str, how: str, mode: str, link: str | None, refused: bool) -> None:
    touched = Touched(path, how, mode, link)
    assert (danger(touched) is not None) == refused
    assert bool(trespasses([touched], "any", FLOW, ITEM)) == refused


# write, files, path, how, is it allowed?
ROLES = [
    ("none", [], "src/a.py", "modified", False),
    ("none", ["src/a.py"], "src/a.py", "modified", False),
    ("none", [], "src/a.py", "deleted", False),
    ("own", ["src/a.py"], "src/a.py", "modified", True),
    ("own", ["src/a.py"], "src/a.py", "deleted", True),
    ("own", ["src/a.py"], "src/A.py", "modified", False),
    ("own", ["src/a.py"], "src/b.py", "created", False),
    ("own", ["src/a.py"], "src/a.py.bak", "created", False),
    ("own", ["src/"], "src/deep/x.py", "created", True),
    ("own", ["src/"], "srcs/x.py", "created", False),
    ("own", [NFC], NFD, "modified", True),
    ("own", [], "anything/at/all", "created", True),
    ("new_tests", ["src/"], "tests/test_a.py", "created", True),
    ("new_tests", [], "pkg/a_test.go", "created", True),
    ("new_tests", [], "web/a.spec.ts", "created", True),
    ("new_tests", [], "src/a.py", "created", False),
    ("new_tests", [], "tests/test_a.py", "modified", False),
    ("new_tests", [], "tests/test_a.py", "deleted", False),
    ("new_tests", [], "tests/test_mine.py", "modified", True),
    ("new_tests", [], "tests/test_mine.py", "deleted", True),
    ("new_tests", [], "tests/Test_mine.py", "modified", False),
    ("any", ["src/a.py"], "docs/x.md", "deleted", True),
]


@pytest.mark.ledger("Q-02", "Q-03")
@pytest.mark.parametrize(("write", "files", "path", "how", "allowed"), ROLES)
def test_what_each_role_may_change(write: WriteRight, files: list[str], path: str, how: str, allowed: bool) -> None:
    assert (
        trespasses([Touched(path, how)], write, FLOW, replace(ITEM, files=files, new_tests=["tests/test_mine.py"]))
        == []
    ) == allowed


@pytest.mark.ledger("R-20")
@pytest.mark.parametrize(
    ("held", "path", "free"),
    [
        ("tests/", "tests/test_a.py", False),
        ("tests/test_a.py", "tests/test_a.py", False),
        ("tests/test_a.py", "tests/Test_A.py", False),
        ("tests/test_caf\u00e9.py", "tests/test_cafe\u0301.py", False),
        ("tests/test_a.py", "tests/test_b.py", True),
    ],
)
def test_what_others_hold_of_a_change(held: str, path: str, free: bool) -> None:
    found = taken_by_others([Touched(path, "created")], [hold(held)])
    assert found == ([] if free else [f"{path} is held by another"])


NAMES = st.sampled_from(["src", "SRC", "tests", "a.py", "test_a.py", ".git", ".moot", "..", "docs", "x_test.go", "é"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
TOUCHED = st.builds(
    Touched,
    PATHS,
    st.sampled_from(["created", "modified", "deleted"]),
    st.sampled_from(["100644", "100755", LINK, SUBMODULE]),
    st.one_of(st.none(), PATHS, PATHS.map("../".__add__)),
)


@pytest.mark.ledger("Q-03", "R-20")
@given(
    st.lists(TOUCHED, max_size=4),
    st.sampled_from(["none", "own", "new_tests", "any"]),
    st.lists(PATHS, max_size=2),
)
def test_whatever_passes_is_inside_what_is_allowed(touched: list[Touched], write: WriteRight, files: list[str]) -> None:
    if trespasses(touched, write, FLOW, replace(ITEM, files=files)):
        return
    paths = [one.path for one in touched]
    assert write != "none" or not touched
    assert not any({".git", ".."} & set(path.casefold().split("/")) for path in paths)
    assert not any(".moot" in path.casefold().split("/") for path in paths)
    assert all(one.mode != SUBMODULE or one.how == "deleted" for one in touched)
    if write == "own" and files:
        assert outside(paths, files) == []
    if write == "new_tests":
        assert all(one.how == "created" and is_test(one.path) for one in touched)


# On a board


@pytest.mark.ledger("Q-03", "R-07", "R-20")
def test_one_path_too_many_and_nothing_of_it_is_taken() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add(files=["src/a.py"])
        board.bring("d", work=change("src/a.py", "src/b.py"))
        run = board.show(item)["runs"][-1]
        assert (run["outcome"], run["cause"], run["commit"]) == ("failed", "conflict", "c1")
        assert "src/b.py is not among its files" in run["report"]["summary"]
        assert board.item(item).head is None and board.place(item) == ("dev", "ready")
        assert board.item(item).effort.conflicts == 1 and board.item(item).attempt_count == 0
        board.bring("d", work=change("src/a.py", commit="c2"))
        assert board.item(item).head == "c2" and board.item(item).column == "look"


def test_a_reader_that_only_leaves_something_behind_has_its_say() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add(column="look")
        board.bring("r", work=change("build/out.o", how="created"))
        assert board.item(item).head is None and board.item(item).column == "proof"
        other = board.add(column="look")
        board.bring("r", work=change("src/a.py"))
        assert board.item(other).column == "proof" and board.item(other).head is None


@pytest.mark.ledger("Q-02")
def test_a_new_test_stays_its_makers_to_change() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add(column="proof")
        board.bring("t", "incomplete", work=change("tests/test_a.py", how="created"))
        board.bring("t", work=change("tests/test_a.py", base="c1", commit="c2"))
        assert board.item(item).head == "c2" and board.item(item).new_tests == ["tests/test_a.py"]


@pytest.mark.ledger("R-08", "R-25")
def test_an_expert_and_a_sub_agent_write_nothing_whatever_their_agent_may() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add(column="dev")
        board.effort("d", "delegates", delegate=[{"task": "look", "to": "sage"}])
        expert = board.claim("sage")
        assert board.queries.run_context(expert.run or "").write == "none"
        board.bring(expert, work=change("src/a.py"))
        child = board.children(item)[0]
        assert child.head is None and board.item(item).head is None and child.status == "done"
        board.effort("d", "delegates", delegate=[{"task": "look at half of it"}])
        sub = board.claim("d")
        assert board.queries.run_context(sub.run or "").write == "none"
        board.report(sub, "done")
        assert board.item(item).head is None


@pytest.mark.parametrize(
    ("outcome", "parts", "place"),
    [
        ("asks", {"question": {"question": "Which?"}}, ("dev", ASKED)),
        ("failed", {"attempts": [{"approach": "this"}]}, ("dev", "ready")),
        ("stuck", {"summary": "too deep"}, ("dev", "waiting")),
    ],
)
def test_what_a_run_says_about_itself_stands_beside_a_change_that_is_not_taken(
    outcome: str, parts: Any, place: tuple[str, str]
) -> None:
    with SoundBoard(FLOW) as board:
        item = board.add(files=["src/a.py"])
        board.bring("d", outcome, work=change("src/b.py"), **parts)
        assert board.place(item) == place and board.item(item).head is None
        assert board.show(item)["runs"][-1]["outcome"] == outcome
        assert board.item(item).attempt_count == (outcome == "failed")
        assert "work_refused" in [event["event"] for event in board.log(item)]


@pytest.mark.ledger("R-10")
def test_a_critical_finding_is_seen_also_where_the_change_is_not_taken() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add(files=["src/a.py"])
        hole = {"kind": "security", "severity": "critical", "issue": "anyone may read it"}
        board.bring("d", work=change("src/b.py"), findings=[hole])
        assert board.place(item) == ("dev", ASKED) and board.item(item).head is None


def test_a_failed_approach_is_kept_aside_and_partial_work_is_gone_on_with() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.bring("d", "failed", work=change("src/a.py"), attempts=[{"approach": "this"}])
        assert board.item(item).head is None and board.show(item)["runs"][-1]["commit"] == "c1"
        board.bring("d", "incomplete", work=change("src/a.py", commit="c2"))
        assert board.item(item).head == "c2"
        actor = board.claim("d")
        fault = commands.ReportRun(
            report=Report.failed("prose", "protocol"),
            fault="no report could be read",
            work=change("src/a.py", base="c2", commit="c3"),
        )
        board.engine.handle_run(actor, fault)
        assert board.item(item).head == "c3"


def test_a_run_that_changed_nothing_leaves_the_branch_where_it_is() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.bring("d", "incomplete", work=change("src/a.py"))
        board.bring("d", work=Work(base="c1", commit="c1"))
        assert board.item(item).head == "c1" and board.item(item).column == "look"


@pytest.mark.ledger("R-19")
def test_what_a_child_brought_meanwhile_is_not_laid_over() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        run = board.claim("d")
        child = board.add("a child", parent=item, column="mend")
        board.bring("m", work=change("src/b.py", commit="k1"))
        landing = board.claim("landing")
        board.bring(landing, work=Work(commit="k1", onto=None, merged="k2"))
        assert (board.item(child).status, board.item(item).head) == ("done", "k2")
        with pytest.raises(Refused) as caught:
            board.bring(run, work=change("src/a.py", commit="c1"))
        assert caught.value.code == "branch_moved" and board.item(item).head == "k2"
        board.bring(run, work=change("src/a.py", base="k2", commit="c2"))
        assert board.item(item).head == "c2" and board.item(item).effort.conflicts == 0


@pytest.mark.parametrize(
    ("entries", "is_one"),
    [
        ({"HEAD": False, "objects": True, "refs": True}, True),
        ({"head": False, "OBJECTS": True, "Refs.": True}, True),
        ({"HEAD": False, "objects": False, "refs": False}, True),  # links, or programs
        ({"HEAD": False, "commondir": False}, True),
        ({"HEAD": True, "objects": True, "refs": True}, False),  # a module called head
        ({"HEAD": False, "objects": True}, False),
        ({"objects": True, "refs": True, "commondir": False}, False),
        ({}, False),
    ],
)
def test_a_folder_is_a_repository_as_git_sees_it(entries: dict[str, bool], is_one: bool) -> None:
    assert is_repository(entries) == is_one


@pytest.mark.parametrize("kind", NEVER)
@pytest.mark.parametrize("how", ["created", "modified", "deleted"])
def test_what_is_nobodys_to_change_may_not_go_away_either(kind: str, how: str) -> None:
    assert danger(Touched("a.txt", how, kind)) == NEVER[kind]
