"""What a worker gets from a claim: all that it needs to begin the run, as of the transaction that made it."""

from msgspec import Struct

from folkmoot.api.views import Data
from folkmoot.core.commands import Actor
from folkmoot.core.flow import Flow
from folkmoot.engine.run_context import RunContext


class Assignment(Struct, frozen=True, kw_only=True):
    run: str
    token: int
    agent: str
    model: str | None
    flow: Flow  # the one it was claimed under
    brief: Data
    run_context: RunContext  # how its item stands, and where its work begins

    @property
    def actor(self) -> Actor:
        return Actor(self.agent, self.run, self.token)
