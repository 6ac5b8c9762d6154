"""The page in a real Chromium: how soon a large board is there, and whether keys stay quick while much changes."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from folkmoot.core.commands import Actor, EditItem
from folkmoot.core.events import Change, Event
from folkmoot.core.item import Item
from folkmoot.core.order import queue_position
from tests.doors.http.served import Served, served
from tests.web.browser import chromium, program, until, visiting

PERSON = Actor("bench")
COLUMNS = ("stories", "arch", "tests", "dev", "review", "qa")
CARDS = 500
MANY = int(os.environ.get("MOOT_MANY", "20000"))  # fewer, for whoever only wants to see it run
RATE = 60  # changes a second
SECONDS = 10.0
PRESSES = 100
WAY = (*["ArrowDown"] * 8, "ArrowRight", *["ArrowUp"] * 8, "ArrowLeft")
ROUNDS = 5
PORT = 9377
# Until the first card is painted: two frames after it stands in the document.
FIRST = """() => new Promise((done) => {
  const look = () => document.querySelector("[data-card]")
    ? requestAnimationFrame(() => setTimeout(() => done(performance.now())))
    : requestAnimationFrame(look);
  look();
})"""
DRAWN = """() => {
  document.querySelectorAll(".column-near").forEach((one) => one.scrollIntoView());
  return document.querySelectorAll("[data-card]").length;
}"""
# The browser's own measure of an input: from the key to the frame that shows what came of it, in steps of 8 ms.
WATCH = """() => {
  window.keys = [];
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) if (one.name === "keydown") window.keys.push(one.duration);
  }).observe({ type: "event", durationThreshold: 16 });
}"""


@contextmanager
def board(folder: Path, items: int) -> Iterator[Served]:
    """So many open items, in six columns; written at once."""
    with served(folder, "kanban") as server:
        flow = server.board.queries.flow()
        made = [
            Item(
                id=str(number),
                title=f"Piece of work {number} with a title of an ordinary length",
                body="What it is for. " * 10,
                column=COLUMNS[number % len(COLUMNS)],
                version=1,
            )
            for number in range(1, items + 1)
        ]
        fields = ("title", "body", "column", "version")
        changes = {one.id: [Change("items", one.id, {name: getattr(one, name) for name in fields})] for one in made}
        events = [Event(name="item_added", item=one.id, version=1, changes=changes[one.id]) for one in made]
        places = {one.id: queue_position(flow, one) for one in made}
        server.board.engine.store.transact(lambda tx: tx.save(events, [("items", one, True) for one in made], places))
        yield server


def opened(browser: Browser, server: Served) -> float:
    """Milliseconds from asking for the page to its first painted card, in a browser that knows nothing of it."""
    with visiting(browser, server) as visitor:
        visitor.sign_in().close()
        page = visitor.context.new_page()
        page.goto(f"{visitor.address}/#/", wait_until="commit")
        return float(page.evaluate(FIRST))


class Changes(threading.Thread):
    """So many changes a second to cards that are shown, until it is told to end."""

    def __init__(self, server: Served) -> None:
        super().__init__()
        self.server, self.over, self.made = server, threading.Event(), 0

    def run(self) -> None:
        began = time.monotonic()
        while not self.over.wait(max(0.0, began + self.made / RATE - time.monotonic())):
            item = str(self.made % CARDS + 1)
            self.server.board.engine.handle_item(PERSON, item, EditItem(title=f"Changed {self.made} times over"))
            self.made += 1

    def end(self) -> None:
        self.over.set()
        self.join()


class Thread:
    """What the page's own thread has worked, in seconds of the processor: other users of the machine do not count."""

    def __init__(self, page: Page) -> None:
        self._session = page.context.new_cdp_session(page)
        self._session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def worked(self) -> float:
        told = self._session.send("Performance.getMetrics")["metrics"]
        return next(float(one["value"]) for one in told if one["name"] == "TaskDuration")


def pressed(page: Page) -> list[float]:
    """What the browser says of a hundred presses of a key; those that took no more than 16 ms it does not tell of."""
    page.evaluate("window.keys = []")
    for number in range(PRESSES):
        page.keyboard.press(WAY[number % len(WAY)])
        page.wait_for_timeout(SECONDS * 1000 / PRESSES)
    slow = sorted(float(one) for one in page.evaluate("window.keys"))
    return [16.0] * (PRESSES - len(slow)) + slow


