"""What sends the notices of a board: programs of the user's, found and started as the user would, and HTTP."""

import errno
import os
import shutil
import subprocess

from folkmoot.system.forge.token import without_tokens
from folkmoot.system.processes import own
from folkmoot.wiring.notifying.sending import Sender, started
from folkmoot.wiring.serving.address import served_at
from folkmoot.wiring.trust import notifier, outside_path, trees_of


def sender_of(home: str) -> Sender:
    """Nothing that landed stands in for a part of a command."""

    def resolve(words: list[str]) -> list[str]:
        command = notifier(home, words)
        if not os.path.isabs(command[0]):
            raise FileNotFoundError(errno.ENOENT, "it is not installed")
        return command

    def start(argv: list[str], told: bytes) -> "subprocess.Popen[bytes]":
        return started(  # the user's own command, in the user's own environment
            argv,
            told,
            own.start,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd=home,
            env={**without_tokens(os.environ), "PATH": outside_path(trees_of(home))},
        )

    def find(program: str) -> str | None:
        return shutil.which(program, path=outside_path(trees_of(home)))

    return Sender(start, resolve, find, os.environ, lambda: served_at(home))
