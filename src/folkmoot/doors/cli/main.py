"""The command `moot`: finds the command, runs it, and turns what went wrong into an exit code and words."""

import itertools
import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import TextIO

import click

from folkmoot.config import Settings
from folkmoot.doors.cli.completion import VARIABLE
from folkmoot.doors.cli.session import ReaderGone, Session, common
from folkmoot.engine.application import Boards
from folkmoot.errors import Invalid, MootError, Unavailable

# Which module has a command: only that one is imported, since agents start `moot` often.
COMMANDS = {
    "init": "setup",
    "check": "setup",
    "apply": "setup",
    "ready": "readiness.command",
    "demo": "setup",
    "simulate": "simulate",
    "add": "items",
    "edit": "manual",
    "move": "manual",
    "send-back": "manual",
    "end": "manual",
    "park": "manual",
    "unpark": "manual",
    "cancel": "manual",
    "reopen": "manual",
    "claim": "runs",
    "renew": "runs",
    "release": "runs",
    "widen": "runs",
    "ask": "runs",
    "report": "runs",
    "dispatch": "messages",
    "say": "steering.commands",
    "hear": "steering.commands",
    "take": "steering.commands",
    "give": "steering.commands",
    "run": "running",
    "worker": "running",
    "pause": "running",
    "resume": "running",
    "output": "looking.output",
    "diff": "looking.diff",
    "status": "looking.status",
    "health": "looking.health",
    "workers": "looking.workers",
    "salvage": "running",
    "lock": "locks",
    "unlock": "locks",
    "locks": "locks",
    "send": "messages",
    "messages": "messages",
    "accept": "messages",
    "complete": "messages",
    "reject": "messages",
    "inbox": "questions",
    "answer": "questions",
    "comment": "questions",
    "comments": "questions",
    "board": "items",
    "list": "items",
    "show": "items",
    "log": "inspect",
    "metrics": "inspect",
    "usage": "inspect",
    "digest": "looking.digest",
    "lessons": "inspect",
    "doctor": "inspect",
    "backup": "backup",
    "restore": "backup",
    "export": "backup",
    "import": "backup",
    "mirror": "backup",
    "mcp": "serving.mcp",
    "skill": "serving.skill",
    "completion": "completion.command",
    "serve": "serving.serve",
    "token": "serving.token",
    "call": "contract",
    "schema": "contract",
}
# Other names of commands, which the list does not show.
ALIASES = {"stop": "pause", "go": "resume"}
# What most people need on most days, in the order in which they come to it.
DAILY = {
    "Begin": ("init", "ready", "add", "run"),
    "See": ("board", "status", "show", "output", "diff", "usage"),
    "Answer": ("inbox", "answer"),
    "Steer": ("say", "take", "pause", "resume", "edit", "cancel"),
}
# Every command by what people come for.
PURPOSES = {
    "Make a board": ("init", "ready", "check", "apply", "simulate", "demo", "completion"),
    "Give it work": ("add", "edit", "move", "send-back", "park", "unpark", "cancel", "reopen"),
    "Run agents": ("run", "worker", "workers", "pause", "resume", "salvage"),
    "Steer": ("say", "end", "take", "give"),
    "Be an agent": ("claim", "renew", "release", "widen", "ask", "hear", "report", "dispatch"),
    "Talk": ("inbox", "answer", "comment", "comments"),
    "Hand over": ("send", "messages", "accept", "complete", "reject", "mirror"),
    "Keep others off": ("lock", "unlock", "locks"),
    "Look": (
        "board",
        "status",
        "list",
        "show",
        "output",
        "diff",
        "log",
        "usage",
        "digest",
        "metrics",
        "lessons",
        "health",
        "doctor",
    ),
    "Keep it safe": ("backup", "restore", "export", "import"),
    "Let others in": ("serve", "token", "mcp", "skill"),
    "Write programs": ("call", "schema"),
}


ALL = "folkmoot.all"  # in a context: every command is shown


