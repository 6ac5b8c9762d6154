"""Pools that wait for a login go on when the user's file is good again, or another: nobody need answer then."""

from contextlib import suppress

from folkmoot.core.commands import Actor, ResumeBoard
from folkmoot.core.flow import RUNG_ESCALATE, Flow
from folkmoot.core.rules.running.budgets import POOL
from folkmoot.errors import MootError
from folkmoot.worker.clients.own_settings import with_settings
from folkmoot.worker.logins.expiry import is_over
from folkmoot.worker.logins.placing import Files, read_files
from folkmoot.worker.tools import Tools

LOOK_SECONDS = 5.0


class Logins:
    """Looks now and then whether a pool that waits for its login can go on."""

    def __init__(self, tools: Tools, actor: Actor) -> None:
        self._tools = tools
        self._actor = actor
        self._at = 0.0
        # With these files a pool was let go on. If it pauses again they were not what it needs.
        self._tried: dict[str, list[Files]] = {}
        self._seen: set[tuple[str, str | None]] = set()  # pauses, by their pool and since when

    def look(self, flow: Flow) -> None:
        if self._tools.now() < self._at:
            return
        self._at = self._tools.now() + LOOK_SECONDS
        with suppress(MootError):  # the store cannot be reached, or another worker was quicker: the next look tells
            self._look(flow)

    def _look(self, flow: Flow) -> None:
        application = self._tools.application
        for pause in application.queries.pauses().pauses:
            if pause.cause != "environment":
                continue
            pool = pause.what.removeprefix(POOL)
            files = self._renewed(flow, pool)
            if not pause.login and (pool, pause.since) not in self._seen:
                # With these files it has failed: the client was refused though they seem good.
                self._seen.add((pool, pause.since))
                self._tried[pool] = files
            if files and files != self._tried.get(pool):
                self._tried[pool] = files
                application.engine.on_board(self._actor, ResumeBoard(pool=pool))

    def _renewed(self, flow: Flow, pool: str) -> list[Files]:
        """The files of the clients that use the pool; none while one of their logins is over."""
        tools, found = self._tools, []
        now = tools.application.engine.clock.wall() / 1000
        for agent in flow.agents.values():
            rungs: list[str | None] = [rung.model for rung in agent.ladder if rung.model != RUNG_ESCALATE]
            for model in [model for model in rungs or [None] if flow.pool(agent.name, model) == pool]:
                start = tools.catalogue.resolve(flow, agent, model)
                if start is None or not start.files:
                    continue
                start = with_settings(start, tools.env.get("HOME", ""))
                files = read_files(start.files, tools.env.get("HOME", ""), start.keeps_refresh)
                if is_over(start, files, tools.env, now):
                    return []
                found.append(files)
        return found
