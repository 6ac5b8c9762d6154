"""Trials as one SVG file: made by hand, readable without colour, by day and by night, and by a screen reader."""

from collections.abc import Callable, Iterator
from html import escape
from typing import Any

from folkmoot.doors.cli.render.plot.scale import (
    MEASURES,
    VERDICTS,
    hours,
    money,
    names_of,
    number,
    seeds_of,
    signed,
    spelled,
    ticks,
)
from folkmoot.doors.cli.session import plain

View = dict[str, Any]
WIDTH = 760
LEFT, RIGHT = 164, 24
CURVE_LEFT = 56
HEAD_HEIGHT = 96
CURVE_HEIGHT = 220
ROW = 26
LABEL_MAX = 96
# Each colour is named where it is used: some viewers know neither variables nor the night.
DAY = {"ground": "#ffffff", "ink": "#1f2328", "quiet": "#59636e", "line": "#d1d9e0", "a": "#0969da", "b": "#bc4c00"}
NIGHT = {"ground": "#0d1117", "ink": "#e6edf3", "quiet": "#9198a1", "line": "#3d444d", "a": "#4493f8", "b": "#f0883e"}
COLOURS = """
  .ground {{ fill: {ground}; }} text {{ fill: {ink}; }} .quiet {{ fill: {quiet}; }}
  .grid {{ stroke: {line}; }} .axis {{ stroke: {quiet}; }}
  .a {{ stroke: {a}; fill: {a}; }} .b {{ stroke: {b}; fill: {b}; }} text.a, text.b {{ stroke: none; }}
  .curve {{ fill: none; }}
"""
SHAPES = """
  text { font: 13px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; }
  text.title { font-size: 17px; font-weight: 600; }
  text.head, text.a, text.b { font-weight: 600; }
  text.quiet { font-size: 12px; }
  .grid, .axis { stroke-width: 1; }
  .curve { stroke-width: 2.5; stroke-linejoin: round; }
  .curve.b { stroke-dasharray: 7 4; }
  .whisker { stroke-width: 2; }
  .box { fill-opacity: 0.25; stroke-width: 1.5; }
  .box.b { stroke-dasharray: 5 3; }
  .median { stroke-width: 3; }
  .unclear { opacity: 0.55; }
"""
STYLE = f"{SHAPES}{COLOURS.format(**DAY)}  @media (prefers-color-scheme: dark) {{{COLOURS.format(**NIGHT)}  }}\n"


def drawing(view: View) -> str:
    """The whole picture of one side, or of two."""
    parts = list(_head(view))
    below = HEAD_HEIGHT
    panels: list[Callable[[View, int], tuple[list[str], int]]] = [_curves]
    panels += [_differences] if "measures" in view else []
    panels += [_spread("item_hours", "Hours of a done item", hours), _spread("item_cost_usd", "Cost of an item", money)]
    for panel in panels:
        drawn, height = panel(view, below)
        parts += drawn
        below += height
    title, words = _title(view), _in_words(view)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {below}" width="{WIDTH}" height="{below}" '
        f'role="img" aria-labelledby="title words">\n'
        f'<title id="title">{_safe(title)}</title>\n<desc id="words">{_safe(words)}</desc>\n'
        f'<style>{STYLE}</style>\n<rect class="ground" width="{WIDTH}" height="{below}"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _labels(view: View) -> dict[str, str]:
    if "sides" in view:
        return {name: view["sides"][name]["label"] for name in "ab"}
    return {"a": view["flow"]}


def _title(view: View) -> str:
    labels = list(_labels(view).values())
    return " against ".join(labels) if len(labels) > 1 else f"{labels[0]} tried out"


def _in_words(view: View) -> str:
    """The same for those who hear it: every measure in a sentence."""
    if "measures" not in view:
        mean = view["mean"]
        return (
            f"{number(mean['items']['done'])} of {number(mean['items']['count'])} items done "
            f"in {hours(mean['hours'])}, for {money(mean['cost_usd'])}; {seeds_of(view)}."
        )
    told = []
    for row in view["measures"]:
        name, shape = MEASURES[row["measure"]]
        values = [shape(row[side]) if row[side] is not None else "none" for side in "ab"]
        told.append(f"{name}: A {values[0]}, B {values[1]}, {VERDICTS[row['verdict']]}.")
    return f"Means over {seeds_of(view)}. " + " ".join(told)


def _head(view: View) -> Iterator[str]:
    yield _text(20, 30, "What changes" if "sides" in view else "How it went", "title")
    for line, (name, label) in enumerate(_labels(view).items()):
        y = 54 + line * 20
        yield f'<line class="curve {name}" x1="20" x2="52" y1="{y - 4}" y2="{y - 4}"/>'
        yield _text(60, y, name.upper() if "sides" in view else "", name)
        short = plain(label) if len(label) <= LABEL_MAX else plain(label)[: LABEL_MAX - 1] + "…"
        yield _text(78 if "sides" in view else 60, y, short, "")
    yield _text(WIDTH - RIGHT, 30, seeds_of(view), "quiet", "end")


