"""The box, with the real bwrap: what is visible in it, what can be written, and that nothing survives it."""

import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import monotonic, sleep

import pytest

from folkmoot.errors import Unavailable
from folkmoot.system import sandbox
from folkmoot.system.private import roots_alone
from folkmoot.system.sandbox import Bubblewrap, NoSandbox, choose
from folkmoot.worker.environment import environment
from folkmoot.worker.ports import Paths

CANARY = "canary-51d3e0c7"
PATIENCE = 60.0
WHY = Bubblewrap().why
needs_bwrap = pytest.mark.skipif(bool(WHY), reason=f"NOT TESTED, THE SANDBOX DOES NOT WORK HERE: {WHY}")


class Board:
    """A board's folders with one run, as the worker makes them, and something private in each place."""

    def __init__(self, top: Path) -> None:
        self.moot = top / "project" / ".moot"
        self.run = self.moot / "runs" / "r1"
        self.paths = Paths(
            root=str(self.run),
            workspace=str(self.run / "workspace"),
            home=str(self.run / "home"),
            spool=str(self.run / "spool"),
        )
        self.objects = self.moot / "repo.git" / "objects"
        self.user_home = top / "person"
        for folder in (self.run / "workspace", self.run / "home", self.run / "spool", self.objects):
            folder.mkdir(parents=True)
        self.private = [
            self.moot / "board.db",
            self.moot / "runs" / "r2" / "workspace" / "other",
            self.user_home / ".ssh" / "id",
        ]
        self.private += [self.moot / "repo.git" / "config", self.run / "index"]
        for file in self.private:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(CANARY, "utf-8")
        self.worker_env = {"PATH": os.environ["PATH"], "HOME": str(self.user_home), "API_KEY": CANARY}
        self.env = environment(
            (),
            {},
            worker_env=self.worker_env,
            paths=self.paths,
            moot=os.path.dirname(sys.executable),
            run={"MOOT_RUN": "r1"},
        )
        self.box = Bubblewrap([str(self.moot)], self.worker_env)
        self.started: list[subprocess.Popen[str]] = []

    def argv(self, *argv: str, network: bool = True, readable: Sequence[str] = ()) -> list[str]:
        return self.box.wrap(
            argv,
            writable=[self.paths.workspace, self.paths.home, self.paths.spool],
            readable=[str(self.objects), *readable],
            cwd=self.paths.workspace,
            network=network,
        )

    def ran(self, *argv: str, network: bool = True, readable: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
        words = self.argv(*argv, network=network, readable=readable)
        return subprocess.run(
            words, env=self.env, capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL
        )

    def python(self, source: str, network: bool = True, readable: Sequence[str] = ()) -> str:
        ran = self.ran(sys.executable, "-c", source, network=network, readable=readable)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    def start(self, source: str, *through: str) -> "subprocess.Popen[str]":
        """As the keeper starts it: with a process group of its own. Returns when it has said that it is up."""
        words = self.argv(sys.executable, "-u", "-c", source)
        words = [*through, json.dumps([words, self.env])] if through else words
        process = subprocess.Popen(words, env=self.env, stdout=subprocess.PIPE, text=True, start_new_session=True)
        self.started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        return process


def visible_folder() -> Path | None:
    """A folder that a box does not cover: the checkout's, or where that lies in a covered one, another."""
    covers = Bubblewrap()._covers
    checkout = Path(__file__).parents[2]
    for folder in (checkout, *map(Path, ("/srv", "/opt", "/usr/local", "/var/cache", "/var/lib"))):
        if os.access(folder, os.W_OK) and not any(folder.is_relative_to(path) for path in covers):
            return folder / ".pytest_cache" if folder == checkout else folder
    return None


@pytest.fixture(params=["in a covered folder", "elsewhere"])
def board(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Board]:
    """Once below the folder for temporary files, which the box covers, and once where the machine is visible."""
    if request.param == "elsewhere":
        within = visible_folder()
        if within is None:
            pytest.skip("NOT TESTED: no folder that can be written here is visible in a box")
        top = within / f"box-{os.getpid()}-{tmp_path.name}"
        top.mkdir(parents=True)
    else:
        top = tmp_path
    made = Board(top)
    yield made
    for process in made.started:
        process.kill()  # after a failure; else it is over
        process.wait(PATIENCE)
        if process.stdout:
            process.stdout.close()  # not read to its end: after a failure somebody may still hold it open
    if top != tmp_path:
        shutil.rmtree(top)


def below(pid: int) -> list[int]:
    """All processes below one, read from outside of the box."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    except FileNotFoundError:
        return []
    return [one for child in map(int, children) for one in (child, *below(child))]


def gone(pids: Sequence[int]) -> bool:
    """Within a time that only a fault needs."""
    end = monotonic() + PATIENCE
    while monotonic() < end:
        if not any(Path(f"/proc/{pid}").exists() and state(pid) != "Z" for pid in pids):
            return True
        sleep(0.02)
    return False


def state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "Z"


@needs_bwrap
def test_only_its_own_folders_can_be_written(board: Board) -> None:
    own = [board.paths.workspace, board.paths.home, board.paths.spool, "/tmp", "/var/tmp"]
    others = ["/", "/etc", "/usr", "/home", "/root", "/run", str(board.objects), str(board.moot), board.paths.root]
    others += [os.path.dirname(sandbox.__file__), sys.prefix, str(board.user_home), str(board.moot.parent)]
    wrote = json.loads(
        board.python(
            f"""
import json
wrote = []
for folder in {own + others!r}:
    try:
        open(folder + "/box-wrote-this", "w").close()
        wrote.append(folder)
    except OSError:
        pass
print(json.dumps(wrote))
"""
        )
    )
    assert set(wrote) - {str(board.moot.parent)} == set(own)  # which in a box's own /tmp is the box's own
    kept = [folder for folder in [*own, *others] if os.path.exists(f"{folder}/box-wrote-this")]
    assert kept == own[:3]  # and in the box's own /tmp nothing is left


@needs_bwrap
def test_nothing_private_is_visible(board: Board) -> None:
    names = [str(file) for file in board.private]
    seen = json.loads(board.python(f"import json, os; print(json.dumps([n for n in {names!r} if os.path.exists(n)]))"))
    outside = [str(board.user_home / ".ssh" / "id")]
    assert seen == []
    assert all(Path(name).read_text("utf-8") == CANARY for name in names + outside)
    listed = board.python("import os; print([sorted(os.listdir(f)) for f in ('/home', '/run', '/mnt')])")
    assert "docker.sock" not in listed and "user" not in listed


@needs_bwrap
def test_a_canary_of_the_worker_is_found_nowhere(board: Board) -> None:
    """Not in the environment, in no process that is visible, and in no file that can be read near by."""
    worker = subprocess.run(
        [
            sys.executable,
            "-c",
            SPAWN,
            json.dumps([board.argv(sys.executable, "-c", HUNT, CANARY[:6], CANARY[6:]), board.env]),
        ],
        env={**board.worker_env, "OTHER_TOKEN": CANARY},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert worker.returncode == 0, worker.stderr
    found = json.loads(worker.stdout)
    assert found["hits"] == []
    assert found["processes"] <= 4  # bwrap, itself and what it needs to start; nobody else's
    assert found["files"] > 10 and found["environs"] >= 2


# A worker with a canary in its environment, so that it is in /proc/<parent>/environ.
SPAWN = "import json, subprocess, sys; a, e = json.loads(sys.argv[1]); sys.exit(subprocess.run(a, env=e).returncode)"
HUNT = """
import json, os, sys
canary = (sys.argv[1] + sys.argv[2]).encode()
hits, files, environs = [], 0, 0
processes = [name for name in os.listdir("/proc") if name.isdigit()]
if any(canary in os.environb[name] for name in os.environb):
    hits.append("environment")
for pid in processes:
    for name in ("environ", "cmdline"):
        try:
            content = open(f"/proc/{pid}/{name}", "rb").read()
        except OSError:
            continue
        environs += name == "environ"
        if canary in content:
            hits.append(f"/proc/{pid}/{name}")
board = os.getcwd() + "/../../../.."
for top in ("/tmp", "/var/tmp", "/run", "/home", "/root", "/dev/shm", board, os.environ["HOME"] + "/.."):
    for folder, folders, names in os.walk(top):
        folders[:] = [f for f in folders if f not in (".pyenv", ".rustup", "versions", "node_modules")]
        for name in names:
            path = os.path.join(folder, name)
            try:
                if os.path.isfile(path) and os.path.getsize(path) < 1_000_000:
                    files += 1
                    if canary in open(path, "rb").read():
                        hits.append(path)
            except OSError:
                continue
open("own", "w").close()
for i in range(20):
    open(f"own{i}", "w").close()
    files += 1
print(json.dumps({"hits": hits, "files": files, "environs": environs, "processes": len(processes)}))
"""


@needs_bwrap
def test_no_variable_stands_in_the_command_line(board: Board) -> None:
    words = board.argv("true")
    assert not any(board.env["GIT_AUTHOR_NAME"] in word or CANARY in word or word == "--setenv" for word in words)
    assert os.path.isabs(words[0])


@needs_bwrap
def test_no_other_process_is_visible_or_can_be_reached(board: Board) -> None:
    seen = board.python(
        f"""
import os
try:
    os.kill({os.getpid()}, 0)
    print("reached")
except ProcessLookupError:
    print(sorted(int(n) for n in os.listdir("/proc") if n.isdigit())[0], os.getppid())
"""
    )
    assert seen == "1 1\n"


@needs_bwrap
def test_network_off_is_off_and_loopback_still_works(board: Board) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        source = f"""
import socket
def reach(address):
    try:
        socket.create_connection(address, timeout=5).close()
        return True
    except OSError:
        return False
own = socket.create_server(("127.0.0.1", 0))
others = [line.split(":")[0].strip() for line in open("/proc/net/dev").readlines()[2:]]
others = [name for name in others if name not in ("lo", "sit0", "tunl0")]
print(reach(("127.0.0.1", {port})), reach(own.getsockname()), others)
"""
        assert board.python(source, network=False) == "False True []\n"
        assert board.python(source, network=True).startswith("True True")


@needs_bwrap
def test_a_unix_socket_that_is_only_readable_can_be_spoken_to_without_network(board: Board, tmp_path: Path) -> None:
    folder = Path(os.path.relpath(tmp_path)) / "relay"
    folder.mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "s"))
        server.listen()
        heard: list[bytes] = []

        def hear() -> None:
            with server.accept()[0] as connection:
                heard.append(connection.recv(5))

        thread = threading.Thread(target=hear, daemon=True)
        thread.start()
        place = str(folder.resolve())
        source = f"import os, socket; os.chdir({place!r}); s = socket.socket(socket.AF_UNIX); "
        source += "s.connect('s'); s.send(b'hello')"
        board.python(source, network=False, readable=[place])
        thread.join(PATIENCE)
    assert heard == [b"hello"]


@needs_bwrap
def test_git_works_with_borrowed_objects(board: Board) -> None:
    clean = {"PATH": os.environ["PATH"], "HOME": board.paths.home, "GIT_CONFIG_NOSYSTEM": "1"}
    bare = str(board.objects.parent)

    def git(*args: str) -> str:
        ran = subprocess.run(
            ["git", *args], env={**board.env, **clean}, capture_output=True, text=True, timeout=PATIENCE
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout.strip()

    shutil.rmtree(bare)
    git("init", "-q", "--bare", bare)
    tree = git("-C", bare, "mktree")
    commit = git("-C", bare, "commit-tree", tree, "-m", "first")
    shutil.rmtree(board.paths.workspace)
    git("init", "-q", "-b", "main", board.paths.workspace)
    Path(board.paths.workspace, ".git/objects/info/alternates").write_text(f"{board.objects}\n", "utf-8")
    git("-C", board.paths.workspace, "reset", "-q", "--hard", commit)
    ran = board.ran(
        "sh",
        "-c",
        "git log --format=%s && echo x > new && git add new && git commit -q -m second && git log --format=%s",
    )
    assert (ran.stdout, ran.stderr) == ("first\nsecond\nfirst\n", "")
    assert board.ran("sh", "-c", f"echo x > {board.objects}/pack/x").returncode != 0


@needs_bwrap
def test_the_package_and_its_command_run_inside(board: Board) -> None:
    assert board.python("import folkmoot.core.flow, msgspec, sys; print(sys.prefix)") == f"{sys.prefix}\n"
    ran = board.ran("moot", "--version")
    assert (ran.returncode, ran.stderr) == (0, "")


@needs_bwrap
@pytest.mark.skipif(os.geteuid() != 0, reason="NOT TESTED: only root could do this outside of a box")
def test_root_in_the_box_reaches_nothing_of_the_machine(board: Board) -> None:
    """Files are only opened: what is written there holds for the whole machine."""
    for path, flags in (("/proc/sys/kernel/core_pattern", os.O_WRONLY), ("/etc/shadow", os.O_RDONLY)):
        ran = board.ran(sys.executable, "-c", f"import os; os.open({path!r}, {flags})")
        assert ran.returncode == 1 and re.search("Read-only|Permission denied", ran.stderr)
    assert "CapEff:\t0000000000000000" in board.ran("cat", "/proc/self/status").stdout
    mounting = board.ran("sh", "-c", "umount /home || mount -t tmpfs x /mnt || mknod x b 8 0 || chown 65534 .")
    assert mounting.returncode != 0
    nested = board.ran("unshare", "-Urmpf", "--mount-proc", "sh", "-c", "exec 3>>/proc/sys/kernel/core_pattern")
    assert nested.returncode != 0


POLITE = """
import signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: (print("ending well"), sys.exit(7)))
print("up")
time.sleep(600)
"""
# Leaves its session twice over, and hears no signal. Says that it is up when all of it is.
STUBBORN = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
reading, writing = os.pipe()
for _ in range(2):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(writing, b"x")
        time.sleep(600)
        os._exit(0)
got = b""
while len(got) < 2:
    got += os.read(reading, 2)
print("up")
time.sleep(600)
"""
SOON_OVER = STUBBORN.replace('print("up")\ntime.sleep(600)', 'print("up")\ntime.sleep(1)')


