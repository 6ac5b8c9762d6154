"""Work that people merge on a forge: what each picture of a pull request means, and what follows from it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from folkmoot.core import commands
from folkmoot.core.commands import ENGINE, Actor
from folkmoot.core.proposals.orders import MeetOthersWork, RecordProposal, SeeProposal, TellMerge
from folkmoot.core.proposals.proposal import Check, Proposal, Said, Seen, check_state, is_green, meaning, wants_merge
from folkmoot.core.work import Evidence
from folkmoot.errors import NothingToDo, Refused
from folkmoot.testing.builders import SoundBoard, TrialBoard, change, limited, small_flow

FLOW = small_flow("""
columns: {dev: {agents: [d], next: done, gate: [ward]}}
agents: {d: {}}
gates: {ward: {run: ["true"]}}
land: {mode: pr}
""")
ON_BRANCH = small_flow("""
columns: {dev: {agents: [d], next: done, gate: [ward]}}
agents: {d: {}}
gates: {ward: {run: ["true"]}}
""")
WHEN_GREEN = small_flow("""
columns: {dev: {agents: [d], next: done, gate: [ward]}}
agents: {d: {}}
gates: {ward: {run: ["true"]}}
land: {mode: pr, draft: false, merge: when_green}
""")
GREEN = Evidence(gate="ward", green=True, command=["true"], commit="c1", tree="t1")
ASKED = "awaiting-divine-guidance"
PULL = Proposal(number=7, url="https://forge/pull/7", branch="moot/1", commit="c1", base="b1")


def check(name: str, state: Any, **more: Any) -> Check:
    return Check(name=name, state=state, **more)


def seen(*checks: Check, required: list[str] | None = None, **more: Any) -> Seen:
    given: dict[str, Any] = {"state": "open", "commit": "c1", "base": "b1", "fits": "clean", **more}
    return Seen(checks=list(checks), required=required, **{"all_said": True, **given})


def said(name: str, **more: Any) -> Said:
    return Said(id=name, by="ann", text="rename it", **{"may": True, **more})


UNIT, LINT = check("unit", "success"), check("lint", "success")
PICTURES: dict[str, tuple[Seen, str]] = {
    "all required are green": (seen(UNIT, LINT, required=["unit", "lint"]), "green"),
    "green beside a red one that nobody requires": (seen(UNIT, check("extra", "failure"), required=["unit"]), "green"),
    "one of the required is not there yet": (seen(UNIT, required=["unit", "lint"]), "pending"),
    "none is there yet": (seen(required=["unit"]), "pending"),
    "one has not ended": (seen(UNIT, check("lint", "pending"), required=["unit", "lint"]), "pending"),
    "two of one name, and one has not ended": (seen(UNIT, check("unit", "pending"), required=["unit"]), "pending"),
    "which are required is not known": (seen(UNIT, LINT), "pending"),
    "nothing is required, and all is green": (seen(UNIT, required=[]), "pending"),
    "only a part of the list is here": (seen(UNIT, required=["unit"], whole=False), "pending"),
    "a required one is red": (seen(check("unit", "failure"), LINT, required=["unit", "lint"]), "red"),
    "one is red, and one that is required is not there": (
        seen(check("unit", "failure"), required=["unit", "lint"]),
        "red",
    ),
    "one is red while another runs": (
        seen(check("unit", "failure"), check("lint", "pending"), required=["unit", "lint"]),
        "pending",
    ),
    "nothing is required, and one is red": (seen(check("unit", "failure"), required=[]), "red"),
    "one is red, and which count is not known": (seen(check("unit", "failure")), "pending"),
    "somebody asks for changes": (seen(UNIT, required=["unit"], said=[said("review:1", asks=True)]), "red"),
    "somebody comments": (seen(required=["unit"], said=[said("comment:1")]), "red"),
    "the board's own comment": (seen(UNIT, required=["unit"], said=[said("comment:1", own=True)]), "green"),
    "a comment of somebody who may not write": (
        seen(UNIT, required=["unit"], said=[said("comment:1", may=False)]),
        "green",
    ),
    "a comment that was told before": (seen(UNIT, required=["unit"], said=[said("comment:0")]), "green"),
    "behind": (seen(UNIT, required=["unit"], fits="behind", base="b2"), "behind"),
    "behind, by an old picture": (seen(UNIT, required=["unit"], fits="behind"), "green"),
    "dirty": (seen(UNIT, required=["unit"], fits="dirty", base="b2"), "dirty"),
    "in the queue": (seen(UNIT, required=["unit"], fits="behind", base="b2", queued=True), "pending"),
    "changed by another": (seen(UNIT, required=["unit"], commit="x9"), "changed"),
    "changed by another, and red": (seen(check("unit", "failure"), required=["unit"], commit="x9"), "changed"),
    "closed": (seen(UNIT, required=["unit"], state="closed"), "closed"),
    "merged": (seen(UNIT, required=["unit"], state="merged", merged="m1", holds=True), "merged"),
    "merged, and the branch does not have it yet": (seen(state="merged", merged="m1"), "pending"),
}


@pytest.mark.parametrize("name", PICTURES)
def test_what_a_picture_of_a_pull_request_means(name: str) -> None:
    picture, expected = PICTURES[name]
    found = meaning(replace(PULL, heard=["comment:0"]), picture)
    assert found.means == expected, found.why
    assert found.why


@pytest.mark.parametrize(
    ("status", "conclusion", "state"),
    [
        ("COMPLETED", "SUCCESS", "success"),
        ("completed", "neutral", "success"),
        ("completed", "skipped", "success"),
        ("completed", "failure", "failure"),
        ("completed", "timed_out", "failure"),
        ("completed", "", "pending"),
        ("completed", None, "pending"),
        ("completed", "cancelled", "pending"),
        ("completed", "action_required", "pending"),
        ("completed", "some_word_of_tomorrow", "pending"),
        ("in_progress", "", "pending"),
        ("in_progress", "success", "pending"),
        ("queued", None, "pending"),
        (None, "success", "pending"),
    ],
)
def test_a_check_has_ended_only_by_a_known_word(status: str | None, conclusion: str | None, state: str) -> None:
    assert check_state(status, conclusion) == state


READY = seen(UNIT, required=["unit"], clear=True)
ASKED_TO_MERGE: dict[str, tuple[Seen, bool]] = {
    "all is green, and the forge calls it clear": (READY, True),
    "the forge does not call it clear": (replace(READY, clear=False), False),
    "it is a draft": (replace(READY, draft=True), False),
    "somebody asks for changes still": (replace(READY, vetoed=True), False),
    "it is in the queue": (replace(READY, queued=True), False),
    "a required check is not there": (replace(READY, required=["unit", "lint"]), False),
    "no check is required": (replace(READY, required=[]), False),
    "which are required is not known": (replace(READY, required=None), False),
    "another commit": (replace(READY, commit="x9"), False),
    "only a part of the list is here": (replace(READY, whole=False), False),
    "a comment that was not told yet": (replace(READY, said=[said("comment:1")]), False),
    "behind": (replace(READY, fits="behind", base="b2"), False),
    "merged already": (replace(READY, state="merged", merged="m1"), False),
}


@pytest.mark.parametrize("name", ASKED_TO_MERGE)
def test_the_forge_is_asked_to_merge_only_what_is_shown_to_be_green_and_only_where_the_flow_says_so(name: str) -> None:
    picture, expected = ASKED_TO_MERGE[name]
    assert wants_merge(WHEN_GREEN.land, PULL, picture, 0) == expected
    assert not wants_merge(FLOW.land, PULL, picture, 0)


CHECKS = st.lists(
    st.builds(check, st.sampled_from("abc"), st.sampled_from(["success", "failure", "pending"])), max_size=6
)


@given(CHECKS, st.none() | st.lists(st.sampled_from("abc"), unique=True), st.booleans(), st.sampled_from(["c1", "x"]))
def test_green_is_only_what_is_shown_to_be_green(
    checks: list[Check], required: list[str] | None, whole: bool, commit: str
) -> None:
    picture = seen(*checks, required=required, whole=whole, commit=commit)
    shown = {one.name for one in checks if one.state == "success"}
    doubtful = {one.name for one in checks if one.state != "success"}
    must = set(required or [])
    expected = bool(must) and whole and commit == "c1" and must <= shown and not must & doubtful
    assert is_green(picture, "c1") == expected
    assert (meaning(PULL, picture).means == "green") == expected
    # A part of the list never says more than all of it: what is taken away makes nothing green.
    for left_out in must:
        part = [one for one in checks if one.name != left_out]
        assert not is_green(seen(*part, required=required, commit=commit), "c1")


def to_land(board: TrialBoard) -> str:
    item = board.add()
    board.bring("d", work=change("src/a.py"))
    board.bring("ward", evidence=[GREEN])
    assert board.place(item) == ("done", "proving")
    return item


def propose(board: TrialBoard, commit: str = "c1", base: str = "b1", number: int = 7) -> Actor:
    run = board.claim("landing")
    tree = f"t{commit[1:]}"
    board.engine.handle_run(run, commands.RecordLanding(branch="main", old=base, new=commit, tree=tree))
    pull = replace(PULL, commit=commit, base=base, number=number, tree=tree)
    board.engine.handle_run(run, RecordProposal(proposal=pull))
    return run


def look(board: TrialBoard, item: str, picture: Seen) -> None:
    board.on(item, SeeProposal(seen=picture), ENGINE)


def proposed(board: TrialBoard) -> str:
    item = to_land(board)
    propose(board)
    return item


def mended(board: TrialBoard, commit: str) -> None:
    board.bring("d", work=change("src/a.py", base="c1", commit=commit))
    board.bring("ward", evidence=[replace(GREEN, commit=commit, tree=f"t{commit[1:]}")])


@pytest.mark.ledger("R-19")
def test_what_is_proposed_waits_for_people_and_has_landed_once_the_branch_has_it() -> None:
    with SoundBoard(FLOW) as board:
        item = proposed(board)
        row = board.item(item)
        assert row.proposal is not None and (row.proposal.number, row.proposal.commit) == (7, "c1")
        assert board.place(item) == ("done", "proving") and row.head == "c1" and row.landed is None
        with pytest.raises(NothingToDo):
            board.claim("landing")
        look(board, item, seen(UNIT, required=["unit"]))
        look(board, item, seen(UNIT, required=["unit"]))
        assert [event["event"] for event in board.log(item)].count("proposal_seen") == 1
        look(board, item, seen(state="merged", merged="m1", holds=True))
        row = board.item(item)
        assert (row.status, row.head, row.landed, row.landed_on) == ("done", None, "m1", "main")
        assert row.proposal is not None and row.proposal.state == "merged"
        look(board, item, seen(state="merged", merged="m1", holds=True))
        assert [event["event"] for event in board.log(item)].count("work_landed") == 1


@pytest.mark.ledger("R-13", "R-19")
def test_what_people_and_checks_find_goes_to_the_maker_as_findings_and_is_counted() -> None:
    with SoundBoard(limited(FLOW, feedback_rounds=2)) as board:
        item = proposed(board)
        review = said("review:1", asks=True, path="src/a.py", line=3)
        look(board, item, seen(check("unit", "failure", words="1 failed"), required=["unit"], said=[review]))
        row = board.item(item)
        assert (row.column, row.returns_to, row.span.reds["done"]) == ("dev", "done", 1)
        told = [(one.issue, one.file, one.line, one.category) for one in row.findings]
        assert told == [
            ("the check unit is red on c1: 1 failed", None, None, "check:unit@c1"),
            ("rename it", "src/a.py", 3, "review:1"),
        ]
        mended(board, "c2")
        propose(board, "c2")
        assert board.item(item).is_proposed
        # The same review is told once; the check on the new commit is another finding.
        look(board, item, seen(UNIT, required=["unit"], commit="c2", said=[review]))
        assert board.place(item) == ("done", "proving")
        look(board, item, seen(check("unit", "failure"), required=["unit"], commit="c2", said=[review]))
        assert board.item(item).span.reds["done"] == 2 and len(board.item(item).findings) == 1
        mended(board, "c3")
        propose(board, "c3")
        look(board, item, seen(check("unit", "failure"), required=["unit"], commit="c3"))
        assert board.place(item) == ("done", ASKED) and len(board.inbox()) == 1


def test_who_changes_nothing_for_a_red_check_gets_it_back() -> None:
    with SoundBoard(FLOW) as board:
        item = proposed(board)
        red = seen(check("unit", "failure"), required=["unit"])
        look(board, item, red)
        look(board, item, red)  # somebody works on it, or will
        assert board.item(item).span.reds["done"] == 1
        board.effort("d", "done", summary="nothing had to change")
        board.bring("ward", evidence=[GREEN])
        assert board.item(item).is_proposed
        look(board, item, red)
        assert (board.item(item).column, board.item(item).span.reds["done"]) == ("dev", 2)


def test_a_branch_that_has_moved_on_is_brought_along_once() -> None:
    with SoundBoard(FLOW) as board:
        item = proposed(board)
        look(board, item, seen(required=["unit"], fits="behind", base="b2"))
        assert not board.item(item).is_proposed
        propose(board, base="b2")
        look(board, item, seen(required=["unit"], fits="behind", base="b2"))  # the forge has not looked again yet
        assert board.item(item).is_proposed


def test_a_merge_that_the_forge_refuses_is_asked_for_again_elsewhere_or_later() -> None:
    with SoundBoard(WHEN_GREEN) as board:
        item = proposed(board)
        look(board, item, READY)
        assert board.queries.is_to_be_merged(item, READY, 0)
        board.on(item, TellMerge(seen=READY, became="refused", why="it is Friday"), ENGINE)
        row = board.item(item)
        assert row.proposal is not None and "does not merge it: it is Friday" in row.proposal.stands
        assert row.is_proposed and row.failures == {} and row.span.reds == {}
        at = row.proposal.refused_at
        assert not board.queries.is_to_be_merged(item, READY, at + 599_999)
        assert board.queries.is_to_be_merged(item, READY, at + 600_000)
        assert not board.queries.is_to_be_merged(item, replace(READY, base="b2"), at), "it is another tree, unproved"
        assert board.queries.is_to_be_merged(item, replace(READY, base="b2", queues=True), at), "the queue proves it"
        look(board, item, seen(check("unit", "failure"), required=["unit"]))  # red by now: it is told, and not merged
        assert board.item(item).column == "dev" and not board.queries.is_to_be_merged(item, READY, at + 600_000)
        board.on(item, TellMerge(seen=READY, became="merged"), ENGINE)
        assert board.item(item).landed is None, "landed is what the target branch has"


def test_closed_without_a_merge_is_a_persons_answer_and_counts_nothing() -> None:
    with SoundBoard(FLOW) as board:
        item = proposed(board)
        look(board, item, seen(state="closed", by="ann"))
        row = board.item(item)
        assert row.status == ASKED and row.span.reds == {} and row.failures == {} and row.head == "c1"
        assert "closed without a merge by ann" in board.queries.inbox()["questions"][0]["question"]
        look(board, item, seen(state="closed", by="ann"))
        assert len(board.inbox()) == 1
        board.answer(board.inbox()[0], "propose it again")
        propose(board, number=8)
        assert board.item(item).is_proposed and board.item(item).proposal.number == 8  # type: ignore[union-attr]


def test_a_pull_request_that_is_opened_again_needs_no_answer() -> None:
    with SoundBoard(FLOW) as board:
        item = proposed(board)
        look(board, item, seen(state="closed"))
        look(board, item, seen(UNIT, required=["unit"]))
        assert board.inbox() == [] and board.item(item).is_proposed
        look(board, item, seen(state="closed"))
        look(board, item, seen(state="merged", merged="m1", holds=True))
        assert board.inbox() == [] and board.place(item) == ("done", "done")


@pytest.mark.ledger("R-19")
def test_what_somebody_else_put_on_the_branch_is_a_persons_to_decide() -> None:
    with SoundBoard(FLOW) as board:
        item = proposed(board)
        look(board, item, seen(commit="x9"))
        assert board.item(item).status == ASKED and board.item(item).proposal.found == "x9"  # type: ignore[union-attr]
        look(board, item, seen(commit="x9"))
        assert len(board.inbox()) == 1
        board.answer(board.inbox()[0], "take it in and go on")
        run = board.claim("landing")
        board.engine.handle_run(run, MeetOthersWork(branch="moot/1", commit="y9"))  # it has moved once more
        assert board.item(item).status == ASKED and board.item(item).proposal.found == "y9"  # type: ignore[union-attr]


@pytest.mark.ledger("R-19", "R-22")
def test_only_what_was_proved_and_written_down_is_proposed() -> None:
    with SoundBoard(FLOW) as board:
        to_land(board)
        run = board.claim("landing")
        with pytest.raises(Refused, match="not written down"):
            board.engine.handle_run(run, RecordProposal(proposal=PULL))
        with pytest.raises(Refused, match="is not green"):
            board.engine.handle_run(run, commands.RecordLanding(branch="main", old="b1", new="c1", tree="t9"))
        agent = Actor("d", run.run, run.token)
        with pytest.raises(Refused, match="for people"):
            board.on("1", SeeProposal(seen=seen(state="merged", merged="m1", holds=True)), agent)


def test_a_picture_that_comes_late_changes_nothing() -> None:
    with SoundBoard(FLOW) as board:
        item = to_land(board)
        look(board, item, seen(state="merged", merged="m1", holds=True))
        propose(board)
        look(board, item, seen(check("unit", "failure"), required=["unit"]))
        run = board.claim("d")
        look(board, item, seen(state="closed"))
        assert board.item(item).run == run.run and board.inbox() == []
        board.bring(run, work=change("src/a.py", base="c1", commit="c2"))
        look(board, item, seen(state="merged", merged="m1", holds=True))
        assert board.item(item).landed is None, "what was merged is not the work that the item has now"


def test_with_another_flow_what_was_proposed_lands_on_the_branch() -> None:
    with SoundBoard(FLOW) as board:
        item = proposed(board)
        board.adopt(ON_BRANCH)
        run = board.claim("landing")
        board.engine.handle_run(run, commands.RecordLanding(branch="main", old="b1", new="c1", tree="t1"))
        board.bring(run, commit="c1")
        assert board.place(item) == ("done", "done")
