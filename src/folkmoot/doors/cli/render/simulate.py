"""What the trials of a flow came to: a few lines of sums, then a row for each agent and model."""

from collections.abc import Callable
from typing import Any

from folkmoot.core.rules.running.spending import dollars
from folkmoot.doors.cli.render.page import AGENT, BAD, CARE, GOOD, HEAD, QUIET, Page, Part, count, one_line

View = dict[str, Any]
LABEL_WIDTH = 9
NAME_MAX = 28
WORDS = {"lapsed": "lapsed", "transient": "passing faults", "protocol": "unreadable", "repeats": "repeats"}
WORDS |= {"red_gates": "red gates", "revoked": "revoked", "released": "given back"}
ENDS = {"done": "done", "given_up": "given up", "failed": "failed", "asked": "still asking", "waiting": "waiting"}


def simulated(view: View) -> None:
    page = Page()
    trials, mean = view["trials"], view["mean"]
    seeds = f"seed {view['seeds'][0]}" if len(trials) == 1 else f"seeds {view['seeds'][0]}-{view['seeds'][-1]}"
    parts = [count(round(mean["items"]["count"]), "item"), count(view["slots"], "slot"), seeds]
    told = " · ".join([f"population {one_line(view['population'])}", *parts])
    page.line((one_line(view["flow"]), HEAD), (f"  {told}", QUIET))
    page.blank()
    _sums(page, trials, mean)
    page.blank()
    _agents(page, view["agents"], len(trials))
    page.blank()
    _checks(page, trials)


def _sums(page: Page, trials: list[View], mean: View) -> None:
    several = len(trials) > 1

    def range_of(pick: Callable[[View], Any], shape: Callable[[Any], str]) -> str:
        """Between what and what it came, where that differs."""
        found = sorted(value for value in map(pick, trials) if value is not None)
        return f" ({shape(found[0])}–{shape(found[-1])})" if several and found and found[0] != found[-1] else ""

    ends = [f"{_number(mean['items'][key])} {word}" for key, word in ENDS.items() if mean["items"][key]]
    if mean["items"]["made_by_agents"]:
        ends.append(f"{_number(mean['items']['made_by_agents'])} more made by agents")
    _line(page, "Items", ", ".join(ends))
    _line(page, "Success", _percent(mean["success"]), range_of(lambda t: t["success"], _percent))
    median = [", ", _hours(mean["median_item_hours"]), " for the median item"] if mean["median_item_hours"] else []
    hours = range_of(lambda t: t["hours"], _hours)
    _line(page, "Time", _hours(mean["hours"]), hours, " in all", *median)
    each = [", ", dollars(mean["cost_per_done_usd"]), " for each done item"] if mean["cost_per_done_usd"] else []
    cost = range_of(lambda t: t["cost_usd"], dollars)
    _line(page, "Cost", dollars(mean["cost_usd"]), cost, *each)
    asked = mean["questions"]["asked"]
    range_asked = range_of(lambda t: t["questions"]["asked"], _number)
    _line(page, "Questions", _number(asked), range_asked, f", {_number(mean['questions']['answered'])} answered")
    runs = mean["runs"]
    nowhere = [f"{_number(runs[key])} {word}" for key, word in WORDS.items() if runs[key]]
    wasted = [f", {_number(runs['wasted'])} to nowhere", f": {', '.join(nowhere)}"] if nowhere else []
    _line(page, "Runs", _number(runs["count"]), range_of(lambda t: t["runs"]["count"], _number), *wasted)
    if several:
        page.line((f"Means of {len(trials)} trials; in brackets the lowest and the highest.", QUIET))


def _line(page: Page, label: str, *words: Part) -> None:
    page.labelled(page.text((label.ljust(LABEL_WIDTH), QUIET)), *words)


def _agents(page: Page, shares: list[View], trials: int) -> None:
    """Who did what, over all trials."""
    if not shares:
        page.line("Nobody has worked.")
        return
    name = min(max(len(share["agent"]) for share in shares), NAME_MAX)
    model = max(len("model"), *(len(share["model"] or "") for share in shares))
    over = f" of all {trials} trials" if trials > 1 else ""
    page.line((f"Runs{over} by agent and model", HEAD))
    titles = f"{'agent':{name}}  {'model':{model}} {'runs':>6} {'success':>8} {'hours':>8} {'cost':>10}"
    page.row((f"  {titles}", QUIET))
    before = ""
    for share in shares:
        agent = share["agent"] if share["agent"] != before else ""
        before = share["agent"]
        success = share["success"]
        numbers = f" {share['hours']:8.1f} {dollars(share['cost_usd']):>10}"
        page.row(
            "  ",
            (page.cut(page.text((agent, AGENT)), name).plain.ljust(name), AGENT),
            f"  {(share['model'] or ''):{model}} {share['runs']:6d} ",
            (f"{_percent(success):>8}", GOOD if success >= 0.8 else CARE if success >= 0.4 else BAD),
            numbers,
        )


def _checks(page: Page, trials: list[View]) -> None:
    broken = [trial for trial in trials if trial["broken"]]
    if not broken:
        page.line(page.mark("done"), (" every invariant held after every step", GOOD))
    for trial in broken:
        for found in trial["broken"][:5]:
            page.line(page.mark("failed"), (f" seed {trial['seed']}: {one_line(found)}", BAD), hang=2)


def _number(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else f"{value:.1f}"


def _percent(value: float) -> str:
    return f"{value * 100:.0f}%"


def _hours(value: float) -> str:
    return f"{value:.1f} h"
