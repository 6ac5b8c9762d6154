"""What an actor asks of the board, and what it hears back."""

from collections.abc import Callable

import msgspec
from msgspec import Struct

from folkmoot.core import commands
from folkmoot.core.commands import Actor, Command
from folkmoot.core.flow import LANDING
from folkmoot.engine.engine import Engine
from folkmoot.engine.steering import calls as steering
from folkmoot.errors import MootError

BY_RUNS = (
    commands.RenewRun,
    commands.NoteSetup,
    commands.ReleaseRun,
    commands.ReportRun,
    commands.OfferReport,
    commands.WidenRun,
    commands.PauseRun,
    commands.StopRun,
    commands.RecordLanding,
)
ON_BOARD = (commands.StopBoard, commands.ResumeBoard)


class Order(Struct, frozen=True):
    """One command as a door would hand it to the engine."""

    actor: Actor
    command: Command
    item: str | None = None
    column: str | None = None
    key: str | None = None

    def words(self) -> bytes:
        """For the trace: the same order always gives the same bytes, also if it holds what no store could keep."""
        told = (self.actor, type(self.command).__name__, self.item, self.column, self.key)
        try:
            return msgspec.json.encode((told, self.command))
        except (UnicodeEncodeError, OverflowError, ValueError):
            return repr((told, self.command)).encode("utf-8", "surrogatepass")


class Taken(Struct, frozen=True):
    """It was taken, and nothing more is told."""


class Answer(Struct, frozen=True):
    """A view, or a refusal, or nothing: then the actor cannot know whether it happened."""

    view: Struct | None = None
    error: MootError | None = None

    @property
    def lost(self) -> bool:
        return self.view is None and self.error is None

    @property
    def code(self) -> str:
        return self.error.code if self.error else ""

    def words(self) -> bytes:
        return msgspec.json.encode(self.view if self.error is None else self.error.as_json())


def carry_out(engine: Engine, order: Order, move: Callable[[str], None]) -> Struct:
    """`move` is git: it brings a commit onto the branch."""
    actor, command, key = order.actor, order.command, order.key
    if isinstance(command, commands.AddItem | commands.DispatchAgent):
        return engine.add(actor, command, key)
    if isinstance(command, commands.AnswerQuestion):
        return engine.answer(actor, command, key)
    if isinstance(command, commands.ClaimItem):
        return engine.claim(
            actor,
            command.agent,
            column=order.column,
            item=order.item,
            lease=command.lease or None,
            worker=command.worker,
            key=key,
        )
    if isinstance(command, commands.TakeOver):
        return steering.take(engine, actor, order.item or "", key)
    if isinstance(command, commands.HearPeople):
        return steering.hear(engine, actor)
    if isinstance(command, commands.LockPaths | commands.UnlockPaths):
        return engine.lock(actor, command, key)
    if isinstance(command, commands.SendMessage):
        return engine.send(actor, command, key)
    if isinstance(command, commands.AcceptMessage | commands.CompleteMessage | commands.RejectMessage):
        return engine.on_message(actor, command, key)
    if isinstance(command, ON_BOARD):
        return engine.on_board(actor, command)
    if isinstance(command, commands.ReportRun) and actor.name == LANDING:
        return engine.land(actor, command, move, key)
    if isinstance(command, BY_RUNS):
        # A worker that only wants to know whether it was taken is not shown the item.
        if key is not None:
            return engine.handle_run(actor, command, key)
        engine.act(actor, command)
        return Taken()
    return engine.handle_item(actor, order.item or "", command, key)
