"""What a person says to whoever works on an item. It is never lost: a run that ended before it heard it leaves it to
the next brief, and no item comes to its end while nobody has heard it."""

from msgspec.structs import replace

from folkmoot.core.commands import HearPeople, SayToAgent
from folkmoot.core.enums import ENDED, ONE_SHOT_KINDS
from folkmoot.core.flow import END
from folkmoot.core.item import Item, Sentence
from folkmoot.core.records import Run
from folkmoot.core.situation import Case
from folkmoot.errors import Invalid, Refused

SENTENCE_MAX = 4_000
UNHEARD_MAX = 20
KEPT = 40  # sentences that stay with an item; those that nobody has heard always do
# By these a child that makes one effort ends where it is.
LAST_WORDS = frozenset({"done", "changes_requested", "disputed"})


def say(case: Case, command: SayToAgent) -> None:
    item, text = case.item, command.text.strip()
    if not text:
        raise Invalid("empty_sentence", "there is nothing to say", "<say item text>", item=item.id)
    if len(text) > SENTENCE_MAX:
        words = "a sentence has at most {limit} characters, and this has {count}"
        raise Invalid("too_large", words, "put the details into the body: <edit item>", SENTENCE_MAX, len(text))
    if item.status in ENDED:
        words = "item {item} is {status}: nobody works on it any more"
        raise Refused("item_ended", words, "<reopen item>", item.id, item.status)
    if item.column == END or (item.proving is not None and item.kind in ONE_SHOT_KINDS):
        words = "item {item} is about to land: nobody works on it any more"
        raise Refused("about_to_land", words, "send it back, with these words as why: <move item column>", item.id)
    if len(unheard(item)) >= UNHEARD_MAX:
        words = "{count} sentences on item {item} wait for somebody to hear them"
        hint = "put it all into the body: <edit item>"
        raise Refused("too_many_sentences", words, hint, UNHEARD_MAX, item.id)
    number = item.said[-1].number + 1 if item.said else 1
    new = Sentence(number=number, text=text, by=case.actor.name, at=case.situation.at)
    case.set("sentence_said", {"text": text, "number": number}, said=[*item.said, new])


def unheard(item: Item) -> list[Sentence]:
    return [one for one in item.said if one.heard is None]


def told_by_brief(case: Case) -> None:
    """The brief of a run that has just begun tells all that was said before."""
    assert case.run is not None
    _mark(case, case.run, "brief")


def hear(case: Case, run: Run, command: HearPeople) -> None:
    """A run is told what was said since it began, or since it last asked."""
    if not run.gate and since(case.item, run):
        _mark(case, run, "turn")


def since(item: Item, run: Run) -> list[Sentence]:
    """What a run has not been told yet."""
    return [one for one in item.said if one.number > run.heard]


def _mark(case: Case, run: Run, by: str) -> None:
    item = case.item
    new = since(item, run)
    said = [replace(one, heard=run.id) if one.heard is None else one for one in item.said]
    context = {"numbers": [one.number for one in new], "by": by}
    row = {"heard": item.said[-1].number}
    case.emit("sentence_heard", context, item={"said": said[-KEPT:]}, runs=(run.id, row))


def goes_on_for(case: Case, outcome: str) -> Sentence | None:
    """A person spoke while the run worked, and it has not heard it: its `done` is not the end of its work."""
    ends = outcome == "done" or (case.item.kind in ONE_SHOT_KINDS and outcome in LAST_WORDS)
    return next(iter(unheard(case.item)), None) if ends else None


def because_of(sentence: Sentence) -> str:
    return f"{sentence.by} said: {sentence.text}"
