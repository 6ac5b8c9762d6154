"""Any other forge: a command of the user's, which is asked by one JSON object and answers by one."""

import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeVar

import msgspec
from msgspec.structs import replace

from folkmoot.core.proposals.proposal import Proposal, Seen
from folkmoot.errors import Unavailable
from folkmoot.system import git
from folkmoot.system.forge.graph import cut
from folkmoot.worker.forge.port import ForgeAway, ForgeLimited, ForgeRefused, Pulled, Wish

SECONDS = 60.0
LONGEST_SECONDS = 3_600.0
BYTES_MAX = 32_000_000
WORDS_MAX = 300
REFUSED, LIMITED, AWAY = "refused", "limited", "away"
Answer = TypeVar("Answer")


class Stands(msgspec.Struct):
    """How pull requests stand, by their numbers, and for how many seconds it is better not asked again."""

    proposals: dict[str, Seen]
    rests: float | None = None


class Merged(msgspec.Struct):
    became: Literal["merged", "queued"]


class Until:
    """The bounds of one question."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        left = self._end - time.monotonic()
        if left <= 0:
            raise Unavailable("forge_away", "it does not answer in time")
        return left

    def more(self, seconds: float) -> None:
        """A question is one question, however much there is to say."""


class Spoken:
    """`command` is found already; `env` is what it gets of the user's environment, and `folder` where it is started."""

    def __init__(self, command: Sequence[str], folder: str, env: Mapping[str, str]) -> None:
        self._command, self._folder, self._env = list(command), folder, dict(env)
        self.program = self._command[0]
        self.rests: float | None = None

    def propose(self, wish: Wish) -> Pulled:
        asked = {"branch": wish.branch, "base": wish.base, "title": wish.title, "body": wish.body, "draft": wish.draft}
        return self._asked("propose", asked, Pulled)

    def state(self, proposals: Sequence[Proposal], base: str) -> dict[int, Seen]:
        told = self._asked("state", {"base": base, "proposals": [_named(one) for one in proposals]}, Stands)
        self.rests = None if told.rests is None else _span(told.rests)
        found = {str(one.number): one.number for one in proposals}
        return {found[name]: _as_told(seen) for name, seen in told.proposals.items() if name in found}

    def merge(self, proposal: Proposal, base: str, *, queues: bool) -> Literal["merged", "queued"]:
        return self._asked("merge", {**_named(proposal), "base": base, "queues": queues}, Merged).became

    def _asked(self, what: str, more: Mapping[str, Any], kind: type[Answer]) -> Answer:
        told = self._said(msgspec.json.encode({"version": 1, "ask": what, **more}))
        if isinstance(told, dict) and (error := told.get("error")) is not None:
            raise _error(str(error), what, told)
        try:
            answer: Answer = msgspec.convert(told, kind)
        except msgspec.ValidationError as error:
            raise _away(f"it answers to {what} in no good form: {error}") from error
        return answer

    def _said(self, asked: bytes) -> Any:
        """What it prints beside its answer is shown to nobody: it may hold a secret of its own."""
        try:
            ran = git.run_bound(self._command, self._folder, self._env, asked + b"\n", Until(SECONDS))
        except Unavailable as error:
            raise _away(
                "it cannot be started, or says too much" if error.code == "git_failed" else error.message
            ) from error
        if len(ran.out) > BYTES_MAX:
            raise _away("it answers with too much")
        try:
            return msgspec.json.decode(ran.out)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            ended = f" and ends with {ran.code}" if ran.code else ""
            raise _away(f"it answers no JSON{ended}") from error


def _named(one: Proposal) -> dict[str, Any]:
    return {"number": one.number, "node": one.node, "branch": one.branch, "commit": one.commit}


def _as_told(seen: Seen) -> Seen:
    """That the target branch has it is git's word alone, and what is the board's own is known by its mark."""
    said = [replace(one, text=cut(one.text)) for one in seen.said]
    checks = [replace(one, words=cut(one.words)) for one in seen.checks]
    return replace(seen, holds=False, said=said, checks=checks)


def _error(error: str, what: str, told: Mapping[str, Any]) -> ForgeAway | ForgeRefused:
    why = cut(told.get("why") or "it says no more")[:WORDS_MAX]
    if error == LIMITED:
        seconds = told.get("seconds")
        return ForgeLimited(_span(seconds if isinstance(seconds, int | float) else SECONDS), why)
    if error == REFUSED:
        return ForgeRefused("forge_refused", "the forge does not {what} it: {why}", "", what, why)
    return _away(why if error == AWAY else f"it answers with an error that is none: {cut(error)[:WORDS_MAX]}")


def _away(why: str) -> ForgeAway:
    return ForgeAway("forge_away", "the command for the forge cannot be asked: {why}", "", why[:WORDS_MAX])


def _span(seconds: float) -> float:
    return min(max(seconds, 1.0), LONGEST_SECONDS) if seconds == seconds else SECONDS
