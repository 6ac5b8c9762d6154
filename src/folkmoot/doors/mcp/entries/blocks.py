"""TOML and YAML of one entry: a block of lines that stands for itself, put behind or in place of another."""

import json
import re
from typing import Any


def toml_block(path: list[str], entry: dict[str, Any]) -> str:
    """One table; values in it are texts, numbers, yes or no, lists of texts, or a small table of texts."""
    lines = [f"[{'.'.join(path)}]", *(f"{name} = {_toml(value)}" for name, value in entry.items())]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {_toml(one)}" for name, one in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)  # these are written alike in both


def with_toml(text: str, path: list[str], entry: dict[str, Any]) -> str:
    block, header = toml_block(path, entry), re.escape(f"[{'.'.join(path)}]")
    there = re.search(rf"^{header}[^\n]*\n(?:(?!\s*\[).*(?:\n|\Z))*", text, re.MULTILINE)
    if there is None:
        return f"{text.rstrip()}\n\n{block}" if text.strip() else block
    lines = there[0].splitlines(keepends=True)
    while lines and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        lines.pop()  # what stands before the next table is that one's
    end = there.start() + sum(map(len, lines))
    return text[: there.start()] + block + text[end:]


def yaml_block(name: str, entry: dict[str, Any], depth: int) -> str:
    import yaml

    told = yaml.safe_dump({name: entry}, sort_keys=False, allow_unicode=True, default_flow_style=False, width=1000)
    return "".join(f"{'  ' * depth}{line}\n" for line in told.splitlines())


def with_yaml(text: str, path: list[str], entry: dict[str, Any]) -> str:
    """Below one key of the file, which is written as a block."""
    above, name = path
    block = yaml_block(name, entry, 1)
    head = re.search(rf"^{re.escape(above)}:[ \t]*(?:\{{\}}[ \t]*)?(#[^\n]*)?(?:\n|\Z)", text, re.MULTILINE)
    if head is None:
        return f"{text.rstrip()}\n{above}:\n{block}" if text.strip() else f"{above}:\n{block}"
    there = re.compile(rf"^  {re.escape(name)}:[^\n]*\n(?:(?:    [^\n]*|[ \t]*)(?:\n|\Z))*", re.MULTILINE).search(
        text, head.end()
    )
    if there is not None:
        return text[: there.start()] + block + text[there.end() :]
    note = f" {head[1]}" if head[1] else ""
    return f"{text[: head.start()]}{above}:{note}\n{block}{text[head.end() :]}"
