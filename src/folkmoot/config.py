"""Settings, read once from the environment; a command's options come before them."""

from collections.abc import Mapping

from msgspec import Struct

DIGITS_MAX = 19  # no token has so many


class Settings(Struct, frozen=True):
    board: str | None = None  # MOOT_BOARD: where the board is
    run: str | None = None  # MOOT_RUN, MOOT_TOKEN: this process is part of a run, and speaks for it
    token: int | None = None
    taken: str | None = None  # MOOT_TAKEN: that run is a person's, who works in its clone
    socket: str | None = None  # MOOT_SOCKET: inside a run, the only way to its board
    user: str = "someone"


def read_settings(environment: Mapping[str, str]) -> Settings:
    token = environment.get("MOOT_TOKEN", "")
    return Settings(
        board=environment.get("MOOT_BOARD") or None,
        run=environment.get("MOOT_RUN") or None,
        token=int(token) if token.isdecimal() and len(token) < DIGITS_MAX else None,
        taken=environment.get("MOOT_TAKEN") or None,
        socket=environment.get("MOOT_SOCKET") or None,
        user=environment.get("USER") or environment.get("LOGNAME") or "someone",
    )
