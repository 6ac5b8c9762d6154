"""Who speaks to the board: a person, a run, a file, or the rules themselves."""

from msgspec import Struct

from folkmoot.core.enums import ENGINE_NAME, ActorKind


class Actor(Struct, frozen=True, gc=False):
    """Who speaks: a person, or a run with its fencing token. Or a file, under the name of an agent that wrote it."""

    name: str
    run: str | None = None
    token: int | None = None
    file: bool = False  # it stands in a file that any agent can write: it never decides for a person
    engine: bool = False  # the rules themselves, or what time has made due

    @property
    def kind(self) -> ActorKind:
        return "run" if self.run is not None else "engine" if self.engine else "file" if self.file else "person"

    @property
    def is_person(self) -> bool:
        return self.run is None

    @property
    def may_decide(self) -> bool:
        return self.is_person and not self.file


ENGINE = Actor(ENGINE_NAME, engine=True)
