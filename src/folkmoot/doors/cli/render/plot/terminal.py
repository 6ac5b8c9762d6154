"""Pictures made of letters: they need no colour, fit 80 columns, and survive a pipe."""

from typing import Any

from folkmoot.core.rules.running.spending import dollars
from folkmoot.doors.cli.render.page import AGENT, HEAD, PERSON, QUIET, Page, Part
from folkmoot.doors.cli.render.plot.scale import hours, names_of, number, spelled, ticks

View = dict[str, Any]
WIDEST = 80
ROWS = 10
LEFT = 6  # what stands before the axis
STYLES = {"A": AGENT, "B": PERSON, "*": "bold"}
# Of a strip: where most items lie (also the line of an axis), where half of them do, the median. Of an axis: its side,
# its corner, a tick.
FANCY, SIMPLE = ("─", "▒", "█", "│", "└", "┬"), ("-", "=", "#", "|", "+", "+")


def finished(page: Page, plots: View) -> None:
    """Draw how many items are finished after how many hours: the mean over the seeds."""
    curve, names = plots["finished"], names_of(plots)
    signs = SIMPLE if page.ascii else FANCY
    width = min(page.width, WIDEST) - LEFT - 1
    end = curve["hours"][-1] or 1.0
    top = max(curve["items"], 1)
    drawn = {name.upper(): [_at(curve[name], x / (width - 1)) for x in range(width)] for name in names}
    both = ", * both" if len(names) > 1 else ""
    page.line(("Items finished after so many hours", HEAD), (f"  {' and '.join(drawn)}{both}", QUIET))
    for row in range(ROWS, -1, -1):
        label = number(top) if row == ROWS else number(top / 2) if row * 2 == ROWS else "0" if row == 0 else ""
        cells = [_cell(drawn, x, row, top) for x in range(width)]
        page.row((f"{label:>{LEFT - 1}}{signs[3]}", QUIET), *_styled(cells))
    marks = [(round(tick / end * (width - 1)), spelled(tick)) for tick in ticks(0, end, 5)]
    axis = [signs[0]] * width
    below = [" "] * (width + LEFT)
    for place, text in marks:
        axis[place] = signs[5]
        start = min(LEFT + place, len(below) - len(text))
        below[start : start + len(text)] = text
    page.row((" " * (LEFT - 1) + signs[4] + "".join(axis), QUIET))
    page.row(("".join(below).rstrip() + " h", QUIET))


def _at(curve: list[float], part: float) -> float:
    """The curve at this part of its way; it only ever climbs in steps, so the value before holds."""
    return curve[int(part * (len(curve) - 1) + 1e-9)]


def _cell(drawn: dict[str, list[float]], x: int, row: int, top: int) -> str:
    here = [name for name, values in drawn.items() if round(values[x] / top * ROWS) == row]
    return "*" if len(here) > 1 else here[0] if here else " "


def _styled(cells: list[str]) -> list[Part]:
    """Neighbours that look alike go together."""
    parts: list[Part] = []
    run = ""
    for cell in [*cells, ""]:
        if run and cell != run[-1]:
            parts.append((run, STYLES.get(run[-1], "")))
            run = ""
        run += cell
    return parts


def spreads(page: Page, plots: View) -> None:
    """How hours and cost are spread over the items."""
    for key, title, shape in (
        ("item_hours", "Hours of a done item", hours),
        ("item_cost_usd", "Cost of an item", dollars),
    ):
        found = {name.upper(): plots[key][name] for name in names_of(plots) if plots[key].get(name)}
        if not found:
            continue
        signs = SIMPLE if page.ascii else FANCY
        width = min(page.width, WIDEST) - 16
        end = max(spread["high"] for spread in found.values()) or 1.0
        legend = f"  {signs[0]} 9 of 10 items, {signs[1]} half of them, {signs[2]} the median"
        page.line((title, HEAD), (legend, QUIET))
        for name, spread in found.items():
            strip = [_piece(signs, spread, x / (width - 1) * end, end / (width - 1) / 2) for x in range(width)]
            words = f"{shape(spread['median']):>10}"
            page.row("  ", (name, STYLES[name]), "  ", ("".join(strip), STYLES[name]), words)


def _piece(signs: tuple[str, ...], spread: View, value: float, half: float) -> str:
    if abs(value - spread["median"]) <= half:
        return signs[2]
    if spread["lower"] - half <= value <= spread["upper"] + half:
        return signs[1]
    return signs[0] if spread["low"] - half <= value <= spread["high"] + half else " "
