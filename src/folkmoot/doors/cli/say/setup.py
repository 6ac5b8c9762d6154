"""What was made, what was checked, what was examined."""

from os.path import normpath
from typing import Any

from folkmoot.doors.cli.say.page import BAD, CARE, COMMAND, GOOD, QUIET, Page, count, one_line

View = dict[str, Any]
FIRST_STEPS = (
    ('moot add "Users can reset their password"', "give it work"),
    ("moot claim AGENT", "be the first agent"),
    ("moot board", "see what is where"),
)


def made(view: View, agent: str | None) -> None:
    """The board that was made, and three commands to begin with."""
    page = Page()
    page.line(("A board is here: ", GOOD), (one_line(normpath(view["board"])), "bold"))
    agents, columns = count(len(view["agents"]), "agent"), count(len(view["columns"]), "column")
    page.line(f"The flow {one_line(view['flow'])} has {columns} and {agents}; change it in .moot/flow.yaml.", indent=2)
    page.head("Begin")
    steps = [(command.replace("AGENT", agent or "AGENT"), why) for command, why in FIRST_STEPS]
    wide = max(len(command) for command, _ in steps)
    for command, why in steps:
        label = page.text((command.ljust(wide), COMMAND))
        page.line(label, "  ", (why, QUIET), indent=2, hang=2)


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
    """What the demo has shown, and how to look at what it left."""
    page = Page()
    disputes = "A dispute ended with one decision, a hard item found its way up, a question held up nothing else."
    page.head("What you saw")
    page.line(disputes, indent=2)
    items, runs = count(len(view["items"]), "item"), count(view["runs"], "run")
    page.line(f"{items} done by {runs}; you were asked twice.", indent=2)
    page.head("Look at it")
    page.exact(f"cd {view['board']}", indent=2)
    looks = (("show 1", "the dispute, told by the item itself"), ("show 2", "the climb"), ("log", "all of it"))
    for command, why in looks:
        page.labelled(page.text((f"{program} {command}".ljust(len(program) + 8), COMMAND)), (why, QUIET), indent=2)
    page.head("Begin your own")
    page.line(("in your project: ", QUIET), (f"{program} init", COMMAND), indent=2)
