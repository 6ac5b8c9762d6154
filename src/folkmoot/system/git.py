"""The one place that runs git: fixed flags, a clean environment, a repository that is always named.

Nothing that lies around in a repository, a work tree, a home or the environment may run or redirect anything here.
So git finds no repository by itself, reads no configuration but the repository's own, and what that could set to run
a program is set here instead, where it is stronger.
"""

import contextlib
import fcntl
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
from collections.abc import Mapping

from folkmoot.errors import Unavailable
from folkmoot.system.line_process import SystemTalk
from folkmoot.system.processes import own
from folkmoot.system.processes.signals import exit_codes_are_kept
from folkmoot.worker.ports import Bounds, Ran

OLDEST = (2, 38)  # the first whose merge-tree merges without a work tree
WORDS_MAX = 2_000
LOOK_SECONDS = 0.25  # how often it is seen whether a git with bounds shall end
OUT_BYTES_MAX = 256 * 1024 * 1024  # of what such a git says: names of files are an agent's words
PIPE_BYTES = 65_536

SETTINGS = {
    # What would run a program.
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.pager": "cat",
    "core.editor": "false",
    "core.askPass": "false",
    "core.sshCommand": "false",
    "core.alternateRefsCommand": "true",
    "credential.helper": "",
    "gpg.program": "false",
    "commit.gpgSign": "false",
    "gc.auto": "0",
    "gc.autoDetach": "false",
    "maintenance.auto": "false",
    # What would reach out of the repository.
    "protocol.allow": "never",
    "protocol.file.allow": "always",
    "core.attributesFile": "/dev/null",
    "core.excludesFile": "/dev/null",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "diff.ignoreSubmodules": "all",
    "safe.directory": "*",  # whose the user's repository is does not matter: nothing in it is run
    # What is written, and that it stays.
    "core.protectNTFS": "true",
    "core.protectHFS": "true",
    "core.symlinks": "true",
    "core.autocrlf": "false",
    "core.safecrlf": "false",
    "core.fsync": "committed",
    "core.fsyncMethod": "batch",
    "transfer.fsckObjects": "true",
    "fetch.fsckObjects": "true",
    # What is said.
    "core.quotePath": "false",
    "color.ui": "false",
    "advice.detachedHead": "false",
    "merge.directoryRenames": "false",
    "merge.renameLimit": "1000",  # each file that went is compared with each that came
    "i18n.commitEncoding": "UTF-8",
    "i18n.logOutputEncoding": "UTF-8",
    "log.showSignature": "false",
}

WHO = {"NAME": "Folkmoot", "EMAIL": "moot@localhost"}


