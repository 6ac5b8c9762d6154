"""Somebody whom a door has let in. The door says who it is; no call ever does."""

from typing import Literal

from msgspec import Struct

from folkmoot.core.enums import Role
from folkmoot.core.vocabulary.actor import Actor

By = Literal["process", "token", "browser", "run"]


class Caller(Struct, frozen=True):
    role: Role
    actor: Actor
    by: By = "process"  # what they are known by: the process itself, or what they have shown
    cloned: bool = False  # a run that works in a clone that was made for it
    ended: bool = False  # a run that is over: what it says is answered, and it sees nothing more

    @property
    def name(self) -> str:
        return self.actor.name
