"""Numbers and Workers: plots that can be read by eye, by key and as a table; runs with what they do."""

import re

from playwright.sync_api import expect

from tests.web.browser import PATIENCE, Visitor
from tests.web.stage import Stage

Staged = tuple[Stage, dict[str, str]]
expect.set_options(timeout=PATIENCE)


def test_every_plot_says_what_it_finds_and_has_a_table(looker: Visitor, shared: Staged) -> None:
    looker.sign_in()
    page = looker.tab("/numbers")
    expect(page.locator(".plot h2").first).to_contain_text("landed")
    plots = page.locator(".plot")
    expect(plots).to_have_count(8)
    for number in range(8):
        plot = plots.nth(number)
        assert plot.locator("h2").inner_text().endswith(".")
        plot.get_by_role("button", name="as table").click()
        expect(plot.locator("table thead th").first).to_be_attached()
    assert not re.search(r"\$0\.00 spent", page.inner_text("main")), "what nobody told is unknown, and not nothing"


def test_a_run_is_found_by_keys_and_opens_its_item(looker: Visitor, shared: Staged) -> None:
    looker.sign_in()
    page = looker.tab("/numbers")
    marks = page.locator(".gantt .plot-marks")
    expect(marks.locator("[data-facts]").first).to_be_attached()
    marks.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".plot-facts")).to_contain_text(re.compile(r"#\d+ .*"))
    item = re.match(r"#(\d+)", page.locator(".plot-facts").inner_text())
    assert item
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(rf"#/item/{item[1]}"))


def test_a_run_is_ended_where_it_is_seen_and_why_is_told(visitor: Visitor, stage: Staged) -> None:
    made, names = stage
    made.claim("story-agent", names["queued"])
    visitor.sign_in()
    page = visitor.tab("/workers")
    row = page.locator(".workers-run", has_text=f"#{names['queued']} ")
    expect(row).to_contain_text("story-agent")
    row.get_by_role("button", name="End run").click()
    row.get_by_role("textbox").fill("wrong track")
    row.get_by_role("button", name="End run").click()
    expect(row).to_have_count(0)
    assert made.server.get("run", run=names["queued"]).json["end"] == "revoked"


def test_a_narrow_screen_scrolls_only_downwards(looker: Visitor, shared: Staged) -> None:
    looker.sign_in()
    for path in ("/numbers", "/workers"):
        page = looker.tab(path)
        page.set_viewport_size({"width": 390, "height": 800})
        expect(page.locator("main h1")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
