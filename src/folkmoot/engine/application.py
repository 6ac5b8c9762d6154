"""What a door gets: the engine to speak to, the queries to read with, and where the board is."""

from collections.abc import Callable
from typing import Any, Protocol

from msgspec import Struct

from folkmoot.core.commands import Speaker
from folkmoot.core.flow import Flow
from folkmoot.engine.engine import Engine
from folkmoot.engine.queries import Queries


class Application:
    """An open board."""

    def __init__(self, engine: Engine, place: str, notes: list[str]) -> None:
        self.engine = engine
        self.queries = Queries(engine.store, engine.clock, engine.flows)
        self.place = place
        self.notes = notes  # what the user should know, though nothing is wrong

    def close(self) -> None:
        self.engine.store.close()


class Boards(Protocol):
    """How a door finds, makes and checks boards without knowing files or stores."""

    def open(self, place: str | None) -> Application: ...
    def pause(self, seconds: float) -> None: ...
    def create(self, folder: str, preset: str) -> Application: ...
    def check(
        self, place: str | None, flow: str | None, moves: dict[str, str] | None = None, speaker: Speaker = ...
    ) -> "Checked": ...
    def work(
        self,
        board: Application,
        *,
        slots: int | None,
        agents: list[str],
        until_idle: bool,
        tell: Callable[[Any], None],
        begin: Callable[[dict[str, Any]], None],
    ) -> dict[str, Any]: ...
    def salvage(self, board: Application, run: str | None, branch: str | None) -> dict[str, Any]: ...
    def unable(self, flow: Flow) -> dict[str, str]: ...
    def demo(self, *, ask: bool, on_stderr: bool) -> dict[str, Any]: ...
    def simulate(self, place: str | None, wish: "Wish") -> dict[str, Any]: ...


class Checked:
    """A flow that has no faults: its name, and what became of it."""

    def __init__(
        self,
        path: str,
        name: str,
        version: int | None,
        taken_in: bool,
        warnings: list[str],
        ladders: str | None = None,
    ) -> None:
        self.path = path
        self.name = name
        self.version = version
        self.taken_in = taken_in
        self.warnings = warnings
        self.ladders = ladders  # the file whose ladders are used in place of the flow's own


class Wish(Struct, frozen=True, kw_only=True):
    """What is to be tried out: which flow, with whom, how often."""

    flow: str | None = None  # a file
    preset: str | None = None  # without either: the board's own flow, or kanban where there is no board
    population: str | None = None  # a file
    seeds: list[int]
    items: int | None = None
    slots: int | None = None