@needs_bwrap
@pytest.mark.parametrize("way", ["env", "python"])
def test_sigterm_to_the_group_lets_the_agent_end_well(board: Board, way: str) -> None:
    board.box._python = way == "python"
    process = board.start(POLITE)
    os.killpg(process.pid, signal.SIGTERM)
    out, _ = process.communicate(timeout=PATIENCE)
    assert (out, process.returncode) == ("ending well\n", 7)


@needs_bwrap
def test_an_agent_without_a_handler_dies_of_sigterm(board: Board) -> None:
    process = board.start("import time; print('up'); time.sleep(600)")
    os.killpg(process.pid, signal.SIGTERM)
    assert process.wait(PATIENCE) == 128 + signal.SIGTERM


@pytest.mark.attack("start", "the worker was started with signals ignored", "in the box each has its usual meaning")
@needs_bwrap
@pytest.mark.parametrize("way", ["env", "python"])
def test_signals_are_as_usual_inside(board: Board, way: str) -> None:
    board.box._python = way == "python"
    before = {number: signal.getsignal(number) for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)}
    for number in before:
        signal.signal(number, signal.SIG_IGN)  # as a shell and nohup do for what is started in the background
    try:
        ran = board.ran("sh", "-c", "yes | head -n 1; grep SigIgn /proc/self/status")
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    said, _, mask = ran.stdout.partition("\nSigIgn:\t")
    # The C library keeps 32 and 33 to itself, and whoever was started by make ignores one of them.
    assert said == "y" and int(mask, 16) & ~(1 << 31 | 1 << 32) == 0 and "Broken pipe" not in ran.stderr


