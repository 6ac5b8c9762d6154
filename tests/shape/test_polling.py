"""Nothing looks again and again: who waits is woken, and without a wake-up looks every five seconds at most."""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "folkmoot"
SECONDS = 5.0  # whoever looks more often than this polls
WAITS = {"sleep", "pause", "_pause", "wait", "wait_for", "poll", "select", "get", "acquire"}

# Where a wait may be shorter: the file, the function, and why it is no polling of the board.
ALLOWED: dict[tuple[str, str], str] = {
    (
        "doors/cli/render/running.py",
        "_turn",
    ): "the live line of `moot run` moves while it is seen; the board wakes it",
    (
        "doors/cli/looking/live.py",
        "run",
    ): "once after a question has come, until keys are meant for it; else keys and the board wake it",
    ("sim/demo/agent.py", "main"): "the demo's scripted agent works at a speed that people can follow",
    (
        "store/sqlite/connecting.py",
        "__call__",
    ): "SQLite's own lock wakes nobody; only the next writer looks, and not for long",
    ("store/postgres/listening.py", "_follow"): "only where the server cannot be reached",
    ("store/postgres/place.py", "reconnect"): "the same, and not for long",
    ("store/postgres/store.py", "_patiently"): "the same",
    ("system/file_lock.py", "_got"): "the kernel cannot wait for a lock for so long and no longer",
    ("system/line_process.py", "end"): "a git that is asked to end gets a moment to take its lock away",
    ("system/git.py", "follow"): "git's output wakes it; in between it is seen whether it shall end",
    ("system/git.py", "run_bound"): "a git that has closed its output and not ended: the same",
    ("system/keeper_client.py", "_say"): "how long a tree whose warden was killed may keep others waiting, once",
    ("system/keeper_client.py", "kill_warden"): "the same",
    ("system/processes/guarding.py", "_run"): "a process that was stopped tells nobody; only while agents run",
    ("system/processes/guarding.py", "end_left"): "the same as kill_all",
    ("system/processes/trees.py", "kill_all"): "processes that are being killed tell nobody; it is over in a moment",
    ("system/relay.py", "_next"): "after a fault of the kernel, so that it is no busy loop; connections wake it",
    ("system/wake.py", "_follow"): "once after a write, until what was written can be seen; then it sleeps without end",
    ("wiring/demo.py", "_listen"): "the demo alone, while it runs: a key that was pressed is seen at once",
    ("wiring/remote.py", "ask"): "a run that asked too fast waits for its turn, as it was told to",
    ("wiring/remote.py", "changed"): "every five seconds, or sooner only where that is the end of the wait",
    ("wiring/steering/taking.py", "_ended"): "a folder that is being removed tells nobody; once, while an agent ends",
    ("worker/clients/acp_driver.py", "_leave"): "how long a process that was asked to end may take, once",
    ("worker/clients/acp_driver.py", "drive"): "the same, of an agent",
    (
        "worker/jobs/job.py",
        "_follow",
    ): "a run's output wakes it; in between its own limits are looked at, not the board",
    ("worker/jobs/job.py", "close_output"): "only where the store cannot be reached",
    ("worker/jobs/job.py", "submit"): "only where the store cannot be reached",
    (
        "worker/jobs/preparing.py",
        "wait",
    ): "the lock of a setup that another run makes wakes nobody who must also hear that he shall stop",
    ("worker/jobs/teardown.py", "_followed"): "output wakes it; in between its own time is looked at, not the board",
    (
        "worker/git/trees/checkout.py",
        "_unlocked",
    ): "git's own lock wakes nobody; it is looked at so many times and no more",
}


def shortest(node: ast.expr, known: Mapping[str, float]) -> float | None:
    """The shortest time that the expression says by a number or a constant; None if it names none."""
    if isinstance(node, ast.Constant):
        return float(node.value) if isinstance(node.value, int | float) and not isinstance(node.value, bool) else None
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        sides = [one for one in (shortest(node.left, known), shortest(node.right, known)) if one not in (None, 1000.0)]
        return min((one for one in sides if one is not None), default=None)
    parts: list[ast.expr] = []
    if isinstance(node, ast.IfExp):
        parts = [node.body, node.orelse]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("min", "max"):
        parts = node.args
    elif isinstance(node, ast.List | ast.Tuple):
        parts = node.elts
    # Nothing at all is no time: `max(0.0, left)` says only that a time that is over is over.
    return min((one for part in parts if (one := shortest(part, known))), default=None)


