"""What a run printed: the agent's words, a line for each tool, its errors; or the stream as it came."""

from collections.abc import Iterator

import click

from folkmoot.api.pages import RunOutput
from folkmoot.api.requests import FindRun, ReadOutput
from folkmoot.api.views import OutputPart, Said
from folkmoot.doors.cli.render.page import AGENT, BAD, QUIET, Page, one_line, short_run, when
from folkmoot.doors.cli.render.seen.diff import diff_lines
from folkmoot.doors.cli.session import Session, plain
from folkmoot.doors.waiting import Waiting

DIFF = 1_000_000  # from this part on it is the change of the run
MARKS = {"tool": ("▸ ", "> "), "error": ("✗ ", "x ")}


def text_of(parts: list[OutputPart]) -> None:
    diff_lines(Page(), "".join(part.text for part in parts))


def print_raw(session: Session, view: RunOutput, follow: bool) -> None:
    for text in _texts(session, view, follow):
        click.echo(plain(text), nl=False, color=False)


def print_output(session: Session, view: RunOutput, follow: bool) -> None:
    page = Page()
    _head(page, session, view)
    lines = _Lines(page)
    transcript = session.boards.transcript(session.board, view.agent, view.model)
    for text in _texts(session, view, follow):
        lines.put(transcript.feed(text))
    lines.put(transcript.finish())
    if not lines.any and not page.is_whole:
        words = "It has printed nothing yet." if view.live else "It printed nothing."
        page.line((words, QUIET), indent=2)


def _head(page: Page, session: Session, view: RunOutput) -> None:
    """Which run it is: of an item only the latest was asked for. A pipe gets what was said alone."""
    if page.is_whole:
        return
    run = session.ask(FindRun(run=view.run))
    model = f" with {one_line(run.model)}" if run.model else ""
    ended = f"{run.outcome or run.end}" if run.ended_at else "at work"
    cause = f" ({run.cause})" if run.cause else ""
    words = f" on #{run.item}{model}, {when(run.started_at)}, {ended}{cause}"
    page.row((short_run(run.run), "bold"), "  ", (one_line(run.agent), AGENT), (words, QUIET))
    page.blank()


class _Lines:
    """Prints what was said as it comes, with no more than one empty line at a time."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._blank = True
        self.any = False

    def put(self, said: list[Said]) -> None:
        for one in said:
            words = one.text.strip()
            if words or not self._blank:
                self._line(one)
            self._blank = not words
            self.any = self.any or bool(words)

    def _line(self, one: Said) -> None:
        page, (fancy, bare) = self._page, MARKS.get(one.kind, ("", ""))
        mark = bare if page.ascii else fancy
        if one.kind == "tool":
            page.row("  ", (mark, AGENT), (one_line(one.text), QUIET))
        elif one.kind == "error":
            page.line((mark, BAD), (one_line(one.text), BAD), indent=2, hang=2)
        elif one.kind == "text":
            page.block(one.text)
        else:
            page.exact(one.text.expandtabs(8).rstrip(), style=QUIET)


def _texts(session: Session, view: RunOutput, follow: bool) -> Iterator[str]:
    """What was printed; with `follow` also what comes, until the run has ended."""
    seen, waiting = -1, Waiting(session.board)
    while True:
        parts = [part for part in view.parts if part.part < DIFF]
        for part in parts:
            yield part.text
            seen = max(seen, part.part)
        if not follow or (not parts and not view.live):
            return
        if not parts:
            waiting.sleep()
        view = session.ask(ReadOutput(run=view.run, after=seen + 1))
