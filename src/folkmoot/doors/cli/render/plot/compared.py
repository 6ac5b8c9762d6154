"""Two sides beside each other: each measure, the difference, how sure it is, and the pictures."""

from collections.abc import Callable
from typing import Any

from folkmoot.doors.cli.render.page import BAD, CARE, GOOD, HEAD, QUIET, Page, count, one_line
from folkmoot.doors.cli.render.plot.scale import MEASURES, VERDICTS, seeds_of, signed
from folkmoot.doors.cli.render.plot.terminal import finished, spreads

View = dict[str, Any]
STYLES = {"better": GOOD, "worse": BAD, "unclear": CARE, "same": QUIET}


def compared(view: View) -> None:
    page = Page()
    sides = view["sides"]
    for name in "ab":
        page.line((name.upper(), HEAD), f"  {one_line(sides[name]['label'])}", hang=3)
    page.line(f"   {_shared(view)}")
    page.blank()
    _table(page, view["measures"])
    page.blank()
    _doubt(page, view)
    if all(side["ok"] for side in sides.values()):
        page.line(page.mark("done"), (" every invariant held after every step, on both sides", GOOD))
    page.blank()
    finished(page, view["plots"])
    page.blank()
    spreads(page, view["plots"])


def _shared(view: View) -> str:
    """What both sides have alike."""
    a, b = view["sides"]["a"], view["sides"]["b"]
    parts = [f"population {one_line(a['population'])}"] if a["population"] == b["population"] else []
    parts.append(count(round(a["mean"]["items"]["count"]), "item"))
    parts += [count(a["slots"], "slot")] if a["slots"] == b["slots"] else []
    return " · ".join([*parts, seeds_of(view)])


def _table(page: Page, rows: list[View]) -> None:
    apart = "B - A" if page.ascii else "B − A"
    page.row((f"{'':19} {'A':>8} {'B':>8} {apart:>8}  95% interval", QUIET))
    for row in rows:
        title, shape = MEASURES[row["measure"]]
        cells = " ".join(f"{_told(row[key], shape):>8}" for key in ("a", "b"))
        apart = "none" if row["difference"] is None else signed(row["difference"], shape)
        page.row(
            f"{title:19} {cells} {apart:>8}  ",
            f"{_between(row, shape):<19} ",
            (VERDICTS[row["verdict"]], STYLES[row["verdict"]]),
        )


def _between(row: View, shape: Callable[[float], str]) -> str:
    if row["low"] is None or row["verdict"] == "same":
        return ""
    return f"{signed(row['low'], shape)} to {signed(row['high'], shape)}"


def _told(value: float | None, shape: Callable[[float], str]) -> str:
    return "none" if value is None else shape(value)


def _doubt(page: Page, view: View) -> None:
    """What may be chance is said in words: a number alone is believed too easily."""
    seeds = len(view["seeds"])
    if view["unclear"]:
        names = ", ".join(MEASURES[name][0] for name in view["unclear"])
        anecdote = "one seed is an anecdote; " if seeds == 1 else ""
        more = f"use --seeds {view['more_seeds']}" if view["more_seeds"] else "the difference is small, if there is one"
        words = f"Cannot tell apart with {count(seeds, 'seed')}: {names} ({anecdote}{more})."
        page.line((words, CARE))
    page.line(("Paired by seed: A and B get the same items, equally hard, and the same luck in the same place.", QUIET))
