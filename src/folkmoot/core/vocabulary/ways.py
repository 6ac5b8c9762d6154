"""The ways in which a question of the rules can be answered, and what each of them does. Nowhere else is it said."""

from typing import Literal

from msgspec import Struct

from folkmoot.core.records import Option

Effect = Literal[
    "again",
    "join",
    "move",
    "fix",
    "finish",
    "waive",
    "uphold",
    "dismiss",
    "split",
    "whole",
    "delegate",
    "drop",
    "give",
    "keep",
    "take",
    "more",
    "go",
    "wait",
    "park",
    "cancel",
]
# What a person who chooses it is told beforehand, about the item. `{to}` is the column it names.
DOES: dict[str, str] = {
    "again": "goes on where it asked, its counters at zero",
    "join": "goes on with what is there by now, which becomes part of it",
    "move": "goes to {to}",
    "fix": "goes to {to}, then back to whoever asked; its rounds are counted from 1 again",
    "finish": "counts as done here, and goes on",
    "waive": "goes on: these findings change nothing",
    "uphold": "goes to {to}, the dispute accepted",
    "dismiss": "goes to {to}, the dispute rejected",
    "split": "is split into the proposed tasks",
    "whole": "goes on as it is; a split would ask again",
    "delegate": "waits for that expert's advice, then goes on",
    "drop": "waits for it no longer",
    "give": "gets the files",
    "keep": "does not get them, and cannot ask again",
    "take": "has what the file says, and goes on",
    "more": "may make as many again",
    "go": "is tried now: the pause ends",
    "wait": "is tried when the pause is over",
    "park": "rests until you answer again",
    "cancel": "ends, with its runs and children",
}
# Where no column is named.
HERE: dict[str, str] = {
    "fix": "is fixed when everybody has spoken",
    "uphold": "goes on here, the dispute accepted",
    "dismiss": "goes on here, the dispute rejected",
}


class Way(Struct, frozen=True):
    """A way that the rules offer: short words, and what choosing it does. `says` is the plain answer it stands for."""

    words: str
    effect: Effect
    to: str | None = None
    says: Literal["yes", "no"] | None = None

    @property
    def option(self) -> Option:
        return Option(option=self.words, effect=self.effect, to=self.to, says=self.says)


PARK = Way("park it", "park")
NOT_NOW = Way("park it", "park", says="no")  # where the question is whether it goes on
CANCEL = Way("cancel it", "cancel")
AGAIN = Way("try again", "again", says="yes")
GO_ON = Way("go on", "again", says="yes")
# Where the question states a concern: a yes would say that it is one, and not that anybody goes on.
AGAIN_ALL_THE_SAME, GO_ON_ALL_THE_SAME = Way("try again", "again"), Way("go on", "again")


def does(option: Option) -> str | None:
    """What choosing an option does beyond its words; None: its words are all there is."""
    effect = option.effect
    if effect is None:
        return f"the item goes to {option.to}" if option.to else None
    words = DOES.get(effect) if option.to else HERE.get(effect, DOES.get(effect))
    return words.format(to=option.to) if words else None
