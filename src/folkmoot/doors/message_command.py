"""From an envelope that was read to the request that sends it."""

from typing import Any

from folkmoot.api.requests import Dispatch, SendMessage
from folkmoot.core.enums import MESSAGE_STATUSES
from folkmoot.errors import Invalid
from folkmoot.reports.envelope import Envelope


def order_to_send(said: Envelope) -> SendMessage:
    """Whoever sends a message cannot say how it ends."""
    if said.status not in (None, MESSAGE_STATUSES[0]):
        words = "status: a message that is sent is pending, not {status}"
        hint = "status is the message's own state: leave it out. How the work went goes into payload.status, or is "
        raise Invalid("bad_message", words, hint + "the run's report: <report>", said.status)
    return SendMessage(
        sender=said.sender,
        to=said.to,
        type=said.type,
        message_id=said.message_id,
        sent_at=said.timestamp,
        schema_version=said.schema_version,
        priority=said.priority,
        payload=said.payload,
        context=said.context,
    )


def order_to_dispatch(agent: str, task: str, purpose: str) -> Dispatch:
    """The request that gives an agent a small thing to do, in plain words or as the documents write it in JSON."""
    from folkmoot.reports.loose.posted import dispatched

    # What is no text at all is refused by the rules, as in any other command.
    words = dispatched(agent, task) if isinstance(task, str) else task
    return Dispatch(agent=agent, task=words, purpose=purpose)


def envelope(message: dict[str, Any], *, in_run: bool) -> SendMessage:
    """The request that sends a message as a program wrote it."""
    from folkmoot.reports.envelope import check_message

    return order_to_send(check_message(message, in_run=in_run))
