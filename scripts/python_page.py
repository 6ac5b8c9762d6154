"""The page about the Python door: every public name of `folkmoot`, by its signature and its docstring."""

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import folkmoot
from folkmoot.core.report import Report
from folkmoot.doors.claims import Claim

HEAD = """
# Python

Every public name of `folkmoot`, made from its docstring. The examples run as tests, so the page cannot say what is not
so: each has a fresh `folder`, with a `board` of the preset `simple` that `ada` has opened. In those of a claim, `run`
is a claim of `coder` on item 1. `team` is a board of the preset `handoff`, for what needs messages.

```python
from folkmoot import Board, Report

with Board.open(".", actor="ada") as board:
    item = board.add("User can reset a password", files=["src/reset.py"])
    with board.claim("coder", item=item.id) as run:
        run.report(Report.done("added the reset form"))
```

What is refused is raised: `Refused` where the rules say no, `Invalid` for bad input, `NothingToDo` where nothing is
ready, `Unavailable` where the store cannot be reached. All are a `MootError` of `folkmoot.errors`, with `code`,
`message` and `hint`; the codes are in [errors](errors.md). What is given back are structs of the contract; their fields
are in [calls](calls.md), or by `moot schema`.
"""
REPORT = "What a run says at its end; its fields are in [the report](report.md)."
CLAIM = "What `board.claim` gives."


def classes() -> dict[str, Any]:
    """The public names that are classes, and what they give that has methods of its own."""
    named = {name: getattr(folkmoot, name) for name in folkmoot.__all__ if not name.startswith("_")}
    return {"Board": named.pop("Board"), "Claim": Claim, **named}


def methods(kind: Any) -> Iterator[tuple[str, Callable[..., Any] | property]]:
    """What a class offers, in the order in which it is written."""
    seen: dict[str, Any] = {}
    for base in kind.__mro__[:-1]:
        if base.__module__.startswith("folkmoot"):
            seen |= {name: value for name, value in vars(base).items() if not name.startswith("_") and name not in seen}
    for name, value in seen.items():
        told = value.__func__ if isinstance(value, classmethod) else value
        if inspect.isfunction(told) or isinstance(told, property):
            yield name, told


def python_page() -> str:
    lines = [HEAD]
    for name, kind in classes().items():
        about = inspect.getdoc(kind) if kind is not Report else REPORT
        lines += [f"## {name}\n", f"{CLAIM + ' ' if kind is Claim else ''}{about}\n"]
        for method, value in methods(kind):
            lines += [f"### {name}.{method}\n", f"```python\n{_signature(method, value)}\n```\n", *_told(value), ""]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


def _signature(name: str, value: Callable[..., Any] | property) -> str:
    if isinstance(value, property):
        assert value.fget is not None
        gives = inspect.signature(value.fget).return_annotation
        return f"{name}: {_plain(str(gives))}"
    signature = inspect.signature(value)
    kept = [one for one in signature.parameters.values() if one.name not in ("self", "cls")]
    return _plain(f"{name}{signature.replace(parameters=kept)}")


def _plain(words: str) -> str:
    """Types by their names, without where they are defined."""
    words = re.sub(r"<class '([\w.]+)'>", r"\1", words).replace("'", '"')
    return (
        re.sub(r'"?(?:[a-z_]+\.)+(\w+)"?', r"\1", words)
        .replace('"Claim"', "Claim")
        .replace("~", "")
        .replace('"Report"', "Report")
    )


def _told(value: Any) -> Iterator[str]:
    """The docstring, with its example as code."""
    words = inspect.getdoc(value.fget if isinstance(value, property) else value) or ""
    text, mark, example = words.partition(">>> ")
    yield text.strip() + "\n"
    if mark:
        yield f"```python\n{mark}{example.rstrip()}\n```"
