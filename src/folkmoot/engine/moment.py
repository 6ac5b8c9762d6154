"""The store's clock: seconds that go on over reboots and never go back. Wall time is only shown (R-29)."""

from msgspec import Struct

from folkmoot.core.events import Clock as ClockRow
from folkmoot.core.flow import LEASE_MAX
from folkmoot.engine.clock_and_ids import Clock
from folkmoot.store.port import BoardHead

BACK_MAX = 1.0  # seconds by which the machine's clock may be behind the store's before it counts as set back


class Moment(Struct, frozen=True, gc=False):
    now: float
    at: int
    restarted: ClockRow | None  # set when the machine was started again since the last write, or its clock went back


def moment(clock: Clock, head: BoardHead) -> Moment:
    boot, up = clock.boot()
    if boot == head.boot and up + head.offset >= head.time - BACK_MAX:
        return Moment(max(head.time, up + head.offset), clock.wall(), None)
    # Somebody with a clock far ahead has written, or this machine was set back to an earlier state: the store's clock
    # goes on from where it stands. If it waited for the other one to catch up, no lease and no pause would end.
    now = head.time if boot == head.boot else head.time + LEASE_MAX
    return Moment(now, clock.wall(), ClockRow(boot=boot, offset=now - up))
