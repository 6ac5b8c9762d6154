"""What stands around a command: bytes for arguments, closed or full streams, odd folders, locales and environments.

They belong to the rows whose input they carry: bytes to B3, what is shown to B14, files and folders to B30, and the
words of the environment to B22.
"""

import os
import socket
import struct
import subprocess
import sys
import threading
from typing import Any

from folkmoot.config import read_settings
from folkmoot.wiring import boards_for
from tests.bad_input.text import ESCAPES
from tests.bad_input.yard import NOTHING, Case, Heard, Seen, Yard, clean, refusal
from tests.doors.conftest import environment

BYTES = b"caf\xe9 \xff"


def _process(
    row: str,
    name: str,
    given: str,
    *arguments: str | bytes,
    code: str | None = None,
    exit: int = 2,
    env: dict[str, str] | None = None,
    after: str = NOTHING,
    **options: Any,
) -> Case:
    """A command in a process of its own; what it changes is looked at when it is over."""

    def act(yard: Yard) -> Seen:
        before = yard.state()
        heard = yard.process(*arguments, "--json", env=env, **options)
        return Seen(*refusal(heard), yard.after(before) if after == NOTHING else after)

    door = next((word for word in arguments if isinstance(word, str)), "")
    return Case(row, name, given, f"`moot {door}`".replace(" `", "`"), act, exit, code, after, fresh=False)


def _closed(name: str, given: str, close: tuple[int, ...], arguments: list[str], exit: int) -> Case:
    """Streams that are closed before the command begins: it ends as it would with them."""

    def act(yard: Yard) -> Seen:
        before = yard.state()
        shut = " ".join(f"{number}>&-" if number else "<&-" for number in close)
        program = ["sh", "-c", f'"$@" {shut}', "sh", sys.executable, "-m", "folkmoot", *arguments]
        ended = subprocess.run(
            program, cwd=yard.folder, env=environment(), capture_output=True, check=False, timeout=120
        )
        assert b"Traceback" not in ended.stderr and b"Exception" not in ended.stderr, ended.stderr
        return Seen(ended.returncode, None, yard.after(before))

    return Case("B30", name, given, f"`moot {arguments[0]}`", act, exit, None)


def _full(yard: Yard) -> Seen:
    with open("/dev/full", "wb") as full:
        heard = yard.process("list", stdout=full, stderr=subprocess.PIPE)
    assert b"Traceback" not in heard.err, heard.err
    return Seen(heard.exit, None, NOTHING)


def _deleted_folder(yard: Yard) -> Seen:
    """The folder one stands in has been removed."""
    place = yard.folder / "given" / "gone"
    place.mkdir()
    program = ["sh", "-c", f'rmdir "{place}" && "$@"', "sh", sys.executable, "-m", "folkmoot", "list", "--json"]
    ended = subprocess.run(program, cwd=place, env=environment(), capture_output=True, check=False, timeout=120)
    return Seen(*refusal(Heard(ended.returncode, ended.stdout, ended.stderr)), NOTHING)


def _surrounded(row: str, name: str, given: str, env: dict[str, str], code: str, exit: int, *arguments: str) -> Case:
    """The words of the environment, in this process."""

    def act(yard: Yard) -> Seen:
        before = yard.state()
        boards = boards_for(read_settings(env))
        told = refusal(yard.moot(*arguments, "--json", env=env, boards=boards))
        shown = yard.moot(*arguments, env=env, boards=boards)
        assert shown.exit == told[0] and clean(shown.err) and shown.err.startswith(b"moot: "), shown
        return Seen(*told, yard.after(before))

    return Case(row, name, given, f"`moot {arguments[0]}`", act, exit, code, fresh=False)


