"""The runs that callers have claimed: how a run is named and proved, and who keeps its lease."""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from folkmoot.api.requests import Release, Renew
from folkmoot.core.commands import Actor
from folkmoot.errors import Invalid, MootError

if TYPE_CHECKING:
    from folkmoot.engine.application import Application

Seal = Callable[[str, int], str]
Unseal = Callable[[str], Actor]
BETWEEN = ":"
LEASE = 300.0  # seconds: a clone and its setup are made before the first renewal


class Runs(Protocol):
    """What the tools need to know of the runs that were claimed through them."""

    def lease(self, usual: float) -> float | None:
        """How long a claim holds without a renewal, where `usual` is what the flow says; None: as the board has it for
        those whom nobody renews."""

    def claimed(self, run: str, token: int) -> str:
        """A run has begun: the text by which its caller will name and prove it."""

    def named(self, run: str) -> Actor:
        """The run that a caller names; of an empty text, the only one there is."""

    def ended(self, actor: Actor) -> None:
        """Its report was taken."""


def no_run() -> Invalid:
    return Invalid("no_run", "a run is needed", "take an item first: <claim>; then give its <.run>")


class SealedRuns:
    """For callers that come and go: nothing is kept but what the text itself says. Each call of a run renews it."""

    def __init__(self, board: "Application", seal: Seal, unseal: Unseal) -> None:
        self._board, self._seal, self._unseal = board, seal, unseal

    def lease(self, usual: float) -> float | None:
        return None

    def claimed(self, run: str, token: int) -> str:
        return self._seal(run, token)

    def named(self, run: str) -> Actor:
        if not run:
            raise no_run()
        actor = self._unseal(run)
        self._board.asked_by(actor, "run").tell(Renew())
        return actor

    def ended(self, actor: Actor) -> None:
        """Nothing was kept."""


class OwnRuns:
    """Of one process: it renews their leases while it lives, and gives them back when its client goes away. `begun`
    is called once, when the first of them begins."""

    def __init__(self, board: "Application", begun: Callable[[], None] = lambda: None) -> None:
        self._board = board
        self._begun: Callable[[], None] | None = begun
        self._guard = threading.Lock()
        self._lease = LEASE
        self._live: dict[str, tuple[Actor, threading.Event]] = {}

    def lease(self, usual: float) -> float | None:
        self._lease = max(usual, LEASE)
        return self._lease

    def claimed(self, run: str, token: int) -> str:
        actor, over = Actor(run, run, token), threading.Event()
        with self._guard:
            self._live[run] = (actor, over)
            begun, self._begun = self._begun, None
        threading.Thread(target=self._keep, args=(actor, over, self._lease / 3), daemon=True).start()
        if begun is not None:
            begun()
        return f"{run}{BETWEEN}{token}"

    def named(self, run: str) -> Actor:
        with self._guard:
            live = [actor for actor, _ in self._live.values()]
        if not run:
            if len(live) == 1:
                return live[0]
            raise no_run() if not live else _which(live)
        name, _, token = run.partition(BETWEEN)
        known = next((actor for actor in live if actor.run == name), None)
        if known is not None and token in ("", str(known.token)):
            return known
        if not (token.isascii() and token.isdecimal() and len(token) < 19):
            raise Invalid("unknown_run", "{run!r} names no run", "give <.run> as the claim told it", run[:80])
        return Actor(name, name, int(token))

    def ended(self, actor: Actor) -> None:
        with self._guard:
            _, over = self._live.pop(actor.run or "", (None, None))
        if over is not None:
            over.set()

    def close(self) -> None:
        """The client has gone: what it had claimed is given back, so that others can take it at once."""
        with self._guard:
            live, self._live = list(self._live.values()), {}
        for actor, over in live:
            over.set()
            with suppress(MootError, OSError):  # then its lease ends it
                self._board.asked_by(actor).tell(Release())

    def _keep(self, actor: Actor, over: threading.Event, span: float) -> None:
        while not over.wait(span):
            try:
                self._board.asked_by(actor).tell(Renew())
            except MootError as error:
                if error.code != "store_busy":
                    return  # it is lost: its next call says so


def _which(live: list[Actor]) -> Invalid:
    words = "you have several runs: {runs}"
    return Invalid("which_run", words, "say which: <.run>", [actor.run for actor in live])