class SystemGit:
    """Implements `folkmoot.worker.ports.Git`."""

    def __init__(self, executable: str = "git", path: str | None = None) -> None:
        # A relative folder in PATH would be looked up in the work tree, where agents write.
        wanted = os.environ.get("PATH", os.defpath) if path is None else path
        self._path = os.pathsep.join(entry for entry in wanted.split(os.pathsep) if os.path.isabs(entry))
        self._wanted = executable
        self._executable = ""

    def __call__(
        self,
        *args: str,
        git_dir: str,
        work_tree: str | None = None,
        index: str | None = None,
        stdin: bytes = b"",
        check: bool = True,
        timeout: float = 600.0,
        env: Mapping[str, str] | None = None,
        bounds: Bounds | None = None,
    ) -> Ran:
        executable = self._found()
        at = subcommand(args)
        if args[at : at + 1] in (("fetch",), ("ls-remote",)) and not any(map(_names_other_side, args)):
            # The other side of a local fetch gets none of our flags from git, so they are given once more.
            other = shlex.join([executable, *self._flags(), "upload-pack"])
            args = (*args[: at + 1], f"--upload-pack={other}", *args[at + 1 :])
        place = [f"--git-dir={git_dir}"] + ([f"--work-tree={work_tree}"] if work_tree else [])
        command = [executable, *self._flags(), "--no-pager", *place, *args]
        clean = self._environment(git_dir, index, env)
        where = work_tree or git_dir
        ran = run_bound(command, where, clean, stdin, bounds) if bounds else run(command, where, clean, stdin, timeout)
        if check and ran.code:
            words, why = "git {command} ended with {exit_code}: {why}", ran.words[-WORDS_MAX:] or "no words"
            raise Unavailable("git_failed", words, "", shown(args), ran.code, why)
        return ran

    def talk(self, *args: str, git_dir: str) -> SystemTalk:
        """Start git and leave it running, to be spoken to."""
        command = [self._found(), *self._flags(), "--no-pager", f"--git-dir={git_dir}", *args]
        return SystemTalk(command, git_dir, self._environment(git_dir, None, None))

    def _found(self) -> str:
        """The executable, looked for once, and new enough."""
        if self._executable:
            return self._executable
        found = shutil.which(self._wanted, path=self._path)
        if found is None:
            raise Unavailable("git_missing", "git is not installed, or not in PATH.", "Install git 2.38 or newer.")
        found = os.path.abspath(found)
        words = _version(found, self._environment("/", None, None))
        number = re.search(r"(\d+)\.(\d+)", words)
        if number is None or (int(number[1]), int(number[2])) < OLDEST:
            is_there = words.strip() or "one that does not tell its version"
            words = "git 2.38 or newer is needed; there is {is_there}."
            raise Unavailable("git_too_old", words, "Install a newer git.", is_there)
        self._executable = found
        return found

    def _flags(self) -> list[str]:
        return [part for name, value in SETTINGS.items() for part in ("-c", f"{name}={value}")]

    def _environment(self, git_dir: str, index: str | None, more: Mapping[str, str] | None) -> dict[str, str]:
        clean = {
            "PATH": self._path,
            "LC_ALL": "C",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_LITERAL_PATHSPECS": "1",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_CEILING_DIRECTORIES": os.path.dirname(git_dir),
        }
        clean |= {f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER") for part, value in WHO.items()}
        if index:
            clean["GIT_INDEX_FILE"] = index
        return clean | dict(more or {})


_versions: dict[tuple[str, tuple[int, ...], str], str] = {}


def _version(program: str, environment: dict[str, str]) -> str:
    """What it says of itself; asked again when it, or the PATH that a script of that name may use, is another one."""
    status = os.stat(program)
    which = (program, (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns), environment["PATH"])
    if which not in _versions:
        _versions[which] = run([program, "version"], "/", environment, b"", 60.0).out.decode("ascii", "replace")
    return _versions[which]


def run(command: list[str], cwd: str, env: dict[str, str], stdin: bytes, timeout: float) -> Ran:
    process = start(command, cwd, env)
    try:
        out, err = process.communicate(stdin, timeout)
    except subprocess.TimeoutExpired as error:
        words = "git did not end within {seconds:g} seconds and was killed."
        raise Unavailable("git_timeout", words, "", timeout) from error
    finally:
        end(process)
    return Ran(process.returncode, out, err)


def run_bound(command: list[str], cwd: str, env: dict[str, str], stdin: bytes, bounds: Bounds) -> Ran:
    """Git on what an agent left: it ends when its bounds do, when it says too much, and with this process."""
    held, life = os.pipe2(os.O_CLOEXEC)
    try:
        process = start(command, cwd, env, held)
        try:
            die_with_us(held, process.pid)
            out, err = follow(process, stdin, bounds)
            while process.returncode is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(min(LOOK_SECONDS, bounds.left()))
        finally:
            end(process)
    finally:
        os.close(held)
        os.close(life)
    return Ran(process.returncode, out, err)


def start(command: list[str], cwd: str, env: dict[str, str], *kept: int) -> subprocess.Popen[bytes]:
    if not exit_codes_are_kept():
        words = "this process ignores SIGCHLD, so it cannot be known whether git did what it was asked"
        raise Unavailable("exit_codes_lost", words, "call signal.signal(signal.SIGCHLD, signal.SIG_DFL) first")
    try:
        return own.start(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            pass_fds=kept,
        )
    except OSError as error:
        raise Unavailable("git_failed", "git could not be started in {folder}: {why}", "", cwd, str(error)) from error


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill it with its children if it has not ended, and wait for it."""
    if process.returncode is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        with contextlib.suppress(BrokenPipeError):  # what it did not read any more
            if pipe is not None:
                pipe.close()


def die_with_us(held: int, pid: int) -> None:
    """Let the kernel kill a group of processes when this one ends, however it ends.

    The group has the read end of a pipe, and only this process the other. When that closes, the kernel tells the owner
    of the read end by a signal of our choice. The usual way, a request by the child itself between fork and exec, would
    run Python in a child of a process with threads, or a second program before each git.
    """
    fcntl.fcntl(held, fcntl.F_SETOWN, -pid)
    fcntl.fcntl(held, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(held, fcntl.F_SETFL, fcntl.fcntl(held, fcntl.F_GETFL) | os.O_ASYNC)


def follow(process: subprocess.Popen[bytes], stdin: bytes, bounds: Bounds) -> tuple[bytes, bytes]:
    """Give it its input and take what it says, until it closes both; the bounds are looked at in between."""
    assert process.stdin and process.stdout and process.stderr
    said: dict[int, list[bytes]] = {process.stdout.fileno(): [], process.stderr.fileno(): []}
    room, at, into = OUT_BYTES_MAX, 0, process.stdin.fileno()
    os.set_blocking(into, False)
    poll = select.poll()
    for fd in said:
        poll.register(fd, select.POLLIN)
    poll.register(into, select.POLLOUT)
    open_pipes = {*said, into}
    while open_pipes & said.keys():
        for fd, _ in poll.poll(min(LOOK_SECONDS, bounds.left()) * 1000):
            if fd == into:
                at, more = give(into, stdin, at)
                if not more:
                    process.stdin.close()
            else:
                piece = os.read(fd, PIPE_BYTES)
                said[fd].append(piece)
                room -= len(piece)
                more = bool(piece)
            if not more:
                poll.unregister(fd)
                open_pipes.remove(fd)
        if room < 0:
            raise Unavailable("git_failed", "git says more than {limit} bytes, and was killed.", "", OUT_BYTES_MAX)
    out, err = said.values()
    return b"".join(out), b"".join(err)


def give(into: int, stdin: bytes, at: int) -> tuple[int, bool]:
    """Write more of the input; where it is now, and whether anything is left of it."""
    try:
        at += os.write(into, memoryview(stdin)[at : at + PIPE_BYTES])
    except BlockingIOError:
        return at, True
    except BrokenPipeError:  # it does not want the rest
        return at, False
    return at, at < len(stdin)


def subcommand(args: tuple[str, ...]) -> int:
    """Where the name of the command stands: settings of one call may come before it."""
    at = 0
    while args[at : at + 1] == ("-c",):
        at += 2
    return at


def shown(args: tuple[str, ...]) -> str:
    """The command as an error tells it: our own long flags are left out."""
    return shlex.join(part for part in args if not _names_other_side(part))[:200]


def _names_other_side(part: str) -> bool:
    return part.startswith("--upload-pack=")
