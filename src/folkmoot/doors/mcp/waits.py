"""Waiting until something happens: never for a person, and never for long."""

from typing import TYPE_CHECKING, Any

from folkmoot.api import requests
from folkmoot.api.call import Ask
from folkmoot.api.views import QuestionView
from folkmoot.core.enums import ENDED
from folkmoot.core.vocabulary.actor import Actor
from folkmoot.doors.mcp import lean
from folkmoot.doors.waiting import Waiting
from folkmoot.errors import Invalid

if TYPE_CHECKING:
    from folkmoot.engine.application import Application

Data = dict[str, Any]
LAST = 2**63 - 1
EVENTS_READ = 1000


class Waiter:
    def __init__(self, board: "Application") -> None:
        self._board = board
        self.over = False  # nobody listens any more: whoever waits is let go

    def last(self, ask: Ask) -> int:
        """The number of the board's last event."""
        return ask(requests.ReadLog(after=LAST, limit=1)).last

    def after_own(self, ask: Ask, before: int, actor: Actor) -> int:
        """The number of the last event of what the actor has just done. An event of another's that came before it or in
        between was not seen."""
        seen = before
        for event in ask(requests.ReadLog(after=before, limit=EVENTS_READ)).events:
            if (event.run or event.agent) != (actor.run or actor.name):
                break
            seen = event.seq
        return seen

    def wait(self, ask: Ask, item: str, question: str, seen: int, seconds: float) -> Data:
        """Where the item, the question or the board stands, once that has changed or the time is over."""
        waiting = Waiting(self._board, seconds)
        after = min(seen, LAST) or self.last(ask)
        while True:
            is_over = self._is_over(
                ask, item, question
            )  # before the log is read: what ended it is then in what is read
            page = ask(requests.ReadLog(after=after, item=item or None, limit=EVENTS_READ))
            after = max(after, page.next)
            found = [one for one in page.events if one.event not in lean.QUIET]
            if is_over or (found and not question) or waiting.left <= 0 or self.over:
                break
            waiting.sleep()
        state = self._state(ask, item, question)
        changed = bool(found) if not question else state.get("state") != "open"
        return {"changed": changed, **lean.without_empty({"happened": lean.events(found)}), **state, "seen": after}

    def _is_over(self, ask: Ask, item: str, question: str) -> bool:
        """Is there nothing to wait for: the question is answered, the item has ended?"""
        if question:
            return _asked(ask, question, item).state != "open"
        return bool(item) and ask(requests.Show(item=item)).status in ENDED

    def _state(self, ask: Ask, item: str, question: str) -> Data:
        if question:
            return lean.question(_asked(ask, question, item))
        if item:
            view = ask(requests.Show(item=item))
            open_ones = [lean.question(one) for one in view.questions if one.state == "open"]
            people = [said.text for said in view.said if said.heard is None]
            return lean.without_empty({**lean.state(view), "questions": open_ones, "people_say": people})
        status = ask(requests.ShowStatus())
        return lean.without_empty({"counts": {name: count for name, count in status.counts.items() if count}})


def _asked(ask: Ask, question: str, item: str) -> QuestionView:
    """A question, answered or not: an open one is found on the board, another on its item."""
    found = {one.id: one for one in ask(requests.ListQuestions()).questions}
    if question in found:
        return found[question]
    of_item = ask(requests.Show(item=item)).questions if item else []
    known = next((one for one in of_item if one.id == question), None)
    if known is None:
        words = "there is no open question {question}"
        raise Invalid("unknown_question", words, "give its <.item> too: an answer stands there", question)
    return known
