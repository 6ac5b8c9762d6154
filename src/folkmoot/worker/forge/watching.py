"""Looks how what was proposed stands: one question for all of it, now and then; the rules decide what follows."""

from collections.abc import Callable
from typing import Literal

from msgspec.structs import replace

from folkmoot.core.commands import ENGINE
from folkmoot.core.enums import ENGINE_NAME
from folkmoot.core.flow import Flow
from folkmoot.core.proposals.orders import PausePool, SeeProposal, TellMerge
from folkmoot.core.proposals.proposal import Proposal, Seen
from folkmoot.errors import MootError
from folkmoot.worker.forge.port import POOL, Forge, ForgeAway, ForgeLimited, ForgeRefused
from folkmoot.worker.forge.turns import Turns
from folkmoot.worker.ports import WorkerEvent
from folkmoot.worker.tools import Tools
from folkmoot.worker.workspaces import GitWorkspaces

FORGE_SECONDS = 60.0
CALLED_SECONDS = 20.0  # at least between two questions, however often the forge calls


class ForgeWatch:
    """`wall` is the time of day."""

    def __init__(self, tools: Tools, turns: Turns, wall: Callable[[], float]) -> None:
        self._tools = tools
        self._turns = turns
        self._wall = wall
        self._told = ""

    def look(self, *, now: bool = False, called: bool = False) -> bool:
        """Ask, if it is time; it is sooner where the forge has called. False: nothing was asked."""
        try:
            return self._look(0.0 if now else CALLED_SECONDS if called else FORGE_SECONDS)
        except MootError as error:
            self._tell(error.message)
        except OSError as error:
            self._tell(f"the forge was not asked: {error.strerror or error}")
        return False

    def rest(self) -> float:
        """How long a call of the forge's is let lie, so that many of them are one question."""
        since = self._turns.since()
        return max(0.0, CALLED_SECONDS - since) if since is not None else 0.0

    def _look(self, seconds: float) -> bool:
        queries, workspaces = self._tools.application.queries, self._tools.workspaces
        flow = queries.flow()
        if not flow.proposes or not isinstance(workspaces, GitWorkspaces):
            return False
        proposals = queries.proposals()
        paused = any(pause.what.endswith(POOL) for pause in queries.pauses().pauses)
        if not proposals or paused:
            return False
        with self._turns.turn(workspaces.home, seconds) as is_turn:
            if is_turn:
                self._ask(flow, workspaces, proposals)
        return is_turn

    def _ask(self, flow: Flow, workspaces: GitWorkspaces, proposals: dict[str, Proposal]) -> None:
        forge: Forge = self._tools.forge_of(flow)
        try:
            if merged := self._looked(forge, flow, workspaces, proposals):
                self._looked(forge, flow, workspaces, merged)
        except ForgeLimited as limited:
            self._pause(limited.seconds, limited.details["why"])
            return
        if forge.rests is not None:
            self._pause(forge.rests, "the rest of this hour's limit is for you")

    def _looked(
        self, forge: Forge, flow: Flow, workspaces: GitWorkspaces, proposals: dict[str, Proposal]
    ) -> dict[str, Proposal]:
        """Gives those that the forge was asked to merge, and has."""
        found = forge.state(list(proposals.values()), flow.target)
        self._told = ""
        merged = {}
        for item, proposal in proposals.items():
            seen = found.get(proposal.number)
            if seen is not None and seen.no_commit:
                self._tell(f"item {item}: the forge tells of a commit that is none: {seen.no_commit[:60]!r}")
            elif seen is not None:
                self._take_in(flow, workspaces, item, seen)
                if self._merge(forge, flow, item, proposal, seen):
                    merged[item] = proposal
        return merged

    def _merge(self, forge: Forge, flow: Flow, item: str, proposal: Proposal, seen: Seen) -> bool:
        """Where the flow asks for it and the picture shows it: a kill before or after it is seen by the next look."""
        queries, engine = self._tools.application.queries, self._tools.application.engine
        if not queries.is_to_be_merged(item, seen, round(self._wall() * 1000)):
            return False
        became: Literal["merged", "queued", "refused"]
        why = ""
        self._tools.step("merging", item)
        try:
            became = forge.merge(proposal, flow.target, queues=seen.queues)
        except ForgeRefused as error:
            became, why = "refused", str(error.details.get("why") or error.message)
        except ForgeLimited:
            raise
        except ForgeAway as error:
            self._tell(f"item {item}: {error.message}")
            return False
        self._tools.step("merged", item)
        engine.act(ENGINE, TellMerge(seen=seen, became=became, why=why), item)
        return became == "merged"

    def _take_in(self, flow: Flow, workspaces: GitWorkspaces, item: str, seen: Seen) -> None:
        """Each for itself: what is wrong with one keeps no other waiting."""
        try:
            if seen.state == "merged":
                seen = replace(seen, holds=self._holds(workspaces, flow.target, seen.merged))
            self._tools.application.engine.act(ENGINE, SeeProposal(seen=seen), item)
            self._tools.step("seen", item)
            if seen.holds and seen.merged is not None:
                with workspaces.landing.alone():
                    followed = workspaces.landing.follow(flow.target, seen.merged)
                words = f"landed on {flow.target}: its pull request was merged"
                event = WorkerEvent(
                    "landed", "", item, "", ENGINE_NAME, f"{words}. {followed.note}".strip(". "), None, True
                )
                self._tools.tell(event)
        except MootError as error:
            self._tell(f"item {item}: {error.message}")

    def _holds(self, workspaces: GitWorkspaces, target: str, commit: str | None) -> bool:
        """By git's own word: the target branch has it."""
        repository = workspaces.repository
        remote = repository.base_now()
        tip = remote.branch(target) if remote is not None else None
        return bool(tip and commit and repository.kept(commit) and repository.contains(tip, commit))

    def _pause(self, seconds: float, why: str) -> None:
        self._tools.application.engine.on_board(ENGINE, PausePool(pool=POOL, seconds=seconds, why=why))

    def _tell(self, words: str) -> None:
        """What goes on is told once."""
        if words != self._told:
            self._tools.tell(WorkerEvent("fault", "", "", "", ENGINE_NAME, words, good=False))
        self._told = words
