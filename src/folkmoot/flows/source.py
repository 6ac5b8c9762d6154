"""YAML text as a tree of values that know their place. Everything stays text here: what a word means is decided by
the one who expects it, so `no`, `012` and `12:30:00` are never taken for something else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from msgspec import Struct

from folkmoot.flows.faults import START_OF_FILE, Findings, Path, Place, escaped, shown

if TYPE_CHECKING:
    from yaml import Event

CHARACTERS_MAX = 1_000_000
DEPTH_MAX = 20
ALIASES_MAX = 50
VALUES_MAX = 20_000  # with every alias written out

# YAML 1.2, core schema.
NULLS = {"", "~", "null", "Null", "NULL"}
BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}

# What the parser says, and what people usually did.
LIKELY_CAUSES = {
    "'\\t'": "indent with spaces, not with tabs",
    "mapping values are not allowed": "check the indentation, and put text that holds ': ' into quotes",
    "expected <block end>": "check the indentation: this line does not fit the ones above it",
    "could not find expected ':'": "a key is followed by ': ' and its value",
    "expected ',' or": "close the bracket on the line above, or put a comma between two entries",
    "unexpected end of stream": "close the quote that was opened here or above",
    "'@'": "put this text into quotes",
    "'`'": "put this text into quotes",
    "'%'": "put this text into quotes",
}


class Scalar(Struct, frozen=True):
    text: str
    is_plain: bool  # without quotes
    place: Place
    size: int = 1
    depth: int = 1

    @property
    def is_null(self) -> bool:
        return self.is_plain and self.text in NULLS

    @property
    def boolean(self) -> bool | None:
        return BOOLEANS.get(self.text) if self.is_plain else None


class Sequence(Struct, frozen=True):
    items: list[Node]
    place: Place
    size: int
    depth: int


class Entry(Struct, frozen=True):
    key_place: Place
    value: Node

    @property
    def place(self) -> Place:
        """Where to point at: the value, unless it is nothing or a whole block under its key."""
        is_block = isinstance(self.value, Mapping) or is_null(self.value)
        return self.key_place if is_block else self.value.place


class Mapping(Struct, frozen=True):
    entries: dict[str, Entry]
    place: Place
    size: int
    depth: int


Node = Scalar | Sequence | Mapping


def is_null(node: Node) -> bool:
    return isinstance(node, Scalar) and node.is_null


def read_source(text: str, findings: Findings, *, values_max: int = VALUES_MAX, is_list: bool = False) -> Node | None:
    """The tree of the text's only document; None, with a fault, if there is no telling what it says.

    A long list is read by the parser in C where there is one: it is quicker, and has fewer words for a fault.
    """
    import yaml  # heavy, and most commands never read a flow

    if len(text) > CHARACTERS_MAX:
        findings.fault(
            (), f"the file has {len(text)} characters, at most {CHARACTERS_MAX} are read", place=START_OF_FILE
        )
        return None
    loader: Any = None
    try:
        loader = getattr(yaml, "CBaseLoader", yaml.SafeLoader)(text) if is_list else yaml.SafeLoader(text)
        return _Tree(loader, findings, values_max).read_document()
    except yaml.reader.ReaderError as error:
        _fault_of_character(text, error, findings)
    except yaml.MarkedYAMLError as error:
        _fault_of_syntax(error, findings)
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        # PyYAML lets a few through as they are: an escape past the last character, a version of a thousand digits.
        here = _place(loader.get_mark()) if loader else START_OF_FILE
        findings.fault((), f"this is not YAML: {_one_line(str(error))}", place=here)
    except _Stop:
        pass  # its fault is noted already
    finally:
        if loader is not None:
            loader.dispose()
    return None


class _Stop(Exception):
    """Reading on makes no sense. The fault has been noted."""


class _Aliased(Struct):
    """An anchor's node; None while it is still open, so that it cannot hold itself."""

    node: Node | None = None


