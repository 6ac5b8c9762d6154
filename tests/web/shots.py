"""Pictures of every page, light and dark, narrow and wide: `python -m tests.web.shots FOLDER`."""

import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from tests.doors.http.served import Served
from tests.web.browser import chromium, visiting
from tests.web.stage import staged

WIDTHS = {390: 2000, 1440: 900}  # a phone as long as its page: what is not on the screen is not drawn
SCHEMES: tuple[Any, ...] = ("light", "dark")


def pages(names: dict[str, str]) -> dict[str, str]:
    return {
        "board": "/", "item": f"/item/{names['coding']}", "changes": f"/item/{names['coding']}/changes",
        "numbers": "/numbers", "workers": "/workers", "log": "/log",
    }  # fmt: skip


def opened(page: Page, what: str) -> None:
    """Sheets that have no address of their own."""
    keys = {"keys": "?", "palette": "Control+k", "add": "n"}
    if what in keys:
        page.keyboard.press(keys[what])
    else:
        page.keyboard.press("j")
        page.keyboard.press({"move": "m", "peek": " "}[what])
    page.wait_for_selector("dialog[open], .peek:not([aria-busy='true'])")


def shoot(browser: Browser, server: Served, names: dict[str, str], folder: Path) -> None:
    for scheme in SCHEMES:
        for width, height in WIDTHS.items():
            options = {
                "viewport": {"width": width, "height": height},
                "color_scheme": scheme,
                "reduced_motion": "reduce",
            }
            with visiting(browser, server, **options) as visitor:
                visitor.sign_in().close()
                for name, path in pages(names).items():
                    page = visitor.tab(path)
                    page.wait_for_timeout(600)  # charts and lazy parts are drawn; a picture proves nothing
                    page.screenshot(path=folder / f"{name}-{scheme}-{width}.png")
                    page.close()
                for name in ("keys", "palette", "add", "move", "peek"):
                    page = visitor.tab()
                    opened(page, name)
                    page.wait_for_timeout(200)
                    page.screenshot(path=folder / f"{name}-{scheme}-{width}.png")
                    page.close()


if __name__ == "__main__":
    made = Path(sys.argv[1])
    made.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, staged(Path(place)) as (stage, known), chromium() as program:
        shoot(program, stage.server, known, made)
