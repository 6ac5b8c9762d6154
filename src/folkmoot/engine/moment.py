"""The store's clock: seconds that go on over reboots and never go back. Wall time is only shown (R-29)."""

from msgspec import Struct

from folkmoot.core.events import Clock as ClockRow
from folkmoot.core.flow import LEASE_MAX
from folkmoot.engine.ports import Clock
from folkmoot.store.base import BoardHead


class Moment(Struct, frozen=True, gc=False):
    now: float
    at: int
    restarted: ClockRow | None  # set when the machine was started again since the last write


def moment(clock: Clock, head: BoardHead) -> Moment:
    boot, up = clock.boot()
    if boot == head.boot:
        return Moment(max(head.time, up + head.offset), clock.wall(), None)
    now = head.time + LEASE_MAX
    return Moment(now, clock.wall(), ClockRow(boot=boot, offset=now - up))
