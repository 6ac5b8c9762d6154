"""Which folder a board is in."""

import os

from folkmoot.errors import Unavailable
from folkmoot.wiring.reading import check_owner

FOLDER = ".moot"
STORE = "board.db"
ADDRESS = "board.db-address"  # in place of a store: the address of the board on a server, without its password
# What the board makes for itself in its folder. Git passes over it, and no backup carries it: everything else there is
# the user's, and travels. Tokens are among it, so one list says both.
OWN = (
    f"{STORE}*",
    "repo.git",
    "repo.git.*",
    "look-*",
    "runs",
    "cache",
    "spares",
    "setups",
    "salvage-*",
    "writer.lock",
    "notified*",
    "digested*",
    "backups",
    "set-aside",
    "mirror",
    "access",
    "traced*",
    "forge.*",
    "issues.*",
)


def find(board_dir: str | None) -> str:
    """The folder `.moot` of the board that is meant: the named one, or the nearest above."""
    if board_dir is not None:
        if "://" in board_dir:
            from folkmoot.wiring.files.on_server import folder_for

            return folder_for(board_dir)
        for candidate in (board_dir, os.path.join(board_dir, FOLDER)):
            if os.path.basename(os.path.abspath(candidate)) == FOLDER and has_board(candidate):
                return candidate
        raise Unavailable("no_board", "there is no board at {place}", "make one: cd {place} && <init>", board_dir)
    folder = os.getcwd()
    while not has_board(os.path.join(folder, FOLDER)):
        above = os.path.dirname(folder)
        if above == folder:
            raise Unavailable("no_board", "no board here or in any folder above", "make one: <init>")
        folder = above
    home = os.path.join(folder, FOLDER)
    check_owner([home, *(path for name in (STORE, ADDRESS) if os.path.exists(path := os.path.join(home, name)))])
    return home


def has_board(home: str) -> bool:
    """Whether a store is there, or the address of one."""
    return os.path.exists(os.path.join(home, STORE)) or os.path.exists(os.path.join(home, ADDRESS))


def find_lost(board_dir: str | None, file: str | None) -> str:
    """The folder of the board to be brought back. Its store may be gone; with a backup it may all be gone."""
    try:
        return find(board_dir)
    except Unavailable:
        folder = os.path.abspath(board_dir or os.curdir)
        home = folder if os.path.basename(folder) == FOLDER else os.path.join(folder, FOLDER)
        needed = os.path.join(home, "backups") if file is None else os.path.dirname(home)
        if not os.path.isdir(needed):
            raise
        return home
