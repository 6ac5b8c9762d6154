"""The simpler form of the board: one blocked column, and tags that say why and so who acts."""

import pytest

from folkmoot.core import commands
from folkmoot.errors import NothingToDo, Refused
from folkmoot.testing.builders import SoundBoard, limited, small_flow

ASKED = "awaiting-divine-guidance"
FLOW = small_flow("""
columns:
  dev: {agents: [d], next: review}
  review: {agents: [r], next: done, fix: dev}
  blocked: {kind: escalation}
  fast: {agents: [racer], kind: escalation, tags: [performance, memory]}
  safe: {agents: [guard], kind: escalation, tags: [security]}
  clear: {agents: [writer], kind: backflow, tags: [story]}
reasons: {performance: blocked, security: blocked, story: blocked, odd: blocked}
agents: {d: {}, r: {}, racer: {}, guard: {}, writer: {}}
""")


@pytest.mark.ledger("K-13")
@pytest.mark.parametrize(("reason", "agent"), [("performance", "racer"), ("security", "guard"), ("story", "writer")])
def test_the_tag_picks_the_specialist_in_the_one_blocked_column(reason: str, agent: str) -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.effort("d", "stuck", reason=reason)
        assert board.place(item) == ("blocked", "ready") and board.show(item)["tags"] == [reason]
        for other in {"racer", "guard", "writer"} - {agent}:
            with pytest.raises(NothingToDo):
                board.claim(other)
        board.effort(agent, "done")
        expected = "dev" if agent == "writer" else "review"
        assert board.place(item) == (expected, "ready"), "help goes on from the stage, an answer returns to it"
        assert board.show(item)["tags"] == [], "the tag that called them goes with them"


@pytest.mark.ledger("K-13", "R-03")
def test_a_tag_that_nobody_watches_asks() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.effort("d", "stuck", reason="odd")
        assert board.place(item) == ("blocked", ASKED) and board.show(item)["tags"] == ["odd"]
        board.on(item, commands.EditItem(tags=["performance"]))
        board.answer(board.inbox()[0], "let the racer look", to="blocked")
        assert board.place(item) == ("blocked", "ready")
        board.effort("racer", "done")
        assert board.place(item) == ("review", "ready")


@pytest.mark.ledger("K-13")
def test_a_persons_own_tags_stay_and_call_nobody_where_somebody_watches() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add(tags=["memory", "blue"])
        board.effort("d", "done")
        assert board.place(item) == ("review", "ready") and board.show(item)["tags"] == ["memory", "blue"]


@pytest.mark.ledger("K-13")
def test_an_item_put_into_blocked_with_a_tag_is_for_whoever_watches_the_tag() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add(column="blocked", tags=["blue", "memory"])
        assert board.place(item) == ("blocked", "ready") and board.show(item)["watcher"] == "racer"
        assert board.show(item)["escalation_tier"] == 1
        run = board.claim("racer")
        board.report(run, "done")
        assert board.place(item)[1] == ASKED, "without an origin it asks where to"


@pytest.mark.ledger("K-13")
def test_a_tag_given_while_the_item_waits_in_blocked_is_seen_at_once() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add(column="blocked", tags=["performance"])
        board.on(item, commands.EditItem(tags=["security"]))
        with pytest.raises(NothingToDo):
            board.claim("racer")
        assert board.claim("guard")
        assert board.place(item) == ("blocked", "running")


@pytest.mark.ledger("K-13", "R-03")
def test_a_tag_taken_away_while_the_item_waits_in_blocked_asks() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add(column="blocked", tags=["performance"])
        board.on(item, commands.EditItem(tags=[]))
        assert board.place(item) == ("blocked", ASKED)


@pytest.mark.ledger("K-13", "R-09")
def test_the_same_reason_again_from_there_is_not_gone_round_for_ever() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.effort("d", "stuck", reason="performance")
        board.effort("racer", "stuck", reason="security")
        assert board.place(item) == ("blocked", ASKED), "never into the column the item is in"


@pytest.mark.ledger("K-13", "R-30", "R-03")
def test_a_flow_that_forgets_the_tag_leaves_no_item_without_somebody() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add(column="blocked", tags=["performance"])
        text = """
columns:
  dev: {agents: [d], next: done}
  blocked: {kind: escalation}
  safe: {agents: [guard], kind: escalation, tags: [security]}
reasons: {security: blocked}
agents: {d: {}, guard: {}}
"""
        board.adopt(limited(FLOW, slots=9))
        with pytest.raises(Refused) as caught:
            board.adopt(small_flow(text))
        assert caught.value.code == "column_unwatched"
        board.on(item, commands.EditItem(tags=["security"]))
        board.adopt(small_flow(text))
        board.effort("guard", "asks", question={"question": "where to?"})
        board.answer(board.inbox()[0], "build it", to="dev")
        assert board.place(item) == ("dev", "ready")
