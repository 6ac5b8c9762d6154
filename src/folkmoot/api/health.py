"""Is the board sound? One entry for each part of it that can fail."""

from folkmoot.api.requests import Request
from folkmoot.api.views import View


class Component(View, frozen=True, gc=False, kw_only=True):
    """A part of the board: whether it is sound, and in words what was looked at, or what is wrong."""

    name: str  # store, chain, worker
    ok: bool
    warning: bool  # it is sound, and somebody should know what the words say
    words: str


class Health(View, frozen=True, gc=False, kw_only=True):
    """`ok` where every component is. `left`: so many events of the log are still to be proved by further calls with
    `whole`; 0 where it is through, or nobody asked for it."""

    ok: bool
    components: list[Component]
    left: int


class CheckHealth(Request[Health], frozen=True, kw_only=True):
    """Look whether the store, the log's chain and the workers are sound; it takes two seconds at most."""

    whole: bool = False  # prove the log from its beginning; where it is long, each such call goes on with it
