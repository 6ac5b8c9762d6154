"""How a worker's progress looks: a line for each thing that happens, and in a terminal below them who works now.

What happened is read from the board's log, so that a line says what became of a report, whoever made it. One thread
alone writes: the many that tell it something never stand in each other's way.
"""

import contextlib
import os
import queue
import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Protocol, TextIO

import click
from rich.text import Text

from folkmoot.core.flow import LANDING, RUNG_ESCALATE
from folkmoot.doors.cli.say.events import ENGINE
from folkmoot.doors.cli.say.page import AGENT, BAD, CARE, GOOD, PERSON, QUIET, Page, Part, count, one_line
from folkmoot.doors.cli.say.progress.lines import Line, Teller, span
from folkmoot.doors.cli.session import ReaderGone, Session, View, plain
from folkmoot.engine.queries import Queries
from folkmoot.errors import MootError

FOLLOW_SECONDS = 0.5
FRAME_SECONDS = 0.1  # how often the live line moves
LOOK_SECONDS = 1.0  # how often the log is read though nobody has told anything
SPAN = 7  # cells for a time
NAMES_MAX, MODELS_MAX = 16, 8
TITLE_MIN, TITLE_MAX = 12, 28
WORDS_MIN = 50
TASKS_MAX = 8
ROWS_MAX = 20
FRAMES, FRAMES_ASCII = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", "|/-\\"
IN_ASCII = {"✓": "+", "✗": "x", "≠": "!", "↑": "^", "▸": ">", "↩": "<", "■": "!", "•": "*"}


class Told(Protocol):
    """As much of what a worker tells as is shown beside the log."""

    @property
    def what(self) -> str: ...
    @property
    def item(self) -> str: ...
    @property
    def agent(self) -> str: ...
    @property
    def words(self) -> str: ...
    @property
    def model(self) -> str | None: ...


