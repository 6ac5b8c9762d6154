"""What every command shares: who speaks, which board, and how answers and errors are printed."""

import os
import re
import stat
import sys
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeVar

import click
import msgspec

from folkmoot.api.requests import Request
from folkmoot.config import Settings
from folkmoot.core.commands import Actor
from folkmoot.core.input_limits import checked_key, checked_name
from folkmoot.doors.hints import in_commands
from folkmoot.engine.application import Application, Boards
from folkmoot.engine.registry import BY_REQUEST
from folkmoot.errors import Invalid, MootError

View = dict[str, Any]
Answer = msgspec.Struct | Mapping[str, Any]  # of the contract; or what a command itself tells
Function = TypeVar("Function", bound=Callable[..., Any])
Result = TypeVar("Result")
READER = Actor("someone")  # reads tell everybody the same
TEXT_BYTES_MAX = 1_000_000
GIVEN_BYTES_MAX = 20_000_000  # of a file whose reader has a bound of its own, and words for it
NUMBER_MAX = 2**63 - 1  # what a store can count to
PATH_MAX = 1_000
FILE_ENDS = re.compile(r"\.(?:md|txt|rst|adoc|ya?ml|json|html?)\Z", re.IGNORECASE)
JOINERS = "\u200c\u200d"  # no letters, but words of some scripts and many emoji fall apart without them


class ReaderGone(Exception):
    """Whoever read our output has closed it (`moot log | head`). No OSError, since click would make that a failure."""


class Session:
    def __init__(
        self, boards: Boards, settings: Settings, git_name: Callable[[str | None], str | None] = lambda board: None
    ) -> None:
        self.boards = boards
        self.settings = settings
        self._git_name = git_name  # of whoever sits here
        self.board_dir: str | None = settings.board
        self.json = False
        self.name: str | None = None
        self.key: str | None = None
        self.run: str | None = settings.run
        self.token: int | None = settings.token
        self._application: Application | None = None

    @property
    def board(self) -> Application:
        if self._application is None:
            self._application = self.boards.open(self.board_dir)
            self._application.tell = lambda words: self.note([words])
            self.note(self._application.notes)
        return self._application

    def note(self, notes: list[str]) -> None:
        """What the user should know beside the answer."""
        for words in notes:
            click.echo(f"note: {plain(words)}", err=True)

    def close(self) -> None:
        if self._application is not None:
            self._application.close()

    def actor(self) -> Actor:
        """The run this process is part of, whatever name it gives itself; else the person."""
        if self.run is not None:
            return self.run_speaker(None, None)
        return Actor(checked_name(plain(self.name or self._git_name(self.board_dir) or self.settings.user)))

    def run_named(self, words: str) -> str:
        """The id of the run that is meant: the beginning of it is enough, or an item, whose latest run it is then."""
        from folkmoot.api.requests import FindRun

        return self.ask(FindRun(run=words)).run

    def run_speaker(self, run: str | None, token: int | None) -> Actor:
        token = self.token if token is None else token
        if (run or self.run) is None or token is None:
            raise Invalid(
                "no_run", "a run and its token are needed", "give RUN and --token N, as `moot claim` told them"
            )
        named = run.strip() if run else str(self.run)  # whole: it is half of what shows that a run speaks
        return Actor(named, named, token)

    def ask(self, request: Request[Result], key: str | None = None, actor: Actor | None = None) -> Result:
        """Carry a request to the board, in the name of whoever speaks. What changes it has the key of the command line,
        unless another is given; an empty one is none."""
        if not BY_REQUEST[type(request)].writes:
            return self.board.asked_by(actor or READER)(request)
        return self.board.asked_by(actor or self.actor())(request, (self.key if key is None else key) or None)

    def answer(self, view: Answer, words: Callable[[], None]) -> None:
        """Print the answer: as JSON, or in words for a person."""
        if self.json:
            print_json(view)
        else:
            words()

    def fail(self, error: MootError) -> int:
        if self.json:
            sys.stderr.write(msgspec.json.encode(_error_view(error)).decode() + "\n")
        else:
            colour = False if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" else None
            click.echo(click.style("moot: ", fg="red", bold=True) + _fitted(error.message, 6), err=True, color=colour)
            if error.remedy:
                click.echo(click.style("  next: ", dim=True) + _fitted(in_commands(error), 8), err=True, color=colour)
        return error.exit_code


