"""What runs have used up, as a table, a picture of the days, the budgets and the windows of quota."""

from folkmoot.api.usage import BudgetLine, UsageLine, UsageView
from folkmoot.core.rules.running.spending import at_least, dollars
from folkmoot.doors.cli.render.board import window_words
from folkmoot.doors.cli.render.page import CARE, COMMAND, HEAD, QUIET, Page, count, one_line, short_run, when
from folkmoot.doors.cli.render.plot.terminal import FANCY, SIMPLE, WIDEST
from folkmoot.engine.reads.usage import OWN_CHOICE
from folkmoot.flows.spans import format_span

UNKNOWN = "unknown"
WIDE = 30  # of what a line is about
ROWS_SHOWN = 40
IN = {"usd": "money", "tokens": "tokens", "seconds": "time"}
# What a budget of the day, or of an item, does when nothing is left of it.
AT_END = {
    "day": "agents at work are ended, their work is kept, and none begins before midnight (UTC) or moot resume.",
    "item": "the item's run is ended, its work is kept, and you are asked whether it goes on.",
}
NAMES = {"item": "item", "run": "run", "agent": "agent", "model": "model", "pool": "pool", "day": "day (UTC)"}


def usage(view: UsageView) -> None:
    page = Page()
    if not view.total.runs:
        since = " since then" if view.since else ""
        page.line((f"No agent has run{since}.", QUIET), " What runs use up is counted while they work.")
    else:
        _table(page, view)
        _doubt(page, view)
        _plot(page, view)
    _budgets(page, view)
    _windows(page, view)


def _table(page: Page, view: UsageView) -> None:
    shown = view.lines if page.is_whole else view.lines[:ROWS_SHOWN]
    wide = min(WIDE, max([len(NAMES[view.by]), 6, *(len(_about(view, line)) for line in shown)]))
    page.row((f"{NAMES[view.by]:{wide}} {'runs':>5} {'tokens in':>10} {'out':>8} {'cost':>9} {'time':>8}", HEAD))
    for line in shown:
        about = page.cut(page.text(_about(view, line)), wide).plain
        page.row(f"{about:{wide}} ", *_cells(line))
    if len(view.lines) > len(shown):
        page.line((f"and {len(view.lines) - len(shown)} more: ", QUIET), ("moot usage --json", COMMAND))
    if len(view.lines) != 1:
        page.row((f"{'in all':{wide}} ", "bold"), *_cells(view.total))


def _about(view: UsageView, line: UsageLine) -> str:
    if view.by == "run":
        return one_line(f"{short_run(line.key)} {line.title}")
    return one_line(f"#{line.key} {line.title}" if view.by == "item" else line.title)


def _cells(line: UsageLine) -> list[tuple[str, str]]:
    told = line.runs > line.untold
    running = f"  {count(line.running, 'run')} at work" if line.running else ""
    return [
        (f"{line.runs:>5} ", ""),
        (f"{short(line.input_tokens) if told else _none(line):>10} ", "" if told else QUIET),
        (f"{short(line.output_tokens) if told else _none(line):>8} ", "" if told else QUIET),
        (f"{money(line):>9} ", "" if line.cost_usd is not None else QUIET),
        (f"{time(line.seconds):>8}", ""),
        (running, QUIET),
    ]


def _none(line: UsageLine) -> str:
    return UNKNOWN if line.runs else "-"


def money(line: UsageLine) -> str:
    """Never a zero for what nobody can tell."""
    if line.cost_usd is None:
        return _none(line)
    return at_least(line.cost_usd, line.unpriced)


def short(number: float) -> str:
    for size, letter in ((1_000_000, "M"), (10_000, "k")):
        if number >= size:
            return f"{number / (1_000_000 if letter == 'M' else 1_000):.1f}{letter}"
    return f"{number:,.0f}"


def time(seconds: float) -> str:
    if seconds < 59.95:  # with a tenth, so that lines add up to their sum
        return f"{seconds:.1f}".removesuffix(".0") + "s"
    minutes = round(seconds / 60)
    return f"{minutes}m" if minutes < 60 else f"{minutes // 60}h{minutes % 60:02d}m"


