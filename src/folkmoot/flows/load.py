"""From the text of a flow file to the `Flow`: what may stand where. What must fit together is in `check`."""

from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

from msgspec import Struct

from folkmoot.core.flow import END, Agent, Column, Flow, Limits, QuestionPolicy
from folkmoot.flows.check import check_flow
from folkmoot.flows.faults import Findings, FlowFaults, Path, shown
from folkmoot.flows.fields import NAME, Entries, Fields
from folkmoot.flows.ladder import read_ladder
from folkmoot.flows.source import Mapping, Node, read_source

MINUTE, HOUR, DAY = 60.0, 3_600.0, 86_400.0

FLOW_BUILT = ["flow", "start", "limits", "columns", "agents", "reasons", "questions"]
FLOW_LATER = ["discover", "arbiter", "gates", "models", "pools", "clients", "notify", "messages", "budget", "target"]
FLOW_LATER += ["mirror"]
COLUMN_BUILT = ["agents", "next", "fix", "kind", "human"]
COLUMN_LATER = ["gate", "on_red", "tags"]
AGENT_BUILT = ["run", "prompt", "ladder", "escalate_to", "write", "may", "timeout"]
AGENT_LATER = ["experts", "setup", "expert"]

KINDS_BUILT = ["flow", "escalation", "backflow"]
KINDS_LATER = ["dispute"]
MAY_BUILT = ["ask"]
MAY_LATER = ["delegate", "dispatch", "split"]
WRITES = ["none", "own", "new_tests", "any"]

COUNT_LIMITS = ["slots", "attempts", "own_attempts", "executions", "dispute_rounds", "disputes", "feedback_rounds"]
COUNT_LIMITS += ["repeats", "splits", "runs"]
SPAN_LIMITS = {
    "lease": (1.0, HOUR),
    "timeout": (1.0, 7 * DAY),
    "silence": (1.0, 7 * DAY),
    "starve": (1.0, 30 * DAY),
}
DEADLINE_RANGE = (1.0, 365 * DAY)
# An item may pass all unwatched columns in one step, and somebody has to look at the board.
COLUMNS_MAX = 200
PROMPT_CHARACTERS_MAX = 1_000_000
NO_COLUMNS = "add the stages that items go through, like `columns: {dev: {agents: [dev-agent], next: done}}`"

ReadPrompt = Callable[[str], str | None]


class ReadFlow(Struct, frozen=True, kw_only=True):
    """A flow that can be used, and what its author should know all the same: a line each, with file and place."""

    flow: Flow
    warnings: list[str]


def load_flow(text: str, name: str, read_prompt: ReadPrompt) -> Flow:
    """The flow of this text, or `FlowFaults` with everything that is wrong with it.

    `name` is the file's name, for the faults. `read_prompt` gives the text of a prompt file by its path in the flow,
    or None if there is no such file.
    """
    return read_flow(text, name, read_prompt).flow


def read_flow(text: str, name: str, read_prompt: ReadPrompt) -> ReadFlow:
    """As `load_flow`, with the warnings."""
    findings = Findings(name)
    root = read_source(text, findings)
    flow = _Loader(findings, read_prompt).flow(root, name) if root is not None else None
    if flow is None or findings.faults:
        raise FlowFaults(name, findings.faults)
    return ReadFlow(flow=flow, warnings=[str(warning) for warning in findings.warnings])