@needs_bwrap
def test_a_program_with_an_equals_sign_in_its_path_runs(board: Board) -> None:
    odd = Path(board.paths.workspace, "a=b")
    odd.write_text("#!/bin/sh\necho odd\n", "utf-8")
    odd.chmod(0o755)
    assert board.ran(str(odd)).stdout == "odd\n"


@needs_bwrap
def test_killing_bwrap_kills_all(board: Board) -> None:
    process = board.start(STUBBORN)
    pids = below(process.pid)
    assert len(pids) == 6  # bwrap again, the agent, and twice a child and its own
    process.kill()
    process.wait(PATIENCE)
    assert gone(pids)


@needs_bwrap
def test_the_end_of_the_first_process_ends_all(board: Board) -> None:
    process = board.start(SOON_OVER)
    pids = below(process.pid)
    assert process.wait(PATIENCE) == 0
    assert gone(pids)


@needs_bwrap
def test_the_death_of_the_parent_ends_all(board: Board) -> None:
    parent = board.start(STUBBORN, sys.executable, "-c", SPAWN)
    pids = below(parent.pid)
    assert len(pids) == 7
    parent.kill()
    parent.wait(PATIENCE)
    assert gone(pids)


@needs_bwrap
def test_a_workspace_around_the_board_does_not_show_it(board: Board) -> None:
    """In a plain folder the agent works in the user's own, which holds the board."""
    project = board.moot.parent
    words = board.box.wrap(
        ["sh", "-c", "echo x > here; ls -A; ls -A .moot; ls -A .moot/runs/r1"],
        writable=[str(project), board.paths.home],
        readable=[board.paths.spool],
        cwd=str(project),
        network=False,
    )
    ran = subprocess.run(words, env=board.env, capture_output=True, text=True, timeout=PATIENCE)
    assert (ran.stdout, ran.stderr) == (".moot\nhere\nruns\nhome\nspool\n", "")
    assert (project / "here").read_text("utf-8") == "x\n"


