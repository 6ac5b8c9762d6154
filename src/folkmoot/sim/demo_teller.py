"""How the demo is told: line by line, slowly on a terminal, at once in a pipe."""

from collections.abc import Callable
from typing import Any, TextIO

from folkmoot.core.flow import Flow
from folkmoot.core.report import Report
from folkmoot.doors.cli.say.board import board as print_board
from folkmoot.doors.cli.say.page import BAD, CARE, GOOD, PERSON, QUIET, Page, Part, count, who
from folkmoot.doors.cli.say.talk import question_lines

View = dict[str, Any]
BEAT = 0.13  # seconds a line stands before the next one
SAYS = {"done": ("done", GOOD), "disputed": ("disagrees", CARE), "asks": ("asks a person", CARE)}
NAME_WIDTH = 16
MODEL_WIDTH = 6


class Teller:
    def __init__(self, file: TextIO, sleep: Callable[[float], object], read: Callable[[], str] | None = None) -> None:
        self.page = Page(file)
        self._file = file
        self._sleep = sleep
        self._read = read  # asks the person who watches; None: the script answers
        self._flush = file.flush

    def beat(self, beats: float = 1.0) -> None:
        if self.page.on_terminal:
            self._flush()
            self._sleep(BEAT * beats)

    def say(self, *parts: Part) -> None:
        self.page.line(*parts)
        self.beat(3)

    def chapter(self, number: int, title: str, *words: str) -> None:
        self.page.blank()
        self.page.line((f"{number}  {title}", "bold"))
        for paragraph in words:
            self.page.line((paragraph, QUIET), indent=3)
        self.page.blank()
        self.beat(4)

    def deed(self, name: str, model: str | None, *words: Part, style: str = "") -> None:
        """One line: who, with which model, did what."""
        label = self.page.text((name.ljust(NAME_WIDTH), style or who(name)[1]))
        label.append_text(self.page.text(("  " + (model or "").ljust(MODEL_WIDTH), QUIET)))
        self.page.labelled(label, *words, indent=3)
        self.beat()

    def run(self, claim: View, report: Report, after: View) -> None:
        """What an agent reported, and where the rules sent the item."""
        lead, style = SAYS[report.outcome]
        before = claim["item"]["column"]
        moved = (f" → {after['column']}", "bold") if after["column"] != before else ""
        words: list[Part] = [(lead, style), moved]
        tried = report.attempts[0].approach if report.attempts else None
        said = report.comments[0].content if report.comments else ""
        if report.comments and report.comments[0].parent is None:
            words[0] = ("disputes it", style)
        if tried:
            words += [f": {tried}"]
        elif said:
            words += [f": “{said}”"]
        self.deed(claim["agent"], claim["model"], *words)

    def failure(self, claim: View, after: View) -> None:
        """An attempt that failed, and what the rules make of it."""
        attempt = after["failure_history"][-1]
        moved = after["column"] != claim["item"]["column"]
        where: Part = (f" → {after['column']}", "bold") if moved else ""
        failures = sum(earlier["counted"] for earlier in after["failure_history"])
        verdict: Part = (f"failure {failures}", BAD) if attempt["counted"] else ("the same again", CARE)
        self.deed(claim["agent"], claim["model"], verdict, where, f": {attempt['approach']}")
        self.aside((attempt["outcome"] if attempt["counted"] else f"not counted: {attempt['ground']}", QUIET))

    def aside(self, *words: Part) -> None:
        """What the rules make of it."""
        self.page.line(*words, indent=3 + NAME_WIDTH + MODEL_WIDTH + 4)
        self.beat()

    def rule(self, *words: Part) -> None:
        self.page.blank()
        self.page.line(("! ", CARE), *words, indent=3, hang=2)
        self.beat(5)

    def asked(self, question: View, scripted: str, *, context: bool) -> str:
        """Show the question. The answer is the person's, if one is there who wants to, else the script's."""
        self.page.blank()
        question_lines(self.page, question, context=context)
        self.page.blank()
        self.beat(6)
        if self._read is None:
            return scripted
        self._file.write("   your answer: ")
        self._flush()
        return self._read().strip() or scripted

    def refused(self, message: str, hint: str) -> None:
        self.page.line((message, BAD), f"; {hint}", indent=3)

    def answered(self, question: View, after: View) -> None:
        given = next(q for q in after["questions"] if q["id"] == question["id"])
        self.deed("you", "", f"“{given['answer']}”", (f" → {after['column']}", "bold"), style=PERSON)

    def board(self, title: str, flow: Flow, items: list[View], questions: list[View]) -> None:
        self.page.head(title)
        self.page.blank()
        self.beat(2)
        print_board(flow, items, questions, self.page)
        self.beat(6)

    def doctor(self, view: View, events: int) -> None:
        self.page.blank()
        if view["ok"]:
            words = f" all {len(view['checks'])} checks hold over {count(events, 'event')}"
            self.page.line(self.page.mark("done"), (" doctor:", GOOD), words)
        for check in view["checks"]:
            for wrong in check["wrong"]:
                self.page.line(self.page.mark("failed"), f" doctor: {wrong}", hang=2)
        self.beat(4)
