"""What the scripted model does with the tools of a board: claims, comments, asks, waits for the answer, writes in the
clone, reports, and waits until it has landed. Each step follows from the results it is shown, and from nothing else."""

import re

from tests.clients.apis import Asked, Said
from tests.clients.model import fill, in_shell

QUESTION, ANSWER = "10 MB or 20 MB?", "20 MB"
FILE, LINE = "limit.txt", "20 MB it is"
PATIENCE = 5  # calls until something is claimed
SERVERS = "WaitForMcpServers"  # where a client asks its model before its servers have started
# Clients show a result as text, as JSON, or as JSON within JSON.
WORKSPACE = re.compile(r'workspace[\\"]*:\s*[\\"]*(/[^\s"\\,]+)')
RUN = re.compile(r'(?:\b|\\n)run[\\"]*:\s*[\\"]*([\w.:~+/=-]{8,})')
ASKED = re.compile(r'question[\\"]*:\s*[\\"]*(q\d+)')
ANSWERED = re.compile(r'answer[\\"]*:\s*[\\"]*' + re.escape(ANSWER))
DONE = re.compile(r'status[\\"]*:\s*[\\"]*done')


def decide(asked: Asked) -> Said:
    if not asked.tools:
        return Said("A scripted talk")
    told = "\n".join(asked.results)
    place, question = WORKSPACE.search(told), ASKED.search(told)
    if place is None:
        return call(asked, "claim") if len(asked.results) < PATIENCE else Said("Nothing could be claimed.")
    began = next(number for number, result in enumerate(asked.results) if WORKSPACE.search(result))
    results = asked.results[began:]
    named = RUN.search(told)
    run = named[1] if named else ""
    if len(results) == 1:
        return call(asked, "comment", content="The limit is not in the task.", artifact=FILE, run=run)
    if question is None:
        return call(asked, "ask", question=QUESTION, options=["10 MB", "20 MB"], run=run)
    answers = [number for number, result in enumerate(results) if ANSWERED.search(result)]
    if not answers:
        return call(asked, "wait", question=question[1], item="1", seconds=5)
    after = results[answers[0] + 1 :]
    if not after:
        return in_shell(asked, f"printf '{LINE}\\n' > {place[1]}/{FILE}")
    if len(after) == 1:
        return call(asked, "report", outcome="done", summary="The limit is written down.", run=run)
    if not DONE.search(after[-1]):
        return call(asked, "wait", item="1", seconds=5)
    return Said("It has landed.")


def call(asked: Asked, tool: str, **arguments: object) -> Said:
    """A tool of the board, whatever the client calls it."""
    named = [name for name in asked.tools if re.search(rf"(?:folkmoot\W*_*|^|__){tool}$", name)]
    if not named and SERVERS in asked.tools:
        return Said(tool=SERVERS, arguments=fill(asked.tools[SERVERS], {}))
    if not named:
        return Said(f"There is no tool {tool}: {', '.join(asked.tools)}")
    return Said(tool=named[0], arguments=dict(arguments))
