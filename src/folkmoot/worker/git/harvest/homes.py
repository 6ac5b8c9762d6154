"""What the user's git, its ssh and its gpg read below the home, there or not: links, and words of ssh's own settings,
may lead from it into the project. Nothing is carried out."""

import glob
import os
import re
import shlex
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice, pairwise

FILES_MAX = 500
LOOKED_AT_MAX = 5_000
INCLUDES_MAX = 100
BYTES_MAX = 1_000_000
LINE = re.compile(r"\s*([A-Za-z0-9]+)(?:\s*=\s*|\s+)(.*)")
MARKS = re.compile(r"[*?\[%$]")  # from here on it cannot be told which file is meant
PROGRAMS = re.compile(
    r"proxycommand|localcommand|knownhostscommand|match|pkcs11provider|smartcarddevice|securitykeyprovider"
    r"|xauthlocation"
)
SSH_COMMANDS = ("core.sshcommand", "env.git_ssh_command")


def links_below(place: str) -> Iterator[str]:
    """Each link below a place, also behind folders that links lead to. Those near the top come first, and those behind
    links last: a program may keep any number of files there."""
    waiting, linked, seen, left = [place], list[str](), set[str](), LOOKED_AT_MAX
    while waiting or linked:
        folder = (waiting or linked).pop(0)
        if (real := os.path.realpath(folder)) in seen:
            continue
        seen.add(real)
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in islice(entries, FILES_MAX):
                left -= 1
                if left < 0:
                    return
                if entry.is_symlink():
                    yield entry.path
                if entry.is_dir():
                    (linked if entry.is_symlink() else waiting).append(entry.path)


def folders() -> Iterator[str]:
    """Those of ssh and of gpg, which git calls, with the links in them."""
    for folder in (os.path.expanduser("~/.ssh"), os.environ.get("GNUPGHOME") or os.path.expanduser("~/.gnupg")):
        yield from (folder, *links_below(folder))
    yield os.path.expanduser("~/.ssh/config")


def ssh_settings(named: Iterable[str]) -> Iterator[tuple[str, str]]:
    """What ssh's settings lead to: ("file", a path that they are read from) and ("command", what they run). `named` are
    files that git's own settings give to ssh."""
    own = os.path.expanduser("~/.ssh")
    waiting = [(os.path.expanduser(file), own) for file in (os.path.join(own, "config"), *named)]
    waiting.append(("/etc/ssh/ssh_config", "/etc/ssh"))
    seen: set[str] = set()
    while waiting and len(seen) < INCLUDES_MAX:
        file, base = waiting.pop(0)
        if (real := os.path.realpath(file)) in seen:
            continue
        seen.add(real)
        yield "file", file
        for name, value in _lines(file):
            if name == "include":
                for word in _words(value):
                    at = os.path.join(base, os.path.expandvars(os.path.expanduser(word)))
                    found = MARKS.search(at)
                    yield "file", os.path.dirname(at[: found.start()]) if found else at
                    waiting += [(one, base) for one in sorted(islice(glob.iglob(at), INCLUDES_MAX))]
            elif PROGRAMS.fullmatch(name):
                yield "command", value


def given_to_ssh(command: str) -> list[str]:
    """The files of settings that a command of ssh names: `ssh -F FILE`."""
    words = _words(command)
    apart = [after for word, after in pairwise(words) if word == "-F"]
    return [*apart, *(word[2:] for word in words if word.startswith("-F") and word != "-F")]


def _lines(file: str) -> Iterator[tuple[str, str]]:
    """A file alone: a pipe would be waited for."""
    if not os.path.isfile(file):
        return
    try:
        with open(file, encoding="utf-8", errors="surrogateescape") as opened:
            text = opened.read(BYTES_MAX)
    except OSError:
        return
    for line in text.splitlines():
        if found := LINE.fullmatch(line):
            yield found[1].lower(), found[2].strip()


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:  # a quote without an end
        return text.split()
