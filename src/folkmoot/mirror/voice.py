"""Says to the engine what stands in files, as the command line would: by the actor they name, once, in order.

Every command carries a key that follows from the file, so that whoever is killed between the commit and the next step
says the same again, and it has no second effect.
"""

import json
from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from folkmoot.api.requests import (
    AcceptMessage,
    AddComment,
    AnswerQuestion,
    Cancel,
    Claim,
    CompleteMessage,
    Edit,
    Lock,
    Move,
    RejectMessage,
    Renew,
    SendReport,
    Unlock,
)
from folkmoot.api.views import MessageView
from folkmoot.core.commands import Actor, RaiseConflict
from folkmoot.core.enums import ONE_SHOT_KINDS, Outcome
from folkmoot.core.flow import LEASE_MAX, Flow
from folkmoot.core.item import Item
from folkmoot.core.order import claimant
from folkmoot.core.records import ORCHESTRATOR, Message, Run
from folkmoot.core.report import Remark, Report
from folkmoot.core.rules.messages.kinds import is_notice
from folkmoot.core.rules.sharing.mirrored import outcome_of_comment, speaker_in_file, work_of_sender
from folkmoot.core.vocabulary.roles import agent_named, correspondent
from folkmoot.doors.hints import in_commands
from folkmoot.doors.message_command import order_to_send
from folkmoot.engine.application import Application
from folkmoot.errors import Invalid, MootError, NothingToDo, Refused
from folkmoot.mirror.picture import WORKER, Picture
from folkmoot.mirror.reading.comments import Placed, Said
from folkmoot.mirror.reading.forms import Dropped, Handoff
from folkmoot.mirror.reading.shared import COMPLETED
from folkmoot.reports.read import read_report


