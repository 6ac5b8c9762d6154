"""What the board says of an item on a forge: the description of a pull request, with its proof.

What agents wrote stands in blocks of code: there a forge sees no names to call and no issues to close.
"""

import re
from collections.abc import Collection

from folkmoot.api.views import ItemView, RunView
from folkmoot.core.work import Evidence
from folkmoot.worker.forge.port import BEGIN, END
from folkmoot.worker.git.words import calling_nobody

SUMMARY_MAX = 4_000
TICKS = re.compile(r"`{3,}")


def title_of(title: str) -> str:
    return " ".join(calling_nobody(title).split())[:200]


def description(view: ItemView, agents: Collection[str], commit: str, evidence: list[Evidence]) -> str:
    """`agents` are those of the flow: gates are told of apart."""
    runs = [run for run in view.runs if run.agent in agents]
    done = [run for run in runs if run.report is not None and run.outcome == "done"]
    words = [run for run in done if run.report and run.report.summary.strip()]
    # Whoever changed something says what it is; who only looked says that it is good.
    telling = next((run for run in reversed(words) if run.changed), next(iter(reversed(words)), None))
    said = telling.report.summary if telling is not None and telling.report is not None else ""
    parts = [
        fenced(said[:SUMMARY_MAX]) if said else "",
        _gates(view, commit, evidence),
        _runs(runs),
        f"For {view.issue.repository}#{view.issue.number}." if view.issue is not None else "",
        f"Item {view.id}. The gates ran on exactly these files before they were pushed.",
    ]
    return "\n\n".join([BEGIN, *(unmarked(part) for part in parts if part), END])


def unmarked(text: str) -> str:
    """Nobody's words are a mark of the board's: the next description would begin or end there."""
    return text.replace("<!--", "<!\u2060--")


def fenced(text: str) -> str:
    """Whatever is in it, it does not end the block."""
    longest = max((len(found) for found in TICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}text\n{text.strip()}\n{fence}"


def _gates(view: ItemView, commit: str, evidence: list[Evidence]) -> str:
    kept = view.evidence if isinstance(view.evidence, list) else []
    proved = [proof.evidence for proof in kept if proof.evidence is not None and proof.green]
    shown = {one.gate: one for one in [*proved, *evidence] if one.green}
    if not shown:
        return f"No gate was asked for `{commit[:12]}`."
    rows = [
        f"| {cell(one.gate)} | green | {one.seconds:.1f} s | {cell(' '.join(one.command))} |" for one in shown.values()
    ]
    head = ["| gate | result | took | command |", "|---|---|---|---|"]
    return "\n".join([f"**Gates**, green on what `{commit[:12]}` holds:", "", *head, *rows])


def _runs(runs: list[RunView]) -> str:
    rows = [f"| {cell(run.agent)} | {cell(run.model or '')} | {cell(run.outcome or '')} |" for run in runs]
    return "\n".join(["**Runs**", "", "| agent | model | outcome |", "|---|---|---|", *rows]) if rows else ""


def cell(text: str) -> str:
    words = " ".join(text.replace("`", "'").replace("|", "/").split())[:200]
    return f"`{words}`" if words else ""
