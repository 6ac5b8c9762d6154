"""Reads the files of somebody else's list: what is a file of its own, and so much of it.

The user names a folder or a file. What lies below a named folder was put there by whoever made the list: a link in it
may lead to the user's own files, and a pipe never ends.
"""

import os
import stat

from folkmoot.doors.importing.found import BYTES_MAX, bad
from folkmoot.errors import Invalid


class Files:
    """Of one list. `folder` is the one that the user named; None: the user named the file itself."""

    def __init__(self, source: str, folder: str | None = None) -> None:
        self._source = source
        self._folder = folder
        self._left = BYTES_MAX

    def check_way(self, path: str) -> None:
        """Refuse what lies behind a link of the named folder."""
        if self._folder is None:
            return
        top, below = os.path.realpath(self._folder), os.path.relpath(path, self._folder)
        if os.path.realpath(path) != os.path.normpath(os.path.join(top, below)):
            raise bad(self._source, f"{below} is no file of its own but a link, or lies behind one")

    def text(self, path: str) -> str:
        name = os.path.relpath(path, self._folder) if self._folder is not None else path
        self.check_way(path)
        try:
            opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            with open(opened, "rb") as file:
                if not stat.S_ISREG(os.fstat(opened).st_mode):
                    raise bad(self._source, f"{name} is no file of its own but a pipe, a socket or a device")
                data = file.read(self._left + 1)
        except OSError as error:
            words, hint = "{file} cannot be read: {why}", "name the tool's own file, or its folder"
            raise Invalid("unreadable_file", words, hint, path, error.strerror) from error
        self._left -= len(data)
        if self._left < 0:
            raise bad(self._source, f"with {name} it has more than {BYTES_MAX} bytes")
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise bad(self._source, f"{name} is not UTF-8 text") from None
