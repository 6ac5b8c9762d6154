"""What a value could be: ids, names and paths from the board that the line is about.

Which parameter takes what stands here in one place, so that commands need not know that they are completed.
"""

import os
from collections.abc import Callable, Iterator
from copy import copy
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from folkmoot.api.call import Ask
from folkmoot.api.requests import (
    ListComments,
    ListItems,
    ListLocks,
    ListMessages,
    ListQuestions,
    ListRuns,
    ReadLog,
    ShowFlow,
)
from folkmoot.api.screen import ListWorkers
from folkmoot.core.enums import ENDED
from folkmoot.doors.cli.session import READER, Session, plain

if TYPE_CHECKING:
    from folkmoot.api.views import ItemSummary

Offer = tuple[str, str]  # a value, and what helps to choose it
HELP_MAX = 60
EVENTS_BACK = 1000  # so far back runs are looked for
ITEMS_MAX = 5000


class Offered(click.types.StringParamType):
    """A value that is one of those on the board, for whoever types it."""

    def __init__(self, offers: Callable[[Ask], Iterator[Offer]]) -> None:
        self._offers = offers

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        session: Session = ctx.find_root().obj
        board_dir = os.path.expanduser(session.board_dir) if session.board_dir else None
        board = session.boards.open(board_dir)  # its notes are for another time
        try:
            offers = dict(offer for offer in self._offers(board.asked_by(READER)) if is_word(offer[0]))
        finally:
            board.close()
        return _starting(offers, incomplete)


class Ways(click.types.StringParamType):
    """The options of the question that stands before it, by number."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        def options(ask: Ask) -> Iterator[Offer]:
            asked = (one for one in ask(ListQuestions()).questions if one.id == ctx.params.get("question"))
            for question in asked:
                for number, option in enumerate(question.options, start=1):
                    yield str(number), option.option

        return Offered(options).shell_complete(ctx, param, incomplete)


class Preset(click.types.StringParamType):
    """A flow that comes along; no board is needed."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from folkmoot.flows.preset import preset_names

        return _starting(dict.fromkeys(preset_names(), ""), incomplete)


def _starting(offers: dict[str, str], incomplete: str) -> list[CompletionItem]:
    return [
        CompletionItem(value, help=_short(words) or None)
        for value, words in offers.items()
        if value.startswith(incomplete)
    ]


def is_word(value: str) -> bool:
    """Does every shell take it as it stands? What others named may hold what a shell would carry out."""
    return value[:1] not in ("", "-", "~") and all(letter.isalnum() or letter in "_.@%+/-" for letter in value)


def _short(words: str) -> str:
    safe = " ".join(plain(words).split())
    return safe if len(safe) <= HELP_MAX else f"{safe[: HELP_MAX - 1]}…"


def _listed(ask: Ask) -> "Iterator[ItemSummary]":
    following: int | None = 0
    while following is not None and following < ITEMS_MAX:
        page = ask(ListItems(after=following))
        yield from page.items
        following = page.next


def items(ask: Ask) -> Iterator[Offer]:
    return ((item.id, item.title) for item in _listed(ask))


def open_items(ask: Ask) -> Iterator[Offer]:
    return ((item.id, item.title) for item in _listed(ask) if item.status not in ENDED)


def parked_items(ask: Ask) -> Iterator[Offer]:
    return ((item.id, item.title) for item in _listed(ask) if item.status == "parked")


def ended_items(ask: Ask) -> Iterator[Offer]:
    return ((item.id, item.title) for item in _listed(ask) if item.status in ENDED)


def tags(ask: Ask) -> Iterator[Offer]:
    return ((tag, "") for item in _listed(ask) for tag in item.tags)


def labels(ask: Ask) -> Iterator[Offer]:
    """Those that workers have now, and those that anything needs."""
    for worker in ask(ListWorkers()).workers:
        yield from ((label, f"{worker.host} has it") for label in worker.labels)
    yield from ((label, "") for item in _listed(ask) for label in item.runs_on)


def columns(ask: Ask) -> Iterator[Offer]:
    for column in ask(ShowFlow()).columns.values():
        yield column.name, ", ".join(column.agents) or ("you" if column.human else "")


def agents(ask: Ask) -> Iterator[Offer]:
    flow = ask(ShowFlow())
    for name in flow.agents:
        yield name, ", ".join(column.name for column in flow.columns.values() if name in column.agents)