def numbers(tree: ast.Module) -> dict[str, float]:
    """The constants of a module that are numbers."""
    found = {}
    for node in tree.body:
        for target in node.targets if isinstance(node, ast.Assign) else []:
            assert isinstance(node, ast.Assign)
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            for name, value in zip(names, values, strict=False):
                number = shortest(value, {}) if isinstance(value, ast.Constant) else None
                if isinstance(name, ast.Name) and number is not None:
                    found[name.id] = number
    return found


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """Every call, with the name of the innermost function it stands in."""

    def walk(node: ast.AST, name: str) -> Iterator[tuple[str, ast.Call]]:
        for child in ast.iter_child_nodes(node):
            inner = child.name if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) else name
            if isinstance(child, ast.Call):
                yield name, child
            yield from walk(child, inner)

    yield from walk(tree, "")


def limit(call: ast.Call) -> ast.expr | None:
    """The time that is given to something that waits."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name not in WAITS:
        return None
    for keyword in call.keywords:
        if keyword.arg == "timeout":
            return keyword.value
    if name == "get" or (name == "select" and len(call.args) < 4):
        return None
    return call.args[-1] if call.args else None


def short_waits(tree: ast.Module, elsewhere: Mapping[str, float]) -> list[tuple[str, int, str]]:
    """Function, line and words of every wait that may be a short one."""
    known = {**elsewhere, **numbers(tree)}
    found = []
    for function, call in functions(tree):
        time = limit(call)
        if time is None:
            continue
        seconds = shortest(time, known)
        sleeps = ast.unparse(call.func) in ("time.sleep", "sleep")  # nothing can wake it, however long it is
        if (seconds is not None and 0 < seconds < SECONDS) or (sleeps and (seconds or 0) < SECONDS):
            found.append((function, call.lineno, ast.unparse(call)))
    return found


@cache
def all_short_waits() -> dict[tuple[str, str], str]:
    sources = {file.relative_to(PACKAGE).as_posix(): file.read_text("utf-8") for file in PACKAGE.rglob("*.py")}
    # The seeded world and the builders have a clock of their own, which costs nothing.
    virtual = {path for path in sources if path.startswith(("sim/", "testing/")) and "threading" not in sources[path]}
    trees = {path: ast.parse(source) for path, source in sorted(sources.items()) if path not in virtual}
    elsewhere = {name: value for tree in trees.values() for name, value in numbers(tree).items()}
    found = {}
    for path, tree in trees.items():
        for function, line, words in short_waits(tree, elsewhere):
            found[path, function] = f"{path}:{line}: {function}: {words}"
    return found


def test_nothing_polls() -> None:
    unknown = [words for place, words in all_short_waits().items() if place not in ALLOWED]
    assert not unknown, "a wait below five seconds; be woken, or give the reason in ALLOWED:\n" + "\n".join(unknown)


def test_what_is_allowed_is_still_there() -> None:
    assert ALLOWED.keys() <= all_short_waits().keys(), ALLOWED.keys() - all_short_waits().keys()


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    time.sleep(0.2)",
        "def f(seconds):\n    time.sleep(seconds)",
        "STEP = 0.5\ndef f():\n    boards.pause(min(STEP, left))",
        "A, STEP = 'a', 1\ndef f():\n    over.wait(STEP)",
        "def f():\n    over.wait(timeout=1)",
        "def f():\n    told.get(timeout=1.0 if moving else 9.0)",
        "def f():\n    lock.acquire(True, 0.1)",
        "LOOK = 0.5\ndef f():\n    poll.poll(LOOK * 1000)",
        "def f():\n    select.select([fd], [], [], 0.1)",
        "def f():\n    wake.wait(max(0.0, min([1.0, *(at - now for at in times)])))",
        "def f():\n    waiting.sleep(FAR_AWAY)",
    ],
)
def test_a_planted_wait_is_found(source: str) -> None:
    assert short_waits(ast.parse(source), {"FAR_AWAY": 0.1})


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    over.wait()",
        "def f(left):\n    over.wait(left)",
        "def f():\n    time.sleep(5.0)",
        "def f():\n    settings.get('name', 1)",
        "def f(left):\n    poll.poll(max(0.0, left) * 1000)",
        "def f():\n    select.select([fd], [], [], 0)",
        "def f():\n    bell.wait(seen, min(seconds, look_again))",
        "LOOK = 5.0\ndef f():\n    told.get(timeout=LOOK)",
    ],
)
def test_what_is_woken_or_looks_seldom_is_none(source: str) -> None:
    assert not short_waits(ast.parse(source), {})
