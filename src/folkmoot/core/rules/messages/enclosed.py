"""Messages that stand inside a report: they are sent with it, as if its run had sent them before (R-26).

An agent prints what it hands over where it returns its result. What it signs as its own is sent, or asked back if it
may not be. What it was handed itself and only repeats is on the board already; what else it quotes is told on.
"""

from typing import Any

from msgspec import to_builtins
from msgspec.structs import replace

from folkmoot.core.commands import SendMessage
from folkmoot.core.enums import MESSAGE_STATUSES
from folkmoot.core.flow import Flow
from folkmoot.core.records import Message
from folkmoot.core.report import UNSENT, Posted, Report
from folkmoot.core.rules.children.counting import no_room
from folkmoot.core.rules.messages.kinds import FIX_TYPES, may_send, sent_for
from folkmoot.core.rules.messages.sending import checked, in_our_names, send
from folkmoot.core.rules.messages.telling import ENCLOSED_MAX
from folkmoot.core.situation import Case
from folkmoot.errors import MootError


def enclosed(case: Case, said: Report) -> list[Message]:
    """What the report sends of its run's own, as it will stand on the board."""
    return [_as_sent(case, number, order) for number, order in enumerate(_orders(case, said))]


def _as_sent(case: Case, number: int, order: SendMessage) -> Message:
    assert case.run is not None
    return Message(
        id=f"enclosed-{number}",
        sender=order.sender,
        to=order.to,
        type=order.type,
        payload=order.payload,
        context=order.context,
        item=case.item.id,
        run=case.run.id,
        at=case.situation.at,
    )


def has_told(case: Case, said: Report) -> bool:
    """Has the run that speaks sent an agent something itself, or sends it now? Then its verdict need not repeat it."""
    run = case.voice
    sent = sent_for(run, case.item.id, case.messages.values()) if run is not None else []
    sent += enclosed(case, said)
    return any(message.to in case.flow.agents and message.payload for message in sent)


def send_enclosed(case: Case, said: Report) -> None:
    for order in _orders(case, said):
        send(case, order)


def fault_of_enclosed(case: Case, said: Report) -> str | None:
    """Why a message that the report signs as its own cannot be sent."""
    if not said.messages:
        return None
    own = [posted for posted in said.messages if _is_own(case, posted)]
    if said.outcome != "disputed" and (refused := next((one for one in said.messages if _rejects(case, one)), None)):
        words = (
            f"it gives the {refused.type} that it was handed the status 'rejected': to send that back report disputed"
        )
        return f"{words} with what is wrong with it in a comment, or reject it; if it holds, leave that out"
    if len(own) > ENCLOSED_MAX:
        return f"it holds {len(own)} messages, more than {ENCLOSED_MAX}: send them one by one"
    for posted in own:
        if posted.status not in (None, MESSAGE_STATUSES[0]):
            words = f"its {posted.type} has the status {posted.status!r:.40}, and a message that is sent is pending: "
            return f"{words}leave it out; how the work went is the report's own status"
    orders = _orders(case, said)
    if orders and (full := no_room(case, "messages", [f"{order.payload}\n{order.context}" for order in orders])):
        return f"its {orders[0].type} cannot be sent: {full}"
    for order in orders:
        try:
            checked(case, order)
        except MootError as error:
            return f"its {order.type} cannot be sent: {error.message}; {error.hint}"
    return None


def without_unsent(case: Case, said: Report) -> Report:
    """The last word of a process: what cannot be sent any more, and what is only quoted, is told to whoever goes on."""
    if not said.messages:
        return said
    blocked = fault_of_enclosed(case, said) is not None
    sent = [posted for posted in said.messages if not blocked and _is_own(case, posted)]
    left = [posted for posted in said.messages if posted not in sent and not _was_handed(case, posted)]
    told = [to_builtins(posted) for posted in left]
    return replace(said, messages=sent, extra={**said.extra, UNSENT: told} if told else said.extra)


def with_kept_messages(case: Case, said: Report) -> Report:
    """The report with the messages of a refused one of the same run: whoever mends its report need not print them
    again. Not those of a type that it prints anew, those that could not be sent, or, beside `done`, those that ask for
    changes: then its agent was asked, and has said which of the two holds."""
    before = case.run.refused if case.run else None
    if before is None or not before.messages:
        return said
    anew = {posted.type for posted in said.messages} | (FIX_TYPES if said.outcome == "done" else frozenset())
    left = [posted for posted in before.messages if posted.type not in anew]
    left = [posted for posted in left if fault_of_enclosed(case, replace(said, messages=[posted])) is None]
    return replace(said, messages=[*left, *said.messages]) if left else said


def _orders(case: Case, said: Report) -> list[SendMessage]:
    """In the flow's names, each once; what the run has sent before is not sent again."""
    if not said.messages or case.run is None:
        return []
    found: list[SendMessage] = []
    own = sent_for(case.run, case.item.id, case.messages.values())
    known = [(message.type, message.to, message.payload) for message in own]
    ids = {message.id for message in own}
    for posted in [one for one in said.messages if _is_own(case, one)][:ENCLOSED_MAX]:
        order = in_our_names(case, _order(case.flow, posted))
        if order.message_id in ids or (order.type, order.to, order.payload) in known:
            continue
        known.append((order.type, order.to, order.payload))
        found.append(order)
    return found


def _order(flow: Flow, posted: Posted) -> SendMessage:
    rule = flow.messages.get(posted.type)
    only = rule.receivers[0] if rule is not None and len(rule.receivers) == 1 else ""
    return SendMessage(
        sender=posted.sender,
        to=posted.to or only,
        type=posted.type,
        message_id=posted.message_id,
        sent_at=posted.timestamp,
        schema_version=posted.schema_version,
        priority=posted.priority,
        payload=posted.payload,
        context=posted.context,
    )


def _is_own(case: Case, posted: Posted) -> bool:
    """Does this run send it? Signed by it, or unsigned and one that it may send; under another's name only if it could
    not be what that other has sent: then its agent is asked whose it is."""
    if case.run is None:
        return False
    agent = case.run.agent
    order = in_our_names(case, _order(case.flow, posted))
    if posted.sender and order.sender == agent:
        return True
    mine = _may_send_type(case.flow, order.type, agent)
    return mine and (not posted.sender or not _may_send_type(case.flow, order.type, order.sender))


def _may_send_type(flow: Flow, kind: str, agent: str) -> bool:
    rule = flow.messages.get(kind)
    return rule is not None and any(may_send(flow, kind, agent, to) for to in rule.receivers)


def _rejects(case: Case, posted: Posted) -> bool:
    """Is it what the run was handed, and refuses?"""
    to = in_our_names(case, _order(case.flow, posted)).to
    return posted.status == "rejected" and case.run is not None and to == case.run.agent and not _is_own(case, posted)


def _was_handed(case: Case, posted: Posted) -> bool:
    """Is it on the board already: what the run was handed, or what it has sent itself?"""
    assert case.run is not None
    order = in_our_names(case, _order(case.flow, posted))
    if _rejects(case, posted):
        return False  # that it is refused stands nowhere else, nor why
    return order.to == case.run.agent or any(_repeats(message, order) for message in case.messages.values())


def _repeats(message: Message, order: SendMessage) -> bool:
    told: tuple[Any, ...] = (message.type, message.sender, message.to, message.payload)
    return message.id == order.message_id or told == (order.type, order.sender, order.to, order.payload)
