"""The token of the forge: in the worker's memory, and nowhere else."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from folkmoot.system.forge.token import VARIABLE
from tests.forge.github import TOKEN, git
from tests.forge.workshop import Workshop

BEGINS_SECONDS = 5.0
SECRET = TOKEN.encode()
GIT_SPY = '#!/bin/sh\n{{ tr "\\0" "\\n" < /proc/$$/environ; printf "%s\\n" "$@"; }} >> {note}\nexec {git} "$@"\n'
NOTICE = "#!/bin/sh\n{{ echo told-people; env; cat; }} >> {note}\n"


def children(of: int) -> dict[int, int]:
    """Every process there is now that came from this one, by its number, with its parent."""
    parents: dict[int, int] = {}
    for name in os.listdir("/proc"):
        with suppress(OSError, ValueError, IndexError):
            parents[int(name)] = int(Path("/proc", name, "stat").read_text().rpartition(")")[2].split()[1])
    found = {of}
    while more := {one for one, parent in parents.items() if parent in found} - found:
        found |= more
    return {one: parents[one] for one in found - {of}}


@contextmanager
def watched(of: int, command: list[str], shown: dict[int, bytes]) -> Iterator[None]:
    """Look again and again at what every child shows in /proc: its arguments and its environment. One that has not
    begun its own program yet is the worker still, and shows what that shows: for a moment only."""
    over = threading.Event()
    own = "\0".join([*command, ""]).encode()
    since: dict[int, float] = {}

    def look() -> None:
        while not over.wait(0.005):
            for one in children(of):
                with suppress(OSError):
                    said = [Path("/proc", str(one), what).read_bytes() for what in ("cmdline", "environ", "cmdline")]
                    is_worker = own in (said[0], said[2])
                    first = since.setdefault(one, time.monotonic()) if is_worker else since.pop(one, 0.0)
                    if not is_worker or time.monotonic() - first > BEGINS_SECONDS:
                        shown[one] = shown.get(one, b"") + b"".join(said)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_the_token_is_in_no_child_log_event_backup_export_or_file(tmp_path: Path) -> None:
    """A worker that was started with the token in its environment, as people start it; each of its children is looked
    at: agents, gates, git, the keeper, and the program that tells people."""
    tools, note = tmp_path / "tools", tmp_path / "note"
    tools.mkdir()
    real = subprocess.run(["which", "git"], capture_output=True, text=True, check=True).stdout.strip()
    for name, text in (("git", GIT_SPY.format(note=note, git=real)), ("tell-me", NOTICE.format(note=note))):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    shop = Workshop(tmp_path / "shop", gate="env; sleep 0.3", more="notify: [tell-me]")
    look = "shell (env; cat /proc/self/environ /proc/[0-9]*/cmdline) | tr '\\0' '\\n' | grep -a 'GITHUB\\|MOOT_RUN='"
    item = shop.add("One", f"{look} > one.txt; sleep 0.5", "report done")
    asking = shop.add("Two", 'report asks {"questions": [{"question": "which?"}]}')
    shown: dict[int, bytes] = {}
    env = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    moot = [sys.executable, "-m", "folkmoot", "run", "--until-idle"]
    worker = subprocess.Popen(
        moot, cwd=shop.folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    with watched(worker.pid, moot, shown):
        said, _ = worker.communicate(timeout=120)
    assert env[VARIABLE] == TOKEN
    assert shop.hub.seen_tokens == {TOKEN}, said
    number = shop.pull(item)
    assert shop.board.show(asking)["status"] == "awaiting-divine-guidance"
    told = note.read_bytes()
    assert b"push" in told and b"told-people" in told, "git and the program that tells people were looked at"
    assert len(shown) > 3 and any(b"MOOT_RUN=" in one for one in shown.values())
    assert SECRET not in told and not [one for one in shown.values() if SECRET in one]
    seen = git(shop.hub.repository, "show", f"{shop.hub.head(number)}:one.txt")
    assert "MOOT_RUN" in seen and TOKEN not in seen and TOKEN not in said
    shop.hub.merge(number)
    shop.work()
    kept = tmp_path / "kept"
    kept.mkdir()
    for command in (["backup", str(kept / "board")], ["export"], ["log", "--json"], ["show", item]):
        ran = subprocess.run([*moot[:3], *command], cwd=shop.folder, env=env, capture_output=True, check=False)
        assert ran.returncode == 0, ran.stderr
        assert SECRET not in ran.stdout + ran.stderr, command
    for top in (shop.folder, kept):
        for folder, _, files in os.walk(top):
            for name in files:
                assert SECRET not in Path(folder, name).read_bytes(), name
    shop.close()