def _speaks(answer: bytes, name: str, given: str, code: str, exit: int) -> Case:
    """A socket at whose other end is no board."""

    def serve(server: socket.socket) -> None:
        for _ in range(2):
            connection, _ = server.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(answer)

    def act(yard: Yard) -> Seen:
        before = yard.state()
        path = yard.folder / "given" / "o"
        place = os.getcwd()
        os.chdir(path.parent)  # a socket's path must be short
        server = socket.socket(socket.AF_UNIX)
        try:
            server.bind("o")
            server.listen()
            thread = threading.Thread(target=serve, args=(server,), daemon=True)
            thread.start()
            env = {"MOOT_SOCKET": "given/o", "MOOT_RUN": yard.run, "MOOT_TOKEN": "1"}
            boards = boards_for(read_settings(env))
            told = refusal(yard.moot("inbox", "--json", env=env, boards=boards))
            assert yard.moot("inbox", env=env, boards=boards).exit == told[0]
        finally:
            os.chdir(place)
            server.close()
            path.unlink()
        return Seen(*told, yard.after(before))

    return Case("B22", name, given, "in-run socket", act, exit, code, fresh=False)


def _framed(data: bytes, length: int | None = None) -> bytes:
    return struct.pack("!I", len(data) if length is None else length) + data


def _shown_user(yard: Yard) -> Seen:
    """The name of the user is shown without control codes."""
    heard = yard.moot("add", "a", env={"USER": ESCAPES})
    assert heard.exit == 0 and clean(heard.out)
    assert clean(yard.done("log").out)
    return Seen(0, None, "shown without control codes")


