"""The board as a screen that is drawn again and again: a strip with what a person wants to know first, then it."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from folkmoot.api.pages import BoardStatus
from folkmoot.api.screen import BoardView, Card
from folkmoot.api.views import QuestionView
from folkmoot.core.flow import END, Flow
from folkmoot.core.rules.running.spending import at_least
from folkmoot.doors.cli.render.board import board as columns
from folkmoot.doors.cli.render.page import AGENT, BAD, CARE, GOOD, QUIET, Page, Part, one_line

OPTIONS = 9  # that one key can choose
KEYS = "q ends it"
KEYS_ASKED = "1-{numbers} answers {question}, a in words, q ends it"
KEYS_WORDS = "a answers {question}, q ends it"
LAST = 2  # columns before the end: what is at work there lands next


def frame(page: Page, view: BoardView, status: BoardStatus, flow: Flow, foot: Part, height: int) -> list[str]:
    """The lines of a screen, none wider than it and no more than fit."""
    head = _drawn(page, lambda: _strip(page, view, status, flow))[: max(1, height - 2)]
    # Its questions stand in the strip already.
    quiet = replace(view, questions=[])
    body = _drawn(page, lambda: columns(quiet, flow, page, held=lambda: []))
    room = max(0, height - len(head) - 1)
    if len(body) > room:
        more = len(body) - max(0, room - 1)
        body = [*body[: max(0, room - 1)], *_drawn(page, lambda: page.row((f"{more} lines more: moot board", QUIET)))]
        body = body[:room]
    return [*head, *body, *[""] * (room - len(body)), *_drawn(page, lambda: page.row(foot))]


def keys(asked: QuestionView | None) -> Part:
    """What can be pressed now; `asked` is the question that can be answered."""
    numbers = min(len(asked.options), OPTIONS) if asked is not None else 0
    words = KEYS if asked is None else KEYS_ASKED if numbers else KEYS_WORDS
    return words.format(numbers=numbers, question=asked.id if asked is not None else ""), QUIET


def typing(prompt: str) -> Part:
    return prompt, CARE


def _drawn(page: Page, draw: Callable[[], None]) -> list[str]:
    with page.console.capture() as drawn:
        draw()
    return drawn.get().rstrip("\n").split("\n")


def _strip(page: Page, view: BoardView, status: BoardStatus, flow: Flow) -> None:
    """Who needs a person, and whether anything moves."""
    asked = view.questions
    if asked:
        first = asked[0]
        lead: list[Part] = [(f"Needs you ({len(asked)}) ", CARE), (f"{first.id} #{first.task_id} ", "bold")]
        page.row(*lead, one_line(first.question))
        for number, option in enumerate(first.options[:OPTIONS], 1):
            page.row("  ", (str(number), CARE), f" {one_line(option.option)}")
    else:
        page.row(("Nobody waits for you", GOOD))
    parts: list[Part] = [(f"{len(view.runs)} working" if view.runs else "nobody works", AGENT if view.runs else QUIET)]
    coming = next_landing(view.items, flow)
    parts += [f" · next landing #{coming.id}"] if coming is not None else []
    today = status.today
    parts += [(f" · {today.landed} landed today", GOOD)] if today.landed else []
    if today.cost_usd is not None:
        parts.append(f" · {at_least(today.cost_usd, today.unpriced)} today")
    elif today.runs:
        parts.append((" · cost of today unknown", QUIET))
    parts += [(" · paused", BAD)] if view.pauses else []
    page.row(*parts)


def next_landing(items: Sequence[Card], flow: Flow) -> Card | None:
    """Of what is at work, the item that is farthest on its way."""
    last = [name for name in flow.stages() if name != END][-LAST:]
    going = [item for item in items if item.status in ("running", "proving") and item.column in last]
    return max(going, key=lambda item: (last.index(item.column), -int(item.id)), default=None)
