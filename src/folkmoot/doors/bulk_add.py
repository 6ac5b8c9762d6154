"""Many items at once: a YAML list, JSON lines, or a markdown list. Read whole before anything is added."""

import re
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import asdict

from folkmoot.api.call import Ask
from folkmoot.api.requests import Add, Show
from folkmoot.api.views import ItemView
from folkmoot.core.commands import AddItem
from folkmoot.core.decoding import converted, misfit
from folkmoot.core.enums import PRIORITIES, TYPES
from folkmoot.core.flow import END, Flow
from folkmoot.core.input_limits import encoded, has_unstorable
from folkmoot.errors import Invalid, MootError

ITEMS_MAX = 1000
TITLE_MAX = 500
VALUES_MAX = 100_000  # in a YAML list, aliases written out: a hundred for each of a thousand items
BULLET = re.compile(r"(?P<indent>\s*)(?:[-*+]|\d{1,9}[.)])\s+(?:\[(?P<box>[ xX])\]\s+)?(?P<title>\S.*)")
YAML_TITLE = re.compile(r"^[ \t]*-[ \t]+title[ \t]*:", re.MULTILINE)  # within a line: else each begins a long search
Words = list[str | int]


class Entry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An item as a file says it; what it leaves out comes from the command's options."""

    title: str
    key: str | None = None  # a name by which later entries can wait for this one
    body: str | UnsetType = UNSET
    column: str | UnsetType = UNSET
    type: str | UnsetType = UNSET
    priority: str | UnsetType = UNSET
    tags: list[str] | UnsetType = UNSET
    files: list[str] | UnsetType = UNSET
    needs: list[str] | UnsetType = UNSET
    after: Words = field(default_factory=list)
    parent: str | int | None = None


class Entries(Struct, frozen=True):
    entries: list[Entry]
    ticked: int = 0  # boxes that are ticked already, and so no work


def read_many(text: str, source: str) -> Entries:
    """What the file holds, by its name or by how it begins; Invalid if any of it cannot be used."""
    name, begin = source.lower(), text.lstrip()[:1]
    if name.endswith((".md", ".markdown", ".txt")):
        found = _markdown(text)
    elif name.endswith((".jsonl", ".ndjson", ".json")) or (begin == "{" and not name.endswith((".yaml", ".yml"))):
        found = Entries(_entries(_json(text, source), source))
    elif name.endswith((".yaml", ".yml")) or begin == "[" or YAML_TITLE.search(text):
        found = Entries(_entries(_yaml(text, source), source))
    else:
        found = _markdown(text)
    if not found.entries:
        raise _bad(source, "it lists no items")
    if len(found.entries) > ITEMS_MAX:
        raise _bad(source, f"it lists {len(found.entries)} items, more than {ITEMS_MAX}")
    return found


def _bad(source: str, what: str) -> Invalid:
    words = "{source}: {what}; nothing was added"
    hint = 'write a YAML list of titles or of {title: …}, JSON lines like {"title": "…"}, or a markdown list'
    return Invalid("bad_file", words, hint, source, what)


def _json(text: str, source: str) -> list[Any]:
    if text.lstrip().startswith("["):
        text = text.replace("\n", " ")
    from folkmoot.reports.canonical import decoder

    values: list[Any] = []
    # Only a new line ends a line: other letters that do so elsewhere may stand in a string.
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        try:
            value = decoder().decode(line) if line.strip() else []
        except (RecursionError, ValueError) as error:
            raise _bad(source, f"line {number} is not JSON: {error}") from error
        if has_unstorable(value):
            raise _bad(source, f"line {number} holds a NUL, half a character, a number too large, or is too deep")
        values += value if isinstance(value, list) else [value]
    return values


def _yaml(text: str, source: str) -> list[Any]:
    from folkmoot.flows.faults import Findings
    from folkmoot.flows.source import read_source

    findings = Findings(source)
    tree = read_source(text, findings, values_max=VALUES_MAX, is_list=True)
    if tree is None or findings.faults:
        first = findings.faults[0]
        more = f" ({first.suggestion})" if first.suggestion else ""
        raise _bad(source, f"line {first.line}: {first.message}{more}")
    value = plain_values(tree)
    if isinstance(value, dict) and list(value) == ["items"]:
        value = value["items"]
    if not isinstance(value, list):
        raise _bad(source, "it is YAML, but not a list of items")
    return value


def plain_values(node: Any) -> Any:
    """A tree of YAML as values. Everything stays text: `no` and `2024-01-01` are good titles. What is left empty
    (`body:`, `body: ~`) says nothing."""
    from folkmoot.flows.source import Mapping, Sequence, is_null

    if isinstance(node, Mapping):
        return {key: plain_values(entry.value) for key, entry in node.entries.items() if not is_null(entry.value)}
    return [plain_values(part) for part in node.items] if isinstance(node, Sequence) else node.text


