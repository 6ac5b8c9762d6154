"""The one step in which a branch of the user's moves: by compare-and-swap, ready before it is needed, and short.

All that takes time is done before: git has been started and told what to do, and waits for a last word. That word is
given inside the transaction in which the board takes in the landing, so it is waited for only a few seconds there.
Whoever dies in between hangs up, and a git that nobody speaks to any more moves nothing and takes away its lock.
"""

from typing import TYPE_CHECKING

from folkmoot.errors import Refused, Unavailable
from folkmoot.worker.git.refs import where

if TYPE_CHECKING:
    from folkmoot.worker.git.repository import Repository
    from folkmoot.worker.ports import Talk

START_SECONDS = 60.0  # nobody waits for it
STEP_SECONDS = 2.5  # for each of two steps, while nobody else can write to the board


class Stale(Refused):
    """The branch is not where the caller saw it. Merge again with its tip; nothing was changed."""


class NotMoved(Refused):
    """Git did not say that it moved the branch. `Swap.look` tells what is so."""


class TreeChanged(NotMoved):
    """Nothing moved: git was at work in a tree that the branch is checked out in. Look at it again."""


class Swap:
    """One move of one branch. `make` may be called again after it succeeded, and then does nothing."""

    def __init__(self, repository: "Repository", branch: str, old: str | None, new: str, why: str) -> None:
        self._repository = repository
        self.branch, self.old, self.new = branch, old, new
        self._why = why
        self._ref = f"refs/heads/{branch}"
        self._talk: Talk | None = None
        self._words = ""
        self.made = old == new

    def ready(self) -> None:
        """Have git wait for the last word."""
        if self.made:
            return
        user = self._repository.user.common
        self._talk = self._repository.git.talk("update-ref", "-m", self._why, "--stdin", git_dir=user)
        # Without `start` git would do what it was told when nobody speaks to it any more; with it, it does not.
        if not self._told("start", START_SECONDS):
            self._give_up()
            words = "git did not begin to move {branch}: {why}"
            raise Unavailable("git_failed", words, "", self.branch, self._words or "no words")
        self._talk.say(f"update {self._ref} {self.new} {self.old or self._repository.none}")

    def make(self, commit: str) -> None:
        """The last word. Git takes the branch's lock, looks at where it is, and moves it, within a few seconds."""
        if commit != self.new:
            words = "{branch} was to move to {new}, not to {commit}."
            raise NotMoved("other_commit", words, "", self.branch, self.new, commit)
        if self.made:
            return
        if not (self._told("prepare", STEP_SECONDS) and self._told("commit", STEP_SECONDS)):
            # Ended before this transaction is: what it has not moved by then, it never moves.
            self._give_up()
            words = "git did not move {branch}: {why}"
            raise NotMoved("branch_not_moved", words, "", self.branch, self._words or "no words")
        self.made = True

    def look(self) -> None:
        """After git did not say that it moved the branch: did it? Raises where it did not."""
        self.drop()
        at = where(self._repository, self._ref)
        if at == self.new:
            self.made = True
        elif at != self.old:
            words = "{branch} moved while it was landed on."
            raise Stale("stale_target", words, "Merge with its tip again.", self.branch)
        else:
            words = self._words or "git did not answer in time"
            raise Unavailable(
                "branch_stuck",
                "{branch} cannot be moved: {words}",
                "See what holds git up there. If no git is running and a file ends in .lock, remove that file.",
                self.branch,
                words,
            )

    def drop(self) -> None:
        """Let git go. What was not made is not made any more."""
        talk, self._talk = self._talk, None
        if talk is not None:
            self._words = talk.end()[1] or self._words

    def _told(self, word: str, seconds: float) -> bool:
        talk = self._talk
        return talk is not None and talk.say(word) and talk.hear(seconds) == f"{word}: ok"

    def _give_up(self) -> None:
        talk, self._talk = self._talk, None
        if talk is not None:
            self._words = talk.end(now=True)[1] or self._words
