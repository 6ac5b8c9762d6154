"""The forge is asked to merge: only where the flow says so, only what is green, exactly once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from folkmoot.worker.forge.port import OWN
from tests.doors.conftest import Moot
from tests.forge.github import git
from tests.forge.workshop import Workshop
from tests.some import some
from tests.worker.yard import git as local

LAND = "draft: false, merge: when_green"


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workshop]:
    made = Workshop(tmp_path, land=LAND, lease="2s")
    yield made
    made.close()


@pytest.fixture
def moot(shop: Workshop, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Moot:
    return Moot(shop.folder, capsys, monkeypatch)


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


def stricter(shop: Workshop, moot: Moot) -> None:
    """The flow gets another gate, which what was proposed does not pass."""
    path = shop.folder / ".moot" / "flow.yaml"
    text = path.read_text().replace("gate: [check]", "gate: [check, none]")
    path.write_text(text.replace("gates: {", 'gates: {none: {run: ["/bin/sh", "-c", "test ! -e one.txt"]}, '))
    moot("apply")


@pytest.mark.attack(
    "gates",
    "a gate is added, or gets a stricter command, while a pull request waits that is to be merged when it is green",
    "the forge is not asked: the gate runs first, and what is red goes back to its maker",
)
def test_what_a_new_gate_refuses_is_not_merged(shop: Workshop, moot: Moot) -> None:
    item, number = green(shop)
    stricter(shop, moot)
    for _ in range(3):
        shop.look()
        shop.work()
        shop.hub.green(number)
    shop.look()
    assert shop.hub.pulls[number].state == "OPEN" and shop.item(item).landed is None
    assert "none" in str(shop.board.show(item)["why"]) + shop.words()


def test_what_a_changed_gate_lets_pass_is_proved_by_it_and_then_merged(shop: Workshop, moot: Moot) -> None:
    item, number = green(shop)
    path = shop.folder / ".moot" / "flow.yaml"
    path.write_text(path.read_text().replace('"-c", "true"', '"-c", "test -e one.txt"'))
    moot("apply")
    shop.look()
    assert shop.hub.pulls[number].state == "OPEN"
    shop.work()
    shop.hub.green(number)
    shop.look()
    shop.look()
    assert shop.item(item).status == "done", shop.board.show(item)["why"]
    proofs = [proof.evidence for proof in shop.item(item).proofs if proof.evidence]
    assert proofs[-1].command[-1] == "test -e one.txt"


@pytest.mark.attack(
    "gates",
    "the target branch moves on the forge while a pull request waits that is to be merged when it is green",
    "its gates run on the two together before the forge is asked to merge",
)
def test_what_is_red_together_with_a_moved_branch_is_not_merged(tmp_path: Path) -> None:
    shop = Workshop(tmp_path, land=LAND, gate="test ! -e other.txt || test ! -e one.txt")
    try:
        item, number = green(shop)
        shop.hub.push("main", "other.txt", "other\n")
        for _ in range(3):
            shop.look()
            shop.work()
            shop.hub.green(number)
        shop.look()
        assert shop.hub.pulls[number].state == "OPEN" and shop.item(item).landed is None
    finally:
        shop.close()


@pytest.mark.attack(
    "rights",
    "a person locks what a pull request changes, or pauses the board, while it waits to be merged when it is green",
    "the forge is not asked before the lock or the pause has ended",
)
@pytest.mark.parametrize("way", [("lock", "one.txt", "unlock", "one.txt"), ("pause", "", "resume", "")])
def test_nothing_is_merged_on_what_a_person_holds(shop: Workshop, moot: Moot, way: tuple[str, ...]) -> None:
    item, number = green(shop)
    begin, what, end, again = way
    moot(*filter(None, (begin, what)))
    shop.look()
    shop.look()
    assert shop.hub.pulls[number].state == "OPEN"
    moot(*filter(None, (end, again)))
    shop.look()
    assert shop.item(item).status == "done"


def test_who_merges_by_hand_judges_alone_and_the_board_stays_sound(shop: Workshop, moot: Moot) -> None:
    """A gate that is new since it was proposed is no fault of the log, when people have merged meanwhile."""
    item, number = green(shop)
    stricter(shop, moot)
    shop.hub.merge(number)
    shop.look()
    assert shop.item(item).status == "done"
    shop.doctor()


@pytest.mark.attack(
    "gates",
    "the flow gets another target branch while a pull request waits that is to be merged when it is green",
    "it is proved and proposed for that branch, and nothing is merged into the one that it was for",
)
def test_what_was_proposed_for_another_branch_is_not_merged_there(shop: Workshop, moot: Moot) -> None:
    item, number = green(shop)
    git(shop.hub.repository, "branch", "release", "main")
    path = shop.folder / ".moot" / "flow.yaml"
    path.write_text(path.read_text().replace("flow: proposed", "flow: proposed\ntarget: release"))
    local(shop.folder, "branch", "release")
    moot("apply")
    shop.look()
    assert shop.hub.pulls[number].state == "OPEN"
    shop.work()
    again = shop.pull(item)
    assert again != number and shop.hub.pulls[again].base == "release", (
        shop.words()[-700:],
        shop.board.show(item)["why"],
    )
    shop.hub.green(again)
    shop.look()
    shop.look()
    assert shop.item(item).status == "done" and shop.hub.pulls[number].state == "OPEN"
    assert git(shop.hub.repository, "show", "release:one.txt") == "made"


QUOTES = [f"> Done. {OWN}\n\nnot yet", f"not yet\n\n> Done. {OWN}", f"not yet > Done. {OWN}"]


@pytest.mark.attack(
    "gates",
    "a review quotes the board's own words, above or below its own, and so looks like the board's",
    "the board writes nothing in reviews: each word there by somebody who may write is heard",
)
@pytest.mark.parametrize("words", some(QUOTES, QUOTES[:1]))
def test_whoever_quotes_the_board_is_heard_before_anything_is_merged(shop: Workshop, words: str) -> None:
    item, number = green(shop)
    shop.hub.review(number, "COMMENTED", words)
    shop.look()
    assert shop.hub.pulls[number].state == "OPEN" and shop.item(item).column == "dev"


@pytest.mark.attack(
    "gates",
    "strangers write so many reviews and comments that a maintainer's words come too far back to be seen",
    "the forge is not asked to merge what has more words than are looked at: people merge it",
)
@pytest.mark.parametrize("way", some(["reviews", "lines", "replies"], ["replies"]))
def test_no_flood_of_words_hides_who_may_write(shop: Workshop, way: str) -> None:
    item, number = green(shop)
    if way == "reviews":
        shop.hub.review(number, "COMMENTED", "not yet: the name is wrong")
    else:
        shop.hub.line_comment(number, "one.txt", 1, "not yet: the name is wrong")
    for word in range(120):
        if way == "reviews":
            shop.hub.review(number, "COMMENTED", f"me too, {word}", by="mallory", role="NONE")
        elif way == "replies":
            shop.hub.line_reply(number, f"me too, {word}", role="NONE")
        else:
            shop.hub.line_comment(number, "one.txt", 1, f"me too, {word}", role="NONE")
    shop.look()
    assert shop.hub.pulls[number].state == "OPEN" and "more was said" in stands(shop, item)
    shop.hub.merge(number)
    shop.look()
    assert shop.item(item).status == "done"
