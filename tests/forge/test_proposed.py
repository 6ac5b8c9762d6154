"""From finished work to a merged pull request: real git, real processes, a GitHub that behaves as the real one does."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from folkmoot.core.commands import Actor, ResumeBoard
from folkmoot.wiring.running import tools_of, worker_name
from folkmoot.worker.forge.port import BEGIN, END
from folkmoot.worker.jobs import job as jobs
from folkmoot.worker.worker import Worker
from tests.forge.github import TOKEN, Pull, git
from tests.forge.workshop import Workshop
from tests.some import some

ASKED = "awaiting-divine-guidance"


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workshop]:
    made = Workshop(tmp_path)
    yield made
    made.close()


def proposed(shop: Workshop, *lines: str, title: str = "One") -> tuple[str, int]:
    item = shop.add(title, *(lines or ("write one.txt made", "report done")))
    shop.work()
    return item, shop.pull(item)


def test_propose_red_findings_fix_green_merged_landed(shop: Workshop) -> None:
    """All of the way, once."""
    fix = "shell test -f one.txt && echo mended > one.txt || echo made > one.txt"
    item, number = proposed(shop, fix, "report done")
    pull, first = shop.hub.pulls[number], shop.hub.head(number)
    assert pull.draft and pull.head == f"moot/{item}" and pull.title == "One"
    assert "check" in pull.body and "green" in pull.body and first[:12] in pull.body and "said done" in pull.body
    shown = shop.board.show(item)
    assert shown["status"] == "proving" and shown["proposal"]["number"] == number
    assert git(shop.hub.repository, "rev-parse", "main") != first
    refs = git(shop.hub.repository, "for-each-ref", "--format=%(refname)").split()
    assert refs == ["refs/heads/main", f"refs/heads/moot/{item}"], "nothing else is shown to anybody"
    shop.hub.check(first, "unit", "FAILURE", "1 failed: test_one")
    shop.hub.check(first, "lint", "")
    shop.work()
    assert shop.hub.head(number) == first, "not before all that runs has ended"
    shop.hub.check(first, "lint")
    shop.work()
    second = shop.hub.head(number)
    assert second != first and git(shop.hub.repository, "show", f"{second}:one.txt") == "mended"
    assert git(shop.hub.repository, "rev-list", f"{second}..{first}") == "", "nothing was rewritten"
    assert len(shop.hub.pulls) == 1 and shop.pull(item) == number
    shop.hub.check(second, "unit")
    shop.look()
    assert "waits for lint" in shop.item(item).proposal.stands  # type: ignore[union-attr]
    shop.hub.check(second, "lint")
    shop.look()
    assert shop.item(item).proposal.stands == "every required check is green"  # type: ignore[union-attr]
    assert shop.main("README.md") == "a project"
    merged = shop.hub.merge(number, method="squash")
    shop.work()
    row = shop.item(item)
    assert (row.status, row.landed, row.landed_on) == ("done", merged, "main"), shop.words()
    assert (shop.folder / "one.txt").read_text() == "mended\n", "the user's own branch follows"
    shop.work()
    assert [event["event"] for event in shop.board.log(item=item)].count("work_landed") == 1


def test_a_review_is_told_once(shop: Workshop) -> None:
    fix = "shell test -f one.txt && echo renamed > one.txt || echo made > one.txt"
    item, number = proposed(shop, fix, "report done")
    shop.hub.line_comment(number, "one.txt", 1, "please rename it")
    shop.hub.line_comment(number, "one.txt", 1, "buy my things", role="NONE")
    shop.work()
    second = shop.hub.head(number)
    assert git(shop.hub.repository, "show", f"{second}:one.txt") == "renamed"
    assert shop.item(item).span.reds == {"done": 1}
    runs = len(shop.board.show(item)["runs"])
    shop.work()
    assert len(shop.board.show(item)["runs"]) == runs


def test_closed_without_a_merge_asks_and_is_proposed_again_by_a_persons_word(shop: Workshop) -> None:
    item, number = proposed(shop)
    shop.hub.shut(number)
    shop.work()
    assert shop.board.show(item)["status"] == ASKED
    question = shop.board.inbox()[0]
    assert "closed without a merge by ann" in question["question"]
    shop.board.answer(question["id"], "propose it again")
    shop.work()
    assert shop.pull(item) != number and shop.hub.pulls[shop.pull(item)].state == "OPEN"


def test_what_somebody_else_pushed_is_never_overwritten_and_taken_in_by_a_persons_word(shop: Workshop) -> None:
    item, number = proposed(shop)
    theirs = shop.hub.push(f"moot/{item}", "theirs.txt", "theirs\n")
    shop.hub.strict = True
    shop.hub.push("main", "other.txt", "other\n")
    shop.work()
    assert shop.hub.head(number) == theirs and shop.board.show(item)["status"] == ASKED
    shop.board.answer(shop.board.inbox()[0]["id"], "take it in and go on")
    shop.work()
    now = shop.hub.head(number)
    assert shop.item(item).is_proposed, (shop.board.show(item)["why"], shop.words())
    for path in ("theirs.txt", "one.txt", "other.txt"):
        assert git(shop.hub.repository, "show", f"{now}:{path}")
    assert git(shop.hub.repository, "rev-list", f"{now}..{theirs}") == ""


@pytest.mark.attack(
    "target",
    "somebody pushes to the branch of a proposal, and the item is moved on before anybody has said what becomes of it",
    "it is not taken in: only the answer that says so does that",
)
@pytest.mark.parametrize("to", some(["dev", "done"], ["done"]))
def test_what_was_asked_about_is_not_taken_in_by_a_move(shop: Workshop, to: str) -> None:
    item, number = proposed(shop)
    theirs = shop.hub.push(f"moot/{item}", "theirs.txt", "theirs\n")
    shop.work()
    shop.board.move(item, to)
    shop.work()
    row = shop.item(item)
    assert shop.hub.head(number) == theirs and row.proposal is not None and row.proposal.taken == []
    assert row.status == ASKED and "taken in" in shop.board.inbox()[0]["question"]
    shop.board.answer(shop.board.inbox()[0]["id"], "take it in and go on")
    shop.work()
    assert git(shop.hub.repository, "show", f"{shop.hub.head(number)}:theirs.txt") == "theirs"


@pytest.mark.attack(
    "gates",
    "another repository of the same organisation has a branch and a pull request that are named as the board's will be",
    "it is left alone: the board opens its own",
)
def test_a_pull_request_from_another_repository_is_not_ours(shop: Workshop) -> None:
    theirs = shop.hub._new()
    shop.hub.pulls[theirs] = Pull(theirs, "moot/1", "main", "Theirs", "<!-- moot:begin --><!-- moot:end -->", False)
    shop.hub.pulls[theirs].is_forks = True
    item = shop.add("One", "write one.txt made", "report done")
    shop.work()
    assert shop.pull(item) != theirs, shop.words()
    assert shop.hub.pulls[theirs].body == "<!-- moot:begin --><!-- moot:end -->"


def test_a_branch_of_that_name_that_is_not_ours_is_left_alone(shop: Workshop) -> None:
    main = shop.hub.tip("main")
    theirs = shop.hub.push("moot/1", "theirs.txt", "theirs\n", onto=main)
    item = shop.add("One", "write one.txt made", "report done")
    shop.work()
    assert shop.hub.tip("moot/1") == theirs and shop.hub.pulls == {}
    assert shop.board.show(item)["status"] == ASKED
    assert "did not put there" in shop.board.inbox()[0]["question"]


def test_behind_is_brought_along_and_dirty_goes_back_with_both_sides_marked(shop: Workshop) -> None:
    shop.hub.strict = True
    fix = 'shell grep -q "<<<<" one.txt 2>/dev/null && echo both > one.txt || echo made > one.txt'
    item, number = proposed(shop, fix, "report done")
    shop.look()
    main = shop.hub.push("main", "other.txt", "other\n")
    shop.work()
    second = shop.hub.head(number)
    assert git(shop.hub.repository, "rev-list", f"{second}..{main}") == "", "it is on top of what main has"
    shop.look()
    runs = len(shop.board.show(item)["runs"])
    shop.work()
    assert len(shop.board.show(item)["runs"]) == runs, "once"
    shop.hub.push("main", "one.txt", "theirs\n")
    shop.work()
    third = shop.hub.head(number)
    assert git(shop.hub.repository, "show", f"{third}:one.txt") == "both", shop.words()
    assert git(shop.hub.repository, "rev-list", f"{third}..{second}") == ""


STEPS = ["merge", "move", "pushed", "opened", "report", "seen"]


@pytest.mark.ledger("R-19", "R-29")
@pytest.mark.parametrize("step", some(STEPS, ["move", "opened", "seen"]))
def test_killed_at_any_step_there_is_one_pull_request_and_one_landing(tmp_path: Path, step: str) -> None:
    shop = Workshop(tmp_path, lease="2s")
    item = shop.add("One", "write one.txt made", "report done")
    if step == "seen":
        shop.work()
        shop.hub.merge(shop.pull(item))
    assert shop.killed(step) == -9
    shop.work()
    if step != "seen":
        assert len(shop.hub.pulls) == 1, step
        assert shop.hub.head(shop.pull(item)) == shop.item(item).proposal.commit  # type: ignore[union-attr]
        shop.hub.merge(shop.pull(item))
        shop.work()
    assert shop.board.show(item)["status"] == "done" and shop.main("one.txt") == "made"
    events = [event["event"] for event in shop.board.log(item=item)]
    assert events.count("work_landed") == 1 and events.count("work_proposed") == 1
    changes = git(shop.hub.repository, "log", "--format=%h", "--no-merges", "main", "--", "one.txt").split()
    assert len(changes) == 1
    shop.close()


def test_killed_between_the_push_and_a_squash_merge_it_is_found_on_the_branch(tmp_path: Path) -> None:
    shop = Workshop(tmp_path, lease="2s")
    item = shop.add("One", "write one.txt made", "report done")
    assert shop.killed("opened") == -9
    shop.hub.merge(next(iter(shop.hub.pulls)), method="squash")
    shop.work()
    assert shop.board.show(item)["status"] == "done" and len(shop.hub.pulls) == 1
    shop.close()


def test_a_forge_that_is_away_is_waited_for_and_nothing_is_counted(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "REMOTE_PAUSE", 0.05)
    monkeypatch.setattr(jobs.Job, "remote_patience", 0.2)
    shop.hub.is_down = True
    item = shop.add("One", "write one.txt made", "report done")
    with tools_of(shop.application, shop.home, shop.told.append) as tools:
        worker = Worker(tools, worker_name(tools.workspaces.home), slots=1, until_idle=True)

        def idle() -> None:
            if any("forge" in event.words for event in shop.told):
                shop.hub.is_down = False

        worker.run(idle)
    row = shop.item(item)
    assert row.is_proposed and row.failures == {} and row.span.reds == {}
    assert len(shop.hub.pulls) == 1


def test_a_landing_that_meets_the_limit_asks_once_and_goes_on_after_it(shop: Workshop) -> None:
    shop.hub.secondary = 2
    item = shop.add("One", "write one.txt made", "report done")
    with tools_of(shop.application, shop.home, shop.told.append) as tools:
        worker = Worker(tools, worker_name(tools.workspaces.home), slots=1, until_idle=True)

        def idle() -> None:
            if shop.item(item).because.startswith("the forge is not asked"):
                shop.hub.secondary = None

        worker.run(idle)
    assert shop.item(item).is_proposed and shop.item(item).failures == {}
    assert [status for _, _, status in shop.hub.asked].count(403) == 1


def test_the_pause_at_the_limit_is_the_boards_and_survives_a_restart(shop: Workshop) -> None:
    proposed(shop)
    shop.hub.use_up(600.0)
    asked = len(shop.hub.asked)
    shop.look()
    assert len(shop.hub.asked) > asked
    asked = len(shop.hub.asked)
    assert not shop.look() and len(shop.hub.asked) == asked
    shop.hub.remaining = 5_000
    shop.application.engine.on_board(Actor("somebody"), ResumeBoard(pool="github api"))
    assert shop.look()


def test_the_token_is_in_no_run_no_log_no_file_and_no_argument(tmp_path: Path) -> None:
    shop = Workshop(tmp_path)
    look = (
        "shell (env; cat /proc/self/environ; cat /proc/[0-9]*/environ; cat /proc/[0-9]*/cmdline; "
        "env | grep MOOT_GITHUB) 2>/dev/null | tr '\\0' '\\n' | grep -a '_TOKEN\\|_RUN=' > one.txt"
    )
    item, number = proposed(shop, look, "report done")
    head = shop.hub.head(number)
    seen = git(shop.hub.repository, "show", f"{head}:one.txt")
    assert "MOOT_RUN" in seen and "GITHUB_TOKEN" not in seen and TOKEN not in seen
    assert shop.hub.seen_tokens == {TOKEN}
    shop.hub.merge(number)
    shop.work()
    assert shop.board.show(item)["status"] == "done"
    assert TOKEN not in str(shop.board.log()) and TOKEN not in shop.words()
    for folder, _, files in os.walk(shop.folder):
        for name in files:
            assert TOKEN.encode() not in Path(folder, name).read_bytes(), name
    shop.close()


@pytest.mark.attack(
    "doors",
    "an agent's summary holds the mark that ends the board's part of a description, and words behind it",
    "it is no mark there: at the next renewal all of its words are in the block of code, and none is left behind",
)
def test_no_words_of_an_agent_come_out_of_their_block(shop: Workshop) -> None:
    sly = json.dumps({"outcome": "done", "summary": "x <!-- moot:end -->\n\n@octocat fixes #1\n"})
    plain = json.dumps({"outcome": "done", "summary": "tidy"})
    twice = f"shell if test -f one.txt; then echo 2 > one.txt; R='{plain}'; else echo 1 > one.txt; R='{sly}'; fi; "
    _, number = proposed(shop, twice + 'printf %s "$R" > "$MOOT_REPORT"')
    assert shop.hub.pulls[number].body.count("moot:end") == 2 and shop.hub.pulls[number].body.count(END) == 1
    for name in ("unit", "lint"):
        shop.hub.check(shop.hub.head(number), name, "FAILURE")
    shop.work()
    body = shop.hub.pulls[number].body
    assert "tidy" in body and "octocat" not in body and (body.count(BEGIN), body.count(END)) == (1, 1)


@pytest.mark.attack(
    "doors",
    "a title or a summary calls people or closes issues on the forge, by the name and the commits of a pull request",
    "unseen letters stand in between: nobody is called, and a merge closes nothing",
)
def test_no_name_and_no_commit_of_a_proposal_calls_anybody(shop: Workshop) -> None:
    said = json.dumps({"outcome": "done", "summary": "made by @octocat: closes acme/shop#7, Fixed: #12"})
    shell = f"shell printf %s '{said}' > \"$MOOT_REPORT\""
    item, number = proposed(shop, "write one.txt made", shell, title="Fixes #9 with @bob")
    told = git(shop.hub.repository, "log", "--format=%B", shop.hub.head(number)) + shop.hub.pulls[number].title
    assert "made by" in told and "with @" in told and f"Moot-Item: {item}" in told
    assert not re.search(r"@\w", told) and not re.search(r"(?i)(close[sd]?|fix(es|ed)?)[:\s]+\S*#", told), told


def taken_in(shop: Workshop, *lines: str, **fields: Any) -> tuple[str, int, str]:
    item = shop.add("One", *lines, **fields)
    shop.work()
    theirs = shop.hub.push(f"moot/{item}", "theirs.txt", "theirs\n")
    shop.work()
    shop.board.answer(shop.board.inbox()[0]["id"], "take it in and go on")
    shop.work()
    return item, shop.pull(item), theirs


def paths_of(shop: Workshop, number: int) -> list[str]:
    return git(shop.hub.repository, "ls-tree", "-r", "--name-only", shop.hub.head(number)).splitlines()


def test_what_was_taken_in_stays_when_the_target_moves_on(shop: Workshop) -> None:
    item, number, theirs = taken_in(shop, "write one.txt made", "report done", files=["one.txt"])
    shop.hub.strict = True
    shop.hub.push("main", "other.txt", "other\n")
    shop.look()
    shop.work()
    assert paths_of(shop, number) == ["README.md", "one.txt", "other.txt", "theirs.txt"], shop.board.show(item)["why"]
    assert git(shop.hub.repository, "rev-list", f"{shop.hub.head(number)}..{theirs}") == ""


def test_what_was_taken_in_stays_when_the_work_is_mended(shop: Workshop) -> None:
    fix = "shell test -f one.txt && echo mended > one.txt || echo made > one.txt"
    item, number, _ = taken_in(shop, fix, "report done", files=["one.txt"])
    for name in ("unit", "lint"):
        shop.hub.check(shop.hub.head(number), name, "FAILURE")
    shop.work()
    assert git(shop.hub.repository, "show", f"{shop.hub.head(number)}:one.txt") == "mended"
    assert paths_of(shop, number) == ["README.md", "one.txt", "theirs.txt"], shop.board.show(item)["why"]


def test_what_was_taken_in_gives_the_item_no_right_to_it(shop: Workshop) -> None:
    fix = "shell if test -f one.txt; then echo sly > theirs.txt; echo 2 > one.txt; else echo 1 > one.txt; fi"
    item, number, _ = taken_in(shop, fix, "report done", files=["one.txt"])
    before = shop.hub.head(number)
    for name in ("unit", "lint"):
        shop.hub.check(before, name, "FAILURE")
    shop.work()
    assert shop.hub.head(number) == before and "sly" not in git(shop.hub.repository, "log", "-p", "--all")
    assert shop.board.show(item)["status"] != "done"


def test_what_took_the_place_of_what_was_to_be_taken_in_is_asked_about(shop: Workshop) -> None:
    item, number = proposed(shop)
    shop.hub.push(f"moot/{item}", "first.txt", "first\n")
    shop.look()
    second = shop.hub.push(f"moot/{item}", "second.txt", "second\n", onto=shop.hub.tip("main"))
    shop.board.answer(shop.board.inbox()[0]["id"], "take it in and go on")
    shop.work()
    assert shop.hub.head(number) == second and second[:12] in shop.board.inbox()[0]["question"]
    shop.board.answer(shop.board.inbox()[0]["id"], "take it in and go on")
    shop.work()
    assert paths_of(shop, number) == ["README.md", "one.txt", "second.txt"], shop.board.show(item)["why"]


def test_after_a_restore_another_item_of_that_number_rewrites_no_branch(shop: Workshop) -> None:
    backup = shop.board.backup()["path"]
    old, number = proposed(shop, title="Old")
    head = shop.hub.head(number)
    shop.restore(backup)
    new = shop.add("New", "write two.txt made", "report done")
    shop.work()
    assert new == old and shop.hub.head(number) == head, "the other one's work is still there"
    assert "did not put there" in shop.board.inbox()[0]["question"]
