"""How long a command takes to start, over a bare interpreter, with only what a user's install has."""

import os
import subprocess
import sys
import tempfile
import time
from importlib.metadata import distribution
from pathlib import Path

ROUNDS = 15
RUNTIME = ("apsw", "click", "msgspec", "PyYAML", "rich", "markdown-it-py", "mdurl", "Pygments")
SOURCE = Path(__file__).parent.parent / "src"


def runtime_only(folder: Path) -> dict[str, str]:
    """An environment that sees our package and its run-time dependencies, and none of the developer's."""
    for name in RUNTIME:
        for file in distribution(name).files or []:
            top = file.parts[0]
            if top in ("..", "__pycache__") or (folder / top).exists():
                continue
            (folder / top).symlink_to(Path(str(distribution(name).locate_file(top))))
    return {"PATH": os.environ["PATH"], "PYTHONPATH": f"{SOURCE}:{folder}", "USER": "bench"}


def fastest(arguments: list[str], environment: dict[str, str], where: Path) -> float:
    """The best of several: what else the machine does only ever adds."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        done = subprocess.run([sys.executable, "-S", "-P", *arguments], env=environment, cwd=where, capture_output=True)
        best = min(best, time.perf_counter() - start)
        if done.returncode:
            raise RuntimeError(done.stderr.decode())
    return best * 1000


def run() -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="moot-bench-") as name:
        where, packages = Path(name) / "project", Path(name) / "packages"
        where.mkdir()
        packages.mkdir()
        environment = runtime_only(packages)
        # What the installed command does: import the entry point and call it.
        moot = ["-c", "import sys; sys.argv[0] = 'moot'; from folkmoot.wiring import main; main()"]
        command = [sys.executable, "-S", "-P", *moot]  # -P: modules of the project are none of moot
        made = [*command, "init", "--preset", "kanban", "--json"]
        subprocess.run(made, env=environment, cwd=where, check=True, capture_output=True)
        for number in range(ROUNDS):
            add = [*command, "add", f"item {number}", "--column", "dev", "--json"]
            subprocess.run(add, env=environment, cwd=where, check=True, capture_output=True)
        bare = fastest(["-c", "pass"], environment, where)
        return {
            "bare interpreter, ms": round(bare, 1),
            "moot --version, ms over bare (goal ≤ 50)": round(
                fastest([*moot, "--version"], environment, where) - bare, 1
            ),
            "moot claim --json, ms over bare (goal ≤ 100)": round(
                fastest([*moot, "claim", "dev-agent", "--json"], environment, where) - bare, 1
            ),
        }
