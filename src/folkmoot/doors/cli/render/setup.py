"""What was made, what was checked, what was examined."""

from os.path import normpath
from shlex import quote
from typing import Any

from folkmoot.api.machine import (
    BackedUp,
    BoardMade,
    DemoEnd,
    Examination,
    Exported,
    FlowChecked,
    Imported,
    Restored,
    Saved,
)
from folkmoot.doors.cli.render.page import BAD, CARE, COMMAND, GOOD, QUIET, Page, count, one_line, when
from folkmoot.doors.cli.render.progress.flow_changes import flow_changes
from folkmoot.doors.cli.render.progress.lost import lost_lines

View = dict[str, Any]
# The clients that can be named in a flow, and the programs they are; a test holds this to the worker's catalogue.
CLIENTS = {
    "claude-code": "claude",
    "codex": "codex",
    "opencode": "opencode",
    "gemini": "gemini",
    "qwen": "qwen",
    "goose": "goose",
    "copilot": "copilot",
    "aider": "aider",
    "mini-swe-agent": "mini",
    "pi": "pi",
    "cn": "cn",
}
WAY_MAX = 60  # cells of a command
ADD = ('moot add "Users can reset their password"', "give it work")
BOARD = ("moot board", "see what is where")
READY = ("moot ready", "is all there that agents need, and what may it cost?")
WITH_CLIENT = (READY, ADD, ("moot run --until-idle", "agents do it, and it lands"), BOARD)
BY_HAND = (ADD, ("moot claim AGENT", "be the first agent"), BOARD, ("moot demo", "watch agents that need no client"))


def made(view: BoardMade, agent: str | None, *, has_flow: bool) -> None:
    """The board that was made, who runs its agents, and the commands to begin with."""
    page = Page()
    page.line(("A board is here: ", GOOD), (one_line(normpath(view.board)), "bold"))
    agents, columns = count(len(view.agents), "agent"), count(len(view.columns), "column")
    where = "change it in .moot/flow.yaml" if has_flow else "its file is where the board was made"
    page.line(f"The flow {one_line(view.flow)} has {columns} and {agents}; {where}.", indent=2)
    if view.way:
        runs = count(len(view.way), "run")
        page.line(f"An item takes {runs} where nothing is wrong with it: {', '.join(view.way)}.", indent=2, hang=2)
    for command in view.gates.values():
        where = f" (found in {one_line(view.gate_found_in)})" if view.gate_found_in else ""
        page.line("Work is proved by ", (one_line(command), COMMAND), f"{where} before it goes on.", indent=2, hang=2)
    if not view.gates and view.made_flow:
        page.line(
            ("No check of the project proves work yet; name one in .moot/flow.yaml, under gates.", CARE), indent=2
        )
    if view.run:
        _starters(page, view.run, found=view.made_flow)
        _unable(page, view)
    else:
        names = ", ".join(sorted(CLIENTS))
        page.line(("No coding client was found, so nothing starts the agents yet.", CARE), indent=2)
        page.line(f"Known are: {names}. Install one, sign in to it, and name it in .moot/flow.yaml:", indent=2)
        page.line(("run: {client: NAME}", COMMAND), (", then ", QUIET), ("moot apply", COMMAND), indent=4)
    page.head("Begin")
    begin = WITH_CLIENT if view.run else BY_HAND
    steps = [(command.replace("AGENT", agent or "AGENT"), why) for command, why in begin]
    wide = max(len(command) for command, _ in steps)
    for command, why in steps:
        label = page.text((command.ljust(wide), COMMAND))
        page.line(label, "  ", (why, QUIET), indent=2, hang=2)


