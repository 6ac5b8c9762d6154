"""How much runs may make and say before a person looks (R-33): items below one origin, and words of one run.

The origin of an item that a run made is the item a person added, or looked at last, on the way down to it. What was
made below an origin is counted in a meter of its own, and counted anew once a person has spoken on the origin.
"""

from typing import Any

from folkmoot.core.enums import ENDED, ONE_SHOT_KINDS
from folkmoot.core.item import Item
from folkmoot.core.rules.children.orders import AskForMore
from folkmoot.core.rules.questions import ask
from folkmoot.core.situation import MADE_BELOW, Case, origin_of
from folkmoot.core.vocabulary.ways import Way
from folkmoot.errors import Refused

GENERATIONS_MAX = 4
DEEP_MAX = 10  # items of the last generation that wait for a person at once: each is a question
SAID_LENGTH = "characters"  # beside the numbers of comments, messages and questions that a run has said
SAID_CHARACTERS_MAX = 200_000  # whoever opens the item reads them all, and the board keeps them for ever
HELPERS = ("part", "expert", "sub")  # bounded by the flow itself


def _counted(case: Case, maker: Item) -> tuple[int, int]:
    """How many items there are below the maker's origin since guidance, and how many of the last generation."""
    root = case.situation.origin or maker
    meter = case.meters.get(f"{MADE_BELOW}{root.id}")
    return (meter.made, meter.deep) if meter is not None and meter.guidance == root.clarifications else (0, 0)


def excess(case: Case, maker: Item, count: int, generation: int) -> str | None:
    """Why so many more may not be made, or None."""
    made, deep = _counted(case, maker)
    most, root = case.flow.limits.items, origin_of(maker)
    if made + count > most:
        return f"runs have made {made} items below item {root}, and {count} more are over the limit of {most}"
    if generation >= GENERATIONS_MAX and deep + count > DEEP_MAX:
        return f"{deep} items below item {root} wait for a person already, {GENERATIONS_MAX} generations from one's own"
    return None


def refuse_excess(case: Case, maker: Item) -> None:
    why = excess(case, maker, 1, maker.generation + 1)
    if why is not None:
        hint = "say it in the report; a person answers the question on item {item}, or adds it"
        raise Refused("too_many_items", "{why}", hint, why, origin_of(maker), limit=case.flow.limits.items)


def count_made(case: Case, maker: Item, count: int, generation: int) -> tuple[str, dict[str, Any]]:
    """The row of the meter after so many more; whoever makes the last one lets a person be asked, once."""
    made, deep = _counted(case, maker)
    root = case.situation.origin or maker
    made += count
    deep += count if generation >= GENERATIONS_MAX else 0
    if made >= case.flow.limits.items > made - count:
        case.tell(root.id, AskForMore(made=made))
    return f"{MADE_BELOW}{root.id}", {"made": made, "deep": deep, "guidance": root.clarifications}


def ask_for_more(case: Case, command: AskForMore) -> None:
    """One question for all of it. Where nobody can be asked, what comes next is refused all the same."""
    if case.item.status in ENDED or case.item.kind in ONE_SHOT_KINDS:
        return
    ways = (
        Way(f"Runs may make as many again ({case.flow.limits.items})", "more", says="yes"),
        Way("Cancel this item", "cancel"),
    )
    words = f"Runs have made {command.made} items below this one, and may make no more. May they?"
    help = "The list of items shows what they made. The limit is `items` under `limits` in the flow."
    told = f"the item: {case.item.title}"
    ask(case, "budget", words, *ways, context=told, blocking=False, help=help)


def count_said(case: Case, kind: str, *parts: str | None) -> dict[str, Any]:
    """The speaking run's row with one more of what it says in the middle of its work, or a refusal: each kind has a
    number, and all of its words together have a length."""
    run = case.voice
    if run is None:
        return {}
    said, most = run.said.get(kind, 0), getattr(case.flow.limits, kind)
    words = "\n".join(part for part in parts if part is not None)
    full = no_room(case, kind, [words])
    if full is not None and said >= most:
        raise Refused(f"too_many_{kind}", "{why}", "say what is left in the report", full, run=run.id, limit=most)
    if full is not None:
        hint = "say less, or write it to a file of the change"
        raise Refused("too_many_words", "{why}", hint, full, run=run.id, limit=SAID_CHARACTERS_MAX)
    length = run.said.get(SAID_LENGTH, 0) + len(words)
    return {"runs": (run.id, {"said": {**run.said, kind: said + 1, SAID_LENGTH: length}})}


def no_room(case: Case, kind: str, words: list[str]) -> str | None:
    """Why the speaking run may not say so much more of a kind, or None."""
    run = case.voice
    if run is None:
        return None
    said, most = run.said.get(kind, 0), getattr(case.flow.limits, kind)
    if said + len(words) > most:
        return f"run {run.id} has {said} {kind} already, and a run may have {most}"
    length = run.said.get(SAID_LENGTH, 0) + sum(map(len, words))
    if length > SAID_CHARACTERS_MAX:
        return f"run {run.id} would have said {length} characters during its work, and may say {SAID_CHARACTERS_MAX}"
    return None
