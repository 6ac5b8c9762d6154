"""What takes long says so at a terminal, and leaves nothing behind."""

import io
import sys
import threading

import pytest

from folkmoot.doors.cli.keyboard.patience import told_if_long


class Screen(io.StringIO):
    def __init__(self, *, tty: bool) -> None:
        super().__init__()
        self._tty = tty
        self.written = threading.Event()

    def isatty(self) -> bool:
        return self._tty

    def write(self, words: str) -> int:
        self.written.set()
        return super().write(words)


def test_a_terminal_is_told_and_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen(tty=True)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with told_if_long("keeping the board", soon=0.0):
        assert screen.written.wait(60)
    assert screen.getvalue() == "\r\x1b[2Kkeeping the board …\r\x1b[2K"


def test_what_is_over_soon_says_nothing_and_nor_does_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    for tty, soon in ((True, 3600.0), (False, 0.0)):
        screen = Screen(tty=tty)
        monkeypatch.setattr(sys, "stderr", screen)
        monkeypatch.setenv("TERM", "xterm")
        with told_if_long("keeping the board", soon=soon):
            pass
        assert screen.getvalue() == ""


def test_a_failure_takes_the_line_away_too(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen(tty=True)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    try:
        with told_if_long("keeping the board", soon=0.0):
            screen.written.wait(60)
            raise OSError
    except OSError:
        pass
    assert screen.getvalue() == "\r\x1b[2Kkeeping the board …\r\x1b[2K"
