"""How a worker's progress looks: a line for each thing that happens, and in a terminal below them who works now.

What happened is read from the board's log, so that a line says what became of a report, whoever made it. One thread
alone writes: the many that tell it something never stand in each other's way.
"""

import contextlib
import os
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol, TextIO

from rich.text import Text

from folkmoot.api.call import Ask
from folkmoot.api.machine import WorkCounts, WorkerStart
from folkmoot.api.requests import ShowBlocked
from folkmoot.api.views import Blocked, EventView
from folkmoot.core.enums import ENGINE_NAME
from folkmoot.core.flow import LANDING, RUNG_ESCALATE
from folkmoot.doors.cli.render.ends import whose
from folkmoot.doors.cli.render.page import AGENT, BAD, CARE, PERSON, QUIET, Page, Part, count, one_line
from folkmoot.doors.cli.render.progress.blocked_reasons import blocked_words, idle_words
from folkmoot.doors.cli.render.progress.closing import closing, counted
from folkmoot.doors.cli.render.progress.lines import SETUP_SHOWN, Line, Live, Teller, span
from folkmoot.doors.cli.render.progress.notices import asked_again, is_noticed, notice
from folkmoot.doors.cli.render.questions import requested
from folkmoot.doors.cli.session import ReaderGone
from folkmoot.engine.reads.blocked import run_by
from folkmoot.errors import MootError

if TYPE_CHECKING:
    from folkmoot.doors.cli.keyboard.answering import Answering

FRAME_SECONDS = 0.1  # how often the live line moves
PREPARING_SECONDS = 1.0  # what a clone takes that need not be told of
LOOK_SECONDS = 5.0  # how often the log is read though nobody has told anything
SPAN = 7  # cells for a time
NAMES_MAX, MODELS_MAX = 16, 8
TITLE_MIN, TITLE_MAX = 10, 28
BESIDE_TITLE = 36  # cells for what happened, before the title gets any
WORDS_MIN = 50
NOTICE_INDENT = SPAN + 3  # below who is told of
NOTHING_LEFT = "nothing is left to do; new items are taken as they come, Ctrl-C ends"
FRAMES, FRAMES_ASCII = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", "|/-\\"
IN_ASCII = {"✓": "+", "✗": "x", "≠": "!", "↑": "^", "▸": ">", "↩": "<", "■": "!", "•": "*"}


class Told(Protocol):
    """As much of what a worker tells as is shown beside the log."""

    @property
    def what(self) -> str: ...
    @property
    def run(self) -> str: ...
    @property
    def item(self) -> str: ...
    @property
    def agent(self) -> str: ...
    @property
    def words(self) -> str: ...
    @property
    def model(self) -> str | None: ...


class News(NamedTuple):
    """Something was written to the board, by whomever."""

    what: str = "news"
    run: str = ""
    item: str = ""
    agent: str = ""
    words: str = ""
    model: str | None = None


