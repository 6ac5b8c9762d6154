"""Where an agent from outside works: what the engine asks of whoever has files, git and processes."""

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from folkmoot.api.views import ClaimView, ItemView
    from folkmoot.core.commands import Actor, ReportRun


class Workplace(Protocol):
    """Makes clones for runs whose agents nobody here starts, and takes in what was changed there."""

    def prepare(self, claim: "Callable[[str], ClaimView]") -> "ClaimView":
        """Claim by `claim`, which gets the name of whoever prepares, and make the clone. Where no clone could be made
        at all, nothing is claimed; where making it fails, the item is given back, and the error says why."""

    def cleaned(self, actor: "Actor", value: Any) -> Any:
        """Plain values as the run may say them: without the secrets that it was given with its clone, or that this
        process has."""

    def submit(self, actor: "Actor", command: "ReportRun", key: str | None) -> "ItemView":
        """Report with what was changed in the clone. What is refused leaves run and clone as they are."""

    def give_up(self, actor: "Actor", key: str | None) -> "ItemView":
        """Give the item back. What was changed is kept, as that of a run that was interrupted."""
