"""What comes onto the target branch has been before the stages that give verdicts, as it is (R-13, R-19)."""

import pytest

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.core.flow import Flow
from folkmoot.core.work import Work
from folkmoot.testing.builders import SoundBoard, TrialBoard, change, small_flow

# `polish` writes behind the last review, by the flow's own word; `aside` leads past all of them.
WHO = {"review": "r", "qa": "q", "polish": "w"}


def flow(polish: str = "own") -> Flow:
    return small_flow(f"""
    columns:
      plan: {{agents: [p], next: dev}}
      dev: {{agents: [d], next: review}}
      review: {{agents: [r], next: qa, fix: dev}}
      qa: {{agents: [q], next: polish, fix: dev}}
      polish: {{agents: [w], next: done}}
      aside: {{agents: [h], next: done}}
    agents:
      p: {{write: none}}
      d: {{may: [ask, dispatch]}}
      r: {{write: none}}
      q: {{write: none}}
      w: {{write: {polish}}}
      h: {{}}
    """)


LINE = small_flow("""
columns:
  dev: {agents: [d], next: review}
  review: {agents: [r], next: done, fix: dev}
  aside: {agents: [h], next: done}
agents: {d: {may: [ask, dispatch]}, r: {write: none}, h: {}}
""")


def to_land(board: TrialBoard) -> str:
    item = board.add()
    board.bring("d", work=change("src/a.py"))
    board.effort("r", "done")
    assert board.place(item) == ("done", "proving")
    return item


def refused(board: TrialBoard, cause: str, commit: str | None = "m1") -> None:
    work = Work(base="c1", commit=commit) if commit else None
    board.bring("landing", "failed", cause=cause, summary="it does not fit", work=work)


@pytest.mark.ledger("R-19", "R-13")
@pytest.mark.attack(
    "gates",
    "after its review a conflict, or a red gate, keeps work from landing, and whoever mends it adds something else",
    "it goes through the review again before it lands",
)
@pytest.mark.parametrize(("cause", "commit"), [("conflict", "m1"), ("gate", "m1"), ("conflict", None)])
def test_what_is_mended_for_a_landing_is_reviewed_again(cause: str, commit: str | None) -> None:
    with SoundBoard(LINE) as board:
        item = to_land(board)
        refused(board, cause, commit)
        assert board.place(item) == ("dev", "ready")
        board.bring("d", work=change("src/a.py", base=commit or "c1", commit="c2"))
        assert board.place(item) == ("review", "ready"), "nobody has looked at c2"
        board.effort("r", "changes_requested", summary="this was not there before")
        board.bring("d", work=change("src/a.py", base="c2", commit="c3"))
        board.effort("r", "done")
        board.bring("landing", commit="m2")
        assert board.place(item) == ("done", "done")


@pytest.mark.ledger("R-15", "R-19")
def test_a_second_look_is_at_all_of_it() -> None:
    """What it finds in files that the mender does not name is no other item's: it must change before it lands."""
    with SoundBoard(LINE) as board:
        item = to_land(board)
        refused(board, "conflict")
        board.bring("d", work=change("src/a.py", base="m1", commit="c2"))
        found = [{"kind": "review", "severity": "high", "file": "src/other.py", "issue": "a back door"}]
        board.effort("r", "changes_requested", findings=found)
        assert board.place(item) == ("dev", "ready") and board.item(item).returns_to == "review"


@pytest.mark.ledger("R-19")
@pytest.mark.parametrize(
    ("writes", "maker", "then"),
    [("none", "d", ["review", "qa", "polish"]), ("own", "w", ["qa", "polish"])],
)
def test_every_stage_behind_the_maker_that_gives_verdicts_sees_it(writes: str, maker: str, then: list[str]) -> None:
    """Where the maker has none behind it, the last one looks: nobody can say what of it is whose."""
    with SoundBoard(flow(writes)) as board:
        item = board.add()
        board.effort("p", "done")
        board.bring("d", work=change("src/a.py"))
        board.effort("r", "done")
        board.effort("q", "done")
        board.effort("w", "done")
        refused(board, "conflict")
        board.bring(maker, work=change("src/a.py", base="m1", commit="c2"))
        for column in then:
            assert board.place(item) == (column, "ready")
            board.effort(WHO[column], "done")
        board.bring("landing", commit="m2")
        assert board.place(item) == ("done", "done")


@pytest.mark.ledger("R-13")
def test_a_fix_goes_to_whoever_asked_and_what_is_written_behind_the_last_review_lands() -> None:
    with SoundBoard(flow()) as board:
        item = board.add()
        board.effort("p", "done")
        board.bring("d", work=change("src/a.py"))
        board.effort("r", "done")
        board.effort("q", "changes_requested", summary="it is slow")
        board.bring("d", work=change("src/a.py", base="c1", commit="c2"))
        assert board.place(item) == ("qa", "ready")
        board.effort("q", "done")
        board.bring("w", work=change("docs/a.md", base="c2", commit="c3"))
        assert board.place(item) == ("done", "proving"), "by the flow's own word nobody looks at what is written here"
        board.bring("landing", commit="m1")
        assert board.place(item) == ("done", "done")


@pytest.mark.ledger("R-19")
def test_a_person_may_land_it_unseen() -> None:
    with SoundBoard(LINE) as board:
        item = board.add()
        board.bring("d", work=change("src/a.py"))
        board.on(item, commands.MoveItem(column="done"))
        assert board.place(item) == ("done", "proving")
        refused(board, "conflict")
        board.bring("d", work=change("src/a.py", base="m1", commit="c2"))
        assert board.place(item) == ("review", "ready"), "that was said of other work"
        board.on(item, commands.MoveItem(column="done"))
        board.bring("landing", commit="m1")
        assert board.place(item) == ("done", "done")


