"""Messages: who hands what to whom, and how far that is."""

import json
from typing import Any

from folkmoot.api.views import MessageView
from folkmoot.doors.cli.render.page import BAD, CARE, COMMAND, GOOD, QUIET, Page, Part, one_line, when, who

View = dict[str, Any]
STYLES = {"pending": CARE, "accepted": "bold", "completed": GOOD, "rejected": BAD}
PAYLOAD_CELLS = 300


def told(message: MessageView, done: str) -> None:
    """What became of one message."""
    page = Page()
    page.line((f"{message.message_id} {done}", "bold"))
    _lines(page, message)
    if message.note:
        page.line((one_line(message.note), CARE), indent=4)


def messages(found: list[MessageView], *, chosen: bool) -> None:
    """Every message; `chosen`: of some only, so that there may be others."""
    page = Page()
    more: list[Part] = [" All of them: ", ("moot messages", COMMAND)] if chosen else []
    if not found:
        page.line(("No message is like that." if chosen else "No message was sent yet.", QUIET), *more)
    for message in found:
        page.line((message.message_id, "bold"), (f"  {_sent(message)}", QUIET))
        _lines(page, message)


def loose_messages(page: Page, found: list[MessageView], *, whole: bool = False) -> None:
    """Messages about no item: for whom they wait, and how they are taken up; `whole`: and what they say."""
    if found:
        page.blank()
    for message in found:
        label = page.text(("> " if page.ascii else "✉ ", CARE))
        words = f"{one_line(message.type)} from {one_line(message.sender)} waits for {one_line(message.to)}"
        page.labelled(label, (words + round_of(message.payload), CARE), indent=1, gap=0)
        if whole:
            _payload(page, message, indent=3)
        take = f"moot accept {message.message_id} --as {one_line(message.to)}"
        page.line(("in its next brief; or take it up now: ", QUIET), (take, COMMAND), indent=3)


def round_of(payload: View) -> str:
    """The sender's own count, as the pipeline document has it: `round 2 of 3`, and which phase it is."""
    phase, number, most = (_number(payload.get(name)) for name in ("phase", "round", "max_rounds"))
    told = [phase if phase.lower().startswith("phase") or not phase else f"phase {phase}"]
    told.append(
        f"round {number}" + (f" of {most}" if most else "") if number else f"at most {most} rounds" if most else ""
    )
    words = ", ".join(filter(None, told))
    return f", {words}" if words else ""


def _number(value: Any) -> str:
    """A number, or words in its place."""
    return one_line(str(value)) if isinstance(value, int | float | str) and not isinstance(value, bool) else ""


def _sent(message: MessageView) -> str:
    try:
        return when(message.timestamp)
    except ValueError:  # the sender's own words, which need not be a moment
        return one_line(message.timestamp)


def _lines(page: Page, message: MessageView) -> None:
    about = f" about #{message.item}" if message.item else ""
    parts: list[Part] = [who(one_line(message.sender)), " → ", who(one_line(message.to)), "  "]
    parts += [(one_line(message.type), "bold"), f"{about}, ", (message.status, STYLES[message.status])]
    parts.append((round_of(message.payload), QUIET))
    page.line(*parts, indent=2, hang=2)
    if message.why:
        page.line((one_line(message.why), BAD), indent=4)
    _payload(page, message, indent=4)


def _payload(page: Page, message: MessageView, indent: int) -> None:
    if message.payload:
        words = one_line(json.dumps(message.payload, ensure_ascii=False))
        shown = page.text((words, QUIET))
        page.line(shown if page.is_whole else page.cut(shown, PAYLOAD_CELLS), indent=indent)