class _Loader:
    def __init__(self, findings: Findings, read_prompt: ReadPrompt) -> None:
        self._findings = findings
        self._fields = Fields(findings)
        self._read_prompt = read_prompt

    def flow(self, root: Node, file: str) -> Flow | None:
        self._findings.remember((), root.place)
        if not isinstance(root, Mapping):
            advice = "begin with the keys columns: and agents:"
            self._findings.fault((), "a flow is a mapping of keys to values", advice, root.place)
            return None
        entries = self._fields.section(root, (), built=FLOW_BUILT, later=FLOW_LATER)
        columns = self._columns(entries)
        flow = Flow(
            name=self._name(entries, ("flow",), "the flow's name") or _name_from(file),
            start=self._name(entries, ("start",), "the column's name") or next(iter(columns), END),
            columns=_with_end(columns),
            agents=self._agents(entries),
            limits=self._limits(entries),
            reasons=self._reasons(entries),
            questions=self._questions(entries),
        )
        check_flow(flow, self._findings)
        return flow

    def _columns(self, entries: Entries) -> dict[str, Column]:
        path = ("columns",)
        if "columns" not in entries:
            self._findings.fault(path, "there are no columns", NO_COLUMNS)
            return {}
        listed = self._fields.named(entries["columns"].value, path, "a column")
        if not listed and not self._findings.is_faulty(*path):
            self._findings.fault(path, "there are no columns", NO_COLUMNS)
        if len(listed) > COLUMNS_MAX:
            self._findings.fault(path, f"there are {len(listed)} columns", f"at most {COLUMNS_MAX} fit on a board")
        return {name: self._column(name, entry.value) for name, entry in listed.items()}

    def _column(self, name: str, node: Node) -> Column:
        path = ("columns", name)
        entries = self._fields.section(node, path, built=COLUMN_BUILT, later=COLUMN_LATER)
        agents = self._watchers(entries, (*path, "agents"))
        following = self._name(entries, (*path, "next"), "the column's name")
        is_human = "human" in entries and bool(self._fields.boolean(entries["human"].value, (*path, "human")))
        # A person's column that leads nowhere is beside the flow: the answer says where the item goes on.
        usual = "escalation" if is_human and following is None else "flow"
        return Column(
            name=name,
            agents=agents,
            next=following,
            fix=self._name(entries, (*path, "fix"), "the column's name"),
            kind=self._kind(entries, (*path, "kind")) or usual,
            human=is_human,
        )

    def _watchers(self, entries: Entries, path: Path) -> list[str]:
        if "agents" not in entries:
            return []
        items = self._fields.items(entries["agents"].value, path)
        if items:
            self._findings.remember(path, items[0].place)
        if len(items) > 1:
            advice = "keep one of them, and give the others columns of their own"
            self._findings.fault(path, "several agents in one column are not built yet", advice, items[1].place)
        names = [self._fields.name(item, path, "the agent's name") for item in items]
        return [name for name in names if name is not None]

    def _kind(self, entries: Entries, path: Path) -> str | None:
        if path[-1] not in entries:
            return None
        kind = self._fields.choice(entries[path[-1]].value, path, "the kind", KINDS_BUILT + KINDS_LATER)
        if kind in KINDS_LATER:
            advice = f"leave the column out: until then a {kind} goes back to the stage it is about"
            self._findings.fault(path, f"'kind: {kind}' is not built yet in this version", advice)
            return None
        return kind

    def _agents(self, entries: Entries) -> dict[str, Agent]:
        path = ("agents",)
        if "agents" not in entries:
            self._findings.fault(path, "there are no agents", "name each one that watches a column")
            return {}
        listed = self._fields.named(entries["agents"].value, path, "an agent")
        return {name: self._agent(name, entry.value) for name, entry in listed.items()}

    def _agent(self, name: str, node: Node) -> Agent:
        path = ("agents", name)
        entries = self._fields.section(node, path, built=AGENT_BUILT, later=AGENT_LATER)
        given: dict[str, Any] = {}
        if "run" in entries:
            self._run(entries["run"].value, (*path, "run"))
        if "prompt" in entries:
            given["prompt"], given["instructions"] = self._prompt(entries["prompt"].value, (*path, "prompt"))
        if "ladder" in entries:
            given["ladder"] = read_ladder(self._fields, entries["ladder"].value, (*path, "ladder"))
        if "write" in entries:
            given["write"] = self._fields.choice(entries["write"].value, (*path, "write"), "the value", WRITES) or "own"
        if "may" in entries:
            given["may"] = self._may(entries["may"].value, (*path, "may"))
        if "timeout" in entries:
            given["timeout"] = self._fields.span(entries["timeout"].value, (*path, "timeout"), *SPAN_LIMITS["timeout"])
        return Agent(name=name, escalate_to=self._name(entries, (*path, "escalate_to"), "the column's name"), **given)

    def _run(self, node: Node, path: Path) -> None:
        self._fields.entries(node, path)
        if not self._findings.is_faulty(*path):
            advice = "until then an agent takes its items with `moot claim`"
            self._findings.warn(path, "nothing starts agents yet: this is accepted and not used", advice)

    def _prompt(self, node: Node, path: Path) -> tuple[str | None, str]:
        """The path of a prompt as written, and its text."""
        written = self._fields.text(node, path, "the path of the prompt")
        if written is None:
            return None, ""
        parts = PurePosixPath(written.replace("\\", "/"))
        # Also on Windows, where "C:x" and "\\x" lead elsewhere: what is taken in must lie beside the flow.
        if parts.is_absolute() or ".." in parts.parts or ":" in written:
            advice = "write a path from the flow's folder on, like prompts/dev.md"
            self._findings.fault(path, f"{shown(written)} leads out of the flow's folder", advice)
            return None, ""
        text = self._read_prompt(written)
        if text is None:
            advice = "write that file, beside the flow, or leave the key out"
            self._findings.fault(path, f"there is no file {shown(written)}", advice)
        elif len(text) > PROMPT_CHARACTERS_MAX:
            advice = f"at most {PROMPT_CHARACTERS_MAX} are read"
            self._findings.fault(path, f"{shown(written)} has {len(text)} characters", advice)
        return written, text or ""

    def _may(self, node: Node, path: Path) -> list[str]:
        given = []
        for item in self._fields.items(node, path):
            word = self._fields.choice(item, path, "the right", MAY_BUILT + MAY_LATER)
            if word in MAY_LATER:
                self._findings.fault(path, f"'{word}' is not built yet in this version", "write may: [ask]", item.place)
            elif word is not None:
                given.append(word)
        return list(dict.fromkeys(given))

    def _limits(self, entries: Entries) -> Limits:
        if "limits" not in entries:
            return Limits()
        path = ("limits",)
        given: dict[str, Any] = {}
        known = [*COUNT_LIMITS, *SPAN_LIMITS]
        for key, entry in self._fields.section(entries["limits"].value, path, built=known, later=[]).items():
            if key in SPAN_LIMITS:
                given[key] = self._fields.span(entry.value, (*path, key), *SPAN_LIMITS[key])
            else:
                given[key] = self._fields.count(entry.value, (*path, key))
        return Limits(**{key: value for key, value in given.items() if value is not None})

    def _reasons(self, entries: Entries) -> dict[str, str]:
        if "reasons" not in entries:
            return {}
        path = ("reasons",)
        reasons = {}
        for reason, entry in self._fields.named(entries["reasons"].value, path, "a reason").items():
            self._findings.remember((*path, reason), entry.place)
            column = self._fields.name(entry.value, (*path, reason), "the column's name")
            if column is not None:
                reasons[reason] = column
        return reasons

    def _questions(self, entries: Entries) -> QuestionPolicy:
        if "questions" not in entries:
            return QuestionPolicy()
        path = ("questions",)
        given = self._fields.section(entries["questions"].value, path, built=["pause_all", "deadline"], later=[])
        pause_all, deadline = given.get("pause_all"), given.get("deadline")
        return QuestionPolicy(
            pause_all=bool(pause_all and self._fields.boolean(pause_all.value, (*path, "pause_all"))),
            deadline=self._fields.span(deadline.value, (*path, "deadline"), *DEADLINE_RANGE) if deadline else None,
        )

    def _name(self, entries: Entries, path: Path, what: str) -> str | None:
        """The name under the path's last key, if it is given and good."""
        entry = entries.get(path[-1])
        return self._fields.name(entry.value, path, what) if entry else None


def _name_from(file: str) -> str:
    stem = PurePosixPath(file).stem
    return stem if NAME.fullmatch(stem) else "flow"


def _with_end(columns: dict[str, Column]) -> dict[str, Column]:
    """The columns with `done` among them: where it stands in the file, else after the last column of the flow."""
    if END in columns:
        return columns
    names = list(columns)
    stages = [place for place, column in enumerate(columns.values()) if column.kind == "flow"]
    names.insert(stages[-1] + 1 if stages else len(names), END)
    return {name: columns.get(name) or Column(name=name) for name in names}