@needs_bwrap
def test_what_is_readable_inside_a_writable_folder_cannot_be_written(board: Board) -> None:
    locked = Path(board.paths.workspace, "locked")
    locked.mkdir()
    ran = board.ran("sh", "-c", "echo x > free; echo x > locked/file", readable=[str(locked)])
    assert ran.returncode != 0 and "Read-only" in ran.stderr
    assert Path(board.paths.workspace, "free").exists()


@needs_bwrap
def test_paths_with_symlinks_lead_to_the_same_place_inside(tmp_path: Path) -> None:
    real = tmp_path / "real" / "deep"
    real.mkdir(parents=True)
    (tmp_path / "second").symlink_to("real")
    (tmp_path / "first").symlink_to(tmp_path / "second")
    place = str(tmp_path / "first" / "deep")
    words = Bubblewrap().wrap(
        ["sh", "-c", "pwd -P; echo x > file"], writable=[place], readable=(), cwd=place, network=False
    )
    ran = subprocess.run(words, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, timeout=PATIENCE)
    assert (ran.stdout, ran.stderr) == (f"{real}\n", "")
    assert (real / "file").exists()


@needs_bwrap
def test_of_a_home_only_programs_are_shown(tmp_path: Path) -> None:
    home = tmp_path / "person"
    tool = home / ".local" / "share" / "venvs" / "tool"
    files = {
        home / "bin" / "mine": "mine",
        home / ".tool" / "bin" / "run": "run",
        home / ".tool" / "lib" / "part": "part",
        home / ".tool" / "credentials.json": CANARY,
        home / ".local" / "share" / "keyring": CANARY,
        home / ".nvm" / "versions" / "v1" / "bin" / "node": "node",
        home / ".nvm" / "versions" / "v1" / "share" / "data": "data",
        tool / "pyvenv.cfg": "tool",
        tool / "bin" / "tool": "tool",
        home / ".netrc": CANARY,
    }
    for file, text in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        file.chmod(0o755)
    (home / ".local" / "bin").mkdir()
    (home / ".local" / "bin" / "tool").symlink_to(tool / "bin" / "tool")
    folders = [home / "bin", home / ".tool" / "bin", home / ".local" / "bin", home / ".nvm" / "versions" / "v1" / "bin"]
    path = ":".join([*map(str, folders), "/usr/bin", "/bin"])
    words = Bubblewrap(env={"PATH": path, "HOME": str(home)}).wrap(
        ["cat", str(home / ".local" / "bin" / "tool"), *map(str, files)],
        writable=(),
        readable=(),
        cwd="/",
        network=False,
    )
    ran = subprocess.run(words, env={"PATH": path}, capture_output=True, text=True, timeout=PATIENCE)
    assert ran.stdout == "tool" + "".join(text for text in files.values() if text != CANARY)


