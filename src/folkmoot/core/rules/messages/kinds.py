"""The documents' types of messages: which of them ask a person, make work, report, or only tell."""

from collections.abc import Iterable
from typing import Any

from folkmoot.core.flow import Flow
from folkmoot.core.records import ANY, ORCHESTRATOR, Message, Run
from folkmoot.core.vocabulary.words import plain, verdict_of

ASKING = ("escalation", "clarification_request")
MAKES_ITEM = ("task_handoff", "task_assignment")
FIX_TYPES = frozenset({"fix_request", "review_findings", "security_issues", "test_failures"})
AGAIN_TYPES = frozenset({"rereview_request"})
FINAL = ("completed", "rejected")
# How a message says that the phase it tells of is not over, beside the words of a verdict.
NOT_OVER = frozenset({"blocked", "stuck", "incomplete", "not complete", "in progress", "needs follow up"})


def may_send(flow: Flow, kind: str, sender: str, to: str) -> bool:
    rule = flow.messages.get(kind)
    return rule is not None and _named(sender, rule.senders) and _named(to, rule.receivers)


def _named(name: str, names: list[str]) -> bool:
    return name in names or ANY in names


def asks_person(kind: str, to: str) -> bool:
    """What is put before a person; its answer completes it."""
    return kind in ASKING and to == ORCHESTRATOR


def is_notice(flow: Flow, kind: str) -> bool:
    """A type that goes to the orchestrator alone tells the board something, and nobody need act on it.

    One that the flow also lets go to an agent is for an agent in the end: the rules relay it.
    """
    rule = flow.messages.get(kind)
    return rule is not None and kind not in ASKING and set(rule.receivers) == {ORCHESTRATOR}


def is_open(message: Message) -> bool:
    return message.status not in FINAL


def sent_for(run: Run, item: str, messages: Iterable[Message]) -> list[Message]:
    """What the run has sent; and what was sent about the item in its agent's name outside of any run, by a file or by
    a command, since the agent was handed the item: that is said by the same agent about the same work."""
    known = list(messages)
    since = max((message.at for message in known if message.accepted_by == run.id), default=run.started_at)
    return [
        message
        for message in known
        if message.run == run.id
        or (message.run is None and message.sender == run.agent and message.item == item and message.at >= since)
    ]


def against_end(payload: dict[str, Any]) -> str | None:
    """The word by which a message says that the work is not done, or not good; None if it says nothing of the kind."""
    status = payload.get("status")
    if not isinstance(status, str) or not status.strip():
        return None
    return status.strip() if verdict_of(status) is False or plain(status) in NOT_OVER else None
