"""A real Chromium, as a person has it: signed in by the board's link, with everything it asks for written down."""

import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from folkmoot.api.access import MakeLoginCode
from tests.doors.http.served import ADA, Served

ARGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--in-process-gpu", "--disable-quic", "--no-first-run",
    "--disable-sync", "--disable-background-networking", "--disable-component-update",
]  # fmt: skip
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 30_000  # ms, more than anything takes on a busy machine; nothing waits for it to pass


def program() -> str | None:
    """The browser of this machine."""
    return os.environ.get("MOOT_TEST_BROWSER") or next(filter(None, map(shutil.which, PROGRAMS)), None)


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=ARGS)
        try:
            yield browser
        finally:
            browser.close()


def link(server: Served) -> str:
    """One that signs a browser in as the owner."""
    made = server.board.asked_by(ADA)(MakeLoginCode())
    return server.server.start.address + made.path


class Visitor:
    """One browser: its tabs share their cookies and their stream."""

    def __init__(self, context: BrowserContext, server: Served) -> None:
        self.context, self.server = context, server
        self.address = server.server.start.address
        self.asked: list[str] = []
        self.faults: list[str] = []
        context.set_default_timeout(PATIENCE)
        context.on("request", lambda request: self.asked.append(request.url))
        context.on("weberror", lambda error: self.faults.append(str(error.error)))
        context.on("console", lambda said: self.hear(said.text) if said.type == "error" else None)

    def hear(self, text: str) -> None:
        """What the browser itself says of a refusal, or of a network that is gone, is no fault of the page."""
        if not re.search(r"status of (400|401|403|409)|ERR_INTERNET_DISCONNECTED", text):
            self.faults.append(text)

    def sign_in(self) -> Page:
        page = self.context.new_page()
        page.goto(link(self.server))
        return self.live(page)

    def tab(self, path: str = "/") -> Page:
        page = self.context.new_page()
        page.goto(f"{self.address}/#{path}")
        return self.live(page)

    @staticmethod
    def live(page: Page) -> Page:
        page.wait_for_selector('[data-link="live"][data-role]', state="attached")
        return page


def until(page: Page, expression: str) -> None:
    """Until this holds. Playwright's own way to wait lets the page evaluate text, which the page forbids."""
    end = time.monotonic() + PATIENCE / 1000
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"it never held: {expression}"
        page.wait_for_timeout(30)


@contextmanager
def visiting(browser: Browser, server: Served, **options: object) -> Iterator[Visitor]:
    # A sixth of what these tests cost was to draw what moves, of which they ask nothing.
    usual = {"viewport": {"width": 1440, "height": 900}, "reduced_motion": "reduce"}
    context = browser.new_context(**{**usual, **options})  # type: ignore[arg-type]
    try:
        yield Visitor(context, server)
    finally:
        context.close()
