"""What happens on the board is seen in every tab, without a gap and without a reload."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from folkmoot.api.requests import Add
from tests.doors.http.served import ADA, served
from tests.web.browser import PATIENCE, Visitor, until, visiting
from tests.web.stage import Stage

Staged = tuple[Stage, dict[str, str]]
expect.set_options(timeout=PATIENCE)
FRAMES = """() => {
    window.gaps = [];
    let last = performance.now();
    const tick = (now) => { window.gaps.push(now - last); last = now; requestAnimationFrame(tick); };
    requestAnimationFrame(tick);
}"""


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
    made, names = stage
    first = visitor.sign_in()
    tabs = [first, *(visitor.tab() for _ in range(5))]
    items = [made.add(f"Item of the burst {number}") for number in range(40)]
    tabs += [visitor.tab() for _ in range(6)]  # these come while things move
    for item in items[:20]:
        made.report("story-agent", item, summary="written")
    last = made.server.board.last()
    for tab in tabs:
        until(tab, f"Number(document.querySelector('[data-seq]')?.dataset.seq) >= {last}")
        shown = tab.evaluate(
            "[...document.querySelectorAll('[data-column=arch] [data-card]')].map(c => c.dataset.card)"
        )
        assert set(items[:20]) <= set(shown)
        assert not set(items[20:]) & set(shown)
    assert names


@pytest.mark.slow
def test_five_hundred_cards_at_sixty_changes_a_second_leave_input_smooth(visitor: Visitor, stage: Staged) -> None:
    made, _names = stage
    for number in range(500):
        made.add(f"One of many {number}")
    page = visitor.sign_in()
    expect(page.locator("[data-card]")).not_to_have_count(0)
    page.evaluate(FRAMES)
    for number in range(300):
        made.ok("edit", item=str(20 + number), title=f"Changed {number}")
    last = made.server.board.last()
    until(page, f"Number(document.querySelector('[data-seq]')?.dataset.seq) >= {last}")
    gaps = sorted(page.evaluate("window.gaps"))
    # Of a hundred frames ninety come without a halt that a person who types would feel.
    assert gaps[int(len(gaps) * 0.9)] < 200, gaps[-10:]