def sent_for(board: TrialBoard, agent: str) -> tuple[str, Actor, str]:
    item = board.add()
    run = board.claim("d")
    child = board.engine.add(run, commands.DispatchAgent(agent=agent, task="mend it"))["id"]
    board.bring(run, work=change("src/a.py"))
    return item, board.claim(agent, item=child), child


@pytest.mark.ledger("R-19")
@pytest.mark.attack(
    "gates",
    "a run sends for help, which comes onto its item's branch while that is reviewed, or after it",
    "what has come since is reviewed before it lands",
)
@pytest.mark.parametrize("when", ["reviewing", "landing", "recorded"])
def test_help_that_comes_after_the_review_is_reviewed(when: str) -> None:
    with SoundBoard(LINE) as board:
        item, helper, _ = sent_for(board, "h")
        late = change("src/b.py", base="c1", commit="h1", merged="h2", onto="c1")
        reviewer = board.claim("r")
        if when == "reviewing":
            board.bring(helper, work=late)
        board.bring(reviewer)
        if when != "reviewing":
            landing = board.claim("landing")
            board.bring(helper, work=late)
            if when == "landing":  # it is merged before the help comes, or with it: the board cannot tell
                record = commands.RecordLanding(branch="main", old="t", new="m1", tree="t1")
                board.engine.handle_run(landing, record)
            else:
                board.bring(landing, commit="m1")
        assert board.item(item).head == "h2"
        assert board.place(item) == ("review", "ready")
        board.effort("r", "done")
        board.bring("landing", commit="m2")
        assert board.place(item) == ("done", "done") and board.item(item).head is None


@pytest.mark.ledger("R-19")
def test_what_came_before_the_reviewer_began_is_looked_at_once() -> None:
    with SoundBoard(LINE) as board:
        item, helper, _ = sent_for(board, "h")
        board.bring(helper, work=change("src/b.py", base="c1", commit="h1", merged="h2", onto="c1"))
        board.effort("r", "done")
        board.bring("landing", commit="m1")
        assert board.place(item) == ("done", "done") and board.item(item).head is None


@pytest.mark.ledger("R-19")
@pytest.mark.attack(
    "gates",
    "a run sends for help in a column that leads past the review, and is done before it comes",
    "the help goes through the review of the flow itself",
)
def test_help_that_comes_too_late_is_reviewed() -> None:
    with SoundBoard(flow()) as board:
        item = board.add()
        board.effort("p", "done")
        run = board.claim("d")
        child = board.engine.add(run, commands.DispatchAgent(agent="h", task="mend it"))["id"]
        board.bring(run)
        helper = board.claim("h", item=child)
        for agent in ("r", "q", "w"):
            board.effort(agent, "done")
        assert board.place(item) == ("done", "done")
        board.bring(helper, work=change("src/b.py", commit="h1"))
        assert board.place(child) == ("review", "ready")


@pytest.mark.ledger("R-19", "R-21")
@pytest.mark.attack(
    "gates",
    "the gate of the last review is red after its verdict, and whoever heals it brings along something else",
    "once the gate is green the reviewer looks again",
)
def test_what_mends_the_gate_of_the_last_review_is_reviewed() -> None:
    warded = small_flow("""
    columns:
      dev: {agents: [d], next: review}
      review: {agents: [r], next: done, fix: dev, gate: [ward], on_red: mend}
      mend: {agents: [m], kind: backflow}
    agents: {d: {}, r: {write: none}, m: {}}
    gates: {ward: {}}
    """)
    with SoundBoard(warded) as board:
        item = board.add()
        board.bring("d", work=change("src/a.py"))
        board.effort("r", "done")
        board.effort("ward", "failed", summary="red")
        board.bring("m", work=change("src/a.py", base="c1", commit="c2"))
        board.effort("ward", "done")
        assert board.place(item) == ("review", "ready"), "nobody has looked at c2"
        board.effort("r", "done")
        board.effort("ward", "done")
        board.bring("landing", commit="m1")
        assert board.place(item) == ("done", "done")


@pytest.mark.ledger("R-19", "R-13")
@pytest.mark.attack(
    "gates",
    "whoever helps out the last reviewer, who may change nothing, changes the work and says that it is good",
    "the reviewer looks at what was changed, before it lands",
)
@pytest.mark.parametrize("last", ["r", "w"])
def test_what_is_written_in_a_readers_place_is_reviewed(last: str) -> None:
    """So it is for a stage behind the last review that only reads."""
    helped = small_flow("""
    columns:
      dev: {agents: [d], next: review}
      review: {agents: [r], next: watch, fix: dev}
      watch: {agents: [w], next: done}
      senior: {agents: [s], kind: escalation}
    agents:
      d: {}
      r: {write: none, ladder: {0: small, 1+: escalate}, escalate_to: senior}
      w: {write: none, ladder: {0: small, 1+: escalate}, escalate_to: senior}
      s: {write: any}
    """)
    with SoundBoard(helped) as board:
        item = board.add()
        board.bring("d", work=change("src/a.py"))
        if last == "w":
            board.effort("r", "done")
        board.effort(last, "failed", cause="capability", summary="it is too hard for me")
        assert board.place(item) == ("senior", "ready")
        board.bring("s", work=change("src/b.py", base="c1", commit="c2"))
        if last == "r":
            board.effort("w", "done")
        assert board.place(item) == ("review", "ready"), "nobody has looked at c2"
        board.effort("r", "done")
        board.effort("w", "done")
        board.bring("landing", commit="m1")
        assert board.place(item) == ("done", "done")
