"""The page from its sources: `python -m tests.web.build install`, `make` or `check`.

`check` builds again beside the package, and says whether what is handed out is what the sources make: whoever installs
Folkmoot needs no Node, so the built files are kept with the code. The same sources give the same bytes.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.clients.clients import PATIENCE, ROOT, CannotInstall, environment, node_programs, npm, turn

WEB = ROOT / "web"
BUILT = ROOT / "src" / "folkmoot" / "doors" / "web" / "built"
STAMP = WEB / "node_modules" / ".installed-from"
TYPES = ROOT / "scripts" / "web_types.py"
NODE_NEEDED = (20, 19)  # of Vite 8
NEXT_MAJOR = 22  # where the machine's Node is older than that


def node_major() -> int:
    """Which Node to ask for: the machine's, if the bundler runs with it."""
    folder = node_programs(NODE_NEEDED[0])
    if folder is not None:
        told = subprocess.run([folder / "node", "--version"], capture_output=True, text=True, check=True, timeout=60)
        version = tuple(int(part) for part in told.stdout.strip().lstrip("v").split(".")[:2])
        if version >= NODE_NEEDED:
            return NODE_NEEDED[0]
    return NEXT_MAJOR


def run(*words: str) -> None:
    """npm in the folder of the page; what it said is told only if it failed."""
    major = node_major()
    done = subprocess.run(
        [*npm(major), *words],
        cwd=WEB,
        env=environment(None, major),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=PATIENCE,
        check=False,
    )
    if done.returncode != 0:
        raise CannotInstall(f"npm {' '.join(words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")


def install() -> None:
    """What the lock names. Not by `npm ci`: that wants the binaries of every system in the lock, and not all registries
    have all of them."""
    lock = (WEB / "package-lock.json").read_bytes()
    if STAMP.is_file() and STAMP.read_bytes() == lock:
        return
    print("web: installing what the page is built with", flush=True)
    run("install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    STAMP.write_bytes(lock)


def build(place: Path) -> None:
    """The steps of the script `build`, with another place for what they make."""
    steps = json.loads((WEB / "package.json").read_text("utf-8"))["scripts"]["build"].split(" && ")
    for step in steps:
        to = ["--outDir", str(place)] if step.startswith("vite build") else []
        run("exec", "--", *step.split(), *to)


def differing(one: Path, other: Path) -> list[str]:
    """The files that are not the same in both folders."""
    names = {str(path.relative_to(folder)) for folder in (one, other) for path in folder.rglob("*") if path.is_file()}
    return sorted(name for name in names if content(one / name) != content(other / name))


def content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def check() -> str:
    """What is wrong; empty where nothing is."""
    told = subprocess.run([sys.executable, TYPES, "--check"], capture_output=True, text=True, check=False)
    if told.returncode != 0:
        return told.stderr.strip()
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder, "built"))
        changed = differing(Path(folder, "built"), BUILT)
    return f"the built page is not what its sources make ({', '.join(changed[:5])}): make web" if changed else ""


def main(words: list[str]) -> int:
    if words not in (["install"], ["make"], ["check"]):
        print("usage: install | make | check", file=sys.stderr)
        return 2
    with turn():
        try:
            install()
        except (CannotInstall, OSError, subprocess.SubprocessError) as fault:
            print(f"\n*** NOT RUN: whether the built page is what its sources make: {fault}\n", file=sys.stderr)
            return 1 if words == ["make"] else 0
        if words == ["make"]:
            subprocess.run([sys.executable, TYPES], check=True)
            shutil.rmtree(BUILT, ignore_errors=True)
            build(BUILT)
        elif words == ["check"]:
            run("run", "test")
            wrong = check()
            if wrong:
                print(wrong, file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
