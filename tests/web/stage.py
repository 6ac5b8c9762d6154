"""A served board with life in it: agents at work, questions, a dispute, failures, work that is done.

By hand: `python -m tests.web.stage FOLDER` serves it until Ctrl-C, and prints the link.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from folkmoot.core.commands import Actor
from tests.doors.http.served import Served, served

LEASE = 3_600.0  # no agent here renews one
HOSTILE = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>'
WAY = ("story-agent", "architect-agent", "test-architect", "dev-agent", "review-agent", "qa-agent")
USAGE = {"input_tokens": 41_000, "output_tokens": 6_200, "cost_usd": 0.31}


class Stage:
    """Plays all agents of the kanban preset, over the same calls that real ones use."""

    def __init__(self, server: Served) -> None:
        self.server = server

    def add(self, title: str, **fields: Any) -> str:
        return str(self.ok("add", title=title, **fields)["id"])

    def ok(self, call: str, token: str | None = "", **fields: Any) -> Any:
        heard = self.server.post(call, token, **fields)
        assert heard.status == 200, heard
        return heard.json

    def claim(self, agent: str, item: str, lease: float = LEASE) -> Any:
        return self.ok("claim", agent=agent, item=item, lease=lease, worker="mill.1")

    def report(self, agent: str, item: str, outcome: str = "done", **report: Any) -> Any:
        run = self.claim(agent, item)
        return self.ok("report", run["bearer"], report={"outcome": outcome, "usage": USAGE, **report})

    def prints(self, run: Any, *lines: str) -> None:
        actor = Actor(run["agent"], run["run"], run["token"])
        parts = [(number + 1, line + "\n") for number, line in enumerate(lines)]
        self.server.board.engine.keep_output(actor, parts)

    def brought(self, title: str, to: str, **fields: Any) -> str:
        """An item that has come as far as the agent who is next."""
        item = self.add(title, **fields)
        for agent in WAY[: WAY.index(to)]:
            self.report(agent, item, summary=f"{agent} is through with it")
        return item

    def finished(self, title: str) -> str:
        item = self.brought(title, WAY[-1])
        self.report(WAY[-1], item, summary="All checks are green.")
        return item

    def question(self, item: str, agent: str, question: str, *options: str, context: str = "") -> Any:
        asked = {"question": question, "context": context, "options": [{"option": one} for one in options]}
        return self.report(agent, item, "asks", summary="I need a word from a person", question=asked)


def play(stage: Stage) -> dict[str, str]:
    """The items, by what is special about them."""
    done = [stage.finished(f"Landed piece of work {number}") for number in range(1, 4)]
    coding = stage.brought("Sign in with a passkey", "dev-agent", priority="high", files=["src/auth/passkey.py"])
    stage.report(
        "dev-agent", coding, "failed", summary="The tests did not pass", reason="tests fail", cause="capability"
    )
    stage.report("dev-agent", coding, "failed", summary="Still red", reason="tests fail again", cause="capability")
    stage.prints(stage.claim("dev-agent", coding), "Reading src/auth/passkey.py", "Running the tests of sign-in")
    reviewing = stage.brought("Export a board as one file", "review-agent")
    stage.prints(stage.claim("review-agent", reviewing), "Looking at the change of 4 files")
    story = stage.add("A page that explains the numbers", priority="low", tags=["docs"])
    stage.prints(stage.claim("story-agent", story), "Writing the story")
    waiting = stage.add("Show the numbers by week", after=[story], body="Only when the page is there.")
    asking = stage.brought("Delete accounts for good", "architect-agent")
    stage.question(
        asking,
        "architect-agent",
        "May we delete the invoices of a closed account?",
        "Keep them for ten years",
        "Delete them with the account",
        context="The law asks for ten years. The privacy page promises 30 days.",
    )
    open_words = stage.brought("Name the new plan", "story-agent", priority="critical")
    stage.question(open_words, "story-agent", "What shall the new plan be called?", context="It stands on each bill.")
    dispute = stage.brought("Round prices the way a bank does", "dev-agent")
    stage.report(
        "dev-agent",
        dispute,
        "disputed",
        summary="The test asks for the wrong rounding",
        reason="test-vs-dev",
        escalation_reason="test-vs-dev",
        blockers="half-even is what the story says",
    )
    hostile = stage.add(f"{HOSTILE} a title that is long and has no harm in it {'x' * 90}", body=HOSTILE)
    stage.question(hostile, "story-agent", HOSTILE, HOSTILE, "A plain answer", context=HOSTILE)
    stage.ok("comment", item=hostile, content=HOSTILE)
    queued = stage.add("Tidy the settings page")
    cancelled = stage.add("A plan that nobody wants any more")
    stage.ok("cancel", item=cancelled, why="it was a joke")
    names = {"coding": coding, "reviewing": reviewing, "story": story, "waiting": waiting, "asking": asking}
    more = {"open_words": open_words, "dispute": dispute, "hostile": hostile, "queued": queued, "done": done[-1]}
    return {**names, **more, "cancelled": cancelled}


@contextmanager
def staged(folder: Path, **options: Any) -> Iterator[tuple[Stage, dict[str, str]]]:
    with served(folder, "kanban", **options) as server:
        stage = Stage(server)
        yield stage, play(stage)


if __name__ == "__main__":
    with staged(Path(sys.argv[1])) as (made, _names):
        print(made.server.server.start.link, flush=True)
        with suppress(KeyboardInterrupt):
            threading.Event().wait()
