"""Somebody who answers in a hurry: mostly the right words, hardly ever in the form that the inbox shows.

What they say is honest, so it must do what it says, or be refused with nothing changed: an answer is never taken for
something else (R-16). They have a chance of their own, so that the rest of the world stays as it was.
"""

import random

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.core.enums import ENDED
from folkmoot.core.records import Option, Question
from folkmoot.sim.orders import Answer, Order
from folkmoot.sim.world import Red, Script, World

HASTY = Actor("hester")
# Clear to a person, and none of them an option of any question.
OTHER_WORDS = (
    "Hm, I would rather not say",
    "Whatever you think is best",
    "2 more tries",
    "1 or 2",
    "what does it cost?",
)
FURTHER = ("but keep the old API", "and add a test", "since the server is up")
WRONG_RATE = 0.3


def hasty(world: World) -> Script:
    chance = random.Random(f"hasty {world.seed}")
    while True:
        yield chance.expovariate(1 / 25)
        asked = list(world.witness.open_questions.values())
        if not asked:
            continue
        question = chance.choice(asked)
        option = chance.choice(question.options) if question.options and chance.random() > WRONG_RATE else None
        words = said_for(chance, question, option) if option else chance.choice(OTHER_WORDS)
        ended = world.items[question.item].status in ENDED
        answer = world.say(Order(HASTY, commands.AnswerQuestion(question=question.id, answer=words)))
        if not (answer.lost or ended):
            _check(world, question, option, words, answer)


def said_for(chance: random.Random, question: Question, option: Option) -> str:
    """One of the many ways in which people name an option."""
    number, words = question.options.index(option) + 1, option.option
    forms = [str(number), f"{number}.", f" {number} ", words, words.upper(), f"{words}!", f"  {words.lower()}  "]
    forms += [f"{number}, {chance.choice(FURTHER)}", f"{words} - {chance.choice(FURTHER)}"]
    cut = words[: max(3, len(words) - 2)].rstrip()
    if sum(one.option.casefold().startswith(cut.casefold()) for one in question.options) == 1:
        forms.append(cut)
    return chance.choice(forms)


def _check(world: World, question: Question, option: Option | None, words: str, answer: Answer) -> None:
    """Either the option was taken, and nothing else, or the words were not taken at all."""
    if answer.error is not None:
        return
    row = world.witness.audit.tables["questions"][question.id]
    assert isinstance(row, Question)
    item = world.items[question.item]
    if option is None:
        wrong = question.decides and row.state == "answered"
    elif option.effect == "park":
        wrong = row.state != "open" or item.status != "parked"
    elif option.effect == "cancel":
        wrong = item.status != "cancelled"
    else:
        wrong = row.state != "answered" or not str(row.answer).casefold().startswith(option.option.casefold())
    if wrong:
        meant = f"the option {option.option!r}" if option else "no option"
        raise Red(world.step, [f"R-16: {words!r} names {meant} of {question.id}, and was taken for {row.answer!r}"])
