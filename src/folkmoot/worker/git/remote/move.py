"""A landing on the remote: its branch moves by the remote's own compare-and-swap; the user's own branch follows."""

from typing import TYPE_CHECKING

from folkmoot.errors import Refused
from folkmoot.worker.git.remote.remote import RemoteAway, RemoteRefused
from folkmoot.worker.git.swap import NotMoved, Stale

if TYPE_CHECKING:
    from folkmoot.worker.git.landing import Landing, Moved
    from folkmoot.worker.git.remote.remote import Remote
    from folkmoot.worker.git.repository import Repository


class RemoteMove:
    """One move of one branch of the remote, whose objects are there already. Its steps are those of `Move`."""

    note = ""

    def __init__(self, repository: "Repository", remote: "Remote", local: "Landing", branch: str, new: str) -> None:
        self._repository = repository
        self._remote = remote
        self._local = local
        self.branch = branch
        self._new = new
        self._old: str | None = None
        self._made = False
        self._refusal: Refused | None = None

    def plan(self, old: str | None) -> "RemoteMove":
        """Look whether it may be made: from where the work was merged with, and by what git takes for safe."""
        if self._remote.branch(self.branch) != old or (old and not self._repository.contains(self._new, old)):
            words = "{branch} of the remote has moved on since it was merged with."
            raise Stale("stale_target", words, "Merge with its tip again.", self.branch)
        self._repository.give(self._new)
        self._old, self._made = old, old == self._new
        return self

    def ready(self) -> None:
        """Nothing is begun ahead: a push is one conversation."""

    def make(self, commit: str) -> None:
        """The last word, inside the transaction that takes in the landing. Short: only the name of a commit goes."""
        if commit != self._new:
            words = "{branch} was to move to {new}, not to {commit}."
            raise NotMoved("other_commit", words, "", self.branch, self._new, commit)
        if self._made:
            return
        try:
            self._remote.swap(self.branch, self._old, self._new)
        except (RemoteAway, RemoteRefused) as error:
            self._refusal = error if isinstance(error, Refused) else None
            words = "the remote did not say that it moved {branch}: {why}"
            raise NotMoved("branch_not_moved", words, "", self.branch, error.message) from error
        self._made = True

    def look(self) -> None:
        """After the remote did not say that it moved the branch: did it? Raises where it did not."""
        at = self._remote.branch(self.branch)
        if at is not None and (at == self._new or self._repository.contains(at, self._new)):
            self._made = True
        elif at != self._old:
            words = "{branch} of the remote moved while it was landed on."
            raise Stale("stale_target", words, "Merge with its tip again.", self.branch)
        elif self._refusal is not None:
            raise self._refusal
        else:
            words = "the remote has not moved {branch} yet"
            raise RemoteAway("remote_away", words, "", self.branch)

    def drop(self) -> None:
        """Nothing is held."""

    def bring_along(self) -> "Moved":
        return self._local.follow(self.branch, self._new)
