"""Messages: who hands what to whom, and how far that is."""

import json
from typing import Any

from folkmoot.doors.cli.say.page import BAD, CARE, COMMAND, GOOD, QUIET, Page, Part, one_line, when, who

View = dict[str, Any]
STYLES = {"pending": CARE, "accepted": "bold", "completed": GOOD, "rejected": BAD}
PAYLOAD_CELLS = 300


def told(message: View, done: str) -> None:
    """What became of one message."""
    page = Page()
    page.line((f"{message['message_id']} {done}", "bold"))
    _lines(page, message)
    if message.get("note"):
        page.line((one_line(message["note"]), CARE), indent=4)


def messages(found: list[View], *, chosen: bool) -> None:
    """Every message; `chosen`: of some only, so that there may be others."""
    page = Page()
    more: list[Part] = [" All of them: ", ("moot messages", COMMAND)] if chosen else []
    if not found:
        page.line(("No message is like that." if chosen else "No message was sent yet.", QUIET), *more)
    for message in found:
        page.line((message["message_id"], "bold"), (f"  {_sent(message)}", QUIET))
        _lines(page, message)


def _sent(message: View) -> str:
    try:
        return when(message["timestamp"])
    except ValueError:  # the sender's own words, which need not be a moment
        return one_line(message["timestamp"])


def _lines(page: Page, message: View) -> None:
    about = f" about #{message['item']}" if message["item"] else ""
    parts: list[Part] = [who(one_line(message["from"])), " → ", who(one_line(message["to"])), "  "]
    parts += [(one_line(message["type"]), "bold"), f"{about}, ", (message["status"], STYLES[message["status"]])]
    page.line(*parts, indent=2, hang=2)
    if message["why"]:
        page.line((one_line(message["why"]), BAD), indent=4)
    if message["payload"]:
        words = one_line(json.dumps(message["payload"], ensure_ascii=False))
        shown = page.text((words, QUIET))
        page.line(shown if page.is_whole else page.cut(shown, PAYLOAD_CELLS), indent=4)