@needs_bwrap
@pytest.mark.parametrize("name", ["KUBECONFIG", "PGPASSFILE", "GH_CONFIG_DIR"])
def test_files_that_the_worker_s_variables_name_are_covered(board: Board, name: str) -> None:
    """Wherever they lie: here in the project, which is visible where the machine is."""
    kube = board.moot.parent / "kube.conf"
    kube.write_text(CANARY, "utf-8")
    shown = Bubblewrap(env=board.worker_env)
    covered = Bubblewrap(env={**board.worker_env, name: f"{kube}:/nowhere/else"})
    out = []
    for box in (shown, covered):
        words = box.wrap(["cat", str(kube)], writable=(), readable=(), cwd="/", network=False)
        out.append(subprocess.run(words, env=board.env, capture_output=True, text=True, timeout=PATIENCE).stdout)
    assert out[1] == ""
    assert out[0] == ("" if str(kube).startswith("/tmp") else CANARY)


@needs_bwrap
def test_a_home_that_is_the_root_of_the_machine_covers_nothing_else() -> None:
    box = Bubblewrap(env={"PATH": os.environ["PATH"], "HOME": "/", "XDG_CONFIG_HOME": "/etc", "KUBECONFIG": ""})
    assert box.works
    assert not {"/", "/etc"} & set(box._covers)