def _curves(view: View, top: int) -> tuple[list[str], int]:
    """How many items are finished after so many hours."""
    curve = view["plots"]["finished"]
    end: float = curve["hours"][-1] or 1.0
    most: int = max(curve["items"], 1)
    left, right, upper, lower = CURVE_LEFT, WIDTH - RIGHT, top + 34, top + 34 + CURVE_HEIGHT

    def x(hour: float) -> float:
        return left + (right - left) * hour / end

    def y(items: float) -> float:
        return lower - (lower - upper) * items / most

    parts = [_text(20, top + 18, "Items finished", "head"), _text(right, lower + 36, "hours", "quiet", "end")]
    for tick in ticks(0, most, 4):
        parts.append(_line("grid", left, y(tick), right, y(tick)))
        parts.append(_text(left - 8, y(tick) + 4, spelled(tick), "quiet", "end"))
    for tick in ticks(0, end, 8):
        parts.append(_line("axis", x(tick), lower, x(tick), lower + 5))
        parts.append(_text(x(tick), lower + 20, spelled(tick), "quiet", "middle"))
    parts.append(_line("axis", left, lower, right, lower))
    for name in names_of(view["plots"]):
        places = " ".join(f"{x(h):.1f},{y(n):.1f}" for h, n in zip(curve["hours"], curve[name], strict=True))
        parts.append(f'<polyline class="curve {name}" points="{places}"/>')
    return parts, CURVE_HEIGHT + 34 + 50


def _differences(view: View, top: int) -> tuple[list[str], int]:
    """By how many percent of A each measure is less or more on side B, and how far that may be off."""
    rows = [row for row in view["measures"] if row["a"] and row["difference"] is not None]
    reach = max((abs(row[key] or 0.0) / row["a"] for row in rows for key in ("low", "high", "difference")), default=0.0)
    reach = max(reach * 108, 1.0)
    left, right, first = LEFT, WIDTH - RIGHT - 84, top + 40
    parts = [_text(20, top + 18, "B − A, in percent of A", "head")]
    parts.append(_text(WIDTH - RIGHT, top + 18, "lines: 95% interval", "quiet", "end"))

    def x(percent: float) -> float:
        return left + (right - left) * (percent + reach) / (2 * reach)

    last = first + len(rows) * ROW
    for tick in ticks(-reach, reach, 6):
        parts.append(_line("axis" if tick == 0 else "grid", x(tick), first - 8, x(tick), last - 8))
        parts.append(_text(x(tick), last + 8, signed(tick, lambda value: f"{spelled(value)}%"), "quiet", "middle"))
    for line, row in enumerate(rows):
        y = first + line * ROW + 4
        name = MEASURES[row["measure"]][0]
        unclear = " unclear" if row["verdict"] in ("unclear", "same") else ""
        parts.append(_text(LEFT - 12, y + 4, name, "", "end"))
        if row["low"] is not None:
            low, high = (x(row[key] / row["a"] * 100) for key in ("low", "high"))
            parts.append(_line(f"b whisker{unclear}", low, y, high, y))
        middle = x(row["difference"] / row["a"] * 100)
        parts.append(f'<circle class="b{unclear}" cx="{middle:.1f}" cy="{y}" r="4.5"/>')
        parts.append(_text(WIDTH - RIGHT, y + 4, VERDICTS[row["verdict"]], "quiet", "end"))
    return parts, len(rows) * ROW + 40 + 34


def _spread(key: str, title: str, shape: Callable[[float], str]) -> Callable[[View, int], tuple[list[str], int]]:
    """Where the items lie: nine of ten on the line, half of them in the box, the median in the middle."""

    def panel(view: View, top: int) -> tuple[list[str], int]:
        found = {name: view["plots"][key][name] for name in names_of(view["plots"]) if view["plots"][key].get(name)}
        if not found:
            return [], 0
        end = max(spread["high"] for spread in found.values()) * 1.04 or 1.0
        left, right, first = CURVE_LEFT, WIDTH - RIGHT - 84, top + 40

        def x(value: float) -> float:
            return left + (right - left) * value / end

        last = first + len(found) * ROW
        parts = [_text(20, top + 18, title, "head")]
        parts.append(_text(WIDTH - RIGHT, top + 18, "line: 9 of 10 items; box: half of them", "quiet", "end"))
        for tick in ticks(0, end, 7):
            parts.append(_line("grid", x(tick), first - 8, x(tick), last - 6))
            parts.append(_text(x(tick), last + 10, spelled(tick), "quiet", "middle"))
        for line, (name, spread) in enumerate(found.items()):
            y = first + line * ROW + 4
            wide = max(x(spread["upper"]) - x(spread["lower"]), 1.0)
            parts.append(_text(left - 24, y + 4, name.upper() if len(found) > 1 else "", name))
            parts.append(_line(f"whisker {name}", x(spread["low"]), y, x(spread["high"]), y))
            parts.append(
                f'<rect class="box {name}" x="{x(spread["lower"]):.1f}" y="{y - 8}" width="{wide:.1f}" height="16"/>'
            )
            parts.append(_line(f"median {name}", x(spread["median"]), y - 9, x(spread["median"]), y + 9))
            parts.append(_text(WIDTH - RIGHT, y + 4, shape(spread["median"]), "", "end"))
        return parts, len(found) * ROW + 40 + 34

    return panel


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, words: str, kind: str, anchor: str = "start") -> str:
    if not words:
        return ""
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{_safe(words)}</text>'


def _safe(words: str) -> str:
    return escape(plain(" ".join(words.split())))