def claimers(ask: Ask) -> Iterator[Offer]:
    """Who may claim: agents, and the gates that anybody may play."""
    yield from agents(ask)
    yield from ((gate, "a gate") for gate in ask(ShowFlow()).gates)


def questions(ask: Ask) -> Iterator[Offer]:
    return ((asked.id, f"#{asked.task_id} {asked.question}") for asked in ask(ListQuestions()).questions)


def live_runs(ask: Ask) -> Iterator[Offer]:
    return ((run.run, f"{run.agent} on #{run.item}") for run in ask(ListRuns()).runs)


def runs(ask: Ask) -> Iterator[Offer]:
    """Those at work, then those that have just worked, the newest first."""

    yield from live_runs(ask)
    events = ask(ReadLog(after=max(ask(ReadLog(limit=1)).last - EVENTS_BACK, 0), limit=EVENTS_BACK)).events
    for event in reversed(events):
        if event.run:
            yield event.run, f"{event.agent} on #{event.item}"


def messages(status: str) -> Callable[[Ask], Iterator[Offer]]:
    def offers(ask: Ask) -> Iterator[Offer]:
        for message in ask(ListMessages(status=status)).messages:
            yield message.message_id, f"{message.sender} → {message.to}: {message.type}"

    return offers


def comments(ask: Ask) -> Iterator[Offer]:
    for item in _listed(ask):
        for comment in ask(ListComments(item=item.id)).comments:
            yield comment.id, f"{comment.author}: {comment.content}"


def held(ask: Ask) -> Iterator[Offer]:
    return ((hold.resource, f"held by {hold.agent}") for hold in ask(ListLocks()).locks)


FILE, FOLDER = click.Path(), click.Path(file_okay=False)
# By the name of a parameter; where a command means something else by it, by both.
BY_NAME: dict[str, click.ParamType[Any]] = {
    "item": Offered(items),
    "column": Offered(columns),
    "agent": Offered(agents),
    "agents": Offered(agents),
    "speaker": Offered(agents),
    "question": Offered(questions),
    "run": Offered(live_runs),
    "tag": Offered(tags),
    "tags": Offered(tags),
    "needs": Offered(labels),
    "labels": Offered(labels),
    "preset": Preset(),
    "board": FOLDER,
    "paths": FILE,
    "files": FILE,
    "file": FILE,
    "body": FILE,
    "source": FILE,
    "flow": FILE,
    "population": FILE,
    "run_and_paths": FILE,
    "run_and_file": FILE,
}
BY_COMMAND: dict[tuple[str, str], click.ParamType[Any]] = {
    ("add", "after"): Offered(open_items),
    ("add", "parent"): Offered(open_items),
    ("edit", "after"): Offered(open_items),
    ("edit", "item"): Offered(open_items),
    ("move", "item"): Offered(open_items),
    ("send-back", "item"): Offered(open_items),
    ("cancel", "item"): Offered(open_items),
    ("end", "item"): Offered(open_items),
    ("park", "item"): Offered(open_items),
    ("unpark", "item"): Offered(parked_items),
    ("reopen", "item"): Offered(ended_items),
    ("claim", "item"): Offered(open_items),
    ("claim", "agent"): Offered(claimers),
    ("answer", "answer"): Ways(),
    ("answer", "to"): Offered(columns),
    ("comment", "parent"): Offered(comments),
    ("messages", "to"): Offered(agents),
    ("accept", "message"): Offered(messages("pending")),
    ("reject", "message"): Offered(messages("pending")),
    ("complete", "message"): Offered(messages("accepted")),
    ("output", "item_or_run"): Offered(runs),
    ("salvage", "run"): Offered(runs),
    ("ask", "question"): click.STRING,
    ("unlock", "paths"): Offered(held),
}


def fit(command: click.Command) -> click.Command:
    """The command, with parameters that offer what is on the board; the one that is carried out stays as it is."""
    command = copy(command)
    command.params = [copy(parameter) for parameter in command.params]
    for parameter in command.params:
        name, has_its_own = parameter.name or "", isinstance(parameter.type, click.Choice)
        by_name = None if has_its_own else BY_NAME.get(name)
        parameter.type = BY_COMMAND.get((command.name or "", name)) or by_name or parameter.type
    return command