def _entries(values: list[Any], source: str) -> list[Entry]:
    found = []
    for number, value in enumerate(values, start=1):
        try:
            entry = {"title": value} if isinstance(value, str) else value
            found.append(converted(entry, Entry))
        except (msgspec.ValidationError, RecursionError) as error:
            raise _bad(source, f"item {number}: {misfit(error)}") from error
    return found


def _markdown(text: str) -> Entries:
    """Top-level bullets are items; what is indented below one is its body; ticked boxes are left out."""
    found: list[tuple[str, bool, list[str]]] = []
    fenced, top = False, 0
    for line in text.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        bullet = None if fenced else BULLET.fullmatch(line.rstrip())
        depth = len(line) - len(line.lstrip())
        if bullet and (not found or depth <= top):
            top = depth if not found else top
            found.append((bullet["title"].strip(), bullet["box"] in ("x", "X"), []))
        elif found and (not line.strip() or depth > top):
            found[-1][2].append(line)
    entries = [Entry(title=title, body=_dedented(body)) for title, ticked, body in found if not ticked]
    return Entries(entries, sum(ticked for _, ticked, _ in found))


def _dedented(lines: list[str]) -> str:
    from textwrap import dedent

    return dedent("\n".join(lines)).strip("\n")


class Plan(Struct, frozen=True):
    """The commands in order. `after` and `parent` may still name earlier entries of the same file, by their key."""

    commands: list[AddItem]
    keys: list[str | None]

    def command(self, index: int, known: dict[str, str]) -> AddItem:
        """The command with the names it uses replaced by the ids that these items got."""
        planned = self.commands[index]
        return msgspec.structs.replace(
            planned,
            after=[known.get(need, need) for need in planned.after],
            parent=known.get(planned.parent, planned.parent) if planned.parent else None,
        )

    def outside(self) -> list[str]:
        """The items the file refers to that must be on the board already."""
        own = {key for key in self.keys if key}
        named = [need for command in self.commands for need in [*command.after, command.parent] if need]
        return sorted(set(named) - own)


def plan(found: Entries, defaults: AddItem, flow: Flow, source: str) -> Plan:
    """Check every entry against the board's flow, so that a bad file adds nothing."""
    seen: set[str] = set()
    later = {entry.key for entry in found.entries if entry.key}
    commands = []
    for number, entry in enumerate(found.entries, start=1):
        command = _command(entry, defaults)
        fault = _fault(command, flow) or _order_fault(command, entry, seen, later)
        if fault:
            raise _bad(source, f"item {number}: {fault}")
        encoded(command)
        commands.append(command)
        seen |= {entry.key} if entry.key else set()
    return Plan(commands, [entry.key for entry in found.entries])


def add_all(ask: Ask, planned: Plan, key: str | None, source: str) -> list[ItemView]:
    """Add what was planned, each in a transaction of its own; with a key, each has its own under it."""
    for need in planned.outside():
        ask(Show(item=need))
    views: list[ItemView] = []
    known: dict[str, str] = {}
    for index, name in enumerate(planned.keys):
        own = f"{key}/{index + 1}" if key is not None else None
        try:
            view = ask(Add(**asdict(planned.command(index, known))), own)
        except MootError as error:
            before = ", ".join(f"#{view.id}" for view in views) or "none"
            error.message = f"item {index + 1} of {source}: {error.message}; added before it: {before}"
            raise
        views.append(view)
        if name:
            known[name] = view.id
    return views


def _command(entry: Entry, defaults: AddItem) -> AddItem:
    names = ("body", "column", "type", "priority", "tags", "files", "needs")
    given = {name: getattr(entry, name) for name in names if getattr(entry, name) is not UNSET}
    parent = defaults.parent if entry.parent is None else str(entry.parent).removeprefix("#")
    after = [str(need).removeprefix("#") for need in entry.after]
    return msgspec.structs.replace(defaults, title=entry.title, after=after, parent=parent, **given)


def _fault(command: AddItem, flow: Flow) -> str | None:
    if not command.title.strip() or len(command.title) > TITLE_MAX:
        return f"a title has 1 to {TITLE_MAX} characters"
    if command.column is not None and (command.column not in flow.columns or command.column == END):
        return f"an item cannot begin in {command.column!r}"
    if command.priority not in PRIORITIES:
        return f"{command.priority!r} is no priority; use one of {', '.join(PRIORITIES)}"
    if command.type not in TYPES:
        return f"{command.type!r} is no type; use one of {', '.join(TYPES)}"
    return None


def _order_fault(command: AddItem, entry: Entry, seen: set[str], all_keys: set[str]) -> str | None:
    if entry.key in seen:
        return f"the key {entry.key!r} stands twice"
    for need in [*command.after, command.parent]:
        if need in all_keys and need not in seen:
            return f"it names {need!r}, which must stand above it"
    return None
