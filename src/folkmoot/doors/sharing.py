"""What programs share with others on a board: locks, messages, and small things to do."""

from collections.abc import Sequence
from typing import Any, TypeVar

from folkmoot.api.call import Ask
from folkmoot.api.requests import (
    AcceptMessage,
    CompleteMessage,
    ListLocks,
    ListMessages,
    Lock,
    RejectMessage,
    Request,
    Unlock,
)
from folkmoot.api.views import HoldView, ItemView, MessageView
from folkmoot.core.commands import Actor
from folkmoot.core.input_limits import check_words, checked_key, checked_name
from folkmoot.core.rules.sharing.holds import LOCK_SECONDS
from folkmoot.doors.message_command import envelope, order_to_dispatch
from folkmoot.doors.waiting import patiently
from folkmoot.engine.application import Application

View = dict[str, Any]
Answer = TypeVar("Answer")


class Sharing:
    """A part of the class Board."""

    _application: Application
    _ask: Ask

    def ask(self, request: Request[Answer], key: str | None = None) -> Answer:
        raise NotImplementedError

    def lock(
        self, *paths: str, seconds: float = LOCK_SECONDS, wait: float = 0.0, key: str | None = None
    ) -> Sequence[HoldView]:
        """Keep others off these paths, all or none; gives every hold in force. Raises Refused if others hold one.

        >>> [hold.resource for hold in board.lock("docs/", seconds=600)]
        ['docs/']
        """
        request = Lock(paths=list(paths), seconds=seconds)
        return patiently(self._application, wait, lambda: self.ask(request, key)).locks

    def unlock(self, *paths: str, key: str | None = None) -> Sequence[HoldView]:
        """Give up a lock; gives the holds that are left.

        >>> _ = board.lock("docs/")
        >>> board.unlock("docs/")
        []
        """
        return self.ask(Unlock(paths=list(paths)), key).locks

    def locks(self) -> Sequence[HoldView]:
        """Every hold on paths that is in force.

        >>> board.locks()
        []
        """
        return self._ask(ListLocks()).locks

    def send(self, message: View, *, key: str | None = None) -> MessageView:
        """Send an envelope: `from`, `to` and `type` are needed; gives it as it was taken in.

        >>> team.send({"from": "planner", "to": "builder", "type": "task_handoff", "payload": {}}).status
        'pending'
        """
        return self.ask(envelope(message, in_run=False), key)

    def messages(self, *, to: str | None = None, status: str | None = None) -> Sequence[MessageView]:
        """Messages, in the order they were sent.

        >>> _ = team.send({"from": "planner", "to": "builder", "type": "task_handoff", "payload": {}})
        >>> [message.type for message in team.messages(to="builder")]
        ['task_handoff']
        """
        check_words(to=to, status=status)
        return self._ask(ListMessages(to=to, status=status)).messages

    def accept(self, message: str, *, agent: str | None = None, key: str | None = None) -> MessageView:
        """Accept a message as its receiver: `agent` says for whom this program speaks.

        >>> sent = team.send({"from": "planner", "to": "builder", "type": "task_handoff", "payload": {}})
        >>> team.accept(sent.message_id, agent="builder").status
        'accepted'
        """
        ask = self._ask if agent is None else self._application.asked_by(Actor(checked_name(agent)))
        return ask(AcceptMessage(message=message), checked_key(key))

    def complete(self, message: str, *, key: str | None = None) -> MessageView:
        """Complete a message that was accepted.

        >>> sent = team.send({"from": "planner", "to": "builder", "type": "task_handoff", "payload": {}})
        >>> _ = team.accept(sent.message_id, agent="builder")
        >>> team.complete(sent.message_id).status
        'completed'
        """
        return self.ask(CompleteMessage(message=message), key)

    def reject(self, message: str, why: str, *, key: str | None = None) -> MessageView:
        """Reject a message, and say why.

        >>> sent = team.send({"from": "planner", "to": "builder", "type": "task_handoff", "payload": {}})
        >>> team.reject(sent.message_id, "not for me").why
        'not for me'
        """
        return self.ask(RejectMessage(message=message, why=why), key)

    def dispatch(self, agent: str, task: str, *, purpose: str = "fix", key: str | None = None) -> ItemView:
        """Give an agent a small thing to do; gives the new item.

        >>> board.dispatch("coder", "mend the link in README.md").kind
        'dispatch'
        """
        return self.ask(order_to_dispatch(agent, task, purpose), key)
