"""A board saved as one file: opened from disk it shows what the server's page shows, and nothing in it can act."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from folkmoot.wiring.looking.saving import save
from tests.web.browser import PATIENCE
from tests.web.conftest import BUILT
from tests.web.stage import Stage

Staged = tuple[Stage, dict[str, str]]
expect.set_options(timeout=PATIENCE)
HOSTILE = [
    "</script><script>document.title='broken'</script>",
    "<!-- <script> <img src=x onerror=\"document.title='broken'\">",
    "line \u2028 and \u2029 ends",
]


@pytest.fixture
def opened(browser: Browser, stage: Staged, tmp_path: Path) -> Iterator[Page]:
    """The file, and all that it asked for and complained about in the end."""
    if not (BUILT.parent / "export.js").is_file():
        pytest.skip("NOT TESTED: the page for files is not built (make web)")
    made, _ = stage
    for title in HOSTILE:
        made.add(title, body=title)
    file = tmp_path / "board.html"
    save(made.server.board, str(file), None)
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(PATIENCE)
    asked: list[str] = []
    faults: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    context.on("weberror", lambda error: faults.append(str(error.error)))
    context.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    page = context.new_page()
    page.goto(file.as_uri())
    yield page
    assert not faults, faults
    assert all(url.startswith((file.as_uri(), "data:", "blob:")) for url in asked), asked
    assert page.title() != "broken"
    context.close()


def test_it_opens_from_disk_and_shows_hostile_words_as_words(opened: Page) -> None:
    for title in HOSTILE[:2]:
        expect(opened.get_by_text(title).first).to_be_visible()
    expect(opened.get_by_text("A file: nothing here is live.")).to_be_visible()
    expect(opened.get_by_role("button", name="New")).to_have_count(0)


def test_the_slider_shows_the_board_as_it_was(opened: Page) -> None:
    slider = opened.get_by_role("slider", name="Step")
    cards = opened.locator("[data-card]")
    expect(cards.first).to_be_visible()
    slider.focus()
    slider.press("Home")
    expect(cards).to_have_count(0)
    slider.press("ArrowRight")
    expect(cards).to_have_count(1)
    slider.press("End")
    expect(opened.get_by_text("A file: nothing here is live.")).to_be_visible()


def test_an_item_tells_its_story(opened: Page, stage: Staged) -> None:
    item = next(iter(stage[1].values()))
    opened.evaluate(f"location.hash = '#/item/{item}'")
    expect(opened.get_by_role("tab", name="Story")).to_be_visible()
    expect(opened.get_by_text("added it to").first).to_be_visible()


def test_a_run_says_what_it_printed_and_the_rules_what_stands_in_its_way(opened: Page, stage: Staged) -> None:
    coding = stage[1]["coding"]
    opened.evaluate(f"location.hash = '#/item/{coding}/runs'")
    expect(opened.locator(".output").first).to_contain_text("Running the tests of sign-in")
    opened.evaluate(f"location.hash = '#/item/{coding}/proof'")
    expect(opened.get_by_text("Would not land now: dev has yet to do its work.")).to_be_visible()


def test_plots_are_drawn_and_saved_as_pictures_and_tables(opened: Page, tmp_path: Path) -> None:
    opened.evaluate("location.hash = '#/numbers'")
    plot = opened.locator(".plot").first
    expect(plot.locator("svg").first).to_be_visible()
    with opened.expect_download() as picture:
        plot.get_by_role("button", name="PNG").click()
    picture.value.save_as(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
    with opened.expect_download() as table:
        plot.get_by_role("button", name="CSV").click()
    table.value.save_as(tmp_path / "plot.csv")
    assert (tmp_path / "plot.csv").read_text("utf-8-sig").startswith("day,landed")
    plot.get_by_role("button", name="as table").click()
    expect(plot.get_by_role("columnheader", name="landed")).to_be_visible()
