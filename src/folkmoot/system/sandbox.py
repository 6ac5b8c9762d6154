"""The box an agent runs in: bubblewrap, with the machine read-only and everything of the user's out of sight."""

import glob
import os
import pwd
import shutil
import stat
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import product

from folkmoot.errors import Invalid, Unavailable
from folkmoot.system import filter as kernel
from folkmoot.system.memory import in_memory, options
from folkmoot.system.private import roots_alone
from folkmoot.system.programs import Programs, parents, walk
from folkmoot.worker.ports import Names, Sandbox

PATIENCE = 20.0  # seconds for the probe; it takes some milliseconds

# What people keep their own things in, and what only belongs to this boot of the machine (sockets of services too).
PRIVATE = ("/home", "/root", "/mnt", "/media", "/run", "/var/run")
TEMPORARY = ("/tmp", "/var/tmp")  # empty and writable in the box, and gone with it

# The user's variables that name files and folders with credentials, wherever those are.
NAMED_PRIVATE = (
    "AWS_CONFIG_FILE",
    "AWS_SHARED_CREDENTIALS_FILE",
    "AZURE_CONFIG_DIR",
    "CLAUDE_CONFIG_DIR",
    "CLOUDSDK_CONFIG",
    "CODEX_HOME",
    "DOCKER_CONFIG",
    "GH_CONFIG_DIR",
    "GIT_CONFIG_GLOBAL",
    "GLAB_CONFIG_DIR",
    "GNUPGHOME",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "KUBECONFIG",
    "MOOT_GITHUB_APP_KEY",
    "NETRC",
    "NPM_CONFIG_USERCONFIG",
    "PGPASSFILE",
    "PGSERVICEFILE",
    "PGSSLCERT",
    "PGSSLKEY",
    "PIP_CONFIG_FILE",
    "SSH_AUTH_SOCK",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
)

# Root may read these, so a box made by root shows them unless they are covered. Others cannot read them anyway.
ROOTS_OWN = (
    "/etc/shadow*",
    "/etc/gshadow*",
    "/etc/ssh/ssh_host_*_key",
    "/etc/ssl/private",
    "/etc/sudoers*",
    "/etc/krb5.keytab",
    "/etc/kubernetes",
    "/etc/wireguard",
    "/etc/NetworkManager/system-connections",
    "/var/backups",
    "/var/lib/containerd",
    "/var/lib/containers",
    "/var/lib/docker",
    "/var/lib/kubelet",
    "/var/spool",
)

# Root owns these in every namespace, and what is written there holds for the whole machine (sys/kernel/core_pattern
# names a program that the kernel starts outside of any box). bwrap seals some of them, but not sys.
MACHINE_WIDE = ("acpi", "bus", "fs", "irq", "mtrr", "scsi", "sys", "sysrq-trigger")

# What they list are keys of the user's, which no namespace keeps apart: see filter.py.
KEYS = ("keys", "key-users")

# Covering one of these would take away what every program needs.
NEVER_COVERED = {
    "/",
    "/bin",
    "/dev",
    "/etc",
    "/lib",
    "/lib64",
    "/nix",
    "/opt",
    "/proc",
    "/sbin",
    "/sys",
    "/usr",
    "/var",
}

# Where the kernel takes no filter, bwrap itself lets nobody make another box in this one: see filter.py.
NO_MORE_BOXES = ("--unshare-user", "--disable-userns")

# What lies at a path in the box; a deeper path goes before a higher one, and at one path the last of these wins.
NEEDED, SCRATCH, COVER, READ, WRITE = "needed", "scratch", "cover", "read", "write"
PINNED = "pinned"  # writable, and a mount of its own: so it cannot be moved away with what is covered or read in it

# What need not be mounted below what: it is so already. What is needed to run is shown only where it was covered.
GIVEN = {
    NEEDED: (NEEDED, READ, WRITE),
    SCRATCH: (SCRATCH, COVER),
    COVER: (COVER,),
    READ: (NEEDED, READ),
    WRITE: (WRITE,),
    PINNED: (NEEDED, SCRATCH, COVER, READ),  # what is out of sight, or cannot be written, cannot be moved either
}

