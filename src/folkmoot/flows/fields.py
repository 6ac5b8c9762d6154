"""Reads single values of the tree: names, counts, spans, booleans, lists. What does not fit is a fault, and then the
answer is None; the caller goes on, so that all faults are found at once."""

import re
from pathlib import PurePosixPath
from typing import TypeVar

from folkmoot.core.input_limits import has_unstorable
from folkmoot.errors import Invalid
from folkmoot.flows.faults import Findings, Path, did_you_mean, shown
from folkmoot.flows.sizes import format_size, parse_size
from folkmoot.flows.source import Entry, Mapping, Node, Scalar, Sequence, is_null
from folkmoot.flows.spans import SECONDS, format_span, parse_span

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
NAME_RULE = "a name has letters, digits, '_', '.' and '-', begins with a letter or digit, at most 64 in all"
COUNT = re.compile(r"0|[1-9][0-9]{0,14}")
COUNT_MAX = 1_000_000
TEXT_MAX = 200
WORD_MAX = 2_000
VALUE_MAX = 20_000
AMOUNT = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,4})?")

Entries = dict[str, Entry]
Word = TypeVar("Word", bound=str)


class Fields:
    """The values of one flow file, read into `findings` when they do not fit."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings

    def section(self, node: Node, path: Path, known: list[str], elsewhere: dict[str, str] | None = None) -> Entries:
        """The entries whose keys are known; a fault for each other key. `elsewhere`: keys that stand in another place,
        and which."""
        entries = self.entries(node, path)
        for key, entry in entries.items():
            if key not in known:
                advice = (elsewhere or {}).get(key) or did_you_mean(key, known)
                self.findings.fault((*path, key), "unknown key", advice, entry.key_place)
            self.findings.remember((*path, key), entry.place)
        # A key without a value says nothing, as if it were not there.
        return {key: entry for key, entry in entries.items() if key in known and not is_null(entry.value)}

    def entries(self, node: Node, path: Path) -> Entries:
        """The entries of a mapping with free keys."""
        if isinstance(node, Mapping):
            return node.entries
        if not is_null(node):
            self.findings.fault(
                path, f"{_kind(node)} stands where keys and values belong", "write {key: value}", node.place
            )
        return {}

    def named(self, node: Node, path: Path, what: str) -> Entries:
        """The entries of a mapping from names; those with a bad name are a fault and left out."""
        good = {}
        for key, entry in self.entries(node, path).items():
            self.findings.remember((*path, key), entry.key_place)
            if NAME.fullmatch(key):
                good[key] = entry
            else:
                self.findings.fault((*path, key), f"this is no name for {what}", NAME_RULE, entry.key_place)
        return good

    def text(self, node: Node, path: Path, what: str) -> str | None:
        if not isinstance(node, Scalar):
            self.findings.fault(path, f"{_kind(node)} stands where {what} belongs", "write one word", node.place)
            return None
        if node.is_null or not node.text.strip():
            self.findings.fault(path, f"{what} is missing", "write it, or leave the key out")
            return None
        if len(node.text) > TEXT_MAX or not node.text.isprintable():
            rule = f"one line of at most {TEXT_MAX} printable characters"
            self.findings.fault(
                path, f"{shown(node.text)} is no {what.removeprefix('the ')}", f"write {rule}", node.place
            )
            return None
        return node.text

    def name(self, node: Node, path: Path, what: str) -> str | None:
        text = self.text(node, path, what)
        if text is not None and not NAME.fullmatch(text):
            self.findings.fault(path, f"{shown(text)} is no {what.removeprefix('the ')}", NAME_RULE, node.place)
            return None
        return text

    def inner_path(self, node: Node, path: Path, what: str, home: str, example: str) -> str | None:
        """A path that stays in the folder it starts from."""
        written = self.text(node, path, what)
        if written is None:
            return None
        parts = PurePosixPath(written.replace("\\", "/"))
        # Also on Windows, where "C:x" and "\\x" lead elsewhere.
        if parts.is_absolute() or ".." in parts.parts or ":" in written or written.startswith("~"):
            advice = f"write a path from {home} on, like {example}"
            self.findings.fault(path, f"{shown(written)} leads out of {home}", advice, node.place)
            return None
        return written

    def given_name(self, entries: Entries, path: Path, what: str) -> str | None:
        """The name under the path's last key, if it is given and good."""
        entry = entries.get(path[-1])
        return self.name(entry.value, path, what) if entry else None

    def names(self, entries: Entries, path: Path, what: str, *, or_one: bool = False) -> list[str]:
        """The list of names under the path's last key, each of them once; with `or_one` a single name is one too."""
        entry = entries.get(path[-1])
        if entry is None:
            return []
        is_one = or_one and isinstance(entry.value, Scalar)
        good: list[str] = []
        for item in [entry.value] if is_one else self.items(entry.value, path):
            name = self.name(item, path, what)
            if name in good:
                self.findings.fault(path, f"{shown(name)} stands here twice", "keep one", item.place)
            elif name is not None:
                self.findings.remember((*path, name), item.place)
                good.append(name)
        return good

    def choice(self, node: Node, path: Path, what: str, known: tuple[Word, ...] | list[Word]) -> Word | None:
        if not isinstance(node, Scalar):
            words = f"{_kind(node)} stands where {what} belongs"
            self.findings.fault(path, words, f"write one of {', '.join(known)}", node.place)
            return None
        text = self.text(node, path, what)
        if text is None:
            return None
        found = next((word for word in known if word == text), None)
        if found is None:
            self.findings.fault(path, f"{shown(text)} is not known here", did_you_mean(text, list(known)), node.place)
        return found

    def items(self, node: Node, path: Path) -> list[Node]:
        """The items of a list; a single word is a fault that shows how to write it."""
        if isinstance(node, Sequence):
            return node.items
        if isinstance(node, Scalar):
            word = node.text if NAME.fullmatch(node.text) else "name"
            self.findings.fault(path, "a single value stands where a list belongs", f"write [{word}]", node.place)
        else:
            self.findings.fault(path, "a mapping stands where a list belongs", "write [name]", node.place)
        return []

    def command(self, node: Node, path: Path, *, or_text: bool = False, needed: bool = False) -> list[str]:
        """A command as the list of its words: it never goes through a shell. With `or_text` a text is split on spaces,
        with `needed` no words at all are a fault."""
        if or_text and isinstance(node, Scalar):
            node = Sequence([Scalar(word, False, node.place) for word in node.text.split()], node.place, 1, 1)
        if not isinstance(node, Sequence):
            said = node.text.split() if isinstance(node, Scalar) else []
            shape = ", ".join(f'"{word}"' for word in said or ["make", "check"])
            advice = f"write [{shape}]" if len(shape) <= TEXT_MAX else "write the list of its words"
            self.findings.fault(path, "a command is a list of words", advice, node.place)
            return []
        if needed and not node.items:
            self.findings.fault(path, "this command has no words", 'write it like ["make", "check"]', node.place)
        words = [self._word(item, path) for item in node.items]
        return [word for word in words if word is not None]

    def commands(self, node: Node, path: Path) -> list[list[str]]:
        """Several commands, one after the other."""
        items = self.items(node, path)
        if items and all(isinstance(item, Scalar) for item in items):
            words = ", ".join(f'"{item.text}"' for item in items if isinstance(item, Scalar))
            advice = f"write [[{words}]]" if len(words) <= 100 else "put brackets around each command"
            what = f"{path[-1]} is a list of commands, each a list of words"
            self.findings.fault(path, what, advice, node.place)
            return []
        return [self.command(item, path, needed=True) for item in items]

    def _word(self, node: Node, path: Path) -> str | None:
        if not isinstance(node, Scalar):
            self.findings.fault(path, f"{_kind(node)} stands where a word belongs", 'write "word"', node.place)
        elif not node.text or len(node.text) > WORD_MAX or has_unstorable(node.text):
            advice = f"a word has 1 to {WORD_MAX} characters, and no NUL"
            self.findings.fault(path, f"{shown(node.text)} cannot be a word of a command", advice, node.place)
        else:
            return node.text
        return None

    def value(self, node: Node, path: Path) -> str | None:
        """Any text, of one line or many; nothing but its size and what can be stored is looked at."""
        if not isinstance(node, Scalar):
            self.findings.fault(path, f"{_kind(node)} stands where a text belongs", "put it into quotes", node.place)
        elif len(node.text) > VALUE_MAX or has_unstorable(node.text):
            advice = f"write at most {VALUE_MAX} characters, and no NUL"
            self.findings.fault(path, "this text cannot be a value", advice, node.place)
        else:
            return node.text
        return None

    def amount(self, node: Node, path: Path, *, or_nothing: bool = False) -> float | None:
        """An amount of money, more than nothing, or nothing where that makes sense."""
        said = shown(node.text) if isinstance(node, Scalar) else _kind(node)
        if isinstance(node, Scalar) and AMOUNT.fullmatch(node.text) and (float(node.text) > 0 or or_nothing):
            return float(node.text)
        self.findings.fault(path, f"{said} is not an amount", "write one like 5 or 0.50", node.place)
        return None

    def boolean(self, node: Node, path: Path) -> bool | None:
        if isinstance(node, Scalar) and node.boolean is not None:
            return node.boolean
        said = shown(node.text) if isinstance(node, Scalar) else _kind(node)
        self.findings.fault(path, f"{said} is neither true nor false", "write true or false", node.place)
        return None

    def count(self, node: Node, path: Path, high: int = COUNT_MAX, example: int = 3, *, low: int = 1) -> int | None:
        """A whole number from `low` on."""
        said = shown(node.text) if isinstance(node, Scalar) else _kind(node)
        if isinstance(node, Scalar) and COUNT.fullmatch(node.text):
            number = int(node.text)
            if low <= number <= high:
                return number
            self.findings.fault(path, f"{said} is out of range", f"write a number from {low} to {high}", node.place)
        else:
            self.findings.fault(path, f"{said} is not a whole number", f"write one like {example}", node.place)
        return None

    def span(self, node: Node, path: Path, low: float, high: float) -> float | None:
        """Seconds, between `low` and `high`."""
        if not isinstance(node, Scalar):
            self.findings.fault(
                path, f"{_kind(node)} stands where a time span belongs", "write one like 30m", node.place
            )
            return None
        if SECONDS.fullmatch(node.text):
            advice = f"write {node.text}s, {node.text}m or {node.text}h"
            self.findings.fault(path, f"{shown(node.text)} has no unit", advice, node.place)
            return None
        try:
            seconds = parse_span(node.text)
        except Invalid as error:
            self.findings.fault(path, f"{shown(node.text)} is not a time span", error.hint, node.place)
            return None
        if not low <= seconds <= high:
            advice = f"write one from {format_span(low)} to {format_span(high)}"
            self.findings.fault(path, f"{shown(node.text)} is out of range", advice, node.place)
            return None
        return seconds

    def size(self, node: Node, path: Path, low: int, high: int) -> int | None:
        """Bytes, between `low` and `high`."""
        said = shown(node.text) if isinstance(node, Scalar) else _kind(node)
        try:
            size = parse_size(node.text if isinstance(node, Scalar) else "")
        except Invalid as error:
            self.findings.fault(path, f"{said} is not a size", error.hint, node.place)
            return None
        if not low <= size <= high:
            advice = f"write one from {format_size(low)} to {format_size(high)}"
            self.findings.fault(path, f"{said} is out of range", advice, node.place)
            return None
        return size


def _kind(node: Node) -> str:
    if isinstance(node, Mapping):
        return "a mapping"
    return "a list" if isinstance(node, Sequence) else "a single value"
