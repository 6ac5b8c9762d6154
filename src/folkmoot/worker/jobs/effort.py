"""An agent's effort: a workspace, a process, a report, and the change it really made."""

import os
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from folkmoot.api.views import ItemView
from folkmoot.core.commands import PauseRun, StopRun
from folkmoot.core.report import Report
from folkmoot.core.rules.running.work import keeps, may_leave, overruled
from folkmoot.core.work import Work
from folkmoot.engine.run_context import RunContext, is_fresh
from folkmoot.errors import Invalid, MootError, Refused, Unavailable
from folkmoot.reports.read import read_report
from folkmoot.worker.clients.catalogue import Start, fill
from folkmoot.worker.clients.listener import listener
from folkmoot.worker.clients.own_settings import with_settings
from folkmoot.worker.clients.troubles import in_one_line
from folkmoot.worker.clients.waiting import only_retries
from folkmoot.worker.git.harvest.bounds import Allowed, allowed
from folkmoot.worker.git.harvest.leaks import without_values
from folkmoot.worker.git.refs import UNSENT
from folkmoot.worker.git.remote.remote import ONTO, RemoteAway
from folkmoot.worker.jobs import teardown
from folkmoot.worker.jobs.bounds import SPACE, listed, not_taken, over_limit
from folkmoot.worker.jobs.job import Answer, Job
from folkmoot.worker.jobs.pausing import shown_pause
from folkmoot.worker.jobs.preparing import set_up
from folkmoot.worker.jobs.saying import ReportFile, keep_said, looks_meant, said_before, spooled, written
from folkmoot.worker.jobs.spending import look_at_budget, renew, with_usage
from folkmoot.worker.jobs.unsaid import printed_line, unsaid
from folkmoot.worker.logins.expiry import is_over
from folkmoot.worker.logins.placing import Files, read_files
from folkmoot.worker.output import DIFF_PART, PROMPT_MAX, PROMPT_PART
from folkmoot.worker.ports import Ended, Stream
from folkmoot.worker.relay import Relay
from folkmoot.worker.secrets.given import keep_given, not_known, unknown
from folkmoot.worker.setups.included import texts
from folkmoot.worker.workspaces import GitWorkspaces, author_of, disown, leave

if TYPE_CHECKING:
    from collections.abc import Callable

    from folkmoot.worker.ports import RunSocket

CUT = ("timeout", "silence", "budget")
MERGES_MAX = 50
PRINTED_KEPT = 4_000  # characters of what an agent printed that was meant as a report, and could not be read


