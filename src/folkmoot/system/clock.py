"""The real clock and real chance."""

import os
import time

OFFSETS = "/proc/self/timens_offsets"
BOOT_ID = "/proc/sys/kernel/random/boot_id"


class SystemClock:
    """Boot time counts sleep too; it and the boot's id rule leases on one machine."""

    def __init__(self) -> None:
        self._boot = "one-boot"  # where no boot has a name, a reboot shows by its clock starting again
        if os.path.exists(BOOT_ID):
            with open(BOOT_ID, encoding="ascii") as file:
                self._boot = file.read().strip()
        self._shift = boot_shift()

    def boot(self) -> tuple[str, float]:
        if hasattr(time, "CLOCK_BOOTTIME"):
            return self._boot, time.clock_gettime(time.CLOCK_BOOTTIME) - self._shift
        return self._boot, time.monotonic()

    def wall(self) -> int:
        return time.time_ns() // 1_000_000


def boot_shift(path: str = OFFSETS) -> float:
    """By how many seconds this process's time namespace shows more boot time than the machine has; mostly none."""
    try:
        with open(path, encoding="ascii") as file:
            lines = [line.split() for line in file]
        return sum(int(words[1]) + int(words[2]) / 1e9 for words in lines if words[0] in ("boottime", "7"))
    except (OSError, ValueError, IndexError):
        return 0.0  # a kernel without such namespaces


class SystemIds:
    def run(self) -> str:
        return f"r{os.urandom(6).hex()}"

    def message(self) -> str:
        return os.urandom(16).hex()

    def jitter(self) -> float:
        return int.from_bytes(os.urandom(4), "big") / 2**32