# bwrap dies of SIGTERM and takes all with it, so the agent would get no time to end well. Started with the signal
# ignored it lives on until the agent has ended; the agent itself gets the signal's usual meaning back. Every other
# signal gets it before bwrap already: whoever starts us may ignore or block some (nohup, a shell's background).
_PYTHON = [sys.executable, "-I", "-S", "-c"]
_EXEC = "os.execvp(sys.argv[1], sys.argv[1:])"
_SET = (
    "import os, sys; from signal import *; "
    "[signal(n, SIG_DFL) for n in valid_signals() - {{SIGKILL, SIGSTOP}}]; pthread_sigmask(SIG_SETMASK, ()); "
    "signal(SIGTERM, {}); "
)


class NoSandbox:
    """Commands run as they are, and the board says why."""

    works = apart = False
    rules = b""

    def __init__(self, why: str) -> None:
        self.why = why

    def wrap(self, argv: Names, **_: object) -> list[str]:
        return list(argv)


class Bubblewrap:
    """A box made by bwrap. `hidden` are folders that are covered wherever they lie, like the board's own.

    Covered does not mean lost: what `wrap` names as readable or writable is shown inside a covered folder too, at its
    real path. `env` is the environment of the worker: the box shows the programs that its PATH names.
    """

    def __init__(self, hidden: Sequence[str] = (), env: Mapping[str, str] | None = None) -> None:
        self._env = dict(os.environ if env is None else env)
        self._hidden = [real for real in (walk(path)[0] for path in hidden) if real not in NEVER_COVERED]
        self._covers = _covers(self._env)
        self._programs = Programs(self._covers, self._hidden)
        self._needed = self._programs.needed(self._env.get("PATH", os.defpath))
        self._bwrap = _find(self._env.get("PATH", os.defpath), self._hidden)
        self._python = False
        self._closed: Names = ()
        self.apart = not _has_rights(self._bwrap)  # it would lose them by that
        self.rules = kernel.rules()
        self.works = False
        self.why = self._probe()

    def wrap(
        self,
        argv: Names,
        *,
        writable: Names,
        readable: Names,
        cwd: str,
        network: bool,
        named: Names = (),
        hidden: Names = (),
        memory: Names = (),
        filtered: bool = False,
    ) -> list[str]:
        """The command that runs `argv` in the box. Its environment is that of the command, so bwrap's must be clean.

        `named` are words of the flow's command: of a program among them so much is shown that it runs. `hidden` are
        folders that are covered for this command, also inside of what it may write.
        """
        if not self.works:
            raise Unavailable("no_sandbox", "There is no sandbox here: {why}", "See `<doctor>`.", self.why)
        readable = [*self._programs.named(named, [*writable, *readable]), *readable]
        own = in_memory(self._bwrap, memory, last=bool(filtered and self.rules))
        return self._command(
            argv, writable=writable, readable=readable, cwd=cwd, network=network, hidden=hidden, own=own
        )

    def _probe(self) -> str:
        """Empty if the box really runs a command here, else why not."""
        if not sys.platform.startswith("linux"):
            return "bubblewrap needs Linux"
        if not self._bwrap:
            return "bubblewrap is not installed: there is no `bwrap` in the PATH"
        why, path = "", self._env.get("PATH", os.defpath)
        by_bwrap = not self.rules and NO_MORE_BOXES[-1] in options(self._bwrap)
        ways = [NO_MORE_BOXES, ()] if by_bwrap else [()]
        for self._closed, self._python in product(ways, (False, True)):  # an old `env` sets no signals: then Python
            why = _tried(tuple(self._command(["true"], writable=(), readable=(), cwd="/", network=False)), path)
            if not why:
                self.works = True
                break
        return why

    def _command(
        self,
        argv: Names,
        *,
        writable: Names,
        readable: Names,
        cwd: str,
        network: bool,
        hidden: Names = (),
        own: Names = (),
    ) -> list[str]:
        if not argv:
            raise Invalid("no_command", "There is no command to run.")
        outside, inside = self._signals(argv[0])
        return [
            *outside,
            *(self._bwrap, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
            *_sealed_proc(),
            *("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-user-try", "--unshare-cgroup-try"),
            *self._closed,
            *(() if network else ("--unshare-net",)),
            *("--die-with-parent", "--cap-drop", "ALL"),
            *self._layout(writable, readable, network, hidden),
            *own,
            *("--chdir", cwd, "--"),
            *inside,
            *argv,
        ]

    def _signals(self, program: str) -> tuple[list[str], list[str]]:
        """The words before bwrap that let it ignore SIGTERM, and those before the command that take it back."""
        env = shutil.which("env", path=os.defpath)
        if self._python or env is None or "=" in program:  # `env` would take it for a variable
            return [*_PYTHON, _SET.format("SIG_IGN") + _EXEC], [*_PYTHON, _SET.format("SIG_DFL") + _EXEC]
        return [env, "--default-signal", "--ignore-signal=TERM"], [env, "--default-signal=TERM"]

    def _layout(
        self, writable: Sequence[str], readable: Sequence[str], network: bool, hidden: Sequence[str]
    ) -> list[str]:
        wishes: dict[str, str] = {}
        links: dict[str, str] = {}
        needed = [*self._needed, *(["/etc/resolv.conf"] if network else [])]
        for kind, own in ((NEEDED, needed), (COVER, [*self._covers, *self._hidden, *hidden]), (SCRATCH, TEMPORARY)):
            for path in own:
                real, passed = walk(path)
                if os.path.lexists(real):
                    wishes[real] = kind
                    links |= passed
        for kind, paths in ((READ, readable), (WRITE, writable)):
            for path in paths:
                real, passed = walk(path)
                if not os.path.exists(real) or real == "/":
                    words = "{path} cannot be shown in the sandbox: it is not there, or is /"
                    raise Unavailable("sandbox_path", words, "", path)
                wishes[real] = kind
                links |= passed
        tops = [walk(path)[0] for path in writable]
        for path in (*self._hidden, *hidden, *readable):
            between = [at for at in parents(walk(path)[0]) if any(at.startswith(f"{top}/") for top in tops)]
            wishes |= {at: PINNED for at in between if at not in wishes}
        return _arguments(_laid(wishes), links)

    def __repr__(self) -> str:
        return f"Bubblewrap({'works' if self.works else self.why})"


def choose(wish: str, hidden: Sequence[str] = (), env: Mapping[str, str] | None = None) -> Sandbox:
    """The sandbox as the flow wants it: auto (where the machine can), always (else nothing runs), never.

    bwrap itself is looked for in the PATH of `env`, so no folder is to be in it where work of agents lands.
    """
    if wish == "never":
        return NoSandbox("the flow says `sandbox: never`")
    box = Bubblewrap(hidden, env)
    if box.works:
        return box
    if wish == "always":
        words = "The flow says `sandbox: always`, and there is none here: {why}"
        hint = "Install bubblewrap or allow user namespaces; with `sandbox: auto` agents run without it."
        raise Unavailable("no_sandbox", words, hint, box.why)
    return NoSandbox(box.why)


@cache
def _tried(argv: tuple[str, ...], path: str) -> str:
    try:
        ran = subprocess.run(argv, env={"PATH": path}, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap cannot be run: {error}"
    if ran.returncode == 0:
        return ""
    said = ran.stderr.decode("utf-8", "replace").strip().splitlines() or [f"it ended with {ran.returncode}"]
    return f"bubblewrap is installed, but this kernel or container does not let it work: {said[0]}"


def _find(path: str, hidden: Sequence[str]) -> str:
    """The absolute path of bwrap. The system's own folders go first: PATH may name folders of the user's. One that is
    hidden is left out: a change of a run can come there, and bwrap itself runs in no box."""
    found = shutil.which("bwrap", path=os.defpath) or shutil.which("bwrap", path=path)
    real = os.path.realpath(found) if found else ""
    inside = any(f"{real}/".startswith(f"{path}/") for path in hidden)
    return real if not inside and os.path.isabs(found or "/") else ""


def _has_rights(program: str) -> bool:
    """Does it get rights that its user has not, by its mode or as capabilities?"""
    with suppress(OSError):  # it is not there, or its disk knows no capabilities
        return bool(os.stat(program).st_mode & stat.S_ISUID) or "security.capability" in os.listxattr(program)
    return False


def never_shown(env: Mapping[str, str]) -> list[str]:
    """The user's home and what else is private by its name, as far as it is there. Folders for temporary files are not
    among them: a project may well lie there."""
    there = [path for path in _private(env) if os.path.isabs(path) and os.path.exists(path)]
    return list(dict.fromkeys(os.path.realpath(path) for path in there))


def _private(env: Mapping[str, str]) -> list[str]:
    wanted = [*PRIVATE, env.get("HOME", "")]
    with suppress(KeyError):  # a user without an entry, as in many containers, has no other home than HOME
        wanted.append(pwd.getpwuid(os.getuid()).pw_dir)
    for name in NAMED_PRIVATE:  # `/dev/null` in one says that there is none
        wanted += [path for path in env.get(name, "").split(os.pathsep) if not path.startswith("/dev/")]
    return wanted


def _covers(env: Mapping[str, str]) -> list[str]:
    """What is out of sight in every box."""
    wanted = [*_private(env), *TEMPORARY]
    if os.geteuid() == 0:
        for pattern in ROOTS_OWN:
            wanted += glob.glob(pattern)
        wanted += roots_alone()
    real = {walk(path)[0] for path in wanted if os.path.isabs(path)}
    return sorted(path for path in real if path not in NEVER_COVERED and os.path.lexists(path))


def _sealed_proc() -> list[str]:
    keys = [f"/proc/{name}" for name in KEYS if os.path.exists(f"/proc/{name}")]
    empty = [word for path in keys for word in ("--ro-bind", "/dev/null", path)]
    if os.geteuid() != 0:
        return empty
    paths = [f"/proc/{name}" for name in MACHINE_WIDE if os.path.exists(f"/proc/{name}")]
    return [*empty, *(word for path in paths for word in ("--ro-bind", path, path))]


def _laid(wishes: Mapping[str, str]) -> dict[str, str]:
    """What really must be mounted, parents before children, without what a parent already gives."""
    laid = {"/dev": COVER, "/proc": COVER}
    for path in sorted(wishes, key=lambda path: (path.count("/"), path)):
        if _above(path, laid) not in GIVEN[wishes[path]]:
            laid[path] = wishes[path]
    return laid


def _above(path: str, laid: Mapping[str, str]) -> str:
    """What the nearest mount above a path is; the root of the machine can be read."""
    return next((laid[parent] for parent in parents(path) if parent in laid), READ)


def _arguments(laid: Mapping[str, str], links: Mapping[str, str]) -> list[str]:
    said: list[str] = []
    sealed: list[str] = []
    for path, kind in laid.items():
        if path in ("/dev", "/proc"):
            continue
        if kind in (WRITE, PINNED):
            said += ["--bind", path, path]
        elif kind in (NEEDED, READ):
            said += ["--ro-bind", path, path]
        elif os.path.isdir(path):
            said += ["--tmpfs", path]
            sealed += [path] if kind == COVER else []
        else:
            said += ["--ro-bind", "/dev/null", path]
    for link, words in links.items():
        if link not in laid and _above(link, laid) in (COVER, SCRATCH):
            said += ["--symlink", words, link]
    for path in sealed:  # only now: until here, the places for the mounts below had to be made in them
        said += ["--remount-ro", path]
    return said
