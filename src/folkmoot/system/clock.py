"""The real clock and real chance."""

import os
import time

BOOT_ID = "/proc/sys/kernel/random/boot_id"


class SystemClock:
    """Boot time counts sleep too; it and the boot's id rule leases on one machine."""

    def __init__(self) -> None:
        self._boot = "one-boot"  # where no boot has a name, a reboot shows by its clock starting again
        if os.path.exists(BOOT_ID):
            with open(BOOT_ID, encoding="ascii") as file:
                self._boot = file.read().strip()

    def boot(self) -> tuple[str, float]:
        if hasattr(time, "CLOCK_BOOTTIME"):
            return self._boot, time.clock_gettime(time.CLOCK_BOOTTIME)
        return self._boot, time.monotonic()

    def wall(self) -> int:
        return time.time_ns() // 1_000_000


class SystemIds:
    def run(self) -> str:
        return f"r{os.urandom(6).hex()}"

    def message(self) -> str:
        return os.urandom(16).hex()

    def jitter(self) -> float:
        return int.from_bytes(os.urandom(4), "big") / 2**32
