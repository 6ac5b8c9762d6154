"""Brings a notice to its target: by a program of the user's, or over HTTP."""

import os
import select
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from folkmoot.core.notices.targets import Target, is_address
from folkmoot.errors import MootError
from folkmoot.wiring.notifying import bodies
from folkmoot.wiring.notifying.courier import Delivery, Failed, Send
from folkmoot.wiring.notifying.posting import post
from folkmoot.worker.git.words import plain

if TYPE_CHECKING:
    import subprocess

PATIENCE = 60.0  # seconds for a command; it is ended then
LAST_PATIENCE = 10.0  # seconds for all that still goes on when the worker ends
TITLE = "moot"
Start = Callable[[list[str], bytes], "subprocess.Popen[bytes]"]


class Sender:
    """What all targets of a board share. `start` starts a program of the user's outside of the sandbox, and gives it
    these bytes to read; `resolve` is a command of the flow's with its program by its full path, `find` the path of a
    program; `served_at` is the address of the board's page."""

    def __init__(
        self,
        start: Start,
        resolve: Callable[[list[str]], list[str]],
        find: Callable[[str], str | None],
        environ: Mapping[str, str],
        served_at: Callable[[], str | None],
    ) -> None:
        self._start = start
        self._resolve = resolve
        self._find = find
        self._environ = environ
        self._served_at = served_at
        self._last = threading.Event()  # the worker ends
        self._bell = os.eventfd(0, os.EFD_CLOEXEC)  # rung then, and for good
        self._until = 0.0

    def hurry(self) -> None:
        self._until = time.monotonic() + LAST_PATIENCE
        self._last.set()
        os.eventfd_write(self._bell, 1)

    def to(self, target: Target) -> Send:
        return lambda delivery: self._bring(target, delivery)

    def check(self, target: Target) -> None:
        """Raises where it can be seen without sending anything that nothing will arrive."""
        for variable in target.variables:
            self._value(variable)
        if target.desktop:
            self._shown("")
        elif target.command:
            try:
                self._resolve(target.command)
            except (MootError, OSError) as error:
                raise Failed(getattr(error, "message", None) or str(getattr(error, "strerror", ""))) from None

    def _bring(self, target: Target, delivery: Delivery) -> None:
        notice, link = delivery.notice, self._link(delivery)
        told = bodies.encoded(bodies.whole(notice, delivery.id, link))
        words = plain(notice.words)  # a program may show them on a terminal
        if target.command:
            self._run(lambda: [*self._resolve(target.command), words], told)
        elif target.desktop:
            self._run(lambda: self._shown(bodies.marked(f"{words}\n{link}" if link else words)), told)
        elif target.slack:
            post(self._value(target.slack), bodies.encoded(bodies.slack(notice, link)), {})
        elif target.discord:
            post(self._value(target.discord), bodies.encoded(bodies.discord(notice, link)), {})
        else:
            assert target.webhook is not None and target.secret is not None
            address = target.webhook if is_address(target.webhook) else self._value(target.webhook)
            post(address, told, self._signature(told, delivery, target.secret))

    def _signature(self, body: bytes, delivery: Delivery, variable: str) -> dict[str, str]:
        try:
            return bodies.signed(body, delivery.id, round(time.time()), self._value(variable))
        except ValueError:
            raise Failed(f"{variable} begins like a secret in base64, and is none") from None

    def _link(self, delivery: Delivery) -> str | None:
        address = self._served_at()
        if address is None:
            return None
        item = delivery.notice.item
        return f"{address}/#/item/{item}" if item else f"{address}/#/"

    def _value(self, variable: str) -> str:
        value = self._environ.get(variable, "").strip()
        if not value:
            raise Failed(f"the variable {variable} is not set where moot runs")
        return value

    def _shown(self, words: str) -> list[str]:
        """Both read a mark-up with links and images, which is in none of the words."""
        if (program := self._find("notify-send")) is not None:
            return [program, "--app-name=moot", "--", TITLE, words]
        if (program := self._find("kdialog")) is not None:
            return [program, "--title", TITLE, f"--passivepopup={words}", "10"]
        raise Failed("neither notify-send nor kdialog is installed")

    def _run(self, command: Callable[[], list[str]], told: bytes) -> None:
        try:
            process = self._start(command(), told)
        except MootError as error:
            raise Failed(error.message) from None
        except (OSError, ValueError) as error:
            raise Failed(str(getattr(error, "strerror", None) or "it cannot be started")) from None
        if self._is_left(process, time.monotonic() + PATIENCE):
            return  # it was begun, and goes on by itself
        code = process.poll()
        if code is None:
            process.kill()
            process.wait()  # killed: it is over at once
            raise Failed(f"it was not over after {PATIENCE:.0f} seconds")
        if code:
            raise Failed(f"it ended with {code}")

    def _is_left(self, process: "subprocess.Popen[bytes]", until: float) -> bool:
        """Wait until it is over, or its time is. True: the worker ends, and waits no longer."""
        ended = os.pidfd_open(process.pid)
        try:
            while process.poll() is None:
                is_last = self._last.is_set()
                left = min(until, self._until if is_last else until) - time.monotonic()
                if left <= 0:
                    return is_last
                select.select([ended] if is_last else [ended, self._bell], [], [], left)
        finally:
            os.close(ended)
        return False


def started(
    argv: list[str], told: bytes, begin: Callable[..., "subprocess.Popen[bytes]"], **options: object
) -> "subprocess.Popen[bytes]":
    """Start it with these bytes to read. They lie in a file without a name: whoever does not read them keeps nobody
    waiting."""
    fd = os.memfd_create("moot-notice", os.MFD_CLOEXEC)
    try:
        os.write(fd, told)
        os.lseek(fd, 0, os.SEEK_SET)
        return begin(argv, stdin=fd, **options)
    finally:
        os.close(fd)
