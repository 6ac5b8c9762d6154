"""Where the log ends now."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from folkmoot.engine.queries import Queries


def end_of_log(queries: "Queries") -> int:
    """The number of the last event, found in few looks however long the log is."""

    def is_after(seq: int) -> bool:
        return bool(queries.log(seq, limit=1)["events"])

    low, high = 0, 1
    while is_after(high):
        low, high = high, high * 2
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if is_after(middle) else (low, middle)
    return low