def _fitted(words: str, beside: int) -> str:
    """Words that stand beside a label: broken between words on a screen, on one line for a script."""
    words = plain(words)
    if not sys.stderr.isatty():
        return words
    from shutil import get_terminal_size
    from textwrap import wrap

    room = max(min(get_terminal_size().columns, 100) - beside, 20)
    whole = [wrap(line, room, break_long_words=False, break_on_hyphens=False) or [""] for line in words.split("\n")]
    return f"\n{' ' * beside}".join(line for lines in whole for line in lines)


def _error_view(error: MootError) -> View:
    view: View = _readable({**error.as_json()["error"], "hint": in_commands(error)})
    if error.code == "flow_faults":
        from folkmoot.flows.faults import FlowFaults

        view["faults"] = [msgspec.to_builtins(fault) for fault in error.faults] if isinstance(error, FlowFaults) else []
    return {"error": view}


def _readable(value: Any) -> Any:
    """Without what a terminal would obey, however deep it stands."""
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, list):
        return [_readable(one) for one in value]
    return {name: _readable(one) for name, one in value.items()} if isinstance(value, dict) else value


def print_json(view: Answer) -> None:
    """One document; always UTF-8, whatever the screen can show."""
    document = msgspec.json.format(msgspec.json.encode(view), indent=2) + b"\n"
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(_escaped(document))
        sys.stdout.buffer.flush()
    except BrokenPipeError as error:
        raise ReaderGone from error


def _escaped(document: bytes) -> bytes:
    """The same JSON, with what no screen shows as itself written as an escape: a terminal may obey it."""
    if document.isascii() and b"\x7f" not in document:
        return document  # JSON escapes the other control codes of ASCII itself
    text = document.decode()
    odd = {letter for letter in set(text) if not (letter.isprintable() or letter in JOINERS or letter == "\n")}
    if not odd:
        return document
    import json

    return text.translate({ord(letter): json.dumps(letter).strip('"') for letter in odd}).encode()


def plain(text: str) -> str:
    """Words safe for a terminal: control codes are stored as they came, but never sent to a screen."""
    if text.isprintable():
        return text
    return "".join(letter if _is_shown(letter) else "�" for letter in _spaced(text))


def _is_shown(letter: str) -> bool:
    return letter.isprintable() or letter.isspace() or letter in JOINERS


def _spaced(text: str) -> str:
    """Only new lines and tabs move the cursor in ways that do no harm; every other gap is a space."""
    return "".join(" " if letter.isspace() and letter not in "\n\t" else letter for letter in text)


def common(function: Function) -> Function:
    """The options every command has."""
    function = click.option(
        "--json", "as_json", is_flag=True, expose_value=False, callback=_sets("json"), help="One JSON document."
    )(function)
    function = click.option(
        "--board",
        expose_value=False,
        callback=_sets("board_dir"),
        metavar="PATH",
        help="The board's folder, or its address.",
    )(function)
    return click.option(
        "--as", "speaker", expose_value=False, callback=_sets("name"), metavar="NAME", help="Who is speaking."
    )(function)


def keyed(function: Function) -> Function:
    """For commands that change something: repeating one with the same key has one effect."""
    return click.option(
        "--key", expose_value=False, callback=_set_key, metavar="K", help="Repeat safely: same key, one effect."
    )(common(function))


def in_run(function: Function) -> Function:
    """For what a run may do beside its work: who speaks is the run, and a stale token changes nothing."""
    function = click.option(
        "--token", type=int, expose_value=False, callback=_sets("token"), metavar="N", help="The token of that run."
    )(function)
    return click.option(
        "--run", expose_value=False, callback=_sets("run"), metavar="R", help="Speak as this run; default: MOOT_RUN."
    )(function)


