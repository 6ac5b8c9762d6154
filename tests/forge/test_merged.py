"""The forge is asked to merge: only where the flow says so, only what is green, exactly once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.forge.github import git
from tests.forge.workshop import Workshop

LAND = "draft: false, merge: when_green"


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workshop]:
    made = Workshop(tmp_path, land=LAND, lease="2s")
    yield made
    made.close()


def green(shop: Workshop) -> tuple[str, int]:
    item = shop.add("One", "write one.txt made", "report done")
    shop.work()
    number = shop.pull(item)
    shop.look()  # whether it can be merged is found out later
    shop.hub.green(number)
    return item, number


def stands(shop: Workshop, item: str) -> str:
    proposal = shop.item(item).proposal
    assert proposal is not None
    return proposal.stands


def test_what_is_green_is_merged_and_has_landed_in_one_look(shop: Workshop) -> None:
    item, number = green(shop)
    head = shop.hub.head(number)
    assert shop.hub.pulls[number].state == "OPEN"
    shop.look()
    row = shop.item(item)
    assert (row.status, row.landed) == ("done", shop.hub.pulls[number].merge_commit), shop.words()
    assert git(shop.hub.repository, "rev-list", f"main..{head}") == "" and shop.main("one.txt") == "made"
    shop.work()
    told = [event["event"] for event in shop.board.log(item=item)]
    assert told.count("work_landed") == 1
    assert [path for method, path, _ in shop.hub.asked if method == "PUT"] == [f"/repos/acme/shop/pulls/{number}/merge"]


def test_a_draft_a_veto_and_a_missing_review_are_waited_for(shop: Workshop) -> None:
    """The token is of somebody who may pass over the rules of the branch."""
    item, number = green(shop)
    shop.hub.pulls[number].draft = True
    shop.look()
    shop.hub.pulls[number].draft = False
    shop.hub.needs_review = True
    shop.look()
    shop.hub.needs_review = False
    shop.hub.review(number, "CHANGES_REQUESTED", "not so")
    shop.look()
    assert shop.item(item).column == "dev", "it goes to its maker"
    shop.work()
    shop.look()
    shop.look()
    assert shop.hub.pulls[number].state == "OPEN" and "PUT" not in [method for method, _, _ in shop.hub.asked]
    shop.hub.review(number, "APPROVED", "fine")
    shop.hub.green(number)
    shop.look()
    assert shop.item(item).status == "done"


def test_with_a_queue_it_is_put_there_and_waited_for(shop: Workshop) -> None:
    shop.hub.has_queue = True
    item, number = green(shop)
    shop.look()
    assert shop.hub.pulls[number].queued and stands(shop, item) == "it was put into the merge queue, as the flow says"
    shop.look()
    assert stands(shop, item) == "it is in the merge queue"
    shop.hub.merge(number, by="github-merge-queue")
    shop.look()
    assert shop.item(item).status == "done"


def test_a_refused_merge_is_told_and_not_asked_for_again_and_again(shop: Workshop) -> None:
    shop.hub.allowed = []
    item, number = green(shop)
    shop.look()
    assert "does not merge it: no way to merge is allowed there" in stands(shop, item)
    shop.look()
    assert [path for _, path, _ in shop.hub.asked].count("/repos/acme/shop") == 1 and shop.item(item).failures == {}
    shop.hub.merge(number)
    shop.look()
    assert shop.item(item).status == "done"


def test_what_was_pushed_at_the_last_moment_is_not_merged(shop: Workshop) -> None:
    item, number = green(shop)

    def pushed(name: str, run: str) -> None:
        if name == "merging":
            shop.hub.push(f"moot/{item}", "theirs.txt", "theirs\n")

    shop.look(step=pushed)
    assert shop.hub.pulls[number].state == "OPEN" and "Head branch was modified" in stands(shop, item)
    shop.look()
    assert shop.board.show(item)["status"] == "awaiting-divine-guidance"


@pytest.mark.ledger("R-19", "R-29")
@pytest.mark.parametrize("step", ["merging", "merged"])
def test_killed_around_the_merge_it_is_merged_and_has_landed_once(shop: Workshop, step: str) -> None:
    item, number = green(shop)
    assert shop.killed(step) == -9
    assert shop.item(item).landed is None and (shop.hub.pulls[number].state == "MERGED") == (step == "merged")
    shop.work()
    assert shop.item(item).status == "done" and shop.main("one.txt") == "made"
    assert [event["event"] for event in shop.board.log(item=item)].count("work_landed") == 1
    changes = git(shop.hub.repository, "log", "--format=%h", "--no-merges", "main", "--", "one.txt").split()
    assert len(changes) == 1
