"""Two hundred hostile words, wherever people and agents write: nothing of them runs, and no layout breaks."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.doors.http.served import Served, served
from tests.web.browser import PATIENCE, Visitor, visiting
from tests.web.conftest import assert_at_home
from tests.web.stage import Stage
from tests.web.world import flooded

PAYLOADS: list[str] = [
    json.loads(line) for line in Path(__file__).with_name("payloads.jsonl").read_text("utf-8").splitlines()
]
expect.set_options(timeout=PATIENCE)
COLUMNS = ("stories", "arch", "tests", "dev", "review", "qa")
# What no page of ours has: an element that came out of words, a handler, another place to load from.
STRANGE = """() => [...document.body.querySelectorAll(
  "script, img, iframe, object, embed, video, audio, base, meta, style, link, template, plaintext, marquee, math"
)].map((one) => one.outerHTML.slice(0, 120)).concat(
  [...document.querySelectorAll("*")].flatMap((one) => one.getAttributeNames().filter((name) => name.startsWith("on"))
    .map((name) => `${one.tagName} ${name}`)),
  [...document.querySelectorAll("a[href]")].map((one) => one.getAttribute("href")).filter((href) => !/^#/.test(href)),
)"""


def some(all_of_them: bool) -> list[str]:
    return PAYLOADS if all_of_them else PAYLOADS[::10]


@contextmanager
def careful(browser: Browser, server: Served, width: int) -> Iterator[tuple[Visitor, Page]]:
    with visiting(browser, server, viewport={"width": width, "height": 900}) as visitor:
        page = visitor.sign_in()
        page.on("dialog", lambda dialog: visitor.faults.append(f"a dialog: {dialog.message}"))
        yield visitor, page
        assert not visitor.faults, visitor.faults
        assert_at_home(visitor)


def look(page: Page, width: int, where: str) -> None:
    assert page.evaluate("window.pwned") is None, where
    assert page.evaluate(STRANGE) == [], where
    assert page.evaluate("document.documentElement.scrollWidth") <= width, where


def filled(stage: Stage, words: list[str]) -> str:
    """Words as titles of items; and one item that says all of them in each place where it can."""
    for number, text in enumerate(words):
        stage.add(text, body=text, tags=[text[:200]], column=COLUMNS[number % len(COLUMNS)])
    item = stage.add("Says all of it", priority="critical")
    for text in words:
        stage.ok("comment", item=item, content=text)
    run = stage.claim("story-agent", item)
    stage.prints(run, *words)
    found = [{"issue": text, "file": text[:200], "recommendation": text, "remark": True} for text in words]
    asked = {"question": words[3], "context": "\n".join(words), "options": [{"option": one} for one in words[:9]]}
    stage.ok(
        "report", run["bearer"], report={"outcome": "asks", "summary": words[0], "question": asked, "findings": found}
    )
    return item


def walk(page: Page, address: str, item: str, count: int, width: int) -> None:
    drawn = page.locator("[data-card]")
    for _ in range(40):  # the others are drawn when they come near
        page.evaluate("[...document.querySelectorAll('.column-near')].forEach((one) => one.scrollIntoView())")
        if drawn.count() >= count:
            break
        page.wait_for_timeout(250)
    assert drawn.count() >= count
    look(page, width, "board")
    for path in (f"/item/{item}/{tab}" for tab in ("story", "changes", "runs", "talk", "proof")):
        page.goto(f"{address}/#{path}")
        expect(page.get_by_role("tabpanel")).to_be_visible()
        if path.endswith("runs"):
            expect(page.locator(".output")).to_be_visible()
        page.wait_for_timeout(200)
        look(page, width, path)
    for path in ("/numbers", "/workers", "/log"):
        page.goto(f"{address}/#{path}")
        expect(page.locator("main h1")).to_be_attached()
        page.wait_for_timeout(200)
        look(page, width, path)


def walked(browser: Browser, folder: Path, words: list[str], *widths: int) -> None:
    with served(folder, "kanban") as server:
        item = filled(Stage(server), words)
        for width in widths:
            with careful(browser, server, width) as (visitor, page):
                walk(page, visitor.address, item, len(words) + 1, width)


def test_words_that_would_run_are_shown_as_words(browser: Browser, tmp_path: Path) -> None:
    walked(browser, tmp_path, some(False), 1440)


@pytest.mark.slow
def test_two_hundred_hostile_words_run_nothing_and_break_no_layout(browser: Browser, tmp_path: Path) -> None:
    assert len(PAYLOADS) == len(set(PAYLOADS)) == 200
    walked(browser, tmp_path, PAYLOADS, 390, 1440)


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1440])
def test_two_hundred_files_with_hostile_names_and_lines_are_read_as_text(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    yard = flooded(tmp_path)
    yard.board.close()
    with served(tmp_path) as server, careful(browser, server, width) as (visitor, page):
        page.goto(f"{visitor.address}/#/item/1/changes")
        expect(page.locator(".file").first).to_be_visible()
        page.wait_for_timeout(500)
        look(page, width, "changes")
        page.goto(f"{visitor.address}/#/item/1/runs")
        page.locator(".run-head").last.click()  # the first run; the last one was a gate or a look at it
        expect(page.locator(".output").first).to_be_visible()
        look(page, width, "runs")