class EffortJob(Job):
    spends = True
    _kept = False  # is what it changed safe?
    _silent: str | None = None  # it ended without a report: the line that says most of what it printed
    _began: str | None = None  # the commit at which the work on its item began
    _allowed: Allowed | None = None
    _relay: Relay | None = None
    _file: ReportFile | None = None

    def carry_out(self) -> None:
        tools = self.tools
        start = tools.catalogue.resolve(self.flow, self.flow.agents[self.agent], self.model)
        if start is None:
            raise Unavailable("no_client", "the flow does not say how {agent} is run", "give it `run`", self.agent)
        start = with_settings(start, tools.env.get("HOME", ""))
        login = read_files(start.files, tools.env.get("HOME", ""), start.keeps_refresh)
        over = self._login_over(start, login)
        if over:
            self._pause(PauseRun(why=over, cause="environment", login=True))
            return
        run_context = self.assignment.run_context
        look_at_budget(self)
        self.step("clone")
        base = tools.workspaces.make(self.paths, run_context, None)
        try:
            # The redactor is another one once the client's secrets are known: it is asked for anew each time.
            relay = self._relay = Relay(tools.application, self.actor, self._cleaned, self._reported)
            relay.when_told = self.timers.told
            self._file, self.look = ReportFile(self.paths, tools.now), self._look_at_file
            run_socket = tools.open_socket(os.path.join(self.paths.root, "door", "moot"), relay)
            try:
                self._began = tools.workspaces.began(run_context, base)
                ended, stream = self._run(start, login, run_socket, run_context, base)
            except Unavailable as error:
                if error.code != "setup_failed" or not is_fresh(run_context):
                    raise  # it may be the item's own work that it fails with
                self.close_output()
                self._pause(PauseRun(why=self.redactor.clean(error.message), cause="environment"))
                return
            finally:
                run_socket.close()
            self.close_output()
            self._conclude(run_context, base, relay, ended, stream)
            self.over()
        finally:
            self._put_away(run_context, base)

    def _cleaned(self, value: Any) -> Any:
        return self.redactor.clean_value(value)

    def _reported(self, report: Report, fault: str | None) -> None:
        """It says by command how it ended: kept before it is acknowledged, whatever becomes of it and of us."""
        keep_said(self.paths, report, fault)
        self.timers.reported(self.tools.now())
        self.hurry()

    def has_reported(self) -> bool:
        by_command = self._relay is not None and self._relay.report is not None
        return by_command or (self._file is not None and self._file.is_whole)

    def _look_at_file(self) -> None:
        if self._file is not None and self._file.look():
            self.timers.wrote(self.tools.now())
            self.hurry()

    def _put_away(self, run_context: RunContext, base: str | None) -> None:
        """Nothing is removed before it is kept; what cannot be kept is left where it is, for `tidy` or a person."""
        workspaces = self.tools.workspaces
        try:
            if not self._kept:
                work, _ = self._harvest(run_context, base, f"{self.title}\n\n(the run was not finished)")
                leave(workspaces, self.run, work, self.flow)
            teardown.after(self, self.flow.agents[self.agent].network, self._stopped.is_set)
            workspaces.remove(self.paths, self.hurries())
        except (MootError, OSError) as error:
            self.tell("fault", f"what it left in {self.paths.root} could not be put away: {error}", good=False)
            disown(self.paths)

    def _harvest(self, run_context: RunContext, base: str | None, message: str) -> tuple[Work | None, str]:
        """What it changed, within one allowance for the whole run; what could not be taken in is told at once."""
        if self._allowed is None:
            self._allowed = allowed(self.flow.limits, self.tools.now, self._stopped.is_set, self.redactor.known)
        work, lost = self.tools.workspaces.harvest(self.paths, run_context, base, message, self._allowed)
        work, lost = work and without_values(work, self.redactor), self.redactor.clean(lost)
        self._kept = True
        why = not_taken(work, lost, self.flow.limits)
        if why:
            self.tell("fault", f"what it left was not taken in: {why}", good=False)
        return work, lost

    # Running it

    def _login_over(self, start: Start, login: Files) -> str:
        """Why its client could not sign in; without that no run is worth its while."""
        return is_over(start, login, self.tools.env, self.tools.application.engine.clock.wall() / 1000)

    def _count(self) -> None:
        """Tell what it has used up, before it ends otherwise than by its report."""
        if self.spending.is_new:
            self.submit(lambda engine: renew(self))

    def _ended_by(self, command: PauseRun | StopRun) -> None:
        self._keep_head(self.submit(lambda engine: engine.handle_run(self.actor, command)))

    def _keep_head(self, view: ItemView) -> None:
        if isinstance(workspaces := self.tools.workspaces, GitWorkspaces) and view.head is not None:
            workspaces.keep_item(self.item, view.head)

    def _stop(self, work: Work | None) -> None:
        self.submit(lambda engine: renew(self))  # its time counts too
        self._ended_by(StopRun(work=work))
        self.became = "stopped: a budget is used up; what it made is kept"
        self.tell("released", self.became)

    def _pause(self, command: PauseRun) -> None:
        self._count()
        self._ended_by(command)
        self.became = command.why
        self.tell("released", self.became)

    def _run(
        self, start: Start, login: Files, run_socket: "RunSocket", run_context: RunContext, base: str | None
    ) -> tuple[Ended, Stream]:
        agent = self.flow.agents[self.agent]
        obeyed = self.tools.catalogue.obeyed_by(start)
        set_up(self, self.flow, agent.setup, agent.network, base, landed=is_fresh(run_context), obeyed=obeyed)
        files = spooled(self.paths, self.assignment.brief, self._began)
        self._keep_output([(PROMPT_PART, self.redactor.clean(files["prompt"])[:PROMPT_MAX])])
        self.output.add("".join(f"folkmoot: {words}\n" for words in login.notes))
        home_files = {name: text.encode() for name, text in start.home_files.items()}
        values = {"brief": files["MOOT_BRIEF"], "prompt": files["prompt"], "prompt_file": files["MOOT_PROMPT"]}
        values |= {"model": start.model or "", "workspace": self.paths.workspace, "report": files["MOOT_REPORT"]}
        run = {name: path for name, path in files.items() if name.startswith("MOOT_")}
        run |= {
            "MOOT_RUN": self.run,
            "MOOT_TOKEN": str(self.assignment.token),
            "MOOT_AGENT": self.agent,
            "MOOT_MODEL": start.model or "",
            "MOOT_SOCKET": run_socket.address,
        }
        env = self.environment(start.env, start.set, run)
        self.redactor = self.knowing(start.env, login.texts, {**start.set, "MOOT_SOCKET": run_socket.secret})
        keep_given(self.paths.root, self._given(start, login))
        argv = fill(start.argv, values)
        stdin = files["prompt"].encode() if start.stdin else b""
        own = {**home_files, **login.contents}
        launch = self.launch(
            argv, env, network=agent.network, stdin=stdin, doors=[run_socket.folder], named=start.argv, files=own
        )
        self.step("spawn")
        self.tell("started", start.name)
        clock = self.tools.application.engine.clock
        heard = listener(start.speaks, lambda: clock.wall() / 1000, start.tells)
        self.is_alive = lambda line: not only_retries(line)

        def hear(line: str) -> None:
            heard.feed(line)
            if heard.stream.over:
                self.timers.over(self.tools.now())
            elif self.spending.hear(heard.stream):
                self.timers.spends(self.tools.now(), 0.0)
                self.hurry()

        ended = self.run_process(launch, hear)
        self.check_alive()
        stream = heard.finish(ended, self.errors_tail)
        stream.client = start.name
        if stream.cause is not None:
            stream.why = in_one_line(start.name, stream.why, stream.trouble, start.steps)
        if stream.cause == "environment" and (over := self._login_over(start, login)):
            stream.why, stream.login = f"{stream.why} ({over})", True
        return ended, stream

    def _given(self, start: Start, login: Files) -> dict[str, str]:
        """All that could be a secret of this run, by its name."""
        passed = {name: self.tools.env[name] for name in start.env if name in self.tools.env}
        return {**passed, **login.texts, **start.set, **texts(self.included)}

    # Bringing it home

    def _conclude(self, run_context: RunContext, base: str | None, relay: Relay, ended: Ended, stream: Stream) -> None:
        if ended.limit == SPACE:
            self._kept = True  # there is nothing any more
            filled = Report.failed(over_limit(SPACE, self.flow.limits))
            return self._tell_end(self.report(filled), filled)
        self.spending.hear(stream)
        if self.spending.has_windows:  # a report tells what it used, and not how its quota stands
            self._count()
        said, fault = self._heard(relay, ended, stream)
        work, lost = self._harvested(run_context, base, said)
        if relay.ended:
            self.became = "ended by what it said during its run"
            self.timers.done = True
            return
        if said is None and self.timers.ending == "budget":
            self._tell_merged(Report(outcome="incomplete"), None, work, lambda said, fault, work: self._stop(work))
            return
        if said is None and (shown := shown_pause(stream, self.timers, self.redactor.clean)) is not None:
            self._tell_merged(
                Report(outcome="incomplete"),
                None,
                work,
                lambda said, fault, work: self._pause(replace(shown, work=work if said.outcome != "failed" else None)),
            )
            return
        if said is None:
            said, fault = unsaid(self, ended, stream)
            self._silent = None if fault is None else self.redactor.clean(printed_line(self.errors_tail, stream.text))
        self._hand_in(run_context, with_usage(said, stream), fault, work, lost)

    def bring_back(self, start: Start, run_context: RunContext, base: str | None) -> None:
        """Its worker died after it had reported: its report, and its change, are taken in as that one would have."""
        start = with_settings(start, self.tools.env.get("HOME", ""))
        login = read_files(start.files, self.tools.env.get("HOME", ""), start.keeps_refresh)
        self.included = self.tools.workspaces.include(self.paths, before=True)
        self.redactor = self.knowing(start.env, login.texts, start.set)
        if names := unknown(self.paths.root, self._given(start, login)):
            self._harvest(run_context, base, f"{self.title}\n\n(left by a worker that died)")
            self.report(Report.failed(not_known(names), cause="environment"))
            return
        said, fault = said_before(self.paths) or (read_report(self.redactor.clean(written(self.paths))), None)
        work, lost = self._harvested(run_context, base, said)
        self._hand_in(run_context, said, fault, work, lost)

    def _harvested(self, run_context: RunContext, base: str | None, said: Report | None) -> tuple[Work | None, str]:
        summary = said.summary if said is not None else "(no report)"
        message = self.redactor.clean(f"{self.title}\n\n{summary}".strip())
        work, lost = self._harvest(run_context, base, message)
        return (listed(work) if work is not None else None), lost

    def _hand_in(self, run_context: RunContext, said: Report, fault: str | None, work: Work | None, lost: str) -> None:
        if lost and run_context.write != "none":  # who only reads has nothing to lose but its word
            said, fault = overruled(said, f"{lost}: nothing of its work can be taken", "transient"), None
        if work is not None and work.touched:
            self._keep_diff(work)
        view = self._tell_merged(said, fault, work, self._report_seen)
        self._tell_end(view, said)

    def _report_seen(self, said: Report, fault: str | None, work: Work | None) -> ItemView:
        return self.report(said, fault=fault, work=work, silent=self._silent if fault is not None else None)

    def _tell_merged(
        self,
        said: Report,
        fault: str | None,
        work: Work | None,
        tell: "Callable[[Report, str | None, Work | None], Answer]",
    ) -> Answer:
        """Tell the board what was made: merged with what others brought meanwhile, and again if another was quicker."""
        workspaces = self.tools.workspaces
        if work is None or work.commit is None or not work.touched or not isinstance(workspaces, GitWorkspaces):
            return tell(said, fault, work)
        for _ in range(MERGES_MAX):
            run_context = self.tools.application.queries.run_context(self.run)
            workspaces.bring(run_context)
            merged, conflicts = self._merged(workspaces, run_context, said, fault, work)
            merged = without_values(merged, self.redactor)
            self._send_work(workspaces, merged)
            try:
                if not conflicts:
                    return tell(said, fault, merged)
                names = self.redactor.clean(", ".join(conflicts[:5]))
                words = f"it conflicts with what others made in {names}"
                return tell(overruled(said, words, "conflict"), None, replace(work, unfit=True))
            except Refused as error:
                if error.code != "branch_moved":
                    raise
        words = "its branch kept moving while it was merged"
        return tell(overruled(said, words, "conflict"), None, replace(work, unfit=True))

    def _send_work(self, workspaces: GitWorkspaces, work: Work) -> None:
        """What the board would refuse outright goes nowhere."""
        if workspaces.repository.remote_now() is None or work.commit is None or not may_leave(work, self.flow):
            return
        onto = {ONTO + self.run: work.merged} if work.merged is not None else {}
        try:
            self.send({workspaces.repository.run_ref(self.run): work.commit, **onto})
        except RemoteAway:
            workspaces.repository.keep(UNSENT + self.run, work.commit)
            raise

    def _merged(
        self, workspaces: GitWorkspaces, run_context: RunContext, said: Report, fault: str | None, work: Work
    ) -> tuple[Work, list[str]]:
        """The change on its item's branch as that is now, and on the branch it is for; or where that does not go."""
        repository, author = workspaces.repository, author_of("folkmoot")
        assert work.commit is not None
        words = f"Item {run_context.item}: {run_context.title}"
        if run_context.head not in (run_context.began_at, work.base) and keeps(said, fault):
            self.step("merge")
            own = repository.merge(run_context.head, work.commit, words, author)
            if own.commit is None:
                return work, own.conflicts
            repository.keep(repository.run_ref(self.run), own.commit)
            # What it changes on the branch as it is now: that is what is judged.
            touched = repository.touched(run_context.head, own.commit)
            work = replace(work, touched=touched, base=run_context.head, commit=own.commit, tree=own.tree)
        if said.outcome != "done" or fault is not None or not run_context.ends_here:
            return work, []
        self.step("merge")
        assert work.commit is not None
        onto = run_context.begins_from or workspaces.tip(run_context.target)
        merged = repository.merge(onto, work.commit, words, author)
        if merged.commit is None:
            return work, merged.conflicts
        repository.keep(repository.item_ref(run_context.parent or ""), merged.commit)
        # What really differs there: git follows renames of the other side, the run's own change does not tell.
        lands = repository.touched(onto, merged.commit)
        return replace(work, onto=run_context.parent_head, merged=merged.commit, lands=lands), []

    def _heard(self, relay: Relay, ended: Ended, stream: Stream) -> tuple[Report | None, str | None]:
        """The report: said by command, written to its file, or the last one in what was printed.

        What was acknowledged counts, and so does a whole report in the file, however the process ended after it.
        What was only printed counts where the process was left to its end, and its context was not full: before that it
        may be a draft.
        """
        if relay.report is not None:
            return relay.report, relay.fault
        cut = self.timers.ending in CUT or bool(ended.fault or ended.limit) or stream.cause == "size"
        in_file = written(self.paths)
        for text in (in_file,) if cut else (in_file, stream.text):
            if not text.strip():
                continue
            try:
                return read_report(self.redactor.clean(text)), None
            except Invalid as error:
                if cut or stream.cause is not None:
                    return None, None  # it was cut off: why it was is what counts
                if text is in_file or looks_meant(text):
                    # Of what was only printed no more than its end: no brief has a transcript.
                    meant = text if text is in_file else text[-PRINTED_KEPT:]
                    return Report.unread(error.message, self.redactor.clean(meant)), error.message
        # It was told what was wrong, and said nothing better: what it said is what there is.
        return (relay.refused if stream.cause is None else None), None

    def _keep_diff(self, work: Work) -> None:
        if diff := self.tools.workspaces.diff(work, self.tools.now):
            self._keep_output([(DIFF_PART, self.redactor.clean(diff))])

    def _tell_end(self, view: ItemView, said: Report) -> None:
        self._keep_head(view)
        # The board may have judged it otherwise than the agent: by what it really changed.
        judged = next((run for run in view.runs if run.run == self.run), None)
        outcome = (judged.outcome if judged else None) or said.outcome
        summary = (judged.report.summary if judged and judged.report else "") or said.summary
        words = summary.splitlines()[0] if summary else ""
        self.became = f"{outcome}: {words}" if words else outcome
        self.tell("ended", self.became, good={"done": True, "failed": False}.get(outcome))
