"""The run of an agent that nobody here started: its clone, the harvest and the report, as a worker's run has them.

It counts like any run of its agent: what it changed is judged by the agent's rights, and a person's rights are none of
it.
"""

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from msgspec import to_builtins

from folkmoot.core.commands import ReleaseRun, RenewRun, ReportRun
from folkmoot.core.decoding import converted
from folkmoot.core.report import Report
from folkmoot.core.work import Work
from folkmoot.engine.run_context import is_fresh
from folkmoot.errors import Invalid, Refused
from folkmoot.worker.clients.own_settings import with_settings
from folkmoot.worker.git.planted import take_planted_away
from folkmoot.worker.jobs import teardown
from folkmoot.worker.jobs.by_hand import HandJob
from folkmoot.worker.jobs.preparing import set_up
from folkmoot.worker.jobs.saying import spooled
from folkmoot.worker.logins.placing import read_files
from folkmoot.worker.workspaces import SET_ASIDE, GitWorkspaces, disown, own

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from folkmoot.api.views import ItemView

UNFINISHED = "(the run was not finished)"


class OutsideJob(HandJob):
    _asked: ReportRun | None = None  # the report as it came
    _key: str | None = None
    _view: "ItemView | None" = None  # the item after its report
    _work: Work | None = None  # what it changed

    # Beginning

    def ready(self) -> tuple[str, str | None]:
        """The clone, made and set up as a worker makes it; gives the prompt, and the commit that it begins with. A
        clone that is there is left as it is."""
        self.tools.step("prepare", self.run)
        workspaces, context = self.tools.workspaces, self.assignment.run_context
        assert isinstance(workspaces, GitWorkspaces)
        if not self.is_made:
            if os.path.isdir(self.paths.workspace):
                workspaces.remove(self.paths)  # a clone that was not finished was never worked in
            at = workspaces.make(self.paths, context, None)
            self.tools.step("cloned", self.run)
            self._make_ready(at, landed=is_fresh(context))
            # Its agent has the rights of whoever started it: what git would run there must not be another agent's.
            take_planted_away(workspaces.repository, self.paths, at)
        base = self._said_base()
        self._began = workspaces.began(context, base)
        prompt = spooled(self.paths, self.assignment.brief, self._began)["prompt"]
        self.tools.step("ready", self.run)
        self._mark_ready()
        disown(self.paths)  # from now on it is its agent's, for as long as the lease lasts
        return prompt, base

    def _make_ready(self, commit: str | None, *, landed: bool) -> None:
        agent = self.flow.agents[self.agent]
        obeyed = self.tools.catalogue.obeyed_by_any()  # nobody knows by which client it is
        try:
            set_up(self, self.flow, agent.setup, agent.network, commit, landed=landed, obeyed=obeyed)
        finally:
            self._ports.close()  # they are the process's that has them, and the agent outlives it

    def undo(self) -> None:
        """No clone could be made: the item is given back, and nothing of the clone stays."""
        with suppress(Refused):  # the board has it already
            self.tools.application.engine.act(self.actor, ReleaseRun())
        self.clear_away()

    def why_cut(self) -> str:
        """Why its setup was ended before its time; empty if it was not."""
        if self.timers.ending == "lost":
            return "its lease was over before the clone was ready"
        return f"its setup was ended ({self.timers.ending})" if self.timers.ending else ""

    # Ending

    def hand_over(self, asked: ReportRun, key: str | None) -> "ItemView":
        """Report with what was changed, as a worker does. What is refused leaves run and clone as they are."""
        self._asked, self._key = asked, key
        context = self.assignment.run_context
        with self._being_taken_in():
            base = self._said_base()
            said: Report = converted(self.redactor.clean_value(to_builtins(asked.report)), Report)
            fault = asked.fault and self.redactor.clean(asked.fault)
            self.tools.step("harvest", self.run)
            self._work, lost = self._harvested(context, base, said)
            self.tools.step("submit", self.run)
            self._hand_in(context, said, fault, self._work, lost)
        assert self._view is not None, "it was handed in"
        self._goes()
        return self._view

    def give_up(self, key: str | None) -> "ItemView":
        message = f"{self.title}\n\n{UNFINISHED}"
        with self._being_taken_in():
            self._work, _ = self._harvest(self.assignment.run_context, self._said_base(), message)
            self.tools.step("submit", self.run)
            view = self.tools.application.engine.handle_run(self.actor, ReleaseRun(), key)
        self._goes()
        return view

    @contextmanager
    def _being_taken_in(self) -> "Iterator[None]":
        """Nobody else sees to the clone meanwhile. What is not taken leaves the agent its clone, also where that had
        been put aside for its size."""
        own(self.paths)
        try:
            self.tools.application.engine.act(self.actor, RenewRun())  # it may take a while
            self.know_secrets()
            yield
        except BaseException:
            if self._work is not None and self._work.aside is not None:
                os.rename(os.path.join(self.tools.workspaces.home, SET_ASIDE, self.run), self.paths.workspace)
            disown(self.paths)
            raise
        self.tools.step("submitted", self.run)

    def report(self, report: Report, *, move: "Callable[[str], None] | None" = None, **seen: Any) -> "ItemView":
        """Once: its agent is there to say it better, or again."""
        assert self._asked is not None
        told = ReportRun(report=report, final=self._asked.final, **seen)
        engine = self.tools.application.engine
        self._view = engine.handle_run(self.actor, told, self._key, asked=self._asked)
        return self._view

    def know_secrets(self) -> None:
        """What must not land, and must not be told: of this process's environment, of the client that the flow names
        for the agent, and of the user's files that the clone got."""
        home = self.tools.env.get("HOME", "")
        self.included = self.tools.workspaces.include(self.paths, before=True)
        self.redactor = self.knowing()
        with suppress(Invalid):  # nobody starts that client here
            start = self.tools.catalogue.resolve(self.flow, self.flow.agents[self.agent], self.model)
            if start is not None:
                start = with_settings(start, home)
                login = read_files(start.files, home, start.keeps_refresh)
                self.redactor = self.knowing(start.env, login.texts, start.set)

    def _goes(self) -> None:
        teardown.after(self, self.flow.agents[self.agent].network, lambda: False)
        self.clear_away()