def _ascii(yard: Yard) -> Seen:
    """A screen that knows only ASCII gets words; JSON is UTF-8 all the same."""
    yard.done("add", "Größe → 漢字")
    env = {"LC_ALL": "C", "LANG": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    heard = yard.process("list", env=env)
    assert heard.exit == 0 and heard.err == b"", heard
    heard.out.decode("ascii")
    assert "漢字" in yard.process("list", "--json", env=env).out.decode("utf-8")
    return Seen(0, None, "shown in ASCII; JSON stays UTF-8")


def _homeless(yard: Yard) -> Seen:
    before = yard.state()
    env = {name: value for name, value in environment().items() if name != "HOME"}
    program = [sys.executable, "-m", "folkmoot", "list", "--json"]
    ended = subprocess.run(program, cwd=yard.folder, env=env, capture_output=True, check=False, timeout=120)
    assert ended.stderr == b"", ended.stderr
    return Seen(ended.returncode, None, yard.after(before))


def _odd_screen(yard: Yard) -> Seen:
    before = yard.state()
    for columns in ("-5", "9" * 30):
        heard = yard.process("board", env={"COLUMNS": columns, "TERM": "\x1b[31m", "TZ": ESCAPES.replace("\0", "")})
        assert heard.exit == 0 and b"Traceback" not in heard.err, heard.err
    return Seen(0, None, yard.after(before))


def _at(path: str) -> dict[str, str]:
    return {"MOOT_SOCKET": path, "MOOT_RUN": "r1", "MOOT_TOKEN": "1"}


CASES = [
    _process("B3", "bytes-title", "bytes that are no UTF-8 for a title", "add", BYTES, code="bad_text"),
    _process("B3", "bytes-option", "bytes that are no UTF-8 for an option", "list", "--tag", BYTES, code="bad_text"),
    _process("B3", "bytes-command", "bytes that are no UTF-8 for a command", BYTES, code="bad_text"),
    _process("B3", "bytes-board", "bytes that are no UTF-8 for --board", "list", "--board", BYTES, code="bad_text"),
    _process(
        "B3",
        "locale",
        "letters beyond ASCII, where the locale knows only ASCII",
        "add",
        "Größe",
        code="bad_text",
        env={"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ),
    _process(
        "B30", "unwritable", "a folder that cannot be written to", "init", code="cannot_write", exit=4, cwd="/proc"
    ),
    Case("B30", "gone", "a folder that is gone", "`moot list`", _deleted_folder, 4, "system_error"),
    _closed("no-stdout", "no standard output", (1,), ["list"], 0),
    _closed("no-stdout-json", "no standard output, with `--json`", (1,), ["list", "--json"], 0),
    _closed("no-stderr", "no standard error, and a refusal", (2,), ["show", "99"], 2),
    _closed("no-streams", "no stream at all, and a refusal", (0, 1, 2), ["show", "99"], 2),
    _closed("no-stdin", "no standard input, where the text should come from", (0,), ["send", "-"], 2),
    Case("B30", "full", "a standard output with no room", "`moot list`", _full, 4, None),
    Case(
        "B14",
        "ascii",
        "letters beyond ASCII, on a screen that knows only ASCII",
        "`moot list`",
        _ascii,
        0,
        None,
        "shown in ASCII; JSON stays UTF-8",
    ),
    Case(
        "B14", "user", "control codes in the user's name", "`USER`", _shown_user, 0, None, "shown without control codes"
    ),
    Case("B14", "screen", "nonsense for COLUMNS, TERM and TZ", "`moot board`", _odd_screen, 0, None),
    Case("B30", "homeless", "no HOME", "`moot list`", _homeless, 0, None),
    _surrounded(
        "B22", "board-nonsense", "a MOOT_BOARD that is not there", {"MOOT_BOARD": ESCAPES}, "no_board", 4, "list"
    ),
    _surrounded(
        "B22",
        "board-address",
        "a MOOT_BOARD that is an address of nothing known",
        {"MOOT_BOARD": "mysql://a/b"},
        "unsupported_store",
        2,
        "list",
    ),
    _surrounded(
        "B22",
        "board-elsewhere",
        "a MOOT_BOARD on a server, in the folder of another board",
        {"MOOT_BOARD": "postgresql://a/b"},
        "other_board",
        1,
        "list",
    ),
    _surrounded(
        "B22",
        "run-nonsense",
        "a MOOT_RUN that is none",
        {"MOOT_RUN": ESCAPES, "MOOT_TOKEN": "1"},
        "unknown_run",
        2,
        "renew",
    ),
    _surrounded(
        "B22",
        "token-text",
        "a MOOT_TOKEN that is no number",
        {"MOOT_RUN": "r1", "MOOT_TOKEN": "one"},
        "no_run",
        2,
        "renew",
    ),
    _surrounded(
        "B22", "token-negative", "a MOOT_TOKEN below 0", {"MOOT_RUN": "r1", "MOOT_TOKEN": "-1"}, "no_run", 2, "renew"
    ),
    _surrounded(
        "B4",
        "token-digits",
        "a MOOT_TOKEN of 5,000 digits",
        {"MOOT_RUN": "r1", "MOOT_TOKEN": "9" * 5000},
        "no_run",
        2,
        "renew",
    ),
    _surrounded("B22", "user-long", "a USER of 1 MB", {"USER": "x" * 1_000_000}, "bad_name", 2, "add", "a"),
    _surrounded("B22", "socket-missing", "a MOOT_SOCKET that is not there", _at("given/none"), "no_answer", 4, "inbox"),
    _surrounded("B22", "socket-long", "a MOOT_SOCKET of 5,000 letters", _at("x" * 5000), "no_answer", 4, "inbox"),
    _surrounded("B22", "socket-file", "a MOOT_SOCKET that is a file", _at(".moot/flow.yaml"), "no_answer", 4, "inbox"),
    _speaks(
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        "socket-http",
        "a MOOT_SOCKET at which another program answers",
        "too_large",
        2,
    ),
    _speaks(_framed(b"nonsense"), "socket-nonsense", "an answer that is no JSON", "no_answer", 4),
    _speaks(_framed(b"[" * 100_000), "socket-deep", "an answer of 100,000 levels", "no_answer", 4),
    _speaks(_framed(b"{}", 100), "socket-cut", "half an answer", "no_answer", 4),
    _speaks(_framed(b'{"answer": null}'), "socket-null", "an answer that says nothing", "no_answer", 4),
]
