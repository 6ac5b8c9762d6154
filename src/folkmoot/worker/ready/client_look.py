"""A look at one client: installed, complete, signed in, answering where its runs would start it."""

import os
import re
from collections.abc import Callable

from msgspec import Struct

from folkmoot.api.machine import Look, LookState
from folkmoot.core.flow import RUNG_ESCALATE, Flow
from folkmoot.errors import MootError
from folkmoot.worker.clients.catalogue import Catalogue, Known, Start
from folkmoot.worker.clients.own_settings import with_settings
from folkmoot.worker.logins.placing import read_files
from folkmoot.worker.logins.signed_in import signed_in
from folkmoot.worker.ready.addresses import Answers, unanswered
from folkmoot.worker.ready.trial import AnswerTrial, try_out
from folkmoot.worker.startable import missing
from folkmoot.worker.tools import Tools

VERSION = re.compile(r"\d+\.\d+(?:\.\d+)?[\w.-]*")
APPLY = "then moot apply"


class Used(Struct, frozen=True):
    """A client, and the agents that are started with it."""

    start: Start
    known: Known | None
    agents: list[str]

    @property
    def program(self) -> str:
        """What is started in the end: behind our driver, where it drives it."""
        argv = self.start.argv
        return argv[argv.index("--") + 1] if self.start.acp and "--" in argv else argv[0]


def used_by(catalogue: Catalogue, flow: Flow, only: list[str], home: str) -> tuple[list[Used], list[Look]]:
    """The clients that the flow's agents are started with, each once; and what is wrong with the flow's words."""
    found: dict[tuple[str, str], Used] = {}
    looks: list[Look] = []
    by_hand = []
    for name in only or flow.agents:
        agent = flow.agents[name]
        rungs: list[str | None] = [rung.model for rung in agent.ladder if rung.model != RUNG_ESCALATE]
        for model in rungs or [None]:
            try:
                start = catalogue.resolve(flow, agent, model)
            except MootError as error:
                looks.append(Look(look="flow", state="act", about=name, words=error.message, next=error.hint))
                continue
            if start is None:
                by_hand.append(name)
                continue
            start = with_settings(start, home)
            one = Used(start, catalogue.clients.get(start.name) if start.renew else None, [])
            one = found.setdefault((start.name, one.program), one)
            one.agents.extend([name] if name not in one.agents else [])
    if by_hand:
        words = (
            f"nothing says how they are run, so people and scripts claim for them: {', '.join(dict.fromkeys(by_hand))}"
        )
        act = None if found else f"install a client and write `run: {{client: NAME}}` into .moot/flow.yaml, {APPLY}"
        looks.append(Look(look="flow", state="note" if found else "act", words=words, next=act))
    return list(found.values()), looks


class ClientLooks:
    """`kept` remembers which programs have answered; `new_id` names a trial."""

    def __init__(self, tools: Tools, flow: Flow, answers: Answers, new_id: Callable[[], str]) -> None:
        self._tools = tools
        self._flow = flow
        self._answers = answers
        self._new_id = new_id
        self.versions: dict[str, str] = {}  # of programs that have answered, by what they are

    def look(self, used: Used) -> Look:
        why = self._wrong(used)
        if why is not None:
            return self._said(used, "act", *why)
        if used.known is None:
            return self._said(
                used,
                "good",
                f"{used.start.name} is started as {used.program}" if used.start.name != used.program else used.program,
                None,
            )
        known, start, env = used.known, used.start, self._tools.env
        version = self.versions.get(self._identity(used), "")
        called = f"{known.title} {version}".strip()
        files = read_files(start.files, env.get("HOME", ""), start.keeps_refresh)
        login = signed_in(known, start, files, env, self._tools.application.engine.clock.wall() / 1000)
        silent = unanswered(start, files, env, self._answers)
        if login.state == "no":
            return self._said(used, "act", f"{called}: {login.words}", login.next)
        if silent is not None:
            words = f"{called} is told to ask {silent[1]} ({silent[0]}), and nobody answers there"
            return self._said(used, "act", words, f"start what listens there, or change {silent[0]}")
        return self._said(used, "good", f"{called}, {login.words}", None)

    def _said(self, used: Used, state: LookState, words: str, act: str | None) -> Look:
        return Look(look="client", state=state, about=used.start.name, words=words, next=act or None)

    def _wrong(self, used: Used) -> tuple[str, str] | None:
        """Why it cannot be started at all, and what to do; None if it answers."""
        known, programs = used.known, self._tools.programs
        install = known.install if known else f"install {used.program}, or let the flow name another"
        if why := missing(used.program, programs):
            return why, install
        if os.path.isabs(used.program) and not os.path.exists(used.program):
            return f"{used.program} is not there", install
        if known is None or os.path.basename(used.program) not in known.find:
            return None  # nobody knows what it would do, asked for its version
        if self._identity(used) in self.versions:
            return None
        trial = AnswerTrial(
            self._tools, self._flow, used.agents[0], used.start, [used.program, known.version], self._new_id()
        )
        try_out(trial)
        if trial.answered:
            told = VERSION.search(trial.said)
            self.versions[self._identity(used)] = told.group() if told and known.version == "--version" else ""
            return None
        return f"{known.title} does not start: {trial.why}", f"install it again: {known.install}"

    def _identity(self, used: Used) -> str:
        """The program as it is now: another one, or the same at another time, is asked anew."""
        path = self._tools.programs(used.program) or used.program
        try:
            found = os.stat(path)
        except OSError:
            return path
        return (
            f"{os.path.realpath(path)} {found.st_size} {found.st_mtime_ns} {self._tools.sandbox_of(self._flow).works}"
        )
