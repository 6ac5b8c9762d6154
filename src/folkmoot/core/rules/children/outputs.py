"""What a child ended with, as its parent keeps it. What is too long for that stays whole in the report of its run."""

from typing import Any

from msgspec.structs import replace

from folkmoot.core.item import Item, Output
from folkmoot.core.records import Run
from folkmoot.core.report import Report, Try
from folkmoot.core.unfinished import PARTIAL, beside_told, left_by

OUTPUT_CHARACTERS = 8_000
OUTPUT_PARTS = 200
OUTPUTS_KEPT = 200


def output_of(item: Item, run: Run, said: Report, claimed: str = "") -> Output:
    """All that a child's report says which its parent may need."""
    # A signal's name says how it ended, and its blockers and its reason say why: the parent needs all.
    told = [said.summary, said.blockers if said.outcome != "done" or not said.summary else None]
    told += [said.reason] if said.outcome == "failed" else []
    before = item.result.attempts if item.result else []  # an expert has several runs, and its last word is not all
    why = list(dict.fromkeys(words for words in told if words))
    return Output(
        agent=run.agent,
        kind=item.kind,
        outcome=said.outcome,
        title=item.title,
        summary=": ".join(why),
        findings=[replace(f, found_by=f.found_by or [run.agent]) for f in said.findings],
        comments=said.comments,
        tests=said.tests,
        files=[*said.files.created, *said.files.modified],
        next_steps=said.next_steps,
        integration_points=said.integration_points,
        interfaces=said.interfaces,
        run=run.id,
        attempts=_all_tried(before, said.attempts),
        blockers=_open(said),
        report=_beside(said, run.agent, why),
        claimed=claimed,
    )


def with_tried(item: Item, said: Report) -> Output:
    """What it tried is its parent's to know, also where its report breaks the form and says nothing else."""
    known = item.result or Output(agent=item.agent or "", kind=item.kind, outcome="failed", title=item.title)
    return replace(known, attempts=_all_tried(known.attempts, said.attempts))


def _all_tried(before: list[Try], told: list[Try]) -> list[Try]:
    return [*before, *(tried for tried in told if tried not in before)]


def _beside(said: Report, agent: str, why: list[str]) -> dict[str, Any]:
    """What it said beside its verdict, and what had no effect of its own: its parent's next agent must know it. `why`
    is what its summary says already; that it could not do it is what `failed` means."""
    words = {"cause": said.cause, "reason": said.reason, "escalation_reason": said.escalation_reason}
    words = {name: word for name, word in words.items() if word and word not in (*why, "capability")}
    return {**words, **(left_by(said) if said.outcome in PARTIAL else beside_told(said, agent))}


def _open(said: Report) -> str:
    """What a child that is done names as open all the same."""
    return said.blockers or "" if said.outcome == "done" and said.summary else ""


def kept(item: Item, output: Output) -> Output:
    """As much of it as every later row of the parent can carry along; where something is left out it says so."""
    names = ["files", "next_steps", "interfaces", "attempts"]
    names += ["findings", "comments"] if output.kind != "part" else []  # a part's are its verdict: all of them count
    lists = {name: getattr(output, name) for name in names}
    short = {name: parts[:OUTPUT_PARTS] for name, parts in lists.items() if len(parts) > OUTPUT_PARTS}
    left = len(output.summary) - OUTPUT_CHARACTERS
    if left <= 0 and not short:
        return output
    where = f"in the report of run {output.run} of item {item.id}"
    more = f" […{left} characters more {where}]" if left > 0 else f" [more {where}]"
    return replace(output, summary=output.summary[:OUTPUT_CHARACTERS] + more, cut=True, **short)


def lost_files(item: Item, result: Output | None, now: bool) -> dict[str, Any]:
    """The files that a reader lost are told to the next run, and a child's to its parent."""
    if not now:
        return {"dropped": {}} if item.dropped else {}
    lost = [path for paths in item.dropped.values() for path in paths]
    return {"result": replace(result, dropped=lost)} if result is not None else {}


def with_output(outputs: dict[str, Output], child: str, output: Output) -> dict[str, Output]:
    """The newest outputs: a parent may have had many children."""
    found = {**{other: o for other, o in outputs.items() if other != child}, child: output}
    return dict(list(found.items())[-OUTPUTS_KEPT:])
