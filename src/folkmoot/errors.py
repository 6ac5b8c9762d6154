"""The few errors Folkmoot knows. The reader is often an agent: each says what holds and what to do next."""

from collections.abc import Iterable, Mapping
from typing import Any


class MootError(Exception):
    """Base of all of them. `code` is stable and `exit_code` is what the command line ends with.

    `details` says the same as `message` in data: a program acts on the code and them, and parses no words.
    """

    exit_code = 1

    def __init__(self, code: str, message: str, hint: str = "", details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.details: dict[str, Any] = {name: _sayable(value) for name, value in (details or {}).items()}

    def as_json(self) -> dict[str, dict[str, Any]]:
        told = {"code": self.code, "message": self.message, "hint": self.hint, "details": self.details}
        return {"error": told}


def _sayable(value: Any) -> Any:
    """The same without half characters: whoever is refused may have sent them, and JSON has none."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    return [_sayable(one) for one in value] if isinstance(value, list | tuple) else value


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
    return Invalid("unknown_item", f"there is no item {item}", "see: moot list", {"item": item})


def unknown_column(column: str, known: Iterable[str]) -> Invalid:
    columns = list(known)
    words = f"there is no column {column!r}"
    return Invalid("unknown_column", words, f"columns: {', '.join(columns)}", {"column": column, "known": columns})


def unknown_agent(agent: str, known: Iterable[str]) -> Invalid:
    agents = list(known)
    words = f"the flow has no agent {agent!r}"
    return Invalid("unknown_agent", words, f"agents: {', '.join(agents)}", {"agent": agent, "known": agents})