class _Tree:
    """Builds the tree from the parser's events, within its bounds."""

    def __init__(self, loader: Any, findings: Findings, values_max: int) -> None:
        self._values_max = values_max
        self._loader = loader
        self._findings = findings
        self._anchors: dict[str, _Aliased] = {}
        self._aliases = 0
        self._values = 0

    def read_document(self) -> Node | None:
        from yaml import DocumentStartEvent, StreamEndEvent

        self._next()  # the stream's start
        if not isinstance(self._peek(), DocumentStartEvent):
            self._findings.fault((), "the file is empty", "a new board is made with one to begin with", START_OF_FILE)
            return None
        self._next()
        node = self._node((), 1)
        self._next()  # the document's end
        if not isinstance(self._peek(), StreamEndEvent):
            place = _place(self._peek().start_mark)
            self._findings.fault((), "a second document begins here", "keep one, remove the '---' line", place)
        return node

    def _node(self, path: Path, depth: int) -> Node:
        from yaml import AliasEvent, MappingStartEvent, ScalarEvent

        event: Any = self._next()
        place = _place(event.start_mark)
        if isinstance(event, AliasEvent):
            node = self._aliased(str(event.anchor), path, place)
            self._count(node.size, depth + node.depth - 1, path, place)
            return node
        anchored = _Aliased()
        if event.anchor is not None:
            self._anchors[event.anchor] = anchored
        if event.tag is not None:
            tag = shown(event.tag)
            self._findings.fault(path, f"the tag {tag} is not read: a flow is only data", "remove the tag", place)
        self._count(1, depth, path, place)
        if isinstance(event, ScalarEvent):
            # The parser in C says "" where the other one says None.
            node = Scalar(event.value, not event.style, place)
        elif isinstance(event, MappingStartEvent):
            node = self._mapping(path, place, depth)
        else:
            node = self._sequence(path, place, depth)
        anchored.node = node
        return node

    def _sequence(self, path: Path, place: Place, depth: int) -> Sequence:
        from yaml import SequenceEndEvent

        items: list[Node] = []
        while not isinstance(self._peek(), SequenceEndEvent):
            items.append(self._node((*path, str(len(items))), depth + 1))
        self._next()
        return Sequence(items, place, *_measured(items))

    def _mapping(self, path: Path, place: Place, depth: int) -> Mapping:
        from yaml import MappingEndEvent

        entries: dict[str, Entry] = {}
        while not isinstance(self._peek(), MappingEndEvent):
            key = self._node(path, depth + 1)
            if not isinstance(key, Scalar):
                self._findings.fault(path, "a key must be a word, not a list or a mapping", "", key.place)
                self._node(path, depth + 1)
                continue
            value = self._node((*path, key.text), depth + 1)
            if self._is_usable_key(key, path, entries):
                entries[key.text] = Entry(key.place, value)
        self._next()
        return Mapping(entries, place, *_measured([entry.value for entry in entries.values()]))

    def _is_usable_key(self, key: Scalar, path: Path, entries: dict[str, Entry]) -> bool:
        if key.is_null:
            self._findings.fault(path, "a key is missing before this ':'", "", key.place)
        elif key.is_plain and key.text == "<<":
            advice = "write the keys out, or let a whole value be an alias"
            self._findings.fault((*path, "<<"), "merge keys are not read", advice, key.place)
        elif key.text in entries:
            line, _ = entries[key.text].key_place
            advice = f"keep one; the first is in line {line}"
            self._findings.fault((*path, key.text), "this key stands here twice", advice, key.place)
        else:
            return True
        return False

    def _aliased(self, anchor: str, path: Path, place: Place) -> Node:
        self._aliases += 1
        if self._aliases > ALIASES_MAX:
            self._stop(path, f"there are more than {ALIASES_MAX} aliases", "write the values out", place)
        known = self._anchors.get(anchor)
        if known is None:
            self._stop(path, f"no anchor &{anchor} stands above this alias", "write the value out", place)
        if known.node is None:
            self._stop(path, f"the alias {shown(anchor)} is inside its own value", "write the value out", place)
        return known.node

    def _count(self, size: int, depth: int, path: Path, place: Place) -> None:
        self._values += size
        if depth > DEPTH_MAX:
            self._stop(path[:3], f"values are nested deeper than {DEPTH_MAX}", "a flow needs four levels", place)
        if self._values > self._values_max:
            words = f"there are more than {self._values_max} values, aliases written out"
            self._stop(path[:3], words, "", place)

    def _stop(self, path: Path, message: str, suggestion: str, place: Place) -> NoReturn:
        self._findings.fault(path, message, suggestion, place)
        raise _Stop

    def _peek(self) -> Event:
        event: Event = self._loader.peek_event()
        return event

    def _next(self) -> Event:
        event: Event = self._loader.get_event()
        return event


def _measured(nodes: list[Node]) -> tuple[int, int]:
    """Size and depth of a node that holds these."""
    return 1 + sum(node.size for node in nodes), 1 + max((node.depth for node in nodes), default=0)


def _place(mark: Any) -> Place:
    return mark.line + 1, mark.column + 1


def _fault_of_character(text: str, error: Any, findings: Findings) -> None:
    before = text[: error.position]
    place = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    letter = escaped(text[error.position : error.position + 1])
    findings.fault((), f"the character {letter} may not stand in YAML", "remove it", place)


def _fault_of_syntax(error: Any, findings: Findings) -> None:
    mark = error.problem_mark or error.context_mark
    problem = _one_line(" ".join(part for part in (error.context, error.problem) if part))
    cause = next((cause for sign, cause in LIKELY_CAUSES.items() if sign in problem), "")
    findings.fault((), f"this is not YAML: {problem}", cause, _place(mark) if mark else START_OF_FILE)


def _one_line(words: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in words).split())[:200]
