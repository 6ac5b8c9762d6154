"""Landed work that its branch does not hold any more, as it is told before a run."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from folkmoot.api.machine import Look
from folkmoot.wiring.looking.lost import lost_landings

if TYPE_CHECKING:
    from folkmoot.engine.application import Application

ITEMS_SHOWN = 3


def lost_looks(application: "Application") -> Iterator[Look]:
    """One line for all of it. Runs can begin all the same: whoever moved the branch back may have meant it."""
    lost = lost_landings(application)
    if not lost:
        return
    names = ", ".join(f"#{one.item}" for one in lost[:ITEMS_SHOWN])
    more = f" and {len(lost) - ITEMS_SHOWN} more" if len(lost) > ITEMS_SHOWN else ""
    branch = lost[0].branch
    words = f"{names}{more} landed on {branch}, and {branch} does not have that work any more"
    last = [one for one in lost if one.last]
    act = f"{last[0].brings_back} brings it back; or moot reopen {lost[0].item} has it made again"
    if len(last) > 1:
        act = "moot doctor names the command for each; moot reopen has one made again"
    yield Look(look="branch", state="note", about=branch, words=words, next=act)
