"""The keeper with well-behaved processes: what they are given, how their end is told, and what a loss does to them."""

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from folkmoot.errors import Invalid, Unavailable
from folkmoot.system.keeper_client import SystemChild, SystemKeeper
from folkmoot.worker.ports import Child, Ended, Keeper, Launch
from tests.system.to_end import run_to_end
from tests.system.wicked import below, marked, processes, read, state_of, until

PATH = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
ROOT = Path(__file__).parents[2]


@pytest.fixture
def keeper() -> Iterator[SystemKeeper]:
    keeper = SystemKeeper()
    yield keeper
    keeper.close()


def sh(script: str, stdin: bytes = b"", **env: str) -> Launch:
    return Launch(argv=["sh", "-c", script], env=PATH | env, cwd="/", stdin=stdin)


def py(script: str) -> Launch:
    return Launch(argv=[sys.executable, "-I", "-S", "-c", script], env={}, cwd="/")


def run(keeper: Keeper, launch: Launch, timeout: float = 60.0) -> tuple[Ended, str, str]:
    ended, out, err = run_to_end(keeper, launch, timeout, 100_000)
    return ended, out.decode(), err.decode()


def wait(child: Child, seconds: float = 30.0) -> Ended:
    """How it ended, waited for by its control alone, as the worker does."""
    poll = select.poll()
    poll.register(child.control, select.POLLIN)
    assert poll.poll(seconds * 1000), "it is not over"
    ended = child.ended()
    assert ended is not None, "its control can be read, and it is not over"
    return ended


def hear(child: Child, word: bytes) -> None:
    """Wait until it has said a word."""
    heard = b""

    def said() -> bool:
        nonlocal heard
        with contextlib.suppress(BlockingIOError):
            heard += os.read(child.output, 65536)
        return word in heard

    assert until(said), f"it said only {heard!r}"


def my_servers() -> list[int]:
    """Children of this process that run the keeper."""
    return [pid for pid in processes() if parent(pid) == os.getpid() and b"keeper.py" in read(pid, "cmdline")]


def parent(pid: int) -> int:
    words = read(pid, "stat").rpartition(b")")[2].split()
    return int(words[1]) if words else 0


def the_port_is_kept(keeper: SystemKeeper, child: SystemChild) -> tuple[Keeper, Child]:
    return keeper, child  # for the type checker


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("exit 0", Ended(code=0)),
        ("exit 3", Ended(code=3)),
        ("exit 127", Ended(code=127)),
        ("exit 255", Ended(code=255)),
        ("kill -TERM $$", Ended(signal=15)),
        ("kill -KILL $$", Ended(signal=9)),
        ("kill -USR1 $$", Ended(signal=10)),
        ("kill -PIPE $$", Ended(signal=13)),
    ],
)
def test_code_and_signal_are_told_as_they_were(keeper: SystemKeeper, script: str, expected: Ended) -> None:
    assert run(keeper, sh(script)) == (expected, "", "")


def test_what_cannot_be_started_says_why_and_has_no_code(keeper: SystemKeeper, tmp_path: Path) -> None:
    plain, strange = tmp_path / "plain", tmp_path / "strange"
    plain.write_text("no program")
    strange.write_bytes(b"\x00\x01 not a program either")
    strange.chmod(0o755)
    cases = [
        (["nonesuch"], "/", "cannot run nonesuch: No such file"),
        (["/nonesuch/x"], "/", "cannot run /nonesuch/x: No such file"),
        ([str(plain)], "/", "Permission denied"),
        ([str(strange)], "/", "Exec format error"),
        (["true"], str(tmp_path / "gone"), f"cannot enter {tmp_path / 'gone'}: No such file"),
        (["true"], str(plain), "Not a directory"),
        (["true", "a\0b"], "/", "cannot run true: embedded null byte"),
        (["true", "x" * 3_000_000], "/", "cannot run true: Argument list too long"),
    ]
    for argv, cwd, why in cases:
        ended, out, err = run(keeper, Launch(argv=argv, env=PATH, cwd=cwd))
        assert why in ended.fault, ended
        assert (ended.code, ended.signal, ended.killed, out, err) == (None, None, 0, "", "")


