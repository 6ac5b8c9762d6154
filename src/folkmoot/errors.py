"""The few errors Folkmoot knows. The reader is often an agent: each says what holds and what to do next.

What it says is written with names, and `details` has their values, given in the same order:
`Refused("item_ended", "item {item} is {status}", "<reopen item>", item.id, item.status)`.

What to do next may name calls: `<reopen item>` is the call `reopen` with the item of `details`; `<move item column>`,
where `details` has no column, leaves it to the reader; `<accept message as=to>` takes another detail, or the word
itself, and `yes` is true. `<.column>` is an argument alone. Each door says them in its own way.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

NAMED = re.compile(r"\{(\w+)((?:!r)?(?::[\d.]*[a-z%]?)?)\}|<\.([a-z_]+)>|<([a-z_]+)((?: [a-z_]+(?:=[\w.]+)?)*)>")


class Step(NamedTuple):
    """A call that leads on. An argument that is None is for the reader to choose."""

    call: str
    args: dict[str, Any]

    def __str__(self) -> str:
        given = (f"{name}={'…' if value is None else repr(value)}" for name, value in self.args.items())
        return f"{self.call}({', '.join(given)})"


class MootError(Exception):
    """Base of all of them. `code` is stable and `exit_code` is what the command line ends with.

    `details` says the same as `message` in data: a program acts on the code and them, and parses no words.
    """

    exit_code = 1

    def __init__(self, code: str, words: str, remedy: str = "", /, *values: Any, **more: Any) -> None:
        named = (mark[1] for mark in NAMED.finditer(f"{words} {remedy}") if mark[1])
        given = zip((name for name in dict.fromkeys(named) if name not in more), values, strict=False)
        self.code = code
        self.details: dict[str, Any] = {name: _sayable(value) for name, value in [*given, *more.items()]}
        self.message = self._said(words)
        self.remedy = remedy

    def __str__(self) -> str:
        return self.message

    @property
    def hint(self) -> str:
        """What to do next, in the words of no door."""
        return self.told(str, str)

    @property
    def next(self) -> list[Step]:
        return [self._step(mark) for mark in NAMED.finditer(self.remedy) if mark[4]]

    def told(self, call: Callable[[Step], str], argument: Callable[[str], str]) -> str:
        """What to do next, in the words of a door: how it says a call, and the name of an argument."""
        return self._said(self.remedy, call, argument)

    def as_json(self) -> dict[str, dict[str, Any]]:
        following = [step._asdict() for step in self.next]
        told = {"code": self.code, "message": self.message, "hint": self.hint, "details": self.details}
        return {"error": {**told, "next": following}}

    def _said(self, words: str, *door: Callable[[Any], str]) -> str:
        def one(mark: re.Match[str]) -> str:
            if mark[1] in self.details:
                value = self.details[mark[1]]
                return f"{{0{mark[2]}}}".format(", ".join(map(str, value)) if isinstance(value, list) else value)
            if mark[1] or not door:
                return mark[0]
            return door[1](mark[3]) if mark[3] else door[0](self._step(mark))

        return NAMED.sub(one, words)

    def _step(self, mark: re.Match[str]) -> Step:
        parts = [part.partition("=") for part in mark[5].split()]
        given = {name: self.details.get(value or name, value or None) for name, _, value in parts}
        return Step(mark[4], {name: True if value == "yes" else value for name, value in given.items()})


def _sayable(value: Any) -> Any:
    """The same without half characters: whoever is refused may have sent them, and JSON has none."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, list | tuple):
        return [_sayable(one) for one in value]
    return value if isinstance(value, int | float | dict | None) else _sayable(str(value))


class Refused(MootError):
    """The rules do not allow it now; nothing was changed."""

    exit_code = 1


class Invalid(MootError):
    """The input cannot be read or names something that does not exist; nothing was changed."""

    exit_code = 2


class NothingToDo(MootError):
    """No item is ready, no question is open."""

    exit_code = 3


class Unavailable(MootError):
    """The store cannot be reached, is not ours, or is damaged."""

    exit_code = 4


def unknown_item(item: str) -> Invalid:
    # The beginning of a run's id is told wherever runs are listed, so it is tried here too.
    of_run = len(item) > 3 and item[0] == "r" and set(item[1:]) <= set("0123456789abcdef")
    hint = "see: <list>; what a run said: <output>" if of_run else "see: <list>"
    return Invalid("unknown_item", "there is no item {item}", hint, item)


def unknown_column(column: str, known: Iterable[str]) -> Invalid:
    return Invalid("unknown_column", "there is no column {column!r}", "columns: {known}", column, [*known])


def unknown_agent(agent: str, known: Iterable[str]) -> Invalid:
    return Invalid("unknown_agent", "the flow has no agent {agent!r}", "agents: {known}", agent, [*known])
