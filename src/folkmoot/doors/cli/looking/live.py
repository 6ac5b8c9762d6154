"""`moot board --live`: the board on the whole screen, drawn again when something happens; questions are answered there.

Lines that are the same are not written again, so nothing flickers, also over a slow line. The terminal gets back what
it showed before, however this ends.
"""

import codecs
import contextlib
import os
import select
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from folkmoot.api.requests import AnswerQuestion, ShowFlow, ShowStatus
from folkmoot.api.screen import ShowBoard
from folkmoot.doors.cli.keyboard.answering import SEQUENCES, SETTLES, Answering
from folkmoot.doors.cli.keyboard.keys import is_watched, one_by_one
from folkmoot.doors.cli.render.page import Page, Part
from folkmoot.doors.cli.render.seen.live import frame, keys, typing
from folkmoot.doors.cli.session import Session
from folkmoot.errors import Invalid, MootError

LOOK = 5.0  # seconds after which the board is read though nobody has told of a change
ENTER, LEAVE = "\x1b[?1049h\x1b[?25l\x1b[2J", "\x1b[?25h\x1b[?1049l"  # another screen and no cursor; and back
ESCAPE = "\x1b"


def live_board(session: Session) -> None:
    """Until q or Ctrl-C."""
    if session.json:
        raise Invalid("bad_usage", "--live has no end, and --json is one document", "repeat: moot board --json")
    if not is_watched(sys.stdout) or os.environ.get("TERM", "dumb") == "dumb":
        hint = "use: moot board; or moot log --follow"
        raise Invalid("bad_usage", "--live draws on a terminal, and this is none", hint)
    with contextlib.suppress(KeyboardInterrupt), _news(session) as news, one_by_one():
        screen = Screen(session)
        with screen.shown():
            screen.run(news)


class Screen:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._ask = session.ask
        self._flow = session.ask(ShowFlow())
        self._person = Answering(session.ask, session.board.now)
        self._answers = False  # keys are words of an answer
        self._lines: list[str] = []
        self._note = ""
        self._look()
        self._decode = codecs.getincrementaldecoder("utf-8")("ignore").decode

    @contextmanager
    def shown(self) -> Iterator[None]:
        """The other screen; left when we end, when somebody ends us, and while we are stopped."""

        def ended(number: int, moment: FrameType | None) -> None:
            raise SystemExit(128 + number)

        def stopped(number: int, moment: FrameType | None) -> None:
            self._write(LEAVE)
            signal.signal(signal.SIGTSTP, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGTSTP)  # here it stands until somebody lets us go on
            signal.signal(signal.SIGTSTP, stopped)
            self._lines = []
            self._write(ENTER)

        handlers = {signal.SIGTERM: ended, signal.SIGHUP: ended, signal.SIGTSTP: stopped}
        known = {number: signal.signal(number, handler) for number, handler in handlers.items()}
        self._write(ENTER)
        try:
            yield
        finally:
            self._write(LEAVE)
            for number, handler in known.items():
                signal.signal(number, handler)

    def run(self, news: int) -> None:
        pressed = sys.stdin.fileno()
        while True:
            self.draw()
            ready = select.select([pressed, news], [], [], SETTLES if self._is_settling() else LOOK)[0]
            if news in ready:
                os.read(news, 1024)
            if pressed in ready:
                data = os.read(pressed, 1024)
                if not data or self.pressed(self._decode(data)):
                    return
            if ready:
                self._look()

    def pressed(self, text: str) -> bool:
        """Whether that ends it."""
        if self._answers and text == ESCAPE:
            self._answers = False
            return False
        if self._answers:
            asked = self._person.asked
            self._person.typed(text)
            self._answers = self._person.asked is asked and asked is not None
            return False
        for letter in SEQUENCES.sub("", text):
            if letter == "q":
                return True
            if letter == "a" or (letter.isascii() and letter.isdecimal()):
                self._turn_to_question()
                if letter == "a":
                    self._answers = self._person.asked is not None
                else:
                    self._choose(int(letter))
                return False
        return False

    def _turn_to_question(self) -> None:
        """What was left for later can be answered after all, when nothing else is asked."""
        if self._person.look() is None:
            self._person = Answering(self._ask, self._session.board.now)
            self._person.look()

    def _choose(self, number: int) -> None:
        """The option of the question that stands first. What is typed when it has just come was meant for another."""
        asked = self._person.asked
        if asked is None or not self._person.prompt() or not 0 < number <= len(asked.options):
            return
        try:
            self._ask(AnswerQuestion(question=asked.id, answer=str(number)), "")
            self._note = ""
        except MootError as error:  # somebody else was quicker
            self._note = error.message
        self._person.look()

    def _look(self) -> None:
        """Read the board again; between two looks only times change."""
        asked = self._person.look()
        self._view, self._status = self._ask(ShowBoard()), self._ask(ShowStatus())
        if asked is not None:  # what one key answers is what stands first
            self._view.questions.sort(key=lambda one: one.id != asked.id)
        self._answers = self._answers and asked is not None

    def draw(self) -> None:
        size = shutil.get_terminal_size((80, 24))
        page = Page(sys.stdout)
        self._show(frame(page, self._view, self._status, self._flow, self._foot(size.columns), size.lines))

    def _is_settling(self) -> bool:
        """Has a question just come, so that no key is for it yet?"""
        return self._person.asked is not None and not self._person.prompt()

    def _foot(self, columns: int) -> Part:
        prompt = self._person.prompt(columns - 2)  # empty while what is typed is not meant for the question
        if self._answers:
            return typing(prompt)
        if self._note:
            return typing(self._note)
        waiting = self._view.questions[0] if self._view.questions else None
        return keys(waiting if prompt or self._person.asked is None else None)

    def _show(self, lines: list[str]) -> None:
        """Only what is different; each line is erased behind what stands in it now."""
        changed = [
            f"\x1b[{number}H{line}\x1b[0m\x1b[K"
            for number, line in enumerate(lines, 1)
            if number > len(self._lines) or self._lines[number - 1] != line
        ]
        if len(lines) < len(self._lines):
            changed.append(f"\x1b[{len(lines) + 1}H\x1b[J")
        if changed:
            self._write("".join(changed))
        self._lines = lines

    @staticmethod
    def _write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()


@contextmanager
def _news(session: Session) -> Iterator[int]:
    """What can be read when something was written to the board, by whomever."""
    changed: Callable[[int, float], int] = session.board.changed
    told, tell = os.pipe()

    def listen() -> None:
        seen = changed(-1, 0)
        with contextlib.suppress(OSError):  # nobody reads any more
            while True:
                seen = changed(seen, LOOK)
                os.write(tell, b"!")

    # Nobody waits for it: it may sleep for seconds when the last key is pressed.
    threading.Thread(target=listen, name="moot-news", daemon=True).start()
    try:
        yield told
    finally:
        os.close(told)