class Moot(click.Group):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        asked = [*itertools.takewhile(lambda word: word.startswith("-"), args)]
        if "--all" in asked:
            ctx.meta[ALL] = True
            args = ["--help"]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        name = ALIASES.get(name, name)
        if name not in COMMANDS:
            return None
        module = import_module(f"folkmoot.doors.cli.{COMMANDS[name]}")
        command: click.Command = getattr(module, f"{name.replace('-', '_')}_command")
        if ctx.resilient_parsing:  # somebody types, and wants to see what could stand there
            from folkmoot.doors.cli.completion.values import fit

            return fit(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in (*COMMANDS, *ALIASES) and not args[0].startswith("-"):
            from folkmoot.core.vocabulary.roles import nearest

            near = nearest(args[0], COMMANDS)
            hint = "did you mean: moot {nearest}" if near else "see: moot --help"
            raise Invalid("unknown_command", "there is no command {command!r}", hint, args[0], nearest=near)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands by what people come for: those of most days, or all of them."""
        named = {name for names in PURPOSES.values() for name in names}
        rest = tuple(name for name in COMMANDS if name not in named)
        everything = bool(ctx.meta.get(ALL))
        wide = max(len(name) for name in COMMANDS)
        for purpose, names in ({**PURPOSES, "More": rest} if everything else DAILY).items():
            rows = []
            for name in names:
                command = self.get_command(ctx, name)
                if command is not None:
                    rows.append((name.ljust(wide), command.get_short_help_str(formatter.width - wide - 6)))
            if rows:
                with formatter.section(purpose):
                    formatter.write_dl(rows)
        if not everything:
            formatter.write("\nAll commands: moot --help --all\n")


@click.group(cls=Moot, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--all", is_flag=True, expose_value=False, help="With --help: every command.")
@click.version_option(package_name="folkmoot", message="moot %(version)s")
@common
def moot() -> None:
    """Run many AI coding agents on one repository.

    An agent claims an item, makes one effort in its own clone, and reports. The item keeps all state, and fixed
    rules decide what follows: the next stage, a stronger model, the other side of a dispute, or you.

    \b
      moot init                                     make a board in your project
      moot ready                                    is all there that agents need?
      moot add "Users can reset their password"     give it work
      moot run                                      let agents do it

    \b
    See agents at work first, without any of your own: moot demo
    Each command explains itself, with examples: moot add --help
    """


def run(
    arguments: list[str],
    boards: Boards,
    settings: Settings,
    git_name: Callable[[str | None], str | None] = lambda board: None,
) -> int:
    """`git_name` tells who speaks on the board in a folder, as git names them; without it the login does."""
    # Whoever started us may have closed what we would write to: then it is said to nobody.
    sys.stdout, sys.stderr = sys.stdout or _nowhere(), sys.stderr or _nowhere()
    session = Session(boards, settings, git_name)
    if VARIABLE in os.environ:
        from folkmoot.doors.cli.completion.shells import complete

        return complete(moot, os.environ[VARIABLE], session)
    # An error before a command has read its options must still come in the form the caller asked for.
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    session.json = "--json" in options
    try:
        return _run(arguments, session)
    except MootError as error:
        return session.fail(_with_suggestion(error))
    except click.ClickException as error:
        from folkmoot.doors.cli.completion.nearest import in_our_words

        return session.fail(in_our_words(error))
    except (click.Abort, KeyboardInterrupt):
        return 130
    except (ReaderGone, BrokenPipeError):
        # Nothing is wrong, and nothing more can be said.
        _hush()
        return 0
    except OSError as error:
        words, hint = (
            "{path}: {why}" if error.filename else "{why}",
            "see that the folder is there, is yours, and has room",
        )
        why = error.strerror or str(error)
        return session.fail(Unavailable("system_error", words, hint, path=error.filename, why=why))
    finally:
        session.close()
        try:
            sys.stdout.flush()
        except OSError:
            _hush()  # it has been said already that there is no room


def _nowhere() -> TextIO:
    return os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


def _hush() -> None:
    """Let what is left to be written go nowhere: else the interpreter complains about it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _with_suggestion(error: MootError) -> MootError:
    if error.code not in ("unknown_column", "unknown_agent"):
        return error
    from folkmoot.doors.cli.completion.nearest import suggest

    return suggest(error)


def _asking_help(arguments: list[str]) -> list[str]:
    """`moot`, `moot help` and `moot help add` are ways to ask for a page of help."""
    if arguments[:1] != ["help"]:
        return arguments or ["--help"]
    return [*arguments[1:], *([] if "--all" in arguments else ["--help"])]


def _run(arguments: list[str], session: Session) -> int:
    for stream in (sys.stdout, sys.stderr):
        # A screen that cannot show a letter shows another: what was done must not end in an error over words.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    for number, argument in enumerate(arguments, start=1):
        if any("\ud800" <= letter <= "\udfff" for letter in argument):
            words, hint = "argument {number} is not UTF-8 text", "put the text into a UTF-8 file, or write it anew"
            raise Invalid("bad_text", words, hint, number)
    left = moot.main(_asking_help(arguments), prog_name="moot", standalone_mode=False, obj=session)
    sys.stdout.flush()
    return left if isinstance(left, int) else 0
