"""The demo: scripted agents on a real board. They claim and report like any agent; the rules do the rest.

It shows what Folkmoot is for: a dispute that ends, a climb from small models to large ones to a senior, and a question
that holds up one item and no other.
"""

from typing import Any

from folkmoot.core import commands
from folkmoot.core.commands import Speaker
from folkmoot.core.flow import END
from folkmoot.core.report import Report
from folkmoot.doors.cli.say.page import GOOD, PERSON, QUIET, count
from folkmoot.engine.application import Application
from folkmoot.engine.doctor import examine
from folkmoot.errors import Invalid
from folkmoot.sim import demo_script as script
from folkmoot.sim.demo_teller import Teller

View = dict[str, Any]
YOU = Speaker("you")
RUNS_MAX = 40  # of one item; the stories need far fewer


def play(application: Application, teller: Teller, folder: str) -> View:
    """Play all three stories to their end, and give the account of it."""
    demo = Demo(application, teller)
    demo.opening(folder)
    dispute, climb, question, beside = (
        demo.add(title) for title in (script.RESET, script.EXPIRE, script.INVOICE, script.SIGN_IN)
    )
    demo.play_dispute(dispute)
    demo.play_climb(climb)
    demo.play_question(question, beside)
    return demo.account(folder)


class Demo:
    def __init__(self, application: Application, teller: Teller) -> None:
        self.engine = application.engine
        self.queries = application.queries
        self.teller = teller
        self.runs = 0

    def opening(self, folder: str) -> None:
        say = self.teller.say
        say(("Folkmoot", "bold"), ": a board where agents that forget work on items that remember.")
        self.teller.page.blank()
        say(
            "An agent takes an item, makes one effort, reports, and is gone. All it learnt stays on the item; plain "
            "rules decide what follows. Nobody directs, and no model is asked where an item should go."
        )
        self.teller.page.blank()
        say(
            ("Here the board and the rules are real; only the agents are scripted. The board is in ", QUIET),
            (folder, QUIET),
        )
        self.teller.page.blank()

    def add(self, title: str) -> str:
        view = self.engine.add(YOU, commands.AddItem(title=title))
        self.teller.deed("you", "", f"add #{view['id']}  ", (title, "bold"), style=PERSON)
        return str(view["id"])

    def effort(self, item: str, report: Report | None = None) -> tuple[View, Report, View]:
        """One effort of whoever watches the item's column: a real claim and a real report."""
        _, agent = self.place(item)
        claim = self.engine.claim(YOU, agent, item=item, worker="demo")
        return claim, *self.finish(claim, report)

    def finish(self, claim: View, report: Report | None = None) -> tuple[Report, View]:
        said = report or Report.done(script.WELL.get(claim["item"]["column"], "Done."))
        after = self.engine.report(Speaker(claim["agent"], claim["run"], claim["token"]), said)
        self.runs += 1
        return said, after

    def place(self, item: str) -> tuple[str, str]:
        view = self.queries.show(item)
        return view["column"], view["watcher"]

    def told_effort(self, item: str, report: Report | None = None) -> View:
        claim, said, after = self.effort(item, report)
        self.teller.run(claim, said, after)
        return after

    def through(self, item: str, until: str, which: str = "") -> None:
        """Several stages that simply go well, told in one line."""
        passed = [self.place(item)[0]]
        while passed[-1] != until:
            assert len(passed) < RUNS_MAX, f"item {item} never came to {until}"
            passed.append(self.effort(item)[2]["column"])
        agents = count(len(passed) - 1, "agent")
        way = f"{which}{' → '.join(passed[:-1])} → "
        self.teller.deed(agents, "", way, (until, GOOD if until == END else "bold"), style=QUIET)

    def decide(self, item: str, scripted: str, *, context: bool = True) -> View:
        """Put the item's open question to the person, and give the engine the answer."""
        asked = next(q for q in self.queries.show(item)["questions"] if q["state"] == "open")
        while True:
            words = self.teller.asked(asked, scripted, context=context)
            try:
                after = self.engine.answer(YOU, commands.AnswerQuestion(question=asked["id"], answer=words))
            except Invalid as error:
                self.teller.refused(error.message, error.hint)
                continue
            self.teller.answered(asked, after)
            return after

    def play_dispute(self, item: str) -> None:
        self.teller.chapter(
            1,
            "A dispute",
            f"#{item} goes from stage to stage. Then dev-agent finds that a test contradicts the story, and says so "
            "instead of guessing. The item goes back to whoever made the test.",
        )
        self.through(item, "tests")
        self.told_effort(item, script.THE_TESTS)
        after = self.told_effort(item, script.statement(0, None))
        thread = after["comments"][0]["id"]
        for number in range(1, len(script.STATEMENTS)):
            after = self.told_effort(item, script.statement(number, thread))
        self.teller.rule(
            f"Three rounds, and no agreement: the breaker trips. #{item} is {after['status']}; no agent gets it, and "
            "no money is spent on it, until a person has decided."
        )
        self.decide(item, script.THE_DECISION, context=False)
        self.teller.aside(("the dispute is settled; the next brief holds your words", QUIET))
        self.through(item, END)

    def play_climb(self, item: str) -> None:
        self.teller.chapter(
            2,
            "A climb",
            "The ladder of dev-agent: two failures with a small model, two with a larger one, two with the largest. "
            "Each run is a fresh agent; what was tried before stands on the item.",
        )
        self.through(item, "dev")
        for report in script.FAILURES:
            claim, _, after = self.effort(item, report)
            self.teller.failure(claim, after)
        self.teller.rule("The ladder is at its end. The item is not lost and not retried for ever: a senior gets it.")
        self.teller.page.blank()
        self.told_effort(item, script.SENIOR)
        self.through(item, END)

    def play_question(self, item: str, beside: str) -> None:
        self.teller.chapter(
            3,
            "A question",
            "Some things only a person can know. An agent asks, and is gone; the question waits on the item.",
        )
        self.told_effort(item, script.QUESTION)
        self.teller.aside((f"#{item} waits for you; #{beside} does not", QUIET))
        self.through(beside, "dev", f"#{beside}  ")
        claim = self.engine.claim(YOU, "dev-agent", item=beside, worker="demo")
        self.teller.deed("dev-agent", claim["model"], f"takes #{beside}")
        self.show_board("The board at this moment")
        self.teller.page.blank()
        self.finish(claim)
        self.through(beside, END, f"#{beside}  ")
        self.decide(item, script.THE_ANSWER)
        self.teller.aside(("a fresh agent reads the answer in its brief and goes on", QUIET))
        self.through(item, END)

    def show_board(self, title: str) -> None:
        queries = self.queries
        self.teller.board(title, queries.flow(), queries.list()["items"], queries.inbox()["questions"])

    def account(self, folder: str) -> View:
        items = self.queries.list()["items"]
        examined = examine(self.engine)
        events = self.queries.log(limit=100_000)["events"]
        self.show_board("The board at the end")
        self.teller.doctor(examined, len(events))
        return {
            "ok": examined["ok"] and all(item["status"] == "done" for item in items),
            "board": folder,
            "items": items,
            "runs": self.runs,
            "events": len(events),
            "doctor": examined,
        }