def _sets(field: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    """What an option says, if it says something, is said of the session."""

    def say(context: click.Context, _: click.Parameter, value: Any) -> None:
        if value or type(value) is int:  # 0 is a token too
            setattr(context.obj, field, value)

    return say


def _set_key(context: click.Context, _: click.Parameter, value: str | None) -> None:
    context.obj.key = checked_key(value)


def number_of(item: str) -> str:
    """An item's id as it was typed: `7` and `#7` are the same."""
    return item.removeprefix("#")


def read_text(source: str) -> str:
    """The text of a file, or of standard input for `-`."""
    try:
        if source != "-":
            with open(_regular(source), "rb") as file:
                data = file.read(TEXT_BYTES_MAX + 1)
        elif sys.stdin is None:
            raise ValueError("it is closed")
        else:
            data = sys.stdin.buffer.read(TEXT_BYTES_MAX + 1)
    except (OSError, ValueError) as error:
        what = error.strerror if isinstance(error, OSError) else error
        words = "{source} cannot be read: {what}"
        raise Invalid("unreadable_file", words, "name a file, or - for standard input", source, what) from error
    if len(data) > TEXT_BYTES_MAX:
        words = "{source} has more than {limit} bytes"
        raise Invalid("too_large", words, "keep large texts in files and name the file", source, TEXT_BYTES_MAX)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        words = "{source} is not UTF-8 text: {why}"
        raise Invalid("bad_text", words, "save it as UTF-8", source, error.reason) from error


def labels_in(given: tuple[str, ...]) -> list[str]:
    """Labels of a worker or an item, also as one word: gpu,big."""
    return list(dict.fromkeys(part.strip() for words in given for part in words.split(",") if part.strip()))


def body_text(text: str | None, file: str | None) -> str | None:
    """The details of an item, as words or from a file; None if neither is given. Words that name a file are asked back:
    whoever means the file must not have its name for a text."""
    if text is not None and file is not None:
        raise Invalid("bad_usage", "--body and --body-file are two ways to say the same", "give one of them")
    if file is not None or text in (None, "-"):
        return read_text(file or "-") if file or text else None
    if _names_file(text or ""):
        words = (
            "--body takes words, and {text!r} is a file"
            if os.path.lexists(text or "")
            else ("--body takes words, and {text!r} looks like a file that is not there")
        )
        raise Invalid("body_names_file", words, "to read a file: --body-file {text}; other words: --body-file -", text)
    return text


def _names_file(text: str) -> bool:
    if not text or any(letter.isspace() for letter in text):
        return bool(text) and "\n" not in text and len(text) < PATH_MAX and os.path.lexists(text)
    return os.path.lexists(text) or ("://" not in text and ("/" in text or bool(FILE_ENDS.search(text))))


def _regular(path: str) -> int:
    """The open file, if it is one with an end: a pipe or a device may never tell anything, or never stop."""
    opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if stat.S_ISREG(os.fstat(opened).st_mode):
        return opened
    os.close(opened)
    raise ValueError("it is no regular file")


class GivenFile(click.ParamType[str]):
    """The name of a file that others will read: refused here if it is none that could be read whole."""

    name = "file"

    def __init__(self, most: int | None = GIVEN_BYTES_MAX) -> None:
        self._most = most  # bytes; None: however many

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        path = str(value)
        try:
            found = os.stat(path)
        except (OSError, ValueError):
            return path if "\0" not in path else self._refuse(path, "no name has a NUL in it")
        if not stat.S_ISREG(found.st_mode):
            return path if stat.S_ISDIR(found.st_mode) else self._refuse(path, "it is no regular file")
        if self._most is not None and found.st_size > self._most:
            self._refuse(path, f"it has more than {self._most} bytes")
        return path

    def _refuse(self, path: str, why: str) -> NoReturn:
        raise Invalid("unreadable_file", "{path} cannot be read: {why}", "name a file with text in it", path, why)


class Span(click.ParamType[float]):
    """A time span such as 30m, 2h or 45s."""

    name = "span"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        from folkmoot.flows.spans import parse_span

        return parse_span(str(value))


class Number(click.ParamType[int]):
    """A whole number in a range that a store can count."""

    name = "number"

    def __init__(self, least: int, most: int = NUMBER_MAX) -> None:
        self._least, self._most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        digits = str(value)
        if len(digits) <= 20 and digits.isascii() and digits.isdecimal() and self._least <= int(digits) <= self._most:
            return int(digits)
        to = "on" if self._most == NUMBER_MAX else f"to {self._most}"
        self.fail(f"{plain(digits[:40])!r} is no whole number from {self._least} {to}", param, ctx)