@needs_bwrap
@pytest.mark.parametrize("kind", ["writable", "readable"])
def test_a_folder_that_is_not_there_is_named(tmp_path: Path, kind: str) -> None:
    paths: dict[str, Sequence[str]] = {"writable": (), "readable": ()} | {kind: [str(tmp_path / "gone")]}
    with pytest.raises(Unavailable, match="gone cannot be shown"):
        Bubblewrap().wrap(["true"], writable=paths["writable"], readable=paths["readable"], cwd="/", network=True)


NOBODY = """
import importlib.util, json, os, subprocess, sys
sys.path.insert(0, sys.argv[1])
spec = importlib.util.spec_from_file_location("box", sys.argv[1] + "/folkmoot/system/sandbox.py")
sys.modules["folkmoot.worker.ports"] = type(sys)("ports")
sys.modules["folkmoot.worker.ports"].__dict__.update(Sandbox=object, Names=object, FIRST_FILE=3)
box = importlib.util.module_from_spec(spec)
spec.loader.exec_module(box)
made = box.Bubblewrap([], {"PATH": "/usr/bin:/bin", "HOME": sys.argv[2]})
print(made.why, flush=True)
if made.works:
    words = made.wrap(["sh", "-c", sys.argv[4]], writable=[sys.argv[3]], readable=[], cwd=sys.argv[3], network=False)
    sys.exit(subprocess.run(words, env={"PATH": "/usr/bin:/bin"}).returncode)
"""