class Progress:
    """Prints what happens as it happens. `tell` may be called from any thread, and from a signal."""

    def __init__(
        self,
        stream: TextIO,
        queries: Queries,
        *,
        notes: Mapping[str, str] | None = None,
        prompt: Callable[[], str] = lambda: "",
    ) -> None:
        self.page = Page(stream)
        self._stream = stream
        self._queries = queries
        self._teller = Teller(queries)
        self._notes = dict(notes or {})  # words for the first event of a name, for whoever sees all this first
        self._prompt = prompt  # what stands in place of the live line
        self._moves = stream.isatty() and os.environ.get("TERM") != "dumb"
        self._told: queue.SimpleQueue[Told | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._fault: Exception | None = None
        self._drawn = ""
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

    def begin(self, view: View) -> None:
        slots = count(view["slots"], "slot")
        self.page.line((f"{view['flow']}: {slots}", "bold"), f", {self._where(view)}")
        if not view["sandboxed"]:
            self.page.line((f"! not sandboxed: {view['why_not_sandboxed']}", CARE), hang=2)
        if view["unable"]:
            names = ", ".join(view["unable"])
            self.page.line((f"without `run`, so they wait for somebody to claim for them: {names}", QUIET), indent=2)
        self.start()

    def start(self) -> None:
        """From now on the log is told."""
        self._teller.skip()
        self._began = datetime.now(UTC).timestamp()
        self._thread = threading.Thread(target=self._write, name="moot-progress", daemon=True)
        self._thread.start()

    @staticmethod
    def _where(view: View) -> str:
        if view["git"]:
            return f"a clone for each run, landing on {view['target']}"
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

    def summary(self) -> View:
        self.stop()
        tally = self._teller.tally
        asked = len(self._queries.inbox()["questions"])
        seconds = round(tally.seconds, 3)
        return {
            "landed": tally.landed,
            "runs": tally.runs,
            "failed": tally.failed,
            "questions": asked,
            "seconds": seconds,
        }

    def end(self) -> None:
        view = self.summary()
        words = f"{count(view['runs'], 'run')} in {span(view['seconds'])}, {view['landed']} landed"
        words += f", {view['failed']} failed" if view["failed"] else ""
        if view["runs"]:
            self.page.blank()
        self.page.line((words, "bold"))
        self._table()
        if view["questions"]:
            waits = "question waits" if view["questions"] == 1 else "questions wait"
            self.page.line((f"? {view['questions']} {waits} for you: ", CARE), ("moot inbox", "bold cyan"))

    def _table(self) -> None:
        """Each item that was worked on, and how it stands; a child that is done is its parent's."""
        worked = self._teller.tally.items
        items = [self._queries.show(item) for item in sorted(worked, key=lambda one: (len(one), one)) if item]
        items = [item for item in items if item["parent"] is None or item["status"] != "done"]
        ids = max((len(item["id"]) for item in items), default=0) + 1
        room = max(min(self.page.width - 46, 40), 16)
        for item in items[:ROWS_MAX]:
            runs = worked[item["id"]] + sum(worked.get(child, 0) for child in item["children"])
            state, style, why = self._stands(item)
            ran = (f"  {count(runs, 'run'):>7}  ", QUIET)
            title = self._padded(one_line(item["title"]), room)
            mark = self.page.mark(item["status"])
            self.page.row("  ", mark, (f" #{item['id']}".ljust(ids + 1), "bold"), "  ", title, ran, (state, style), why)
        if len(items) > ROWS_MAX:
            self.page.line((f"and {len(items) - ROWS_MAX} more: moot board", QUIET), indent=2)

    @staticmethod
    def _stands(item: View) -> tuple[str, str, Part]:
        """How an item stands, in words, with their style; and why, unless that is plain."""
        asked = ", ".join(question["id"] for question in item["questions"] if question["state"] == "open")
        if item["status"] == "done":
            return (f"landed on {item['landed_on']}" if item["landed_on"] else "done"), GOOD, ""
        if asked:
            return f"waits for you: {asked}", CARE, ""
        style = BAD if item["status"] == "failed" else CARE
        return item["status"], style, (f": {one_line(item['why'])}", QUIET)

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
        moving = self._moves and bool(self._teller.live or self._prompt())
        going, heard = True, False
        with contextlib.suppress(queue.Empty):
            told = self._told.get(timeout=FRAME_SECONDS if moving else LOOK_SECONDS)
            heard = True
            while True:
                going = going and told is not None
                if told is not None and told.what in ("fault", "stopping"):
                    self._notice(told)
                told = self._told.get_nowait()
        now = datetime.now(UTC).timestamp()
        if heard or now - self._looked >= LOOK_SECONDS or not moving:
            self._looked = now
            self._tell_news()
        self._draw() if going else self._clear()
        return going

    def _tell_news(self) -> None:
        with contextlib.suppress(MootError):  # what cannot be read now is read at the next turn; the worker tells why
            for at, lines, events in self._teller.news():
                for line in lines:
                    self._say(line, at)
                self._explain(events)

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
        below = line.style in (BAD, CARE) and whole.cell_len + detail.cell_len > self.page.row_width
        whole = whole if below else whole.append_text(detail)
        took = f"  {span(line.seconds)}" if line.seconds is not None else ""
        if whole.cell_len + len(took) <= self.page.row_width:
            whole.append(took, QUIET)
        self.page.row(whole)
        if below:
            self.page.line((line.detail, line.style), indent=self.indent)

    def _style_of(self, who: str) -> str:
        known = {**self._teller.flow.agents, **self._teller.flow.gates, LANDING: None, ENGINE: None}
        return AGENT if who in known else PERSON

    def _item(self, item: str) -> list[Part]:
        if not item:
            return []
        room = min(self._width() - self.indent - WORDS_MIN - 4, TITLE_MAX)
        title: list[Part] = []
        if room >= TITLE_MIN:
            title = [self._padded(self._teller.title(item), room, QUIET), " "]
        return [(f"#{item}".ljust(3), "bold"), " ", *title, " "]

    def _explain(self, events: list[View]) -> None:
        for event in events:
            if event["event"] == "agent_seeks_guidance":
                self._show_question(event["context"].get("question"))
            if event["event"] == "work_split":
                self._show_tasks(event["context"].get("children", []))
            words = self._notes.pop(event["event"], None)
            if words:
                self._clear()
                self.page.line((words, f"{QUIET} italic"), indent=self.indent)

    def _show_tasks(self, tasks: list[str]) -> None:
        self._clear()
        for task in tasks[:TASKS_MAX]:
            view = self._queries.show(task)
            self.page.row(" " * self.indent, (f"#{task} ", "bold"), one_line(view["title"]), (_files(view), QUIET))
        if len(tasks) > TASKS_MAX:
            self.page.line((f"and {len(tasks) - TASKS_MAX} more", QUIET), indent=self.indent)

    def _show_question(self, question: str | None) -> None:
        asked = next((one for one in self._queries.inbox()["questions"] if one["id"] == question), None)
        if asked is None:
            return
        self._clear()
        self.page.line((f"{asked['id']}: ", CARE), (one_line(asked["question"]), "bold"), indent=self.indent)
        for number, option in enumerate(asked["options"], start=1):
            self.page.line((f"{number}. ", "bold"), one_line(option["option"]), indent=self.indent, hang=3)
        if asked["default"] is not None:
            self.page.line(("if nobody answers in time: ", QUIET), one_line(asked["default"]), indent=self.indent)
        sample = "1" if asked["options"] else '"…"'
        self.page.line(("answer: ", QUIET), (f"moot answer {asked['id']} {sample}", "bold cyan"), indent=self.indent)

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
        asked = self._prompt()
        runs = [(live.agent, f" #{live.item} {span(now - live.since)}") for live in self._teller.live.values()]
        parts += [(asked, CARE)] if asked else []
        for number, (agent, words) in enumerate(runs):
            parts += [(" · " if number or asked else "", QUIET), (agent, AGENT), (words, QUIET)]
        parts += [] if runs or asked else [("nobody works; waiting", QUIET)]
        whole = self.page.cut(self.page.text(*parts), max(self._screen() - 1, 10))
        with self.page.console.capture() as drawn:
            self.page.console.print(whole, end="", soft_wrap=True)
        self._stream.write(f"\r\x1b[2K{drawn.get()}")
        self._stream.flush()
        self._drawn = "drawn"

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


def _files(view: View) -> str:
    names = ", ".join(map(one_line, view["files"][:3])) + (" …" if len(view["files"]) > 3 else "")
    return f"  {names}" if names else ""


def print_output(session: Session, run: str, parts: list[View], follow: bool) -> None:
    seen = -1
    while True:
        for part in parts:
            click.echo(plain(part["text"]), nl=False, color=False)
            seen = max(seen, part["part"])
        view: dict[str, Any] = session.board.queries.output(run, seen + 1) if follow else {"parts": [], "live": False}
        parts = [part for part in view["parts"] if part["part"] < 1_000_000]
        if not parts and not view["live"]:
            return
        if not parts:
            session.boards.pause(FOLLOW_SECONDS)


def salvaged(view: View) -> None:
    if view.get("branch"):
        click.echo(f"the work of run {view['run']} is on the branch {view['branch']}: git log {view['branch']}")
        return
    if not view["unlanded"]:
        click.echo("all work has landed")
        return
    for one in view["unlanded"]:
        files = ", ".join(one["files"][:3]) + (" …" if len(one["files"]) > 3 else "")
        click.echo(f"{click.style(one['run'], bold=True)}  #{one['item']} {plain(one['subject'])[:50]}  {plain(files)}")
    click.echo(click.style("bring one back as a branch: moot salvage RUN", dim=True))
