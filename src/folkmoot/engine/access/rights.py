"""What each role may call, and what a run may see of it: one place for every door that knows who calls.

The rules look at the actor once more; this is before them, and denies what nobody has allowed.
"""

from typing import TYPE_CHECKING, Any, TypeVar, cast

from msgspec.structs import replace

from folkmoot.api.call import ROLES, Call, Role
from folkmoot.api.pages import LiveRuns
from folkmoot.api.requests import AddComment, Claim, ReadOutput, Request, ShowFlow
from folkmoot.api.screen import BoardView, Me, ShowChange
from folkmoot.api.views import LiveRun
from folkmoot.engine.access.shareable import shareable
from folkmoot.engine.registry import BY_REQUEST, Calls
from folkmoot.errors import Refused

if TYPE_CHECKING:
    from folkmoot.core.commands import Actor
    from folkmoot.core.flow import Flow
    from folkmoot.engine.application import Application

Answer = TypeVar("Answer")


def not_in_a_run(what: str) -> Refused:
    words = "{what} is not for the processes of a run"
    hint = "do your item's work and report; what else is needed, say in the report"
    return Refused("not_in_a_run", words, hint, what)


class RoleCalls(Calls):
    """The calls that a role may make on an open board, in the name of one actor."""

    def __init__(self, board: "Application", actor: "Actor", role: Role) -> None:
        super().__init__(board, actor)
        self._role = role

    def check(self, call: Call) -> None:
        """Refuses what the role may not call."""
        if call.allows(self._role):
            return
        if self._role != "run":
            words = "{call} is not for the role {role}"
            may = [role for role in ROLES if call.allows(role)]
            raise Refused("not_for_role", words, "it is for: {may}", call.name, self._role, may)
        if call.request is Claim:
            words = "run {run} works on item {item}, and takes no other"
            raise Refused("inside_a_run", words, "report it first", self._actor.run, self._own_item())
        words = "{call} is for people, not for runs"
        raise Refused("only_people", words, "report asks, and a person will decide", call.name)

    def __call__(self, request: Request[Answer], key: str | None = None) -> Answer:
        request = self._checked(request)
        answer = super().__call__(request, key)
        if self._role in ("run", "observer") and isinstance(request, ShowFlow):
            # What programs of agents get into their environment is for people; a browser's cookie looks as an observer.
            return cast("Answer", shareable(cast("Flow", answer)))
        if isinstance(answer, Me):
            return cast("Answer", replace(answer, role=self._role))
        if self._role == "run" and isinstance(answer, BoardView | LiveRuns):
            return cast("Answer", replace(answer, runs=[self._unheard(run) for run in answer.runs]))
        if self._role == "run" and isinstance(answer, LiveRun):
            return cast("Answer", self._unheard(answer))
        return answer

    def _unheard(self, run: LiveRun) -> LiveRun:
        """What another run prints is nobody else's business either."""
        return run if run.run == self._actor.run else replace(run, doing=None)

    def tell(self, request: Request[Any], key: str | None = None) -> None:
        super().tell(self._checked(request), key)

    def _checked(self, request: Request[Answer]) -> Request[Answer]:
        self.check(BY_REQUEST[type(request)])
        if self._role == "run":
            if isinstance(request, ReadOutput) and request.run != self._actor.run:
                raise not_in_a_run("reading what another run printed")
            if isinstance(request, ShowChange) and request.item.removeprefix("#") != self._own_item():
                raise not_in_a_run("looking at the change of another item")
            if isinstance(request, AddComment) and request.item is None:
                return cast("Request[Answer]", replace(request, item=self._own_item()))
        return request

    def _own_item(self) -> str | None:
        run = self._board.engine.store.read(lambda reading: reading.run(self._actor.run or ""))
        return run.item if run is not None else None