class Progress:
    """Prints what happens as it happens. `tell` may be called from any thread, and from a signal."""

    def __init__(
        self,
        stream: TextIO,
        ask: Ask,
        *,
        notes: Mapping[str, str] | None = None,
        prompt: Callable[[], str] = lambda: "",
        changed: Callable[[int, float], int] | None = None,
    ) -> None:
        self.page = Page(stream)
        self._stream = stream
        self._ask = ask
        self._teller = Teller(ask)
        self._notes = dict(notes or {})  # words for the first event of a name, for whoever sees all this first
        self._prompt = prompt  # what stands in place of the live line
        self._changed = changed  # sleeps until the board is written to; without it only `tell` wakes us
        self._moves = stream.isatty() and os.environ.get("TERM") != "dumb"
        self._told: queue.SimpleQueue[Told | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._fault: Exception | None = None
        self._drawn = ""
        self._asked_last = ""  # the question that was shown last
        self._unable: Mapping[str, str] = {}
        self._only: Sequence[str] = ()
        self._idle = ""  # why nobody works
        self._preparing: set[str] = set()  # runs of ours whose clone and setup are being made
        self.answering: Answering | None = None  # who may answer here
        self._frame = 0
        self._looked = 0.0
        self._began = datetime.now(UTC).timestamp()
        flow = self._teller.flow
        self._names = min(max(map(len, [*flow.agents, *flow.gates, LANDING])), NAMES_MAX)
        rungs = [
            len(rung.model) for agent in flow.agents.values() for rung in agent.ladder if rung.model != RUNG_ESCALATE
        ]
        self._models = min(max(rungs, default=0), MODELS_MAX)
        self.indent = SPAN + 3 + self._names + 1 + (self._models + 1 if self._models else 0)

    # What others call

    def begin(self, view: WorkerStart) -> None:
        slots = count(view.slots, "slot")
        self.page.line((f"{view.flow}: {slots}", "bold"), f", {self._where(view)}", hang=2)
        if not view.sandboxed:
            self.page.line((f"! not sandboxed: {view.why_not_sandboxed}", CARE), hang=2)
        for folder in view.left_out:
            words = f"{one_line(folder)} of your PATH is left out: work of agents lands in the project"
            self.page.line((words, QUIET), indent=2, hang=2)
        self._introduce(view.unable, self.held(view.unable, view.only))
        self._asked_last = asked_again(self.page, self._ask)
        self._unable, self._only = view.unable, view.only
        self.start()

    def _introduce(self, unable: Mapping[str, str], held: list[Blocked]) -> None:
        """Whom this worker cannot start, and why; and whom nobody starts, since the flow does not say how."""
        started = run_by(self._teller.flow)
        told = [one for one in held if one.why == "unable"]
        named = {name for one in told for name in one.agents}
        by: dict[str, list[str]] = {one.reason: list(one.agents) for one in told}
        for name, why in unable.items():
            if name in started and name not in named:
                by.setdefault(why, []).append(name)
        for why, agents in by.items():
            items = next((one.items for one in told if one.reason == why), [])
            self.page.line(
                (f"! {blocked_words(Blocked(why='unable', reason=why, pause=None, agents=agents, items=items))}", BAD),
                hang=2,
            )
        left = ", ".join(one_line(name) for name in unable if name not in started)
        if left:
            self.page.line((f"without `run`, so they wait for somebody to claim for them: {left}", QUIET), indent=2)

    def held(self, unable: Mapping[str, str], only: Sequence[str]) -> list[Blocked]:
        """What could be worked on now and begins no run here."""
        return self._ask(ShowBlocked(unable=dict(unable), only=list(only))).blocked

    def start(self) -> None:
        """From now on the log is told."""
        self._teller.skip()
        self._began = datetime.now(UTC).timestamp()
        self._thread = threading.Thread(target=self._write, name="moot-progress", daemon=True)
        self._thread.start()
        if self._moves:
            self._told.put(News())  # a question that is open already can be answered at once
        if self._changed is not None:
            threading.Thread(target=self._listen, args=(self._changed,), name="moot-news", daemon=True).start()

    def _listen(self, changed: Callable[[int, float], int]) -> None:
        seen = changed(-1, 0)
        while self._thread is not None:
            seen = changed(seen, LOOK_SECONDS)
            self._told.put(News())

    @staticmethod
    def _where(view: WorkerStart) -> str:
        if view.git:
            how = "proposed for" if view.proposes else "landing on"
            return f"a clone for each run, {how} {view.target}"
        return "in this folder, which has no git: one writer at a time"

    def tell(self, told: Told) -> None:
        self._told.put(told)

    def stop(self) -> None:
        """All that was told is written, and the live line is gone."""
        if self._thread is not None:
            self._told.put(None)
            self._thread.join()
            self._thread = None
            self._teller.tally.seconds = datetime.now(UTC).timestamp() - self._began
        if self._fault is not None:
            raise self._fault

    def summary(self) -> WorkCounts:
        self.stop()
        return counted(self._ask, self._teller.tally)

    def end(
        self,
        held: Sequence[Blocked] = (),
        *,
        until_idle: bool = False,
        why_follows: bool = False,
        aside: tuple[str, list[str]] | None = None,
    ) -> None:
        """What came of it, and why what is left did not begin."""
        self.stop()
        tally, flow = self._teller.tally, self._teller.flow
        closing(self.page, self._ask, tally, held, flow, until_idle=until_idle, why_follows=why_follows, aside=aside)

    # The one thread that writes

    def _write(self) -> None:
        try:
            while self._turn():
                pass
        except BrokenPipeError:
            self._fault = ReaderGone()
        except Exception as error:  # the work itself goes on, and `stop` says what went wrong here
            self._fault = error

    def _turn(self) -> bool:
        """Wait for news, tell them, move the live line. False when there will be no more."""
        moving = self._moves and bool(self._teller.live or self._asking())
        going, heard = True, False
        with contextlib.suppress(queue.Empty):
            told = self._told.get(timeout=FRAME_SECONDS if moving else LOOK_SECONDS)
            heard = True
            while True:
                going = going and told is not None
                if told is not None:
                    self._hear(told)
                told = self._told.get_nowait()
        now = datetime.now(UTC).timestamp()
        if heard or now - self._looked >= LOOK_SECONDS or not moving:
            self._looked = now
            self._tell_news()
            self._ask_person()
            self._say_idle()
        self._draw() if going else self._clear()
        return going

    def _tell_news(self) -> None:
        with contextlib.suppress(MootError):  # what cannot be read now is read at the next turn; the worker tells why
            for at, lines, events in self._teller.news():
                for line in lines:
                    self._say(line, at)
                self._explain(events)

    def _asking(self) -> bool:
        """Can somebody type an answer now, or in a moment?"""
        return bool(self._prompt()) or (self.answering is not None and self.answering.asked is not None)

    def _ask_person(self) -> None:
        """The question that can be answered here stands there, however many lines have come since it was asked."""
        if self.answering is None:
            return
        with contextlib.suppress(MootError):
            asked = self.answering.look()
            if asked is not None and asked.id != self._asked_last:
                self._clear()
                self._asked_last = asked.id
                requested(self._ask, asked, whose(self._ask, asked), self.page, NOTICE_INDENT)

    def _say_idle(self) -> None:
        """Where nobody works: what is waited for, and until when. Where no live line shows it, it is told once."""
        words = ""
        if not self._teller.live:
            with contextlib.suppress(MootError):
                words = idle_words(self._ask, self._unable, self._only)
            if words:
                self._tell_news()  # what has begun meanwhile is no reason to wait
                words = "" if self._teller.live else words
        if words and words != self._idle and not self._moves:
            self._say(Line("•", QUIET, "", "", "", [(words, CARE)]), None)
        self._idle = words

    def _hear(self, told: Told) -> None:
        if told.what in ("fault", "stopping"):
            self._notice(told)
        elif told.what == "claimed":
            self._preparing.add(told.run)
        elif told.what == "started":
            self._preparing.discard(told.run)

    def _notice(self, told: Told) -> None:
        style = BAD if told.what == "fault" else CARE
        self._say(Line("■", style, told.agent, told.model or "", told.item, [(one_line(told.words), style)]), None)

    def _say(self, line: Line, at: float | None) -> None:
        if line.mark == "▸" and self._moves:
            return  # the live line shows it
        self._clear()
        at = datetime.now(UTC).timestamp() if at is None else at
        mark = IN_ASCII.get(line.mark, line.mark) if self.page.ascii else line.mark
        parts: list[Part] = [(span(at - self._began).rjust(SPAN), QUIET), " ", (mark, line.style), " "]
        parts += [self._padded(line.who, self._names, self._style_of(line.who)), " "]
        parts += [self._padded(line.model, self._models, QUIET), " "] if self._models else []
        whole = self.page.text(*parts, *self._item(line.item), *line.words)
        detail = self.page.text(f": {line.detail}" if line.detail else "")
        # What went well may be cut; why something did not is told in full.
        below = (
            bool(line.detail) and line.style in (BAD, CARE) and whole.cell_len + detail.cell_len > self.page.row_width
        )
        whole = whole if below else whole.append_text(detail)
        took = f"  {span(line.seconds)}" if line.seconds is not None else ""
        took += f", setup {span(line.setup)}" if took and line.setup >= SETUP_SHOWN else ""
        if whole.cell_len + len(took) <= self.page.row_width:
            whole.append(took, QUIET)
        self.page.row(whole)
        if below:
            self.page.line((line.detail, line.style), indent=self.indent)

    def _style_of(self, who: str) -> str:
        known = {**self._teller.flow.agents, **self._teller.flow.gates, LANDING: None, ENGINE_NAME: None}
        return AGENT if who in known else PERSON

    def _item(self, item: str) -> list[Part]:
        if not item:
            return []
        room = min(self._width() - self.indent - BESIDE_TITLE - 4, TITLE_MAX)
        title: list[Part] = []
        if room >= TITLE_MIN:
            title = [self._padded(self._teller.title(item), room, QUIET), " "]
        return [(f"#{item}".ljust(3), "bold"), " ", *title, " "]

    def _explain(self, events: list[EventView]) -> None:
        for event in events:
            # Where it can be answered here it stands there when its turn comes, with its options.
            if is_noticed(event) and not (self.answering and event.event == "agent_seeks_guidance"):
                self._clear()
                wide = self.page.width - self.indent >= WORDS_MIN
                notice(self.page, self._ask, event, *((NOTICE_INDENT, self.indent) if wide else (2, 4)))
            words = self._notes.pop(event.event, None)
            if words:
                self._clear()
                self.page.line((words, f"{QUIET} italic"), indent=self.indent)

    # The screen

    def _width(self) -> int:
        return min(self.page.row_width, 100) if self.page.row_width < 100_000 else 100

    def _padded(self, words: str, room: int, style: str = "") -> Text:
        text = self.page.cut(self.page.text((one_line(words), style)), room)
        return text.append(" " * max(room - text.cell_len, 0))

    def _draw(self) -> None:
        if not self._moves:
            return
        frames = FRAMES_ASCII if self.page.ascii else FRAMES
        self._frame += 1
        now = datetime.now(UTC).timestamp()
        parts: list[Part] = [(f"{frames[self._frame % len(frames)]} ", AGENT)]
        asked = self._prompt() or (self.answering.prompt(self._screen() - 4) if self.answering else "")
        runs = [(one.agent, self._live_words(run, one, now)) for run, one in self._teller.live.items()]
        parts += [(asked, CARE)] if asked else []
        for number, (agent, words) in enumerate(runs):
            parts += [(" · " if number or asked else "", QUIET), (agent, AGENT), (words, QUIET)]
        parts += [] if runs or asked else [(self._idle or NOTHING_LEFT, CARE if self._idle else QUIET)]
        whole = self.page.cut(self.page.text(*parts), max(self._screen() - 1, 10))
        with self.page.console.capture() as drawn:
            self.page.console.print(whole, end="", soft_wrap=True)
        self._stream.write(f"\r\x1b[2K{drawn.get()}")
        self._stream.flush()
        self._drawn = "drawn"

    def _live_words(self, run: str, live: Live, now: float) -> str:
        long = now - live.since > PREPARING_SECONDS and live.agent in self._teller.flow.agents
        return f" #{live.item} {'clone and setup ' if long and run in self._preparing else ''}{span(now - live.since)}"

    def _screen(self) -> int:
        try:
            return os.get_terminal_size(self._stream.fileno()).columns
        except OSError:
            return 80

    def _clear(self) -> None:
        if self._drawn:
            self._stream.write("\r\x1b[2K")
            self._stream.flush()
            self._drawn = ""
