"""What was made, what was checked, what was examined."""

from os.path import normpath
from typing import Any

from folkmoot.doors.cli.say.page import BAD, CARE, COMMAND, GOOD, QUIET, Page, count, one_line

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
WITH_CLIENT = (ADD, ("moot run --until-idle", "agents do it, and it lands"), BOARD)
BY_HAND = (ADD, ("moot claim AGENT", "be the first agent"), BOARD, ("moot demo", "watch agents that need no client"))


def made(view: View, agent: str | None) -> None:
    """The board that was made, who runs its agents, and the commands to begin with."""
    page = Page()
    page.line(("A board is here: ", GOOD), (one_line(normpath(view["board"])), "bold"))
    agents, columns = count(len(view["agents"]), "agent"), count(len(view["columns"]), "column")
    page.line(f"The flow {one_line(view['flow'])} has {columns} and {agents}; change it in .moot/flow.yaml.", indent=2)
    if view["run"]:
        _starters(page, view["run"], found=view["made_flow"])
        _unable(page, view)
    else:
        names = ", ".join(sorted(CLIENTS))
        page.line(("No coding client was found, so nothing starts the agents yet.", CARE), indent=2)
        page.line(f"Known are: {names}. Install one, sign in to it, and name it in .moot/flow.yaml:", indent=2)
        page.line(("run: {client: NAME}", COMMAND), (", then ", QUIET), ("moot check", COMMAND), indent=4)
    page.head("Begin")
    begin = WITH_CLIENT if view["run"] else BY_HAND
    steps = [(command.replace("AGENT", agent or "AGENT"), why) for command, why in begin]
    wide = max(len(command) for command, _ in steps)
    for command, why in steps:
        label = page.text((command.ljust(wide), COMMAND))
        page.line(label, "  ", (why, QUIET), indent=2, hang=2)


def _starters(page: Page, run: View, *, found: bool = False) -> None:
    """Whom `moot run` starts, and with what; a line for each way."""
    by: dict[str, list[str]] = {}
    for agent, way in run.items():
        by.setdefault(one_line(way), []).append(one_line(agent))
    for way, agents in by.items():
        names = f"its {count(len(agents), 'agent')}" if found and len(by) == 1 else ", ".join(agents)
        label = page.cut(page.text((way, "bold")), WAY_MAX)
        ending = ", which was found here." if found else "."
        page.line(("moot run", COMMAND), f" starts {names} with ", label, ending, indent=2, hang=2)


def _unable(page: Page, view: View) -> None:
    """Of those that the flow says how to start: who cannot be run on this machine, and why."""
    by: dict[str, list[str]] = {}
    for agent, why in view["unable"].items():
        if agent in view["run"]:
            by.setdefault(one_line(why), []).append(one_line(agent))
    for why, agents in by.items():
        page.line((f"It cannot do so here: {why}", BAD), f" ({', '.join(agents)}).", indent=2, hang=2)


def checked(view: View) -> None:
    page = Page()
    page.line((page.mark("done")), " ", (one_line(view["path"]), "bold"), f" is sound: {one_line(view['flow'])}")
    for warning in view["warnings"]:
        page.line(("warning: ", CARE), one_line(warning), indent=2, hang=2)
    if view["ladders"]:
        page.line(f"The ladders of {one_line(view['ladders'])} are used in place of its own.", indent=2)
    if view["taken_in"]:
        page.line(f"It is in force now, as version {view['version']}.", indent=2)
    elif view["version"] is not None:
        page.line((f"It is in force already, as version {view['version']}.", QUIET), indent=2)
    if view["run"] is not None:
        _starters(page, view["run"])
        _unable(page, view)
        left = [one_line(agent) for agent in view["agents"] if agent not in view["run"]]
        if left:
            words = "Nothing says how these are run, so people and scripts claim for them"
            page.line((f"{words}: {', '.join(left)}", QUIET), indent=2, hang=2)


def examined(view: View) -> None:
    """A line for each check; what is wrong stands below its own."""
    page = Page()
    wide = max(len(check["check"]) for check in view["checks"])
    for check in view["checks"]:
        label = page.text(page.mark("done" if check["ok"] else "failed"), " ", (check["check"].ljust(wide), "bold"))
        page.labelled(label, (check["holds"], "" if check["ok"] else BAD))
        for wrong in check["wrong"]:
            page.line((one_line(wrong), BAD), indent=wide + 4, hang=2)
    page.blank()
    bad = sum(not check["ok"] for check in view["checks"])
    if bad:
        page.line((f"{count(bad, 'check')} of {len(view['checks'])} found something wrong.", BAD))
    else:
        page.line((f"All {len(view['checks'])} checks hold.", GOOD))


def demonstrated(view: View, program: str) -> None:
    """How to look at what the demo has left."""
    page = Page()
    page.head("Look at it")
    page.exact(f"cd {view['board']}", indent=2)
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
