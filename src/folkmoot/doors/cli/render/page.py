"""A page in the terminal: coloured where that helps, plain in a pipe, never wider than the screen.

Words that users and agents wrote are shown, never obeyed: control codes and markup in them stay words.
"""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TextIO

from rich.console import Console
from rich.text import Text

from folkmoot.doors.cli.session import ReaderGone, plain
from folkmoot.flows.spans import format_span

Part = str | tuple[str, str] | Text  # words, words and their style, or words that are put together already

WORDS_SHOWN = 600  # characters of a comment in the story of its item
NARROWEST = 24
WIDEST = 100  # longer lines are hard to read, however wide the screen
ROOM_FOR_WORDS = 40  # less than this beside a label, and they go below it
UNCUT = 100_000
COMMIT_SHOWN = 8  # letters of a commit, where others stand beside it
RUN_CELLS = 6  # of a run's id: among ten thousand runs one in a hundred needs more of it

# How each idea looks, on every page.
HEAD = "bold"
QUIET = "dim"
GOOD = "green"
BAD = "red"
CARE = "yellow"
AGENT = "cyan"
PERSON = "magenta"
COMMAND = "bold cyan"
PRIORITIES = {"critical": BAD, "high": CARE}  # the others are as usual

# For screens that cannot show more than ASCII.
IN_ASCII = str.maketrans({"→": "->", "←": "<-", "↑": "^", "…": "...", "–": "-", "·": "-", "“": '"', "”": '"'})
MARKS = {
    "ready": ("○", "o", "default"),
    "running": ("▶", ">", AGENT),
    "proving": ("◎", "@", AGENT),
    "waiting": ("◌", ".", QUIET),
    "blocked": ("⊘", "#", CARE),
    "awaiting-divine-guidance": ("?", "?", CARE),
    "needs-human-review": ("?", "?", CARE),
    "parked": ("?", "?", CARE),
    "done": ("✓", "+", GOOD),
    "failed": ("✗", "x", BAD),
    "cancelled": ("×", "x", QUIET),
}


def status_words(status: str, *, is_divine: bool = False) -> str:
    """A status as people read it: in the words of the escalation document only where the flow asks for them."""
    return "waiting for you" if status == "awaiting-divine-guidance" and not is_divine else status


def one_line(words: object) -> str:
    """Somebody's words on one line, safe for a screen."""
    return " ".join(plain(str(words)).split())


def shortened(words: str) -> str:
    """The beginning of what may be as long as an agent likes, where it is one line of many."""
    return words if len(words) <= WORDS_SHOWN else f"{words[:WORDS_SHOWN]} … (moot comments shows all of it)"


class _Screen(Console):
    def on_broken_pipe(self) -> None:
        """The reader has gone: that is for the command's end to deal with, not a reason to leave from here."""
        raise ReaderGone


