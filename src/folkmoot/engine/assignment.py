"""What a worker gets from a claim: all that it needs to begin the run, as of the transaction that made it."""

from msgspec import Struct

from folkmoot.api.views import Data
from folkmoot.core.commands import Speaker
from folkmoot.core.flow import Flow
from folkmoot.engine.standing import Standing


class Assignment(Struct, frozen=True, kw_only=True):
    run: str
    token: int
    agent: str
    model: str | None
    flow: Flow  # the one it was claimed under
    brief: Data
    standing: Standing  # how its item stands, and where its work begins

    @property
    def speaker(self) -> Speaker:
        return Speaker(self.agent, self.run, self.token)