def test_what_no_system_could_start_is_refused(keeper: SystemKeeper) -> None:
    with pytest.raises(Invalid, match="empty"):
        keeper.start(Launch(argv=[], env={}, cwd="/"))
    with pytest.raises(Invalid, match="bytes"):
        keeper.start(Launch(argv=["true", "x" * 17_000_000], env={}, cwd="/"))
    assert run(keeper, sh("exit 4"))[0] == Ended(code=4)


def test_the_environment_is_what_was_given_and_nothing_more(
    keeper: SystemKeeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANARY", "sings")
    env = {"A": "1", "EMPTY": "", "ÜBER": "ö\n=", "RAW": "\udcff", "LONG": "x" * 100_000}
    _, out, _ = run_to_end(keeper, Launch(argv=["/usr/bin/env", "-0"], env=env, cwd="/"), 60, 1_000_000)
    given = {f"{name}={value}".encode("utf-8", "surrogateescape") for name, value in env.items()}
    assert set(out.split(b"\0")) == given | {b""}
    assert run(keeper, Launch(argv=["/usr/bin/env"], env={}, cwd="/")) == (Ended(code=0), "", "")


def test_no_process_above_the_agent_but_the_worker_knows_what_the_worker_knows(
    keeper: SystemKeeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANARY", "sings")
    child = keeper.start(sh("echo here; sleep 600"))
    hear(child, b"here")
    (server,) = my_servers()
    assert len(below(server)) >= 2, "a warden and its agent"
    for pid in [server, *(pid for pid, _ in below(server))]:
        assert b"sings" not in read(pid, "environ") + read(pid, "cmdline")
    child.close()


def test_input_is_read_whole_or_not_at_all(keeper: SystemKeeper) -> None:
    much = os.urandom(500_000) * 4
    ended, out, _ = run_to_end(keeper, sh("cat", stdin=much), 60, len(much))
    assert (ended, out) == (Ended(code=0), much)
    assert run(keeper, sh("exit 5", stdin=much)) == (Ended(code=5), "", "")
    assert run(keeper, sh("cat; echo over")) == (Ended(code=0), "over\n", "")


def signals(mask: bytes | str) -> set[int]:
    """The signals in a mask of the kernel's, but for the C library's own: make ignores one of those."""
    bits = int(mask, 16)
    return {number for number in signal.valid_signals() if bits & 1 << (number - 1)}


def test_it_starts_as_a_fresh_process(keeper: SystemKeeper) -> None:
    """No open file, no ignored or blocked signal, no terminal, a session and a group of its own."""
    child = keeper.start(py("import os, time; print(sorted(os.listdir('/proc/self/fd')), flush=True); time.sleep(600)"))
    hear(child, b"['0', '1', '2', '3']")  # the last is the listing itself
    assert child.pid is not None
    assert os.getsid(child.pid) == os.getpgid(child.pid) == child.pid
    status = dict(line.split(b":\t") for line in read(child.pid, "status").splitlines() if b":\t" in line)
    # Python itself ignores two signals when it starts.
    assert signals(status[b"SigIgn"]) == {signal.SIGPIPE, signal.SIGXFSZ}
    assert signals(status[b"SigBlk"]) == set()
    (server,) = my_servers()
    assert os.getsid(server) == server != os.getsid(0)
    child.close()


def test_a_shell_ignores_nothing_from_us(keeper: SystemKeeper) -> None:
    ended, out, _ = run(keeper, sh("grep -E 'SigIgn|SigBlk' /proc/self/status"))
    assert ended == Ended(code=0)
    assert [signals(line.split()[1]) for line in out.splitlines()] == [set(), set()]


@pytest.mark.ledger("Q-07")
def test_it_is_asked_before_it_is_killed(keeper: SystemKeeper) -> None:
    child = keeper.start(sh("trap 'echo bye; exit 7' TERM; echo here; while :; do sleep 0.05; done"))
    hear(child, b"here")
    child.end(60.0)
    assert wait(child).code == 7
    assert os.read(child.output, 100) == b"bye\n"
    child.end(1.0)  # nobody hears it, and nobody minds
    assert child.ended() == wait(child)
    child.close()
    child.close()


def test_what_is_stopped_is_asked_too(keeper: SystemKeeper) -> None:
    child = keeper.start(py("import os; print('here', flush=True); os.kill(os.getpid(), 19)"))
    hear(child, b"here")
    assert child.pid is not None
    stopped = child.pid
    assert until(lambda: state_of(stopped) == "T")
    child.end(600.0)
    assert wait(child) == Ended(signal=signal.SIGTERM)
    child.close()


@pytest.mark.ledger("Q-07")
def test_who_does_not_hear_is_killed_and_the_shorter_grace_holds(keeper: SystemKeeper) -> None:
    child = keeper.start(sh("trap '' TERM; echo here; while :; do sleep 600; done"))
    hear(child, b"here")
    child.end(600.0)
    child.end(0.1)
    child.end(600.0)
    assert wait(child).signal == signal.SIGKILL
    child.close()


@pytest.mark.ledger("Q-07")
def test_what_the_first_process_leaves_behind_is_ended_though_it_holds_the_output(
    keeper: SystemKeeper, tmp_path: Path
) -> None:
    stay = "(trap '' TERM; touch $SIGN; while :; do sleep 600; done) &"
    child = keeper.start(sh(f"{stay} until test -e $SIGN; do sleep 0.01; done; exit 6", SIGN=str(tmp_path / "sign")))
    ended = wait(child)
    assert (ended.code, ended.signal, ended.fault) == (6, None, "")
    assert ended.killed >= 1
    child.close()


def test_a_killed_server_costs_no_agent_and_there_is_another(keeper: SystemKeeper) -> None:
    child = keeper.start(sh("trap 'exit 8' TERM; echo here; while :; do sleep 0.05; done"))
    hear(child, b"here")
    (server,) = my_servers()
    os.kill(server, signal.SIGKILL)
    assert run(keeper, sh("exit 9"))[0] == Ended(code=9)
    assert my_servers() != [server]
    assert child.ended() is None
    child.end(60.0)
    assert wait(child).code == 8
    child.close()


def test_a_stopped_server_is_given_up(keeper: SystemKeeper, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(keeper, sh("exit 1"))[0] == Ended(code=1)
    (server,) = my_servers()
    os.kill(server, signal.SIGSTOP)
    monkeypatch.setattr("folkmoot.system.keeper_client.PATIENCE", 1.0)
    child = keeper.start(sh("exit 2"))
    assert wait(child) == Ended(code=2)
    child.close()
    assert server not in processes()


def test_a_killed_warden_takes_its_tree_with_it_and_no_other(keeper: SystemKeeper) -> None:
    mark = f"mark-{os.urandom(8).hex()}"
    other = keeper.start(sh("echo here; sleep 600"))
    child = keeper.start(sh("setsid sh -c 'sleep 600 & sleep 600' & echo here; sleep 600", MARK=mark))
    hear(child, b"here")
    hear(other, b"here")
    assert until(lambda: len(marked(mark)) == 5), marked(mark)
    assert child.pid is not None
    warden = parent(child.pid)
    os.kill(warden, signal.SIGKILL)
    ended = wait(child)
    assert ended.signal == signal.SIGKILL
    assert "killed" in ended.fault
    assert until(lambda: not marked(mark)), marked(mark)
    assert other.ended() is None
    assert run(keeper, sh("exit 3"))[0] == Ended(code=3)
    for each in (child, other):
        each.close()


def test_an_agent_whose_keepers_are_all_killed_dies_by_the_kernel(keeper: SystemKeeper) -> None:
    child = keeper.start(py("import time; print('here', flush=True); time.sleep(600)"))
    hear(child, b"here")
    assert child.pid is not None
    agent, warden = child.pid, parent(child.pid)
    (server,) = my_servers()
    os.kill(server, signal.SIGKILL)
    assert until(lambda: parent(warden) != server)
    os.kill(warden, signal.SIGKILL)
    assert until(lambda: state_of(agent) in "ZX")
    assert wait(child).fault
    child.close()


def test_letting_go_of_a_child_ends_it(keeper: SystemKeeper) -> None:
    mark = f"mark-{os.urandom(8).hex()}"
    child = keeper.start(sh("echo here; sleep 600", MARK=mark))
    hear(child, b"here")
    child.close()
    assert until(lambda: not marked(mark)), marked(mark)
    assert child.ended() is None, "nobody listens any more"


def test_closing_the_keeper_ends_all_and_leaves_nothing_here() -> None:
    mark = f"mark-{os.urandom(8).hex()}"
    open_before = os.listdir("/proc/self/fd")
    keeper = SystemKeeper()
    children = [keeper.start(sh("trap '' TERM; echo here; while :; do sleep 600; done", MARK=mark)) for _ in range(3)]
    for child in children:
        hear(child, b"here")
    (server,) = my_servers()
    keeper.close()
    keeper.close()
    assert not marked(mark)
    assert state_of(server) == "X"
    for child in children:
        assert wait(child).signal == signal.SIGKILL
        child.close()
    with pytest.raises(Unavailable, match="closed"):
        keeper.start(sh("exit 0"))
    assert os.listdir("/proc/self/fd") == open_before


def test_many_threads_may_start(keeper: SystemKeeper) -> None:
    assert run(keeper, sh("exit 0"))[0].code == 0
    open_before = len(os.listdir("/proc/self/fd"))
    wrong: list[object] = []

    def work(number: int) -> None:
        for turn in range(5):
            code = number * 5 + turn
            result = run(keeper, sh(f"echo {code}; exit {code}"))
            if result != (Ended(code=code), f"{code}\n", ""):
                wrong.append(result)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not wrong
    assert len(os.listdir("/proc/self/fd")) == open_before
    (server,) = my_servers()
    assert until(lambda: not below(server)), "no warden stays"


def test_a_keeper_that_cannot_run_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "keeper.py"
    broken.write_text("raise SystemError('there is no fork here')")
    monkeypatch.setattr("folkmoot.system.keeper_client.SCRIPT", broken)
    keeper = SystemKeeper()
    with pytest.raises(Unavailable, match="there is no fork here"):
        keeper.start(sh("exit 0"))
    keeper.close()


def test_both_streams_are_kept_head_and_tail(keeper: SystemKeeper) -> None:
    script = "echo first; seq 1 100000; echo last; echo oops >&2"
    ended, out, err = run_to_end(keeper, sh(script), 60, 1000)
    assert ended == Ended(code=0)
    assert out.startswith(b"first\n1\n") and out.endswith(b"100000\nlast\n")
    head, gap, _ = out.partition(b"bytes left out")
    assert gap and 1000 < len(out) < 1100
    whole = len("first\nlast\n") + sum(len(str(number)) + 1 for number in range(1, 100001))
    assert int(head.rpartition(b"[")[2]) == whole - 1000
    assert err == b"oops\n"


def test_what_takes_too_long_is_ended_and_never_looks_well(keeper: SystemKeeper) -> None:
    ended, out, _ = run(keeper, sh("trap 'exit 0' TERM; echo here; while :; do sleep 0.05; done"), timeout=1.0)
    assert (ended.code, ended.signal, out) == (None, signal.SIGTERM, "here\n")
    assert "not over after 1 seconds" in ended.fault


def test_output_that_closes_early_or_never_stops_is_no_matter(keeper: SystemKeeper) -> None:
    assert run(keeper, sh("exec >&- 2>&-; sleep 0.2; exit 4")) == (Ended(code=4), "", "")
    ended, out, _ = run_to_end(keeper, sh("exec yes"), 1.0, 1000)
    assert "not over" in ended.fault
    assert out.startswith(b"y\ny\n")


@pytest.mark.skipif(os.getuid() != 0, reason="all other tests here show it, since they are not run by root")
def test_it_needs_no_root() -> None:
    if not shutil.which("setpriv"):
        pytest.skip("there is no setpriv to become another user")
    # It keeps the right to read, since the interpreter may lie where only root can.
    caps = ["--inh-caps", "-all,+dac_read_search", "--ambient-caps", "-all,+dac_read_search"]
    become = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", *caps]
    test = f"{Path(__file__).relative_to(ROOT)}"
    chosen = "killed or kills or fresh or behind or cannot_be_started or letting_go"
    done = subprocess.run(
        [*become, sys.executable, "-m", "pytest", test, "-q", "-n", "0", "-p", "no:cacheprovider", "-k", chosen],
        cwd=ROOT,
        env=PATH | {"PYTHONDONTWRITEBYTECODE": "1", "HOME": "/"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
