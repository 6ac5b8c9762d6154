"""Questions answered where they are asked: at the terminal of `moot run`, while other agents go on.

One question at a time, the oldest first. A number chooses an option at once; words end with Enter; Enter alone leaves
the question for later. No worker ever waits for it.
"""

import codecs
import os
import re
import select
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from folkmoot.api.call import Ask
from folkmoot.api.requests import AnswerQuestion, ListQuestions
from folkmoot.api.views import QuestionView
from folkmoot.doors.cli.keyboard.keys import is_ours, one_by_one
from folkmoot.errors import MootError

SETTLES = 0.7  # seconds: what is typed when a question has just come was meant for another
WORDS_MAX = 2_000
NUMBERS = 9  # options that one key can choose
SEQUENCES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?")  # arrows and the like
BEHIND_SECONDS = 5.0  # how often it is seen whether we are in the foreground again
ENTER, ERASES, CLEARS = "\r\n", "\x7f\b", "\x15\x0b"


class Answering:
    """`ask` carries requests in the name of whoever sits here; `changed` is called when something else is to be shown.
    Keys come in by `listening`, or one text after the other by `typed`."""

    def __init__(self, ask: Ask, now: Callable[[], float], changed: Callable[[], None] = lambda: None) -> None:
        self._ask = ask
        self._changed = changed
        self._now = now
        self._lock = threading.Lock()
        self._later: set[str] = set()
        self._words = ""
        self._note = ""
        self._since = 0.0
        self.asked: QuestionView | None = None

    def look(self) -> QuestionView | None:
        """The question that can be answered now: the oldest that was not left for later."""
        found = [one for one in self._ask(ListQuestions()).questions if one.id not in self._later]
        with self._lock:
            known = self.asked
            if known is None or known.id not in {one.id for one in found}:
                self.asked = found[0] if found else None
                self._words, self._note, self._since = "", "", self._now()
            return self.asked

    def prompt(self, room: int = 80) -> str:
        """What stands in the last line of the terminal while an answer can be typed."""
        with self._lock:
            asked, words, note = self.asked, self._words, self._note
        if asked is None or self._now() - self._since < SETTLES:
            return ""
        numbers = min(len(asked.options), NUMBERS)
        keys = f"1-{numbers}" if numbers > 1 else "1" if numbers else ""
        free = "words" if asked.takes == "words" else "its words"
        ways = f"{keys} or {free}" if keys else "words"
        lead = f"{note}answer {asked.id} #{asked.task_id} ({ways}, Enter: later): "
        left = max(room - len(lead) - 1, 8)
        return f"{lead}{words if len(words) <= left else '…' + words[1 - left :]}_"

    def typed(self, text: str) -> None:
        """Keys that were pressed. What is pasted behind an answer is not taken for the answer of another question."""
        for letter in SEQUENCES.sub("", text):
            with self._lock:
                asked, settled = self.asked, self._now() - self._since >= SETTLES
                if asked is None or not settled:
                    return
                said = self._key(asked, letter)
            if said is not None:
                self._leave(asked) if not said else self._answer(asked, said)
                return
        self._changed()

    def _key(self, asked: QuestionView, letter: str) -> str | None:
        """What is answered with this key; nothing yet: None, and for later: empty."""
        if letter in ENTER:
            return self._words.strip()
        if letter in ERASES:
            self._words = self._words[:-1]
        elif letter in CLEARS:
            self._words = ""
        elif not self._words and letter.isascii() and letter.isdecimal() and 0 < int(letter) <= len(asked.options):
            if len(asked.options) <= NUMBERS:
                return letter
            self._words = letter
        elif letter.isprintable() and len(self._words) < WORDS_MAX:
            self._words += letter
        return None

    def _leave(self, asked: QuestionView) -> None:
        self._later.add(asked.id)
        self.look()
        self._changed()

    def _answer(self, asked: QuestionView, words: str) -> None:
        try:
            self._ask(AnswerQuestion(question=asked.id, answer=words))
        except MootError as error:  # no such option; or somebody else was quicker
            with self._lock:
                self._words, self._note = "", f"{error.message}; "
        self.look()
        self._changed()

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Hear the keys of the terminal until it is left."""
        over, stop = os.pipe()
        listen = threading.Thread(target=self._listen, args=(over,), name="moot-keys", daemon=True)
        with ExitStack() as stack:
            stack.callback(os.close, over)
            stack.enter_context(one_by_one())
            listen.start()
            try:
                yield
            finally:
                os.close(stop)
                listen.join()

    def _listen(self, over: int) -> None:
        fd, decode = sys.stdin.fileno(), codecs.getincrementaldecoder("utf-8")("ignore").decode
        while True:
            ready = select.select([fd, over], [], [])[0]
            if over in ready:
                return
            if not is_ours(fd):
                # Somebody put us behind: whoever reads there now is not us, and the keys are not for us.
                if select.select([over], [], [], BEHIND_SECONDS)[0]:
                    return
                continue
            data = os.read(fd, 1024)
            if not data:
                return  # the terminal is gone
            self.typed(decode(data))
