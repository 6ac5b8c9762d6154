"""A board that came as a log, or as a backup of another: whoever made that says what is run on it, and where it asks.

To look at such a board is to start nothing, to ask no address that its flow names, and to give no token away. All that
does any of these asks here first. A file of the board says that its user has not said `moot run` here yet.
"""

import os
from contextlib import suppress

from folkmoot.errors import Refused
from folkmoot.wiring.reading import write_new

BROUGHT = "board.db-brought"  # by its name git ignores it, and no backup takes it along
NOT_BEGUN = (
    "gates and landings are not seen to: this board was brought here from elsewhere, and its flow says what they run. "
    "Look at it (moot call flow); moot run begins, and after that this does too, when it is started again"
)


def check_begun(home: str) -> None:
    """Refuse to use anything of its flow before its user says so."""
    if not has_begun(home):
        words = "this board was brought here from elsewhere, and nothing of its flow is used before you say so"
        raise Refused("brought_board", words, "look at its flow (moot call flow), then: moot run")


def note_brought(home: str) -> None:
    write_new(os.path.join(home, BROUGHT), "")


def begin_here(home: str) -> None:
    """The user has said so."""
    with suppress(FileNotFoundError):
        os.unlink(os.path.join(home, BROUGHT))


def has_begun(home: str) -> bool:
    return not os.path.lexists(os.path.join(home, BROUGHT))
