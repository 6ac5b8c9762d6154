"""What happens on the board is seen in every tab, without a gap and without a reload."""

import re
import time
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from bench.serving.page import CARDS, DRAWN, Changes, Thread
from bench.serving.page import board as board_of
from folkmoot.api.requests import Add
from tests.doors.http.served import ADA, served
from tests.web.browser import PATIENCE, Visitor, until, visiting
from tests.web.stage import Stage

Staged = tuple[Stage, dict[str, str]]
expect.set_options(timeout=PATIENCE)


def test_a_card_goes_to_its_new_column_in_two_tabs(visitor: Visitor, stage: Staged) -> None:
    made, names = stage
    tabs = [visitor.sign_in(), visitor.tab()]
    item = names["queued"]
    made.report("story-agent", item, summary="written")
    for tab in tabs:
        expect(tab.locator(f'[data-column="arch"] [data-card="{item}"]')).to_be_visible()
        expect(tab.locator(f'[data-column="stories"] [data-card="{item}"]')).to_have_count(0)
    new = made.add("Something that has just come in")
    for tab in tabs:
        expect(tab.locator(f'[data-card="{new}"]')).to_contain_text("has just come in")


def test_what_an_agent_does_right_now_is_shown_in_its_card(visitor: Visitor, stage: Staged) -> None:
    made, names = stage
    page = visitor.sign_in()
    run = made.claim("story-agent", names["queued"])
    made.prints(run, "Reading the settings page")
    expect(page.locator(f'[data-card="{names["queued"]}"] .card-doing')).to_have_text("Reading the settings page")


def test_the_title_of_the_tab_counts_what_waits_for_the_person(visitor: Visitor, stage: Staged) -> None:
    made, names = stage
    page = visitor.sign_in()
    expect(page).to_have_title("(3) Folkmoot")
    made.question(names["queued"], "story-agent", "Which settings?")
    expect(page).to_have_title("(4) Folkmoot")


def test_a_browser_without_shared_workers_is_live_as_well(visitor: Visitor, stage: Staged) -> None:
    made, names = stage
    visitor.context.add_init_script("delete window.SharedWorker")
    page = visitor.sign_in()
    assert page.evaluate("typeof SharedWorker") == "undefined"
    made.report("story-agent", names["queued"], summary="written")
    expect(page.locator(f'[data-column="arch"] [data-card="{names["queued"]}"]')).to_be_visible()


def test_offline_is_said_with_the_time_of_the_picture_and_nothing_is_missing_after(
    visitor: Visitor, stage: Staged
) -> None:
    made, names = stage
    page = visitor.sign_in()
    visitor.context.set_offline(True)
    expect(page.locator(".link-state")).to_contain_text(re.compile(r"Offline for \d+ s: this is the board as of \d"))
    added = [made.add(f"While nobody looked {number}") for number in range(5)]
    made.report("story-agent", names["queued"], summary="written")
    visitor.context.set_offline(False)
    expect(page.locator('[data-link="live"]')).to_have_count(1)
    for item in added:
        expect(page.locator(f'[data-card="{item}"]')).to_be_visible()
    expect(page.locator(f'[data-column="arch"] [data-card="{names["queued"]}"]')).to_be_visible()


def test_a_server_that_was_started_again_is_found_and_nothing_is_missing(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path, "kanban") as server, visiting(browser, server) as visitor:
        port = int(server.host.rpartition(":")[2])
        page = visitor.sign_in()
        server.server.stop()
        expect(page.locator(".link-state")).to_contain_text("Offline")
        server.board.asked_by(ADA)(Add(title="While the server was away"))
        with served(tmp_path, "kanban", port=port) as again:
            expect(page.locator("[data-card]")).to_contain_text("While the server was away")
            expect(page.locator('[data-link="live"]')).to_have_count(1)
            page.close()
            assert again


def test_a_reading_page_writes_nothing(visitor: Visitor, stage: Staged) -> None:
    made, _names = stage
    before = made.server.board.last()
    page = visitor.sign_in()
    page.goto(f"{visitor.address}/#/log")
    expect(page.locator(".log-line").first).to_be_visible()
    page.goto(f"{visitor.address}/#/")
    expect(page.locator("[data-card]").first).to_be_visible()
    assert made.server.board.last() == before


def test_the_log_tells_events_in_words_as_they_happen(visitor: Visitor, stage: Staged) -> None:
    made, _names = stage
    visitor.sign_in()
    page = visitor.tab("/log")
    item = made.add("Told in the log")
    line = page.locator(
        ".log-line", has=page.locator(f'a[href="#/item/{item}"]'), has_text="an item came onto the board"
    )
    expect(line.first).to_be_visible()


@pytest.mark.slow
def test_twelve_tabs_show_the_same_board_after_a_burst(visitor: Visitor, stage: Staged) -> None:
    """More than the six connections that a browser opens to one server."""
    made, _names = stage
    moved = 15  # with what the stage has there, no more than a column draws before somebody scrolls
    first = visitor.sign_in()
    tabs = [first, *(visitor.tab() for _ in range(5))]
    items = [made.add(f"Item of the burst {number}") for number in range(40)]
    tabs += [visitor.tab() for _ in range(6)]  # these come while things move
    for item in items[:moved]:
        made.report("story-agent", item, summary="written")
    last = made.server.board.last()
    for tab in tabs:
        until(tab, f"Number(document.querySelector('[data-seq]')?.dataset.seq) >= {last}")
        shown = tab.evaluate(
            "[...document.querySelectorAll('[data-column=arch] [data-card]')].map(c => c.dataset.card)"
        )
        assert set(items[:moved]) <= set(shown)
        assert not set(items[moved:]) & set(shown)


@pytest.mark.slow
def test_five_hundred_cards_at_sixty_changes_a_second_leave_the_page_most_of_its_time(
    browser: Browser, tmp_path: Path
) -> None:
    """By what the page's own thread works, so that it holds on a busy machine too; `make bench` says it in ms."""
    with board_of(tmp_path, CARDS) as server, visiting(browser, server) as visitor:
        page = visitor.sign_in()
        until(page, f"({DRAWN})() >= {CARDS}")
        thread, changes = Thread(page), Changes(server)
        began, at = time.monotonic(), thread.worked()
        changes.start()
        page.wait_for_timeout(5_000)
        share = (thread.worked() - at) / (time.monotonic() - began)
        changes.end()
        until(page, f"Number(document.querySelector('[data-seq]')?.dataset.seq) >= {server.board.last()}")
        assert changes.made > 100 and share < 0.4, (changes.made, share)


@pytest.mark.slow
def test_a_board_of_twenty_thousand_open_items_draws_no_more_cards_than_a_small_one(
    browser: Browser, tmp_path: Path
) -> None:
    with board_of(tmp_path, 20_000) as server, visiting(browser, server) as visitor:
        page = visitor.sign_in()
        expect(page.locator("[data-card]").first).to_be_visible()
        assert page.locator("[data-card]").count() <= 20 * 2 * 6
        expect(page.locator('[data-column="dev"] .column-count')).to_have_text("3333")
