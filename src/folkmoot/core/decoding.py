"""The kinds of value that words from outside are read as.

msgspec works out how to read a kind when it is first needed, and two threads that need it at once can bring the whole
process down. So that is done here, one at a time; afterwards any number of threads may read.
"""

from _thread import allocate_lock
from collections.abc import Callable
from typing import Any

import msgspec

_making = allocate_lock()
# Making one costs more than using it a hundred times, and one command needs few of them.
_readers: dict[Any, Callable[..., Any]] = {}


def reader(kind: Any) -> Callable[..., Any]:
    """What reads JSON as this kind."""
    known = _readers.get(kind)
    if known is None:
        with _making:
            known = _readers[kind] = msgspec.json.Decoder(kind).decode
    return known


def converted(value: Any, kind: Any) -> Any:
    """A value that was read already, as this kind."""
    reader(kind)
    return msgspec.convert(value, kind)