class Page:
    def __init__(self, file: TextIO | None = None) -> None:
        file = file or sys.stdout
        bare = bool(os.environ.get("NO_COLOR"))
        screen = shutil.get_terminal_size((80, 24)).columns
        self.console = _Screen(
            file=file,
            # Some shells and build machines say that they have no columns at all; then nothing would be shown.
            width=None if os.environ.get("COLUMNS", "80").strip("0") else screen,
            force_terminal=False if bare else None,
            color_system=None if bare else "auto",
            highlight=False,
            markup=False,
            emoji=False,
        )
        self.width = min(max(screen, NARROWEST), WIDEST)
        # A line for each thing: cut to the screen of a person, whole for `grep`.
        self.row_width = max(screen, NARROWEST) if file.isatty() or "COLUMNS" in os.environ else UNCUT
        # Python speaks UTF-8 for this locale too; who asks for it wants nothing but ASCII.
        bare_locale = os.environ.get("LC_ALL") in ("C", "POSIX")
        self.ascii = bare_locale or not (file.encoding or "ascii").lower().startswith("utf")

    @property
    def is_whole(self) -> bool:
        """Is there no screen to cut for? Then whoever reads may search for any word of a title."""
        return self.row_width == UNCUT

    def text(self, *parts: Part) -> Text:
        """Put words together; what is not styled yet is made safe here."""
        whole = Text()
        for part in parts:
            if isinstance(part, Text):
                whole.append_text(part)
            else:
                words, style = (part, "") if isinstance(part, str) else part
                whole.append(self._shown(words), style or None)
        return whole

    def _shown(self, words: str) -> str:
        safe = "".join(" " if letter.isspace() else letter for letter in plain(words))
        return safe.translate(IN_ASCII).encode("ascii", "replace").decode() if self.ascii else safe

    def mark(self, status: str) -> Text:
        fancy, simple, style = MARKS.get(status, ("•", "*", "default"))
        return Text(simple if self.ascii else fancy, style)

    def line(self, *parts: Part, indent: int = 0, hang: int = 0) -> None:
        """A paragraph, wrapped; its second and later lines stand `hang` further in."""
        self._put(" " * indent, " " * (indent + hang), self.text(*parts))

    def labelled(self, label: Text, *parts: Part, indent: int = 0, gap: int = 2) -> int:
        """Words beside a label, or below it where the screen is narrow; gives how far in they stand."""
        beside = indent + label.cell_len + gap
        if beside > max(self.width // 2, self.width - ROOM_FOR_WORDS):
            self._put(" " * indent, " " * indent, label)
            self.line(*parts, indent=indent + 2)
            return indent + 2
        first = Text(" " * indent).append_text(label).append(" " * gap)
        self._put(first, " " * beside, self.text(*parts))
        return beside

    def block(self, words: str, *, indent: int = 0, style: str = "") -> None:
        """Somebody's longer text: its own lines are kept, long ones wrapped."""
        for line in plain(words).expandtabs(4).strip("\n").split("\n"):
            deeper = len(line) - len(line.lstrip(" -*"))
            self._put(" " * indent, " " * (indent + min(deeper, 8)), self.text((line.rstrip(), style)))

    def prose(self, words: str, *, indent: int = 0) -> None:
        """Paragraphs and lists as markdown has them: lines that were broken for another width are broken anew."""
        lines: list[str] = []
        is_code = False
        for line in plain(words).expandtabs(4).strip("\n").split("\n"):
            fence = line.lstrip().startswith("```")
            if lines and not (is_code or fence) and _goes_on(lines[-1], line):
                lines[-1] += f" {line.strip()}"
            else:
                lines.append(line)
            is_code = is_code != fence
        self.block("\n".join(lines), indent=indent)

    def row(self, *parts: Part) -> None:
        """One line and no more: cut where the screen ends."""
        self._out(self.cut(self.text(*parts), self.row_width))

    def exact(self, words: str, *, indent: int = 0, style: str = COMMAND) -> None:
        """Words to copy: never cut and never broken by us, since a broken one would not work."""
        self._out(Text(" " * indent).append_text(self.text((words, style))))

    def head(self, *parts: Part) -> None:
        self.blank()
        self.line(*[(part, HEAD) if isinstance(part, str) else part for part in parts])

    def blank(self) -> None:
        self._out(Text())

    def cut(self, text: Text, width: int) -> Text:
        if text.cell_len <= width:
            return text
        ending = "..." if self.ascii else "…"
        short = text.copy()
        short.truncate(max(width - len(ending), 0), overflow="crop")
        short.rstrip()
        return short.append(ending)

    def _put(self, first: str | Text, later: str, text: Text) -> None:
        lead = Text(first) if isinstance(first, str) else first
        room = max(self.width - max(lead.cell_len, len(later)), 8)
        for line in self._wrapped(text, room):
            self._out(lead.append_text(line))
            lead = Text(later)

    def _wrapped(self, text: Text, room: int) -> Iterator[Text]:
        # A line's own indentation is part of it; wrapping alone would lose it on the lines that follow.
        lines = text.wrap(self.console, room, overflow="fold")
        yield from lines or [Text()]

    def _out(self, text: Text) -> None:
        text.rstrip()
        self.console.print(text, soft_wrap=True)


def _goes_on(before: str, line: str) -> bool:
    """Is a line of prose the rest of the one before it?"""
    begins = line.lstrip()
    own = not begins or begins[0] in "#-*>|" or begins.split(" ")[0].rstrip(".)").isdecimal()
    return not own and bool(before.strip()) and before.lstrip()[0] not in "#|"


def short_run(run: str, among: Iterable[str] = ()) -> str:
    """As much of a run's id as a person needs to name it: its beginning is understood everywhere. It is longer where
    `among` those on the same page another begins so."""
    others = [other for other in among if other != run]
    cells = RUN_CELLS
    while cells < len(run) and any(other.startswith(run[:cells]) for other in others):
        cells += 1
    return run[:cells]


def who(name: object) -> tuple[str, str]:
    return (str(name), AGENT)


def time_of(timestamp: object) -> str:
    """The time of day here."""
    return _local(timestamp).strftime("%H:%M:%S")


def when(timestamp: object) -> str:
    """The time of day, with the day before it where that is not today."""
    return time_of(timestamp) if day_of(timestamp) == today() else _local(timestamp).strftime("%Y-%m-%d %H:%M")


def zone_of(timestamp: object) -> str:
    """The zone in which times are told here, at that moment."""
    return _local(timestamp).strftime("%Z")


def today() -> str:
    return datetime.now().astimezone().strftime("%Y-%m-%d")


def day_of(timestamp: object) -> str:
    return _local(timestamp).strftime("%Y-%m-%d")


def _local(timestamp: object) -> datetime:
    return datetime.fromisoformat(str(timestamp)).astimezone()


def lasting(seconds: float) -> str:
    """`45s`, `2h`, `1h30m`: as people write it, without fractions."""
    return format_span(round(seconds))


def count(number: int, thing: str) -> str:
    """`1 item`, `2 items`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def more(command: str) -> None:
    """A page is full, and there are more: the command that shows them."""
    Page().line(("there are more: ", QUIET), (command, COMMAND))
