"""Answers as a caller reads them from JSON, so that a test holds the names and values of the contract against them."""

from collections.abc import Callable
from typing import Any

from msgspec import to_builtins

from folkmoot.api.views import View


class InJson:
    """The same object, whose methods answer with plain dicts and lists where it answers with structs."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._inner, name)
        return _asked(value) if callable(value) else value

    def __enter__(self) -> "InJson":
        self._inner.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._inner.__exit__(*error)


def _asked(method: Callable[..., Any]) -> Callable[..., Any]:
    def ask(*args: Any, **options: Any) -> Any:
        return in_json(method(*args, **options))

    return ask


def in_json(answer: Any) -> Any:
    if isinstance(answer, View):
        return to_builtins(answer)
    return [in_json(one) for one in answer] if isinstance(answer, list) else answer