def latency(browser: Browser, server: Served) -> dict[str, object]:
    with visiting(browser, server) as visitor:
        page = visitor.sign_in()
        until(page, "document.querySelector('[data-card]')")
        until(page, f"({DRAWN})() >= {CARDS}")  # cards are drawn when they come near: here all of them are
        page.evaluate(WATCH)
        thread = Thread(page)
        pressed(page)
        at = thread.worked()
        quiet = pressed(page)
        key = thread.worked() - at
        changes = Changes(server)
        began, at = time.monotonic(), thread.worked()
        changes.start()
        page.wait_for_timeout(SECONDS * 1000)
        share = (thread.worked() - at) / (time.monotonic() - began)
        at = thread.worked()
        busy = pressed(page)
        both = thread.worked() - at
        changes.end()
        rate = changes.made / (time.monotonic() - began)
    return {
        f"{CARDS} cards, {rate:.0f} changes/s: what the page's thread works of its time": f"{share * 100:.0f} %",
        "processor time of that thread for a key and what it draws": f"{key / PRESSES * 1000:.0f} ms",
        "the same while that changes, what the changes take included": f"{both / PRESSES * 1000:.0f} ms",
        "a key is shown after, median (limit 50 ms)": _of(statistics.median(busy), statistics.median(quiet)),
        "of a hundred keys the tenth slowest": _of(busy[-10], quiet[-10]),
        "processes that waited for a core of this machine": f"{os.getloadavg()[0]:.0f} for {os.cpu_count()} cores",
    }


def _of(busy: float, quiet: float) -> str:
    return f"{busy:.0f} ms; {quiet:.0f} ms while nothing changes"


def lighthouse(server: Served, folder: Path) -> dict[str, object]:
    """`MOOT_LIGHTHOUSE` names the program; the browser it uses is signed in before."""
    tool = os.environ.get("MOOT_LIGHTHOUSE")
    if tool is None:
        return {"Lighthouse": "not run: MOOT_LIGHTHOUSE names no program"}
    from playwright.sync_api import sync_playwright

    from tests.web.browser import ARGS, link

    found: list[Any] = []
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            folder / "profile", executable_path=program(), args=[*ARGS, f"--remote-debugging-port={PORT}"]
        )
        page = context.new_page()
        page.goto(link(server))
        page.wait_for_selector('[data-link="live"][data-role]', state="attached")
        page.close()
        for number in range(ROUNDS):
            out = folder / f"{number}.json"
            words = [tool, f"{server.server.start.address}/#/", f"--port={PORT}", "--preset=desktop", "--quiet"]
            words += ["--disable-storage-reset", "--only-categories=performance", "--output=json"]
            subprocess.run([*words, f"--output-path={out}"], check=True, timeout=300)
            found.append(json.loads(out.read_text("utf-8")))
        context.close()
    scores = [one["categories"]["performance"]["score"] * 100 for one in found]
    middle = sorted(found, key=lambda one: one["categories"]["performance"]["score"])[len(found) // 2]["audits"]
    names = ("first-contentful-paint", "largest-contentful-paint", "total-blocking-time", "cumulative-layout-shift")
    return {
        f"Lighthouse, performance, {CARDS} cards, desktop, median of {ROUNDS}": f"{statistics.median(scores):.0f}",
        "all of them": ", ".join(f"{score:.0f}" for score in scores),
        **{f"in the middle one: {name}": middle[name]["displayValue"] for name in names},
    }


def run() -> dict[str, object]:
    if program() is None:
        return {"the page": "not run: there is no Chromium here"}
    figures: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        with board(folder / "few", CARDS) as server:
            with chromium() as browser:
                few = statistics.median(opened(browser, server) for _ in range(ROUNDS))
                figures |= latency(browser, server)
            figures |= lighthouse(server, folder)
        with board(folder / "many", MANY) as server, chromium() as browser:
            many = statistics.median(opened(browser, server) for _ in range(ROUNDS))
            figures[f"{MANY} open items: first card painted, median of {ROUNDS}"] = f"{many:.0f} ms"
            figures[f"beside {CARDS} open items"] = f"{few:.0f} ms, so {many / few:.2f} x"
    return figures


if __name__ == "__main__":
    for what, value in run().items():
        print(f"{what:<75} {value}")
    sys.exit(0)
