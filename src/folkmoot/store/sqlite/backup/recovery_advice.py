"""What can be done about a board that is not sound, as its own log and its backups allow."""

from contextlib import suppress
from typing import Any

from folkmoot.errors import MootError
from folkmoot.store.codec import link
from folkmoot.store.sqlite import faults
from folkmoot.store.sqlite.backup import log
from folkmoot.store.sqlite.session import QUERIES

NOTHING = "nothing of its log can be read, and there is no backup: keep a copy of its folder"


def way_back(path: str) -> tuple[str, dict[str, Any]]:
    """What makes the board sound again, with as little lost as can be; and with what."""
    backup, seq, last = faults.newest_backup(path), 0, 0
    with suppress(MootError):  # a log that cannot be read is no way back
        seq, last = last_whole(path)
    lost = "nothing is lost" if seq == last else "what came after event {seq} is lost"
    own = f"<restore at=seq> makes the board anew from its own log; {lost}" if seq else ""
    if backup is not None:
        newest = "go back to the newest backup: <restore backup>"
        return f"{newest}; or {own}" if own else newest, {"backup": backup, "seq": seq}
    return f"there is no backup of it, but {own}" if own else NOTHING, {"seq": seq}


def last_whole(path: str) -> tuple[int, int]:
    """The last event to which the board can go back: all up to it are as they were written. And the last of all."""
    seq, chain = 0, b""
    with log.reading(path) as connection:
        last = log.head_of(connection)[0]
        found: Any = connection.execute(QUERIES["links"], (0, last))
        with suppress(*faults.STORE_FAULTS):  # from there on nothing can be read
            for *columns, body, told in found:
                if columns[0] != seq + 1 or not isinstance(body, str):
                    break
                if link(chain, tuple(columns), body.encode()) != told:
                    break
                seq, chain = seq + 1, told
        return (log.cut(connection, seq) if seq else 0), last
