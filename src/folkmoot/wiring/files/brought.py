"""A board that came as a log, or as a backup where there was none: whoever made that says what is run on it.

To look at such a board is to start nothing. So a server that sees to gates and landings leaves them alone until its
user has said `moot run` here once. A file of the board says that nobody has.
"""

import os
from contextlib import suppress

from folkmoot.wiring.reading import write_new

BROUGHT = "board.db-brought"  # by its name git ignores it, and no backup takes it along
NOT_BEGUN = (
    "gates and landings are not seen to: this board was brought here from elsewhere, and its flow says what they run. "
    "Look at it (moot call flow); moot run begins, and after that this does too, when it is started again"
)


def note_brought(home: str) -> None:
    write_new(os.path.join(home, BROUGHT), "")


def begin_here(home: str) -> None:
    """The user has said so."""
    with suppress(FileNotFoundError):
        os.unlink(os.path.join(home, BROUGHT))


def has_begun(home: str) -> bool:
    return not os.path.lexists(os.path.join(home, BROUGHT))
