"""Items and briefs as resources, for clients that read them. No tool needs one."""

import threading
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from folkmoot.api import requests
from folkmoot.doors.mcp import lean
from folkmoot.doors.mcp.caller import Caller
from folkmoot.doors.mcp.words import text_of
from folkmoot.errors import Invalid

if TYPE_CHECKING:
    from folkmoot.doors.mcp.desk import Desk

ITEM, RUN, BRIEF = "moot://item/", "moot://run/", "/brief"
# Address, name, and what it is, of each kind.
TEMPLATES = (
    (f"{ITEM}{{item}}", "item", "An item of the board, by its number."),
    (f"{RUN}{{run}}{BRIEF}", "brief", "What a run of yours was told, by the run that claim named."),
)
BRIEFS_MAX = 200


class Briefs:
    """What the runs that were claimed here were told, the latest ones."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._texts: dict[str, str] = {}

    def keep(self, run: str, text: str) -> None:
        with self._guard:
            self._texts[run] = text
            while len(self._texts) > BRIEFS_MAX:
                del self._texts[next(iter(self._texts))]

    def get(self, run: str) -> str | None:
        with self._guard:
            return self._texts.get(run)


def listed(desk: "Desk", caller: Caller) -> list[dict[str, Any]]:
    """The first items that have not ended."""
    page = desk.asked_by(caller)(requests.ListItems(open=True))
    return [
        {"uri": f"{ITEM}{quote(item.id)}", "name": f"item {item.id}", "title": item.title, "mime_type": "text/plain"}
        for item in page.items[: lean.ITEMS_MAX]
    ]


def read(desk: "Desk", caller: Caller, uri: str) -> str:
    """The text of a resource; a brief only for whoever proves to be its run."""
    if uri.startswith(ITEM):
        return text_of(lean.item(desk.asked_by(caller)(requests.Show(item=unquote(uri.removeprefix(ITEM))))))
    if uri.startswith(RUN) and uri.endswith(BRIEF):
        named = unquote(uri.removeprefix(RUN).removesuffix(BRIEF))
        actor = desk.run_of(caller, named)
        own = caller.role != "run" or named == actor.run
        text = desk.briefs.get(actor.run or "") if own else None
        if text is not None:
            return text
    known = [address for address, _, _ in TEMPLATES]
    raise Invalid("unknown_resource", "there is nothing at {uri}", "addresses: {known}", uri[:200], known)