def _doubt(page: Page, view: UsageView) -> None:
    total = view.total
    if total.untold:
        told = "told no tokens: cut off before the client said, or the client never does"
        page.line((f"{_of(total.untold, total.runs)} {told}.", QUIET))
    if total.unpriced and total.cost_usd is not None:
        page.line((f"+ marks a cost that lacks {_of(total.unpriced, total.runs)}: nobody can tell it.", QUIET))
    # A price makes money of tokens: where none were told it would help nothing.
    for model in view.priceless:
        if model == OWN_CHOICE:
            words, act = (
                "The client chose the model: name it, and its price: ",
                "ladder: {0-2: NAME, 3+: escalate}, models: {NAME: {price: {input: …, output: …}}}",
            )
        else:
            words = f"{one_line(model)} has no price in .moot/flow.yaml: "
            act = f"models: {{{one_line(model)}: {{price: {{input: …, output: …}}}}}}"
        page.line((words, QUIET), (act, COMMAND), hang=2)
    if view.gate_runs:
        ran = f"{count(view.gate_runs, 'run')} of gates and landings, {time(view.gate_seconds)}"
        page.line((f"Beside them {ran}: they use no model.", QUIET))


def _of(some: int, all_of_them: int) -> str:
    return count(all_of_them, "run") if some == all_of_them else f"{some} of {count(all_of_them, 'run')}"


def _plot(page: Page, view: UsageView) -> None:
    """A bar for each day: money if it is told, else tokens, else time."""
    days = view.days[-14:]
    if len(days) < 2:
        return
    total = view.total
    if total.cost_usd:
        title, values, words = "Cost a day", [day.cost_usd or 0.0 for day in days], [money(day) for day in days]
    elif total.input_tokens or total.output_tokens:
        title, values = "Tokens a day", [float(day.input_tokens + day.output_tokens) for day in days]
        words = [short(value) for value in values]
    else:
        title, values, words = "Time a day", [day.seconds for day in days], [time(day.seconds) for day in days]
    sign = (SIMPLE if page.ascii else FANCY)[2]
    wide, top = min(page.width, WIDEST) - 24, max(values) or 1.0
    page.blank()
    page.line((title, HEAD))
    for day, value, told in zip(days, values, words, strict=True):
        page.row((f"{day.key[5:]} ", QUIET), sign * round(value / top * wide), f" {told}")


def _budgets(page: Page, view: UsageView) -> None:
    """Which budget, how much of it is used, and, once for those that end alike, what happens at its end."""
    if not view.budgets:
        return
    page.blank()
    page.line(("Budgets", HEAD))
    wide = max(len(_which(one)) for one in view.budgets) + 2
    for of, at_end in AT_END.items():
        several = [one for one in view.budgets if one.of == of]
        for one in several:
            is_spent = one.used >= one.most
            page.row((f"  {_which(one):{wide}}", QUIET), (_used(one), CARE if is_spent else ""))
        if several:
            page.line((f"When it is used up, {at_end}", QUIET), indent=4, hang=2)
    if view.unmetered and any(one.unit == "usd" for one in view.budgets):
        told = view.total.runs > view.total.untold
        way = "give prices, or set a budget in tokens" if told else "set a budget in time"
        page.line((f"A budget in money ends nothing while nobody can tell the cost: {way}.", CARE), hang=2)


def _which(one: BudgetLine) -> str:
    return f"{'the day (UTC)' if one.of == 'day' else 'an item'}, in {IN[one.unit]}"


def _used(one: BudgetLine) -> str:
    """`$0.42 of $2.00 used, 21%: #7, and 1 more as much`."""
    most = _amount(one.unit, one.most)
    amount = "an unknown part" if one.unknown else "nothing" if not one.used else _amount(one.unit, one.used)
    part = one.used / one.most if one.most else 1.0
    share = "" if not one.used else f", {'less than 1' if part < 0.01 else int(part * 100)}%"
    end = ": used up" if one.used >= one.most else share
    again = " since your last answer" if one.again and one.item else ""
    return f"{amount.removesuffix(' tokens')} of {most} used{again}{end}{_by_whom(one)}"


def _by_whom(one: BudgetLine) -> str:
    if one.item is None or not (one.used or one.again):
        return ""
    others = {None: "", 0: ", the most of all items"}.get(one.alike, f", and {one.alike} more as much")
    return f" (#{one.item}{others})"


def _amount(unit: str, value: float) -> str:
    if unit == "usd":
        return dollars(value)
    return f"{short(value)} tokens" if unit == "tokens" else format_span(round(value))


def _windows(page: Page, view: UsageView) -> None:
    pools = [pause for pause in view.pauses if pause.what.startswith("pool:")]
    if not view.windows and not pools:
        return
    page.blank()
    page.line(("Quota", HEAD))
    for window in view.windows:
        page.row(f"  {window_words(window)}")
    for pause in pools:
        until = f" until {when(pause.until)}" if pause.until else ""
        words = f"pauses{until}: {one_line(pause.why)}"
        page.row((f"  {one_line(pause.what.removeprefix('pool:'))} ", QUIET), (words, CARE))
