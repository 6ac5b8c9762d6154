"""The user's own browser, for the one who sits before this machine."""

import os
import sys
from collections.abc import Mapping


def can_open(env: Mapping[str, str] = os.environ, platform: str = sys.platform) -> bool:
    """Whether somebody at a terminal would see a window. Without a screen a browser of text would take the terminal
    away from the server; whoever names a browser of their own has it."""
    if not (sys.stdout.isatty() and sys.stdin.isatty()):
        return False
    has_screen = platform in ("darwin", "win32") or bool(env.get("DISPLAY") or env.get("WAYLAND_DISPLAY"))
    return bool(env.get("BROWSER")) or has_screen


def open_page(link: str) -> bool:
    """Whether a browser took it."""
    import webbrowser  # no other command needs it

    try:
        return webbrowser.open(link)
    except webbrowser.Error:
        return False  # the link is printed in any case
