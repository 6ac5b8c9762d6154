"""What every command shares: who speaks, which board, and how answers and errors are printed."""

import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click
import msgspec

from folkmoot.config import Settings
from folkmoot.core.commands import Speaker
from folkmoot.engine.application import Application, Boards
from folkmoot.errors import Invalid, MootError

View = dict[str, Any]
Function = TypeVar("Function", bound=Callable[..., Any])
TEXT_BYTES_MAX = 1_000_000
NUMBER_MAX = 2**63 - 1  # what a store can count to


class ReaderGone(Exception):
    """Whoever read our output has closed it (`moot log | head`). No OSError, since click would make that a failure."""


class Session:
    def __init__(self, boards: Boards, settings: Settings) -> None:
        self.boards = boards
        self.settings = settings
        self.place: str | None = settings.board
        self.json = False
        self.name: str | None = None
        self.key: str | None = None
        self.run: str | None = settings.run
        self.token: int | None = settings.token
        self._application: Application | None = None

    @property
    def board(self) -> Application:
        if self._application is None:
            self._application = self.boards.open(self.place)
            self.note(self._application.notes)
        return self._application

    def note(self, notes: list[str]) -> None:
        """What the user should know beside the answer."""
        for words in notes:
            click.echo(f"note: {plain(words)}", err=True)

    def close(self) -> None:
        if self._application is not None:
            self._application.close()

    def speaker(self) -> Speaker:
        """The run this process is part of, whatever name it gives itself; else the person."""
        if self.run is not None:
            return self.run_speaker(None, None)
        return Speaker(plain(self.name or self.settings.user))

    def run_speaker(self, run: str | None, token: int | None) -> Speaker:
        run, token = run or self.run, self.token if token is None else token
        if run is None or token is None:
            raise Invalid(
                "no_run", "a run and its token are needed", "give RUN and --token N, as `moot claim` told them"
            )
        return Speaker(run, run, token)

    def answer(self, view: View, words: Callable[[], None]) -> None:
        """Print the answer: as JSON, or in words for a person."""
        if self.json:
            print_json(view)
        else:
            words()

    def fail(self, error: MootError) -> int:
        if self.json:
            sys.stderr.write(msgspec.json.encode(_error_view(error)).decode() + "\n")
        else:
            colour = False if os.environ.get("NO_COLOR") else None
            click.echo(click.style("moot: ", fg="red", bold=True) + plain(error.message), err=True, color=colour)
            if error.hint:
                click.echo(click.style("  next: ", dim=True) + plain(error.hint), err=True, color=colour)
        return error.exit_code


def _error_view(error: MootError) -> View:
    view: View = {name: plain(words) for name, words in error.as_json()["error"].items()}
    if error.code == "flow_faults":
        from folkmoot.flows.faults import FlowFaults

        view["faults"] = [msgspec.to_builtins(fault) for fault in error.faults] if isinstance(error, FlowFaults) else []
    return {"error": view}


def print_json(view: View) -> None:
    """One document; always UTF-8, whatever the screen can show."""
    document = msgspec.json.format(msgspec.json.encode(view), indent=2) + b"\n"
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(document)
        sys.stdout.buffer.flush()
    except BrokenPipeError as error:
        raise ReaderGone from error


def plain(text: str) -> str:
    """Words safe for a terminal: control codes are stored as they came, but never sent to a screen."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter.isspace() else "�" for letter in _spaced(text))


def _spaced(text: str) -> str:
    """Only new lines and tabs move the cursor in ways that do no harm; every other gap is a space."""
    return "".join(" " if letter.isspace() and letter not in "\n\t" else letter for letter in text)


def common(function: Function) -> Function:
    """The options every command has."""
    function = click.option(
        "--json", "as_json", is_flag=True, expose_value=False, callback=_set_json, help="One JSON document."
    )(function)
    function = click.option(
        "--board", expose_value=False, callback=_set_board, metavar="PATH", help="The board's folder."
    )(function)
    return click.option(
        "--as", "speaker", expose_value=False, callback=_set_name, metavar="NAME", help="Who is speaking."
    )(function)


def keyed(function: Function) -> Function:
    """For commands that change something: repeating one with the same key has one effect."""
    return click.option(
        "--key", expose_value=False, callback=_set_key, metavar="K", help="Repeat safely: same key, one effect."
    )(common(function))


def in_run(function: Function) -> Function:
    """For what a run may do beside its work: who speaks is the run, and a stale token changes nothing."""
    function = click.option(
        "--token", type=int, expose_value=False, callback=_set_token, metavar="N", help="The token of that run."
    )(function)
    return click.option(
        "--run", expose_value=False, callback=_set_run, metavar="R", help="Speak as this run; default: MOOT_RUN."
    )(function)


def _set_json(context: click.Context, _: click.Parameter, value: bool) -> None:
    context.obj.json = context.obj.json or value


def _set_board(context: click.Context, _: click.Parameter, value: str | None) -> None:
    context.obj.place = value or context.obj.place


def _set_name(context: click.Context, _: click.Parameter, value: str | None) -> None:
    context.obj.name = value or context.obj.name


def _set_key(context: click.Context, _: click.Parameter, value: str | None) -> None:
    context.obj.key = value


def _set_run(context: click.Context, _: click.Parameter, value: str | None) -> None:
    context.obj.run = value or context.obj.run


def _set_token(context: click.Context, _: click.Parameter, value: int | None) -> None:
    context.obj.token = context.obj.token if value is None else value


def number_of(item: str) -> str:
    """An item's id as it was typed: `7` and `#7` are the same."""
    return item.removeprefix("#")


def read_text(source: str) -> str:
    """The text of a file, or of standard input for `-`."""
    try:
        if source == "-":
            data = sys.stdin.buffer.read(TEXT_BYTES_MAX + 1)
        else:
            with open(source, "rb") as file:
                data = file.read(TEXT_BYTES_MAX + 1)
    except (OSError, ValueError) as error:
        what = error.strerror if isinstance(error, OSError) else error
        raise Invalid(
            "unreadable_file", f"{source} cannot be read: {what}", "name a file, or - for standard input"
        ) from error
    if len(data) > TEXT_BYTES_MAX:
        raise Invalid(
            "too_large", f"{source} has more than {TEXT_BYTES_MAX} bytes", "keep large texts in files and name the file"
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Invalid("bad_text", f"{source} is not UTF-8 text: {error.reason}", "save it as UTF-8") from error


class Span(click.ParamType[float]):
    """A time span such as 30m, 2h or 45s."""

    name = "span"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        from folkmoot.flows.spans import parse_span

        return value if isinstance(value, float) else parse_span(str(value))
