"""What a person says to whoever works on an item. It is never lost: a run that ended before it heard it leaves it to
the next brief, and no item comes to its end while nobody has heard it."""

from msgspec.structs import replace

from folkmoot.core.commands import AddComment, HearPeople, SayToAgent
from folkmoot.core.enums import ENDED, ONE_SHOT_KINDS
from folkmoot.core.flow import END, LANDING
from folkmoot.core.item import Item, Sentence
from folkmoot.core.order import ends_here
from folkmoot.core.records import Question, Run
from folkmoot.core.situation import Case
from folkmoot.errors import Invalid, Refused

SENTENCE_MAX = 4_000
UNHEARD_MAX = 20
KEPT = 40  # sentences that stay with an item; those that nobody has heard always do
# By these a child that makes one effort ends where it is.
LAST_WORDS = frozenset({"done", "changes_requested", "disputed"})
AT_WORK = frozenset({"running", "proving", "waiting"})


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
    if _lands(item):
        words = "item {item} is about to land: nobody works on it any more"
        raise Refused("about_to_land", words, "send it back, with these words as why: <move item column>", item.id)
    if len(unheard(item)) >= UNHEARD_MAX:
        words = "{count} sentences on item {item} wait for somebody to hear them"
        hint = "put it all into the body: <edit item>"
        raise Refused("too_many_sentences", words, hint, UNHEARD_MAX, item.id)
    _add(case, text)


def say_comment(case: Case, command: AddComment, comment: str) -> None:
    """What a person writes about an item that is at work is for whoever works on it next, and nobody may come next: so
    it is said to them, too. What an agent writes in a file, or the engine notes, is not."""
    item, actor = case.item, case.actor
    by_person = actor.is_person and not actor.engine and actor.name not in case.flow.agents
    if not by_person or command.resolution or item.status not in AT_WORK or _lands(item):
        return
    if len(unheard(item)) < UNHEARD_MAX:  # any of those brings the comments along
        about = ", ".join(place for place in (command.artifact, command.target) if place)
        words = f"{about}: {command.content.strip()}" if about else command.content.strip()
        _add(case, _cut(words, f"comment {comment}"), comment=comment)


def say_answer(case: Case, question: Question, text: str) -> None:
    """A person answers what an agent asked while its item is at work: nobody may come next, and what was decided must
    not be lost. Where nobody works, the next brief has it. What the rules have asked is answered by what follows."""
    item = case.item
    if question.kind != "clarification" or item.status not in ("running", "proving") or _lands(item):
        return
    if len(unheard(item)) < UNHEARD_MAX:  # any of those brings the answers along
        _add(case, answer_words(question.id, question.question, text), question=question.id)


def answer_words(question: str, asked: str, text: str) -> str:
    return _cut(f"Answer to {question} ({asked}): {text}", "the next brief")


def _cut(words: str, rest: str) -> str:
    more = f" […the rest is in {rest}]"
    return words if len(words) <= SENTENCE_MAX else words[: SENTENCE_MAX - len(more)] + more


def _lands(item: Item) -> bool:
    """Is it about to land? Then nobody works on it any more."""
    if item.column == END or (item.proving is not None and item.kind in ONE_SHOT_KINDS):
        return True
    return item.proving is not None and item.proving.left == [LANDING]


def _add(case: Case, text: str, **source: str) -> None:
    """`source` names the comment or the question that it belongs to."""
    said = case.item.said
    number = said[-1].number + 1 if said else 1
    new = Sentence(number=number, text=text, by=case.actor.name, at=case.situation.at, **source)
    case.set("sentence_said", {"text": text, "number": number, **source}, said=[*said, new])


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
    """A person spoke while the run worked, and it has not heard it: its `done` is not the end of its work. A comment
    or an answer can wait for the next stage, if there is one: whoever works there is told."""
    item = case.item
    if not item.said or not (outcome == "done" or (item.kind in ONE_SHOT_KINDS and outcome in LAST_WORDS)):
        return None
    is_last = ends_here(case.flow, item)
    return next((one for one in unheard(item) if is_last or one.is_sentence), None)


def because_of(sentence: Sentence) -> str:
    return f"{sentence.by} said: {sentence.text}"
