"""`moot serve` at a terminal opens the board in the user's browser, and always prints the link."""

import re
import sys
from pathlib import Path

import pytest

from folkmoot.doors.cli.serving import opening
from folkmoot.wiring.boards import FileBoards
from folkmoot.wiring.serving.address import told_at
from tests.doors.conftest import Moot, environment
from tests.doors.terminal import Terminal, shown

LINK = re.compile(r"http://127\.0\.0\.1:\d+/login\?code=\S+")


def serve(folder: Path, until: str, *options: str) -> str:
    """What was printed, also by the browser."""
    FileBoards().create(str(folder), "simple", "").close()
    browser = folder / "browser.sh"
    browser.write_text('#!/bin/sh\necho "The browser has $1."\n')
    browser.chmod(0o700)
    command = [sys.executable, "-m", "folkmoot", "serve", "--port", "0", *options]
    terminal = Terminal(command, columns=120, env=environment({"BROWSER": f"{browser} %s"}), folder=folder)
    terminal.wait_for(until)
    terminal.type("\x03")
    return shown(terminal.read_to_end())


def test_the_printed_link_is_opened_in_the_users_browser(tmp_path: Path) -> None:
    printed = serve(tmp_path, "The browser has")
    found = LINK.search(printed)
    assert found and f"The browser has {found[0]}." in printed


def test_no_open_prints_the_link_and_opens_nothing(tmp_path: Path) -> None:
    printed = serve(tmp_path, "Ctrl-C ends it.", "--no-open")
    assert LINK.search(printed) and "The browser has" not in printed


def test_without_a_screen_or_a_terminal_nothing_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser of text would take the terminal away from the server."""
    assert not opening.can_open({"DISPLAY": ":0"}, "linux")  # a test has no terminal
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    assert not opening.can_open({}, "linux")
    assert opening.can_open({"DISPLAY": ":0"}, "linux")
    assert opening.can_open({"BROWSER": "lynx"}, "linux")
    assert opening.can_open({}, "darwin")


def test_a_link_for_a_browser_leads_to_the_server_that_runs(moot: Moot) -> None:
    assert "make one: moot token add ada" in moot("token", "link", code=1).err
    moot("token", "add", "ada", "--role", "owner")
    assert "nobody serves the board here now: moot serve; then open http://127.0.0.1:" in moot("token", "link").out
    with told_at(str(moot.folder / ".moot"), "http://127.0.0.1:18432"):
        assert moot("token", "link").out.startswith("open http://127.0.0.1:18432/login?code=moot_")