def _starters(page: Page, run: View, *, lead: str = "", found: bool = False) -> None:
    """Whom `moot run` starts, and with what; a line for each way."""
    by: dict[str, list[str]] = {}
    for agent, way in run.items():
        by.setdefault(one_line(way), []).append(one_line(agent))
    for way, agents in by.items():
        names = f"its {count(len(agents), 'agent')}" if found and len(by) == 1 else ", ".join(agents)
        label = page.cut(page.text((way, "bold")), WAY_MAX)
        ending = ", which was found here." if found else "."
        page.line(lead, ("moot run", COMMAND), f" starts {names} with ", label, ending, indent=2, hang=2)


def _unable(page: Page, view: BoardMade | FlowChecked) -> None:
    """Of those that the flow says how to start: who cannot be run on this machine, and why."""
    by: dict[str, list[str]] = {}
    for agent, why in view.unable.items():
        if agent in (view.run or ()):
            by.setdefault(one_line(why), []).append(one_line(agent))
    for why, agents in by.items():
        page.line((f"It cannot do so here: {why}", BAD), f" ({', '.join(agents)}).", indent=2, hang=2)


def checked(view: FlowChecked) -> None:
    page = Page()
    page.line((page.mark("done")), " ", (one_line(view.path), "bold"), f" is sound: {one_line(view.flow)}")
    for warning in view.warnings:
        page.line(("warning: ", CARE), one_line(warning), indent=2, hang=2)
    if view.ladders:
        page.line(f"The ladders of {one_line(view.ladders)} are used in place of its own.", indent=2)
    if view.taken_in:
        page.line(f"It is in force now, as version {view.version}.", indent=2)
    elif view.changes:
        words = f"It is not in force: version {view.version} is. What would change with "
        page.line(words, ("moot apply", COMMAND), ":", indent=2, hang=2)
        flow_changes(page, view.changes)
    elif view.version is not None:
        page.line((f"It is in force already, as version {view.version}.", QUIET), indent=2)
    if view.run is not None:
        in_force = view.taken_in or not view.changes
        _starters(page, view.run, lead="" if in_force else "then ")
        _unable(page, view)
        left = [one_line(agent) for agent in view.agents or () if agent not in view.run]
        if left:
            words = "Nothing says how these are run, so people and scripts claim for them"
            page.line((f"{words}: {', '.join(left)}", QUIET), indent=2, hang=2)


def examined(view: Examination) -> None:
    """Landed work that is lost, before all else; then a line for each check. Where something is wrong with the board,
    that alone, and below it what should hold."""
    page = Page()
    lost_lines(page, view.lost or [], "moot doctor --json")
    bad = [check for check in view.checks if not check.ok]
    shown = bad or ([] if view.lost else view.checks)  # what holds is many lines: they would bury what does not
    wide = max((len(check.check) for check in shown), default=0)
    for check in shown:
        label = page.text(page.mark("done" if check.ok else "failed"), " ", (check.check.ljust(wide), "bold"))
        if check.ok:
            page.labelled(label, check.holds)
            continue
        first, *others = check.wrong
        beside = page.labelled(label, (one_line(first), BAD))
        for wrong in others:
            page.line((one_line(wrong), BAD), indent=beside, hang=2)
        page.line((f"it must hold that {check.holds}", QUIET), indent=beside, hang=2)
    if shown:
        page.blank()
    if bad:
        hold = len(view.checks) - len(bad)
        others_hold = f"; {hold} other{'s hold' if hold != 1 else ' holds'}" if hold else ""
        page.line((f"{count(len(bad), 'check')} found something wrong{others_hold}.", BAD))
    else:
        for limit in view.limits or ():
            most = "no limit" if limit.most is None else limit.shown
            page.line((f"limit of a run: {limit.limit} {most}, {limit.by}", QUIET), hang=2)
        own = ": the board itself is sound" if view.lost else ""
        page.line((f"All {len(view.checks)} checks hold{own}.", GOOD))


