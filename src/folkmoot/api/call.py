"""A call of the contract: its name, what is asked, what is answered, and who may call it."""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar, get_args

from msgspec import Struct

from folkmoot.api.requests import Request
from folkmoot.core.enums import Role as Role

ROLES: tuple[Role, ...] = get_args(Role)

Answer = TypeVar("Answer")


class Ask(Protocol):
    """Whatever carries a request to the board, in the name of whoever has it: in this process, or through a socket."""

    def __call__(self, request: Request[Answer], key: str | None = None) -> Answer: ...


class Call(Struct, frozen=True):
    name: str
    request: type[Request[Any]]
    handle: Callable[..., Any]  # (application, actor, request, key) -> answer
    may: frozenset[Role]
    writes: bool
    tells: Callable[..., None] | None = None  # the same without an answer, where that is less to do
    # (caller, request) -> does this one make a clone, or run git? None: none ever does. What does is kept apart from
    # what does not, so that nobody who wants a word waits for a disk. It is asked of each, so it reads nothing.
    is_slow: Callable[..., bool] | None = None

    def allows(self, role: Role) -> bool:
        """The owner may do whatever a person may."""
        return role in self.may or (role == "owner" and "person" in self.may)

    @property
    def response(self) -> Any:
        return self.request.gives

    @property
    def summary(self) -> str:
        return (self.request.__doc__ or "").strip()
