"""YAML as the documents print it. Written by hand: the same bytes everywhere, and read back as what was written."""

import json
import re
from typing import Any

PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_/-]*(?:\.[A-Za-z0-9_/-]+)*")
MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z?")
WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
UNSAFE = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def scalar(value: Any) -> str:
    """One value on one line."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    text = str(value)
    fits = PLAIN.fullmatch(text) or MOMENT.fullmatch(text)
    return text if fits and text.casefold() not in WORDS else quoted(text)


def quoted(text: str) -> str:
    """In quotes, as JSON writes it, with what YAML does not take as it is escaped."""
    return UNSAFE.sub(lambda found: f"\\u{ord(found.group()):04x}", json.dumps(text, ensure_ascii=False))


def listed(values: list[str]) -> str:
    return f"[{', '.join(scalar(value) for value in values)}]"


def words(text: str, indent: int) -> str:
    """A text over several lines as a block, where it can be read back so; else in quotes."""
    lines = text.removesuffix("\n").split("\n")
    is_block = all(line.isprintable() and line == line.rstrip() and not UNSAFE.search(line) for line in lines)
    if not text.strip() or not is_block or not lines[0] or lines[0][0] == " " or not lines[-1]:
        return quoted(text)
    margin = " " * indent
    block = "\n".join(f"{margin}{line}" if line else "" for line in lines)
    return f"{'|' if text.endswith(chr(10)) else '|-'}\n{block}"