def demonstrated(view: DemoEnd, program: str) -> None:
    """How to look at what the demo has left."""
    page = Page()
    page.head("Look at it")
    page.exact(f"cd {view.board}", indent=2)
    looks = {
        f"{program} show 1": "the split, the red gate and how it was healed",
        f"{program} show 2": "the dispute, told by the item itself",
        f"{program} log": "all of it",
        "git log -p": "what the agents wrote",
    }
    wide = max(map(len, looks))
    for command, why in looks.items():
        page.labelled(page.text((command.ljust(wide), COMMAND)), (why, QUIET), indent=2)
    page.head("Begin your own")
    page.line(("in your project: ", QUIET), (f"{program} init", COMMAND), indent=2)


def backed_up(view: BackedUp) -> None:
    page = Page()
    page.line((page.mark("done")), " The board is kept: ", (one_line(view.path), "bold"))
    none = "without the work in git" if view.missing else "without work in git, as there is none"
    work = "with its work in git" if view.work else none
    page.line(f"{count(view.events, 'event')}, {_size(view.size)}, {work}.", indent=2)
    _missing(page, view.missing)
    page.line(("Copy it to another disk. The way back:", QUIET), indent=2)
    page.exact(f"moot restore {quote(one_line(view.path))}", indent=2)


def restored(view: Restored) -> None:
    page = Page()
    source = one_line(view.source) if view.source else "its own log"
    of = f", of {when(view.of)}"
    page.line(page.mark("done"), f" The board is as it was after event {view.at}{of}", (f", from {source}.", QUIET))
    if view.ended_runs:
        runs = count(len(view.ended_runs), "open run")
        page.line(f"{runs} given back: no claim from before can report any more.", indent=2)
    if view.files:
        page.line(f"Brought back: {', '.join(map(one_line, view.files))}", indent=2, hang=2)
    _missing(page, view.missing)
    for wrong in view.wrong[:5]:
        page.line(("Not sound: ", BAD), one_line(wrong), indent=2, hang=2)
    if view.set_aside:
        page.line(f"What was in the way is in {one_line(view.set_aside)}", indent=2, hang=2)
    if view.backup:
        page.line(("To undo this:", QUIET), indent=2)
        page.exact(f"moot restore {quote(one_line(view.backup))}", indent=2)


def exported(view: Exported) -> None:
    page = Page()
    page.line(page.mark("done"), f" {count(view.events, 'event')} in ", (one_line(view.path), "bold"))
    if view.work:
        page.line("the work that has not landed in ", (one_line(view.work), "bold"), indent=2)
    _missing(page, view.missing)


def saved(view: Saved) -> None:
    page = Page()
    held = f"{count(view.items, 'item')}, {count(view.events, 'event')}, {count(view.changes, 'change')}"
    page.line(page.mark("done"), f" {held} in ", (one_line(view.path), "bold"))
    for lacking in view.left_out:
        page.line((f"not in it: {lacking}", QUIET), indent=2)
    page.line(("it opens in a browser, from disk; look at it before you share it", QUIET), indent=2)


def imported(view: Imported) -> None:
    page = Page()
    page.line(("A board is here: ", GOOD), (one_line(view.board), "bold"))
    page.line(f"{count(view.events, 'event')}, {count(view.items, 'item')}; each event is proven.", indent=2)
    if view.work:
        page.line("The work came with it, from ", (one_line(view.work), "bold"), indent=2)
    _missing(page, view.missing)
    if not view.flow_file:
        page.line(("Its flow.yaml and prompts are not in a log: copy them from the old board.", QUIET), indent=2)
    words = "If somebody else made it: its flow says what is run here. Look at it before "
    page.line((words, QUIET), ("moot run", COMMAND), (": ", QUIET), ("moot call flow", COMMAND), indent=2, hang=2)


def _missing(page: Page, items: list[str]) -> None:
    if items:
        words = (
            f"The commits of {count(len(items), 'item')} are not in the repository: {', '.join(map(one_line, items))}"
        )
        page.line((words, CARE), indent=2, hang=2)


def _size(size: int) -> str:
    return f"{size / 1_000_000:.1f} MB" if size >= 100_000 else f"{size / 1000:.1f} kB"
