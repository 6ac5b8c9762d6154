"""What must fit together in a flow: every way leads to something that exists, to an end, and never round for ever.
The columns are looked at here; agents, gates and messages in `agents`, what runs them in `running`."""

from folkmoot.core.flow import END, Column, Flow
from folkmoot.flows.faults import Findings, Path, did_you_mean, shown

MAKES_NO_WORK = {"escalation": "sends the item on by itself", "backflow": "answers and sends the item back"}
MAKES_NO_WORK["dispute"] = "sends the item where the dispute ends"


class Check:
    """Notes faults between the parts. A part that is faulty in itself is not asked what follows from it."""

    def __init__(self, flow: Flow, findings: Findings) -> None:
        self.flow = flow
        self.findings = findings
        self.columns = list(flow.columns.values())
        self.tagged = [column for column in self.columns if column.tags]

    def exists(self, name: str, *path: str) -> bool:
        if name in self.flow.columns:
            return True
        # A column with an unreadable name may be the one that was meant.
        if len(self.columns) > 1 or not self.findings.is_faulty("columns"):
            advice = did_you_mean(name, list(self.flow.columns))
            self.findings.fault(path, f"there is no column {shown(name)}", advice)
        return False

    def is_unreadable(self, section: str) -> bool:
        """Could nothing be read of it? Then anything may be in it."""
        return not getattr(self.flow, section) and self.findings.is_faulty(section)

    def is_unwatched(self, column: Column) -> bool:
        """Nobody works there and nothing leads on: only whoever acts by tags can take items from it."""
        return column.name != END and not (column.agents or column.human or column.next or column.work)

    def can_help(self, name: str) -> bool:
        column = self.flow.columns[name]
        # A faulty column may become one that helps.
        return column.kind == "escalation" or column.human or self.findings.is_faulty("columns", name)

    def some_stages(self) -> str:
        return _listed([c.name for c in self.columns if c.kind == "flow" and c.name != END])

    def some_helpers(self) -> str:
        return _listed([c.name for c in self.columns if c.kind == "escalation" or c.human])