@needs_bwrap
@pytest.mark.skipif(os.geteuid() != 0, reason="not needed: all tests here already run without root")
def test_it_works_without_root() -> None:
    python = shutil.which("python3", path="/usr/bin:/bin")
    source = Path(sandbox.__file__).parents[2]
    anybody = all(entry.stat().st_mode & stat.S_IXOTH for entry in (source, *source.parents))
    if python is None or not shutil.which("setpriv") or not anybody:
        pytest.skip(
            "NOT TESTED WITHOUT ROOT: no python3 of the system, no setpriv, or the source is not readable by others"
        )
    top = Path(f"/var/tmp/box-{os.getpid()}")
    home, work = top / "person", top / "work"
    for folder in (home, work):
        folder.mkdir(parents=True)
        os.chown(folder, 65534, 65534)
    (home / "private").write_text(CANARY, "utf-8")
    script = f"echo x > file && id -u && ls -A {home} && ! cat {home}/private && ! touch {home}/x"
    script += " && ls /proc | grep -c '^[0-9]'"
    try:
        ran = subprocess.run(
            [
                *("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"),
                *(python, "-c", NOBODY, str(source), str(home), str(work), script),
            ],
            env={"PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            cwd="/",
        )
        lines = ran.stdout.splitlines()
        if lines and lines[0]:
            pytest.skip(f"NOT TESTED WITHOUT ROOT: {lines[0]}")
        assert ran.returncode == 0, ran.stderr
        assert len(lines) == 3 and lines[1] == "65534" and int(lines[2]) <= 6
        assert (work / "file").read_text("utf-8") == "x\n"
        assert CANARY not in ran.stdout
    finally:
        shutil.rmtree(top)


def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None) -> Mapping[str, str]:
    """A machine whose bwrap is another one, or missing."""
    monkeypatch.setattr(os, "defpath", str(tmp_path))
    if script is not None:
        (tmp_path / "bwrap").write_text(f"#!/bin/sh\n{script}\n", "utf-8")
        (tmp_path / "bwrap").chmod(0o755)
    return {"PATH": str(tmp_path)}


def test_it_is_said_that_bwrap_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env = broken(tmp_path, monkeypatch, None)
    box = Bubblewrap(env=env)
    assert not box.works and "not installed" in box.why
    with pytest.raises(Unavailable, match="not installed"):
        box.wrap(["true"], writable=(), readable=(), cwd="/", network=True)


def test_it_is_said_why_the_machine_does_not_allow_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env = broken(tmp_path, monkeypatch, "echo 'bwrap: No permissions to create new namespace' >&2; exit 1")
    box = Bubblewrap(env=env)
    assert not box.works
    assert box.why.endswith("does not let it work: bwrap: No permissions to create new namespace")


def test_the_flow_chooses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    never = choose("never")
    assert isinstance(never, NoSandbox) and "never" in never.why
    assert never.wrap(["a", "b"], writable=["/x"], readable=(), cwd="/", network=False) == ["a", "b"]
    if not WHY:
        assert isinstance(choose("auto"), Bubblewrap) and isinstance(choose("always"), Bubblewrap)
    env = broken(tmp_path, monkeypatch, None)
    auto = choose("auto", env=env)
    assert isinstance(auto, NoSandbox) and not auto.works and "not installed" in auto.why
    with pytest.raises(Unavailable, match="sandbox: always") as refused:
        choose("always", env=env)
    assert refused.value.code == "no_sandbox"


@pytest.mark.attack(
    "sandbox", "an agent of root reads files that only root may read", "they are covered, by their modes"
)
def test_what_only_root_may_read_is_found_by_its_mode(tmp_path: Path) -> None:
    modes = {"open": 0o644, "group": 0o640, "own": 0o600, "shut/in": 0o644, "wide/deep": 0o400, "wide/seen": 0o444}
    for name, mode in modes.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
        (tmp_path / name).chmod(mode)
    (tmp_path / "shut").chmod(0o750)
    (tmp_path / "wide").chmod(0o755)
    (tmp_path / "link").symlink_to(tmp_path / "own")
    found = {os.path.relpath(path, tmp_path) for path in roots_alone((str(tmp_path),))}
    assert found == {"group", "own", "shut", "wide/deep"}


@needs_bwrap
@pytest.mark.skipif(os.geteuid() != 0, reason="NOT TESTED: only root's box could show them")
def test_roots_box_covers_what_only_root_may_read(board: Board) -> None:
    files = [path for path in roots_alone() if os.path.isfile(path) and os.path.getsize(path)]
    ran = board.ran("sh", "-c", "for f; do cat $f; done 2>/dev/null | wc -c", "sh", *files)
    assert files and ran.stdout.strip() == "0", ran
