"""Waiting for a path that others hold: try again until it is free or the time is over (H-06)."""

from collections.abc import Callable
from typing import TypeVar

from folkmoot.engine.application import Boards
from folkmoot.errors import Refused

Result = TypeVar("Result")
STEP = 0.2  # seconds between two tries; what is waited for is mostly short


def patiently(boards: Boards, wait: float, attempt: Callable[[], Result]) -> Result:
    """What the attempt gives, made again while it is refused because others hold a path."""
    left = wait
    while True:
        try:
            return attempt()
        except Refused as error:
            if error.code != "path_held":
                raise
            if left <= 0:
                error.message += f", and still was after {wait:g}s" if wait else ""
                raise
        boards.pause(min(STEP, left))
        left -= STEP