class ColumnCheck(Check):
    def all(self) -> None:
        self.start()
        for column in self.columns:
            self.end(column) if column.name == END else self.column(column)
        self.tags()
        for reason, target in self.flow.reasons.items():
            self.reason(reason, target)
        self.circles()
        if not self.findings.faults:
            for name in self.unreached():
                advice = "let another column lead there by next, fix or on_red, or remove it"
                self.findings.warn(
                    ("columns", name), "nothing leads here but `moot add --column` and `moot move`", advice
                )

    def start(self) -> None:
        start = self.flow.start
        has_columns = len(self.columns) > 1 or not self.findings.is_faulty("columns")
        if not has_columns or self.findings.is_faulty("start") or not self.exists(start, "start"):
            return
        if start == END:
            self.findings.fault(("start",), f"items would begin at their end, '{END}'", "name the first stage")
        elif self.flow.columns[start].kind != "flow":
            advice = f"name a column of kind flow{self.some_stages()}"
            self.findings.fault(("start",), f"items cannot begin in '{start}', which is beside the flow", advice)

    def end(self, column: Column) -> None:
        if column != Column(name=END) and not self.findings.is_faulty("columns", END):
            advice = f"leave {END}: empty, and put the work into a column before it"
            self.findings.fault(("columns", END), "items end here: nothing can watch it or come after it", advice)

    def column(self, column: Column) -> None:
        path = ("columns", column.name)
        if column.human and column.agents:
            advice = "remove agents, or human: true"
            self.findings.fault((*path, "human"), f"people and '{column.agents[0]}' cannot both watch it", advice)
        if column.kind == "dispute":
            self._dispute(column, path)
        elif column.work is not None:
            self._work(column, column.work, path)
        elif column.next is not None:
            self._next(column, column.next)
        if column.fix is not None and column.kind != "dispute":
            self._repair(column, column.fix, (*path, "fix"))
        if column.gate and not self.findings.is_faulty(*path):
            self._gate(column, (*path, "gate"))
        if column.on_red is not None:
            self._on_red(column, column.on_red, (*path, "on_red"))
        if not self.findings.is_faulty(*path):
            self._way_out(column)

    def tags(self) -> None:
        """Entries with tags act in columns that nobody watches."""
        first: dict[str, str] = {}
        for column in self.tagged:
            path = ("columns", column.name, "tags")
            if not column.agents and not self.findings.is_faulty(*path[:2]):
                self.findings.fault(path, "nobody would act on these tags", "add agents")
            elif column.kind not in ("escalation", "backflow"):
                advice = "write kind: escalation (does the stage's work) or kind: backflow (answers)"
                self.findings.fault(path, f"a column of kind {column.kind} cannot act by tags", advice)
            for tag in column.tags:
                if tag in first:
                    advice = f"keep it here or in '{first[tag]}'"
                    place = self.findings.place_of((*path, tag))
                    self.findings.fault(path, f"the tag '{tag}' stands in '{first[tag]}' too", advice, place)
                first.setdefault(tag, column.name)
        if self.tagged and not any(self.is_unwatched(column) for column in self.columns):
            advice = "add a column without agents, like `blocked: {kind: escalation}`"
            what = "tags act on items in a column that nobody watches, and there is none"
            self.findings.fault(("columns", self.tagged[0].name, "tags"), what, advice)

    def reason(self, reason: str, target: str) -> None:
        if not self.exists(target, "reasons", reason) or self.findings.is_faulty("columns", target):
            return
        column = self.flow.columns[target]
        if column.kind == "flow" and not column.human:
            advice = (
                f"name a column of kind escalation, backflow or dispute, or one with human: true{self.some_helpers()}"
            )
            self.findings.fault(("reasons", reason), f"'{target}' is a stage of the flow, no help", advice)
        elif self.is_unwatched(column) and not any(reason in tagged.tags for tagged in self.tagged):
            advice = f"add '{reason}' to the tags of a column with agents, or a person is asked"
            self.findings.warn(("reasons", reason), f"nobody acts on the tag '{reason}' in '{target}'", advice)

    def circles(self) -> None:
        stages = [column for column in self.columns if column.kind == "flow" and column.name != END]
        # A column cannot be its own place of work: that is said there.
        ways = {column.name: column.work or column.next for column in stages if column.work != column.name}
        edges = {name: [target] for name, target in ways.items() if target is not None}
        for circle in circles(edges):
            way = " → ".join([*circle, circle[0]])
            is_watched = any(self.flow.columns[name].agents for name in circle)
            what = "never reach the end" if is_watched else "move on for ever, though nobody works on them"
            key = "work" if self.flow.columns[circle[-1]].work else "next"
            advice = f"let one of them lead on, at last to '{END}'; work goes back by fix, not by next"
            self.findings.fault(("columns", circle[-1], key), f"items {what}: {way}", advice)

    def _dispute(self, column: Column, path: Path) -> None:
        for key in ("next", "fix", "gate", "on_red", "work", "tags", "human"):
            if getattr(column, key):
                what = f"a column of kind dispute {MAKES_NO_WORK['dispute']}"
                self.findings.fault((*path, key), what, f"remove {key}, or write kind: flow")
        if len(column.agents) < 2 and not self.findings.is_faulty(*path):
            advice = "name both, like agents: [test-architect, dev-agent]"
            self.findings.fault((*path, "agents"), "a dispute has two sides", advice)
        if column.name not in self.flow.reasons.values() and not self.findings.is_faulty("reasons"):
            advice = f"add one, like `reasons: {{{column.name.removeprefix('dispute-')}: {column.name}}}`"
            self.findings.warn(path, "no reason leads here, so nobody can bring a dispute here", advice)

    def _work(self, column: Column, target: str, path: Path) -> None:
        here = (*path, "work")
        if not column.agents:
            if not self.findings.is_faulty(*path):
                self.findings.fault(here, "nobody would take an item from here to work on it", "add agents")
        elif column.kind != "flow":
            what = f"a column of kind {column.kind} {MAKES_NO_WORK[column.kind]}"
            self.findings.fault(here, what, "remove work, or write kind: flow")
        elif target == column.name:
            advice = "name another column, or remove work: items stay here by themselves"
            self.findings.fault(here, "items are in this column already", advice)
        elif self.exists(target, *here) and not self.findings.is_faulty("columns", target):
            self._place_of_work(column, self.flow.columns[target], here)
        for key in ("next", "fix", "gate", "on_red"):
            if getattr(column, key):
                advice = f"write {key} at '{target}'"
                self.findings.fault((*path, key), f"items go on from '{target}', where the work is done", advice)

    def _place_of_work(self, column: Column, there: Column, here: Path) -> None:
        if there.kind != "flow" or there.name == END:
            what = "the end" if there.name == END else f"of kind {there.kind}"
            advice = f"name a column of kind flow{self.some_stages()}"
            self.findings.fault(here, f"'{there.name}' is {what}: no work is done there", advice)
        elif sorted(there.agents) != sorted(column.agents):
            advice = f"write agents: [{', '.join(column.agents)}] at '{there.name}'"
            self.findings.fault(here, f"'{there.name}' is watched by others than '{column.name}'", advice)
        elif there.work is not None:
            advice = f"name '{there.work}', or remove work at '{there.name}'"
            self.findings.fault(here, f"'{there.name}' itself sends items on to be worked on", advice)

    def _next(self, column: Column, target: str) -> None:
        path = ("columns", column.name, "next")
        if column.kind != "flow":
            what = f"a column of kind {column.kind} {MAKES_NO_WORK[column.kind]}"
            self.findings.fault(path, what, "remove next, or write kind: flow")
        elif self.exists(target, *path) and self.flow.columns[target].kind != "flow":
            advice = f"name a column of kind flow, or '{END}'; help is reached by escalate_to and reasons"
            self.findings.fault(path, f"'{target}' is beside the flow", advice)
        elif column.human:
            advice = f"answer with `moot answer QUESTION TEXT --to {target}`"
            self.findings.warn(path, "a plain answer does not send the item on: it would be asked about again", advice)

    def _gate(self, column: Column, path: Path) -> None:
        if not column.agents:
            self.findings.fault(path, "nobody works here whom a gate could check", "add agents")
        elif column.kind != "flow":
            advice = "write gate at the stages of the flow, or kind: flow here"
            what = f"a gate stands in the flow: after a column of kind {column.kind} that of the stage runs"
            self.findings.fault(path, what, advice)

    def _on_red(self, column: Column, target: str, path: Path) -> None:
        if not column.gate and not self.findings.is_faulty(*path[:2], "gate"):
            advice = "add gate, or remove on_red"
            self.findings.fault(path, "there is no gate here that could be red", advice)
        elif target == column.name:
            advice = "leave on_red out: the item stays here, and its agent tries again"
            self.findings.fault(path, "a column cannot send work back to itself", advice)
        else:
            self._repair(column, target, path)

    def _repair(self, column: Column, target: str, path: Path) -> None:
        if not self.exists(target, *path) or self.findings.is_faulty("columns", target):
            return
        there = self.flow.columns[target]
        if target == column.name:
            self.findings.fault(path, "a column cannot send work back to itself", "name the stage that made the work")
        elif there.kind not in ("flow", "backflow") or not there.agents:
            why = "nobody watches it" if not there.agents else f"it is of kind {there.kind}"
            advice = "name the stage that made the work, or a column of kind backflow, with agents of its own"
            self.findings.fault(path, f"nobody would repair anything in '{target}': {why}", advice)
        elif target in self._after(column.name) and column.name not in self._after(target):
            advice = f"name a stage before '{column.name}', or a column of kind backflow"
            self.findings.fault(path, f"'{target}' comes after this column: what must be repaired would go on", advice)

    def _after(self, name: str) -> list[str]:
        """The stages that follow on a stage, in order."""
        found: list[str] = []
        place: Column | None = self.flow.columns[name]
        while place is not None and place.kind == "flow" and place.name != END:
            following = place.work or place.next
            if following is None or following in found or following == name:
                break
            found.append(following)
            place = self.flow.columns.get(following)
        return found

    def unreached(self) -> list[str]:
        """The stages to which nothing leads: items come there only by a person's hand."""
        led_to = {self.flow.start, END, self.flow.discover, self.flow.arbiter}
        for column in self.columns:
            led_to |= {column.next, column.work, column.fix, column.on_red}
        return [column.name for column in self.columns if column.kind == "flow" and column.name not in led_to]

    def _way_out(self, column: Column) -> None:
        path = ("columns", column.name)
        is_stage = column.kind == "flow"
        if self.is_unwatched(column) and not (self.tagged and column.kind in ("escalation", "backflow")):
            add = "add agents, next or human: true" if is_stage else "add agents or human: true"
            add += "; or let columns with tags act here" if not is_stage else ""
            self.findings.fault(path, "items would wait there for ever", add)
        elif is_stage and column.next is None and column.work is None:
            others = [name for name in self.unreached() if name != column.name]
            advice = f"add next: {next(iter(others), END)}"
            advice = advice if not column.human else "add next, or write kind: escalation"
            self.findings.fault(path, "items that are done here have nowhere to go", advice)


def circles(edges: dict[str, list[str]]) -> list[list[str]]:
    """The shortest circle through each name that is in no earlier one, beginning with the name that stands first."""
    found: list[list[str]] = []
    seen: set[str] = set()
    for start in edges:
        circle = [] if start in seen else _way_back(start, edges)
        if circle:
            seen.update(circle)
            found.append(circle)
    return found


def _way_back(start: str, edges: dict[str, list[str]]) -> list[str]:
    """The shortest way from a name back to itself, or nothing."""
    ways = {start: [start]}
    ahead = [start]
    while ahead:
        name = ahead.pop(0)
        for following in edges.get(name, []):
            if following == start:
                return ways[name]
            if following not in ways:
                ways[following] = [*ways[name], following]
                ahead.append(following)
    return []


def _listed(names: list[str]) -> str:
    few = names[:6]
    return f" ({', '.join(few)}{', …' if len(names) > len(few) else ''})" if few else ""