class NotYet(Exception):
    """What the file says cannot hold before somebody else has ended what it is at: look again when the board has moved.

    `message` is the handoff that stays where it was put until then.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Voice:
    def __init__(self, application: Application, picture: Picture) -> None:
        self._engine = application.engine
        self._by = application.asked_by
        self._picture = picture

    @property
    def flow(self) -> Flow:
        return self._picture.flow

    @property
    def wall(self) -> int:
        """Milliseconds since 1970, by which files tell times."""
        return self._engine.clock.wall()

    # -- runs of agents that only write files

    def run_of(self, agent: str, item: str | None = None) -> Run | None:
        """The live run that the mirror has claimed for an agent: on this item, or the only one it has."""
        own = [r for r in self._picture.open_runs.values() if r.worker == WORKER and r.agent == agent]
        if item is not None:
            own = [run for run in own if run.item == item or self._is_part(run.item, item)]
        return own[0] if len(own) == 1 or (own and item is not None) else None

    def _is_part(self, child: str, item: str) -> bool:
        found = self._picture.items.get(child)
        return found is not None and found.kind == "part" and found.parent == item

    def _speaker_of(self, run: Run) -> Actor:
        return Actor(run.agent, run.id, run.token)

    def _claimable(self, agent: str, item: str) -> str | None:
        """The item, or the agent's own part of it, if it waits for that agent."""
        known = self._picture.items.get(item)
        if known is None:
            return None
        candidates = [known, *(child for child in self._picture.children(item) if child.kind == "part")]
        return next((one.id for one in candidates if claimant(self.flow, one) == agent), None)

    def claim(self, agent: str, item: str | None, key: str) -> Actor:
        """Take an item up for an agent that cannot ask for it. It cannot renew either: it has a run's whole time."""
        known = self.flow.agents.get(agent)
        longest = (known.timeout if known else None) or self.flow.limits.timeout
        request = Claim(agent=agent, item=item, lease=min(longest, LEASE_MAX), worker=WORKER, show=False)
        view = self._by(Actor(agent, file=True))(request, f"{key}:claim")
        return Actor(agent, view.run, view.token)

    def _at_work(self, agent: str, item: str, key: str) -> Actor:
        """As the agent's run on the item: the one it has, or one that begins now."""
        run = self.run_of(agent, item)
        return (
            self._speaker_of(run) if run is not None else self.claim(agent, self._claimable(agent, item) or item, key)
        )

    # -- handoffs

    def send(self, handoff: Handoff, message: str, key: str) -> MessageView:
        """Gives how it is known, and what its sender is told."""
        said = handoff.envelope
        request = order_to_send(said)
        sender = correspondent(self.flow, said.sender)
        actor = speaker_in_file(self.flow, said.sender)
        if actor.file:
            run = self.run_of(sender, str(said.context["item"]) if "item" in said.context else None)
            waiting = work_of_sender(self.flow, self._picture.items.values(), sender, said.context)
            if run is not None:
                actor = self._speaker_of(run)
            elif waiting is not None and correspondent(self.flow, said.to) in self.flow.agents:
                actor = self.claim(sender, waiting, key)
        request = replace(request, message_id=said.message_id or message)
        return self._by(actor)(request, key)

    def has_yet_to_report(self, message: Message) -> bool:
        """Does a notice to the board tell of work whose agent has not ended its run, or taken it up?"""
        if message.to != ORCHESTRATOR or not is_notice(self.flow, message.type):
            return False
        item = self._picture.items.get(message.item or "")
        if item is None or message.run is not None:
            return item is None or message.run in self._picture.open_runs
        return claimant(self.flow, item) == message.sender or self._has_other_run(message)

    def _has_other_run(self, message: Message) -> bool:
        """Is its sender at work on its item, by a worker that is not the mirror?"""
        runs = (run for run in self._picture.open_runs.values() if run.id != message.run)
        return any((run.agent, run.item) == (message.sender, message.item) for run in runs)

    def ended_by(self, message: Message, note: str) -> str:
        """The note with what an agent does that has only files. A run that another worker began, that one ends."""
        agent = message.sender
        if message.item is None or self._has_other_run(message):
            return f"{note}."
        told = message.payload.get("status")
        ended = told if isinstance(told, str) and told.strip() else COMPLETED
        said = json.dumps({"agent": agent, "item": message.item, "status": ended})
        by_state = message.run is not None and ended == COMPLETED
        state = f", or set agents.{agent}.status to completed in state.json" if by_state else ""
        return f"{note}. To report with files, drop into inbox/ {said}{state}."

    def accept(self, message: Message, key: str) -> None:
        """By its receiver: whoever takes a handoff up takes up its item (R-26)."""
        item = self._claimable(message.to, message.item) if message.item is not None else None
        if item is not None and message.to in self.flow.agents:
            try:
                self.claim(message.to, item, key)
                return
            except (Refused, NothingToDo):
                pass  # it cannot begin now; that it was seen can be said all the same
        elif message.to in self.flow.agents and self._is_still_at_it(message):
            raise NotYet(message.id)
        actor = speaker_in_file(self.flow, message.to)
        self._by(actor)(AcceptMessage(message=message.id), f"{key}:accept")

    def _is_still_at_it(self, message: Message) -> bool:
        """Has whoever sent it yet to report? Its receiver may begin when that stage is over."""
        return any(run.item == message.item and run.id == message.run for run in self._picture.open_runs.values())

    def complete(self, message: Message, key: str) -> None:
        item, agent = message.item, message.to
        if (
            item is not None
            and message.status == "accepted"
            and (self.run_of(agent, item) or self._claimable(agent, item))
        ):
            # The end of its stage completes it; who has lost its run in between has done the work all the same.
            self._over(self._at_work(agent, item, key), agent, key)
            return
        actor = speaker_in_file(self.flow, message.to)
        self._by(actor)(CompleteMessage(message=message.id), f"{key}:complete")

    def reject(self, message: Message, why: str, key: str) -> None:
        run = self.run_of(message.to, message.item) if message.item is not None else None
        mine = run is not None and message.accepted_by == run.id
        actor = self._speaker_of(run) if run is not None and mine else speaker_in_file(self.flow, message.to)
        self._by(actor)(RejectMessage(message=message.id, why=why), f"{key}:reject")

    # -- comments

    def comment(self, item: Item, placed: Placed, beside: Iterable[Placed], key: str) -> list[Said]:
        """Say a comment. Where it ends its agent's effort, those beside it that would end it too are said with it, and
        given back."""
        actor = speaker_in_file(self.flow, placed.said.author)
        if not actor.file:
            self._comment(actor, placed, key)
            return []
        run = self.run_of(actor.name, item.id)
        outcome = self._outcome_of(item, actor, placed)
        if outcome is None or (item.status == "running" and run is None):
            self._comment(self._speaker_of(run) if run else actor, placed, key)
            return []
        taken = [other for other in beside if other.item == item.id and self._outcome_of(item, actor, other)]
        # Which of them decides how the effort ended, and what is asked back, is as for a file handed in as a report.
        report = Report(outcome=outcome, comments=[_remark(one) for one in (placed, *taken)], implied=True)
        at_work = self._at_work(actor.name, item.id, key)
        self._by(at_work)(SendReport(report=report), f"{key}:report")
        return [other.said for other in taken]

    def _outcome_of(self, item: Item, actor: Actor, placed: Placed) -> Outcome | None:
        resolved = placed.said.resolution is not None
        return outcome_of_comment(
            self.flow, item, actor.name, artifact=placed.artifact, thread=placed.thread, resolved=resolved
        )

    def _comment(self, actor: Actor, placed: Placed, key: str) -> None:
        said = placed.said
        request = AddComment(
            item=placed.item,
            content=said.content,
            artifact=placed.artifact,
            target=said.target,
            parent=placed.parent,
            resolution=said.resolution,
        )
        self._by(actor)(request, f"{key}:comment")

    # -- locks and agents of the shared state

    def lock(self, agent: str, paths: list[str], seconds: float, key: str) -> None:
        self._by(self._in_state(agent))(Lock(paths=paths, seconds=seconds), f"{key}:lock")

    def unlock(self, agent: str, resource: str, run: str | None, key: str) -> None:
        known = self._picture.runs.get(run or "")
        # One that was not taken by a run is its owner's by name, also while that works.
        actor = self._in_state(agent) if known is not None else speaker_in_file(self.flow, agent)
        if known is not None and known.worker == WORKER:
            actor = self._speaker_of(known)
        self._by(actor)(Unlock(paths=[resource]), f"{key}:unlock")

    def _in_state(self, agent: str) -> Actor:
        actor = speaker_in_file(self.flow, agent)
        run = self.run_of(actor.name) if actor.file else None
        return self._speaker_of(run) if run is not None else actor

    def begin(self, agent: str, key: str) -> None:
        """An agent says that it is active: it takes up what waits for it."""
        if self.run_of(agent) is None:
            self.claim(agent, None, key)

    def renew(self, agent: str) -> None:
        run = self.run_of(agent)
        if run is not None:
            self._by(self._speaker_of(run)).tell(Renew())

    def end(self, agent: str, key: str) -> None:
        run = self.run_of(agent)
        if run is not None:
            self._over(self._speaker_of(run), agent, key)

    def _over(self, actor: Actor, agent: str, key: str) -> None:
        """The document's `completed`, weighed as in a report: of whoever looks at work it is no verdict."""
        try:
            self._by(actor)(SendReport(report=Report.done(extra={"status": COMPLETED})), f"{key}:report")
        except (Refused, Invalid) as error:
            words = f'{error.remedy}. With files it is dropped into inbox/, with "agent": "{agent}" in it'
            raise type(error)(error.code, "{refused}", words, **{**error.details, "refused": error.message}) from error

    # -- reports, answers, edits

    def reporter(self, dropped: Dropped, key: str) -> Actor:
        """The run whose report it is: the one its agent has, or one that begins with it."""
        if dropped.agent is None:
            words = "it does not say whose report it is"
            raise Refused("unknown_writer", words, 'say "agent" and "item" in it, or name the file 7-dev-agent.md')
        actor = speaker_in_file(self.flow, agent_named(self.flow, dropped.agent))
        if not actor.file:
            words = "{actor} is a person: reports are agents'"
            raise Refused("unknown_writer", words, "name the agent", actor.name)
        read_report(dropped.text)  # what cannot be read begins nothing
        item = dropped.item
        if item is None:
            run = self.run_of(actor.name)
            waiting = [one.id for one in self._picture.items.values() if claimant(self.flow, one) == actor.name]
            item = run.item if run is not None else waiting[0] if len(waiting) == 1 else None
        if item is None:
            words = "it does not say which item {actor} worked on"
            raise Invalid("unknown_item", words, 'say "item" in it, or name the file 7-dev-agent.md', actor.name)
        if item not in self._picture.items:
            raise Invalid("unknown_item", "there is no item {item!r}", "see the files in kanban/", item[:40])
        return self._at_work(actor.name, item, key)

    def report(self, dropped: Dropped, run: str, token: int) -> None:
        """The key is the run's own: it reports once."""
        report = read_report(dropped.text)
        self._by(Actor(run, run, token))(SendReport(report=report), f"file:{run}:report")

    def answer(self, dropped: Dropped, key: str) -> None:
        if dropped.by is None:
            raise Refused("unknown_writer", "it does not say who answers", 'add "by"; only a person answers')
        actor = speaker_in_file(self.flow, dropped.by)
        request = AnswerQuestion(question=dropped.question or "", answer=dropped.answer)
        self._by(actor)(request, f"{key}:answer")

    def edit(self, by: str, item: str, changed: dict[str, Any], key: str) -> None:
        """The fields of an item, by a person. Where the item goes, or that it is given up, comes last."""
        actor = speaker_in_file(self.flow, by)
        plain = {name: value for name, value in changed.items() if name not in ("column", "status")}
        if "status" in changed and changed["status"] != "cancelled":
            words = "status: it cannot be set to {status!r:.60}: it follows from what happens"
            hint = "set it to cancelled to give the item up, or change column"
            raise Refused("bad_status", words, hint, changed["status"])
        if plain and len(plain) < len(changed):
            raise Refused(
                "two_changes", "column and status are changed by themselves", "change the rest before or after"
            )
        if plain:
            self._by(actor)(Edit(item=item, **plain), f"{key}:edit")
        elif "status" in changed:
            self._by(actor)(Cancel(item=item), f"{key}:cancel")
        elif "column" in changed:
            self._by(actor)(Move(item=item, column=str(changed["column"])), f"{key}:move")

    def conflict(self, by: str, item: str, command: RaiseConflict, key: str) -> None:
        actor = speaker_in_file(self.flow, by)
        self._engine.act(actor, command, item, f"{key}:conflict")

    def is_bound(self, item: str) -> bool:
        known = self._picture.items.get(item)
        return known is not None and known.kind in ONE_SHOT_KINDS


def told(error: MootError) -> str:
    return f"{error.message}\n{in_commands(error)}\n" if error.remedy else f"{error.message}\n"


def _remark(placed: Placed) -> Remark:
    said = placed.said
    return Remark(
        content=said.content,
        artifact=placed.artifact,
        target=said.target,
        parent=placed.parent,
        status=said.status,
        resolution=said.resolution,
    )
